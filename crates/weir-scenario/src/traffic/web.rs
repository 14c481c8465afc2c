//! Web sessions: people who load page after page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, PacketSize};

use super::Sizes;

/// Sessions of pages, pages of objects: PagePool/WebTraf of ns-2 (A. Feldmann et al., "Dynamics of IP
/// traffic", SIGCOMM 1999). Every object comes over a TCP connection of its own; requests take no time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("examples" = [{"inter_page": "15 s", "inter_session": "10 ms"}]))]
pub struct Web {
    /// Pages of a session; then its user has left. Default: until `stop`, or the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Mean of the exponential time between pages. Default 15 s (ns-2's large-scale-web).
    pub inter_page: Duration,
    /// Where the time between pages begins. Default: when the last object has arrived.
    pub inter_page_from: PageTime,
    /// Objects of a page, on average. Default 1 (ns-2's large-scale-web).
    pub objects: f64,
    /// How the number of objects varies. Default: not at all.
    pub objects_vary: ObjectCount,
    /// Mean of the exponential time between the starts of two objects of a page. Default 10 ms (ns-2's
    /// large-scale-web).
    pub inter_object: Duration,
    /// Size of an object. Default: Pareto II with a mean of 12 packets and shape 1.2 (ns-2's
    /// large-scale-web).
    pub size: Sizes,
    /// Mean of the exponential time between the starts of two sessions, the first of which starts after
    /// one such time. Default: all start at `start`, with its jitter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inter_session: Option<Duration>,
}

/// Where the time between two pages begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageTime {
    /// When the last object of the page has arrived.
    #[default]
    End,
    /// When the page began; but no page begins before all objects of the last have been asked for.
    Start,
}

/// How the number of objects of a page varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObjectCount {
    /// Every page has as many, rounded.
    #[default]
    Constant,
    /// Exponential, rounded up.
    Exponential,
}

impl Default for Web {
    fn default() -> Self {
        Self {
            pages: None,
            inter_page: Duration::from_secs(15),
            inter_page_from: PageTime::default(),
            objects: 1.0,
            objects_vary: ObjectCount::default(),
            inter_object: Duration::from_millis(10),
            size: Sizes::default(),
            inter_session: None,
        }
    }
}

/// Web users as 3GPP has them (3GPP2 C.R1002-0, section 2.1), with the values of ns-3's HTTP applications:
/// a main object, the time to parse it, embedded objects one after the other, the time to read.
///
/// Sizes are of data; packets have 40 B of headers besides. Main objects are logarithm normal with mean
/// 10,710 B and deviation 25,032 B, between 100 B and 2 MB. Embedded objects are logarithm normal with
/// mean 7,758 B and deviation 126,168 B, between 50 B and 2 MB. There are so many as a Pareto number of
/// shape 1.1 from 2 to 55, less 2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThreeGpp {
    /// Pages of a user. Default: until `stop`, or the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Mean of the exponential time to read a page. Default 30 s.
    pub reading: Duration,
    /// Mean of the exponential time to parse a main object. Default 130 ms.
    pub parsing: Duration,
    /// Every object is asked for by a request of so many bytes, which takes the way back and never
    /// waits. Default 328 B.
    pub request: PacketSize,
    /// Requests take no time, as in ns-2. Default off.
    pub implicit_requests: bool,
    /// Share of users whose packets have 1500 B; those of the others have 576 B. Default 0.76.
    pub large_packets: f64,
}

impl ThreeGpp {
    /// Packets of most users: 1460 B of data and two headers.
    pub const LARGE_PACKET: u32 = 1500;
    /// Packets of the others: 536 B of data and two headers.
    pub const SMALL_PACKET: u32 = 576;
    /// Headers of TCP and IP, in bytes.
    pub const HEADERS: u32 = 40;
}

impl Default for ThreeGpp {
    fn default() -> Self {
        Self {
            pages: None,
            reading: Duration::from_secs(30),
            parsing: Duration::from_millis(130),
            request: PacketSize::new(328).expect("not zero"),
            implicit_requests: false,
            large_packets: 0.76,
        }
    }
}
