//! Values of a run while it goes on.

use weir_aqm::Mechanism;
use weir_types::{Duration, Instant};

use super::Simulation;
use crate::record::{CellCounts, FlowCounts, GroupInfo, Histogram};

/// A place in the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// The queue of one direction of this link, `forward` or `reverse`.
    Queue(&'a str, &'static str),
    /// The packets of one class in the queue of one direction of this link.
    Class(&'a str, &'static str, &'static str),
    /// The packets of one group in the queue of one direction of this link.
    GroupAt(&'a str, &'static str, &'a str),
    /// The flows of this group.
    Group(&'a str),
}

impl Simulation<'_> {
    /// The instant up to which [`Simulation::advance`] ran.
    pub const fn reached(&self) -> Instant {
        self.until
    }

    /// Reports variables of all queues and groups of flows at this instant, always in the same order.
    ///
    /// A queue has:
    /// - `departures`, `bytes`, `drops` and `marks`, since the start of the run;
    /// - `waited`, the sum of the sojourn times of the departures, in seconds;
    /// - `came`, the bits that the rate of the link has offered since the start;
    /// - `at_hand`, the bits that can be sent beyond those that come later;
    /// - `peak`, the most bits that the peak of a bucket has let through (NaN without a peak);
    /// - `queue`, the number of waiting packets, then the variables of its discipline.
    ///
    /// At the bottleneck, each class of a discipline that has some, and each group if there are several, has
    /// `departures`, `bytes` and `waited`. A class also has `queue`.
    ///
    /// A group has:
    /// - `flows`, the number in progress;
    /// - `bytes`, which its receivers have got since the start;
    /// - `cwnd`, the mean of bulk flows in progress, in packets.
    pub fn look(&mut self, mut report: impl FnMut(Place<'_>, &'static str, f64)) {
        self.now = self.until;
        self.catch_up();
        let Self { network, traffic, recorder, until, .. } = self;
        let until = *until;
        for (port, (info, closed)) in (0..).zip(recorder.closed()) {
            let place = Place::Queue(&info.link, info.direction);
            let cells = closed.iter().chain([network.counts(port)]).flat_map(|counts| &counts.cells);
            let sum = |count: fn(&CellCounts) -> u64| cells.clone().map(count).sum::<u64>();
            report(place, "departures", sum(|cell| cell.departures) as f64);
            report(place, "bytes", sum(|cell| cell.bytes) as f64);
            report(place, "drops", sum(CellCounts::drops) as f64);
            report(place, "marks", sum(|cell| cell.marks) as f64);
            report(place, "waited", Duration::from_nanos(sum(|cell| cell.waited)).as_secs_f64());
            let [came, at_hand, peak] = network.supply(port, info.rate, until);
            report(place, "came", came);
            report(place, "at_hand", at_hand);
            report(place, "peak", peak);
            network.probe(port, &mut |variable, value| report(place, variable, value));
            if !info.is_bottleneck {
                continue;
            }
            let groups = recorder.groups();
            let mut part = |place, class, group| {
                let counts = closed.iter().chain([network.counts(port)]);
                let cells: Vec<_> =
                    counts.flat_map(|counts| counts.cells_of(groups.len(), class, group)).collect();
                let sum = |count: fn(&CellCounts) -> u64| cells.iter().map(|cell| count(cell)).sum::<u64>();
                report(place, "departures", sum(|cell| cell.departures) as f64);
                report(place, "bytes", sum(|cell| cell.bytes) as f64);
                report(place, "waited", Duration::from_nanos(sum(|cell| cell.waited)).as_secs_f64());
            };
            for (class, name) in info.classes.iter().enumerate() {
                part(Place::Class(&info.link, info.direction, name), Some(class), None);
            }
            for (group, GroupInfo { name, .. }) in groups.iter().enumerate().filter(|_| groups.len() > 1) {
                part(Place::GroupAt(&info.link, info.direction, name), None, Some(group));
            }
            for (class, name) in info.classes.iter().enumerate() {
                let place = Place::Class(&info.link, info.direction, name);
                report(place, "queue", network.class_backlog(port, class));
            }
        }
        let hosts = &network.hosts;
        let mut sums = vec![(FlowCounts::default(), 0.0, 0_u32); recorder.groups().len()];
        for (index, flow) in hosts.flows().iter().enumerate().take(recorder.flows()) {
            let info = recorder.flow(index as u32);
            let (counts, cwnd, live) = &mut sums[info.group as usize];
            counts.add(&hosts.counts(index, info.bytes));
            if flow.has_begun() && !flow.sender.is_done() {
                *cwnd += flow.sender.cwnd();
                *live += 1;
            }
        }
        for (group, counts) in traffic.finite.counts(hosts) {
            sums[group].0.add(&counts);
        }
        for ((group, live), (counts, cwnd, bulk)) in
            recorder.groups().iter().zip(hosts.routing.live()).zip(sums)
        {
            let place = Place::Group(&group.name);
            report(place, "flows", f64::from(*live));
            report(place, "bytes", counts.bytes as f64);
            report(place, "cwnd", cwnd / f64::from(bulk));
        }
    }

    /// The bytes that the receiver of each static flow has got since the start, at this instant. The number is NaN
    /// for a flow that was not active all the time since `from`.
    pub fn received(&self, from: Instant) -> Vec<f64> {
        let Self { network, recorder, .. } = self;
        let bytes = |flow: u32| {
            if !recorder.was_active(flow, from, self.until) {
                return f64::NAN;
            }
            network.hosts.counts(flow as usize, recorder.flow(flow).bytes).bytes as f64
        };
        (0..recorder.flows() as u32).map(bytes).collect()
    }

    /// How queue `port` decides at this instant, beside its variables.
    ///
    /// # Panics
    /// If there are fewer queues.
    pub fn mechanism(&mut self, port: usize) -> Mechanism<'_> {
        self.now = self.until;
        self.catch_up();
        self.network.mechanism(port as u32)
    }

    /// The group of a flow.
    ///
    /// # Panics
    /// If there are fewer flows.
    pub fn group_of(&self, flow: u32) -> usize {
        self.network.hosts.flow(flow).group()
    }

    /// Congestion window in packets, and smoothed round-trip time, of a flow at this instant. `None` before its first
    /// round trip, and if there are fewer flows.
    pub fn window(&self, flow: u32) -> Option<(f64, Duration)> {
        let sender = &self.network.hosts.flows().get(flow as usize)?.sender;
        Some((sender.cwnd(), sender.srtt()?))
    }

    /// The sojourn times of the departures from queue `port` since the start: the longest of each bin, and packets.
    ///
    /// # Panics
    /// If there are fewer queues.
    pub fn sojourns(&self, port: usize) -> Vec<(Duration, u64)> {
        let (_, closed) = self.recorder.closed().nth(port).expect("there is such a queue");
        let counts = closed.iter().chain([self.network.counts(port as u32)]);
        let mut sum = Histogram::default();
        for cell in counts.flat_map(|counts| &counts.cells) {
            sum.add(&cell.sojourns);
        }
        sum.bins().collect()
    }
}
