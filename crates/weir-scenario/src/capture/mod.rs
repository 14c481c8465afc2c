//! Captures, pcap and pcapng: read packet by packet, in bounded memory; pcapng is written too.

mod connection;
mod copies;
mod frame;
mod order;
pub mod pcapng;
mod sides;
mod subnet;
mod transfers;

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use pcap_parser::{Block, Linktype, PcapBlockOwned, PcapError, PcapHeader, create_reader};
use weir_types::Invalid;

use crate::files;
pub(crate) use frame::{Endpoints, IpPacket};
pub(crate) use order::{InOrder, Lateness, in_order};
pub(crate) use sides::{Larger, Side, Sides};
pub use subnet::Subnet;
pub(crate) use subnet::most;
pub use transfers::{Found, LeftOut, OtherDirection, Transfer, Transfers};

/// Bytes of a buffer at the start, and of the largest block.
const BUFFER: usize = 1 << 20;
const LARGEST: usize = 1 << 26;

/// Returns true if a file that begins so is a capture: the magic numbers of pcap (micro- and nanoseconds, either
/// order of bytes) and of pcapng.
pub(crate) fn is_capture(bytes: &[u8]) -> bool {
    const MAGIC: [[u8; 4]; 5] = [
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0x4d, 0x3c, 0xb2, 0xa1],
        [0x0a, 0x0d, 0x0d, 0x0a],
    ];
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
}

/// Returns true if a file that begins so is a gzip file.
pub(crate) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Content of a file, decompressed if it is a gzip file.
///
/// # Errors
/// If the first bytes cannot be read.
pub(crate) fn decompressed<'a>(file: impl Read + Send + 'a) -> std::io::Result<Box<dyn Read + Send + 'a>> {
    let mut file = BufReader::with_capacity(BUFFER, file);
    Ok(if is_compressed(file.fill_buf()?) { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

/// A packet of a capture.
pub(crate) struct Packet {
    /// Nanoseconds since 1970.
    pub(crate) nanos: i128,
    /// Where it was captured, counted from 0.
    pub(crate) interface: u32,
    /// `None` for what is not IP.
    pub(crate) ip: Option<IpPacket>,
}

/// Calls `each` for every packet, in the order of the file. Returns the damage at which reading ended, if it
/// ended before the file did.
///
/// # Errors
/// Any error of `each`, and of a capture that cannot be read at all.
pub(crate) fn read(
    mut file: impl Read + Send,
    mut each: impl FnMut(Packet) -> Result<(), Invalid>,
) -> Result<Option<Invalid>, Invalid> {
    let broken = |number: u64| {
        let message = "the file ends within it, or is damaged";
        files::at("packet", number + 1, message, "capture it again, or cut it with a tool such as editcap")
    };
    // The reader knows a format by what it reads at once.
    let mut head = Vec::new();
    file.by_ref().take(1 << 16).read_to_end(&mut head).map_err(|_| broken(0))?;
    if !is_capture(&head) {
        return Err(Invalid {
            parameter: "file".into(),
            message: "it is no capture".into(),
            hint: "a capture is pcap or pcapng, perhaps compressed with gzip".into(),
        });
    }
    let mut capacity = BUFFER;
    let mut blocks = create_reader(capacity, head.chain(file)).map_err(|_| broken(0))?;
    let mut interfaces = Interfaces::default();
    let mut number = 0_u64;
    loop {
        match blocks.next() {
            Ok((length, block)) => {
                let found = packet_of(&block, &mut interfaces).map_err(|message| {
                    files::at("packet", number + 1, message, "write it with another tool")
                })?;
                if let Some(Raw { nanos, data, original, interface, link }) = found {
                    number += 1;
                    if !frame::is_known(link) {
                        let message = format!("its link type {} is not known", link.0);
                        let hint = "capture Ethernet, Linux cooked frames, a loopback or raw IP";
                        return Err(files::at("packet", number, message, hint));
                    }
                    each(Packet { nanos, interface, ip: IpPacket::of(data, original, link) })?;
                }
                blocks.consume(length);
            }
            Err(PcapError::Eof) => return Ok(None),
            Err(PcapError::Incomplete(_)) => {
                let before = blocks.data().len();
                if blocks.refill().is_err() {
                    return Ok(Some(broken(number)));
                }
                if blocks.data().len() == before && !blocks.reader_exhausted() {
                    capacity *= 2;
                    // A block that does not fit is one that does not end.
                    if capacity > LARGEST || !blocks.grow(capacity) {
                        return Ok(Some(broken(number)));
                    }
                }
            }
            Err(_) => return Ok(Some(broken(number))),
        }
    }
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

/// The interfaces of a capture.
#[derive(Default)]
struct Interfaces {
    /// Interfaces of this section of the file.
    here: Vec<Interface>,
    /// How many there were in earlier sections.
    before: u32,
}

/// A packet as it was captured: its time in nanoseconds, its bytes, how many there were, where, and what they
/// begin with.
struct Raw<'a> {
    nanos: i128,
    data: &'a [u8],
    original: u32,
    interface: u32,
    link: Linktype,
}

/// The packet in a block, if it holds one.
fn packet_of<'a>(
    block: &PcapBlockOwned<'a>,
    interfaces: &mut Interfaces,
) -> Result<Option<Raw<'a>>, &'static str> {
    let header = |header: &PcapHeader| Interface {
        link: header.network,
        resolution: if header.is_nanosecond_precision() { 1_000_000_000 } else { 1_000_000 },
        offset: 0,
    };
    match block {
        PcapBlockOwned::LegacyHeader(found) => {
            interfaces.here = vec![header(found)];
            Ok(None)
        }
        PcapBlockOwned::Legacy(packet) => {
            let [Interface { link, resolution, .. }] = interfaces.here[..] else { return Ok(None) };
            let scale = 1_000_000_000 / i128::from(resolution);
            let nanos = i128::from(packet.ts_sec) * 1_000_000_000 + i128::from(packet.ts_usec) * scale;
            let data = &packet.data[..packet.data.len().min(packet.caplen as usize)];
            Ok(Some(Raw { nanos, data, original: packet.origlen, interface: 0, link }))
        }
        PcapBlockOwned::NG(Block::SectionHeader(_)) => {
            interfaces.before += interfaces.here.len() as u32;
            interfaces.here.clear();
            Ok(None)
        }
        PcapBlockOwned::NG(Block::InterfaceDescription(found)) => {
            let resolution = found.ts_resolution().ok_or("a clock of impossible resolution")?;
            interfaces.here.push(Interface { link: found.linktype, resolution, offset: found.ts_offset() });
            Ok(None)
        }
        PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
            let Some(Interface { link, resolution, offset }) = interfaces.here.get(packet.if_id as usize)
            else {
                return Err("it came in at an interface that is not described");
            };
            let ticks = u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low);
            let nanos = i128::from(ticks) * 1_000_000_000 / i128::from(*resolution)
                + i128::from(*offset) * 1_000_000_000;
            let data = &packet.data[..packet.data.len().min(packet.caplen as usize)];
            let interface = interfaces.before + packet.if_id;
            Ok(Some(Raw { nanos, data, original: packet.origlen, interface, link: *link }))
        }
        PcapBlockOwned::NG(Block::SimplePacket(_)) => Err("it has no time (a Simple Packet Block)"),
        PcapBlockOwned::NG(_) => Ok(None),
    }
}
