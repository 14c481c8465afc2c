//! Which flows pass each link.

use weir_types::{Duration, PacketSize};

use super::DirectedLink;
use crate::{Direction, FlowGroup, Scenario};

/// The groups over each link, by their places in the scenario: found once for all links, because to look
/// through all paths for each link takes minutes of a network with thousands of them.
pub(crate) struct Passing(Vec<OverLink>);

/// The groups over one link, in the order of the scenario.
#[derive(Clone, Default)]
struct OverLink {
    data: [Vec<usize>; Direction::BOTH.len()],
    acks: [Vec<usize>; Direction::BOTH.len()],
    /// The largest propagation round trip that may occur, over either direction.
    largest_rtt: Duration,
    /// The largest packet of each direction, data or ACK, in bytes.
    largest_packet: [Option<u32>; Direction::BOTH.len()],
}

impl OverLink {
    fn grow(&mut self, direction: Direction, size: PacketSize) {
        let largest = &mut self.largest_packet[direction as usize];
        *largest = (*largest).max(Some(size.bytes()));
    }
}

impl Passing {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let mut links = vec![OverLink::default(); scenario.links.len()];
        for (index, group) in scenario.flows.values().enumerate() {
            for at in scenario.data_path(group) {
                let Some(place) = scenario.links.get_index_of(at.link) else { continue };
                let over = &mut links[place];
                over.data[at.direction as usize].push(index);
                over.grow(at.direction, group.packet_size);
            }
            for at in scenario.ack_path_of(group) {
                let Some(place) = scenario.links.get_index_of(at.link) else { continue };
                let over = &mut links[place];
                over.acks[at.direction as usize].push(index);
                over.grow(at.direction, group.tcp.ack_size);
            }
            let rtt = group.rtt.typical_maximum();
            for name in group.path.iter().chain(&group.ack_path) {
                let Some(place) = scenario.links.get_index_of(name) else { continue };
                let over = &mut links[place];
                over.largest_rtt = over.largest_rtt.max(rtt);
            }
        }
        Self(links)
    }

    /// The groups whose data pass.
    pub(crate) fn data<'a>(
        &self,
        scenario: &'a Scenario,
        at: DirectedLink<'_>,
    ) -> impl Iterator<Item = &'a FlowGroup> {
        groups(scenario, &self.over(scenario, at.link).data[at.direction as usize])
    }

    /// The packet size that stands for all in one direction of a link: what the scenario says,
    /// else the mean of the data packets that pass, or of the ACKs where nothing else does.
    pub(crate) fn mean_packet_size(&self, scenario: &Scenario, at: DirectedLink<'_>) -> PacketSize {
        let stated = scenario.links[at.link].port(at.direction).and_then(|port| port.mean_packet_size);
        let over = self.over(scenario, at.link);
        let (data, acks) = (&over.data[at.direction as usize], &over.acks[at.direction as usize]);
        stated
            .or_else(|| mean(groups(scenario, data), |group| group.packet_size))
            .or_else(|| mean(groups(scenario, acks), |group| group.tcp.ack_size))
            .unwrap_or(crate::traffic::DEFAULT_PACKET)
    }

    /// The largest propagation round trip that may occur among flows over `link`; it sets
    /// the bandwidth-delay product.
    pub(crate) fn largest_rtt(&self, scenario: &Scenario, link: &str) -> Duration {
        self.over(scenario, link).largest_rtt
    }

    /// The largest round trip at an instant, by the changes of round trips until then.
    pub(crate) fn largest_rtt_at(&self, scenario: &Scenario, link: &str, time: Duration) -> Duration {
        let until = scenario.changes.partition_point(|change| change.at <= time);
        let changes = &scenario.changes[..until];
        if changes.iter().flat_map(|change| change.flows.values()).all(|flows| flows.rtt.is_none()) {
            return self.largest_rtt(scenario, link);
        }
        let over = self.over(scenario, link);
        let places = over.data.iter().chain(&over.acks).flatten();
        let rtts = places.filter_map(|place| {
            let (name, group) = scenario.flows.get_index(*place)?;
            let latest = changes.iter().rev().find_map(|change| change.flows.get(name)?.rtt);
            Some(latest.unwrap_or_else(|| group.rtt.typical_maximum()))
        });
        rtts.max().unwrap_or_default()
    }

    /// The largest packet, data or ACK, that passes one direction of a link, in bytes.
    pub(crate) fn largest_packet(&self, scenario: &Scenario, at: DirectedLink<'_>) -> u32 {
        self.over(scenario, at.link).largest_packet[at.direction as usize].unwrap_or(1)
    }

    fn over(&self, scenario: &Scenario, link: &str) -> &OverLink {
        &self.0[scenario.links.get_index_of(link).expect("there is such a link")]
    }
}

fn groups<'a>(scenario: &'a Scenario, places: &[usize]) -> impl Iterator<Item = &'a FlowGroup> {
    places.iter().map(|place| &scenario.flows[*place])
}

/// The mean of a size over all flows of the groups; `None` if there is none.
fn mean<'a>(
    groups: impl Iterator<Item = &'a FlowGroup>,
    size: impl Fn(&FlowGroup) -> PacketSize,
) -> Option<PacketSize> {
    let (bytes, flows) = groups.fold((0, 0), |(bytes, flows), group| {
        let count = group.flows_in_all() as u64;
        (bytes + count * u64::from(size(group).bytes()), flows + count)
    });
    PacketSize::new((bytes + flows / 2).checked_div(flows)? as u32)
}
