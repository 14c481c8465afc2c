//! From the numbers of segments to sequence numbers in bytes, and from flows to addresses.
//!
//! ```text
//! sender     10.0.0.1 + flow       ports from 49152, the next one for each connection of a flow
//! receiver   10.128.0.1 + flow     port 9, discard (RFC 863)
//! ```
//!
//! Initial sequence numbers are 0, so that Wireshark's relative numbers are the absolute ones. Flows
//! beyond the 8,388,606th have their receivers at port 10.

use weir_scenario::FlowGroup;
use weir_tcp::{Sender, recovery::RecoveryConfig};

/// Properties of the headers of a group's packets.
#[derive(Clone, Debug)]
pub(super) struct HeaderFormat {
    pub(super) handshake: bool,
    pub(super) ecn: bool,
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// Bytes of the headers of a data packet.
    pub(super) header: u32,
    /// Bytes of data in every packet except the last.
    pub(super) payload: u32,
    /// The receive window in bytes, and the window scale (RFC 7323, section 2).
    pub(super) window: u32,
    pub(super) scale: u8,
}

/// Headers without options: IP and TCP.
pub(super) const PLAIN: u32 = 40;
/// The timestamps option with padding (RFC 7323, appendix A).
const TIMESTAMPS: u32 = 12;
/// The largest window that a header can announce (RFC 7323, section 2.3).
const LARGEST_WINDOW: u32 = 65_535 << 14;

impl HeaderFormat {
    pub(super) fn of(group: &FlowGroup) -> Self {
        let tcp = &group.tcp;
        let header = PLAIN + if tcp.timestamps { TIMESTAMPS } else { 0 };
        let payload = group.packet_size.bytes().saturating_sub(header).max(1);
        let packets = tcp.receive_window.map_or(f64::INFINITY, |window| window.0);
        let window = (packets * f64::from(payload)).min(f64::from(LARGEST_WINDOW)) as u32;
        let scale = (0..14).find(|scale| window.div_ceil(1 << scale) <= 65_535).unwrap_or(14);
        Self {
            handshake: tcp.handshake,
            ecn: tcp.ecn,
            timestamps: tcp.timestamps,
            sack: matches!(tcp.recovery, RecoveryConfig::Sack(_)),
            header,
            payload,
            window,
            scale,
        }
    }

    /// Bytes of data in a packet of this size. At least one: an empty segment would need no ACK.
    pub(super) fn payload_of(&self, bytes: u32) -> u32 {
        bytes.saturating_sub(self.header).max(1)
    }
}

/// One connection of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Connection {
    /// Its first number, which is that of the SYN if there is one.
    first: u32,
    /// One past its last number, and the bytes of data in the last packet; [`u32::MAX`] without an end.
    end: u32,
    last_payload: u32,
    /// Number of earlier connections of its flow.
    ordinal: u32,
}

impl Connection {
    fn of(sender: &Sender, format: &HeaderFormat, ordinal: u32) -> Self {
        Self {
            first: sender.first(),
            end: sender.end(),
            last_payload: format.payload_of(sender.last_bytes()),
            ordinal,
        }
    }

    /// The sequence number of the first byte of segment `number`. For the number after the last segment, that
    /// of the byte after the last.
    pub(super) fn sequence(&self, number: u32, format: &HeaderFormat) -> u32 {
        let data = self.first + u32::from(format.handshake);
        if number < data {
            return 0;
        }
        let bytes = |segments: u32| segments.wrapping_mul(format.payload);
        if self.end != u32::MAX && number >= self.end && self.end > data {
            return bytes(self.end - 1 - data).wrapping_add(self.last_payload + 1);
        }
        bytes(number - data).wrapping_add(1)
    }

    /// The port of its sender.
    pub(super) const fn port(&self) -> u16 {
        const DYNAMIC: u16 = 49_152; // RFC 6335, section 6
        DYNAMIC + (self.ordinal % (65_536 - DYNAMIC as u32)) as u16
    }
}

/// The connections of one flow: the present one, and the former one, which may still have packets in the
/// network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Connections {
    present: Connection,
    former: Option<Connection>,
}

impl Connections {
    pub(super) fn of(sender: &Sender, format: &HeaderFormat) -> Self {
        Self { present: Connection::of(sender, format, 0), former: None }
    }

    /// The connection of the segment with this `number`. `sender` may have begun another one since the last call.
    pub(super) fn find(&mut self, number: u32, sender: &Sender, format: &HeaderFormat) -> Connection {
        if self.present.first != sender.first() {
            let next = Connection::of(sender, format, self.present.ordinal + 1);
            self.former = Some(std::mem::replace(&mut self.present, next));
        } else if self.present.end != sender.end() {
            self.present = Connection::of(sender, format, self.present.ordinal);
        }
        match self.former {
            Some(former) if number < self.present.first => former,
            _ => self.present,
        }
    }
}

/// Sender and receiver of a flow, and the port of the receiver.
pub(super) const fn addresses(flow: u32) -> ([u8; 4], [u8; 4], u16) {
    let index = flow + 1;
    let [_, high, middle, low] = (index & 0x7f_ffff).to_be_bytes();
    ([10, high, middle, low], [10, high | 0x80, middle, low], 9 + (index >> 23) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flow_has_its_addresses() {
        assert_eq!(addresses(0), ([10, 0, 0, 1], [10, 128, 0, 1], 9));
        assert_eq!(addresses(0x0001_0203), ([10, 1, 2, 4], [10, 129, 2, 4], 9));
        assert_eq!(addresses(0x80_0000), ([10, 0, 0, 1], [10, 128, 0, 1], 10));
    }
}
