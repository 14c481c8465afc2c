//! Read access to the state of a sender.

use weir_types::{Duration, Rate};

use super::{AnyMachine, Sender, each_machine};
use crate::{
    Counters,
    recovery::{Recovery, Sack},
};

impl Sender {
    /// The number of its first segment, which is the SYN where there is one.
    pub const fn first(&self) -> u32 {
        self.connection.first
    }

    /// One past the last number there is to send; [`u32::MAX`] if there is no end.
    pub const fn end(&self) -> u32 {
        self.connection.end
    }

    /// Bytes on the wire of the last segment there is to send.
    pub const fn last_bytes(&self) -> u32 {
        self.connection.last_bytes
    }

    /// All that there was to send has been acknowledged.
    pub const fn is_done(&self) -> bool {
        self.connection.una == self.connection.end
    }

    /// The congestion window in segments, without the inflation of fast recovery.
    pub const fn cwnd(&self) -> f64 {
        self.connection.window.cwnd
    }

    /// Where slow start ends, in segments.
    pub const fn ssthresh(&self) -> f64 {
        self.connection.window.ssthresh
    }

    /// Shows the inner variables of its congestion control under their published names.
    pub fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.connection.congestion.probe(record);
    }

    /// The smoothed round-trip time; `None` before the first sample.
    pub fn srtt(&self) -> Option<Duration> {
        self.connection.rtt.smoothed()
    }

    /// The number of segments acknowledged in order.
    pub const fn acked(&self) -> u32 {
        self.connection.una
    }

    /// The state of SACK recovery, if that is chosen.
    pub fn sack(&self) -> Option<&Sack> {
        match &self.machine {
            AnyMachine::Sack(machine) => Some(&machine.recovery),
            AnyMachine::Modern(machine) => Some(&machine.recovery),
            AnyMachine::Reno(_) | AnyMachine::NewReno(_) => None,
        }
    }

    /// Segments in the network: sent since the last timeout and not acknowledged, less what duplicate ACKs or SACK
    /// blocks say has arrived. RFC 5681 counts the latter too: in a long recovery that is many times the window. A
    /// timeout would then set a threshold far above what the path has just refused.
    pub fn flight(&self) -> f64 {
        each_machine!(&self.machine, machine => machine.recovery.flight(&self.connection))
    }

    /// The rate at which segments may leave, of bytes on the wire; `None` if it does not pace, or not yet.
    pub fn pacing_rate(&self) -> Option<Rate> {
        let AnyMachine::Modern(machine) = &self.machine else { return None };
        let bits =
            8.0 * f64::from(self.connection.header.bytes()) * machine.transport.segments_per_second()?;
        Rate::from_bits_per_second(bits as u64)
    }

    /// The number of segments sent, the SYN and retransmissions among them.
    pub const fn sent(&self) -> u32 {
        self.connection.high - self.connection.first + self.connection.counters.retransmitted
    }

    /// Counts of its retransmissions, timeouts and cuts so far.
    pub const fn counters(&self) -> &Counters {
        &self.connection.counters
    }
}
