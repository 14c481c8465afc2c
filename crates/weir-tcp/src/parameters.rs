//! What a connection can be told. Defaults follow the RFCs; each habit of ns-2 that
//! published results depended on has an option called after what it does.

use alloc::format;

use weir_types::{Duration, Invalid, PacketSize, Packets};

use crate::{congestion::CongestionConfig, recovery::RecoveryConfig};

/// When the window may grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Growth {
    /// Only while the window is what limits the sender (RFC 7661, section 4.3).
    #[default]
    WhenLimiting,
    /// On every ACK of new data, used or not (ns-2).
    Always,
}

/// For how many segments an ACK of new data lets the window grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Counts {
    /// For one, however many it acknowledges (RFC 5681, ns-2).
    #[default]
    Acks,
    /// For those that it acknowledges, at most two (RFC 3465, L = 2): delayed ACKs no longer slow
    /// the growth down.
    UpToTwo,
    /// For all that it acknowledges (Linux).
    Segments,
}

impl Counts {
    /// The number, of an ACK of `acked` segments.
    #[inline]
    pub(crate) fn of(self, acked: u32) -> f64 {
        match self {
            Self::Acks => 1.0,
            Self::UpToTwo => f64::from(acked.min(2)),
            Self::Segments => f64::from(acked),
        }
    }
}

/// What the least retransmission timeout bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum RtoFloor {
    /// The timeout (RFC 6298, 2.4).
    #[default]
    Timeout,
    /// What the variation adds to the smoothed round trip (Linux): the timeout is longer by that.
    Variation,
}

/// Parameters of a TCP connection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct TcpParameters {
    /// How the window answers to ACKs, losses and marks. Default: Reno (RFC 5681).
    pub congestion: CongestionConfig,
    /// How lost segments are found and repaired. Default: `NewReno` (RFC 6582).
    pub recovery: RecoveryConfig,
    /// Window after the handshake. Default 10 packets (RFC 6928).
    pub initial_window: Packets,
    /// Where slow start ends at first. Default: nowhere, a loss ends it (RFC 5681).
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub initial_ssthresh: Option<Packets>,
    /// What the receiver allows. Default: no limit.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub receive_window: Option<Packets>,
    /// Begin with a SYN of 40 bytes and send data when it is acknowledged. Default on.
    pub handshake: bool,
    /// Send a new segment on the first and second duplicate ACK (RFC 3042). Default on.
    pub limited_transmit: bool,
    /// When the window may grow. Default: while it limits the sender.
    pub growth: Growth,
    /// For how many segments an ACK lets the window grow. Default: for one (RFC 5681).
    pub counts: Counts,
    /// What a mark leaves of the window at least. Default 1 packet (RFC 3168, section 6.1.2); Linux 2.
    pub mark_floor: Packets,
    /// Take a round-trip sample from every ACK, by timestamps (RFC 7323), instead of one
    /// segment at a time. Default off.
    pub timestamps: bool,
    /// Least retransmission timeout. Default 1 s (RFC 6298); Linux and ns-2.35 200 ms.
    pub min_rto: Duration,
    /// Greatest retransmission timeout. Default 60 s (RFC 6298).
    pub max_rto: Duration,
    /// Timeout before the first round-trip sample. Default 1 s (RFC 6298).
    pub initial_rto: Duration,
    /// So many SYNs are sent again without doubling the timeout. Default 0 (RFC 6298); Linux 4.
    pub steady_syns: u32,
    /// Round-trip times are rounded up to multiples of this. Default 1 ns, which is exact;
    /// ns-2.35 10 ms.
    pub clock_granularity: Duration,
    /// Acknowledge every second segment, or after this long (RFC 5681, section 4.2).
    /// Default: acknowledge every segment at once, as the models of the papers assume.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub delayed_ack: Option<Duration>,
    /// With delayed ACKs: so many segments are acknowledged at once before the first is delayed. Default
    /// 0; Linux 16, measured about 32.
    pub quick_acks: u32,
    /// With delayed ACKs: acknowledge at once what brings news of marks, as Linux does. That is the first
    /// segment that is marked and the next one, and the one that says that the window was cut; with DCTCP, one
    /// that is marked where the one before was not, or the other way round. Default off.
    pub prompt_echoes: bool,
    /// What `min_rto` bounds. Default: the timeout (RFC 6298).
    pub rto_floor: RtoFloor,
    /// Declare segments ECN-capable and answer to marks (RFC 3168). Default off.
    pub ecn: bool,
    /// Declare retransmissions ECN-capable too (ns-2; RFC 3168, section 6.1.5 forbids it).
    pub ecn_on_retransmissions: bool,
    /// Size of an acknowledgement, and of a SYN. Default 40 B, two headers without options.
    pub ack_size: PacketSize,
}

impl Default for TcpParameters {
    fn default() -> Self {
        Self {
            congestion: CongestionConfig::default(),
            recovery: RecoveryConfig::default(),
            initial_window: Packets(10.0),
            initial_ssthresh: None,
            receive_window: None,
            handshake: true,
            limited_transmit: true,
            growth: Growth::default(),
            counts: Counts::default(),
            mark_floor: Packets(1.0),
            timestamps: false,
            min_rto: Duration::from_secs(1),
            max_rto: Duration::from_secs(60),
            initial_rto: Duration::from_secs(1),
            steady_syns: 0,
            clock_granularity: Duration::from_nanos(1),
            delayed_ack: None,
            quick_acks: 0,
            prompt_echoes: false,
            rto_floor: RtoFloor::default(),
            ecn: false,
            ecn_on_retransmissions: false,
            ack_size: PacketSize::new(40).expect("not zero"),
        }
    }
}

impl TcpParameters {
    /// Whether the parameters go together.
    ///
    /// # Errors
    /// Names the parameter that does not, and what to do.
    pub fn check(&self) -> Result<(), Invalid> {
        let at_least_one = |value: Option<Packets>, parameter| {
            let packets = value.map_or(1.0, |value| value.0);
            Invalid::unless(
                packets >= 1.0,
                parameter,
                format!("{parameter} is {packets} packets"),
                "nothing could ever be sent; write at least \"1 packet\"",
            )
        };
        at_least_one(Some(self.initial_window), "initial_window")?;
        at_least_one(self.initial_ssthresh, "initial_ssthresh")?;
        at_least_one(self.receive_window, "receive_window")?;
        at_least_one(Some(self.mark_floor), "mark_floor")?;
        self.congestion
            .check()
            .map_err(|invalid| invalid.below(self.congestion.name()).below("congestion"))?;
        self.recovery.check().map_err(|invalid| invalid.below(self.recovery.name()).below("recovery"))?;
        let lives_by_marks =
            matches!(self.congestion, CongestionConfig::RemHost(_) | CongestionConfig::Wireless(_));
        Invalid::unless(
            self.ecn || !lives_by_marks,
            "ecn",
            format!("{} learns of congestion from marks, and ecn is off", self.congestion.name()),
            "write ecn = true",
        )?;
        Invalid::unless(
            self.max_rto >= self.min_rto,
            "max_rto",
            "max_rto is shorter than min_rto",
            "exchange them",
        )?;
        Invalid::unless(
            !self.initial_rto.is_zero(),
            "initial_rto",
            "initial_rto is zero",
            "write for example \"1 s\"",
        )?;
        Invalid::unless(
            !self.clock_granularity.is_zero(),
            "clock_granularity",
            "clock_granularity is zero",
            "write \"1 ns\" for an exact clock",
        )?;
        Invalid::unless(
            self.clock_granularity <= self.max_rto,
            "clock_granularity",
            "clock_granularity is longer than max_rto",
            "write for example \"10 ms\"",
        )?;
        Invalid::unless(
            self.initial_window.0 <= 1e6,
            "initial_window",
            "initial_window is above a million packets",
            "RFC 6928 has 10 packets",
        )
    }
}
