//! TCP Prague: alpha and window on a scripted pattern of marks, against a separate calculation in integers of
//! 2^-40 segments (Linux has 2^-20). Other tests are of Prague where feedback is not accurate.

use weir_tcp::{
    accecn::EcnMode,
    congestion::{
        Ack, Congestion, Delivery, Prague, PragueParameters, RecoveryState, Repair, Signal, Window,
    },
};
use weir_types::{Duration, Instant};

/// Bytes of a full segment on the wire, and of its headers.
pub(super) const FULL_BYTES: u32 = 1500;
pub(super) const HEADER: u32 = 52;

/// A sender whose every segment is acknowledged by itself, evenly over a round trip.
pub(super) struct Script {
    pub(super) prague: Prague,
    pub(super) window: Window,
    rtt: Duration,
    pub(super) now: Instant,
    pub(super) una: u32,
    pub(super) high: u32,
}

impl Script {
    pub(super) fn new(rtt: Duration) -> Self {
        let mut prague = Prague::new(&PragueParameters::default());
        prague.on_ecn(EcnMode::Accurate);
        let window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, bound: f64::INFINITY };
        let mut script = Self { prague, window, rtt, now: Instant::ZERO + rtt, una: 1, high: 1 };
        script.tell(0, 0);
        script
    }

    /// The ACK of `newly` segments, some of them marked.
    pub(super) fn tell(&mut self, newly: u32, marked: u32) {
        self.una += newly;
        let Self { now, rtt, una, high, .. } = *self;
        let flight = high - una;
        let ack = Ack {
            now,
            rtt,
            smoothed: rtt,
            acked: newly,
            counted: f64::from(newly),
            echo: marked > 0,
            marked,
            all_capable: false,
            una,
            next: high,
            high,
            flight: f64::from(flight),
            limited: true,
        };
        self.prague.observe(ack, &mut self.window);
        let delivery = Delivery {
            now,
            rtt,
            smoothed: rtt,
            newly,
            marked,
            delivered: u64::from(una),
            lost: 0,
            lost_so_far: 0,
            una,
            high,
            flight,
            flight_before: flight + newly,
            limited: true,
            full: true,
            state: RecoveryState::Open,
            min_rtt: rtt,
            next_release: now,
            bytes: self.prague.pace().bytes.unwrap_or(FULL_BYTES),
            payload: self.prague.pace().bytes.unwrap_or(FULL_BYTES) - HEADER,
            sample: None,
        };
        self.prague.on_delivery(&delivery, &mut self.window);
        self.high = self.high.max(self.una + self.window.cwnd as u32);
    }

    pub(super) fn probe(&self, wanted: &str) -> f64 {
        let mut found = f64::NAN;
        self.prague.probe(&mut |name, value| {
            if name == wanted {
                found = value;
            }
        });
        found
    }
}

/// Prague's equations in integers, for windows above the rate mode.
struct Integers {
    frac: u128,
    cwnd: u128,
    ssthresh: u128,
    alpha: u128,
    rounds: u32,
    saw: bool,
    until: u32,
    round_end: u32,
    counts: [u128; 2],
    reduced: u128,
    updated: u128,
}

const ONE: u128 = 1 << 40;
const FULL: u128 = 1 << 40;

impl Integers {
    fn ack(&mut self, now: u128, rtt: u128, una: u32, high: u32, marked: bool) {
        let independent = self.cwnd >= self.ssthresh && self.rounds >= 4;
        self.counts[0] += 1;
        self.counts[1] += u128::from(marked);
        if marked && una > self.until {
            self.until = high;
            if !independent || now - self.reduced >= 25_000_000 {
                self.reduced = now;
                self.frac -= (self.frac * self.alpha) >> 41;
            }
        }
        if marked && !self.saw {
            self.saw = true;
            self.frac /= 2;
        }
        if !marked && self.cwnd < self.ssthresh {
            self.cwnd += 1;
            self.frac = self.cwnd * ONE;
        } else if !marked {
            // ai = (srtt / 25 ms)^2 below 25 ms.
            let ai = if self.rounds < 4 || rtt >= 25_000_000 {
                ONE
            } else {
                ONE * rtt * rtt / (25_000_000 * 25_000_000)
            };
            self.frac += ai * ONE / self.frac;
        }
        let target = self.frac.div_ceil(ONE).max(2);
        if self.cwnd > target {
            self.cwnd -= 1;
            self.ssthresh = self.cwnd;
        } else if self.cwnd < target {
            self.cwnd += 1;
        }
        let independent = self.cwnd >= self.ssthresh && self.rounds >= 4;
        if una >= self.round_end && (!independent || now - self.updated >= 25_000_000) {
            if self.saw {
                let [all, ce] = self.counts;
                self.alpha = (self.alpha - self.alpha / 16 + FULL * ce / all / 16).min(FULL);
                self.updated = now;
            }
            self.counts = [0, 0];
            self.round_end = high;
            self.rounds += u32::from(self.cwnd >= self.ssthresh);
        }
    }
}

/// Three round trips: one that counts as it is, two that are stretched to 25 ms.
#[test]
fn alpha_and_the_window_follow_a_scripted_pattern() {
    for (millis, every) in [(40, 30), (12, 25), (5, 40)] {
        let rtt = Duration::from_millis(millis);
        let mut script = Script::new(rtt);
        let mut other = Integers {
            frac: 10 * ONE,
            cwnd: 10,
            ssthresh: u128::MAX,
            alpha: 0,
            rounds: 0,
            saw: false,
            until: 0,
            round_end: script.high,
            counts: [0, 0],
            reduced: 0,
            updated: 0,
        };
        // The first ACK ended a round of nothing.
        other.round_end = 1;
        let (mut deepest, mut greatest) = (f64::INFINITY, 0.0_f64);
        for step in 0..6000_u32 {
            script.now += rtt / (script.window.cwnd as u64);
            // A run of three marks now and then, none at first, more of them from the middle on.
            let period = if step < 3000 { every } else { every / 2 };
            let marked = step > 60 && step % period < 3;
            let (una, high) = (script.una + 1, script.high);
            script.tell(1, u32::from(marked));
            let now = u128::from(script.now.as_nanos());
            other.ack(now, u128::from(rtt.as_nanos()), una, high, marked);
            assert_eq!(script.window.cwnd as u128, other.cwnd, "{millis} ms, ACK {step}");
            let frac = other.frac as f64 / ONE as f64;
            assert!((script.probe("frac_cwnd") / frac - 1.0).abs() < 1e-6, "{millis} ms, ACK {step}");
            assert!(
                (script.probe("alpha") - other.alpha as f64 / FULL as f64).abs() < 1e-6,
                "{millis} ms, ACK {step}"
            );
            deepest = deepest.min(script.window.cwnd);
            greatest = greatest.max(other.alpha as f64 / FULL as f64);
        }
        assert!(deepest > 4.0, "the rate mode is another test: {deepest}");
        assert!(greatest > 0.08, "marks count: {greatest}");
    }
}

/// Growth per round trip of 5 ms is a 25th of a segment. One segment per 25 ms would be a fifth per round. A
/// flow of 25 ms sends a fifth of the rounds, of a window five times as large.
#[test]
fn short_round_trips_grow_as_if_they_were_longer() {
    let grown = |millis: u64| {
        let mut script = Script::new(Duration::from_millis(millis));
        script.window.ssthresh = 10.0;
        // Four rounds of its own, then 40 whose growth counts.
        let mut before = 0.0;
        for round in 0..44 {
            if round == 4 {
                before = script.probe("frac_cwnd");
            }
            for _ in 0..script.high - script.una {
                script.now += script.rtt / 10;
                script.tell(1, 0);
            }
        }
        (script.probe("frac_cwnd") - before) / 40.0
    };
    let (short, long) = (grown(5), grown(50));
    assert!((0.03..0.05).contains(&short), "{short}");
    assert!((0.8..1.2).contains(&long), "{long}");
}

/// A mark cuts once a window of data: the next one counts only beyond all that was outstanding.
#[test]
fn the_next_cut_takes_an_ack_beyond_what_was_outstanding() {
    let mut script = Script::new(Duration::from_millis(40));
    (0..40).for_each(|_| script.tell(1, 0));
    script.tell(1, 1);
    // alpha is above 0 after a round with a mark.
    let mut alpha = 0.0;
    while alpha <= 0.0 || script.window.cwnd < script.window.ssthresh {
        script.tell(1, 1);
        alpha = script.probe("alpha");
    }
    let cut = |script: &mut Script| {
        let before = script.probe("frac_cwnd");
        script.tell(1, 1);
        script.probe("frac_cwnd") < before
    };
    while !cut(&mut script) {}
    let until = script.high;
    while script.una < until {
        assert!(!cut(&mut script), "{} of {until}", script.una);
    }
    assert!(cut(&mut script));
}

/// The window comes down by a segment per ACK, and a loss halves it.
#[test]
fn a_loss_halves_the_window_step_by_step() {
    let mut script = Script::new(Duration::from_millis(40));
    (0..30).for_each(|_| script.tell(1, 0));
    let before = script.window.cwnd;
    let signal = Signal { now: script.now, flight: before };
    assert_eq!(script.prague.on_loss(signal, &mut script.window), Repair::Uncut);
    assert!((script.window.cwnd - before).abs() < 1e-9, "not at once");
    let mut cwnd = before;
    while script.window.cwnd > (before / 2.0).ceil() {
        script.tell(1, 1);
        cwnd -= 1.0;
        assert!((script.window.cwnd - cwnd).abs() < 1e-9);
    }
}

/// Without accurate feedback it is Reno, unpaced.
#[test]
fn without_accurate_feedback_it_is_reno() {
    let mut prague = Prague::new(&PragueParameters::default());
    prague.on_ecn(EcnMode::Off);
    assert!(prague.answers_marks());
    assert_eq!(prague.pace().rate, None);
    let mut window = Window { cwnd: 20.0, ssthresh: 20.0, bound: f64::INFINITY };
    let signal = Signal { now: Instant::ZERO, flight: 20.0 };
    assert_eq!(prague.on_loss(signal, &mut window), Repair::Recover);
    assert!((window.cwnd - 10.0).abs() < 1e-9);
}
