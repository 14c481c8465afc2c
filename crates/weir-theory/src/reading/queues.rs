//! Queue disciplines of scenarios as AQMs of the model: parameters in packets and seconds.

use super::table::Table;
use crate::{Adapts, Aqm, Avq, Hred, Integrator, Red, Shape, Spacing, Step, TheoryError};

const EVENTS: &str = "it acts on events, and no fluid model of it is published that we know of";

/// Factors that turn levels into packets.
pub(super) struct Unit {
    /// Bytes of a packet.
    pub(super) size: f64,
    /// Packets per second.
    pub(super) capacity: f64,
    /// The packet size by which the queue counts, bytes.
    pub(super) counted: f64,
    /// Packets.
    pub(super) buffer: f64,
}

/// The AQM of a discipline with these parameters.
pub(super) fn aqm_of(discipline: &str, table: &Table, unit: &Unit) -> Result<Aqm, TheoryError> {
    let number = |key: &str| table.number(key).expect("a parameter without a default");
    let seconds = |key: &str| table.seconds(key).expect("a time without a default");
    let packets = |key: &str| table.packets(key, unit.size);
    let level = |key: &str| packets(key).expect("a level without a default");
    // PIE and its kin have gains in 1/s.
    let by_delay = |name: &str, shape: Shape| Integrator {
        name: name.to_owned(),
        now: number("alpha") + number("beta"),
        before: number("beta"),
        interval: seconds("interval"),
        target: seconds("target"),
        by_delay: true,
        shape,
        ..Integrator::default()
    };
    let aqm = match discipline {
        "red" => Aqm::Red(red(table, "RED", level("min_th"), level("max_th"))),
        "nlred" => {
            let line = red(table, "NLRED", level("min_th"), level("max_th"));
            let max_p = (number("nl_factor") * line.max_p).min(1.0);
            Aqm::Red(Red { max_p, parabola: true, ..line })
        }
        "adaptive-red" => {
            // Floyd, Gummadi and Shenker (2001), section 4: half of what the link sends in the target delay, at least
            // 5.
            let aim = (seconds("target_delay") * unit.capacity / 2.0).max(5.0);
            let low = packets("min_th").unwrap_or(aim);
            let line = red(table, "Adaptive RED", low, packets("max_th").unwrap_or(3.0 * low));
            let w_q = table.number("w_q").unwrap_or_else(|| -(-1.0 / unit.capacity).exp_m1());
            let adapts = Some(Adapts { bottom: number("bottom"), top: number("top") });
            Aqm::Red(Red { w_q, adapts, ..line })
        }
        "rem" => Aqm::Integrator(rem(table, level("target"), seconds("interval"))?),
        "pi" => {
            let interval = seconds("interval");
            let (now, before) = match table.inner("design") {
                None => (number("a"), number("b")),
                Some(design) => designed(&design, unit, interval),
            };
            let target = level("q_ref");
            let name = "PI".to_owned();
            Aqm::Integrator(Integrator { name, now, before, interval, target, ..Integrator::default() })
        }
        "pie" => Aqm::Integrator(Integrator { tuned: true, ..by_delay("PIE", Shape::Plain) }),
        "pi2" => Aqm::Integrator(by_delay("PI2", Shape::Square)),
        "dualpi2" => {
            let coupling = number("coupling");
            Aqm::Integrator(Integrator { coupling, ..by_delay("DualPI2", Shape::Coupled) })
        }
        "hred" => {
            let (low, high) = (packets("min_th"), packets("max_th"));
            let max_th = high.or(low.map(|low| 2.0 * low)).unwrap_or(unit.buffer / 2.0);
            let min_th = low.unwrap_or(max_th / 2.0);
            Aqm::Hred(hred(table, unit, min_th, max_th)?)
        }
        "avq" => Aqm::Avq(Avq { gamma: number("gamma"), alpha: number("alpha") }),
        "step" => Aqm::Step(Step { threshold: level("threshold") }),
        other => return Err(no_model(other)),
    };
    Ok(aqm)
}

fn red(table: &Table, name: &str, min_th: f64, max_th: f64) -> Red {
    Red {
        name: name.to_owned(),
        min_th,
        max_th,
        max_p: table.number("max_p").expect("a parameter without a default"),
        w_q: table.number("w_q").unwrap_or_default(),
        gentle: table.on("gentle"),
        spacing: match table.text("spacing") {
            Some("uniform") => Spacing::Uniform,
            Some("wait") => Spacing::Wait,
            _ => Spacing::Geometric,
        },
        parabola: false,
        pole: None,
        adapts: None,
    }
}

/// REM, its price by equation 2 (rate and queue) or 3 (queue alone). While the queue is busy, rate minus capacity over
/// T is what the queue grows by.
fn rem(table: &Table, target: f64, interval: f64) -> Result<Integrator, TheoryError> {
    let number = |key: &str| table.number(key).expect("a parameter without a default");
    let (alpha, gamma) = (number("alpha"), number("gamma"));
    if table.text("updates") == Some("asynchronous") || number("w_x") < 1.0 {
        return Err(TheoryError::new(
            "no model: REM's updates at random times, and its average of arrivals, are not modelled",
            "updates = \"periodic\" and w_x = 1 are the paper's",
        ));
    }
    let (now, before, counts_drops) = match table.text("price") {
        Some("rate-and-queue") => (gamma * (1.0 + alpha), gamma, true),
        Some("queue") => (gamma, gamma * (1.0 - alpha), false),
        other => {
            let message = format!("no model: REM's price by {} is not modelled", other.unwrap_or_default());
            return Err(TheoryError::new(message, "price = \"rate-and-queue\" is equation 2"));
        }
    };
    let (name, phi) = ("REM".to_owned(), number("phi"));
    let shape = Shape::Price;
    Ok(Integrator { name, now, before, interval, target, shape, phi, counts_drops, ..Integrator::default() })
}

/// HRED. The model has its gains from a round trip: the one that gives `K_alpha`.
fn hred(table: &Table, unit: &Unit, min_th: f64, max_th: f64) -> Result<Hred, TheoryError> {
    let number = |key: &str| table.number(key).expect("a parameter without a default");
    if number("w_q") < 1.0 {
        return Err(TheoryError::new(
            "no model: HRED with an average queue is not modelled",
            "w_q = 1 is the paper's: the queue itself",
        ));
    }
    // Per packet, from a gain per bit.
    let per_packet = |key: &str| table.number(key).map(|per_bit| per_bit * 8.0 * unit.size);
    let growth = number("growth");
    let by_rule = table.seconds("rtt").expect("a time without a default")
        * (2.0 * (1.0 + growth) / (2.0 + growth)).sqrt();
    let rtt = per_packet("k_alpha").map_or(by_rule, |k_alpha| (2.0 / k_alpha).sqrt() / unit.capacity);
    let fall = per_packet("k_beta")
        .map_or_else(|| number("fall"), |k_beta| k_beta * (unit.capacity * rtt).powi(2) / 2.0);
    Ok(Hred { min_th, max_th, k: number("k"), rtt, fall })
}

/// The gains a and b of PI by the rule of Hollot and others (2001), for the link as the queue counts packets.
fn designed(design: &Table, unit: &Unit, interval: f64) -> (f64, f64) {
    let flows = design.number("flows").expect("a design has flows");
    let rtt = design.seconds("rtt").expect("a design has a round trip");
    let capacity = unit.capacity * unit.size / unit.counted;
    let (gain, zero) = pi_gains(flows, capacity, rtt, design.number("crossover"));
    (gain * (1.0 / zero + interval / 2.0), gain * (1.0 / zero - interval / 2.0))
}

/// K, per packet and second, and z, rad/s, of PI by the rule of Hollot and others (INFOCOM 2001). The zero z = 2 N /
/// (R² C) cancels the pole of the windows. K puts the crossover at `crossover` / R. If `crossover` is not given, it
/// is z R but at most 0.5.
pub fn pi_gains(flows: f64, capacity: f64, rtt: f64, crossover: Option<f64>) -> (f64, f64) {
    let zero = 2.0 * flows / (rtt * rtt * capacity);
    let chosen = crossover.unwrap_or((zero * rtt).min(0.5));
    (chosen / rtt * 1.0_f64.hypot(chosen) * 4.0 * flows * flows / (rtt * capacity).powi(3), zero)
}

/// The error for a discipline without a model.
fn no_model(discipline: &str) -> TheoryError {
    let why = match discipline {
        "codel" => {
            "CoDel has no resting point: its signals grow until the delay is below its target, then stop"
                .to_owned()
        }
        "fq-codel" => "FQ-CoDel keeps flows apart, and CoDel has no resting point".to_owned(),
        "fq-pie" => "FQ-PIE keeps flows apart: each has a queue and a probability of its own".to_owned(),
        "ack-filter" => "ACKs are no fluid here: the model has none to take away".to_owned(),
        "cake" => "CAKE keeps flows apart, and COBALT has no resting point".to_owned(),
        "fq" => "a scheduler keeps flows apart: each has a queue of its own".to_owned(),
        "cobalt" => {
            "COBALT is CoDel with Blue: CoDel has no resting point, and Blue acts on events".to_owned()
        }
        "blue" => format!("Blue: {EVENTS}"),
        "sfb" => format!("SFB: {EVENTS}"),
        "sred" => {
            "SRED's probability steps with the queue and with each hit: no fluid model of it is published that we \
             know of"
                .to_owned()
        }
        "choke" => {
            "CHOKe drops waiting packets of the flow that arrives, and here a queue tells no flows apart"
                .to_owned()
        }
        "drop-tail" => {
            "DropTail's losses come to all flows together when the buffer is full: not a fluid".to_owned()
        }
        "feng-red" => {
            "self-configuring RED scales max_p when its average crosses a threshold: it acts on events"
                .to_owned()
        }
        "op-red" => {
            "OP-RED moves its line by what it measures: no fluid model of it is published that we know of"
                .to_owned()
        }
        "modular" => "a modular AQM is any pair of measure and profile: no model of all of them".to_owned(),
        "python" => "the model of a class in Python is not known".to_owned(),
        other => format!("{other} is not modelled"),
    };
    TheoryError::new(
        format!("no model: {why}"),
        "red, nlred, adaptive-red, rem, pi, pie, pi2, dualpi2, avq, hred and step have one",
    )
}
