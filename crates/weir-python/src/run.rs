use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use numpy::PyArray1;
use pyo3::{exceptions::PyRuntimeError, prelude::*, types::PyDict};
use weir_sim::{Column, Job, Measurements, Table};

use crate::scenario::Scenario;

/// Runs simulations on all cores in the background, without the interpreter lock.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Batch(Mutex<weir_sim::Batch>);

impl Batch {
    fn lock(&self) -> MutexGuard<'_, weir_sim::Batch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (jobs, threads = 0))]
    #[expect(clippy::needless_pass_by_value, reason = "converted from Python")]
    fn new(jobs: Vec<(PyRef<'_, Scenario>, u64)>, threads: usize) -> PyResult<Self> {
        let jobs =
            jobs.iter().map(|(scenario, seed)| Job { scenario: Arc::clone(&scenario.plain), seed: *seed });
        Ok(Self(Mutex::new(weir_sim::Batch::start(jobs.collect(), threads)?)))
    }

    fn wait(&self, py: Python<'_>, seconds: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
        py.detach(|| self.lock().wait(timeout))
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
        py.detach(|| self.lock().cancel());
    }

    fn results(&self, py: Python<'_>) -> PyResult<Vec<Run>> {
        py.detach(|| {
            let mut batch = self.lock();
            if batch.wait(Duration::ZERO) { batch.take() } else { None }
        })
        .map(|runs| runs.into_iter().map(Run).collect())
        .ok_or_else(|| {
            PyRuntimeError::new_err("the batch has not finished, was cancelled, or gave its results already")
        })
    }
}

/// What one run measured.
#[pyclass(frozen, module = "weir._core")]
pub(crate) struct Run(Measurements);

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

    #[getter]
    fn links<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.0.links())
    }

    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.0.groups())
    }

    #[getter]
    fn flows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.0.flows())
    }

    #[getter]
    fn delays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.0.delays())
    }

    #[getter]
    fn series<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns(py, self.0.series_table())
    }
}

/// A table as a dictionary of columns, numbers as numpy arrays.
fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    for (name, column) in table.columns {
        match column {
            Column::Text(values) => dict.set_item(name, values)?,
            Column::Integer(values) => dict.set_item(name, PyArray1::from_vec(py, values))?,
            Column::Real(values) => dict.set_item(name, PyArray1::from_vec(py, values))?,
        }
    }
    Ok(dict)
}
