//! Mean delays of the paths of a group: what its packets wait in all queues, and the round trip under load.
//!
//! ```text
//! path delay    sum over the hops of data of the mean sojourn time of the group's packets there
//! round trip    propagation, and over the hops of data and of ACKs the sum of mean sojourn and transmission, and of
//!               what the line behind adds (random delays, grants)
//! ```
//!
//! Means add up whatever the hops have in common; quantiles do not. The time for which a receiver holds an ACK back is
//! not part of it.

use weir_types::Instant;

use crate::record::{GroupInfo, Measurements, Row};

/// Mean delays in nanoseconds; NaN where nothing of the group left one of the hops.
#[derive(Clone, Copy)]
pub(super) struct PathMeans {
    /// Wait in the queues that data passes.
    pub(super) wait: f64,
    /// Round trip of data and its ACK; NaN for datagrams.
    pub(super) round_trip: f64,
}

/// The mean sojourn time of a group's packets at a queue, and the mean times of their transmission and on the line.
struct Hop {
    wait: f64,
    transmission: f64,
    line: f64,
    bytes: f64,
}

impl PathMeans {
    /// Mean delays of every group in `row`.
    pub(super) fn of_groups(run: &Measurements, row: &Row) -> Vec<Self> {
        let means = propagation(run, row).into_iter().enumerate();
        means.map(|(group, rtt)| Self::of(run, group, over_time(rtt, &run.groups[group], row), row)).collect()
    }

    fn of(run: &Measurements, group: usize, propagation: f64, row: &Row) -> Self {
        let info = &run.groups[group];
        let hops = |queues: &[usize]| queues.iter().map(|queue| Hop::of(run, *queue, group, row)).collect();
        let data: Vec<_> = hops(&info.queues);
        let wait = data.iter().map(|hop| hop.wait).sum();
        let Some(acks) = &info.acks else { return Self { wait, round_trip: f64::NAN } };
        let acks: Vec<_> = hops(acks);
        let in_ports =
            data.iter().chain(&acks).map(|hop| hop.wait + hop.transmission + hop.line).sum::<f64>();
        let access = info.access.as_ref().map_or(0.0, |access| {
            let data = data.first().map_or(0.0, |hop| hop.bytes);
            2.0 * (data + access.ack_bytes) * 8e9 / access.rate
        });
        Self { wait, round_trip: propagation + in_ports + access }
    }
}

impl Hop {
    fn of(run: &Measurements, queue: usize, group: usize, row: &Row) -> Self {
        let (mut waited, mut departures, mut bytes, mut transmission) = (0.0, 0.0, 0.0, 0);
        let (mut on_line, mut passed) = (0.0, 0.0);
        for interval in &run.queues[queue].1[row.intervals.clone()] {
            for cell in interval.cells_of(run.groups.len(), None, Some(group)) {
                waited += cell.waited as f64;
                departures += cell.departures as f64;
                bytes += cell.bytes as f64;
                transmission += cell.transmission();
                on_line += cell.on_line as f64;
                passed += (cell.departures - cell.lost) as f64;
            }
        }
        let bytes = bytes / departures;
        let line = if on_line > 0.0 { on_line / passed } else { 0.0 };
        // As measured: a token bucket, a trace and grants do not send at the rate of the link.
        let transmission = transmission as f64 / departures;
        Self { wait: waited / departures, transmission, line, bytes }
    }
}

/// The mean propagation round trip of each group at its start, in nanoseconds: over the flows of the row.
fn propagation(run: &Measurements, row: &Row) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); run.groups.len()];
    for (flow, _) in run.flows.received(row) {
        if flow.start < row.to && flow.shared.stop > row.from {
            let (sum, flows) = &mut sums[flow.shared.group as usize];
            *sum += flow.shared.rtt.as_nanos() as f64;
            *flows += 1.0;
        }
    }
    let mut means: Vec<_> = sums.into_iter().map(|(sum, flows)| sum / flows).collect();
    for finite in &run.finite {
        means[finite.group] = finite.mean_rtt;
    }
    means
}

/// The mean over the time of `row` of a round trip that is `first` and then what `info` says.
fn over_time(first: f64, info: &GroupInfo, row: &Row) -> f64 {
    let (mut since, mut rtt, mut sum) = (Instant::ZERO, first, 0.0);
    let changes = info.rtts.iter().map(|(at, rtt)| (*at, rtt.as_nanos() as f64));
    for (at, next) in changes.chain([(row.to, f64::NAN)]) {
        let (begin, end) = (since.max(row.from), at.min(row.to));
        if begin < end {
            sum += end.since(begin).as_secs_f64() * rtt;
        }
        (since, rtt) = (at, next);
    }
    sum / row.seconds()
}
