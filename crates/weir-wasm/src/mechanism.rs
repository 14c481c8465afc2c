//! How a queue decides, for pictures in JavaScript.

use std::cmp::Reverse;

use wasm_bindgen::prelude::*;
use weir_aqm::Curve;

/// Points of a curve.
const POINTS: u32 = 256;

/// The state of a queue at one instant, beside its variables.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug)]
pub struct Mechanism {
    /// The variable on which the probability of a signal depends, if there is a curve.
    pub variable: Option<String>,
    /// Its value, and the probability there.
    pub dot: Vec<f64>,
    /// The curve: the last value of the variable, then the probability at equal distances from zero up to there.
    pub curve: Vec<f64>,
    /// Queues in which packets wait, where each flow has its own: their number, and the packets in all of them. Then, for
    /// each of the longest, the class, the group, the flow, packets, and 1 if it is served first.
    pub queues: Vec<f64>,
}

impl Mechanism {
    pub(crate) fn of(simulation: &mut weir_sim::Simulation<'_>, port: usize, most: usize) -> Self {
        let weir_aqm::Mechanism { curve, mut queues } = simulation.mechanism(port);
        let drawn = curve.map(|Curve { variable, value, end, at }| {
            let end = end.max(1.1 * value);
            let points = (0..=POINTS).map(|n| at(end * f64::from(n) / f64::from(POINTS)));
            (variable.to_owned(), vec![value, at(value)], std::iter::once(end).chain(points).collect())
        });
        let (number, packets) = (queues.len(), queues.iter().map(|queue| f64::from(queue.packets)).sum());
        queues.sort_by_key(|queue| (Reverse(queue.packets), queue.flow));
        queues.truncate(most);
        let rows = queues.iter().flat_map(|queue| {
            let group = simulation.group_of(queue.flow) as f64;
            let is_new = f64::from(u8::from(queue.is_new));
            [queue.class as f64, group, f64::from(queue.flow), f64::from(queue.packets), is_new]
        });
        let queues = [number as f64, packets].into_iter().chain(rows).collect();
        let (variable, dot, curve) =
            drawn.map_or_else(Default::default, |(variable, dot, curve)| (Some(variable), dot, curve));
        Self { variable, dot, curve, queues }
    }
}
