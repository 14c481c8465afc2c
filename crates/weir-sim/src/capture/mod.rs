//! Captures: the packets of a link as pcapng files, which Wireshark and tshark read.
//!
//! ```text
//!           Tap                     Captures                      CaptureFile
//!  port ──► packets it has seen ──► headers, from the endpoints ► in order, to the disk
//! ```
//!
//! A port with a *tap* hands over what passes; without one, all it costs is to look. Where a packet is
//! seen: as it leaves, when its last bit has left the port, or as it arrives, before the queue decides.
//! A file holds one direction of a link or both, so that data and its ACKs stand together.
//!
//! Files are written while the run goes on, under another name until they are whole.

mod connection;
mod file;
mod frame;
mod pcapng;

use std::{
    collections::HashMap,
    fmt, io,
    path::{Path, PathBuf},
};

use weir_scenario::{Direction, Scenario};
use weir_tcp::{Flags, recovery::BLOCKS};
use weir_types::{Duration, Instant};

use crate::{
    Packet, RESULTS_VERSION, World,
    measure::QueueInfo,
    network::Ways,
    world::{Sink, Source},
};
use connection::{Connections, Habits};
use file::{CaptureFile, Interface};
use frame::Frame;

/// A capture to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// A link of the scenario.
    pub link: String,
    /// One direction of it; `None` for every direction that has a queue.
    pub direction: Option<Direction>,
    /// Packets as they arrive, dropped ones among them; else as they leave.
    pub arriving: bool,
    /// Where it is written; what is there is replaced when the run has ended well.
    pub file: PathBuf,
}

/// A capture cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong, as the system says it.
    pub message: String,
    /// The number of the system's error, where it is one.
    pub number: Option<i32>,
}

impl CaptureError {
    fn new(file: &Path, error: &io::Error) -> Self {
        let text = error.to_string();
        let message = text.split(" (os error").next().unwrap_or_default().to_owned();
        Self { file: file.to_owned(), message, number: error.raw_os_error() }
    }

    fn refused(file: &Path, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), message: message.into(), number: None }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be written: {}", self.file.display(), self.message)
    }
}

impl std::error::Error for CaptureError {}

/// Where a port shows what passes.
#[derive(Debug, Default)]
pub(crate) struct Tap {
    /// File and interface for packets that leave, and for those that arrive.
    leaving: Vec<(usize, u32)>,
    arriving: Vec<(usize, u32)>,
    /// What has been seen and is not yet written down.
    seen: Vec<Seen>,
}

/// Something that a tap has seen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen {
    Left(Packet, Instant),
    Arrived(Packet, Instant),
    Dropped,
}

impl Tap {
    pub(crate) fn sees(&mut self, what: Seen) {
        self.seen.push(what);
    }
}

/// The captures of a run, and what they know of its flows.
#[derive(Debug)]
pub(crate) struct Captures {
    files: Vec<CaptureFile>,
    /// Of each group.
    habits: Vec<Habits>,
    connections: HashMap<u32, Connections>,
}

impl World {
    /// Has captures made. Call it before [`World::run`].
    ///
    /// # Errors
    /// If there is no such queue, a packet does not fit an IP header, or a file cannot be written.
    pub fn capturing(mut self, scenario: &Scenario, wanted: &[Capture]) -> Result<Self, CaptureError> {
        if wanted.is_empty() {
            return Ok(self);
        }
        let largest = scenario.flows.values().map(|group| group.packet.bytes()).max().unwrap_or(0);
        let mut files = Vec::new();
        for capture in wanted {
            if largest > u32::from(u16::MAX) {
                let message = format!("packets of {largest} B do not fit an IP header: 65535 B are the most");
                return Err(CaptureError::refused(&capture.file, message));
            }
            let mut interfaces = Vec::new();
            let mut lateness = Duration::ZERO;
            for (slot, (info, _)) in self.ports.iter_mut().zip(&self.books.queues) {
                if !capture.is_of(info) {
                    continue;
                }
                let interface = interfaces.len() as u32;
                interfaces.push(capture.interface(info));
                let tap = slot.side.extras.get_or_insert_default().tap.get_or_insert_default();
                if capture.arriving {
                    tap.arriving.push((files.len(), interface));
                } else {
                    tap.leaving.push((files.len(), interface));
                    lateness = lateness.max(slot.lookahead);
                }
            }
            if interfaces.is_empty() {
                let message = format!("the link {} has no queue in this direction", capture.link);
                return Err(CaptureError::refused(&capture.file, message));
            }
            let application = format!("weir {}", env!("CARGO_PKG_VERSION"));
            let comments = [
                format!("scenario {}", scenario.name),
                format!("seed {}", self.seed),
                format!("results version {RESULTS_VERSION}"),
            ];
            files.push(CaptureFile::create(&capture.file, &application, &comments, &interfaces, lateness)?);
        }
        let habits = scenario.flows.values().map(Habits::of).collect();
        self.captures = Some(Box::new(Captures { files, habits, connections: HashMap::new() }));
        Ok(self)
    }

    /// Writes down what the tap of `port` has seen.
    #[cold]
    pub(crate) fn write_down(&mut self, port: u32) {
        let Some(captures) = &mut self.captures else { return };
        let Some(tap) = self.ports[port as usize].side.tap() else { return };
        for seen in tap.seen.drain(..) {
            let (packet, at, places) = match seen {
                Seen::Left(packet, at) => (packet, at, &tap.leaving),
                Seen::Arrived(packet, at) => (packet, at, &tap.arriving),
                Seen::Dropped => {
                    for (file, interface) in tap.leaving.iter().chain(&tap.arriving) {
                        captures.files[*file].dropped(*interface);
                    }
                    continue;
                }
            };
            if !places.is_empty() {
                let frame = captures.frame(&packet, &self.ways, &self.sources, &self.sinks);
                for (file, interface) in places {
                    captures.files[*file].packet(*interface, at, frame);
                }
            }
        }
        for file in &mut captures.files {
            file.write_until(self.now);
        }
    }

    /// What has gone wrong with a capture.
    pub(crate) fn capture_failure(&self) -> Option<CaptureError> {
        self.captures.as_ref()?.files.iter().find_map(CaptureFile::failure)
    }

    /// The run has ended: completes its captures.
    pub(crate) fn finish_captures(&mut self) -> Result<(), CaptureError> {
        let Some(captures) = self.captures.take() else { return Ok(()) };
        captures.files.into_iter().try_for_each(|file| file.finish(self.end))
    }
}

impl Captures {
    fn frame(&mut self, packet: &Packet, ways: &Ways, sources: &[Source], sinks: &[Sink]) -> Frame {
        let segment = &packet.0;
        let flow = segment.flow as usize;
        let habits = &self.habits[ways.group[flow] as usize];
        let sender = &sources[flow].sender;
        let known = self.connections.entry(segment.flow);
        let connection =
            known.or_insert_with(|| Connections::of(sender, habits)).find(segment.number, sender, habits);
        if segment.flags.has(Flags::DATAGRAM) {
            return Frame::udp(segment, connection.port());
        }
        // Where a connection has taken the place of another, so has its receiver.
        let blocks = if segment.flags.has(Flags::ACK) && segment.number >= sender.first() {
            sinks[flow].receiver.blocks_in_passing(segment)
        } else {
            [(0, 0); BLOCKS]
        };
        Frame::tcp(segment, &connection, habits, &blocks)
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
