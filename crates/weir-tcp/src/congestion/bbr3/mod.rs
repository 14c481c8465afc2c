//! BBR version 3: sends at the bottleneck's rate, which it measures, and bounds what it has in flight by losses.
//!
//! N. Cardwell, I. Swett, J. Beshay: *BBR Congestion Control*, draft-ietf-ccwg-bbr; as in google/bbr, branch v3
//! (`net/ipv4/tcp_bbr.c`), which registers version 3 of BBR for Linux.
//!
//! ```text
//! max_bw   = greatest delivery rate of this cycle of PROBE_BW and the last     min_rtt = least round trip of 10 s
//! bw       = min(max_bw, bw_lo)           pacing = 0.99 pacing_gain bw         cwnd <= inflight_hi, inflight_lo
//!
//!            pacing_gain  cwnd          until
//! STARTUP    2.77         2 BDP         3 rounds without 25% more bandwidth; or a round of too many losses
//! DRAIN      0.34         2 BDP         flight <= BDP
//! DOWN       0.91         2 BDP         flight <= BDP, 0.85 inflight_hi
//! CRUISE     1            2 BDP         2 to 3 s, or min(BDP, 63) rounds, since DOWN began; cwnd <= 0.85 inflight_hi
//! REFILL     1            2 BDP         a round; bw_lo and inflight_lo are forgotten
//! UP         1.25         2.25 BDP      too many losses, or 3 rounds without 25% more bandwidth
//! PROBE_RTT  1            BDP / 2       200 ms and a round; 5 s after the last round trip that was lower
//! ```
//!
//! Too many losses of a probe set `inflight_hi` to what was in flight; probes that lose less raise it, by 1, 2, 4 ...
//! segments a round. Other losses set `bw_lo` and `inflight_lo`: see `bounds`.
//!
//! The kernel departs from the draft in constants; the parameters say where. Marks are ignored, as in the kernel,
//! unless an option says otherwise: see `ecn`. Left out: the undo of false losses, which the sender does not find.

mod bounds;
mod control;
mod ecn;
mod model;
mod parameters;
mod probe_bw;
mod probe_rtt;
mod signals;
mod startup;
mod state;

use alloc::boxed::Box;

use weir_types::{Duration, Instant, Rng, Streams};

pub use self::parameters::{Bbr3EcnParameters, Bbr3Parameters};
use self::{
    bounds::Bounds,
    ecn::Ecn,
    state::{Acks, Mode, Phase, Work},
};
use super::{
    Ack, Congestion, Counts, Delivery, Facts, Marks, Pace, RateSample, RecoveryState, Repair, Signal,
    TailAnswer, Transmission, Window,
    bbr::{Aggregation, INIT_CWND, MIN_CWND, Rounds, Saved, bdp, burst, packets_in_net_at_edt, tick},
};
use crate::accecn::EcnMode;

/// Greatest first window that counts, in segments: the kernel has 7 bits for it.
const MOST_INIT_CWND: f64 = 127.0;

/// BBR's congestion control, version 3. Rates are segments per second, windows and volumes segments.
#[derive(Clone, Debug)]
pub struct Bbr3 {
    parameters: Bbr3Parameters,
    mode: Mode,
    /// The greatest delivery rate of the cycle before and of this one.
    max_bw: [f64; 2],
    bounds: Bounds,
    /// The least round trip, and when it was measured.
    min_rtt: Duration,
    min_rtt_at: Instant,
    /// The least round trip since the last `PROBE_RTT`, for the time of the next, and when it was measured.
    recent_rtt: Duration,
    recent_rtt_at: Instant,
    /// Rate of pacing; `None` before a round trip is known.
    rate: Option<f64>,
    /// Rate of pacing over the bandwidth.
    pacing_gain: f64,
    /// Window over the product of bandwidth and least round trip.
    cwnd_gain: f64,
    /// The window after the last ACK, and at the beginning.
    cwnd: f64,
    init_cwnd: f64,
    /// Bytes of data in a segment.
    payload: u32,
    rounds: Rounds,
    /// The ACK at hand begins a round.
    round_start: bool,
    /// The bandwidth when it last grew by a quarter, and rounds since.
    full_bw: f64,
    full_rounds: u32,
    /// The bandwidth has stopped growing in this probe.
    full_now: bool,
    /// It has stopped growing at all: the pipe is full.
    full_pipe: bool,
    /// ACKs of this round that told of losses, in STARTUP.
    loss_events: u32,
    acks: Acks,
    /// Samples are of a probe.
    probing: bool,
    /// The probe has lost too much.
    too_high: bool,
    /// The probe before has lost too much: this one ends at its bound.
    risky: bool,
    /// When DOWN or UP began, and the time from DOWN to the next probe.
    phase_at: Instant,
    wait: Duration,
    rounds_since_probe: u32,
    /// In UP `inflight_hi` grows by one per `up_each` segments, of which `up_acked` have arrived, for `up_rounds`.
    up_each: f64,
    up_acked: f64,
    up_rounds: i32,
    /// State of the answer to marks; `None`: they are ignored.
    ecn: Option<Box<Ecn>>,
    /// Surplus that ACKs bring at once.
    aggregation: Aggregation,
    /// The window to return to.
    saved: Saved,
    /// The window has reached its target: ACKs may take the fast path while the application limits.
    try_fast_path: bool,
    /// The ACK at hand found it in `PROBE_RTT`: the window is too small for samples to tell a rate.
    limits_itself: bool,
    /// The first segment after an idle time has not arrived yet.
    idle_restart: bool,
    random: Rng,
}

impl Bbr3 {
    /// BBR with these parameters.
    pub fn new(parameters: &Bbr3Parameters) -> Self {
        Self {
            parameters: *parameters,
            mode: Mode::Startup,
            max_bw: [0.0; 2],
            bounds: Bounds::new(),
            min_rtt: Duration::MAX,
            min_rtt_at: Instant::ZERO,
            recent_rtt: Duration::MAX,
            recent_rtt_at: Instant::ZERO,
            rate: None,
            pacing_gain: parameters.startup_gain,
            cwnd_gain: parameters.cwnd_gain,
            cwnd: INIT_CWND,
            init_cwnd: INIT_CWND,
            payload: 1,
            rounds: Rounds::default(),
            round_start: false,
            full_bw: 0.0,
            full_rounds: 0,
            full_now: false,
            full_pipe: false,
            loss_events: 0,
            acks: Acks::Init,
            probing: false,
            too_high: false,
            risky: false,
            phase_at: Instant::ZERO,
            wait: Duration::ZERO,
            rounds_since_probe: 0,
            up_each: f64::INFINITY,
            up_acked: 0.0,
            up_rounds: 0,
            ecn: parameters.ecn.map(|ecn| Box::new(Ecn::new(ecn))),
            aggregation: Aggregation::default(),
            saved: Saved::NONE,
            try_fast_path: false,
            limits_itself: false,
            idle_restart: false,
            random: Streams::new(0).at("bbr3"),
        }
    }

    /// The bandwidth without regard to losses.
    fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// The bandwidth that counts.
    fn bw(&self) -> f64 {
        self.max_bw().min(self.bounds.bw_lo)
    }

    /// It probes for bandwidth: losses do not lower the lower bounds.
    const fn probes(&self) -> bool {
        matches!(self.mode, Mode::Startup | Mode::ProbeBw(Phase::Refill | Phase::Up))
    }

    fn tso_segments(&self) -> f64 {
        burst(self.rate.unwrap_or(0.0), self.min_rtt, self.payload, self.parameters.min_tso_segments)
    }

    /// A window with room for what hosts hold back in bursts (`bbr_quantization_budget`).
    fn quantization_budget(&self, cwnd: f64) -> f64 {
        let cwnd = cwnd.max(3.0 * self.tso_segments()).max(MIN_CWND);
        // A small window would not grow in the phase that is to raise it.
        if self.mode == Mode::ProbeBw(Phase::Up) { cwnd + 2.0 } else { cwnd }
    }

    /// `gain` times the product of the bandwidth `bw` and the least round trip, in whole segments (`bbr_bdp`).
    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        bdp(bw, self.min_rtt, gain, self.init_cwnd)
    }

    /// Segments in flight that fill the path at the bandwidth `bw` (`bbr_inflight`).
    fn inflight(&self, bw: f64) -> f64 {
        self.quantization_budget(self.bdp(bw, 1.0))
    }

    /// Number of segments that should be in flight, at most the window.
    fn target_inflight(&self) -> f64 {
        self.inflight(self.bw()).min(self.cwnd)
    }

    /// Segments in the network when the next one leaves. While the rate probes, a burst more is on its way out.
    fn packets_in_net_at_edt(&self, flight: u32, delivery: &Delivery) -> f64 {
        let extra = if self.pacing_gain > 1.0 { self.tso_segments() } else { 0.0 };
        packets_in_net_at_edt(flight, self.bw(), extra, delivery)
    }

    /// `inflight_hi` less the room that is left for others (`bbr_inflight_with_headroom`).
    fn with_headroom(&self) -> f64 {
        self.bounds.with_headroom(self.parameters.headroom, MIN_CWND)
    }

    const fn probes_rtt(&self) -> bool {
        matches!(self.mode, Mode::ProbeRtt(_))
    }
}

impl Congestion for Bbr3 {
    const FACTS: Facts = Facts { marks: Marks::Ignored, samples: true, ..Facts::PLAIN };

    fn set_random(&mut self, random: Rng) {
        self.random = random;
    }

    fn on_ecn(&mut self, mode: EcnMode) {
        if let Some(ecn) = &mut self.ecn {
            ecn.set_mode(mode);
        }
    }

    fn pace(&self) -> Pace {
        Pace { rate: self.rate, limits_itself: self.limits_itself, ..Pace::default() }
    }

    fn on_segment_lost(&mut self, lost: &Transmission) {
        self.note_loss(lost.delivered);
        if self.probing && self.parameters.is_too_high(lost.lost, lost.flight) {
            let flight = self.parameters.safe_inflight(lost);
            self.bound_flight(flight, lost.app_limited, lost.now, lost.delivered);
        }
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        self.payload = delivery.payload;
        if self.min_rtt == Duration::MAX {
            (self.min_rtt, self.min_rtt_at) = (delivery.min_rtt, tick(delivery.now));
            (self.recent_rtt, self.recent_rtt_at) = (self.min_rtt, self.min_rtt_at);
            self.init_cwnd = window.cwnd.min(MOST_INIT_CWND);
        }
        if self.saved.state == RecoveryState::Loss && delivery.state != RecoveryState::Loss {
            window.cwnd = window.cwnd.max(self.saved.cwnd);
            self.try_fast_path = false;
        }
        self.cwnd = window.cwnd;
        (self.round_start, self.bounds.round_start) = (false, false);
        if let Some(TailAnswer::Repaired { app_limited }) = delivery.sample.and_then(|sample| sample.tail) {
            self.note_repaired_tail(delivery, app_limited);
        }
        let valid = delivery.sample.and_then(|sample| Some((sample, sample.rate()?)));
        if let Some((sample, _)) = valid {
            self.round_start = self.rounds.update(&sample, delivery.delivered);
            self.rounds_since_probe += u32::from(self.round_start);
        }
        self.hear_marks(delivery);
        if let Some((sample, bw)) = valid {
            self.bounds.take_latest(&sample, bw, delivery.delivered);
        }
        let sample = (delivery.sample.unwrap_or(RateSample::NOTHING), valid.map_or(0.0, |valid| valid.1));
        let work = self.run_fast_path(delivery, sample, window);
        if work == Work::All {
            self.update_model(delivery, sample, window);
        }
        if work != Work::Nothing {
            self.update_gains();
            self.set_rate(delivery, window);
            self.set_cwnd(delivery, window);
        }
        if let Some((sample, bw)) = valid {
            self.bounds.advance_latest(&sample, bw);
        }
        self.note_cycle(delivery);
        self.saved.state = delivery.state;
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

    /// The path may be another now (`bbr_set_state`).
    fn on_expiry(&mut self, _: &Counts) {
        self.cwnd = 1.0;
        self.saved.state = RecoveryState::Loss;
        self.reset_full_bw(0.0);
        if !self.probes() && self.bounds.inflight_lo.is_infinite() {
            self.bounds.inflight_lo = self.saved.cwnd;
        }
    }

    /// The rate need not be more than the bandwidth (`bbr_cwnd_event`).
    fn on_restart(&mut self, counts: &Counts, window: &mut Window) {
        self.idle_restart = true;
        self.aggregation.restart(counts.now);
        match (self.mode, self.rate) {
            (Mode::ProbeBw(_), Some(before)) => self.pace_at(1.0, before),
            (Mode::ProbeRtt(probe), _) if probe.has_lasted(counts.now) => {
                self.leave_probe_rtt(counts.now, counts.delivered, window);
                self.cwnd = window.cwnd;
            }
            _ => {}
        }
    }

    fn answers_marks(&self) -> bool {
        false
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        let mode = match self.mode {
            Mode::Startup => 0.0,
            Mode::Drain => 1.0,
            Mode::ProbeBw(_) => 2.0,
            Mode::ProbeRtt(_) => 3.0,
        };
        record("mode", mode);
        record("bw", self.bw());
        record("min_rtt", self.min_rtt.as_secs_f64());
        record("pacing_gain", self.pacing_gain);
        record("cwnd_gain", self.cwnd_gain);
        record("inflight_hi", self.bounds.inflight_hi);
        record("inflight_lo", self.bounds.inflight_lo);
        if let Some(ecn) = &self.ecn {
            record("ecn_alpha", ecn.alpha());
        }
    }
}
