//! Work that the kernel leaves to a network card: checksums to complete, and packets of up to 64 kB to cut. The queues
//! of a scenario hold packets as they are on the wire, so both are done before.
//!
//! The header before each packet is that of virtio (version 1.2, section 5.1.6), in the byte order of the machine.

use crate::{checksum, frame};

/// Bytes of the header before each packet.
pub(crate) const HEADER: usize = 10;

const NEEDS_CHECKSUM: u8 = 1;
/// Its checksums are right: the receiver need not look.
const CHECKED: u8 = 2;
const NOT_CUT: u8 = 0;
const TCP_V4: u8 = 1;
const TCP_V6: u8 = 4;
/// Congestion window reduced stands in the first packet alone.
const ECN: u8 = 0x80;

/// The header of a packet that leaves; `checked` if its checksums are ours.
pub(crate) const fn header(checked: bool) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    if checked {
        header[0] = CHECKED;
    }
    header
}

/// Calls `each` for every packet that `packet` stands for, and whether its checksums were completed here. `scratch` has
/// room for the largest. Returns false for what it cannot cut.
pub(crate) fn unfold(
    header: &[u8; HEADER],
    packet: &mut [u8],
    scratch: &mut [u8],
    mut each: impl FnMut(&[u8], bool),
) -> bool {
    let half = |at: usize| usize::from(u16::from_ne_bytes([header[at], header[at + 1]]));
    let (flags, kind, size) = (header[0], header[1] & !ECN, half(4));
    match kind {
        NOT_CUT if flags & NEEDS_CHECKSUM == 0 => each(packet, false),
        NOT_CUT => {
            let (start, place) = (half(6), half(6) + half(8));
            if start > packet.len() || place + 2 > packet.len() {
                return false;
            }
            let sum = checksum::finish(checksum::sum(&packet[start..]));
            // A UDP checksum of zero would say that there is none (RFC 768).
            let sum = if sum == [0, 0] && half(8) == 6 { [0xff, 0xff] } else { sum };
            packet[place..place + 2].copy_from_slice(&sum);
            each(packet, true);
        }
        TCP_V4 | TCP_V6 => return cut(packet, size, scratch, &mut each).is_some(),
        _ => return false,
    }
    true
}

const FIN: u8 = 1;
const PUSH: u8 = 1 << 3;
const CWR: u8 = 1 << 7;

/// Cuts a TCP packet into such with at most `size` bytes of data (RFC 9293: the numbers count bytes; RFC 3168, section
/// 6.1.2: CWR stands in the first alone).
fn cut(packet: &[u8], size: usize, scratch: &mut [u8], each: &mut impl FnMut(&[u8], bool)) -> Option<()> {
    let parsed = frame::parse(packet)?;
    let ip = parsed.header;
    let tcp = packet.get(ip..)?;
    let length = usize::from(tcp.get(12)? >> 4) * 4;
    let is_tcp = parsed.key.protocol == frame::TCP;
    if !is_tcp || length < 20 || tcp.len() < length || size == 0 {
        return None;
    }
    let head = ip + length;
    let data = packet.get(head..parsed.bytes)?;
    let number = u32::from_be_bytes(*tcp.get(4..)?.first_chunk()?);
    let is_v4 = packet[0] >> 4 == 4;
    let identity = u16::from_be_bytes([packet[4], packet[5]]);
    // One more than whole pieces if the data is not a multiple; a packet without data is one.
    let pieces = data.len().div_ceil(size).max(1);
    for (index, begin) in (0..pieces).map(|index| (index, index * size)) {
        let piece = &data[begin..(begin + size).min(data.len())];
        let out = scratch.get_mut(..head + piece.len())?;
        out[..head].copy_from_slice(&packet[..head]);
        out[head..].copy_from_slice(piece);
        if is_v4 {
            out[2..4].copy_from_slice(&((head + piece.len()) as u16).to_be_bytes());
            out[4..6].copy_from_slice(&identity.wrapping_add(index as u16).to_be_bytes());
            checksum::fill(&mut out[..ip], 10);
        } else {
            out[4..6].copy_from_slice(&((head + piece.len() - 40) as u16).to_be_bytes());
        }
        out[ip + 4..ip + 8].copy_from_slice(&number.wrapping_add(begin as u32).to_be_bytes());
        if index > 0 {
            out[ip + 13] &= !CWR;
        }
        if index + 1 < pieces {
            out[ip + 13] &= !(FIN | PUSH);
        }
        let addresses = if is_v4 { 12..20 } else { 8..40 };
        let mut pseudo = checksum::sum(&out[addresses]);
        pseudo += checksum::sum(&[0, frame::TCP]) + checksum::sum(&((out.len() - ip) as u32).to_be_bytes());
        out[ip + 16..ip + 18].fill(0);
        let sum = checksum::finish(pseudo + checksum::sum(&out[ip..]));
        out[ip + 16..ip + 18].copy_from_slice(&sum);
        each(out, true);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use etherparse::{NetHeaders, PacketBuilder, PacketHeaders, PayloadSlice, TransportHeader};
    use proptest::prelude::*;

    use super::*;

    const ROOM: usize = 1 << 16;

    fn super_packet(is_v4: bool, data: &[u8]) -> Vec<u8> {
        let builder = if is_v4 {
            PacketBuilder::ipv4([198, 18, 0, 1], [198, 18, 0, 2], 64)
        } else {
            PacketBuilder::ipv6([0xfd; 16], [0xfe; 16], 64)
        };
        let mut out = Vec::new();
        let tcp = builder.tcp(1, 2, 4_294_967_000, 4000).ack(5).fin().psh().cwr();
        tcp.write(&mut out, data).unwrap();
        out
    }

    fn header(flags: u8, kind: u8, size: u16, start: u16, place: u16) -> [u8; HEADER] {
        let mut header = [flags, kind, 0, 0, 0, 0, 0, 0, 0, 0];
        for (at, value) in [(4, size), (6, start), (8, place)] {
            header[at..at + 2].copy_from_slice(&value.to_ne_bytes());
        }
        header
    }

    proptest! {
        #[test]
        fn pieces_are_packets_that_join_to_the_whole(
            is_v4 in any::<bool>(),
            data in prop::collection::vec(any::<u8>(), 0..9000),
            size in 100..1500_u16,
        ) {
            let mut packet = super_packet(is_v4, &data);
            let kind = ECN | if is_v4 { TCP_V4 } else { TCP_V6 };
            let mut joined = Vec::new();
            let mut fins = Vec::new();
            let mut scratch = vec![0; ROOM];
            let cut = unfold(&header(NEEDS_CHECKSUM, kind, size, 0, 0), &mut packet, &mut scratch, |piece, checked| {
                assert!(checked);
                let headers = PacketHeaders::from_ip_slice(piece).unwrap();
                let (Some(TransportHeader::Tcp(tcp)), PayloadSlice::Tcp(data)) = (headers.transport, headers.payload) else {
                    panic!("no TCP")
                };
                assert!(data.len() <= usize::from(size));
                assert_eq!(tcp.sequence_number, 4_294_967_000_u32.wrapping_add(joined.len() as u32));
                assert_eq!(tcp.cwr, joined.is_empty());
                match headers.net.unwrap() {
                    NetHeaders::Ipv4(ip, _) => {
                        assert_eq!(ip.header_checksum, ip.calc_header_checksum());
                        assert_eq!(tcp.checksum, tcp.calc_checksum_ipv4(&ip, data).unwrap());
                    }
                    NetHeaders::Ipv6(ip, _) => assert_eq!(tcp.checksum, tcp.calc_checksum_ipv6(&ip, data).unwrap()),
                    NetHeaders::Arp(_) => panic!("no IP"),
                }
                joined.extend_from_slice(data);
                fins.push(tcp.fin && tcp.psh);
            });
            prop_assert!(cut);
            prop_assert_eq!(joined, data);
            prop_assert_eq!(fins.iter().filter(|fin| **fin).count(), 1);
            prop_assert_eq!(fins.last(), Some(&true));
        }

        #[test]
        fn a_checksum_is_completed(data in prop::collection::vec(any::<u8>(), 0..1400)) {
            let mut whole = Vec::new();
            PacketBuilder::ipv4([198, 18, 0, 1], [198, 18, 0, 2], 64).udp(1, 2).write(&mut whole, &data).unwrap();
            let mut partial = whole.clone();
            // The kernel leaves the sum of the pseudo-header there.
            let length = (whole.len() - 20) as u32;
            let pseudo = checksum::sum(&whole[12..20]) + checksum::sum(&[0, 17]) + checksum::sum(&length.to_be_bytes());
            let [a, b] = checksum::finish(pseudo);
            partial[26..28].copy_from_slice(&[!a, !b]);
            let mut seen = Vec::new();
            let mut scratch = vec![0; ROOM];
            prop_assert!(unfold(&header(NEEDS_CHECKSUM, NOT_CUT, 0, 20, 6), &mut partial, &mut scratch, |packet, _| seen = packet.to_vec()));
            prop_assert_eq!(seen, whole);
        }

        #[test]
        fn any_header_and_bytes_are_borne(
            header in any::<[u8; HEADER]>(),
            mut bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let mut scratch = vec![0; ROOM];
            unfold(&header, &mut bytes, &mut scratch, |packet, _| assert!(packet.len() <= ROOM));
        }
    }
}
