//! Networks: routes, lines that lose, links whose rate changes, cable modems.

mod cable;
mod lines;
mod rates;
mod routes;

use weir_sim::{Measurements, Table};

use crate::{tables, value};

/// Fails unless the tables are the same to the last digit; what is not defined in both is the same.
#[track_caller]
fn same(one: &Table, other: &Table) {
    let show = |table: &Table| format!("{table:?}");
    // Not by assert_eq: nobody wants to see two tables of thousands of rows.
    assert!(show(one) == show(other), "the tables differ");
}

/// A measure of one direction of a link over the whole run.
#[track_caller]
fn of(measured: &Measurements, link: &str, direction: &str, group: &str, column: &str) -> f64 {
    let names = [("link", link), ("direction", direction), ("class", "all"), ("group", group)];
    value(&tables(measured).links, &names, -1, column)
}

/// A measure of a group over the whole run.
#[track_caller]
fn group(measured: &Measurements, group: &str, column: &str) -> f64 {
    value(&tables(measured).groups, &[("group", group)], -1, column)
}
