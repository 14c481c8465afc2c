//! Proportional rate reduction: RFC 6937's examples and its two claims.

use weir_tcp::recovery::{Prr, PrrBound};

/// A window of 20, one segment lost, 19 ACKs, each acted on at once; how many leave per ACK.
fn sent_per_ack(ssthresh: f64, flight: u32, lost: u32, bound: PrrBound) -> (Vec<u32>, u32) {
    let mut prr = Prr::default();
    prr.enter(flight);
    // Three have been sacked before loss is certain; the losses have left the pipe.
    let mut pipe = flight - lost;
    let mut sent = Vec::new();
    for _ in 0..flight - lost {
        pipe -= 1;
        let window = prr.window(1, pipe, ssthresh, false, bound) as u32;
        let now = window.saturating_sub(pipe);
        (0..now).for_each(|_| prr.sent());
        pipe += now;
        sent.push(now);
    }
    (sent, pipe)
}

/// Halving: every other ACK lets one go, evenly; Reno's 0.7 lets seven of ten go.
#[test]
fn segments_leave_in_proportion() {
    let (half, pipe) = sent_per_ack(10.0, 20, 1, PrrBound::Crb);
    assert_eq!(half, [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1]);
    assert_eq!(pipe, 10, "what is in the network in the end is ssthresh");
    let (cubic, pipe) = sent_per_ack(14.0, 20, 1, PrrBound::Crb);
    assert_eq!(cubic.iter().sum::<u32>(), 14);
    assert!(cubic.iter().all(|sent| *sent <= 1), "no bursts: {cubic:?}");
    assert_eq!(pipe, 14);
}

/// RFC 6937, section 4: after heavy losses the conservative bound sends as much as arrives, the other
/// one segment more, up to ssthresh.
#[test]
fn after_heavy_losses_the_bounds_differ() {
    let (conservative, pipe) = sent_per_ack(10.0, 20, 16, PrrBound::Crb);
    assert_eq!((conservative, pipe), (vec![1, 1, 1, 1], 4));
    let (slow_start, pipe) = sent_per_ack(10.0, 20, 16, PrrBound::Ssrb);
    assert_eq!((slow_start, pipe), (vec![2, 2, 2, 2], 8));
    let (neither, pipe) = sent_per_ack(10.0, 20, 16, PrrBound::SafeAck);
    assert_eq!((neither, pipe), (vec![1, 1, 1, 1], 4), "no ACK advances");
}

/// RFC 9937: while the ACK advances and tells of no loss the window climbs by one more.
#[test]
fn repairs_that_succeed_let_the_window_climb() {
    let mut prr = Prr::default();
    prr.enter(20);
    let window = |prr: &mut Prr, safe| prr.window(1, 3, 10.0, safe, PrrBound::SafeAck);
    assert_eq!(window(&mut prr, false).to_bits(), 4.0_f64.to_bits());
    prr.sent();
    assert_eq!(window(&mut prr, true).to_bits(), 5.0_f64.to_bits());
}

/// The first repair leaves even if proportion has no room for it.
#[test]
fn the_first_repair_always_leaves() {
    let mut prr = Prr::default();
    prr.enter(20);
    assert_eq!(prr.window(0, 15, 10.0, false, PrrBound::Crb).to_bits(), 16.0_f64.to_bits());
}
