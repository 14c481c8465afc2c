//! Read-only values passed to AQMs in Python.

use pyo3::prelude::*;
use weir_aqm::{Backlog, Limit, Link, PacketInfo};
use weir_types::{Ecn, Instant};

/// The link of an AQM.
#[pyclass(frozen, get_all, name = "Link", module = "weir._core")]
pub(crate) struct LinkView {
    rate: u64,
    mean_packet: u32,
    limit_packets: Option<u32>,
    limit_bytes: Option<u64>,
}

impl LinkView {
    pub(super) fn new(link: Link) -> Self {
        let (limit_packets, limit_bytes) = limits(link.limit);
        let rate = link.rate.bits_per_second();
        Self { rate, mean_packet: link.mean_packet, limit_packets, limit_bytes }
    }
}

#[pymethods]
impl LinkView {
    #[getter]
    fn packets_per_second(&self) -> f64 {
        self.rate as f64 / (8.0 * f64::from(self.mean_packet))
    }
}

/// A packet.
#[pyclass(frozen, get_all, name = "Packet", module = "weir._core")]
pub(crate) struct PacketView {
    bytes: u32,
    ecn: &'static str,
    flow: u32,
}

impl PacketView {
    pub(super) const fn new(packet: PacketInfo) -> Self {
        let ecn = match packet.ecn {
            Ecn::NotEct => "not-ect",
            Ecn::Ect0 => "ect0",
            Ecn::Ect1 => "ect1",
            Ecn::Ce => "ce",
        };
        Self { bytes: packet.bytes, ecn, flow: packet.flow }
    }
}

/// Waiting packets, and the limit of the buffer.
#[pyclass(frozen, get_all, name = "Backlog", module = "weir._core")]
pub(crate) struct BacklogView {
    packets: u32,
    bytes: u64,
    limit_packets: Option<u32>,
    limit_bytes: Option<u64>,
}

impl BacklogView {
    pub(super) fn new(queue: Backlog) -> Self {
        let (limit_packets, limit_bytes) = limits(queue.limit);
        Self { packets: queue.packets, bytes: queue.bytes, limit_packets, limit_bytes }
    }
}

/// A queue in a shared buffer has no limit of its own.
fn limits(limit: Limit) -> (Option<u32>, Option<u64>) {
    match limit {
        Limit::NONE | Limit::Packets(0) => (None, None),
        Limit::Packets(packets) => (Some(packets), None),
        Limit::Bytes(bytes) | Limit::Span(bytes) => (None, Some(bytes)),
    }
}

/// Measurements that a controller gets at an update.
#[pyclass(frozen, get_all, name = "Seen", module = "weir._core")]
pub(crate) struct SeenView {
    now: f64,
    packets: u32,
    bytes: u64,
    rate: u64,
    arrived: u64,
    arrived_bytes: u64,
    left: u64,
    left_bytes: u64,
    lost: u64,
    delay: Option<f64>,
}

/// Counts since the last update.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) arrived: u64,
    pub(super) arrived_bytes: u64,
    pub(super) left: u64,
    pub(super) left_bytes: u64,
    pub(super) lost: u64,
    /// Seconds in the queue of the last packet that left.
    pub(super) delay: Option<f64>,
}

impl SeenView {
    pub(super) fn new(queue: Backlog, rate: u64, counts: Counts, now: Instant) -> Self {
        let Counts { arrived, arrived_bytes, left, left_bytes, lost, delay } = counts;
        Self {
            now: now.as_secs_f64(),
            packets: queue.packets,
            bytes: queue.bytes,
            rate,
            arrived,
            arrived_bytes,
            left,
            left_bytes,
            lost,
            delay,
        }
    }
}
