//! Both versions of BBR against listings of their sources, which are told the same and must answer the same: state,
//! bandwidth, least round trip, gains, rate, window and bounds after each event.
//!
//! What is left out stands at the head of the listings; nothing else may differ.

#![expect(clippy::float_cmp, reason = "windows are whole, states and gains are constants")]

mod common;
mod conditions;
mod line;
mod v1;
mod v3;
mod version_1;
mod version_3;

use weir_tcp::congestion::{Congestion, Window};

use self::{
    common::{Listing, Shown},
    conditions::{CALM, Conditions, FAST, HELD_BACK, WILD},
    line::{Event, Line},
};

/// Greatest relative difference of rates and times, which both calculate with real numbers.
const TOLERANCE: f64 = 1e-9;

/// A control and a listing.
struct Pair<C, L> {
    control: C,
    window: Window,
    listing: L,
}

impl<C: Congestion, L: Listing> Pair<C, L> {
    fn shown(&self) -> Shown {
        let mut shown = Shown {
            mode: f64::NAN,
            bw: f64::NAN,
            min_rtt: f64::NAN,
            pacing_gain: f64::NAN,
            cwnd_gain: f64::NAN,
            pacing_rate: self.control.pace().rate.expect("it paces"),
            cwnd: self.window.cwnd,
            ssthresh: self.window.ssthresh,
            app_limited: self.control.pace().limits_itself,
            bounds: None,
        };
        self.control.probe(&mut |name, value| match name {
            "mode" => shown.mode = value,
            "bw" => shown.bw = value,
            "min_rtt" => shown.min_rtt = value,
            "pacing_gain" => shown.pacing_gain = value,
            "cwnd_gain" => shown.cwnd_gain = value,
            "inflight_hi" => shown.bounds.get_or_insert([0.0; 2])[0] = value,
            "inflight_lo" => shown.bounds.get_or_insert([0.0; 2])[1] = value,
            _ => {}
        });
        shown
    }

    fn tell(&mut self, event: Event) {
        match event {
            Event::Lost(skb) => {
                self.control.on_segment_lost(&skb);
                self.listing.skb_marked_lost(&skb);
            }
            Event::Loss(signal) => {
                self.control.on_loss(signal, &mut self.window);
                self.listing.ssthresh();
            }
            Event::Timeout(signal, counts) => {
                if let Some(signal) = signal {
                    self.control.on_timeout(signal, &mut self.window);
                    self.listing.ssthresh();
                }
                self.window.cwnd = 1.0;
                self.control.on_expiry(&counts);
                self.listing.enter_loss(&counts);
            }
            Event::Restart(counts) => {
                self.control.on_restart(&counts, &mut self.window);
                self.listing.tx_start(&counts);
            }
            Event::Ack(ack) => {
                self.control.on_delivery(&ack, &mut self.window);
                self.listing.main(&ack);
            }
        }
    }

    /// Runs over a line for so many seconds. `look`: looks at the listing after each event. Returns states and gains
    /// of the rate, in their order.
    fn run(
        &mut self,
        conditions: Conditions,
        seed: u64,
        seconds: f64,
        mut look: impl FnMut(&L),
    ) -> Vec<(f64, f64)> {
        let mut line = Line::new(conditions, seed);
        let mut found = Vec::new();
        self.control.on_delivery(&line.handshake(), &mut self.window);
        self.listing.init(&line.handshake());
        while line.now as f64 * 1e-9 < seconds {
            let Shown { cwnd, pacing_rate, .. } = self.listing.shown();
            for event in line.step(cwnd, pacing_rate) {
                self.tell(event);
                let (shown, expected) = (self.shown(), self.listing.shown());
                if let Event::Ack(ack) = event
                    && expected.app_limited
                {
                    line.limit(ack.flight);
                }
                assert!(agree(&shown, &expected), "seed {seed}, {event:?}: {shown:?}\nnot {expected:?}");
                look(&self.listing);
                if found.last() != Some(&(shown.mode, shown.pacing_gain)) {
                    found.push((shown.mode, shown.pacing_gain));
                }
            }
        }
        found
    }
}

fn near(value: f64, expected: f64) -> bool {
    value == expected || (value / expected - 1.0).abs() <= TOLERANCE
}

/// Whole numbers and constants agree exactly.
fn agree(shown: &Shown, expected: &Shown) -> bool {
    near(shown.bw, expected.bw)
        && near(shown.min_rtt, expected.min_rtt)
        && near(shown.pacing_rate, expected.pacing_rate)
        && *shown
            == Shown {
                bw: shown.bw,
                min_rtt: shown.min_rtt,
                pacing_rate: shown.pacing_rate,
                ..expected.clone()
            }
}

const WINDOW: Window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, bound: f64::INFINITY };

const SEEDS: u64 = 60;
