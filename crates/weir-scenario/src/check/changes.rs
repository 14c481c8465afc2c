//! Changes in mid-run: written out where they belong, completed and checked.

use std::collections::HashMap;

use indexmap::IndexSet;
use weir_aqm::{Limit, Link as SeenLink, qdisc::QueueConfig};
use weir_types::Duration;

use super::{
    check_discipline, check_parameters,
    links::{check_legacy, check_shaper},
};
use crate::{
    CountAt, DirectedLink, Direction, DirectionChange, FlowGroup, FlowsChange, LinkChange, PopulationChange,
    QueueChange, RateChange, Rtt, Scenario, Traffic, problem::Problem, topology::Passing,
};

impl Scenario {
    /// Checks the changes and writes those of rates and numbers of flows where they belong.
    pub(crate) fn write_out_changes(&mut self) -> Result<(), Problem> {
        let mut changes = std::mem::take(&mut self.changes);
        let mut before = Duration::ZERO;
        let scheduled: Vec<_> = self.links.iter().flat_map(scheduled).collect();
        let counted: Vec<_> = self
            .flows
            .iter()
            .filter(|(_, group)| !group.population.is_empty())
            .map(|(name, _)| name.clone())
            .collect();
        for (index, change) in changes.iter_mut().enumerate() {
            let path = format!("changes[{index}]");
            Problem::unless(
                change.at > before,
                format!("{path}.at"),
                format!("the change at {} does not come after {before}", change.at),
                "write the changes in the order of time, after 0 s; what is so at 0 s stands with the link or group",
            )?;
            before = change.at;
            let nothing = change.links.values().all(|change| *change == LinkChange::default())
                && change.flows.values().all(|change| *change == FlowsChange::default());
            Problem::unless(
                !nothing,
                &path,
                format!("the change at {} changes nothing", change.at),
                "write below it what changes, such as links.NAME.rate = \"5 Mbit/s\", or take it out",
            )?;
            for (name, change_of) in &mut change.links {
                self.write_out_link(&format!("{path}.links.{name}"), change.at, name, change_of, &scheduled)?;
            }
            for (name, change_of) in &mut change.flows {
                let path = format!("{path}.flows.{name}");
                self.write_out_flows(&path, change.at, name, change_of, counted.contains(name))?;
            }
        }
        self.changes = changes;
        Ok(())
    }

    /// Takes out what has been written out elsewhere. Until then every change has the place that it has in the file.
    pub(crate) fn take_out_written_changes(&mut self) {
        for change in &mut self.changes {
            change.links.retain(|_, change| *change != LinkChange::default());
            change.flows.retain(|_, change| *change != FlowsChange::default());
        }
        self.changes.retain(|change| !change.links.is_empty() || !change.flows.is_empty());
    }

    fn write_out_link(
        &mut self,
        path: &str,
        at: Duration,
        name: &str,
        change: &mut LinkChange,
        scheduled: &[(String, Direction)],
    ) -> Result<(), Problem> {
        let names: Vec<_> = self.links.keys().cloned().collect();
        let Some(link) = self.links.get_mut(name) else {
            return Err(Problem::new(path, "there is no such link", format!("links: {}", names.join(", "))));
        };
        Problem::unless(
            change.reverse.is_none() || link.reverse.is_some(),
            format!("{path}.reverse"),
            "the other direction has no queue",
            format!("write [links.{name}.reverse] with a buffer, or leave this out"),
        )?;
        let rates = [
            (Direction::Forward, "rate", change.rate.take()),
            (
                Direction::Reverse,
                "reverse.rate",
                change.reverse.as_mut().and_then(|change| change.rate.take()),
            ),
        ];
        for (direction, key, rate) in rates {
            let Some(rate) = rate else { continue };
            let port = link.port(direction).expect("it has this direction");
            Problem::unless(
                port.deliveries.is_none(),
                format!("{path}.{key}"),
                "a link with a trace has the rate of its trace",
                "leave the rate out here, or trace there",
            )?;
            Problem::unless(
                !scheduled.contains(&(name.to_owned(), direction)),
                format!("{path}.{key}"),
                "the rate of this link follows a rate_schedule already",
                "write the change there, or the schedule as changes",
            )?;
            link.rate_schedule_mut(direction).push(RateChange { at, rate });
        }
        if change.reverse.as_ref() == Some(&DirectionChange::default()) {
            change.reverse = None;
        }
        Ok(())
    }

    fn write_out_flows(
        &mut self,
        path: &str,
        at: Duration,
        name: &str,
        change: &mut FlowsChange,
        counted: bool,
    ) -> Result<(), Problem> {
        let names: Vec<_> = self.flows.keys().cloned().collect();
        let Some(group) = self.flows.get_mut(name) else {
            return Err(Problem::new(
                path,
                "there is no such group of flows",
                format!("groups: {}", names.join(", ")),
            ));
        };
        let Some(count) = change.count.take() else { return Ok(()) };
        let path = format!("{path}.count");
        Problem::unless(
            !counted,
            &path,
            "the number of these flows follows a population already",
            "write the change there, or the population as changes",
        )?;
        Problem::unless(
            at > group.start,
            &path,
            format!("the group begins at {}", group.start),
            "write a later change; count of the group says how many begin",
        )?;
        group.population.push(PopulationChange::Once(CountAt { at, count }));
        group.check_population(&format!("flows.{name}")).map_err(|problem| Problem { path, ..problem })
    }

    /// Fills in what queues derive from their link at that instant.
    pub(crate) fn complete_changes(&mut self, passing: &Passing) -> Result<(), Problem> {
        let names: IndexSet<_> =
            self.changes.iter().flat_map(|change| change.links.keys()).cloned().collect();
        for name in names {
            for direction in Direction::BOTH {
                let at = DirectedLink { link: &name, direction };
                let changes = self.queue_changes(passing, at).into_iter();
                let seen: HashMap<_, _> = changes.map(|change| (change.at, change.link)).collect();
                for (index, change) in self.changes.iter_mut().enumerate() {
                    let Some(link) = change.links.get_mut(&name) else { continue };
                    let queue = match direction {
                        Direction::Forward => link.queue.as_mut(),
                        Direction::Reverse => link.reverse.as_mut().and_then(|change| change.queue.as_mut()),
                    };
                    if let (Some(queue), Some(seen)) = (queue, seen.get(&change.at)) {
                        check_parameters(&format!("changes[{index}].links.{at}.queue"), queue)?;
                        queue.complete(*seen);
                    }
                }
            }
        }
        Ok(())
    }

    /// A link as its AQM sees it at `time`, with the rate and the round trips of that instant and the buffer of the
    /// start.
    fn seen_at(&self, passing: &Passing, at: DirectedLink<'_>, time: Duration) -> SeenLink {
        let mut seen = self.seen_by_aqms(passing, at);
        if let Some(port) = self.links[at.link].port(at.direction) {
            let cycle = port.rate_period.filter(|period| !period.is_zero());
            let time = cycle.map_or(time, |cycle| Duration::from_nanos(time.as_nanos() % cycle.as_nanos()));
            let change = port.rate_schedule.iter().rev().find(|change| change.at <= time);
            seen.rate = change.map_or(seen.rate, |change| change.rate);
        }
        seen.rtt = passing.largest_rtt_at(self, at.link, time);
        seen
    }

    /// The queues that stand before one direction of a link, one after another. A buffer stays as large as it is when
    /// it is given.
    pub(crate) fn queue_changes<'a>(
        &'a self,
        passing: &Passing,
        at: DirectedLink<'a>,
    ) -> Vec<QueueChange<'a>> {
        let Some(port) = self.links[at.link].port(at.direction) else { return Vec::new() };
        let (mut queue, mut limit) = (port.queue, None);
        let mut found = Vec::new();
        for change in &self.changes {
            let Some(link) = change.links.get(at.link) else { continue };
            let (new_queue, new_buffer) = (link.queue(at.direction), link.buffer(at.direction));
            if new_queue.is_none() && new_buffer.is_none() {
                continue;
            }
            let mut link = self.seen_at(passing, at, change.at);
            queue = new_queue.unwrap_or(queue);
            limit = new_buffer.map(|buffer| self.limit_of(at, buffer, link)).or(limit);
            link.limit = limit.unwrap_or(link.limit);
            found.push(QueueChange { at: change.at, queue, link });
        }
        found
    }

    /// That what changes can change.
    pub(crate) fn check_changes(&self, passing: &Passing) -> Result<(), Problem> {
        let mut queues = HashMap::new();
        for (index, change) in self.changes.iter().enumerate() {
            for (name, link) in &change.links {
                for direction in Direction::BOTH {
                    let Some(DirectionChange { buffer, queue, .. }) = link.direction(direction) else {
                        continue;
                    };
                    if buffer.is_none() && queue.is_none() {
                        continue;
                    }
                    let at = DirectedLink { link: name, direction };
                    let suffix = if direction == Direction::Forward { "" } else { ".reverse" };
                    let path = format!("changes[{index}].links.{name}{suffix}");
                    let queues = queues.entry(at).or_insert_with(|| self.queue_changes(passing, at));
                    let queue = queues.iter().find(|queue| queue.at == change.at).expect("it is one of them");
                    self.check_queue_change(&path, queue, at, passing)?;
                }
            }
            for (name, flows) in &change.flows {
                let (Some(rtt), group) = (flows.rtt, &self.flows[name]) else { continue };
                self.check_rtt_change(&format!("changes[{index}].flows.{name}.rtt"), rtt, group)?;
            }
        }
        Ok(())
    }

    fn check_queue_change(
        &self,
        path: &str,
        change: &QueueChange<'_>,
        at: DirectedLink<'_>,
        passing: &Passing,
    ) -> Result<(), Problem> {
        let port = self.links[at.link].port(at.direction).expect("it has a queue");
        let first = port.queue;
        let holds_one = match change.link.limit {
            Limit::Packets(packets) => packets >= 1,
            Limit::Bytes(bytes) | Limit::Span(bytes) => bytes >= u64::from(passing.largest_packet(self, at)),
        };
        Problem::unless(
            holds_one,
            format!("{path}.buffer"),
            "the buffer does not hold one packet",
            "write at least \"1 packet\"",
        )?;
        let path = format!("{path}.queue");
        Problem::unless(
            change.queue.classes() == first.classes(),
            &path,
            classes_differ(change.queue, first),
            "change other parameters, or run each discipline by itself",
        )?;
        Problem::unless(
            change.queue.python().is_none() && first.python().is_none(),
            &path,
            "an AQM in Python can neither come nor go in mid-run",
            "run each discipline by itself",
        )?;
        if !self.links[at.link].ecn_capable {
            check_legacy(path.trim_end_matches(".queue"), change.queue)?;
        }
        if port.docsis.is_some() {
            check_shaper(&path, change.queue)?;
        }
        check_discipline(&path, change.queue, change.link)
    }

    fn check_rtt_change(&self, path: &str, rtt: Duration, group: &FlowGroup) -> Result<(), Problem> {
        Problem::unless(
            matches!(group.traffic, Traffic::Bulk(_))
                && group.access.is_none()
                && group.send_jitter.is_zero(),
            path,
            "only flows of bulk traffic without access links and send_jitter change their round trip",
            "write two groups, one that stops and one that starts",
        )?;
        self.check_rtt(path, &FlowGroup { rtt: Rtt::Fixed(rtt), ..group.clone() })
    }
}

/// The directions of a link whose rates follow a schedule.
fn scheduled((name, link): (&String, &crate::Link)) -> Vec<(String, Direction)> {
    let follows =
        |direction: &Direction| link.port(*direction).is_some_and(|port| !port.rate_schedule.is_empty());
    Direction::BOTH.into_iter().filter(follows).map(|direction| (name.clone(), direction)).collect()
}

/// Says that results cannot count the classes of both queues.
fn classes_differ(queue: &QueueConfig, first: &QueueConfig) -> String {
    const WHY: &str = "in mid-run: results count its classes from the start";
    if queue.name() == first.name() {
        return format!("{} cannot have other classes {WHY}", first.name());
    }
    let with_classes = if first.classes().is_empty() { queue } else { first };
    format!("{} can neither come nor go {WHY}", with_classes.name())
}
