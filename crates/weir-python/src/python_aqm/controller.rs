//! An AQM in Python that sets a probability some times a second; packets are drawn for here.

use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
};
use weir_aqm::{Aqm, Backlog, PacketInfo, Reason, Verdict};
use weir_types::{Duration, Instant, Rate, Rng};

use super::{
    object::AqmObject,
    views::{Counts, SeenView},
};

pub(super) struct Controller {
    aqm: AqmObject,
    rng: Rng,
    rate: Rate,
    period: Duration,
    update_at: Instant,
    probability: f64,
    counts: Counts,
}

impl Controller {
    pub(super) fn new(py: Python<'_>, aqm: AqmObject, rate: Rate, rng: Rng) -> PyResult<Self> {
        let period = aqm.period(py)?.ok_or_else(|| PyTypeError::new_err("a controller needs a period"))?;
        let update_at = Instant::ZERO + period;
        Ok(Self { aqm, rng, rate, period, update_at, probability: 0.0, counts: Counts::default() })
    }
}

fn probability(returned: &Bound<'_, PyAny>) -> PyResult<f64> {
    // "bool" is what numpy calls its own too: a comparison where a number was meant.
    let is_switch = returned.get_type().name()?.to_string().starts_with("bool");
    let value = returned.extract::<f64>().ok().filter(|_| !is_switch).ok_or_else(|| {
        let found = returned.repr().map_or_else(|_| "something else".to_owned(), |repr| repr.to_string());
        PyTypeError::new_err(format!("update returned {found}, not a probability"))
    })?;
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        let message = format!("update returned {value}; a probability lies between 0 and 1");
        Err(PyValueError::new_err(message))
    }
}

impl Aqm for Controller {
    /// Does nothing: the state of the AQM is in the object of its class, and in mid-run it does not change.
    fn take_over(&mut self, _: &Self) {}

    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, _now: Instant) -> Verdict {
        self.counts.arrived += 1;
        self.counts.arrived_bytes += u64::from(packet.bytes);
        if queue.overflows(packet.bytes) {
            self.counts.lost += 1;
            return Verdict::Pass;
        }
        match self.rng.chance(self.probability) {
            false => Verdict::Pass,
            true if self.aqm.ecn => Verdict::Mark(Reason::Early),
            true => Verdict::Drop(Reason::Early),
        }
    }

    fn on_dequeue(&mut self, packet: PacketInfo, sojourn: Duration, _: Backlog, _: Instant) -> Verdict {
        self.counts.left += 1;
        self.counts.left_bytes += u64::from(packet.bytes);
        self.counts.delay = Some(sojourn.as_secs_f64());
        Verdict::Pass
    }

    fn on_overflow(&mut self, packets: u32, _now: Instant) {
        self.counts.lost += u64::from(packets);
    }

    fn on_rate(&mut self, rate: Rate, _now: Instant) {
        self.rate = rate;
    }

    fn next_update(&self) -> Option<Instant> {
        Some(self.update_at)
    }

    fn update(&mut self, queue: Backlog, now: Instant) {
        let counts = std::mem::take(&mut self.counts);
        let seen = SeenView::new(queue, self.rate.bits_per_second(), counts, now);
        self.probability = Python::attach(|py| self.aqm.call(py, "update", (seen,), now, probability));
        self.update_at = now + self.period;
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        record("probability", self.probability);
        self.aqm.probe(record);
    }
}
