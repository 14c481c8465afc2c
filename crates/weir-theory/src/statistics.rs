//! Quantiles for intervals of means, the same for every program of Weir.

use special::Beta;

/// The two-sided quantile of Student's t distribution at a `level` of confidence in [0, 1). `None` if there is no such
/// distribution, or no such level.
///
/// The probability beyond ±t is the regularised incomplete beta function at ν / (ν + t²) with the parameters ν/2 and
/// 1/2. The equations are 26.7.1 and 26.5.27 of Abramowitz and Stegun. The function is inverted here.
pub fn student_t(degrees: u32, level: f64) -> Option<f64> {
    if degrees == 0 || !(0.0..1.0).contains(&level) {
        return None;
    }
    let freedom = f64::from(degrees);
    let (p, q) = (freedom / 2.0, 0.5);
    let at = (1.0 - level).inv_inc_beta(p, q, p.ln_beta(q));
    Some((freedom * (1.0 - at) / at).sqrt())
}
