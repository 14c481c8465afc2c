//! Frames of a capture: the IP packet in them.

use etherparse::{
    EtherType, IpNumber, LaxPacketHeaders, LaxPayloadSlice, LinkExtHeader, LinkHeader, NetHeaders, TcpHeader,
    TcpOptionElement, TransportHeader,
};
use pcap_parser::Linktype;

use super::subnet::Address;

/// Addresses (of IPv4 in the last four bytes), protocol and ports.
pub(crate) type Endpoints = (Address, Address, u8, u16, u16);

/// Ethernet addresses, from and to.
pub(crate) type Stations = ([u8; 6], [u8; 6]);

/// The IP packet in a frame.
pub(crate) struct IpPacket {
    /// Bytes of the whole packet.
    pub(crate) bytes: u32,
    pub(crate) endpoints: Endpoints,
    /// `None` where frames have no addresses of both.
    pub(crate) stations: Option<Stations>,
    /// Where it was heard.
    pub(super) place: Place,
    /// Fingerprint that tells it from other packets of its flow: identification, checksum, and sequence number of
    /// TCP. `None` if the first two are zero.
    pub(super) content: Option<(u16, u16, u32)>,
    pub(super) transport: Transport,
}

/// Place of Linux cooked frames, which come from all interfaces: the number of the interface, if they say it, and
/// the kind of the packet, such as outgoing.
pub(super) type Place = (u32, u8);

/// Transport header of the packet.
pub(super) enum Transport {
    Tcp(TcpSegment),
    Datagram(Datagram),
    Other,
}

pub(super) struct Datagram {
    /// Bytes of IP and UDP headers.
    pub(super) header: u32,
    /// The first byte of the payload, if it was captured.
    pub(super) first: Option<u8>,
}

/// Fields of a TCP segment that are used.
pub(super) struct TcpSegment {
    pub(super) sequence: u32,
    pub(super) acknowledgment: Option<u32>,
    pub(super) syn: bool,
    pub(super) fin: bool,
    pub(super) rst: bool,
    /// Bytes of IP and TCP headers.
    pub(super) header: u32,
    pub(super) mss: Option<u16>,
}

/// Version 2 of Linux cooked frames.
const LINUX_SLL2: Linktype = Linktype(276);

/// Returns true if [`IpPacket::of`] knows what frames begin with.
pub(super) const fn is_known(link: Linktype) -> bool {
    matches!(
        link,
        Linktype::ETHERNET
            | Linktype::RAW
            | Linktype::IPV4
            | Linktype::IPV6
            | Linktype::NULL
            | Linktype::LOOP
            | Linktype::LINUX_SLL
            | LINUX_SLL2
    )
}

impl IpPacket {
    /// `None` for what is not IP.
    pub(super) fn of(data: &[u8], original: u32, link: Linktype) -> Option<Self> {
        let (begin, headers) = match link {
            Linktype::ETHERNET => (0, LaxPacketHeaders::from_ethernet(data).ok()?),
            Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 => (0, LaxPacketHeaders::from_ip(data).ok()?),
            // Four bytes of protocol family; the IP header says the rest.
            Linktype::NULL | Linktype::LOOP => (4, LaxPacketHeaders::from_ip(data.get(4..)?).ok()?),
            // Headers with the type of what follows, at their end and at their beginning.
            Linktype::LINUX_SLL => (16, typed(data.get(14..16)?, data.get(16..)?)),
            LINUX_SLL2 => (20, typed(data.get(..2)?, data.get(20..)?)),
            _ => return None,
        };
        let ethernet = headers.link.as_ref().map_or(0, LinkHeader::header_len)
            + headers.link_exts.iter().map(LinkExtHeader::header_len).sum::<usize>();
        let stations = match &headers.link {
            Some(LinkHeader::Ethernet2(ethernet)) => Some((ethernet.source, ethernet.destination)),
            _ => None,
        };
        let (stated, header, from, to, protocol, number) = match headers.net? {
            NetHeaders::Ipv4(ip, extensions) => {
                let wide = |address: [u8; 4]| {
                    let mut wide = [0; 16];
                    wide[12..].copy_from_slice(&address);
                    wide
                };
                let header = ip.header_len() + extensions.header_len();
                let (from, to) = (wide(ip.source), wide(ip.destination));
                (u32::from(ip.total_len), header, from, to, ip.protocol.0, ip.identification)
            }
            NetHeaders::Ipv6(ip, extensions) => {
                // Zero stays zero: see below.
                let length = u32::from(ip.payload_length);
                let stated = if length == 0 { 0 } else { length + 40 };
                (stated, 40 + extensions.header_len(), ip.source, ip.destination, ip.next_header.0, 0)
            }
            NetHeaders::Arp(_) => return None,
        };
        let (checksum, sequence) = match &headers.transport {
            Some(TransportHeader::Tcp(tcp)) => (tcp.checksum, tcp.sequence_number),
            Some(TransportHeader::Udp(udp)) => (udp.checksum, 0),
            _ => (0, 0),
        };
        let (ports, transport) = match headers.transport {
            Some(TransportHeader::Tcp(tcp)) => {
                ((tcp.source_port, tcp.destination_port), Transport::Tcp(TcpSegment::of(&tcp, header)))
            }
            Some(TransportHeader::Udp(udp)) => {
                let first = match headers.payload {
                    LaxPayloadSlice::Udp { payload, .. } => payload.first().copied(),
                    _ => None,
                };
                let datagram = Datagram { header: header as u32 + 8, first };
                ((udp.source_port, udp.destination_port), Transport::Datagram(datagram))
            }
            _ => match headers.payload {
                LaxPayloadSlice::Ip(cut) if cut.ip_number == IpNumber::TCP && !cut.fragmented => {
                    // The capture keeps no options: the rest of the header is enough.
                    let plain = without_options(cut.payload);
                    match plain.as_ref().map(|plain| TcpHeader::from_slice(plain)) {
                        Some(Ok((tcp, _))) => {
                            let mut segment = TcpSegment::of(&tcp, header);
                            segment.header = header as u32 + u32::from(cut.payload[12] >> 4) * 4;
                            ((tcp.source_port, tcp.destination_port), Transport::Tcp(segment))
                        }
                        _ => ((0, 0), Transport::Other),
                    }
                }
                _ => ((0, 0), Transport::Other),
            },
        };
        // With segmentation offload and in jumbograms the IP header may have no length.
        let bytes = if stated == 0 { original.saturating_sub((begin + ethernet) as u32) } else { stated };
        let content = (number != 0 || checksum != 0).then_some((number, checksum, sequence));
        let endpoints = (from, to, protocol, ports.0, ports.1);
        Some(Self { bytes, endpoints, stations, place: place_of(data, link), content, transport })
    }
}

impl TcpSegment {
    /// `ip` is the length of the IP headers.
    fn of(tcp: &TcpHeader, ip: usize) -> Self {
        let mss = |option| match option {
            Ok(TcpOptionElement::MaximumSegmentSize(mss)) => Some(mss),
            _ => None,
        };
        Self {
            sequence: tcp.sequence_number,
            acknowledgment: tcp.ack.then_some(tcp.acknowledgment_number),
            syn: tcp.syn,
            fin: tcp.fin,
            rst: tcp.rst,
            header: (ip + tcp.header_len()) as u32,
            mss: if tcp.syn { tcp.options_iterator().find_map(mss) } else { None },
        }
    }
}

/// The first 20 bytes of a TCP header, with a length that says so.
fn without_options(header: &[u8]) -> Option<[u8; 20]> {
    let mut plain: [u8; 20] = header.get(..20)?.try_into().ok()?;
    plain[12] = 5 << 4 | plain[12] & 0x0f;
    Some(plain)
}

/// Place of a frame that has been read.
fn place_of(data: &[u8], link: Linktype) -> Place {
    match link {
        Linktype::LINUX_SLL => (0, data[1]),
        LINUX_SLL2 => (u32::from_be_bytes([data[4], data[5], data[6], data[7]]), data[10]),
        _ => (0, 0),
    }
}

/// Headers after an Ethernet type, such as 0x0800: IPv4.
fn typed<'a>(kind: &[u8], data: &'a [u8]) -> LaxPacketHeaders<'a> {
    LaxPacketHeaders::from_ether_type(EtherType(u16::from_be_bytes([kind[0], kind[1]])), data)
}
