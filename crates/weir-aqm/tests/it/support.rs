//! Helpers of several modules: a packet with a number, an observer that writes everything down, and a link to stand
//! before.

use serde_json::json;
use weir_aqm::{
    Aqm, Backlog, Limit, Link, Observer, Output, Packet, PacketInfo, Port, Reason, Verdict, aqm::AqmConfig,
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Level, Probability, Rate, Rng, Streams};

/// A packet that remembers which one it is and how it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Numbered {
    pub(crate) id: u64,
    pub(crate) info: PacketInfo,
}

impl Packet for Numbered {
    fn info(&self) -> PacketInfo {
        self.info
    }

    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
    }
}

/// Something that happened, with nothing left out: equal traces are equal behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Offered { id: u64, info: PacketInfo, now: Instant },
    Dropped { id: u64, reason: Reason, waited: bool, now: Instant },
    Marked { id: u64, reason: Reason, now: Instant },
    Taken { id: u64, ecn: Ecn, sojourn: Duration, now: Instant },
    Sent { id: u64, ecn: Ecn, sojourn: Duration, start: Instant, end: Instant },
    Backlog { packets: u32, now: Instant },
}

/// Writes down everything it is told.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) events: Vec<Event>,
}

impl Observer<Numbered> for Trace {
    fn dropped(&mut self, packet: Numbered, reason: Reason, waited: bool, now: Instant) {
        self.events.push(Event::Dropped { id: packet.id, reason, waited, now });
    }

    fn marked(&mut self, packet: &Numbered, reason: Reason, now: Instant) {
        assert_eq!(packet.info.ecn, Ecn::Ce, "told of a mark on packet {} that is not there", packet.id);
        self.events.push(Event::Marked { id: packet.id, reason, now });
    }
}

impl Output<Numbered> for Trace {
    fn sent(&mut self, packet: Numbered, sojourn: Duration, start: Instant, end: Instant) {
        self.events.push(Event::Sent { id: packet.id, ecn: packet.info.ecn, sojourn, start, end });
    }

    fn backlog(&mut self, packets: u32, now: Instant) {
        self.events.push(Event::Backlog { packets, now });
    }
}

/// A packet of 1000 bytes.
pub(crate) const fn packet(ecn: Ecn) -> PacketInfo {
    PacketInfo { bytes: 1000, ecn, flow: 0 }
}

/// So many packets of 1000 bytes wait; there is room for 1000.
pub(crate) const fn waiting(packets: u32) -> Backlog {
    Backlog { packets, bytes: packets as u64 * 1000, limit: Limit::Packets(1000) }
}

pub(crate) const fn millis(millis: u64) -> Instant {
    Instant::from_nanos(millis * 1_000_000)
}

pub(crate) fn rate(bits_per_second: u64) -> Rate {
    Rate::from_bits_per_second(bits_per_second).expect("a rate above zero")
}

pub(crate) fn probability(value: f64) -> Probability {
    Probability::new(value).expect("a number in [0, 1]")
}

pub(crate) fn stream(path: &str) -> Rng {
    Streams::new(1).at(path)
}

/// The REM paper's bottleneck: 64 Mbit/s and 1000-byte packets, 125 us each. Without a round trip, RED's
/// thresholds are the least that it chooses itself: 5 and 15 packets, those of Floyd, 1997.
pub(crate) fn link() -> Link {
    Link { rate: rate(64_000_000), mean_packet: 1000, limit: Limit::Packets(1000), rtt: Duration::ZERO }
}

/// Every AQM of the registry as it comes, and marking if it can.
pub(crate) fn registry() -> impl Iterator<Item = AqmConfig> {
    let tables = [json!({}), json!({ "ecn": true })];
    let aqms =
        AqmConfig::NAMES.iter().flat_map(move |name| tables.clone().map(|table| json!({ *name: table })));
    aqms.filter_map(|aqm| serde_json::from_value(aqm).ok())
}

/// An inner variable by its published name.
pub(crate) fn read(aqm: &impl Aqm, name: &str) -> f64 {
    let mut found = None;
    aqm.probe(&mut |key, value| {
        if key == name {
            found = Some(value);
        }
    });
    found.unwrap_or_else(|| panic!("the AQM records no {name}"))
}

/// Fails unless `value` is within `tolerance` of `expected`.
#[track_caller]
pub(crate) fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} is not {expected} within {tolerance}");
}

/// The signals among `offers` arrivals that find the same queue, per arrival.
pub(crate) fn signalling_rate(aqm: &mut impl Aqm, queue: Backlog, offers: u32) -> f64 {
    let signals = (0..offers)
        .filter(|_| aqm.on_enqueue(packet(Ecn::NotEct), queue, Instant::ZERO) != Verdict::Pass)
        .count();
    signals as f64 / f64::from(offers)
}

/// The mean delay in seconds under so many users who answer at once: the least that can be said
/// of TCP. Each delivered packet adds one to its user's window in a round trip of 100 ms, and
/// each signal halves the window of one user.
pub(crate) fn delay_under_control(config: &AqmConfig, users: f64) -> f64 {
    const ROUND_TRIP: f64 = 0.1;
    let (limit, capacity) = (Limit::Packets(2000), rate(64_000_000));
    let aqm = config.build(Link { limit, ..link() }, stream("aqm"));
    let mut port = Port::new(Fifo::new(aqm, limit), capacity);
    let (mut draws, mut now, mut pace) = (stream("arrivals"), Instant::ZERO, 8000.0);
    let (mut delay, mut sent) = (0.0, 0_u32);
    for id in 0.. {
        now += Duration::from_secs_f64(-(1.0 - draws.uniform()).ln() / pace);
        if now > millis(60_000) {
            break;
        }
        let mut trace = Trace::default();
        port.offer(Numbered { id, info: packet(Ecn::NotEct) }, now, &mut trace);
        for event in &trace.events {
            match event {
                Event::Sent { sojourn, start, .. } => {
                    pace += users / (ROUND_TRIP * ROUND_TRIP * pace);
                    if *start > millis(30_000) {
                        (delay, sent) = (delay + sojourn.as_secs_f64(), sent + 1);
                    }
                }
                Event::Dropped { .. } => pace -= pace / (2.0 * users),
                _ => {}
            }
        }
    }
    delay / f64::from(sent)
}

/// A level in packets.
pub(crate) const fn packets(value: f64) -> Level {
    Level::Packets(value)
}
