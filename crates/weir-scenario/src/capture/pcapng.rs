//! Writes blocks of a pcapng file (draft-ietf-opsawg-pcapng, section 4) that a capture needs.
//!
//! The crate `pcap-file` writes the format too, but its dependencies and its reader are far larger than the
//! blocks below.

use std::io::{self, Write};

/// Packets begin with the IP header (`LINKTYPE_RAW`).
const RAW_IP: u16 = 101;

const SECTION: u32 = 0x0A0D_0D0A;
const BYTE_ORDER: u32 = 0x1A2B_3C4D;
const INTERFACE: u32 = 1;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;

const COMMENT: u16 = 1;
const APPLICATION: u16 = 4;
const NAME: u16 = 2;
const DESCRIPTION: u16 = 3;
const SPEED: u16 = 8;
const RESOLUTION: u16 = 9;
const START: u16 = 2;
const END: u16 = 3;
const RECEIVED: u16 = 4;
const DROPPED: u16 = 5;

/// The first block: the application, and comments.
///
/// # Errors
/// Any error of `out`.
pub fn section(out: &mut impl Write, application: &str, comments: &[String]) -> io::Result<()> {
    let mut body = Vec::new();
    body.extend(BYTE_ORDER.to_le_bytes());
    // Version 1.0; a section of unknown length.
    body.extend([1, 0, 0, 0]);
    body.extend(u64::MAX.to_le_bytes());
    for comment in comments {
        option(&mut body, COMMENT, comment.as_bytes());
    }
    option(&mut body, APPLICATION, application.as_bytes());
    end_options(&mut body);
    block(out, SECTION, &body)
}

/// An interface. Interfaces are numbered in their order, and their times are in nanoseconds.
///
/// # Errors
/// Any error of `out`.
pub fn interface(
    out: &mut impl Write,
    name: &str,
    description: &str,
    bits_per_second: u64,
) -> io::Result<()> {
    let mut body = Vec::new();
    body.extend(RAW_IP.to_le_bytes());
    // Reserved; and no limit of the stored length.
    body.extend([0; 6]);
    option(&mut body, NAME, name.as_bytes());
    option(&mut body, DESCRIPTION, description.as_bytes());
    option(&mut body, SPEED, &bits_per_second.to_le_bytes());
    option(&mut body, RESOLUTION, &[9]);
    end_options(&mut body);
    block(out, INTERFACE, &body)
}

/// A packet of `original` bytes, of which `bytes` are stored.
///
/// # Errors
/// Any error of `out`.
pub fn packet(
    out: &mut impl Write,
    interface: u32,
    nanos: u64,
    bytes: &[u8],
    original: u32,
) -> io::Result<()> {
    let padding = bytes.len().next_multiple_of(4) - bytes.len();
    let length = (32 + bytes.len() + padding) as u32;
    let mut head = [0; 28];
    let fields =
        [PACKET, length, interface, (nanos >> 32) as u32, nanos as u32, bytes.len() as u32, original];
    for (place, field) in head.chunks_exact_mut(4).zip(fields) {
        place.copy_from_slice(&field.to_le_bytes());
    }
    out.write_all(&head)?;
    out.write_all(bytes)?;
    out.write_all(&[0; 3][..padding])?;
    out.write_all(&length.to_le_bytes())
}

/// The counts of an interface until `end` in nanoseconds.
///
/// # Errors
/// Any error of `out`.
pub fn statistics(
    out: &mut impl Write,
    interface: u32,
    end: u64,
    received: u64,
    dropped: u64,
) -> io::Result<()> {
    let time = |nanos: u64| {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&((nanos >> 32) as u32).to_le_bytes());
        bytes[4..].copy_from_slice(&(nanos as u32).to_le_bytes());
        bytes
    };
    let mut body = Vec::new();
    body.extend(interface.to_le_bytes());
    body.extend(time(end));
    option(&mut body, START, &time(0));
    option(&mut body, END, &time(end));
    option(&mut body, RECEIVED, &received.to_le_bytes());
    option(&mut body, DROPPED, &dropped.to_le_bytes());
    end_options(&mut body);
    block(out, STATISTICS, &body)
}

fn block(out: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let length = (12 + body.len()) as u32;
    out.write_all(&kind.to_le_bytes())?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(body)?;
    out.write_all(&length.to_le_bytes())
}

/// An option, padded to four bytes. Longer text than its length field allows is truncated.
fn option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX))];
    body.extend(code.to_le_bytes());
    body.extend((value.len() as u16).to_le_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

fn end_options(body: &mut Vec<u8>) {
    body.extend([0; 4]);
}
