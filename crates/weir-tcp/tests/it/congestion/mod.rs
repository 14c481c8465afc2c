//! Congestion controls by hand, ACK by ACK: what their papers and RFCs compute.

mod bbr1;
mod bbr3;
mod bbr3_ecn;
mod bbr_listings;
mod bottleneck;
mod contracts;
mod cubic;
mod dctcp;
mod facts;
mod feedback;
mod ledbat;
mod prague;
mod prague_sizes;
mod rem_host;
mod reno;
mod response;
mod scalable;
mod slow_start;
mod vegas;
mod westwood_plus;
mod whole_segments;
mod wireless;

use weir_tcp::congestion::{Ack, AnyCongestion, CongestionConfig, Repair, Signal, Window};
use weir_types::{Duration, Instant};

/// A congestion control and its window, with a clock and a path that delivers everything.
struct Bench {
    control: AnyCongestion,
    window: Window,
    now: Instant,
    rtt: Duration,
    una: u32,
    high: u32,
    /// ACKs report that all routers on the path understand ECN.
    all_capable: bool,
}

impl Bench {
    /// In congestion avoidance at `cwnd` segments.
    fn new(config: &CongestionConfig, cwnd: f64) -> Self {
        config.check().expect("parameters that go together");
        Self {
            control: config.build(),
            window: Window { cwnd, ssthresh: cwnd, bound: f64::INFINITY },
            now: Instant::ZERO,
            rtt: Duration::from_millis(100),
            una: 1,
            high: 1 + cwnd as u32,
            all_capable: false,
        }
    }

    /// An ACK of `acked` segments; as many are sent as it covers and the window has room for.
    fn ack(&mut self, acked: u32, echo: bool) {
        self.una += acked;
        let ack = Ack {
            now: self.now,
            rtt: self.rtt,
            smoothed: self.rtt,
            acked,
            counted: f64::from(acked),
            echo,
            marked: 0,
            all_capable: self.all_capable,
            una: self.una,
            next: self.high.max(self.una),
            high: self.high,
            flight: f64::from(self.high.saturating_sub(self.una)),
            limited: true,
        };
        self.control.observe(ack, &mut self.window);
        if acked > 0 && !(echo && self.control.answers_marks()) {
            self.control.on_ack(ack, &mut self.window);
        }
        self.high = self.high.max(self.una + self.window.cwnd.min(self.window.bound) as u32);
    }

    /// All that is out is acknowledged, one by one and evenly over a round trip; the first `marked`
    /// are echoed.
    fn round(&mut self, marked: u32) {
        let (first, out) = (self.una, self.high - self.una);
        for number in 0..out {
            self.now += self.rtt / u64::from(out);
            self.ack(1, number < marked);
        }
        assert_eq!(self.una, first + out);
    }

    fn signal(&self) -> Signal {
        Signal { now: self.now, flight: f64::from(self.window.cwnd as u32) }
    }

    fn loss(&mut self) -> Repair {
        let signal = self.signal();
        self.control.on_loss(signal, &mut self.window)
    }

    fn mark(&mut self) {
        let signal = self.signal();
        self.control.on_mark(signal, &mut self.window);
    }

    fn timeout(&mut self) {
        let signal = self.signal();
        self.control.on_timeout(signal, &mut self.window);
    }

    /// An inner variable.
    #[track_caller]
    fn variable(&self, name: &str) -> f64 {
        let mut found = None;
        self.control.probe(&mut |variable, value| found = if variable == name { Some(value) } else { found });
        found.unwrap_or_else(|| panic!("no variable {name}"))
    }
}

#[track_caller]
fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, not {expected}");
}
