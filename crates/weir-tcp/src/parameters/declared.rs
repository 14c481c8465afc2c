//! Which packets of a connection declare themselves ECN-capable, so that a queue marks what it would drop.
//!
//! | packet | RFC 3168 | accurate feedback | scalable control |
//! | --- | --- | --- | --- |
//! | SYN, SYN-ACK | no (6.1.1) | no | yes |
//! | new data | yes | yes | yes |
//! | retransmission, tail loss probe of sent data | no (6.1.5) | yes | yes |
//! | pure ACK | no (6.1.4) | yes | yes |
//!
//! Two senders share a queue: if its step marks the data of a scalable one but drops what cannot be marked, hardly
//! any SYN comes through. RFC 8257, section 3.5, therefore asks for ECT on SYN and SYN-ACK. RFC 8311, section 4.3,
//! lets experiments lift the other rules. draft-ietf-tcpm-generalized-ecn lifts all of them. The table is that of
//! Linux 7.2 (`tcp_ecn_send` in `tcp_output.c`, `tcp_ecn_send_syn` and `tcp_ecn_send_synack` in `tcp_ecn.h`), whose
//! controls that need ECN are the scalable ones here. Each row but that of new data has a parameter that says
//! otherwise: `ecn_on_syn`, `ecn_on_syn_ack`, `ecn_on_retransmissions`, `ecn_on_acks`. Weir sends neither FIN nor
//! RST, and no window probes.
//!
//! The codepoint is ECT(1) for a control of the low-latency queue with accurate feedback (RFC 9331, section 4.1), else
//! ECT(0). A mark on a SYN, a SYN-ACK or an ACK slows nobody down, as in Linux.

use weir_types::Ecn;

use super::TcpParameters;
use crate::accecn::EcnMode;

/// ECN codepoints that the packets of a connection declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The SYN.
    pub syn: Ecn,
    /// The answer to the SYN.
    pub syn_ack: Ecn,
    /// Data that is sent for the first time.
    pub data: Ecn,
    /// Data that was sent before.
    pub retransmission: Ecn,
    /// ACKs without data.
    pub ack: Ecn,
}

impl Declared {
    /// Codepoints of a connection whose ends have agreed on `mode`, or ask for it.
    pub fn of(parameters: &TcpParameters, mode: EcnMode) -> Self {
        let facts = parameters.congestion.facts();
        let low_latency = parameters.congestion.is_low_latency();
        let accurate = mode == EcnMode::Accurate;
        // A sender that counts marks does not fall back to RFC 3168 (RFC 9331, section 4.3).
        let off =
            !parameters.ecn || mode == EcnMode::Off || parameters.congestion.counts_marks() && !accurate;
        let codepoint = match (off, low_latency) {
            (true, _) => Ecn::NotEct,
            (false, true) => Ecn::Ect1,
            (false, false) => Ecn::Ect0,
        };
        let chosen = |written: Option<bool>, usual: bool| {
            if written.unwrap_or(usual) { codepoint } else { Ecn::NotEct }
        };
        Self {
            syn: chosen(parameters.ecn_on_syn, facts.scalable),
            syn_ack: chosen(parameters.ecn_on_syn_ack, facts.scalable),
            data: codepoint,
            retransmission: chosen(parameters.ecn_on_retransmissions, facts.scalable || accurate),
            ack: chosen(parameters.ecn_on_acks, facts.scalable || accurate),
        }
    }

    /// Codepoints of the sender before anything is agreed on.
    pub(crate) fn at_first(parameters: &TcpParameters) -> Self {
        Self::of(parameters, if parameters.accecn { EcnMode::Accurate } else { EcnMode::Classic })
    }

    /// Codepoints of the receiver, which knows its own ECN capability.
    pub(crate) fn of_receiver(parameters: &TcpParameters) -> Self {
        let able = parameters.accecn.then(|| parameters.receiver_ecn.answer(Ecn::NotEct));
        Self::of(parameters, able.map_or(EcnMode::Classic, EcnMode::agreed))
    }

    /// Codepoints of a whole connection: the SYN, and what follows when both ends have agreed.
    pub fn in_all(parameters: &TcpParameters) -> Self {
        Self { syn: Self::at_first(parameters).syn, ..Self::of_receiver(parameters) }
    }

    /// Each kind of packet by its name.
    pub const fn kinds(self) -> [(&'static str, Ecn); 5] {
        let Self { syn, syn_ack, data, retransmission, ack } = self;
        [("SYN", syn), ("SYN-ACK", syn_ack), ("data", data), ("retransmission", retransmission), ("ACK", ack)]
    }
}
