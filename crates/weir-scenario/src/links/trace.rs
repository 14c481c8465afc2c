//! Files of delivery opportunities: one time in milliseconds in each line.

use std::path::Path;

use weir_aqm::DeliveryTrace;
use weir_types::Invalid;

use super::link::{DirectionMut, Link};
use crate::{files, problem::Problem};

/// One time in milliseconds in each line, in order.
fn parse(text: &[u8]) -> Result<DeliveryTrace, Invalid> {
    let refuse = |message: String| Invalid {
        parameter: "trace".into(),
        message,
        hint: "write a time in whole milliseconds in each line, none before the one above".into(),
    };
    let text = std::str::from_utf8(text).map_err(|_| refuse("not a text".to_owned()))?;
    let (mut times, mut last) = (Vec::new(), 0);
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())) {
        if line.is_empty() {
            continue;
        }
        let at: u32 = line.parse().map_err(|_| {
            refuse(format!("line {number}: {} is no time in whole milliseconds", files::quoted(line)))
        })?;
        if let Some(before) = times.last().filter(|before| **before > at) {
            return Err(refuse(format!("line {number}: the time {at} goes back behind {before}")));
        }
        times.push(at);
        last = number;
    }
    if times.is_empty() {
        return Err(refuse("there is no line in it".to_owned()));
    }
    DeliveryTrace::new(times)
        .ok_or_else(|| refuse(format!("line {last}: all times are 0, and the trace takes no time")))
}

impl Link {
    /// Reads the traces of the link called `name`, from `folder` where they do not say where they
    /// are. Writes down where they are and what they held.
    pub(crate) fn load_traces(&mut self, name: &str, folder: &Path) -> Result<(), Problem> {
        for (suffix, direction) in self.directions_mut() {
            let DirectionMut { rate, trace, trace_digest: digest, deliveries, .. } = direction;
            let Some(file) = trace else {
                Problem::unless(
                    digest.is_none(),
                    format!("links.{name}{suffix}.trace_digest"),
                    "there is no trace",
                    "leave trace_digest out: it is filled in when a trace is read",
                )?;
                continue;
            };
            files::read(folder, file, digest, deliveries, parse).map_err(|invalid| {
                let key = if invalid.parameter == "digest" { "trace_digest" } else { "trace" };
                let path = format!("links.{name}{suffix}.{key}");
                Problem { path, message: invalid.message, hint: invalid.hint }
            })?;
            rate.get_or_insert(deliveries.get().mean_rate());
        }
        Ok(())
    }
}
