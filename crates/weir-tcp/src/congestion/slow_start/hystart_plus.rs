//! `HyStart++`: slow start that slows down when round trips grow, and looks whether they go on.
//!
//! P. Balasubramanian, Y. Huang, M. Olson: *`HyStart++`: Modified Slow Start for TCP*, RFC 9406,
//! section 4.
//!
//! ```text
//! slow start           cwnd += min(n, L)
//!   after 8 samples    eta = clamp(last round's least RTT / 8, 4 ms, 16 ms)
//!                      this round's least RTT >= last round's + eta:  go to CSS
//! conservative (CSS)   cwnd += min(n, L) / 4
//!   after 8 samples    least RTT below that at the entry:  back to slow start
//!   after 5 rounds     ssthresh = cwnd
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid};

use crate::congestion::{Ack, Window, parts::Round};

/// Parameters of `HyStart++`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HystartPlusParameters {
    /// `MIN_RTT_THRESH`: least growth of the round trip that ends slow start.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3"))]
    pub min_threshold: Duration,
    /// `MAX_RTT_THRESH`: growth of the round trip that always ends slow start.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3"))]
    pub max_threshold: Duration,
    /// `N_RTT_SAMPLE`: samples of a round before it is judged.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3"))]
    pub samples: u32,
    /// `CSS_GROWTH_DIVISOR`: how many times slower conservative slow start grows.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3"))]
    pub divisor: f64,
    /// `CSS_ROUNDS`: rounds of conservative slow start.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3"))]
    pub rounds: u32,
    /// `L`: segments that one ACK counts for at most.
    #[schemars(extend("x-default-source" = "RFC 9406, section 4.3, without pacing"))]
    pub limit: f64,
}

impl Default for HystartPlusParameters {
    fn default() -> Self {
        Self {
            min_threshold: Duration::from_millis(4),
            max_threshold: Duration::from_millis(16),
            samples: 8,
            divisor: 4.0,
            rounds: 5,
            limit: 8.0,
        }
    }
}

impl HystartPlusParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless_positive(self.divisor, "divisor")?;
        Invalid::unless_positive(self.limit, "limit")?;
        Invalid::unless(
            self.max_threshold >= self.min_threshold,
            "max_threshold",
            "max_threshold is shorter than min_threshold",
            "exchange them",
        )
    }
}

/// The state of `HyStart++`.
#[derive(Clone, Debug)]
pub(in crate::congestion) struct HystartPlus {
    parameters: HystartPlusParameters,
    round: Round,
    /// Least round trips of the last round and of this one; [`Duration::MAX`] before a sample.
    last: Duration,
    current: Duration,
    samples: u32,
    /// In the second phase: the least round trip at its entry, and its rounds left.
    conservative: Option<(Duration, u32)>,
}

impl HystartPlus {
    pub(super) const fn new(parameters: HystartPlusParameters) -> Self {
        Self {
            parameters,
            round: Round::BEGIN,
            last: Duration::MAX,
            current: Duration::MAX,
            samples: 0,
            conservative: None,
        }
    }

    #[inline(never)]
    pub(super) fn grow(&mut self, ack: Ack, window: &mut Window) {
        let parameters = self.parameters;
        if self.round.ends(&ack) {
            // The part of a round that was left at the entry counts as one (section 4.2).
            if let Some((_, left)) = &mut self.conservative {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    window.ssthresh = window.cwnd;
                    return;
                }
            }
            self.last = core::mem::replace(&mut self.current, Duration::MAX);
            self.samples = 0;
        }
        self.current = self.current.min(ack.rtt);
        self.samples += 1;
        let counted = ack.counted.min(parameters.limit);
        window.cwnd += if self.conservative.is_some() { counted / parameters.divisor } else { counted };
        if self.samples < parameters.samples {
            return;
        }
        match self.conservative {
            None if self.last < Duration::MAX => {
                let eta = (self.last / 8).clamp(parameters.min_threshold, parameters.max_threshold);
                if self.current >= self.last + eta {
                    self.conservative = Some((self.current, parameters.rounds));
                }
            }
            // The growth was a passing one.
            Some((entry, _)) if self.current < entry => self.conservative = None,
            _ => {}
        }
    }
}
