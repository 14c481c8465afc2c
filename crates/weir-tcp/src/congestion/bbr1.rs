//! BBR version 1: sends at the bottleneck's rate, which it measures.
//!
//! N. Cardwell, Y. Cheng, C. S. Gunn, S. Hassas Yeganeh, V. Jacobson: *BBR: Congestion-Based Congestion Control*, ACM
//! Queue 14 (5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00; as in Linux 7.2 (`net/ipv4/tcp_bbr.c`).
//!
//! ```text
//! bw       = greatest delivery rate of 10 rounds           RTprop = least round trip of 10 s
//! pacing   = 0.99 pacing_gain bw                           cwnd   = cwnd_gain bw RTprop + extra
//!
//!            pacing_gain               cwnd_gain   until
//! STARTUP    2.89                      2.89        bw grows by less than 25% in 3 rounds
//! DRAIN      0.34                      2.89        flight <= bw RTprop
//! PROBE_BW   1.25, 0.75, 1, 1, 1, 1, 1, 1   2      each for RTprop; RTprop is 10 s old
//! PROBE_RTT  1                         4 segments  200 ms and a round
//! ```
//!
//! Losses do not matter but for a round of packet conservation at the begin of recovery, and as a sign of a policer: two
//! intervals of the same rate, ended by losses of a fifth, set the rate for 48 rounds. Marks do not matter.
//!
//! The kernel departs from the draft: it paces at 99%, and adds to the window what ACKs brought at once and three bursts
//! of segmentation offload, rounded up to an even number, two more in the phase of 1.25.

use weir_types::{Duration, Instant, Invalid, Rng, Streams};

use super::{
    Ack, Congestion, Delivery, RateSample, RecoveryState, Repair, Signal, Window,
    bbr::{Aggregation, LongTerm, MaxFilter, in_net_at_release, segments_in},
};

/// Parameters of BBR version 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct Bbr1Parameters {
    /// Gain of rate and window in STARTUP: `2 / ln 2`.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, 739/256")))]
    pub high_gain: f64,
    /// Gain of the rate in DRAIN.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, 88/256")))]
    pub drain_gain: f64,
    /// Gain of the window in `PROBE_BW`.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the draft, section 4.2.3.2")))]
    pub cwnd_gain: f64,
    /// What the rate of pacing leaves free of the bandwidth, so that queues drain.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux; the draft has none")))]
    pub pacing_margin: f64,
    /// Rounds over which the greatest delivery rate counts.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the draft, BtlBwFilterLen")))]
    pub bw_window: u32,
    /// How long the least round trip counts.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the draft, RTpropFilterLen")))]
    pub min_rtt_window: Duration,
    /// How long `PROBE_RTT` lasts.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "the draft, ProbeRTTDuration")))]
    pub probe_rtt: Duration,
    /// Segments in bursts of segmentation offload; three of them are added to the window.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux, at rates below 23 Mbit/s; at others 1 ms of data")))]
    pub min_tso_segments: u32,
    /// Take the rate of a policer where losses show one.
    #[cfg_attr(feature = "serde", schemars(extend("x-default-source" = "Linux; the draft has none")))]
    pub long_term_bw: bool,
}

impl Default for Bbr1Parameters {
    fn default() -> Self {
        Self {
            high_gain: 2.8867, // 739 / 256
            drain_gain: 88.0 / 256.0,
            cwnd_gain: 2.0,
            pacing_margin: 0.01,
            bw_window: 10,
            min_rtt_window: Duration::from_secs(10),
            probe_rtt: Duration::from_millis(200),
            min_tso_segments: 2,
            long_term_bw: true,
        }
    }
}

impl Bbr1Parameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        for (gain, name) in
            [(self.high_gain, "high_gain"), (self.drain_gain, "drain_gain"), (self.cwnd_gain, "cwnd_gain")]
        {
            Invalid::unless_positive(gain, name)?;
        }
        Invalid::unless(
            (0.0..1.0).contains(&self.pacing_margin),
            "pacing_margin",
            alloc::format!("{} leaves no rate", self.pacing_margin),
            "Linux has 0.01",
        )?;
        Invalid::unless(self.bw_window > 0, "bw_window", "bw_window is zero", "the draft has 10 rounds")
    }
}

/// Gains of the rate in the phases of `PROBE_BW`.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The least window, in segments.
const MIN_CWND: f64 = 4.0;
/// The window before anything is known, in segments.
const INIT_CWND: f64 = 10.0;
/// The pipe is full if the bandwidth grows by less in three rounds.
const FULL_GROWTH: f64 = 1.25;

/// What BBR is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// BBR's congestion control, version 1. Rates are segments per second.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    parameters: Bbr1Parameters,
    mode: Mode,
    max_bw: MaxFilter,
    min_rtt: Duration,
    min_rtt_at: Instant,
    /// The rate of pacing; `None` before a round trip is known.
    rate: Option<f64>,
    pacing_gain: f64,
    cwnd_gain: f64,
    round: u64,
    round_start: bool,
    /// A round ends when a segment arrives that left after so many were delivered.
    next_round: u64,
    full_bw: f64,
    full_rounds: u32,
    full_pipe: bool,
    phase: usize,
    phase_at: Instant,
    aggregation: Aggregation,
    long_term: LongTerm,
    prior_cwnd: f64,
    state: RecoveryState,
    conserving: bool,
    /// When `PROBE_RTT` may end, once the flight is small enough.
    probe_rtt_until: Option<Instant>,
    probe_rtt_round: bool,
    random: Rng,
}

impl Bbr1 {
    /// BBR with these parameters.
    pub fn new(parameters: &Bbr1Parameters) -> Self {
        Self {
            parameters: *parameters,
            mode: Mode::Startup,
            max_bw: MaxFilter::default(),
            min_rtt: Duration::MAX,
            min_rtt_at: Instant::ZERO,
            rate: None,
            pacing_gain: parameters.high_gain,
            cwnd_gain: parameters.high_gain,
            round: 0,
            round_start: false,
            next_round: 0,
            full_bw: 0.0,
            full_rounds: 0,
            full_pipe: false,
            phase: 0,
            phase_at: Instant::ZERO,
            aggregation: Aggregation::default(),
            long_term: LongTerm::default(),
            prior_cwnd: 0.0,
            state: RecoveryState::Open,
            conserving: false,
            probe_rtt_until: None,
            probe_rtt_round: false,
            random: Streams::new(0).at("bbr1"),
        }
    }

    /// The bandwidth: that of a policer if there is one.
    fn bw(&self) -> f64 {
        self.long_term.in_use().unwrap_or_else(|| self.max_bw.get())
    }

    /// Segments in a burst of segmentation offload: 1 ms of data.
    fn tso_segments(&self, payload: u32) -> f64 {
        let bytes = self.rate.unwrap_or(0.0) * f64::from(payload);
        let least = if bytes < 150_000.0 { 1 } else { self.parameters.min_tso_segments };
        libm::floor((bytes / 1024.0).min(65536.0) / f64::from(payload)).max(f64::from(least))
    }

    /// `gain` times the product of bandwidth and round trip, in whole segments.
    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        if self.min_rtt == Duration::MAX {
            return INIT_CWND;
        }
        libm::ceil(segments_in(bw, self.min_rtt) * gain)
    }

    /// Adds to a window what hosts hold back in bursts.
    fn with_budget(&self, cwnd: f64, payload: u32) -> f64 {
        let cwnd = 2.0 * libm::ceil(0.5 * (cwnd + 3.0 * self.tso_segments(payload)));
        let probing = self.mode == Mode::ProbeBw && self.phase == 0;
        if probing { cwnd + 2.0 } else { cwnd }
    }

    fn inflight(&self, bw: f64, gain: f64, payload: u32) -> f64 {
        self.with_budget(self.bdp(bw, gain), payload)
    }

    fn in_net(&self, flight: u32, delivery: &Delivery) -> f64 {
        let extra = if self.pacing_gain > 1.0 { self.tso_segments(delivery.payload) } else { 0.0 };
        in_net_at_release(flight, self.bw(), extra, delivery)
    }

    /// Rounds and the bandwidth.
    fn update_bw(&mut self, delivery: &Delivery) {
        self.round_start = false;
        let Some(RateSample { interval: Some(_), prior_delivered, app_limited, .. }) = delivery.sample else {
            return;
        };
        if prior_delivered >= self.next_round {
            self.next_round = delivery.delivered;
            self.round += 1;
            self.round_start = true;
            self.conserving = false;
        }
        if self.parameters.long_term_bw {
            let full_cycle = self.long_term.update(delivery, self.round_start);
            if full_cycle && self.mode == Mode::ProbeBw {
                self.begin_cycle(delivery.now);
            }
        }
        let bw = delivery.sample.and_then(|sample| sample.rate()).unwrap_or(0.0);
        if !app_limited || bw >= self.max_bw.get() {
            self.max_bw.update(self.round, bw, u64::from(self.parameters.bw_window));
        }
    }

    /// Begins `PROBE_BW` in any phase but the one that drains.
    fn begin_cycle(&mut self, now: Instant) {
        self.mode = Mode::ProbeBw;
        self.phase = 7 - (self.random.uniform() * 7.0) as usize;
        self.next_phase(now);
    }

    fn next_phase(&mut self, now: Instant) {
        self.phase = (self.phase + 1) % CYCLE.len();
        self.phase_at = now;
    }

    fn update_phase(&mut self, delivery: &Delivery) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let full = delivery.now.since(self.phase_at) > self.min_rtt;
        let bw = self.max_bw.get();
        let over = if self.pacing_gain > 1.0 {
            full && (delivery.lost > 0
                || self.in_net(delivery.flight_before, delivery)
                    >= self.inflight(bw, self.pacing_gain, delivery.payload))
        } else if self.pacing_gain < 1.0 {
            full || self.in_net(delivery.flight_before, delivery) <= self.inflight(bw, 1.0, delivery.payload)
        } else {
            full
        };
        if over {
            self.next_phase(delivery.now);
        }
    }

    fn check_full_pipe(&mut self, delivery: &Delivery) {
        let limited = delivery.sample.is_none_or(|sample| sample.app_limited);
        if self.full_pipe || !self.round_start || limited {
            return;
        }
        if self.max_bw.get() >= self.full_bw * FULL_GROWTH {
            (self.full_bw, self.full_rounds) = (self.max_bw.get(), 0);
            return;
        }
        self.full_rounds += 1;
        self.full_pipe = self.full_rounds >= 3;
    }

    fn check_drain(&mut self, delivery: &Delivery, window: &mut Window) {
        let target = self.inflight(self.max_bw.get(), 1.0, delivery.payload);
        if self.mode == Mode::Startup && self.full_pipe {
            self.mode = Mode::Drain;
            window.ssthresh = target.max(2.0);
        }
        if self.mode == Mode::Drain && self.in_net(delivery.flight, delivery) <= target {
            self.begin_cycle(delivery.now);
        }
    }

    fn update_min_rtt(&mut self, delivery: &Delivery, window: &mut Window) {
        let now = delivery.now;
        let expired = now.since(self.min_rtt_at) > self.parameters.min_rtt_window;
        if let Some(RateSample { rtt: Some(rtt), .. }) = delivery.sample
            && (rtt < self.min_rtt || expired)
        {
            (self.min_rtt, self.min_rtt_at) = (rtt, now);
        }
        if expired && self.mode != Mode::ProbeRtt && !self.parameters.probe_rtt.is_zero() {
            self.save_cwnd(window.cwnd);
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_until = None;
        }
        if self.mode != Mode::ProbeRtt {
            return;
        }
        match self.probe_rtt_until {
            None if f64::from(delivery.flight) <= MIN_CWND => {
                self.probe_rtt_until = Some(now + self.parameters.probe_rtt);
                self.probe_rtt_round = false;
                self.next_round = delivery.delivered;
            }
            None => {}
            Some(until) => {
                self.probe_rtt_round |= self.round_start;
                if self.probe_rtt_round && now > until {
                    self.min_rtt_at = now;
                    window.cwnd = window.cwnd.max(self.prior_cwnd);
                    if self.full_pipe {
                        self.begin_cycle(now);
                    } else {
                        self.mode = Mode::Startup;
                    }
                }
            }
        }
    }

    fn update_gains(&mut self) {
        let Bbr1Parameters { high_gain, drain_gain, cwnd_gain, .. } = self.parameters;
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (high_gain, high_gain),
            Mode::Drain => (drain_gain, high_gain),
            Mode::ProbeBw if self.long_term.in_use().is_some() => (1.0, cwnd_gain),
            Mode::ProbeBw => (CYCLE[self.phase], cwnd_gain),
            Mode::ProbeRtt => (1.0, 1.0),
        };
    }

    /// Before the pipe is full, the rate only rises.
    fn set_rate(&mut self, delivery: &Delivery, window: &Window) {
        let kept = 1.0 - self.parameters.pacing_margin;
        let before = *self.rate.get_or_insert_with(|| {
            kept * self.parameters.high_gain * window.cwnd / delivery.smoothed.as_secs_f64().max(1e-6)
        });
        let rate = kept * self.pacing_gain * self.bw();
        if rate > 0.0 && (self.full_pipe || rate > before) {
            self.rate = Some(rate);
        }
    }

    fn set_cwnd(&mut self, delivery: &Delivery, window: &mut Window) {
        let newly = f64::from(delivery.newly);
        if delivery.newly > 0 && !self.recovers(delivery, window) {
            let extra = if self.full_pipe { self.aggregation.extra(self.bw()) } else { 0.0 };
            let target = self.bdp(self.bw(), self.cwnd_gain) + extra;
            let target = self.with_budget(target, delivery.payload);
            if self.full_pipe {
                window.cwnd = (window.cwnd + newly).min(target);
            } else if window.cwnd < target || (delivery.delivered as f64) < INIT_CWND {
                window.cwnd += newly;
            }
            window.cwnd = window.cwnd.max(MIN_CWND);
        }
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(MIN_CWND);
        }
    }

    /// Packet conservation in the first round of recovery; the former window after it. Whether the window is set.
    fn recovers(&mut self, delivery: &Delivery, window: &mut Window) -> bool {
        let (before, state) = (core::mem::replace(&mut self.state, delivery.state), delivery.state);
        let conserved = f64::from(delivery.flight + delivery.newly);
        window.cwnd = (window.cwnd - f64::from(delivery.lost)).max(1.0);
        if state == RecoveryState::Recovery && before != RecoveryState::Recovery {
            self.conserving = true;
            self.next_round = delivery.delivered;
            window.cwnd = conserved;
        } else if before != RecoveryState::Open && state == RecoveryState::Open {
            self.conserving = false;
            window.cwnd = window.cwnd.max(self.prior_cwnd);
        }
        if self.conserving {
            window.cwnd = window.cwnd.max(conserved);
        }
        self.conserving
    }

    fn save_cwnd(&mut self, cwnd: f64) {
        let whole = self.state == RecoveryState::Open && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if whole { cwnd } else { self.prior_cwnd.max(cwnd) };
    }
}

impl Congestion for Bbr1 {
    fn set_random(&mut self, random: Rng) {
        self.random = random;
    }

    fn pacing_rate(&self) -> Option<f64> {
        self.rate
    }

    fn limits_itself(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.min_rtt == Duration::MAX {
            (self.min_rtt, self.min_rtt_at) = (delivery.min_rtt, delivery.now);
        }
        self.update_bw(delivery);
        self.aggregation.update(self.bw(), delivery, self.round_start, window.cwnd);
        self.update_phase(delivery);
        self.check_full_pipe(delivery);
        self.check_drain(delivery, window);
        self.update_min_rtt(delivery, window);
        self.update_gains();
        self.set_rate(delivery, window);
        self.set_cwnd(delivery, window);
    }

    fn on_ack(&mut self, _: Ack, _: &mut Window) {}

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        self.save_cwnd(window.cwnd);
        Repair::Uncut
    }

    fn on_mark(&mut self, _: Signal, _: &mut Window) {}

    fn on_timeout(&mut self, _: Signal, window: &mut Window) {
        self.save_cwnd(window.cwnd);
        self.state = RecoveryState::Loss;
        self.full_bw = 0.0;
        self.round_start = true;
        window.cwnd = 1.0;
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("mode", f64::from(self.mode as u8));
        record("bw", self.bw());
        record("min_rtt", self.min_rtt.as_secs_f64());
        record("pacing_gain", self.pacing_gain);
        record("cwnd_gain", self.cwnd_gain);
    }
}
