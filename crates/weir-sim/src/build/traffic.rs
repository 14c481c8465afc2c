//! Flows that come and go, and sources of datagrams: who decides when they begin.

use std::sync::Arc;

use weir_scenario::{
    Cbr, FlowGroup, Gaps, ObjectCount, OnOff, PageTime, Replay, Rtt, Sizes, ThreeGpp, Traffic, Web,
};
use weir_types::{Duration, Ecn, Instant, Rng, TransmitClock};

use super::{
    Builder, Ends,
    flows::{Flow, RoundTrips, draw_rtt},
};
use crate::{
    engine::Event,
    measure::{Completions, FlowCounts, QueueGauge},
    traffic::{
        Arrivals, Coming, Datagrams, Generator, Kind, Leg, Pace, Pages, Session, SizeLaw, Tally,
        ThreeGppPages, Way, exponential,
    },
};

/// Round trips of flows that come and go are some of so many, so that pipes and routes stay few.
const ROUND_TRIPS: usize = 256;

impl Builder<'_> {
    pub(super) fn add_traffic(
        &mut self,
        index: usize,
        name: &str,
        group: &FlowGroup,
        capacity: f64,
        ends: &mut Ends,
    ) {
        match &group.traffic {
            Traffic::Bulk(_) => self.add_bulk(index, name, group, ends),
            Traffic::Poisson(poisson) => {
                let (coming, rtts) = self.add_coming(index, name, group, ROUND_TRIPS);
                let sizes = SizeLaw::new(&poisson.size, group.packet);
                let rate = match (poisson.rate, poisson.load) {
                    (Some(rate), _) => rate.per_second(),
                    (None, load) => load.unwrap_or(0.0) * capacity / (8.0 * sizes.mean()),
                };
                let mut arrivals = Arrivals {
                    coming,
                    gap: Duration::from_secs_f64(1.0 / rate),
                    stop: group.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop),
                    sizes,
                    packet: group.packet.bytes(),
                    ways: self.traffic.coming[coming as usize].ways.len() as u32,
                    at: self.streams.at(&format!("flows.{name}.arrivals")),
                    size: self.streams.at(&format!("flows.{name}.sizes")),
                    way: rtts,
                };
                let first = arrivals.next(Instant::ZERO + group.start);
                self.add_generator(Generator::Arrivals(arrivals), first);
            }
            Traffic::Loop(users) => {
                let think = users.think;
                self.add_sessions(index, name, group, |_, _, _| {
                    let sizes = SizeLaw::new(&users.size, group.packet);
                    (Kind::Loop { sizes, think }, group.packet.bytes(), Duration::ZERO)
                });
            }
            Traffic::Web(web) => self.add_sessions(index, name, group, |_, _, _| {
                (Kind::Pages(pages(web, &web.size, group)), group.packet.bytes(), Duration::ZERO)
            }),
            Traffic::Web3gpp(web) => self.add_sessions(index, name, group, |rng, leg, _| {
                let large = rng.chance(web.large_packets);
                let packet = if large { ThreeGpp::LARGE_PACKET } else { ThreeGpp::SMALL_PACKET };
                let pages = three_gpp_pages(web, leg);
                let request = pages.request;
                (Kind::ThreeGpp(pages), packet, request)
            }),
            Traffic::Cbr(cbr) => {
                self.add_sources(index, name, group, cbr.ecn, ends, |rng| pace_of_cbr(cbr, group, rng));
            }
            Traffic::OnOff(source) => {
                self.add_sources(index, name, group, source.ecn, ends, |rng| pace_on_off(source, group, rng));
            }
            Traffic::Replay(replay) => self.add_replay(index, name, group, replay, ends),
        }
    }

    fn add_generator(&mut self, generator: Generator, first: Option<Instant>) {
        let index = self.traffic.generators.len() as u32;
        self.traffic.generators.push(generator);
        if let Some(first) = first {
            self.calendar.push(first, Event::Generate(index));
        }
    }

    /// A group whose flows come and go, with `most` different round trips if they are drawn; and the
    /// stream they were drawn from.
    fn add_coming(&mut self, index: usize, name: &str, group: &FlowGroup, most: usize) -> (u32, Rng) {
        let mut rtts = self.streams.at(&format!("flows.{name}.rtt"));
        let trips = if matches!(group.rtt, Rtt::Fixed(_)) { 1 } else { most.clamp(1, ROUND_TRIPS) };
        let ways = (0..trips).map(|_| {
            let (forward, backward) = self.add_routes(group, draw_rtt(&group.rtt, &mut rtts));
            let route = &self.ways.routes[forward as usize];
            let links = route.hops.iter().map(|hop| self.queues[hop.port as usize].0.rate as u64);
            let access = group.access.as_ref().map(|access| access.rate.bits_per_second());
            let leg = Leg {
                there: route.delay(&self.pipes),
                back: self.ways.routes[backward as usize].delay(&self.pipes),
                rate: links.chain(access).min().expect("a path has links"),
            };
            Way { forward, backward, leg }
        });
        let ways = ways.collect();
        self.traffic.coming.push(Coming {
            group: index as u32,
            name: name.to_owned(),
            tcp: Arc::new(group.tcp.clone()),
            ways,
            access: group.access.as_ref().map(|access| access.rate),
            send_jitter: group.send_jitter,
            free: Vec::new(),
            flows: 0,
            live: QueueGauge::default(),
            past: FlowCounts::default(),
            completions: Completions::default(),
            closed: Vec::new(),
        });
        (self.traffic.coming.len() as u32 - 1, rtts)
    }

    /// One session for each lifetime of the group: `make` gives what it does, the size of its packets,
    /// and how long after its start it begins.
    fn add_sessions(
        &mut self,
        index: usize,
        name: &str,
        group: &FlowGroup,
        make: impl Fn(&mut Rng, Leg, usize) -> (Kind, u32, Duration),
    ) {
        let lifetimes = group.lifetimes();
        let (coming, _) = self.add_coming(index, name, group, lifetimes.len());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut arrivals = self.streams.at(&format!("flows.{name}.arrivals"));
        let spread = match &group.traffic {
            Traffic::Web(web) => web.inter_session,
            _ => None,
        };
        let mut since = Duration::ZERO;
        for (number, lifetime) in lifetimes.into_iter().enumerate() {
            let ways = &self.traffic.coming[coming as usize].ways;
            let way = number % ways.len();
            let leg = ways[way].leg;
            let mut rng = self.streams.at(&format!("flows.{name}.{number}.session"));
            let (kind, packet, later) = make(&mut rng, leg, number);
            let stop = lifetime.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
            since = since + spread.map_or(Duration::ZERO, |mean| exponential(mean, &mut arrivals));
            let start = Instant::ZERO + lifetime.start + since + group.jitter.mul_f64(starts.uniform());
            let session = Session { coming, way: way as u32, stop, rng, packet, kind };
            let first = (start < stop).then_some(start + later);
            self.add_generator(Generator::Session(Box::new(session)), first);
        }
    }

    /// One source of datagrams for each lifetime of the group.
    fn add_sources(
        &mut self,
        index: usize,
        name: &str,
        group: &FlowGroup,
        ecn: bool,
        ends: &mut Ends,
        pace: impl Fn(Rng) -> Pace,
    ) {
        let tcp = Arc::new(group.tcp.clone());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut trips = RoundTrips::new(group, self.streams.at(&format!("flows.{name}.rtt")));
        for (number, lifetime) in group.lifetimes().into_iter().enumerate() {
            let (rtt, ways) = trips.next(number, self);
            let scheduled = Instant::ZERO + lifetime.start;
            let start = scheduled + group.jitter.mul_f64(starts.uniform());
            let stop = lifetime.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
            let flow = self.add_flow(
                &Flow { index, name, group, number, rtt, ways, scheduled, start, stop },
                &tcp,
                ends,
            );
            self.ways.live[index] += 1;
            self.traffic.tallies.resize(flow as usize + 1, Tally::default());
            let rng = self.streams.at(&format!("flows.{name}.{number}.source"));
            let ecn = if ecn { Ecn::Ect0 } else { Ecn::NotEct };
            let mut source =
                Datagrams { flow, bytes: group.packet.bytes(), ecn, stop, number: 0, pace: pace(rng) };
            let first = source.begin(start);
            self.add_generator(Generator::Datagrams(Box::new(source)), first);
        }
    }

    /// A trace: one source that feeds as many flows as there are in it.
    fn add_replay(&mut self, index: usize, name: &str, group: &FlowGroup, replay: &Replay, ends: &mut Ends) {
        let trace = Arc::clone(replay.trace.get());
        let tcp = Arc::new(group.tcp.clone());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut trips = RoundTrips::new(group, self.streams.at(&format!("flows.{name}.rtt")));
        let scheduled = Instant::ZERO + group.start;
        let start = scheduled + group.jitter.mul_f64(starts.uniform());
        let stop = group.stop.map_or(Instant::MAX, |stop| Instant::ZERO + stop);
        let first = ends.sources.len() as u32;
        for number in 0..trace.flows as usize {
            let (rtt, ways) = trips.next(number, self);
            self.add_flow(
                &Flow { index, name, group, number, rtt, ways, scheduled, start, stop },
                &tcp,
                ends,
            );
            self.ways.live[index] += 1;
        }
        self.traffic.tallies.resize(ends.sources.len(), Tally::default());
        let ecn = if replay.ecn { Ecn::Ect0 } else { Ecn::NotEct };
        let pace = Pace::Trace { trace, start, at: 0 };
        let mut source = Datagrams { flow: first, bytes: group.packet.bytes(), ecn, stop, number: 0, pace };
        let begin = source.begin(start);
        self.add_generator(Generator::Datagrams(Box::new(source)), begin);
    }
}

fn pages(web: &Web, size: &Sizes, group: &FlowGroup) -> Pages {
    Pages {
        left: web.pages,
        sizes: SizeLaw::new(size, group.packet),
        objects: web.objects,
        varies: web.objects_vary == ObjectCount::Exponential,
        inter_object: web.inter_object,
        inter_page: web.inter_page,
        from_start: web.inter_page_from == PageTime::Start,
        to_ask: 0,
        under_way: 0,
        began: Instant::ZERO,
    }
}

fn three_gpp_pages(web: &ThreeGpp, leg: Leg) -> ThreeGppPages {
    let request = if web.implicit_requests { Duration::ZERO } else { leg.request(web.request.bytes()) };
    ThreeGppPages {
        left: web.pages,
        main: SizeLaw::log_normal(10_710.0, 25_032.0, 100.0, 2e6),
        embedded: SizeLaw::log_normal(7758.0, 126_168.0, 50.0, 2e6),
        reading: web.reading,
        parsing: web.parsing,
        request,
        embedded_left: None,
        headers: ThreeGpp::HEADERS,
    }
}

fn pace_of_cbr(cbr: &Cbr, group: &FlowGroup, rng: Rng) -> Pace {
    match cbr.gaps {
        Gaps::Equal => Pace::Constant(TransmitClock::new(cbr.rate)),
        Gaps::Exponential => {
            let seconds = 1.0 / cbr.rate.packets_per_second(group.packet.bytes());
            Pace::Random { gap: Duration::from_secs_f64(seconds), rng }
        }
    }
}

fn pace_on_off(source: &OnOff, group: &FlowGroup, rng: Rng) -> Pace {
    let seconds = 1.0 / source.rate.packets_per_second(group.packet.bytes());
    Pace::OnOff {
        gap: Duration::from_secs_f64(seconds),
        on: source.on,
        off: source.off,
        shape: source.shape,
        rng,
        left: Duration::ZERO,
    }
}
