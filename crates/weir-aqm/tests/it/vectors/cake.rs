//! CAKE against a listing of `sch_cake.c`, packet by packet, and its tables of codepoints.

use weir_aqm::{
    Discipline, Label, Limit, Link, Observer, Output, Packet, PacketInfo, Reason,
    qdisc::{Cake, CakeParameters, Carrier, Isolation, Tins},
};
use weir_types::{Bytes, Dscp, Duration, Ecn, Instant, Rate, Streams};

use super::cake_listing::{FLOWS, Line, Listing, RECEIVER, SENDER, Setup};
use crate::support::{link, packet, rate, stream};

/// A packet that remembers which one it is, with a label.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    pub(super) id: u64,
    pub(super) info: PacketInfo,
    pub(super) label: Label,
}

impl Packet for Labelled {
    fn info(&self) -> PacketInfo {
        self.info
    }

    fn label(&self) -> Label {
        self.label
    }

    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
    }
}

/// The place of a hash among 1024 queues follows from this.
pub(super) fn hash(value: u64, salt: u64) -> u32 {
    let mut mixed = value ^ salt;
    for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9_u64), (27, 0x94d0_49bb_1331_11eb)] {
        mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
    }
    ((mixed ^ (mixed >> 31)) >> 32) as u32
}

impl Labelled {
    /// Hashes of its flow, its sender and its receiver. Hosts without a number have this flow alone.
    pub(super) fn hashes(&self, salt: u64) -> [u32; 3] {
        let (flow, Label { from, to, .. }) = (self.info.flow, self.label);
        let sender = if from == 0 { (0, flow) } else { (1, from) };
        let receiver = if to == 0 { (2, flow) } else { (3, to) };
        [(0, flow), sender, receiver].map(|(kind, number)| hash(kind << 32 | u64::from(number), salt))
    }
}

/// Something that happened to a packet.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Dropped { id: u64, reason: Reason },
    Marked { id: u64 },
    Taken { id: u64, tin: usize, waited: i64 },
}

/// A packet on the wire.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) packet: Labelled,
    pub(super) start: Instant,
}

/// Writes down what happens.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) what: Vec<What>,
    pub(super) sent: Vec<Sent>,
    pub(super) lost: Vec<Labelled>,
    pub(super) class: usize,
}

impl Observer<Labelled> for Log {
    fn class(&mut self, class: usize) {
        self.class = class;
    }

    fn dropped(&mut self, packet: Labelled, reason: Reason, waited: bool, _: Instant) {
        assert!(waited, "CAKE refuses nothing at the door");
        self.what.push(What::Dropped { id: packet.id, reason });
        self.lost.push(packet);
    }

    fn marked(&mut self, packet: &Labelled, _: Reason, _: Instant) {
        self.what.push(What::Marked { id: packet.id });
    }
}

impl Output<Labelled> for Log {
    fn sent(&mut self, packet: Labelled, _: Duration, start: Instant, _: Instant) {
        self.sent.push(Sent { packet, start });
    }

    fn backlog(&mut self, _: u32, _: Instant) {}
}

/// CAKE before a link, with its salt.
pub(super) fn build(
    parameters: &CakeParameters,
    bits: u64,
    limit: Limit,
    seed: u64,
) -> (Cake<Labelled>, u64) {
    let link = Link { rate: rate(bits), limit, ..link() };
    let salt = Streams::new(seed).at("cake.salt").uniform() * (1_u64 << 53) as f64;
    (parameters.build(link, Streams::new(seed), "cake"), salt as u64)
}

/// The tables of `sch_cake.c`: the tin of each of the 64 codepoints, eight a row.
const DIFFSERV3: [&str; 8] =
    ["01002000", "10000000", "00000000", "00000000", "00000000", "00002020", "20000000", "20000000"];
const DIFFSERV4: [&str; 8] =
    ["01002000", "10000000", "20202020", "20202020", "30202020", "30003030", "30000000", "30000000"];
const DIFFSERV8: [&str; 8] =
    ["20124222", "12121212", "52424242", "32323232", "62323232", "62226262", "72222222", "72222222"];
const PRECEDENCE: [&str; 8] =
    ["00000000", "11111111", "22222222", "33333333", "44444444", "55555555", "66666666", "77777777"];

fn table(tins: Tins) -> [usize; 64] {
    let rows = match tins {
        Tins::Diffserv3 => DIFFSERV3,
        Tins::Diffserv4 => DIFFSERV4,
        Tins::Diffserv8 => DIFFSERV8,
        Tins::Precedence => PRECEDENCE,
        Tins::BestEffort => ["00000000"; 8],
    };
    let digits: Vec<_> = rows.concat().bytes().map(|digit| usize::from(digit - b'0')).collect();
    digits.try_into().expect("64 codepoints")
}

const TINS: [Tins; 5] =
    [Tins::BestEffort, Tins::Diffserv3, Tins::Diffserv4, Tins::Diffserv8, Tins::Precedence];

/// Every codepoint comes to the tin that `sch_cake.c` has for it, on arrival and on departure.
#[test]
fn every_codepoint_has_its_tin() {
    for tins in TINS {
        let table = table(tins);
        let parameters = CakeParameters { tins, ..CakeParameters::default() };
        let (mut cake, _) = build(&parameters, 8_000_000, Limit::Packets(10), 1);
        for (number, tin) in (0..).zip(table) {
            let mut log = Log::default();
            let label = Label { dscp: Dscp::new(number).expect("below 64"), ..Label::default() };
            cake.enqueue(Labelled { id: 0, info: packet(Ecn::NotEct), label }, Instant::ZERO, &mut log);
            assert_eq!(log.class, tin, "{number} under {tins:?}");
            log.class = 0;
            cake.dequeue(Instant::ZERO, &mut log).expect("one waits");
            assert_eq!(log.class, tin, "{number} under {tins:?}");
        }
    }
}

/// Options of `tc` for these parameters.
fn setup(parameters: &CakeParameters, bits: u64, packets: u64) -> Setup {
    let line = match parameters.carrier {
        Carrier::Plain => Line::Plain,
        Carrier::Atm => Line::Atm,
        Carrier::Ptm => Line::Ptm,
    };
    let framed = line != Line::Plain || parameters.overhead.0 + parameters.mpu.0 > 0;
    let sevenths = || {
        (0..8).scan(256, |quantum, number| {
            let this = *quantum;
            *quantum = (*quantum * 7) >> 3;
            Some((7_u64.pow(number), 8_u64.pow(number), this))
        })
    };
    Setup {
        rate: (!parameters.unlimited).then(|| parameters.bandwidth.map_or(bits, Rate::bits_per_second)),
        shaped: parameters.bandwidth.is_some() || framed || parameters.ingress,
        table: table(parameters.tins),
        tins: match parameters.tins {
            Tins::BestEffort => vec![(1, 1, 65_535)],
            Tins::Diffserv3 => vec![(1, 1, 1024), (1, 16, 64), (1, 4, 256)],
            Tins::Diffserv4 => vec![(1, 1, 1024), (1, 16, 64), (1, 2, 512), (1, 4, 256)],
            Tins::Diffserv8 | Tins::Precedence => sevenths().collect(),
        },
        mode: match parameters.isolation {
            Isolation::FlowBlind => 0,
            Isolation::Sender => SENDER,
            Isolation::Receiver => RECEIVER,
            Isolation::Pair => SENDER | RECEIVER,
            Isolation::Flows => FLOWS,
            Isolation::DualSender => FLOWS | SENDER,
            Isolation::DualReceiver => FLOWS | RECEIVER,
            Isolation::Triple => FLOWS | SENDER | RECEIVER,
        },
        rtt: parameters.rtt.as_nanos().cast_signed(),
        overhead: parameters.overhead.0 as u32,
        mpu: parameters.mpu.0 as u32,
        line,
        ingress: parameters.ingress,
        packets: packets as usize,
        memory: parameters.memory_limit.map_or(15_503_360, |memory| memory.0),
    }
}

/// Everything there was to see in a comparison.
#[derive(Debug, Default)]
struct Seen {
    taken: usize,
    marked: usize,
    early: usize,
    overflows: usize,
    collisions: u32,
}

/// Arrivals of `flows` flows by the phase: a trickle, as much as the link takes, or more than that.
fn compare(parameters: &CakeParameters, flows: u32, room: u32, seed: u64) -> Seen {
    const BITS: u64 = 8_000_000;
    let (mut cake, salt) = build(parameters, BITS, Limit::Packets(room), seed);
    let rng = Streams::new(seed).at("cake");
    let mut listing = Listing::new(setup(parameters, BITS, u64::from(room)), salt, rng);
    let mut draws = stream(&format!("operations {seed}"));
    let (mut log, mut expected, mut now, mut id) = (Log::default(), Vec::new(), 0_u64, 0);
    let mut number = |most: u32| (draws.uniform() * f64::from(most)) as u32;
    let points = [0, 0, 0, 0, 8, 46, 34, 16, 48, 1, 10, 40];
    for step in 0..12_000 {
        let at = |now: u64| Instant::from_nanos(now);
        let (phase, before) = (step / 1000 % 4, log.what.len());
        for _ in 0..[number(2), number(3), number(4), u32::from(number(8) == 0)][phase] {
            // Some flows send most of the packets.
            let flow = number(flows).min(number(flows));
            let label = Label {
                dscp: Dscp::new(points[flow as usize % points.len()]).expect("below 64"),
                from: (flow * 7 + flow / 5) % 6,
                to: flow % 4,
            };
            let bytes = [40, 300, 1000, 1514, 700][number(5) as usize];
            let ecn = if flow % 3 == 0 { Ecn::Ect0 } else { Ecn::NotEct };
            let one = Labelled { id, info: PacketInfo { bytes, ecn, flow }, label };
            cake.enqueue(one.clone(), at(now), &mut log);
            listing.enqueue(one, now.cast_signed(), &mut expected);
            id += 1;
        }
        let ready = cake.ready_at().as_nanos();
        assert_eq!(ready, listing.ready_at().cast_unsigned());
        if ready <= now {
            let taken = cake.dequeue(at(now), &mut log);
            listing.dequeue(now.cast_signed(), &mut expected);
            if let Some((packet, sojourn)) = taken {
                log.what.push(What::Taken {
                    id: packet.id,
                    tin: log.class,
                    waited: sojourn.as_nanos().cast_signed(),
                });
            }
        }
        assert_eq!(log.what[before..], expected[before..], "step {step} of {parameters:?}, seed {seed}");
        assert_eq!(cake.backlog().packets as usize, listing.waiting);
        if step % 16 == 0 {
            let mut probed = Vec::new();
            cake.probe(&mut |name, value| probed.push((name, value)));
            let names = ["sparse_flows", "bulk_flows", "decaying_flows", "count"];
            for (name, expected) in names.into_iter().zip(listing.numbers()) {
                assert!(probed.contains(&(name, expected)), "{name} is not {expected} but {probed:?}");
            }
        }
        now += u64::from(number(if phase == 3 { 20_000_000 } else { 1_600_000 }));
    }
    let count = |of: fn(&What) -> bool| log.what.iter().filter(|what| of(what)).count();
    Seen {
        taken: count(|what| matches!(what, What::Taken { .. })),
        marked: count(|what| matches!(what, What::Marked { .. })),
        early: count(|what| matches!(what, What::Dropped { reason: Reason::Early, .. })),
        overflows: count(|what| matches!(what, What::Dropped { reason: Reason::Overflow, .. })),
        collisions: listing.collisions,
    }
}

/// Any tins, any isolation, before the link, behind it, and without a shaper.
#[test]
fn packets_leave_as_by_the_listing() {
    let isolations = [
        Isolation::FlowBlind,
        Isolation::Sender,
        Isolation::Receiver,
        Isolation::Pair,
        Isolation::Flows,
        Isolation::DualSender,
        Isolation::DualReceiver,
        Isolation::Triple,
    ];
    let plain = CakeParameters::default();
    let bandwidth = Some(rate(6_000_000));
    let lines = [
        plain.clone(),
        CakeParameters { unlimited: true, ..plain.clone() },
        CakeParameters { bandwidth, memory_limit: Some(Bytes(50_000)), ..plain.clone() },
        CakeParameters { bandwidth, ingress: true, ..plain.clone() },
        CakeParameters {
            bandwidth,
            overhead: Bytes(44),
            mpu: Bytes(96),
            carrier: Carrier::Atm,
            ..plain.clone()
        },
        CakeParameters { ingress: true, overhead: Bytes(22), carrier: Carrier::Ptm, ..plain.clone() },
        CakeParameters { rtt: Duration::from_millis(20), ingress: true, ..plain },
    ];
    let (mut run, mut overflows) = (0, 0);
    for line in &lines {
        for (number, isolation) in isolations.into_iter().enumerate() {
            let tins = TINS[(number + run as usize / 8) % 5];
            let seen =
                compare(&CakeParameters { tins, isolation, ..line.clone() }, 30, [400, 60][number % 2], run);
            assert!(seen.taken > 3000 && seen.marked > 10 && seen.early > 10, "{seen:?} with {tins:?}");
            overflows += seen.overflows;
            run += 1;
        }
    }
    assert!(overflows > 10_000, "{overflows} packets found no room");
}

/// So many flows that sets of eight queues are full: packets of two flows share one.
#[test]
fn full_sets_are_shared_as_by_the_listing() {
    for (seed, isolation) in (100..).zip([Isolation::Triple, Isolation::DualSender, Isolation::Flows]) {
        let memory_limit = Some(Bytes(10_000_000));
        let parameters =
            CakeParameters { tins: Tins::BestEffort, isolation, memory_limit, ..CakeParameters::default() };
        let seen = compare(&parameters, 60_000, 2000, seed);
        assert!(seen.collisions > 0, "{seen:?}");
    }
}
