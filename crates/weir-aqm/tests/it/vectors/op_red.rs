//! OP-RED: what it makes of a delay and a loss, and when it gives up.

use weir_aqm::{
    Aqm, Backlog, Limit, Link, PacketInfo, Verdict,
    aqm::{AqmConfig, LossSignal, OpRed, OpRedParameters, Progress, Retarget},
};
use weir_types::{Duration, Ecn, Instant, Level};

use crate::support::{near, packet, packets, probability, rate, read, stream, waiting};

/// 1250 packets a second and a buffer of 50, as in the study of delay and loss.
fn link() -> Link {
    Link { rate: rate(10_000_000), mean_packet: 1000, limit: Limit::Packets(50), rtt: Duration::ZERO }
}

const WINDOW: Duration = Duration::from_secs(2);

/// An AQM and the time up to which it has been driven.
pub(super) struct Driven {
    pub(super) aqm: OpRed,
    now: Instant,
}

impl Driven {
    pub(super) fn new(parameters: &OpRedParameters) -> Self {
        Self { aqm: parameters.build(link(), stream("op-red")), now: Instant::ZERO }
    }

    /// A window in which 1000 packets arrive at once: `lost` of them find no room, and the others
    /// wait for `delay`, in ms. The line is then busy for the part `busy` of the window.
    pub(super) fn window(&mut self, delay: f64, lost: u32, busy: f64) {
        let delay = Duration::from_secs_f64(delay / 1000.0);
        for n in 0..1000 {
            let limit = Limit::Packets(u32::from(n >= lost));
            let queue = Backlog { packets: 0, bytes: 0, limit };
            assert_eq!(self.aqm.on_enqueue(packet(Ecn::NotEct), queue, self.now), Verdict::Pass);
            if n >= lost {
                self.aqm.on_dequeue(packet(Ecn::NotEct), delay, queue, self.now);
            }
        }
        if busy < 1.0 {
            self.aqm.on_idle(self.now + WINDOW.mul_f64(busy));
        }
        self.end();
    }

    /// A window in which 1000 packets find this part of `max_th` waiting, and as much of the time the
    /// line is busy as is said. Needs a weight of 1.
    fn early(&mut self, part: f64, busy: f64) {
        let queue = waiting((part * self.max_th()) as u32);
        for _ in 0..1000 {
            self.aqm.on_enqueue(packet(Ecn::NotEct), queue, self.now);
            self.aqm.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(20), queue, self.now);
        }
        if busy < 1.0 {
            self.aqm.on_idle(self.now + WINDOW.mul_f64(busy));
        }
        self.end();
    }

    /// Updates until the window is over.
    fn end(&mut self) {
        let end = self.now + WINDOW;
        while let Some(due) = self.aqm.next_update().filter(|due| *due <= end) {
            self.aqm.update(waiting(0), due);
        }
        self.now = end;
    }

    /// The AQM at high load, not yet moved, with nothing measured.
    pub(super) fn at_high_load() -> Self {
        let mut driven = Self::new(&OpRedParameters::default());
        for _ in 0..3 {
            near(read(&driven.aqm, "high_load"), 0.0, 0.0);
            driven.window(20.0, 0, 1.0);
            assert_eq!(driven.aqm.progress(), Progress::Achieved);
        }
        near(read(&driven.aqm, "high_load"), 1.0, 0.0);
        near(read(&driven.aqm, "max_p"), 0.1, 0.0);
        driven.aqm.set_targets(Duration::from_millis(20), probability(0.02)).expect("targets");
        driven
    }

    pub(super) fn max_th(&self) -> f64 {
        read(&self.aqm, "max_th")
    }

    pub(super) fn max_p(&self) -> f64 {
        read(&self.aqm, "max_p")
    }
}

#[test]
fn at_high_load_max_th_moves() {
    for (delay, lost, max_th) in [(30.0, 20, 28.98634), (20.0, 40, 31.73287), (30.0, 60, 31.48634)] {
        let mut driven = Driven::at_high_load();
        near(driven.max_th(), 30.0, 0.0);
        driven.window(delay, lost, 1.0);
        near(driven.max_th(), max_th, 5e-6);
        assert_eq!(driven.aqm.progress(), Progress::Seeking);
    }
    // max_p goes a tenth of its way to 0.3, unless what is lost is lost by force.
    let mut driven = Driven::at_high_load();
    driven.window(30.0, 20, 1.0);
    near(driven.max_p(), 0.12, 1e-12);
    let mut driven = Driven::at_high_load();
    driven.window(30.0, 60, 1.0);
    near(driven.max_p(), 0.116_183_4, 5e-8);
}

#[test]
fn at_low_load_max_p_moves() {
    let mut driven = Driven::new(&OpRedParameters::default());
    driven.window(30.0, 20, 0.9);
    near(driven.max_p(), 0.106_270_7, 5e-8);
    near(driven.max_th(), 30.0, 0.0);
    // The branch on which most losses are forced.
    let mut driven = Driven::new(&OpRedParameters::default());
    driven.window(30.0, 60, 0.9);
    near(driven.max_p(), 0.116_183_4, 5e-8);
}

/// On its way to its place a parameter does not undo what the other one does.
#[test]
fn nothing_goes_home_against_the_trade() {
    let mut driven = Driven::at_high_load();
    // Loss is too large, by overflow at first; then 0.3 would only make it larger.
    driven.window(20.0, 40, 1.0);
    near(driven.max_p(), 0.116_183_4, 5e-8);
    let (w_q, target_loss) = (probability(1.0), probability(0.008));
    let mut driven = Driven::new(&OpRedParameters { w_q, target_loss, ..OpRedParameters::default() });
    for _ in 0..3 {
        driven.early(0.9, 1.0);
    }
    near(read(&driven.aqm, "high_load"), 1.0, 0.0);
    let (max_th, max_p) = (driven.max_th(), driven.max_p());
    driven.early(0.9, 1.0);
    assert!(driven.max_th() > max_th + 1.0, "{} after {max_th}", driven.max_th());
    near(driven.max_p(), max_p, 1e-12);
    // At low load max_th stays above 0.6 B while loss is too large, and goes there when delay is.
    driven.early(0.9, 0.9);
    let raised = driven.max_th();
    driven.early(0.9, 0.9);
    near(read(&driven.aqm, "high_load"), 0.0, 0.0);
    near(driven.max_th(), raised, 0.0);
    driven.aqm.set_targets(Duration::from_millis(1), probability(1.0)).expect("targets");
    driven.early(0.9, 0.9);
    near(driven.max_th(), raised - 5.0, 1e-9);
}

/// Early drops are no reason to raise `max_p`: at low load it falls if they are too many.
#[test]
fn too_many_early_drops_lower_max_p() {
    let parameters = OpRedParameters { w_q: probability(1.0), ..Default::default() };
    let mut driven = Driven::new(&parameters);
    let mut signals = 0;
    for _ in 0..2000 {
        let verdict = driven.aqm.on_enqueue(packet(Ecn::NotEct), waiting(20), Instant::ZERO);
        signals += u32::from(verdict != Verdict::Pass);
        driven.aqm.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(20), waiting(20), Instant::ZERO);
    }
    driven.end();
    let loss = f64::from(signals) / 2000.0;
    near(read(&driven.aqm, "loss"), loss, 1e-12);
    near(read(&driven.aqm, "forced"), 0.0, 0.01);
    near(driven.max_p(), 0.1 * (-0.15 * (loss / 0.02).ln().min(1.0)).exp(), 1e-12);
    assert!(driven.max_p() < 0.095, "{signals} lost");
}

/// Averages over windows begin with the first and then take a quarter of the new one.
#[test]
fn windows_are_averaged() {
    let mut driven = Driven::new(&OpRedParameters::default());
    driven.window(10.0, 0, 0.9);
    driven.window(30.0, 40, 0.9);
    near(read(&driven.aqm, "delay"), 0.015, 1e-9);
    near(read(&driven.aqm, "loss"), 0.01, 1e-12);
    near(read(&driven.aqm, "forced"), 1.0, 1e-12);
    near(read(&driven.aqm, "busy"), 0.9, 1e-9);
    // Other targets: what was measured before is forgotten.
    driven.aqm.set_targets(Duration::from_millis(5), probability(0.1)).expect("targets");
    driven.window(30.0, 40, 0.9);
    near(read(&driven.aqm, "delay"), 0.03, 1e-9);
    assert!(driven.aqm.set_targets(Duration::ZERO, probability(0.1)).is_err());
    assert!(driven.aqm.set_targets(Duration::from_millis(5), probability(0.0)).is_err());
}

fn retarget(at: u64, delay: Option<u64>, loss: Option<f64>) -> Retarget {
    let delay = delay.map(Duration::from_millis);
    Retarget { at: Duration::from_secs(at), delay, loss: loss.map(probability) }
}

/// At its own time, in the middle of a window; what is not written stays.
#[test]
fn targets_change_when_they_should() {
    let later = vec![retarget(3, Some(5), None), retarget(9, None, Some(0.1)), retarget(10, Some(60), None)];
    let parameters = OpRedParameters { retarget: later, ..OpRedParameters::default() };
    let mut driven = Driven::new(&parameters);
    let targets = |aqm: &OpRed| (read(aqm, "target_delay"), read(aqm, "target_loss"));
    driven.window(15.0, 10, 0.9);
    assert_eq!(driven.aqm.progress(), Progress::Achieved);
    let due = driven.aqm.next_update().expect("a timer");
    near(due.as_secs_f64(), 3.0, 0.0);
    assert_eq!(targets(&driven.aqm), (0.02, 0.02));
    driven.aqm.update(waiting(0), due);
    assert_eq!(targets(&driven.aqm), (0.005, 0.02));
    assert_eq!(driven.aqm.progress(), Progress::Seeking);
    near(read(&driven.aqm, "delay"), 0.0, 0.0);
    // The window that was under way goes on, and is the first to be remembered.
    near(driven.aqm.next_update().expect("a timer").as_secs_f64(), 4.0, 0.0);
    driven.window(30.0, 0, 0.9);
    near(read(&driven.aqm, "delay"), 0.03, 1e-9);
    // Two changes at once are made in their order.
    driven.aqm.update(waiting(0), Instant::ZERO + Duration::from_secs(11));
    assert_eq!(targets(&driven.aqm), (0.06, 0.1));
    assert!(driven.aqm.next_update() > Some(Instant::ZERO + Duration::from_secs(11)));
}

#[test]
fn changes_of_targets_are_checked() {
    let check = |retarget| {
        let parameters = OpRedParameters { retarget, ..OpRedParameters::default() };
        let refused = AqmConfig::OpRed(parameters).check().expect_err("refused");
        assert_eq!(refused.parameter, "retarget");
        assert!(!refused.hint.is_empty());
        refused.message
    };
    assert_eq!(check(vec![retarget(0, Some(5), None)]), "targets cannot change at 0 s");
    let twice = vec![retarget(3, Some(5), None), retarget(3, None, Some(0.1))];
    assert_eq!(check(twice), "3 s does not come after 3 s");
    assert_eq!(check(vec![retarget(3, None, None)]), "nothing changes at 3 s");
    assert_eq!(check(vec![retarget(3, Some(0), None)]), "at 3 s: 0 is not above zero");
    assert_eq!(check(vec![retarget(3, None, Some(0.0))]), "at 3 s: 0 is not above zero");
}

#[test]
fn load_changes_after_windows_in_a_row() {
    let mut driven = Driven::at_high_load();
    for (busy, high) in [(0.97, 1.0), (0.985, 1.0), (0.97, 1.0), (0.97, 0.0)] {
        driven.window(20.0, 0, busy);
        near(read(&driven.aqm, "high_load"), high, 0.0);
    }
    for (busy, high) in [(1.0, 0.0), (1.0, 0.0), (0.99, 0.0), (1.0, 0.0), (0.996, 0.0), (1.0, 1.0)] {
        driven.window(20.0, 0, busy);
        near(read(&driven.aqm, "high_load"), high, 0.0);
    }
}

/// Three times the delay and twenty times the loss: clipped, both errors are 1.
#[test]
fn clipping_does_not_hide_the_larger_error() {
    let mut driven = Driven::at_high_load();
    driven.window(60.0, 400, 1.0);
    near(driven.max_th(), 30.0 + 0.05 * 50.0 * 0.5, 1e-12);
    let mut driven = Driven::at_high_load();
    driven.window(400.0, 60, 1.0);
    near(driven.max_th(), 30.0 - 0.05 * 50.0 * 0.5, 1e-12);
}

/// Five time constants of the average, twenty allowed losses, one second: whichever is longest.
#[test]
fn windows_suit_rate_and_targets() {
    let first_measured = |parameters: &OpRedParameters, bits| {
        let mut aqm = parameters.build(link(), stream("op-red"));
        aqm.on_rate(rate(bits), Instant::ZERO);
        for _ in 0..100 {
            aqm.on_enqueue(packet(Ecn::NotEct), waiting(0), Instant::ZERO);
            aqm.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(7), waiting(0), Instant::ZERO);
        }
        loop {
            let due = aqm.next_update().expect("a timer");
            aqm.update(waiting(0), due);
            assert!(aqm.next_update() > Some(due));
            if read(&aqm, "delay") > 0.0 {
                return due.as_secs_f64();
            }
        }
    };
    let default = OpRedParameters::default();
    near(first_measured(&default, 10_000_000), 2.0, 1e-9);
    near(first_measured(&default, 5_000_000), 4.0, 1e-9);
    near(first_measured(&default, 100_000_000), 1.0, 1e-9);
    let rare = OpRedParameters { target_loss: probability(0.004), ..default };
    near(first_measured(&rare, 10_000_000), 4.0, 1e-9);
}

#[test]
fn a_window_with_few_arrivals_goes_on() {
    let mut driven = Driven::new(&OpRedParameters::default());
    for windows in 1..=5 {
        for _ in 0..10 {
            driven.aqm.on_enqueue(packet(Ecn::NotEct), waiting(0), driven.now);
            driven.aqm.on_dequeue(packet(Ecn::NotEct), Duration::from_millis(30), waiting(0), driven.now);
        }
        driven.aqm.on_idle(driven.now + WINDOW.mul_f64(0.5));
        driven.end();
        near(read(&driven.aqm, "delay"), if windows == 5 { 0.03 } else { 0.0 }, 1e-9);
    }
    near(read(&driven.aqm, "busy"), 0.5, 1e-9);
}

#[test]
fn marks_are_losses_if_they_are_counted() {
    let loss = |counts, ecn| {
        let parameters = OpRedParameters { counts, ecn: true, w_q: probability(1.0), ..Default::default() };
        let mut driven = Driven::new(&parameters);
        let signals = (0..5000).filter(|_| {
            let packet = PacketInfo { ecn, ..packet(ecn) };
            driven.aqm.on_enqueue(packet, waiting(20), Instant::ZERO) != Verdict::Pass
        });
        let signals = signals.count() as f64 / 5000.0;
        driven.end();
        read(&driven.aqm, "loss") / signals
    };
    near(loss(LossSignal::Drops, Ecn::Ect0), 0.0, 0.0);
    near(loss(LossSignal::DropsAndMarks, Ecn::Ect0), 1.0, 1e-12);
    near(loss(LossSignal::Drops, Ecn::NotEct), 1.0, 1e-12);
}

/// `max_th` begins at 0.6 of the buffer, in the unit of `min_th`, and never comes too near to it.
#[test]
fn max_th_is_a_part_of_the_buffer() {
    let begins_at = |min_th, limit| {
        let parameters = OpRedParameters { min_th, ..OpRedParameters::default() };
        assert_eq!(AqmConfig::OpRed(parameters.clone()).check(), Ok(()));
        read(&parameters.build(Link { limit, ..link() }, stream("op-red")), "max_th")
    };
    near(begins_at(packets(5.0), Limit::Packets(50)), 30.0, 0.0);
    near(begins_at(packets(5.0), Limit::Bytes(50_000)), 30.0, 0.0);
    near(begins_at(Level::Bytes(5000.0), Limit::Packets(50)), 30_000.0, 0.0);
    near(begins_at(packets(5.0), Limit::Packets(4)), 10.0, 0.0);
    near(begins_at(packets(20.0), Limit::Packets(50)), 40.0, 0.0);
}
