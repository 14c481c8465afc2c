//! The table `completions`: transfers that have ended.
//!
//! A transfer counts where it ends. Its time runs from the departure of its first packet, the SYN if there
//! is one, to the arrival of its last data. Its slowdown is that time divided by the least possible time.
//! The latter is the propagation delay, and all its bytes at the rate of the slowest link of its path. The
//! round trip of the handshake is added, if there is one.

use super::{
    queues::Sojourns,
    table::{ALL, table},
};
use crate::record::{Completions, FlowArrivals, GroupInfo, Measurements, Row, SLOWDOWN_OF_ONE, SizeCounts};

table! {
    CompletionRows<'a> of CompletionRow {
        run: u32,
        group: &'a str,
        period: i64,
        from_s: f64,
        to_s: f64,
        upto_bytes: f64,
        count: i64,
        unfinished: i64,
        bytes: i64,
        fct_mean_ms: f64,
        fct_p50_ms: f64,
        fct_p95_ms: f64,
        fct_p99_ms: f64,
        slowdown_mean: f64,
        slowdown_p50: f64,
        slowdown_p95: f64,
        slowdown_p99: f64,
    }
}

/// Adds the rows of `run`: for every period the group "all", then the groups `with_rows`. Each has a row for
/// all sizes, where `upto_bytes` is NaN, then one for each size class with a transfer. Without finite flows
/// there are no rows.
pub(super) fn add<'a>(
    run: &'a Measurements,
    with_rows: &'a [GroupInfo],
    number: u32,
    rows: &mut CompletionRows<'a>,
) {
    if run.finite.is_empty() {
        return;
    }
    let mut sojourns = Sojourns::default();
    for row in &run.rows {
        let groups: Vec<_> = run.finite.iter().map(|one| (one.group, sum(&one.intervals, row))).collect();
        let mut all = Completions::default();
        for (_, counts) in &groups {
            all.join(counts);
        }
        let mut add = |group: &'a str, counts: &Completions| {
            let mut of = RowBuilder { number, group, row, sojourns: &mut sojourns };
            rows.push(of.row(f64::NAN, &counts.total()));
            for (upto, counts) in counts.classes() {
                rows.push(of.row(upto as f64, counts));
            }
        };
        add(ALL, &all);
        for (index, GroupInfo { name, .. }) in with_rows.iter().enumerate() {
            if let Some((_, counts)) = groups.iter().find(|(group, _)| *group == index) {
                add(name, counts);
            }
        }
    }
}

fn sum(counts: &[FlowArrivals], row: &Row) -> Completions {
    let mut sum = Completions::default();
    for interval in &counts[row.intervals.clone()] {
        sum.add(&interval.completions);
    }
    sum
}

/// Run, group and period of rows.
struct RowBuilder<'a, 'b> {
    number: u32,
    group: &'a str,
    row: &'b Row,
    sojourns: &'b mut Sojourns,
}

impl<'a> RowBuilder<'a, '_> {
    fn row(&mut self, upto_bytes: f64, counts: &SizeCounts) -> CompletionRow<'a> {
        let count = counts.count as f64;
        self.sojourns.read(&counts.times);
        let [fct_p50, fct_p95, fct_p99] = self.sojourns.quantiles([0.5, 0.95, 0.99]);
        self.sojourns.read(&counts.slowdowns);
        let one = SLOWDOWN_OF_ONE.as_secs_f64() * 1e3;
        let [slowdown_p50, slowdown_p95, slowdown_p99] =
            self.sojourns.quantiles([0.5, 0.95, 0.99]).map(|slowdown| slowdown / one);
        CompletionRow {
            run: self.number,
            group: self.group,
            period: self.row.number(),
            from_s: self.row.from.as_secs_f64(),
            to_s: self.row.to.as_secs_f64(),
            upto_bytes,
            count: counts.count.cast_signed(),
            unfinished: counts.unfinished.cast_signed(),
            bytes: counts.bytes.cast_signed(),
            fct_mean_ms: counts.nanos as f64 / count / 1e6,
            fct_p50_ms: fct_p50,
            fct_p95_ms: fct_p95,
            fct_p99_ms: fct_p99,
            slowdown_mean: counts.slowdown / count,
            slowdown_p50,
            slowdown_p95,
            slowdown_p99,
        }
    }
}
