use alloc::vec::Vec;

use weir_types::{Duration, Ecn, Instant, PacketSize};

use crate::{Flags, Segment, TcpParameters};

/// The receiving side of a connection: acknowledges, and counts what arrives for the first
/// time.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The lowest number that has not arrived.
    expected: u32,
    /// Distinct data segments, the SYN not among them.
    delivered: u32,
    /// What arrived beyond `expected`: disjoint ranges, first included, last excluded, in order.
    beyond: Vec<(u32, u32)>,
    /// A mark arrived and the sender has not yet said that it cut its window.
    echo: bool,
    /// Stamp of the first segment whose ACK is being delayed.
    delayed: Option<Instant>,
    /// When the delayed ACK is due; [`Instant::MAX`] if there is none.
    due: Instant,
    delay: Option<Duration>,
    ack_size: PacketSize,
    flow: u32,
}

impl Receiver {
    /// The other end of connection `flow`.
    pub const fn new(flow: u32, parameters: &TcpParameters) -> Self {
        Self {
            expected: 0,
            delivered: 0,
            beyond: Vec::new(),
            echo: false,
            delayed: None,
            due: Instant::MAX,
            delay: parameters.delayed_ack,
            ack_size: parameters.ack_size,
            flow,
        }
    }

    /// Data has arrived. Returns its ACK, unless that is delayed.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment, now: Instant) -> Option<Segment> {
        if segment.flags.has(Flags::CWR) {
            self.echo = false;
        }
        if segment.ecn == Ecn::Ce {
            self.echo = true;
        }
        let plain = segment.number == self.expected && self.beyond.is_empty();
        let new = if plain {
            self.expected += 1;
            true
        } else {
            self.insert(segment.number)
        };
        let syn = segment.flags.has(Flags::SYN);
        self.delivered += u32::from(new && !syn);
        match self.delay {
            Some(delay) if plain && !syn && self.delayed.is_none() => {
                self.delayed = Some(segment.stamp);
                self.due = now + delay;
                None
            }
            _ => Some(self.acknowledge(segment.stamp)),
        }
    }

    /// The delayed ACK is due.
    pub fn on_timeout(&mut self) -> Option<Segment> {
        self.delayed.map(|stamp| self.acknowledge(stamp))
    }

    /// When [`Receiver::on_timeout`] is due; [`Instant::MAX`] if no ACK is delayed.
    #[inline]
    pub const fn timeout(&self) -> Instant {
        self.due
    }

    /// Distinct data segments received, in order or not.
    pub const fn delivered(&self) -> u32 {
        self.delivered
    }

    fn acknowledge(&mut self, stamp: Instant) -> Segment {
        self.due = Instant::MAX;
        Segment {
            // RFC 7323, section 4.3: the earliest of the segments that one ACK covers.
            stamp: self.delayed.take().unwrap_or(stamp),
            flow: self.flow,
            number: self.expected,
            bytes: self.ack_size.bytes(),
            ecn: Ecn::NotEct,
            flags: Flags::ACK.with(Flags::ECE, self.echo),
        }
    }

    /// Notes a segment out of order; whether it is here for the first time.
    fn insert(&mut self, number: u32) -> bool {
        if number < self.expected {
            return false;
        }
        // The first range that ends at `number` or later.
        let at = self.beyond.partition_point(|range| range.1 < number);
        let next = self.beyond.get(at).copied();
        match next {
            Some((first, last)) if first <= number && number < last => return false,
            Some((first, last)) if last == number => {
                let joins = self.beyond.get(at + 1).is_some_and(|range| range.0 == number + 1);
                let last = if joins { self.beyond.remove(at + 1).1 } else { number + 1 };
                self.beyond[at] = (first, last);
            }
            Some((first, last)) if first == number + 1 => self.beyond[at] = (number, last),
            _ => self.beyond.insert(at, (number, number + 1)),
        }
        if self.beyond[0].0 == self.expected {
            self.expected = self.beyond.remove(0).1;
        }
        true
    }
}
