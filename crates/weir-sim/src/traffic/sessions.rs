//! Users who transfer one thing after the other: loops, and web sessions.
//!
//! A session is a state machine with one entry in the calendar at most. All its draws come from one
//! stream, in an order that queues cannot change: they decide when, never what.

use weir_types::{Duration, Instant, Rng};

use super::{Order, SizeLaw, exponential};

/// One user.
#[derive(Debug)]
pub(crate) struct Session {
    /// The group.
    pub(crate) coming: u32,
    pub(crate) way: u32,
    pub(crate) stop: Instant,
    pub(crate) rng: Rng,
    pub(crate) packet: u32,
    pub(crate) kind: Kind,
}

/// What a user does.
#[derive(Debug)]
pub(crate) enum Kind {
    /// One transfer after the other.
    Loop { sizes: SizeLaw, think: Duration },
    /// Pages as ns-2 has them.
    Pages(Pages),
    /// Pages as 3GPP has them.
    ThreeGpp(ThreeGppPages),
}

/// Pages of objects, several of which may be under way.
#[derive(Debug)]
pub(crate) struct Pages {
    /// Pages still to come; `None` without end.
    pub(crate) left: Option<u32>,
    pub(crate) sizes: SizeLaw,
    pub(crate) objects: f64,
    /// The number of objects is exponential, rounded up.
    pub(crate) varies: bool,
    pub(crate) inter_object: Duration,
    pub(crate) inter_page: Duration,
    /// The time between pages begins when the page does.
    pub(crate) from_start: bool,
    /// Objects of this page that have not been asked for.
    pub(crate) to_ask: u32,
    /// Objects that have been asked for and have not arrived.
    pub(crate) under_way: u32,
    pub(crate) began: Instant,
}

/// A main object, then embedded ones.
#[derive(Debug)]
pub(crate) struct ThreeGppPages {
    pub(crate) left: Option<u32>,
    pub(crate) main: SizeLaw,
    pub(crate) embedded: SizeLaw,
    pub(crate) reading: Duration,
    pub(crate) parsing: Duration,
    /// From asking for an object to its sender's beginning.
    pub(crate) request: Duration,
    /// Embedded objects still to be asked for; `None` before the main object.
    pub(crate) embedded_left: Option<u32>,
    pub(crate) headers: u32,
}

impl Session {
    /// The session's turn: what it asks for now, and when it is its turn again.
    pub(crate) fn step(&mut self, now: Instant) -> (Option<Order>, Option<Instant>) {
        let Self { way, stop, rng, packet, kind, .. } = self;
        if now >= *stop {
            return (None, None);
        }
        let order = |bytes, headers| Some(Order { bytes, way: *way, packet: *packet, headers });
        match kind {
            Kind::Loop { sizes, .. } => (order(sizes.draw(rng), 0), None),
            Kind::Pages(pages) => {
                if pages.to_ask == 0 {
                    pages.begin(now, rng);
                }
                let bytes = pages.sizes.draw(rng);
                pages.to_ask -= 1;
                pages.under_way += 1;
                let next = if pages.to_ask > 0 {
                    Some(now + exponential(pages.inter_object, rng))
                } else if pages.from_start && pages.left != Some(0) {
                    Some(now.max(pages.began + exponential(pages.inter_page, rng)))
                } else {
                    None
                };
                (order(bytes, 0), next)
            }
            Kind::ThreeGpp(pages) => {
                let sizes = match &mut pages.embedded_left {
                    None => {
                        pages.left = pages.left.map(|left| left - 1);
                        &pages.main
                    }
                    Some(left) => {
                        *left -= 1;
                        &pages.embedded
                    }
                };
                (order(sizes.draw(rng), pages.headers), None)
            }
        }
    }

    /// Something asked for has arrived: when it is the session's turn again.
    pub(crate) fn arrived(&mut self, now: Instant) -> Option<Instant> {
        let Self { rng, kind, .. } = self;
        match kind {
            Kind::Loop { think, .. } => Some(now + exponential(*think, rng)),
            Kind::Pages(pages) => {
                pages.under_way -= 1;
                let over = pages.under_way == 0 && pages.to_ask == 0;
                let next = over && !pages.from_start && pages.left != Some(0);
                next.then(|| now + exponential(pages.inter_page, rng))
            }
            Kind::ThreeGpp(pages) => pages.arrived(now, rng),
        }
    }
}

impl Pages {
    fn begin(&mut self, now: Instant, rng: &mut Rng) {
        self.left = self.left.map(|left| left - 1);
        self.began = now;
        let objects = if self.varies {
            (-self.objects * libm::log(1.0 - rng.uniform())).ceil()
        } else {
            self.objects.round()
        };
        self.to_ask = (objects as u32).max(1);
    }
}

impl ThreeGppPages {
    fn arrived(&mut self, now: Instant, rng: &mut Rng) -> Option<Instant> {
        match self.embedded_left {
            None => {
                let embedded = embedded_objects(rng);
                if embedded > 0 {
                    self.embedded_left = Some(embedded);
                    return Some(now + exponential(self.parsing, rng) + self.request);
                }
            }
            Some(left) if left > 0 => return Some(now + self.request),
            Some(_) => self.embedded_left = None,
        }
        (self.left != Some(0)).then(|| now + exponential(self.reading, rng) + self.request)
    }
}

/// Embedded objects of a page: a Pareto number of shape 1.1 from 2 to 55, without its fraction, less 2.
fn embedded_objects(rng: &mut Rng) -> u32 {
    const SHAPE: f64 = 1.1;
    let below = 1.0 - libm::pow(2.0 / 55.0, SHAPE);
    let number = 2.0 * libm::pow(1.0 - below * rng.uniform(), -1.0 / SHAPE);
    (number as u32).clamp(2, 54) - 2
}

#[cfg(test)]
mod tests {
    use weir_types::Streams;

    use super::*;

    /// The mean of a truncated Pareto number without its fraction: the sum of P(N >= k).
    #[test]
    fn embedded_objects_are_as_many_as_the_model_says() {
        let mut rng = Streams::new(1).at("session");
        let draws: Vec<_> = (0..200_000).map(|_| f64::from(embedded_objects(&mut rng))).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let deviation = (draws.iter().map(|draw| (draw - mean) * (draw - mean)).sum::<f64>() / n).sqrt();
        let beyond = |k: f64| {
            let tail = |x: f64| libm::pow(2.0 / x, 1.1);
            (tail(k) - tail(55.0)) / (1.0 - tail(55.0))
        };
        let expected: f64 = (3..55).map(|k| beyond(f64::from(k))).sum();
        assert!((mean - expected).abs() < 4.0 * deviation / n.sqrt(), "{mean} drawn, {expected} expected");
    }
}
