//! The two directions of a link, told from a capture of it.
//!
//! A host is on one side of the link: what it sends goes one way, what it receives came the other way. So do the
//! packets of an Ethernet station, and those of an interface at which no two hosts are seen to answer each other.
//! Where these contradict each other, as on a segment whose hosts also talk among themselves, more bytes decide.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{
    frame::{Endpoints, Stations},
    subnet::{Address, is_group},
};

/// Directions of a capture, as far as packets have shown them.
#[derive(Default)]
pub(crate) struct Sides {
    /// Bytes, and the order of the first packets.
    seen: HashMap<Sighting, (u64, usize)>,
}

/// From which host to which, and over what.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Sighting {
    source: Host,
    destination: Host,
    stations: Option<Stations>,
    interface: u32,
}

/// An address; of a host that talks with itself, over the loopback, also the port.
type Host = (Address, u16);

/// Node on one side of the link.
#[derive(PartialEq, Eq, Hash)]
enum Node {
    Host(Host),
    Station([u8; 6]),
    /// Where packets of an interface that hears one direction come from.
    Interface(u32),
}

/// The larger direction of a capture that has two.
pub(crate) struct Larger {
    sides: HashMap<Host, Side>,
    /// Groups of hosts that have nothing to do with each other: each has a larger direction of its own.
    pub(crate) groups: usize,
}

/// Where a host is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Side {
    /// A number of its group of hosts.
    group: usize,
    /// It sends the larger direction.
    pub(crate) larger: bool,
}

impl Side {
    /// Side of the only direction that there is.
    pub(crate) const ONLY: Self = Self { group: 0, larger: true };

    /// Returns true if some hosts of a group are on one side, and some on the other.
    pub(crate) fn are_both(sides: impl Iterator<Item = Self>) -> bool {
        let seen: HashSet<Self> = sides.collect();
        seen.iter().any(|side| seen.contains(&Self { larger: !side.larger, ..*side }))
    }
}

impl Sides {
    pub(crate) fn push(
        &mut self,
        endpoints: &Endpoints,
        stations: Option<Stations>,
        interface: u32,
        bytes: u32,
    ) {
        let (source, destination) = hosts(endpoints);
        let order = self.seen.len();
        let sighting = Sighting { source, destination, stations, interface };
        self.seen.entry(sighting).or_insert((0, order)).0 += u64::from(bytes);
    }

    /// The larger direction; `None` if no host answers another, so that there is one direction.
    pub(crate) fn larger(self) -> Option<Larger> {
        let mut seen: Vec<_> = self.seen.into_iter().collect();
        seen.sort_unstable_by_key(|(_, (bytes, order))| (Reverse(*bytes), *order));
        let pairs: HashSet<_> = seen.iter().map(|(at, _)| (at.source, at.destination)).collect();
        if !pairs.iter().any(|(source, destination)| pairs.contains(&(*destination, *source))) {
            return None;
        }
        let one_way = one_way_interfaces(&seen);
        let mut graph = Graph::default();
        for (at, _) in &seen {
            let source = graph.node(Node::Host(at.source));
            if one_way.contains(&at.interface) {
                let interface = graph.node(Node::Interface(at.interface));
                graph.join(source, interface, false);
            }
            if !is_group(at.destination.0) && !at.stations.is_some_and(|(_, to)| is_station_group(to)) {
                let destination = graph.node(Node::Host(at.destination));
                graph.join(source, destination, true);
            }
            if let Some((from, to)) = at.stations.filter(|(from, to)| from != to && !is_station_group(*from))
            {
                let from = graph.node(Node::Station(from));
                graph.join(source, from, false);
                if !is_station_group(to) {
                    let to = graph.node(Node::Station(to));
                    graph.join(source, to, true);
                }
            }
        }
        Some(graph.larger(&seen))
    }
}

impl Larger {
    /// Where the sender of this flow is.
    pub(crate) fn side(&self, endpoints: &Endpoints) -> Side {
        self.sides.get(&hosts(endpoints).0).copied().unwrap_or_default()
    }
}

fn hosts((source, destination, _, from, to): &Endpoints) -> (Host, Host) {
    if source == destination { ((*source, *from), (*source, *to)) } else { ((*source, 0), (*destination, 0)) }
}

/// Ethernet's bit of groups: multicast and broadcast.
const fn is_station_group(station: [u8; 6]) -> bool {
    station[0] & 1 == 1
}

/// Interfaces, among several, at which no host answers another: each hears one direction.
fn one_way_interfaces(seen: &[(Sighting, (u64, usize))]) -> HashSet<u32> {
    let mut pairs: HashMap<u32, HashSet<(Host, Host)>> = HashMap::new();
    for (at, _) in seen {
        pairs.entry(at.interface).or_default().insert((at.source, at.destination));
    }
    if pairs.len() < 2 {
        return HashSet::new();
    }
    let hears_one = |pairs: &HashSet<(Host, Host)>| {
        !pairs.iter().any(|(source, destination)| pairs.contains(&(*destination, *source)))
    };
    pairs.iter().filter(|(_, pairs)| hears_one(pairs)).map(|(interface, _)| *interface).collect()
}

/// Nodes that are on the same side or on opposite ones: union-find with a parity.
#[derive(Default)]
struct Graph {
    numbers: HashMap<Node, usize>,
    /// The parent of each node, and whether it is on the opposite side.
    parents: Vec<(usize, bool)>,
}

impl Graph {
    fn node(&mut self, node: Node) -> usize {
        let new = self.parents.len();
        let number = *self.numbers.entry(node).or_insert(new);
        if number == new {
            self.parents.push((new, false));
        }
        number
    }

    /// The root of a node, and whether it is on the opposite side.
    fn root(&mut self, node: usize) -> (usize, bool) {
        let (mut at, mut opposite) = (node, false);
        while self.parents[at].0 != at {
            opposite ^= self.parents[at].1;
            at = self.parents[at].0;
        }
        self.parents[node] = (at, opposite);
        (at, opposite)
    }

    /// Two nodes are on the same side, or on opposite ones, unless it is known already.
    fn join(&mut self, one: usize, other: usize, opposite: bool) {
        let (one, one_opposite) = self.root(one);
        let (other, other_opposite) = self.root(other);
        if one != other {
            self.parents[other] = (one, opposite ^ one_opposite ^ other_opposite);
        }
    }

    /// The sources of the side of each group that sends more; of equal sides, that of the first packet.
    fn larger(&mut self, seen: &[(Sighting, (u64, usize))]) -> Larger {
        let sides: Vec<_> = seen
            .iter()
            .map(|(at, _)| {
                let node = self.node(Node::Host(at.source));
                self.root(node)
            })
            .collect();
        // Of each group: bytes and first packet of both sides.
        let mut groups: HashMap<usize, [(u64, Reverse<usize>); 2]> = HashMap::new();
        for ((_, (bytes, order)), (root, opposite)) in seen.iter().zip(&sides) {
            let both = groups.entry(*root).or_insert([(0, Reverse(usize::MAX)); 2]);
            let side = &mut both[usize::from(*opposite)];
            *side = (side.0 + bytes, side.1.max(Reverse(*order)));
        }
        let is_larger = |(root, opposite): &(usize, bool)| (groups[root][1] > groups[root][0]) == *opposite;
        let of_each = seen.iter().zip(&sides).map(|((at, _), node)| {
            let side = Side { group: node.0, larger: is_larger(node) };
            (at.source, side)
        });
        Larger { sides: of_each.collect(), groups: groups.len() }
    }
}
