//! BBR version 1 over a bottleneck of constant rate: its states, gains and estimates.

#![expect(clippy::float_cmp, reason = "states and gains are constants")]

use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{
    Receiver, Segment, Sender, TcpParameters, TcpPreset,
    congestion::{Bbr1Parameters, CongestionConfig},
};
use weir_types::{Duration, Instant};

/// Segments leave the bottleneck one by one.
const SPACING: Duration = Duration::from_millis(1);
/// All other delay of a round trip.
const DELAY: Duration = Duration::from_millis(40);

fn parameters() -> TcpParameters {
    let congestion = CongestionConfig::Bbr1(Bbr1Parameters::default());
    TcpParameters { congestion, delayed_ack: None, ..TcpPreset::Linux.parameters() }
}

/// A sender over a bottleneck that drops nothing.
struct Path {
    sender: Sender,
    receiver: Receiver,
    acks: VecDeque<(Instant, Segment)>,
    free_at: Instant,
    now: Instant,
}

impl Path {
    fn new(parameters: TcpParameters) -> Self {
        parameters.check().expect("parameters that go together");
        let receiver = Receiver::new(0, &parameters);
        let mut sender = Sender::new(0, 1500, Arc::new(parameters));
        sender.start();
        Self { sender, receiver, acks: VecDeque::new(), free_at: Instant::ZERO, now: Instant::ZERO }
    }

    fn variable(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.sender.probe(&mut |variable, value| found = if variable == name { value } else { found });
        found
    }

    /// What happens next, up to the ACK or the timer, after which the sender is looked at.
    fn step(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
            self.free_at = self.free_at.max(self.now) + SPACING;
            if let Some(ack) = self.receiver.on_segment(&segment, self.free_at) {
                self.acks.push_back((self.free_at + DELAY, ack));
            }
        }
        let arrival = self.acks.front().map_or(Instant::MAX, |ack| ack.0);
        self.now = arrival.min(self.sender.timeout());
        if arrival > self.now {
            self.sender.on_timeout(self.now);
        } else if let Some((_, ack)) = self.acks.pop_front() {
            self.sender.on_ack(&ack, self.now);
        }
    }
}

/// STARTUP, DRAIN, `PROBE_BW`; after ten seconds `PROBE_RTT` and back. In `PROBE_BW` the gains follow the cycle, each
/// for a least round trip.
#[test]
fn its_states_and_gains_follow_the_draft() {
    let mut path = Path::new(parameters());
    let (mut modes, mut gains) = (vec![0.0], Vec::new());
    while path.now < Instant::ZERO + Duration::from_secs(14) {
        path.step();
        let (mode, gain) = (path.variable("mode"), path.variable("pacing_gain"));
        if modes.last() != Some(&mode) {
            modes.push(mode);
        }
        if mode == 2.0 && path.now < Instant::ZERO + Duration::from_secs(9) {
            if gains.last().is_none_or(|(before, _)| *before != gain) {
                gains.push((gain, path.now));
            }
            let bw = path.variable("bw");
            assert!((995.0..=1005.0).contains(&bw), "{bw} segments per second at {:?}", path.now);
            assert_eq!(path.variable("min_rtt"), (SPACING + DELAY).as_secs_f64());
        }
    }
    assert_eq!(modes, [0.0, 1.0, 2.0, 3.0, 2.0]);
    assert!(gains.len() > 50);
    let probes = gains.iter().position(|(gain, _)| *gain == 1.25).expect("it probes");
    for cycle in gains[probes..].chunks_exact(3) {
        assert_eq!([cycle[0].0, cycle[1].0, cycle[2].0], [1.25, 0.75, 1.0]);
        let upwards = cycle[1].1.since(cycle[0].1).as_secs_f64();
        assert!((0.041..0.1).contains(&upwards), "{upwards} s");
        let drained = cycle[2].1.since(cycle[1].1).as_secs_f64();
        assert!(drained <= 0.05, "{drained} s");
    }
    // Six phases of a round trip each.
    for pair in gains[probes..].windows(2).filter(|pair| pair[0].0 == 1.0) {
        let cruised = pair[1].1.since(pair[0].1).as_secs_f64();
        assert!((6.0 * 0.041..6.0 * 0.046).contains(&cruised), "{cruised} s");
    }
}

/// The first rate is 2.89 windows per round trip, less 1%; in STARTUP it only rises.
#[test]
fn startup_paces_at_the_high_gain() {
    let mut path = Path::new(parameters());
    path.step();
    let first = path.sender.pacing_rate().expect("it paces").bits_per_second() as f64;
    let expected = 0.99 * 2.8867 * 10.0 / 0.041 * 12_000.0;
    assert!((first / expected - 1.0).abs() < 1e-6, "{first}, not {expected}");
    let mut before = first;
    while path.variable("mode") == 0.0 {
        path.step();
        let rate = path.sender.pacing_rate().expect("it paces").bits_per_second() as f64;
        assert!(path.variable("mode") > 0.0 || rate >= before, "{rate} after {before}");
        before = rate;
    }
    let full = path.now.as_nanos() as f64 * 1e-9 / 0.041;
    // Rounds grow with the queue, to nearly three round trips.
    assert!(full < 20.0, "the pipe is full after {full} round trips");
}

/// In `PROBE_RTT` four segments are in flight at most, for 200 ms at least.
#[test]
fn probe_rtt_empties_the_queue() {
    let mut path = Path::new(parameters());
    while path.variable("mode") < 3.0 {
        path.step();
    }
    let (began, mut least) = (path.now, f64::INFINITY);
    while path.variable("mode") == 3.0 {
        path.step();
        assert!(path.sender.cwnd() <= 4.0 || path.variable("mode") < 3.0);
        least = least.min(path.sender.flight());
    }
    let lasted = path.now.since(began).as_secs_f64();
    assert!((0.2..0.4).contains(&lasted), "{lasted} s");
    assert!(least <= 4.0);
    assert!(path.sender.cwnd() > 40.0, "the window is restored");
}

/// Without SACK and RACK there are no samples: said before work starts.
#[test]
fn it_needs_rack() {
    let error =
        TcpParameters { recovery: TcpParameters::default().recovery, ..parameters() }.check().unwrap_err();
    assert_eq!(error.parameter, "recovery");
    assert!(error.hint.contains("preset = \"linux\""), "{}", error.hint);
}
