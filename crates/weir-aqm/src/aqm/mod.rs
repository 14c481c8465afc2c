//! AQM algorithms, one file each: equations and source on top, then the parameters, then the rule.
//!
//! Attributes of the parameters tell the rest of Weir about them:
//!
//! - `x-default` and `x-default-source`: what pages show of a default;
//! - `x-tunable`: the bounds between which it is tuned;
//! - `x-role`: its part in the rule, for notes on scenarios. Signals begin at the level that is `first`, and are
//!   strongest from `last` on. The AQM holds the queue at `queue`, or the delay at `delay`. It is updated every
//!   `timer`;
//! - `x-replaces`: the parameters that have no effect where it is written;
//! - `x-draws = false`, of all parameters together: the AQM is without chance.

mod adaptive_red;
mod avq;
mod blue;
mod check;
mod cobalt;
mod codel;
mod drop_tail;
mod feng_red;
mod hred;
mod interface;
mod modular;
mod nlred;
mod op_red;
mod pi;
mod pi2;
mod pie;
mod python;
mod red;
mod registry;
mod rem;
mod sfb;
mod sred;
mod step;

pub use adaptive_red::{AdaptiveRed, AdaptiveRedParameters};
pub use avq::{AdaptsTo, Avq, AvqParameters};
pub use blue::{Blue, BlueParameters};
pub(crate) use check::{check_gain, check_interval, check_target};
pub use cobalt::{Cobalt, CobaltParameters};
pub(crate) use cobalt::{Settings as CobaltSettings, State as CobaltState};
pub use codel::{Codel, CodelParameters, InvSqrt};
pub use drop_tail::{DropTail, DropTailParameters};
pub use feng_red::{FengRed, FengRedParameters};
pub use hred::{Hred, HredParameters};
pub use interface::Aqm;
pub use modular::{CongestionMeasure, Modular, ModularParameters, Profile, SignalAt};
pub use nlred::{Nlred, NlredParameters};
pub use op_red::{LossSignal, OpRed, OpRedParameters, Progress, Retarget};
pub use pi::{Pi, PiDesign, PiParameters};
pub use pi2::{Pi2, Pi2Parameters};
pub use pie::{DelayFrom, Pie, PieParameters};
pub use python::{AqmFactory, ClassArgument, LoadedClass, PythonAqm, PythonParameters};
pub use red::{ByteMode, IdleM, Red, RedParameters, Spacing};
pub(crate) use red::{red_family, thresholds};
pub(crate) use registry::NoLevels;
pub use registry::{AnyAqm, AqmConfig};
pub use rem::{MarkAt, Price, Rem, RemParameters, Updates};
pub use sfb::{Sfb, SfbParameters};
pub use sred::{Sred, SredParameters};
pub use step::{Step, StepParameters};

/// The parameter that `value` of the parameter `key` needs beside it, and its value, both in TOML; `None` if it needs none.
pub fn needs(discipline: &str, key: &str, value: &str) -> Option<(&'static str, &'static str)> {
    (discipline == "rem").then(|| rem::needs(key, value)).flatten()
}

/// The list of AQMs: summary, name in scenario files, type and parameters. Calls the macro `$then`
/// with the list and any further tokens.
macro_rules! with_aqms {
    ($then:ident $($more:tt)*) => {
        $then! {
            /// DropTail: packets are dropped when the buffer is full, and only then.
            "drop-tail" DropTail(DropTailParameters),
            /// RED, Random Early Detection (Floyd and Jacobson, 1993): signals with a probability
            /// that grows with the average queue; gentle mode and ns-2 compatibility are options.
            "red" Red(RedParameters),
            /// REM, Random Exponential Marking (Athuraliya, Li, Low and Yin, 2001): a price
            /// integrates the mismatch of rate and queue; packets are signalled with a probability
            /// exponential in it.
            "rem" Rem(RemParameters),
            /// NLRED, Nonlinear RED (Zhou, Yeung and Li, 2006): RED with a parabola instead of a line,
            /// which signals less at light load and more at heavy load.
            "nlred" Nlred(NlredParameters),
            /// Self-configuring RED (Feng, Kandlur, Saha and Shin, 1999): RED that scales `max_p`
            /// whenever the average leaves the band.
            "feng-red" FengRed(FengRedParameters),
            /// Adaptive RED (Floyd, Gummadi and Shenker, 2001): RED that keeps its average in the
            /// middle of the band by additive increase and multiplicative decrease of `max_p`.
            "adaptive-red" AdaptiveRed(AdaptiveRedParameters),
            /// HRED, Hybrid RED (Joo and Bahk, 2002): a line over the whole buffer, on the queue
            /// itself, whose height adapts outside two thresholds.
            "hred" Hred(HredParameters),
            /// OP-RED (Weir, after Verma, Iyer and Karandikar, 2002): RED that moves delay and loss to
            /// their targets, or to the nearest point that it can reach.
            "op-red" OpRed(OpRedParameters),
            /// PI, the proportional-integral controller (Hollot, Misra, Towsley and Gong, 2001): the
            /// probability integrates the distance of the queue from a target.
            "pi" Pi(PiParameters),
            /// AVQ, the Adaptive Virtual Queue (Kunniyur and Srikant, 2001): signals what overflows a
            /// virtual queue whose capacity adapts to a desired utilisation.
            "avq" Avq(AvqParameters),
            /// Blue (Feng, Kandlur, Saha and Shin, 1999): the probability grows when packets are lost
            /// and shrinks when the link is idle.
            "blue" Blue(BlueParameters),
            /// SFB, Stochastic Fair Blue (Feng, Kandlur, Saha and Shin, 2001): a Blue for every bin of
            /// a hash of flows; unresponsive flows enter a penalty box.
            "sfb" Sfb(SfbParameters),
            /// SRED, Stabilized RED (Ott, Lakshman and Wong, 1999): the probability follows the queue and
            /// an estimate of the number of flows, from a list of earlier packets.
            "sred" Sred(SredParameters),
            /// An AQM composed of parts (the REM paper, sections 2 and 3.3): a measure of congestion, a
            /// profile and a kind of feedback.
            "modular" Modular(ModularParameters),
            /// Step (DCTCP, RFC 8257): every packet that finds more than a threshold waiting is marked.
            "step" Step(StepParameters),
            /// CoDel, Controlled Delay (RFC 8289): signals at the queue's head, at an increasing rate,
            /// while every packet of the last `interval` (100 ms) waited at least `target` (5 ms).
            "codel" Codel(CodelParameters),
            /// COBALT, CoDel and Blue alternate (CAKE): CoDel that remembers its last signalling rate,
            /// and Blue for unresponsive traffic.
            "cobalt" Cobalt(CobaltParameters),
            /// PIE, Proportional Integral controller Enhanced (RFC 8033): the probability follows the
            /// delay and its growth, in steps that scale with it.
            "pie" Pie(PieParameters),
            /// PI2 (De Schepper, Bondarenko, Tsang and Briscoe, 2016): a PI controller on the delay,
            /// whose output is squared.
            "pi2" Pi2(Pi2Parameters),
            ;
            $($more)*
        }
    };
}
pub(crate) use with_aqms;
