//! Prague: a scalable congestion control for the low-latency queue of L4S.
//!
//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel: *Prague Congestion Control*,
//! draft-briscoe-iccrg-prague-congestion-control-04; constants of Linux's `tcp_prague` 0.7.
//!
//! ```text
//! V = max(RTT, T)                              T: the round trip that all flows behave as if they had
//! every V       alpha += g (F - alpha)         F = marked / delivered; not before the first mark
//! n unmarked    cwnd += n min(RTT / T, 1)^2 / cwnd
//! a mark        cwnd -= alpha cwnd / 2         at most once a round trip and once in T; growth goes on
//! the first mark if alpha is 0, a loss         cwnd /= 2
//! rate          max(floor(cwnd), flight) mtu / RTT;  twice that below ssthresh / 2
//! ```
//!
//! `cwnd` is a fraction; the window that counts moves towards it, rounded up, by one segment per ACK. The step down
//! ends slow start. Until `transition` rounds after slow start the round trip of each flow is its own.
//!
//! **Few packets per round.** With no more than `rate_mode_below` segments the state is the rate:
//!
//! ```text
//! n unmarked    rate += n MTU / V / ceil(rate V / mtu)
//! a mark        rate -= alpha rate / 2
//! every ACK     cwnd = rate hRTT / mtu         hRTT: RTT smoothed over 128 rounds
//! pacing        rate (1 + 1/32) in the first half of V after an update of alpha, rate (1 - 1/32) in the second
//! every V       mtu = rate V / 2               between 150 bytes of data and MTU, the size of a full segment
//! ```
//!
//! So below two full segments in V they become smaller. With a window of more segments the same is
//! `mtu = cwnd mtu max(1, T / RTT) / 2`, and a window grows by `MTU / mtu` segments where it would by one.
//!
//! Random marks with probability p lead to a rate of `2 (1/p - 1) mtu / V` of one flow. A step marks packets in
//! clusters, so that the rate is higher at the same p.
//!
//! As in Linux: the first ACK that reports a mark and an unmarked packet undoes its own halving. Linux paces by
//! payload and calculates the rate of whole packets, so it paces 3.6% above `cwnd / RTT`. Without that the window
//! would not limit the flow, and would not grow. Segments of a transfer with an end keep their size.
//!
//! Rules are in `running`, under the names that `tcp_prague` has for them.
//!
//! Without accurate feedback ([`crate::accecn`]) it declares no segment ECN-capable and is Reno (the draft, section
//! 2.4.1).

mod parameters;
mod running;
mod sizes;

use weir_types::Duration;

pub use self::parameters::PragueParameters;
use self::running::Running;
use super::{Ack, Congestion, Delivery, Facts, Marks, Pace, Reno, Repair, Signal, Window};
use crate::accecn::EcnMode;

/// The congestion control of L4S.
#[derive(Clone, Debug)]
pub struct Prague {
    parameters: PragueParameters,
    phase: Phase,
}

/// Stage of a connection.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "Prague is boxed, and nearly every one is running")]
enum Phase {
    /// Nothing is acknowledged: neither the first window nor the round trip is known.
    Start {
        /// A loss is being repaired; after a handshake it cannot be.
        in_loss: bool,
    },
    /// Both are known.
    Running(Running),
    /// Feedback is not accurate: Linux's `prague_reno`.
    Reno(Reno),
}

impl Prague {
    /// Prague with these parameters.
    pub fn new(parameters: &PragueParameters) -> Self {
        Self { parameters: *parameters, phase: Phase::Start { in_loss: false } }
    }

    /// The first ACK: the round trip is known, and so is the first window.
    #[cold]
    fn begin(&mut self, smoothed: Duration, high: u32, window: &Window) {
        let in_loss = matches!(self.phase, Phase::Start { in_loss: true });
        self.phase = Phase::Running(Running::new(&self.parameters, smoothed, high, window, in_loss));
    }

    /// The first ACK reports a mark. Returns true if that reduces.
    #[cold]
    fn begin_at_mark(&mut self, ack: &Ack, window: &Window) -> bool {
        let mut running = Running::new(&self.parameters, ack.smoothed, ack.high, window, false);
        let reduces = running.on_mark(ack, window);
        self.phase = Phase::Running(running);
        reduces
    }
}

impl Congestion for Prague {
    const FACTS: Facts =
        Facts { marks: Marks::Counted, scalable: true, kernel_name: Some("prague"), ..Facts::PLAIN };

    fn on_ecn(&mut self, mode: EcnMode) {
        if mode != EcnMode::Accurate {
            self.phase = Phase::Reno(Reno::new(&self.parameters.reno));
        }
    }

    fn pace(&self) -> Pace {
        match &self.phase {
            Phase::Running(running) => running.pace(),
            Phase::Start { .. } | Phase::Reno(_) => Pace::default(),
        }
    }

    fn observe(&mut self, ack: Ack, window: &mut Window) -> bool {
        if ack.marked == 0 {
            return false;
        }
        if let Phase::Running(running) = &mut self.phase {
            return running.on_mark(&ack, window);
        }
        // Numbers begin at 0: a mark on what follows the first segment waits for that.
        let begins = matches!(self.phase, Phase::Start { in_loss: false }) && ack.una > 0;
        begins && self.begin_at_mark(&ack, window)
    }

    fn on_delivery(&mut self, delivery: &Delivery, window: &mut Window) {
        if let Phase::Start { .. } = self.phase {
            self.begin(delivery.smoothed, delivery.high, window);
        }
        if let Phase::Running(running) = &mut self.phase {
            running.cong_control(delivery, window);
        }
    }

    fn on_ack(&mut self, ack: Ack, window: &mut Window) {
        if let Phase::Reno(reno) = &mut self.phase {
            reno.on_ack(ack, window);
        }
    }

    fn on_loss(&mut self, signal: Signal, window: &mut Window) -> Repair {
        match &mut self.phase {
            Phase::Start { in_loss } => *in_loss = true,
            Phase::Running(running) => running.enter_loss(window),
            Phase::Reno(reno) => return reno.on_loss(signal, window),
        }
        Repair::Uncut
    }

    fn on_mark(&mut self, signal: Signal, window: &mut Window) {
        if let Phase::Reno(reno) = &mut self.phase {
            reno.on_mark(signal, window);
        }
    }

    fn on_timeout(&mut self, signal: Signal, window: &mut Window) {
        match &mut self.phase {
            Phase::Start { in_loss } => *in_loss = true,
            // A loss that is being repaired has halved what counts.
            Phase::Running(running) if running.in_loss() => {}
            Phase::Running(running) => running.enter_loss(window),
            Phase::Reno(reno) => return reno.on_timeout(signal, window),
        }
        window.cwnd = 1.0;
    }

    /// All growth waits for [`Congestion::on_delivery`].
    fn is_plain(&self) -> bool {
        matches!(self.phase, Phase::Running(_))
    }

    fn answers_marks(&self) -> bool {
        matches!(self.phase, Phase::Reno(_))
    }

    fn probe(&self, record: &mut dyn FnMut(&'static str, f64)) {
        if let Phase::Running(running) = &self.phase {
            return running.probe(record);
        }
        // There is no window yet, or Reno has it; a loss leaves the least rate.
        let lost = matches!(self.phase, Phase::Start { in_loss: true });
        record("alpha", self.parameters.initial_alpha.get());
        record("frac_cwnd", 0.0);
        record("rate", if lost { running::LEAST_RATE_OF_ETHERNET } else { 0.0 });
    }
}
