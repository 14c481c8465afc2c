//! Who sends what, and when: flows that come and go, and sources of datagrams.
//!
//! Static flows have the first ids. Behind them are *slots* for flows that come and go: a slot is used
//! again as soon as its flow has ended, so there are as many as flows were ever there at once. The next
//! flow of a slot counts its segments from where the former ended: what is late from the former lies
//! below and is ignored.
//!
//! A *generator* decides when the next flow or datagram begins. It draws from streams of its own and
//! never asks what queues do, so that the same traffic meets every discipline. It has one entry in the
//! calendar, whatever it feeds.

mod datagrams;
mod draw;
mod ideal;
mod sessions;
mod sizes;
mod slots;
mod transfers;

use weir_types::Instant;

pub(crate) use datagrams::{Datagrams, Pace};
pub(crate) use draw::{exponential, normal};
pub(crate) use ideal::{Leg, Way};
pub(crate) use sessions::{Kind, Pages, Session, ThreeGppPages};
pub(crate) use sizes::SizeLaw;
pub(crate) use slots::{Coming, ComingCounts, Slot};
pub(crate) use transfers::Arrivals;

use crate::{World, engine::Event, measure::FlowCounts};

/// All traffic but bulk flows.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    pub(crate) generators: Vec<Generator>,
    /// Groups whose flows come and go.
    pub(crate) coming: Vec<Coming>,
    /// The id of the first slot: there are so many static flows.
    pub(crate) first: u32,
    pub(crate) slots: Vec<Slot>,
    /// Of each static flow up to the last that sends datagrams.
    pub(crate) tallies: Vec<Tally>,
}

/// What decides when the next flow or datagram begins.
#[derive(Debug)]
pub(crate) enum Generator {
    /// Flows arrive at random.
    Arrivals(Arrivals),
    /// One flow after the other.
    Session(Box<Session>),
    /// A source of datagrams.
    Datagrams(Box<Datagrams>),
}

/// What became of the datagrams of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sent: u64,
    pub(crate) delivered: u64,
    /// Of those delivered.
    pub(crate) bytes: u64,
    pub(crate) marked: u64,
}

impl Tally {
    pub(crate) fn counts(&self) -> FlowCounts {
        FlowCounts {
            delivered: self.delivered,
            bytes: self.bytes,
            arrived: self.delivered,
            marked: self.marked,
            sent: self.sent,
            ..FlowCounts::default()
        }
    }
}

/// A flow that is to begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    /// Bytes to transfer.
    pub(crate) bytes: u64,
    /// Which of the ways of its group.
    pub(crate) way: u32,
    /// Bytes of a full packet on the wire, and how many of them are headers that the size does not count.
    pub(crate) packet: u32,
    pub(crate) headers: u32,
}

impl World {
    /// It is the turn of a generator.
    pub(crate) fn generate(&mut self, index: u32) {
        let now = self.now;
        match &mut self.traffic.generators[index as usize] {
            Generator::Arrivals(arrivals) => {
                let (coming, order, next) = (arrivals.coming, arrivals.draw(), arrivals.next(now));
                self.await_generator(index, next);
                self.open(coming, None, order);
            }
            Generator::Session(session) => {
                let coming = session.coming;
                let (order, next) = session.step(now);
                self.await_generator(index, next);
                if let Some(order) = order {
                    self.open(coming, Some(index), order);
                }
            }
            Generator::Datagrams(source) => {
                let (segment, next) = source.step(now);
                self.await_generator(index, next);
                self.traffic.tallies[segment.flow as usize].sent += 1;
                self.send_segment(segment);
            }
        }
    }

    pub(crate) fn await_generator(&mut self, index: u32, at: Option<Instant>) {
        if let Some(at) = at.filter(|at| *at <= self.end) {
            self.calendar.push(at, Event::Generate(index));
        }
    }
}
