//! From counts to measures: what a table's columns mean.

use weir_types::Instant;

use crate::{
    Measurements,
    measure::{FlowCounts, FlowInfo, GroupCounts, QueueCounts, QueueInfo, Row},
};

/// The name of the row over all groups.
const ALL: &str = "all";
/// The class of a discipline that keeps one line.
const ONE_CLASS: &str = "all";

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Names.
    Text(Vec<String>),
    /// Counts.
    Integer(Vec<i64>),
    /// Quantities; NaN where a measure is not defined, as a delay where no packet left.
    Real(Vec<f64>),
}

/// Columns of equal length, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<(&'static str, Column)>,
}

/// A value on its way into a column.
#[derive(Clone)]
enum Cell {
    Text(String),
    Integer(i64),
    Real(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Integer(count.cast_signed())
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<Instant> for Cell {
    fn from(at: Instant) -> Self {
        Self::Real(at.as_secs_f64())
    }
}

impl From<Option<usize>> for Cell {
    fn from(period: Option<usize>) -> Self {
        Self::Integer(period.map_or(-1, |number| number.cast_signed() as i64))
    }
}

impl Table {
    /// An empty table for rows like this one.
    fn like<const N: usize>(row: [(&'static str, Cell); N]) -> Self {
        let column = |cell| match cell {
            Cell::Text(_) => Column::Text(Vec::new()),
            Cell::Integer(_) => Column::Integer(Vec::new()),
            Cell::Real(_) => Column::Real(Vec::new()),
        };
        Self { columns: row.into_iter().map(|(name, cell)| (name, column(cell))).collect() }
    }

    fn push<const N: usize>(&mut self, row: [(&'static str, Cell); N]) {
        if self.columns.is_empty() {
            self.columns = Self::like(row.clone()).columns;
        }
        for ((_, column), (name, cell)) in self.columns.iter_mut().zip(row) {
            match (column, cell) {
                (Column::Text(column), Cell::Text(value)) => column.push(value),
                (Column::Integer(column), Cell::Integer(value)) => column.push(value),
                (Column::Real(column), Cell::Real(value)) => column.push(value),
                _ => unreachable!("{name} changed its type"),
            }
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

impl Measurements {
    /// Counts of one queue in one row.
    fn queue_counts(counts: &[QueueCounts], row: &Row, groups: usize) -> QueueCounts {
        let mut sum = QueueCounts::new(groups);
        for interval in &counts[row.intervals.clone()] {
            sum.add(interval);
        }
        sum
    }

    fn flow_counts(counts: &[FlowCounts], row: &Row) -> FlowCounts {
        let mut sum = FlowCounts::default();
        for interval in &counts[row.intervals.clone()] {
            sum.add(interval);
        }
        sum
    }

    /// Calls `each` for every queue, row and group, with "all" first.
    fn for_each_queue(&self, mut each: impl FnMut(&QueueInfo, &Row, &str, &QueueCounts, &GroupCounts)) {
        for (info, counts) in &self.queues {
            for row in &self.rows {
                let counts = Self::queue_counts(counts, row, self.groups.len());
                let mut all = GroupCounts::new();
                for group in &counts.groups {
                    all.add(group);
                }
                each(info, row, ALL, &counts, &all);
                for (group, counts_of) in self.groups.iter().zip(&counts.groups) {
                    each(info, row, &group.name, &counts, counts_of);
                }
            }
        }
    }

    /// Queues: what arrived, left, was dropped and marked; how full, how late.
    pub fn links(&self) -> Table {
        let mut table = Table::default();
        self.for_each_queue(|info, row, group, queue, counts| {
            let nanos = row.to.since(row.from).as_nanos() as f64;
            let whole = group == ALL;
            let of_queue = |value: f64| if whole { value } else { f64::NAN };
            let share = |part: u64| part as f64 / counts.arrivals as f64;
            let quantile =
                |q| counts.sojourns.quantile(q).map_or(f64::NAN, |delay| delay.as_secs_f64() * 1e3);
            let utilisation = counts.utilisation(nanos);
            table.push([
                ("link", info.link.as_str().into()),
                ("direction", info.direction.into()),
                ("class", ONE_CLASS.into()),
                ("group", group.into()),
                ("period", row.period.into()),
                ("from_s", row.from.into()),
                ("to_s", row.to.into()),
                ("rate_bps", info.rate.into()),
                ("arrivals", counts.arrivals.into()),
                ("departures", counts.departures.into()),
                ("drops", counts.drops().into()),
                ("drops_early", counts.early.into()),
                ("drops_forced", counts.forced.into()),
                ("drops_overflow", counts.overflow.into()),
                ("marks", counts.marks.into()),
                ("bytes", counts.bytes.into()),
                ("utilisation", utilisation.into()),
                ("loss", share(counts.drops()).into()),
                ("mark_fraction", share(counts.marks).into()),
                ("queue_mean", of_queue(queue.gauge.mean(nanos)).into()),
                ("queue_sd", of_queue(queue.gauge.deviation(nanos)).into()),
                ("queue_max", of_queue(f64::from(queue.gauge.max())).into()),
                ("delay_mean_ms", (counts.waited as f64 / counts.departures as f64 / 1e6).into()),
                ("delay_p50_ms", quantile(0.5).into()),
                ("delay_p95_ms", quantile(0.95).into()),
                ("delay_p99_ms", quantile(0.99).into()),
                ("delay_p999_ms", quantile(0.999).into()),
            ]);
        });
        table
    }

    /// Groups of flows: what they got, and at what cost.
    pub fn groups(&self) -> Table {
        let mut table = Table::default();
        for row in &self.rows {
            let mut drops = vec![0; self.groups.len()];
            for (_, counts) in self.queues.iter().filter(|(info, _)| info.direction == "forward") {
                for (sum, group) in
                    drops.iter_mut().zip(Self::queue_counts(counts, row, self.groups.len()).groups)
                {
                    *sum += group.drops();
                }
            }
            self.push_group(&mut table, row, ALL, self.common_capacity(), None, drops.iter().sum());
            for (index, group) in self.groups.iter().enumerate() {
                self.push_group(&mut table, row, &group.name, group.capacity, Some(index), drops[index]);
            }
        }
        table
    }

    /// The capacity that all groups share; not defined where they have different bottlenecks.
    fn common_capacity(&self) -> f64 {
        let mut bottlenecks = self.groups.iter().map(|group| &group.bottleneck);
        let first = bottlenecks.next();
        let shared = bottlenecks.all(|other| Some(other) == first);
        if shared { self.groups.first().map_or(f64::NAN, |group| group.capacity) } else { f64::NAN }
    }

    fn push_group(
        &self,
        table: &mut Table,
        row: &Row,
        name: &str,
        capacity: f64,
        group: Option<usize>,
        drops: u64,
    ) {
        let seconds = row.seconds();
        let mut sum = FlowCounts::default();
        let (mut bits, mut users, mut shares) = (0.0, 0_u64, Vec::new());
        for (info, counts) in &self.flows {
            if group.is_some_and(|group| group != info.group) {
                continue;
            }
            let counts = Self::flow_counts(counts, row);
            let goodput = bits_delivered(info, &counts);
            bits += goodput;
            users += u64::from(row.holds(info));
            if row.holds_in_fact(info) {
                shares.push(goodput);
            }
            sum.add(&counts);
        }
        let goodput = bits / seconds;
        table.push([
            ("group", name.into()),
            ("period", row.period.into()),
            ("from_s", row.from.into()),
            ("to_s", row.to.into()),
            ("users", users.into()),
            ("goodput", (goodput / capacity).into()),
            ("goodput_bps", goodput.into()),
            ("sent", sum.sent.into()),
            ("retransmitted", sum.retransmitted.into()),
            ("delivered", sum.delivered.into()),
            ("loss", (drops as f64 / sum.sent as f64).into()),
            ("jain", jain(&shares).into()),
            ("timeouts", sum.timeouts.into()),
            ("fast_retransmits", sum.fast_retransmits.into()),
            ("ecn_cuts", sum.mark_cuts.into()),
        ]);
    }

    /// Every flow in every row during which it was there.
    pub fn flows(&self) -> Table {
        let mut table = Table::default();
        for row in &self.rows {
            for (info, counts) in &self.flows {
                if info.start >= row.to || info.stop <= row.from {
                    continue;
                }
                let counts = Self::flow_counts(counts, row);
                let stop = if info.stop == Instant::MAX { f64::NAN } else { info.stop.as_secs_f64() };
                table.push([
                    ("flow", info.name.as_str().into()),
                    ("group", self.groups[info.group].name.as_str().into()),
                    ("rtt_ms", (info.rtt.as_secs_f64() * 1e3).into()),
                    ("start_s", info.start.into()),
                    ("stop_s", stop.into()),
                    ("period", row.period.into()),
                    ("goodput_bps", (bits_delivered(info, &counts) / row.seconds()).into()),
                    ("delivered", counts.delivered.into()),
                ]);
            }
        }
        table
    }

    /// Histograms of sojourn times.
    pub fn delays(&self) -> Table {
        let row =
            |info: (&str, &'static str), group: &str, period: Option<usize>, upto_ms: f64, count: u64| {
                [
                    ("link", info.0.into()),
                    ("direction", info.1.into()),
                    ("class", ONE_CLASS.into()),
                    ("group", group.into()),
                    ("period", period.into()),
                    ("upto_ms", upto_ms.into()),
                    ("count", count.into()),
                ]
            };
        let mut table = Table::like(row(("", ""), "", None, 0.0, 0));
        self.for_each_queue(|info, of, group, _, counts| {
            for (upto, count) in counts.sojourns.bins() {
                table.push(row(
                    (&info.link, info.direction),
                    group,
                    of.period,
                    upto.as_secs_f64() * 1e3,
                    count,
                ));
            }
        });
        table
    }

    /// Values over time, one row each.
    pub fn series_table(&self) -> Table {
        let row = |component: &str, variable: &str, time_s: f64, value: f64| {
            [
                ("component", component.into()),
                ("variable", variable.into()),
                ("time_s", time_s.into()),
                ("value", value.into()),
            ]
        };
        let mut table = Table::like(row("", "", 0.0, 0.0));
        for ((component, variable), values) in self.series.names.iter().zip(&self.series.values) {
            for (time, value) in self.series.times.iter().zip(values) {
                table.push(row(component, variable, *time, *value));
            }
        }
        table
    }

    /// The simulated time that was measured, cut by cut.
    pub fn intervals(&self) -> &[(Instant, Instant)] {
        &self.intervals
    }
}

/// Distinct data of a flow, in bits on the wire.
fn bits_delivered(info: &FlowInfo, counts: &FlowCounts) -> f64 {
    counts.delivered as f64 * f64::from(info.bytes) * 8.0
}

/// Jain's fairness index (sum x)^2 / (n sum x^2); not defined without flows.
fn jain(shares: &[f64]) -> f64 {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    sum * sum / (shares.len() as f64 * squares)
}
