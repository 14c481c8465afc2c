//! How large a window a rate of signals allows: the response functions, with marks at equal distances,
//! for which they are derived.

use std::{collections::VecDeque, sync::Arc};

use weir_tcp::{
    AppropriateByteCounting, Receiver, Segment, Sender, TcpParameters,
    congestion::{CongestionConfig, CubicParameters, DctcpParameters, RenoParameters, SlowStartConfig},
};
use weir_types::{Duration, Ecn, Instant, Packets, Probability};

use super::near;

const ROUND_TRIP: Duration = Duration::from_millis(100);
const ROUNDS: u64 = 6_000;

/// Segments delivered per round trip over a path that has room for everything and marks every
/// `period`th segment.
fn mean_window(parameters: TcpParameters, period: u32) -> f64 {
    mean_window_with_losses(parameters, period, u32::MAX)
}

/// Mean window where every `period`th segment is marked and every `loss`th is lost.
fn mean_window_with_losses(parameters: TcpParameters, period: u32, loss: u32) -> f64 {
    let parameters = Arc::new(TcpParameters { ecn: true, ..parameters });
    let mut sender = Sender::new(0, 1000, Arc::clone(&parameters));
    let mut receiver = Receiver::new(0, &parameters);
    let mut acks: VecDeque<(Instant, Segment)> = VecDeque::new();
    let (begin, end) = (Instant::ZERO + ROUND_TRIP * 1000, Instant::ZERO + ROUND_TRIP * (1000 + ROUNDS));
    let (mut now, mut before, mut sent) = (Instant::ZERO, 0, 0);
    sender.start();
    while now < end {
        while let Some(mut segment) = sender.poll_segment(now) {
            sent += 1;
            if sent % loss == 0 {
                continue;
            }
            if sent % period == 0 && segment.ecn().is_markable() {
                segment.header = segment.header.with_ecn(Ecn::Ce);
            }
            let due = now + ROUND_TRIP;
            acks.extend(receiver.on_segment(&segment, now).map(|ack| (due, ack)));
        }
        let ack_at = acks.front().map_or(Instant::MAX, |(due, _)| *due);
        now = ack_at.min(receiver.timeout()).min(sender.timeout());
        if sender.timeout() < ack_at.min(receiver.timeout()) {
            sender.on_timeout(now);
        } else if receiver.timeout() < ack_at {
            acks.extend(receiver.on_timeout().map(|ack| (now + ROUND_TRIP, ack)));
        } else if let Some((_, ack)) = acks.pop_front() {
            sender.on_ack(&ack, now);
        }
        if now < begin {
            before = receiver.delivered();
        }
    }
    assert!(loss < u32::MAX || sender.counters().timeouts == 0);
    f64::from(receiver.delivered() - before) / ROUNDS as f64
}

fn with(congestion: CongestionConfig) -> TcpParameters {
    // At the equilibrium's size, lest the way there takes all the time.
    TcpParameters { congestion, initial_ssthresh: Some(Packets(40.0)), ..TcpParameters::default() }
}

fn reno(beta_ecn: f64) -> CongestionConfig {
    let beta_ecn = Probability::new(beta_ecn);
    CongestionConfig::Reno(RenoParameters { beta_ecn, ..RenoParameters::default() })
}

/// AIMD with one segment a round trip and `beta`: `W = sqrt((1 + beta) / (2 (1 - beta) p))`. It leaves
/// out the round trip after a mark, in which echoes stop the growth: the fewer a cycle has, the more.
#[test]
fn a_milder_cut_allows_a_larger_window() {
    for beta in [0.5_f64, 0.8] {
        for period in [2500_u32, 40_000] {
            let theory = ((1.0 + beta) / (2.0 * (1.0 - beta)) * f64::from(period)).sqrt();
            let window = mean_window(with(reno(beta)), period);
            near(window / theory, 1.0, if period < 10_000 { 0.06 } else { 0.02 });
        }
    }
}

/// Delayed ACKs halve the growth, `W = sqrt(3 / (4 p))`, but where segments are counted.
#[test]
fn delayed_acks_halve_the_growth_unless_segments_count() {
    for (abc, b) in [
        (AppropriateByteCounting::Off, 2.0),
        (AppropriateByteCounting::Limit2, 1.0),
        (AppropriateByteCounting::NoLimit, 1.0),
    ] {
        let delayed_ack = Some(Duration::from_millis(40));
        let parameters = TcpParameters { abc, delayed_ack, ..with(reno(0.5)) };
        let theory = (1.5_f64 * 2500.0 / b).sqrt();
        near(mean_window(parameters, 2500) / theory, 1.0, 0.06);
    }
}

/// RFC 9438, equation 5: `W = 1.054 (RTT / p)^(3/4)`. It assumes that every cut comes at the plateau, where
/// fast convergence would lower it each time that it comes a little early. The curve is flat there. So a
/// plateau that is wrong by a tenth moves by a segment in ten cuts, and is not quite the right one.
#[test]
fn cubic_allows_the_fourth_root_of_the_cube() {
    let parameters = CubicParameters {
        reno_friendly: false,
        fast_convergence: false,
        slow_start: SlowStartConfig::Standard,
        ..CubicParameters::default()
    };
    for period in [1_000_u32, 10_000] {
        let theory = (0.4_f64 * 3.7 / 1.2).powf(0.25) * (0.1 * f64::from(period)).powf(0.75);
        let window = mean_window(with(CongestionConfig::Cubic(parameters)), period);
        near(window / theory, 1.0, 0.12);
    }
}

/// At a short round trip and many signals CUBIC is what Reno is (section 4.3).
#[test]
fn cubic_is_no_slower_than_reno() {
    let cubic = with(CongestionConfig::Cubic(CubicParameters::default()));
    near(mean_window(cubic, 100) / mean_window(with(reno(0.5)), 100), 1.0, 0.15);
}

/// Where a window has less than one mark, alpha follows their frequency: at one of `n` windows marked,
/// cuts of `alpha / 2` balance `n` segments, and DCTCP's window is far above Reno's.
#[test]
fn dctcp_cuts_little_where_marks_are_few() {
    let dctcp = mean_window(with(CongestionConfig::Dctcp(DctcpParameters::default())), 400);
    let reno = mean_window(with(reno(0.5)), 400);
    // One mark in a window of W: alpha = 1 / W, cut by 1/2 every 400 / W round trips, which add 400 / W.
    // That balances at W = 800; the marks of a window are one at most, and more than one from 400 on.
    assert!(dctcp > 8.0 * reno, "{dctcp}, Reno {reno}");
}

/// Losses that mean nothing, one in a hundred, allow Reno a window of `sqrt(1.5 / 0.01)` = 12. A sender that
/// answers to marks alone (the REM paper, section 5) has what the marks allow it. It has less by what it
/// cannot grow while it repairs: with a window of 24, in a quarter of the round trips.
#[test]
fn a_wireless_sender_has_the_window_that_its_marks_allow() {
    let wireless = CongestionConfig::from_name("wireless").unwrap();
    let unharmed = mean_window(with(reno(0.5)), 400);
    let lossy = mean_window_with_losses(with(wireless), 400, 101);
    let harmed = mean_window_with_losses(with(reno(0.5)), 400, 101);
    assert!(harmed < 12.5, "Reno: {harmed}");
    assert!(lossy > 0.8 * unharmed && lossy < unharmed, "{lossy}, without losses {unharmed}");
}
