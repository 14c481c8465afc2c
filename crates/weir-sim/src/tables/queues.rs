//! The tables `links` and `delays`.

use weir_aqm::Capacity;

use super::table::{ALL, Growing as _, table};
use crate::record::{
    CellCounts, GroupInfo, Histogram, LossEvents, Measurements, QueueCounts, QueueGauge, QueueInfo, Row,
    Trend,
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
        bottleneck: bool,
        rate_bps: f64,
        arrivals: i64,
        departures: i64,
        drops: i64,
        drops_early: i64,
        drops_forced: i64,
        drops_overflow: i64,
        acks_filtered: i64,
        marks: i64,
        lost: i64,
        bytes: i64,
        utilisation: f64,
        loss: f64,
        mark_fraction: f64,
        queue_mean: f64,
        queue_sd: f64,
        queue_max: f64,
        queue_trend: f64,
        queue_drift: f64,
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
        upto_ms: &'a [f64],
        count: &'a [i64],
    }
}

/// Buffers for sums of counts, reused from row to row: histograms are large.
#[derive(Default)]
pub(super) struct QueueSums {
    intervals: QueueCounts,
    cells: CellCounts,
    sojourns: Sojourns,
}

/// Adds the rows of `run`: for every queue and period the class "all", then the classes of its queue
/// discipline. Each has a row for the group "all", then one for each group `with_rows`.
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
    for (place, (info, counts)) in run.queues.iter().enumerate() {
        for row in &run.rows {
            let trend = row.period.is_none().then(|| {
                let area = |until| counts[..until].iter().map(|counts| counts.gauge.area()).sum();
                run.parts.trend(place, area(row.intervals.start), area(row.intervals.end))
            });
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
                let trend = trend.filter(|_| class.is_none());
                let of = RowBuilder {
                    number,
                    info,
                    row,
                    class: name,
                    gauge,
                    capacity: queue.capacity,
                    losses,
                    trend,
                };
                // Packets lost before the queue have no class.
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

/// The sum of `cells`: the only cell itself, or `sum`, which is overwritten.
fn total<'a>(mut cells: impl Iterator<Item = &'a CellCounts>, sum: &'a mut CellCounts) -> &'a CellCounts {
    let first = cells.next().expect("there is a group");
    let Some(second) = cells.next() else { return first };
    sum.clear();
    for cell in [first, second].into_iter().chain(cells) {
        sum.add(cell);
    }
    sum
}

/// A histogram in the units of the tables.
#[derive(Default)]
pub(super) struct Sojourns {
    /// Upper ends of the non-empty bins, in milliseconds.
    upto_ms: Vec<f64>,
    /// Counts of these bins.
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

    /// Quantiles in milliseconds, rounded up to the end of a bin; `shares` are in increasing order. NaN if
    /// the histogram is empty.
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

/// Run, queue, period and class of rows.
struct RowBuilder<'a, 'b> {
    number: u32,
    info: &'a QueueInfo,
    row: &'a Row,
    class: &'static str,
    gauge: &'b QueueGauge,
    /// Capacity of the period, if the queue does not have one rate for all the time.
    capacity: Option<Capacity>,
    /// Only in rows of all classes.
    losses: Option<&'b LossEvents>,
    /// Only in rows of all classes and the whole run.
    trend: Option<Trend>,
}

impl<'a> RowBuilder<'a, '_> {
    fn link_row(
        &self,
        group: &'a str,
        counts: &CellCounts,
        lost_before: u64,
        sojourns: &Sojourns,
    ) -> LinkRow<'a> {
        let Self { number, info, row, class, gauge, capacity, losses, trend } = *self;
        let nanos = row.to.since(row.from).as_nanos() as f64;
        let of_queue = |value: f64| if group == ALL { value } else { f64::NAN };
        let of_losses = |value: fn(&LossEvents) -> f64| losses.map_or(f64::NAN, |all| of_queue(value(all)));
        let drops = counts.drops();
        let of_trend = |value: fn(Trend) -> f64| trend.map_or(f64::NAN, |trend| of_queue(value(trend)));
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
            bottleneck: info.is_bottleneck,
            rate_bps: info.mean_rate(capacity, row.seconds()),
            arrivals: counts.arrivals.cast_signed(),
            departures: counts.departures.cast_signed(),
            drops: drops.cast_signed(),
            drops_early: counts.early.cast_signed(),
            drops_forced: counts.forced.cast_signed(),
            drops_overflow: counts.overflow.cast_signed(),
            acks_filtered: counts.filtered.cast_signed(),
            marks: counts.marks.cast_signed(),
            lost: (counts.lost + lost_before).cast_signed(),
            bytes: counts.bytes.cast_signed(),
            utilisation: counts.utilisation(nanos, capacity),
            // Packets that are dropped or marked may have arrived before the interval.
            loss: drops as f64 / (drops + counts.departures) as f64,
            mark_fraction: counts.marks as f64 / counts.arrivals.max(counts.marks) as f64,
            queue_mean: of_queue(gauge.mean(nanos)),
            queue_sd: of_queue(gauge.deviation(nanos)),
            queue_max: of_queue(f64::from(gauge.max())),
            queue_trend: of_trend(|trend| f64::from(trend.s)),
            queue_drift: of_trend(|trend| trend.drift),
            delay_mean_ms: counts.waited as f64 / counts.departures as f64 / 1e6,
            delay_p50_ms: p50,
            delay_p95_ms: p95,
            delay_p99_ms: p99,
            delay_p999_ms: p999,
            loss_events: of_losses(|losses| losses.events() as f64),
            loss_synchronisation: of_losses(LossEvents::synchronisation),
        }
    }

    /// Adds a histogram, unless it is empty.
    fn add_delays(&self, rows: &mut DelayRows<'a>, group: &'a str, sojourns: &Sojourns) {
        if sojourns.counts.is_empty() {
            return;
        }
        rows.run.push(self.number);
        rows.link.push(&self.info.link);
        rows.direction.push(self.info.direction);
        rows.class.push(self.class);
        rows.group.push(group);
        rows.period.push(self.row.number());
        rows.upto_ms.push(&sojourns.upto_ms);
        rows.count.push(&sojourns.counts);
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
