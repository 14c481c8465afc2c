//! Flows that came together: their window, its past, and how it moves.

use std::{collections::VecDeque, f64::consts::LN_2};

use crate::{
    Group, WindowModel,
    aqm::Drive,
    past::{Past, Place},
};

/// Packets (RFC 6928).
const INITIAL_WINDOW: f64 = 10.0;

/// Cuts of a window in a round trip. The model has no bound, and needs none where p W is below it; TCP has 1. Without
/// any, the first signals after slow start would be stiffer than a step can follow.
const MOST_CUTS: f64 = 4.0;

/// Signals that end slow start, and how near to it is at it.
const DUE: f64 = 1.0;
const NEAR: f64 = 1e-6;

/// The window in packets; of CUBIC `W_max`, the seconds since the last cut and its Reno-friendly window; of DCTCP the
/// window and alpha. In slow start the last is the signals that have come; all else is zero.
pub(crate) type Values = [f64; 3];

/// The queue as flows see it.
#[derive(Clone, Copy)]
pub(crate) struct Bottleneck<'a> {
    pub(crate) drive: &'a dyn Drive,
    pub(crate) capacity: f64,
    /// Packets at which it loses what comes.
    pub(crate) full: f64,
}

/// Flows of one group that came at one instant.
#[derive(Debug)]
pub(crate) struct Cohort {
    pub(crate) group: Group,
    /// Which of the system's groups.
    pub(crate) part: usize,
    pub(crate) flows: f64,
    /// The step at which they came.
    pub(crate) first: usize,
    /// Slow start, until a signal is due: W' = W ln 2 / R.
    slow: bool,
    /// When there were jumps of the signal that are still to arrive, in order.
    jumps: VecDeque<f64>,
    /// Where the past was looked at last.
    pointer: usize,
    pub(crate) past: Vec<Remembered>,
}

/// A window at a step.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) window: f64,
    /// `None` where a line does between two steps.
    slope: Option<f64>,
    pub(crate) flows: f64,
}

impl Cohort {
    /// With the window of a resting point, or in slow start.
    pub(crate) fn new(
        group: &Group,
        part: usize,
        flows: f64,
        first: usize,
        window: Option<f64>,
    ) -> (Self, Values) {
        let begin = window.unwrap_or(INITIAL_WINDOW.min(group.most));
        let values = match group.kind {
            WindowModel::Cubic => [begin, group.plateau(begin), begin],
            // At rest alpha is sqrt(2 / W) (Alizadeh and others, 2010, section 3.3).
            WindowModel::Dctcp => [begin, window.map_or(1.0, |window| (2.0 / window).sqrt().min(1.0)), 0.0],
            WindowModel::Reno | WindowModel::Scalable => [begin, 0.0, 0.0],
        };
        let slow = window.is_none();
        let values = if slow { [values[0], values[1], 0.0] } else { values };
        let (group, jumps) = (group.clone(), VecDeque::new());
        (Self { group, part, flows, first, slow, jumps, pointer: 0, past: Vec::new() }, values)
    }

    /// Packets, of these values.
    pub(crate) fn window(&self, values: &Values) -> f64 {
        let group = &self.group;
        if group.kind != WindowModel::Cubic || self.slow {
            return values[0];
        }
        let [most, since, friendly] = *values;
        let own = group.cubic_c * (since - group.plateau(most)).powi(3) + most;
        own.max(if group.friendly { friendly } else { 1.0 }).max(1.0)
    }

    /// The slopes of the values at an instant, at which the round trip is `rtt`.
    pub(crate) fn slopes(
        &mut self,
        values: &Values,
        t: f64,
        rtt: f64,
        past: &Past,
        bottleneck: Bottleneck<'_>,
    ) -> Values {
        let place = past.place(t - rtt, &mut self.pointer);
        let (queue, state, rate) = past.at(place);
        let group = &self.group;
        let mut p = bottleneck.drive.signal(state, queue, rate, group.kind == WindowModel::Scalable);
        if queue >= bottleneck.full && rate > bottleneck.capacity {
            // What finds the buffer full is lost: 1 - C / rate of all.
            p += (1.0 - p) * (1.0 - bottleneck.capacity / rate);
        }
        let then = self.window_at(place, values) / group.round_trip(queue, bottleneck.capacity);
        let often = 1.0 / rtt;
        if self.slow {
            return [values[0] * LN_2 * often, 0.0, p * then];
        }
        let left = if group.marked { 1.0 } else { 1.0 - p };
        let grows = |increase: f64| if values[0] < group.most { increase * left * often } else { 0.0 };
        let cuts = (then * p).min(MOST_CUTS * often);
        match group.kind {
            WindowModel::Reno => [grows(group.increase) - group.cut * values[0] * cuts, 0.0, 0.0],
            WindowModel::Scalable => [grows(group.grows(rtt)) - group.cut * then * p, 0.0, 0.0],
            WindowModel::Dctcp => {
                let [window, alpha, _] = *values;
                [(1.0 - 0.5 * window * alpha * p) * often, group.gain * often * (p - alpha), 0.0]
            }
            WindowModel::Cubic => {
                let friend = group.friend();
                [
                    (self.window(values) - values[0]) * cuts,
                    1.0 - values[1] * cuts,
                    friend * often - friend / 1.5 * values[2] * cuts,
                ]
            }
        }
    }

    /// The window at a place of the past; before they came, that at which they did.
    fn window_at(&self, place: Place, values: &Values) -> f64 {
        let after = |j: usize| j.checked_sub(self.first);
        let known = match place {
            Place::At(j) => self.past.get(after(j).unwrap_or(0)).or(self.past.last()),
            Place::After(j, weights) => match after(j) {
                None => self.past.first(),
                Some(i) => {
                    let [one, other] = [&self.past[i], &self.past[i + 1]];
                    let values = [one.window, other.window];
                    return match (one.slope, other.slope) {
                        (Some(slope), Some(late)) => weights.cubic(values, [slope, late]),
                        _ => weights.line(values),
                    };
                }
            },
        };
        known.map_or(values[0], |known| known.window)
    }

    /// After a step that ends at `now`: out of slow start once a signal was due.
    pub(crate) fn settle(&mut self, values: &mut Values, now: f64, rtt: f64) {
        while self.jumps.front().is_some_and(|jump| *jump < now - rtt) {
            self.jumps.pop_front();
        }
        if self.slow && (values[2] >= DUE - NEAR || values[0] >= self.group.most) {
            self.slow = false;
            // CUBIC is as after a cut: the plateau is where the window was.
            match self.group.kind {
                WindowModel::Cubic => *values = [values[0], 0.0, values[0] * self.group.beta],
                _ => values[2] = 0.0,
            }
        }
    }

    /// Signals that are missing until slow start ends; `None` after it.
    pub(crate) fn missing(&self, values: &Values) -> Option<f64> {
        self.slow.then(|| DUE - values[2])
    }

    /// When the jump was that arrives next.
    pub(crate) fn jump(&self) -> Option<f64> {
        self.jumps.front().copied()
    }

    /// The signal jumps at an instant.
    pub(crate) fn jumps_at(&mut self, now: f64) {
        self.jumps.push_back(now);
    }

    /// Writes down the window and its slope.
    pub(crate) fn note(&mut self, values: &Values, slopes: &Values) {
        // CUBIC's is the slope of the branch that is larger.
        let smooth = self.group.kind != WindowModel::Cubic || self.slow;
        self.past.push(Remembered {
            window: self.window(values),
            slope: smooth.then_some(slopes[0]),
            flows: self.flows,
        });
    }
}
