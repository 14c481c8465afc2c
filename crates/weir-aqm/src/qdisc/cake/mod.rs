//! CAKE (Common Applications Kept Enhanced): a shaper, tins by Diffserv codepoint, fair queueing among hosts
//! and their flows, and COBALT for each flow.
//!
//! T. Høiland-Jørgensen, D. Täht, J. Morton: *Piece of CAKE: A Comprehensive Queue Management Solution for
//! Home Gateways*, IEEE LANMAN 2018; `sch_cake` of Linux, which is the definition in detail.
//!
//! ```text
//! arrival    to tin(dscp), and there to the queue of its flow among eight places (set-associative hash)
//!            a queue on no list becomes sparse, with a quantum of q / load
//! filter     ack_filter: an ACK of the queue that the arrival makes redundant is taken away
//! departure  the last tin that has not had its share (time <= now), or else the one that is due first
//!              first decaying queue once, then sparse ones, then bulk ones
//!              deficit <= 0   deficit += q / load, to the end of the bulk ones, again
//!              empty          decays until its COBALT is at rest, again from the choice of the tin
//!              else           the packet that COBALT passes; the last one is never dropped
//! charge     tin:     time += t if it was < now, else max(time, now + t)     t = bytes 8 / threshold
//!            shaper:  next += bytes 8 / bandwidth
//! overflow   drop from the head of the longest queue until there is room
//! ```
//!
//! `bytes` are those on the wire: [`Framing`]. `load` is the number of bulk flows of the busier one of the
//! flow's hosts. So hosts have equal parts, however many flows they have.
//!
//! Differences between Linux and Weir: `docs/disciplines/cake.md`.

mod discipline;
mod flow;
mod framing;
mod isolation;
mod parameters;
mod shaper;
mod tin;
mod tins;
mod turns;

use alloc::boxed::Box;

use weir_types::{Duration, Instant, Rate, Rng, Streams};

use super::{fair::spread, fq::salt, linked_list::PacketPool};
use crate::{Backlog, Link, Observer, Packet, Reason};
pub use framing::Carrier;
use framing::Framing;
use isolation::Hashes;
pub use isolation::Isolation;
pub use parameters::CakeParameters;
use shaper::Shaper;
use tin::{Scale, Tin};
pub use tins::Tins;

impl CakeParameters {
    /// CAKE before `link`. It draws from the stream at `path`, and hashes with one below.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> Cake<P> {
        Cake::new(self.clone(), link, salt(streams, path), streams.at(path))
    }
}

/// CAKE.
#[derive(Debug)]
pub struct Cake<P> {
    parameters: CakeParameters,
    framing: Framing,
    waiting: PacketPool<P>,
    tins: Box<[Tin]>,
    /// The tin that was served last.
    current: usize,
    shaper: Option<Shaper>,
    queue: Backlog,
    memory_limit: u64,
    salt: u64,
    rng: Rng,
}

impl<P: Packet> Cake<P> {
    /// Empty queues before `link`, with a hash by `salt`.
    pub(crate) fn new(parameters: CakeParameters, link: Link, salt: u64, rng: Rng) -> Self {
        let tins = parameters.tins;
        let scales = (0..tins.number()).map(|number| scale(&parameters, number, link.rate));
        Self {
            framing: parameters.framing(),
            waiting: PacketPool::new(),
            tins: scales.map(|scale| Tin::new(scale, parameters.isolation)).collect(),
            current: 0,
            shaper: parameters.shapes().then(|| Shaper::new(parameters.bandwidth.unwrap_or(link.rate))),
            queue: Backlog { packets: 0, bytes: 0, limit: link.limit },
            memory_limit: parameters.memory(link.rate),
            salt,
            rng,
            parameters,
        }
    }

    /// Hashes of the flow of `packet` and of its hosts. A host without a number has this flow alone. Senders and
    /// receivers are different hosts, or all pairs of two with one number would have the key 0.
    fn hashes(&self, packet: &P) -> Hashes {
        let (flow, label) = (packet.info().flow, packet.label());
        let hash = |value: u32, kind: u64| (spread((u64::from(value) | kind << 32) ^ self.salt) >> 32) as u32;
        let host = |number: u32, kind| if number == 0 { hash(flow, kind) } else { hash(number, kind + 1) };
        Hashes { flow: hash(flow, 0), from: host(label.from, 0), to: host(label.to, 2) }
    }

    #[inline]
    fn is_over_limit(&self) -> bool {
        self.queue.is_over_limit() || self.queue.bytes > self.memory_limit
    }

    /// The queue of `packet` in its tin.
    #[inline]
    fn queue_for(&mut self, tin: usize, packet: &P) -> usize {
        let hashes = self.hashes(packet);
        self.tins[tin].queue_for(hashes)
    }

    /// A packet that arrived at `arrived` waits, as the last of its queue.
    #[inline]
    fn admit(&mut self, tin: usize, queue: usize, packet: P, arrived: Instant) {
        let bytes = packet.info().bytes;
        let tin = &mut self.tins[tin];
        self.waiting.push(&mut tin.flows[queue].line, packet, arrived);
        tin.bytes[queue] += bytes;
        tin.waiting = (tin.waiting.0 + 1, tin.waiting.1 + u64::from(bytes));
        self.queue.packets += 1;
        self.queue.bytes += u64::from(bytes);
        tin.activate(queue, &mut self.rng);
    }

    /// The head of one queue, no longer counted.
    #[inline]
    fn pop(&mut self, tin: usize, queue: usize) -> Option<(P, Instant)> {
        let (packet, arrived) = self.waiting.pop(&mut self.tins[tin].flows[queue].line)?;
        self.count_out(tin, queue, packet.info().bytes);
        Some((packet, arrived))
    }

    /// A packet of `bytes` bytes no longer waits in `queue`.
    #[inline]
    fn count_out(&mut self, tin: usize, queue: usize, bytes: u32) {
        let tin = &mut self.tins[tin];
        tin.bytes[queue] -= bytes;
        tin.waiting = (tin.waiting.0 - 1, tin.waiting.1 - u64::from(bytes));
        self.queue.packets -= 1;
        self.queue.bytes -= u64::from(bytes);
    }

    /// Takes the ACK that `newest`, which comes next, makes redundant out of its queue. In the ingress mode the ACK has
    /// passed the line, and is paid for.
    #[inline(never)]
    fn filter(
        &mut self,
        tin: usize,
        queue: usize,
        newest: &P,
        now: Instant,
        observer: &mut impl Observer<P>,
    ) {
        let Some(ack) = observer.ack(newest) else { return };
        let (flow, line) = (newest.info().flow, &self.tins[tin].flows[queue].line);
        // A packet of another flow in its queue, which has the same hash, is no ACK of this one.
        let ack_of = |packet: &P| (packet.info().flow == flow).then(|| observer.ack(packet)).flatten();
        let waiting = self.waiting.iter(line).map(|(before, packet)| (before, ack_of(packet)));
        let Some(before) = self.parameters.ack_filter.redundant(&ack, waiting) else { return };
        let line = &mut self.tins[tin].flows[queue].line;
        let (packet, _) = self.waiting.remove_behind(line, before).expect("it was found there");
        self.count_out(tin, queue, packet.info().bytes);
        if self.parameters.ingress {
            self.charge(tin, &packet, true, now);
        }
        self.tell_tin(tin, observer);
        observer.filtered(packet, now);
    }

    /// Charges a packet that left at `now`, or was `dropped`, to its tin and to the shaper. Returns its bytes on the
    /// wire.
    fn charge(&mut self, tin: usize, packet: &P, dropped: bool, now: Instant) -> u32 {
        let bytes = self.framing.bytes(packet.info().bytes);
        self.tins[tin].charge(bytes, now);
        if let Some(shaper) = &mut self.shaper {
            shaper.charge(bytes, dropped);
        }
        bytes
    }

    /// Drops the head of the longest queue.
    #[inline(never)]
    fn make_room(&mut self, now: Instant, observer: &mut impl Observer<P>) {
        let longest = |(number, tin): (usize, &Tin)| Some((tin.longest()?, number));
        let ((_, queue), tin) = self.tins.iter().enumerate().filter_map(longest).max().expect("packets wait");
        let (packet, _) = self.pop(tin, queue).expect("it has bytes");
        let Tin { flows, scale, .. } = &mut self.tins[tin];
        flows[queue].cobalt.overflowed(&scale.cobalt, now);
        if self.parameters.ingress {
            self.charge(tin, &packet, true, now);
        }
        self.tell_tin(tin, observer);
        observer.dropped(packet, Reason::Overflow, true, now);
    }

    /// The tin whose turn it is at `now`, while packets wait.
    fn choose(&mut self, now: Instant) -> usize {
        if self.parameters.unlimited {
            return self.choose_by_deficit();
        }
        let (mut best, mut least) = (0, Duration::MAX);
        for (number, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.is_busy()) {
            // Zero once it is due: the last of these is taken.
            let ahead = tin.served_until.since(now);
            if ahead <= least {
                (best, least) = (number, ahead);
            }
        }
        best
    }

    /// The tin whose turn it is, where no shaper tells what is due.
    fn choose_by_deficit(&mut self) -> usize {
        loop {
            let tin = &mut self.tins[self.current];
            if tin.deficit >= 0 && tin.is_busy() {
                return self.current;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.scale.tin_quantum;
            }
            self.current = (self.current + 1) % self.tins.len();
        }
    }

    /// Tells `observer` that what comes next is of this tin.
    #[inline]
    fn tell_tin(&self, tin: usize, observer: &mut impl Observer<P>) {
        if self.tins.len() > 1 {
            observer.class(tin);
        }
    }

    /// The next packet of a tin, or `None` if a queue was found empty: another tin may have its turn then. `decaying`
    /// until a decaying queue has been looked at.
    fn serve(
        &mut self,
        tin: usize,
        decaying: &mut bool,
        now: Instant,
        observer: &mut impl Observer<P>,
    ) -> Option<(P, Duration)> {
        loop {
            let (turn, queue) = self.tins[tin].first(core::mem::take(decaying))?;
            if self.tins[tin].flows[queue].deficit <= 0 {
                self.tins[tin].spent(queue, turn, &mut self.rng);
                continue;
            }
            match self.next_of(tin, queue, now, observer) {
                Next::Packet(packet, sojourn) => return Some((packet, sojourn)),
                Next::Paid => {}
                Next::Empty => {
                    self.tins[tin].emptied(queue, turn, now);
                    return None;
                }
            }
        }
    }

    /// The next packet of a queue that COBALT passes. It never drops the last one.
    fn next_of(
        &mut self,
        tin: usize,
        queue: usize,
        now: Instant,
        observer: &mut impl Observer<P>,
    ) -> Next<P> {
        while let Some((mut packet, arrived)) = self.pop(tin, queue) {
            let sojourn = now.since(arrived);
            let Tin { flows, scale, bytes, bulk_flows, .. } = &mut self.tins[tin];
            // Each bulk flow has two frames, where the queue to be kept short is before CAKE.
            let too_long = scale.too_long(if self.parameters.ingress { *bulk_flows } else { 0 });
            let markable = packet.info().ecn.is_markable();
            let cobalt = &mut flows[queue].cobalt;
            let judgement = cobalt.judge(sojourn > too_long, markable, &scale.cobalt, &mut self.rng, now);
            if !judgement.drop || bytes[queue] == 0 {
                if judgement.mark {
                    packet.mark();
                    observer.marked(&packet, Reason::Early, now);
                }
                self.pay(tin, queue, &packet, false, now);
                return Next::Packet(packet, sojourn);
            }
            if self.parameters.ingress {
                self.pay(tin, queue, &packet, true, now);
                observer.dropped(packet, Reason::Early, true, now);
                return Next::Paid;
            }
            observer.dropped(packet, Reason::Early, true, now);
        }
        Next::Empty
    }

    /// Takes the bytes of a packet that left, or was `dropped` after it had passed the line, off the deficits.
    fn pay(&mut self, tin: usize, queue: usize, packet: &P, dropped: bool, now: Instant) {
        let bytes = i64::from(self.charge(tin, packet, dropped, now));
        let tin = &mut self.tins[tin];
        tin.flows[queue].deficit -= bytes;
        tin.deficit -= bytes;
    }

    /// Tins and times for a link of `rate`.
    fn rescale(&mut self, rate: Rate) {
        for (number, tin) in self.tins.iter_mut().enumerate() {
            tin.scale = scale(&self.parameters, number, rate);
        }
        if let Some(shaper) = &mut self.shaper {
            shaper.rate = self.parameters.bandwidth.unwrap_or(rate);
        }
        self.memory_limit = self.parameters.memory(rate);
    }
}

/// Outcome of a queue that has its turn.
enum Next<P> {
    /// A packet, and how long it waited.
    Packet(P, Duration),
    /// A drop that took its time on the line: the deficit decides again.
    Paid,
    /// Nothing.
    Empty,
}

/// The scale of the tin `number` before a link of `rate`.
fn scale(parameters: &CakeParameters, number: usize, rate: Rate) -> Scale {
    let threshold = parameters.rate(rate).map(|rate| parameters.tins.threshold(number, rate));
    Scale::new(
        threshold,
        parameters.rtt,
        parameters.rtt / 20,
        parameters.increment.get(),
        parameters.decrement.get(),
        parameters.tins.quantum(number),
    )
}
