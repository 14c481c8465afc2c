//! Parts that the listings of both versions have in common.

use weir_tcp::congestion::{Counts, Delivery, RateSample, Transmission};
use weir_types::Instant;

/// States, as the kernel numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Startup = 0,
    Drain = 1,
    ProbeBw = 2,
    ProbeRtt = 3,
}

/// Values that both a listing and the control show. Rates are segments per second, times seconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shown {
    pub(super) mode: f64,
    pub(super) bw: f64,
    pub(super) min_rtt: f64,
    pub(super) pacing_gain: f64,
    pub(super) cwnd_gain: f64,
    pub(super) pacing_rate: f64,
    pub(super) cwnd: f64,
    pub(super) ssthresh: f64,
    /// The last ACK has set `tp->app_limited`.
    pub(super) app_limited: bool,
    /// `inflight_hi` and `inflight_lo`; version 1 has none.
    pub(super) bounds: Option<[f64; 2]>,
}

/// A listing of an algorithm, told what a control is told.
pub(super) trait Listing {
    /// `bbr_init`, at the end of the handshake.
    fn init(&mut self, ack: &Delivery);
    /// `skb_marked_lost`.
    fn skb_marked_lost(&mut self, skb: &Transmission) {
        let _ = skb;
    }
    /// `ssthresh`.
    fn ssthresh(&mut self);
    /// The rest of `tcp_enter_loss`: a window of one segment and `set_state(TCP_CA_Loss)`.
    fn enter_loss(&mut self, tp: &Counts);
    /// `CA_EVENT_TX_START`, with `tp->app_limited` set.
    fn tx_start(&mut self, tp: &Counts);
    /// `bbr_main`.
    fn main(&mut self, ack: &Delivery);
    fn shown(&self) -> Shown;
}

/// `bbr_cwnd_min_target`
pub(super) const CWND_MIN_TARGET: f64 = 4.0;
pub(super) const TCP_INIT_CWND: f64 = 10.0;
/// Fractions of the kernel are whole 256ths.
pub(super) const UNIT: f64 = 256.0;
/// Greatest size of a burst: `GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER`.
pub(super) const GSO_BYTES: u64 = 65_536 - 1 - 320;
/// `bbr_pacing_margin_percent`
const PACING_MARGIN_PERCENT: f64 = 1.0;

/// Rounded as [`RateSample::rate`] is: a whole product of rate and time must not differ by its last bit.
pub(super) fn seconds(nanos: u64) -> f64 {
    nanos as f64 * 1e-9
}

/// Time on the kernel's clock, in milliseconds (`tcp_jiffies32`).
pub(super) fn jiffies(now: Instant) -> u64 {
    now.as_nanos() / 1_000_000
}

/// `bbr_bw_to_pacing_rate`
pub(super) fn bw_to_pacing_rate(bw: f64, gain: f64) -> f64 {
    bw * gain * (100.0 - PACING_MARGIN_PERCENT) / 100.0
}

/// `bbr_bdp`: `ceil(bw * min_rtt * gain)`.
pub(super) fn bdp(bw: f64, min_rtt: u64, gain: f64) -> f64 {
    (bw * seconds(min_rtt) * gain).ceil()
}

/// `bbr_packets_in_net_at_edt`; `skb`: segments that leave at the earliest departure time.
pub(super) fn packets_in_net_at_edt(inflight_now: u32, skb: f64, bw: f64, ack: &Delivery) -> f64 {
    let interval = seconds(ack.next_release.as_nanos() - ack.now.as_nanos());
    let interval_delivered = (bw * interval).floor();
    (f64::from(inflight_now) + skb - interval_delivered).max(0.0)
}

/// A sample that tells a rate, with that.
pub(super) fn valid(ack: &Delivery) -> Option<(RateSample, f64)> {
    let rs = ack.sample?;
    Some((rs, rs.rate()?))
}

/// Surplus that ACKs bring at once (`bbr_update_ack_aggregation`).
#[derive(Default)]
pub(super) struct AckAggregation {
    ack_epoch_mstamp: u64,
    ack_epoch_acked: f64,
    extra_acked: [f64; 2],
    extra_acked_win_rtts: u32,
    extra_acked_win_idx: usize,
    /// The epoch that a restart has ended: `ack_epoch_mstamp` and `ack_epoch_acked`.
    cut: Option<(u64, f64)>,
    /// An epoch that a restart has ended would have gone on with the next ACK.
    pub(super) cut_short: bool,
}

impl AckAggregation {
    /// `bbr_extra_acked_max_us`
    const EXTRA_ACKED_MAX: f64 = 0.1;
    /// `bbr_ack_epoch_acked_reset_thresh`
    const RESET_THRESH: f64 = (1 << 20) as f64;

    pub(super) fn init(&mut self, ack: &Delivery) {
        *self = Self { ack_epoch_mstamp: ack.now.as_nanos(), ..Self::default() };
    }

    /// `CA_EVENT_TX_START`
    pub(super) fn restart(&mut self, now: Instant) {
        self.cut = Some((self.ack_epoch_mstamp, self.ack_epoch_acked));
        (self.ack_epoch_mstamp, self.ack_epoch_acked) = (now.as_nanos(), 0.0);
    }

    pub(super) fn update(&mut self, ack: &Delivery, round_start: bool, win_rtts: u32, bw: f64, cwnd: f64) {
        let acked = f64::from(ack.newly);
        if ack.newly == 0 || valid(ack).is_none() {
            return;
        }
        if round_start {
            self.extra_acked_win_rtts += 1;
            if self.extra_acked_win_rtts >= win_rtts {
                self.extra_acked_win_rtts = 0;
                self.extra_acked_win_idx = 1 - self.extra_acked_win_idx;
                self.extra_acked[self.extra_acked_win_idx] = 0.0;
            }
        }
        let now = ack.now.as_nanos();
        if let Some((mstamp, acked)) = self.cut.take() {
            self.cut_short |= acked > (bw * seconds(now - mstamp)).floor();
        }
        let mut expected_acked = (bw * seconds(now - self.ack_epoch_mstamp)).floor();
        if self.ack_epoch_acked <= expected_acked || self.ack_epoch_acked + acked >= Self::RESET_THRESH {
            (self.ack_epoch_acked, self.ack_epoch_mstamp, expected_acked) = (0.0, now, 0.0);
        }
        self.ack_epoch_acked += acked;
        let extra_acked = (self.ack_epoch_acked - expected_acked).min(cwnd);
        let slot = &mut self.extra_acked[self.extra_acked_win_idx];
        *slot = slot.max(extra_acked);
    }

    /// `bbr_ack_aggregation_cwnd`
    pub(super) fn cwnd(&self, bw: f64) -> f64 {
        self.extra_acked[0].max(self.extra_acked[1]).min((bw * Self::EXTRA_ACKED_MAX).floor())
    }
}
