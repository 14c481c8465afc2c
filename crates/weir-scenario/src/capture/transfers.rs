//! The transfers of a capture: how much, when, over which round trip.

use std::{collections::HashMap, fs::File, net::IpAddr, path::Path};

use weir_types::{Duration, Invalid};

use super::{
    InOrder, Packet,
    connection::{Conversation, Protocol},
    frame::{Endpoints, IpPacket, Transport},
    sides::{Side, Sides},
    subnet::{Address, Subnet, most},
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

/// Transfer from one end of a conversation to the other.
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
    /// Its beginning was captured; if not, `bytes` are those that were.
    pub begun: bool,
    /// It was over at the end of the capture; if not, `bytes` are those that were captured.
    pub ended: bool,
    /// Datagrams without congestion control.
    pub datagrams: bool,
}

/// Why conversations are no transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// They had no data.
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

/// Transfers of the other direction, which are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OtherDirection {
    /// Their number.
    pub transfers: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The host that was sent most of them.
    pub to: Option<IpAddr>,
    /// All hosts that were sent something.
    pub hosts: u64,
}

/// The transfers of a capture.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    /// In the order of their starts.
    pub transfers: Vec<Transfer>,
    /// Transfers that are left out since they went the other way.
    pub other_direction: OtherDirection,
    /// Groups of hosts that have nothing to do with each other; `None` if there is one direction.
    pub groups: Option<usize>,
    /// Both directions of a link are in `transfers`, as if they were one.
    pub mixed: bool,
    /// Conversations that are no transfers, by the reasons of [`LeftOut::ALL`].
    pub left_out: [Found; 2],
    /// TCP connections.
    pub tcp: Found,
    /// QUIC connections, by their port.
    pub quic: Found,
    /// Conversations in other datagrams.
    pub datagrams: Found,
    /// Packets of the capture.
    pub packets: u64,
    /// Packets of other protocols, fragments, and headers that are cut off, among `packets`.
    pub others: u64,
    /// Packets that came after a later one.
    pub late: u64,
    /// By how much the latest of them was late.
    pub latest: Duration,
    /// Packets that had been captured elsewhere: they are not among `packets`.
    pub copies: u64,
    /// Seconds from the first packet to the last.
    pub duration: f64,
    /// Where the file is damaged: what comes before has been read.
    pub damage: Option<Invalid>,
}

impl Transfers {
    /// Reads a capture: pcap or pcapng, perhaps compressed with gzip. What went in the larger direction of the
    /// link counts, as in a replay, or what went to some addresses. `proceed` is asked now and then whether to
    /// go on.
    ///
    /// # Errors
    /// If the file cannot be read, or is no capture.
    pub fn read(path: &Path, towards: &[Subnet], proceed: impl Fn() -> bool) -> Result<Self, Invalid> {
        let wrong =
            |message: String, hint: &str| Invalid { parameter: "file".into(), message, hint: hint.into() };
        let unreadable =
            |error: std::io::Error| wrong(format!("it cannot be read: {error}"), "choose another file");
        let open = || File::open(path).and_then(super::decompressed).map_err(unreadable);
        let mut read = 0_u64;
        let go_on = || {
            read += 1;
            let is_asked = read.is_multiple_of(OFTEN);
            if is_asked && !proceed() { Err(wrong("interrupted".to_owned(), "")) } else { Ok(()) }
        };
        let each = |reading: &mut Reading, packet| {
            reading.push(packet);
            Ok(())
        };
        let InOrder { made, lateness, copies, damage } =
            super::in_order(open, go_on, Reading::default, each)?;
        Ok(Self { late: lateness.late, latest: lateness.latest(), copies, damage, ..made.finish(towards) })
    }

    /// Takes of what the ends of conversations sent what went one way.
    fn choose(&mut self, sent: Vec<Sent>, sides: Sides, towards: &[Subnet]) {
        let larger = sides.larger();
        let side = |sent: &Sent| larger.as_ref().map_or(Side::ONLY, |larger| larger.side(&sent.endpoints));
        let goes = |sent: &Sent| {
            if towards.is_empty() { side(sent).larger } else { sent.goes_to(towards) }
        };
        let mut chosen = Vec::new();
        let mut hosts: HashMap<Address, u64> = HashMap::new();
        let mut sent = sent.into_iter().peekable();
        while let Some(one) = sent.next() {
            // Of a conversation whose ends both count, the larger direction.
            let other = sent.next_if(|other| other.conversation == one.conversation);
            let best = [Some(&one), other.as_ref()]
                .into_iter()
                .flatten()
                .filter(|sent| goes(sent))
                .max_by_key(|sent| sent.transfer.bytes)
                .map(|sent| sent.endpoints);
            for sent in [Some(one), other].into_iter().flatten() {
                if best == Some(sent.endpoints) {
                    chosen.push(sent);
                } else {
                    self.other_direction.transfers += 1;
                    self.other_direction.bytes += sent.transfer.bytes;
                    *hosts.entry(sent.endpoints.1).or_default() += sent.transfer.bytes;
                }
            }
        }
        self.other_direction.hosts = hosts.len() as u64;
        self.other_direction.to = most(hosts);
        self.mixed = larger.is_some() && Side::are_both(chosen.iter().map(side));
        self.groups = larger.as_ref().map(|larger| larger.groups);
        self.transfers = chosen.into_iter().map(|sent| sent.transfer).collect();
        // Those that were open have come in no order.
        self.transfers
            .sort_by(|one, other| one.start.total_cmp(&other.start).then(one.bytes.cmp(&other.bytes)));
    }
}

/// Transfer that one end of a conversation has sent, and to whom.
struct Sent {
    conversation: u64,
    endpoints: Endpoints,
    transfer: Transfer,
}

impl Sent {
    fn goes_to(&self, towards: &[Subnet]) -> bool {
        towards.iter().any(|subnet| subnet.contains(self.endpoints.1))
    }
}

/// A capture that is being read.
#[derive(Default)]
struct Reading {
    found: Transfers,
    sides: Sides,
    /// Transfers of both ends of a conversation, one after the other.
    sent: Vec<Sent>,
    open: HashMap<Endpoints, Conversation>,
    first: Option<i128>,
    /// Nanoseconds since the first packet: of the latest one, and when the open conversations were swept.
    now: i64,
    swept: i64,
}

impl Reading {
    fn push(&mut self, packet: Packet) {
        self.found.packets += 1;
        let since = packet.nanos - *self.first.get_or_insert(packet.nanos);
        self.now = i64::try_from(since).unwrap_or(i64::MAX);
        if self.found.packets.is_multiple_of(OFTEN) && self.now - self.swept > CLOSED / 2 {
            self.swept = self.now;
            self.sweep();
        }
        let Some(ip) = packet.ip else {
            self.found.others += 1;
            return;
        };
        self.sides.push(&ip.endpoints, ip.stations, packet.interface, ip.bytes);
        if matches!(ip.transport, Transport::Other) {
            self.found.others += 1;
        } else {
            self.converse(&ip);
        }
    }

    fn converse(&mut self, packet: &IpPacket) {
        let (source, destination, _, from_port, to_port) = packet.endpoints;
        let is_second = (source, from_port) > (destination, to_port);
        let key = if is_second { back(packet.endpoints) } else { packet.endpoints };
        let from = usize::from(is_second);
        let at = self.now;
        let conversation = self.open.entry(key).or_insert_with(|| Conversation::begin(packet, at, from));
        if conversation.is_over_before(packet, from) {
            let former = std::mem::replace(conversation, Conversation::begin(packet, at, from));
            conversation.push(packet, at, from);
            self.end(&former, key, i64::MAX);
        } else {
            conversation.push(packet, at, from);
        }
    }

    /// Finishes what is over, so that memory holds what is not.
    fn sweep(&mut self) {
        let now = self.now;
        let over = self.open.extract_if(|_, conversation| {
            let packets: u64 = conversation.sides.iter().map(|side| side.packets).sum();
            let limit = match (conversation.is_closed(), packets < STREAM) {
                (true, _) => CLOSED,
                (false, true) => SMALL,
                (false, false) => IDLE,
            };
            now - conversation.last >= limit
        });
        for (key, conversation) in over.collect::<Vec<_>>() {
            self.end(&conversation, key, i64::MAX);
        }
    }

    /// Counts a conversation; `end` is that of the capture, if it ended meanwhile.
    fn end(&mut self, conversation: &Conversation, key: Endpoints, end: i64) {
        let of_kind = match conversation.kind {
            Protocol::Tcp(_) => &mut self.found.tcp,
            Protocol::Quic(_) => &mut self.found.quic,
            Protocol::Datagrams => &mut self.found.datagrams,
        };
        of_kind.add(conversation);
        let number = self.found.tcp.count + self.found.quic.count + self.found.datagrams.count;
        let mut why = Some(LeftOut::NoData);
        for (side, endpoints) in [key, back(key)].into_iter().enumerate() {
            match transfer(conversation, side, end) {
                Ok(transfer) => {
                    why = None;
                    self.sent.push(Sent { conversation: number, endpoints, transfer });
                }
                Err(LeftOut::FewDatagrams) => why = why.map(|_| LeftOut::FewDatagrams),
                Err(LeftOut::NoData) => {}
            }
        }
        if let Some(why) = why {
            self.found.left_out[why as usize].add(conversation);
        }
    }

    fn finish(mut self, towards: &[Subnet]) -> Transfers {
        self.found.duration = self.now as f64 / 1e9;
        let end = self.now;
        for (key, conversation) in std::mem::take(&mut self.open) {
            self.end(&conversation, key, end);
        }
        self.found.choose(self.sent, self.sides, towards);
        self.found
    }
}

/// The other way.
const fn back((source, destination, protocol, from, to): Endpoints) -> Endpoints {
    (destination, source, protocol, to, from)
}

/// Makes a transfer of the data that a side has sent.
fn transfer(conversation: &Conversation, side: usize, end: i64) -> Result<Transfer, LeftOut> {
    let bytes = conversation.size(side);
    if bytes == 0 {
        return Err(LeftOut::NoData);
    }
    let datagrams = conversation.kind == Protocol::Datagrams;
    let packets = conversation.sides[side].packets;
    if datagrams && packets < STREAM {
        return Err(LeftOut::FewDatagrams);
    }
    let silent = end.saturating_sub(conversation.last) >= SILENCE.min(end / 10);
    let seconds = |nanos: Option<i64>| nanos.map_or(f64::NAN, |nanos| nanos as f64 / 1e9);
    Ok(Transfer {
        start: conversation.first as f64 / 1e9,
        duration: (conversation.last - conversation.first) as f64 / 1e9,
        bytes,
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
