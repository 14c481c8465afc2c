//! TCP Prague with few segments per round, and the size of its segments. They are compared ACK by ACK with a
//! separate calculation in bytes and seconds.

use weir_tcp::congestion::Congestion;
use weir_types::Duration;

use super::prague::{FULL_BYTES, HEADER, Script};

/// Prague with few segments per round, in bytes and seconds.
struct Bytes {
    cwnd: f64,
    ssthresh: f64,
    frac: f64,
    rate: f64,
    mtu: f64,
    alpha: f64,
    slow_rtt: f64,
    rounds: u32,
    saw: bool,
    by_rate: bool,
    until: u32,
    round_end: u32,
    counts: [f64; 2],
    reduced: f64,
    updated: f64,
}

impl Bytes {
    const LEAST: f64 = 12_500.0;
    /// In which Linux counts fractions of a window.
    const UNIT: f64 = 1.0 / 1_048_576.0;

    fn new(rtt: f64) -> Self {
        Self {
            cwnd: 10.0,
            ssthresh: f64::INFINITY,
            frac: 10.0,
            rate: 0.0,
            mtu: 1500.0,
            alpha: 0.0,
            slow_rtt: rtt,
            rounds: 0,
            saw: false,
            by_rate: false,
            until: 0,
            round_end: 1,
            counts: [0.0; 2],
            reduced: f64::NEG_INFINITY,
            updated: f64::NEG_INFINITY,
        }
    }

    fn independent(&self) -> bool {
        self.cwnd >= self.ssthresh && self.rounds >= 4
    }

    fn frac_of_rate(&self) -> f64 {
        self.rate * self.slow_rtt / self.mtu
    }

    fn rate_of(&self, segments: f64, rtt: f64) -> f64 {
        (segments * self.mtu / rtt).max(Self::LEAST)
    }

    /// One segment is acknowledged.
    fn ack(&mut self, now: f64, rtt: f64, una: u32, high: u32, marked: bool) {
        let v = rtt.max(0.025);
        self.counts[0] += 1.0;
        self.counts[1] += f64::from(u8::from(marked));
        if marked && una > self.until {
            self.until = high;
            if !(self.independent() && now - self.reduced < 0.025 - 1e-9) {
                self.reduced = now;
                let kept = 1.0 - self.alpha / 2.0;
                if self.by_rate && self.independent() {
                    self.rate = (self.rate * kept).max(Self::LEAST);
                    self.frac = self.frac_of_rate();
                } else {
                    self.frac *= kept;
                    self.rate = self.rate_of(self.frac, rtt);
                }
            }
        }
        if marked && !self.saw {
            self.saw = true;
            self.frac /= 2.0;
        }
        if !marked && self.cwnd < self.ssthresh {
            self.cwnd += 1.0;
            self.frac = self.cwnd;
        } else if !marked && self.by_rate && self.independent() {
            self.rate += 1500.0 / v / (self.rate * v / self.mtu).ceil();
            self.frac = self.frac.max(self.frac_of_rate());
        } else if !marked {
            let ai = if self.rounds < 4 { 1.0 } else { (rtt / 0.025).min(1.0).powi(2) };
            self.frac += ai * 1500.0 / self.mtu / self.frac;
        }
        let target = (self.frac - Self::UNIT).ceil().max(2.0);
        if self.cwnd > target {
            self.cwnd -= 1.0;
            self.ssthresh = self.cwnd;
        } else if self.cwnd < target {
            self.cwnd += 1.0;
        }
        if una >= self.round_end && !(self.independent() && now - self.updated < 0.025 - 1e-9) {
            if self.saw {
                self.alpha += (self.counts[1] / self.counts[0] - self.alpha) / 16.0;
                self.updated = now;
                if self.independent() {
                    self.resize(v, rtt);
                }
            }
            self.slow_rtt += (rtt - self.slow_rtt) / 128.0;
            (self.counts, self.round_end) = ([0.0; 2], high);
            self.rounds += u32::from(self.cwnd >= self.ssthresh);
        }
        if !(self.by_rate && self.independent()) {
            self.rate = self.rate_of((self.frac + Self::UNIT).floor().max(f64::from(high - una)), rtt);
        }
        self.by_rate = self.saw && self.cwnd * self.mtu <= 6000.0;
        if self.by_rate {
            self.frac = self.frac_of_rate();
        } else {
            self.rate = self.rate_of(self.frac, rtt);
        }
    }

    fn resize(&mut self, v: f64, rtt: f64) {
        let in_v = if self.by_rate { self.rate * v } else { self.frac * self.mtu * (0.025 / rtt).max(1.0) };
        let mtu = (in_v.floor() / 2.0).ceil().clamp(202.0, 1500.0);
        let more = self.mtu / mtu;
        if mtu.total_cmp(&self.mtu).is_eq() {
            return;
        }
        self.mtu = mtu;
        self.frac *= more;
        let cwnd = (self.frac - Self::UNIT).ceil().max(2.0);
        if (cwnd - self.cwnd).abs() > 0.5 {
            self.cwnd = cwnd;
            self.ssthresh = (self.ssthresh * more).floor();
        }
    }
}

/// As marks grow more frequent, segments shrink so that two of them fit into 25 ms, to 150 bytes of data at least.
/// They grow again as marks grow rarer.
#[test]
fn below_two_segments_in_25_ms_they_become_smaller() {
    let rtt = Duration::from_millis(10);
    let mut script = Script::new(rtt);
    let mut other = Bytes::new(rtt.as_secs_f64());
    let mut sizes = Vec::new();
    for step in 0..4000_u32 {
        let paced =
            script.prague.pace().rate.map_or(Duration::ZERO, |rate| Duration::from_secs_f64(1.0 / rate));
        script.now += paced.max(rtt / (script.window.cwnd as u64));
        // Of twenty nineteen, then of five four, then none.
        let marked = match step {
            30..1500 => step % 20 > 0,
            1500..3000 => step % 5 > 0,
            _ => false,
        };
        let (una, high) = (script.una + 1, script.high);
        script.tell(1, u32::from(marked));
        other.ack(script.now.as_secs_f64(), rtt.as_secs_f64(), una, high, marked);
        let size = script.prague.pace().bytes.expect("a size");
        assert!((f64::from(size) - other.mtu).abs() <= 1.0, "ACK {step}: {size}, {}", other.mtu);
        assert!((script.window.cwnd - other.cwnd).abs() < 0.5, "ACK {step}");
        // Here full segments per second.
        let rate = script.probe("rate") * f64::from(FULL_BYTES);
        assert!((rate / other.rate - 1.0).abs() < 1e-3, "ACK {step}: {rate}, {}", other.rate);
        sizes.push(size);
    }
    assert_eq!(sizes[..30], [FULL_BYTES; 30]);
    assert_eq!(sizes[1499], 150 + HEADER);
    assert!(sizes[1500..3000].iter().any(|size| (203..1500).contains(size)), "{:?}", &sizes[2900..3000]);
    assert_eq!(sizes[3999], FULL_BYTES);
}
