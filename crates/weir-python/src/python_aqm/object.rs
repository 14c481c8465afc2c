//! An object of a Python class that is an AQM, and the exceptions it raises.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Mutex, PoisonError},
};

use pyo3::{call::PyCallArgs, prelude::*};
use weir_types::{Duration, Instant};

use super::calls::timed;

/// An exception of an AQM, on its way out of a run.
struct Raised(PyErr);

/// Does `work`, in which AQMs may run; what they raise comes back.
pub(crate) fn raised<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Raised>() {
        Ok(raised) => raised.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// An object that is an AQM.
pub(super) struct AqmObject {
    pub(super) path: String,
    pub(super) object: Py<PyAny>,
    /// Attributes that are recorded over time.
    pub(super) variables: Vec<&'static str>,
    pub(super) rate_matters: bool,
    pub(super) ecn: bool,
    /// That a call may take: see [`calls`](super::calls).
    pub(super) looks: u32,
}

impl AqmObject {
    /// Calls a hook and converts its result with `read`.
    pub(super) fn call<'py, A: PyCallArgs<'py>, T>(
        &self,
        py: Python<'py>,
        hook: &str,
        arguments: A,
        now: Instant,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> T {
        let work = || self.object.bind(py).call_method1(hook, arguments).and_then(|value| read(&value));
        timed(py, self.looks, work).unwrap_or_else(|error| {
            fail(py, error, &self.path, &format!("in {hook} at {} s of the run", now.as_secs_f64()))
        })
    }

    /// Calls a hook that decides nothing.
    pub(super) fn tell<'py, A: PyCallArgs<'py>>(
        &self,
        py: Python<'py>,
        hook: &str,
        arguments: A,
        now: Instant,
    ) {
        self.call(py, hook, arguments, now, |_| Ok(()));
    }

    pub(super) fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if self.variables.is_empty() {
            return;
        }
        Python::attach(|py| {
            for name in &self.variables {
                let work = || self.object.bind(py).getattr(*name)?.extract::<f64>();
                match timed(py, self.looks, work) {
                    Ok(value) => record(name, value),
                    Err(error) => fail(py, error, &self.path, &format!("when {name} was recorded")),
                }
            }
        });
    }

    /// Its `period`, in seconds, as a time.
    pub(super) fn period(&self, py: Python<'_>) -> PyResult<Option<Duration>> {
        let period = py.import("weir.aqm._objects")?.call_method1("period_of", (&self.object,))?;
        Ok(period.extract::<Option<f64>>()?.map(Duration::from_secs_f64))
    }
}

/// Ends the run with an exception of an AQM, with the simulated time added.
pub(super) fn fail(py: Python<'_>, error: PyErr, aqm: &str, place: &str) -> ! {
    let place = format!("{aqm}, {place}");
    let traceback = error.traceback(py);
    let told = py
        .import("weir.aqm._objects")
        .and_then(|module| module.call_method1("tell", (error.value(py), traceback, place)));
    let ends = match told {
        Ok(same) if same.is(error.value(py)) => error,
        Ok(other) => PyErr::from_value(other),
        Err(untold) => untold,
    };
    resume_unwind(Box::new(Raised(ends)))
}

/// Interns a text for as long as the program runs. Each is kept once: there are as many as variables that AQMs name.
pub(super) fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.push(kept);
    kept
}
