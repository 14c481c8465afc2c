//! The path of a group of flows, as rules see it.

use weir_scenario::{Rtt, Traffic};
use weir_tcp::{
    TcpParameters,
    accecn::ReceiverEcn,
    congestion::{Facts, Marks},
};
use weir_types::{Duration, Ecn};

use crate::{load::Load, words::listed};

/// Path of the data and ACKs of a group of flows.
#[derive(Debug)]
pub(crate) struct Path<'a> {
    /// The path in the network.
    pub(crate) of: weir_scenario::Path<'a>,
    /// Number of flows.
    pub(crate) load: Load,
    declares: Vec<(&'static str, Ecn)>,
}

impl<'a> Path<'a> {
    /// The path in a run that ends at `end`.
    pub(crate) fn new(of: weir_scenario::Path<'a>, end: Duration) -> Self {
        Self { load: Load::of(&of.load, end), declares: of.flows.declares(), of }
    }

    /// The group's name.
    pub(crate) const fn group(&self) -> &'a str {
        self.of.group
    }

    /// Parameters of its connections.
    pub(crate) const fn tcp(&self) -> &'a TcpParameters {
        &self.of.flows.tcp
    }

    /// Its traffic.
    pub(crate) const fn traffic(&self) -> &'a Traffic {
        &self.of.flows.traffic
    }

    /// Returns true if it is data without end.
    pub(crate) const fn is_bulk(&self) -> bool {
        self.traffic().is_bulk()
    }

    /// Returns true if it is sent as datagrams, without TCP.
    pub(crate) const fn is_datagrams(&self) -> bool {
        self.traffic().is_datagrams()
    }

    /// Bytes of a data packet.
    pub(crate) const fn packet_bytes(&self) -> u32 {
        self.of.flows.packet_size.bytes()
    }

    /// Propagation round trip in seconds; `None` where it is drawn for each flow.
    pub(crate) fn base_rtt_s(&self) -> Option<f64> {
        match &self.of.flows.rtt {
            Rtt::Fixed(rtt) => Some(rtt.as_secs_f64()),
            Rtt::Drawn(_) => None,
        }
    }

    /// Smallest and largest propagation round trip in seconds.
    pub(crate) fn base_rtt_range_s(&self) -> (f64, f64) {
        let rtt = &self.of.flows.rtt;
        (rtt.minimum().as_secs_f64(), rtt.typical_maximum().as_secs_f64())
    }

    /// Congestion control of the group; `None` for datagrams.
    pub(crate) const fn congestion(&self) -> Option<&'static str> {
        if self.is_datagrams() { None } else { Some(self.tcp().congestion.name()) }
    }

    /// Facts about it; `None` for datagrams.
    pub(crate) const fn facts(&self) -> Option<Facts> {
        if self.is_datagrams() { None } else { Some(self.tcp().congestion.facts()) }
    }

    /// Importance of marks to it; `None` for datagrams.
    pub(crate) fn marks(&self) -> Option<Marks> {
        self.facts().map(|facts| facts.marks)
    }

    /// Returns true if it belongs in a low-latency queue (RFC 9331, section 4).
    pub(crate) fn is_scalable(&self) -> bool {
        self.facts().is_some_and(|facts| facts.scalable)
    }

    /// Returns true if it is a congestion control that is not scalable.
    pub(crate) fn is_classic(&self) -> bool {
        self.facts().is_some_and(|facts| !facts.scalable)
    }

    /// Returns true if it needs accurate ECN feedback, as Prague does.
    pub(crate) fn counts_marks(&self) -> bool {
        self.marks() == Some(Marks::Counted)
    }

    /// Kinds of packets that the group sends, each with the codepoint that it declares.
    pub(crate) fn declares(&self) -> &[(&'static str, Ecn)] {
        &self.declares
    }

    /// Codepoint of data packets.
    fn data_ecn(&self) -> Ecn {
        self.declares.iter().find(|(kind, _)| *kind == "data").map_or(Ecn::NotEct, |(_, ecn)| *ecn)
    }

    /// Returns true if data packets are ECN-capable.
    pub(crate) fn ecn_capable(&self) -> bool {
        self.data_ecn() != Ecn::NotEct
    }

    /// Returns true if data packets are ECT(1).
    pub(crate) fn is_l4s(&self) -> bool {
        self.data_ecn() == Ecn::Ect1
    }

    /// Fallback of a group that asks for accurate feedback: `no ECN`, `RFC 3168`, or `None` if it gets it.
    pub(crate) fn falls_back(&self) -> Option<&'static str> {
        let able = self.tcp().receiver_ecn;
        if self.is_datagrams() || !self.tcp().accecn || able == ReceiverEcn::Accecn {
            return None;
        }
        Some(if able == ReceiverEcn::Classic && !self.counts_marks() { "RFC 3168" } else { "no ECN" })
    }

    /// Path in the scenario of the value that makes data of the group ECN-capable.
    pub(crate) fn ecn_key(&self) -> String {
        if self.is_datagrams() {
            format!("flows.{}.traffic.{}.ecn", self.group(), self.traffic().name())
        } else {
            format!("flows.{}.tcp.ecn", self.group())
        }
    }
}

/// The groups: `ftp`, `ftp and web`, `ftp, web and 3 more`.
pub(crate) fn names(paths: &[&Path<'_>]) -> String {
    let groups: Vec<_> = paths.iter().map(|path| path.group().to_owned()).collect();
    if groups.len() > 3 {
        return listed(&[groups[0].clone(), groups[1].clone(), format!("{} more", groups.len() - 2)]);
    }
    listed(&groups)
}
