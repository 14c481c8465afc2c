//! Accurate ECN feedback (RFC 9768): negotiation, counters, which ACKs leave, and what a sender makes of them when
//! the field wraps and ACKs are lost. The expected counts come from the marks themselves.

use std::{num::NonZeroU32, sync::Arc};

use proptest::prelude::*;
use weir_tcp::{
    Flags, Header, Receiver, Segment, Sender, TcpParameters,
    accecn::{AccEcnOption, EcnFeedback, EcnMode, EcnReport, ReceiverEcn},
    congestion::CongestionConfig,
    recovery::{RecoveryConfig, SackParameters},
};
use weir_types::{Duration, Ecn, Instant};

const MSS: u32 = 1448;

fn parameters(delayed: bool, option: bool, receiver_ecn: ReceiverEcn) -> TcpParameters {
    let parameters = TcpParameters {
        ecn: true,
        accecn: true,
        accecn_option: option,
        receiver_ecn,
        delayed_ack: delayed.then(|| Duration::from_millis(40)),
        recovery: RecoveryConfig::Sack(SackParameters::default()),
        ..TcpParameters::default()
    };
    parameters.check().expect("consistent");
    parameters
}

fn segment(number: u32, ecn: Ecn, flags: Flags) -> Segment {
    let stamp = Instant::from_nanos(u64::from(number) * 1_000_000);
    Segment { stamp, flow: 0, number, header: Header::new(MSS + 40, ecn, flags) }
}

/// The SYN/ACK of a receiver, for a SYN that arrives with these bits.
fn answer(receiver: &mut Receiver, ecn: Ecn) -> u8 {
    let syn = segment(0, ecn, Flags::SYN.with_ace(7));
    receiver.on_segment(&syn, Instant::ZERO).expect("an answer").flags().ace()
}

/// Table 2 of the RFC, row by row.
#[test]
fn every_answer_to_the_syn_is_read_as_the_table_has_it() {
    use EcnMode::{Accurate, Classic, Off};
    let modes: Vec<_> = (0..8).map(EcnMode::agreed).collect();
    assert_eq!(modes, [Off, Classic, Accurate, Accurate, Accurate, Classic, Accurate, Off]);
    for (ecn, ace) in [(Ecn::NotEct, 0b010), (Ecn::Ect1, 0b011), (Ecn::Ect0, 0b100), (Ecn::Ce, 0b110)] {
        let mut able = Receiver::new(0, &parameters(true, false, ReceiverEcn::Accecn));
        assert_eq!(answer(&mut able, ecn), ace);
        for (other, ace) in [(ReceiverEcn::Classic, 0b001), (ReceiverEcn::None, 0b000)] {
            let mut receiver = Receiver::new(0, &parameters(true, false, other));
            assert_eq!([answer(&mut receiver, ecn), answer(&mut receiver, ecn)], [ace; 2], "again");
        }
    }
}

/// A peer of RFC 3168 latches ECE until CWR; its ECE is no count.
#[test]
fn a_classic_receiver_echoes_as_ever() {
    let mut receiver = Receiver::new(0, &parameters(false, false, ReceiverEcn::Classic));
    answer(&mut receiver, Ecn::NotEct);
    let data = [(Ecn::Ect0, false), (Ecn::Ce, false), (Ecn::Ect0, false), (Ecn::Ect0, true)];
    let echoes = (1..).zip(data).map(|(number, (ecn, cwr))| {
        let data = segment(number, ecn, Flags::NONE.with(Flags::CWR, cwr));
        receiver.on_segment(&data, Instant::ZERO).expect("at once").flags().ace()
    });
    let echoes: Vec<_> = echoes.collect();
    assert_eq!(echoes, [0, 1, 1, 0]);
}

/// The field counts from 5 and wraps; an ACK leaves at once where marks begin or end, else for every second
/// segment.
#[test]
fn the_field_counts_and_edges_are_acknowledged_at_once() {
    let mut receiver = Receiver::new(0, &parameters(true, false, ReceiverEcn::Accecn));
    assert_eq!(answer(&mut receiver, Ecn::NotEct), 0b010);
    let marks = "0000 1111111 0 1 00".replace(' ', "");
    let acks = (1..).zip(marks.chars()).map(|(number, mark)| {
        let ecn = if mark == '1' { Ecn::Ce } else { Ecn::Ect1 };
        receiver.on_segment(&segment(number, ecn, Flags::NONE), Instant::ZERO).map(|ack| ack.flags().ace())
    });
    let acks: Vec<_> = acks.collect();
    // The first differs from the SYN. The marks that follow the fifth segment are 1, 2, 3 ...
    let (no, some) = (None, Some);
    let begin = [some(5), no, some(5), no];
    let marked = [some(6), no, some(0), no, some(2), no, some(4)];
    let end = [some(4), some(5), some(5), no];
    assert_eq!(acks, [&begin[..], &marked, &end].concat());
    assert_eq!(receiver.on_timeout().map(|ack| ack.flags().ace()), Some(5));
    assert_eq!(receiver.marked(), 8);
}

/// A segment that ends what the application wrote is acknowledged at once; the pairs begin anew behind it.
#[test]
fn the_end_of_a_write_is_acknowledged_at_once() {
    let pushed =
        TcpParameters { push_every: NonZeroU32::new(5), ..parameters(true, false, ReceiverEcn::Accecn) };
    let mut receiver = Receiver::new(0, &pushed);
    answer(&mut receiver, Ecn::NotEct);
    let acks = (1..=12).map(|number| {
        receiver.on_segment(&segment(number, Ecn::Ect1, Flags::NONE), Instant::ZERO).map(|ack| ack.number)
    });
    let acks: Vec<_> = acks.flatten().collect();
    // The first differs from the SYN.
    assert_eq!(acks, [2, 4, 6, 8, 10, 11, 13]);
}

/// Ends of writes matter to delayed ACKs of accurate feedback only.
#[test]
fn ends_of_writes_need_accurate_feedback_and_delayed_acks() {
    let pushed =
        TcpParameters { push_every: NonZeroU32::new(5), ..parameters(true, false, ReceiverEcn::Accecn) };
    assert_eq!(pushed.check(), Ok(()));
    for (parameters, hint) in [
        (TcpParameters { accecn: false, ..pushed.clone() }, "accecn = true"),
        (TcpParameters { delayed_ack: None, ..pushed }, "delayed_ack = "),
    ] {
        let error = parameters.check().unwrap_err();
        assert_eq!(error.parameter, "push_every");
        assert!(error.hint.contains(hint), "{}", error.hint);
    }
}

/// Smaller segments are told apart from full ones by their bytes.
#[test]
fn a_receiver_knows_by_how_much_segments_fell_short() {
    let mut receiver = Receiver::new(0, &parameters(false, false, ReceiverEcn::Accecn));
    answer(&mut receiver, Ecn::NotEct);
    for (number, less) in [(1, 0), (2, 100), (2, 100), (3, 700), (4, 0)] {
        let mut data = segment(number, Ecn::Ect1, Flags::NONE);
        data.header = data.header.with_bytes(data.bytes() - less);
        receiver.on_segment(&data, Instant::ZERO);
    }
    assert_eq!((receiver.delivered(), receiver.short()), (4, 800));
}

/// The option has payload bytes, and stands beside two SACK blocks but not beside three.
#[test]
fn the_option_counts_bytes_where_it_has_room() {
    let mut receiver = Receiver::new(0, &parameters(false, true, ReceiverEcn::Accecn));
    answer(&mut receiver, Ecn::NotEct);
    let mut options = Vec::new();
    for (number, ecn) in [(1, Ecn::Ect1), (2, Ecn::Ce), (4, Ecn::Ce), (6, Ecn::Ect1), (8, Ecn::Ect1)] {
        let ack = receiver.on_segment(&segment(number, ecn, Flags::NONE), Instant::ZERO).expect("at once");
        assert_eq!(ack.bytes(), 40 + AccEcnOption::SIZE);
        options.push(receiver.options_of(&ack).accecn.map(|option| (option.ect, option.ce)));
    }
    let (one, two, three) = (Some((1 + MSS, 0)), Some((1 + MSS, MSS)), Some((1 + MSS, 2 * MSS)));
    assert_eq!(options, [one, two, three, Some((1 + 2 * MSS, 2 * MSS)), None]);
}

/// Marked packets that a sender counts, and those that there were, if it hears ACKs of so many packets each. The
/// option counts bytes.
fn count(marks: &[bool], rows: impl IntoIterator<Item = usize>, option: bool) -> (u32, u32) {
    let mut feedback = EcnFeedback::default();
    let (mut at, mut marked, mut told) = (0, 0_u32, 0);
    for row in rows {
        let next = (at + row).min(marks.len());
        marked += marks[at..next].iter().filter(|mark| **mark).count() as u32;
        let option = option.then(|| AccEcnOption { ect: 1, ce: marked * MSS % (1 << 24) });
        let stamp = Instant::from_nanos(next as u64);
        let ace = ((5 + marked) % 8) as u8;
        told += feedback.read(&EcnReport { ace, option, delivered: (next - at) as u32, mss: MSS, stamp });
        at = next;
    }
    assert_eq!(feedback.marked(), told);
    (told, marked)
}

proptest! {
    /// As long as an ACK arrives for every seven packets, the field alone is exact.
    #[test]
    fn up_to_seven_packets_the_field_is_enough(
        marks in prop::collection::vec(any::<bool>(), 1..2000),
        rows in prop::collection::vec(1_usize..8, 2000),
    ) {
        let (told, marked) = count(&marks, rows, false);
        prop_assert_eq!(told, marked);
    }

    /// With byte counters, however many ACKs are lost.
    #[test]
    fn with_bytes_any_loss_of_acks_is_made_good(
        share in 0.0..1.0_f64,
        draws in prop::collection::vec(0.0..1.0_f64, 1..4000),
        rows in prop::collection::vec(1_usize..200, 4000),
    ) {
        let marks: Vec<_> = draws.iter().map(|draw| *draw < share).collect();
        let (told, marked) = count(&marks, rows, true);
        prop_assert_eq!(told, marked);
    }

    /// Without: the most that the field allows, found by trying all.
    #[test]
    fn without_bytes_the_count_is_the_safe_one(delivered in 1_u32..60, marked in 0_u32..60) {
        let marked = marked.min(delivered);
        let mut feedback = EcnFeedback::default();
        let report = |ace, delivered, at| EcnReport {
            ace, option: None, delivered, mss: MSS, stamp: Instant::from_nanos(at),
        };
        // ACKs of single packets before: the average stays low.
        (0..100).for_each(|at| { feedback.read(&report(5, 1, at)); });
        let told = feedback.read(&report(((5 + marked) % 8) as u8, delivered, 100));
        let safe = (0..=delivered).rev().find(|count| count % 8 == marked % 8);
        prop_assert_eq!(Some(told), safe);
    }
}

/// Bytes are counted modulo 2^24, which 11,586 marked packets exceed.
#[test]
fn byte_counters_wrap() {
    assert_eq!(count(&vec![true; 40_000], core::iter::repeat_n(40, 1000), true), (40_000, 40_000));
}

/// Where ACKs are thinned as a rule, many packets per ACK do not mean many marks.
#[test]
fn of_thinned_acks_the_count_is_the_likely_one() {
    let marks: Vec<_> = (0..4000).map(|at| at % 20 == 0).collect();
    let (told, marked) = count(&marks, core::iter::repeat_n(10, 400), false);
    assert_eq!((told, marked), (200, 200));
}

/// An ACK that was overtaken bears an older count.
#[test]
fn an_old_ack_tells_nothing() {
    let mut feedback = EcnFeedback::default();
    let report = |ace, delivered, at| EcnReport {
        ace,
        option: None,
        delivered,
        mss: MSS,
        stamp: Instant::from_nanos(at),
    };
    assert_eq!(feedback.read(&report(7, 3, 10)), 2);
    assert_eq!(feedback.read(&report(6, 0, 9)), 0, "not 7");
    assert_eq!(feedback.read(&report(0, 1, 11)), 1);
}

/// The first segments of a connection to a receiver that can do so much; CE on every segment of the first flight.
fn exchange(congestion: &str, receiver_ecn: ReceiverEcn, handshake: bool) -> (Sender, Vec<Segment>) {
    exchange_over(congestion, receiver_ecn, handshake, true)
}

/// The first segments of such a connection, with or without these marks.
fn exchange_over(
    congestion: &str,
    receiver_ecn: ReceiverEcn,
    handshake: bool,
    marks: bool,
) -> (Sender, Vec<Segment>) {
    let congestion = CongestionConfig::from_name(congestion).expect("in the registry");
    let parameters = TcpParameters { congestion, handshake, ..parameters(false, true, receiver_ecn) };
    let mut receiver = Receiver::new(0, &parameters);
    let mut sender = Sender::new(0, MSS + 40, Arc::new(parameters));
    sender.start();
    let (mut now, mut sent) = (Instant::ZERO, Vec::new());
    for round in 0..4 {
        now += Duration::from_millis(10);
        let leaving: Vec<_> = core::iter::from_fn(|| sender.poll_segment(now)).collect();
        sent.extend(&leaving);
        now += Duration::from_millis(10);
        for mut data in leaving {
            if marks && round == usize::from(handshake) && data.ecn().is_markable() {
                data.header = data.header.with_ecn(Ecn::Ce);
            }
            let Some(ack) = receiver.on_segment(&data, now) else { continue };
            sender.on_ack_with(&ack, &receiver.options_of(&ack), now);
        }
        // What is paced leaves too.
        while sender.timeout() < now + Duration::from_millis(10) {
            let due = sender.timeout();
            sender.on_timeout(due);
            sent.extend(core::iter::from_fn(|| sender.poll_segment(due)));
        }
    }
    (sender, sent)
}

/// ECN codepoints of segments depend on what both ends can do; an L4S sender does not fall back to RFC 3168
/// (RFC 9331, section 4.3).
#[test]
fn segments_declare_what_was_agreed_upon() {
    use Ecn::{Ect0, Ect1, NotEct};
    for handshake in [true, false] {
        for (control, of_syn, accurate, classic) in [
            ("prague", Ect1, Ect1, NotEct),
            ("cubic", NotEct, Ect0, Ect0),
            ("reno", NotEct, Ect0, Ect0),
            ("dctcp", Ect0, Ect0, Ect0),
        ] {
            let agreed = [accurate, classic, NotEct];
            let able = [ReceiverEcn::Accecn, ReceiverEcn::Classic, ReceiverEcn::None];
            for (able, expected) in able.into_iter().zip(agreed) {
                let (sender, sent) = exchange(control, able, handshake);
                let (first, data) = sent.split_at(usize::from(handshake));
                assert!(first.iter().all(|syn| syn.ecn() == of_syn && syn.flags().ace() == 7), "{control}");
                assert!(data.len() > 12, "{control}, {able:?}");
                assert!(data.iter().all(|data| data.ecn() == expected), "{control}, {able:?}");
                let cuts = sender.counters().mark_cuts;
                assert_eq!(cuts > 0, expected != NotEct, "{control}, {able:?}: {cuts} cuts");
                let tells = data.iter().any(|data| data.flags().has(Flags::CWR));
                assert_eq!(tells, able == ReceiverEcn::Classic && expected != NotEct, "{control}, {able:?}");
            }
        }
    }
}

/// Slow start without marks is what it is with a receiver that cannot mark. The count, whose lowest bit is ECE,
/// holds no window back. The ECE of a SYN-ACK that agrees on the feedback of RFC 3168 does not, either. Prague is
/// left out: without accurate feedback it is Reno, and not paced.
#[test]
fn a_count_that_stands_is_no_mark() {
    for control in CongestionConfig::NAMES.iter().filter(|name| **name != "prague") {
        let senders = [ReceiverEcn::None, ReceiverEcn::Accecn, ReceiverEcn::Classic]
            .map(|able| exchange_over(control, able, true, false).0);
        let windows = senders.each_ref().map(Sender::cwnd);
        assert!(windows.iter().all(|window| (window - windows[0]).abs() < 1e-9), "{control}: {windows:?}");
        assert!(senders.iter().all(|sender| sender.counters().mark_cuts == 0), "{control}");
    }
}
