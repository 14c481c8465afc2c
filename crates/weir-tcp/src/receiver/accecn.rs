//! State of a receiver that negotiates accurate ECN feedback: see [`crate::accecn`].

use core::num::NonZeroU32;

use crate::{
    TcpParameters,
    accecn::{EcnCounters, ReceiverEcn},
    congestion::Feedback,
};

/// State that a receiver with accurate ECN feedback has beside the others.
#[derive(Clone, Debug)]
pub(super) struct AccEcn {
    pub(super) able: ReceiverEcn,
    /// Feedback if this end cannot count.
    pub(super) classic: Feedback,
    /// ACKs bear the option.
    pub(super) option: bool,
    /// Bytes of a segment that are no payload.
    pub(super) header: u32,
    pub(super) counters: EcnCounters,
    /// Segments with numbers divisible by this are acknowledged at once.
    push: Option<NonZeroU32>,
    /// Bytes of the largest segment so far, and by how many bytes those that were delivered are smaller. Right only if
    /// the first is a full one: what falls short before that is not counted.
    largest: u32,
    short: u64,
}

impl AccEcn {
    pub(super) fn new(parameters: &TcpParameters) -> Self {
        Self {
            able: parameters.receiver_ecn,
            classic: parameters.congestion.feedback(),
            option: parameters.accecn_option,
            header: parameters.ack_size.bytes(),
            counters: EcnCounters::default(),
            push: parameters.push_every,
            largest: 0,
            short: 0,
        }
    }

    /// Returns true if segment `number` ends what the application wrote at once.
    pub(super) fn is_pushed(&self, number: u32) -> bool {
        self.push.is_some_and(|every| number % every == 0)
    }

    /// A segment of so many bytes on the wire is delivered.
    pub(super) fn measure(&mut self, bytes: u32) {
        self.largest = self.largest.max(bytes);
        self.short += u64::from(self.largest - bytes);
    }

    /// Bytes that full segments would have delivered beyond what these did.
    pub(super) const fn short(&self) -> u64 {
        self.short
    }
}
