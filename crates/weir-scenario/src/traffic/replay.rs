//! Replay of a packet trace: the packets of a CSV, pcap or pcapng file, when and as large as they were.

use std::{collections::HashMap, hash::Hash, path::Path};

use etherparse::{LaxPacketHeaders, NetHeaders, TransportHeader};
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, PcapHeader, create_reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

use super::files::{self, Content};

/// The packets of a trace as datagrams.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("examples" = [{"file": "uplink.csv"}]))]
pub struct Replay {
    /// A path beside the scenario's file: pcap or pcapng, or CSV with the columns `time` (seconds),
    /// `bytes` and, if packets belong to several flows, `flow`. Times count from the first packet, sizes
    /// are those of IP packets; of a capture, what is not IP is left out.
    pub file: String,
    /// Digest of what the file must hold. Default: whatever it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Declare packets ECN-capable, and ignore the marks. Default off.
    #[serde(default)]
    pub ecn: bool,
    /// What the file holds.
    #[serde(skip)]
    pub trace: Content<Trace>,
}

/// Packets in the order of their times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The packets.
    pub packets: Vec<TracePacket>,
    /// Flows they belong to.
    pub flows: u32,
}

/// A packet of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracePacket {
    /// Since the first packet.
    pub at: Duration,
    /// Bytes of the IP packet.
    pub bytes: u32,
    /// Number of its flow, in the order of their first packets.
    pub flow: u32,
}

/// What is not yet a trace: times since anywhere, in nanoseconds, and flows by whatever names them.
struct Reading<Flow> {
    trace: Trace,
    flows: HashMap<Flow, u32>,
    first: i128,
    last: i128,
}

impl Replay {
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), Invalid> {
        files::read(folder, &mut self.file, &mut self.digest, &mut self.trace, Trace::parse)
    }
}

impl Trace {
    /// Reads a capture or CSV.
    ///
    /// # Errors
    /// Names the line, or the number of the packet, that is wrong.
    pub fn parse(bytes: &[u8]) -> Result<Self, Invalid> {
        // The magic numbers of pcap (micro- and nanoseconds, either order of bytes) and of pcapng.
        const CAPTURES: [[u8; 4]; 5] = [
            [0xa1, 0xb2, 0xc3, 0xd4],
            [0xd4, 0xc3, 0xb2, 0xa1],
            [0xa1, 0xb2, 0x3c, 0x4d],
            [0x4d, 0x3c, 0xb2, 0xa1],
            [0x0a, 0x0d, 0x0d, 0x0a],
        ];
        let trace = if CAPTURES.iter().any(|magic| bytes.starts_with(magic)) {
            parse_capture(bytes)
        } else {
            parse_csv(bytes)
        }?;
        Invalid::unless(
            !trace.packets.is_empty(),
            "file",
            "there is no packet in it",
            "a capture needs IP packets; CSV has lines such as \"0.001,1500\"",
        )?;
        Ok(trace)
    }
}

impl<Flow: Eq + Hash> Reading<Flow> {
    fn new() -> Self {
        Self { trace: Trace::default(), flows: HashMap::new(), first: 0, last: 0 }
    }

    /// The next packet; the error says that it is earlier than the last.
    fn push(&mut self, nanos: i128, bytes: u32, flow: Flow) -> Result<(), String> {
        if self.trace.packets.is_empty() {
            (self.first, self.last) = (nanos, nanos);
        }
        if nanos < self.last {
            let seconds = (self.last - nanos) as f64 / 1e9;
            return Err(format!("the time goes back by {seconds} s"));
        }
        self.last = nanos;
        let at = u64::try_from(nanos - self.first).unwrap_or(u64::MAX);
        let new = self.flows.len() as u32;
        let flow = *self.flows.entry(flow).or_insert(new);
        self.trace.packets.push(TracePacket { at: Duration::from_nanos(at), bytes, flow });
        Ok(())
    }

    fn finish(self) -> Trace {
        Trace { flows: self.flows.len() as u32, ..self.trace }
    }
}

/// `time,bytes[,flow]`, with or without that head.
fn parse_csv(bytes: &[u8]) -> Result<Trace, Invalid> {
    let example = "each line has seconds, bytes and perhaps a flow, such as \"0.001,1500\"";
    let mut rows = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(bytes);
    let mut reading = Reading::new();
    for (index, row) in rows.records().enumerate() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line);
            files::at("line", line, "not text", "a trace is CSV, pcap or pcapng")
        })?;
        let line = row.position().map_or(0, csv::Position::line);
        let wrong = |message: String| files::at("line", line, message, example);
        let fields: Vec<_> = row.iter().collect();
        if index == 0 && matches!(fields[..], ["time", "bytes"] | ["time", "bytes", "flow"]) {
            continue;
        }
        let [time, size, rest @ ..] = &fields[..] else {
            return Err(wrong(format!("{} field where there should be two", fields.len())));
        };
        let nanos = nanos_of(time).ok_or_else(|| wrong(format!("\"{time}\" is not a time in seconds")))?;
        let size = size.parse().ok().filter(|size| (1..=1_000_000).contains(size));
        let size = size.ok_or_else(|| wrong(format!("\"{}\" is not the size of a packet", fields[1])))?;
        let flow = match rest {
            [] => "",
            [flow] => flow,
            _ => return Err(wrong(format!("{} fields where there should be two or three", fields.len()))),
        };
        reading
            .push(nanos, size, flow.to_owned())
            .map_err(|message| files::at("line", line, message, "sort the lines by time"))?;
    }
    Ok(reading.finish())
}

/// Decimal seconds as whole nanoseconds, digit by digit: seconds since 1970 have more digits than a
/// floating-point number.
fn nanos_of(text: &str) -> Option<i128> {
    if text.contains(['e', 'E']) {
        let seconds: f64 = text.parse().ok()?;
        return (seconds.abs() < 1e12).then(|| (seconds * 1e9).round() as i128);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !are_digits(whole) || !are_digits(fraction) || whole.len() > 12 || whole.len() + fraction.len() == 0 {
        return None;
    }
    let seconds: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let nanos: i128 = format!("{:0<9}", &fraction[..fraction.len().min(9)]).parse().ok()?;
    let nanos = seconds * 1_000_000_000 + nanos;
    Some(if negative { -nanos } else { nanos })
}

/// An interface of a capture: what its packets begin with, and its clock.
#[derive(Clone, Copy)]
struct Interface {
    link: Linktype,
    /// Units of time per second.
    resolution: u64,
    /// Seconds to add.
    offset: i64,
}

fn parse_capture(bytes: &[u8]) -> Result<Trace, Invalid> {
    let mut reading = Reading::new();
    let mut interfaces: Vec<Interface> = Vec::new();
    let mut number = 0_u64;
    let broken = |number: u64| {
        let message = "the file ends within it, or is damaged";
        files::at("packet", number + 1, message, "capture it again, or cut it with a tool such as editcap")
    };
    // Room for the whole file and more: a block that does not fit is one that does not end.
    let mut blocks = create_reader(bytes.len() + (1 << 16), bytes).map_err(|_| broken(0))?;
    loop {
        match blocks.next() {
            Ok((length, block)) => {
                if let Some((nanos, data, original, link)) =
                    packet_of(&block, &mut interfaces).map_err(|message| {
                        files::at("packet", number + 1, message, "write it with another tool")
                    })?
                {
                    number += 1;
                    if !is_known(link) {
                        let message = format!("its link type {} is not known", link.0);
                        let hint = "capture Ethernet, Linux cooked frames, a loopback or raw IP";
                        return Err(files::at("packet", number, message, hint));
                    }
                    if let Some((size, flow)) = ip_of(data, original, link) {
                        reading.push(nanos, size, flow).map_err(|message| {
                            files::at("packet", number, message, "sort it with a tool such as reordercap")
                        })?;
                    }
                }
                blocks.consume(length);
            }
            Err(PcapError::Eof) => return Ok(reading.finish()),
            Err(PcapError::Incomplete(_)) => {
                blocks.refill().map_err(|_| broken(number))?;
            }
            Err(_) => return Err(broken(number)),
        }
    }
}

type Raw<'a> = (i128, &'a [u8], u32, Linktype);

/// The packet in a block, if it holds one: its time in nanoseconds, its bytes, how many there were, and
/// what they begin with.
fn packet_of<'a>(
    block: &PcapBlockOwned<'a>,
    interfaces: &mut Vec<Interface>,
) -> Result<Option<Raw<'a>>, &'static str> {
    let header = |header: &PcapHeader| Interface {
        link: header.network,
        resolution: if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 },
        offset: 0,
    };
    match block {
        PcapBlockOwned::LegacyHeader(found) => {
            *interfaces = vec![header(found)];
            Ok(None)
        }
        PcapBlockOwned::Legacy(packet) => {
            let [Interface { link, resolution, .. }] = interfaces[..] else { return Ok(None) };
            let scale = 1_000_000_000 / i128::from(resolution);
            let nanos = i128::from(packet.ts_sec) * 1_000_000_000 + i128::from(packet.ts_usec) * scale;
            let length = packet.data.len().min(packet.caplen as usize);
            Ok(Some((nanos, &packet.data[..length], packet.origlen, link)))
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
            interfaces.clear();
            Ok(None)
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(found)) => {
            let resolution = found.ts_resolution().ok_or("a clock of impossible resolution")?;
            interfaces.push(Interface { link: found.linktype, resolution, offset: found.ts_offset() });
            Ok(None)
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let Some(Interface { link, resolution, offset }) = interfaces.get(packet.if_id as usize) else {
                return Err("it came in at an interface that is not described");
            };
            let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
            let nanos = i128::from(ticks) * 1_000_000_000 / i128::from(*resolution)
                + i128::from(*offset) * 1_000_000_000;
            let length = packet.data.len().min(packet.caplen as usize);
            Ok(Some((nanos, &packet.data[..length], packet.origlen, *link)))
        }
        PcapBlockOwned::NG(Block::SimplePacket(_)) => Err("it has no time (a Simple Packet Block)"),
        PcapBlockOwned::NG(_) => Ok(None),
    }
}

/// Version 2 of Linux cooked frames.
const LINUX_SLL2: Linktype = Linktype(276);

/// Whether [`ip_of`] knows what frames begin with.
const fn is_known(link: Linktype) -> bool {
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

/// Addresses, protocol and ports.
type Endpoints = ([u8; 16], [u8; 16], u8, u16, u16);

/// Size and flow of the IP packet in a frame; `None` for what is not IP.
fn ip_of(data: &[u8], original: u32, link: Linktype) -> Option<(u32, Endpoints)> {
    let headers = match link {
        Linktype::ETHERNET => LaxPacketHeaders::from_ethernet(data).ok(),
        Linktype::RAW | Linktype::IPV4 | Linktype::IPV6 => LaxPacketHeaders::from_ip(data).ok(),
        // Four bytes of protocol family; the IP header says the rest.
        Linktype::NULL | Linktype::LOOP => LaxPacketHeaders::from_ip(data.get(4..)?).ok(),
        Linktype::LINUX_SLL => LaxPacketHeaders::from_linux_sll(data).ok(),
        // 20 bytes, of which the first two are the type of what follows.
        LINUX_SLL2 => LaxPacketHeaders::from_ip(data.get(20..)?).ok(),
        _ => None,
    }?;
    let (stated, from, to, protocol) = match headers.net? {
        NetHeaders::Ipv4(ip, _) => {
            let wide = |address: [u8; 4]| {
                let mut wide = [0; 16];
                wide[12..].copy_from_slice(&address);
                wide
            };
            (u32::from(ip.total_len), wide(ip.source), wide(ip.destination), ip.protocol.0)
        }
        NetHeaders::Ipv6(ip, _) => {
            // A length of zero is left to be as it is below.
            let length = u32::from(ip.payload_length);
            let stated = if length == 0 { 0 } else { length + 40 };
            (stated, ip.source, ip.destination, ip.next_header.0)
        }
        NetHeaders::Arp(_) => return None,
    };
    let (source, destination) = match headers.transport {
        Some(TransportHeader::Tcp(tcp)) => (tcp.source_port, tcp.destination_port),
        Some(TransportHeader::Udp(udp)) => (udp.source_port, udp.destination_port),
        _ => (0, 0),
    };
    // Segments that a network card is still to cut have no length of their own.
    let size = if stated == 0 { original } else { stated };
    Some((size, (from, to, protocol, source, destination)))
}
