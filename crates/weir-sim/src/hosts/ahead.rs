//! Look-ahead: the endpoints of a flow act ahead of the clock.
//!
//! **The rule.** Nothing but its own packets and timers changes the two ends of a flow, and the delays
//! behind the last port are known. So what a packet does at its endpoint is worked out as soon as it leaves
//! its last port, at the instant of its arrival there: the receiver, the ACK, the sender, what that sends.
//! Only what arrives at a port waits in the event queue: one event per packet and port.
//!
//! A packet is held back, and reaches its endpoint when the clock does, where something else looks at the
//! endpoint before:
//!
//! - *the horizon*: counts are read, or the caller stops, at or before the arrival;
//! - *the sender's own horizon*: the flow stops, or its variables are sampled;
//! - *the end of a transfer*: the last data and the last ACK change the traffic;
//! - another packet for the same endpoint is held.
//!
//! **Why the results are the same.**
//!
//! 1. The packets of a flow reach an endpoint in the order in which they are worked out: one last port serves
//!    them in turn, and the delay behind it is constant. Late packets of a former flow with the same id are
//!    the exception: both ends ignore them, and no timer acts for them.
//! 2. A timer of an endpoint that expires before a packet arrives acts first, with its own instant.
//! 3. The order at a port depends on the [`super::order::Turn`] of each packet, not on the order in which
//!    packets were worked out.

use std::cmp::Reverse;

use weir_tcp::{Flags, Segment};
use weir_types::Instant;

use super::{
    Flow, Hosts,
    held::Arrival,
    order::{Cause, Origin},
};
use crate::engine::{Event, EventQueue};

/// What the arrival of a packet has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completed {
    Nothing,
    /// All data of this flow has arrived.
    Data(u32),
    /// All data of this flow is acknowledged.
    Acks(u32),
}

impl Hosts {
    /// Lets all endpoints act before `at`.
    pub(crate) fn set_horizon(&mut self, at: Instant, events: &mut EventQueue) {
        self.horizon = at;
        self.release(events);
    }

    /// Lets the sender of `flow` act before `at`, once [`Hosts::release`] is called.
    pub(crate) fn set_sender_horizon(&mut self, flow: u32, at: Instant) {
        self.flows[flow as usize].set_sender_until(at);
    }

    /// Lets the packets go that need not be held any more.
    #[cold]
    pub(crate) fn release(&mut self, events: &mut EventQueue) {
        if self.horizon == Instant::ZERO {
            return;
        }
        let mut arrivals = self.held.take();
        while let Some(Reverse(arrival)) = arrivals.pop() {
            self.hold_one(&arrival.segment, false);
            if arrival.segment.flags.has(Flags::ACK) {
                self.reach_sender(arrival, events);
            } else {
                self.reach_receiver(arrival, events);
            }
        }
        self.held.reuse(arrivals);
    }

    /// The short way of most packets: data leaves its last port at `at`, arrives at its receiver, its ACK at
    /// its sender, and what that allows leaves. Returns false and does nothing where something is held or due
    /// before, where something is unusual, or where there is more than delay between the ends.
    #[inline(never)]
    pub(super) fn follow(&mut self, data: &Segment, at: Instant, port: u32, events: &mut EventQueue) -> bool {
        let flow = &mut self.flows[data.flow as usize];
        let Flow { sender, receiver, way, short_until, .. } = flow;
        let back = at + way.tail;
        let echo = receiver.echoes_after(data);
        if back >= self.horizon.min(*short_until).min(sender.expected_timeout())
            || port != way.last
            || !receiver.expects(data)
            || !sender.expects(data.number + 1, echo)
            || data.number + 1 >= sender.end()
        {
            return false;
        }
        receiver.on_expected(data);
        self.followed += 1;
        let origin = Origin::packet(self.departed);
        let before = sender.counters().sent;
        sender.on_expected_ack(data.number + 1, echo, data.stamp, back, |segment| {
            way.enter(segment, back, back, origin, &mut self.routing.pipes, events);
        });
        self.sent += u64::from(sender.counters().sent - before);
        let due = sender.expected_timeout();
        if due < flow.timer_at {
            flow.timer_at = due;
            events.push(due, Event::Timer(data.flow));
        }
        true
    }

    /// Data arrives at its receiver.
    #[inline]
    pub(super) fn reach_receiver(&mut self, arrival: Arrival, events: &mut EventQueue) {
        let flow = &self.flows[arrival.segment.flow as usize];
        if flow.holds(false) || arrival.due >= self.horizon || flow.is_nearly_complete() {
            return self.hold(arrival, events);
        }
        self.receive_in_turn(&arrival, events);
    }

    /// An ACK arrives at its sender.
    #[inline]
    pub(super) fn reach_sender(&mut self, arrival: Arrival, events: &mut EventQueue) {
        let flow = &self.flows[arrival.segment.flow as usize];
        if flow.holds(true)
            || arrival.due >= self.horizon.min(flow.sender_until())
            || arrival.segment.number == flow.sender.end()
        {
            return self.hold(arrival, events);
        }
        self.acknowledge_in_turn(&arrival, events);
    }

    #[inline(never)]
    fn hold(&mut self, arrival: Arrival, events: &mut EventQueue) {
        self.hold_one(&arrival.segment, true);
        self.held.push(arrival, events);
    }

    /// One more packet, or one less, is held before the endpoint of `segment`.
    fn hold_one(&mut self, segment: &Segment, more: bool) {
        self.flows[segment.flow as usize].hold(segment.flags.has(Flags::ACK), more);
    }

    /// Handles [`crate::engine::Event::Arrive`].
    pub(crate) fn on_arrive(&mut self, now: Instant, events: &mut EventQueue) -> Completed {
        let Some(arrival) = self.held.pop(now, events) else { return Completed::Nothing };
        self.hold_one(&arrival.segment, false);
        let id = arrival.segment.flow;
        if arrival.segment.flags.has(Flags::ACK) {
            self.acknowledge_in_turn(&arrival, events);
            if self.flow(id).sender.is_done() { Completed::Acks(id) } else { Completed::Nothing }
        } else {
            self.receive_in_turn(&arrival, events);
            if self.flow(id).is_complete() { Completed::Data(id) } else { Completed::Nothing }
        }
    }

    /// The receiver acts on `arrival`, after what is due before.
    #[inline]
    fn receive_in_turn(&mut self, arrival: &Arrival, events: &mut EventQueue) {
        let Arrival { due, segment: ref data, .. } = *arrival;
        while self.flow(data.flow).ack_timer_at < due && data.number >= self.flow(data.flow).sender.first() {
            self.on_delayed_ack(data.flow, self.flow(data.flow).ack_timer_at, events);
        }
        self.receive(arrival, events);
    }

    /// The sender acts on `arrival`, after what is due before.
    #[inline]
    fn acknowledge_in_turn(&mut self, arrival: &Arrival, events: &mut EventQueue) {
        let Arrival { due, segment: ref ack, .. } = *arrival;
        while self.flow(ack.flow).sender_due() < due && ack.number >= self.flow(ack.flow).sender.first() {
            self.act_without_ack(ack.flow, events);
        }
        self.acknowledge(arrival, events);
    }

    /// The sender of `flow` does what is due first: its jitter ends, or its retransmission timer expires.
    #[inline(never)]
    fn act_without_ack(&mut self, flow: u32, events: &mut EventQueue) {
        let Flow { sender, jitter, .. } = &mut self.flows[flow as usize];
        let timeout = sender.timeout();
        match jitter {
            Some(jitter) if jitter.until <= timeout => {
                let now = jitter.until;
                self.on_send_later(flow, now, events);
            }
            _ => {
                sender.on_timeout(timeout);
                self.send(flow, timeout, Origin::new(Cause::Timer, flow), events);
            }
        }
    }
}
