//! COBALT (CoDel and BLUE Alternate), the AQM of CAKE.
//!
//! T. Høiland-Jørgensen, D. Täht, J. Morton: *Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways*, IEEE LANMAN 2018; J. Morton's `sch_cake` in Linux, which is the
//! definition in detail. CoDel looks at the packet at the head:
//!
//! ```text
//! sojourn > target          dropping; the first signal an interval later
//! at drop_next, dropping    signal; count up;   drop_next += interval / sqrt(count)
//! at drop_next, not         count down;         drop_next += interval / sqrt(count)
//! ```
//!
//! so a new congestion episode resumes at the last signalling rate. Blue handles unresponsive
//! traffic: `p_drop` rises on overflow, falls on an empty queue, and drops packets even if they are
//! ECN-capable.
//!
//! While `count` is 0, `drop_next` is one interval after the last packet. The next packet above
//! target within that time starts an interval without signals, as in CoDel. After a longer pause
//! `drop_next` has passed, and the following packet is signalled. `sch_cake` does the same: it
//! compares the `now - drop_next` stored on entry, even if `drop_next` has changed since. With the
//! new value, half of the drops would be missing.
//!
//! Differences: in `sch_cake`, a sojourn time below 4 MTUs, or 2 MTUs per bulk flow, is never too
//! long. `sch_cake` always marks ECN-capable packets, and has no `blue_threshold` (ns-3).

mod state;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Instant, Invalid, Probability, Rng};

pub(crate) use state::{Judgement, Settings, State};

use crate::{Aqm, Backlog, Link, PacketInfo, Reason, Verdict};

/// Parameters of COBALT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "CAKE (Linux `sch_cake`)"))]
pub struct CobaltParameters {
    /// Acceptable sojourn time; also the minimum time between two steps of `p_drop`.
    #[schemars(extend("x-tunable" = { "from": "0.5 ms", "to": "100 ms", "source": "RFC 8289, sections 3.2 and 4.3: 5% to 10% of a round trip of 10 ms to 1 s" }))]
    #[schemars(extend("x-role" = "delay"))]
    pub target: Duration,
    /// Time above `target` before the first signal.
    #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "1000 ms", "source": "RFC 8289, section 4.3: round trips of 10 ms to 1 s" }))]
    pub interval: Duration,
    /// Mark ECN-capable packets where CoDel would drop them. Blue still drops them.
    #[schemars(extend("x-default-source" = "ns-3; CAKE always marks"))]
    pub ecn: bool,
    /// Increment of `p_drop` when the buffer overflows.
    pub increment: Probability,
    /// Decrement of `p_drop` when the queue is empty.
    pub decrement: Probability,
    /// Sojourn time above which `p_drop` also increases; ns-3 has 400 ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "no threshold, as CAKE"))]
    pub blue_threshold: Option<Duration>,
}

impl Default for CobaltParameters {
    fn default() -> Self {
        Self {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            ecn: false,
            increment: Probability::constant(1.0 / 256.0),
            decrement: Probability::constant(1.0 / 4096.0),
            blue_threshold: None,
        }
    }
}

impl CobaltParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        super::check_interval(self.interval, "CAKE has 100 ms")?;
        super::check_target(self.target, self.interval)
    }

    /// COBALT. It does not need to know the link.
    pub fn build(&self, _link: Link, rng: Rng) -> Cobalt {
        let settings = Settings {
            target: self.target,
            interval: self.interval,
            increment: self.increment.get(),
            decrement: self.decrement.get(),
        };
        Cobalt { settings, ecn: self.ecn, blue_threshold: self.blue_threshold, state: State::default(), rng }
    }
}

/// CoDel and BLUE Alternate.
#[derive(Clone, Debug)]
pub struct Cobalt {
    settings: Settings,
    ecn: bool,
    blue_threshold: Option<Duration>,
    state: State,
    rng: Rng,
}

impl Aqm for Cobalt {
    /// Never signals; an overflow raises Blue's probability.
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        if queue.overflows(packet.bytes) {
            self.on_overflow(1, now);
        }
        Verdict::Pass
    }

    #[inline]
    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, _: Backlog, now: Instant) -> Verdict {
        let Self { settings, state, rng, .. } = self;
        if self.blue_threshold.is_some_and(|threshold| sojourn > threshold) {
            state.blue_up(settings, now);
        }
        let markable = self.ecn && packet.ecn.is_markable();
        match state.judge(sojourn > settings.target, markable, settings, rng, now) {
            Judgement { drop: true, .. } => Verdict::Drop(Reason::Early),
            Judgement { mark: true, .. } => Verdict::Mark(Reason::Early),
            _ => Verdict::Pass,
        }
    }

    fn drops_on_departure(&self) -> bool {
        true
    }

    fn on_idle(&mut self, now: Instant) {
        self.state.ran_empty(&self.settings, now);
    }

    fn on_overflow(&mut self, _packets: u32, now: Instant) {
        self.state.overflowed(&self.settings, now);
    }

    fn take_over(&mut self, former: &Self) {
        (self.state, self.rng) = (former.state.clone(), former.rng.clone());
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.state.probe(record);
    }
}
