//! The numbers of flows over a run, in figures.

use weir_scenario::{FlowGroup, LoadChange, Traffic};
use weir_sim::mean_size;
use weir_types::{Duration, Rate};

/// Numbers of the flows of a group, or of those through a port.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Load {
    /// The largest number of flows at a time.
    pub(crate) most: u32,
    /// The least number of flows at a time, while there are any.
    pub(crate) fewest: u32,
}

impl Load {
    /// The figures of a run that ends at `end`.
    pub(crate) fn of(changes: &[LoadChange], end: Duration) -> Self {
        let within = changes.iter().filter(|change| change.at < end).map(|change| change.after);
        let there = within.filter(|flows| *flows > 0);
        there.fold(Self::default(), |Self { most, fewest }, now| Self {
            most: most.max(now),
            fewest: if fewest == 0 { now } else { fewest.min(now) },
        })
    }
}

/// The number of flows at an instant.
pub(crate) fn flows_at(changes: &[LoadChange], at: Duration) -> u32 {
    let passed = changes.partition_point(|change| change.at <= at);
    changes[..passed].last().map_or(0, |change| change.after)
}

/// Mean offered load of each source of a group while it is there, bit/s, whose bottleneck has this rate. `None` where
/// the network or the receive window limits it, and where the mean size is not known.
pub fn offered_bps(flows: &FlowGroup, bottleneck: Rate) -> Option<f64> {
    let bps = |rate: Rate| rate.bits_per_second() as f64;
    match &flows.traffic {
        Traffic::Cbr(cbr) => Some(bps(cbr.rate)),
        Traffic::OnOff(source) => {
            let (on, off) = (source.on.as_secs_f64(), source.off.as_secs_f64());
            let share = if on + off > 0.0 { on / (on + off) } else { 1.0 };
            Some(bps(source.rate) * share)
        }
        Traffic::Poisson(poisson) => match poisson.load {
            Some(load) => Some(load * bps(bottleneck)),
            None => Some(poisson.rate?.per_second() * 8.0 * mean_size(&poisson.size, flows.packet_size)?),
        },
        _ => None,
    }
}
