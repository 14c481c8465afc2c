//! Queues and buffers of a port in the course of a run.

use weir_aqm::qdisc::QueueConfig;
use weir_scenario::{Change, Direction};
use weir_types::{Buffer, Duration};

use crate::{aqm::Aqm, level::Level, port::Port};

/// Queue and buffer of a port between two changes of them.
#[derive(Clone, Debug)]
pub(crate) struct Phase<'a> {
    /// Its beginning.
    pub(crate) at: Duration,
    /// Its end; `None` for the last.
    pub(crate) until: Option<Duration>,
    /// The queue discipline.
    pub(crate) queue: &'a QueueConfig,
    /// Its AQM.
    pub(crate) aqm: Aqm,
    /// The buffer as a level of the queue.
    pub(crate) buffer: Level,
    /// The buffer as it was written.
    pub(crate) room: Buffer,
}

/// AQMs of a port in the course of a run with these `changes`: at the start, then after each change.
pub(crate) fn aqms(port: &Port<'_>, changes: &[Change]) -> Vec<Aqm> {
    let later = changes_of(port, changes).filter_map(|change| change.aqm());
    std::iter::once(port.aqm.clone()).chain(later).collect()
}

/// Queues and buffers of a port in the course of a run with these `changes`.
pub(crate) fn phases<'a>(port: &Port<'a>, changes: &'a [Change]) -> Vec<Phase<'a>> {
    let level = |path, room: Buffer, packets| Level { path, written: room.to_string(), packets };
    let (room, queue) = (port.of.spec.buffer, port.of.queue());
    let buffer = level(format!("{}.buffer", port.key), room, port.buffer_limit());
    let mut now = Phase { at: Duration::ZERO, until: None, queue, aqm: port.aqm.clone(), buffer, room };
    let mut found = Vec::new();
    for change in changes_of(port, changes) {
        if change.queue.is_none() && change.buffer.is_none() {
            continue;
        }
        let mut next = Phase { at: change.at, ..now.clone() };
        if let (Some(queue), Some(aqm)) = (change.queue, change.aqm()) {
            next.queue = queue;
            next.aqm = aqm;
        }
        if let Some(room) = change.buffer {
            let packets = port.of.buffer_packets(change.at, port.of.mean_packet_size.bytes());
            next.buffer = level(format!("{}.buffer", change.path), room, packets);
            next.room = room;
        }
        found.push(Phase { until: Some(change.at), ..now });
        now = next;
    }
    found.push(now);
    found
}

/// A change of a port.
struct OfPort<'a> {
    /// Path of the port in the change.
    path: String,
    at: Duration,
    queue: Option<&'a QueueConfig>,
    buffer: Option<Buffer>,
}

impl OfPort<'_> {
    /// AQM that takes the place of the one before.
    fn aqm(&self) -> Option<Aqm> {
        Some(Aqm::of(&format!("{}.queue", self.path), self.queue?))
    }
}

fn changes_of<'a>(port: &Port<'_>, changes: &'a [Change]) -> impl Iterator<Item = OfPort<'a>> {
    changes.iter().enumerate().filter_map(|(place, change)| {
        let link = change.links.get(port.of.at.link)?;
        let (queue, buffer) = match port.of.at.direction {
            Direction::Forward => (link.queue.as_ref(), link.buffer),
            Direction::Reverse => {
                let reverse = link.reverse.as_ref()?;
                (reverse.queue.as_ref(), reverse.buffer)
            }
        };
        let path = format!("changes[{place}].{}", port.key);
        Some(OfPort { path, at: change.at, queue, buffer })
    })
}
