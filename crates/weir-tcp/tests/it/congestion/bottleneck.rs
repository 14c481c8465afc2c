//! A bottleneck of constant rate between a sender and its receiver.

use std::{collections::VecDeque, sync::Arc};

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

    /// Runs to the next ACK or timer, after which the sender is looked at.
    pub(super) fn step(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
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
