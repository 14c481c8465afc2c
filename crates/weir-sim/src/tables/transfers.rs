//! The table `transfers`: each transfer of a list, when it started and ended.

use weir_types::Instant;

use super::table::table;
use crate::record::{Measurements, TransferRecord};

table! {
    TransferRows<'a> of TransferRow {
        run: u32,
        group: &'a str,
        line: i64,
        bytes: i64,
        start_s: f64,
        end_s: f64,
        fct_ms: f64,
        slowdown: f64,
    }
}

/// Adds the rows of `run`: group by group, in the order of the starts. Transfers that did not end have NaN.
pub(super) fn add<'a>(run: &'a Measurements, number: u32, rows: &mut TransferRows<'a>) {
    for finite in &run.finite {
        let group = &run.groups[finite.group].name;
        for TransferRecord { line, bytes, begun, end, ideal } in &finite.transfers {
            let time = end.map(|end| end.since(*begun).as_nanos() as f64);
            rows.push(TransferRow {
                run: number,
                group,
                line: i64::from(*line),
                bytes: bytes.cast_signed(),
                start_s: begun.as_secs_f64(),
                end_s: end.map_or(f64::NAN, Instant::as_secs_f64),
                fct_ms: time.map_or(f64::NAN, |nanos| nanos / 1e6),
                slowdown: time.map_or(f64::NAN, |nanos| nanos / ideal.as_nanos().max(1) as f64),
            });
        }
    }
}
