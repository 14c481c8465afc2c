//! Lessons for Python.

use pyo3::prelude::*;
use weir_lesson::Lesson;

use crate::errors::scenario_error;

/// A lesson from its text, as JSON.
#[pyfunction]
pub(crate) fn lesson(py: Python<'_>, text: &str, file: &str) -> PyResult<String> {
    let lesson = Lesson::parse(file, text).map_err(|error| scenario_error(py, &error))?;
    Ok(serde_json::to_string(&lesson).expect("a lesson is plain data"))
}
