//! Captures: the packets of a link as pcapng files for Wireshark and tshark.
//!
//! ```text
//!           PacketObserver           Captures                       CaptureFile
//!  port ──► arrivals, departures ──► headers, from the endpoints ─► in order, to the disk
//! ```
//!
//! A departing packet is captured when its last bit has left the port, an arriving packet before the queue
//! decides. A file holds one direction of a link or both, so that data and its ACKs can be read together.
//!
//! Files are written during the run, under a temporary name until they are complete.

mod connection;
mod error;
mod file;
mod frame;

use std::{collections::HashMap, path::PathBuf};

use weir_scenario::{Direction, Scenario};
use weir_tcp::{AckOptions, Flags};
use weir_types::{Duration, Instant};

use crate::{
    network::{ObservedFlow, PacketObserver},
    packet::Packet,
    record::{QueueInfo, RESULTS_VERSION},
};
use connection::{Connections, HeaderFormat};
pub use error::CaptureError;
use file::{CaptureFile, Interface};
use frame::Frame;

/// A capture to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// A link of the scenario.
    pub link: String,
    /// One direction of it; `None` for every direction that has a queue.
    pub direction: Option<Direction>,
    /// Capture packets as they arrive, including dropped ones; otherwise as they leave.
    pub arriving: bool,
    /// The file to write. An existing file is replaced when the run has ended.
    pub file: PathBuf,
}

/// The captures of a run.
#[derive(Debug)]
pub(crate) struct Captures {
    files: Vec<CaptureFile>,
    /// The captures of each port.
    taps: Vec<Tap>,
    /// The format of each group.
    formats: Vec<HeaderFormat>,
    connections: HashMap<u32, Connections>,
}

/// File and interface for the packets that leave a port, and for those that arrive.
#[derive(Debug, Default)]
struct Tap {
    leaving: Vec<(usize, u32)>,
    arriving: Vec<(usize, u32)>,
}

impl Captures {
    /// Creates the files of the captures `wanted`. `queues` are those of all ports, each with the greatest
    /// time by which a departure is reported late.
    ///
    /// # Errors
    /// If there is no such queue, a packet does not fit an IP header, or a file cannot be written.
    pub(crate) fn create<'a>(
        wanted: &[Capture],
        scenario: &Scenario,
        seed: u64,
        queues: impl Iterator<Item = (&'a QueueInfo, Duration)>,
    ) -> Result<Self, CaptureError> {
        let queues: Vec<_> = queues.collect();
        let mut taps: Vec<_> = queues.iter().map(|_| Tap::default()).collect();
        let largest = scenario.flows.values().map(|group| group.packet_size.bytes()).max().unwrap_or(0);
        let mut files = Vec::new();
        for capture in wanted {
            if largest > u32::from(u16::MAX) {
                let message =
                    format!("packets of {largest} B do not fit an IP header: the largest size is 65535 B");
                return Err(CaptureError::refused(&capture.file, message));
            }
            let mut interfaces = Vec::new();
            let mut lateness = Duration::ZERO;
            for (tap, (info, late)) in taps.iter_mut().zip(&queues) {
                if !capture.is_of(info) {
                    continue;
                }
                let interface = interfaces.len() as u32;
                interfaces.push(capture.interface(info));
                if capture.arriving {
                    tap.arriving.push((files.len(), interface));
                } else {
                    tap.leaving.push((files.len(), interface));
                    lateness = lateness.max(*late);
                }
            }
            if interfaces.is_empty() {
                let message = format!("the link {} has no queue in this direction", capture.link);
                return Err(CaptureError::refused(&capture.file, message));
            }
            let application = format!("weir {}", env!("CARGO_PKG_VERSION"));
            let comments = [
                format!("scenario {}", scenario.name),
                format!("seed {seed}"),
                format!("results version {RESULTS_VERSION}"),
            ];
            files.push(CaptureFile::create(&capture.file, &application, &comments, &interfaces, lateness)?);
        }
        let formats = scenario.flows.values().map(HeaderFormat::of).collect();
        Ok(Self { files, taps, formats, connections: HashMap::new() })
    }

    /// The first error of a file.
    pub(crate) fn failure(&self) -> Option<CaptureError> {
        self.files.iter().find_map(CaptureFile::failure)
    }

    /// Completes the files at the `end` of the run.
    pub(crate) fn finish(self, end: Instant) -> Result<(), CaptureError> {
        self.files.into_iter().try_for_each(|file| file.finish(end))
    }

    fn frame(&mut self, packet: &Packet, flow: &ObservedFlow<'_>) -> Frame {
        let segment = &packet.0;
        let ObservedFlow { group, sender, receiver } = *flow;
        let format = &self.formats[group];
        let known = self.connections.entry(segment.flow);
        let connection =
            known.or_insert_with(|| Connections::of(sender, format)).find(segment.number, sender, format);
        if segment.flags().has(Flags::DATAGRAM) {
            return Frame::udp(segment, connection.port());
        }
        // The receiver of a former connection of this flow has been replaced.
        let options = if segment.flags().has(Flags::ACK) && segment.number >= sender.first() {
            receiver.options_in_passing(segment)
        } else {
            AckOptions::NONE
        };
        Frame::tcp(segment, &connection, format, &options)
    }
}

impl PacketObserver for Captures {
    fn observes(&self, port: u32) -> bool {
        let Tap { leaving, arriving } = &self.taps[port as usize];
        !leaving.is_empty() || !arriving.is_empty()
    }

    fn arrived(&mut self, port: u32, packet: &Packet, at: Instant, flow: &ObservedFlow<'_>) {
        if !self.taps[port as usize].arriving.is_empty() {
            let frame = self.frame(packet, flow);
            for (file, interface) in &self.taps[port as usize].arriving {
                self.files[*file].packet(*interface, at, frame);
            }
        }
    }

    fn departed(&mut self, port: u32, packet: &Packet, at: Instant, flow: &ObservedFlow<'_>) {
        if !self.taps[port as usize].leaving.is_empty() {
            let frame = self.frame(packet, flow);
            for (file, interface) in &self.taps[port as usize].leaving {
                self.files[*file].packet(*interface, at, frame);
            }
        }
    }

    fn dropped(&mut self, port: u32) {
        let Tap { leaving, arriving } = &self.taps[port as usize];
        for (file, interface) in leaving.iter().chain(arriving) {
            self.files[*file].dropped(*interface);
        }
    }

    fn advance(&mut self, now: Instant) {
        for file in &mut self.files {
            file.write_until(now);
        }
    }

    fn is_ok(&self) -> bool {
        self.failure().is_none()
    }
}

impl Capture {
    fn is_of(&self, queue: &QueueInfo) -> bool {
        let direction = match self.direction {
            None => return queue.link == self.link,
            Some(Direction::Forward) => "forward",
            Some(Direction::Reverse) => "reverse",
        };
        queue.link == self.link && queue.direction == direction
    }

    fn interface(&self, queue: &QueueInfo) -> Interface {
        let where_seen = if self.arriving { "arriving" } else { "leaving" };
        Interface {
            name: format!("{}:{}", queue.link, queue.direction),
            description: format!("{} bit/s, packets {where_seen}", queue.rate),
            bits_per_second: queue.rate as u64,
            shows_drops: self.arriving,
        }
    }
}
