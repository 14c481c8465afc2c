//! The network: the ways of flows over links, and what a link is to the queue before it.

mod hops;
mod passing;
mod route;
mod search;

use weir_aqm::{Limit, RateSchedule, Service, TokenBucket};
use weir_types::{Buffer, Rate};

use crate::{Direction, LinkBuffer, Scenario, links::schedule};
pub(crate) use hops::{first_written_out, written};
pub(crate) use passing::Passing;
pub use route::DirectedLink;

impl Scenario {
    /// `link` as AQMs see it in one direction.
    pub(crate) fn seen_by_aqms(&self, passing: &Passing, at: DirectedLink<'_>) -> weir_aqm::Link {
        weir_aqm::Link {
            rate: self.rate(at.link, at.direction),
            mean_packet: passing.mean_packet_size(self, at).bytes(),
            limit: self.limit(passing, at),
            rtt: passing.largest_rtt(self, at.link),
        }
    }

    /// The capacity of `link` in one direction as AQMs see it; that of the forward direction where
    /// the other has no queue.
    pub fn rate(&self, link: &str, direction: Direction) -> Rate {
        let link = &self.links[link];
        let port = link.port(direction).or_else(|| link.port(Direction::Forward));
        port.expect("the forward direction has a queue").rate
    }

    /// Service of the transmitter of `link` in one direction that has a queue.
    pub fn service(&self, link: &str, direction: Direction) -> Service {
        let rate = self.rate(link, direction);
        let port = self.links[link].port(direction);
        let changes = port.and_then(|port| schedule(rate, port.rate_schedule, port.rate_period));
        if let Some((port, docsis)) = port.and_then(|port| Some((port, port.docsis?))) {
            let rates = changes.unwrap_or_else(|| RateSchedule::fixed(rate));
            return Service::Docsis(Box::new(docsis.service(rates, port.highest_rate(), port.token_bucket)));
        }
        if let Some(bucket) = port.and_then(|port| port.token_bucket) {
            let rates = changes.unwrap_or_else(|| RateSchedule::fixed(rate)).into();
            return Service::Bucket(TokenBucket { rates, burst: bucket.burst.0, peak: bucket.peak });
        }
        match (port.and_then(|port| port.deliveries), changes) {
            (Some(trace), _) => Service::Trace(trace.clone()),
            (None, Some(schedule)) => Service::Scheduled(schedule.into()),
            (None, None) => Service::Fixed(rate),
        }
    }

    /// Limit of the queue of a link in one direction. A direction without a queue has no limit.
    pub(crate) fn limit(&self, passing: &Passing, at: DirectedLink<'_>) -> Limit {
        let Some(port) = self.links[at.link].port(at.direction) else { return Limit::NONE };
        let (mean_packet, rtt) =
            (passing.mean_packet_size(self, at).bytes(), passing.largest_rtt(self, at.link));
        let link = weir_aqm::Link { rate: port.rate, mean_packet, limit: Limit::NONE, rtt };
        self.limit_of(at, port.buffer, link)
    }

    /// Limit of a queue with this `buffer` before a link with this rate, packet size and round trip.
    pub(crate) fn limit_of(&self, at: DirectedLink<'_>, buffer: Buffer, link: weir_aqm::Link) -> Limit {
        let limit = Limit::of(buffer, link.rate, link.mean_packet, link.rtt);
        let sent = u64::from(link.mean_packet);
        match (self.links[at.link].buffer_counts, limit) {
            (LinkBuffer::Waiting, _) | (_, Limit::Bytes(_)) => limit,
            (LinkBuffer::WaitingAndSending, Limit::Packets(n)) => Limit::Packets(n.saturating_sub(1)),
            (LinkBuffer::WaitingAndSending, Limit::Span(n)) => Limit::Span(n.saturating_sub(sent)),
        }
    }
}
