use weir_types::Ecn;

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

/// A packet that can be queued: a simulated packet or a captured frame.
pub trait Packet {
    /// Its properties.
    fn info(&self) -> PacketInfo;

    /// Sets the ECN field to [`Ecn::Ce`]. Only called on packets that are markable.
    fn mark(&mut self);
}
