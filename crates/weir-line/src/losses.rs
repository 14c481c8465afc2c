//! Losses on a line, outside of the queue.
//!
//! ```text
//! Bernoulli, per bit    P(lost) = 1 - (1 - p)^(8 bytes)
//! Gilbert-Elliott       the link is good or bad; each step, a packet or a bit, is lost with the
//!                       probability of that state, and then the state may change
//! Periodic              packets n, 2 n, 3 n, ... are lost
//! ```
//!
//! E. N. Gilbert: *Capacity of a burst-noise channel*, Bell System Technical Journal 39 (5), 1960;
//! E. O. Elliott: *Estimates of error rates for codes on burst-noise channels*, 42 (5), 1963.
//!
//! Losses are drawn packet by packet, in their order. The fate of the n-th packet of a direction depends on
//! its number, not on time or on queues.

use weir_scenario::{ChainStep, GilbertElliott, Loss};
use weir_types::Rng;

/// The losses on the line of one port.
#[derive(Debug)]
pub struct Losses {
    model: Model,
    rng: Rng,
    /// Packets are lost before the queue, not behind the transmitter.
    before_queue: bool,
}

impl Losses {
    /// The losses of this model.
    pub fn new(loss: &Loss, rng: Rng) -> Self {
        Self { model: Model::new(loss), rng, before_queue: loss.before_queue() }
    }

    /// Returns true if the next packet, of so many bytes, is lost before the queue.
    pub fn before(&mut self, bytes: u32) -> bool {
        self.before_queue && self.model.loses(bytes, &mut self.rng)
    }

    /// Returns true if the next packet, of so many bytes, is lost behind the transmitter.
    pub fn behind(&mut self, bytes: u32) -> bool {
        !self.before_queue && self.model.loses(bytes, &mut self.rng)
    }
}

/// A loss model and its state.
#[derive(Debug)]
enum Model {
    PerPacket(f64),
    PerBit {
        /// ln(1 - p).
        keeps: f64,
        /// The last size and its probability: sizes repeat.
        known: (u32, f64),
    },
    Chain(Chain),
    Periodic {
        every: u32,
        /// Packets since the last loss.
        passed: u32,
    },
}

impl Model {
    fn new(loss: &Loss) -> Self {
        match loss {
            Loss::Bernoulli(loss) => match (loss.per_packet, loss.per_bit) {
                (None, Some(p)) => Self::PerBit { keeps: libm::log1p(-p.get()), known: (0, 0.0) },
                (p, _) => Self::PerPacket(p.map_or(0.0, weir_types::Probability::get)),
            },
            Loss::GilbertElliott(loss) => Self::Chain(Chain::new(loss)),
            Loss::Periodic(loss) => Self::Periodic { every: loss.every, passed: 0 },
        }
    }

    fn loses(&mut self, bytes: u32, rng: &mut Rng) -> bool {
        match self {
            Self::PerPacket(p) => rng.chance(*p),
            Self::PerBit { keeps, known } => {
                if known.0 != bytes {
                    *known = (bytes, -libm::expm1(*keeps * bits(bytes)));
                }
                rng.chance(known.1)
            }
            Self::Chain(chain) => chain.loses(bytes, rng),
            Self::Periodic { every, passed } => {
                *passed = (*passed + 1) % *every;
                *passed == 0
            }
        }
    }
}

/// A link that is good or bad. It begins good.
#[derive(Debug)]
struct Chain {
    per_bit: bool,
    bad: bool,
    /// For the good and the bad state: the probability of leaving it after a step, and that of a loss.
    leaves: [f64; 2],
    loses: [f64; 2],
    /// Steps until the state changes; drawn when none are left.
    steps: f64,
}

impl Chain {
    fn new(loss: &GilbertElliott) -> Self {
        Self {
            per_bit: loss.step == ChainStep::Bit,
            bad: false,
            leaves: [loss.to_bad.get(), loss.to_good.get()],
            loses: [loss.loss_good.get(), loss.loss_bad.get()],
            steps: 0.0,
        }
    }

    fn loses(&mut self, bytes: u32, rng: &mut Rng) -> bool {
        let mut left = if self.per_bit { bits(bytes) } else { 1.0 };
        // Logarithm of the probability that nothing is lost.
        let mut keeps = 0.0;
        loop {
            let state = usize::from(self.bad);
            if self.steps <= 0.0 {
                self.steps = geometric(self.leaves[state], rng);
            }
            let steps = left.min(self.steps);
            if self.loses[state] > 0.0 {
                keeps += steps * libm::log1p(-self.loses[state]);
            }
            left -= steps;
            self.steps -= steps;
            if self.steps <= 0.0 {
                self.bad = !self.bad;
            }
            if left <= 0.0 {
                return rng.chance(-libm::expm1(keeps));
            }
        }
    }
}

/// A geometric number of steps with probability `p`: at least 1, infinite for 0.
fn geometric(p: f64, rng: &mut Rng) -> f64 {
    let u = rng.uniform();
    if p <= 0.0 {
        f64::INFINITY
    } else if p >= 1.0 {
        1.0
    } else {
        (libm::log1p(-u) / libm::log1p(-p)).floor() + 1.0
    }
}

fn bits(bytes: u32) -> f64 {
    f64::from(bytes) * 8.0
}

#[cfg(test)]
mod tests {
    use weir_types::{Probability, Streams};

    use super::*;

    const PACKETS: usize = 1_000_000;

    /// Which packets of so many bytes are lost.
    fn fates(loss: &GilbertElliott, bytes: u32) -> Vec<bool> {
        let mut model = Model::new(&Loss::GilbertElliott(loss.clone()));
        let mut rng = Streams::new(1).at("links.l.loss");
        (0..PACKETS).map(|_| model.loses(bytes, &mut rng)).collect()
    }

    fn chain(to_bad: f64, to_good: f64, loss_good: f64, loss_bad: f64, step: ChainStep) -> GilbertElliott {
        let p = |value| Probability::new(value).unwrap();
        GilbertElliott {
            to_bad: p(to_bad),
            to_good: p(to_good),
            loss_good: p(loss_good),
            loss_bad: p(loss_bad),
            step,
            before_queue: false,
        }
    }

    fn share(fates: &[bool]) -> f64 {
        fates.iter().filter(|lost| **lost).count() as f64 / fates.len() as f64
    }

    /// In the steady state a share s = p / (p + r) of the steps is bad. The autocorrelation of the chain is
    /// 1 - p - r. A share of n steps then has the variance s (1 - s) / n (2 - p - r) / (p + r). The bound
    /// is five standard deviations.
    #[test]
    fn the_steady_state_of_a_chain() {
        for (p, r, good, bad) in [(0.01, 0.25, 0.0, 1.0), (0.002, 0.05, 0.001, 0.4), (0.3, 0.7, 0.1, 0.9)] {
            let found = share(&fates(&chain(p, r, good, bad, ChainStep::Packet), 1000));
            let s: f64 = p / (p + r);
            let expected = (1.0 - s) * good + s * bad;
            let of_state = (bad - good).powi(2) * s * (1.0 - s) * (2.0 - p - r) / (p + r);
            let of_packets = expected * (1.0 - expected);
            let deviation = ((of_state + of_packets) / PACKETS as f64).sqrt();
            assert!((found - expected).abs() < 5.0 * deviation, "{found}, not {expected}");
        }
    }

    /// If all packets are lost in the bad state and none in the good one, a burst is a bad period: geometric, 1 / r on
    /// average, with a standard deviation of sqrt(1 - r) / r.
    #[test]
    fn bursts_are_as_long_as_bad_times() {
        let (p, r) = (0.01, 0.2_f64);
        let fates = fates(&chain(p, r, 0.0, 1.0, ChainStep::Packet), 1000);
        let bursts: Vec<usize> =
            fates.chunk_by(|a, b| a == b).filter(|run| run[0]).map(<[bool]>::len).collect();
        let mean = bursts.iter().sum::<usize>() as f64 / bursts.len() as f64;
        let deviation = (1.0 - r).sqrt() / r / (bursts.len() as f64).sqrt();
        assert!((mean - 1.0 / r).abs() < 5.0 * deviation, "{mean}");
        let single = bursts.iter().filter(|burst| **burst == 1).count() as f64 / bursts.len() as f64;
        let deviation = (r * (1.0 - r) / bursts.len() as f64).sqrt();
        assert!((single - r).abs() < 5.0 * deviation, "{single} of bursts are single losses");
    }

    /// A link that is never bad, with bits as steps, loses like Bernoulli: 1 - (1 - p)^n.
    #[test]
    fn bits_add_up_to_packets() {
        let expected = 1.0 - (1.0_f64 - 1e-5).powi(8 * 1500);
        let deviation = (expected * (1.0 - expected) / PACKETS as f64).sqrt();
        let chain = share(&fates(&chain(0.0, 0.5, 1e-5, 1.0, ChainStep::Bit), 1500));
        assert!((chain - expected).abs() < 5.0 * deviation, "{chain}, not {expected}");
    }

    /// A single bad bit loses the packet here, and bad times are rare and short. A packet is lost by a bad
    /// time that begins in it, or that begins before and lasts into it. With n bits the loss is
    /// 1 - (1 - s) (1 - p)^(n - 1), since all n bits must be good.
    #[test]
    fn a_chain_of_bits_loses_packets() {
        let (p, r) = (1e-5, 0.01);
        let bits = 8 * 1000;
        let s = p / (p + r);
        let expected = 1.0 - (1.0 - s) * (1.0_f64 - p).powi(bits - 1);
        // Bad times last a hundred bits, so that packets are nearly independent: a tenth for what they
        // are not.
        let deviation = 1.1 * (expected * (1.0 - expected) / PACKETS as f64).sqrt();
        let found = share(&fates(&chain(p, r, 0.0, 1.0, ChainStep::Bit), 1000));
        assert!((found - expected).abs() < 5.0 * deviation, "{found}, not {expected}");
    }
}
