//! Synchronisation of losses: do the flows over a queue lose packets together, or one after the other?
//!
//! RFC 7928, section 2.4, asks for the *global synchronisation ratio*: the share of the flows that lose
//! packets during a loss event. A *loss event* begins with a drop and lasts one round trip, as at a
//! receiver (RFC 5348, section 5.2): what one overflow does to the flows, before any of them can answer.
//! The next drop begins the next. That every drop within a round trip of the one *before* it belonged to
//! the same event would make a single event without end of a law that drops a little all the time.
//!
//! The round trip is the mean of the flows over the queue: propagation, and what packets have waited
//! here on average since the measuring interval began. Events end with their interval.

use weir_types::{Duration, Instant};

/// The loss events of one queue in one interval. Costs nothing but at drops, and no memory before the
/// first.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossEvents {
    events: u64,
    /// Sum over events of the share of flows that lost.
    share: f64,
    current: Event,
    over: FlowsOver,
    /// Of each flow: the serial of the event in which it last lost.
    seen: Vec<u32>,
}

/// The event under way.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    /// From 1; 0 before the first.
    serial: u32,
    /// Until before this instant.
    until: Instant,
    /// Flows that were there when it began.
    active: u32,
    /// Flows that have lost.
    lost: u32,
}

/// The flows over a queue: worked out when first needed, and again when there are twice as many.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowsOver {
    /// Flows there were, over this queue or not, when this was worked out.
    pub(crate) of: usize,
    /// Groups that pass the queue.
    pub(crate) groups: Vec<u32>,
    /// Mean propagation round trip.
    pub(crate) rtt: Duration,
}

impl LossEvents {
    /// Whether what is known of the flows has to be worked out for so many.
    pub(crate) const fn is_out_of_date(&self, flows: usize) -> bool {
        self.over.of == 0 || flows > 2 * self.over.of
    }

    pub(crate) fn learn(&mut self, over: FlowsOver) {
        self.over = over;
    }

    /// Whether a drop at `now` begins an event.
    pub(crate) fn begins_at(&self, now: Instant) -> bool {
        self.current.serial == 0 || now >= self.current.until
    }

    /// An event begins at `now`. Packets have `waited` so long on average; of each group, so many flows
    /// are `live`.
    pub(crate) fn begin(&mut self, now: Instant, waited: Duration, live: &[u32]) {
        let active = self.over.groups.iter().map(|group| live[*group as usize]).sum();
        self.events += 1;
        self.current = Event {
            serial: self.current.serial.wrapping_add(1).max(1),
            until: now + self.over.rtt + waited,
            active,
            lost: 0,
        };
    }

    /// A packet of `flow` was dropped in the event under way.
    pub(crate) fn lost(&mut self, flow: u32) {
        let flow = flow as usize;
        if self.seen.len() <= flow {
            self.seen.resize((flow + 1).max(2 * self.seen.len()), 0);
        }
        let Event { serial, active, lost, .. } = &mut self.current;
        // Of flows that have just gone packets are still on their way: all is all.
        if self.seen[flow] != *serial && *lost < (*active).max(1) {
            self.share += 1.0 / f64::from((*active).max(1));
            *lost += 1;
        }
        self.seen[flow] = *serial;
    }

    /// Closes the interval and begins the next; the event under way is over.
    pub(crate) fn cut(&mut self) -> Self {
        let current = Event { until: Instant::ZERO, ..self.current };
        let (over, seen) = (std::mem::take(&mut self.over), std::mem::take(&mut self.seen));
        Self { events: 0, share: 0.0, current, over, seen }
    }

    /// Adds what another interval gathered.
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.share += other.share;
    }

    pub(crate) const fn events(&self) -> u64 {
        self.events
    }

    /// The global synchronisation ratio: mean over events of the share of flows that lost. Not defined
    /// without events.
    pub(crate) fn synchronisation(&self) -> f64 {
        self.share / self.events as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drops at such milliseconds, of such flows, where four flows with a round trip of 100 ms are live.
    fn events(drops: &[(u64, u32)]) -> LossEvents {
        let mut events = LossEvents::default();
        events.learn(FlowsOver { of: 4, groups: vec![0, 2], rtt: Duration::from_millis(80) });
        for (millis, flow) in drops {
            let now = Instant::ZERO + Duration::from_millis(*millis);
            if events.begins_at(now) {
                events.begin(now, Duration::from_millis(20), &[3, 50, 1]);
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
        second.begin(Instant::ZERO + Duration::from_millis(2), Duration::ZERO, &[3, 50, 1]);
        second.lost(0);
        assert_eq!((first.events(), second.events()), (1, 1));
        second.add(&first);
        assert!((second.synchronisation() - 0.375).abs() < 1e-12);
    }
}
