//! Packets from outside: what a reader of headers must bear, and what it must get right, beside `etherparse`.

use etherparse::{IpHeaders, NetHeaders, PacketBuilder, PacketHeaders, TransportHeader};
use proptest::prelude::*;
use weir_types::{Ecn, Streams};

use crate::{
    frame::{mark, parse},
    offload::{HEADER, unfold},
};

#[derive(Clone, Debug)]
struct Sent {
    is_v4: bool,
    is_tcp: bool,
    traffic_class: u8,
    ports: (u16, u16),
    data: Vec<u8>,
}

fn sent() -> impl Strategy<Value = Sent> {
    let data = prop::collection::vec(any::<u8>(), 0..1400);
    (any::<bool>(), any::<bool>(), any::<u8>(), any::<(u16, u16)>(), data).prop_map(
        |(is_v4, is_tcp, traffic_class, ports, data)| Sent { is_v4, is_tcp, traffic_class, ports, data },
    )
}

impl Sent {
    fn bytes(&self) -> Vec<u8> {
        let builder = if self.is_v4 {
            PacketBuilder::ipv4([198, 18, 0, 1], [198, 18, 0, 2], 64)
        } else {
            PacketBuilder::ipv6([0xfd; 16], [0xfe; 16], 64)
        };
        let (from, to) = self.ports;
        let mut out = Vec::new();
        if self.is_tcp {
            builder.tcp(from, to, 1000, 4000).write(&mut out, &self.data).unwrap();
        } else {
            builder.udp(from, to).write(&mut out, &self.data).unwrap();
        }
        // The builder has no parameter for the class of traffic.
        let mut head = Vec::new();
        match PacketHeaders::from_ip_slice(&out).unwrap().net.unwrap() {
            NetHeaders::Ipv4(mut ip, extensions) => {
                ip.dscp = (self.traffic_class >> 2).try_into().unwrap();
                ip.ecn = (self.traffic_class & 3).try_into().unwrap();
                ip.header_checksum = ip.calc_header_checksum();
                IpHeaders::Ipv4(ip, extensions).write(&mut head).unwrap();
            }
            NetHeaders::Ipv6(mut ip, extensions) => {
                ip.traffic_class = self.traffic_class;
                IpHeaders::Ipv6(ip, extensions).write(&mut head).unwrap();
            }
            NetHeaders::Arp(_) => unreachable!(),
        }
        out[..head.len()].copy_from_slice(&head);
        out
    }
}

proptest! {
    #[test]
    fn headers_are_read(sent in sent(), padding in 0..20_usize) {
        let mut bytes = sent.bytes();
        let length = bytes.len();
        bytes.resize(length + padding, 0);
        let found = parse(&bytes).unwrap();
        prop_assert_eq!(found.bytes, length);
        prop_assert_eq!(found.ecn, Ecn::of_bits(sent.traffic_class));
        let label = found.label();
        prop_assert_eq!(label.dscp.bits(), sent.traffic_class >> 2);
        prop_assert_ne!(label.from, 0);
        prop_assert_ne!(label.from, label.to);
        prop_assert_eq!(found.key.ports, sent.ports);
        prop_assert_eq!(found.key.protocol, if sent.is_tcp { 6 } else { 17 });
    }

    #[test]
    fn a_mark_changes_the_ecn_bits_and_nothing_else(sent in sent()) {
        let mut bytes = sent.bytes();
        mark(&mut bytes);
        let expected = Sent { traffic_class: sent.traffic_class | 3, ..sent };
        prop_assert_eq!(bytes, expected.bytes());
    }

    #[test]
    fn what_is_cut_short_is_refused(sent in sent(), cut in 1..60_usize) {
        let bytes = sent.bytes();
        let kept = bytes.len().saturating_sub(cut);
        prop_assert!(parse(&bytes[..kept]).is_none());
    }

    #[test]
    fn any_bytes_are_borne(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Some(found) = parse(&bytes) {
            prop_assert!(found.bytes <= bytes.len());
        }
    }
}

#[test]
fn fragments_have_no_ports() {
    let sent = Sent { is_v4: true, is_tcp: false, traffic_class: 0, ports: (5, 6), data: vec![0; 64] };
    let mut bytes = sent.bytes();
    assert!(matches!(PacketHeaders::from_ip_slice(&bytes).unwrap().transport, Some(TransportHeader::Udp(_))));
    // More fragments.
    bytes[6] |= 0x20;
    assert_eq!(parse(&bytes).unwrap().key.ports, (0, 0));
    // The second one.
    (bytes[6], bytes[7]) = (0, 8);
    assert_eq!(parse(&bytes).unwrap().key.ports, (0, 0));
}

/// IPv6 fragments with options for the destination: the second begins in the middle of the data, and no byte of it may
/// be read as a header.
#[test]
fn fragments_of_ipv6_are_one_flow_whatever_they_carry() {
    let fragment = |offset_and_more: u16, data: [u8; 16]| {
        let mut bytes = vec![0x60, 0, 0, 0, 0, 24, 44, 64];
        bytes.extend([0xfd; 16]);
        bytes.extend([0xfe; 16]);
        bytes.extend([60, 0]);
        bytes.extend(offset_and_more.to_be_bytes());
        bytes.extend([0, 0, 0, 9]);
        bytes.extend(data);
        bytes
    };
    // An option that is padding, and a header of UDP.
    let begin = [17, 0, 1, 4, 0, 0, 0, 0, 0, 5, 0, 6, 0, 99, 0, 0];
    let (first, second) = (parse(&fragment(1, begin)).unwrap(), parse(&fragment(16, [0xff; 16])).unwrap());
    assert_eq!(first.key, second.key);
    assert_eq!(first.key.ports, (0, 0));
    // The header of a fragment does not make one.
    assert_eq!(parse(&fragment(0, begin)).unwrap().key.ports, (5, 6));
}

/// Ten million packets that were valid once: `make fuzz`.
#[test]
#[ignore = "ten million packets"]
fn hostile_packets_are_borne() {
    let mut rng = Streams::new(11).at("packets");
    let mut draw = |below: usize| (rng.uniform() * below as f64) as usize;
    let plain =
        |is_v4, is_tcp| Sent { is_v4, is_tcp, traffic_class: 2, ports: (1, 2), data: vec![7; 200] }.bytes();
    let valid = [plain(true, true), plain(true, false), plain(false, true), plain(false, false)];
    let mut scratch = vec![0; 1 << 16];
    let (mut read, mut pieces) = (0_u64, 0_u64);
    for _ in 0..10_000_000 {
        let mut bytes = valid[draw(4)].clone();
        for _ in 0..=draw(4) {
            // Headers are where it hurts.
            let within = if draw(2) == 0 { 64.min(bytes.len()) } else { bytes.len() };
            let place = draw(within);
            bytes[place] = draw(256) as u8;
        }
        bytes.truncate(draw(bytes.len()) + 1);
        let mut header = [0; HEADER];
        header[0] = draw(4) as u8;
        let other = draw(256) as u8;
        header[1] = [0, 1, 4, other][draw(4)];
        (header[4], header[6], header[8]) = (draw(256) as u8, draw(80) as u8, draw(80) as u8);
        if let Some(found) = parse(&bytes) {
            assert!(found.bytes <= bytes.len());
            mark(&mut bytes);
            read += 1;
        }
        unfold(&header, &mut bytes, &mut scratch, |_, _| pieces += 1);
    }
    assert!(read > 0 && pieces > 0);
}
