use std::ops::Range;

use weir_scenario::Scenario;
use weir_types::{Duration, Instant};

use super::FlowInfo;

/// One row of a table: the whole run without its warm-up, or one period without its settling time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// Number of the period, from 0; `None` for the run.
    pub(crate) period: Option<usize>,
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    /// The intervals whose sum it is.
    pub(crate) intervals: Range<usize>,
}

impl Row {
    /// The number of the period in tables: -1 for the run.
    pub(crate) fn number(&self) -> i64 {
        self.period.map_or(-1, |number| number.cast_signed() as i64)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.to.since(self.from).as_secs_f64()
    }

    /// Returns true if the scheduled lifetime of `flow`, without jitter, covers the row.
    pub(crate) fn is_covered_by(&self, flow: &FlowInfo) -> bool {
        flow.shared.scheduled <= self.from && flow.shared.stop >= self.to
    }

    /// Returns true if `flow` was active during the whole row. Only then does its share count for fairness.
    pub(crate) fn is_filled_by(&self, flow: &FlowInfo) -> bool {
        self.is_covered_by(flow) && flow.start <= self.from
    }
}

/// The cuts of a run, and the rows between them.
#[derive(Debug)]
pub(crate) struct Intervals {
    /// Instants in increasing order; the last is the end of the run.
    pub(crate) cuts: Vec<Instant>,
    pub(crate) rows: Vec<Row>,
}

impl Intervals {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let end = Instant::ZERO + scenario.duration;
        let mut spans = vec![(None, Instant::ZERO + scenario.measure.warm_up(), end)];
        if let Some(period) = scenario.measure.period {
            let mut begin = Instant::ZERO;
            for number in 0.. {
                let to = (begin + period).min(end);
                // A last period that the end of the run shortens counts if part of it is measured.
                if begin + scenario.measure.settle >= to {
                    break;
                }
                spans.push((Some(number), begin + scenario.measure.settle, to));
                begin += period;
            }
        }
        let mut cuts: Vec<_> = spans.iter().flat_map(|(_, from, to)| [*from, *to]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts.retain(|cut| cut.since(Instant::ZERO) > Duration::ZERO);
        let index = |at: Instant| cuts.partition_point(|cut| *cut <= at);
        let rows = spans
            .into_iter()
            .map(|(period, from, to)| Row { period, from, to, intervals: index(from)..index(to) })
            .collect();
        Self { cuts, rows }
    }

    /// The row of the whole run.
    pub(crate) fn run(&self) -> &Row {
        &self.rows[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sums_of_intervals() {
        let text = r#"
            schema = 1
            name = "rows"
            duration = "100 s"
            measure = { warm_up = "10 s", period = "50 s", settle = "20 s" }
            links.l = { rate = "1 Mbit/s", delay = "1 ms", buffer = "10 packets" }
            flows.f = { rtt = "10 ms" }
        "#;
        let scenario = weir_scenario::Document::parse("rows", text).unwrap().scenario().unwrap();
        let Intervals { cuts, rows } = Intervals::of(&scenario);
        let seconds: Vec<_> = cuts.iter().map(|cut| cut.as_secs_f64()).collect();
        assert_eq!(seconds, [10.0, 20.0, 50.0, 70.0, 100.0]);
        let ranges: Vec<_> = rows.iter().map(|row| row.intervals.clone()).collect();
        assert_eq!(ranges, [1..5, 2..3, 4..5]);
    }
}
