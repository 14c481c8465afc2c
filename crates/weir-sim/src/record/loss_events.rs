//! Synchronisation of losses: do the flows through a queue lose packets at the same time?
//!
//! RFC 7928, section 2.4, defines the *global synchronisation ratio*: the share of the flows that lose
//! packets during a loss event. A *loss event* begins with a drop and lasts one round trip, as at a
//! receiver (RFC 5348, section 5.2): no flow can react earlier. The first drop after it begins the next
//! event. An event is not extended by later drops: an AQM that drops steadily would cause one event
//! without end.
//!
//! The round trip is the mean over the flows through the queue: propagation delay plus the mean queueing
//! delay here since the measuring interval began. Events end with their interval.

use weir_types::{Duration, Instant};

/// The loss events of one queue in one interval. Only drops cost time, and memory is allocated at the
/// first drop.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossEvents {
    events: u64,
    /// Sum over events of the share of flows that lost packets.
    share: f64,
    current: Event,
    flows: FlowsThrough,
    /// For each flow: the serial of the event in which it last lost a packet.
    seen: Vec<u32>,
}

/// The current event.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    /// From 1; 0 before the first.
    serial: u32,
    /// Its end, exclusive.
    until: Instant,
    /// Live flows when it began.
    active: u32,
    /// Flows that have lost packets.
    lost: u32,
}

/// The flows through a queue. Computed at the first drop, and again when the number of flows doubles.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowsThrough {
    /// Number of all flows when this was computed.
    pub(crate) of: usize,
    /// Groups that pass the queue.
    pub(crate) groups: Vec<u32>,
    /// Mean propagation round trip.
    pub(crate) rtt: Duration,
}

impl LossEvents {
    /// Returns true if the flows through the queue must be computed again.
    pub(crate) const fn is_out_of_date(&self, flows: usize) -> bool {
        self.flows.of == 0 || flows > 2 * self.flows.of
    }

    pub(crate) fn learn(&mut self, flows: FlowsThrough) {
        self.flows = flows;
    }

    /// Returns true if a drop at `now` begins an event.
    pub(crate) fn begins_at(&self, now: Instant) -> bool {
        self.current.serial == 0 || now >= self.current.until
    }

    /// Begins an event at `now`. `waited` is the mean queueing delay, `live` tells the live flows of a group then.
    pub(crate) fn begin(&mut self, now: Instant, waited: Duration, live: impl Fn(usize) -> u32) {
        let active = self.flows.groups.iter().map(|group| live(*group as usize)).sum();
        self.events += 1;
        self.current = Event {
            serial: self.current.serial.wrapping_add(1).max(1),
            until: now + self.flows.rtt + waited,
            active,
            lost: 0,
        };
    }

    /// Records the drop of a packet of `flow` in the current event.
    pub(crate) fn lost(&mut self, flow: u32) {
        let flow = flow as usize;
        if self.seen.len() <= flow {
            self.seen.resize((flow + 1).max(self.flows.of), 0);
        }
        let Event { serial, active, lost, .. } = &mut self.current;
        // Flows that have just ended may still lose packets: the share never exceeds 1.
        if self.seen[flow] != *serial && *lost < (*active).max(1) {
            self.share += 1.0 / f64::from((*active).max(1));
            *lost += 1;
        }
        self.seen[flow] = *serial;
    }

    /// Ends the interval and the current event, and returns the counts of the next interval.
    pub(crate) fn cut(&mut self) -> Self {
        let current = Event { until: Instant::ZERO, ..self.current };
        let (flows, seen) = (std::mem::take(&mut self.flows), std::mem::take(&mut self.seen));
        Self { events: 0, share: 0.0, current, flows, seen }
    }

    /// Adds the counts of another interval.
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.share += other.share;
    }

    pub(crate) const fn events(&self) -> u64 {
        self.events
    }

    /// The global synchronisation ratio: the mean over events of the share of flows that lost packets. NaN
    /// without events.
    pub(crate) fn synchronisation(&self) -> f64 {
        self.share / self.events as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drops as (milliseconds, flow), with four live flows and a round trip of 100 ms.
    fn events(drops: &[(u64, u32)]) -> LossEvents {
        let mut events = LossEvents::default();
        events.learn(FlowsThrough { of: 4, groups: vec![0, 2], rtt: Duration::from_millis(80) });
        for (millis, flow) in drops {
            let now = Instant::ZERO + Duration::from_millis(*millis);
            if events.begins_at(now) {
                events.begin(now, Duration::from_millis(20), |group| [3, 50, 1][group]);
            }
            events.lost(*flow);
        }
        events
    }

    #[test]
    fn an_event_is_what_is_lost_within_a_round_trip() {
        // All four at once; then one alone, twice; then two.
        let events =
            events(&[(0, 0), (10, 1), (20, 2), (99, 3), (100, 2), (130, 2), (250, 0), (349, 1), (349, 0)]);
        assert_eq!(events.events(), 3);
        assert!((events.synchronisation() - (1.0 + 0.25 + 0.5) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_steady_trickle_is_many_events() {
        let drops: Vec<_> = (0..100).map(|drop| (50 * drop, drop as u32 % 4)).collect();
        let events = events(&drops);
        assert_eq!(events.events(), 50);
        assert!((events.synchronisation() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn more_than_all_is_all_and_none_is_not_defined() {
        let late = events(&[(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]);
        assert!((late.synchronisation() - 1.0).abs() < 1e-12);
        assert!(events(&[]).synchronisation().is_nan());
    }

    #[test]
    fn an_interval_ends_its_event() {
        let mut first = events(&[(0, 0), (1, 1)]);
        let mut second = first.cut();
        assert!(second.begins_at(Instant::ZERO + Duration::from_millis(2)));
        second.begin(Instant::ZERO + Duration::from_millis(2), Duration::ZERO, |group| [3, 50, 1][group]);
        second.lost(0);
        assert_eq!((first.events(), second.events()), (1, 1));
        second.add(&first);
        assert!((second.synchronisation() - 0.375).abs() < 1e-12);
    }
}
