use pyo3::{exceptions::PyValueError, prelude::*};

/// See [`weir_theory::student_t`].
#[pyfunction]
pub(crate) fn student_t(degrees: u32, level: f64) -> PyResult<f64> {
    weir_theory::student_t(degrees, level)
        .ok_or_else(|| PyValueError::new_err("there is no such distribution, or no such level"))
}
