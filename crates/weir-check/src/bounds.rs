//! The levels of a queue below which its link idles.

use weir_scenario::Role;

use crate::{aqm::Aqm, path::Path, port::Port, scene::Scene};

/// Fraction of [`enough_of`] a product for the target of REM and PI, divided by the square root of the number of flows;
/// measured as [`Shares`].
const TARGET: f64 = 0.4;

/// Packets. Where the path gives each flow less, timeouts and minimum windows keep the link busy.
const LEAST_WINDOW: f64 = 4.0;

/// Parts of the bandwidth-delay product below which a threshold leaves the link idle, by congestion control.
///
/// Of DCTCP from K > C RTT / 7 (Alizadeh et al., 2010, section 3.4). Others as measured with Weir on 50 Mbit/s and 60
/// ms: below it step and `DropTail` use about 90% or less with 1 to 40 flows, and so does Adaptive RED with few. Vegas
/// and REM hosts keep their queue short themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    like_reno: f64,
    cubic: f64,
}

/// Shares of most queues.
pub(crate) const USUAL: Shares = Shares { like_reno: 0.25, cubic: 0.05 };

/// Shares of AQMs that differ, measured in the same way, also on 10 and 100 Mbit/s. RED and HRED signal while the
/// average is far below `max_th`. Self-configuring RED and CHOKe signal a few flows only as often as these need.
fn shares_of(aqm: &str) -> Shares {
    match aqm {
        "red" | "hred" => Shares { like_reno: 0.5, cubic: 0.25 },
        "feng-red" | "choke" => Shares { like_reno: 0.05, ..USUAL },
        _ => USUAL,
    }
}

impl Shares {
    fn of(self, path: &Path<'_>) -> f64 {
        // A scalable control without ECN is Reno.
        if path.is_scalable() && !path.ecn_capable() {
            return self.like_reno;
        }
        match path.congestion() {
            Some("reno" | "tahoe" | "wireless") => self.like_reno,
            Some("cubic") => self.cubic,
            Some("scalable") => USUAL.cubic,
            Some("dctcp") => 1.0 / 7.0,
            _ => 0.0,
        }
    }

    /// The least of the shares among the groups: the others fill what one leaves.
    pub(crate) fn least(self, paths: &[&Path<'_>]) -> f64 {
        paths.iter().map(|path| self.of(path)).fold(f64::INFINITY, f64::min)
    }
}

/// The packets below which the strongest threshold, or the target, of this AQM leaves the link idle; 0 if none is.
pub(crate) fn enough_of(scene: &Scene<'_>, port: &Port<'_>, aqm: &Aqm) -> f64 {
    let (paths, product) = (scene.bulk_through(port), scene.mean_bdp(port));
    if !scene.is_bottleneck(port) || paths.is_empty() || aqm.per_flow || !fills(port, &paths, product) {
        return 0.0;
    }
    let enough = shares_of(aqm.name).least(&paths) * product;
    match aqm.parameter(Role::Queue) {
        Some(_) => enough * TARGET / f64::from(port.load.fewest).sqrt(),
        None => enough,
    }
}

/// Returns true if the flows could keep the link busy, but halve windows that the path needs.
pub(crate) fn fills(port: &Port<'_>, paths: &[&Path<'_>], product: f64) -> bool {
    let flows = port.load.fewest;
    flows > 0
        && product / f64::from(flows) >= LEAST_WINDOW
        && windows(port, paths).is_none_or(|windows| windows > product)
}

/// Sum of the receive windows at the largest number of flows, in packets of mean size; `None` without a bound.
pub(crate) fn windows(port: &Port<'_>, paths: &[&Path<'_>]) -> Option<f64> {
    paths.iter().try_fold(0.0, |total, path| {
        let window = path.tcp().receive_window?.0;
        Some(total + f64::from(path.load.most) * window * f64::from(path.packet_bytes()) / port.mean_packet())
    })
}

/// The largest packet at the port, in bytes.
pub(crate) fn largest(scene: &Scene<'_>, port: &Port<'_>) -> u32 {
    scene.through(port).iter().map(|path| path.packet_bytes()).max().unwrap_or_default()
}

/// The seconds that the largest packet takes to send, at the lowest rate.
pub(crate) fn sent_s(scene: &Scene<'_>, port: &Port<'_>) -> f64 {
    f64::from(largest(scene, port)) * 8.0 / port.rates.lowest()
}
