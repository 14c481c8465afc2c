//! Flows that come and go, web sessions and datagrams: what theory says of them, and that nothing is
//! made or lost where one flow takes the place of another.

mod datagrams;
mod slots;
mod transfers;
mod web;

use weir_sim::{Column, Measurements};

use crate::tables;

/// A measure of `completions` over the whole run: of `group`, of all sizes or those up to `upto` bytes.
#[track_caller]
fn completed(measured: &Measurements, group: &str, upto: Option<f64>, column: &str) -> f64 {
    let row = rows(measured, group).into_iter().find(|row| row.0 == upto);
    let (_, row) = row.unwrap_or_else(|| panic!("no row for {group} up to {upto:?}"));
    match &find(measured, column) {
        Column::Real(values) => values[row],
        Column::Integer(values) => values[row] as f64,
        _ => panic!("{column} is not a measure"),
    }
}

/// The rows over the whole run: the upper bound of the sizes, `None` for all, and the place.
fn rows(measured: &Measurements, group: &str) -> Vec<(Option<f64>, usize)> {
    let Column::Text(groups) = find(measured, "group") else { panic!("groups are names") };
    let Column::Integer(periods) = find(measured, "period") else { panic!("periods are counts") };
    let Column::Real(upto) = find(measured, "upto_bytes") else { panic!("bounds are numbers") };
    let codes = groups.codes::<u32>().expect("codes are u32");
    (0..periods.len())
        .filter(|row| periods[*row] == -1 && groups.names()[codes[*row] as usize] == group)
        .map(|row| (Some(upto[row]).filter(|bound| !bound.is_nan()), row))
        .collect()
}

fn find(measured: &Measurements, column: &str) -> Column {
    let columns = tables(measured).completions.columns;
    columns.into_iter().find(|(name, _)| *name == column).expect("a column").1
}

/// That the mean of `values` is `expected`, within four of its standard errors: by chance it is not once in
/// a thousand times where there are a dozen values.
#[track_caller]
fn agree(values: &[f64], expected: f64, what: &str) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let error = (variance / n).sqrt();
    assert!((mean - expected).abs() < 4.5 * error, "{what}: {mean} +- {error}, not {expected}");
}

/// A link of a packet per millisecond with room for all, and one group.
fn text(duration: &str, group: &str) -> String {
    format!(
        r#"
        schema = 1
        name = "traffic"
        duration = "{duration}"
        links.l = {{ rate = "8 Mbit/s", delay = "50 ms", buffer = "100000 packets" }}
        [flows.web]
        rtt = "100 ms"
        {group}
        "#
    )
}
