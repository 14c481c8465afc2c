//! `CHOKe`: drops an arrival together with a random waiting packet of the same flow.
//!
//! R. Pan, B. Prabhakar, K. Psounis: *`CHOKe`, A Stateless Active Queue Management Scheme for
//! Approximating Fair Bandwidth Allocation*, IEEE INFOCOM 2000. One FIFO with RED's average. On
//! each arrival:
//!
//! ```text
//! avg <= min_th        admit
//! else                 draw a waiting packet at random
//!   of the same flow   drop both
//!   else               RED: signal with p_b, always from max_th on
//! ```
//!
//! A flow above its share matches more often. The paper's variants compare `draws` packets, or those
//! at the head. Matches are dropped, even if ECN-capable, and do not change RED's count, as in Linux.

use alloc::{string::String, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Level, Probability, Rate, Rng, Streams};

use super::{PacketFifo, carry_out};
use crate::{
    Aqm, Backlog, Discipline, Limit, Link, Mechanism, Observer, Packet, Reason,
    aqm::{AqmConfig, Red, RedParameters, Spacing, red_family, thresholds},
};

/// Which waiting packet an arrival is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Candidate {
    /// Any packet, with equal probability.
    #[default]
    Random,
    /// The head of the queue.
    Head,
}

red_family! {
    /// Parameters of `CHOKe`.
    pub struct ChokeParameters
    min_th {
        /// Average queue up to which every packet is admitted.
    }
    max_th {
        /// Average queue from which every packet is signalled.
    }
    max_p {
        /// Probability at `max_th`.
        #[schemars(extend("x-default-source" = "Floyd, 1997; 0.02 in the paper"))]
        #[schemars(extend("x-tunable" = { "from": 0.01, "to": 0.5, "source": "Floyd, Gummadi and Shenker, 2001" }))]
    }
    gentle {
        /// Ramp the probability from `max_p` at `max_th` to 1 at twice `max_th` (Floyd, 2000), instead
        /// of a jump to 1.
        #[schemars(extend("x-default-source" = "Floyd and Jacobson, 1993"))]
    }
    ecn {
        /// Mark ECN-capable packets where RED would drop them. Matched packets are always dropped.
    }
    last {
        /// Number of waiting packets compared with an arrival.
        #[schemars(extend("x-default-source" = "the paper"))]
        draws: u32 = 1,
        /// Which waiting packet is compared with an arrival.
        #[schemars(extend("x-default-source" = "the paper"))]
        candidate: Candidate = Candidate::default(),
    }
    red {}
}

impl ChokeParameters {
    /// The queue lengths among the parameters.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.min_th.iter_mut().chain(&mut self.max_th).collect()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            (1..=1000).contains(&self.draws),
            "draws",
            alloc::format!("{} draws", self.draws),
            "write 1 to 1000; without draws it is RED",
        )?;
        AqmConfig::Red(self.red()).check()
    }

    /// `CHOKe` before `link`. RED draws from the stream at `path`, the candidates are drawn from
    /// one below it.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> Choke<P> {
        let (min_th, _) = thresholds::before(link, self.min_th, self.max_th);
        Choke {
            line: PacketFifo::new(),
            limit: link.limit,
            min_th: min_th.value(),
            red: self.red().build(link, streams.at(path)),
            draws: self.draws,
            candidate: self.candidate,
            rng: streams.at(&(String::from(path) + ".candidates")),
        }
    }
}

/// A FIFO with RED whose arrivals are compared with waiting packets.
#[derive(Debug)]
pub struct Choke<P> {
    line: PacketFifo<P>,
    limit: Limit,
    /// In the unit of RED's average.
    min_th: f64,
    red: Red,
    draws: u32,
    candidate: Candidate,
    rng: Rng,
}

impl<P: Packet> Choke<P> {
    /// Drops the candidates of the same flow. Returns whether there were any.
    fn drops_matches(&mut self, flow: u32, now: Instant, observer: &mut impl Observer<P>) -> bool {
        // Heads that did not match.
        let (mut matched, mut spared) = (false, 0);
        for _ in 0..self.draws {
            let waiting = self.line.backlog(self.limit).packets;
            if waiting <= spared {
                break;
            }
            let index = match self.candidate {
                Candidate::Random => (self.rng.uniform() * f64::from(waiting)) as usize,
                Candidate::Head => spared as usize,
            };
            if self.line.get(index).is_some_and(|packet| packet.info().flow == flow)
                && let Some((packet, _)) = self.line.remove(index)
            {
                observer.dropped(packet, Reason::Early, true, now);
                matched = true;
            } else if self.candidate == Candidate::Head {
                spared += 1;
            }
        }
        matched
    }
}

impl<P: Packet> Discipline<P> for Choke<P> {
    #[inline(never)]
    fn enqueue(&mut self, packet: P, now: Instant, observer: &mut impl Observer<P>) {
        let info = packet.info();
        let queue = self.line.backlog(self.limit);
        let average = self.red.measure(queue, now);
        if average > self.min_th && self.drops_matches(info.flow, now, observer) {
            return observer.dropped(packet, Reason::Early, false, now);
        }
        let verdict = self.red.judge(info, queue);
        if queue.overflows(info.bytes) {
            observer.dropped(packet, Reason::Overflow, false, now);
        } else {
            carry_out(verdict, packet, false, now, observer, |packet| self.line.push(packet, now));
        }
    }

    #[inline(never)]
    fn dequeue(&mut self, now: Instant, _: &mut impl Observer<P>) -> Option<(P, Duration)> {
        let head = self.line.pop();
        if head.is_none() {
            self.red.on_idle(now);
        }
        head.map(|(packet, arrived)| (packet, now.since(arrived)))
    }

    fn backlog(&self) -> Backlog {
        self.line.backlog(self.limit)
    }

    fn next_update(&self) -> Option<Instant> {
        self.red.next_update()
    }

    fn update(&mut self, now: Instant) {
        self.red.update(self.backlog(), now);
    }

    fn drain(&mut self, into: &mut Vec<(P, Instant)>) {
        self.line.drain(into);
    }

    fn restore(&mut self, packet: P, arrived: Instant) {
        self.line.push(packet, arrived);
    }

    fn take_over(&mut self, former: &mut Self, _: Instant) {
        self.line = core::mem::take(&mut former.line);
        self.red.take_over(&former.red);
        self.rng = former.rng.clone();
    }

    fn begin(&mut self, now: Instant) {
        self.red.begin(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.red.on_rate(rate, now);
    }

    fn mechanism(&self) -> Mechanism<'_> {
        self.red.curve(self.backlog()).into()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
    }
}
