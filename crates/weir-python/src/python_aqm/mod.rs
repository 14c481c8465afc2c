//! AQMs that users write in Python, as the core sees them: objects behind [`weir_aqm::Aqm`].
//!
//! An exception in one of them ends the run like a panic would: nothing of it is left. Whoever
//! waits for the run gets the exception back with its own traceback, through [`raised`].

mod controller;
mod packet_aqm;
mod views;

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, PoisonError},
};

use pyo3::{call::PyCallArgs, prelude::*, types::PyDict};
use weir_aqm::{
    Aqm, Link,
    aqm::{AqmFactory, ClassArgument, LoadedClass, PythonParameters},
};
use weir_types::{Duration, Instant, Rng};

use controller::Controller;
use packet_aqm::PacketAqm;
pub(crate) use views::{BacklogView, LinkView, PacketView, SeenView};

/// A loaded class and its arguments.
struct AqmClass {
    /// Its import path, for messages.
    path: String,
    class: Py<PyAny>,
    parameters: Py<PyDict>,
    is_controller: bool,
    /// The hooks that it defines: the others are not worth a call.
    hooks: HashSet<String>,
    ecn: bool,
}

/// An exception of an AQM, on its way out of a run.
struct Raised(PyErr);

/// Does `work`, in which AQMs may run; what they raise comes back.
pub(crate) fn raised<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Raised>() {
        Ok(raised) => raised.0,
        Err(panic) => resume_unwind(panic),
    })
}

/// Does `work` on a thread that the interpreter knows all along: to make itself known at every call
/// of an AQM would take ten times as long as the call.
pub(crate) fn within_interpreter(work: Box<dyn FnOnce() + Send>) {
    Python::attach(|py| py.detach(work));
}

/// Finds the class that `parameters` name, in `folder` too, and remembers it there with a digest
/// of its source.
///
/// # Errors
/// A `weir.aqm.NotFoundError`, which names the parameter that is to blame.
pub(crate) fn find(py: Python<'_>, parameters: &mut PythonParameters, folder: &str) -> PyResult<()> {
    let settings = PyDict::new(py);
    for (name, setting) in &parameters.parameters {
        match setting {
            ClassArgument::Bool(value) => settings.set_item(name, value)?,
            ClassArgument::Integer(value) => settings.set_item(name, value)?,
            ClassArgument::Number(value) => settings.set_item(name, value)?,
            ClassArgument::Text(value) => settings.set_item(name, value)?,
        }
    }
    let arguments = (&parameters.class, folder, &settings, &parameters.source);
    let found = py.import("weir.aqm")?.call_method1("find", arguments)?;
    parameters.source = Some(found.getattr("source")?.extract()?);
    parameters.factory = LoadedClass(Some(Arc::new(AqmClass {
        path: parameters.class.clone(),
        class: found.getattr("cls")?.unbind(),
        parameters: settings.unbind(),
        is_controller: found.getattr("is_controller")?.extract()?,
        hooks: found.getattr("hooks")?.extract()?,
        ecn: parameters.ecn,
    })));
    Ok(())
}

/// Converts an error of [`find`] with `told(parameter, message, hint)`. Returns other exceptions
/// unchanged.
pub(crate) fn blame(py: Python<'_>, error: PyErr, told: impl FnOnce(&str, String, String) -> PyErr) -> PyErr {
    let value = error.value(py);
    let text = |name: &str| value.getattr(name).and_then(|text| text.extract::<String>());
    match (text("key"), text("message"), text("hint")) {
        (Ok(key), Ok(message), Ok(hint)) => {
            let told = told(&key, message, hint);
            told.set_cause(py, error.cause(py));
            told
        }
        _ => error,
    }
}

impl AqmFactory for AqmClass {
    fn build(&self, link: Link, mut rng: Rng) -> Box<dyn Aqm> {
        Python::attach(|py| {
            let made = self.make(py, link, &mut rng).and_then(|aqm| -> PyResult<Box<dyn Aqm>> {
                Ok(if self.is_controller {
                    Box::new(Controller::new(py, aqm, link.rate, rng)?)
                } else {
                    Box::new(PacketAqm::new(py, aqm, &self.hooks)?)
                })
            });
            made.unwrap_or_else(|error| fail(py, error, &self.path, "when it was made"))
        })
    }
}

impl AqmClass {
    /// An object of the class, with random numbers of its own.
    fn make(&self, py: Python<'_>, link: Link, rng: &mut Rng) -> PyResult<AqmObject> {
        let class = self.class.bind(py);
        let object = class.call_method1("__new__", (class,))?;
        let seed = (rng.uniform() * (1_u64 << 53) as f64) as u64;
        object.setattr("random", py.import("random")?.call_method1("Random", (seed,))?)?;
        object.call_method("__init__", (LinkView::new(link),), Some(self.parameters.bind(py)))?;
        let variables = py.import("weir.aqm")?.call_method1("variables_of", (&object,))?;
        let variables: Vec<String> = variables.extract()?;
        Ok(AqmObject {
            path: self.path.clone(),
            variables: variables.iter().map(|name| intern(name)).collect(),
            rate_matters: self.hooks.contains("on_rate"),
            ecn: self.ecn,
            object: object.unbind(),
        })
    }
}

/// An object that is an AQM.
struct AqmObject {
    path: String,
    object: Py<PyAny>,
    /// Attributes that are recorded over time.
    variables: Vec<&'static str>,
    rate_matters: bool,
    ecn: bool,
}

impl AqmObject {
    /// Calls a hook and converts its result with `read`.
    fn call<'py, A: PyCallArgs<'py>, T>(
        &self,
        py: Python<'py>,
        hook: &str,
        arguments: A,
        now: Instant,
        read: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>,
    ) -> T {
        let returned = self.object.bind(py).call_method1(hook, arguments);
        returned.and_then(|value| read(&value)).unwrap_or_else(|error| {
            fail(py, error, &self.path, &format!("in {hook} at {} s of the run", now.as_secs_f64()))
        })
    }

    /// Calls a hook that decides nothing.
    fn tell<'py, A: PyCallArgs<'py>>(&self, py: Python<'py>, hook: &str, arguments: A, now: Instant) {
        self.call(py, hook, arguments, now, |_| Ok(()));
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if self.variables.is_empty() {
            return;
        }
        Python::attach(|py| {
            for name in &self.variables {
                let value = self.object.bind(py).getattr(*name).and_then(|value| value.extract::<f64>());
                match value {
                    Ok(value) => record(name, value),
                    Err(error) => fail(py, error, &self.path, &format!("when {name} was recorded")),
                }
            }
        });
    }

    /// Its `period`, in seconds, as a time.
    fn period(&self, py: Python<'_>) -> PyResult<Option<Duration>> {
        let period = py.import("weir.aqm")?.call_method1("period_of", (&self.object,))?;
        Ok(period.extract::<Option<f64>>()?.map(Duration::from_secs_f64))
    }
}

/// Ends the run with an exception of an AQM, with the simulated time added.
fn fail(py: Python<'_>, error: PyErr, aqm: &str, place: &str) -> ! {
    let place = format!("{aqm}, {place}");
    let traceback = error.traceback(py);
    let told = py
        .import("weir.aqm")
        .and_then(|module| module.call_method1("tell", (error.value(py), traceback, place)));
    let ends = match told {
        Ok(same) if same.is(error.value(py)) => error,
        Ok(other) => PyErr::from_value(other),
        Err(untold) => untold,
    };
    resume_unwind(Box::new(Raised(ends)))
}

/// The same text for as long as the program runs. Each is kept once: there are as many as
/// variables that AQMs name.
fn intern(name: &str) -> &'static str {
    static NAMES: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.iter().find(|known| **known == name) {
        return known;
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.push(kept);
    kept
}
