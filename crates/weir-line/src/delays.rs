//! Delays on a line, behind the transmitter of a port.
//!
//! ```text
//! uniform       X = max U                        U uniform on [0, 1)
//! normal        X = max(0, mean + sd Z)          Z standard normal
//! correlated    Z' = r Z + sqrt(1 - r^2) E       E standard normal; U = Phi(Z), with 2 sin(pi r / 6) in place of r,
//!                                                which gives U the correlation r
//! grants        a packet leaves with the next grant that is not full
//! ```
//!
//! A packet leaves X after its last bit; unless packets overtake, not before the one before it. No two leave at
//! the same instant: those of one grant are a nanosecond apart. The n-th packet of a direction has the same delay
//! whatever the queue does.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use weir_scenario::{Aggregation, DelayVariation, PortSpec};
use weir_types::{Duration, Instant, Rng};

const APART: Duration = Duration::from_nanos(1);

/// The line behind one port.
#[derive(Debug)]
pub struct Line<P> {
    variation: Option<Variation>,
    grants: Option<Grants>,
    /// When the last packet had waited its delay, and those before it theirs.
    came: Instant,
    /// When the last packet left; packets that are held have not left.
    last: Instant,
    /// The packets on a line where they overtake, by when they leave and their number.
    held: Option<BinaryHeap<Held<P>>>,
    passed: u64,
    /// For how long the packet that came last is on it.
    delayed: Duration,
}

/// A packet on a line where packets overtake; the first to leave is the greatest.
#[derive(Debug)]
struct Held<P> {
    /// When it leaves, and its number.
    rank: Reverse<(Instant, u64)>,
    packet: P,
}

impl<P> PartialEq for Held<P> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl<P> Eq for Held<P> {}

impl<P> PartialOrd for Held<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> Ord for Held<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

/// The result of passing a packet to a line.
#[derive(Debug)]
pub enum Passage<P> {
    /// It leaves at this instant.
    At(P, Instant),
    /// It is held. The line is to be called at this instant, if it is said.
    Held(Option<Instant>),
}

impl<P> Line<P> {
    /// The line behind `port`; `None` if it adds nothing. `rng` gives the stream of a component by its name.
    pub fn new(port: &PortSpec<'_>, rng: impl Fn(&str) -> Rng) -> Option<Self> {
        let (variation, aggregation) = (port.delay_variation, port.aggregation);
        (variation.is_some() || aggregation.is_some()).then(|| Self {
            variation: variation.map(|spec| Variation::new(spec, rng("delay_variation"))),
            grants: aggregation.map(|spec| Grants::new(spec, rng("aggregation"))),
            came: Instant::ZERO,
            last: Instant::ZERO,
            held: variation.is_some_and(|spec| spec.reorder).then(BinaryHeap::new),
            passed: 0,
            delayed: Duration::ZERO,
        })
    }

    /// Returns true if packets overtake on the line.
    pub const fn reorders(&self) -> bool {
        self.held.is_some()
    }

    /// `packet` comes to the line, its last bit at `end`. One that is `lost` takes its draw and its place, no more.
    pub fn pass(&mut self, packet: P, end: Instant, lost: bool) -> Passage<P> {
        let at = self.variation.as_mut().map_or(end, |variation| end + variation.draw());
        let Some(held) = &mut self.held else {
            self.came = at.max(self.came);
            let at = self.grants.as_mut().map_or(self.came, |grants| grants.after(self.came));
            self.last = at.max(self.last + APART);
            self.delayed = self.last.since(end);
            return Passage::At(packet, self.last);
        };
        self.delayed = at.since(end);
        if lost {
            return Passage::Held(None);
        }
        self.passed += 1;
        let is_first = held.peek().is_none_or(|first| at < first.rank.0.0);
        held.push(Held { rank: Reverse((at, self.passed)), packet });
        Passage::Held(is_first.then_some(at))
    }

    /// For how long the packet that came last is on the line.
    pub const fn delayed(&self) -> Duration {
        self.delayed
    }

    /// The packet that leaves at `now` at the latest, and when.
    pub fn release(&mut self, now: Instant) -> Option<(P, Instant)> {
        let held = self.held.as_mut()?;
        if held.peek()?.rank.0.0 > now {
            return None;
        }
        let Held { rank: Reverse((at, _)), packet } = held.pop()?;
        self.last = at.max(self.last + APART);
        Some((packet, self.last))
    }

    /// When to call [`Line::release`] again.
    pub fn due(&self) -> Option<Instant> {
        Some(self.held.as_ref()?.peek()?.rank.0.0)
    }

    /// Packets that are held.
    pub fn held(&self) -> u64 {
        self.held.as_ref().map_or(0, |held| held.len() as u64)
    }
}

/// Random delays, one for each packet.
#[derive(Debug)]
struct Variation {
    of: Distribution,
    /// r of the equation above, and sqrt(1 - r^2); `None` if delays are independent.
    correlation: Option<(f64, f64)>,
    /// The last Z, if there was one.
    last: Option<f64>,
    rng: Rng,
}

#[derive(Clone, Copy, Debug)]
enum Distribution {
    Uniform { max: Duration },
    Normal { mean: f64, sd: f64 },
}

impl Variation {
    fn new(spec: &DelayVariation, rng: Rng) -> Self {
        let of = match (&spec.uniform, &spec.normal) {
            (Some(uniform), _) => Distribution::Uniform { max: uniform.max },
            (None, Some(normal)) => {
                Distribution::Normal { mean: normal.mean.as_nanos() as f64, sd: normal.sd.as_nanos() as f64 }
            }
            (None, None) => unreachable!("a checked scenario gives one"),
        };
        let r = match of {
            Distribution::Uniform { .. } => 2.0 * libm::sin(core::f64::consts::PI * spec.correlation / 6.0),
            Distribution::Normal { .. } => spec.correlation,
        };
        let correlation = (r > 0.0).then(|| (r, (1.0 - r * r).sqrt()));
        Self { of, correlation, last: None, rng }
    }

    fn draw(&mut self) -> Duration {
        match self.of {
            Distribution::Uniform { max } => {
                let u = match self.correlation {
                    None => self.rng.uniform(),
                    Some(_) => 0.5 * libm::erfc(-self.normal() * core::f64::consts::FRAC_1_SQRT_2),
                };
                max.mul_f64(u)
            }
            Distribution::Normal { mean, sd } => {
                Duration::from_nanos((mean + sd * self.normal()).max(0.0).round() as u64)
            }
        }
    }

    /// The next Z.
    fn normal(&mut self) -> f64 {
        let fresh = standard_normal(&mut self.rng);
        let Some((r, rest)) = self.correlation else { return fresh };
        let z = self.last.map_or(fresh, |last| r * last + rest * fresh);
        self.last = Some(z);
        z
    }
}

/// A standard normal number (Box and Muller, 1958).
fn standard_normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - rng.uniform())).sqrt();
    radius * libm::cos(core::f64::consts::TAU * rng.uniform())
}

/// Grants, each of which lets waiting packets go.
#[derive(Debug)]
struct Grants {
    interval: Duration,
    /// Largest time added to the interval at random.
    spread: Duration,
    packets: u32,
    /// The grant in use and the packets it may still let go.
    at: Instant,
    left: u32,
    rng: Rng,
}

impl Grants {
    fn new(spec: &Aggregation, rng: Rng) -> Self {
        Self {
            interval: spec.interval,
            spread: spec.max_interval.map_or(Duration::ZERO, |most| most.saturating_sub(spec.interval)),
            packets: spec.packets.unwrap_or(u32::MAX),
            at: Instant::ZERO,
            left: 0,
            rng,
        }
    }

    /// The first grant for a packet that waits from `from` on.
    fn after(&mut self, from: Instant) -> Instant {
        while self.at < from || self.left == 0 {
            self.left = self.packets;
            self.at = if self.spread.is_zero() {
                let passed = from.since(self.at).as_nanos().div_ceil(self.interval.as_nanos());
                self.at + self.interval * passed.max(1)
            } else {
                self.at + self.interval + self.spread.mul_f64(self.rng.uniform())
            };
        }
        self.left -= 1;
        self.at
    }
}

#[cfg(test)]
mod tests {
    use weir_scenario::{NormalDelay, UniformDelay};
    use weir_types::Streams;

    use super::*;

    const DRAWS: usize = 200_000;

    fn ms_span(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn variation(uniform: Option<u64>, normal: Option<(u64, u64)>, correlation: f64) -> Variation {
        let spec = DelayVariation {
            uniform: uniform.map(|max| UniformDelay { max: ms_span(max) }),
            normal: normal.map(|(mean, sd)| NormalDelay { mean: ms_span(mean), sd: ms_span(sd) }),
            correlation,
            reorder: false,
        };
        Variation::new(&spec, Streams::new(3).at("links.l.delay_variation"))
    }

    /// Mean, standard deviation and correlation of neighbours, in milliseconds.
    fn moments(mut variation: Variation) -> [f64; 3] {
        let x: Vec<f64> = (0..DRAWS).map(|_| variation.draw().as_nanos() as f64 / 1e6).collect();
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
        let products = x.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>();
        [mean, variance.sqrt(), products / x.len() as f64 / variance]
    }

    #[track_caller]
    fn close(found: [f64; 3], expected: [f64; 3], margin: f64) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < margin, "{found}, not {expected}");
        }
    }

    /// A uniform delay has the mean max / 2 and the deviation max / sqrt(12); a normal one its own, where draws below
    /// zero are rare. Correlation leaves both as they are. Margins: five deviations of the estimate with correlation.
    #[test]
    fn delays_have_the_moments_of_their_distribution() {
        let uniform = 4.0 / 12.0_f64.sqrt();
        close(moments(variation(Some(4), None, 0.0)), [2.0, uniform, 0.0], 0.015);
        close(moments(variation(Some(4), None, 0.7)), [2.0, uniform, 0.7], 0.03);
        close(moments(variation(None, Some((10, 2)), 0.5)), [10.0, 2.0, 0.5], 0.045);
    }

    /// max(0, Z) has the mean 1 / sqrt(2 pi).
    #[test]
    fn a_normal_delay_is_never_below_zero() {
        let [mean, ..] = moments(variation(None, Some((0, 1)), 0.0));
        assert!((mean - 1.0 / core::f64::consts::TAU.sqrt()).abs() < 0.007, "{mean}");
    }

    fn grants(interval: u64, max_interval: Option<u64>, packets: Option<u32>) -> Grants {
        let max_interval = max_interval.map(ms_span);
        let spec = Aggregation { interval: ms_span(interval), max_interval, packets };
        Grants::new(&spec, Streams::new(3).at("links.l.aggregation"))
    }

    fn ms(at: f64) -> Instant {
        Instant::from_nanos((at * 1e6) as u64)
    }

    #[test]
    fn packets_leave_with_the_next_grant_that_has_room() {
        let mut four = grants(4, None, Some(2));
        let left = [0.5, 1.0, 3.9, 4.0, 4.1, 30.0].map(|at| four.after(ms(at)));
        assert_eq!(left, [4.0, 4.0, 8.0, 8.0, 12.0, 32.0].map(ms));
    }

    /// Grants U apart on [2, 6] ms come 4 ms apart on average, and a packet waits E U^2 / (2 E U) for the next: 52 /
    /// 3 / 8 ms.
    #[test]
    fn a_packet_waits_for_a_random_grant_as_renewal_theory_says() {
        let mut random = grants(2, Some(6), None);
        let mut rng = Streams::new(5).at("arrivals");
        let (mut now, mut waited) = (0.0, 0.0);
        for _ in 0..DRAWS {
            now += 40.0 * rng.uniform();
            waited += random.after(ms(now)).as_nanos() as f64 / 1e6 - now;
        }
        let mean = waited / DRAWS as f64;
        assert!((mean - 52.0 / 24.0).abs() < 0.02, "{mean}");
    }
}
