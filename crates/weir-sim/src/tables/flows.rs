//! The tables `groups` and `flows`.

use std::ops::Range;

use weir_types::Instant;

use super::{
    round_trips::PathMeans,
    table::{ALL, table},
};
use crate::record::{FlowArrivals, FlowCounts, FlowInfo, GroupInfo, Measurements, QueueGauge, Row};

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
        drops: i64,
        lost: i64,
        loss: f64,
        jain: f64,
        timeouts: i64,
        fast_retransmits: i64,
        ecn_cuts: i64,
        arrived: i64,
        mark_fraction: f64,
        mark_fraction_product: f64,
        path_delay_ms: f64,
        rtt_ms: f64,
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

/// Adds the rows of `run`, whose flows have these `names`: for every period the group "all", then the groups
/// `with_rows`.
pub(super) fn add<'a>(
    (run, names): (&'a Measurements, &'a [String]),
    with_rows: &'a [GroupInfo],
    number: u32,
    groups: &mut GroupTable<'a>,
    flows: &mut FlowRows<'a>,
) {
    for row in &run.rows {
        let gone: Vec<_> = (0..run.groups.len()).map(|group| Gone::of(run, group, row)).collect();
        let products = (0..run.groups.len()).map(|group| marked_by_hops(run, group, row)).collect();
        let of = Period { number, run, row, products, means: PathMeans::of_groups(run, row) };
        let finite: Vec<_> =
            run.finite.iter().map(|one| FiniteCounts::of(one.group, &one.intervals, row)).collect();
        let all = 0..run.groups.len();
        groups.push(of.group_row(ALL, run.bottleneck(), &gone, all, &finite));
        for (index, group) in with_rows.iter().enumerate() {
            let counts = finite.iter().find(|counts| counts.group == index);
            let counts = counts.map_or(&[][..], std::slice::from_ref);
            let own = index..index + 1;
            groups.push(of.group_row(&group.name, group.bottleneck, &gone[own.clone()], own, counts));
        }
        for (name, (info, counts)) in names.iter().zip(run.flows.received(row)) {
            if info.start < row.to && info.shared.stop > row.from {
                flows.push(of.flow_row(name, info, &counts));
            }
        }
    }
}

/// The share of the packets of `group` that its hops would mark together if each marked as it did and
/// independently: `1 - prod (1 - marks / departures)`. Where AQMs mark with `1 - phi^-price`, this adds up
/// prices (REM 2001, equation 5). NaN where no packet left a hop.
fn marked_by_hops(run: &Measurements, group: usize, row: &Row) -> f64 {
    let unmarked = |queue: &usize| {
        let intervals = run.queues[*queue].1[row.intervals.clone()].iter();
        let cells = intervals.flat_map(|counts| counts.cells_of(run.groups.len(), None, Some(group)));
        let (marks, departures) =
            cells.fold((0, 0), |(marks, left), cell| (marks + cell.marks, left + cell.departures));
        // A packet may be marked in one interval and leave in the next.
        1.0 - marks.min(departures) as f64 / departures as f64
    };
    1.0 - run.groups[group].queues.iter().map(unmarked).product::<f64>()
}

/// Data packets of a group that ended on their way.
struct Gone {
    /// Dropped by queues.
    drops: u64,
    /// Lost by links.
    lost: u64,
}

impl Gone {
    fn of(run: &Measurements, group: usize, row: &Row) -> Self {
        let mut gone = Self { drops: 0, lost: 0 };
        // In other queues the packets of the group are ACKs.
        for queue in &run.groups[group].queues {
            for interval in &run.queues[*queue].1[row.intervals.clone()] {
                gone.lost += interval.lost_before(Some(group));
                for cell in interval.cells_of(run.groups.len(), None, Some(group)) {
                    gone.drops += cell.drops();
                    gone.lost += cell.lost;
                }
            }
        }
        gone
    }
}

/// Run and period of a row.
struct Period<'a> {
    number: u32,
    run: &'a Measurements,
    row: &'a Row,
    /// [`marked_by_hops`] of each group.
    products: Vec<f64>,
    /// Mean delays of each group.
    means: Vec<PathMeans>,
}

impl<'a> Period<'a> {
    /// The row of some `groups`, with the `finite` flows among theirs. The goodput that passes
    /// `bottleneck` counts as a share of its capacity.
    fn group_row(
        &self,
        name: &'a str,
        bottleneck: usize,
        gone: &[Gone],
        groups: Range<usize>,
        finite: &[FiniteCounts],
    ) -> GroupRow<'a> {
        let mut sum = FlowCounts::default();
        let (mut bits, mut users, mut fairness) = (0.0, 0, Jain::default());
        let (mut by_hops, mut over) = (0.0, 0.0);
        let (mut path_delay, mut rtt) = (Weighted::default(), Weighted::default());
        let passing: Vec<_> =
            self.run.groups[groups.clone()].iter().map(|group| group.queues.contains(&bottleneck)).collect();
        let passes = |group: usize| passing[group - groups.start];
        for group in groups.clone() {
            sum.add(&self.run.flows.sum(group, self.row));
        }
        let is_member = |info: &FlowInfo| groups.contains(&(info.shared.group as usize));
        for (info, counts) in self.run.flows.received(self.row).filter(|(info, _)| is_member(info)) {
            let goodput = counts.bytes as f64 * 8.0;
            bits += goodput;
            if passes(info.shared.group as usize) {
                over += goodput;
            }
            users += i64::from(self.row.is_covered_by(info));
            if self.row.is_filled_by(info) {
                fairness.add(goodput);
            }
            if counts.arrived > 0 {
                by_hops += counts.arrived as f64 * self.products[info.shared.group as usize];
                let means = self.means[info.shared.group as usize];
                path_delay.add(counts.arrived, means.wait);
                rtt.add(counts.arrived, means.round_trip);
            }
        }
        for FiniteCounts { group, counts, live } in finite {
            bits += counts.bytes as f64 * 8.0;
            if passes(*group) {
                over += counts.bytes as f64 * 8.0;
            }
            // In the row of all groups, only static flows count as users.
            if name != ALL {
                users += live.round() as i64;
            }
            if counts.arrived > 0 {
                by_hops += counts.arrived as f64 * self.products[*group];
                path_delay.add(counts.arrived, self.means[*group].wait);
                rtt.add(counts.arrived, self.means[*group].round_trip);
            }
            sum.add(counts);
        }
        let seconds = self.row.seconds();
        let could = self.run.mean_rate(bottleneck, self.row);
        let shares = could > 0.0 && passing.contains(&true);
        let drops = gone.iter().map(|gone| gone.drops).sum::<u64>();
        let lost = gone.iter().map(|gone| gone.lost).sum::<u64>();
        GroupRow {
            run: self.number,
            group: name,
            period: self.row.number(),
            from_s: self.row.from.as_secs_f64(),
            to_s: self.row.to.as_secs_f64(),
            users,
            goodput: if shares { over / seconds / could } else { f64::NAN },
            goodput_bps: bits / seconds,
            sent: sum.sent.cast_signed(),
            retransmitted: sum.retransmitted.cast_signed(),
            delivered: sum.delivered.cast_signed(),
            drops: drops.cast_signed(),
            lost: lost.cast_signed(),
            // Of the packets whose way ended in this interval, whenever they were sent.
            loss: drops as f64 / (drops + lost + sum.arrived) as f64,
            jain: fairness.index(),
            timeouts: sum.timeouts.cast_signed(),
            fast_retransmits: sum.fast_retransmits.cast_signed(),
            ecn_cuts: sum.mark_cuts.cast_signed(),
            arrived: sum.arrived.cast_signed(),
            mark_fraction: sum.marked as f64 / sum.arrived as f64,
            mark_fraction_product: by_hops / sum.arrived as f64,
            path_delay_ms: path_delay.mean() / 1e6,
            rtt_ms: rtt.mean() / 1e6,
        }
    }

    fn flow_row(&self, flow: &'a str, info: &FlowInfo, counts: &FlowCounts) -> FlowRow<'a> {
        FlowRow {
            run: self.number,
            flow,
            group: &self.run.groups[info.shared.group as usize].name,
            rtt_ms: info.shared.rtt.as_secs_f64() * 1e3,
            start_s: info.start.as_secs_f64(),
            stop_s: if info.shared.stop == Instant::MAX { f64::NAN } else { info.shared.stop.as_secs_f64() },
            period: self.row.number(),
            goodput_bps: counts.bytes as f64 * 8.0 / self.row.seconds(),
            delivered: counts.delivered.cast_signed(),
        }
    }
}

/// Counts of a group of finite flows in one row.
struct FiniteCounts {
    group: usize,
    counts: FlowCounts,
    /// Mean number of flows in progress.
    live: f64,
}

impl FiniteCounts {
    fn of(group: usize, counts: &[FlowArrivals], row: &Row) -> Self {
        let (mut sum, mut live) = (FlowCounts::default(), QueueGauge::default());
        for interval in &counts[row.intervals.clone()] {
            sum.add(&interval.flows);
            live.add(&interval.live);
        }
        let nanos = row.to.since(row.from).as_nanos() as f64;
        Self { group, counts: sum, live: live.mean(nanos) }
    }
}

/// A mean weighted by packets that arrived; NaN without any.
#[derive(Default)]
struct Weighted {
    sum: f64,
    weight: f64,
}

impl Weighted {
    /// Adds a value that is finite. Others have no weight: datagrams have no round trip.
    fn add(&mut self, packets: u64, value: f64) {
        if value.is_finite() {
            self.sum += packets as f64 * value;
            self.weight += packets as f64;
        }
    }

    fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

/// Jain's fairness index (sum x)^2 / (n sum x^2); NaN without flows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jain {
    flows: u32,
    sum: f64,
    squares: f64,
}

impl Jain {
    /// Adds the share of one more flow.
    pub fn add(&mut self, share: f64) {
        self.flows += 1;
        self.sum += share;
        self.squares += share * share;
    }

    /// The index of the flows so far.
    pub fn index(&self) -> f64 {
        self.sum * self.sum / (f64::from(self.flows) * self.squares)
    }
}
