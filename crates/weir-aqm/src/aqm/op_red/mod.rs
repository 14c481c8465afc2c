//! OP-RED: RED with a target delay d* and a target loss l*. Weir's own design.
//!
//! R. Verma, A. Iyer, A. Karandikar: *Towards an Adaptive RED Algorithm for Achieving Delay-Loss
//! Performance*, 2002, state the problem and give guidelines. Delay grows with `max_th` and falls
//! with `max_p`. Loss falls with `max_th` and is least at a middle `max_p`; below it, drops are forced.
//! At low load, set `max_th` to 0.6 of the buffer and vary `max_p`. At high load, set `max_p` to 0.3
//! and vary `max_th`.
//!
//! After every window, with d and l the averages of delay and loss over windows:
//!
//! ```text
//! e_d = ln(d / d*), e_l = ln(l / l*)      each clipped to [-1, 1]
//! both <= 0.1                             achieved: hold
//! u   = e_l - e_d                         what is not above 0.1 counts as min(e, 0)
//!
//! high load:  max_th <- max_th + 0.05 B u            max_p <- max_p + 0.1 (0.3 - max_p)
//! low load:   ln max_p <- ln max_p - 0.15 u          max_th <- 0.6 B, by at most 0.1 B
//! mostly forced drops and e_l > 0.1:                 max_p <- max_p e^0.15 instead
//! ```
//!
//! `u > 0` trades delay for loss. If both errors are too large, u = 0 is the point with the least
//! maximum error. Three rules, found by simulation, complete the algorithm:
//!
//! - Clipping hides which of two errors above 1 is larger. It therefore limits only the step size:
//!   `|u|` is at least the unclipped difference, or 1/2 if that is smaller.
//! - If one parameter is at its bound, the other one moves instead, and moves back first.
//! - `max_p` moves to 0.3 and `max_th` to 0.6 B only in the direction of `u`. Otherwise the load
//!   estimate oscillates, and loss stays 40% above its target with 20 flows.
//!
//! A window counts if no parameter can move in it, or if u is within 0.1 and both errors are above 0.1.
//! After ten such windows the targets are reported as unachievable, and the parameters are held. Every
//! other window decrements this count.

mod meter;
mod parameters;
mod steering;

use weir_types::{Duration, Instant, Invalid, Probability, Rate, Rng};

use super::{Red, RedParameters};
use crate::{Aqm, Backlog, Curve, Link, PacketInfo, Reason, Verdict};
use meter::{Estimates, Meter};
use parameters::check_targets;
pub use parameters::{LossSignal, OpRedParameters, Retarget};
use steering::{Bounds, Load, Parameters, TOLERANCE, trade};

impl OpRedParameters {
    /// OP-RED before `link`, with `max_th` at 0.6 of the buffer and `max_p` at 0.1.
    pub fn build(&self, link: Link, rng: Rng) -> OpRed {
        let bytes = f64::from(link.mean_packet);
        let unit = if self.min_th.in_bytes() { bytes } else { 1.0 };
        let buffer = unit * link.limit.in_packets(link.mean_packet);
        let Self { min_th, w_q, spacing, ecn, harddrop, .. } = *self;
        let red =
            RedParameters { min_th: Some(min_th), w_q, spacing, ecn, harddrop, ..RedParameters::default() };
        let mut red = red.build(link, rng);
        let bounds = Bounds::new(buffer, min_th.value(), unit);
        (red.max_th, red.max_p) = (bounds.max_th(), 0.1);
        OpRed {
            red,
            parameters: self.clone(),
            capacity: link.rate.packets_per_second(link.mean_packet),
            mean_packet: link.mean_packet,
            bounds,
            meter: Meter::new(),
            estimates: Estimates::default(),
            busy: 0.0,
            load: Load::Low,
            turning: 0,
            stuck: 0,
            progress: Progress::Seeking,
            retargeted: 0,
            update_at: Instant::ZERO + SHORTEST_WINDOW,
        }
    }
}

/// State of the search for parameters that meet the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not yet; a parameter can still move.
    Seeking,
    /// Delay and loss are at most a tenth (of their logarithm) above their targets.
    Achieved,
    /// No parameter can improve delay or loss.
    Unachievable,
}

/// Windows without improvement until the targets are reported as unachievable.
const PATIENCE: u8 = 10;
/// Ten round-trip times of 100 ms: TCP needs time to respond.
const SHORTEST_WINDOW: Duration = Duration::from_secs(1);

/// RED with targets of delay and loss.
#[derive(Clone, Debug)]
pub struct OpRed {
    red: Red,
    parameters: OpRedParameters,
    /// Packets that the link sends in a second.
    capacity: f64,
    mean_packet: u32,
    bounds: Bounds,
    meter: Meter,
    estimates: Estimates,
    /// Utilisation in the last window.
    busy: f64,
    load: Load,
    /// Consecutive windows that indicate the other load.
    turning: u8,
    /// Windows without improvement, minus the others.
    stuck: u8,
    progress: Progress,
    /// Changes of targets that have been made.
    retargeted: usize,
    update_at: Instant,
}

impl OpRed {
    /// Sets new targets and restarts the estimates; parameters, average and count are kept.
    ///
    /// # Errors
    /// If a target is zero.
    pub fn set_targets(&mut self, delay: Duration, loss: Probability) -> Result<(), Invalid> {
        check_targets(delay, loss)?;
        self.aim(delay, loss);
        Ok(())
    }

    fn aim(&mut self, delay: Duration, loss: Probability) {
        (self.parameters.target_delay, self.parameters.target_loss) = (delay, loss);
        self.estimates = Estimates::default();
        self.stuck = 0;
        self.progress = Progress::Seeking;
    }

    /// The next change of targets.
    fn retarget(&self) -> Option<(Instant, Retarget)> {
        self.parameters.retarget.get(self.retargeted).map(|next| (Instant::ZERO + next.at, *next))
    }

    /// State of the search for parameters that meet the targets.
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// Length of a window: TCP has responded, the average has followed, and twenty losses are counted.
    fn window(&self) -> Duration {
        let OpRedParameters { w_q, target_loss, .. } = self.parameters;
        let packets = (5.0 / w_q.get()).max(20.0 / target_loss.get());
        Duration::from_secs_f64(packets / self.capacity).max(SHORTEST_WINDOW)
    }

    fn observe_load(&mut self, busy: f64) {
        self.busy = busy;
        let (other, speaks_for_it, windows) = match self.load {
            Load::Low => (Load::High, busy >= 0.995, 3),
            Load::High => (Load::Low, busy < 0.98, 2),
        };
        self.turning = if speaks_for_it { self.turning + 1 } else { 0 };
        if self.turning == windows {
            (self.load, self.turning) = (other, 0);
        }
    }

    /// A step towards the targets.
    fn steer(&mut self) {
        let OpRedParameters { target_delay, target_loss, .. } = self.parameters;
        let Estimates { delay: Some(delay), loss: Some(loss), forced } = self.estimates else { return };
        let e_d = libm::log(delay / target_delay.as_secs_f64());
        let e_l = libm::log(loss.max(1e-6) / target_loss.get());
        if e_d <= TOLERANCE && e_l <= TOLERANCE {
            self.stuck = 0;
            self.progress = Progress::Achieved;
            return;
        }
        let u = trade(e_d, e_l);
        let mostly_forced = forced.is_some_and(|forced| forced > 0.5) && e_l > TOLERANCE;
        let now = Parameters { max_th: self.red.max_th, max_p: self.red.max_p };
        let next = self.bounds.step(now, self.load, u, mostly_forced);
        let stands = |now: f64, next: f64| (next - now).abs() <= 1e-9 * now;
        let at_end = stands(now.max_th, next.max_th) && stands(now.max_p, next.max_p);
        let no_way = at_end || u.abs() <= TOLERANCE;
        self.stuck = if no_way { (self.stuck + 1).min(PATIENCE) } else { self.stuck.saturating_sub(1) };
        self.progress = match (self.stuck, self.progress) {
            (PATIENCE, _) | (1.., Progress::Unachievable) => Progress::Unachievable,
            _ => Progress::Seeking,
        };
        if !(no_way && self.progress == Progress::Unachievable) {
            (self.red.max_th, self.red.max_p) = (next.max_th, next.max_p);
        }
    }
}

impl Aqm for OpRed {
    #[inline]
    fn on_enqueue(&mut self, packet: PacketInfo, queue: Backlog, now: Instant) -> Verdict {
        let verdict = self.red.on_enqueue(packet, queue, now);
        self.meter.arrived(now);
        // The discipline drops what it cannot mark.
        let overflows = queue.overflows(packet.bytes);
        let counts = match verdict {
            _ if overflows => true,
            Verdict::Pass => false,
            Verdict::Mark(_) => {
                !packet.ecn.is_markable() || self.parameters.counts == LossSignal::DropsAndMarks
            }
            Verdict::Drop(_) => true,
        };
        if counts {
            let early = matches!(verdict, Verdict::Mark(Reason::Early) | Verdict::Drop(Reason::Early));
            self.meter.lost(overflows || !early);
        }
        verdict
    }

    #[inline]
    fn on_dequeue(&mut self, _: PacketInfo, sojourn: Duration, _: Backlog, _: Instant) -> Verdict {
        self.meter.departed(sojourn);
        Verdict::Pass
    }

    fn on_idle(&mut self, now: Instant) {
        self.red.on_idle(now);
        self.meter.on_idle(now);
    }

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.red.on_rate(rate, now);
        self.capacity = rate.packets_per_second(self.mean_packet);
    }

    #[inline]
    fn next_update(&self) -> Option<Instant> {
        Some(self.retarget().map_or(self.update_at, |(at, _)| at.min(self.update_at)))
    }

    fn update(&mut self, _queue: Backlog, now: Instant) {
        while let Some((_, next)) = self.retarget().filter(|(at, _)| *at <= now) {
            let OpRedParameters { target_delay, target_loss, .. } = self.parameters;
            self.aim(next.delay.unwrap_or(target_delay), next.loss.unwrap_or(target_loss));
            self.retargeted += 1;
        }
        // Rate and targets may have changed since the window began.
        let window = self.window();
        if self.meter.began + window <= now
            && let Some(sample) = self.meter.take(now)
        {
            self.estimates.take(sample);
            self.observe_load(sample.busy);
            self.steer();
        }
        let end = self.meter.began + window;
        self.update_at = if end > now { end } else { now + window };
    }

    fn take_over(&mut self, former: &Self) {
        let Self { parameters, capacity, mean_packet, bounds, .. } = self.clone();
        self.red.take_over(&former.red);
        (self.red.max_th, self.red.max_p) = (former.red.max_th, former.red.max_p);
        let red = self.red.clone();
        *self = Self { red, parameters, capacity, mean_packet, bounds, ..former.clone() };
    }

    fn curve(&self, queue: Backlog) -> Option<Curve<'_>> {
        self.red.curve(queue)
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        self.red.probe(record);
        record("max_th", self.red.max_th);
        record("max_p", self.red.max_p);
        record("target_delay", self.parameters.target_delay.as_secs_f64());
        record("target_loss", self.parameters.target_loss.get());
        record("delay", self.estimates.delay.unwrap_or(0.0));
        record("loss", self.estimates.loss.unwrap_or(0.0));
        record("forced", self.estimates.forced.unwrap_or(0.0));
        record("busy", self.busy);
        record("high_load", f64::from(self.load == Load::High));
        record("achieved", f64::from(self.progress == Progress::Achieved));
        record("unachievable", f64::from(self.progress == Progress::Unachievable));
    }
}
