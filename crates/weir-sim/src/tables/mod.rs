//! From counts to measures: the tables of runs.

mod completions;
mod flows;
mod queues;
mod round_trips;
mod table;
mod transfers;

use crate::record::{GroupInfo, Measurements};
use completions::CompletionRows;
pub use flows::Jain;
use flows::{FlowRows, GroupTable};
use queues::{DelayRows, LinkRows, QueueSums};
use table::table;
pub use table::{Column, Lists, Names, Table};
use transfers::TransferRows;

/// The measures of several runs: one table of each kind for all of them, in their order. The first column
/// of each is `run`, the index of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Tables {
    /// One row for each run.
    pub runs: Table,
    /// Queues: arrivals, departures, drops, marks, queue length and delay.
    pub links: Table,
    /// Groups of flows: goodput, losses, retransmissions and fairness.
    pub groups: Table,
    /// Every flow, in every period during which it existed.
    pub flows: Table,
    /// Histograms of sojourn times, a row for each: their bins are lists.
    pub delays: Table,
    /// Transfers that have ended, by size; empty without finite flows.
    pub completions: Table,
    /// Each transfer of a list; empty without lists.
    pub transfers: Table,
    /// Values over time, a row for each variable: instants and values are lists.
    pub series: Table,
}

/// The groups that have rows of their own, beside the rows of all groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRows {
    /// Every group.
    Each,
    /// Every group if there are several: the rows of an only group repeat the rows of all groups.
    OfSeveral,
}

impl GroupRows {
    /// The groups of `run` that have rows.
    fn of(self, run: &Measurements) -> &[GroupInfo] {
        if self == Self::OfSeveral && run.groups.len() == 1 { &[] } else { &run.groups }
    }
}

impl Tables {
    /// The tables of `runs`.
    pub fn of(runs: &[&Measurements], rows: GroupRows) -> Self {
        let (mut totals, mut series) = (RunRows::default(), SeriesRows::default());
        let (mut links, mut delays) = (LinkRows::default(), DelayRows::default());
        let (mut groups, mut flows) = (GroupTable::default(), FlowRows::default());
        let (mut completions, mut transfers) = (CompletionRows::default(), TransferRows::default());
        let mut sums = QueueSums::default();
        let names: Vec<_> = runs.iter().map(|run| run.flows.names(&run.groups)).collect();
        for (number, (run, names)) in (0..).zip(runs.iter().zip(&names)) {
            totals.push(RunRow {
                run: number,
                seed: run.seed.cast_signed(),
                packets: run.packets.cast_signed(),
                events: run.events.cast_signed(),
            });
            queues::add(run, rows.of(run), number, &mut sums, &mut links, &mut delays);
            flows::add((run, names), rows.of(run), number, &mut groups, &mut flows);
            completions::add(run, rows.of(run), number, &mut completions);
            transfers::add(run, number, &mut transfers);
            add_series(run, number, &mut series);
        }
        Self {
            runs: totals.finish(),
            links: links.finish(),
            groups: groups.finish(),
            flows: flows.finish(),
            delays: delays.finish(),
            completions: completions.finish(),
            transfers: transfers.finish(),
            series: series.finish(),
        }
    }

    /// The tables of one run, with the rows of every group.
    pub fn of_run(run: &Measurements) -> Self {
        Self::of(&[run], GroupRows::Each)
    }

    /// The tables by their names.
    pub fn into_named(self) -> [(&'static str, Table); 8] {
        [
            ("runs", self.runs),
            ("links", self.links),
            ("groups", self.groups),
            ("flows", self.flows),
            ("delays", self.delays),
            ("completions", self.completions),
            ("transfers", self.transfers),
            ("series", self.series),
        ]
    }
}

table! {
    RunRows of RunRow {
        run: u32,
        seed: i64,
        packets: i64,
        events: i64,
    }
}

table! {
    SeriesRows<'a> of SeriesRow {
        run: u32,
        component: &'a str,
        variable: &'a str,
        time_s: &'a [f64],
        value: &'a [f64],
    }
}

fn add_series<'a>(run: &'a Measurements, number: u32, rows: &mut SeriesRows<'a>) {
    for ((component, variable), value) in run.series.names.iter().zip(&run.series.values) {
        rows.push(SeriesRow { run: number, component, variable, time_s: &run.series.times, value });
    }
}
