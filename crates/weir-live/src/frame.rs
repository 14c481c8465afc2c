//! IP packets as queues see them: bytes, ECN bits and the flow. Read by hand, since it stands before every packet and
//! must not copy; a test compares it with `etherparse`.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use weir_aqm::{Label, PacketInfo};
use weir_types::{Dscp, Ecn};

use crate::checksum;

/// A packet that waits: its bytes stand in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) slot: u32,
    /// Bytes of the IP packet.
    pub(crate) bytes: u32,
    pub(crate) flow: u32,
    pub(crate) ecn: Ecn,
    pub(crate) label: Label,
    /// Its checksums were completed here.
    pub(crate) checked: bool,
}

impl weir_aqm::Packet for Frame {
    #[inline]
    fn info(&self) -> PacketInfo {
        PacketInfo { bytes: self.bytes, ecn: self.ecn, flow: self.flow }
    }

    #[inline]
    fn label(&self) -> Label {
        self.label
    }

    #[inline]
    fn mark(&mut self) {
        self.ecn = Ecn::Ce;
    }
}

/// Header fields that identify a flow. Ports are 0 if the protocol has none, and in fragments, of which only the first
/// has any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlowKey {
    /// Source.
    pub from: IpAddr,
    /// Destination.
    pub to: IpAddr,
    /// Protocol number.
    pub protocol: u8,
    /// Source port and destination port.
    pub ports: (u16, u16),
}

impl fmt::Display for FlowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.protocol {
            TCP => f.write_str("tcp")?,
            UDP => f.write_str("udp")?,
            ICMP | ICMPV6 => f.write_str("icmp")?,
            other => write!(f, "protocol {other}")?,
        }
        if self.ports == (0, 0) {
            return write!(f, " {} > {}", self.from, self.to);
        }
        write!(
            f,
            " {} > {}",
            SocketAddr::new(self.from, self.ports.0),
            SocketAddr::new(self.to, self.ports.1)
        )
    }
}

/// Header fields of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// Bytes of the IP packet; padding follows.
    pub bytes: usize,
    /// ECN bits.
    pub ecn: Ecn,
    /// Diffserv codepoint.
    pub dscp: Dscp,
    /// Flow.
    pub key: FlowKey,
    /// Bytes of the IP headers.
    pub(crate) header: usize,
}

impl Parsed {
    /// The codepoint, and the addresses as numbers of hosts. Those of IPv6 are hashed (FNV-1a).
    pub(crate) fn label(&self) -> Label {
        let hash = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        let number = |address: IpAddr| match address {
            IpAddr::V4(address) => u32::from(address).max(1),
            IpAddr::V6(address) => address.octets().iter().fold(0x811c_9dc5, hash).max(1),
        };
        Label { dscp: self.dscp, from: number(self.key.from), to: number(self.key.to) }
    }
}

const HOP_BY_HOP: u8 = 0;
const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
const UDP: u8 = 17;
const DCCP: u8 = 33;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const ICMPV6: u8 = 58;
const DESTINATION: u8 = 60;
const SCTP: u8 = 132;
const UDP_LITE: u8 = 136;

/// Extension headers that are looked at: more than any honest packet has.
const MOST_EXTENSIONS: usize = 8;

/// Reads the headers of an IP packet; `None` if they are not those of one.
pub fn parse(packet: &[u8]) -> Option<Parsed> {
    match packet.first()? >> 4 {
        4 => parse_v4(packet),
        6 => parse_v6(packet),
        _ => None,
    }
}

fn parse_v4(packet: &[u8]) -> Option<Parsed> {
    let fixed = packet.first_chunk::<20>()?;
    let header = usize::from(fixed[0] & 0xf) * 4;
    let bytes = usize::from(word(packet, 2)?);
    if header < 20 || bytes < header || bytes > packet.len() {
        return None;
    }
    let protocol = fixed[9];
    // More fragments, or not the first.
    let is_fragment = word(packet, 6)? & 0x3fff != 0;
    let ports = if is_fragment { (0, 0) } else { ports(protocol, &packet[header..bytes]) };
    let key = FlowKey { from: v4(packet, 12)?, to: v4(packet, 16)?, protocol, ports };
    Some(Parsed { bytes, ecn: Ecn::of_bits(fixed[1]), dscp: Dscp::of_bits(fixed[1] >> 2), key, header })
}

fn parse_v6(packet: &[u8]) -> Option<Parsed> {
    let fixed = packet.first_chunk::<40>()?;
    let bytes = 40 + usize::from(word(packet, 4)?);
    if bytes > packet.len() {
        return None;
    }
    let packet = &packet[..bytes];
    let (mut protocol, mut header, mut is_fragment) = (fixed[6], 40, false);
    for _ in 0..MOST_EXTENSIONS {
        if is_fragment {
            // Headers behind it stand in the first fragment alone; all are to be of one flow.
            break;
        }
        let length = match protocol {
            HOP_BY_HOP | ROUTING | DESTINATION => (usize::from(*packet.get(header + 1)?) + 1) * 8,
            AUTHENTICATION => (usize::from(*packet.get(header + 1)?) + 2) * 4,
            FRAGMENT => {
                // An offset, or more fragments; a packet may have the header and be whole.
                is_fragment = word(packet, header + 2)? & 0xfff9 != 0;
                8
            }
            _ => break,
        };
        protocol = *packet.get(header)?;
        header += length;
        if header > bytes {
            return None;
        }
    }
    let ports = if is_fragment { (0, 0) } else { ports(protocol, &packet[header..]) };
    let key = FlowKey { from: v6(packet, 8)?, to: v6(packet, 24)?, protocol, ports };
    let dscp = Dscp::of_bits(fixed[0] << 2 | fixed[1] >> 6);
    Some(Parsed { bytes, ecn: Ecn::of_bits(fixed[1] >> 4), dscp, key, header })
}

/// Source and destination port, where the protocol has them and they are there.
fn ports(protocol: u8, transport: &[u8]) -> (u16, u16) {
    if !matches!(protocol, TCP | UDP | DCCP | SCTP | UDP_LITE) {
        return (0, 0);
    }
    match (word(transport, 0), word(transport, 2)) {
        (Some(from), Some(to)) => (from, to),
        _ => (0, 0),
    }
}

fn v4(packet: &[u8], at: usize) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::from(*packet.get(at..)?.first_chunk::<4>()?)))
}

fn v6(packet: &[u8], at: usize) -> Option<IpAddr> {
    Some(IpAddr::V6(Ipv6Addr::from(*packet.get(at..)?.first_chunk::<16>()?)))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Where the packet goes.
pub(crate) fn destination(packet: &[u8]) -> Option<IpAddr> {
    match packet.first()? >> 4 {
        4 => v4(packet, 16),
        _ => v6(packet, 24),
    }
}

/// Sets the ECN field of an IP packet that [`parse`] has read to CE, and mends its checksum.
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        packet[1] |= Ecn::Ce.bits() << 4;
        return;
    }
    let before = [packet[0], packet[1]];
    packet[1] |= Ecn::Ce.bits();
    let sum = checksum::updated([packet[10], packet[11]], before, [packet[0], packet[1]]);
    packet[10..12].copy_from_slice(&sum);
}
