//! Checks that types cannot make: values go together. They are done before anything runs.

mod changes;
mod flows;
mod links;
mod measure;

pub(crate) use links::{check_discipline, check_parameters};

use weir_tcp::Label;
use weir_types::Duration;

use crate::{
    DirectedLink, Direction, FlowGroup, SCHEMA_VERSION, Scenario,
    problem::{Problem, is_plain},
    topology::Passing,
};

impl Scenario {
    /// That flows can be counted at all, before anything counts them.
    pub(crate) fn check_counts(&self) -> Result<(), Problem> {
        for (name, group) in &self.flows {
            group.check_population(&format!("flows.{name}"))?;
        }
        Ok(())
    }

    /// Fills in what follows from the rest of the file, so that the resolved scenario says it.
    pub(crate) fn complete(&mut self) -> Result<(), Problem> {
        if self.title.is_empty() {
            self.title.clone_from(&self.name);
        }
        Problem::unless(
            !self.links.is_empty(),
            "links",
            "there is no link",
            "add a table [links.bottleneck]",
        )?;
        self.check_directions()?;
        self.complete_only_path();
        self.write_out_hops()?;
        self.complete_routes()?;
        self.write_out_changes()?;
        let passing = Passing::of(self);
        let names: Vec<_> = self.links.keys().cloned().collect();
        self.measure.warm_up.get_or_insert(self.start_of_measuring());
        for name in names {
            let both = Direction::BOTH.map(|direction| DirectedLink { link: &name, direction });
            let sizes = both.map(|at| passing.mean_packet_size(self, at));
            let link = &mut self.links[&name];
            let forward = link.rate;
            for ((_, direction), size) in link.directions_mut().zip(sizes) {
                *direction.rate = direction.rate.or(forward);
                *direction.mean_packet_size = Some(size);
            }
            let seen = both.map(|at| self.seen_by_aqms(&passing, at));
            for ((suffix, direction), seen) in self.links[&name].directions_mut().zip(seen) {
                // Before times become lengths: an error names what was written.
                check_parameters(&format!("links.{name}{suffix}.queue"), direction.queue)?;
                direction.queue.complete(seen);
            }
        }
        self.complete_changes(&passing)
    }

    /// When every group has begun and 100 of the longest round trips have passed, at most half of the run: slow
    /// start is over, and the windows have been through some cycles.
    fn start_of_measuring(&self) -> Duration {
        let latest = |times: &dyn Fn(&FlowGroup) -> u64| self.flows.values().map(times).max().unwrap_or(0);
        let begun = latest(&|group| group.start.as_nanos().saturating_add(group.start_jitter.as_nanos()));
        let longest = latest(&|group| group.rtt.typical_maximum().as_nanos());
        let enough = begun.saturating_add(longest.saturating_mul(100));
        Duration::from_nanos(enough.min(self.duration.as_nanos() / 2))
    }

    pub(crate) fn check(&self) -> Result<(), Problem> {
        Problem::unless(
            self.schema == SCHEMA_VERSION,
            "schema",
            format!("schema {} is not known to this version", self.schema),
            format!("this version reads schema = {SCHEMA_VERSION}"),
        )?;
        check_name("name", &self.name)?;
        Problem::unless(
            !self.duration.is_zero(),
            "duration",
            "the run takes no time",
            "write for example \"100 s\"",
        )?;
        let longest = longest_run(self.links.len());
        Problem::unless(
            self.duration <= longest,
            "duration",
            format!("a run of {} is too long to count its nanoseconds", self.duration),
            format!("write {longest} or less"),
        )?;
        let passing = Passing::of(self);
        for name in self.links.keys() {
            check_name(&format!("links.{name}"), name)?;
            self.check_link(name, &passing)?;
        }
        let total: usize = self.flows.values().map(FlowGroup::flows_in_all).sum();
        Problem::unless(
            total > 0,
            "flows",
            "there are no flows",
            "add a table [flows.ftp] with count = 1 or more",
        )?;
        let (hosts, most) = (self.hosts(), usize::from(Label::LAST_HOST));
        Problem::unless(
            hosts.len() <= most,
            "flows",
            format!("{} hosts have names; at most {most} may", hosts.len()),
            "leave from_host or to_host out where a flow has a host of its own",
        )?;
        for (name, group) in &self.flows {
            check_name(&format!("flows.{name}"), name)?;
            self.check_group(name, group)?;
        }
        self.check_changes(&passing)?;
        self.check_measure()?;
        self.check_sweep()
    }
}

/// The longest run over so many links: 104 days, and less beyond 256 links.
///
/// Nanoseconds are whole numbers in the columns of tables, which have 53 bits. The time and the port of a packet fit
/// into 62 bits. The order of packets has 63, since what is under way at the end arrives later.
pub const fn longest_run(links: usize) -> Duration {
    let ports = 2 * links;
    let bits = 62 - ports.next_power_of_two().trailing_zeros();
    Duration::from_nanos(1 << if bits < 53 { bits } else { 53 })
}

/// Names become paths and file names.
fn check_name(path: &str, name: &str) -> Result<(), Problem> {
    Problem::unless(
        is_plain(name),
        path,
        format!("\"{name}\" is not a plain name"),
        "use letters, digits, \"-\" and \"_\"",
    )
}
