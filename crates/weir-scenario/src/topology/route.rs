//! The ways of flows over the links: given link by link, or found between two nodes.

use std::{collections::HashSet, fmt};

use weir_types::Duration;

use super::search::{Carries, Graph, no_queue};
use crate::{
    Direction, FlowGroup, Link, Scenario,
    problem::{Problem, is_plain},
};

/// A link as a packet passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DirectedLink<'a> {
    /// The link's name.
    pub link: &'a str,
    /// Its direction.
    pub direction: Direction,
}

impl<'a> DirectedLink<'a> {
    /// `NAME` or `NAME.reverse`.
    pub(crate) fn parse(text: &'a str) -> Self {
        match text.strip_suffix(".reverse") {
            Some(link) => Self { link, direction: Direction::Reverse },
            None => Self { link: text, direction: Direction::Forward },
        }
    }
}

impl fmt::Display for DirectedLink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.direction {
            Direction::Forward => f.write_str(self.link),
            Direction::Reverse => write!(f, "{}.reverse", self.link),
        }
    }
}

impl Scenario {
    /// The links that data of `group` passes, in order, and each in its direction.
    pub fn data_path<'a>(&'a self, group: &'a FlowGroup) -> Vec<DirectedLink<'a>> {
        let without_nodes = if group.upload { Direction::Reverse } else { Direction::Forward };
        self.way(&group.path, group.from.as_deref(), without_nodes)
    }

    /// The links that ACKs of `group` pass on their way back; none if there is no way, as datagrams need none.
    pub fn ack_path_of<'a>(&'a self, group: &'a FlowGroup) -> Vec<DirectedLink<'a>> {
        if group.ack_path.is_empty() {
            if self.one_way_link(group).is_some() {
                return Vec::new();
            }
            let there = self.data_path(group).into_iter().rev();
            there.map(|at| DirectedLink { direction: at.direction.opposite(), ..at }).collect()
        } else {
            self.way(&group.ack_path, group.to.as_deref(), Direction::Forward)
        }
    }

    /// The first link of the path without another direction.
    fn one_way_link<'a>(&self, group: &'a FlowGroup) -> Option<&'a String> {
        group.path.iter().find(|name| self.links.get(*name).is_some_and(|link| link.unidirectional))
    }

    /// The propagation delay of `way`.
    pub fn delay_of(&self, way: &[DirectedLink<'_>]) -> Duration {
        way.iter().fold(Duration::ZERO, |sum, at| sum + self.links[at.link].delay)
    }

    /// Each link in the direction that the node before it asks for; where links have no nodes, in this one.
    pub(super) fn way<'a>(
        &'a self,
        links: &'a [String],
        start: Option<&'a str>,
        without_nodes: Direction,
    ) -> Vec<DirectedLink<'a>> {
        let mut here = start;
        let passed = links.iter().map(|name| {
            let link = self.links.get(name);
            let direction = match (here, link.and_then(Link::nodes)) {
                (Some(node), Some((from, to))) => {
                    let direction = if to == node { Direction::Reverse } else { Direction::Forward };
                    here = Some(if direction == Direction::Reverse { from } else { to });
                    direction
                }
                _ => without_nodes,
            };
            DirectedLink { link: name, direction }
        });
        passed.collect()
    }

    /// Gives the flows of an only link their path.
    pub(crate) fn complete_only_path(&mut self) {
        if let Some(only) = self.links.keys().next().filter(|_| self.links.len() == 1) {
            let open = |group: &&mut FlowGroup| {
                group.path.is_empty()
                    && group.from.is_none()
                    && group.to.is_none()
                    && group.each_hop_of.is_none()
            };
            for group in self.flows.values_mut().filter(open) {
                group.path.push(only.clone());
            }
        }
    }

    /// Finds the ways of all flows and writes them down, so that the resolved scenario says them.
    pub(crate) fn complete_routes(&mut self) -> Result<(), Problem> {
        self.check_nodes()?;
        let graph = Graph::of(self);
        let complete = |(name, group): (&String, &FlowGroup)| {
            self.complete_route(&format!("flows.{name}"), group.clone(), &graph)
        };
        let found: Vec<_> = self.flows.iter().map(complete).collect::<Result<_, _>>()?;
        self.flows.values_mut().zip(found).for_each(|(group, found)| *group = found);
        Ok(())
    }

    /// That all links have nodes, or none.
    fn check_nodes(&self) -> Result<(), Problem> {
        let all = self.links.values().any(|link| link.from.is_some() || link.to.is_some());
        for (name, link) in self.links.iter().filter(|_| all) {
            let path = format!("links.{name}");
            let (Some(from), Some(to)) = (&link.from, &link.to) else {
                let missing = if link.from.is_none() { "from" } else { "to" };
                return Err(Problem::new(
                    path,
                    format!("links name their nodes, but this one has no `{missing}`"),
                    "give every link from and to, or none",
                ));
            };
            for (key, node) in [("from", from), ("to", to)] {
                Problem::unless(
                    is_plain(node),
                    format!("{path}.{key}"),
                    format!("\"{node}\" is not a plain name"),
                    "use letters, digits, \"-\" and \"_\"",
                )?;
            }
            Problem::unless(
                from != to,
                format!("{path}.to"),
                format!("the link leads from \"{from}\" back to itself"),
                "name another node",
            )?;
        }
        Ok(())
    }

    fn complete_route(
        &self,
        path: &str,
        mut group: FlowGroup,
        graph: &Graph<'_>,
    ) -> Result<FlowGroup, Problem> {
        let key = |key: &str| format!("{path}.{key}");
        let has_nodes = graph.has_nodes();
        for (name, given) in
            [("from", group.from.is_some()), ("to", group.to.is_some()), ("via", !group.via.is_empty())]
        {
            Problem::unless(
                has_nodes || !given,
                key(name),
                "the links have no nodes",
                "give every link from and to, or write the links of the flows: path = [...]",
            )?;
        }
        Problem::unless(
            !(has_nodes && group.upload),
            key("upload"),
            "where links have nodes, these say which way flows go",
            "write from and to of the flows instead",
        )?;
        if group.path.is_empty() {
            self.find_path(path, &mut group, graph)?;
        } else {
            Problem::unless(
                group.via.is_empty(),
                key("via"),
                "the path says already where the flows pass",
                "leave path or via out",
            )?;
            self.check_links(&key("path"), &group.path, &HashSet::new())?;
            if has_nodes {
                self.follow_path(path, &mut group, graph)?;
            }
        }
        self.check_queues(&key("path"), &group)?;
        self.complete_ack_path(&key("ack_path"), &mut group, graph)?;
        Ok(group)
    }

    /// The way between the nodes that the flows name.
    fn find_path(&self, path: &str, group: &mut FlowGroup, graph: &Graph<'_>) -> Result<(), Problem> {
        let (from, to) = match (&group.from, &group.to) {
            (Some(from), Some(to)) => (from.clone(), to.clone()),
            (None, None) => {
                let known: Vec<_> = self.links.keys().map(String::as_str).collect();
                let hint = if graph.has_nodes() {
                    "write from and to of the flows, or path = [...]".to_owned()
                } else {
                    format!("write for example path = [\"{}\"]", known.join("\", \""))
                };
                return Err(Problem::new(
                    format!("{path}.path"),
                    "there are several links and no path over them",
                    hint,
                ));
            }
            (from, _) => {
                let (given, other) = if from.is_some() { ("from", "to") } else { ("to", "from") };
                return Err(Problem::new(
                    format!("{path}.{given}"),
                    format!("a route has two ends, and `{other}` is missing"),
                    format!("write {other} = \"NODE\""),
                ));
            }
        };
        graph.check_node(&format!("{path}.from"), &from)?;
        graph.check_node(&format!("{path}.to"), &to)?;
        Problem::unless(
            from != to,
            format!("{path}.to"),
            format!("the flows go from \"{from}\" to itself"),
            "name another node",
        )?;
        for node in &group.via {
            graph.check_node(&format!("{path}.via"), node)?;
        }
        let stations: Vec<_> = [&from].into_iter().chain(&group.via).chain([&to]).cloned().collect();
        let blame = if group.via.is_empty() { "to" } else { "via" };
        let mut links = Vec::new();
        for ends in stations.windows(2) {
            let (from, to) = (ends[0].as_str(), ends[1].as_str());
            links.extend(graph.route(&format!("{path}.{blame}"), from, to, Carries::Data)?);
        }
        group.path = links;
        group.via.clear();
        self.nodes_of(&format!("{path}.{blame}"), &group.path, &from).map(|_| ())
    }

    /// The links of `path` one after another, where they name their nodes.
    fn follow_path(&self, path: &str, group: &mut FlowGroup, graph: &Graph<'_>) -> Result<(), Problem> {
        let place = format!("{path}.path");
        let (first, last) =
            self.links[&group.path[0]].nodes().expect("either all links have nodes or none has");
        for (key, node) in [("from", &group.from), ("to", &group.to)] {
            if let Some(node) = node {
                graph.check_node(&format!("{path}.{key}"), node)?;
            }
        }
        let start = match &group.from {
            Some(from) => from.as_str(),
            // Which end of the first link leads on? If both or neither, its beginning.
            None => match group.path.get(1).and_then(|next| self.links[next].nodes()) {
                Some((a, b)) if [a, b].contains(&first) && ![a, b].contains(&last) => last,
                _ => first,
            },
        };
        let end = self.nodes_of(&place, &group.path, start)?;
        if let Some(to) = &group.to {
            Problem::unless(
                *to == end,
                format!("{path}.to"),
                format!("the path ends at \"{end}\", not at \"{to}\""),
                "leave path out to have a route found, or leave to out",
            )?;
        }
        (group.from, group.to) = (Some(start.to_owned()), Some(end));
        Ok(())
    }

    /// The way of the ACKs: what the flows say, else the same links, else what is found. Datagrams have no ACKs: a
    /// way back that they have is part of their round trip, but none has to be there.
    fn complete_ack_path(
        &self,
        place: &str,
        group: &mut FlowGroup,
        graph: &Graph<'_>,
    ) -> Result<(), Problem> {
        if group.ack_path.is_empty() {
            let Some(unidirectional) = self.one_way_link(group) else { return Ok(()) };
            let found = match (&group.from, &group.to) {
                (Some(from), Some(to)) => graph.route(place, to, from, Carries::Acks),
                _ => Err(Problem::new(
                    place,
                    format!("ACKs have no path back: \"{unidirectional}\" is one-way"),
                    "write the links of the ACKs: ack_path = [...]",
                )),
            };
            match found {
                Ok(links) => group.ack_path = links,
                Err(_) if group.traffic.is_datagrams() => return Ok(()),
                Err(problem) => return Err(problem),
            }
        }
        let data = self.data_path(group);
        let forward = data.iter().filter(|at| !graph.has_nodes() && at.direction == Direction::Forward);
        let taken: HashSet<_> = forward.map(|at| at.link).collect();
        self.check_links(place, &group.ack_path, &taken)?;
        if let (Some(from), Some(to)) = (&group.from, &group.to) {
            let end = self.nodes_of(place, &group.ack_path, to)?;
            Problem::unless(
                end == *from,
                place,
                format!("ACKs end at \"{end}\", not at the sender's \"{from}\""),
                "name the links from the receiver to the sender, in their order",
            )?;
            let against = self
                .ack_path_of(group)
                .into_iter()
                .find(|at| at.direction == Direction::Reverse && self.links[at.link].unidirectional);
            if let Some(DirectedLink { link, .. }) = against {
                return Err(Problem::new(
                    place,
                    format!("ACKs go against \"{link}\", which is one-way"),
                    "name other links, or take unidirectional out",
                ));
            }
        }
        Ok(())
    }

    /// That every link exists and is passed once; `taken` are passed already.
    fn check_links(&self, place: &str, links: &[String], taken: &HashSet<&str>) -> Result<(), Problem> {
        let mut passed = HashSet::new();
        for link in links {
            if !self.links.contains_key(link) {
                let known: Vec<_> = self.links.keys().map(String::as_str).collect();
                let hint = format!("links: {}", known.join(", "));
                return Err(Problem::new(place, format!("there is no link \"{link}\""), hint));
            }
            Problem::unless(
                passed.insert(link),
                place,
                format!("the path passes \"{link}\" twice"),
                "a path passes a link at most once",
            )?;
            Problem::unless(
                !taken.contains(link.as_str()),
                place,
                format!("ACKs pass \"{link}\" the same way as data"),
                "name the links of the other way",
            )?;
        }
        Ok(())
    }

    /// That data finds a queue in every direction it takes.
    fn check_queues(&self, place: &str, group: &FlowGroup) -> Result<(), Problem> {
        let data = self.data_path(group);
        let against = data.iter().filter(|at| at.direction == Direction::Reverse);
        let missing = against.map(|at| at.link).find(|name| self.links[*name].reverse.is_none());
        match missing {
            None => Ok(()),
            Some(link) => Err(no_queue(place, link, self.links[link].unidirectional)),
        }
    }

    /// The node where `links`, one after another, lead from `start`; none is passed twice.
    fn nodes_of(&self, place: &str, links: &[String], start: &str) -> Result<String, Problem> {
        let mut passed = HashSet::from([start]);
        let mut here = start;
        for name in links {
            let (from, to) = self.links[name].nodes().expect("either all links have nodes or none has");
            let next = if from == here {
                to
            } else if to == here {
                from
            } else {
                return Err(Problem::new(
                    place,
                    format!(
                        "\"{name}\" joins \"{from}\" and \"{to}\"; the way before it has come to \"{here}\""
                    ),
                    "name links that join, in the order in which packets pass them",
                ));
            };
            Problem::unless(
                passed.insert(next),
                place,
                format!("the way is a cycle: it passes the node \"{next}\" twice"),
                "a way passes a node at most once",
            )?;
            here = next;
        }
        Ok(here.to_owned())
    }
}

impl Link {
    /// Its beginning and its end, if it names them.
    pub(crate) fn nodes(&self) -> Option<(&str, &str)> {
        Some((self.from.as_deref()?, self.to.as_deref()?))
    }
}
