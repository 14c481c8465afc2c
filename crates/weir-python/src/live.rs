use std::{
    net::IpAddr,
    ops::Range,
    os::fd::{BorrowedFd, OwnedFd},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use pyo3::{
    exceptions::{PyRuntimeError, PyValueError},
    prelude::*,
    types::PyDict,
};
use weir_line::Totals;
use weir_live::{End, Finished, Lateness, LinkName, Router, State};
use weir_scenario::{DirectedLink, Live, Trace, Way};
use weir_sim::{GroupRows, Measurements, Monitor, Simulation, Tables};
use weir_types::{Duration, Instant};

use crate::{
    errors::scenario_error,
    run::{packed, table_dict},
    scenario::Scenario,
};

/// The ways of packets from outside through a scenario.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct LiveWays(Live);

#[pymethods]
impl LiveWays {
    #[new]
    #[pyo3(signature = (scenario, group = None, rtt = None))]
    fn new(
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
        group: Option<&str>,
        rtt: Option<&str>,
    ) -> PyResult<Self> {
        let rtt = rtt.map(str::parse::<Duration>).transpose();
        let rtt = rtt.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let live = scenario.get().plain.live(group, rtt);
        live.map(Self).map_err(|invalid| scenario_error(py, &scenario.get().blamed(invalid)))
    }

    #[getter]
    fn group(&self) -> &str {
        &self.0.group
    }

    #[getter]
    fn rtt_s(&self) -> f64 {
        self.0.rtt.as_secs_f64()
    }

    /// The link whose queue one of the kernel can stand for: name, direction, rate in bit/s.
    fn kernel_link(
        &self,
        py: Python<'_>,
        scenario: &Bound<'_, Scenario>,
    ) -> PyResult<(String, &'static str, f64)> {
        let link = self.0.kernel_link();
        let link = link.map_err(|invalid| scenario_error(py, &scenario.get().blamed(invalid)))?;
        Ok((link.link, link.direction.name(), link.rate.bits_per_second() as f64))
    }
}

/// An end as Python has it: file descriptor, Ethernet addresses of a packet socket, IP addresses.
type OpenEnd = (i32, Option<[u8; 12]>, Vec<IpAddr>);

// `PACKET_BYTES` of `weir.live` and of the documentation.
const _: () = assert!(size_of::<weir_scenario::TracePacket>() == 24);

/// A relay that runs.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Relay {
    running: Mutex<weir_live::Relay>,
    ways: Py<LiveWays>,
    seed: u64,
    /// The queue of the way of the data is the kernel's.
    of_kernel: bool,
}

impl Relay {
    fn lock(&self) -> MutexGuard<'_, weir_live::Relay> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Relay {
    #[new]
    #[pyo3(signature = (ways, seed, senders, receivers, mtu, capture = None, router = None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        py: Python<'_>,
        ways: Py<LiveWays>,
        seed: u64,
        senders: Vec<OpenEnd>,
        receivers: Vec<OpenEnd>,
        mtu: usize,
        capture: Option<PathBuf>,
        router: Option<(i32, i32)>,
    ) -> PyResult<Self> {
        let open = |ends: Vec<OpenEnd>| ends.into_iter().map(end).collect::<PyResult<Vec<_>>>();
        let (senders, receivers) = (open(senders)?, open(receivers)?);
        let live = &ways.get().0;
        let router = match router {
            Some((into, out)) => {
                let tun = |file| end((file, None, Vec::new()));
                let link = live.kernel_link().map_err(|invalid| PyValueError::new_err(invalid.message))?;
                Some((link, Router { into: tun(into)?, out: tun(out)? }))
            }
            None => None,
        };
        let of_kernel = router.is_some();
        let relay =
            py.detach(|| weir_live::Relay::start(live, seed, senders, receivers, mtu, capture, router))?;
        Ok(Self { running: Mutex::new(relay), ways, seed, of_kernel })
    }

    #[getter]
    fn is_running(&self, py: Python<'_>) -> bool {
        py.detach(|| self.lock().is_running())
    }

    #[getter]
    fn packets(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().packets())
    }

    #[getter]
    fn elapsed_s(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.lock().elapsed().as_secs_f64())
    }

    fn states<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Bound<'py, PyDict>>>> {
        let states = py.detach(|| self.lock().states());
        states.iter().map(|state| state.as_ref().map(|state| state_dict(py, state)).transpose()).collect()
    }

    fn stop(&self, py: Python<'_>) -> PyResult<LiveRun> {
        let outcome = py.detach(|| self.lock().stop());
        let Some(outcome) = outcome else {
            return Err(PyRuntimeError::new_err("the relay has been stopped before"));
        };
        let duration = outcome.duration;
        Ok(LiveRun {
            duration,
            ways: self.ways.clone_ref(py),
            seed: self.seed,
            directions: [outcome.forward, outcome.reverse].map(Direction::of),
            capture_error: outcome.capture_error.map(|error| error.to_string()),
            of_kernel: self.of_kernel,
        })
    }
}

/// Results of a relay.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct LiveRun {
    duration: Duration,
    ways: Py<LiveWays>,
    seed: u64,
    directions: [Direction; 2],
    capture_error: Option<String>,
    /// The queue of the way of the data was the kernel's.
    of_kernel: bool,
}

/// Results of one direction of a relay.
struct Direction {
    trace: Arc<Trace>,
    finished: Finished,
}

impl Direction {
    fn of(mut finished: Finished) -> Self {
        let packets = std::mem::take(&mut finished.trace);
        let flows = finished.flows.len() as u32;
        Self { trace: Arc::new(Trace { packets, flows }), finished }
    }
}

#[pymethods]
impl LiveRun {
    #[getter]
    fn duration_s(&self) -> f64 {
        self.duration.as_secs_f64()
    }

    #[getter]
    fn capture_error(&self) -> Option<&str> {
        self.capture_error.as_deref()
    }

    /// For each direction what was found while it ran.
    fn directions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let describe = |Direction { finished, .. }: &Direction| {
            let dict = PyDict::new(py);
            dict.set_item("lateness", lateness_dict(py, &finished.lateness)?)?;
            let flows = finished.flows.iter().map(|flow| flow_dict(py, flow));
            dict.set_item("flows", flows.collect::<PyResult<Vec<_>>>()?)?;
            dict.set_item("error", finished.error.as_ref().map(ToString::to_string))?;
            Ok(dict)
        };
        self.directions.iter().map(describe).collect()
    }

    /// The packets that a queue of the kernel had: when they came and left, in nanoseconds; -1 for one that did not.
    fn passed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let passed = &self.directions[0].finished.passed;
        let nanos = |at: Instant| at.as_nanos().cast_signed();
        let dict = PyDict::new(py);
        let times = [
            ("arrived_ns", passed.iter().map(|one| nanos(one.arrived)).collect::<Vec<_>>()),
            ("left_ns", passed.iter().map(|one| one.left.map_or(-1, nanos)).collect()),
        ];
        for (name, values) in times {
            dict.set_item(name, ("i8", packed(py, &values, i64::to_ne_bytes)?, py.None()))?;
        }
        let numbers = [
            ("bytes", passed.iter().map(|one| one.bytes).collect::<Vec<_>>()),
            ("flow", passed.iter().map(|one| one.flow).collect()),
        ];
        for (name, values) in numbers {
            dict.set_item(name, ("u4", packed(py, &values, u32::to_ne_bytes)?, py.None()))?;
        }
        let flags = [
            ("marked", passed.iter().map(|one| one.marked).collect::<Vec<_>>()),
            ("dropped", passed.iter().map(|one| one.dropped).collect()),
        ];
        for (name, values) in flags {
            dict.set_item(name, ("?", packed(py, &values, |flag| [u8::from(flag)])?, py.None()))?;
        }
        Ok(dict)
    }

    /// Simulates the packets that came, direction by direction, those of ports alone. Returns for each the tables up to `end_s`, and the
    /// names of the links that packets of this direction pass. The last value is true if a simulation of the whole
    /// run counted what the relay counted.
    fn replay<'py>(&self, py: Python<'py>, warm_up_s: f64, end_s: f64) -> PyResult<Vec<Replayed<'py>>> {
        let (warm_up, end) = (Duration::from_secs_f64(warm_up_s), Duration::from_secs_f64(end_s));
        let live = &self.ways.get().0;
        let runs = py.detach(|| {
            let ways = [&live.forward, &live.reverse].into_iter().zip(&self.directions);
            // What the kernel decides is no function of what came.
            ways.skip(usize::from(self.of_kernel))
                .filter_map(|(way, direction)| replay(way, direction, warm_up..end, self.seed))
                .collect::<Vec<_>>()
        });
        let tables = runs.into_iter().map(|(measured, links, agrees)| {
            let tables = py.detach(|| Tables::of(&[&measured], GroupRows::Each));
            let links = links.into_iter().map(|name| (name.link, name.direction.name())).collect();
            Ok((table_dict(py, tables)?, links, agrees))
        });
        tables.collect()
    }
}

type Replayed<'py> = (Bound<'py, PyDict>, Vec<(String, &'static str)>, bool);

/// A simulation of the packets that came in one direction, measured in a part of the run, and the links they pass.
/// The last value is true if the simulation agrees over the whole run. `None` without queues.
fn replay(
    way: &Way,
    direction: &Direction,
    measured: Range<Duration>,
    seed: u64,
) -> Option<(Measurements, Vec<LinkName>, bool)> {
    let simulated = |end: Duration| {
        let scenario = way.with(Arc::clone(&direction.trace), end, measured.start)?;
        Some(Simulation::new(&scenario, seed).run(&Monitor::default()).expect("nobody stops it"))
    };
    let duration = direction.finished.until.since(Instant::ZERO);
    let whole = simulated(duration)?;
    let links = &direction.finished.links;
    let agrees = links.iter().all(|(name, totals)| {
        let at = DirectedLink { link: &name.link, direction: name.direction };
        whole.totals(at) == Some(*totals)
    });
    let part = if measured.end < duration { simulated(measured.end)? } else { whole };
    Some((part, links.iter().map(|(name, _)| name.clone()).collect(), agrees))
}

/// A packet socket or a TUN device, which stays open here whatever Python does with its own.
#[expect(unsafe_code, reason = "a number from Python becomes a file")]
fn end((file, ethernet, addresses): OpenEnd) -> PyResult<End> {
    let open = || -> std::io::Result<OwnedFd> {
        if file < 0 {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: it is not -1, and is borrowed for the call of `dup` alone, which fails for what is no open file.
        unsafe { BorrowedFd::borrow_raw(file) }.try_clone_to_owned()
    };
    Ok(End { file: open()?, ethernet, addresses })
}

fn state_dict<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let links = state.links.iter().map(|link| {
        let one = totals_dict(py, &link.totals)?;
        one.set_item("link", &link.name.link)?;
        one.set_item("direction", link.name.direction.name())?;
        one.set_item("rate_bps", link.rate)?;
        one.set_item("waiting", link.waiting)?;
        let [p50, p99] = link.sojourn_ns;
        one.set_item("delay_p50_ms", p50 / 1e6)?;
        one.set_item("delay_p99_ms", p99 / 1e6)?;
        Ok(one)
    });
    dict.set_item("links", links.collect::<PyResult<Vec<_>>>()?)?;
    let flows = state.flows.iter().map(|flow| flow_dict(py, flow));
    dict.set_item("flows", flows.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("lateness", lateness_dict(py, &state.lateness)?)?;
    Ok(dict)
}

fn totals_dict<'py>(py: Python<'py>, totals: &Totals) -> PyResult<Bound<'py, PyDict>> {
    let Totals { arrivals, departures, drops, marks, lost, bytes, waited } = *totals;
    let dict = PyDict::new(py);
    let fields = [
        ("arrivals", arrivals),
        ("departures", departures),
        ("drops", drops),
        ("marks", marks),
        ("lost", lost),
        ("bytes", bytes),
        ("waited_ns", waited),
    ];
    for (name, value) in fields {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

fn flow_dict<'py>(py: Python<'py>, flow: &weir_live::FlowCounts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("flow", flow.key.to_string())?;
    let fields =
        [("packets", flow.packets), ("bytes", flow.bytes), ("drops", flow.drops), ("marks", flow.marks)];
    for (name, value) in fields {
        dict.set_item(name, value)?;
    }
    Ok(dict)
}

fn lateness_dict<'py>(py: Python<'py>, lateness: &Lateness) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in
        ["wake_p50_us", "wake_p99_us", "wake_p999_us", "wake_max_us"].iter().zip(lateness.wake_ns)
    {
        dict.set_item(name, value / 1e3)?;
    }
    let Lateness { stalls, packets, late, refused, undelivered, cpu, .. } = *lateness;
    let counts = [
        ("stalls", stalls),
        ("packets", packets),
        ("late", late),
        ("refused", refused),
        ("undelivered", undelivered),
    ];
    for (name, value) in counts {
        dict.set_item(name, value)?;
    }
    dict.set_item("cpu_s", cpu.as_secs_f64())?;
    Ok(dict)
}
