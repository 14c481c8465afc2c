//! CUBIC: the window is a cubic function of the time since the last cut.
//!
//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert: *CUBIC for Fast and Long-Distance Networks*, RFC 9438,
//! section 4.
//!
//! ```text
//! W(t)  = C (t - K)^3 + W_max,   K = cbrt((W_max - cwnd at the start) / C)
//! W_est = W_est + alpha n / cwnd,  alpha = 3 (1 - beta) / (1 + beta); 1 above cwnd_prior
//! an ACK   W(t) < W_est:  cwnd = W_est                                          (Reno-friendly)
//!          else           cwnd += n (target - cwnd) / cwnd,
//!                         target = W(t + RTT) within [cwnd, 1.5 cwnd]
//! a loss   W_max = cwnd, or (1 + beta) / 2 cwnd if cwnd < W_max (fast convergence)
//!          ssthresh = max(beta flight, 2),  cwnd = ssthresh
//! timeout  the same with cwnd = 1; W_max is then the window at the end of slow start, K = 0
//! ```
//!
//! A mark cuts the window as a loss, or with `beta_ecn` for beta (RFC 8511: 0.85). W is a function of
//! seconds, not of round trips. In equilibrium, far from the Reno-friendly region, losses at a rate `p` allow a
//! window of `(C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4)`: at the defaults `1.054 (RTT / p)^(3/4)`
//! segments (equation 5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Probability};

use super::{
    Ack, Congestion, Facts, HystartParameters, Repair, Signal, SlowStartConfig, SsthreshFrom, Window,
    parts::Credits, slow_start::SlowStart,
};
use crate::preset::{InPreset, TcpPreset};

/// Growth of `W_est`, the window of Reno.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FriendlyGrowth {
    /// By alpha below the window before the cut, by 1 above it (RFC 9438, section 4.3).
    #[default]
    OneFromPrior,
    /// By alpha throughout (RFC 8312, Linux).
    Alpha,
}

/// The round trip of `target = W(t + RTT)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TargetRtt {
    /// The smoothed round trip (RFC 9438, section 4.2).
    #[default]
    Smoothed,
    /// The minimum round trip (Linux).
    Min,
}

/// Parameters of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CubicParameters {
    /// `C`, in segments per second cubed.
    #[schemars(extend("x-default-source" = "RFC 9438, section 5"))]
    pub c: f64,
    /// `beta_cubic`: the factor of the window after a loss.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.6"))]
    pub beta: f64,
    /// The factor of the window after a mark. ABE: 0.85 (RFC 8511).
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.6", "x-default" = "`beta`"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beta_ecn: Option<Probability>,
    /// Fast convergence: reduce `W_max` further if the window is below the last `W_max`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.7"))]
    pub fast_convergence: bool,
    /// The Reno-friendly region: the window is at least `W_est`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.3"))]
    pub reno_friendly: bool,
    /// Growth of `W_est`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.3"))]
    pub friendly_growth: FriendlyGrowth,
    /// The round trip of `target = W(t + RTT)`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.2"))]
    pub target_rtt: TargetRtt,
    /// Grow and cut the window by whole segments (Linux).
    #[schemars(extend("x-default-source" = "RFC 9438, which counts fractions"))]
    pub integer_cwnd: bool,
    /// Quantity that a cut multiplies by `beta`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.6"))]
    pub ssthresh_from: SsthreshFrom,
    /// How slow start ends before a loss, a mark or `ssthresh`.
    #[schemars(extend("x-default-source" = "RFC 9438, section 4.10"))]
    pub slow_start: SlowStartConfig,
}

impl Default for CubicParameters {
    fn default() -> Self {
        Self {
            c: 0.4,
            beta: 0.7,
            beta_ecn: None,
            fast_convergence: true,
            reno_friendly: true,
            friendly_growth: FriendlyGrowth::default(),
            target_rtt: TargetRtt::default(),
            integer_cwnd: false,
            ssthresh_from: SsthreshFrom::Flight,
            slow_start: SlowStartConfig::HystartPlus(super::HystartPlusParameters::default()),
        }
    }
}

impl InPreset for CubicParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        match preset {
            TcpPreset::Rfc | TcpPreset::Ns2 => Self::default(),
            TcpPreset::Linux => Self {
                friendly_growth: FriendlyGrowth::Alpha, // tcp_friendliness of bictcp_update
                target_rtt: TargetRtt::Min,             // delay_min
                integer_cwnd: true,                     // tp->snd_cwnd
                ssthresh_from: SsthreshFrom::Window,    // cubictcp_recalc_ssthresh
                slow_start: SlowStartConfig::Hystart(HystartParameters::default()), // hystart
                ..Self::default()
            },
        }
    }
}

impl CubicParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.c, "c")?;
        Invalid::unless(
            self.beta > 0.0 && self.beta < 1.0,
            "beta",
            alloc::format!("{} does not lie between 0 and 1", self.beta),
            "RFC 9438 has 0.7",
        )?;
        Invalid::unless_positive(self.beta_ecn.map_or(1.0, Probability::get), "beta_ecn")?;
        self.slow_start.check()
    }
}

/// An epoch of congestion avoidance: from a cut or the end of slow start to the next cut.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Instant,
    /// `K`: seconds until the window reaches `W_max`.
    k: f64,
    /// `W_est`: the window of Reno.
    w_est: f64,
}

/// Growth by whole segments.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    credits: Credits,
    /// Acknowledged segments per segment of growth (Linux's `cnt`).
    cnt: f64,
    /// Acknowledged segments not yet counted in `W_est`.
    unused: f64,
    /// The window and the time of the last calculation of `cnt`.
    cwnd: f64,
    at: Instant,
}

/// The state of CUBIC.
#[derive(Clone, Debug)]
pub struct Cubic {
    parameters: CubicParameters,
    /// `None` until the next ACK in congestion avoidance.
    epoch: Option<Epoch>,
    /// `W_max`, in segments; zero before the first cut.
    w_max: f64,
    /// `cwnd_prior`: the window before the last cut.
    prior: f64,
    /// When the last ACK arrived.
    seen: Instant,
    /// The minimum round trip.
    min_rtt: Duration,
    /// There was no cut yet, or the last one was a timeout: `W_max` is not valid.
    first: bool,
    /// With `integer_cwnd`.
    steps: Option<Steps>,
    slow_start: SlowStart,
}

impl Cubic {
    /// CUBIC with these parameters.
    pub fn new(parameters: &CubicParameters) -> Self {
        Self {
            parameters: *parameters,
            epoch: None,
            w_max: 0.0,
            prior: 0.0,
            seen: Instant::ZERO,
            min_rtt: Duration::MAX,
            first: true,
            steps: parameters.integer_cwnd.then(Steps::default),
            slow_start: parameters.slow_start.build(),
        }
    }

    /// The epoch that begins now.
    fn begin(&mut self, now: Instant, cwnd: f64) -> Epoch {
        if cwnd >= self.w_max {
            self.w_max = cwnd;
        }
        let k = libm::cbrt((self.w_max - cwnd) / self.parameters.c);
        Epoch { start: now, k, w_est: cwnd }
    }

    /// Sets `W_max` and `ssthresh` after a loss, a mark or a timeout.
    fn cut(&mut self, beta: f64, signal: Signal, window: &mut Window) {
        let CubicParameters { fast_convergence, beta: beta_cubic, ssthresh_from, .. } = self.parameters;
        self.epoch = None;
        self.first = false;
        self.prior = window.cwnd;
        let retreats = fast_convergence && window.cwnd < self.w_max;
        self.w_max = if retreats { self.whole(window.cwnd * (1.0 + beta_cubic) / 2.0) } else { window.cwnd };
        let whole = match ssthresh_from {
            SsthreshFrom::Flight => signal.flight,
            SsthreshFrom::Window => window.cwnd,
        };
        window.ssthresh = self.whole(beta * whole).max(2.0);
        self.steps.iter_mut().for_each(|steps| steps.credits.clear());
    }

    /// Rounded down with `integer_cwnd`.
    fn whole(&self, window: f64) -> f64 {
        if self.steps.is_some() { libm::floor(window) } else { window }
    }

    /// `W(K + after)`, with `after` in seconds.
    fn w_cubic(&self, after: f64) -> f64 {
        self.parameters.c * after * after * after + self.w_max
    }

    /// The round trip of the target, in seconds.
    fn target_rtt(&self, smoothed: Duration) -> f64 {
        match self.parameters.target_rtt {
            TargetRtt::Smoothed => smoothed,
            TargetRtt::Min => self.min_rtt,
        }
        .as_secs_f64()
    }

    /// Growth by fractions of a segment.
    #[inline(never)]
    fn grow_by_fractions(&mut self, ack: Ack, window: &mut Window) {
        if window.cwnd < window.ssthresh {
            return self.slow_start.grow(ack, window);
        }
        let mut epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(ack.now, window.cwnd),
        };
        epoch.w_est += self.alpha(&epoch) * ack.counted / window.cwnd;
        self.epoch = Some(epoch);
        let after = ack.now.since(epoch.start).as_secs_f64() - epoch.k;
        if self.parameters.reno_friendly && self.w_cubic(after) < epoch.w_est {
            window.cwnd = window.cwnd.max(epoch.w_est);
        } else {
            let target = self.w_cubic(after + self.target_rtt(ack.smoothed));
            let target = target.clamp(window.cwnd, 1.5 * window.cwnd);
            window.cwnd += ack.counted * (target - window.cwnd) / window.cwnd;
        }
    }

    /// Growth by whole segments; `counted` segments of the ACK were not used by slow start.
    #[expect(clippy::inline_always, reason = "only what is read of the ACK is calculated")]
    #[inline(always)]
    fn grow_by_steps(&mut self, ack: Ack, counted: f64, window: &mut Window) {
        let Some(steps) = &mut self.steps else { return };
        steps.unused += counted;
        let changed = (window.cwnd - steps.cwnd).abs() >= 1.0;
        if changed || ack.now.since(steps.at) > STALE || self.epoch.is_none() {
            self.calculate_cnt(ack.now, ack.smoothed, counted, window.cwnd);
        }
        if let Some(steps) = &mut self.steps {
            steps.credits.grow(counted, steps.cnt, &mut window.cwnd);
        }
    }

    /// How many acknowledged segments are worth a segment of growth, from now on.
    #[inline(never)]
    fn calculate_cnt(&mut self, now: Instant, smoothed: Duration, counted: f64, cwnd: f64) {
        let Some(mut steps) = self.steps else { return };
        (steps.cwnd, steps.at) = (cwnd, now);
        let mut epoch = self.epoch.unwrap_or_else(|| {
            steps.unused = counted;
            self.begin(now, cwnd)
        });
        let after = now.since(epoch.start).as_secs_f64() + self.target_rtt(smoothed) - epoch.k;
        let rise = self.w_cubic(after) - self.w_max;
        // Linux rounds the distance from `W_max`.
        let target = self.w_max + libm::copysign(libm::floor(rise.abs()), rise);
        steps.cnt = if target > cwnd { libm::floor(cwnd / (target - cwnd)) } else { 100.0 * cwnd };
        if self.first {
            steps.cnt = steps.cnt.min(20.0);
        }
        if self.parameters.reno_friendly {
            let per = cwnd / self.alpha(&epoch);
            while steps.unused > per {
                steps.unused -= per;
                epoch.w_est += 1.0;
            }
            if epoch.w_est > cwnd {
                steps.cnt = steps.cnt.min(libm::floor(cwnd / (epoch.w_est - cwnd)));
            }
        }
        steps.cnt = steps.cnt.max(2.0);
        self.epoch = Some(epoch);
        self.steps = Some(steps);
    }

    fn alpha(&self, epoch: &Epoch) -> f64 {
        let beta = self.parameters.beta;
        if epoch.w_est < self.prior || self.parameters.friendly_growth == FriendlyGrowth::Alpha {
            3.0 * (1.0 - beta) / (1.0 + beta)
        } else {
            1.0
        }
    }
}

/// `cnt` is calculated again after this time, even if the window is the same (Linux).
const STALE: Duration = Duration::from_nanos(1_000_000_000 / 32);

impl Congestion for Cubic {
    const FACTS: Facts = Facts { kernel_name: Some("cubic"), ..Facts::PLAIN };

    #[expect(clippy::inline_always, reason = "only what is read of the ACK is calculated")]
    #[inline(always)]
    fn observe(&mut self, ack: Ack, _: &mut Window) -> bool {
        let seen = core::mem::replace(&mut self.seen, ack.now);
        self.min_rtt = self.min_rtt.min(ack.rtt);
        // Time in which something else limits the sender does not count (section 5.8).
        if !ack.limited
            && let Some(epoch) = &mut self.epoch
        {
            epoch.start += ack.now.since(seen);
        }
        false
    }

    /// Returns true if the window grows by whole segments, outside of slow start.
    #[inline]
    fn reads_little(&self, window: &Window) -> bool {
        self.steps.is_some() && window.cwnd >= window.ssthresh
    }

    #[expect(clippy::inline_always, reason = "only what is read of the ACK is calculated")]
    #[inline(always)]
    fn observe_and_grow(&mut self, ack: Ack, grows: bool, window: &mut Window) {
        self.observe(ack, window);
        if grows {
            self.grow_by_steps(ack, ack.counted, window);
        }
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        if self.steps.is_none() {
            return self.grow_by_fractions(ack, window);
        }
        let left = self.slow_start.grow_whole(ack, window);
        if left > 0.0 {
            self.grow_by_steps(ack, left, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        self.slow_start.on_cut(false);
        self.cut(self.parameters.beta, signal, window);
        window.cwnd = window.ssthresh;
        Repair::Recover
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        self.slow_start.on_cut(false);
        let before = window.cwnd;
        let beta = self.parameters.beta_ecn.map_or(self.parameters.beta, Probability::get);
        self.cut(beta, signal, window);
        // A mark may reduce the window to one segment (section 4.6).
        window.cwnd = window.ssthresh.min(before * beta).max(1.0);
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        self.slow_start.on_cut(true);
        self.cut(self.parameters.beta, signal, window);
        self.w_max = 0.0;
        self.first = true;
        window.cwnd = 1.0;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("w_max", self.w_max);
        record("k", self.epoch.map_or(0.0, |epoch| epoch.k));
        record("w_est", self.epoch.map_or(0.0, |epoch| epoch.w_est));
    }
}
