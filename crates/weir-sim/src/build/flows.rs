//! Flows: their endpoints, and when they come and go.

use std::sync::Arc;

use weir_scenario::{FlowGroup, Rtt, RttDistribution};
use weir_tcp::{Receiver, Sender};
use weir_types::{Duration, Instant, Rng};

use super::Builder;
use crate::{
    engine::Event,
    measure::FlowInfo,
    network::Access,
    world::{Jitter, Sink, Source},
};

impl Builder<'_> {
    pub(super) fn add_flows(
        &mut self,
        index: usize,
        name: &str,
        group: &FlowGroup,
        flows: &mut Vec<FlowInfo>,
        sources: &mut Vec<Source>,
        sinks: &mut Vec<Sink>,
    ) {
        let tcp = Arc::new(group.tcp.clone());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut rtts = self.streams.at(&format!("flows.{name}.rtt"));
        for (number, lifetime) in group.lifetimes().into_iter().enumerate() {
            let flow = sources.len() as u32;
            let rtt = draw_rtt(&group.rtt, &mut rtts);
            let (forward, backward) = self.add_routes(group, rtt);
            self.ways.group.push(index as u32);
            self.ways.forward.push(forward);
            self.ways.backward.push(backward);
            if let Some(access) = &group.access {
                // Only as long as it must be: without access links nobody has to look.
                self.ways.access.resize_with(flow as usize, || None);
                let ack = group.tcp.ack_size.bytes();
                self.ways.access.push(Some(Access::new(access.rate, group.packet.bytes(), ack)));
            }
            let start = Instant::ZERO + lifetime.start + group.jitter.mul_f64(starts.uniform());
            let stop = lifetime.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
            // A flow that would leave before its jitter lets it come never comes.
            if start < stop {
                self.calendar.push(start, Event::Start(flow));
            }
            if stop < Instant::MAX {
                self.calendar.push(stop, Event::Stop(flow));
            }
            let jitter = (!group.send_jitter.is_zero()).then(|| {
                let rng = self.streams.at(&format!("flows.{name}.{number}.send"));
                Box::new(Jitter { width: group.send_jitter, rng, pending: false })
            });
            sources.push(Source {
                sender: Sender::new(flow, group.packet.bytes(), Arc::clone(&tcp)),
                timer_at: Instant::MAX,
                jitter,
            });
            sinks.push(Sink { receiver: Receiver::new(flow, &tcp), timer_at: Instant::MAX });
            flows.push(FlowInfo {
                name: format!("{name}.{number}"),
                group: index,
                rtt,
                scheduled: Instant::ZERO + lifetime.start,
                start,
                stop,
                bytes: group.packet.bytes(),
            });
        }
    }
}

/// One draw of a propagation round trip.
fn draw_rtt(rtt: &Rtt, rng: &mut Rng) -> Duration {
    match rtt {
        Rtt::Fixed(rtt) => *rtt,
        Rtt::Drawn(RttDistribution::Uniform(uniform)) => {
            uniform.from + uniform.to.saturating_sub(uniform.from).mul_f64(rng.uniform())
        }
        Rtt::Drawn(RttDistribution::Exponential(exponential)) => {
            let rest = exponential.mean.saturating_sub(exponential.at_least);
            exponential.at_least + rest.mul_f64(-libm::log(1.0 - rng.uniform()))
        }
        Rtt::Drawn(RttDistribution::LogNormal(normal)) => {
            // Box and Muller; the functions of libm give the same bits everywhere.
            let radius = libm::sqrt(-2.0 * libm::log(1.0 - rng.uniform()));
            let z = radius * libm::cos(core::f64::consts::TAU * rng.uniform());
            normal.median.mul_f64(libm::exp(normal.sigma * z)).max(normal.at_least)
        }
    }
}
