//! ACK filters against a listing of `cake_ack_filter`: the discipline of its own, and that of CAKE.

use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::json;
use weir_aqm::{
    Ack, AckKind, Discipline, Limit, Link, Observer, Packet, PacketInfo, Reason,
    aqm::AqmConfig,
    qdisc::{
        AckFilter, AckFilterParameters, AnyDiscipline, CakeParameters, Filtering, Isolation, QueueConfig,
        Tins,
    },
};
use weir_types::{Duration, Ecn, Instant, Streams};

use super::ack_filter_listing::{ACK, AE, CWR, ECE, FIN, Opt, PSH, SYN, Tcp, filter};
use crate::support::{link, millis, rate};

/// A segment that remembers which one it is.
#[derive(Clone, Debug)]
struct Numbered {
    id: u64,
    bytes: u32,
    ecn: Ecn,
    tcp: Tcp,
}

impl Packet for Numbered {
    fn info(&self) -> PacketInfo {
        PacketInfo { bytes: self.bytes, ecn: self.ecn, flow: self.tcp.tuple }
    }

    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// Fates of packets, by their numbers.
#[derive(Debug, Default)]
struct Log {
    filtered: Vec<u64>,
    dropped: Vec<(u64, Reason)>,
    bytes_gone: u64,
}

impl Observer<Numbered> for Log {
    fn dropped(&mut self, packet: Numbered, reason: Reason, _: bool, _: Instant) {
        self.dropped.push((packet.id, reason));
        self.bytes_gone += u64::from(packet.bytes);
    }

    fn marked(&mut self, _: &Numbered, _: Reason, _: Instant) {}

    fn ack(&self, packet: &Numbered) -> Option<Ack> {
        let tcp = &packet.tcp;
        let knows = |option: &Opt| !matches!(option, Opt::Unknown(_));
        let pure = tcp.flags & !(ECE | CWR) == ACK && tcp.payload == 0 && tcp.options.iter().all(knows);
        let kind = match (tcp.flags & SYN != 0, pure) {
            (true, _) => AckKind::Opening,
            (false, true) => AckKind::Pure,
            (false, false) => AckKind::Laden,
        };
        let mut blocks = [(0, 0); 4];
        for (place, block) in blocks.iter_mut().zip(tcp.sack().unwrap_or_default()) {
            *place = *block;
        }
        let ecn = [ECE, CWR].map(|flag| tcp.flags & flag != 0);
        Some(Ack { number: tcp.ack_seq, ecn, kind, blocks })
    }

    fn filtered(&mut self, packet: Numbered, _: Instant) {
        self.filtered.push(packet.id);
        self.bytes_gone += u64::from(packet.bytes);
    }
}

/// A step of a test: a segment comes, or the next one is taken.
#[derive(Clone, Debug)]
enum Step {
    Comes(Tcp),
    Leaves,
}

/// Numbers close to where they go round.
fn number(place: u32) -> u32 {
    (u32::MAX - 4).wrapping_add(place)
}

fn tcp() -> impl Strategy<Value = Tcp> {
    let block = (0_u32..14, 1_u32..4).prop_map(|(first, length)| (number(first), number(first + length)));
    let flags = prop::sample::select(vec![
        ACK,
        ACK,
        ACK,
        ACK,
        ACK,
        ACK,
        ACK | ECE,
        ACK | ECE,
        ACK | CWR,
        ACK | ECE | CWR,
        ACK | AE,
        ACK | PSH,
        ACK | FIN,
        ACK | SYN,
    ]);
    let option = prop_oneof![
        10 => prop::collection::vec(block, 1..4).prop_map(|blocks| vec![Opt::Nop, Opt::Sack(blocks)]),
        12 => Just(vec![Opt::Timestamp]),
        1 => Just(vec![Opt::Timestamp, Opt::Unknown(172)]),
    ];
    (0_u32..10, 0_u32..2, flags, option, 0_u32..8).prop_map(|(ack, tuple, flags, options, payload)| Tcp {
        tuple,
        flags,
        ack_seq: number(ack),
        options,
        payload: if payload == 0 { 100 } else { 0 },
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(prop_oneof![5 => tcp().prop_map(Step::Comes), 1 => Just(Step::Leaves)], 0..60)
}

fn mode() -> impl Strategy<Value = Filtering> {
    prop::sample::select(vec![Filtering::Off, Filtering::Conservative, Filtering::Aggressive])
}

fn build(config: &QueueConfig, limit: Limit) -> AnyDiscipline<Numbered> {
    config.build(Link { limit, ..link() }, Streams::new(1), "aqm")
}

/// Goes through `steps`, with lists of the listing for each `line` of packets, and compares what is taken away. In
/// the FIFO a line keeps the turns that it has had.
fn agrees(config: &QueueConfig, mode: Filtering, steps: &[Step], line: fn(&Tcp) -> u32) -> usize {
    let (is_fifo, mut turns) = (matches!(config, QueueConfig::AckFilter(_)), VecDeque::new());
    let mut queue = build(config, Limit::Packets(1000));
    let (mut log, mut lists) = (Log::default(), [Vec::<(u64, Tcp)>::new(), Vec::new()]);
    let mut expected = Vec::new();
    for (id, step) in (0..).zip(steps) {
        match step {
            Step::Comes(tcp) => {
                let list = &mut lists[line(tcp) as usize];
                list.push((id, tcp.clone()));
                let plain: Vec<Tcp> = list.iter().map(|(_, tcp)| tcp.clone()).collect();
                let found = filter(&plain, mode == Filtering::Aggressive);
                if let Some(place) = found.filter(|_| mode != Filtering::Off) {
                    expected.push(list.remove(place).0);
                } else {
                    turns.push_back(line(tcp));
                }
                let packet = Numbered { id, bytes: 40, ecn: Ecn::NotEct, tcp: tcp.clone() };
                queue.enqueue(packet, Instant::ZERO, &mut log);
            }
            Step::Leaves => {
                if let Some((packet, _)) = queue.dequeue(Instant::ZERO, &mut log) {
                    let list = &mut lists[line(&packet.tcp) as usize];
                    assert_eq!(list.remove(0).0, packet.id, "a line keeps its order");
                    let turn = turns.pop_front().expect("it has a turn");
                    assert!(!is_fifo || turn == line(&packet.tcp), "a line keeps its turns");
                }
            }
        }
        assert_eq!(log.filtered, expected);
        let waiting = lists.iter().map(Vec::len).sum::<usize>();
        assert_eq!((queue.packets() as usize, queue.backlog().bytes), (waiting, 40 * waiting as u64));
    }
    assert!(log.dropped.is_empty());
    expected.len()
}

fn own(mode: Filtering) -> QueueConfig {
    QueueConfig::AckFilter(AckFilterParameters { mode, ..AckFilterParameters::default() })
}

fn cake(mode: Filtering, isolation: Isolation) -> QueueConfig {
    QueueConfig::Cake(CakeParameters {
        ack_filter: mode,
        tins: Tins::BestEffort,
        isolation,
        ..CakeParameters::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The FIFO looks at the ACKs of one flow alone: others between them make no difference.
    #[test]
    fn the_filter_is_that_of_linux(mode in mode(), steps in steps()) {
        agrees(&own(mode), mode, &steps, |tcp| tcp.tuple);
        agrees(&cake(mode, Isolation::Flows), mode, &steps, |tcp| tcp.tuple);
    }

    /// In one queue of CAKE flows stand between each other's ACKs.
    #[test]
    fn so_it_is_in_a_queue_of_two_flows(mode in mode(), steps in steps()) {
        // The list is one: the FIFO of a queue.
        agrees(&cake(mode, Isolation::FlowBlind), mode, &steps, |_| 0);
    }

    /// Whatever the AQM, the buffer and the sizes of packets: offered = taken + dropped + filtered + waiting, in
    /// packets and bytes.
    #[test]
    fn packets_are_conserved(
        mode in mode(),
        which in 0_usize..5,
        limit in 1_u32..12,
        sizes in prop::collection::vec(40_u32..200, 60),
        steps in steps(),
    ) {
        let aqms = [json!({ "drop-tail": {} }), json!({ "codel": { "target": "1 us", "interval": "2 us" } }),
            json!({ "red": { "min_th": "1 packet", "max_th": "3 packets", "w_q": 1.0 } })];
        let config = match aqms.get(which) {
            Some(aqm) => serde_json::from_value(json!({ "ack-filter": { "aqm": aqm } })).unwrap(),
            None => cake(mode, [Isolation::Flows, Isolation::FlowBlind][which - aqms.len()]),
        };
        let limit = if limit % 2 == 0 { Limit::Packets(limit) } else { Limit::Bytes(u64::from(limit) * 100) };
        let (mut queue, mut log) = (build(&config, limit), Log::default());
        let (mut offered, mut came, mut taken, mut out) = (0, 0, 0, 0);
        for (id, (step, bytes)) in (0..).zip(steps.iter().zip(&sizes)) {
            let now = millis(id / 4);
            match step {
                Step::Comes(tcp) => {
                    (offered, came) = (offered + 1, came + u64::from(*bytes));
                    queue.enqueue(Numbered { id, bytes: *bytes, ecn: Ecn::NotEct, tcp: tcp.clone() }, now, &mut log);
                }
                Step::Leaves => if let Some((packet, _)) = queue.dequeue(now, &mut log) {
                    (taken, out) = (taken + 1, out + u64::from(packet.bytes));
                },
            }
            let gone = log.dropped.len() + log.filtered.len() + queue.packets() as usize;
            prop_assert_eq!((offered, came), (taken + gone, out + log.bytes_gone + queue.backlog().bytes));
        }
    }
}

/// Random steps take ACKs away in both modes, and more in the aggressive one.
#[test]
fn both_modes_have_work_to_do() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let all: Vec<_> = (0..300).map(|_| steps().new_tree(&mut runner).unwrap().current()).collect();
    let count =
        |mode| all.iter().map(|steps| agrees(&own(mode), mode, steps, |tcp| tcp.tuple)).sum::<usize>();
    let [off, conservative, aggressive] =
        [Filtering::Off, Filtering::Conservative, Filtering::Aggressive].map(count);
    assert!(
        off == 0 && conservative > 300 && aggressive > conservative + 200,
        "{conservative}, {aggressive}"
    );
}

fn pure(number: u32) -> Tcp {
    Tcp { tuple: 0, flags: ACK, ack_seq: number, options: vec![], payload: 0 }
}

fn with_sack(number: u32, blocks: &[(u32, u32)]) -> Tcp {
    Tcp { options: vec![Opt::Sack(blocks.to_vec())], ..pure(number) }
}

/// Numbers of the ACKs that are left of these.
fn left(mode: Filtering, segments: &[Tcp]) -> Vec<u32> {
    let (mut queue, mut log) = (build(&own(mode), Limit::Packets(100)), Log::default());
    for (id, tcp) in (0..).zip(segments) {
        let packet = Numbered { id, bytes: 40, ecn: Ecn::NotEct, tcp: tcp.clone() };
        queue.enqueue(packet, Instant::ZERO, &mut log);
    }
    std::iter::from_fn(|| queue.dequeue(Instant::ZERO, &mut log))
        .map(|(packet, _)| packet.tcp.ack_seq)
        .collect()
}

/// Cases by hand, from the text of the kernel's change (8b7138814f29): two ACKs stay, or one; duplicates, data, other
/// options and changes of ECE stay; SACK blocks have to be repeated.
#[test]
fn by_hand() {
    use Filtering::{Aggressive, Conservative, Off};
    let row: Vec<_> = (1..=6).map(pure).collect();
    assert_eq!(left(Off, &row), [1, 2, 3, 4, 5, 6]);
    assert_eq!(left(Conservative, &row), [5, 6]);
    assert_eq!(left(Aggressive, &row), [6]);
    let duplicates = [pure(3), pure(3), pure(3), pure(3)];
    assert_eq!(left(Aggressive, &duplicates), [3, 3, 3, 3]);
    // Each tells of one block more, and repeats the others.
    let sacks = [with_sack(3, &[(5, 6)]), with_sack(3, &[(5, 7)]), with_sack(3, &[(9, 10), (5, 7)])];
    assert_eq!(left(Aggressive, &sacks), [3]);
    assert_eq!(left(Aggressive, &[with_sack(3, &[(5, 6)]), with_sack(3, &[(7, 8)])]), [3, 3]);
    // Linux keeps blocks that a number has acknowledged.
    assert_eq!(left(Aggressive, &[with_sack(3, &[(5, 6)]), pure(9)]), [3, 9]);
    assert_eq!(left(Aggressive, &[with_sack(3, &[(2, 3)]), with_sack(4, &[(2, 3)])]), [3, 4], "a D-SACK");
    let echo = |tcp: Tcp| Tcp { flags: ACK | ECE, ..tcp };
    assert_eq!(left(Aggressive, &[pure(1), pure(2), echo(pure(3)), echo(pure(4))]), [2, 4]);
    let data = Tcp { payload: 1000, ..pure(4) };
    assert_eq!(left(Conservative, &[pure(1), pure(2), data.clone()]), [2, 4], "data makes an ACK redundant");
    assert_eq!(left(Aggressive, &[data, pure(5)]), [4, 5], "and stays");
    let counters = |tcp: Tcp| Tcp { options: vec![Opt::Unknown(172)], ..tcp };
    assert_eq!(left(Aggressive, &[counters(pure(1)), counters(pure(2))]), [1, 2]);
    assert_eq!(left(Aggressive, &[pure(u32::MAX), pure(2)]), [2], "numbers go round");
    assert_eq!(left(Aggressive, &[pure(1), Tcp { flags: ACK | SYN, ..pure(2) }]), [1, 2]);
}

/// A full buffer has room for an ACK that takes the place of another, and for nothing else.
#[test]
fn an_ack_takes_the_room_of_the_one_it_makes_redundant() {
    let mut log = Log::default();
    let mut queue = build(&own(Filtering::Aggressive), Limit::Packets(2));
    let ack = |id, tcp| Numbered { id, bytes: 40, ecn: Ecn::NotEct, tcp };
    queue.enqueue(ack(0, Tcp { tuple: 1, payload: 1000, ..pure(1) }), Instant::ZERO, &mut log);
    queue.enqueue(ack(1, pure(1)), Instant::ZERO, &mut log);
    queue.enqueue(ack(2, pure(2)), Instant::ZERO, &mut log);
    assert_eq!((&log.filtered[..], &log.dropped[..]), (&[1][..], &[][..]));
    queue.enqueue(ack(3, Tcp { tuple: 1, payload: 1000, ..pure(1) }), Instant::ZERO, &mut log);
    assert_eq!(log.dropped, [(3, Reason::Overflow)]);
    // One that has no room even so takes nothing away.
    let mut queue = build(&own(Filtering::Aggressive), Limit::Bytes(100));
    let (small, large) = (ack(4, pure(1)), Numbered { bytes: 101, ..ack(5, pure(2)) });
    queue.enqueue(small, Instant::ZERO, &mut log);
    queue.enqueue(large, Instant::ZERO, &mut log);
    assert_eq!((&log.filtered[..], log.dropped[1..].to_vec()), (&[1][..], vec![(5, Reason::Overflow)]));
    assert_eq!(queue.packets(), 1);
}

/// An ACK that the AQM drops leaves the others as they are.
#[test]
fn an_ack_that_the_aqm_drops_makes_none_redundant() {
    // Whatever finds a packet waiting is dropped.
    let red =
        json!({ "red": { "min_th": "0.1 packets", "max_th": "0.2 packets", "w_q": 1.0, "gentle": false } });
    let config: QueueConfig =
        serde_json::from_value(json!({ "ack-filter": { "mode": "aggressive", "aqm": red } })).unwrap();
    let (mut queue, mut log) = (build(&config, Limit::Packets(10)), Log::default());
    for id in 0..2 {
        let packet = Numbered { id, bytes: 40, ecn: Ecn::NotEct, tcp: pure(id as u32) };
        queue.enqueue(packet, Instant::ZERO, &mut log);
    }
    assert_eq!((&log.filtered[..], &log.dropped[..]), (&[][..], &[(1, Reason::Forced)][..]));
}

/// In the ingress mode of CAKE an ACK that is taken away has passed the line: the shaper waits for its time.
#[test]
fn in_the_ingress_mode_a_filtered_ack_is_paid_for() {
    let ready = |ingress: bool| {
        let config = QueueConfig::Cake(CakeParameters {
            ack_filter: Filtering::Aggressive,
            bandwidth: Some(rate(1_000_000)),
            ingress,
            ..CakeParameters::default()
        });
        let (mut queue, mut log) = (build(&config, Limit::Packets(100)), Log::default());
        for id in 0..4 {
            let packet = Numbered { id, bytes: 50, ecn: Ecn::NotEct, tcp: pure(id as u32) };
            queue.enqueue(packet, Instant::ZERO, &mut log);
        }
        assert_eq!(log.filtered, [0, 1, 2]);
        queue.dequeue(Instant::ZERO, &mut log);
        queue.ready_at()
    };
    // 50 bytes at 1 Mbit/s are 400 us: for the ACK that left. Three drops may delay to one and a half times that at
    // most.
    assert_eq!(ready(false), Instant::ZERO + Duration::from_micros(400));
    assert_eq!(ready(true), Instant::ZERO + Duration::from_micros(600));
}

/// A filter that takes over from another keeps what waits.
#[test]
fn a_change_of_the_mode_keeps_what_waits() {
    let built = |mode| -> AckFilter<Numbered> {
        AckFilterParameters { mode, ..AckFilterParameters::default() }.build(link(), Streams::new(1), "aqm")
    };
    let (mut former, mut log) = (built(Filtering::Off), Log::default());
    let ack = |id| Numbered { id, bytes: 40, ecn: Ecn::NotEct, tcp: pure(id as u32) };
    (0..3).for_each(|id| former.enqueue(ack(id), Instant::ZERO, &mut log));
    let mut next = built(Filtering::Aggressive);
    next.take_over(&mut former, millis(1));
    next.enqueue(ack(3), millis(1), &mut log);
    assert_eq!((next.packets(), &log.filtered[..]), (3, &[0][..]));
}

/// Its AQM has the parameters and errors that it has alone.
#[test]
fn the_aqm_within_is_checked() {
    let read = |table| serde_json::from_value::<QueueConfig>(json!({ "ack-filter": table }));
    let band = json!({ "red": { "min_th": "5 packets", "max_th": "3 packets" } });
    let wrong = read(json!({ "aqm": band })).unwrap().check().unwrap_err();
    assert_eq!(wrong.parameter, "aqm.red.max_th");
    assert!(read(json!({ "mode": "on" })).is_err());
    let plain = read(json!({})).unwrap();
    let QueueConfig::AckFilter(parameters) = plain else { panic!("it is one") };
    assert_eq!((parameters.mode, parameters.aqm.name()), (Filtering::Conservative, "drop-tail"));
    assert!(AqmConfig::from_name("ack-filter").is_none());
}
