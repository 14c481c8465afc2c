//! Finite flows: arrivals and sessions.

use std::sync::Arc;

use weir_scenario::{ClosedLoop, ObjectCount, PageTime, Poisson, Rtt, ThreeGpp, TransferList, Web};
use weir_types::{Duration, Instant, Rng};

use super::{Group, TrafficBuilder, draw_rtt, instant_or_never};
use crate::{
    monitor::Stopped,
    traffic::{
        arrivals::Arrivals,
        draw::exponential,
        finite::FiniteFlows,
        generator::Generator,
        listed::Listed,
        path_delay::{PathDelay, TimedWay},
        sessions::{Pages, Session, SessionModel, ThreeGppPages},
        sizes::SizeSampler,
    },
};

/// The largest number of different round trips of a group of finite flows, so that pipes and routes stay
/// few.
const ROUND_TRIPS: usize = 256;

/// A new session: its transfers, the size of its packets, and the delay of its first transfer.
type NewSession = (SessionModel, u32, Duration);

impl TrafficBuilder<'_, '_> {
    pub(super) fn add_arrivals(&mut self, group: Group<'_>, poisson: &Poisson, capacity: f64) {
        let Group { name, config, .. } = group;
        let (index, rtts) = self.add_finite(group, ROUND_TRIPS);
        let sizes = SizeSampler::new(&poisson.size, config.packet_size);
        let rate = match (poisson.rate, poisson.load) {
            (Some(rate), _) => rate.per_second(),
            (None, load) => load.unwrap_or(0.0) * capacity / (8.0 * sizes.mean()),
        };
        let mut arrivals = Arrivals {
            group: index,
            gap: Duration::from_secs_f64(1.0 / rate),
            stop: instant_or_never(config.stop),
            sizes,
            packet: config.packet_size.bytes(),
            routes: self.finite.routes(index).len() as u32,
            arrival: self.streams.at(&format!("flows.{name}.arrivals")),
            size: self.streams.at(&format!("flows.{name}.sizes")),
            route: rtts,
        };
        let first = arrivals.next(Instant::ZERO + config.start);
        self.add_generator(Generator::Arrivals(arrivals), first);
    }

    pub(super) fn add_listed(&mut self, group: Group<'_>, list: &TransferList) {
        let Group { config, .. } = group;
        let transfers = Arc::clone(list.transfers.get());
        let (index, rtts) = self.add_finite(group, ROUND_TRIPS);
        let listed = Listed {
            group: index,
            start: Instant::ZERO + config.start,
            stop: instant_or_never(config.stop),
            transfers,
            started: 0,
            packet: config.packet_size.bytes(),
            routes: self.finite.routes(index).len() as u32,
            route: rtts,
        };
        let first = listed.next();
        self.add_generator(Generator::Listed(Box::new(listed)), first);
    }

    pub(super) fn add_loops(&mut self, group: Group<'_>, users: &ClosedLoop) -> Result<(), Stopped> {
        let packet = group.config.packet_size;
        self.add_sessions(group, None, |_, _| {
            let sizes = SizeSampler::new(&users.size, packet);
            (SessionModel::Loop { sizes, think: users.think_time }, packet.bytes(), Duration::ZERO)
        })
    }

    pub(super) fn add_pages(&mut self, group: Group<'_>, web: &Web) -> Result<(), Stopped> {
        let packet = group.config.packet_size;
        self.add_sessions(group, web.inter_session, |_, _| {
            let pages = Pages {
                left: web.pages,
                sizes: SizeSampler::new(&web.size, packet),
                objects: web.objects,
                varies: web.objects_vary == ObjectCount::Exponential,
                inter_object: web.inter_object,
                inter_page: web.inter_page,
                from_start: web.inter_page_from == PageTime::Start,
                to_request: 0,
                in_transfer: 0,
                began: Instant::ZERO,
            };
            (SessionModel::Pages(pages), packet.bytes(), Duration::ZERO)
        })
    }

    pub(super) fn add_3gpp_pages(&mut self, group: Group<'_>, web: &ThreeGpp) -> Result<(), Stopped> {
        self.add_sessions(group, None, |rng, delay| {
            let large = rng.chance(web.large_packets);
            let packet = if large { ThreeGpp::LARGE_PACKET } else { ThreeGpp::SMALL_PACKET };
            let request =
                if web.implicit_requests { Duration::ZERO } else { delay.request(web.request.bytes()) };
            let pages = ThreeGppPages {
                left: web.pages,
                main: SizeSampler::log_normal(10_710.0, 25_032.0, 100.0, 2e6),
                embedded: SizeSampler::log_normal(7758.0, 126_168.0, 50.0, 2e6),
                reading: web.reading,
                parsing: web.parsing,
                request,
                embedded_left: None,
                headers: ThreeGpp::HEADERS,
            };
            (SessionModel::ThreeGpp(pages), packet, request)
        })
    }

    /// Adds a group of finite flows with at most `most` different round trips. Returns its index among
    /// these groups, and the stream that the round trips were drawn from.
    fn add_finite(&mut self, group: Group<'_>, most: usize) -> (u32, Rng) {
        let Group { index, name, config } = group;
        let mut rtts = self.streams.at(&format!("flows.{name}.rtt"));
        let number = if matches!(config.rtt, Rtt::Fixed(_)) { 1 } else { most.clamp(1, ROUND_TRIPS) };
        let network = &mut *self.network;
        let routes = (0..number).map(|_| {
            let way = network.add_way(index, config, draw_rtt(&config.rtt, &mut rtts));
            let access = config.access.as_ref().map(|access| access.rate.bits_per_second());
            let (fixed, varying) = network.services(way.forward);
            let rates = network.least_rate(way.forward).into_iter().chain(access);
            let delay = PathDelay {
                forward: network.delay(way.forward),
                backward: network.delay(way.backward),
                rate: rates.min().expect("a path has links"),
                fixed: fixed.into_iter().chain(access).min(),
                varying,
            };
            TimedWay { way, delay }
        });
        let routes = routes.collect();
        let index = self.finite.add(FiniteFlows::new(
            index,
            name,
            Arc::new(config.tcp.clone()),
            routes,
            config.access.as_ref().map(|access| access.rate),
            config.send_jitter,
        ));
        (index, rtts)
    }

    /// Adds one session for each lifetime of the group. `spread` is the mean time between the starts of two
    /// sessions, if there is one.
    fn add_sessions(
        &mut self,
        group: Group<'_>,
        spread: Option<Duration>,
        make: impl Fn(&mut Rng, &PathDelay) -> NewSession,
    ) -> Result<(), Stopped> {
        let Group { name, config, .. } = group;
        let lifetimes = config.lifetimes();
        let (index, _) = self.add_finite(group, lifetimes.len());
        let mut starts = self.streams.at(&format!("flows.{name}.start"));
        let mut arrivals = self.streams.at(&format!("flows.{name}.arrivals"));
        let mut since = Duration::ZERO;
        for (number, lifetime) in lifetimes.into_iter().enumerate() {
            self.look(number)?;
            let routes = self.finite.routes(index);
            let route = number % routes.len();
            let delay = &routes[route].delay;
            let mut rng = self.streams.at(&format!("flows.{name}.{number}.session"));
            let (model, packet, later) = make(&mut rng, delay);
            let stop = instant_or_never(lifetime.stop);
            since = since + spread.map_or(Duration::ZERO, |mean| exponential(mean, &mut arrivals));
            let start =
                Instant::ZERO + lifetime.start + since + config.start_jitter.mul_f64(starts.uniform());
            let session = Session { group: index, route: route as u32, stop, rng, packet, model };
            let first = (start < stop).then_some(start + later);
            self.add_generator(Generator::Session(Box::new(session)), first);
        }
        Ok(())
    }
}
