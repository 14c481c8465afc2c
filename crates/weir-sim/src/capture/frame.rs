//! Packets as on a wire: IP and TCP headers, or UDP headers.
//!
//! Most header fields follow from the fields of the simulated segment. Fields without a counterpart in the
//! simulation are zero: the own timestamp of an ACK, and the echoed timestamp of data. Data is all zeros and
//! is not stored; checksums include it.
//!
//! A header includes its options. Therefore an ACK of 40 bytes with SACK blocks is longer here than its
//! simulated packet.

use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, TcpOptionElement, UdpHeader};
use weir_tcp::{AckOptions, Flags, Segment};
use weir_types::Ecn;

use super::connection::{Connection, HeaderFormat, PLAIN, addresses};

/// The headers of a packet, and its length with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    bytes: [u8; Self::LARGEST],
    kept: u8,
    /// Bytes of the IP packet.
    pub(super) original: u32,
}

/// Data: zeros.
static NOTHING: [u8; 65_535] = [0; 65_535];

impl Frame {
    /// IP without options, TCP with the largest options.
    const LARGEST: usize = Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN;

    /// The packet of a TCP connection. Numbers in `told` are of segments.
    pub(super) fn tcp(
        segment: &Segment,
        connection: &Connection,
        format: &HeaderFormat,
        told: &AckOptions,
    ) -> Self {
        let is = |flag| segment.flags().has(flag);
        let (ack, syn) = (is(Flags::ACK), is(Flags::SYN));
        let (sender, receiver, discard) = addresses(segment.flow);
        let sequence = |number| connection.sequence(number, format);
        let (source, destination) =
            if ack { (discard, connection.port()) } else { (connection.port(), discard) };
        let mut tcp = TcpHeader::new(source, destination, 0, window(format, syn));
        tcp.syn = syn;
        tcp.ack = ack || !syn;
        // RFC 3168, section 6.1.1: ECN-setup SYN and SYN-ACK packets.
        // Classic endpoints agree without bits in their segments.
        let classic = syn && segment.flags().ace() == 0;
        tcp.ece = if classic { format.ecn } else { is(Flags::ECE) };
        tcp.cwr = if classic { format.ecn && !ack } else { is(Flags::CWR) };
        // The highest bit of the ACE field, once the nonce's.
        tcp.ns = segment.flags().has(Flags::AE);
        if ack {
            tcp.sequence_number = u32::from(!syn);
            tcp.acknowledgment_number = sequence(segment.number);
        } else {
            tcp.sequence_number = sequence(segment.number);
            tcp.acknowledgment_number = u32::from(!syn);
        }
        let mut options = Vec::with_capacity(8);
        if syn {
            let mss = format.payload + format.header - PLAIN;
            options.push(TcpOptionElement::MaximumSegmentSize(mss as u16));
            if format.sack {
                options.push(TcpOptionElement::SelectiveAcknowledgementPermitted);
            }
            options.push(TcpOptionElement::WindowScale(format.scale));
        }
        if format.timestamps {
            let millis = (segment.stamp.as_nanos() / 1_000_000) as u32;
            let (own, echo) = if ack { (0, millis) } else { (millis, 0) };
            options.push(TcpOptionElement::Noop);
            options.push(TcpOptionElement::Noop);
            options.push(TcpOptionElement::Timestamp(own, echo));
        }
        // A duplicate comes first (RFC 2883, section 4).
        let duplicate = told.dsack.map(|number| (number, number + 1));
        let blocks = duplicate.into_iter().chain(told.blocks());
        let mut reported = blocks.map(|(first, last)| (sequence(first), sequence(last)));
        if let Some(first) = reported.next() {
            options.push(TcpOptionElement::Noop);
            options.push(TcpOptionElement::Noop);
            options.push(TcpOptionElement::SelectiveAcknowledgement(
                first,
                [reported.next(), reported.next(), None],
            ));
        }
        tcp.set_options(&options).expect("three blocks and a timestamp fit");
        let payload = if ack || syn { 0 } else { format.payload_of(segment.bytes()) };
        let length = tcp.header_len() as u32 + payload;
        let (from, to) = if ack { (receiver, sender) } else { (sender, receiver) };
        let ip = ip(segment, length, IpNumber::TCP, from, to);
        let data = &NOTHING[..payload as usize];
        tcp.checksum = tcp.calc_checksum_ipv4(&ip, data).expect("sizes are checked");
        Self::of(&ip, &tcp.to_bytes(), segment.bytes())
    }

    /// A datagram.
    pub(super) fn udp(segment: &Segment, port: u16) -> Self {
        let (sender, receiver, discard) = addresses(segment.flow);
        // A trace may hold segments before segmentation offload, which are longer than any IP packet.
        let length = segment.bytes().saturating_sub(20).clamp(8, 65_515);
        let ip = ip(segment, length, IpNumber::UDP, sender, receiver);
        let data = &NOTHING[..length as usize - 8];
        let udp = UdpHeader::with_ipv4_checksum(port, discard, &ip, data).expect("sizes are checked");
        Self::of(&ip, &udp.to_bytes(), segment.bytes())
    }

    fn of(ip: &Ipv4Header, transport: &[u8], bytes: u32) -> Self {
        let head = ip.to_bytes();
        let kept = head.len() + transport.len();
        let mut frame = Self {
            bytes: [0; Self::LARGEST],
            kept: kept as u8,
            original: bytes.max(u32::from(ip.total_len)),
        };
        frame.bytes[..head.len()].copy_from_slice(&head);
        frame.bytes[head.len()..kept].copy_from_slice(transport);
        frame
    }

    /// The headers.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.kept)]
    }
}

/// The window field: in units of the window scale, in a SYN in bytes.
fn window(format: &HeaderFormat, syn: bool) -> u16 {
    let units = if syn { format.window } else { format.window.div_ceil(1 << format.scale) };
    units.min(65_535) as u16
}

fn ip(segment: &Segment, length: u32, protocol: IpNumber, from: [u8; 4], to: [u8; 4]) -> Ipv4Header {
    let mut ip = Ipv4Header::new(length as u16, 64, protocol, from, to).expect("sizes are checked");
    ip.dscp = IpDscp::try_new(segment.dscp().bits()).expect("six bits");
    ip.ecn = match segment.ecn() {
        Ecn::NotEct => IpEcn::NotEct,
        Ecn::Ect0 => IpEcn::Ect0,
        Ecn::Ect1 => IpEcn::Ect1,
        Ecn::Ce => IpEcn::CongestionExperienced,
    };
    // The same packet has the same identification in every capture; others differ, within the limits of
    // 16 bits (Fibonacci hashing).
    let identity = segment.stamp.as_nanos() ^ u64::from(segment.number).rotate_left(40);
    ip.identification = (identity.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as u16;
    ip.header_checksum = ip.calc_header_checksum();
    ip
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use etherparse::{Ipv4HeaderSlice, TcpHeaderSlice, TcpOptionElement as Option};
    use weir_scenario::Document;
    use weir_tcp::{Header, Sender, accecn::AccEcnOption};
    use weir_types::Instant;

    use super::*;
    use crate::capture::connection::Connections;

    /// The frame of a segment of a flow whose TCP has these parameters.
    fn frame(tcp: &str, segment: &Segment, told: &AckOptions) -> Frame {
        let text = format!(
            r#"
            schema = 1
            name = "frame"
            duration = "1 s"
            links.l = {{ rate = "1 Mbit/s", delay = "1 ms", buffer = "10 packets" }}
            flows.f = {{ rtt = "10 ms", packet_size = "1000 B", tcp = {{ {tcp} }} }}
            "#
        );
        let scenario = Document::parse("frame", &text).unwrap().scenario().unwrap();
        let group = &scenario.flows["f"];
        let format = HeaderFormat::of(group);
        let mut sender = Sender::new(0, group.packet_size.bytes(), Arc::new(group.tcp.clone()));
        sender.start();
        let connection = Connections::of(&sender, &format).find(segment.number, &sender, &format);
        Frame::tcp(segment, &connection, &format, told)
    }

    fn segment(number: u32, bytes: u32, flags: Flags) -> Segment {
        let stamp = Instant::from_nanos(1_234_567_890);
        Segment { stamp, flow: 0, number, header: Header::new(bytes, Ecn::NotEct, flags) }
    }

    fn tcp_of(frame: &Frame) -> TcpHeader {
        TcpHeaderSlice::from_slice(&frame.bytes()[20..]).unwrap().to_header()
    }

    #[test]
    fn three_blocks_and_a_timestamp_are_all_there_is_room_for() {
        let tcp = "timestamps = true, recovery.sack = {}";
        // Number 3 came twice; 10 and 11 are there, and 7.
        let told = AckOptions { dsack: Some(3), blocks: [(10, 12), (7, 8), (0, 0)], accecn: None };
        let frame = frame(tcp, &segment(5, 40, Flags::ACK), &told);
        let header = tcp_of(&frame);
        // A SYN and 948 bytes each.
        let at = |number: u32| (number - 1) * 948 + 1;
        assert_eq!((header.sequence_number, header.acknowledgment_number), (1, at(5)));
        let options: Vec<_> = header.options.elements_iter().map(Result::unwrap).collect();
        let blocks = Option::SelectiveAcknowledgement(
            (at(3), at(4)),
            [Some((at(10), at(12))), Some((at(7), at(8))), None],
        );
        let noop = Option::Noop;
        assert_eq!(
            options,
            [noop.clone(), noop.clone(), Option::Timestamp(0, 1234), noop.clone(), noop, blocks]
        );
        assert_eq!((frame.bytes().len(), frame.original), (20 + 20 + 12 + 28, 80), "longer than 40 B");
    }

    /// The three bits of accurate feedback, of which no option is written.
    #[test]
    fn the_ace_field_is_that_of_the_segment() {
        let tcp = "timestamps = true, recovery.sack = {}, ecn = true, accecn = true, accecn_option = true";
        let option = AccEcnOption { ect: 1, ce: 1448 };
        for ace in 0..8_u8 {
            let told = AckOptions { blocks: [(7, 8), (0, 0), (0, 0)], dsack: None, accecn: Some(option) };
            let header = tcp_of(&frame(tcp, &segment(5, 52, Flags::ACK.with_ace(ace)), &told));
            assert_eq!([header.ns, header.cwr, header.ece], [4, 2, 1].map(|bit| ace & bit > 0));
            let sacked =
                header.options.elements_iter().filter_map(Result::ok).find_map(|option| match option {
                    Option::SelectiveAcknowledgement(_, rest) => Some(rest),
                    _ => None,
                });
            assert_eq!(sacked, Some([None; 3]), "one block");
        }
    }

    #[test]
    fn the_length_is_that_of_the_packet() {
        for (bytes, original, payload) in
            [(1000, 1000, 960), (41, 41, 1), (40, 41, 1), (65_535, 65_535, 65_495)]
        {
            let frame = frame("", &segment(1, bytes, Flags::NONE), &AckOptions::NONE);
            let ip = Ipv4HeaderSlice::from_slice(frame.bytes()).unwrap();
            assert_eq!((frame.original, ip.total_len()), (original, original as u16));
            assert_eq!(ip.payload_len().unwrap(), 20 + payload);
            let header = tcp_of(&frame);
            let data = vec![0; usize::from(payload)];
            assert_eq!(header.calc_checksum_ipv4(&ip.to_header(), &data).unwrap(), header.checksum);
        }
    }

    #[test]
    fn a_connection_without_a_handshake_begins_with_its_data() {
        let header = tcp_of(&frame("handshake = false", &segment(0, 1000, Flags::NONE), &AckOptions::NONE));
        assert_eq!((header.sequence_number, header.syn, header.ack), (1, false, true));
        let header = tcp_of(&frame("handshake = false", &segment(2, 40, Flags::ACK), &AckOptions::NONE));
        assert_eq!(header.acknowledgment_number, 1 + 2 * 960);
    }
}
