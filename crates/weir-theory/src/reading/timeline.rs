//! A scenario over its own time.

use super::{
    found::{Flag, Look, Reading},
    load::{at_s, flows_at, is_bulk, passes},
    reader::Reader,
};
use crate::TheoryError;

const MOST_PHASES: usize = 2000;

/// Systems one after another, and when the last ends.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Timeline {
    /// Each from its instant on.
    pub phases: Vec<Reading>,
    /// Seconds.
    pub until: f64,
}

impl Timeline {
    /// Reasons for which predictions may fail, each once.
    pub fn flags(&self) -> Vec<Flag> {
        let mut found: Vec<Flag> = Vec::new();
        for flag in self.phases.iter().flat_map(|phase| &phase.flags) {
            if found.iter().all(|known| known.code != flag.code) {
                found.push(flag.clone());
            }
        }
        found
    }
}

impl Reader<'_> {
    /// Each instant from which on something is another until `until` seconds, the end if `None`, and the system from
    /// then on. It ends where no flow is left.
    ///
    /// # Errors
    /// If there is no model of one, or there are too many.
    pub fn timeline(&self, until: Option<f64>, look: Look<'_>) -> Result<Timeline, TheoryError> {
        let duration = self.scenario.duration;
        let end = until.unwrap_or(duration.as_secs_f64());
        TheoryError::new(
            format!("{} ends at {duration}, before {end} s", self.scenario.name),
            format!("an earlier instant, or a longer run: --set duration=\"{end} s\""),
        )
        .unless(end <= duration.as_secs_f64())?;
        let port = self.port(look.link)?;
        let load = self.network.paths.iter().filter(|path| passes(path, port)).flat_map(|path| &path.load);
        let load: Vec<f64> = load.map(|change| at_s(change.at)).collect();
        let changes = self.scenario.changes.iter().map(|change| change.at);
        let rates = port.rate_changes(duration).map(|(at, _)| at).take(MOST_PHASES + 1);
        let mut instants: Vec<f64> = changes.chain(rates).map(at_s).chain(load.iter().copied()).collect();
        instants.push(0.0);
        instants.retain(|instant| *instant < end);
        instants.sort_by(f64::total_cmp);
        instants.dedup();
        TheoryError::new(
            format!("{} changes of load and rate are too many for the model", instants.len()),
            "integrate less of it: --until SECONDS",
        )
        .unless(instants.len() <= MOST_PHASES)?;
        let answers = |instant: f64| {
            let flows = self.network.paths.iter().filter(|path| is_bulk(path) && passes(path, port));
            flows.into_iter().any(|path| flows_at(&path.load, instant) > 0)
        };
        let begun = instants.into_iter().skip_while(|instant| !answers(*instant));
        let phases =
            begun.take_while(|instant| answers(*instant)).map(|instant| self.at(Some(instant), look));
        let phases: Vec<Reading> = phases.collect::<Result<_, _>>()?;
        let Some(last) = phases.last() else {
            let message = format!("no flow with data without end is over {}", port.at);
            return Err(TheoryError::new(message, "the model has flows of TCP"));
        };
        let gone = load.into_iter().filter(|at| *at > last.at && *at < end && !answers(*at));
        let until = gone.fold(end, f64::min);
        Ok(Timeline { phases, until })
    }
}
