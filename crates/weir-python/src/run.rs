use std::{
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use pyo3::{
    IntoPyObjectExt,
    exceptions::{PyMemoryError, PyRuntimeError},
    prelude::*,
    types::{PyBytes, PyDict},
};
use weir_scenario::Direction;
use weir_sim::{Capture, Column, GroupRows, Job, Measured, Measurements, Names, Share, Table, Tables, Work};

use crate::{
    errors::CaptureError,
    memory::{Exceeded, Memory},
    python_aqm::{self, Lease, raised},
    scenario::Scenario,
};

/// How often is looked whether threads that were stopped have ended.
const LOOK: Duration = Duration::from_millis(20);

/// Runs simulations on all cores in the background, without the interpreter lock.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Batch(Mutex<weir_sim::Batch>, Arc<Lease>);

impl Batch {
    fn lock(&self) -> MutexGuard<'_, weir_sim::Batch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stops every run and waits for the threads, but for those that do not return from an AQM.
    fn stop(&self) {
        self.1.end();
        let mut batch = self.lock();
        batch.stop();
        while !batch.wait(LOOK) {
            if self.1.is_stuck() {
                return batch.abandon();
            }
        }
        batch.cancel();
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // Runs with AQMs in Python need the interpreter to come to their end.
        Python::try_attach(|py| py.detach(|| self.stop()));
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (jobs, threads = 0, captures = Vec::new(), memory = None))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn new(
        jobs: Vec<(PyRef<'_, Scenario>, u64)>,
        threads: usize,
        captures: Vec<(String, Option<String>, bool, PathBuf)>,
        memory: Option<PyRef<'_, Memory>>,
    ) -> PyResult<Self> {
        if jobs.iter().any(|(scenario, _)| scenario.is_unloaded()) {
            return Err(PyRuntimeError::new_err(
                "a scenario whose classes in Python were left alone cannot be run",
            ));
        }
        let python_aqms = jobs.iter().any(|(scenario, _)| scenario.plain.has_python_aqms());
        let jobs = jobs.iter().map(|(scenario, seed)| Job {
            scenario: Arc::clone(&scenario.plain),
            seed: *seed,
            captures: Vec::new(),
        });
        let mut jobs: Vec<_> = jobs.collect();
        if let Some(first) = jobs.first_mut() {
            first.captures = captures.into_iter().map(capture).collect();
        }
        let lease = Arc::new(Lease::default());
        let within = python_aqms.then(|| Arc::clone(&lease));
        let wrapper = move |work: Work| match &within {
            Some(lease) => python_aqm::within_interpreter(lease, work),
            None => work(),
        };
        let memory = memory.map(|memory| Arc::clone(&memory.0));
        Ok(Self(Mutex::new(weir_sim::Batch::start(jobs, threads, memory, wrapper)?), lease))
    }

    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        let done = py.detach(|| self.lock().wait(timeout));
        match self.1.failure(py).filter(|_| !done) {
            None => Ok(done),
            Some(failure) => {
                py.detach(|| self.stop());
                Err(failure)
            }
        }
    }

    #[getter]
    fn progress(&self, py: Python<'_>) -> f64 {
        py.detach(|| self.lock().progress())
    }

    #[getter]
    fn finished(&self, py: Python<'_>) -> usize {
        py.detach(|| self.lock().finished())
    }

    fn cancel(&self, py: Python<'_>) {
        py.detach(|| self.stop());
    }

    fn results(&self, py: Python<'_>) -> PyResult<Vec<Run>> {
        let run = |measured: Measured| {
            measured.map(Run::from).map_err(|_| PyMemoryError::new_err("a run took more memory than it may"))
        };
        self.taken(py)?.into_iter().map(run).collect()
    }

    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let measured = self.taken(py)?;
        let of = |(place, measured): (usize, Measured)| match measured {
            Ok(run) => Run::from(run).into_bound_py_any(py),
            Err(exceeded) => Exceeded(exceeded, self.lock().simulated(place)).into_bound_py_any(py),
        };
        measured.into_iter().enumerate().map(of).collect()
    }
}

impl Batch {
    /// Measurements of all runs.
    fn taken(&self, py: Python<'_>) -> PyResult<Vec<Measured>> {
        let taken = raised(|| {
            py.detach(|| {
                let mut batch = self.lock();
                if batch.wait(Duration::ZERO) { batch.take() } else { None }
            })
        })?;
        if let Some(failure) = self.lock().failure() {
            return Err(CaptureError::new_err((
                failure.number,
                failure.message.clone(),
                failure.file.clone(),
            )));
        }
        taken.ok_or_else(|| {
            PyRuntimeError::new_err("the batch has not finished, was cancelled, or gave its results already")
        })
    }
}

/// A capture as Python describes it: link, "forward", "reverse" or both, as packets arrive, file.
fn capture(described: (String, Option<String>, bool, PathBuf)) -> Capture {
    let (link, direction, arriving, file) = described;
    let direction = direction.map(|name| match &*name {
        "reverse" => Direction::Reverse,
        _ => Direction::Forward,
    });
    Capture { link, direction, arriving, file }
}

/// Measurements of one run. Their memory counts until they are dropped.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Run(Measurements, #[expect(dead_code, reason = "it counts")] Option<Arc<Share>>);

impl From<(Measurements, Option<Arc<Share>>)> for Run {
    fn from((measurements, share): (Measurements, Option<Arc<Share>>)) -> Self {
        Self(measurements, share)
    }
}

#[pymethods]
impl Run {
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    #[getter]
    fn packets(&self) -> u64 {
        self.0.packets
    }

    #[getter]
    fn events(&self) -> u64 {
        self.0.events
    }

    #[getter]
    fn cpu_s(&self) -> f64 {
        self.0.cpu.as_secs_f64()
    }
}

/// The tables of many runs, each with the number of the run in its first column.
#[pyfunction]
#[pyo3(signature = (runs, only_groups = false))]
#[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
pub(crate) fn tables(py: Python<'_>, runs: Vec<Py<Run>>, only_groups: bool) -> PyResult<Bound<'_, PyDict>> {
    let rows = if only_groups { GroupRows::Each } else { GroupRows::OfSeveral };
    let runs: Vec<_> = runs.iter().map(|run| &run.get().0).collect();
    let tables = py.detach(|| Tables::of(&runs, rows));
    table_dict(py, tables)
}

/// The tables by their names.
pub(crate) fn table_dict(py: Python<'_>, tables: Tables) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, table) in tables.into_named() {
        dict.set_item(name, columns(py, table)?)?;
    }
    Ok(dict)
}

/// A table as a dictionary of columns: what numpy calls the type of the values, their bytes, and of codes the
/// names, of lists their lengths.
fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let none = py.None();
    let lengths = |lengths: &[u32]| packed(py, lengths, u32::to_ne_bytes);
    for (name, column) in table.columns {
        match column {
            Column::Index(values) => {
                dict.set_item(name, ("u4", packed(py, &values, u32::to_ne_bytes)?, &none))?;
            }
            Column::Flag(values) => {
                dict.set_item(name, ("?", packed(py, &values, |flag| [u8::from(flag)])?, &none))?;
            }
            Column::Text(text) => {
                let (kind, codes) = codes(py, &text)?;
                dict.set_item(name, (kind, codes, text.names()))?;
            }
            Column::Integer(values) => {
                dict.set_item(name, ("i8", packed(py, &values, i64::to_ne_bytes)?, &none))?;
            }
            Column::Real(values) => {
                dict.set_item(name, ("f8", packed(py, &values, f64::to_ne_bytes)?, &none))?;
            }
            Column::Integers(lists) => {
                let values = packed(py, &lists.values, i64::to_ne_bytes)?;
                dict.set_item(name, ("i8", values, lengths(&lists.lengths)?))?;
            }
            Column::Reals(lists) => {
                let values = packed(py, &lists.values, f64::to_ne_bytes)?;
                dict.set_item(name, ("f8", values, lengths(&lists.lengths)?))?;
            }
        }
    }
    Ok(dict)
}

/// Codes in the narrowest type that holds them all.
fn codes<'py>(py: Python<'py>, text: &Names) -> PyResult<(&'static str, Bound<'py, PyBytes>)> {
    if let Some(codes) = text.codes::<u8>() {
        return Ok(("u1", PyBytes::new(py, &codes)));
    }
    if let Some(codes) = text.codes::<u16>() {
        return Ok(("u2", packed(py, &codes, u16::to_ne_bytes)?));
    }
    Ok(("u4", packed(py, &text.codes::<u32>().expect("codes are u32"), u32::to_ne_bytes)?))
}

/// The values as they lie in memory: whoever wants numbers of them has numpy, and workers need none.
pub(crate) fn packed<'py, T: Copy, const SIZE: usize>(
    py: Python<'py>,
    values: &[T],
    bytes: impl Fn(T) -> [u8; SIZE],
) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, SIZE * values.len(), |memory| {
        for (place, value) in memory.chunks_exact_mut(SIZE).zip(values) {
            place.copy_from_slice(&bytes(*value));
        }
        Ok(())
    })
}
