//! BBR version 3 once more, as a listing: google/bbr, branch v3, `net/ipv4/tcp_bbr.c`, with the names and the order of
//! that file. The draft is draft-ietf-ccwg-bbr, whose names of constants stand beside them.
//!
//! Numbers are real where the kernel has fractions of 2^24; times are in nanoseconds where it has microseconds. Windows
//! are whole, and clocks of `PROBE_RTT` have milliseconds, as there. Left out are marks, which have tests of their own,
//! and what Weir documents as left out: the undo of false losses, and the exception for delayed ACKs.

mod control;
mod model;
mod probe_bw;

use std::collections::BTreeSet;

use weir_tcp::congestion::{Counts, Delivery, RecoveryState, TailAnswer, Transmission};
use weir_types::{Instant, Rng};

use super::common::{
    AckAggregation, CWND_MIN_TARGET, GSO_BYTES, Listing, Mode, Shown, UNIT, bdp, bw_to_pacing_rate, jiffies,
    packets_in_net_at_edt, seconds, valid,
};

/// `MinRTTFilterLen`, in milliseconds.
const MIN_RTT_WIN: u64 = 10_000;
/// `ProbeRTTDuration`, in milliseconds.
const PROBE_RTT_MODE: u64 = 200;
/// `ProbeRTTInterval`, in milliseconds.
const PROBE_RTT_WIN: u64 = 5000;
/// `BBR.ProbeRTTCwndGain`
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// `sysctl_tcp_min_tso_segs`
const MIN_TSO_SEGS: f64 = 2.0;
/// Bursts halve with each 2^9 microseconds of the least round trip.
const TSO_RTT_SHIFT: u64 = 9;
/// `BBR.StartupPacingGain`, 4 ln 2: 277/100 in 256ths, and one more.
pub(super) const STARTUP_PACING_GAIN: f64 = (256 * 277 / 100 + 1) as f64 / UNIT;
pub(super) const STARTUP_CWND_GAIN: f64 = 2.0;
/// `BBR.DrainPacingGain`, 1000/2885 in 256ths.
pub(super) const DRAIN_GAIN: f64 = (256 * 1000 / 2885) as f64 / UNIT;
const CWND_GAIN: f64 = 2.0;
const UP_GAIN: f64 = 5.0 / 4.0;
/// 91/100 in 256ths.
pub(super) const DOWN_GAIN: f64 = (256 * 91 / 100) as f64 / UNIT;
/// UP adds it to the gain of the window.
const BW_PROBE_CWND_GAIN: f64 = 0.25;
const FULL_BW_THRESH: f64 = 1.25;
const FULL_BW_CNT: u32 = 3;
const EXTRA_ACKED_WIN_RTTS: u32 = 5;
/// Share that a loss takes off: 30/100 in 256ths; `BBR.Beta` is what is left.
pub(super) const BETA: f64 = (256 * 30 / 100) as f64 / UNIT;
/// `BBR.LossThresh`, 2/100 in 256ths.
pub(super) const LOSS_THRESH: f64 = (256 * 2 / 100) as f64 / UNIT;
/// `BBR.StartupFullLossCnt`
const FULL_LOSS_CNT: u32 = 6;
/// `BBR.Headroom`, 15/100 in 256ths.
pub(super) const INFLIGHT_HEADROOM: f64 = (256 * 15 / 100) as f64 / UNIT;
const BW_PROBE_MAX_ROUNDS: f64 = 63.0;
const BW_PROBE_RAND_ROUNDS: f64 = 2.0;
/// In nanoseconds.
const BW_PROBE_BASE: f64 = 2e9;
const BW_PROBE_RAND: f64 = 1e9;

/// Phases of `PROBE_BW` (`bbr_pacing_gain_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CycleIdx {
    Up,
    Down,
    Cruise,
    Refill,
}

/// How ACKs relate to a probe (`bbr_ack_phase`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// Facts that an ACK or a lost segment tells (`struct rate_sample`, `struct bbr_context`).
#[derive(Clone, Copy, Debug)]
struct Rs {
    valid: bool,
    sample_bw: f64,
    delivered: f64,
    prior_delivered: u64,
    is_app_limited: bool,
    tx_in_flight: f64,
    lost: f64,
    losses: bool,
    acked_sacked: f64,
    is_acking_tlp_retrans_seq: bool,
}

/// The control block, with the window and the rate that it sets.
pub(super) struct Bbr {
    cwnd: f64,
    ssthresh: f64,
    pacing_rate: f64,
    mss: f64,
    random: Rng,
    mode: Mode,
    min_rtt: u64,
    min_rtt_stamp: u64,
    probe_rtt_done_stamp: Option<u64>,
    probe_rtt_min: u64,
    probe_rtt_min_stamp: u64,
    probe_rtt_round_done: bool,
    next_rtt_delivered: u64,
    cycle_mstamp: u64,
    cycle_idx: CycleIdx,
    prev_ca_state: RecoveryState,
    round_start: bool,
    try_fast_path: bool,
    idle_restart: bool,
    bw_probe_up_rounds: u32,
    init_cwnd: f64,
    pacing_gain: f64,
    cwnd_gain: f64,
    full_bw_reached: bool,
    full_bw_now: bool,
    full_bw_cnt: u32,
    full_bw: f64,
    prior_cwnd: f64,
    aggregation: AckAggregation,
    loss_round_delivered: u64,
    loss_round_start: bool,
    loss_in_round: bool,
    loss_events_in_round: u32,
    bw_latest: f64,
    bw_lo: f64,
    bw_hi: [f64; 2],
    inflight_latest: f64,
    inflight_lo: f64,
    inflight_hi: f64,
    bw_probe_up_cnt: f64,
    bw_probe_up_acks: f64,
    probe_wait: f64,
    bw_probe_samples: bool,
    prev_probe_too_high: bool,
    stopped_risky_probe: bool,
    rounds_since_probe: u32,
    ack_phase: AckPhase,
    /// `tcp_mstamp`, `delivered` and `is_cwnd_limited` of the transport.
    tp: (u64, u64, bool),
    /// This ACK has set `app_limited` of the transport.
    app_limited: bool,
    /// Rarer rules that were at work.
    pub(super) seen: BTreeSet<&'static str>,
}

impl Bbr {
    pub(super) fn new(cwnd: f64, random: Rng) -> Self {
        Self {
            cwnd,
            ssthresh: f64::INFINITY,
            pacing_rate: 0.0,
            mss: 0.0,
            random,
            mode: Mode::Startup,
            min_rtt: u64::MAX,
            min_rtt_stamp: 0,
            probe_rtt_done_stamp: None,
            probe_rtt_min: u64::MAX,
            probe_rtt_min_stamp: 0,
            probe_rtt_round_done: false,
            next_rtt_delivered: 0,
            cycle_mstamp: 0,
            cycle_idx: CycleIdx::Up,
            prev_ca_state: RecoveryState::Open,
            round_start: false,
            try_fast_path: false,
            idle_restart: false,
            bw_probe_up_rounds: 0,
            init_cwnd: cwnd.min(127.0),
            pacing_gain: STARTUP_PACING_GAIN,
            cwnd_gain: STARTUP_CWND_GAIN,
            full_bw_reached: false,
            full_bw_now: false,
            full_bw_cnt: 0,
            full_bw: 0.0,
            prior_cwnd: 0.0,
            aggregation: AckAggregation::default(),
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_events_in_round: 0,
            bw_latest: 0.0,
            bw_lo: f64::INFINITY,
            bw_hi: [0.0; 2],
            inflight_latest: 0.0,
            inflight_lo: f64::INFINITY,
            inflight_hi: f64::INFINITY,
            bw_probe_up_cnt: f64::INFINITY,
            bw_probe_up_acks: 0.0,
            probe_wait: 0.0,
            bw_probe_samples: false,
            prev_probe_too_high: false,
            stopped_risky_probe: false,
            rounds_since_probe: 0,
            ack_phase: AckPhase::Init,
            tp: (0, 0, false),
            app_limited: false,
            seen: BTreeSet::new(),
        }
    }

    const fn max_bw(&self) -> f64 {
        self.bw_hi[0].max(self.bw_hi[1])
    }

    const fn bw(&self) -> f64 {
        self.max_bw().min(self.bw_lo)
    }

    fn in_phase(&self, cycle_idx: CycleIdx) -> bool {
        self.mode == Mode::ProbeBw && self.cycle_idx == cycle_idx
    }

    fn tso_segs_goal(&self) -> f64 {
        let near = 65_536_u64.checked_shr(((self.min_rtt / 1000) >> TSO_RTT_SHIFT) as u32).unwrap_or(0);
        let bytes = (((self.pacing_rate * self.mss) as u64 >> 10) + near).min(GSO_BYTES) as f64;
        (bytes / self.mss).floor().max(MIN_TSO_SEGS)
    }

    fn quantization_budget(&self, cwnd: f64) -> f64 {
        let cwnd = cwnd.max(3.0 * self.tso_segs_goal()).max(CWND_MIN_TARGET);
        if self.in_phase(CycleIdx::Up) { cwnd + 2.0 } else { cwnd }
    }

    fn inflight(&self, bw: f64) -> f64 {
        self.quantization_budget(bdp(bw, self.min_rtt, 1.0))
    }

    fn target_inflight(&self) -> f64 {
        self.inflight(self.bw()).min(self.cwnd)
    }

    fn packets_in_net_at_edt(&self, inflight_now: u32, ack: &Delivery) -> f64 {
        let skb = if self.pacing_gain > 1.0 { self.tso_segs_goal() } else { 0.0 };
        packets_in_net_at_edt(inflight_now, skb, self.bw(), ack)
    }

    fn probe_rtt_cwnd(&self) -> f64 {
        bdp(self.bw(), self.min_rtt, PROBE_RTT_CWND_GAIN).max(CWND_MIN_TARGET)
    }

    fn inflight_with_headroom(&self) -> f64 {
        let headroom = (self.inflight_hi * INFLIGHT_HEADROOM).floor().max(1.0);
        if self.inflight_hi.is_infinite() {
            return f64::INFINITY;
        }
        (self.inflight_hi - headroom).max(CWND_MIN_TARGET)
    }

    fn save_cwnd(&mut self) {
        let whole = self.prev_ca_state < RecoveryState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }
}
