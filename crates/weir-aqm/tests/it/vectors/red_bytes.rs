//! RED with a probability that grows with the size of the packet: the paper's rule and ns-2's.

use weir_aqm::{
    Aqm, PacketInfo, Reason, Verdict,
    aqm::{AqmConfig, ByteMode, Red, RedParameters, Spacing},
};
use weir_types::{Ecn, Instant, PacketSize};

use super::red::following;
use crate::support::{near, packet, probability, read, waiting};

/// At an average of 10 and so `p_b` = 0.05, a packet of `bytes` bytes arrives.
fn see(red: &mut Red, bytes: u32) -> Verdict {
    red.on_enqueue(PacketInfo { bytes, ..packet(Ecn::NotEct) }, waiting(10), Instant::ZERO)
}

fn byte_mode(byte_mode: ByteMode, spacing: Spacing) -> RedParameters {
    RedParameters { byte_mode: Some(byte_mode), spacing, ..RedParameters::default() }
}

/// Signals per packet of `bytes` bytes.
fn rate(red: &mut Red, bytes: u32) -> f64 {
    let offers = 400_000;
    (0..offers).filter(|_| see(red, bytes) != Verdict::Pass).count() as f64 / f64::from(offers)
}

/// `p_b` times size over `max_packet_size`, or over the mean packet.
#[test]
fn before_the_spacing_p_b_is_scaled() {
    let rule = byte_mode(ByteMode::Paper, Spacing::Geometric);
    let mut red = following(&rule);
    for (bytes, p_b) in [(1000, 0.05), (400, 0.02), (40, 0.002), (3000, 0.15), (30_000, 1.0)] {
        see(&mut red, bytes);
        near(read(&red, "probability"), p_b, 1e-15);
    }
    let mut red = following(&RedParameters { max_packet_size: PacketSize::new(1500), ..rule.clone() });
    see(&mut red, 1000);
    near(read(&red, "probability"), 0.1 / 3.0, 1e-15);
    near(rate(&mut red, 750), 0.025, 0.001);

    // The spacing doubles whatever it is given.
    let mut red = following(&byte_mode(ByteMode::Paper, Spacing::Uniform));
    near(rate(&mut red, 400), 2.0 * 0.02, 0.001);
}

/// ns-2 counts bytes since the last signal in whole mean packets: the spacing sees the same
/// distance in bytes, whatever the packets are.
#[test]
fn after_the_spacing_the_count_is_of_bytes() {
    let mut red = following(&byte_mode(ByteMode::Ns2, Spacing::Wait));
    for arrived in 0..49 {
        assert_eq!(see(&mut red, 400), Verdict::Pass);
        near(read(&red, "count"), f64::from(arrived * 400 / 1000), 0.0);
        near(read(&red, "probability"), 0.05, 1e-15);
    }
    // 20 mean packets may pass between two signals, and 40 may not: half packets, twice as many.
    let mut red = following(&byte_mode(ByteMode::Ns2, Spacing::Wait));
    let (mut gap, mut gaps) = (0, Vec::new());
    for _ in 0..200_000 {
        gap += 1;
        if see(&mut red, 500) == Verdict::Drop(Reason::Early) {
            gaps.push(gap);
            gap = 0;
        }
    }
    let (least, most) = (gaps[1..].iter().min(), gaps[1..].iter().max());
    assert_eq!((least, most), (Some(&40), Some(&78)));
}

/// ns-2 scales a probability of less than 1 and leaves certainty alone: the packet that completes
/// the second mean packet at `p_b` = 0.9 goes, small as it is.
#[test]
fn what_the_spacing_makes_certain_is_not_scaled() {
    let rule = byte_mode(ByteMode::Ns2, Spacing::Wait);
    let mut red = following(&RedParameters { max_p: probability(1.0), ..rule });
    let mut see =
        |bytes| red.on_enqueue(PacketInfo { bytes, ..packet(Ecn::NotEct) }, waiting(14), Instant::ZERO);
    assert_eq!(see(1000), Verdict::Pass, "the first of the band has count 0");
    for _ in 0..100 {
        assert_eq!(see(1999), Verdict::Pass, "at most one mean packet, x < 1");
        assert_eq!(see(40), Verdict::Drop(Reason::Early), "two of them, x = 1.8");
    }
}

/// Packets of the mean size are what they were.
#[test]
fn packets_of_mean_size_do_not_notice() {
    for spacing in [Spacing::Geometric, Spacing::Uniform, Spacing::Wait] {
        for ns2_old in [false, true] {
            let plain = RedParameters { spacing, ns2_old, ..RedParameters::default() };
            for rule in [ByteMode::Paper, ByteMode::Ns2] {
                let mut plain_red = following(&plain);
                let mut red = following(&RedParameters { byte_mode: Some(rule), ..plain.clone() });
                for n in 0..20_000 {
                    let queue = waiting(if n % 500 == 0 { 3 } else { 10 });
                    let verdict = plain_red.on_enqueue(packet(Ecn::NotEct), queue, Instant::ZERO);
                    assert_eq!(red.on_enqueue(packet(Ecn::NotEct), queue, Instant::ZERO), verdict);
                    near(read(&red, "count"), read(&plain_red, "count"), 0.0);
                }
            }
        }
    }
}

#[test]
fn a_largest_packet_needs_the_rule_that_divides_by_it() {
    let check = |byte_mode| {
        let max_packet_size = PacketSize::new(1500);
        AqmConfig::Red(RedParameters { byte_mode, max_packet_size, ..RedParameters::default() }).check()
    };
    assert_eq!(check(Some(ByteMode::Paper)), Ok(()));
    assert_eq!(check(Some(ByteMode::Ns2)).expect_err("divides by the mean").parameter, "max_packet_size");
    assert_eq!(check(None).expect_err("does not divide").parameter, "max_packet_size");
}
