use std::{
    fmt::Display,
    ops::RangeInclusive,
    str::FromStr,
    sync::{Mutex, TryLockError},
};

use pyo3::{
    exceptions::{PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::PyDict,
};
use weir_aqm::{Discipline, Label, Limit, Link, Observer, Packet, PacketInfo, Reason, qdisc::AnyDiscipline};
use weir_types::{Buffer, Dscp, Duration, Ecn, Instant, PacketSize, Probability, Rate, Streams, UnitError};

use crate::python_aqm::{self, raised};

/// A packet that is nothing but what an AQM may know of it, and its number.
#[derive(Clone, Copy)]
struct Bare {
    info: PacketInfo,
    label: Label,
    number: u64,
}

impl Packet for Bare {
    fn info(&self) -> PacketInfo {
        self.info
    }

    fn label(&self) -> Label {
        self.label
    }

    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
    }
}

/// Packets that were dropped: flow and reason.
type Dropped = Vec<(u32, &'static str)>;

/// Fates of packets that did not pass as they came.
#[derive(Default)]
struct Fates {
    /// The packet that arrives.
    arrival: Option<u64>,
    /// Why it was dropped.
    refused: Option<&'static str>,
    marked: Option<&'static str>,
    /// The others.
    dropped: Dropped,
}

impl Observer<Bare> for Fates {
    fn dropped(&mut self, packet: Bare, reason: Reason, _waited: bool, _now: Instant) {
        if self.arrival == Some(packet.number) {
            self.refused = Some(reason.name());
        } else {
            self.dropped.push((packet.info.flow, reason.name()));
        }
    }

    fn marked(&mut self, _packet: &Bare, reason: Reason, _now: Instant) {
        self.marked = Some(reason.name());
    }
}

/// No packet is larger: as in scenario files.
const LARGEST_PACKET: u64 = 1_000_000;

/// Upper bound of instants, because all timers before an instant run.
const LATEST: f64 = 1e6;

/// Updates of an AQM in one step of time: some ten seconds of them.
const MOST_UPDATES: u64 = 1_000_000_000;

/// Updates after which Ctrl-C is looked for.
const LOOK: u64 = 1 << 16;

struct Held {
    queue: AnyDiscipline<Bare>,
    now: Instant,
    /// Packets that have arrived.
    arrived: u64,
}

impl Held {
    /// Advances the time and runs due timers. An error leaves it at the last of them.
    fn advance(&mut self, seconds: f64) -> PyResult<Instant> {
        let now = Instant::from_nanos((seconds * 1e9).round() as u64);
        if !(0.0..=LATEST).contains(&seconds) || now < self.now {
            let before = self.now.as_secs_f64();
            let message =
                format!("time went from {before} s to {seconds} s; it goes forward, up to {LATEST} s");
            return Err(PyValueError::new_err(message));
        }
        let mut done = 0_u64;
        while let Some(due) = self.queue.next_update().filter(|due| *due <= now) {
            if done == 1 {
                self.check_updates(due, now)?;
            } else if done % LOOK == LOOK - 1 {
                // Other threads get their turn.
                Python::attach(|py| {
                    py.detach(|| ());
                    py.check_signals()
                })?;
            }
            self.queue.update(due);
            (self.now, done) = (due, done + 1);
        }
        self.now = now;
        Ok(now)
    }

    /// That the updates until `now` come to an end, if they go on in such steps as from the last one to `due`.
    fn check_updates(&self, due: Instant, now: Instant) -> PyResult<()> {
        let step = due.as_nanos().saturating_sub(self.now.as_nanos()).max(1);
        let updates = (now.as_nanos() - due.as_nanos()) / step;
        if updates <= MOST_UPDATES {
            return Ok(());
        }
        let step = Duration::from_nanos(step);
        let message = format!(
            "until {now} its AQM would do {updates} updates, one each {step}, and at most {MOST_UPDATES} are done \
             in one step; name an earlier time, or write a longer interval",
            now = Duration::from_nanos(now.as_nanos()),
        );
        Err(PyValueError::new_err(message))
    }
}

/// The argument `name`: a quantity in text.
fn parse<T: FromStr<Err = UnitError>>(name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{name}: {error}")))
}

/// The argument `name`: a whole number in `range`.
fn whole(name: &str, value: &Bound<'_, PyAny>, range: RangeInclusive<u64>) -> PyResult<u64> {
    let found = value.extract::<u64>();
    if let Some(number) = found.as_ref().ok().filter(|number| range.contains(number)) {
        return Ok(*number);
    }
    let (least, most) = range.into_inner();
    let message = format!("{name} is {}; write a whole number from {least} to {most}", value.repr()?);
    Err(match found {
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => PyTypeError::new_err(message),
        _ => PyValueError::new_err(message),
    })
}

/// One discipline in your hands: you are the link.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct QueueCore(Mutex<Held>);

impl QueueCore {
    /// Calls `work` with the discipline. It is refused within another call: the queue's own AQM in Python may not use
    /// it.
    fn with<T>(&self, work: impl FnOnce(&mut Held) -> PyResult<T>) -> PyResult<T> {
        let mut held = match self.0.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyRuntimeError::new_err("the queue is in use, by another thread or its own AQM"));
            }
        };
        raised(|| work(&mut held))?
    }
}

#[pymethods]
impl QueueCore {
    #[new]
    fn new(
        py: Python<'_>,
        queue: &str,
        rate: &str,
        buffer: &str,
        mean_packet: &str,
        seed: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let bad = |message: &dyn Display| PyValueError::new_err(message.to_string());
        let rate: Rate = parse("rate", rate)?;
        let mean_packet = parse::<PacketSize>("mean_packet", mean_packet)?.bytes();
        let buffer: Buffer = parse("buffer", buffer)?;
        let seed = whole("seed", seed, 0..=u64::MAX)?;
        if let Buffer::Bdp(_) = buffer {
            let message = "a queue by itself has no round trip: write the buffer in packets, bytes or ms";
            return Err(bad(&message));
        }
        let limit = Limit::of(buffer, rate, mean_packet, Duration::ZERO);
        if matches!(limit, Limit::Packets(0) | Limit::Bytes(0) | Limit::Span(0)) {
            return Err(bad(&"a buffer holds at least one packet"));
        }
        let link = Link { rate, mean_packet, limit, rtt: Duration::ZERO };
        let told = |path: &str, message: &str, hint: Option<&str>| {
            let hint = hint.map(|hint| format!("; hint: {hint}")).unwrap_or_default();
            bad(&format!("{path}: {message}{hint}"))
        };
        let mut config = weir_scenario::read_queue(queue, link).map_err(|error| {
            told(error.path.as_deref().unwrap_or("queue"), &error.message, error.hint.as_deref())
        })?;
        if let Some((place, parameters)) = config.python_mut() {
            python_aqm::find(py, parameters, "").map_err(|error| {
                python_aqm::blame(py, error, |key, message, hint| {
                    told(&format!("queue.{place}.{key}"), &message, Some(&hint))
                })
            })?;
        }
        let queue = raised(|| config.build(link, Streams::new(seed), "queue.aqm"))?;
        Ok(Self(Mutex::new(Held { queue, now: Instant::ZERO, arrived: 0 })))
    }

    fn offer(
        &self,
        now: f64,
        bytes: &Bound<'_, PyAny>,
        flow: &Bound<'_, PyAny>,
        ecn: &str,
        dscp: &str,
        hosts: &Bound<'_, PyAny>,
    ) -> PyResult<(&'static str, Option<&'static str>, Dropped)> {
        let ecn = match ecn {
            "not-ect" => Ecn::NotEct,
            "ect0" => Ecn::Ect0,
            "ect1" => Ecn::Ect1,
            "ce" => Ecn::Ce,
            other => {
                let message = format!("ecn is \"{other}\"; write \"not-ect\", \"ect0\", \"ect1\" or \"ce\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let bytes = whole("bytes", bytes, 1..=LARGEST_PACKET)? as u32;
        let flow = whole("flow", flow, 0..=u64::from(u32::MAX))? as u32;
        let dscp: Dscp = parse("dscp", dscp)?;
        let host = |name, number| Ok::<_, PyErr>(whole(name, number, 0..=u64::from(u32::MAX))? as u32);
        let (from, to): (Bound<'_, PyAny>, Bound<'_, PyAny>) = hosts.extract()?;
        let label = Label { dscp, from: host("from_host", &from)?, to: host("to_host", &to)? };
        let fates = self.with(|held| {
            let now = held.advance(now)?;
            let packet = Bare { info: PacketInfo { bytes, ecn, flow }, label, number: held.arrived };
            held.arrived += 1;
            let mut fates = Fates { arrival: Some(packet.number), ..Fates::default() };
            held.queue.enqueue(packet, now, &mut fates);
            Ok(fates)
        })?;
        Ok(match (fates.refused, fates.marked) {
            (Some(reason), _) => ("dropped", Some(reason), fates.dropped),
            (None, Some(reason)) => ("marked", Some(reason), fates.dropped),
            (None, None) => ("accepted", None, fates.dropped),
        })
    }

    #[expect(clippy::type_complexity, reason = "a pair of plain values, unpacked at once in Python")]
    fn take(&self, now: f64) -> PyResult<(Option<(u32, u32, bool, f64)>, Dropped)> {
        self.with(|held| {
            let now = held.advance(now)?;
            let mut fates = Fates::default();
            let taken = held.queue.dequeue(now, &mut fates).map(|(Bare { info, .. }, sojourn)| {
                (info.flow, info.bytes, info.ecn == Ecn::Ce, sojourn.as_secs_f64())
            });
            Ok((taken, fates.dropped))
        })
    }

    fn advance(&self, now: f64) -> PyResult<()> {
        self.with(|held| held.advance(now).map(|_| ()))
    }

    fn set_rate(&self, now: f64, rate: &str) -> PyResult<()> {
        let rate: Rate = parse("rate", rate)?;
        self.with(|held| {
            let now = held.advance(now)?;
            held.queue.on_rate(rate, now);
            Ok(())
        })
    }

    fn set_targets(&self, now: f64, delay: &str, loss: f64) -> PyResult<()> {
        let bad = |text: String| PyValueError::new_err(text);
        let delay: Duration = parse("delay", delay)?;
        let loss =
            Probability::new(loss).ok_or_else(|| bad(format!("a loss of {loss}; it is a part, 0 to 1")))?;
        self.with(|held| {
            held.advance(now)?;
            let AnyDiscipline::OpRed(fifo) = &mut held.queue else {
                return Err(bad("only op-red has a delay and a loss for targets".into()));
            };
            let set = fifo.aqm_mut().set_targets(delay, loss);
            set.map_err(|invalid| bad(format!("{}: {}", invalid.parameter, invalid.message)))
        })
    }

    #[getter]
    fn packets(&self) -> PyResult<u32> {
        self.with(|held| Ok(held.queue.backlog().packets))
    }

    #[getter]
    fn bytes(&self) -> PyResult<u64> {
        self.with(|held| Ok(held.queue.backlog().bytes))
    }

    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        self.with(|held| {
            let mut outcome = Ok(());
            held.queue.probe(&mut |name, value| {
                if let Err(error) = dict.set_item(name, value) {
                    outcome = Err(error);
                }
            });
            outcome
        })?;
        Ok(dict)
    }
}
