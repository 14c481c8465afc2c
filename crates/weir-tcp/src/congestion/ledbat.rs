//! LEDBAT: background traffic that keeps the queue at a target and yields to other traffic.
//!
//! S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind: *Low Extra Delay Background Transport (LEDBAT)*, RFC 6817,
//! section 2.4.2.
//!
//! ```text
//! off_target = (TARGET - queueing delay) / TARGET                the delays: see `delay.rs`
//! an ACK     cwnd += GAIN off_target n / cwnd                    n segments acknowledged
//!            cwnd  = min(cwnd, flight + ALLOWED_INCREASE)        flight: before the ACK
//!            cwnd  = max(cwnd, MIN_CWND)
//! a loss     cwnd  = min(cwnd, max(cwnd / 2, MIN_CWND))          a mark the same
//! timeout    cwnd  = 1
//! ```
//!
//! A lone flow holds the queueing delay at TARGET. A flow that finds the queue of another takes it for its base delay
//! and aims at TARGET beyond it: the advantage of the late-comer.
//!
//! Deviations: delays are round trips. The first window is `tcp.initial_window`, where the RFC has 2 segments. The
//! window moves outside of loss recovery only, and, as `tcp.cwnd_validation` has it, only while it limits the sender.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, Packets};

use super::{Ack, Congestion, Facts, Repair, Signal, Window, delay::DelayFilter};
use crate::preset::InPreset;

/// Parameters of LEDBAT.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LedbatParameters {
    /// `TARGET`: the queueing delay that the flow causes. The RFC allows up to 100 ms.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub target: Duration,
    /// `GAIN`: growth without a queue, in segments per round trip. The RFC allows up to 1, as fast as Reno.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub gain: f64,
    /// `ALLOWED_INCREASE`: by how much the window may exceed what was in flight.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub allowed_increase: Packets,
    /// `MIN_CWND`: least window but after a timeout.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub min_cwnd: Packets,
    /// `BASE_HISTORY`: minutes that the base delay looks back, at most 10.
    #[schemars(extend("x-default-source" = "RFC 6817, section 2.5"))]
    pub base_history: u32,
    /// `CURRENT_FILTER`: the current delay is the least of this many, at most 16, of the last round trip.
    #[schemars(extend("x-default-source" = "RFC 6817: at least 4 in each round trip"))]
    pub current_filter: u32,
    /// Begin with Reno's slow start, which ends at the target.
    #[schemars(extend("x-default-source" = "RFC 6817, whose rules have none"))]
    pub slow_start: bool,
}

impl Default for LedbatParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(100),
            gain: 1.0,
            allowed_increase: Packets(1.0),
            min_cwnd: Packets(2.0),
            base_history: 10,
            current_filter: 4,
            slow_start: false,
        }
    }
}

impl InPreset for LedbatParameters {}

impl LedbatParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        check_target(self.target)?;
        Invalid::unless(
            self.target <= Duration::from_millis(100),
            "target",
            alloc::format!("target is {}, above 100 ms", self.target),
            "RFC 6817, section 2.5, allows up to \"100 ms\"",
        )?;
        Invalid::unless_positive(self.gain, "gain")?;
        Invalid::unless(
            self.gain <= 1.0,
            "gain",
            alloc::format!("gain is {}, above 1: the window would grow faster than Reno's", self.gain),
            "RFC 6817, section 2.5, allows up to 1",
        )?;
        Invalid::unless_positive(self.allowed_increase.0, "allowed_increase")?;
        check_min_cwnd(self.min_cwnd)?;
        DelayFilter::check(self.base_history, self.current_filter)
    }
}

/// A target to divide by.
pub(super) fn check_target(target: Duration) -> Result<(), Invalid> {
    Invalid::unless(!target.is_zero(), "target", "target is zero", "write for example \"60 ms\"")
}

/// A window that sends.
pub(super) fn check_min_cwnd(min_cwnd: Packets) -> Result<(), Invalid> {
    let problem = alloc::format!("min_cwnd is {} packets", min_cwnd.0);
    Invalid::unless(min_cwnd.0 >= 2.0, "min_cwnd", problem, "RFC 6817 has \"2 packets\"")
}

/// LEDBAT's congestion control.
#[derive(Clone, Debug)]
pub struct Ledbat {
    /// In seconds.
    target: f64,
    gain: f64,
    allowed_increase: f64,
    min_cwnd: f64,
    slow_start: bool,
    delays: DelayFilter,
}

impl Ledbat {
    /// LEDBAT with these parameters.
    pub fn new(parameters: &LedbatParameters) -> Self {
        Self {
            target: parameters.target.as_secs_f64(),
            gain: parameters.gain,
            allowed_increase: parameters.allowed_increase.0,
            min_cwnd: parameters.min_cwnd.0,
            slow_start: parameters.slow_start,
            delays: DelayFilter::new(parameters.base_history, parameters.current_filter),
        }
    }

    fn halve(&mut self, window: &mut Window) {
        self.slow_start = false;
        window.cwnd = window.cwnd.min((window.cwnd / 2.0).max(self.min_cwnd));
        window.ssthresh = window.cwnd.max(2.0);
    }
}

impl Congestion for Ledbat {
    const FACTS: Facts = Facts { yields: true, ..Facts::PLAIN };

    fn observe(&mut self, ack: Ack, _: &mut Window) -> bool {
        self.delays.sample(ack.now, ack.rtt);
        false
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        let off_target = (self.target - self.delays.queueing().as_secs_f64()) / self.target;
        self.slow_start &= off_target > 0.0 && window.cwnd < window.ssthresh;
        if self.slow_start {
            window.cwnd = (window.cwnd + ack.counted).min(window.ssthresh);
            return;
        }
        let acked = f64::from(ack.acked);
        let cwnd = window.cwnd + self.gain * off_target * acked / window.cwnd;
        window.cwnd = cwnd.min(ack.flight + acked + self.allowed_increase).max(self.min_cwnd);
    }

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        self.halve(window);
        Repair::Recover
    }

    fn on_mark(&mut self, _: Signal, window: &mut Window) {
        self.halve(window);
    }

    fn on_timeout(&mut self, _: Signal, window: &mut Window) {
        self.halve(window);
        window.cwnd = 1.0;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.delays.probe(record);
    }
}
