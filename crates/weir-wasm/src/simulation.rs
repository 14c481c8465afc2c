//! Simulations for JavaScript.

use js_sys::Object;
use wasm_bindgen::prelude::*;
use weir_sim::{Followed, Jain, Monitor, Place, Tables};
use weir_types::{Duration, Instant};

use crate::{mechanism::Mechanism, tables};

/// Jain's fairness index among the flows: see [`Simulation::received`] for the bytes that each has got, and those
/// before. A flow without a number does not count. NaN without flows.
#[wasm_bindgen]
pub fn jain_index(received: &[f64], before: &[f64]) -> f64 {
    let mut index = Jain::default();
    let shares = received.iter().zip(before).map(|(all, before)| all - before);
    shares.filter(|share| !share.is_nan()).for_each(|share| index.add(share));
    index.index()
}

/// A simulation that runs as far as it is asked to, and is looked at while it does.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    plain: weir_sim::Simulation<'static>,
    monitor: Monitor,
    /// Names of the values of a row.
    columns: Vec<String>,
    /// The variables that were reported last, each with its column.
    reported: Vec<(&'static str, usize)>,
    /// Rows that nobody has taken.
    rows: Vec<f64>,
}

#[wasm_bindgen]
impl Simulation {
    /// The instant up to which it ran, in seconds.
    #[wasm_bindgen(getter)]
    pub fn now(&self) -> f64 {
        self.plain.reached().as_secs_f64()
    }

    /// Runs up to `until` seconds, or to the end. The results do not depend on where it pauses.
    pub fn advance(&mut self, until: f64) {
        self.advance_to(instant(until));
    }

    /// Names of the values of a row: `time`, then `links.NAME.DIRECTION.VARIABLE` and `flows.GROUP.VARIABLE`. The
    /// bottleneck also has `links.NAME.DIRECTION.class.CLASS.VARIABLE` and `links.NAME.DIRECTION.group.GROUP.VARIABLE`.
    /// A queue discipline that comes or goes has values while it is there, and NaN otherwise.
    pub fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// Runs up to `until` seconds, or to the end, and keeps a row at every multiple of `every` seconds on the way.
    pub fn sample(&mut self, until: f64, every: f64) {
        let (until, every) = (instant(until), Duration::from_secs_f64(every.max(1e-6)));
        loop {
            let steps = self.plain.reached().as_nanos() / every.as_nanos();
            let next = Instant::ZERO + every * (steps + 1);
            let before = self.plain.reached();
            self.advance_to(next.min(until));
            if self.plain.reached() < next || self.plain.reached() == before {
                return;
            }
            self.push_row(next);
        }
    }

    /// A row of this instant, which is not kept; see [`Simulation::columns`].
    pub fn row(&mut self) -> Vec<f64> {
        let kept = self.rows.len();
        self.push_row(self.plain.reached());
        self.rows.split_off(kept)
    }

    /// The rows kept since the last call, one after another; see [`Simulation::columns`].
    pub fn take(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.rows)
    }

    /// Follows the packets of queue number `port`, and all ACKs, from now on, or no more.
    pub fn follow(&mut self, port: usize, on: bool) {
        self.plain.follow(port, on);
    }

    /// The steps at queue number `port` since the last call: time, time at which it is over (or NaN), kind, group,
    /// flow, number. Kinds are 0 (arrives), 1 (is marked), 2 (is dropped), 3 (leaves), 4 (its ACK leaves the
    /// receiver) and 5 (its ACK arrives).
    pub fn steps(&mut self, port: usize) -> Vec<f64> {
        let steps = self.plain.followed(port).into_iter();
        let row = |Followed { at, step, until, group, flow, number }| {
            let until = until.map_or(f64::NAN, Instant::as_secs_f64);
            let kind = f64::from(step as u8);
            [at.as_secs_f64(), until, kind, group as f64, f64::from(flow), f64::from(number)]
        };
        steps.flat_map(row).collect()
    }

    /// How queue number `port` decides, with its `most` longest queues.
    pub fn mechanism(&mut self, port: usize, most: usize) -> Mechanism {
        Mechanism::of(&mut self.plain, port, most)
    }

    /// Congestion window (packets) and smoothed round-trip time (s) of a flow; empty before its first round trip.
    pub fn window(&self, flow: u32) -> Vec<f64> {
        let known = self.plain.window(flow);
        known.map_or_else(Vec::new, |(cwnd, srtt)| vec![cwnd, srtt.as_secs_f64()])
    }

    /// Bytes that the receiver of each flow without an end has got since the start. The number is NaN for a flow that
    /// was not active all the time since `from` seconds.
    pub fn received(&self, from: f64) -> Vec<f64> {
        self.plain.received(instant(from))
    }

    /// Sojourn times in queue number `port` since the start: for each bin its longest time in seconds, and packets.
    pub fn delays(&self, port: usize) -> Vec<f64> {
        let bins = self.plain.sojourns(port).into_iter();
        bins.flat_map(|(end, packets)| [end.as_secs_f64(), packets as f64]).collect()
    }

    /// Runs to the end. The tables by name; each has its columns by name.
    pub fn finish(self) -> Object {
        let Self { plain, monitor, .. } = self;
        let measured = plain.run(&monitor).expect("the monitor stops nothing");
        tables::object(Tables::of_run(&measured))
    }
}

impl Simulation {
    pub(crate) fn new(scenario: &weir_scenario::Scenario, seed: u64) -> Self {
        let mut plain = weir_sim::Simulation::new(scenario, seed);
        let mut columns = vec!["time".to_owned()];
        add_columns(&mut columns, &mut plain);
        for change in &scenario.changes {
            let mut other = scenario.clone();
            other.changes.clear();
            for (name, change) in &change.links {
                let Some(link) = other.links.get_mut(name) else { continue };
                link.queue = change.queue.clone().unwrap_or_else(|| link.queue.clone());
                if let (Some(link), Some(change)) = (&mut link.reverse, &change.reverse) {
                    link.queue = change.queue.clone().unwrap_or_else(|| link.queue.clone());
                }
            }
            if other.links != scenario.links {
                add_columns(&mut columns, &mut weir_sim::Simulation::new(&other, seed));
            }
        }
        Self { plain, monitor: Monitor::default(), columns, reported: Vec::new(), rows: Vec::new() }
    }

    /// Keeps a row. Each value goes to its column, which is looked up only when other variables are reported.
    fn push_row(&mut self, at: Instant) {
        let Self { plain, columns, reported, rows, .. } = self;
        let start = rows.len();
        rows.resize(start + columns.len(), f64::NAN);
        rows[start] = at.as_secs_f64();
        let mut next = 0;
        plain.look(|place, variable, value| {
            let known = reported.get(next).filter(|(name, _)| *name == variable);
            let column = if let Some((_, column)) = known {
                *column
            } else {
                let name = column_name(place, variable);
                let known = columns.iter().position(|other| *other == name);
                let column = known.expect("the columns of all changes");
                reported.truncate(next);
                reported.push((variable, column));
                column
            };
            rows[start + column] = value;
            next += 1;
        });
    }

    fn advance_to(&mut self, until: Instant) {
        self.plain.advance(until, &self.monitor).expect("the monitor stops nothing");
    }
}

/// The name of a column.
fn column_name(place: Place<'_>, variable: &str) -> String {
    match place {
        Place::Queue(link, direction) => format!("links.{link}.{direction}.{variable}"),
        Place::Class(link, direction, class) => format!("links.{link}.{direction}.class.{class}.{variable}"),
        Place::GroupAt(link, direction, group) => {
            format!("links.{link}.{direction}.group.{group}.{variable}")
        }
        Place::Group(group) => format!("flows.{group}.{variable}"),
    }
}

/// Adds the columns of a simulation that are not there.
fn add_columns(columns: &mut Vec<String>, simulation: &mut weir_sim::Simulation<'_>) {
    simulation.look(|place, variable, _| {
        let name = column_name(place, variable);
        if !columns.contains(&name) {
            columns.push(name);
        }
    });
}

fn instant(seconds: f64) -> Instant {
    Instant::ZERO + Duration::from_secs_f64(seconds.max(0.0))
}
