//! A bottleneck of constant rate between a sender and its receiver.

use std::{collections::VecDeque, fmt::Write, sync::Arc};

use weir_tcp::{
    AckOptions, Receiver, Segment, Sender, TcpParameters, TcpPreset, congestion::CongestionConfig,
};
use weir_types::{Duration, Instant};

/// Segments leave the bottleneck one by one.
pub(super) const SPACING: Duration = Duration::from_millis(1);
/// All other delay of a round trip, unless a path has its own.
pub(super) const DELAY: Duration = Duration::from_millis(40);

/// Linux's endpoints, every segment acknowledged at once.
pub(super) fn parameters(congestion: CongestionConfig) -> TcpParameters {
    TcpParameters { congestion, delayed_ack: None, ..TcpPreset::Linux.parameters() }
}

/// A sender over a bottleneck that drops what finds more than `buffer` segments waiting.
pub(super) struct Path {
    pub(super) sender: Sender,
    receiver: Receiver,
    acks: VecDeque<(Instant, Segment, AckOptions)>,
    pub(super) delay: Duration,
    free_at: Instant,
    pub(super) now: Instant,
    pub(super) buffer: u64,
    pub(super) dropped: u32,
    /// The next segment is the last that there is to send, and is lost, with the ACK of the one before.
    pub(super) loses_tail: bool,
}

impl Path {
    pub(super) fn new(parameters: TcpParameters) -> Self {
        parameters.check().expect("parameters that go together");
        let receiver = Receiver::new(0, &parameters);
        let mut sender = Sender::new(0, 1500, Arc::new(parameters));
        sender.start();
        Self {
            sender,
            receiver,
            acks: VecDeque::new(),
            delay: DELAY,
            free_at: Instant::ZERO,
            now: Instant::ZERO,
            buffer: u64::MAX,
            dropped: 0,
            loses_tail: false,
        }
    }

    pub(super) fn variable(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.sender.probe(&mut |variable, value| found = if variable == name { value } else { found });
        found
    }

    /// Seconds since the begin.
    pub(super) fn seconds(&self) -> f64 {
        self.now.as_nanos() as f64 * 1e-9
    }

    /// From now on nothing arrives.
    pub(super) fn lose_all(&mut self) {
        self.acks.clear();
        (self.buffer, self.free_at) = (0, Instant::MAX);
    }

    /// Runs to the next ACK or timer, after which the sender is looked at.
    pub(super) fn step(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
            if core::mem::take(&mut self.loses_tail) {
                self.sender.stop();
                self.acks.pop_back();
                self.dropped += 1;
                continue;
            }
            let waiting = self.free_at.since(self.now).as_nanos() / SPACING.as_nanos();
            if waiting > self.buffer {
                self.dropped += 1;
                continue;
            }
            self.free_at = self.free_at.max(self.now) + SPACING;
            if let Some(ack) = self.receiver.on_segment(&segment, self.free_at) {
                let options = self.receiver.options_of(&ack);
                self.acks.push_back((self.free_at + self.delay, ack, options));
            }
        }
        let arrival = self.acks.front().map_or(Instant::MAX, |ack| ack.0);
        self.now = arrival.min(self.sender.timeout());
        if arrival > self.now {
            self.sender.on_timeout(self.now);
        } else if let Some((_, ack, options)) = self.acks.pop_front() {
            self.sender.on_ack_with(&ack, &options, self.now);
        }
    }
}

/// A state of BBR, in either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

impl State {
    /// The state of the sender of `path`, which BBR reports by its number in the kernel.
    pub(super) fn of(path: &Path) -> Self {
        [Self::Startup, Self::Drain, Self::ProbeBw, Self::ProbeRtt][path.variable("mode") as usize]
    }
}

/// A span of one state and gain of pacing: when it began and how long it lasted (s), and the greatest and least
/// window in it (segments).
pub(super) struct Phase {
    pub(super) state: State,
    pub(super) gain: f64,
    pub(super) began: f64,
    pub(super) lasted: f64,
    pub(super) most: f64,
    pub(super) least: f64,
}

/// The phases of BBR until the path has run for `seconds`.
#[expect(clippy::float_cmp, reason = "gains are constants")]
pub(super) fn phases(path: &mut Path, seconds: f64) -> Vec<Phase> {
    let mut found: Vec<Phase> = Vec::new();
    while path.seconds() < seconds {
        path.step();
        let (state, gain, now) = (State::of(path), path.variable("pacing_gain"), path.seconds());
        let cwnd = path.sender.cwnd();
        match found.last_mut().filter(|phase| phase.state == state && phase.gain == gain) {
            Some(phase) => {
                phase.lasted = now - phase.began;
                (phase.most, phase.least) = (phase.most.max(cwnd), phase.least.min(cwnd));
            }
            None => found.push(Phase { state, gain, began: now, lasted: 0.0, most: cwnd, least: cwnd }),
        }
    }
    found
}

/// A line per phase, for a snapshot: a review sees every change of behaviour. What is right is for the tests beside
/// it to say.
pub(super) fn table<'a>(phases: impl IntoIterator<Item = &'a Phase>) -> String {
    let mut lines = String::from("began (s)  state     gain    window\n");
    for Phase { state, gain, began, most, least, .. } in phases {
        writeln!(lines, "{began:9.3}  {:8}  {gain:.4}  {least:.1} to {most:.1}", format!("{state:?}"))
            .unwrap();
    }
    lines
}
