use weir_types::Ecn;

/// What a law may know of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketInfo {
    /// Bytes on the wire.
    pub bytes: u32,
    /// The ECN bits.
    pub ecn: Ecn,
    /// Which flow it belongs to, for disciplines that tell flows apart.
    pub flow: u32,
}

/// Anything that can wait in a queue: a simulated packet, a captured frame.
pub trait Packet {
    /// What a law may know of it.
    fn info(&self) -> PacketInfo;

    /// Sets the ECN field to [`Ecn::Ce`]. Only called on packets that are markable.
    fn mark(&mut self);
}
