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
//! Losses do not matter but for a round of packet conservation at the beginning of recovery, and as a sign of a
//! policer: two intervals of the same rate, ended by losses of a fifth, set the rate for 48 rounds. Marks do not
//! matter.
//!
//! The kernel departs from the draft. It paces at 99%. It adds to the window what ACKs brought at once and three
//! bursts of segmentation offload. The sum is rounded up to an even number, and is two more in the phase of 1.25.

mod filter;
mod long_term;
mod parameters;
mod probe_rtt;

use weir_types::{Duration, Instant, Rng, Streams};

pub use self::parameters::Bbr1Parameters;
use self::{
    filter::MaxFilter,
    long_term::{Evidence, LongTerm, Verdict},
};
use super::{
    Ack, Congestion, Counts, Delivery, Facts, Marks, Pace, RecoveryState, Repair, Signal, Window,
    bbr::{
        Aggregation, INIT_CWND, MIN_CWND, ProbeRtt, Rounds, Saved, bdp, burst, ceil, max, min,
        packets_in_net_at_edt, tick,
    },
};

/// Gains of the rate in the phases of `PROBE_BW`.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// The pipe is full if the bandwidth grows by less in three rounds.
const FULL_GROWTH: f64 = 1.25;
/// Bursts have one segment below it, in bytes per second (`bbr_min_tso_rate`).
const MIN_TSO_RATE: f64 = 1_200_000.0 / 8.0;

/// State of BBR (`bbr_mode`).
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// The rate doubles in each round until the pipe is full.
    Startup,
    /// The queue that STARTUP has built drains.
    Drain,
    /// The rate goes up and down about the bandwidth: a phase of [`CYCLE`], and when it began.
    ProbeBw { phase: usize, since: Instant },
    /// Little is in flight, so that the least round trip can be seen again.
    ProbeRtt(ProbeRtt),
}

impl Mode {
    /// Its number in the kernel.
    const fn number(self) -> u8 {
        match self {
            Self::Startup => 0,
            Self::Drain => 1,
            Self::ProbeBw { .. } => 2,
            Self::ProbeRtt(_) => 3,
        }
    }
}

/// BBR's congestion control, version 1. Rates are segments per second, windows and volumes segments.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    parameters: Bbr1Parameters,
    mode: Mode,
    /// `BtlBw`: the greatest delivery rate of the latest rounds.
    max_bw: MaxFilter,
    /// `RTprop`, and when it was measured.
    min_rtt: Duration,
    min_rtt_at: Instant,
    /// Rate of pacing; `None` before a round trip is known.
    rate: Option<f64>,
    /// Segments in a burst of segmentation offload at that rate.
    burst: f64,
    /// Rate of pacing over the bandwidth.
    pacing_gain: f64,
    /// Window over the product of bandwidth and least round trip.
    cwnd_gain: f64,
    /// When a segment was last delivered (`delivered_mstamp`).
    delivered_at: Instant,
    rounds: Rounds,
    /// The ACK at hand begins a round.
    round_start: bool,
    /// The bandwidth when it last grew by a quarter, and rounds since.
    full_bw: f64,
    full_rounds: u32,
    /// The bandwidth has stopped growing: the pipe is full.
    full_pipe: bool,
    /// Surplus that ACKs bring at once.
    aggregation: Aggregation,
    /// The rate of a policer.
    long_term: LongTerm,
    /// The window to return to.
    saved: Saved,
    /// The ACK at hand found it in `PROBE_RTT`: the window is too small for samples to tell a rate.
    limits_itself: bool,
    /// The first segment after an idle time has not arrived yet.
    idle_restart: bool,
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
            burst: 1.0,
            pacing_gain: parameters.high_gain,
            cwnd_gain: parameters.high_gain,
            delivered_at: Instant::ZERO,
            rounds: Rounds::default(),
            round_start: false,
            full_bw: 0.0,
            full_rounds: 0,
            full_pipe: false,
            aggregation: Aggregation::default(),
            long_term: LongTerm::default(),
            saved: Saved::NONE,
            limits_itself: false,
            idle_restart: false,
            random: Streams::new(0).at("bbr1"),
        }
    }

    /// The bandwidth: that of a policer if there is one.
    fn bw(&self) -> f64 {
        self.long_term.in_use().unwrap_or_else(|| self.max_bw.get())
    }

    /// Adds to a window what hosts hold back in bursts (`bbr_quantization_budget`). The sum is rounded up to an even
    /// number, so that ACKs of every second segment keep the window full.
    fn quantization_budget(&self, cwnd: f64) -> f64 {
        let cwnd = 2.0 * ceil(0.5 * (cwnd + 3.0 * self.burst));
        // A small window would not grow in the phase that is to raise it.
        if matches!(self.mode, Mode::ProbeBw { phase: 0, .. }) { cwnd + 2.0 } else { cwnd }
    }

    /// Segments in flight that a bandwidth and a gain ask for (`bbr_inflight`).
    fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(bdp(bw, self.min_rtt, gain, INIT_CWND))
    }

    /// Segments in the network when the next one leaves. While the rate probes, a burst more is on its way out.
    fn packets_in_net_at_edt(&self, flight: u32, delivery: &Delivery) -> f64 {
        let extra = if self.pacing_gain > 1.0 { self.burst } else { 0.0 };
        packets_in_net_at_edt(flight, self.bw(), extra, delivery)
    }

    /// Rounds and the bandwidth (`bbr_update_bw`). A sample that the application limited counts only if it is greater.
    fn update_bw(&mut self, delivery: &Delivery, cwnd: f64) {
        self.round_start = false;
        let Some((sample, bw)) = delivery.sample.and_then(|sample| Some((sample, sample.rate()?))) else {
            return;
        };
        self.round_start = self.rounds.update(&sample, delivery.delivered);
        self.saved.conserving &= !self.round_start;
        self.look_for_policer(&delivery.into());
        if !sample.app_limited || bw >= self.max_bw.get() {
            self.max_bw.update(self.rounds.count, bw, u64::from(self.parameters.bw_window));
        }
        self.aggregation.update(self.bw(), delivery, self.round_start, Aggregation::ROUNDS, cwnd);
    }

    /// Samples the rate of a policer. From the moment that it shows, nothing beyond it is sent.
    fn look_for_policer(&mut self, evidence: &Evidence) {
        let Bbr1Parameters { long_term_bw, pacing_margin, .. } = self.parameters;
        if !long_term_bw {
            return;
        }
        let probes_bw = matches!(self.mode, Mode::ProbeBw { .. });
        match self.long_term.update(evidence, self.round_start, probes_bw, pacing_margin) {
            Some(Verdict::Policed) => self.pacing_gain = 1.0,
            Some(Verdict::Over) => self.begin_cycle(),
            None => {}
        }
    }

    /// Begins `PROBE_BW` in any phase but the one that drains (`bbr_reset_probe_bw_mode`).
    fn begin_cycle(&mut self) {
        let phase = 7 - (self.random.uniform() * 7.0) as usize;
        self.begin_phase(phase + 1);
    }

    fn begin_phase(&mut self, phase: usize) {
        self.mode = Mode::ProbeBw { phase: phase % CYCLE.len(), since: self.delivered_at };
    }

    /// A phase of a gain above 1 lasts until that much is in flight, or something is lost. A phase of a gain below 1
    /// ends as soon as no queue is left (`bbr_is_next_cycle_phase`).
    fn update_cycle_phase(&mut self, delivery: &Delivery) {
        let Mode::ProbeBw { phase, since } = self.mode else { return };
        let full = self.delivered_at.since(since) > self.min_rtt;
        let bw = self.max_bw.get();
        let over = if self.pacing_gain > 1.0 {
            full && (delivery.lost > 0
                || self.packets_in_net_at_edt(delivery.flight_before, delivery)
                    >= self.inflight(bw, self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full || self.packets_in_net_at_edt(delivery.flight_before, delivery) <= self.inflight(bw, 1.0)
        } else {
            full
        };
        if over {
            self.begin_phase(phase + 1);
        }
    }

    /// The pipe is full if the bandwidth has grown by less than a quarter in three rounds
    /// (`bbr_check_full_bw_reached`).
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

    /// STARTUP ends when the pipe is full, DRAIN when no queue is left (`bbr_check_drain`).
    fn check_drain(&mut self, delivery: &Delivery, window: &mut Window) {
        if !matches!(self.mode, Mode::Startup | Mode::Drain) {
            return;
        }
        let target = self.inflight(self.max_bw.get(), 1.0);
        if matches!(self.mode, Mode::Startup) && self.full_pipe {
            self.mode = Mode::Drain;
            window.ssthresh = target.max(2.0);
        }
        if matches!(self.mode, Mode::Drain) && self.packets_in_net_at_edt(delivery.flight, delivery) <= target
        {
            self.begin_cycle();
        }
    }

    /// The gains of the state (`bbr_update_gains`). A policer's rate is not probed beyond.
    fn update_gains(&mut self) {
        let Bbr1Parameters { high_gain, drain_gain, cwnd_gain, .. } = self.parameters;
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (high_gain, high_gain),
            Mode::Drain => (drain_gain, high_gain),
            Mode::ProbeBw { .. } if self.long_term.in_use().is_some() => (1.0, cwnd_gain),
            Mode::ProbeBw { phase, .. } => (CYCLE[phase], cwnd_gain),
            Mode::ProbeRtt(_) => (1.0, 1.0),
        };
    }

    /// The rate of pacing (`bbr_set_pacing_rate`). Before the pipe is full it only rises.
    fn set_rate(&mut self, delivery: &Delivery, window: &Window) {
        let kept = 1.0 - self.parameters.pacing_margin;
        let before = self.rate.unwrap_or_else(|| {
            kept * self.parameters.high_gain * window.cwnd / delivery.smoothed.as_secs_f64().max(1e-6)
        });
        self.pace_at(self.pacing_gain, before, delivery.payload);
    }

    /// Paces at the bandwidth times `gain`, the rate having been `before`.
    fn pace_at(&mut self, gain: f64, before: f64, payload: u32) {
        let found = (1.0 - self.parameters.pacing_margin) * gain * self.bw();
        let rate = if found > 0.0 && (self.full_pipe || found > before) { found } else { before };
        if self.rate != Some(rate) {
            self.rate = Some(rate);
            let slow = rate * f64::from(payload) < MIN_TSO_RATE;
            let least = if slow { 1 } else { self.parameters.min_tso_segments };
            self.burst = burst(rate, Duration::MAX, payload, least);
        }
    }

    /// The window follows its target, never below four segments (`bbr_set_cwnd`).
    fn set_cwnd(&mut self, delivery: &Delivery, window: &mut Window) {
        let newly = f64::from(delivery.newly);
        if delivery.newly > 0 && self.saved.recover_or_restore(delivery, window) {
            self.rounds.begin(delivery.delivered);
        }
        if delivery.newly > 0 && !self.saved.conserving {
            let extra = if self.full_pipe { self.aggregation.extra(self.bw()) } else { 0.0 };
            let target = bdp(self.bw(), self.min_rtt, self.cwnd_gain, INIT_CWND) + extra;
            let target = self.quantization_budget(target);
            if self.full_pipe {
                window.cwnd = min(window.cwnd + newly, target);
            } else if window.cwnd < target || (delivery.delivered as f64) < INIT_CWND {
                window.cwnd += newly;
            }
            window.cwnd = max(window.cwnd, MIN_CWND);
        }
        if self.probes_rtt() {
            window.cwnd = window.cwnd.min(MIN_CWND);
        }
    }

    const fn probes_rtt(&self) -> bool {
        matches!(self.mode, Mode::ProbeRtt(_))
    }
}

impl Congestion for Bbr1 {
    const FACTS: Facts =
        Facts { marks: Marks::Ignored, samples: true, kernel_name: Some("bbr"), ..Facts::PLAIN };

    fn set_random(&mut self, random: Rng) {
        self.random = random;
    }

    fn pace(&self) -> Pace {
        Pace { rate: self.rate, limits_itself: self.limits_itself, ..Pace::default() }
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        if self.min_rtt == Duration::MAX {
            (self.min_rtt, self.min_rtt_at) = (delivery.min_rtt, tick(delivery.now));
            self.delivered_at = delivery.now;
        }
        if delivery.newly > 0 {
            self.delivered_at = delivery.now;
        }
        self.update_bw(delivery, window.cwnd);
        self.update_cycle_phase(delivery);
        self.check_full_pipe(delivery);
        self.check_drain(delivery, window);
        self.update_min_rtt(delivery, window);
        self.update_gains();
        self.set_rate(delivery, window);
        self.set_cwnd(delivery, window);
    }

    fn on_ack(&mut self, _: Ack, _: &mut Window) {}

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        self.saved.save(window.cwnd, self.probes_rtt());
        Repair::Uncut
    }

    fn on_mark(&mut self, _: Signal, _: &mut Window) {}

    fn on_timeout(&mut self, _: Signal, window: &mut Window) {
        self.saved.save(window.cwnd, self.probes_rtt());
        window.cwnd = 1.0;
    }

    /// A timeout is like the end of a round, and may end an interval of a policer (`bbr_set_state`).
    fn on_expiry(&mut self, counts: &Counts) {
        self.delivered_at = counts.delivered_at;
        self.saved.state = RecoveryState::Loss;
        self.full_bw = 0.0;
        self.round_start = true;
        self.look_for_policer(&counts.into());
    }

    /// The rate need not be more than the bandwidth (`bbr_cwnd_event_tx_start`).
    fn on_restart(&mut self, counts: &Counts, window: &mut Window) {
        (self.idle_restart, self.delivered_at) = (true, counts.delivered_at);
        self.aggregation.restart(counts.now);
        match (self.mode, self.rate) {
            (Mode::ProbeBw { .. }, Some(before)) => self.pace_at(1.0, before, counts.payload),
            (Mode::ProbeRtt(probe), _) if probe.has_lasted(counts.now) => {
                self.leave_probe_rtt(counts.now, window);
            }
            _ => {}
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("mode", f64::from(self.mode.number()));
        record("bw", self.bw());
        record("min_rtt", self.min_rtt.as_secs_f64());
        record("pacing_gain", self.pacing_gain);
        record("cwnd_gain", self.cwnd_gain);
    }
}
