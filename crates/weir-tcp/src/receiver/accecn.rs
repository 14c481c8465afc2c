//! What a receiver has that negotiates accurate ECN feedback: see [`crate::accecn`].

use crate::{
    TcpParameters,
    accecn::{EcnCounters, ReceiverEcn},
    congestion::Feedback,
};

/// What such a receiver has beside the others.
#[derive(Clone, Debug)]
pub(crate) struct AccEcn {
    pub(super) able: ReceiverEcn,
    /// Feedback if this end cannot count.
    pub(super) classic: Feedback,
    /// ACKs bear the option.
    pub(super) option: bool,
    /// Bytes of a segment that are no payload.
    pub(super) header: u32,
    pub(super) counters: EcnCounters,
}

impl AccEcn {
    pub(super) fn new(parameters: &TcpParameters) -> Self {
        Self {
            able: parameters.receiver_ecn,
            classic: parameters.congestion.feedback(),
            option: parameters.accecn_option,
            header: parameters.ack_size.bytes(),
            counters: EcnCounters::default(),
        }
    }
}
