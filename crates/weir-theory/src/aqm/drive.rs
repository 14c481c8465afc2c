//! Interface of the AQMs.

use crate::Start;

/// The input of an AQM at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// q, packets.
    pub(crate) queue: f64,
    /// q', packets per second.
    pub(crate) growth: f64,
    /// Arrival rate, packets per second.
    pub(crate) rate: f64,
}

/// An AQM at work.
pub(crate) trait Drive {
    /// The state at first, over a link of this capacity: of a resting point, or of an AQM that is new.
    fn begins(&self, start: Option<&Start>, capacity: f64) -> f64 {
        let _ = capacity;
        start.map_or(0.0, |start| start.state)
    }

    /// p, in [0, 1], of scalable flows or of the others.
    fn signal(&self, state: f64, queue: f64, rate: f64, scalable: bool) -> f64;

    /// x'.
    fn slope(&self, state: f64, seen: Seen, capacity: f64) -> f64 {
        let _ = (state, seen, capacity);
        0.0
    }

    /// The state within its bounds.
    fn bounded(&self, state: f64, capacity: f64) -> f64 {
        let _ = capacity;
        state
    }

    /// k of a state that is an average, x' = k (q - x), 1/s.
    fn lag(&self, capacity: f64) -> Option<f64> {
        let _ = capacity;
        None
    }

    /// Returns true if the state is held between updates, from now on. Updates nearer to each other than `longest` are
    /// taken as continuous.
    fn hold(&mut self, longest: f64, now: f64, queue: f64) -> bool {
        let _ = (longest, now, queue);
        false
    }

    /// When something happens next, if it happens at instants of its own.
    fn due(&self) -> f64 {
        f64::INFINITY
    }

    /// The state after what happens now, when it is due.
    fn update(&mut self, state: f64, queue: f64, capacity: f64) -> f64 {
        let _ = (queue, capacity);
        state
    }

    /// The queue at which the signal jumps.
    fn edge(&self) -> Option<f64> {
        None
    }

    /// The states at which the signal or its slope jumps, or that of the state.
    fn knees(&self) -> Vec<f64> {
        Vec::new()
    }
}
