//! The best way between two nodes.

use std::collections::HashMap;

use weir_types::Duration;

use crate::{Direction, Link, Scenario, problem::Problem};

/// Kind of packets that take a way: data needs a queue at every port.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    Data,
    Acks,
}

/// The links at each node, in both directions: none if links name no nodes.
pub(super) struct Graph<'a> {
    scenario: &'a Scenario,
    ends: HashMap<&'a str, Vec<End<'a>>>,
}

/// A link as it leads away from a node.
struct End<'a> {
    name: &'a str,
    link: &'a Link,
    direction: Direction,
    /// The node where it leads.
    to: &'a str,
}

impl<'a> Graph<'a> {
    pub(super) fn of(scenario: &'a Scenario) -> Self {
        let mut ends: HashMap<&str, Vec<_>> = HashMap::new();
        for (name, link) in &scenario.links {
            let Some((start, end)) = link.nodes() else { continue };
            for (from, to, direction) in [(start, end, Direction::Forward), (end, start, Direction::Reverse)]
            {
                ends.entry(from).or_default().push(End { name, link, direction, to });
            }
        }
        Self { scenario, ends }
    }

    /// Returns true if the links name their nodes.
    pub(super) fn has_nodes(&self) -> bool {
        !self.ends.is_empty()
    }

    /// That there is such a node.
    pub(super) fn check_node(&self, place: &str, node: &str) -> Result<(), Problem> {
        if self.ends.contains_key(node) {
            return Ok(());
        }
        let mut known: Vec<_> = self.ends.keys().copied().collect();
        known.sort_unstable();
        let hint = format!("nodes: {}", known.join(", "));
        Err(Problem::new(place, format!("there is no node \"{node}\""), hint))
    }

    /// The way with the fewest links, and of those the one with the least delay.
    pub(super) fn route(
        &self,
        place: &str,
        from: &str,
        to: &str,
        carries: Carries,
    ) -> Result<Vec<String>, Problem> {
        let allowed = |link: &Link, direction| match (direction, carries) {
            (Direction::Forward, _) => true,
            (Direction::Reverse, Carries::Data) => link.reverse.is_some(),
            (Direction::Reverse, Carries::Acks) => !link.unidirectional,
        };
        let what = if carries == Carries::Data { "data" } else { "ACKs" };
        let Some(best) = self.search(from, to, allowed) else {
            let without_queues = self
                .search(from, to, |link, direction| direction == Direction::Forward || !link.unidirectional);
            if let Some(Best { links, .. }) = without_queues.filter(|_| carries == Carries::Data) {
                let way = self.scenario.way(&links, Some(from), Direction::Forward);
                let against = way.iter().filter(|at| at.direction == Direction::Reverse);
                let missing =
                    against.map(|at| at.link).find(|name| self.scenario.links[*name].reverse.is_none());
                return Err(no_queue(place, missing.expect("one has no queue"), false));
            }
            return Err(Problem::new(
                place,
                format!("there is no way from \"{from}\" to \"{to}\" for {what}"),
                "add a link between them, or correct the names of the nodes",
            ));
        };
        Problem::unless(
            best.ways == 1,
            place,
            format!(
                "{} ways from \"{from}\" to \"{to}\" have {} links and a delay of {}",
                best.ways,
                best.links.len(),
                best.delay
            ),
            format!(
                "say which one {what} take: {}",
                if carries == Carries::Data { "path = [...], or via = [...]" } else { "ack_path = [...]" }
            ),
        )?;
        Ok(best.links)
    }

    /// Each step takes in the nodes that one link more leads to. A node is reached with the fewest links
    /// when it is reached first. The least delay decides among ways with as many links, since the way to
    /// the node before must have it, too.
    fn search(&self, from: &str, to: &str, allowed: impl Fn(&Link, Direction) -> bool) -> Option<Best> {
        let mut reached: HashMap<&str, Reached<'_>> = HashMap::new();
        reached.insert(from, Reached { delay: Duration::ZERO, ways: 1, by: None });
        let mut front = vec![from];
        while !front.is_empty() && !reached.contains_key(to) {
            let mut next: HashMap<&str, Reached<'_>> = HashMap::new();
            for here in front {
                for End { name, link, direction, to } in self.ends.get(here).into_iter().flatten() {
                    if reached.contains_key(to) || !allowed(link, *direction) {
                        continue;
                    }
                    let (delay, ways) = (reached[here].delay + link.delay, reached[here].ways);
                    let by = Some((*name, here));
                    match next.get_mut(to) {
                        Some(other) if other.delay < delay => {}
                        Some(other) if other.delay == delay => other.ways = other.ways.saturating_add(ways),
                        _ => {
                            next.insert(to, Reached { delay, ways, by });
                        }
                    }
                }
            }
            front = next.keys().copied().collect();
            reached.extend(next);
        }
        let Reached { delay, ways, .. } = *reached.get(to)?;
        let mut links = Vec::new();
        let mut here = to;
        while let Some((link, before)) = reached[here].by {
            links.push(link.to_owned());
            here = before;
        }
        links.reverse();
        Some(Best { links, delay, ways })
    }
}

/// How a node was reached.
#[derive(Clone, Copy)]
struct Reached<'a> {
    delay: Duration,
    /// How many equally good ways there are.
    ways: u32,
    /// The last link, and the node before it.
    by: Option<(&'a str, &'a str)>,
}

struct Best {
    links: Vec<String>,
    delay: Duration,
    ways: u32,
}

pub(super) fn no_queue(place: &str, link: &str, unidirectional: bool) -> Problem {
    if unidirectional {
        Problem::new(
            place,
            format!("data goes against \"{link}\", which is one-way"),
            "take another way, or take unidirectional out and add reverse",
        )
    } else {
        Problem::new(
            place,
            format!("data goes against \"{link}\", whose other direction has no queue"),
            format!("add for example links.{link}.reverse = {{ buffer = \"100 packets\" }}"),
        )
    }
}
