//! Pacing: release times against an own calculation in whole nanoseconds, from the rule of the kernel.

use std::sync::Arc;

use weir_tcp::{AckOptions, Flags, Header, PacingParameters, Segment, Sender, TcpParameters, TcpPreset};
use weir_types::{Duration, Ecn, Instant, Packets};

/// The round trip of the handshake, in nanoseconds.
const SRTT: u64 = 80_000_000;

fn parameters(pacing: PacingParameters) -> TcpParameters {
    TcpParameters { pacing: Some(pacing), ..TcpPreset::Linux.parameters() }
}

fn ack(number: u32, stamp: Instant) -> Segment {
    Segment { stamp, flow: 0, number, header: Header::new(52, Ecn::NotEct, Flags::ACK) }
}

/// Segments that leave until `end`, each with its time in nanoseconds.
fn send_until(sender: &mut Sender, mut now: Instant, end: Instant) -> Vec<(u32, u64)> {
    let mut sent = Vec::new();
    loop {
        sent.extend(
            std::iter::from_fn(|| sender.poll_segment(now)).map(|segment| (segment.number, now.as_nanos())),
        );
        now = sender.timeout();
        if now >= end {
            return sent;
        }
        sender.on_timeout(now);
    }
}

/// After a handshake of 80 ms.
fn connected(parameters: TcpParameters) -> (Sender, Instant) {
    let mut sender = Sender::new(0, 1500, Arc::new(parameters));
    sender.start();
    let syn = sender.poll_segment(Instant::ZERO).expect("the SYN leaves at once");
    let now = Instant::from_nanos(SRTT);
    sender.on_ack(&ack(1, syn.stamp), now);
    (sender, now)
}

/// Time between two segments: `srtt / (ratio window)`, to the nearest nanosecond; the ratio in tenths.
fn interval(ratio: u64, window: u64) -> u64 {
    let divisor = ratio * window;
    (20 * SRTT + divisor) / (2 * divisor)
}

/// The first ten leave at once. Then a segment leaves every `srtt / (2 cwnd)`.
#[test]
fn slow_start_leaves_at_twice_the_window_per_round_trip() {
    let linux = parameters(PacingParameters::default());
    let (mut sender, now) = connected(TcpParameters { initial_window: Packets(30.0), ..linux });
    let sent = send_until(&mut sender, now, now + Duration::from_millis(79));
    let interval = interval(20, 30);
    assert_eq!(interval, 1_333_333);
    let expected: Vec<_> =
        (0..30).map(|at| (at + 1, SRTT + u64::from(at).saturating_sub(9) * interval)).collect();
    assert_eq!(sent, expected);
}

/// From half of `ssthresh` on: 120%.
#[test]
fn congestion_avoidance_leaves_at_less() {
    for (ssthresh, ratio) in [(61.0, 20), (60.0, 12)] {
        let linux = parameters(PacingParameters { initial_burst: 0, ..PacingParameters::default() });
        let ssthresh = Some(Packets(ssthresh));
        let (mut sender, now) =
            connected(TcpParameters { initial_window: Packets(30.0), initial_ssthresh: ssthresh, ..linux });
        let sent = send_until(&mut sender, now, now + Duration::from_millis(79));
        let interval = interval(ratio, 30);
        // The first has waited for the handshake: half an interval is given back.
        let second = SRTT + interval - interval / 2;
        let expected: Vec<_> = (0..30)
            .map(|at| (at + 1, if at == 0 { SRTT } else { second + u64::from(at - 1) * interval }))
            .collect();
        assert_eq!(sent, expected, "{ssthresh:?}");
    }
}

/// A segment that left late gains up to half an interval, once; after a shorter wait it gains that wait.
#[test]
fn credit_is_half_an_interval_at_most() {
    // Every ACK lets one segment leave: the window is full, and neither grows nor shrinks.
    let held = TcpParameters {
        initial_window: Packets(10.0),
        receive_window: Some(Packets(10.0)),
        ..parameters(PacingParameters::default())
    };
    let (mut sender, mut now) = connected(held);
    let first = send_until(&mut sender, now, now + Duration::from_millis(70));
    assert_eq!(first.len(), 10);
    let (mut next, mut interval_now) = (SRTT + interval(20, 10), 0);
    for (number, wait) in [(2, 80_000_000), (3, 7_000_000), (4, 4_100_000), (5, 1_000_000), (6, 200_000)] {
        now += Duration::from_nanos(wait);
        sender.on_ack(&ack(number, Instant::from_nanos(now.as_nanos() - SRTT)), now);
        // What the sender has measured and opened, read from it.
        let srtt = sender.srtt().unwrap().as_nanos();
        assert_eq!(srtt, SRTT);
        let window = (sender.cwnd() as u64).max(10);
        interval_now = interval(20, window);
        let sent = send_until(&mut sender, now, Instant::from_nanos(now.as_nanos().max(next) + 1));
        let leaves = now.as_nanos().max(next);
        assert_eq!(sent, [(number + 9, leaves)], "the ACK of {number}");
        let credit = leaves - next;
        next = leaves + interval_now - credit.min(interval_now / 2);
        now = Instant::from_nanos(leaves);
    }
    assert!(interval_now > 0);
}

/// Segmentation offload: pairs at 10 Mbit/s, each followed by two intervals.
#[test]
fn bursts_wait_for_all_their_segments() {
    let burst = PacingParameters { tso: true, initial_burst: 0, ..PacingParameters::default() };
    let linux = parameters(burst);
    let (mut sender, now) = connected(TcpParameters { initial_window: Packets(20.0), ..linux });
    let sent = send_until(&mut sender, now, now + Duration::from_millis(79));
    let interval = interval(20, 20);
    // The first pair has waited for long: half of its two intervals.
    let expected: Vec<_> = (0..20)
        .map(|at| {
            let pair = u64::from(at / 2);
            (at + 1, SRTT + if pair == 0 { 0 } else { interval + (pair - 1) * 2 * interval })
        })
        .collect();
    assert_eq!(sent, expected);
}

/// The rate that results sends the same segments over a round trip, whether they leave alone or in bursts.
#[test]
fn the_rate_can_be_read() {
    let (sender, _) = connected(parameters(PacingParameters::default()));
    // 2 * 10 segments of 1500 bytes in 80 ms.
    assert_eq!(sender.pacing_rate().map(weir_types::Rate::bits_per_second), Some(3_000_000));
    let (sender, _) = connected(TcpPreset::Linux.parameters());
    assert_eq!(sender.pacing_rate(), None);
}

/// Retransmissions are paced as everything else.
#[test]
fn retransmissions_are_paced() {
    let (mut sender, now) = connected(parameters(PacingParameters::default()));
    let end = now + Duration::from_millis(79);
    assert_eq!(send_until(&mut sender, now, end).len(), 10);
    let now = now + Duration::from_nanos(SRTT);
    // The last three of ten have arrived: seven are lost.
    let options = AckOptions { blocks: [(8, 11), (0, 0), (0, 0)], ..AckOptions::NONE };
    sender.on_ack_with(&ack(1, Instant::from_nanos(SRTT)), &options, now);
    let sent = send_until(&mut sender, now, now + Duration::from_millis(60));
    assert!(sent.len() > 2 && sent[0] == (1, now.as_nanos()), "{sent:?}");
    for pair in sent.windows(2) {
        assert!(pair[1].1 - pair[0].1 >= 1_000_000, "{sent:?}");
    }
}

/// Bad parameters of pacing are refused before work starts.
#[test]
fn bad_parameters_are_errors() {
    let of = |pacing| parameters(pacing).check().unwrap_err();
    let zero = of(PacingParameters { slow_start_ratio: 0.0, ..PacingParameters::default() });
    assert_eq!(zero.parameter, "pacing.slow_start_ratio");
    let negative = of(PacingParameters { avoidance_ratio: -1.2, ..PacingParameters::default() });
    assert_eq!(negative.parameter, "pacing.avoidance_ratio");
    let hardly = of(PacingParameters { avoidance_ratio: 0.001, ..PacingParameters::default() });
    assert_eq!(hardly.message, "0.001 does not lie between 0.01 and 100");
    let newreno = TcpParameters { pacing: Some(PacingParameters::default()), ..TcpParameters::default() };
    let error = newreno.check().unwrap_err();
    assert_eq!((error.parameter.as_ref(), error.hint.as_str()), ("recovery", "write recovery.sack = {}"));
}
