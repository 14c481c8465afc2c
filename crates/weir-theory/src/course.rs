//! The course of an integration.

use crate::{
    Aqm,
    cohort::Cohort,
    past::{Node, Past},
};

/// Values at each step.
#[derive(Clone, Debug)]
pub struct Course {
    /// Seconds.
    pub times: Vec<f64>,
    /// Packets.
    pub queue: Vec<f64>,
    /// p; for `DualPI2`, the p of its classic flows.
    pub signal: Vec<f64>,
    /// The state of the AQM.
    pub state: Vec<f64>,
    /// Variables of the last discipline, by the names that it has for them.
    pub variables: Vec<(&'static str, Vec<f64>)>,
    /// Windows of the groups by name, in the order in which the groups came.
    pub windows: Vec<Windows>,
}

/// The windows of a group.
#[derive(Clone, Debug)]
pub struct Windows {
    /// The group.
    pub name: String,
    /// Their mean, packets; NaN where it has no flow.
    pub mean: Vec<f64>,
}

impl Course {
    pub(crate) fn new(past: &Past, cohorts: &[Cohort], aqm: &Aqm) -> Self {
        let mut windows: Vec<Windows> = Vec::new();
        for Cohort { group, .. } in cohorts {
            if windows.iter().any(|known| known.name == group.name) {
                continue;
            }
            let mut total = vec![(0.0, 0.0); past.nodes.len()];
            for one in cohorts.iter().filter(|one| one.group.name == group.name) {
                for ((sum, flows), then) in total[one.first..].iter_mut().zip(&one.past) {
                    *sum += then.flows * then.window;
                    *flows += then.flows;
                }
            }
            let mean = total.iter().map(|(sum, flows)| if *flows > 0.0 { sum / flows } else { f64::NAN });
            windows.push(Windows { name: group.name.clone(), mean: mean.collect() });
        }
        let column = |of: fn(&Node) -> f64| past.nodes.iter().map(of).collect::<Vec<_>>();
        let [signal, state] = [column(|node| node.signal), column(|node| node.state)];
        let variables = aqm.variables(&state, &signal);
        let (times, queue) = (column(|node| node.time), column(|node| node.queue));
        Self { times, queue, signal, state, variables, windows }
    }

    /// Values every so many seconds from the first step to the last, linearly between steps.
    pub fn sampled(&self, values: &[f64], every: f64) -> Vec<f64> {
        let (begin, end) = (self.times[0], self.times[self.times.len() - 1]);
        let count = ((end - begin) / every + 1e-9).floor() as usize + 1;
        let mut next = 1;
        let sample = |index: usize| {
            let instant = begin + index as f64 * every;
            while next + 1 < self.times.len() && self.times[next] < instant {
                next += 1;
            }
            let [one, other] = [next - 1, next];
            let length = self.times[other] - self.times[one];
            let share =
                if length > 0.0 { ((instant - self.times[one]) / length).clamp(0.0, 1.0) } else { 1.0 };
            values[one] + share * (values[other] - values[one])
        };
        (0..count).map(sample).collect()
    }
}
