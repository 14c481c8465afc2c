//! Whole connections over paths that lose, delay and reorder by chance: everything arrives in the end,
//! in the order of things.

use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

use proptest::prelude::*;
use weir_tcp::{
    Receiver, Segment, Sender, TcpParameters,
    recovery::{LossDetection, RecoveryConfig, RenoRecoveryParameters, SackParameters},
};
use weir_types::{Duration, Instant, Rng, Streams};

const WAY: Duration = Duration::from_millis(50);

/// Where a packet is bound: data to the receiver, ACKs back.
struct Path {
    sender: Sender,
    receiver: Receiver,
    /// Arrival, order of departure, place in `packets`, whether it is data.
    under_way: BinaryHeap<Reverse<(Instant, usize, bool)>>,
    packets: Vec<Segment>,
    /// Segments that have left the sender.
    sent: u32,
    rng: Rng,
    /// Chances that data is lost, that an ACK is lost, that either is late by up to 20 ms.
    chances: [f64; 3],
    now: Instant,
    free: Instant,
}

impl Path {
    fn new(parameters: TcpParameters, seed: u64, chances: [f64; 3]) -> Self {
        let parameters = Arc::new(parameters);
        Self {
            sender: Sender::new(0, 1000, Arc::clone(&parameters)),
            receiver: Receiver::new(0, &parameters),
            under_way: BinaryHeap::new(),
            packets: Vec::new(),
            sent: 0,
            rng: Streams::new(seed).at("path"),
            chances,
            now: Instant::ZERO,
            free: Instant::ZERO,
        }
    }

    fn carry(&mut self, packet: Segment, data: bool) {
        if self.rng.chance(self.chances[usize::from(!data)]) {
            return;
        }
        let late = if self.rng.chance(self.chances[2]) { 20.0 * self.rng.uniform() } else { 0.0 };
        // Data leaves the bottleneck a millisecond apart.
        let mut arrives = self.now + WAY + Duration::from_millis(1).mul_f64(late);
        if data {
            self.free = self.free.max(self.now) + Duration::from_millis(1);
            arrives += self.free.since(self.now);
        }
        self.packets.push(packet);
        self.under_way.push(Reverse((arrives, self.packets.len() - 1, data)));
    }

    /// Until about `count` segments have arrived and all that was sent is acknowledged, or a hundred hours are over:
    /// at worst one in two repairs fails, and the timer is backed off to a minute.
    fn run(mut self, count: u32) -> Self {
        self.sender.start();
        while self.now < Instant::ZERO + Duration::from_secs(360_000) {
            while let Some(segment) = self.sender.poll_segment(self.now) {
                self.sent += 1;
                self.carry(segment, true);
            }
            if self.receiver.delivered() + 50 > count {
                self.sender.stop();
            }
            let arrival = self.under_way.peek().map_or(Instant::MAX, |Reverse((at, ..))| *at);
            let (timer, delayed) = (self.sender.timeout(), self.receiver.timeout());
            let next = arrival.min(timer).min(delayed);
            if next == Instant::MAX {
                break;
            }
            self.now = next;
            if timer == self.now {
                self.sender.on_timeout(self.now);
            } else if delayed == self.now {
                let ack = self.receiver.on_timeout().expect("it is due");
                self.carry(ack, false);
            } else if let Some(Reverse((_, packet, data))) = self.under_way.pop() {
                let packet = self.packets[packet];
                if data {
                    if let Some(ack) = self.receiver.on_segment(&packet, self.now) {
                        self.carry(ack, false);
                    }
                } else if packet.options() > 0 {
                    let options = self.receiver.options_of(&packet);
                    self.sender.on_ack_with(&packet, &options, self.now);
                } else {
                    self.sender.on_ack(&packet, self.now);
                }
            }
        }
        self
    }
}

fn recoveries() -> impl Strategy<Value = RecoveryConfig> {
    let sack = (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(time, proportional, tail)| {
        RecoveryConfig::Sack(SackParameters {
            detection: if time { LossDetection::Rack } else { LossDetection::Dupack },
            prr: proportional,
            tlp: time && tail,
            ..SackParameters::default()
        })
    });
    let reno = (any::<bool>(), any::<bool>()).prop_map(|(once_per_window, grow_on_exit)| {
        RecoveryConfig::Reno(RenoRecoveryParameters { once_per_window, grow_on_exit })
    });
    prop_oneof![6 => sack, 1 => reno, 1 => Just(RecoveryConfig::default())]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]
    #[test]
    fn everything_arrives(
        recovery in recoveries(),
        seed in any::<u64>(),
        lost in 0.0..0.3_f64,
        ack_lost in 0.0..0.3_f64,
        late in prop_oneof![Just(0.0), 0.0..0.5_f64],
        timestamps in any::<bool>(),
        delayed in any::<bool>(),
    ) {
        let delayed_ack = delayed.then_some(Duration::from_millis(40));
        let parameters =
            TcpParameters { recovery, timestamps, delayed_ack, ..TcpParameters::default() };
        let path = Path::new(parameters, seed, [lost, ack_lost, late]).run(400);
        // What was on its way when the sender stopped has arrived too.
        let end = path.now.since(Instant::ZERO);
        prop_assert!(path.sender.acked() >= 350, "{} acknowledged after {end:?}", path.sender.acked());
        prop_assert_eq!(path.sender.timeout(), Instant::MAX, "something is still out");
        prop_assert_eq!(path.receiver.delivered() + 1, path.sender.acked().max(path.receiver.delivered() + 1));
        prop_assert_eq!(path.sender.sent(), path.sent);
    }
}

fn linux() -> SackParameters {
    SackParameters { detection: LossDetection::Rack, prr: true, tlp: true, ..SackParameters::default() }
}

/// Retransmissions and timeouts of a path that loses one segment in fifty, for 20,000 segments.
fn repairs(recovery: RecoveryConfig, chances: [f64; 3]) -> (f64, u64, Duration) {
    let parameters = TcpParameters { recovery, timestamps: true, ..TcpParameters::default() };
    let path = Path::new(parameters, 7, chances).run(20_000);
    let counters = path.sender.counters();
    (
        f64::from(counters.retransmitted) / f64::from(path.sent),
        counters.timeouts.into(),
        path.now.since(Instant::ZERO),
    )
}

/// Selective acknowledgements send again what was lost, and nothing else; and they seldom need the timer.
#[test]
fn nothing_is_sent_again_in_vain() {
    let (_, without, slowest) = repairs(RecoveryConfig::default(), [0.02, 0.0, 0.0]);
    let run = |sack| {
        let (again, timeouts, time) = repairs(RecoveryConfig::Sack(sack), [0.02, 0.0, 0.0]);
        assert!((again - 0.02).abs() < 0.003, "{again} sent again, 0.02 lost");
        assert!(time < slowest, "{time:?}, NewReno {slowest:?}");
        timeouts
    };
    let counted = run(SackParameters::default());
    // Of 400 repairs one in fifty is lost, which counting cannot tell.
    assert!((3..=16).contains(&counted) && counted <= without, "{counted} timeouts, NewReno {without}");
    let timed = run(linux());
    assert!(timed <= 1, "{timed} timeouts if loss is told by time");
}

/// One in ten is late by up to 20 ms. Time can tell that from a loss; counting cannot.
#[test]
fn time_tolerates_what_counting_does_not() {
    let (counted, ..) = repairs(RecoveryConfig::Sack(SackParameters::default()), [0.0, 0.0, 0.1]);
    let (timed, ..) = repairs(RecoveryConfig::Sack(linux()), [0.0, 0.0, 0.1]);
    assert!(counted > 0.01, "counted: {counted}");
    assert!(timed < counted / 20.0, "timed: {timed}, counted: {counted}");
}
