//! A line between a sender and its receiver, which tells what a congestion control learns. It knows neither version of
//! BBR: a window and a rate go in, events come out.

use std::collections::VecDeque;

use weir_tcp::congestion::{Counts, Delivery, RateSample, RecoveryState, Signal, TailAnswer, Transmission};
use weir_types::{Duration, Instant, Rng, Streams};

use super::conditions::Conditions;

/// Something that a congestion control is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A segment was found lost.
    Lost(Transmission),
    /// Recovery begins; `Lost` of its segments came before.
    Loss(Signal),
    /// The timer expired; `Lost` of all that was outstanding came before. No signal: nothing has arrived since it
    /// expired last.
    Timeout(Option<Signal>, Counts),
    /// A segment leaves into an empty network, and the application limits samples.
    Restart(Counts),
    /// An ACK.
    Ack(Delivery),
}

/// A segment on its way.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u64,
    at: u64,
    since: u64,
    delivered: u64,
    delivered_at: u64,
    lost: u64,
    flight: u32,
    app_limited: bool,
    /// It was sent before: its round trip is not known.
    again: bool,
    /// When its ACK arrives; never if it is lost.
    arrives: Option<u64>,
}

/// The line and the sender's transport. Times are in nanoseconds.
pub(super) struct Line {
    conditions: Conditions,
    random: Rng,
    pub(super) now: u64,
    spacing: u64,
    delay: u64,
    buffer: u64,
    loss: f64,
    aggregation: u64,
    sent: VecDeque<Sent>,
    next: u64,
    delivered: u64,
    delivered_at: u64,
    since: u64,
    lost: u64,
    resend: u64,
    /// Samples of segments that left before so many were delivered are limited by the application.
    app_limited: u64,
    idle_until: u64,
    /// `Restart` has been told.
    restarted: bool,
    /// Segments delivered when the timer last expired.
    expired: Option<u64>,
    release: u64,
    free_at: u64,
    last_arrival: u64,
    min_rtt: u64,
    state: RecoveryState,
    point: u64,
    full: bool,
}

fn instant(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn span(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

impl Line {
    pub(super) fn new(conditions: Conditions, seed: u64) -> Self {
        let mut line = Self {
            conditions,
            random: Streams::new(seed).at("line"),
            now: 0,
            spacing: 0,
            delay: 0,
            buffer: 0,
            loss: 0.0,
            aggregation: 0,
            sent: VecDeque::new(),
            next: 1,
            delivered: 0,
            delivered_at: 0,
            since: 0,
            lost: 0,
            resend: 0,
            app_limited: 0,
            idle_until: 0,
            restarted: false,
            expired: None,
            release: 0,
            free_at: 0,
            last_arrival: 0,
            min_rtt: u64::MAX,
            state: RecoveryState::Open,
            point: 0,
            full: false,
        };
        line.change();
        line.now = line.delay + line.spacing;
        line.delivered_at = line.now;
        line.min_rtt = line.now;
        line
    }

    fn between(&mut self, (least, most): (f64, f64)) -> u64 {
        (least + (most - least) * self.random.uniform()) as u64
    }

    fn change(&mut self) {
        let known = self.conditions;
        self.spacing = self.between(known.spacing);
        self.delay = self.between(known.delay);
        self.buffer = self.between(known.buffer);
        self.loss = known.loss * self.random.uniform();
        self.aggregation = self.between((0.0, known.aggregation));
    }

    /// The ACK of the SYN: it tells a round trip, no more.
    pub(super) fn handshake(&self) -> Delivery {
        self.delivery(self.now, 0, 0, 0, false, None)
    }

    /// An ACK found a window that is too small for samples to tell a rate, with so many segments in flight.
    pub(super) fn limit(&mut self, flight: u32) {
        self.app_limited = (self.delivered + u64::from(flight)).max(1);
    }

    /// Sends with this window and rate (segments per second) until something happens.
    pub(super) fn step(&mut self, cwnd: f64, rate: f64) -> Vec<Event> {
        loop {
            let idle = self.now < self.idle_until;
            let room = (self.sent.len() as f64) < cwnd.floor();
            self.full |= !room;
            if room && !idle && self.release <= self.now {
                if self.sent.is_empty() && self.app_limited > 0 && !self.restarted {
                    self.restarted = true;
                    return vec![Event::Restart(self.counts())];
                }
                self.restarted = false;
                self.leave(cwnd, rate);
                continue;
            }
            let arrival = self.sent.iter().find_map(|sent| sent.arrives);
            let mut next = arrival.unwrap_or(u64::MAX);
            if room {
                next = next.min(self.release.max(self.idle_until));
            }
            if next == u64::MAX {
                self.now += 300_000_000;
                return self.expire();
            }
            self.now = self.now.max(next);
            if arrival == Some(next) {
                return self.arrive();
            }
        }
    }

    /// A burst leaves.
    fn leave(&mut self, cwnd: f64, rate: f64) {
        let room = cwnd.floor() as u64 - self.sent.len() as u64;
        let burst = self.between((1.0, self.conditions.burst + 0.999)).min(room);
        for _ in 0..burst {
            self.transmit();
        }
        self.release = self.now + (burst as f64 / rate * 1e9) as u64;
    }

    fn transmit(&mut self) {
        if self.sent.is_empty() {
            (self.since, self.delivered_at) = (self.now, self.now);
        }
        let queue = self.free_at.saturating_sub(self.now) / self.spacing;
        let dropped = queue > self.buffer || self.random.chance(self.loss);
        let arrives = (!dropped).then(|| {
            self.free_at = self.free_at.max(self.now) + self.spacing;
            let arrival = self.free_at + self.delay;
            let held =
                if self.aggregation > 0 { arrival.next_multiple_of(self.aggregation) } else { arrival };
            self.last_arrival = self.last_arrival.max(held);
            self.last_arrival
        });
        let again = self.resend > 0;
        self.resend -= u64::from(again);
        self.sent.push_back(Sent {
            number: self.next,
            at: self.now,
            since: self.since,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            lost: self.lost,
            flight: self.sent.len() as u32 + 1,
            app_limited: self.app_limited > 0,
            again,
            arrives,
        });
        self.next += 1;
    }

    /// Nothing comes back any more.
    fn expire(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(sent) = self.sent.pop_front() {
            events.push(self.lose(&sent));
        }
        self.state = RecoveryState::Loss;
        self.point = self.next;
        self.release = self.now;
        let again = self.expired.replace(self.delivered) == Some(self.delivered);
        let signal = (!again).then(|| Signal { now: instant(self.now), flight: 0.0 });
        events.push(Event::Timeout(signal, self.counts()));
        events
    }

    fn counts(&self) -> Counts {
        Counts {
            now: instant(self.now),
            delivered: self.delivered,
            delivered_at: instant(self.delivered_at),
            lost_so_far: self.lost,
            payload: self.conditions.payload,
        }
    }

    fn lose(&mut self, sent: &Sent) -> Event {
        self.lost += 1;
        self.resend += 1;
        Event::Lost(Transmission {
            flight: sent.flight,
            lost: self.lost - sent.lost,
            delivered: self.delivered,
            app_limited: sent.app_limited,
            now: instant(self.now),
        })
    }

    /// All ACKs of now, as one.
    fn arrive(&mut self) -> Vec<Event> {
        let now = self.now;
        let flight_before = self.sent.len() as u32;
        let arrived = |sent: &Sent| sent.arrives.is_some_and(|arrival| arrival <= now);
        let newest = *self.sent.iter().rfind(|sent| arrived(sent)).expect("an ACK of something");
        self.sent.retain(|sent| !arrived(sent));
        let newly = flight_before - self.sent.len() as u32;
        self.delivered += u64::from(newly);
        self.delivered_at = now;
        self.since = newest.at;
        if self.app_limited > 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }

        let mut events = Vec::new();
        let lost_before = self.lost;
        while let Some(&sent) = self.sent.front().filter(|sent| sent.number + 3 <= newest.number) {
            self.sent.pop_front();
            events.push(self.lose(&sent));
        }
        let lost = (self.lost - lost_before) as u32;
        if self.state != RecoveryState::Open && newest.number >= self.point && lost == 0 {
            self.state = RecoveryState::Open;
        } else if self.state == RecoveryState::Open && lost > 0 {
            self.state = RecoveryState::Recovery;
            self.point = self.next;
            let flight = self.sent.len() as f64;
            events.push(Event::Loss(Signal { now: instant(now), flight }));
        }

        let rtt = (now - newest.at) / 1000 * 1000;
        if !newest.again {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let interval = (newest.at - newest.since).max(now - newest.delivered_at);
        let sample = RateSample {
            interval: (interval >= self.min_rtt).then(|| span(interval)),
            delivered: self.delivered - newest.delivered,
            prior_delivered: newest.delivered,
            app_limited: newest.app_limited,
            rtt: (!newest.again).then(|| span(rtt)),
            flight: newest.flight,
            lost: self.lost - newest.lost,
            tail: self.tail_answer(),
        };
        let limited = self.random.chance(0.5);
        let mut ack = self.delivery(rtt, newly, lost, flight_before, limited, Some(sample));
        if self.random.chance(self.conditions.noise) {
            self.distort(&mut ack, sample);
        }
        events.push(Event::Ack(ack));
        if self.random.chance(self.conditions.duplicates) {
            let flight = self.sent.len() as u32;
            self.now += self.between((0.0, 5e6));
            let mut duplicate = self.delivery(rtt, 0, 0, flight, limited, None);
            if self.random.chance(self.conditions.noise) {
                duplicate.flight = self.between((0.0, 60.0)) as u32;
            }
            events.push(Event::Ack(duplicate));
        }
        self.full &= self.random.chance(0.98);
        self.disturb(&mut events);
        events
    }

    /// The ACK at hand may answer a tail loss probe. The line has none: the answer is drawn.
    fn tail_answer(&mut self) -> Option<TailAnswer> {
        let answers = [
            TailAnswer::Open,
            TailAnswer::Repaired { app_limited: false },
            TailAnswer::Repaired { app_limited: true },
        ];
        let told = self.conditions.probes > 0.0 && self.random.chance(self.conditions.probes);
        told.then(|| answers[(3.0 * self.random.uniform()) as usize])
    }

    /// Draws what an ACK says at random, of which only the counts of segments keep their order.
    fn distort(&mut self, ack: &mut Delivery, sample: RateSample) {
        let mut most = |most: f64| (most * self.random.uniform()) as u32;
        ack.flight = most(60.0);
        ack.flight_before = most(60.0);
        ack.full = most(2.0) == 0;
        ack.next_release = ack.now + span(u64::from(most(2e7)));
        ack.sample = Some(RateSample {
            interval: (most(3.0) > 0).then(|| span(1_000_000 + u64::from(most(9e7)))),
            delivered: 1 + u64::from(most(60.0)),
            app_limited: most(2.0) == 0,
            rtt: (most(3.0) > 0).then(|| span(ack.min_rtt.as_nanos() + u64::from(most(1e7)))),
            flight: most(60.0),
            lost: u64::from(most(4.0)),
            ..sample
        });
    }

    /// Events that need no ACK.
    fn disturb(&mut self, events: &mut Vec<Event>) {
        let known = self.conditions;
        if self.random.chance(known.change) {
            self.change();
        }
        if self.random.chance(known.idle) {
            self.idle_until = self.now + self.between((0.0, 4e8));
            self.limit(self.sent.len() as u32);
        }
        if self.state == RecoveryState::Open && !self.sent.is_empty() && self.random.chance(known.timeout) {
            events.append(&mut self.expire());
        }
    }

    fn delivery(
        &self,
        rtt: u64,
        newly: u32,
        lost: u32,
        flight_before: u32,
        limited: bool,
        sample: Option<RateSample>,
    ) -> Delivery {
        Delivery {
            now: instant(self.now),
            rtt: span(rtt),
            smoothed: span(rtt),
            newly,
            marked: 0,
            delivered: self.delivered,
            lost,
            lost_so_far: self.lost,
            una: self.next as u32,
            high: self.next as u32,
            flight: self.sent.len() as u32,
            flight_before,
            limited,
            full: self.full,
            state: self.state,
            min_rtt: span(self.min_rtt),
            next_release: instant(self.release.max(self.now)),
            bytes: self.conditions.payload + 52,
            payload: self.conditions.payload,
            sample,
        }
    }
}
