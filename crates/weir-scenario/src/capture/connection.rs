//! A conversation of two ends, as far as its packets passed the point of capture.

use super::frame::{Datagram, IpPacket, TcpSegment, Transport};

/// State of a conversation, as its packets have shown it so far.
pub(super) struct Conversation {
    pub(super) kind: Protocol,
    /// Nanoseconds: first and last packet.
    pub(super) first: i64,
    pub(super) last: i64,
    /// Time of the first SYN in nanoseconds; `None` if the beginning was not captured.
    syn: Option<i64>,
    /// From the SYN to the next segment of the same end: a round trip that needs one direction only.
    handshake: Option<i64>,
    pub(super) reset: bool,
    /// Packets of each end: first the end with the lower address.
    pub(super) sides: [Side; 2],
}

/// How a conversation is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// TCP; its client is this side, where known.
    Tcp(Option<usize>),
    /// UDP to or from port 443; true if the handshake was captured.
    Quic(bool),
    /// Other datagrams.
    Datagrams,
}

/// Packets that one end has sent.
#[derive(Default)]
pub(super) struct Side {
    pub(super) packets: u64,
    /// Bytes of IP packets, retransmissions included.
    pub(super) bytes: u64,
    /// Sequence number of the first packet, from which numbers are counted.
    base: Option<u32>,
    /// The next sequence number, counted from the base without wrapping.
    next: i64,
    /// Limits of the data, counted likewise.
    data: Option<(i64, i64)>,
    /// A segment whose acknowledgment is awaited: the number after it, and when it passed.
    timed: Option<(i64, i64)>,
    /// The shortest time from a segment to its acknowledgment, nanoseconds: to the receiver and back.
    half: Option<i64>,
    /// Time of the last packet with data, nanoseconds.
    last: Option<i64>,
    /// The longest time between two of them.
    pub(super) pause: i64,
    fin: bool,
    /// Bytes of IP and TCP headers of the latest data.
    header: u32,
    /// Bytes of the largest packet.
    largest: u32,
    mss: Option<u16>,
}

impl Conversation {
    pub(super) fn begin(packet: &IpPacket, at: i64, from: usize) -> Self {
        let (_, _, _, source, destination) = packet.endpoints;
        let kind = match &packet.transport {
            Transport::Tcp(tcp) if tcp.syn => {
                Protocol::Tcp(Some(if tcp.acknowledgment.is_some() { 1 - from } else { from }))
            }
            Transport::Tcp(_) => Protocol::Tcp(None),
            // RFC 9000, section 17.2: packets of the handshake have the long form.
            Transport::Datagram(Datagram { first, .. }) if source == 443 || destination == 443 => {
                Protocol::Quic(first.is_some_and(|byte| byte & 0x80 != 0))
            }
            _ => Protocol::Datagrams,
        };
        Self {
            kind,
            first: at,
            last: at,
            syn: None,
            handshake: None,
            reset: false,
            sides: [Side::default(), Side::default()],
        }
    }

    /// Returns true if the packet is the first of another conversation between the same ports.
    pub(super) fn is_over_before(&self, packet: &IpPacket, from: usize) -> bool {
        let Transport::Tcp(tcp) = &packet.transport else { return false };
        let side = &self.sides[from];
        // The same SYN once more has the same number, and comes before data.
        let is_new = |base| base != tcp.sequence || side.next > 1;
        tcp.syn && tcp.acknowledgment.is_none() && (!self.has_begun() || side.base.is_some_and(is_new))
    }

    pub(super) fn push(&mut self, packet: &IpPacket, at: i64, from: usize) {
        self.last = self.last.max(at);
        let side = &mut self.sides[from];
        side.packets += 1;
        side.bytes += u64::from(packet.bytes);
        side.largest = side.largest.max(packet.bytes);
        match &packet.transport {
            Transport::Tcp(tcp) => self.segment(tcp, packet.bytes, at, from),
            Transport::Datagram(datagram) => {
                side.header = datagram.header;
                side.carried(at);
            }
            Transport::Other => {}
        }
    }

    fn segment(&mut self, tcp: &TcpSegment, bytes: u32, at: i64, from: usize) {
        self.reset |= tcp.rst;
        if tcp.rst {
            return;
        }
        let client = self.kind == Protocol::Tcp(Some(from));
        if tcp.syn && tcp.acknowledgment.is_none() {
            // An answer to one of two SYNs does not say to which.
            self.handshake = self.syn.map(|_| -1);
            self.syn.get_or_insert(at);
        } else if client && self.handshake.is_none() {
            self.handshake = self.syn.map(|syn| at - syn);
        }
        self.sides[from].sent(tcp, bytes.saturating_sub(tcp.header), at);
        if let Some(number) = tcp.acknowledgment {
            self.sides[1 - from].acknowledged(number, at);
        }
    }

    /// Returns true if it was reset, or at least one end is done.
    pub(super) fn has_ended(&self) -> bool {
        self.reset || self.sides.iter().any(|side| side.fin)
    }

    /// Returns true if it was reset, or both ends are done.
    pub(super) fn is_closed(&self) -> bool {
        self.reset || self.sides.iter().all(|side| side.fin)
    }

    /// Returns true if its beginning was captured.
    pub(super) fn has_begun(&self) -> bool {
        match self.kind {
            Protocol::Tcp(client) => client.is_some(),
            Protocol::Quic(begun) => begun,
            Protocol::Datagrams => true,
        }
    }

    /// The round trip in nanoseconds: both halves at their shortest; with one direction captured, that of the
    /// handshake.
    pub(super) fn round_trip(&self) -> Option<i64> {
        match [self.sides[0].half, self.sides[1].half] {
            [Some(one), Some(other)] => Some(one + other),
            _ => self.handshake,
        }
        .filter(|trip| *trip > 0)
    }

    /// Known part of the round trip of a side's data, nanoseconds: the part on one side of the capture.
    pub(super) fn part(&self, side: usize) -> Option<i64> {
        self.sides[side].half.or(self.sides[1 - side].half).filter(|part| *part > 0)
    }

    /// The greatest size of the packets of a side.
    pub(super) fn packet(&self, side: usize) -> u32 {
        let mss = |side: &Side| side.mss.map_or(u32::MAX, u32::from);
        let agreed = self.sides.iter().map(mss).min().unwrap_or(u32::MAX);
        let Side { largest, header, .. } = self.sides[side];
        if agreed < u32::from(u16::MAX) {
            // The option counts headers without options (RFC 6691); IPv6 has 20 bytes more.
            return agreed + if header >= 60 && largest > agreed + 40 { 60 } else { 40 };
        }
        // Larger packets are those of segmentation offload.
        if largest > 9_216 { 1500 } else { largest }
    }

    /// Bytes of the packets that carry the data of a side once.
    pub(super) fn size(&self, side: usize) -> u64 {
        let sent = &self.sides[side];
        if !matches!(self.kind, Protocol::Tcp(_)) {
            return sent.bytes;
        }
        let payload = sent.data.map_or(0, |(from, to)| (to - from) as u64);
        let header = u64::from(sent.header);
        let room = u64::from(self.packet(side)).saturating_sub(header).max(1);
        payload + payload.div_ceil(room) * header
    }
}

impl Side {
    /// A packet with data has passed.
    fn carried(&mut self, at: i64) {
        self.pause = self.pause.max(at - self.last.unwrap_or(at));
        self.last = self.last.max(Some(at));
    }

    /// A sequence number counted from the base, nearest to the next.
    fn counted(&self, base: u32, number: u32) -> i64 {
        let expected = base.wrapping_add(self.next as u32);
        self.next + i64::from(number.wrapping_sub(expected).cast_signed())
    }

    fn sent(&mut self, tcp: &TcpSegment, payload: u32, at: i64) {
        let base = *self.base.get_or_insert(tcp.sequence);
        let start = self.counted(base, tcp.sequence);
        let end = start + i64::from(tcp.syn) + i64::from(payload) + i64::from(tcp.fin);
        self.fin |= tcp.fin;
        if tcp.mss.is_some() {
            self.mss = tcp.mss;
        }
        if payload > 0 {
            let from = start + i64::from(tcp.syn);
            let to = from + i64::from(payload);
            self.header = tcp.header;
            self.carried(at);
            self.data = Some(self.data.map_or((from, to), |data| (data.0.min(from), data.1.max(to))));
        }
        if end > self.next {
            if start >= self.next && self.timed.is_none() {
                self.timed = Some((end, at));
            }
            self.next = end;
        } else if end > start {
            // Sent again: its acknowledgment does not say of which (Karn's algorithm).
            self.timed = None;
        }
    }

    fn acknowledged(&mut self, number: u32, at: i64) {
        let (Some(base), Some((end, since))) = (self.base, self.timed) else { return };
        if self.counted(base, number) >= end {
            self.timed = None;
            if at >= since {
                self.half = Some(self.half.map_or(at - since, |half| half.min(at - since)));
            }
        }
    }
}
