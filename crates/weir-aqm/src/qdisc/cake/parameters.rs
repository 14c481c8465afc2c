//! Parameters of CAKE, with the defaults and the names of `tc-cake(8)`.

use alloc::{format, vec::Vec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Bytes, Duration, Invalid, Level, Probability, Rate};

use super::{
    super::Filtering,
    framing::{Carrier, Framing},
    isolation::Isolation,
    tins::Tins,
};
/// Parameters of CAKE.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-default-source" = "Linux `sch_cake`, `tc-cake(8)`"))]
pub struct CakeParameters {
    /// Rate of its shaper, before the link. A shaper is needed where the queue is elsewhere, behind the link. It is
    /// also needed where `overhead` and its kin say that packets are longer on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "the rate of the link, which then is the shaper"))]
    pub bandwidth: Option<Rate>,
    /// There is no shaper, and CAKE does not know the rate of the link: tins share it by deficit round robin, and
    /// COBALT's times are not scaled.
    pub unlimited: bool,
    /// How packets are sorted into tins, by the `dscp` of their flow group.
    pub tins: Tins,
    /// Whom the rate is shared among. Hosts are the `from_host` and `to_host` of flow groups.
    pub isolation: Isolation,
    /// Round trip to which COBALT is scaled: its interval. Its target is a twentieth of it, and at least the time
    /// of one and a half full frames.
    #[schemars(extend("x-tunable" = { "from": "10 ms", "to": "1000 ms", "source": "tc-cake(8): metro 10 ms to satellite 1000 ms" }))]
    pub rtt: Duration,
    /// Bytes that each packet takes on the wire beside its own, from the IP header on: 44 for ADSL, 22 to 38 for
    /// Ethernet.
    pub overhead: Bytes,
    /// The least size of a frame on the wire.
    pub mpu: Bytes,
    /// How the line carries frames.
    pub carrier: Carrier,
    /// It stands behind the bottleneck: packets that it drops have taken their time on the line, too, and COBALT
    /// leaves each bulk flow two frames.
    pub ingress: bool,
    /// Takes ACKs away that a later one makes redundant, in the queue of their flow (`ack-filter`,
    /// `ack-filter-aggressive`).
    // Not written where it is off: scenarios from before it keep their hash.
    #[serde(skip_serializing_if = "Filtering::is_off")]
    #[schemars(extend("x-default" = "off"))]
    pub ack_filter: Filtering,
    /// Bytes that may wait, in addition to the buffer of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "what the rate sends in 4 `rtt`, from 4 MiB to 15.5 MB"))]
    pub memory_limit: Option<Bytes>,
    /// COBALT: increment of `p_drop` when the buffer overflows.
    pub increment: Probability,
    /// COBALT: decrement of `p_drop` when the queue is empty.
    pub decrement: Probability,
}

impl Default for CakeParameters {
    fn default() -> Self {
        Self {
            bandwidth: None,
            unlimited: false,
            tins: Tins::default(),
            isolation: Isolation::default(),
            rtt: Duration::from_millis(100),
            overhead: Bytes(0),
            mpu: Bytes(0),
            carrier: Carrier::default(),
            ingress: false,
            ack_filter: Filtering::Off,
            memory_limit: None,
            increment: Probability::constant(1.0 / 256.0),
            decrement: Probability::constant(1.0 / 4096.0),
        }
    }
}

/// The most that `tc` takes as `overhead` and `mpu`, in bytes.
const MOST_OVERHEAD: u64 = 256;

/// The least default of `memory_limit`, and the most: 10,240 frames of 1514 bytes.
const MEMORY: (u64, u64) = (4 << 20, 10_240 * 1514);

impl CakeParameters {
    /// Queue lengths among the parameters: none.
    #[expect(clippy::unused_self, reason = "all disciplines have it")]
    pub(crate) const fn levels(&mut self) -> Vec<&mut Level> {
        Vec::new()
    }

    pub(crate) fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            !self.rtt.is_zero(),
            "rtt",
            "COBALT would drop every packet",
            "write for example \"100 ms\"",
        )?;
        for (bytes, name) in [(self.overhead, "overhead"), (self.mpu, "mpu")] {
            Invalid::unless(
                bytes.0 <= MOST_OVERHEAD,
                name,
                format!("{bytes} are more than tc takes"),
                "write at most \"256 B\"",
            )?;
        }
        Invalid::unless(
            self.memory_limit.is_none_or(|limit| (10_000..=4_000_000_000).contains(&limit.0)),
            "memory_limit",
            "a memory of this size is too small or too large",
            "write 10 kB to 4000 MB, or leave it out",
        )?;
        let shaped = [
            (self.bandwidth.is_some(), "bandwidth"),
            (self.framing() != Framing::default(), "overhead"),
            (self.ingress, "ingress"),
        ];
        let contradicts = shaped.iter().find(|(is_set, _)| self.unlimited && *is_set);
        contradicts.map_or(Ok(()), |(_, name)| {
            Invalid::unless(
                false,
                name,
                format!("without a shaper, {name} and its kin have no effect"),
                "leave unlimited out, or this",
            )
        })
    }

    /// The bytes that packets take on the wire.
    pub(super) fn framing(&self) -> Framing {
        let bytes = |bytes: Bytes| bytes.0.min(MOST_OVERHEAD) as u32;
        Framing { overhead: bytes(self.overhead), least: bytes(self.mpu), carrier: self.carrier }
    }

    /// The rate that tins and times are scaled to, before a link of `rate`; `None` if it is not known.
    pub(super) fn rate(&self, rate: Rate) -> Option<Rate> {
        (!self.unlimited).then_some(self.bandwidth.unwrap_or(rate))
    }

    /// Returns true if its shaper may hold packets longer than the link does.
    pub(in crate::qdisc) fn shapes(&self) -> bool {
        self.bandwidth.is_some() || self.framing() != Framing::default() || self.ingress
    }

    /// Bytes that a packet of `bytes` bytes takes on the wire.
    pub fn bytes_on_wire(&self, bytes: u32) -> u32 {
        self.framing().bytes(bytes)
    }

    /// Bytes that may wait before a link of `rate`.
    pub fn memory(&self, rate: Rate) -> u64 {
        let sent = |rate: Rate| {
            let bytes = rate.bits_per_second() as f64 / 8.0 * 4.0 * self.rtt.as_secs_f64();
            (bytes as u64).clamp(MEMORY.0, MEMORY.1)
        };
        let default = || self.rate(rate).map_or(MEMORY.1, sent);
        self.memory_limit.map_or_else(default, |limit| limit.0)
    }
}
