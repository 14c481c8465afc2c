//! BBR version 1 over a bottleneck of constant rate: its states, gains and estimates.

#![expect(clippy::float_cmp, reason = "states and gains are constants")]

use weir_tcp::{
    TcpParameters,
    congestion::{Bbr1Parameters, CongestionConfig},
};
use weir_types::Duration;

use super::bottleneck::{DELAY, Path, Phase, SPACING, State, parameters, phases, table};

fn bbr1() -> TcpParameters {
    parameters(CongestionConfig::Bbr1(Bbr1Parameters::default()))
}

/// A gain with which nothing would ever leave is no gain.
#[test]
fn gains_are_checked() {
    for gain in [0.0, -1.0, 1e-12, f64::INFINITY, f64::NAN] {
        let parameters = Bbr1Parameters { drain_gain: gain, ..Bbr1Parameters::default() };
        assert_eq!(CongestionConfig::Bbr1(parameters).check().unwrap_err().parameter, "drain_gain", "{gain}");
    }
}

/// Nothing that BBR measures with may be zero.
#[test]
fn zeros_are_refused() {
    let known = Bbr1Parameters::default();
    for (parameters, name) in [
        (Bbr1Parameters { bw_window: 0, ..known }, "bw_window"),
        (Bbr1Parameters { min_rtt_window: Duration::ZERO, ..known }, "min_rtt_window"),
        (Bbr1Parameters { min_tso_segments: 0, ..known }, "min_tso_segments"),
    ] {
        let error = CongestionConfig::Bbr1(parameters).check().unwrap_err();
        assert_eq!(error.parameter, name);
    }
}

/// STARTUP, DRAIN, `PROBE_BW`; after ten seconds `PROBE_RTT` and back. In `PROBE_BW` the gains follow the cycle, each
/// for a least round trip.
#[test]
fn its_states_and_gains_follow_the_draft() {
    let mut path = Path::new(bbr1());
    let found = phases(&mut path, 14.0);
    insta::assert_snapshot!(table(found.iter().filter(|phase| phase.began < 2.0 || phase.began > 9.5)));
    let mut states: Vec<State> = found.iter().map(|phase| phase.state).collect();
    states.dedup();
    assert_eq!(states, [State::Startup, State::Drain, State::ProbeBw, State::ProbeRtt, State::ProbeBw]);

    let cycles = found.iter().filter(|phase| phase.state == State::ProbeBw && phase.began < 9.0);
    let cycles: Vec<&Phase> = cycles.skip_while(|phase| phase.gain != 1.25).collect();
    assert!(cycles.len() > 50);
    for cycle in cycles.chunks_exact(3) {
        let [up, down, cruise] = cycle else { unreachable!("chunks of three") };
        assert_eq!([up.gain, down.gain, cruise.gain], [1.25, 0.75, 1.0]);
        let upwards = down.began - up.began;
        assert!((0.041..0.1).contains(&upwards), "{upwards} s");
        let drained = cruise.began - down.began;
        assert!(drained <= 0.05, "{drained} s");
    }
    // Six phases of a round trip each.
    for pair in cycles.windows(2).filter(|pair| pair[0].gain == 1.0) {
        let cruised = pair[1].began - pair[0].began;
        assert!((6.0 * 0.041..6.0 * 0.046).contains(&cruised), "{cruised} s");
    }
}

/// Its estimates are those of the path: a segment per millisecond, and the round trip of one that waits for nothing.
#[test]
fn it_measures_rate_and_round_trip_of_the_path() {
    let mut path = Path::new(bbr1());
    while path.seconds() < 9.0 {
        path.step();
        if State::of(&path) == State::ProbeBw {
            let bw = path.variable("bw");
            assert!((995.0..=1005.0).contains(&bw), "{bw} segments per second at {:?}", path.now);
            assert_eq!(path.variable("min_rtt"), (SPACING + DELAY).as_secs_f64());
        }
    }
    assert_eq!(State::of(&path), State::ProbeBw);
}

/// The first rate is 2.89 windows per round trip, less 1%; in STARTUP it only rises.
#[test]
fn startup_paces_at_the_high_gain() {
    let mut path = Path::new(bbr1());
    path.step();
    let first = path.sender.pacing_rate().expect("it paces").bits_per_second() as f64;
    let expected = 0.99 * 739.0 / 256.0 * 10.0 / 0.041 * 12_000.0;
    assert!((first / expected - 1.0).abs() < 1e-6, "{first}, not {expected}");
    let mut before = first;
    while State::of(&path) == State::Startup {
        path.step();
        let rate = path.sender.pacing_rate().expect("it paces").bits_per_second() as f64;
        assert!(State::of(&path) != State::Startup || rate >= before, "{rate} after {before}");
        before = rate;
    }
    let full = path.now.as_nanos() as f64 * 1e-9 / 0.041;
    // Rounds grow with the queue, to nearly three round trips.
    assert!(full < 20.0, "the pipe is full after {full} round trips");
}

/// In `PROBE_RTT` four segments are in flight at most, for 200 ms at least.
#[test]
fn probe_rtt_empties_the_queue() {
    let mut path = Path::new(bbr1());
    while State::of(&path) != State::ProbeRtt {
        path.step();
    }
    let (began, mut least) = (path.now, f64::INFINITY);
    while State::of(&path) == State::ProbeRtt {
        path.step();
        assert!(path.sender.cwnd() <= 4.0 || State::of(&path) != State::ProbeRtt);
        least = least.min(path.sender.flight());
    }
    let lasted = path.now.since(began).as_secs_f64();
    assert!((0.2..0.4).contains(&lasted), "{lasted} s");
    assert!(least <= 4.0);
    assert!(path.sender.cwnd() > 40.0, "the window is restored");
}

/// A segment that leaves into an empty network, after a timeout, ends a `PROBE_RTT` that has lasted long enough: no ACK
/// has to arrive.
#[test]
fn a_restart_ends_probe_rtt() {
    let mut path = Path::new(bbr1());
    while State::of(&path) != State::ProbeRtt || path.sender.flight() > 4.0 {
        path.step();
    }
    path.step();
    path.lose_all();
    let acked = path.sender.acked();
    while path.sender.counters().timeouts < 2 {
        path.step();
    }
    assert_eq!((State::of(&path), path.sender.acked()), (State::ProbeBw, acked));
}

/// Without SACK and RACK there are no samples: said before work starts.
#[test]
fn it_needs_rack() {
    let error = TcpParameters { recovery: TcpParameters::default().recovery, ..bbr1() }.check().unwrap_err();
    assert_eq!(error.parameter, "recovery");
    assert!(error.hint.contains("preset = \"linux\""), "{}", error.hint);
}
