//! Bulk flows: their endpoints, and when they come and go.

use std::sync::Arc;

use weir_scenario::{FlowGroup, Rtt, RttDistribution};
use weir_tcp::{Receiver, Sender, TcpParameters};
use weir_types::{Duration, Instant, Rng};

use super::{Builder, Ends};
use crate::{
    engine::Event,
    measure::FlowInfo,
    network::Access,
    traffic::normal,
    world::{Jitter, Sink, Source},
};

/// Different round trips that the flows of a group have at most. Each has pipes of its own, and pipes
/// stand in the calendar: with 100,000 of them it would no longer be in any cache.
const ROUND_TRIPS: usize = 1024;

/// The round trips of a group's flows, with the routes there and back.
pub(super) struct RoundTrips<'a> {
    group: &'a FlowGroup,
    rng: Rng,
    known: Vec<(Duration, (u32, u32))>,
}

impl<'a> RoundTrips<'a> {
    pub(super) const fn new(group: &'a FlowGroup, rng: Rng) -> Self {
        Self { group, rng, known: Vec::new() }
    }

    /// Those of the next flow, of which there were `number` before.
    pub(super) fn next(&mut self, number: usize, builder: &mut Builder<'_>) -> (Duration, (u32, u32)) {
        let most = if matches!(self.group.rtt, Rtt::Fixed(_)) { 1 } else { ROUND_TRIPS };
        if number < most {
            let rtt = draw_rtt(&self.group.rtt, &mut self.rng);
            self.known.push((rtt, builder.add_routes(self.group, rtt)));
        }
        self.known[number % most]
    }
}

/// A flow that is there from the beginning of the run, whether it sends or not.
pub(super) struct Flow<'a> {
    /// Its group, and its number within.
    pub(super) index: usize,
    pub(super) name: &'a str,
    pub(super) group: &'a FlowGroup,
    pub(super) number: usize,
    pub(super) rtt: Duration,
    /// Its routes there and back.
    pub(super) ways: (u32, u32),
    /// When its lifetime begins, before jitter; when it begins; when it ends.
    pub(super) scheduled: Instant,
    pub(super) start: Instant,
    pub(super) stop: Instant,
}

impl Builder<'_> {
    pub(super) fn add_bulk(&mut self, index: usize, name: &str, group: &FlowGroup, ends: &mut Ends) {
        let tcp = Arc::new(group.tcp.clone());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut trips = RoundTrips::new(group, self.streams.at(&format!("flows.{name}.rtt")));
        for (number, lifetime) in group.lifetimes().into_iter().enumerate() {
            let (rtt, ways) = trips.next(number, self);
            let start = Instant::ZERO + lifetime.start + group.jitter.mul_f64(starts.uniform());
            let stop = lifetime.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
            let scheduled = Instant::ZERO + lifetime.start;
            let flow = Flow { index, name, group, number, rtt, ways, scheduled, start, stop };
            let id = self.add_flow(&flow, &tcp, ends);
            // A flow that would leave before its jitter lets it come never comes.
            if start < stop {
                self.calendar.push(start, Event::Start(id));
            }
            if stop < Instant::MAX {
                self.calendar.push(stop, Event::Stop(id));
            }
        }
    }

    /// Routes and endpoints of a flow; returns its id.
    pub(super) fn add_flow(&mut self, flow: &Flow<'_>, tcp: &Arc<TcpParameters>, ends: &mut Ends) -> u32 {
        let Flow { index, name, group, number, rtt, ways, scheduled, start, stop } = *flow;
        let id = ends.sources.len() as u32;
        self.ways.group.push(index as u32);
        self.ways.forward.push(ways.0);
        self.ways.backward.push(ways.1);
        if let Some(access) = &group.access {
            // Only as long as it must be: without access links nobody has to look.
            self.ways.access.resize_with(id as usize, || None);
            let ack = group.tcp.ack_size.bytes();
            self.ways.access.push(Some(Access::new(access.rate, group.packet.bytes(), ack)));
        }
        let jitter = (!group.send_jitter.is_zero()).then(|| {
            let rng = self.streams.at(&format!("flows.{name}.{number}.send"));
            Box::new(Jitter { width: group.send_jitter, rng, pending: false })
        });
        ends.sources.push(Source {
            sender: Sender::new(id, group.packet.bytes(), Arc::clone(tcp)),
            timer_at: Instant::MAX,
            jitter,
        });
        ends.sinks.push(Sink { receiver: Receiver::new(id, tcp), timer_at: Instant::MAX, end: u32::MAX });
        ends.flows.push(FlowInfo {
            name: format!("{name}.{number}"),
            group: index,
            rtt,
            scheduled,
            start,
            stop,
            bytes: group.packet.bytes(),
        });
        id
    }
}

/// One draw of a propagation round trip.
pub(super) fn draw_rtt(rtt: &Rtt, rng: &mut Rng) -> Duration {
    match rtt {
        Rtt::Fixed(rtt) => *rtt,
        Rtt::Drawn(RttDistribution::Uniform(uniform)) => {
            uniform.from + uniform.to.saturating_sub(uniform.from).mul_f64(rng.uniform())
        }
        Rtt::Drawn(RttDistribution::Exponential(exponential)) => {
            let rest = exponential.mean.saturating_sub(exponential.at_least);
            exponential.at_least + rest.mul_f64(-libm::log(1.0 - rng.uniform()))
        }
        Rtt::Drawn(RttDistribution::LogNormal(law)) => {
            law.median.mul_f64(libm::exp(law.sigma * normal(rng))).max(law.at_least)
        }
    }
}
