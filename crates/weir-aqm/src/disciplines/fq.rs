//! [`FairQueue`] as it is set up in scenario files: under any law, as FQ-CoDel, as FQ-PIE.

use alloc::{format, string::String};
use core::fmt::Write as _;

use weir_types::{Bytes, Duration, Invalid, PacketSize, Probability, Rng, Streams};

use super::{FairQueue, Full, Places, Scheduler, Told};
use crate::{
    Link, Packet,
    laws::{AnyAqm, AqmConfig, Codel, CodelParameters, DropTailParameters, InvSqrt, Pie, PieParameters},
};

/// Declares the parameters of a scheduler beside those of its laws.
macro_rules! scheduler_parameters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
            serde(deny_unknown_fields, default)
        )]
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)*
            /// Queues. Default 1024 (RFC 8290, section 5.2).
            pub flows: u32,
            /// Bytes that a flow may send in its turn. Default 1514 B, a frame of Ethernet
            /// (RFC 8290, section 5.2).
            pub quantum: PacketSize,
            /// What may wait at most, whatever the link's buffer holds. Default 32 MiB (Linux).
            pub memory: Bytes,
            /// How many packets are dropped at once, at most, when there is no room. Default 64
            /// (Linux).
            pub drop_batch: u32,
            /// Who is dropped when there is no room. Default: the head of the flow with most bytes
            /// (RFC 8290, section 4.1).
            pub full: Full,
            /// How flows come to queues. Default: by a hash with a random salt (RFC 8290,
            /// section 4.1).
            pub places: Places,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    $($field: $default,)*
                    flows: 1024,
                    quantum: PacketSize::new(1514).expect("above zero"),
                    memory: Bytes(32 << 20),
                    drop_batch: 64,
                    full: Full::default(),
                    places: Places::default(),
                }
            }
        }

        impl $name {
            fn scheduler(&self) -> Scheduler {
                Scheduler {
                    flows: self.flows,
                    quantum: self.quantum,
                    memory: self.memory.0.min(LARGEST_MEMORY) as u32,
                    drop_batch: self.drop_batch,
                    backlog: self.backlog,
                    full: self.full,
                    places: self.places,
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
                    (10_000..=LARGEST_MEMORY).contains(&self.memory.0),
                    "memory",
                    format!("a memory of {} is too small or too large", self.memory),
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

/// Beyond it, the bytes of one queue could not be counted in 32 bits.
const LARGEST_MEMORY: u64 = 4_000_000_000;

scheduler_parameters! {
    /// Fair queueing with a law of any kind for each flow: `aqm.fq = { law.red = {} }`.
    FqParameters {
        /// The law of each flow. Default: DropTail, which makes it a plain deficit round robin.
        law: AqmConfig = AqmConfig::DropTail(DropTailParameters {}),
        /// What a law is told of the backlog. Default: what waits in its own queue. A law that steers
        /// by the backlog would otherwise punish a flow for the others.
        backlog: Told = Told::Own,
    }
}

scheduler_parameters! {
    /// Parameters of FQ-CoDel (RFC 8290). Those of CoDel's that are not here, `fq` has.
    FqCodelParameters {
        /// CoDel: the sojourn that may stand. Default 5 ms (RFC 8290, section 5.2).
        target: Duration = Duration::from_millis(5),
        /// CoDel: how long it may be exceeded before the first signal. Default 100 ms (RFC 8290,
        /// section 5.2).
        interval: Duration = Duration::from_millis(100),
        /// CoDel: a backlog of at most so many bytes is never too long. Default 1514 B (Linux).
        mtu: PacketSize = PacketSize::new(1514).expect("above zero"),
        /// CoDel: how 1/sqrt(count) is calculated. Default: exactly.
        invsqrt: InvSqrt = InvSqrt::default(),
        /// Mark packets that are ECN-capable instead of dropping them. Default on (RFC 8290,
        /// section 5.2).
        ecn: bool = true,
        /// CoDel: mark every ECN-capable packet that has waited longer than this (Linux). Default:
        /// no such threshold.
        #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
        ce_threshold: Option<Duration> = None,
        /// What CoDel's test against `mtu` counts. Default: what waits in all queues (Linux).
        backlog: Told = Told::Whole,
    }
}

scheduler_parameters! {
    /// Parameters of FQ-PIE, as Linux and ns-3 have it. Those of PIE's that are not here, `fq` has.
    FqPieParameters {
        /// PIE: the delay to settle at. Default 15 ms (RFC 8033).
        target: Duration = PieParameters::default().target,
        /// PIE: time between two updates. Default 15 ms (RFC 8033).
        interval: Duration = PieParameters::default().interval,
        /// PIE: gain for the distance from the target, in 1/s. Default 0.125 (RFC 8033).
        alpha: f64 = PieParameters::default().alpha,
        /// PIE: gain for the growth of the delay, in 1/s. Default 1.25 (RFC 8033).
        beta: f64 = PieParameters::default().beta,
        /// PIE: for so long a burst is let through. Default 150 ms (RFC 8033).
        max_burst: Duration = PieParameters::default().max_burst,
        /// Mark packets that are ECN-capable instead of dropping them. Default off (Linux; ns-3: on).
        ecn: bool = false,
        /// PIE: mark only while the probability is below this. Default 0.1.
        mark_below: Probability = PieParameters::default().mark_below,
        /// PIE: neither too soon nor too late after the last signal. Default on (Linux; ns-3: off).
        derandomise: bool = true,
        /// What PIE is told of the backlog. Default: what waits in its own queue (Linux, ns-3).
        backlog: Told = Told::Own,
    }
}

impl FqParameters {
    pub(super) fn check(&self) -> Result<(), Invalid> {
        self.check_scheduler()?;
        self.law.check().map_err(|invalid| invalid.below(self.law.name()).below("law"))
    }

    /// The scheduler before `link`. The law of queue N draws from the stream `path.N`.
    pub fn build<P: Packet>(&self, link: Link, streams: Streams, path: &str) -> FairQueue<P, AnyAqm> {
        let mut streams_of_queues = below(streams, path);
        let law = |index| self.law.build(link, streams_of_queues(index));
        FairQueue::new(&self.scheduler(), link.limit, salt(streams, path), law)
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
            mark_below: self.mark_below,
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
        let law = |index| pie.build(link, streams_of_queues(index));
        FairQueue::new(&self.scheduler(), link.limit, salt(streams, path), law)
    }
}

/// For the hash of flows: 53 random bits.
fn salt(streams: Streams, path: &str) -> u64 {
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
