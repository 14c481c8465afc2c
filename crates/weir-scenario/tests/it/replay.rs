//! Traces of packets that a group replays: CSV, pcap and pcapng.

use std::sync::Arc;

use weir_scenario::{Recording, Towards, Trace, TracePacket};
use weir_types::{Duration, Ecn, Invalid};

use crate::{
    captures::{ethernet, pcap, pcapng, udp},
    traffic::Folder,
};

fn packet(nanos: u64, bytes: u32, flow: u32) -> TracePacket {
    TracePacket { at: Duration::from_nanos(nanos), bytes, flow, ecn: Ecn::NotEct }
}

/// Packets of a file that are replayed unless something else is asked for.
fn parsed(bytes: &[u8]) -> Result<Arc<Trace>, Invalid> {
    Recording::parse(bytes)?.trace(&Towards::Larger)
}

#[test]
fn a_csv_trace_is_read_to_the_nanosecond() {
    let text = "time,bytes,flow\n# later\n1700000000.000000001, 1500, a\n1700000000.000000002,40,b\n1700000001,60,a\n";
    let trace = parsed(text.as_bytes()).unwrap();
    assert_eq!(trace.packets, [packet(0, 1500, 0), packet(1, 40, 1), packet(999_999_999, 60, 0)]);
    assert_eq!(trace.flows, 2);
    let trace = parsed(b"-0.5,100\n.25,200\n1e0,300\n").unwrap();
    assert_eq!(
        trace.packets,
        [packet(0, 100, 0), packet(750_000_000, 200, 0), packet(1_500_000_000, 300, 0)]
    );
}

const REPLAY: &str = "traffic.replay.file = \"mine.csv\"";

#[test]
fn a_csv_trace_that_is_none_is_refused_with_its_line() {
    let folder = Folder::new("csv");
    for (text, words) in [
        ("time,bytes\n", "there is no packet in it"),
        ("", "there is no packet in it"),
        ("0.1,100\n0.2\n", "line 2: 1 field where there should be two"),
        ("0.1,100\nnow,100\n", "line 2: \"now\" is not a time"),
        ("0.1,100\n0.2,much\n", "line 2: \"much\" is not the size"),
        ("0.1,0\n", "line 1: \"0\" is not the size"),
        ("0.1,100,a,b\n", "line 1: 4 fields"),
    ] {
        let message = folder.load(&[("mine.csv", text.as_bytes())], REPLAY).expect_err(text).to_string();
        assert!(message.contains("plain.toml:12: flows.ftp.traffic.replay.file: mine.csv"), "{message}");
        assert!(message.contains(words) && message.contains("\nhint: "), "{message:?} lacks {words:?}");
    }
    let message = folder.load(&[], REPLAY.replace("mine", "none").as_str()).expect_err("no file").to_string();
    assert!(message.contains("none.csv cannot be read"), "{message}");
    let message =
        folder.load(&[], REPLAY.replace("mine.csv", ".").as_str()).expect_err("a folder").to_string();
    assert!(message.contains("is not a plain file"), "{message}");
    let message = folder.load(&[], REPLAY.replace("mine.csv", "").as_str()).expect_err("no name").to_string();
    assert!(message.contains("the name of the file is empty"), "{message}");
    let message = folder
        .load(&[("mine.csv", b"0,100\n")], &format!("count = 2\n{REPLAY}"))
        .expect_err("two")
        .to_string();
    assert!(message.contains("flows.ftp.count: replay is not counted"), "{message}");
}

#[test]
fn frames_that_nobody_knows_are_named() {
    let told = parsed(&pcap(147, &[(5, 0, &udp(40, 1))])).expect_err("a user's own frames");
    assert_eq!(told.message, "packet 1: its link type 147 is not known");
}

#[test]
fn a_capture_is_read_whatever_its_frames() {
    let expected = [packet(0, 1500, 0), packet(1_500_000, 40, 1), packet(1_000_000_000, 1500, 0)];
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let arp = ethernet(false, [8, 6], &[0; 28]);
    let raw = pcap(101, &[(5, 0, &long), (5, 1500, &short), (6, 0, &long)]);
    assert_eq!(parsed(&raw).unwrap().packets, expected);
    let frames = [ethernet(false, [8, 0], &long), ethernet(true, [8, 0], &short)];
    let capture = pcap(1, &[(5, 0, &frames[0]), (5, 900, &arp), (5, 1500, &frames[1]), (6, 0, &frames[0])]);
    assert_eq!(parsed(&capture).unwrap().packets, expected, "what is not IP is left out");
}

#[test]
fn pcapng_is_read_to_the_nanosecond() {
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let start = 1_700_000_000_000_000_001;
    let trace = parsed(&pcapng(&[(start, &long), (start + 1, &short)])).unwrap();
    assert_eq!(trace.packets, [packet(0, 1500, 0), packet(1, 40, 1)]);
}

#[test]
fn a_capture_that_is_damaged_is_refused_with_the_packet() {
    let (long, short) = (udp(1500, 1), udp(40, 2));
    let whole = pcap(101, &[(5, 0, &long), (5, 1500, &short), (6, 0, &long)]);
    let folder = Folder::new("pcap");
    let told = |bytes: &[u8]| folder.load(&[("mine.csv", bytes)], REPLAY).expect_err("damaged").to_string();
    for cut in [1, 20, 40] {
        let message = told(&whole[..whole.len() - cut]);
        assert!(message.contains("mine.csv: packet 3: the file ends within it"), "{cut}: {message}");
    }
    for cut in [4, 10, 23] {
        let message = told(&whole[..cut]);
        assert!(message.contains("packet 1: the file ends within it"), "{cut}: {message}");
    }
    assert!(told(&whole[..24]).contains("there is no packet"));
    let whole = pcapng(&[(5, &long), (9, &short)]);
    let message = told(&whole[..whole.len() - 3]);
    assert!(message.contains("packet 2: the file ends within it"), "{message}");
    let message = told(&pcap(1, &[(5, 0, &ethernet(false, [8, 6], &[0; 28]))]));
    assert!(message.contains("there is no packet"), "{message}");
}
