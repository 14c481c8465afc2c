//! The two ends of every flow, with their timers.

use weir_tcp::{Flags, Receiver, Segment, Sender};
use weir_types::{Duration, Ecn, Instant, Rng};

use crate::{
    engine::{Event, EventQueue, prefetch},
    record::DatagramCounts,
};

/// Beyond this number of flows their states exceed the caches: they are half a megabyte.
const PREFETCH_MIN_FLOWS: usize = 2000;

/// The ends of all flows, indexed by flow.
#[derive(Debug, Default)]
pub(crate) struct Endpoints {
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    /// Datagrams of each flow, up to the last flow that sends datagrams.
    datagrams: Vec<DatagramCounts>,
}

/// The sending end of a flow.
#[derive(Debug)]
struct Source {
    sender: Sender,
    /// The instant of the valid timer event; [`Instant::MAX`] if there is none. It may be earlier than
    /// the sender's timeout, which every ACK moves: the event is then renewed.
    timer_at: Instant,
    jitter: Option<Box<SendJitter>>,
}

/// Delays new packets of a sender by a random time.
#[derive(Debug)]
pub(crate) struct SendJitter {
    width: Duration,
    rng: Rng,
    /// The sender waits for [`Event::SendLater`].
    pending: bool,
}

impl SendJitter {
    /// Delays between zero and `width`, drawn from `rng`.
    pub(crate) const fn new(width: Duration, rng: Rng) -> Self {
        Self { width, rng, pending: false }
    }
}

/// The receiving end of a flow.
#[derive(Debug)]
struct Sink {
    receiver: Receiver,
    /// The instant of the valid event for a delayed ACK; [`Instant::MAX`] if there is none.
    timer_at: Instant,
    /// One past the last number to arrive; [`u32::MAX`] if the flow has no end.
    end: u32,
}

impl Endpoints {
    /// Adds the two ends of a flow, whose id is the number of flows before it.
    pub(crate) fn add(&mut self, sender: Sender, receiver: Receiver, jitter: Option<Box<SendJitter>>) {
        self.sources.push(Source { sender, timer_at: Instant::MAX, jitter });
        self.sinks.push(Sink { receiver, timer_at: Instant::MAX, end: u32::MAX });
    }

    /// Adds the ends of a finite `flow`, or replaces those of the former flow of this id. Pending timer
    /// events stay valid: they may be earlier than the timeouts.
    pub(crate) fn put(
        &mut self,
        flow: u32,
        sender: Sender,
        receiver: Receiver,
        jitter: Option<Box<SendJitter>>,
    ) {
        let end = sender.end();
        if let Some(source) = self.sources.get_mut(flow as usize) {
            source.sender = sender;
            source.jitter = jitter;
            self.sinks[flow as usize].receiver = receiver;
        } else {
            self.add(sender, receiver, jitter);
        }
        self.sinks[flow as usize].end = end;
    }

    /// Prepares counters of datagrams for the flows with ids below `flows`.
    pub(crate) fn count_datagrams(&mut self, flows: u32) {
        self.datagrams.resize(flows as usize, DatagramCounts::default());
    }

    /// The number of flows.
    pub(crate) const fn len(&self) -> usize {
        self.sources.len()
    }

    pub(crate) fn sender(&self, flow: u32) -> &Sender {
        &self.sources[flow as usize].sender
    }

    pub(crate) fn sender_mut(&mut self, flow: u32) -> &mut Sender {
        &mut self.sources[flow as usize].sender
    }

    pub(crate) fn receiver(&self, flow: u32) -> &Receiver {
        &self.sinks[flow as usize].receiver
    }

    /// Whether all data of `flow` has arrived.
    #[inline]
    pub(crate) fn is_complete(&self, flow: u32) -> bool {
        let sink = &self.sinks[flow as usize];
        sink.receiver.expected() == sink.end
    }

    /// The ends of all flows, in the order of their ids.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&Sender, &Receiver)> {
        self.sources.iter().zip(&self.sinks).map(|(source, sink)| (&source.sender, &sink.receiver))
    }

    /// Datagrams of each flow, up to the last flow that sends datagrams.
    pub(crate) fn datagrams(&self) -> &[DatagramCounts] {
        &self.datagrams
    }

    /// Counts a datagram that `flow` sends.
    pub(crate) fn count_sent_datagram(&mut self, flow: u32) {
        self.datagrams[flow as usize].sent += 1;
    }

    /// Handles data that arrives at its receiver: the ACK to send now, if there is one.
    #[inline]
    pub(crate) fn receive(
        &mut self,
        segment: &Segment,
        now: Instant,
        events: &mut EventQueue,
    ) -> Option<Segment> {
        if segment.flags.has(Flags::DATAGRAM) {
            self.receive_datagram(segment);
            return None;
        }
        let sink = &mut self.sinks[segment.flow as usize];
        let ack = sink.receiver.on_segment(segment, now);
        if ack.is_none() && sink.receiver.timeout() < sink.timer_at {
            sink.timer_at = sink.receiver.timeout();
            events.push(sink.timer_at, Event::DelayedAck(segment.flow));
        }
        ack
    }

    /// Counts a datagram. Datagrams are not acknowledged.
    #[inline(never)]
    fn receive_datagram(&mut self, segment: &Segment) {
        let counts = &mut self.datagrams[segment.flow as usize];
        counts.delivered += 1;
        counts.bytes += u64::from(segment.bytes);
        counts.marked += u64::from(segment.ecn == Ecn::Ce);
    }

    /// Handles [`Event::DelayedAck`]: the ACK to send, if one is due.
    pub(crate) fn on_delayed_ack(
        &mut self,
        flow: u32,
        now: Instant,
        events: &mut EventQueue,
    ) -> Option<Segment> {
        let sink = &mut self.sinks[flow as usize];
        if sink.timer_at != now {
            return None;
        }
        sink.timer_at = Instant::MAX;
        let due = sink.receiver.timeout();
        if due <= now {
            return sink.receiver.on_timeout();
        }
        if due < Instant::MAX {
            sink.timer_at = due;
            events.push(due, Event::DelayedAck(flow));
        }
        None
    }

    /// Handles an ACK that arrives at its sender: whether all data is acknowledged.
    #[inline]
    pub(crate) fn acknowledge(&mut self, ack: &Segment, now: Instant) -> bool {
        let sender = &mut self.sources[ack.flow as usize].sender;
        if ack.blocks == 0 {
            sender.on_ack(ack, now);
        } else if ack.number >= sender.first() {
            let blocks = self.sinks[ack.flow as usize].receiver.blocks_of(ack);
            sender.on_sack(ack, &blocks, now);
        }
        sender.is_done()
    }

    /// Handles [`Event::Timer`]: whether the event was valid, so that the sender may send.
    pub(crate) fn on_timer(&mut self, flow: u32, now: Instant) -> bool {
        let source = &mut self.sources[flow as usize];
        if source.timer_at != now {
            return false;
        }
        source.timer_at = Instant::MAX;
        if source.sender.timeout() <= now {
            source.sender.on_timeout(now);
        }
        true
    }

    /// Whether jitter delays the new packets of `flow`. If so, [`Event::SendLater`] is scheduled.
    #[inline]
    pub(crate) fn delays_packets(&mut self, flow: u32, now: Instant, events: &mut EventQueue) -> bool {
        let source = &mut self.sources[flow as usize];
        let Some(jitter) = &mut source.jitter else { return false };
        if !jitter.pending && source.sender.has_room() {
            jitter.pending = true;
            let wait = jitter.width.mul_f64(jitter.rng.uniform());
            events.push(now + wait, Event::SendLater(flow));
        }
        true
    }

    /// Handles [`Event::SendLater`]: the delay of new packets is over.
    pub(crate) fn end_delay(&mut self, flow: u32) {
        if let Some(jitter) = &mut self.sources[flow as usize].jitter {
            jitter.pending = false;
        }
    }

    /// The next segment that the window of `flow` allows.
    #[inline]
    pub(crate) fn poll_segment(&mut self, flow: u32, now: Instant) -> Option<Segment> {
        self.sources[flow as usize].sender.poll_segment(now)
    }

    /// The next retransmission of `flow`. Jitter does not delay retransmissions.
    #[inline]
    pub(crate) fn poll_repair(&mut self, flow: u32, now: Instant) -> Option<Segment> {
        self.sources[flow as usize].sender.poll_repair(now)
    }

    /// Schedules [`Event::Timer`] if no valid one is as early as the sender's timeout.
    #[inline]
    pub(crate) fn renew_timer(&mut self, flow: u32, events: &mut EventQueue) {
        let source = &mut self.sources[flow as usize];
        let due = source.sender.timeout();
        if due < source.timer_at {
            source.timer_at = due;
            events.push(due, Event::Timer(flow));
        }
    }

    /// Whether prefetching pays.
    #[inline]
    pub(crate) const fn exceed_caches(&self) -> bool {
        self.sources.len() > PREFETCH_MIN_FLOWS
    }

    /// Prefetches receivers: for the flow of the packet after next the receiver itself, for the flow of
    /// the next packet the data that the receiver points to.
    #[inline]
    pub(crate) fn prefetch_receivers(&self, next: Option<u32>, after_next: Option<u32>) {
        if let Some(flow) = after_next {
            prefetch(&self.sinks[flow as usize]);
        }
        if let Some(flow) = next
            && let Some(log) = self.sinks[flow as usize].receiver.log()
        {
            prefetch(log);
        }
    }

    /// Prefetches senders, as [`Self::prefetch_receivers`] does receivers.
    #[inline]
    pub(crate) fn prefetch_senders(&self, next: Option<u32>, after_next: Option<u32>) {
        if let Some(flow) = after_next {
            prefetch(&self.sources[flow as usize]);
        }
        if let Some(flow) = next
            && let Some(sack) = self.sources[flow as usize].sender.sack()
        {
            prefetch(sack);
        }
    }
}
