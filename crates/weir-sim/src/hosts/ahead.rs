//! Look-ahead: the endpoints of a flow act ahead of the clock.
//!
//! **The rule.** Nothing but its own packets and timers changes the two ends of a flow, and the delays behind the
//! last port are known. So what a packet does at its endpoint is worked out as soon as it leaves its last port, for
//! the instant of its arrival: the receiver, the ACK, the sender, and what that sends. Only what arrives at a port
//! waits in the event queue: one event per packet and port.
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
    AckEvent, Flow, Hosts,
    held::Arrival,
    order::{Cause, Origin},
};
use crate::{engine::Event, packet::Packet};

/// A transfer's data or ACKs that the arrival of a packet has completed.
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
    pub(crate) fn set_horizon(&mut self, at: Instant) {
        self.horizon = at;
        self.release();
    }

    /// Lets the sender of `flow` act before `at`, once [`Hosts::release`] is called.
    pub(crate) fn set_sender_horizon(&mut self, flow: u32, at: Instant) {
        self.flows[flow as usize].sender_until = at;
    }

    /// Lets the packets go that need not be held any more.
    #[cold]
    pub(crate) fn release(&mut self) {
        if self.horizon == Instant::ZERO {
            return;
        }
        let mut arrivals = self.held.take();
        while let Some(Reverse(arrival)) = arrivals.pop() {
            self.hold_one(&arrival.segment, false);
            if arrival.segment.flags().has(Flags::ACK) {
                self.reach_sender(arrival);
            } else {
                self.reach_receiver(arrival);
            }
        }
        self.held.reuse(arrivals);
    }

    /// A packet leaves `port` at `at`. The fast path of most packets: it is data that leaves its last port. It
    /// arrives at its receiver, its ACK at its sender, and what that allows leaves. Other packets go another way:
    /// something is held or due before them, they are not the expected ones, or their path has more than delay.
    #[inline(never)]
    pub(crate) fn depart(&mut self, packet: &Packet, at: Instant, port: u32) {
        let Packet(data) = packet;
        let flow = &mut self.flows[data.flow as usize];
        if port != flow.fast_from {
            return self.depart_further(packet, at, port);
        }
        let Flow { sender, receiver, way, sender_until, .. } = flow;
        let back = at.later(way.tail);
        let echo = receiver.echoes_after(data);
        if back >= self.horizon
            || back >= *sender_until
            || back >= sender.expected_timeout()
            || !receiver.expects(data)
            || !sender.expects(data.number + 1, echo)
            || data.number + 1 >= sender.end()
        {
            let due = at + way.to_receiver;
            return self.deliver_data(data, due, self.order.packet(at, port));
        }
        receiver.on_expected(data, echo);
        self.followed += 1;
        let origin = self.order.packet(at, port);
        let sent = sender.on_expected_ack(data.number + 1, echo, data.stamp, back, |segment| {
            way.enter(segment, back, back, origin, &mut self.routing.pipes, &mut self.events);
        });
        self.sent += u64::from(sent);
        self.timers.renew(data.flow, &mut flow.timer_at, sender.expected_timeout(), &mut self.events);
    }

    /// Data that left its last port, as `origin` says, comes to the access link of its receiver at `due`, after all
    /// delay: delay and queue commute, since both keep the order.
    #[inline(never)]
    pub(super) fn deliver_data(&mut self, data: &Segment, mut due: Instant, origin: Origin) {
        let flow = &mut self.flows[data.flow as usize];
        if let Some(access) = &mut flow.access {
            due = access.deliver_data(data.bytes(), due);
        }
        if due >= self.horizon.min(flow.ack_timer_at)
            || flow.holds(false)
            || flow.is_nearly_complete()
            || data.flags().has(Flags::DATAGRAM)
        {
            return self.reach_receiver(Arrival { due, origin, segment: *data });
        }
        self.delivered += 1;
        if let Some(ack) = flow.receiver.on_segment(data, due) {
            self.sent += 1;
            let onward = (&mut self.routing.pipes, &mut self.events);
            if let Some(back) = flow.send_ack(ack, due, origin, onward) {
                self.deliver_ack(&ack, back, origin);
            }
        } else if flow.receiver.timeout() < flow.ack_timer_at {
            flow.ack_timer_at = flow.receiver.timeout();
            self.events.push(flow.ack_timer_at, Event::DelayedAck(data.flow));
        }
    }

    /// An ACK comes to the access link of its sender at `due`, as `origin` says.
    #[inline(never)]
    pub(super) fn deliver_ack(&mut self, ack: &Segment, mut due: Instant, origin: Origin) {
        let flow = &mut self.flows[ack.flow as usize];
        if let Some(access) = &mut flow.access {
            due = access.deliver_ack(ack.bytes(), due);
        }
        if due >= self.horizon.min(flow.sender_until)
            || due > flow.sender.timeout()
            || flow.holds(true)
            || flow.jitter.is_some()
            || ack.number == flow.sender.end()
        {
            return self.reach_sender(Arrival { due, origin, segment: *ack });
        }
        self.delivered += 1;
        let echo = ack.flags().has(Flags::ECE);
        if ack.options() > 0 || !flow.sender.expects(ack.number, echo) {
            return self.acknowledge(ack, due, origin);
        }
        let Flow { sender, way, access, .. } = flow;
        let sent = sender.on_expected_ack(ack.number, echo, ack.stamp, due, |segment| {
            let onward = (&mut self.routing.pipes, &mut self.events);
            Flow::send_data(way, access, segment, due, origin, onward);
        });
        self.sent += u64::from(sent);
        self.timers.renew(ack.flow, &mut flow.timer_at, sender.expected_timeout(), &mut self.events);
    }

    /// Data arrives at its receiver.
    #[inline]
    pub(super) fn reach_receiver(&mut self, arrival: Arrival) {
        let flow = &self.flows[arrival.segment.flow as usize];
        if flow.holds(false) || arrival.due >= self.horizon || flow.is_nearly_complete() {
            return self.hold(arrival);
        }
        self.receive_in_turn(&arrival);
    }

    /// An ACK arrives at its sender.
    #[inline]
    pub(super) fn reach_sender(&mut self, arrival: Arrival) {
        let flow = &self.flows[arrival.segment.flow as usize];
        if flow.holds(true)
            || arrival.due >= self.horizon.min(flow.sender_until)
            || arrival.segment.number == flow.sender.end()
        {
            return self.hold(arrival);
        }
        self.acknowledge_in_turn(&arrival);
    }

    #[inline(never)]
    fn hold(&mut self, arrival: Arrival) {
        let Arrival { due, segment, .. } = arrival;
        if let Some(acks) = &mut self.acks
            && segment.flags().has(Flags::ACK)
        {
            let way = &self.flows[segment.flow as usize].way;
            let behind = if way.last_of_acks.is_some() { way.to_sender } else { way.back.delay };
            acks.push(AckEvent::Sent(segment, Instant::from_nanos(due.as_nanos() - behind.as_nanos()), due));
        }
        self.hold_one(&arrival.segment, true);
        self.held.push(arrival, &mut self.events);
    }

    /// One more packet, or one less, is held before the endpoint of `segment`.
    fn hold_one(&mut self, segment: &Segment, more: bool) {
        self.flows[segment.flow as usize].hold(segment.flags().has(Flags::ACK), more);
    }

    /// Handles [`crate::engine::Event::Arrive`].
    pub(crate) fn on_arrive(&mut self, now: Instant) -> Completed {
        let Some(arrival) = self.held.pop(now, &mut self.events) else { return Completed::Nothing };
        self.hold_one(&arrival.segment, false);
        let id = arrival.segment.flow;
        if arrival.segment.flags().has(Flags::ACK) {
            if let Some(acks) = &mut self.acks {
                acks.push(AckEvent::Arrived(arrival.segment, now));
            }
            self.acknowledge_in_turn(&arrival);
            if self.flow(id).sender.is_done() { Completed::Acks(id) } else { Completed::Nothing }
        } else {
            self.receive_in_turn(&arrival);
            if self.flow(id).is_complete() { Completed::Data(id) } else { Completed::Nothing }
        }
    }

    /// The receiver acts on `arrival`, after what is due before.
    #[inline]
    fn receive_in_turn(&mut self, arrival: &Arrival) {
        let Arrival { due, segment: ref data, .. } = *arrival;
        while self.flow(data.flow).ack_timer_at < due && data.number >= self.flow(data.flow).sender.first() {
            self.on_delayed_ack(data.flow, self.flow(data.flow).ack_timer_at);
        }
        self.receive(arrival);
    }

    /// The sender acts on `arrival`, after what is due before.
    #[inline]
    fn acknowledge_in_turn(&mut self, arrival: &Arrival) {
        let Arrival { due, segment: ref ack, .. } = *arrival;
        while self.flow(ack.flow).sender_due() < due && ack.number >= self.flow(ack.flow).sender.first() {
            self.act_without_ack(ack.flow, due);
        }
        self.delivered += 1;
        self.acknowledge(ack, due, arrival.origin);
    }

    /// The sender of `flow` does what is due first: its jitter ends, or a timer expires. All that pacing releases
    /// before `until` leaves in one go.
    #[inline(never)]
    fn act_without_ack(&mut self, flow: u32, until: Instant) {
        let Flow { sender, jitter, way, access, timer_at, .. } = &mut self.flows[flow as usize];
        let timeout = sender.timeout();
        let origin = Origin::new(Cause::Timer, flow);
        match jitter {
            Some(jitter) if jitter.until <= timeout => {
                let now = jitter.until;
                return self.on_send_later(flow, now);
            }
            Some(_) => {}
            None => {
                let onward = (&mut self.routing.pipes, &mut self.events);
                let sent = sender.send_paced(until, |row, now| {
                    Flow::send_data(way, access, row, now, origin, (&mut *onward.0, &mut *onward.1));
                });
                if let Some(sent) = sent {
                    self.sent += u64::from(sent);
                    return self.timers.renew(flow, timer_at, sender.expected_timeout(), &mut self.events);
                }
            }
        }
        sender.on_timeout(timeout);
        self.send(flow, timeout, origin);
    }
}
