//! Rules of Prague. Functions have the names of Linux's `tcp_prague` 0.7, without `prague_`.

use weir_types::{Duration, Instant};

use super::{PragueParameters, sizes::Sizes};
use crate::congestion::{Ack, Delivery, Pace, RecoveryState, Window};

/// Least window, in segments (`MIN_CWND_RTT`).
const LEAST_WINDOW: f64 = 2.0;
/// Least rate: 100 kbit/s, in bytes per second (`MINIMUM_RATE`).
const LEAST_RATE: f64 = 12_500.0;
/// The rate swings by this, with few packets per round (`RATE_OFFSET`).
const SWING: f64 = 4.0 / 128.0;
/// Unit in which Linux counts fractions of the window: less does not make another whole segment (`ONE_CWND`).
const UNIT: f64 = 1.0 / 1_048_576.0;
/// Weight of a round trip in `hRTT` (`HSRTT_SHIFT`).
const SLOW: f64 = 1.0 / 128.0;
/// Round trips above this do not scale the growth, whatever `target_rtt`; in seconds (`MAX_SCALED_RTT`).
const LONGEST_SCALED: f64 = 0.1;
/// Least rate in full segments per second, before the first delivery tells their size.
pub(super) const LEAST_RATE_OF_ETHERNET: f64 = LEAST_RATE / Sizes::ETHERNET.full as f64;

/// Quantity that marks and ACKs change: Linux's `cwnd_mode`. The other one follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CwndMode {
    /// The window.
    Window,
    /// The rate: there are few packets per round.
    Rate,
}

/// Latest reduction by marks: Linux's state CWR.
#[derive(Clone, Copy, Debug)]
struct Cwr {
    /// Marks of ACKs up to this number belong to it.
    until: u32,
    /// When it was made.
    stamp: Instant,
}

/// A connection on which something is acknowledged.
#[derive(Clone, Debug)]
pub(super) struct Running {
    parameters: PragueParameters,
    /// `T`, in seconds.
    target_rtt: f64,
    /// `cwnd`, in segments of their present size, with a fraction.
    frac_cwnd: f64,
    /// Full segments per second.
    rate: f64,
    /// Quantity that counts.
    cwnd_mode: CwndMode,
    /// Bytes of a segment.
    sizes: Sizes,
    /// Smoothed fraction of marked segments, from 0 to 1.
    alpha: f64,
    /// When alpha was last updated; before that the zero of the clock, where Linux has the connection's beginning.
    alpha_stamp: Instant,
    /// A mark has been seen: some AQM on the path marks.
    saw_ce: bool,
    /// `None` before the first mark.
    cwr: Option<Cwr>,
    /// A loss is being repaired: the window does not grow.
    in_loss: bool,
    /// Smoothed round trip, in seconds.
    srtt: f64,
    /// `hRTT`, in seconds.
    hsrtt: f64,
    /// Rounds since slow start ended.
    round: u32,
    /// The round ends with the ACK of all below this number.
    next_seq: u32,
    /// Segments delivered in this round.
    delivered: u32,
    /// Segments among them that arrived marked.
    delivered_ce: u32,
    /// Rate of pacing, in segments per second; `None` before the first delivery.
    pacing: Option<f64>,
}

impl Running {
    /// The first window is that of the sender, the first round trip that of the first ACK.
    pub(super) fn new(
        parameters: &PragueParameters,
        smoothed: Duration,
        high: u32,
        window: &Window,
        in_loss: bool,
    ) -> Self {
        let srtt = smoothed.as_secs_f64();
        Self {
            parameters: *parameters,
            target_rtt: parameters.target_rtt.as_secs_f64(),
            frac_cwnd: window.cwnd,
            rate: 0.0,
            cwnd_mode: CwndMode::Window,
            sizes: Sizes::ETHERNET,
            alpha: parameters.initial_alpha.get(),
            alpha_stamp: Instant::ZERO,
            saw_ce: false,
            cwr: None,
            in_loss,
            srtt,
            hsrtt: srtt,
            round: 0,
            next_seq: high,
            delivered: 0,
            delivered_ce: 0,
            pacing: None,
        }
    }

    /// Returns true while a loss is being repaired.
    pub(super) fn in_loss(&self) -> bool {
        self.in_loss
    }

    /// A mark is answered by the first ACK that reports one in a window of data. Returns true if it reduces.
    #[inline]
    pub(super) fn on_mark(&mut self, ack: &Ack, window: &Window) -> bool {
        // Numbers begin at 0, and so does the first window of data.
        if self.in_loss || ack.una <= self.cwr.map_or(0, |cwr| cwr.until) {
            return false;
        }
        self.srtt = ack.smoothed.as_secs_f64();
        self.enter_cwr(ack, window)
    }

    /// `V` in seconds.
    fn virtual_rtt(&self) -> f64 {
        self.srtt.max(self.target_rtt)
    }

    /// Returns true if `T` counts.
    fn is_rtt_indep(&self, window: &Window) -> bool {
        window.cwnd >= window.ssthresh && self.round >= self.parameters.transition
    }

    /// Returns true if less than `T` has passed since `then`, if `T` counts.
    fn is_early(&self, then: Instant, now: Instant, window: &Window) -> bool {
        self.is_rtt_indep(window) && now.since(then) < self.parameters.target_rtt
    }

    /// Returns true if the rate is what changes: the first rounds are those of a window.
    fn is_rate(&self, window: &Window) -> bool {
        self.cwnd_mode == CwndMode::Rate && self.is_rtt_indep(window)
    }

    /// Full segments per second that are never undercut.
    fn least_rate(&self) -> f64 {
        LEAST_RATE / f64::from(self.sizes.full)
    }

    /// The window in whole segments.
    fn frac_cwnd_to_snd_cwnd(&self) -> f64 {
        libm::ceil(self.frac_cwnd - UNIT).max(LEAST_WINDOW)
    }

    /// The window that follows the rate: `rate hRTT / mtu`.
    fn pacing_rate_to_frac_cwnd(&self) -> f64 {
        self.rate * self.hsrtt / self.sizes.of_full()
    }

    /// The rate that follows the window: `cwnd mtu / RTT`.
    fn frac_cwnd_to_pacing_rate(&self) -> f64 {
        (self.frac_cwnd * self.sizes.of_full() / self.srtt).max(self.least_rate())
    }

    /// Reduces the rate or the window, whichever `cwnd_mode` names, to this part. The other one follows.
    fn reduce(&mut self, kept: f64, window: &Window) {
        if self.is_rate(window) {
            self.rate = (self.rate * kept).max(self.least_rate());
            self.frac_cwnd = self.pacing_rate_to_frac_cwnd();
        } else {
            self.frac_cwnd *= kept;
            self.rate = self.frac_cwnd_to_pacing_rate();
        }
    }

    /// The first mark of a window of data: alpha is that of the rounds before. Returns true if it reduces.
    fn enter_cwr(&mut self, ack: &Ack, window: &Window) -> bool {
        // Once in T: the reduction before holds for this mark, too.
        let early = self.cwr.filter(|cwr| self.is_early(cwr.stamp, ack.now, window));
        self.cwr = Some(Cwr { until: ack.high, stamp: early.map_or(ack.now, |cwr| cwr.stamp) });
        if early.is_none() {
            self.reduce(1.0 - self.alpha / 2.0, window);
        }
        early.is_none()
    }

    /// A loss halves what counts, and growth stops until it is repaired.
    pub(super) fn enter_loss(&mut self, window: &Window) {
        self.in_loss = true;
        self.reduce(0.5, window);
    }

    /// All that an ACK changes besides [`Running::on_mark`].
    #[inline]
    pub(super) fn cong_control(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.pacing.is_none() {
            let Delivery { bytes, payload, .. } = *delivery;
            self.sizes = Sizes { full: bytes, now: bytes, header: bytes - payload };
        }
        self.srtt = delivery.smoothed.as_secs_f64();
        self.delivered += delivery.newly;
        self.delivered_ce += delivery.marked;
        self.in_loss &= delivery.state != RecoveryState::Open;
        self.update_cwnd(delivery, window);
        // RTT independence under a step needs the same alpha everywhere: it is updated once in V, not once a round.
        if delivery.una >= self.next_seq && !self.is_early(self.alpha_stamp, delivery.now, window) {
            self.update_alpha(delivery, window);
            self.new_round(delivery, window);
        }
        self.update_pacing_rate(delivery, window);
        let few = window.cwnd * self.sizes.of_full() <= self.parameters.rate_mode_below.0;
        if self.saw_ce && few {
            self.cwnd_mode = CwndMode::Rate;
            self.frac_cwnd = self.pacing_rate_to_frac_cwnd();
        } else {
            self.cwnd_mode = CwndMode::Window;
            self.rate = self.frac_cwnd_to_pacing_rate();
        }
    }

    /// The first mark, growth, and a step of the window that counts towards `cwnd`.
    fn update_cwnd(&mut self, delivery: &Delivery, window: &mut Window) {
        if delivery.marked > 0 && !self.saw_ce {
            self.saw_ce = true;
            // An alpha of 0 has reduced nothing.
            if self.parameters.initial_alpha.get() <= 0.0 {
                self.frac_cwnd /= 2.0;
            }
        }
        if delivery.newly > delivery.marked && !self.in_loss && delivery.limited {
            self.grow(f64::from(delivery.newly - delivery.marked), window);
        }
        let target = self.frac_cwnd_to_snd_cwnd();
        if window.cwnd > target {
            window.cwnd -= 1.0;
            window.ssthresh = window.cwnd;
        } else if window.cwnd < target {
            window.cwnd += 1.0;
        }
    }

    /// Growth by `unmarked` segments, which slow start takes first.
    fn grow(&mut self, unmarked: f64, window: &mut Window) {
        let mut unmarked = unmarked;
        if window.cwnd < window.ssthresh {
            let grown = unmarked.min(window.ssthresh - window.cwnd);
            window.cwnd += grown;
            self.frac_cwnd = window.cwnd;
            unmarked -= grown;
            if unmarked <= 0.0 {
                return;
            }
        }
        let full = unmarked / self.sizes.of_full();
        if self.is_rate(window) {
            let v = self.virtual_rtt();
            self.rate += unmarked / v / libm::ceil(self.rate * v / self.sizes.of_full());
            self.frac_cwnd = self.frac_cwnd.max(self.pacing_rate_to_frac_cwnd());
        } else {
            self.frac_cwnd += full * self.ai_ack_increase() / self.frac_cwnd;
        }
    }

    /// Segments by which the window grows per round: `min(RTT / T, 1)^2`.
    fn ai_ack_increase(&self) -> f64 {
        let ratio = self.srtt / self.target_rtt;
        if self.round < self.parameters.transition || ratio >= 1.0 || self.srtt > LONGEST_SCALED {
            1.0
        } else {
            ratio * ratio
        }
    }

    /// Alpha takes in the marks of the round, once there is an AQM that marks; then segments are sized.
    fn update_alpha(&mut self, delivery: &Delivery, window: &mut Window) {
        if !self.saw_ce {
            return;
        }
        if self.delivered > 0 {
            let fraction = f64::from(self.delivered_ce) / f64::from(self.delivered);
            self.alpha = (self.alpha + self.parameters.gain * (fraction - self.alpha)).min(1.0);
        }
        self.alpha_stamp = delivery.now;
        if self.is_rtt_indep(window) && !self.in_loss {
            self.resize(window);
        }
    }

    /// Sizes segments so that two fit into `V`. Windows keep their bytes.
    fn resize(&mut self, window: &mut Window) {
        let bytes_in_v = if self.is_rate(window) {
            self.rate * self.virtual_rtt() * f64::from(self.sizes.full)
        } else {
            self.frac_cwnd * (self.target_rtt / self.srtt).max(1.0) * f64::from(self.sizes.now)
        };
        let Some(more) = self.sizes.fit(bytes_in_v) else { return };
        self.frac_cwnd *= more;
        let cwnd = self.frac_cwnd_to_snd_cwnd();
        if cwnd.total_cmp(&window.cwnd).is_ne() {
            window.cwnd = cwnd;
            window.ssthresh = libm::floor(window.ssthresh * more);
        }
    }

    /// A round is over, and the next one begins.
    fn new_round(&mut self, delivery: &Delivery, window: &Window) {
        self.hsrtt += SLOW * (self.srtt - self.hsrtt);
        (self.delivered, self.delivered_ce) = (0, 0);
        self.next_seq = delivery.high;
        self.round += u32::from(window.cwnd >= window.ssthresh);
    }

    /// Sets the rate at which segments may leave.
    fn update_pacing_rate(&mut self, delivery: &Delivery, window: &Window) {
        let rate = if self.is_rate(window) {
            let early = delivery.now.since(self.alpha_stamp).as_secs_f64() < self.virtual_rtt() / 2.0;
            self.rate * if early { 1.0 + SWING } else { 1.0 - SWING }
        } else {
            let max_inflight = libm::floor(self.frac_cwnd + UNIT).max(f64::from(delivery.flight));
            self.rate = (max_inflight * self.sizes.of_full() / self.srtt).max(self.least_rate());
            self.rate
        };
        let doubled = if window.cwnd < window.ssthresh / 2.0 { 2.0 * rate } else { rate };
        // The rate is of whole segments; Linux paces their payload.
        let payload = f64::from(self.sizes.now - self.sizes.header);
        self.pacing = Some(doubled * f64::from(self.sizes.full) / payload);
    }

    /// The rate of pacing and the size of segments, from the first delivery on.
    #[inline]
    pub(super) fn pace(&self) -> Pace {
        let Some(rate) = self.pacing else { return Pace::default() };
        Pace { rate: Some(rate), bytes: Some(self.sizes.now), ..Pace::default() }
    }

    pub(super) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("alpha", self.alpha);
        record("frac_cwnd", self.frac_cwnd);
        record("rate", self.rate);
    }
}
