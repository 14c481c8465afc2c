//! The best way between two nodes.

use std::collections::HashMap;

use weir_types::Duration;

use super::{Direction, Link};
use crate::{Scenario, problem::Problem};

/// What takes a way: data needs a queue at every port.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    Data,
    Acks,
}

impl Scenario {
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
                let way = self.way(&links, Some(from), Direction::Forward);
                let against = way.iter().filter(|at| at.direction == Direction::Reverse);
                let missing = against.map(|at| at.link).find(|name| self.links[*name].reverse.is_none());
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

    /// Node by node, those that one link more leads to: each is reached with the fewest links when it is
    /// reached first, and among as many with the least delay, since the way before it must have it too.
    fn search(&self, from: &str, to: &str, allowed: impl Fn(&Link, Direction) -> bool) -> Option<Best> {
        let mut reached: HashMap<&str, Reached<'_>> = HashMap::new();
        reached.insert(from, Reached { delay: Duration::ZERO, ways: 1, by: None });
        let mut front = vec![from];
        while !front.is_empty() && !reached.contains_key(to) {
            let mut next: HashMap<&str, Reached<'_>> = HashMap::new();
            for (name, link) in &self.links {
                let Some((start, end)) = link.nodes() else { continue };
                for (a, b, direction) in [(start, end, Direction::Forward), (end, start, Direction::Reverse)]
                {
                    if !front.contains(&a) || reached.contains_key(b) || !allowed(link, direction) {
                        continue;
                    }
                    let (delay, ways) = (reached[a].delay + link.delay, reached[a].ways);
                    let by = Some((name.as_str(), a));
                    match next.get_mut(b) {
                        Some(other) if other.delay < delay => {}
                        Some(other) if other.delay == delay => other.ways = other.ways.saturating_add(ways),
                        _ => {
                            next.insert(b, Reached { delay, ways, by });
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
