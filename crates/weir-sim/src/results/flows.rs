//! What flows got: the tables `groups` and `flows`.

use weir_types::Instant;

use super::{ALL, table::table};
use crate::{
    Measurements,
    measure::{FlowCounts, FlowInfo, GroupInfo, Row},
};

table! {
    GroupTable<'a> of GroupRow {
        run: u32,
        group: &'a str,
        period: i64,
        from_s: f64,
        to_s: f64,
        users: i64,
        goodput: f64,
        goodput_bps: f64,
        sent: i64,
        retransmitted: i64,
        delivered: i64,
        loss: f64,
        jain: f64,
        timeouts: i64,
        fast_retransmits: i64,
        ecn_cuts: i64,
    }
}

table! {
    FlowRows<'a> of FlowRow {
        run: u32,
        flow: &'a str,
        group: &'a str,
        rtt_ms: f64,
        start_s: f64,
        stop_s: f64,
        period: i64,
        goodput_bps: f64,
        delivered: i64,
    }
}

/// Adds the rows of `run`: every period, with the group "all" first, then those `with_rows`.
pub(super) fn add<'a>(
    run: &'a Measurements,
    with_rows: &'a [GroupInfo],
    number: u32,
    groups: &mut GroupTable<'a>,
    flows: &mut FlowRows<'a>,
) {
    let mut flows_in = Vec::with_capacity(run.flows.len());
    let mut drops = vec![0; run.groups.len()];
    for row in &run.rows {
        flows_in.clear();
        flows_in.extend(run.flows.iter().map(|(info, counts)| {
            let mut sum = FlowCounts::default();
            for interval in &counts[row.intervals.clone()] {
                sum.add(interval);
            }

            (info, sum)
        }));
        drops.fill(0);
        for (_, counts) in run.queues.iter().filter(|(info, _)| info.direction == "forward") {
            for interval in &counts[row.intervals.clone()] {
                for (cell, counts) in interval.cells.iter().enumerate() {
                    drops[cell % run.groups.len()] += counts.drops();
                }
            }
        }
        let of = Period { number, row };
        let all = flows_in.iter().copied();
        groups.push(of.group_row(ALL, run.common_capacity(), drops.iter().sum(), all.clone()));
        for (index, (group, drops)) in with_rows.iter().zip(&drops).enumerate() {
            let members = all.clone().filter(|(info, _)| info.group == index);
            groups.push(of.group_row(&group.name, group.capacity, *drops, members));
        }
        for (info, counts) in all.filter(|(info, _)| info.start < row.to && info.stop > row.from) {
            flows.push(of.flow_row(info, &run.groups[info.group].name, &counts));
        }
    }
}

impl Measurements {
    /// The capacity that all groups share; not defined where they have different bottlenecks.
    fn common_capacity(&self) -> f64 {
        let mut bottlenecks = self.groups.iter().map(|group| &group.bottleneck);
        let first = bottlenecks.next();
        let shared = bottlenecks.all(|other| Some(other) == first);
        if shared { self.groups.first().map_or(f64::NAN, |group| group.capacity) } else { f64::NAN }
    }
}

/// Which run, and when.
struct Period<'a> {
    number: u32,
    row: &'a Row,
}

impl Period<'_> {
    fn group_row<'a>(
        &self,
        name: &'a str,
        capacity: f64,
        drops: u64,
        flows: impl Iterator<Item = (&'a FlowInfo, FlowCounts)>,
    ) -> GroupRow<'a> {
        let mut sum = FlowCounts::default();
        let (mut bits, mut users, mut fairness) = (0.0, 0, Jain::default());
        for (info, counts) in flows {
            let goodput = bits_delivered(info, &counts);
            bits += goodput;
            users += i64::from(self.row.holds(info));
            if self.row.holds_in_fact(info) {
                fairness.add(goodput);
            }
            sum.add(&counts);
        }
        let goodput = bits / self.row.seconds();
        GroupRow {
            run: self.number,
            group: name,
            period: self.row.number(),
            from_s: self.row.from.as_secs_f64(),
            to_s: self.row.to.as_secs_f64(),
            users,
            goodput: goodput / capacity,
            goodput_bps: goodput,
            sent: sum.sent.cast_signed(),
            retransmitted: sum.retransmitted.cast_signed(),
            delivered: sum.delivered.cast_signed(),
            loss: drops as f64 / sum.sent as f64,
            jain: fairness.index(),
            timeouts: sum.timeouts.cast_signed(),
            fast_retransmits: sum.fast_retransmits.cast_signed(),
            ecn_cuts: sum.mark_cuts.cast_signed(),
        }
    }

    fn flow_row<'a>(&self, info: &'a FlowInfo, group: &'a str, counts: &FlowCounts) -> FlowRow<'a> {
        FlowRow {
            run: self.number,
            flow: &info.name,
            group,
            rtt_ms: info.rtt.as_secs_f64() * 1e3,
            start_s: info.start.as_secs_f64(),
            stop_s: if info.stop == Instant::MAX { f64::NAN } else { info.stop.as_secs_f64() },
            period: self.row.number(),
            goodput_bps: bits_delivered(info, counts) / self.row.seconds(),
            delivered: counts.delivered.cast_signed(),
        }
    }
}

impl Row {
    fn seconds(&self) -> f64 {
        self.to.since(self.from).as_secs_f64()
    }

    /// Whether a flow was meant to be there all the time: its jitter does not count.
    fn holds(&self, flow: &FlowInfo) -> bool {
        flow.scheduled <= self.from && flow.stop >= self.to
    }

    /// Whether it was: only then does its share say something about fairness.
    fn holds_in_fact(&self, flow: &FlowInfo) -> bool {
        self.holds(flow) && flow.start <= self.from
    }
}

/// Distinct data of a flow, in bits on the wire.
fn bits_delivered(info: &FlowInfo, counts: &FlowCounts) -> f64 {
    counts.delivered as f64 * f64::from(info.bytes) * 8.0
}

/// Jain's fairness index (sum x)^2 / (n sum x^2); not defined without flows.
#[derive(Default)]
struct Jain {
    flows: u32,
    sum: f64,
    squares: f64,
}

impl Jain {
    fn add(&mut self, share: f64) {
        self.flows += 1;
        self.sum += share;
        self.squares += share * share;
    }

    fn index(&self) -> f64 {
        self.sum * self.sum / (f64::from(self.flows) * self.squares)
    }
}
