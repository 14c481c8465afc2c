use weir_types::{Dscp, Ecn};

/// Properties of a packet that AQMs may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketInfo {
    /// Bytes on the wire.
    pub bytes: u32,
    /// The ECN bits.
    pub ecn: Ecn,
    /// Flow number, for disciplines with a queue per flow.
    pub flow: u32,
}

/// Properties of a packet by which a classifier may sort it, beside its flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The Diffserv codepoint.
    pub dscp: Dscp,
    /// Number of the host that sent it; 0 for one that has this flow alone.
    pub from: u32,
    /// Number of the host that it goes to; 0 for one that has this flow alone.
    pub to: u32,
}

/// Contents of an acknowledgement, for a filter of ACKs. Numbers go round at 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The next number that the receiver expects.
    pub number: u32,
    /// The flags ECE and CWR.
    pub ecn: [bool; 2],
    /// Its other contents.
    pub kind: AckKind,
    /// SACK blocks, first number and the one behind the last, a D-SACK before the others; empty ranges where there are
    /// fewer.
    pub blocks: [(u32, u32); 4],
}

/// Contents of an ACK beside its number and its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckKind {
    /// Nothing: a later ACK may make it redundant.
    Pure,
    /// It carries data, or a flag or an option that a later ACK may not repeat.
    Laden,
    /// It opens its connection: a SYN.
    Opening,
}

/// A packet that can be queued: a simulated packet or a captured frame.
pub trait Packet {
    /// Its properties.
    fn info(&self) -> PacketInfo;

    /// Its codepoint and its hosts. Best effort between hosts of its own unless it says otherwise.
    fn label(&self) -> Label {
        Label::default()
    }

    /// Sets the ECN field to [`Ecn::Ce`]. Only called on packets that are markable.
    fn mark(&mut self);
}
