//! The transfers of a capture: how much, when, over which round trip.

use std::{collections::HashMap, fs::File, path::Path};

use weir_types::Invalid;

use super::{
    connection::{Conversation, Kind},
    frame::{Endpoints, IpPacket, Transport},
    subnet::Subnet,
};

/// Nanoseconds after which a silent conversation is over: any, one of few packets, one that both ends closed.
const IDLE: i64 = 600_000_000_000;
const SMALL: i64 = 30_000_000_000;
const CLOSED: i64 = 2_000_000_000;
/// Nanoseconds of silence before the end of a capture after which a transfer counts as complete; of a short
/// capture a tenth.
const SILENCE: i64 = 1_000_000_000;
/// Datagrams that make a stream.
const STREAM: u64 = 10;
/// Packets from one look at the clock and for signals to the next.
const OFTEN: u64 = 1 << 16;

/// What one end of a conversation has sent to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// Seconds since the first packet of the capture.
    pub start: f64,
    /// Seconds from the first packet to the last.
    pub duration: f64,
    /// Bytes of IP packets, each counted once, without the SYN.
    pub bytes: u64,
    /// Packets that were captured, retransmissions included.
    pub packets: u64,
    /// Bytes of the largest IP packet.
    pub packet: u32,
    /// Seconds of the shortest round trip; NaN if there is none.
    pub rtt: f64,
    /// Seconds of a part of it, to the receiver or to the sender; NaN if there is none.
    pub part: f64,
    /// Seconds of the longest pause between packets with data.
    pub pause: f64,
    /// Whether its beginning was captured; if not, `bytes` are those that were.
    pub begun: bool,
    /// Whether it was over at the end of the capture; if not, likewise.
    pub ended: bool,
    /// Datagrams without congestion control.
    pub datagrams: bool,
}

/// Why conversations are no transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// They had no data in the direction of interest.
    NoData,
    /// Too few datagrams to be a stream.
    FewDatagrams,
}

impl LeftOut {
    /// All reasons, in the order of [`Transfers::left_out`].
    pub const ALL: [Self; 2] = [Self::NoData, Self::FewDatagrams];
}

/// Conversations, and bytes of their packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Conversations.
    pub count: u64,
    /// Bytes of IP packets, in both directions.
    pub bytes: u64,
}

impl Found {
    fn add(&mut self, conversation: &Conversation) {
        self.count += 1;
        self.bytes += conversation.sides.iter().map(|side| side.bytes).sum::<u64>();
    }
}

/// The transfers of a capture.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    /// In the order of their ends.
    pub transfers: Vec<Transfer>,
    /// Those of [`LeftOut::ALL`].
    pub left_out: [Found; 2],
    /// TCP connections.
    pub tcp: Found,
    /// QUIC connections, by their port.
    pub quic: Found,
    /// Conversations in other datagrams.
    pub datagrams: Found,
    /// Packets of the capture.
    pub packets: u64,
    /// Of these, packets of other protocols, fragments, and headers that are cut off.
    pub others: u64,
    /// Seconds from the first packet to the last.
    pub duration: f64,
    /// Where the file is damaged: what comes before has been read.
    pub damage: Option<Invalid>,
    towards: Vec<Subnet>,
}

impl Transfers {
    /// Reads a capture: pcap or pcapng, perhaps compressed with gzip. Of each conversation the larger direction
    /// counts, or that towards some addresses. `proceed` is asked now and then whether to go on.
    ///
    /// # Errors
    /// If the file cannot be read, or is no capture.
    pub fn read(
        path: &Path,
        towards: Vec<Subnet>,
        mut proceed: impl FnMut() -> bool,
    ) -> Result<Self, Invalid> {
        let wrong =
            |message: String, hint: &str| Invalid { parameter: "file".into(), message, hint: hint.into() };
        let unreadable =
            |error: std::io::Error| wrong(format!("it cannot be read: {error}"), "choose another file");
        let file = super::decompressed(File::open(path).map_err(unreadable)?).map_err(unreadable)?;
        let mut found = Self { towards, ..Self::default() };
        let mut open: HashMap<Endpoints, Conversation> = HashMap::new();
        let mut first = None;
        let (mut now, mut swept) = (0, 0);
        let damage = super::read(file, |packet| {
            found.packets += 1;
            let at = (packet.nanos - *first.get_or_insert(packet.nanos)) as i64;
            now = now.max(at);
            if found.packets.is_multiple_of(OFTEN) {
                if !proceed() {
                    return Err(wrong("interrupted".to_owned(), ""));
                }
                if now - swept > CLOSED / 2 {
                    swept = now;
                    found.sweep(&mut open, now);
                }
            }
            match packet.ip {
                Some(ip) if !matches!(ip.transport, Transport::Other) => found.push(&mut open, &ip, at),
                _ => found.others += 1,
            }
            Ok(())
        })?;
        found.duration = now as f64 / 1e9;
        found.damage = damage;
        for (key, conversation) in &open {
            found.finish(conversation, key, now);
        }
        // Those that were open have come in no order.
        found
            .transfers
            .sort_by(|one, other| one.start.total_cmp(&other.start).then(one.bytes.cmp(&other.bytes)));
        Ok(found)
    }

    fn push(&mut self, open: &mut HashMap<Endpoints, Conversation>, packet: &IpPacket, at: i64) {
        let (source, destination, protocol, from_port, to_port) = packet.endpoints;
        let is_second = (source, from_port) > (destination, to_port);
        let key =
            if is_second { (destination, source, protocol, to_port, from_port) } else { packet.endpoints };
        let from = usize::from(is_second);
        let conversation = open.entry(key).or_insert_with(|| Conversation::begin(packet, at, from));
        if conversation.is_over_before(packet, from) {
            let former = std::mem::replace(conversation, Conversation::begin(packet, at, from));
            self.finish(&former, &key, i64::MAX);
        }
        let conversation = open.get_mut(&key).expect("entered above");
        conversation.push(packet, at, from);
    }

    /// Finishes what is over, so that memory holds what is not.
    fn sweep(&mut self, open: &mut HashMap<Endpoints, Conversation>, now: i64) {
        open.retain(|key, conversation| {
            let packets: u64 = conversation.sides.iter().map(|side| side.packets).sum();
            let limit = match (conversation.is_closed(), packets < STREAM) {
                (true, _) => CLOSED,
                (false, true) => SMALL,
                (false, false) => IDLE,
            };
            let stays = now - conversation.last < limit;
            if !stays {
                self.finish(conversation, key, i64::MAX);
            }
            stays
        });
    }

    /// Counts a conversation; `end` is that of the capture, if it ended meanwhile.
    fn finish(&mut self, conversation: &Conversation, key: &Endpoints, end: i64) {
        let of_kind = match conversation.kind {
            Kind::Tcp(_) => &mut self.tcp,
            Kind::Quic(_) => &mut self.quic,
            Kind::Datagrams => &mut self.datagrams,
        };
        of_kind.add(conversation);
        match self.transfer(conversation, key, end) {
            Ok(transfer) => self.transfers.push(transfer),
            Err(why) => self.left_out[why as usize].add(conversation),
        }
    }

    fn transfer(&self, conversation: &Conversation, key: &Endpoints, end: i64) -> Result<Transfer, LeftOut> {
        let side = self.side(conversation, key).ok_or(LeftOut::NoData)?;
        let datagrams = conversation.kind == Kind::Datagrams;
        let packets = conversation.sides[side].packets;
        if datagrams && packets < STREAM {
            return Err(LeftOut::FewDatagrams);
        }
        let silent = end.saturating_sub(conversation.last) >= SILENCE.min(end / 10);
        let seconds = |nanos: Option<i64>| nanos.map_or(f64::NAN, |nanos| nanos as f64 / 1e9);
        Ok(Transfer {
            start: conversation.first as f64 / 1e9,
            duration: (conversation.last - conversation.first) as f64 / 1e9,
            bytes: conversation.size(side),
            packets,
            packet: conversation.packet(side),
            rtt: seconds(conversation.round_trip()),
            part: seconds(conversation.part(side)),
            pause: seconds(Some(conversation.sides[side].pause)),
            begun: datagrams || conversation.has_begun(),
            ended: datagrams || silent || conversation.has_ended(),
            datagrams,
        })
    }

    /// The side whose data counts.
    fn side(&self, conversation: &Conversation, key: &Endpoints) -> Option<usize> {
        let receivers = [key.1, key.0];
        let sizes = [0, 1].map(|side| conversation.size(side));
        let is_meant = |side: &usize| {
            sizes[*side] > 0
                && (self.towards.is_empty()
                    || self.towards.iter().any(|subnet| subnet.contains(receivers[*side])))
        };
        [0, 1].into_iter().filter(is_meant).max_by_key(|side| sizes[*side])
    }
}
