//! When the rate of a link changes.
//!
//! ```toml
//! rate_schedule = [{ at = "20 s", rate = "5 Mbit/s" }, { at = "40 s", rate = "10 Mbit/s" }]
//! rate_period = "60 s"  # then again from the beginning, with `rate`
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_aqm::RateSchedule;
use weir_types::{Duration, Rate};

use crate::problem::Problem;

/// One change of the rate of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateChange {
    /// Simulated time of the change, or the time since the schedule began anew.
    pub at: Duration,
    /// The rate from then on.
    pub rate: Rate,
}

/// A run would do nothing else if a link changed its rate more often for long.
const MICROSECOND: Duration = Duration::from_micros(1);

/// The schedule that begins with `rate`; `None` if there are no changes.
pub(crate) fn schedule(rate: Rate, changes: &[RateChange], period: Option<Duration>) -> Option<RateSchedule> {
    let changes: Vec<_> = changes.iter().map(|change| (change.at, change.rate)).collect();
    RateSchedule::new(rate, &changes, period).filter(|_| !changes.is_empty())
}

/// That the changes of the direction at `path` come one after another.
pub(crate) fn check_schedule(
    path: &str,
    changes: &[RateChange],
    period: Option<Duration>,
) -> Result<(), Problem> {
    let mut before = Duration::ZERO;
    for (index, RateChange { at, .. }) in changes.iter().enumerate() {
        let message = if before.is_zero() {
            "the rate from the start on is the link's own".to_owned()
        } else {
            format!("the change at {at} does not come after the one at {before}")
        };
        Problem::unless(
            *at > before,
            format!("{path}.rate_schedule[{index}].at"),
            message,
            "write the changes in the order of time, after 0 s; rate is the rate at 0 s",
        )?;
        before = *at;
    }
    let Some(period) = period else { return Ok(()) };
    let place = format!("{path}.rate_period");
    let hint = "write for example \"60 s\", longer than the last change takes to come";
    Problem::unless(!changes.is_empty(), &place, "there is no rate_schedule to begin anew", hint)?;
    Problem::unless(
        period > before,
        &place,
        format!("the schedule begins anew after {period}, before its change at {before}"),
        hint,
    )?;
    Problem::unless(
        period / (changes.len() as u64) >= MICROSECOND,
        &place,
        format!("a cycle of {period} changes the rate more than once in a microsecond"),
        hint,
    )
}
