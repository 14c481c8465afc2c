//! What is counted and recorded while a run goes on, and what it leaves.

use weir_aqm::Discipline;
use weir_types::Duration;

use crate::{
    World,
    engine::Event,
    measure::{FlowCounts, FlowInfo, GroupInfo, Intervals, Measurements, QueueCounts, QueueInfo, Series},
};

/// What has been counted and recorded.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) intervals: Intervals,
    /// The next cut.
    pub(crate) cut: usize,
    pub(crate) queues: Vec<(QueueInfo, Vec<QueueCounts>)>,
    pub(crate) groups: Vec<GroupInfo>,
    pub(crate) flows: Vec<(FlowInfo, Vec<FlowCounts>)>,
    pub(crate) series: Series,
    pub(crate) sampling: Option<Duration>,
    /// Flows whose window is recorded.
    pub(crate) watched: Vec<u32>,
    pub(crate) events: u64,
    /// Packets that entered the network, and that reached an endpoint.
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
}

impl World {
    /// Lets every port do what was due by now.
    pub(super) fn catch_up(&mut self) {
        let now = self.now;
        for port in 0..self.ports.len() as u32 {
            self.with_port(port, |queue, outbox| queue.advance(now, outbox));
        }
    }

    /// Closes a measuring interval.
    pub(super) fn cut(&mut self) {
        self.catch_up();
        let now = self.now;
        for (slot, (_, closed)) in self.ports.iter_mut().zip(&mut self.books.queues) {
            let mut counts = slot.side.counts.cut(now);
            if let Some(offered) = slot.port.offered(now) {
                slot.side.counts.divide(&mut counts, offered, slot.port.unsent(now));
            }
            closed.push(counts);
        }
        for ((source, sink), (info, closed)) in
            self.sources.iter().zip(&self.sinks).zip(&mut self.books.flows)
        {
            let counts = FlowCounts::of(&source.sender, &sink.receiver);
            closed.push(FlowCounts { bytes: counts.delivered * u64::from(info.bytes), ..counts });
        }
        for (tally, (_, closed)) in self.traffic.tallies.iter().zip(&mut self.books.flows) {
            if let Some(counts) = closed.last_mut().filter(|_| tally.sent > 0) {
                *counts = tally.counts();
            }
        }
        self.cut_coming();
        self.books.cut += 1;
        if let Some(next) = self.books.intervals.cuts.get(self.books.cut) {
            self.calendar.push(*next, Event::Boundary);
        }
    }

    /// Records values over time.
    pub(super) fn sample(&mut self) {
        self.catch_up();
        let now = self.now;
        let Books { series, queues, flows, watched, sampling, .. } = &mut self.books;
        series.begin(now);
        for (slot, (info, _)) in self.ports.iter().zip(queues) {
            let path = || format!("links.{}.{}", info.link, info.direction);
            series.record(path, "queue", f64::from(slot.port.backlog().packets));
            slot.port.discipline().probe(&mut |variable, value| series.record(path, variable, value));
        }
        for flow in watched {
            let sender = &self.sources[*flow as usize].sender;
            let path = || format!("flows.{}", flows[*flow as usize].0.name);
            series.record(path, "cwnd", sender.cwnd());
            series.record(path, "ssthresh", sender.ssthresh());
            series.record(path, "flight", sender.flight());
            series.record(path, "srtt", sender.srtt().map_or(f64::NAN, Duration::as_secs_f64));
            sender.probe(&mut |variable, value| series.record(path, variable, value));
        }
        for group in &self.traffic.coming {
            let live = self.ways.live[group.group as usize];
            series.record(|| format!("flows.{}", group.name), "live", f64::from(live));
        }
        if let Some(interval) = sampling {
            self.calendar.push(now + *interval, Event::Sample);
        }
    }

    /// Packets are conserved: sent = delivered + dropped + lost + in flight.
    pub(super) fn check_conservation(&self) {
        let waiting: u64 = self.ports.iter().map(|slot| u64::from(slot.port.backlog().packets)).sum();
        let in_flight = self.pipes.in_flight() + waiting;
        let dropped: u64 = self.ports.iter().map(|slot| slot.side.dropped).sum();
        let lost: u64 = self.ports.iter().map(|slot| slot.side.lost).sum();
        let Books { sent, delivered, .. } = self.books;
        assert_eq!(
            sent,
            delivered + dropped + lost + in_flight,
            "packets were made or lost: {sent} sent, {delivered} delivered, {dropped} dropped, {lost} lost, {in_flight} in flight"
        );
    }

    pub(super) fn finish(self) -> Measurements {
        let Books { intervals, queues, groups, mut flows, series, events, .. } = self.books;
        for (_, counts) in &mut flows {
            // From counts since the start to counts per interval.
            for later in (1..counts.len()).rev() {
                counts[later] = counts[later].since(&counts[later - 1]);
            }
        }
        let slots = self.traffic.slots.len();
        let coming = self.traffic.coming.into_iter().map(|group| {
            let mut counts = group.closed;
            for later in (1..counts.len()).rev() {
                counts[later].flows = counts[later].flows.since(&counts[later - 1].flows);
            }
            (group.group as usize, counts)
        });
        let coming = coming.collect();
        let forward = queues.iter().filter(|(info, _)| info.direction == "forward");
        let departed = |counts: &QueueCounts| counts.cells.iter().map(|cell| cell.departures).sum::<u64>();
        let packets = forward.flat_map(|(_, counts)| counts.iter().map(departed)).sum();
        Measurements {
            seed: self.seed,
            events,
            packets,
            cpu: std::time::Duration::ZERO,
            series,
            rows: intervals.rows,
            queues,
            groups,
            flows,
            slots,
            coming,
        }
    }
}
