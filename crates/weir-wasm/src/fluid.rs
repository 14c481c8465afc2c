//! The fluid model of a scenario, for JavaScript.

use wasm_bindgen::prelude::*;
use weir_theory::{Integration, Look, Reader, TheoryError, Timeline, Windows};

use crate::scenario::{Scenario, ScenarioError};

/// b of Reno's fluid that agrees with packets.
const CUT: f64 = 2.0 / 3.0;

/// Most steps of an integration for a page: some tens of milliseconds.
const MOST_STEPS: f64 = 2e5;

/// The fluid model of the queue that limits the flows.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug)]
pub struct Fluid {
    /// Names of the values of a row: `time`, of the queue `delay` (s), `signals` (the share of packets) and the
    /// variables of its discipline, and `flows.GROUP.cwnd`.
    pub columns: Vec<String>,
    /// The rows, one after another.
    pub rows: Vec<f64>,
    /// Reasons for which the predictions may fail.
    pub flags: Vec<String>,
}

#[wasm_bindgen]
impl Scenario {
    /// The fluid model, with a row every `every` seconds.
    ///
    /// # Errors
    /// If there is no model.
    pub fn fluid(&self, every: f64) -> Result<Fluid, ScenarioError> {
        let timeline = Reader::new(&self.plain).timeline(None, Look { link: None, cut: CUT })?;
        let flags = timeline.flags().into_iter().map(|flag| flag.text).collect();
        let capacities: Vec<_> =
            timeline.phases.iter().map(|phase| (phase.at, phase.system.capacity)).collect();
        let prefix = prefix(&timeline);
        let course = Integration { most_steps: Some(MOST_STEPS), ..timeline.into() }.run()?;
        let sampled = |values: &[f64]| course.sampled(values, every.max(1e-6));
        let times = sampled(&course.times);
        let capacity = |time: f64| {
            let before = capacities.iter().rev().find(|(since, _)| *since <= time);
            before.unwrap_or(&capacities[0]).1
        };
        let waits = sampled(&course.queue);
        let delays = waits.iter().zip(&times).map(|(queue, time)| queue / capacity(*time)).collect();
        let mut columns = vec!["time".to_owned(), format!("{prefix}delay"), format!("{prefix}signals")];
        let mut values: Vec<Vec<f64>> = vec![times, delays, sampled(&course.signal)];
        for (name, column) in &course.variables {
            columns.push(format!("{prefix}{name}"));
            values.push(sampled(column));
        }
        for Windows { name, mean } in &course.windows {
            columns.push(format!("flows.{name}.cwnd"));
            values.push(sampled(mean));
        }
        let rows = (0..values[0].len()).flat_map(|row| values.iter().map(move |column| column[row]));
        Ok(Fluid { columns, rows: rows.collect(), flags })
    }
}

/// Prefix of the queue's columns.
fn prefix(timeline: &Timeline) -> String {
    let port = &timeline.phases[0].port;
    match port.strip_suffix(".reverse") {
        Some(link) => format!("links.{link}.reverse."),
        None => format!("links.{port}.forward."),
    }
}

impl From<TheoryError> for ScenarioError {
    fn from(TheoryError { message, hint, path }: TheoryError) -> Self {
        Self { line: None, path, message, hint: Some(hint) }
    }
}
