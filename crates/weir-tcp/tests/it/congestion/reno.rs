//! Reno with ABE, and Tahoe: what there is to say beside `rfc6582.rs` and `reference.rs`.

use std::sync::Arc;

use weir_tcp::{
    Flags, Header, Segment, Sender, TcpParameters,
    congestion::{CongestionConfig, RenoParameters, Repair},
};
use weir_types::{Duration, Ecn, Instant, Probability};

use super::{Bench, near};

/// RFC 8511, section 3: a mark leaves 0.8 of the window, a loss half.
#[test]
fn abe_answers_a_mark_by_four_fifths() {
    let abe = RenoParameters { beta_ecn: Probability::new(0.8), ..RenoParameters::default() };
    let mut bench = Bench::new(&CongestionConfig::Reno(abe), 20.0);
    bench.mark();
    near(bench.window.cwnd, 16.0, 1e-12);
    near(bench.window.ssthresh, 16.0, 1e-12);
    bench.loss();
    near(bench.window.cwnd, 8.0, 1e-12);
    bench.timeout();
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 4.0));
}

#[test]
fn a_loss_takes_tahoe_back_to_one() {
    let mut bench = Bench::new(&CongestionConfig::from_name("tahoe").unwrap(), 21.0);
    assert_eq!(bench.loss(), Repair::StartOver);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 10.5));
}

/// Ten segments, the first is lost: the third duplicate begins again with it, and what has already
/// arrived is sent twice where no ACK says so.
#[test]
fn tahoe_sends_all_again_from_the_lost_segment_on() {
    let parameters = TcpParameters {
        congestion: CongestionConfig::from_name("tahoe").unwrap(),
        handshake: false,
        limited_transmit: false,
        ..TcpParameters::default()
    };
    let mut sender = Sender::new(0, 1000, Arc::new(parameters));
    let mut now = Instant::ZERO;
    let mut sent = |sender: &mut Sender, number: u32, times: usize| -> Vec<u32> {
        let mut sent = Vec::new();
        for _ in 0..times {
            now += Duration::from_millis(1);
            let ack =
                Segment { stamp: now, flow: 0, number, header: Header::new(40, Ecn::NotEct, Flags::ACK) };
            sender.on_ack(&ack, now);
            sent.extend(std::iter::from_fn(|| sender.poll_segment(now)).map(|segment| segment.number));
        }
        sent
    };
    sender.start();
    let first: Vec<u32> =
        std::iter::from_fn(|| sender.poll_segment(Instant::ZERO)).map(|segment| segment.number).collect();
    assert_eq!(first, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(sent(&mut sender, 0, 3), [0]);
    assert_eq!((sender.cwnd(), sender.ssthresh()), (1.0, 5.0));
    assert_eq!(sent(&mut sender, 0, 6), Vec::<u32>::new(), "further duplicates send nothing");
    assert_eq!(sent(&mut sender, 10, 1), [10, 11], "all ten have arrived");
    near(sender.cwnd(), 2.0, 0.0);
    assert_eq!(sender.counters().fast_retransmits, 1);
}
