//! Captures as bytes, for tests.

/// A pcap with microseconds, and for each packet its time and frame; what was longer says so.
pub(crate) fn pcap(link: u32, packets: &[(u32, u32, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xa1b2_c3d4_u32.to_le_bytes());
    file.extend([2, 0, 4, 0]);
    file.extend([0; 8]);
    file.extend(65_535_u32.to_le_bytes());
    file.extend(link.to_le_bytes());
    for (seconds, micros, frame) in packets {
        for number in [*seconds, *micros, frame.len() as u32, frame.len() as u32] {
            file.extend(number.to_le_bytes());
        }
        file.extend(*frame);
    }
    file
}

/// An IPv4 header with UDP ports, of a packet with `length` bytes: what a capture of headers keeps.
pub(crate) fn udp(length: u16, port: u16) -> Vec<u8> {
    datagram(length, ([10, 0, 0, 1], port), ([10, 0, 0, 2], 53))
}

/// An IPv4 header with UDP ports, of a packet from one end to the other, each an address and a port.
pub(crate) fn datagram(length: u16, from: ([u8; 4], u16), to: ([u8; 4], u16)) -> Vec<u8> {
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 17, 0, 0]);
    packet.extend([from.0, to.0].concat());
    packet.extend(from.1.to_be_bytes());
    packet.extend(to.1.to_be_bytes());
    packet.extend((length - 20).to_be_bytes());
    packet.extend([0, 0]);
    packet
}

/// An IPv6 header with UDP ports, of a packet between hosts of `2001:db8::/32` with these last bytes.
pub(crate) fn datagram6(length: u16, from: u8, to: u8) -> Vec<u8> {
    let address = |last: u8| [&[0x20, 1, 0x0d, 0xb8][..], &[0; 11], &[last]].concat();
    let mut packet = vec![0x60, 0, 0, 0];
    packet.extend((length - 40).to_be_bytes());
    packet.extend([17, 64]);
    packet.extend([address(from), address(to)].concat());
    packet.extend([0, 7, 0, 7]);
    packet.extend((length - 40).to_be_bytes());
    packet.extend([0, 0]);
    packet
}

pub(crate) fn ethernet(tag: bool, kind: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![1; 12];
    if tag {
        frame.extend([0x81, 0, 0, 7]);
    }
    frame.extend(kind);
    frame.extend(payload);
    frame
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let mut padded = body.to_vec();
    padded.resize(body.len().next_multiple_of(4), 0);
    let length = (padded.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &padded, &length].concat()
}

/// pcapng: a section, interfaces whose clocks count nanoseconds, packets of raw IP, each with its interface.
pub(crate) fn pcapng_of(interfaces: u32, packets: &[(u32, u64, &[u8])]) -> Vec<u8> {
    let section = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let interface = [&[101, 0, 0, 0, 0, 0, 4, 0][..], &[9, 0, 1, 0, 9, 0, 0, 0], &[0; 4]].concat();
    let mut file = block(0x0a0d_0d0a, &section);
    for _ in 0..interfaces {
        file.extend(block(1, &interface));
    }
    for (interface, nanos, frame) in packets {
        let (high, low) = ((nanos >> 32) as u32, *nanos as u32);
        let length = frame.len() as u32;
        let head = [*interface, high, low, length, length].map(u32::to_le_bytes).concat();
        file.extend(block(6, &[&head, *frame].concat()));
    }
    file
}

/// A pcapng file with one interface.
pub(crate) fn pcapng(packets: &[(u64, &[u8])]) -> Vec<u8> {
    let packets: Vec<_> = packets.iter().map(|(nanos, frame)| (0, *nanos, *frame)).collect();
    pcapng_of(1, &packets)
}
