//! An AQM in Python that decides on every packet.

use std::collections::HashSet;

use pyo3::{exceptions::PyTypeError, prelude::*};
use weir_aqm::{Aqm, Backlog, PacketInfo, Reason, Verdict};
use weir_types::{Duration, Instant, Rate};

use super::{
    object::AqmObject,
    views::{BacklogView, PacketView},
};

#[expect(clippy::struct_excessive_bools, reason = "one for each hook that may be there")]
pub(super) struct PacketAqm {
    aqm: AqmObject,
    on_enqueue: bool,
    on_dequeue: bool,
    on_idle: bool,
    on_overflow: bool,
    /// Between updates, if there are any.
    period: Option<Duration>,
    update_at: Option<Instant>,
}

impl PacketAqm {
    pub(super) fn new(py: Python<'_>, aqm: AqmObject, hooks: &HashSet<String>) -> PyResult<Self> {
        let has = |hook: &str| hooks.contains(hook);
        let period = aqm.period(py)?.filter(|_| has("update"));
        if has("update") && period.is_none() {
            let message = "update is never called: set period, in seconds between two calls";
            return Err(PyTypeError::new_err(message));
        }
        Ok(Self {
            aqm,
            on_enqueue: has("on_enqueue"),
            on_dequeue: has("on_dequeue"),
            on_idle: has("on_idle"),
            on_overflow: has("on_overflow"),
            period,
            update_at: period.map(|period| Instant::ZERO + period),
        })
    }

    /// The verdict for a returned value: None, "pass", "mark" or "drop".
    fn verdict(&self, returned: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        if returned.is_none() {
            return Ok(Verdict::Pass);
        }
        match returned.extract::<&str>() {
            Ok("pass") => Ok(Verdict::Pass),
            Ok("mark") if self.aqm.ecn => Ok(Verdict::Mark(Reason::Early)),
            Ok("mark" | "drop") => Ok(Verdict::Drop(Reason::Early)),
            _ => {
                let message =
                    format!("{} is no verdict; return None, \"mark\" or \"drop\"", returned.repr()?);
                Err(PyTypeError::new_err(message))
            }
        }
    }
}

impl Aqm for PacketAqm {
    /// Does nothing: the state of the AQM is in the object of its class, and in mid-run it does not change.
    fn take_over(&mut self, _: &Self) {}

    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        if !self.on_enqueue {
            return Verdict::Pass;
        }
        let arguments = (PacketView::new(packet), BacklogView::new(queue), now.as_secs_f64());
        Python::attach(|py| self.aqm.call(py, "on_enqueue", arguments, now, |value| self.verdict(value)))
    }

    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, queue: Backlog, now: Instant) -> Verdict {
        if !self.on_dequeue {
            return Verdict::Pass;
        }
        let packet = PacketView::new(packet);
        let arguments = (packet, sojourn.as_secs_f64(), BacklogView::new(queue), now.as_secs_f64());
        Python::attach(|py| self.aqm.call(py, "on_dequeue", arguments, now, |value| self.verdict(value)))
    }

    fn on_idle(&mut self, now: Instant) {
        if self.on_idle {
            Python::attach(|py| self.aqm.tell(py, "on_idle", (now.as_secs_f64(),), now));
        }
    }

    fn on_overflow(&mut self, packets: u32, now: Instant) {
        if self.on_overflow {
            Python::attach(|py| self.aqm.tell(py, "on_overflow", (packets, now.as_secs_f64()), now));
        }
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        if self.aqm.rate_matters {
            let arguments = (rate.bits_per_second(), now.as_secs_f64());
            Python::attach(|py| self.aqm.tell(py, "on_rate", arguments, now));
        }
    }

    fn next_update(&self) -> Option<Instant> {
        self.update_at
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        Python::attach(|py| self.aqm.tell(py, "update", (BacklogView::new(queue), now.as_secs_f64()), now));
        self.update_at = self.period.map(|period| now + period);
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.aqm.probe(record);
    }
}
