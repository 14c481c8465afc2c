//! Integration of a timeline: checks of its input, and its course.

use crate::{
    Course, Integration, Phase, TheoryError,
    run::{PER_ROUND_TRIP, Run},
};

const MOST_STEPS: f64 = 2e6;

impl Integration {
    /// Integrates the timeline.
    ///
    /// # Errors
    /// If a round trip without queue is zero, or so short that there are too many steps; if there is nothing to
    /// integrate.
    pub fn run(&self) -> Result<Course, TheoryError> {
        let phases: Vec<&Phase> = self.phases.iter().filter(|phase| phase.since < self.until).collect();
        let Some(first) = phases.first() else {
            return Err(TheoryError::new(
                "there is nothing to integrate",
                "a timeline has a phase before its end",
            ));
        };
        let shortest = phases.iter().map(|phase| phase.system.shortest()).fold(f64::INFINITY, f64::min);
        if shortest <= 0.0 {
            return Err(TheoryError::new(
                "a delay of zero: where the queue is empty the fluid has no round trip",
                "give the flows one: flows.GROUP.rtt",
            ));
        }
        let step = self.step.unwrap_or(shortest / PER_ROUND_TRIP);
        let count = (self.until - first.since) / step;
        if count > self.most_steps.unwrap_or(MOST_STEPS) {
            return Err(TheoryError::new(
                format!("{count:.3e} steps of {step:.3e} s are too many"),
                "integrate less of it: --until SECONDS",
            ));
        }
        let mut run = Run::new(self, first);
        for (index, phase) in phases.iter().enumerate() {
            run.enter(phase, index == 0);
            run.advance(phases.get(index + 1).map_or(self.until, |next| next.since));
        }
        Ok(run.course())
    }
}
