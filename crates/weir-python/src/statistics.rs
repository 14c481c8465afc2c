use pyo3::{exceptions::PyValueError, prelude::*};
use special::Beta;

/// The two-sided quantile of Student's t distribution.
///
/// The probability beyond ±t is the regularised incomplete beta function at ν / (ν + t²) with the
/// parameters ν/2 and 1/2. The equations are 26.7.1 and 26.5.27 of Abramowitz and Stegun. The
/// function is inverted here.
#[pyfunction]
pub(crate) fn student_t(degrees: u32, level: f64) -> PyResult<f64> {
    if degrees == 0 || !(0.0..1.0).contains(&level) {
        return Err(PyValueError::new_err("there is no such distribution, or no such level"));
    }
    let freedom = f64::from(degrees);
    let (p, q) = (freedom / 2.0, 0.5);
    let at = (1.0 - level).inv_inc_beta(p, q, p.ln_beta(q));
    Ok((freedom * (1.0 - at) / at).sqrt())
}
