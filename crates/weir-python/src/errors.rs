use pyo3::{
    create_exception,
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};

create_exception!(_core, ScenarioError, PyValueError, "A scenario that cannot be run.");
create_exception!(_core, CaptureError, PyOSError, "A capture that cannot be written.");

/// The Python exception for a scenario that cannot be run, with everything a person needs.
pub(crate) fn scenario_error(py: Python<'_>, error: &weir_scenario::ScenarioError) -> PyErr {
    let exception = ScenarioError::new_err(error.to_string());
    let value = exception.value(py);
    let set = || -> PyResult<()> {
        value.setattr("file", &error.file)?;
        value.setattr("line", error.line)?;
        value.setattr("path", error.path.as_deref())?;
        value.setattr("message", &error.message)?;
        value.setattr("hint", error.hint.as_deref())
    };
    match set() {
        Ok(()) => exception,
        Err(error) => error,
    }
}
