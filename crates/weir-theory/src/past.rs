//! The past of an integration: values and slopes at its steps, by cubic Hermite interpolation in between.

/// One step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) time: f64,
    pub(crate) queue: f64,
    pub(crate) queue_slope: f64,
    pub(crate) state: f64,
    pub(crate) state_slope: f64,
    /// Arrival rate, packets per second.
    pub(crate) rate: f64,
    pub(crate) signal: f64,
}

/// All steps.
#[derive(Debug, Default)]
pub(crate) struct Past {
    pub(crate) nodes: Vec<Node>,
    /// The state is held between two steps.
    pub(crate) held: bool,
}

/// Where an instant lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// At a step; before the first all is as there.
    At(usize),
    /// Between a step and the next.
    After(usize, Hermite),
}

/// The weights of the values and slopes at both ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hermite {
    share: f64,
    values: [f64; 2],
    slopes: [f64; 2],
}

impl Hermite {
    /// At a share of an interval of length `h`.
    pub(crate) fn new(share: f64, h: f64) -> Self {
        let (u, v) = (share, 1.0 - share);
        let values = [v * v * (1.0 + 2.0 * u), u * u * (1.0 + 2.0 * v)];
        Self { share, values, slopes: [u * v * v * h, -u * u * v * h] }
    }

    pub(crate) fn cubic(&self, values: [f64; 2], slopes: [f64; 2]) -> f64 {
        self.values[0] * values[0]
            + self.values[1] * values[1]
            + self.slopes[0] * slopes[0]
            + self.slopes[1] * slopes[1]
    }

    pub(crate) fn line(&self, values: [f64; 2]) -> f64 {
        (1.0 - self.share) * values[0] + self.share * values[1]
    }
}

impl Past {
    /// Where an instant lies, looked for from `pointer` on, which is where the last one lay.
    pub(crate) fn place(&self, then: f64, pointer: &mut usize) -> Place {
        let nodes = &self.nodes;
        let mut j = *pointer;
        while j + 2 < nodes.len() && nodes[j + 1].time <= then {
            j += 1;
        }
        while j > 0 && nodes[j].time > then {
            j -= 1;
        }
        *pointer = j;
        let begin = nodes[j].time;
        if then <= begin || j + 1 == nodes.len() {
            return Place::At(j);
        }
        let h = nodes[j + 1].time - begin;
        // Two steps at one instant: what is after a change counts.
        Place::After(j, Hermite::new(if h > 0.0 { (then - begin) / h } else { 1.0 }, h))
    }

    /// The queue, the state and the rate there.
    pub(crate) fn at(&self, place: Place) -> (f64, f64, f64) {
        let (j, weights) = match place {
            Place::At(j) => {
                let node = &self.nodes[j];
                return (node.queue, node.state, node.rate);
            }
            Place::After(j, weights) => (j, weights),
        };
        let [one, other] = [&self.nodes[j], &self.nodes[j + 1]];
        let queue = weights.cubic([one.queue, other.queue], [one.queue_slope, other.queue_slope]);
        let state = if self.held {
            one.state
        } else {
            weights.cubic([one.state, other.state], [one.state_slope, other.state_slope])
        };
        (queue.max(0.0), state, weights.line([one.rate, other.rate]))
    }
}
