use weir_scenario::Scenario;
use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant};

use super::{
    DatagramCounts, FlowArrivals, FlowCounts, FlowInfo, GroupInfo, Intervals, Measurements, QueueCounts,
    QueueInfo, Series,
};

/// Keeps the counts of closed intervals and the recorded series of a run.
#[derive(Debug)]
pub(crate) struct Recorder {
    intervals: Intervals,
    /// Index of the next cut.
    cut: usize,
    queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    groups: Vec<GroupInfo>,
    /// Counts of static flows at each cut, since their start.
    flows: Vec<(FlowInfo, Vec<FlowCounts>)>,
    series: Series,
    /// Interval between two samples of the series, if any are recorded.
    sampling: Option<Duration>,
    /// Flows whose variables are recorded.
    watched: Vec<u32>,
}

impl Recorder {
    pub(crate) fn new(
        scenario: &Scenario,
        queues: Vec<QueueInfo>,
        groups: Vec<GroupInfo>,
        flows: Vec<FlowInfo>,
    ) -> Self {
        let series = scenario.measure.series.as_ref();
        let is_watched = |info: &FlowInfo| {
            let group = &groups[info.group].name;
            series.is_some_and(|series| series.flows.iter().any(|flow| *flow == info.name || flow == group))
        };
        let watched = (0..).zip(&flows).filter(|(_, info)| is_watched(info)).map(|(flow, _)| flow).collect();
        let intervals = Intervals::of(scenario);
        // Exact capacities: with many flows, a growing vector needs several times as much memory.
        let cuts = intervals.cuts.len();
        Self {
            cut: 0,
            queues: queues.into_iter().map(|info| (info, Vec::new())).collect(),
            groups,
            flows: flows.into_iter().map(|info| (info, Vec::with_capacity(cuts))).collect(),
            series: Series::default(),
            sampling: series.map(|series| series.interval),
            watched,
            intervals,
        }
    }

    /// Properties of all queues, in the order of the ports.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &QueueInfo> {
        self.queues.iter().map(|(info, _)| info)
    }

    /// The instant of the next cut.
    pub(crate) fn next_cut(&self) -> Option<Instant> {
        self.intervals.cuts.get(self.cut).copied()
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
        for ((sender, receiver), (info, closed)) in ends.zip(&mut self.flows) {
            let counts = FlowCounts::of(sender, receiver);
            closed.push(FlowCounts { bytes: counts.delivered * u64::from(info.bytes), ..counts });
        }
        for (sent, (_, closed)) in datagrams.iter().zip(&mut self.flows) {
            if let Some(counts) = closed.last_mut().filter(|_| sent.sent > 0) {
                *counts = sent.as_flow();
            }
        }
        self.cut += 1;
    }

    /// When the variables of `flow` are sampled after `now`; [`Instant::MAX`] if they are not.
    pub(crate) fn next_sample(&self, flow: u32, now: Instant) -> Instant {
        match self.sampling {
            Some(interval) if self.watched.binary_search(&flow).is_ok() => {
                let past = now.as_nanos() / interval.as_nanos();
                Instant::ZERO + interval * (past + 1)
            }
            _ => Instant::MAX,
        }
    }

    /// Flows whose variables are recorded.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (u32, Instant)> {
        self.watched.iter().map(|flow| (*flow, self.flows[*flow as usize].0.stop))
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
        let Self { series, flows, watched, .. } = self;
        for flow in watched {
            let sender = sender(*flow);
            let path = || format!("flows.{}", flows[*flow as usize].0.name);
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
        finite: Vec<(usize, Vec<FlowArrivals>)>,
    ) -> Measurements {
        let Self { intervals, queues, groups, mut flows, series, .. } = self;
        for (_, counts) in &mut flows {
            // From counts since the start to counts per interval.
            for later in (1..counts.len()).rev() {
                counts[later] = counts[later].since(&counts[later - 1]);
            }
        }
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
            queues,
            groups,
            flows,
            finite,
        }
    }
}
