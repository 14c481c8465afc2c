//! Westwood+: after a loss the window is what the path has just carried, not half of what it was.
//!
//! L. Grieco, S. Mascolo: *Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion
//! control*, Computer Communication Review 34 (2), 2004, section 2; Linux `tcp_westwood.c`.
//!
//! ```text
//! every round trip, delta long    b = segments acknowledged in it / delta
//!                                 BWE = (7 BWE + b) / 8              BWE = b the first time
//! a loss, a mark                  ssthresh = max(2, BWE RTT_min),  cwnd = min(cwnd, ssthresh)
//! a timeout                       ssthresh = max(2, BWE RTT_min),  cwnd = 1
//! an ACK                          as Reno
//! ```
//!
//! A duplicate ACK counts as one segment, since one has left the network. The ACK that ends the hole counts what
//! its duplicates have not. One sample per round trip and not per ACK: ACKs that a queue has compressed would show
//! far more than the path carries, as they did in Westwood.
//!
//! The rule follows Linux's source and descriptions of the paper, which was not compared line by line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid};

use super::{Ack, Congestion, Facts, Reno, RenoParameters, Repair, Signal, Window};
use crate::preset::{InPreset, TcpPreset};

/// Weight of the estimate so far in the next (section 2: 7/8).
const KEPT: f64 = 7.0 / 8.0;

/// Parameters of Westwood+.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WestwoodPlusParameters {
    /// Shortest time that a sample covers: a shorter round trip waits for more.
    #[schemars(extend("x-default-source" = "Linux, TCP_WESTWOOD_RTT_MIN; the paper has none"))]
    pub min_sample: Duration,
    /// Filter the estimate twice.
    #[schemars(extend("x-default-source" = "the paper; Linux does"))]
    pub filter_twice: bool,
    /// Growth of the window, and slow start.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub reno: RenoParameters,
}

impl Default for WestwoodPlusParameters {
    fn default() -> Self {
        Self { min_sample: Duration::from_millis(50), filter_twice: false, reno: RenoParameters::default() }
    }
}

impl InPreset for WestwoodPlusParameters {
    fn in_preset(preset: TcpPreset) -> Self {
        Self {
            filter_twice: preset == TcpPreset::Linux,
            reno: RenoParameters::in_preset(preset),
            ..Self::default()
        }
    }
}

impl WestwoodPlusParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.reno.check().map_err(|invalid| invalid.below("reno"))
    }
}

/// Westwood+'s congestion control.
#[derive(Clone, Debug)]
pub struct WestwoodPlus {
    parameters: WestwoodPlusParameters,
    reno: Reno,
    /// BWE, segments per second. `None` before the first sample.
    bandwidth: Option<f64>,
    /// BWE before the second filter, segments per second; BWE itself if there is none.
    filtered_once: f64,
    /// The least round trip.
    min_rtt: Duration,
    /// Beginning of the sample. `None` before the first ACK.
    since: Option<Instant>,
    /// Segments acknowledged in the sample.
    acked: u32,
    /// Segments that duplicate ACKs have counted, and that no ACK of new data has covered.
    counted: u32,
}

impl WestwoodPlus {
    /// Westwood+ with these parameters.
    pub fn new(parameters: &WestwoodPlusParameters) -> Self {
        Self {
            parameters: *parameters,
            reno: Reno::new(&parameters.reno),
            bandwidth: None,
            filtered_once: 0.0,
            min_rtt: Duration::MAX,
            since: None,
            acked: 0,
            counted: 0,
        }
    }

    /// Segments that an ACK shows to have left the network (Linux: `westwood_acked_count`).
    fn left(&mut self, acked: u32) -> u32 {
        match acked {
            0 => {
                self.counted += 1;
                1
            }
            1 => 1,
            // Its duplicates have counted all: this ACK itself is one more.
            _ if self.counted >= acked => {
                self.counted -= acked;
                1
            }
            _ => acked - core::mem::take(&mut self.counted),
        }
    }

    /// A sample of `rate` segments per second.
    fn filter(&mut self, rate: f64) {
        let Some(bandwidth) = self.bandwidth else {
            self.filtered_once = rate;
            self.bandwidth = Some(rate);
            return;
        };
        let smooth = |old: f64, new: f64| KEPT * old + (1.0 - KEPT) * new;
        self.filtered_once = smooth(self.filtered_once, rate);
        self.bandwidth = Some(if self.parameters.filter_twice {
            smooth(bandwidth, self.filtered_once)
        } else {
            self.filtered_once
        });
    }

    /// `ssthresh` after a loss, a mark or a timeout: what the path holds without a queue.
    fn fair_window(&self) -> f64 {
        self.bandwidth.map_or(0.0, |bandwidth| bandwidth * self.min_rtt.as_secs_f64()).max(2.0)
    }

    fn cut(&mut self, window: &mut Window) {
        self.reno.end_slow_start(false);
        window.ssthresh = self.fair_window();
        window.cwnd = window.cwnd.min(window.ssthresh);
    }
}

impl Congestion for WestwoodPlus {
    const FACTS: Facts = Facts { kernel_name: Some("westwood"), ..Facts::PLAIN };

    fn observe(&mut self, ack: Ack, _: &mut Window) -> bool {
        self.min_rtt = self.min_rtt.min(ack.rtt);
        let since = *self.since.get_or_insert(ack.now);
        let span = ack.now.since(since);
        if span > ack.smoothed.max(self.parameters.min_sample) {
            let acked = core::mem::take(&mut self.acked);
            self.filter(f64::from(acked) / span.as_secs_f64());
            self.since = Some(ack.now);
        }
        self.acked += self.left(ack.acked);
        false
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        self.reno.on_ack(ack, window);
    }

    fn on_loss(&mut self, _: Signal, window: &mut Window) -> Repair {
        self.cut(window);
        Repair::Recover
    }

    fn on_mark(&mut self, _: Signal, window: &mut Window) {
        self.cut(window);
    }

    fn on_timeout(&mut self, _: Signal, window: &mut Window) {
        self.reno.end_slow_start(true);
        window.ssthresh = self.fair_window();
        window.cwnd = 1.0;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("bandwidth", self.bandwidth.unwrap_or_default());
        record("min_rtt", if self.since.is_some() { self.min_rtt.as_secs_f64() } else { 0.0 });
    }
}
