//! Users who transfer one thing after the other: closed loops, and web sessions.
//!
//! A session is a state machine with at most one pending event. All its draws come from one stream, in an
//! order that queues cannot change: queues change the instants of transfers, never their sizes.

use weir_types::{Duration, Instant, Rng};

use super::{draw::exponential, finite::NewFlow, sizes::SizeSampler};

/// One user.
#[derive(Debug)]
pub(crate) struct Session {
    /// Index of the group among the groups of finite flows.
    pub(crate) group: u32,
    pub(crate) route: u32,
    pub(crate) stop: Instant,
    pub(crate) rng: Rng,
    pub(crate) packet: u32,
    pub(crate) model: SessionModel,
}

/// The size of a transfer, and the bytes of headers in each packet that it does not include.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfer {
    bytes: u64,
    headers: u32,
}

/// The behaviour of a user.
#[derive(Debug)]
pub(crate) enum SessionModel {
    /// One transfer after the other.
    Loop { sizes: SizeSampler, think: Duration },
    /// Web pages as in ns-2.
    Pages(Pages),
    /// Web pages as in the 3GPP model.
    ThreeGpp(ThreeGppPages),
}

/// Pages of objects, several of which may be under route.
#[derive(Debug)]
pub(crate) struct Pages {
    /// Pages left; `None` without end.
    pub(crate) left: Option<u32>,
    pub(crate) sizes: SizeSampler,
    pub(crate) objects: f64,
    /// The number of objects is exponential and rounded up.
    pub(crate) varies: bool,
    pub(crate) inter_object: Duration,
    pub(crate) inter_page: Duration,
    /// The time between pages counts from the start of a page, not from its end.
    pub(crate) from_start: bool,
    /// Objects of this page not requested yet.
    pub(crate) to_request: u32,
    /// Objects requested and not complete.
    pub(crate) in_transfer: u32,
    pub(crate) began: Instant,
}

/// A main object, then embedded ones.
#[derive(Debug)]
pub(crate) struct ThreeGppPages {
    pub(crate) left: Option<u32>,
    pub(crate) main: SizeSampler,
    pub(crate) embedded: SizeSampler,
    pub(crate) reading: Duration,
    pub(crate) parsing: Duration,
    /// From the request of an object to the start of its sender.
    pub(crate) request: Duration,
    /// Embedded objects not requested yet; `None` before the main object.
    pub(crate) embedded_left: Option<u32>,
    pub(crate) headers: u32,
}

impl Session {
    /// The transfer that begins now, and when the session continues.
    pub(crate) fn step(&mut self, now: Instant) -> (Option<Transfer>, Option<Instant>) {
        let Self { stop, rng, model, .. } = self;
        if now >= *stop {
            return (None, None);
        }
        let transfer = |bytes, headers| Some(Transfer { bytes, headers });
        match model {
            SessionModel::Loop { sizes, .. } => (transfer(sizes.draw(rng), 0), None),
            SessionModel::Pages(pages) => {
                if pages.to_request == 0 {
                    pages.begin(now, rng);
                }
                let bytes = pages.sizes.draw(rng);
                pages.to_request -= 1;
                pages.in_transfer += 1;
                let next = if pages.to_request > 0 {
                    Some(now + exponential(pages.inter_object, rng))
                } else if pages.from_start && pages.left != Some(0) {
                    Some(now.max(pages.began + exponential(pages.inter_page, rng)))
                } else {
                    None
                };
                (transfer(bytes, 0), next)
            }
            SessionModel::ThreeGpp(pages) => {
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
                (transfer(sizes.draw(rng), pages.headers), None)
            }
        }
    }

    /// The flow of a transfer; `index` is that of the session among the generators.
    pub(crate) const fn flow(&self, transfer: Transfer, index: u32) -> NewFlow {
        let Transfer { bytes, headers } = transfer;
        NewFlow {
            group: self.group,
            session: Some(index),
            bytes,
            route: self.route,
            packet: self.packet,
            headers,
            line: None,
        }
    }

    /// A transfer is complete: when the session continues.
    pub(crate) fn arrived(&mut self, now: Instant) -> Option<Instant> {
        let Self { rng, model, .. } = self;
        match model {
            SessionModel::Loop { think, .. } => Some(now + exponential(*think, rng)),
            SessionModel::Pages(pages) => {
                pages.in_transfer -= 1;
                let over = pages.in_transfer == 0 && pages.to_request == 0;
                let next = over && !pages.from_start && pages.left != Some(0);
                next.then(|| now + exponential(pages.inter_page, rng))
            }
            SessionModel::ThreeGpp(pages) => pages.arrived(now, rng),
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
        self.to_request = (objects as u32).max(1);
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

/// Embedded objects of a page: a Pareto number of shape 1.1 between 2 and 55, rounded down, minus 2.
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

    /// The mean of a truncated Pareto number, rounded down: the sum of P(N >= k).
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
