//! The upstream of a cable modem: requests and grants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::{Docsis, RateSchedule};
use weir_types::{Draws, Duration, Rate};

use super::TokenBucketSpec;
use crate::problem::Problem;

/// Requests and grants of a cable modem: packets wait in the queue until the CMTS has granted what was asked for.
/// `rate` is the Maximum Sustained Traffic Rate; `burst` and `peak` of a token bucket apply to grants. Defaults are
/// those of the ns-3 model docsis-ns3 for ns-3.41.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("examples" = [{"channel": "100 Mbit/s"}]))]
pub struct DocsisSpec {
    /// Time between two MAP messages, each of which grants what is sent in such an interval.
    pub map_interval: Duration,
    /// The shortest time from a request to the interval that grants it: propagation both ways, coding, the work of the
    /// CMTS and of the modem.
    pub request_to_grant: Duration,
    /// The rate of the upstream channel, at which a granted burst leaves. Other modems have the rest of its time.
    pub channel: Rate,
    /// Proactive Grant Service of Low Latency DOCSIS: every interval grants the bytes of this rate without a request.
    /// Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guaranteed_grant_rate: Option<Rate>,
}

/// Maximum Traffic Burst where nothing is configured, in bytes (DOCSIS 3.1 MAC specification, C.2.2.7.3).
const LEAST_BURST: u64 = 3044;

impl Default for DocsisSpec {
    fn default() -> Self {
        Self {
            map_interval: Duration::from_millis(2),
            // MinReqGntDelay: 12 frames of 135 us. A MAP takes 757.5 us in the modem, 200 us in the CMTS, 45 us in the
            // interleaver and 60 us in the downstream coder. The way of 8 km takes 80 us, a request three frames.
            request_to_grant: Duration::from_micros(1_620),
            // UsCapacity: 235 minislots of 48 B in each frame.
            channel: Rate::from_bits_per_second(668_000_000).expect("above zero"),
            guaranteed_grant_rate: None,
        }
    }
}

impl DocsisSpec {
    /// The service of a modem with these `rates`, the `highest` of them, and this bucket.
    pub(crate) fn service(
        &self,
        rates: RateSchedule,
        highest: Rate,
        bucket: Option<&TokenBucketSpec>,
    ) -> Docsis {
        let mut docsis = Docsis {
            rates: rates.into(),
            burst: 0,
            peak: bucket.and_then(|bucket| bucket.peak),
            channel: self.channel,
            map_interval: self.map_interval,
            request_to_grant: self.request_to_grant,
            guaranteed: self.guaranteed_grant_rate,
            draws: Draws::default(),
        };
        // A bucket that holds less than an interval brings would be a lower rate. Two intervals, since less than a
        // byte is left over from one to the next.
        docsis.burst = bucket.map_or_else(
            || LEAST_BURST.max(2 * docsis.bytes_in_map(highest).saturating_add(1)),
            |bucket| bucket.burst.0,
        );
        docsis
    }

    /// That grants at `path` can carry the rates of the link, from the `lowest` to the `highest`.
    pub(crate) fn check(
        &self,
        path: &str,
        lowest: Rate,
        highest: Rate,
        bucket: Option<&TokenBucketSpec>,
    ) -> Result<(), Problem> {
        Problem::unless(
            !self.map_interval.is_zero(),
            format!("{path}.map_interval"),
            "grants without time between them",
            "write a time above zero: \"2 ms\"",
        )?;
        let peak = bucket.and_then(|bucket| bucket.peak);
        for (name, fast) in [("rate", Some(highest)), ("peak", peak)] {
            Problem::unless(
                fast.is_none_or(|fast| fast <= self.channel),
                format!("{path}.channel"),
                format!(
                    "the channel of {} is slower than the {name}, {}",
                    self.channel,
                    fast.unwrap_or(highest)
                ),
                "write the rate of the channel that all modems share",
            )?;
        }
        Problem::unless(
            self.service(RateSchedule::fixed(lowest), highest, bucket).most() > 0,
            format!("{path}.map_interval"),
            format!("the channel carries no byte in {}", self.map_interval),
            "write a longer time: \"2 ms\"",
        )?;
        Problem::unless(
            self.guaranteed_grant_rate.is_none_or(|granted| granted <= lowest),
            format!("{path}.guaranteed_grant_rate"),
            format!(
                "more is granted than the {} of the link, {lowest}, lets the modem send",
                if lowest == highest { "rate" } else { "lowest rate" }
            ),
            format!("write \"{lowest}\" or less"),
        )
    }
}
