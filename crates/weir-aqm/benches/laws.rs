//! Nanoseconds per packet of every law in the registry: `cargo bench -p weir-aqm`.
//!
//! A packet is offered to a port at 64 Mbit/s, waits, is judged and sent; arrivals are Poisson
//! at 105% load, so that the laws have work to do. The smallest of five runs is shown: what
//! else the machine does only ever adds.
#![expect(clippy::print_stdout, reason = "a bench is read on the terminal")]

use std::hint::black_box;

use weir_aqm::{
    Backlog, Limit, Link, Observer, Output, Packet, PacketInfo, Port, Reason,
    disciplines::Fifo,
    laws::{AnyAqm, AqmConfig},
};
use weir_types::{Duration, Ecn, Instant, Rate, Streams};

const PACKETS: u32 = 2_000_000;
const LIMIT: Limit = Limit::Packets(120);

/// A simulated packet, in size.
struct Simulated {
    info: PacketInfo,
    _sequence: u64,
}

impl Packet for Simulated {
    fn info(&self) -> PacketInfo {
        self.info
    }

    fn mark(&mut self) {
        self.info.ecn = Ecn::Ce;
    }
}

#[derive(Default)]
struct Tally {
    sent: u64,
    dropped: u64,
    marked: u64,
    sojourn: u64,
    waiting: u64,
}

impl Observer<Simulated> for Tally {
    fn dropped(&mut self, _: Simulated, _: Reason, _: bool, _: Instant) {
        self.dropped += 1;
    }

    fn marked(&mut self, _: &Simulated, _: Reason, _: Instant) {
        self.marked += 1;
    }
}

impl Output<Simulated> for Tally {
    fn sent(&mut self, _: Simulated, sojourn: Duration, _: Instant, _: Instant) {
        self.sent += 1;
        self.sojourn += sojourn.as_nanos();
    }

    fn backlog(&mut self, queue: Backlog, _: Instant) {
        self.waiting += u64::from(queue.packets);
    }
}

/// Runs the law once; nanoseconds per packet and what became of the packets.
fn run(law: AnyAqm, rate: Rate, gaps: &[u64]) -> (f64, Tally) {
    let mut port = Port::new(Fifo::new(law, LIMIT), rate);
    let (mut tally, mut now) = (Tally::default(), Instant::ZERO);
    let info = PacketInfo { bytes: 1000, ecn: Ecn::Ect0, flow: 0 };
    let begin = std::time::Instant::now();
    for (sequence, gap) in (0..PACKETS).zip(gaps.iter().cycle()) {
        now += Duration::from_nanos(*gap);
        port.offer(Simulated { info, _sequence: u64::from(sequence) }, now, &mut tally);
    }
    let nanos = begin.elapsed().as_nanos() as f64 / f64::from(PACKETS);
    (nanos, black_box(tally))
}

fn main() {
    let rate = Rate::from_bits_per_second(64_000_000).expect("above zero");
    let link = Link { rate, mean_packet: 1000, limit: LIMIT };
    let mut draws = Streams::new(1).at("arrivals");
    let gaps: Vec<_> =
        (0..1 << 16).map(|_| (-(1.0 - draws.uniform()).ln() * 125_000.0 / 1.05) as u64).collect();

    println!(
        "{:12} {:>9} {:>9} {:>9} {:>9} {:>11}",
        "law", "ns/packet", "over none", "dropped", "marked", "wait"
    );
    let mut none = f64::NAN;
    for name in AqmConfig::NAMES {
        for config in variants(name) {
            let best = (0..5)
                .map(|_| run(config.build(link, Streams::new(1).at("aqm")), rate, &gaps))
                .min_by(|one, other| one.0.total_cmp(&other.0));
            let (nanos, tally) = best.expect("five runs");
            if none.is_nan() {
                none = nanos;
            }
            let wait = Duration::from_nanos(tally.sojourn / tally.sent.max(1));
            println!(
                "{:12} {nanos:9.1} {:9.1} {:9} {:9} {:>11}",
                label(&config),
                nanos - none,
                tally.dropped,
                tally.marked,
                format!("{:.3} ms", wait.as_secs_f64() * 1e3)
            );
        }
    }
}

/// The law as it comes, and marking if it can.
fn variants(name: &str) -> Vec<AqmConfig> {
    let config = AqmConfig::from_name(name).expect("a name of the registry");
    let mut variants = vec![config.clone()];
    match config {
        AqmConfig::DropTail(_) => {}
        AqmConfig::Red(mut parameters) => {
            parameters.ecn = true;
            variants.push(AqmConfig::Red(parameters));
        }
        AqmConfig::Rem(mut parameters) => {
            parameters.ecn = true;
            variants.push(AqmConfig::Rem(parameters));
        }
    }
    variants
}

fn label(config: &AqmConfig) -> String {
    let marks = match config {
        AqmConfig::DropTail(_) => false,
        AqmConfig::Red(parameters) => parameters.ecn,
        AqmConfig::Rem(parameters) => parameters.ecn,
    };
    format!("{}{}", config.name(), if marks { " ecn" } else { "" })
}
