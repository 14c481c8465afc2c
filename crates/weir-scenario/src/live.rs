//! A scenario for packets from outside, those of real programs: in place of its senders there are the packets
//! themselves, with the instants at which they came.

use std::sync::Arc;

use indexmap::IndexMap;
use weir_types::{Duration, Invalid, Rate};

use crate::{
    Content, DirectedLink, Direction, FlowGroup, Link, PortSpec, Replay, Rtt, Scenario, Trace, Traffic,
    traffic::one,
};

/// The ways between two ends: there and back.
#[derive(Clone, Debug)]
pub struct Live {
    /// The way of the data.
    pub forward: Way,
    /// The way of the ACKs.
    pub reverse: Way,
    /// The group of flows whose ways these are.
    pub group: String,
    /// Propagation round trip.
    pub rtt: Duration,
}

/// Way of packets in one direction.
#[derive(Clone, Debug)]
pub struct Way {
    /// The links with the packets of this direction alone, which have yet to come; `None` if no queue is on the way.
    /// A packet's flow counts for queues per flow, so each direction has flow numbers of its own.
    pub scenario: Option<Scenario>,
    /// Delay before the first queue; all of it, if there is none.
    pub before: Duration,
}

/// The only queue on the way of the data, where a queue of the kernel may take its place.
#[derive(Clone, Debug)]
pub struct KernelLink {
    /// Name of the link.
    pub link: String,
    /// Direction in which the data pass it.
    pub direction: Direction,
    /// Its rate.
    pub rate: Rate,
    /// Propagation delay before it.
    pub before: Duration,
    /// Propagation delay behind it.
    pub delay: Duration,
}

impl Live {
    /// The queue that one of the kernel can stand for.
    ///
    /// # Errors
    /// If there is none, there are several, or the link does what a shaper does not: `parameter` is its path.
    pub fn kernel_link(&self) -> Result<KernelLink, Invalid> {
        let refused = |parameter: String, message: &str, hint: &str| Invalid {
            parameter: parameter.into(),
            message: message.into(),
            hint: hint.into(),
        };
        let Some(scenario) = &self.forward.scenario else {
            let message = "no queue is on the way of the data, so none of the kernel can take its place";
            return Err(refused("links".to_owned(), message, "give a link a rate and a buffer"));
        };
        let network = scenario.network();
        let [at] = network.paths[0].data[..] else {
            let message = "a queue of the kernel takes the place of one link, and the data pass several";
            return Err(refused("links".to_owned(), message, "leave the other links out"));
        };
        let port = network.port(at).expect("the way has queues");
        let PortSpec { rate_schedule, deliveries, loss, docsis, delay_variation, aggregation, .. } =
            port.spec;
        let more = [
            ("rate_schedule", !rate_schedule.is_empty()),
            ("trace", deliveries.is_some()),
            ("loss", loss.is_some()),
            ("docsis", docsis.is_some()),
            ("delay_variation", delay_variation.is_some()),
            ("aggregation", aggregation.is_some()),
        ];
        if let Some((name, _)) = more.into_iter().find(|(_, is_there)| *is_there) {
            let message = "the shaper of the kernel has one rate, no losses and no jitter";
            return Err(refused(format!("links.{at}.{name}"), message, "leave it out"));
        }
        let rate = port.spec.rate;
        let (link, direction) = (at.link.to_owned(), at.direction);
        Ok(KernelLink { link, direction, rate, before: self.forward.before, delay: port.delay })
    }
}

impl Scenario {
    /// The ways of `group`, or of the first group over the bottleneck, with this round trip, or that of the group.
    ///
    /// # Errors
    /// If packets from outside cannot pass it; `parameter` is the path in the scenario, and empty for an argument.
    pub fn live(&self, group: Option<&str>, rtt: Option<Duration>) -> Result<Live, Invalid> {
        let refused = |parameter: &'static str, message: String, hint: &str| Invalid {
            parameter: parameter.into(),
            message,
            hint: hint.into(),
        };
        if let Some(change) = self.changes.first() {
            let message = format!("a live run cannot change queues, buffers or round trips at {}", change.at);
            return Err(refused("changes", message, "changes of a rate alone are possible"));
        }
        if self.has_python_aqms() {
            let message = "a live run has no time for an AQM in Python".to_owned();
            return Err(refused("links", message, "choose a built-in discipline: weir list disciplines"));
        }
        let network = self.network();
        let filter = |port: &crate::Port<'_>| {
            let queue = port.queue();
            queue.ack_filter().map(|key| format!("links.{}.queue.{}.{key}", port.at, queue.name()))
        };
        if let Some(path) = network.ports.iter().find_map(filter) {
            let message = "a live run does not read ACKs, so it has no filter of them".to_owned();
            let hint = format!("write {path} = \"off\"");
            return Err(Invalid { parameter: path.into(), message, hint });
        }
        let over_bottleneck = |path: &&crate::Path<'_>| match group {
            Some(name) => path.group == name,
            None => path.data.contains(&network.bottleneck.at),
        };
        let Some(path) = network.paths.iter().find(over_bottleneck) else {
            let known: Vec<_> = self.flows.keys().map(String::as_str).collect();
            let message = format!("there is no group of flows \"{}\"", group.unwrap_or_default());
            return Err(refused("", message, &format!("groups: {}", known.join(", "))));
        };
        let links = self.delay_of(&path.data) + self.delay_of(&path.acks);
        let rtt = rtt.unwrap_or_else(|| path.flows.rtt.typical_maximum());
        let Some(access) = rtt.checked_sub(links) else {
            let message = format!("a round trip of {rtt} is shorter than that of the links alone, {links}");
            return Err(refused("", message, "name a longer round trip, or shorten the links' delay"));
        };
        let (near, far) = (path.flows.clone(), back(path.flows, path));
        let way = |direction: Direction, links: &[DirectedLink<'_>], group: FlowGroup| {
            let queues = links.iter().filter(|at| network.port(**at).is_some()).count();
            if queues == 0 {
                return Ok(Way { scenario: None, before: access / 2 + self.delay_of(links) });
            }
            if queues < links.len() {
                let message = format!("only some links of the {} direction have a queue", direction.name());
                return Err(refused("links", message, "give the others a queue too (reverse), or none"));
            }
            let group = FlowGroup { rtt: Rtt::Fixed(rtt), ..group };
            let mut scenario =
                Self { flows: IndexMap::from([(direction.name().to_owned(), group)]), ..self.clone() };
            scenario.links = self.links_with_packet_sizes(&network);
            if let Some(series) = &mut scenario.measure.series {
                series.flows.clear();
            }
            Ok(Way { scenario: Some(scenario), before: access / 2 })
        };
        Ok(Live {
            forward: way(Direction::Forward, &path.data, outside(near))?,
            reverse: way(Direction::Reverse, &path.acks, outside(far))?,
            group: path.group.to_owned(),
            rtt,
        })
    }

    /// The links, each with the mean packet size of the flows that the scenario speaks of: of packets from outside it
    /// is not known before.
    fn links_with_packet_sizes(&self, network: &crate::Network<'_>) -> IndexMap<String, Link> {
        let mut links = self.links.clone();
        for port in &network.ports {
            let link = links.get_mut(port.at.link).expect("the port is of this scenario");
            let size = Some(port.mean_packet_size);
            match (port.at.direction, &mut link.reverse) {
                (Direction::Reverse, Some(reverse)) => reverse.mean_packet_size = size,
                _ => link.mean_packet_size = size,
            }
        }
        links
    }
}

impl Way {
    /// The scenario of a run of `duration` in which these packets came; `None` if no queue is on the way.
    pub fn with(&self, trace: Arc<Trace>, duration: Duration, warm_up: Duration) -> Option<Scenario> {
        let mut scenario = self.scenario.clone()?;
        scenario.duration = duration;
        scenario.measure.warm_up = Some(warm_up);
        let (_, group) = scenario.flows.first_mut().expect("the packets are a group");
        group.traffic = replay(trace);
        Some(scenario)
    }
}

/// The group of those who send on the way of the ACKs.
fn back(group: &FlowGroup, path: &crate::Path<'_>) -> FlowGroup {
    let mut back = group.clone();
    (back.from, back.to) = (group.to.clone(), group.from.clone());
    back.path = path.acks.iter().map(|at| at.link.to_owned()).collect();
    back.ack_path = path.data.iter().map(|at| at.link.to_owned()).collect();
    back.upload = path.acks.first().is_some_and(|at| at.direction == Direction::Reverse);
    back
}

/// The group without anything that its senders do.
fn outside(group: FlowGroup) -> FlowGroup {
    FlowGroup {
        count: one(),
        population: Vec::new(),
        start: Duration::ZERO,
        start_jitter: Duration::ZERO,
        stop: None,
        send_jitter: Duration::ZERO,
        access: None,
        traffic: replay(Arc::default()),
        ..group
    }
}

fn replay(trace: Arc<Trace>) -> Traffic {
    Traffic::Replay(Replay { trace: Content::made(trace), ..Replay::default() })
}
