use weir_scenario::Scenario;
use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant};

use super::{
    DatagramCounts, FiniteGroup, FlowInfo, FlowRecords, GroupInfo, Intervals, Measurements, Parts,
    QueueCounts, QueueGauge, QueueInfo, Series, SharedInfo,
};

/// Keeps the counts of closed intervals and the recorded series of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    intervals: Intervals,
    pub(crate) parts: Parts,
    /// Index of the next cut.
    cut: usize,
    queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    groups: Vec<GroupInfo>,
    flows: FlowRecords,
    series: Series,
    /// Interval between two samples of the series, if any are recorded.
    sampling: Option<Duration>,
    /// Flows whose variables are recorded, with their names.
    watched: Vec<(u32, String)>,
}

impl Recorder {
    pub(crate) fn new(
        scenario: &Scenario,
        queues: Vec<QueueInfo>,
        groups: Vec<GroupInfo>,
        flows: Vec<FlowInfo>,
    ) -> Self {
        let series = scenario.measure.series.as_ref();
        let intervals = Intervals::of(scenario);
        let flows = FlowRecords::new(flows);
        let mut watched = Vec::new();
        if let Some(series) = series {
            for (flow, name) in (0..).zip(flows.names(&groups)) {
                let group = &groups[flows.info(flow).shared.group as usize].name;
                if series.flows.iter().any(|chosen| *chosen == name || chosen == group) {
                    watched.push((flow, name));
                }
            }
        }
        Self {
            cut: 0,
            queues: queues.into_iter().map(|info| (info, Vec::new())).collect(),
            groups,
            flows,
            series: Series::new(!scenario.changes.is_empty()),
            sampling: series.map(|series| series.interval),
            watched,
            parts: Parts::of(intervals.run()),
            intervals,
        }
    }

    /// Properties of all queues, in the order of the ports.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &QueueInfo> {
        self.queues.iter().map(|(info, _)| info)
    }

    /// All queues, in the order of the ports, with the counts of the closed intervals.
    pub(crate) fn closed(&self) -> impl Iterator<Item = (&QueueInfo, &[QueueCounts])> {
        self.queues.iter().map(|(info, closed)| (info, &**closed))
    }

    /// Properties of all groups of flows.
    pub(crate) fn groups(&self) -> &[GroupInfo] {
        &self.groups
    }

    /// The number of static flows.
    pub(crate) const fn flows(&self) -> usize {
        self.flows.len()
    }

    /// Properties that a static flow may share with others.
    pub(crate) fn flow(&self, flow: u32) -> &SharedInfo {
        &self.flows.info(flow).shared
    }

    /// Returns true if a static flow was active all the time from one instant to another.
    pub(crate) fn was_active(&self, flow: u32, from: Instant, to: Instant) -> bool {
        let info = self.flows.info(flow);
        info.start <= from && to <= info.shared.stop
    }

    /// The instant of the next cut.
    pub(crate) fn next_cut(&self) -> Option<Instant> {
        self.intervals.cuts.get(self.cut).copied()
    }

    /// Bytes of the values of the series.
    pub(crate) fn series_bytes(&self) -> usize {
        size_of::<f64>() * self.series.times.len() * (1 + self.series.values.len())
    }

    /// Bytes of the counts of closed intervals, at least.
    pub(crate) fn count_bytes(&self) -> usize {
        let queues = self.queues.iter().flat_map(|(_, closed)| closed);
        queues.map(|counts| size_of::<QueueCounts>() + size_of_val(&*counts.cells)).sum()
    }

    /// Interval between two samples of the series, if any are recorded.
    pub(crate) const fn sampling(&self) -> Option<Duration> {
        self.sampling
    }

    /// Ends an interval: `queues` are the counts of all queues within it, `ends` the ends of all flows,
    /// `datagrams` the datagrams of the first flows since their start.
    pub(crate) fn close_interval<'a>(
        &mut self,
        queues: impl Iterator<Item = QueueCounts>,
        ends: impl Iterator<Item = (&'a Sender, &'a Receiver)>,
        datagrams: &[DatagramCounts],
    ) {
        for (counts, (_, closed)) in queues.zip(&mut self.queues) {
            closed.push(counts);
        }
        self.flows.close_interval(self.groups.len(), ends, datagrams);
        self.cut += 1;
    }

    /// Ends a part of what is measured: `gauges` are those of all queues.
    pub(crate) fn close_part<'a>(&mut self, gauges: impl Iterator<Item = &'a QueueGauge>, now: Instant) {
        let areas = gauges.zip(&self.queues).map(|(gauge, (_, closed))| {
            closed.iter().map(|counts| counts.gauge.area()).sum::<u128>() + gauge.area_until(now)
        });
        self.parts.close(areas.collect());
    }

    /// When the variables of `flow` are sampled after `now`; [`Instant::MAX`] if they are not.
    pub(crate) fn next_sample(&self, flow: u32, now: Instant) -> Instant {
        match self.sampling {
            Some(interval) if self.watched.binary_search_by_key(&flow, |(flow, _)| *flow).is_ok() => {
                let past = now.as_nanos() / interval.as_nanos();
                Instant::ZERO + interval * (past + 1)
            }
            _ => Instant::MAX,
        }
    }

    /// Flows whose variables are recorded.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (u32, Instant)> {
        self.watched.iter().map(|(flow, _)| (*flow, self.flows.info(*flow).shared.stop))
    }

    /// Begins a sample of the series at `now`.
    pub(crate) fn begin_sample(&mut self, now: Instant) {
        self.series.begin(now);
    }

    /// Samples the variables of the queue of `port`, which `probe` reports.
    pub(crate) fn sample_queue(
        &mut self,
        port: usize,
        probe: impl FnOnce(&mut dyn FnMut(&'static str, f64)),
    ) {
        let Self { series, queues, .. } = self;
        let (info, _) = &queues[port];
        let path = || format!("links.{}.{}", info.link, info.direction);
        probe(&mut |variable, value| series.record(path, variable, value));
    }

    /// Samples the flows whose variables are recorded.
    pub(crate) fn sample_flows<'a>(&mut self, sender: impl Fn(u32) -> &'a Sender) {
        let Self { series, watched, .. } = self;
        for (flow, name) in watched {
            let sender = sender(*flow);
            let path = || format!("flows.{name}");
            series.record(path, "cwnd", sender.cwnd());
            series.record(path, "ssthresh", sender.ssthresh());
            series.record(path, "flight", sender.flight());
            series.record(path, "srtt", sender.srtt().map_or(f64::NAN, Duration::as_secs_f64));
            sender.probe(&mut |variable, value| series.record(path, variable, value));
        }
    }

    /// Samples the number of flows in progress of a group of finite flows.
    pub(crate) fn sample_live(&mut self, group: &str, live: u32) {
        self.series.record(|| format!("flows.{group}"), "live", f64::from(live));
    }

    /// Ends the run. `finite` are the counts of the groups of finite flows, `slots` the slots they used.
    pub(crate) fn finish(
        self,
        seed: u64,
        events: u64,
        slots: usize,
        finite: Vec<FiniteGroup>,
    ) -> Measurements {
        let Self { intervals, parts, queues, groups, flows, mut series, .. } = self;
        series.fill();
        let forward = queues.iter().filter(|(info, _)| info.direction == "forward");
        let departed = |counts: &QueueCounts| counts.cells.iter().map(|cell| cell.departures).sum::<u64>();
        let packets = forward.flat_map(|(_, counts)| counts.iter().map(departed)).sum();
        Measurements {
            seed,
            events,
            packets,
            cpu: std::time::Duration::ZERO,
            series,
            slots,
            rows: intervals.rows,
            parts,
            queues,
            groups,
            flows,
            finite,
        }
    }
}
