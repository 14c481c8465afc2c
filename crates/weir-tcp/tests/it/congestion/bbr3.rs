//! BBR version 3 over a bottleneck of constant rate: its phases, gains, windows and bounds, each against the rule of
//! the draft, calculated from the rate and the round trip of the path.

#![expect(clippy::float_cmp, reason = "states and gains are constants")]

use weir_tcp::{
    TcpParameters,
    congestion::{Bbr3Parameters, CongestionConfig},
};
use weir_types::Duration;

use super::bottleneck::{DELAY, Path, Phase, SPACING, State, parameters, phases, table};

/// The product of rate and round trip, in segments: 41 ms at one segment each ms.
const BDP: f64 = 41.0;

fn bbr3() -> TcpParameters {
    parameters(CongestionConfig::Bbr3(Bbr3Parameters::default()))
}

/// Parameters with which it would never send, never wait or never measure are refused, with what to write.
#[test]
fn parameters_are_checked() {
    let known = Bbr3Parameters::default();
    let zero = Duration::ZERO;
    let bad = [
        (Bbr3Parameters { probe_wait: zero, probe_spread: zero, ..known }, "probe_wait", "\"2 s\""),
        (Bbr3Parameters { probe_rounds: 0, ..known }, "probe_rounds", "63"),
        (Bbr3Parameters { full_loss_count: 0, ..known }, "full_loss_count", "6 ACKs"),
        (Bbr3Parameters { min_rtt_window: zero, ..known }, "min_rtt_window", "\"10 s\""),
        (Bbr3Parameters { min_tso_segments: 0, ..known }, "min_tso_segments", "Linux has 2"),
        (Bbr3Parameters { up_gain: 0.99, ..known }, "up_gain", "1.25"),
        (Bbr3Parameters { beta: 1.0, ..known }, "beta", "the draft's 0.7, what is left, is 0.3 here"),
    ];
    for (parameters, name, hint) in bad {
        let error = CongestionConfig::Bbr3(parameters).check().unwrap_err();
        assert_eq!(error.parameter, name);
        assert!(error.hint.contains(hint), "{name}: {}", error.hint);
    }
    let least = Bbr3Parameters { probe_wait: zero, probe_rounds: 1, up_gain: 1.0, ..known };
    assert_eq!(CongestionConfig::Bbr3(least).check(), Ok(()));
}

/// STARTUP, DRAIN, then DOWN, CRUISE and REFILL, UP, and so on; `PROBE_RTT` every five seconds.
#[test]
fn its_phases_follow_the_draft() {
    let mut path = Path::new(bbr3());
    let found = phases(&mut path, 12.0);
    insta::assert_snapshot!(table(&found));
    let begin: Vec<(State, f64)> = found.iter().take(2).map(|phase| (phase.state, phase.gain)).collect();
    let (down, up) = (232.0 / 256.0, 1.25);
    assert_eq!(begin, [(State::Startup, 2.77344), (State::Drain, 88.0 / 256.0)]);
    // DOWN ends at once where DRAIN has emptied the queue; REFILL paces as CRUISE does.
    let cycle: Vec<f64> =
        found.iter().filter(|phase| phase.state == State::ProbeBw).map(|phase| phase.gain).collect();
    for pair in cycle.windows(2) {
        let follows = match pair {
            [before, after] if *before == 1.0 => *after == up || *after == 1.0,
            [before, after] if *before == up => *after == down,
            [_, after] => *after == 1.0,
            _ => unreachable!("pairs"),
        };
        assert!(follows, "{pair:?} in {cycle:?}");
    }
    for phase in found.iter().filter(|phase| phase.state == State::ProbeBw) {
        if phase.gain == up {
            // Three rounds without growth, of 41 ms and what the queue adds.
            assert!((0.1..0.4).contains(&phase.lasted), "UP lasts {} s", phase.lasted);
            // 2.25 BDP and two more; at most three segments of aggregation.
            let most = (2.25 * BDP).ceil() + 2.0;
            assert!((most..=most + 3.0).contains(&phase.most), "{} segments in UP", phase.most);
        }
    }
    let probes: Vec<&Phase> = found.iter().filter(|phase| phase.state == State::ProbeRtt).collect();
    assert_eq!(probes.len(), 2, "in twelve seconds");
    for probe in probes {
        assert!((0.2..0.4).contains(&probe.lasted), "PROBE_RTT lasts {} s", probe.lasted);
        assert_eq!(probe.least, (0.5 * BDP).ceil());
    }
}

/// The least and the most seconds from the end of an UP to the beginning of the next. The path has this delay, and
/// there is no `PROBE_RTT`.
fn between_probes(delay: Duration, seconds: f64) -> (f64, f64) {
    let parameters = Bbr3Parameters { probe_rtt: Duration::ZERO, ..Bbr3Parameters::default() };
    let mut path = Path::new(TcpParameters { congestion: CongestionConfig::Bbr3(parameters), ..bbr3() });
    path.delay = delay;
    let found = phases(&mut path, seconds);
    let ups: Vec<_> = found.iter().filter(|phase| phase.gain == 1.25).collect();
    assert!(ups.len() > 8, "{} probes", ups.len());
    let apart = ups.windows(2).map(|pair| pair[1].began - pair[0].began - pair[0].lasted);
    apart.fold((f64::INFINITY, 0.0), |(least, most), apart| (apart.min(least), apart.max(most)))
}

/// With a product of 41 segments a probe comes after that many rounds, the first of which may have begun: less than
/// two seconds. A round of REFILL is one more, and the queue that UP leaves makes the first ones longer.
#[test]
fn on_short_paths_probes_come_after_a_product_of_rounds() {
    let (least, most) = between_probes(DELAY, 25.0);
    let round = (SPACING + DELAY).as_secs_f64();
    assert!(least > 41.0 * round && most < 46.0 * round, "{least} to {most} s");
    assert!((most - least - round).abs() < 0.001, "{least} or {most} s: the first round counts or not");
}

/// With a round trip of 81 ms 63 rounds would take five seconds: the two to three seconds come first, drawn anew for
/// each probe. A round of REFILL is one more.
#[test]
fn on_long_paths_probes_come_after_two_to_three_seconds() {
    let (least, most) = between_probes(Duration::from_millis(80), 60.0);
    assert!(least > 2.081 && most < 3.09, "{least} to {most} s");
    assert!(most - least > 0.5, "{least} to {most} s");
}

/// A buffer of half a product: losses of probes bound the flight, and it cruises below that.
#[test]
fn losses_of_a_probe_bound_the_flight() {
    let mut path = Path::new(bbr3());
    path.buffer = 20;
    let (mut bound, mut seen) = (f64::INFINITY, 0);
    while path.seconds() < 20.0 {
        path.step();
        let high = path.variable("inflight_hi");
        let cruises = State::of(&path) == State::ProbeBw && path.variable("pacing_gain") == 1.0;
        if high.is_finite() {
            bound = bound.min(high);
            // Of what fits: the product and the buffer, and what is lost beyond 2% of them.
            assert!(high <= BDP + 20.0 + 8.0, "{high} segments at {} s", path.seconds());
            if cruises {
                seen += 1;
                assert!(path.sender.cwnd() <= high, "{} of {high}", path.sender.cwnd());
            }
        }
    }
    assert!(bound.is_finite() && seen > 1000);
    assert!(bound >= (0.7 * BDP).floor(), "{bound}: at most 30% below the product");
    let sent = f64::from(path.sender.sent());
    assert!(f64::from(path.dropped) < 0.02 * sent, "{} of {sent} lost", path.dropped);
    // The link is busy in spite of it.
    assert!(f64::from(path.sender.acked()) > 0.9 * 20_000.0, "{} arrived", path.sender.acked());
}

/// A timeout in UP, with all that was in flight lost: these losses end the probe and bound it. So the timeout finds the
/// sender in DOWN, where the window before bounds the flight, too.
#[test]
fn losses_of_a_timeout_come_before_it() {
    let mut path = Path::new(bbr3());
    while path.variable("pacing_gain") != 1.25 || path.variable("bw") < 999.0 {
        path.step();
    }
    assert!(path.variable("inflight_lo").is_infinite() && path.variable("inflight_hi").is_infinite());
    path.lose_all();
    let before = path.sender.cwnd();
    while path.sender.counters().timeouts == 0 {
        path.step();
    }
    assert!(path.variable("inflight_hi").is_finite());
    assert_eq!(path.variable("inflight_lo"), before);
}

/// The last segment before a pause is lost, and a probe repairs it. No ACK reports the loss, yet it bounds the flight as
/// others do: once the ACK of a later segment shows that it was one.
#[test]
fn a_repaired_tail_counts_as_a_loss() {
    let mut path = Path::new(bbr3());
    let cruises = |path: &Path| State::of(path) == State::ProbeBw && path.variable("pacing_gain") == 1.0;
    while path.seconds() < 1.0 || !cruises(&path) {
        path.step();
    }
    path.loses_tail = true;
    while path.sender.acked() < path.sender.end() {
        path.step();
    }
    assert_eq!((path.dropped, path.sender.counters().retransmitted), (1, 1));
    assert_eq!(path.sender.counters().timeouts, 0);
    assert_eq!(path.variable("inflight_lo"), f64::INFINITY, "it may have been the first copy");
    path.sender.start();
    let begin = path.seconds();
    while path.variable("inflight_lo").is_infinite() {
        path.step();
        assert!(path.seconds() < begin + 0.2, "two round trips with the queue of a new flight");
    }
    assert!(cruises(&path));
    let least = (1.0 - 76.0 / 256.0) * path.sender.cwnd();
    assert!(path.variable("inflight_lo") >= least.floor(), "{}", path.variable("inflight_lo"));
}
