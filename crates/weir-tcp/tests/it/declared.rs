//! Which packets declare themselves ECN-capable, read off the packets themselves: the table of Linux 7.2 and its
//! exceptions, control by control and preset by preset.

use std::sync::Arc;

use weir_tcp::{
    Declared, Flags, Receiver, Segment, Sender, TcpParameters, TcpPreset,
    accecn::ReceiverEcn,
    congestion::{CongestionConfig, Marks},
    recovery::{LossDetection, RecoveryConfig, SackParameters},
};
use weir_types::{
    Duration,
    Ecn::{self, Ce, Ect0, Ect1, NotEct},
    Instant,
};

/// SYN, SYN-ACK, new data, retransmission, ACK.
type Row = [Ecn; 5];

/// RFC 3168.
const CLASSIC: Row = [NotEct, NotEct, Ect0, NotEct, NotEct];
/// A control that needs ECN: Linux sets ECT on whatever its socket sends.
const SCALABLE: Row = [Ect0; 5];
/// Accurate feedback: whatever an established socket sends.
const ACCURATE: Row = [NotEct, NotEct, Ect0, Ect0, Ect0];
/// Both.
const L4S: Row = [Ect1; 5];
/// `TcpAgent::output` of ns-2.35.
const NS2: Row = [NotEct, NotEct, Ect0, Ect0, NotEct];
const NONE: Row = [NotEct; 5];

fn connection(name: &str, preset: TcpPreset, accecn: bool) -> TcpParameters {
    let congestion = CongestionConfig::from_name(name).expect("in the registry");
    let facts = congestion.facts();
    let accecn = accecn || facts.marks == Marks::Counted;
    let rack = SackParameters { detection: LossDetection::Rack, ..SackParameters::default() };
    let recovery =
        if facts.samples || accecn { RecoveryConfig::Sack(rack) } else { preset.parameters().recovery };
    TcpParameters { congestion, recovery, ecn: true, accecn, delayed_ack: None, ..preset.parameters() }
}

/// The bits of the packets of a connection whose first data segment is lost.
fn packets(parameters: &TcpParameters) -> Row {
    parameters.check().expect("consistent");
    let parameters = Arc::new(parameters.clone());
    let (mut sender, mut receiver) =
        (Sender::new(0, 1500, parameters.clone()), Receiver::new(0, &parameters));
    sender.start();
    let mut now = Instant::ZERO;
    let syn = sender.poll_segment(now).expect("the SYN");
    assert!(syn.flags().has(Flags::SYN));
    now += Duration::from_millis(10);
    let syn_ack = receiver.on_segment(&syn, now).expect("its answer");
    sender.on_ack(&syn_ack, now);
    let lost = next(&mut sender, &mut now);
    let data = next(&mut sender, &mut now);
    let ack = receiver.on_segment(&data, now).expect("an ACK");
    while sender.timeout() < Instant::MAX {
        now = now.max(sender.timeout());
        sender.on_timeout(now);
        let again = next(&mut sender, &mut now);
        if again.flags().has(Flags::RETRANSMISSION) {
            assert_eq!(again.number, lost.number);
            return [syn.ecn(), syn_ack.ecn(), data.ecn(), again.ecn(), ack.ecn()];
        }
    }
    panic!("nothing is sent again");
}

/// The next segment, when pacing lets it go.
fn next(sender: &mut Sender, now: &mut Instant) -> Segment {
    for _ in 0..1000 {
        if let Some(segment) = sender.poll_segment(*now) {
            return segment;
        }
        *now += Duration::from_millis(1);
    }
    panic!("nothing is sent");
}

#[test]
fn packets_declare_what_linux_has_them_declare() {
    for name in CongestionConfig::NAMES {
        for preset in TcpPreset::ALL {
            for accecn in [false, true] {
                let expected = match (*name, preset, accecn) {
                    ("prague", TcpPreset::Ns2, _) => [NotEct, NotEct, Ect1, Ect1, NotEct],
                    ("prague", ..) => L4S,
                    (_, TcpPreset::Ns2, _) => NS2,
                    ("dctcp", ..) => SCALABLE,
                    (_, _, true) => ACCURATE,
                    _ => CLASSIC,
                };
                let parameters = connection(name, preset, accecn);
                let context = format!("{name}, {}, accecn {accecn}", preset.name());
                assert_eq!(packets(&parameters), expected, "{context}");
                assert_eq!(Declared::in_all(&parameters).kinds().map(|(_, ecn)| ecn), expected, "{context}");
            }
        }
    }
}

#[test]
fn nothing_is_declared_without_ecn() {
    for name in ["cubic", "dctcp"] {
        let off = TcpParameters { ecn: false, ..connection(name, TcpPreset::Linux, false) };
        assert_eq!(packets(&off), NONE);
    }
}

/// A receiver that cannot count: RFC 3168 for the others, and Prague sends no more ECT data (RFC 9331, section 4.3).
#[test]
fn what_is_declared_falls_back_with_feedback() {
    for (name, able, expected) in [
        ("cubic", ReceiverEcn::Classic, CLASSIC),
        ("cubic", ReceiverEcn::None, NONE),
        ("dctcp", ReceiverEcn::Classic, SCALABLE),
        ("dctcp", ReceiverEcn::None, [Ect0, NotEct, NotEct, NotEct, NotEct]),
        ("prague", ReceiverEcn::Classic, [Ect1, NotEct, NotEct, NotEct, NotEct]),
        ("prague", ReceiverEcn::None, [Ect1, NotEct, NotEct, NotEct, NotEct]),
    ] {
        let parameters = TcpParameters { receiver_ecn: able, ..connection(name, TcpPreset::Linux, true) };
        assert_eq!(packets(&parameters), expected, "{name}, {able:?}");
        assert_eq!(Declared::in_all(&parameters).kinds().map(|(_, ecn)| ecn), expected, "{name}, {able:?}");
    }
}

/// Each parameter moves its own packets, both ways.
#[test]
fn a_parameter_is_of_one_kind_of_packet() {
    for (base, usual) in [("cubic", CLASSIC), ("dctcp", SCALABLE)] {
        for (place, set) in [
            (0, (|tcp, on| tcp.ecn_on_syn = on) as fn(&mut TcpParameters, Option<bool>)),
            (1, |tcp, on| tcp.ecn_on_syn_ack = on),
            (3, |tcp, on| tcp.ecn_on_retransmissions = on),
            (4, |tcp, on| tcp.ecn_on_acks = on),
        ] {
            for on in [false, true] {
                let mut parameters = connection(base, TcpPreset::Linux, false);
                set(&mut parameters, Some(on));
                let mut expected = usual;
                expected[place] = if on { Ect0 } else { NotEct };
                assert_eq!(packets(&parameters), expected, "{base}, {place}, {on}");
            }
        }
    }
}

/// A mark on a SYN is counted and told to nobody (RFC 8257, section 3.5).
#[test]
fn a_mark_on_a_syn_is_not_echoed() {
    for (name, accecn) in [("cubic", false), ("dctcp", false), ("dctcp", true), ("prague", true)] {
        let parameters = Arc::new(connection(name, TcpPreset::Linux, accecn));
        let (mut sender, mut receiver) =
            (Sender::new(0, 1500, parameters.clone()), Receiver::new(0, &parameters));
        sender.start();
        let mut now = Instant::ZERO;
        let mut syn = sender.poll_segment(now).expect("the SYN");
        syn.header = syn.header.with_ecn(Ce);
        let syn_ack = receiver.on_segment(&syn, now).expect("its answer");
        assert_eq!(receiver.marked(), 1);
        let cuts = sender.counters().mark_cuts;
        sender.on_ack(&syn_ack, now);
        let data = next(&mut sender, &mut now);
        let ack = receiver.on_segment(&data, now).expect("an ACK");
        sender.on_ack(&ack, now);
        assert_eq!(sender.counters().mark_cuts, cuts, "{name}");
        let ace = if accecn { 5 } else { 0 };
        assert_eq!(ack.flags().ace(), ace, "{name}");
    }
}
