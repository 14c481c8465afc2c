//! What happens at the ends of a flow.

use weir_tcp::{Flags, Receiver, Segment, Sender};
use weir_types::{Duration, Ecn, Instant, Rng};

use crate::{Packet, World, engine::Event, network::Entry};

/// The sending end of a flow.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) sender: Sender,
    /// The instant of the calendar's valid timer entry; [`Instant::MAX`] if there is none. It
    /// may be earlier than the sender's timeout, which moves with every ACK: then it is renewed.
    pub(crate) timer_at: Instant,
    pub(crate) jitter: Option<Box<Jitter>>,
}

/// A sender that holds new packets back for a random time.
#[derive(Debug)]
pub(crate) struct Jitter {
    pub(crate) width: Duration,
    pub(crate) rng: Rng,
    /// It is holding some back.
    pub(crate) pending: bool,
}

/// The receiving end of a flow.
#[derive(Debug)]
pub(crate) struct Sink {
    pub(crate) receiver: Receiver,
    pub(crate) timer_at: Instant,
    /// One past the last number that is to arrive; [`u32::MAX`] if there is no end.
    pub(crate) end: u32,
}

impl World {
    /// Data has reached its receiver.
    #[inline]
    pub(super) fn receive(&mut self, segment: &Segment) {
        self.books.delivered += 1;
        if segment.flags.has(Flags::DATAGRAM) {
            return self.receive_datagram(segment);
        }
        let sink = &mut self.sinks[segment.flow as usize];
        let ack = sink.receiver.on_segment(segment, self.now);
        let arrived = sink.receiver.expected() == sink.end;
        if let Some(ack) = ack {
            self.send_ack(ack);
        } else if sink.receiver.timeout() < sink.timer_at {
            sink.timer_at = sink.receiver.timeout();
            self.calendar.push(sink.timer_at, Event::DelayedAck(segment.flow));
        }
        if arrived {
            self.flow_arrived(segment.flow);
        }
    }

    /// A datagram has arrived, which nobody acknowledges.
    #[inline(never)]
    fn receive_datagram(&mut self, segment: &Segment) {
        let tally = &mut self.traffic.tallies[segment.flow as usize];
        tally.delivered += 1;
        tally.bytes += u64::from(segment.bytes);
        tally.marked += u64::from(segment.ecn == Ecn::Ce);
    }

    pub(super) fn on_delayed_ack(&mut self, flow: u32) {
        let sink = &mut self.sinks[flow as usize];
        if sink.timer_at != self.now {
            return;
        }
        sink.timer_at = Instant::MAX;
        let due = sink.receiver.timeout();
        if due > self.now {
            if due < Instant::MAX {
                sink.timer_at = due;
                self.calendar.push(due, Event::DelayedAck(flow));
            }
        } else if let Some(ack) = sink.receiver.on_timeout() {
            self.send_ack(ack);
        }
    }

    /// An ACK sets out.
    #[inline]
    pub(super) fn send_ack(&mut self, ack: Segment) {
        self.books.sent += 1;
        let packet = Packet(ack);
        let route = self.ways.route(&packet);
        let (entry, direct) = (route.entry, route.hops.is_empty());
        match entry {
            Entry::Port(port) => self.offer(port, packet),
            Entry::Pipe(pipe) => {
                let mut due = self.now;
                let delay = self.pipes.0[pipe as usize].delay;
                if let Some(access) = self.ways.access(ack.flow) {
                    due = access.send_ack(ack.bytes, due);
                    if direct {
                        due = access.deliver_ack(ack.bytes, due);
                    }
                }
                self.pipes.push(pipe, due + delay, packet, &mut self.calendar);
            }
        }
    }

    /// An ACK has reached its sender.
    #[inline]
    pub(super) fn acknowledge(&mut self, ack: &Segment) {
        self.books.delivered += 1;
        let sender = &mut self.sources[ack.flow as usize].sender;
        if ack.blocks == 0 {
            sender.on_ack(ack, self.now);
        } else if ack.number >= sender.first() {
            let blocks = self.sinks[ack.flow as usize].receiver.blocks_of(ack);
            sender.on_sack(ack, &blocks, self.now);
        }
        let done = sender.is_done();
        self.send(ack.flow);
        if done {
            self.flow_done(ack.flow);
        }
    }

    pub(super) fn on_timer(&mut self, flow: u32) {
        let source = &mut self.sources[flow as usize];
        if source.timer_at != self.now {
            return;
        }
        source.timer_at = Instant::MAX;
        if source.sender.timeout() <= self.now {
            source.sender.on_timeout(self.now);
        }
        self.send(flow);
    }

    /// Lets a sender send what it may, now or after its jitter.
    #[inline]
    pub(crate) fn send(&mut self, flow: u32) {
        let now = self.now;
        let source = &mut self.sources[flow as usize];
        let Some(jitter) = &mut source.jitter else { return self.drain(flow) };
        if !jitter.pending && source.sender.has_room() {
            jitter.pending = true;
            let wait = jitter.width.mul_f64(jitter.rng.uniform());
            self.calendar.push(now + wait, Event::SendLater(flow));
        }
        // Repairs do not wait.
        while let Some(segment) = self.sources[flow as usize].sender.poll_repair(now) {
            self.send_segment(segment);
        }
        self.renew_timer(flow);
    }

    /// Sends all that the window allows.
    #[inline]
    pub(super) fn drain(&mut self, flow: u32) {
        while let Some(segment) = self.sources[flow as usize].sender.poll_segment(self.now) {
            self.send_segment(segment);
        }
        self.renew_timer(flow);
    }

    /// The calendar holds an entry not later than the sender's timeout.
    #[inline]
    pub(super) fn renew_timer(&mut self, flow: u32) {
        let source = &mut self.sources[flow as usize];
        let due = source.sender.timeout();
        if due < source.timer_at {
            source.timer_at = due;
            self.calendar.push(due, Event::Timer(flow));
        }
    }

    /// Data sets out.
    #[inline]
    pub(crate) fn send_segment(&mut self, segment: Segment) {
        self.books.sent += 1;
        let packet = Packet(segment);
        match self.ways.route(&packet).entry {
            Entry::Port(port) => self.offer(port, packet),
            Entry::Pipe(pipe) => {
                let delay = self.pipes.0[pipe as usize].delay;
                let due = match self.ways.access(segment.flow) {
                    Some(access) => access.send_data(segment.bytes, self.now),
                    None => self.now,
                };
                self.pipes.push(pipe, due + delay, packet, &mut self.calendar);
            }
        }
    }
}
