//! The sender of a connection that asks for accurate ECN feedback: see [`crate::accecn`].

use weir_types::Ecn;

use crate::{
    Declared, Flags, Segment, TcpParameters,
    accecn::{AccEcnOption, EcnFeedback, EcnMode, EcnReport},
    connection::Connection,
};

/// ECN state of the sender: the mode that it declares, and the feedback that it has received.
#[derive(Clone, Debug)]
pub(super) struct SenderEcn {
    /// It asks for accurate feedback.
    asks: bool,
    /// Mode that both ends have agreed upon; `None` before that, and if nothing was asked for.
    mode: Option<EcnMode>,
    feedback: EcnFeedback,
}

impl SenderEcn {
    pub(super) fn new(parameters: &TcpParameters) -> Self {
        Self { asks: parameters.accecn, mode: None, feedback: EcnFeedback::default() }
    }

    /// Feedback is accurate.
    #[inline]
    pub(super) fn is_accurate(&self) -> bool {
        self.mode == Some(EcnMode::Accurate)
    }

    /// Nothing but the flags of RFC 3168 is or will be fed back.
    #[inline]
    pub(super) const fn is_classic(&self) -> bool {
        !self.asks || matches!(self.mode, Some(EcnMode::Classic | EcnMode::Off))
    }

    /// How many segments an ACK is the first to report as marked, and as `delivered`. Also the feedback after it, for
    /// [`SenderEcn::takes`].
    #[inline]
    pub(super) fn marked(
        &self,
        connection: &Connection,
        ack: &Segment,
        option: Option<AccEcnOption>,
        delivered: u32,
    ) -> (u32, EcnFeedback) {
        let mut feedback = self.feedback;
        if !self.is_accurate() || ack.flags().has(Flags::SYN) {
            return (0, feedback);
        }
        let mss = connection.header.bytes().saturating_sub(connection.parameters.ack_size.bytes());
        let ace = ack.flags().ace();
        let marked = feedback.read(&EcnReport { ace, option, delivered, mss, stamp: ack.stamp });
        (marked, feedback)
    }

    /// The ACK is taken in.
    #[inline]
    pub(super) const fn takes(&mut self, feedback: EcnFeedback) {
        self.feedback = feedback;
    }

    /// The SYN is acknowledged.
    pub(super) fn on_syn_ack(&mut self, connection: &mut Connection, ace: u8) {
        if self.asks && self.mode.is_none() {
            self.agree(connection, EcnMode::agreed(ace));
        }
    }

    fn agree(&mut self, connection: &mut Connection, mut mode: EcnMode) {
        // A sender that counts marks does not fall back to RFC 3168 (RFC 9331, section 4.3).
        if mode == EcnMode::Classic && connection.parameters.congestion.counts_marks() {
            mode = EcnMode::Off;
        }
        self.mode = Some(mode);
        let declared = Declared::of(&connection.parameters, mode);
        connection.header = connection.header.with_ecn(declared.data);
        connection.ecn.capable = declared.data != Ecn::NotEct;
        connection.ecn.again = declared.retransmission;
        connection.congestion.on_ecn(mode);
    }

    /// Sets the ECN fields of `segment`. Where feedback is accurate, nothing tells of a cut.
    #[inline]
    pub(super) fn declare(&mut self, connection: &mut Connection, segment: &mut Segment, syn: bool) {
        if !self.asks {
            return;
        }
        if syn {
            segment.header = segment.header.with_flags(segment.flags().with_ace(Flags::ACE.ace()));
            return;
        }
        if self.mode.is_none() {
            // Without a handshake both ends know.
            let able = connection.parameters.receiver_ecn;
            self.agree(connection, EcnMode::agreed(able.answer(Ecn::NotEct)));
            if !connection.ecn.capable {
                segment.header = segment.header.with_ecn(Ecn::NotEct);
            }
        }
        if self.is_accurate() {
            segment.header = segment.header.with_flags(segment.flags().without(Flags::CWR));
        }
    }
}
