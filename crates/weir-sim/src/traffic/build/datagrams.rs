//! Sources of datagrams.

use std::sync::Arc;

use weir_scenario::{Cbr, FlowGroup, Gaps, OnOff, Replay};
use weir_types::{Duration, Ecn, Instant, Rate, Rng, TransmitClock};

use super::{Group, Lifetime, TrafficBuilder, instant_or_never};
use crate::{
    monitor::Stopped,
    traffic::{
        datagrams::{DatagramTiming, Datagrams},
        generator::Generator,
    },
};

impl TrafficBuilder<'_, '_> {
    pub(super) fn add_cbr(&mut self, group: Group<'_>, cbr: &Cbr) -> Result<(), Stopped> {
        let gap = mean_gap(cbr.rate, group.config);
        self.add_sources(group, cbr.ecn, |rng| match cbr.gaps {
            Gaps::Equal => DatagramTiming::Constant(TransmitClock::new(cbr.rate)),
            Gaps::Exponential => DatagramTiming::Random { gap, rng },
        })
    }

    pub(super) fn add_on_off(&mut self, group: Group<'_>, source: &OnOff) -> Result<(), Stopped> {
        let gap = mean_gap(source.rate, group.config);
        let OnOff { on, off, shape, .. } = *source;
        self.add_sources(group, source.ecn, |rng| DatagramTiming::OnOff {
            gap,
            on,
            off,
            shape,
            rng,
            left: Duration::ZERO,
        })
    }

    /// Adds one source for each lifetime of the group.
    fn add_sources(
        &mut self,
        group: Group<'_>,
        ecn: bool,
        timing: impl Fn(Rng) -> DatagramTiming,
    ) -> Result<(), Stopped> {
        let Group { index, name, config } = group;
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut flows = self.static_flows(group);
        for (number, lifetime) in config.lifetimes().into_iter().enumerate() {
            let lifetime = Lifetime::of(&lifetime, config.start_jitter.mul_f64(starts.uniform()));
            let flow = self.add_flow(&mut flows, lifetime)?;
            self.network.hosts.routing.begin_flow(index, Instant::ZERO);
            self.network.hosts.count_datagrams(flow + 1);
            let rng = self.streams.at(&format!("flows.{name}.{number}.source"));
            self.add_source(group, flow, ecn, lifetime, timing(rng));
        }
        Ok(())
    }

    /// Adds the replay of a trace: one source with as many flows as the trace has.
    pub(super) fn add_replay(&mut self, group: Group<'_>, replay: &Replay) -> Result<(), Stopped> {
        let Group { index, name, config } = group;
        let trace = Arc::clone(replay.trace.get());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut flows = self.static_flows(group);
        let scheduled = Instant::ZERO + config.start;
        let start = scheduled + config.start_jitter.mul_f64(starts.uniform());
        let lifetime = Lifetime { scheduled, start, stop: instant_or_never(config.stop) };
        let first = self.flows.len() as u32;
        for _ in 0..trace.flows {
            self.add_flow(&mut flows, lifetime)?;
            self.network.hosts.routing.begin_flow(index, Instant::ZERO);
        }
        self.network.hosts.count_datagrams(self.flows.len() as u32);
        self.add_source(group, first, replay.ecn, lifetime, DatagramTiming::Trace { trace, start, at: 0 });
        Ok(())
    }

    fn add_source(
        &mut self,
        group: Group<'_>,
        flow: u32,
        ecn: bool,
        lifetime: Lifetime,
        timing: DatagramTiming,
    ) {
        let ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
        let bytes = group.config.packet_size.bytes();
        let mut source = Datagrams { flow, bytes, ecn, stop: lifetime.stop, number: 0, timing };
        let first = source.begin(lifetime.start);
        self.add_generator(Generator::Datagrams(Box::new(source)), first);
    }
}

/// The mean time between two packets at this rate.
fn mean_gap(rate: Rate, config: &FlowGroup) -> Duration {
    Duration::from_secs_f64(1.0 / rate.packets_per_second(config.packet_size.bytes()))
}
