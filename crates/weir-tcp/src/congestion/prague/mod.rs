//! Prague: a scalable congestion control for the low-latency queue of L4S.
//!
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel: *Prague Congestion Control*,
//! draft-briscoe-iccrg-prague-congestion-control-04; constants of Linux's `tcp_prague` 0.7.
//!
//! ```text
//! V = max(RTT, T)                              T: the round trip that all flows behave as if they had
//! every V       alpha += g (F - alpha)         F = marked / delivered; not before the first mark
//! n unmarked    cwnd += n min(RTT / T, 1)^2 / cwnd
//! a mark        cwnd -= alpha cwnd / 2         at most once a round trip and once in T; growth goes on
//! the first mark if alpha is 0, a loss         cwnd /= 2
//! rate          max(floor(cwnd), flight) mtu / RTT;  twice that below ssthresh / 2
//! ```
//!
//! `cwnd` is a fraction; the window that counts moves towards it, rounded up, by one segment per ACK. The step down
//! ends slow start. Until `transition` rounds after slow start the round trip of each flow is its own.
//!
//! **Few packets per round.** With no more than `rate_mode_below` segments the state is the rate:
//!
//! ```text
//! n unmarked    rate += n MTU / V / ceil(rate V / mtu)
//! a mark        rate -= alpha rate / 2
//! every ACK     cwnd = rate hRTT / mtu         hRTT: RTT smoothed over 128 rounds
//! pacing        rate (1 + 1/32) in the first half of V after an update of alpha, rate (1 - 1/32) in the second
//! every V       mtu = rate V / 2               between 150 bytes of data and MTU, the size of a full segment
//! ```
//!
//! So below two full segments in V they become smaller. With a window of more segments the same is
//! `mtu = cwnd mtu max(1, T / RTT) / 2`, and a window grows by `MTU / mtu` segments where it would by one.
//!
//! Random marks with probability p lead to a rate of `2 (1/p - 1) mtu / V` of one flow. A step marks packets in
//! clusters, so that the rate is higher at the same p.
//!
//! As in Linux: the first ACK that reports a mark and an unmarked packet undoes its own halving. Linux paces by
//! payload and calculates the rate of whole packets, so it paces 3.6% above `cwnd / RTT`. Without that the window
//! would not limit the flow, and would not grow. Segments of a transfer with an end keep their size.
//!
//! Without accurate feedback ([`crate::accecn`]) it declares no segment ECN-capable and is Reno (the draft, section
//! 2.4.1).

mod parameters;
mod sizes;

use weir_types::{Duration, Instant};

pub use self::parameters::PragueParameters;
use self::sizes::Sizes;
use super::{Ack, Congestion, Delivery, Facts, Marks, Pace, RecoveryState, Reno, Repair, Signal, Window};
use crate::accecn::EcnMode;

/// Least window, in segments.
const LEAST_WINDOW: f64 = 2.0;
/// Least rate: 100 kbit/s, in bytes per second.
const LEAST_RATE: f64 = 12_500.0;
/// The rate swings by this, with few packets per round.
const SWING: f64 = 4.0 / 128.0;
/// In which Linux counts fractions of the window: less does not make another whole segment.
const UNIT: f64 = 1.0 / 1_048_576.0;
/// Weight of a round trip in `hRTT`.
const SLOW: f64 = 1.0 / 128.0;
/// Round trips from here on are no shorter than all flows are to have, whatever `target_rtt`.
const LONGEST_SCALED: f64 = 0.1;

/// Latest reduction of the window by marks.
#[derive(Clone, Copy, Debug, Default)]
struct Reduced {
    /// Marks of ACKs below this number belong to the reduction that was made: Linux's state CWR.
    until: u32,
    /// When the window was last reduced.
    at: Option<Instant>,
}

/// The state of Prague.
#[derive(Clone, Debug)]
pub struct Prague {
    parameters: PragueParameters,
    /// `cwnd`, a fraction of segments of their present size.
    cwnd: f64,
    /// Full segments per second.
    rate: f64,
    sizes: Sizes,
    /// The state is `rate`.
    by_rate: bool,
    alpha: f64,
    /// When alpha was last updated.
    updated: Instant,
    /// `hRTT` in seconds; 0 before the first round.
    slow_rtt: f64,
    /// The smoothed round trip in seconds; 0 before the first.
    rtt: f64,
    /// Rounds since slow start ended.
    rounds: u32,
    /// The round ends with the ACK of all below this number.
    round_end: u32,
    /// Segments of this round: delivered, and of these marked.
    delivered: u32,
    marked: u32,
    /// A mark has been seen.
    saw_mark: bool,
    reduced: Reduced,
    /// A loss is being repaired: the window does not grow.
    in_loss: bool,
    pacing: f64,
    /// There is no accurate feedback.
    fallback: Option<Reno>,
}

impl Prague {
    /// Prague with these parameters.
    pub fn new(parameters: &PragueParameters) -> Self {
        Self {
            parameters: *parameters,
            cwnd: 0.0,
            rate: 0.0,
            sizes: Sizes { full: 1500, now: 1500, header: 52 },
            by_rate: false,
            alpha: parameters.initial_alpha.get(),
            updated: Instant::ZERO,
            slow_rtt: 0.0,
            rtt: 0.0,
            rounds: 0,
            round_end: 0,
            delivered: 0,
            marked: 0,
            saw_mark: false,
            reduced: Reduced::default(),
            in_loss: false,
            pacing: 0.0,
            fallback: None,
        }
    }

    /// `T` in seconds.
    fn target(&self) -> f64 {
        self.parameters.target_rtt.as_secs_f64()
    }

    /// Returns true if `T` counts.
    fn is_independent(&self, window: &Window) -> bool {
        window.cwnd >= window.ssthresh && self.rounds >= self.parameters.transition
    }

    /// Returns true if less than `T` has passed since `then`, if `T` counts.
    fn is_early(&self, then: Instant, now: Instant, window: &Window) -> bool {
        self.is_independent(window) && now.since(then) < self.parameters.target_rtt
    }

    /// The window in whole segments.
    fn whole(&self) -> f64 {
        libm::ceil(self.cwnd - UNIT).max(LEAST_WINDOW)
    }

    /// Returns true if the state is the rate, and counts as such: the first rounds are those of a window.
    fn is_rate(&self, window: &Window) -> bool {
        self.by_rate && self.is_independent(window)
    }

    /// Full segments per second that are never undercut.
    fn least_rate(&self) -> f64 {
        LEAST_RATE / f64::from(self.sizes.full)
    }

    /// Multiplies what counts.
    fn scale(&mut self, kept: f64, window: &Window) {
        if self.is_rate(window) {
            self.rate = (self.rate * kept).max(self.least_rate());
            self.follow_rate();
        } else {
            self.cwnd *= kept;
            self.follow_window();
        }
    }

    /// The window follows the rate.
    fn follow_rate(&mut self) {
        self.cwnd = self.rate * self.slow_rtt / self.sizes.share();
    }

    /// The rate follows the window.
    fn follow_window(&mut self) {
        self.rate = (self.cwnd * self.sizes.share() / self.rtt).max(self.least_rate());
    }

    /// The first mark of a window of data: alpha is that of the rounds before.
    fn reduce(&mut self, ack: &Ack, window: &Window) -> bool {
        self.reduced.until = ack.high;
        if self.reduced.at.is_some_and(|at| self.is_early(at, ack.now, window)) {
            return false;
        }
        self.reduced.at = Some(ack.now);
        self.scale(1.0 - self.alpha / 2.0, window);
        true
    }

    /// The round trip is known, and so is the first window.
    fn begin(&mut self, smoothed: Duration, high: u32, window: &Window) {
        self.rtt = smoothed.as_secs_f64();
        if self.cwnd <= 0.0 {
            (self.cwnd, self.slow_rtt) = (window.cwnd, self.rtt);
            self.round_end = high;
        }
    }

    /// `unmarked` segments let the window grow.
    fn grow(&mut self, unmarked: f64, window: &mut Window) {
        let mut unmarked = unmarked;
        if window.cwnd < window.ssthresh {
            let grown = unmarked.min(window.ssthresh - window.cwnd);
            window.cwnd += grown;
            self.cwnd = window.cwnd;
            unmarked -= grown;
            if unmarked <= 0.0 {
                return;
            }
        }
        let full = unmarked / self.sizes.share();
        if self.is_rate(window) {
            let v = self.rtt.max(self.target());
            self.rate += unmarked / v / libm::ceil(self.rate * v / self.sizes.share());
            self.cwnd = self.cwnd.max(self.rate * self.slow_rtt / self.sizes.share());
        } else {
            self.cwnd += full * self.share() / self.cwnd;
        }
    }

    /// By how much less than a segment per round the window grows.
    fn share(&self) -> f64 {
        let ratio = self.rtt / self.target();
        if self.rounds < self.parameters.transition || ratio >= 1.0 || self.rtt > LONGEST_SCALED {
            1.0
        } else {
            ratio * ratio
        }
    }

    /// The window moves by a segment towards what it is to be.
    fn adjust(&self, window: &mut Window) {
        let target = self.whole();
        if window.cwnd > target {
            window.cwnd -= 1.0;
            window.ssthresh = window.cwnd;
        } else if window.cwnd < target {
            window.cwnd += 1.0;
        }
    }

    /// Sizes segments so that two fit into `V`.
    fn resize(&mut self, window: &mut Window) {
        let in_v = if self.is_rate(window) {
            self.rate * self.rtt.max(self.target()) * f64::from(self.sizes.full)
        } else {
            self.cwnd * (self.target() / self.rtt).max(1.0) * f64::from(self.sizes.now)
        };
        let Some(more) = self.sizes.fit(in_v) else { return };
        self.cwnd *= more;
        let cwnd = self.whole();
        if cwnd.total_cmp(&window.cwnd).is_ne() {
            window.cwnd = cwnd;
            window.ssthresh = libm::floor(window.ssthresh * more);
        }
    }

    /// A round is over.
    fn end_round(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.saw_mark {
            if self.delivered > 0 {
                let fraction = f64::from(self.marked) / f64::from(self.delivered);
                self.alpha = (self.alpha + self.parameters.gain * (fraction - self.alpha)).min(1.0);
            }
            self.updated = delivery.now;
            if self.is_independent(window) && !self.in_loss {
                self.resize(window);
            }
        }
        self.slow_rtt += SLOW * (self.rtt - self.slow_rtt);
        (self.delivered, self.marked) = (0, 0);
        self.round_end = delivery.high;
        self.rounds += u32::from(window.cwnd >= window.ssthresh);
    }

    /// Sets the rate at which segments may leave.
    fn update_pacing_rate(&mut self, delivery: &Delivery, window: &Window) {
        let rate = if self.is_rate(window) {
            let v = self.rtt.max(self.target());
            let early = delivery.now.since(self.updated).as_secs_f64() < v / 2.0;
            self.rate * if early { 1.0 + SWING } else { 1.0 - SWING }
        } else {
            let segments = libm::floor(self.cwnd + UNIT).max(f64::from(delivery.flight));
            self.rate = (segments * self.sizes.share() / self.rtt).max(self.least_rate());
            self.rate
        };
        let doubled = if window.cwnd < window.ssthresh / 2.0 { 2.0 * rate } else { rate };
        // The rate is of whole segments; Linux paces their payload.
        self.pacing = doubled * f64::from(self.sizes.full) / f64::from(self.sizes.now - self.sizes.header);
    }
}

impl Congestion for Prague {
    const FACTS: Facts =
        Facts { marks: Marks::Counted, scalable: true, kernel_name: Some("prague"), ..Facts::PLAIN };

    fn on_ecn(&mut self, mode: EcnMode) {
        let accurate = mode == EcnMode::Accurate;
        self.fallback = (!accurate).then(|| Reno::new(&self.parameters.reno));
    }

    fn pace(&self) -> Pace {
        if self.fallback.is_some() || self.pacing <= 0.0 {
            return Pace::default();
        }
        Pace { rate: Some(self.pacing), bytes: Some(self.sizes.now), ..Pace::default() }
    }

    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        if ack.marked == 0 || self.fallback.is_some() || self.in_loss || ack.una <= self.reduced.until {
            return false;
        }
        self.begin(ack.smoothed, ack.high, window);
        self.reduce(&ack, window)
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.fallback.is_some() {
            return;
        }
        if self.pacing <= 0.0 {
            let Delivery { bytes, payload, .. } = *delivery;
            self.sizes = Sizes { full: bytes, now: bytes, header: bytes - payload };
        }
        self.begin(delivery.smoothed, delivery.high, window);
        self.delivered += delivery.newly;
        self.marked += delivery.marked;
        self.in_loss &= delivery.state != RecoveryState::Open;
        if delivery.marked > 0 && !self.saw_mark {
            self.saw_mark = true;
            if self.parameters.initial_alpha.get() <= 0.0 {
                self.cwnd /= 2.0;
            }
        }
        if delivery.newly > delivery.marked && !self.in_loss && delivery.limited {
            self.grow(f64::from(delivery.newly - delivery.marked), window);
        }
        self.adjust(window);
        if delivery.una >= self.round_end && !self.is_early(self.updated, delivery.now, window) {
            self.end_round(delivery, window);
        }
        self.update_pacing_rate(delivery, window);
        let few = window.cwnd * self.sizes.share() <= self.parameters.rate_mode_below.0;
        self.by_rate = self.saw_mark && few;
        if self.by_rate {
            self.follow_rate();
        } else {
            self.follow_window();
        }
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        if let Some(reno) = &mut self.fallback {
            reno.on_ack(ack, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        if let Some(reno) = &mut self.fallback {
            return reno.on_loss(signal, window);
        }
        self.in_loss = true;
        self.scale(0.5, window);
        Repair::Uncut
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        if let Some(reno) = &mut self.fallback {
            reno.on_mark(signal, window);
        }
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        if let Some(reno) = &mut self.fallback {
            return reno.on_timeout(signal, window);
        }
        if !self.in_loss {
            self.scale(0.5, window);
        }
        self.in_loss = true;
        window.cwnd = 1.0;
    }

    fn answers_marks(&self) -> bool {
        self.fallback.is_some()
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("frac_cwnd", self.cwnd);
        record("rate", self.rate);
    }
}
