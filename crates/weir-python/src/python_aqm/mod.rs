//! AQMs that users write in Python, as the core sees them: objects behind [`weir_aqm::Aqm`].
//!
//! An exception in one of them ends the run like a panic would: nothing of it is left. Whoever
//! waits for the run gets the exception back with its own traceback, through [`raised`].

mod calls;
mod controller;
mod object;
mod packet_aqm;
mod signals;
mod views;

use std::{collections::HashSet, sync::Arc};

use pyo3::{prelude::*, types::PyDict};
use weir_aqm::{
    Aqm, Link,
    aqm::{AqmFactory, ClassArgument, LoadedClass, PythonParameters},
};
use weir_types::Rng;

pub(crate) use calls::Lease;
use controller::Controller;
pub(crate) use object::raised;
use object::{AqmObject, fail, intern};
use packet_aqm::PacketAqm;
pub(crate) use signals::signal_descriptor;
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

/// Does `work` on a thread that the interpreter knows all along: to make itself known at every call
/// of an AQM would take ten times as long as the call.
pub(crate) fn within_interpreter(lease: &Arc<Lease>, work: weir_sim::Work) {
    calls::leased(lease, || Python::attach(|py| py.detach(work)));
}

/// Finds the class that `parameters` name, in `folder` too, and remembers it there with a digest
/// of its source.
///
/// # Errors
/// A `weir.aqm._find.NotFoundError`, which names the parameter that is to blame.
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
    let found = py.import("weir.aqm._find")?.call_method1("find", arguments)?;
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
        let objects = py.import("weir.aqm._objects")?;
        let looks =
            || PyResult::Ok(calls::looks(objects.call_method1("time_limit_of", (&object,))?.extract()?));
        calls::timed(py, looks()?, || {
            object.call_method("__init__", (LinkView::new(link),), Some(self.parameters.bind(py)))
        })?;
        let variables: Vec<String> = objects.call_method1("variables_of", (&object,))?.extract()?;
        Ok(AqmObject {
            path: self.path.clone(),
            variables: variables.iter().map(|name| intern(name)).collect(),
            rate_matters: self.hooks.contains("on_rate"),
            ecn: self.ecn,
            looks: looks()?,
            object: object.unbind(),
        })
    }
}
