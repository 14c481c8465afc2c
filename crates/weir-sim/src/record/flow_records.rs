use weir_tcp::{Receiver, Sender};

use super::{DatagramCounts, FlowCounts, FlowInfo, GroupInfo, Row};

/// All static flows, and their counts at each cut.
#[derive(Debug)]
pub(crate) struct FlowRecords {
    infos: Vec<FlowInfo>,
    cuts: Vec<Cut>,
}

/// Counts at the end of an interval, since the start of the run. There may be a million flows: of each, only
/// what its own rows and the fairness among flows need is kept.
#[derive(Debug)]
struct Cut {
    /// [`FlowCounts::arrived`] and [`FlowCounts::delivered`] of each flow.
    received: Vec<(u32, u32)>,
    /// Which flows have made segments smaller, in order, and by how many bytes altogether.
    short: Vec<(u32, u64)>,
    /// Datagrams of the first flows.
    datagrams: Vec<DatagramCounts>,
    /// Sums over the flows of each group.
    groups: Vec<FlowCounts>,
}

impl FlowRecords {
    /// No counts yet of these flows.
    pub(crate) const fn new(infos: Vec<FlowInfo>) -> Self {
        Self { infos, cuts: Vec::new() }
    }

    /// Their number.
    pub(crate) const fn len(&self) -> usize {
        self.infos.len()
    }

    /// Properties of a flow.
    pub(crate) fn info(&self, flow: u32) -> &FlowInfo {
        &self.infos[flow as usize]
    }

    /// Names of all flows, as in `ftp.0`: the group and the number within it. They are not kept: the name of
    /// a flow is as large as all else about it.
    pub(crate) fn names(&self, groups: &[GroupInfo]) -> Vec<String> {
        let mut numbers = vec![0..; groups.len()];
        let name = |info: &FlowInfo| {
            let group = info.shared.group as usize;
            numbers[group].next().map(|number: u32| format!("{}.{number}", groups[group].name))
        };
        self.infos.iter().filter_map(name).collect()
    }

    /// Ends an interval: `ends` are the ends of all flows, `datagrams` the datagrams of the first flows since
    /// their start.
    pub(crate) fn close_interval<'a>(
        &mut self,
        groups: usize,
        ends: impl Iterator<Item = (&'a Sender, &'a Receiver)>,
        datagrams: &[DatagramCounts],
    ) {
        let mut cut = Cut {
            received: Vec::with_capacity(self.infos.len()),
            short: Vec::new(),
            datagrams: datagrams.to_vec(),
            groups: vec![FlowCounts::default(); groups],
        };
        for (flow, (info, (sender, receiver))) in self.infos.iter().zip(ends).enumerate() {
            cut.received.push((receiver.arrived(), receiver.delivered()));
            if receiver.short() > 0 {
                cut.short.push((flow as u32, receiver.short()));
            }
            let of_ends = || FlowCounts::of(sender, receiver, info.shared.bytes);
            let counts = cut.datagrams_of(flow).unwrap_or_else(of_ends);
            cut.groups[info.shared.group as usize].add(&counts);
        }
        self.cuts.push(cut);
    }

    /// All flows, and what each received in `row`: the segments sent are not counted.
    pub(crate) fn received(&self, row: &Row) -> impl Iterator<Item = (&FlowInfo, FlowCounts)> {
        let received = move |(flow, info)| (info, self.in_row(row, |cut| cut.received(flow, info)));
        self.infos.iter().enumerate().map(received)
    }

    /// The sum over the flows of `group` in `row`.
    pub(crate) fn sum(&self, group: usize, row: &Row) -> FlowCounts {
        self.in_row(row, |cut| cut.groups[group])
    }

    fn in_row(&self, row: &Row, counts: impl Fn(&Cut) -> FlowCounts) -> FlowCounts {
        let before = |interval: usize| {
            interval.checked_sub(1).map_or_else(FlowCounts::default, |last| counts(&self.cuts[last]))
        };
        before(row.intervals.end).since(&before(row.intervals.start))
    }
}

impl Cut {
    fn received(&self, flow: usize, info: &FlowInfo) -> FlowCounts {
        let (arrived, delivered) = self.received[flow];
        let short = match self.short.binary_search_by_key(&(flow as u32), |(flow, _)| *flow) {
            Ok(at) => self.short[at].1,
            Err(_) => 0,
        };
        let of_ends = || FlowCounts::received(arrived, delivered, info.shared.bytes, short);
        self.datagrams_of(flow).unwrap_or_else(of_ends)
    }

    /// The counts of a flow that has sent datagrams.
    fn datagrams_of(&self, flow: usize) -> Option<FlowCounts> {
        self.datagrams.get(flow).filter(|counts| counts.sent > 0).map(DatagramCounts::as_flow)
    }
}
