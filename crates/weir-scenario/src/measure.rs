use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::Duration;

/// Parts of the run that results leave out, and its division into periods.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measure {
    /// Left out of the rows for the whole run. Default: until all groups have begun and 100 of the longest
    /// round trips have passed, at most half of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<Duration>,
    /// Length of a period; every period gets rows of its own. Default: no periods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    /// Left out at the start of every period. Default 0 s.
    pub settle: Duration,
    /// The link that results are about, `"LINK"` or `"LINK.reverse"`, where several could be meant.
    /// Default: the one with the least capacity on the paths of the flows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<String>,
    /// Values over time. Default: none, which costs nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<Series>,
}

impl Measure {
    /// Time at the start that the rows for the whole run leave out.
    ///
    /// # Panics
    /// Before the scenario is complete.
    pub fn warm_up(&self) -> Duration {
        self.warm_up.expect("filled in when the scenario was read")
    }
}

/// Values over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Time between two values.
    pub interval: Duration,
    /// Flows whose window is recorded, such as `"ftp.0"`; `"ftp"` is all of a group.
    #[serde(default)]
    pub flows: Vec<String>,
}
