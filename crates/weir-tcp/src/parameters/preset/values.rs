//! The values of the presets.

use super::TcpPreset;
use crate::{
    congestion::{
        CongestionConfig, CubicParameters, DctcpParameters, FriendlyGrowth, HystartParameters,
        PragueParameters, RemHostParameters, RenoParameters, ScalableParameters, SlowStartConfig,
        SsthreshFrom, TahoeParameters, TargetRtt, WestwoodPlusParameters, WindowEnd, WirelessParameters,
    },
    parameters::{
        AppropriateByteCounting, FullAckWindow, LossDetection, MinRtoBounds, NewRenoParameters,
        RecoveryConfig, RenoRecoveryParameters, SackParameters, TcpParameters,
    },
};
use weir_types::{Duration, PacketSize, Packets, Probability};

impl TcpPreset {
    /// Every value, with the congestion control and the loss recovery of this preset.
    pub fn parameters(self) -> TcpParameters {
        let rfc = TcpParameters::default();
        match self {
            Self::Rfc => rfc,
            Self::Ns2 => TcpParameters {
                congestion: CongestionConfig::Reno(self.reno()),
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

    /// Reno's parameters, also where another control contains them.
    fn reno(self) -> RenoParameters {
        let rfc = RenoParameters::default();
        match self {
            Self::Rfc => rfc,
            // precisionReduce_ false: slowdown() cuts an integer window.
            Self::Ns2 => {
                RenoParameters { ssthresh_from: SsthreshFrom::Window, integer_ssthresh: true, ..rfc }
            }
            Self::Linux => RenoParameters { ssthresh_from: SsthreshFrom::Window, integer_cwnd: true, ..rfc },
        }
    }

    /// Returns the chosen congestion control with the parameters of this preset.
    #[must_use]
    pub fn congestion_with(self, chosen: &CongestionConfig) -> CongestionConfig {
        let reno = self.reno();
        match chosen {
            CongestionConfig::Reno(_) => CongestionConfig::Reno(reno),
            CongestionConfig::Tahoe(_) => CongestionConfig::Tahoe(TahoeParameters { reno }),
            CongestionConfig::Cubic(_) if self == Self::Linux => CongestionConfig::Cubic(CubicParameters {
                friendly_growth: FriendlyGrowth::Alpha,
                target_rtt: TargetRtt::Min,
                integer_cwnd: true,
                ssthresh_from: SsthreshFrom::Window,
                slow_start: SlowStartConfig::Hystart(HystartParameters::default()),
                ..CubicParameters::default()
            }),
            CongestionConfig::Cubic(_) => CongestionConfig::Cubic(CubicParameters::default()),
            CongestionConfig::Bbr1(parameters) => CongestionConfig::Bbr1(*parameters),
            CongestionConfig::Bbr3(parameters) => CongestionConfig::Bbr3(*parameters),
            CongestionConfig::Vegas(parameters) => CongestionConfig::Vegas(*parameters),
            CongestionConfig::Ledbat(parameters) => CongestionConfig::Ledbat(*parameters),
            CongestionConfig::LedbatPlusPlus(parameters) => CongestionConfig::LedbatPlusPlus(*parameters),
            CongestionConfig::Dctcp(_) => {
                let rfc = DctcpParameters { reno, ..DctcpParameters::default() };
                CongestionConfig::Dctcp(match self {
                    Self::Rfc => rfc,
                    Self::Ns2 => DctcpParameters { initial_alpha: Probability::constant(0.0), ..rfc },
                    Self::Linux => {
                        DctcpParameters { integer_cwnd: true, window_end: WindowEnd::Reached, ..rfc }
                    }
                })
            }
            CongestionConfig::Prague(parameters) => {
                CongestionConfig::Prague(PragueParameters { reno, ..*parameters })
            }
            CongestionConfig::Scalable(_) => {
                CongestionConfig::Scalable(ScalableParameters { reno, ..ScalableParameters::default() })
            }
            CongestionConfig::RemHost(_) => {
                CongestionConfig::RemHost(RemHostParameters { reno, ..RemHostParameters::default() })
            }
            CongestionConfig::WestwoodPlus(_) => CongestionConfig::WestwoodPlus(WestwoodPlusParameters {
                filter_twice: self == Self::Linux,
                reno,
                ..WestwoodPlusParameters::default()
            }),
            CongestionConfig::Wireless(_) => {
                CongestionConfig::Wireless(WirelessParameters { reno, ..WirelessParameters::default() })
            }
        }
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
