//! BBR version 1 once more, as a listing: Linux, `net/ipv4/tcp_bbr.c`, with the names and the order of that file. The
//! draft (draft-cardwell-iccrg-bbr-congestion-control-00) has the same rules where its names are given.
//!
//! Numbers are real where the kernel has fractions of 2^24; times are in nanoseconds where it has microseconds. Windows
//! are whole, and clocks of `PROBE_RTT` and of policers have milliseconds, as there. Left out is what Weir documents as
//! left out: the exception for delayed ACKs. A round trip renews the least one only if it is lower, as in Linux since
//! 5.10. In the draft one that is as low does so, too.

mod control;

use std::collections::BTreeSet;

use weir_tcp::congestion::{Counts, Delivery, RecoveryState};
use weir_types::{Instant, Rng};

use super::common::{
    AckAggregation, CWND_MIN_TARGET, GSO_BYTES, Listing, Mode, Shown, TCP_INIT_CWND, UNIT, bdp,
    bw_to_pacing_rate, jiffies, packets_in_net_at_edt, seconds, valid,
};

/// Phases of the cycle of gains.
const CYCLE_LEN: usize = 8;
/// `BtlBwFilterLen`, in rounds.
const BW_RTTS: u64 = 10;
/// `RTpropFilterLen`, in milliseconds.
const MIN_RTT_WIN: u64 = 10_000;
/// `ProbeRTTDuration`, in milliseconds.
const PROBE_RTT_MODE: u64 = 200;
/// `BBRHighGain`, 2/ln 2: 2885/1000 in 256ths, and one more.
pub(super) const HIGH_GAIN: f64 = (256 * 2885 / 1000 + 1) as f64 / UNIT;
/// 1000/2885 in 256ths.
pub(super) const DRAIN_GAIN: f64 = (256 * 1000 / 2885) as f64 / UNIT;
const CWND_GAIN: f64 = 2.0;
const PACING_GAIN: [f64; CYCLE_LEN] = [5.0 / 4.0, 3.0 / 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
/// Phases of which the first is drawn.
const CYCLE_RAND: f64 = 7.0;
const FULL_BW_THRESH: f64 = 1.25;
const FULL_BW_CNT: u32 = 3;
const LT_INTVL_MIN_RTTS: u32 = 4;
const LT_LOSS_THRESH: f64 = 50.0 / UNIT;
const LT_BW_RATIO: f64 = 1.0 / 8.0;
/// 4 kbit/s, in bytes per second.
const LT_BW_DIFF: f64 = 4000.0 / 8.0;
const LT_BW_MAX_RTTS: u32 = 48;
const EXTRA_ACKED_WIN_RTTS: u32 = 5;
/// Bursts have one segment below it, in bytes per second.
const MIN_TSO_RATE: f64 = 1_200_000.0 / 8.0;

/// Windowed maximum of three samples, each a time in rounds and a value (`lib/win_minmax.c`).
#[derive(Default)]
struct Minmax([(u64, f64); 3]);

impl Minmax {
    fn running_max(&mut self, win: u64, val: (u64, f64)) {
        let Self([first, second, third]) = self;
        if val.1 >= first.1 || val.0 - third.0 > win {
            *self = Self([val; 3]);
            return;
        }
        if val.1 >= second.1 {
            (*second, *third) = (val, val);
        } else if val.1 >= third.1 {
            *third = val;
        }
        let dt = val.0 - first.0;
        if dt > win {
            (*first, *second, *third) = (*second, *third, val);
            if val.0 - first.0 > win {
                (*first, *second, *third) = (*second, *third, val);
            }
        } else if second.0 == first.0 && dt > win / 4 {
            (*second, *third) = (val, val);
        } else if third.0 == second.0 && dt > win / 2 {
            *third = val;
        }
    }
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
    probe_rtt_round_done: bool,
    bw: Minmax,
    rtt_cnt: u64,
    next_rtt_delivered: u64,
    cycle_mstamp: u64,
    cycle_idx: usize,
    prev_ca_state: RecoveryState,
    packet_conservation: bool,
    round_start: bool,
    idle_restart: bool,
    lt_is_sampling: bool,
    lt_rtt_cnt: u32,
    lt_use_bw: bool,
    lt_bw: f64,
    lt_last: (u64, u64, u64),
    pacing_gain: f64,
    cwnd_gain: f64,
    full_bw_reached: bool,
    full_bw_cnt: u32,
    full_bw: f64,
    prior_cwnd: f64,
    aggregation: AckAggregation,
    /// `delivered_mstamp`, `delivered` and `lost` of the transport.
    tp: (u64, u64, u64),
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
            probe_rtt_round_done: false,
            bw: Minmax::default(),
            rtt_cnt: 0,
            next_rtt_delivered: 0,
            cycle_mstamp: 0,
            cycle_idx: 0,
            prev_ca_state: RecoveryState::Open,
            packet_conservation: false,
            round_start: false,
            idle_restart: false,
            lt_is_sampling: false,
            lt_rtt_cnt: 0,
            lt_use_bw: false,
            lt_bw: 0.0,
            lt_last: (0, 0, 0),
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            full_bw_reached: false,
            full_bw_cnt: 0,
            full_bw: 0.0,
            prior_cwnd: 0.0,
            aggregation: AckAggregation::default(),
            tp: (0, 0, 0),
            app_limited: false,
            seen: BTreeSet::new(),
        }
    }

    const fn max_bw(&self) -> f64 {
        self.bw.0[0].1
    }

    const fn bw(&self) -> f64 {
        if self.lt_use_bw { self.lt_bw } else { self.max_bw() }
    }

    fn tso_segs_goal(&self) -> f64 {
        let rate = self.pacing_rate * self.mss;
        let min_tso_segs = if rate < MIN_TSO_RATE { 1.0 } else { 2.0 };
        let bytes = (rate as u64 >> 10).min(GSO_BYTES) as f64;
        (bytes / self.mss).floor().max(min_tso_segs).min(127.0)
    }

    fn quantization_budget(&self, cwnd: f64) -> f64 {
        let cwnd = cwnd + 3.0 * self.tso_segs_goal();
        let even = 2.0 * (cwnd / 2.0).ceil();
        if self.mode == Mode::ProbeBw && self.cycle_idx == 0 { even + 2.0 } else { even }
    }

    fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(bdp(bw, self.min_rtt, gain))
    }

    fn packets_in_net_at_edt(&self, inflight_now: u32, ack: &Delivery) -> f64 {
        let skb = if self.pacing_gain > 1.0 { self.tso_segs_goal() } else { 0.0 };
        packets_in_net_at_edt(inflight_now, skb, self.bw(), ack)
    }

    fn save_cwnd(&mut self) {
        let whole = self.prev_ca_state < RecoveryState::Recovery && self.mode != Mode::ProbeRtt;
        self.prior_cwnd = if whole { self.cwnd } else { self.prior_cwnd.max(self.cwnd) };
    }

    fn reset_probe_bw_mode(&mut self) {
        self.mode = Mode::ProbeBw;
        let drawn = (CYCLE_RAND * self.random.uniform()).floor() as usize;
        self.cycle_idx = CYCLE_LEN - 1 - drawn;
        self.advance_cycle_phase();
    }

    const fn advance_cycle_phase(&mut self) {
        self.cycle_idx = (self.cycle_idx + 1) % CYCLE_LEN;
        self.cycle_mstamp = self.tp.0;
    }

    fn reset_lt_bw_sampling_interval(&mut self) {
        self.lt_last = (self.tp.0 / 1_000_000, self.tp.1, self.tp.2);
        self.lt_rtt_cnt = 0;
    }

    fn reset_lt_bw_sampling(&mut self) {
        (self.lt_bw, self.lt_use_bw, self.lt_is_sampling) = (0.0, false, false);
        self.reset_lt_bw_sampling_interval();
    }

    fn lt_bw_interval_done(&mut self, bw: f64) {
        if self.lt_bw > 0.0 {
            let diff = (bw - self.lt_bw).abs();
            if diff <= LT_BW_RATIO * self.lt_bw || bw_to_pacing_rate(diff, 1.0) * self.mss <= LT_BW_DIFF {
                if diff > LT_BW_RATIO * self.lt_bw && diff * self.mss > LT_BW_DIFF {
                    self.seen.insert("4 kbit/s of pacing");
                }
                self.lt_bw = f64::midpoint(bw, self.lt_bw);
                (self.lt_use_bw, self.lt_rtt_cnt) = (true, 0);
                self.pacing_gain = 1.0;
                return;
            }
        }
        self.lt_bw = bw;
        self.reset_lt_bw_sampling_interval();
    }

    fn lt_bw_sampling(&mut self, losses: bool, is_app_limited: bool) {
        if self.lt_use_bw {
            if self.mode == Mode::ProbeBw && self.round_start {
                self.lt_rtt_cnt += 1;
                if self.lt_rtt_cnt >= LT_BW_MAX_RTTS {
                    self.reset_lt_bw_sampling();
                    self.reset_probe_bw_mode();
                }
            }
            return;
        }
        if !self.lt_is_sampling {
            if !losses {
                return;
            }
            self.reset_lt_bw_sampling_interval();
            self.lt_is_sampling = true;
        }
        if is_app_limited {
            self.reset_lt_bw_sampling();
            return;
        }
        self.lt_rtt_cnt += u32::from(self.round_start);
        if self.lt_rtt_cnt < LT_INTVL_MIN_RTTS {
            return;
        }
        if self.lt_rtt_cnt > 4 * LT_INTVL_MIN_RTTS {
            self.reset_lt_bw_sampling();
            return;
        }
        let (stamp, delivered, lost) = self.lt_last;
        let (delivered, lost) = ((self.tp.1 - delivered) as f64, (self.tp.2 - lost) as f64);
        let t = self.tp.0 / 1_000_000 - stamp;
        if losses && delivered > 0.0 && lost >= LT_LOSS_THRESH * delivered && t >= 1 {
            self.lt_bw_interval_done(delivered / (t as f64 * 1e-3));
        }
    }

    fn update_bw(&mut self, ack: &Delivery) {
        self.round_start = false;
        let Some((rs, bw)) = valid(ack) else { return };
        if rs.prior_delivered >= self.next_rtt_delivered {
            self.next_rtt_delivered = ack.delivered;
            self.rtt_cnt += 1;
            self.round_start = true;
            self.packet_conservation = false;
        }
        self.lt_bw_sampling(ack.lost > 0, rs.app_limited);
        if !rs.app_limited || bw >= self.max_bw() {
            self.bw.running_max(BW_RTTS, (self.rtt_cnt, bw));
        }
    }

    fn is_next_cycle_phase(&self, ack: &Delivery) -> bool {
        let is_full_length = self.tp.0 - self.cycle_mstamp > self.min_rtt;
        let inflight = self.packets_in_net_at_edt(ack.flight_before, ack);
        if self.pacing_gain > 1.0 {
            is_full_length && (ack.lost > 0 || inflight >= self.inflight(self.max_bw(), self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            is_full_length || inflight <= self.inflight(self.max_bw(), 1.0)
        } else {
            is_full_length
        }
    }

    fn check_full_bw_reached(&mut self, ack: &Delivery) {
        if self.full_bw_reached || !self.round_start || ack.sample.is_none_or(|rs| rs.app_limited) {
            return;
        }
        if self.max_bw() >= self.full_bw * FULL_BW_THRESH {
            (self.full_bw, self.full_bw_cnt) = (self.max_bw(), 0);
            return;
        }
        self.full_bw_cnt += 1;
        self.full_bw_reached = self.full_bw_cnt >= FULL_BW_CNT;
    }

    fn check_drain(&mut self, ack: &Delivery) {
        if self.mode == Mode::Startup && self.full_bw_reached {
            self.mode = Mode::Drain;
            self.ssthresh = self.inflight(self.max_bw(), 1.0);
        }
        if self.mode == Mode::Drain
            && self.packets_in_net_at_edt(ack.flight, ack) <= self.inflight(self.max_bw(), 1.0)
        {
            self.reset_probe_bw_mode();
        }
    }

    fn check_probe_rtt_done(&mut self, now: Instant) {
        if self.probe_rtt_done_stamp.is_none_or(|stamp| jiffies(now) <= stamp) {
            return;
        }
        self.min_rtt_stamp = jiffies(now);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.full_bw_reached {
            self.reset_probe_bw_mode();
        } else {
            self.mode = Mode::Startup;
        }
    }

    fn update_min_rtt(&mut self, ack: &Delivery) {
        let filter_expired = jiffies(ack.now) > self.min_rtt_stamp + MIN_RTT_WIN;
        if let Some(rtt) = ack.sample.and_then(|rs| rs.rtt)
            && (rtt.as_nanos() < self.min_rtt || filter_expired)
        {
            self.min_rtt = rtt.as_nanos();
            self.min_rtt_stamp = jiffies(ack.now);
        }
        if filter_expired && self.mode != Mode::ProbeRtt && self.idle_restart {
            self.seen.insert("PROBE_RTT put off");
        }
        if filter_expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.mode = Mode::ProbeRtt;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
        }
        // `rs->delivered`; nothing below reads it.
        self.idle_restart &= ack.sample.is_none();
        self.app_limited = self.mode == Mode::ProbeRtt;
        if self.mode != Mode::ProbeRtt {
            return;
        }
        if self.probe_rtt_done_stamp.is_none() && f64::from(ack.flight) <= CWND_MIN_TARGET {
            self.probe_rtt_done_stamp = Some(jiffies(ack.now) + PROBE_RTT_MODE);
            self.probe_rtt_round_done = false;
            self.next_rtt_delivered = ack.delivered;
        } else if self.probe_rtt_done_stamp.is_some() {
            self.probe_rtt_round_done |= self.round_start;
            if self.probe_rtt_round_done {
                self.check_probe_rtt_done(ack.now);
            }
        }
    }
}
