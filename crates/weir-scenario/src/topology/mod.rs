//! The network: links, what each of their directions does, and the ways of flows over them.

mod hops;
mod link;
mod loss;
mod route;
mod schedule;
mod search;
mod trace;

use weir_aqm::{Limit, Service};
use weir_types::{Duration, PacketSize, Rate};

use crate::{FlowGroup, Scenario};
pub(crate) use hops::{first_written_out, written};
pub use link::{Direction, Link, LinkBuffer, PortSpec, ReverseLink};
pub use loss::{Bernoulli, ChainStep, GilbertElliott, Loss};
pub use route::DirectedLink;
pub use schedule::RateChange;
pub(crate) use schedule::check_schedule;

impl Scenario {
    /// `link` as AQMs see it in one direction.
    pub fn seen_by_aqms(&self, link: &str, direction: Direction) -> weir_aqm::Link {
        let rate = self.rate(link, direction);
        let mean_packet_size = self.mean_packet_size(link, direction).bytes();
        let (limit, rtt) = (self.limit(link, direction), self.largest_rtt(link));
        weir_aqm::Link { rate, mean_packet: mean_packet_size, limit, rtt }
    }

    /// The capacity of `link` in one direction as AQMs see it; that of the forward direction where
    /// the other has no queue.
    pub fn rate(&self, link: &str, direction: Direction) -> Rate {
        let link = &self.links[link];
        let port = link.port(direction).or_else(|| link.port(Direction::Forward));
        port.expect("the forward direction has a queue").rate
    }

    /// What the transmitter of `link` can send in one direction that has a queue.
    pub fn service(&self, link: &str, direction: Direction) -> Service {
        let rate = self.rate(link, direction);
        let port = self.links[link].port(direction);
        let changes = port.and_then(|port| schedule::schedule(rate, port.rate_schedule, port.rate_period));
        match (port.and_then(|port| port.deliveries), changes) {
            (Some(trace), _) => Service::Trace(trace.clone()),
            (None, Some(schedule)) => Service::Scheduled(schedule.into()),
            (None, None) => Service::Fixed(rate),
        }
    }

    /// What may wait in the queue of `link` in one direction: bandwidth-delay products and
    /// times become packets of mean size, rounded. A direction without a queue has no limit.
    pub fn limit(&self, link: &str, direction: Direction) -> Limit {
        let Some(port) = self.links[link].port(direction) else { return Limit::NONE };
        let mean = self.mean_packet_size(link, direction).bytes();
        let limit = Limit::of(port.buffer, port.rate, mean, self.largest_rtt(link));
        match (limit, self.links[link].buffer_counts) {
            (Limit::Packets(n), LinkBuffer::WaitingAndSending) => Limit::Packets(n.saturating_sub(1)),
            (limit, _) => limit,
        }
    }

    /// The packet size that stands for all in one direction of `link`: what the scenario says,
    /// else the mean of the data packets that pass, or of the ACKs where nothing else does.
    pub fn mean_packet_size(&self, link: &str, direction: Direction) -> PacketSize {
        let stated = self.links[link].port(direction).and_then(|port| port.mean_packet_size);
        let at = DirectedLink { link, direction };
        let data = || mean(self, |group| self.data_path(group).contains(&at).then_some(group.packet_size));
        let acks = || mean(self, |group| self.ack_path_of(group).contains(&at).then_some(group.tcp.ack_size));
        stated.or_else(data).or_else(acks).unwrap_or(crate::traffic::DEFAULT_PACKET)
    }

    /// The largest propagation round trip that may occur among flows over `link`; it sets
    /// the bandwidth-delay product.
    pub fn largest_rtt(&self, link: &str) -> Duration {
        let passes = |group: &&FlowGroup| group.path.iter().chain(&group.ack_path).any(|name| name == link);
        let over = self.flows.values().filter(passes);
        over.map(|group| group.rtt.typical_maximum()).max().unwrap_or(Duration::ZERO)
    }
}

/// The mean of a size over all flows of the groups that have it; `None` if none has.
fn mean(scenario: &Scenario, size: impl Fn(&FlowGroup) -> Option<PacketSize>) -> Option<PacketSize> {
    let sizes = scenario.flows.values().filter_map(|group| Some((size(group)?, group)));
    let (bytes, flows) = sizes.fold((0, 0), |(bytes, flows), (size, group)| {
        let count = group.lifetimes().len() as u64;
        (bytes + count * u64::from(size.bytes()), flows + count)
    });
    PacketSize::new((bytes + flows / 2).checked_div(flows)? as u32)
}
