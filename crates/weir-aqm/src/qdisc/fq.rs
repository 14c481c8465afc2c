//! [`FairQueue`] in scenario files: with any AQM, FQ-CoDel, FQ-PIE.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Write as _;

use weir_types::{Bytes, Duration, Invalid, Level, PacketSize, Probability, Rng, Streams};

use super::{AqmBacklog, FairQueue, FlowHashing, OverflowPolicy, Scheduler};
use crate::{
    Link, Packet,
    aqm::{AnyAqm, AqmConfig, Codel, CodelParameters, DropTailParameters, InvSqrt, Pie, PieParameters},
};

/// Declares the parameters of a scheduler beside those of its AQMs.
macro_rules! scheduler_parameters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// Number of queues.
            #[schemars(extend("x-default-source" = "RFC 8290, section 5.2"))]
            pub flows: u32,
            /// Bytes that a queue may send in one round.
            #[schemars(extend("x-default-source" = "RFC 8290, section 5.2: an Ethernet frame"))]
            pub quantum: PacketSize,
            /// Maximum backlog in bytes, in addition to the buffer of the link.
            #[schemars(extend("x-default-source" = "Linux"))]
            pub memory_limit: Bytes,
            /// Maximum number of packets dropped at once on overflow.
            #[schemars(extend("x-default-source" = "Linux"))]
            pub drop_batch: u32,
            /// Packets to drop on overflow.
            #[schemars(extend("x-default-source" = "RFC 8290, section 4.1"))]
            pub overflow: OverflowPolicy,
            /// How flows are assigned to queues.
            #[schemars(extend("x-default-source" = "RFC 8290, section 4.1"))]
            pub flow_hashing: FlowHashing,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    flows: 1024,
                    quantum: PacketSize::new(1514).expect("above zero"),
                    memory_limit: Bytes(32 << 20),
                    drop_batch: 64,
                    overflow: OverflowPolicy::default(),
                    flow_hashing: FlowHashing::default(),
                }
            }
        }

        impl $name {
            fn scheduler(&self) -> Scheduler {
                Scheduler {
                    flows: self.flows,
                    quantum: self.quantum,
                    memory_limit: self.memory_limit.0.min(LARGEST_MEMORY) as u32,
                    drop_batch: self.drop_batch,
                    aqm_backlog: self.aqm_backlog,
                    overflow: self.overflow,
                    flow_hashing: self.flow_hashing,
                }
            }

            fn check_scheduler(&self) -> Result<(), Invalid> {
                Invalid::unless(
                    (1..=65_536).contains(&self.flows),
                    "flows",
                    format!("{} queues", self.flows),
                    "write 1 to 65536; RFC 8290 has 1024",
                )?;
                Invalid::unless(
                    (10_000..=LARGEST_MEMORY).contains(&self.memory_limit.0),
                    "memory_limit",
                    format!("a memory of {} is too small or too large", self.memory_limit),
                    "write 10 kB to 4000 MB; Linux has \"32 MiB\"",
                )?;
                Invalid::unless(
                    self.drop_batch > 0,
                    "drop_batch",
                    "nothing is dropped, and there is no room",
                    "write 1 or more; Linux has 64",
                )
            }
        }
    };
}

/// Above it, the bytes of one queue would overflow `u32`.
const LARGEST_MEMORY: u64 = 4_000_000_000;

scheduler_parameters! {
    /// Fair queueing with an AQM for each flow: `queue.fq = { aqm.red = {} }`.
    FqParameters {
        /// AQM of each queue. With DropTail, `fq` is a plain deficit round robin.
        #[schemars(extend("x-default-source" = "Weir"))]
        aqm: AqmConfig = AqmConfig::DropTail(DropTailParameters {}),
        /// Backlog that an AQM sees. With `"total"`, an AQM that controls the backlog signals a flow for
        /// other flows' queues.
        #[schemars(extend("x-default-source" = "Weir"))]
        aqm_backlog: AqmBacklog = AqmBacklog::Flow,
    }
}

scheduler_parameters! {
    /// Parameters of FQ-CoDel (RFC 8290). `fq` with `aqm.codel` has all parameters of CoDel.
    FqCodelParameters {
        /// CoDel: acceptable sojourn time.
        #[schemars(extend("x-default-source" = "RFC 8290, section 5.2"))]
        #[schemars(extend("x-tunable" = { "from": "0.5 ms", "to": "100 ms", "source": "RFC 8289, sections 3.2 and 4.3: 5% to 10% of a round trip of 10 ms to 1 s" }))]
        #[schemars(extend("x-role" = "delay"))]
        target: Duration = Duration::from_millis(5),
        /// CoDel: time above `target` before the first signal.
        #[schemars(extend("x-default-source" = "RFC 8290, section 5.2"))]
        #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "1000 ms", "source": "RFC 8289, section 4.3: round trips of 10 ms to 1 s" }))]
        interval: Duration = Duration::from_millis(100),
        /// CoDel: a backlog of at most this size is never signalled.
        #[schemars(extend("x-default-source" = "Linux"))]
        mtu: PacketSize = PacketSize::new(1514).expect("above zero"),
        /// CoDel: how 1/sqrt(count) is computed.
        #[schemars(extend("x-default-source" = "RFC 8289"))]
        invsqrt: InvSqrt = InvSqrt::default(),
        /// Mark ECN-capable packets instead of dropping them.
        #[schemars(extend("x-default-source" = "RFC 8290, section 5.2"))]
        ecn: bool = true,
        /// CoDel: mark every ECN-capable packet with a longer sojourn time (Linux).
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-default" = "no threshold"))]
        ce_threshold: Option<Duration> = None,
        /// CoDel: `ce_threshold` holds for ECT(1) packets only, which are L4S (Linux's
        /// `ce_threshold_selector 0x1/0x3`).
        #[schemars(extend("x-default-source" = "Linux"))]
        ce_threshold_ect1: bool = false,
        /// Backlog that CoDel compares with `mtu`.
        #[schemars(extend("x-default-source" = "Linux"))]
        aqm_backlog: AqmBacklog = AqmBacklog::Total,
    }
}

scheduler_parameters! {
    /// Parameters of FQ-PIE (Linux, ns-3). `fq` with `aqm.pie` has all parameters of PIE.
    FqPieParameters {
        /// PIE: target queueing delay.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        #[schemars(extend("x-tunable" = { "from": "1 ms", "to": "50 ms", "source": "Weir: around 10 ms (RFC 8034) and 15 ms (RFC 8033)" }))]
        #[schemars(extend("x-role" = "delay"))]
        target: Duration = PieParameters::default().target,
        /// PIE: time between two updates.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        #[schemars(extend("x-role" = "timer"))]
        interval: Duration = PieParameters::default().interval,
        /// PIE: integral gain, in 1/s.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        alpha: f64 = PieParameters::default().alpha,
        /// PIE: proportional gain, in 1/s.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        beta: f64 = PieParameters::default().beta,
        /// PIE: burst allowance.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        max_burst: Duration = PieParameters::default().max_burst,
        /// Mark ECN-capable packets instead of dropping them.
        #[schemars(extend("x-default-source" = "Linux; on in ns-3"))]
        ecn: bool = false,
        /// PIE: mark only while the probability is below this value and drop otherwise.
        #[schemars(extend("x-default-source" = "RFC 8033"))]
        mark_ecnth: Probability = PieParameters::default().mark_ecnth,
        /// PIE: de-randomise the gaps between signals.
        #[schemars(extend("x-default-source" = "Linux; off in ns-3"))]
        derandomise: bool = true,
        /// Backlog that PIE sees.
        #[schemars(extend("x-default-source" = "Linux; ns-3"))]
        aqm_backlog: AqmBacklog = AqmBacklog::Flow,
    }
}

impl FqParameters {
    /// The queue lengths among the parameters: those of the AQM.
    pub(crate) fn levels(&mut self) -> Vec<&mut Level> {
        self.aqm.levels()
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.check_scheduler()?;
        self.aqm.check().map_err(|invalid| invalid.below(self.aqm.name()).below("aqm"))
    }

    /// The scheduler before `link`. The AQM of queue N draws from the stream `path.N`.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> FairQueue<P, AnyAqm> {
        let mut streams_of_queues = below(streams, path);
        let aqm = |index| self.aqm.build(link, streams_of_queues(index));
        FairQueue::new(&self.scheduler(), link.limit, salt(streams, path), aqm)
    }
}

impl FqCodelParameters {
    fn codel(&self) -> CodelParameters {
        CodelParameters {
            target: self.target,
            interval: self.interval,
            mtu: self.mtu,
            invsqrt: self.invsqrt,
            ecn: self.ecn,
            ce_threshold: self.ce_threshold,
            ce_threshold_ect1: self.ce_threshold_ect1,
        }
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.check_scheduler()?;
        AqmConfig::Codel(self.codel()).check()
    }

    /// FQ-CoDel before `link`.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> FairQueue<P, Codel> {
        // It does not draw.
        let codel = self.codel().build(link, streams.at(path));
        FairQueue::new(&self.scheduler(), link.limit, salt(streams, path), |_| codel.clone())
    }
}

impl FqPieParameters {
    fn pie(&self) -> PieParameters {
        PieParameters {
            target: self.target,
            interval: self.interval,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            ecn: self.ecn,
            mark_ecnth: self.mark_ecnth,
            derandomise: self.derandomise,
            ..PieParameters::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.check_scheduler()?;
        AqmConfig::Pie(self.pie()).check()
    }

    /// FQ-PIE before `link`. The PIE of queue N draws from the stream `path.N`.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> FairQueue<P, Pie> {
        let (pie, mut streams_of_queues) = (self.pie(), below(streams, path));
        let aqm = |index| pie.build(link, streams_of_queues(index));
        FairQueue::new(&self.scheduler(), link.limit, salt(streams, path), aqm)
    }
}

/// For the hash of flows: 53 random bits.
pub(super) fn salt(streams: Streams, path: &str) -> u64 {
    let uniform = streams.at(&(String::from(path) + ".salt")).uniform();
    (uniform * (1_u64 << 53) as f64) as u64
}

/// The random streams of queues, by their numbers: `path.0`, `path.1`, ...
fn below(streams: Streams, path: &str) -> impl FnMut(u32) -> Rng {
    let mut place = String::from(path);
    let stem = place.len();
    move |index| {
        place.truncate(stem);
        write!(place, ".{index}").expect("a text takes any number");
        streams.at(&place)
    }
}
