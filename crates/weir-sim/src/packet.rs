use weir_aqm::{Label, PacketInfo};
use weir_tcp::Segment;
use weir_types::Ecn;

/// A segment in the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Packet(pub(crate) Segment);

impl weir_aqm::Packet for Packet {
    #[inline]
    fn info(&self) -> PacketInfo {
        PacketInfo { bytes: self.0.bytes(), ecn: self.0.ecn(), flow: self.0.flow }
    }

    #[inline]
    fn label(&self) -> Label {
        let Self(segment) = self;
        Label { dscp: segment.dscp(), from: segment.from_host().into(), to: segment.to_host().into() }
    }

    #[inline]
    fn mark(&mut self) {
        self.0.header = self.0.header.with_ecn(Ecn::Ce);
    }
}
