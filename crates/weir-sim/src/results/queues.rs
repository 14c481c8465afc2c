//! What queues did: the tables `links` and `delays`.

use super::{
    ALL,
    table::{Growing as _, table},
};
use crate::{
    Measurements,
    measure::{CellCounts, GroupInfo, Histogram, LossEvents, QueueCounts, QueueGauge, QueueInfo, Row},
};

table! {
    LinkRows<'a> of LinkRow {
        run: u32,
        link: &'a str,
        direction: &'a str,
        class: &'a str,
        group: &'a str,
        period: i64,
        from_s: f64,
        to_s: f64,
        rate_bps: f64,
        arrivals: i64,
        departures: i64,
        drops: i64,
        drops_early: i64,
        drops_forced: i64,
        drops_overflow: i64,
        marks: i64,
        lost: i64,
        bytes: i64,
        utilisation: f64,
        loss: f64,
        mark_fraction: f64,
        queue_mean: f64,
        queue_sd: f64,
        queue_max: f64,
        delay_mean_ms: f64,
        delay_p50_ms: f64,
        delay_p95_ms: f64,
        delay_p99_ms: f64,
        delay_p999_ms: f64,
        loss_events: f64,
        loss_synchronisation: f64,
    }
}

table! {
    DelayRows<'a> {
        run: u32,
        link: &'a str,
        direction: &'a str,
        class: &'a str,
        group: &'a str,
        period: i64,
        upto_ms: f64,
        count: i64,
    }
}

/// Room to add up counts, used again and again: histograms are large.
#[derive(Default)]
pub(super) struct QueueSums {
    intervals: QueueCounts,
    cells: CellCounts,
    sojourns: Sojourns,
}

/// Adds the rows of `run`: every queue and period, the class "all" first and then those of its
/// discipline; of each, the group "all" first, then those `with_rows`.
pub(super) fn add<'a>(
    run: &'a Measurements,
    with_rows: &'a [GroupInfo],
    number: u32,
    sums: &mut QueueSums,
    links: &mut LinkRows<'a>,
    delays: &mut DelayRows<'a>,
) {
    let QueueSums { intervals, cells, sojourns } = sums;
    let groups = run.groups.len();
    for (info, counts) in &run.queues {
        for row in &run.rows {
            let queue = match &counts[row.intervals.clone()] {
                [only] => only,
                several => {
                    intervals.clear(groups, info.classes.len());
                    for interval in several {
                        intervals.add(interval);
                    }
                    &*intervals
                }
            };
            let classes = info.classes.iter().enumerate().map(|(class, name)| (Some(class), *name));
            for (class, name) in std::iter::once((None, ALL)).chain(classes) {
                let gauge = class.map_or(&queue.gauge, |class| &queue.class_gauges[class]);
                let losses = class.is_none().then_some(&queue.losses);
                let of = Place { number, info, row, class: name, gauge, offered: queue.offered, losses };
                // Before they reach the queue, packets have no class.
                let before = |group| if class.is_none() { queue.lost_before(group) } else { 0 };
                let all = total(queue.cells_of(groups, class, None), cells);
                sojourns.read(&all.sojourns);
                links.push(of.link_row(ALL, all, before(None), sojourns));
                of.add_delays(delays, ALL, sojourns);
                for (group, GroupInfo { name, .. }) in with_rows.iter().enumerate() {
                    let counts = total(queue.cells_of(groups, class, Some(group)), cells);
                    if groups > 1 {
                        sojourns.read(&counts.sojourns);
                    }
                    links.push(of.link_row(name, counts, before(Some(group)), sojourns));
                    of.add_delays(delays, name, sojourns);
                }
            }
        }
    }
}

/// The sum of what several cells counted, in `room`; of one alone, itself.
fn total<'a>(mut cells: impl Iterator<Item = &'a CellCounts>, room: &'a mut CellCounts) -> &'a CellCounts {
    let first = cells.next().expect("there is a group");
    let Some(second) = cells.next() else { return first };
    room.clear();
    for cell in [first, second].into_iter().chain(cells) {
        room.add(cell);
    }
    room
}

/// A histogram as tables have it.
#[derive(Default)]
pub(super) struct Sojourns {
    /// Ends of the bins that hold something, in milliseconds.
    upto_ms: Vec<f64>,
    /// How many each holds.
    counts: Vec<i64>,
}

impl Sojourns {
    pub(super) fn read(&mut self, histogram: &Histogram) {
        self.upto_ms.clear();
        self.counts.clear();
        for (upto, count) in histogram.bins() {
            self.upto_ms.push(upto.as_secs_f64() * 1e3);
            self.counts.push(count.cast_signed());
        }
    }

    /// For each of these shares of all, in increasing order: the least time in milliseconds,
    /// rounded up to the end of its bin, that so many do not exceed. NaN without any.
    pub(super) fn quantiles<const N: usize>(&self, shares: [f64; N]) -> [f64; N] {
        let total: i64 = self.counts.iter().sum();
        let mut bins = self.upto_ms.iter().zip(&self.counts);
        let (mut at, mut below) = (f64::NAN, 0);
        shares.map(|share| {
            let rank = (share * total as f64).ceil().max(1.0) as i64;
            while below < rank
                && let Some((upto, count)) = bins.next()
            {
                at = *upto;
                below += count;
            }
            at
        })
    }
}

/// Which queue of which run, when, and which of its packets.
struct Place<'a, 'b> {
    number: u32,
    info: &'a QueueInfo,
    row: &'a Row,
    class: &'static str,
    gauge: &'b QueueGauge,
    /// What could have been sent, where that is not the rate times the time.
    offered: Option<u128>,
    /// Of all its packets together.
    losses: Option<&'b LossEvents>,
}

impl<'a> Place<'a, '_> {
    fn link_row(
        &self,
        group: &'a str,
        counts: &CellCounts,
        lost_before: u64,
        sojourns: &Sojourns,
    ) -> LinkRow<'a> {
        let Self { number, info, row, class, gauge, offered, losses } = *self;
        let nanos = row.to.since(row.from).as_nanos() as f64;
        let of_queue = |value: f64| if group == ALL { value } else { f64::NAN };
        let of_losses = |value: fn(&LossEvents) -> f64| losses.map_or(f64::NAN, |all| of_queue(value(all)));
        let share = |part: u64| part as f64 / counts.arrivals as f64;
        let [p50, p95, p99, p999] = sojourns.quantiles([0.5, 0.95, 0.99, 0.999]);
        LinkRow {
            run: number,
            link: &info.link,
            direction: info.direction,
            class,
            group,
            period: row.number(),
            from_s: row.from.as_secs_f64(),
            to_s: row.to.as_secs_f64(),
            rate_bps: info.rate,
            arrivals: counts.arrivals.cast_signed(),
            departures: counts.departures.cast_signed(),
            drops: counts.drops().cast_signed(),
            drops_early: counts.early.cast_signed(),
            drops_forced: counts.forced.cast_signed(),
            drops_overflow: counts.overflow.cast_signed(),
            marks: counts.marks.cast_signed(),
            lost: (counts.lost + lost_before).cast_signed(),
            bytes: counts.bytes.cast_signed(),
            utilisation: counts.utilisation(nanos, offered),
            loss: share(counts.drops()),
            mark_fraction: share(counts.marks),
            queue_mean: of_queue(gauge.mean(nanos)),
            queue_sd: of_queue(gauge.deviation(nanos)),
            queue_max: of_queue(f64::from(gauge.max())),
            delay_mean_ms: counts.waited as f64 / counts.departures as f64 / 1e6,
            delay_p50_ms: p50,
            delay_p95_ms: p95,
            delay_p99_ms: p99,
            delay_p999_ms: p999,
            loss_events: of_losses(|losses| losses.events() as f64),
            loss_synchronisation: of_losses(LossEvents::synchronisation),
        }
    }

    /// A histogram is many rows that differ in two columns.
    fn add_delays(&self, rows: &mut DelayRows<'a>, group: &'a str, sojourns: &Sojourns) {
        let bins = sojourns.counts.len();
        rows.run.push_rows(self.number, bins);
        rows.link.push_rows(&self.info.link, bins);
        rows.direction.push_rows(self.info.direction, bins);
        rows.class.push_rows(self.class, bins);
        rows.group.push_rows(group, bins);
        rows.period.push_rows(self.row.number(), bins);
        rows.upto_ms.extend_from_slice(&sojourns.upto_ms);
        rows.count.extend_from_slice(&sojourns.counts);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_types::Duration;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_times(mut times in prop::collection::vec(0_u64..1 << 40, 1..200)) {
            let mut histogram = Histogram::default();
            for nanos in &times {
                histogram.record(Duration::from_nanos(*nanos));
            }
            let mut sojourns = Sojourns::default();
            sojourns.read(&histogram);
            times.sort_unstable();
            let shares = [0.01, 0.5, 0.95, 0.999, 1.0];
            for (share, found) in shares.into_iter().zip(sojourns.quantiles(shares)) {
                let rank = (share * times.len() as f64).ceil() as usize;
                let exact = times[rank.max(1) - 1] as f64;
                let found = found * 1e6;
                prop_assert!(found + 64.0 >= exact && found <= exact * 1.008 + 64.0);
            }
        }
    }
}
