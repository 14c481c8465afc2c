//! Values of the presets for the connection and its loss recovery. Those of a congestion control stand beside its
//! parameters.

use weir_types::{Duration, PacketSize, Packets};

use super::{
    AppropriateByteCounting, FullAckWindow, LossDetection, MinRtoBounds, NewRenoParameters, RecoveryConfig,
    RenoRecoveryParameters, SackParameters, TcpParameters,
};
use crate::{
    congestion::{CongestionConfig, CubicParameters, RenoParameters},
    preset::TcpPreset,
};

impl TcpPreset {
    /// Every value, with the congestion control and the loss recovery of this preset.
    pub fn parameters(self) -> TcpParameters {
        let rfc = TcpParameters::default();
        match self {
            Self::Rfc => rfc,
            Self::Ns2 => TcpParameters {
                congestion: self.congestion_with(&CongestionConfig::Reno(RenoParameters::default())),
                recovery: self.recovery_with(&RecoveryConfig::NewReno(NewRenoParameters::default())),
                initial_window: Packets(2.0),        // windowInit_, since May 2001
                cwnd_validation: false,              // control_increase_
                min_rto: Duration::from_millis(200), // minrto_, since October 2004
                initial_rto: Duration::from_secs(3), // rtxcur_init_, since 2006
                clock_granularity: Duration::from_millis(10), // tcpTick_, since March 2002
                // TcpAgent::output: ECT on all data but the SYN. ACKs have it from the sink, which sets none.
                ecn_on_syn: Some(false),
                ecn_on_syn_ack: Some(false),
                ecn_on_retransmissions: Some(true),
                ecn_on_acks: Some(false),
                ..rfc
            },
            Self::Linux => TcpParameters {
                congestion: self.congestion_with(&CongestionConfig::Cubic(CubicParameters::default())),
                recovery: self.recovery_with(&RecoveryConfig::Sack(SackParameters::default())),
                abc: AppropriateByteCounting::NoLimit,
                ecn_min_cwnd: Packets(2.0),
                timestamps: true,
                min_rto: Duration::from_millis(200), // TCP_RTO_MIN
                min_rto_bounds: MinRtoBounds::Rttvar,
                max_rto: Duration::from_secs(120),            // TCP_RTO_MAX
                syn_linear_timeouts: 4,                       // tcp_syn_linear_timeouts
                delayed_ack: Some(Duration::from_millis(40)), // TCP_DELACK_MIN
                quickack_segments: 32,                        // TCP_MAX_QUICKACKS is 16; measured about 32
                immediate_ecn_echo: true,
                accecn_option: true,                              // tcp_ecn_option
                ack_size: PacketSize::new(52).expect("not zero"), // 40 bytes and the timestamp option
                ..rfc
            },
        }
    }

    /// Returns the chosen congestion control with the parameters of this preset.
    #[must_use]
    pub fn congestion_with(self, chosen: &CongestionConfig) -> CongestionConfig {
        chosen.in_preset(self)
    }

    /// Returns the chosen loss recovery with the parameters of this preset.
    #[must_use]
    pub fn recovery_with(self, chosen: &RecoveryConfig) -> RecoveryConfig {
        match (self, chosen) {
            (Self::Ns2, RecoveryConfig::NewReno(_)) => RecoveryConfig::NewReno(NewRenoParameters {
                full_ack_window: FullAckWindow::Window,
                max_burst: Some(2), // maxburst_ of Agent/TCP/Newreno in recovery
                ..NewRenoParameters::default()
            }),
            (Self::Ns2, RecoveryConfig::Reno(_)) => RecoveryConfig::Reno(RenoRecoveryParameters {
                once_per_window: true, // bugFix_
                grow_on_exit: true,
            }),
            (Self::Linux, RecoveryConfig::Sack(_)) => RecoveryConfig::Sack(SackParameters {
                detection: LossDetection::Rack,
                prr: true,
                prr_on_mark: true,
                grow_on_full_ack: true,
                tlp: true,
                ..SackParameters::default()
            }),
            (_, RecoveryConfig::NewReno(_)) => RecoveryConfig::NewReno(NewRenoParameters::default()),
            (_, RecoveryConfig::Reno(_)) => RecoveryConfig::Reno(RenoRecoveryParameters::default()),
            (_, RecoveryConfig::Sack(_)) => RecoveryConfig::Sack(SackParameters::default()),
        }
    }
}
