//! Memory of flows and packets; and, of these, memory and time of a run without tables, roughly: for those who ask before
//! they begin. `weir check` has the whole estimate, tables and all (`python/weir/check/_estimate.py`).

use weir_aqm::Limit;
use weir_tcp::{
    congestion::CongestionConfig,
    recovery::{LossDetection, RecoveryConfig},
};

use crate::{FlowGroup, MOST_RATE_CHANGES, Path, Port, Scenario, Traffic};

// Bytes, measured with 100,000 bulk flows and 360,000 transfers; tests/check/test_costs.py compares them with runs.
/// A flow of data without end.
const FLOW: f64 = 415.0;
/// A source of datagrams, with its flow.
const SOURCE: f64 = 850.0;
/// More of a flow with SACK: its scoreboard, and the blocks of its receiver.
const SACK: f64 = 450.0;
/// More of a flow with RACK. Measured were 0 for bulk flows and 260 for transfers.
const RACK: f64 = 150.0;
/// A packet in a queue, or between two ports.
pub const PACKET_MEMORY: f64 = 51.0;
/// Packets of a flow that gets little, as a multiple of its first ones and a timeout for each doubling of the time.
const REPEATED: f64 = 1.3;
/// Any run, with its histograms.
const RUN: f64 = 1e6;
/// Seconds for a packet in a worker of the page: docs/studio-speed.md.
const PACKET_S: f64 = 176e-9;
/// More of them for each tenfold of flows from a thousand on, whose state is not in the cache, as measured for the same
/// file.
const DISTANT_S: f64 = 80e-9;

/// Estimated demand of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// Flows at the same time, at most.
    pub flows: f64,
    /// Bytes, without the program itself.
    pub memory: f64,
    /// Seconds of a core.
    pub seconds: f64,
}

impl Scenario {
    /// Estimated memory and time of a run. Right within a factor of three, where each flow sends all the time.
    pub fn demand(&self) -> Demand {
        let network = self.network();
        let most =
            |path: &Path<'_>| path.load.iter().map(|change| f64::from(change.after)).fold(0.0, f64::max);
        let flows = network.paths.iter().map(most).sum::<f64>();
        let of_flows: f64 = network.paths.iter().map(|path| most(path) * path.flows.memory()).sum();
        let duration = self.duration.as_secs_f64();
        let carried = |port: &Port<'_>| {
            let later = port.rate_changes(self.duration).take(MOST_RATE_CHANGES).map(|(_, rate)| rate);
            let rate = later.chain([port.rate()]).max().unwrap_or(port.rate());
            rate.bits_per_second() as f64 / 8.0 / f64::from(port.mean_packet_size.bytes())
        };
        let waiting = |port: &Port<'_>| {
            let limit = match port.limit {
                Limit::Packets(packets) => f64::from(packets),
                Limit::Bytes(bytes) | Limit::Span(bytes) => {
                    bytes as f64 / f64::from(port.mean_packet_size.bytes())
                }
            };
            let passing = carried(port) * port.delay.as_secs_f64();
            limit.min(carried(port) * duration) + passing
        };
        let loaded = |port: &&Port<'_>| !port.load.is_empty();
        let sent = |path: &Path<'_>| {
            let first = path.flows.tcp.initial_window.0 + duration.max(1.0).log2();
            most(path) * first * REPEATED
        };
        let least = network.paths.iter().filter(|path| !path.flows.traffic.is_datagrams()).map(sent).sum();
        let packets: f64 = network.ports.iter().filter(loaded).map(carried).sum::<f64>() * duration;
        let queued: f64 = network.ports.iter().filter(loaded).map(waiting).sum();
        let each = PACKET_S + DISTANT_S * (flows / 1000.0).log10().max(0.0);
        Demand { flows, memory: RUN + of_flows + queued * PACKET_MEMORY, seconds: packets.max(least) * each }
    }
}

impl FlowGroup {
    /// Bytes of a flow of the group, or of a source of datagrams. Flows of a replay have no sender.
    pub fn memory(&self) -> f64 {
        match &self.traffic {
            Traffic::Replay(_) => FLOW,
            traffic if traffic.is_datagrams() => SOURCE,
            _ => FLOW + self.sender_memory(),
        }
    }

    /// Bytes of what only some senders have; 0 for datagrams.
    pub fn sender_memory(&self) -> f64 {
        if self.traffic.is_datagrams() {
            return 0.0;
        }
        let control = match self.tcp.congestion {
            CongestionConfig::Bbr1(_) => 660.0,
            CongestionConfig::Bbr3(_) => 1100.0,
            CongestionConfig::Cubic(_) => 330.0,
            CongestionConfig::Ledbat(_) | CongestionConfig::LedbatPlusPlus(_) => 450.0,
            CongestionConfig::Prague(_) => 580.0,
            _ => 0.0,
        };
        let recovery = match &self.tcp.recovery {
            RecoveryConfig::Sack(sack) if sack.detection == LossDetection::Rack => SACK + RACK,
            RecoveryConfig::Sack(_) => SACK,
            _ => 0.0,
        };
        control + recovery
    }
}
