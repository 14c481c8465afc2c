//! Parameters of a connection. Defaults follow the RFCs; presets give those of ns-2 and Linux.

mod declared;
mod pacing;
mod preset;
mod recovery;

use alloc::format;
use core::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use weir_types::{Duration, Invalid, PacketSize, Packets};

pub use self::{
    declared::Declared,
    pacing::PacingParameters,
    recovery::{
        FullAckWindow, LossDetection, NewRenoParameters, PrrBound, RecoveryConfig, RenoRecoveryParameters,
        SackParameters, TimerReset,
    },
};
use crate::{
    accecn::ReceiverEcn,
    congestion::{CongestionConfig, Marks},
    preset::PresetKey,
};

/// By how many segments an ACK of new data counts for the growth of the window: the limit `L` of
/// appropriate byte counting (RFC 3465), in segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AppropriateByteCounting {
    /// One, however many it acknowledges (RFC 5681, ns-2).
    #[default]
    Off,
    /// As many as it acknowledges, at most two (RFC 3465, L = 2): delayed ACKs no longer slow the growth down.
    #[serde(rename = "limit-2")]
    Limit2,
    /// All that it acknowledges (Linux).
    NoLimit,
}

impl AppropriateByteCounting {
    /// The number, of an ACK of `acked` segments.
    #[inline]
    pub(crate) fn of(self, acked: u32) -> f64 {
        match self {
            // The usual ACK without delay.
            _ if acked == 1 => 1.0,
            Self::Off => 1.0,
            Self::Limit2 => f64::from(acked.min(2)),
            Self::NoLimit => f64::from(acked),
        }
    }
}

/// Quantity that `min_rto` bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MinRtoBounds {
    /// The retransmission timeout (RFC 6298, 2.4).
    #[default]
    Rto,
    /// The part `4 RTTVAR` of the timeout (Linux): a timeout is at least `min_rto` longer than the round trip.
    Rttvar,
}

/// Parameters of a TCP connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TcpParameters {
    /// Which implementation gives the values that are not written, also within the chosen `congestion` and
    /// `recovery`.
    #[serde(skip_serializing)]
    pub preset: PresetKey,
    /// Congestion control: how the window answers ACKs, losses and marks.
    #[schemars(extend("x-default-source" = "RFC 5681"))]
    pub congestion: CongestionConfig,
    /// Loss recovery: how lost segments are found and sent again.
    #[schemars(extend("x-default-source" = "RFC 6582"))]
    pub recovery: RecoveryConfig,
    /// Congestion window after the handshake.
    #[schemars(extend("x-default-source" = "RFC 6928"))]
    pub initial_window: Packets,
    /// `ssthresh` before the first loss or mark.
    #[schemars(extend("x-default-source" = "RFC 5681, section 3.1", "x-default" = "infinite"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh: Option<Packets>,
    /// Pace: segments leave one after the other at a multiple of `cwnd / srtt`, not in bursts. Needs SACK.
    #[schemars(extend("x-default" = "no pacing"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<PacingParameters>,
    /// Receive window: the most data that the receiver allows to be outstanding.
    #[schemars(extend("x-default" = "no limit"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_window: Option<Packets>,
    /// Begin with a SYN of `ack_size` bytes, and send data when it is acknowledged.
    #[schemars(extend("x-default-source" = "RFC 9293"))]
    pub handshake: bool,
    /// Send a new segment on the first and second duplicate ACK (RFC 3042).
    #[schemars(extend("x-default-source" = "RFC 5681, section 3.2"))]
    pub limited_transmit: bool,
    /// Let the window grow only while it limits the sender.
    #[schemars(extend("x-default-source" = "RFC 7661, section 4.3"))]
    pub cwnd_validation: bool,
    /// By how many segments an ACK counts for the growth of the window (RFC 3465).
    #[schemars(extend("x-default-source" = "RFC 5681, section 3.1"))]
    pub abc: AppropriateByteCounting,
    /// Least congestion window after a mark.
    #[schemars(extend("x-default-source" = "RFC 3168, section 6.1.2"))]
    pub ecn_min_cwnd: Packets,
    /// Take a round-trip sample from every ACK, by timestamps (RFC 7323), instead of one segment at a time.
    #[schemars(extend("x-default-source" = "RFC 6298, section 3"))]
    pub timestamps: bool,
    /// Least retransmission timeout.
    #[schemars(extend("x-default-source" = "RFC 6298, section 2.4"))]
    pub min_rto: Duration,
    /// Greatest retransmission timeout.
    #[schemars(extend("x-default-source" = "RFC 6298, section 2.5"))]
    pub max_rto: Duration,
    /// Retransmission timeout before the first round-trip sample.
    #[schemars(extend("x-default-source" = "RFC 6298, section 2.1"))]
    pub initial_rto: Duration,
    /// Number of SYNs that are sent again before the timeout doubles (Linux).
    #[schemars(extend("x-default-source" = "RFC 6298, section 5.5"))]
    pub syn_linear_timeouts: u32,
    /// Round-trip times are rounded up to multiples of this (`G` of RFC 6298).
    #[schemars(extend("x-default-source" = "an exact clock"))]
    pub clock_granularity: Duration,
    /// Acknowledge every second segment, or after this long (RFC 5681, section 4.2). "0 s": every segment
    /// at once.
    #[schemars(extend("x-default-source" = "the models of the papers", "x-default" = "every segment at once"))]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "unless_zero")]
    pub delayed_ack: Option<Duration>,
    /// With delayed ACKs: number of segments that are acknowledged at once before the first is delayed
    /// (Linux).
    #[schemars(extend("x-default-source" = "RFC 5681, section 4.2"))]
    pub quickack_segments: u32,
    /// Every so-many-th segment ends a write of the application (PSH) and is acknowledged at once (Linux). Needs
    /// `accecn` and `delayed_ack`.
    #[schemars(extend("x-default-source" = "an application that writes without end", "x-default" = "never"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub push_every: Option<NonZeroU32>,
    /// How long the receiver holds back ACKs of segments out of order, so that one tells of several. The first three
    /// for each hole leave at once, and none waits for more than 44 segments. At most 100 ms; Linux: 1 ms
    /// (`tcp_comp_sack_delay_ns`). "0 s": it holds back none.
    #[schemars(extend("x-default-source" = "RFC 5681, section 4.2", "x-default" = "every segment at once"))]
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "unless_zero")]
    pub sack_compression: Option<Duration>,
    /// With delayed ACKs: acknowledge at once what reports a change of marks, as Linux does. That is the first
    /// marked segment, the next one, and the one with CWR. With DCTCP it is each segment that is marked where the
    /// one before was not, or the reverse.
    #[schemars(extend("x-default-source" = "RFC 3168"))]
    pub immediate_ecn_echo: bool,
    /// Quantity that `min_rto` bounds.
    #[schemars(extend("x-default-source" = "RFC 6298, section 2.4"))]
    pub min_rto_bounds: MinRtoBounds,
    /// Declare segments ECN-capable and answer marks (RFC 3168).
    #[schemars(extend("x-default-source" = "RFC 3168"))]
    pub ecn: bool,
    /// Declare the SYN ECN-capable.
    #[schemars(extend("x-default" = "as Linux: of scalable controls alone (RFC 8257, section 3.5; otherwise RFC 3168, section 6.1.1)"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_on_syn: Option<bool>,
    /// Declare the SYN-ACK ECN-capable.
    #[schemars(extend("x-default" = "as Linux: of scalable controls alone (RFC 8257, section 3.5; otherwise RFC 3168, section 6.1.1)"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_on_syn_ack: Option<bool>,
    /// Declare retransmissions ECN-capable, and probes that repeat what was sent. Where it is written, they tell of
    /// cuts, too (CWR), as in ns-2.
    #[schemars(extend("x-default" = "as Linux: of scalable controls, and with `accecn` (RFC 8311, section 4.3; otherwise RFC 3168, section 6.1.5)"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_on_retransmissions: Option<bool>,
    /// Declare ACKs without data ECN-capable.
    #[schemars(extend("x-default" = "as Linux: of scalable controls, and with `accecn` (RFC 8311, section 4.3; otherwise RFC 3168, section 6.1.4)"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecn_on_acks: Option<bool>,
    /// Ask the receiver for accurate ECN feedback: how many packets were marked (RFC 9768).
    #[schemars(extend("x-default-source" = "RFC 3168"))]
    pub accecn: bool,
    /// With `accecn`: ACKs bear the byte counters too, in an option of 12 bytes.
    #[schemars(extend("x-default-source" = "RFC 9768, section 3.2.3"))]
    pub accecn_option: bool,
    /// With `accecn`: what the receiver can do. If it has no accurate feedback, both ends fall back.
    #[schemars(extend("x-default-source" = "RFC 9768, section 3.1"))]
    pub receiver_ecn: ReceiverEcn,
    /// Size of an ACK and of a SYN.
    #[schemars(extend("x-default-source" = "IPv4 and TCP headers without options"))]
    pub ack_size: PacketSize,
}

impl Default for TcpParameters {
    fn default() -> Self {
        Self {
            preset: PresetKey,
            congestion: CongestionConfig::default(),
            recovery: RecoveryConfig::default(),
            initial_window: Packets(10.0),
            initial_ssthresh: None,
            pacing: None,
            receive_window: None,
            handshake: true,
            limited_transmit: true,
            cwnd_validation: true,
            abc: AppropriateByteCounting::default(),
            ecn_min_cwnd: Packets(1.0),
            timestamps: false,
            min_rto: Duration::from_secs(1),
            max_rto: Duration::from_secs(60),
            initial_rto: Duration::from_secs(1),
            syn_linear_timeouts: 0,
            clock_granularity: Duration::from_nanos(1),
            delayed_ack: None,
            quickack_segments: 0,
            push_every: None,
            sack_compression: None,
            immediate_ecn_echo: false,
            min_rto_bounds: MinRtoBounds::default(),
            ecn: false,
            ecn_on_syn: None,
            ecn_on_syn_ack: None,
            ecn_on_retransmissions: None,
            ecn_on_acks: None,
            accecn: false,
            accecn_option: false,
            receiver_ecn: ReceiverEcn::default(),
            ack_size: PacketSize::new(40).expect("not zero"),
        }
    }
}

impl TcpParameters {
    /// The key that `value` of `key` needs beside it, and its value, both in TOML: feedback of marks goes with the marks.
    pub fn needs(key: &str, value: &str) -> Option<(&'static str, &'static str)> {
        ((key, value) == ("ecn", "false")).then_some(("accecn", "false"))
    }

    /// Checks that the parameters are consistent.
    ///
    /// # Errors
    /// Names the parameter that is not, and what to do.
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
        at_least_one(Some(self.ecn_min_cwnd), "ecn_min_cwnd")?;
        self.congestion
            .check()
            .map_err(|invalid| invalid.below(self.congestion.name()).below("congestion"))?;
        self.recovery.check().map_err(|invalid| invalid.below(self.recovery.name()).below("recovery"))?;
        self.check_extensions()?;
        self.check_marks()?;
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

impl TcpParameters {
    /// Returns true if the sender does more than send what the window allows: it paces, or counts marks.
    pub(crate) const fn is_modern(&self) -> bool {
        self.pacing.is_some() || self.accecn || self.congestion.samples()
    }

    fn check_extensions(&self) -> Result<(), Invalid> {
        let is_rack =
            matches!(&self.recovery, RecoveryConfig::Sack(sack) if sack.detection == LossDetection::Rack);
        Invalid::unless(
            is_rack || !self.congestion.samples(),
            "recovery",
            format!("{} needs SACK with RACK", self.congestion.name()),
            "write recovery.sack = { detection = \"rack\" }, or preset = \"linux\"",
        )?;
        Invalid::unless(
            self.sack_compression.is_none() || matches!(self.recovery, RecoveryConfig::Sack(_)),
            "recovery",
            format!(
                "sack_compression needs selective acknowledgements, and recovery is {}",
                self.recovery.name()
            ),
            "write recovery.sack = {}",
        )?;
        Invalid::unless(
            self.sack_compression.is_none_or(|delay| delay <= Duration::from_millis(100)),
            "sack_compression",
            "sack_compression is above 100 ms",
            "Linux has \"1 ms\" (tcp_comp_sack_delay_ns); RFC 5681, section 4.2, has no delay at all",
        )?;
        let what = if self.pacing.is_some() { "pacing" } else { "accecn" };
        Invalid::unless(
            !self.is_modern() || matches!(self.recovery, RecoveryConfig::Sack(_)),
            "recovery",
            format!("{what} needs selective acknowledgements, and recovery is {}", self.recovery.name()),
            "write recovery.sack = {}",
        )?;
        self.pacing.map_or(Ok(()), |pacing| pacing.check().map_err(|invalid| invalid.below("pacing")))
    }

    fn check_marks(&self) -> Result<(), Invalid> {
        if let Some(option) = self.congestion.option_that_counts_marks() {
            let key = if self.ecn { "accecn" } else { "ecn" };
            Invalid::unless(
                self.ecn && self.accecn,
                key,
                format!(
                    "congestion.{}.{option} answers how many packets are marked, and {key} is off",
                    self.congestion.name()
                ),
                format!("write ecn = true and accecn = true, or leave {option} out"),
            )?;
        }
        let marks = self.congestion.facts().marks;
        Invalid::unless(
            self.ecn || marks < Marks::Needed,
            "ecn",
            format!("{} learns of congestion from marks, and ecn is off", self.congestion.name()),
            "write ecn = true",
        )?;
        Invalid::unless(
            self.accecn || marks < Marks::Counted,
            "accecn",
            format!("{} answers how many packets are marked, and accecn is off", self.congestion.name()),
            "write accecn = true",
        )?;
        Invalid::unless(
            self.ecn || !self.accecn,
            "accecn",
            "accecn is feedback of marks, and ecn is off",
            "write ecn = true",
        )?;
        Invalid::unless(
            self.push_every.is_none() || self.accecn,
            "push_every",
            "push_every says which segments a receiver with accurate feedback acknowledges at once, and accecn is off",
            "write accecn = true, or leave push_every out",
        )?;
        Invalid::unless(
            self.push_every.is_none() || self.delayed_ack.is_some(),
            "push_every",
            "push_every says which ACKs are not delayed, and none are",
            "write delayed_ack = \"40 ms\", or leave push_every out",
        )
    }
}

/// Reads "0 s" as no delay, so that a file can take back the delay of a preset.
fn unless_zero<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let delay: Option<Duration> = Deserialize::deserialize(deserializer)?;
    Ok(delay.filter(|delay| !delay.is_zero()))
}
