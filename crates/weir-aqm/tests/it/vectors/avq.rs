//! AVQ: the virtual queue and its capacity.

use weir_aqm::{
    Aqm, Discipline, Limit, Link, PacketInfo, Port, Reason, Verdict,
    aqm::{AdaptsTo, Avq, AvqParameters},
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant};

use crate::support::{Event, Numbered, Trace, link, near, packet, probability, rate, read, stream, waiting};

/// 10 Mbit/s, 1.25e6 B/s, and a buffer of 50 packets of 1000 bytes.
const LINK: Link = Link { limit: Limit::Packets(50), ..slow() };

const fn slow() -> Link {
    let rate = weir_types::Rate::from_bits_per_second(10_000_000).unwrap();
    Link { rate, mean_packet: 1000, limit: Limit::Packets(50), rtt: Duration::ZERO }
}

fn build(parameters: &AvqParameters) -> Avq {
    parameters.build(LINK, stream("avq"))
}

fn micros(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

/// A packet of 1000 bytes arrives; what is left of it, VQ and C~.
fn arrive(avq: &mut Avq, now: Instant) -> (Verdict, f64, f64) {
    let verdict = avq.on_enqueue(packet(Ecn::Ect0), waiting(0), now);
    (verdict, read(avq, "virtual_queue"), read(avq, "virtual_capacity"))
}

#[test]
fn the_virtual_queue_and_its_capacity() {
    let mut avq = build(&AvqParameters::default());
    near(read(&avq, "virtual_capacity"), 1e6, 0.0);
    for (now, queue, capacity) in [
        (0, 1000.0, 999_850.0),
        (400, 1600.06, 999_773.5),
        (800, 2200.1506, 999_697.0),
        (2000, 2000.5142, 999_767.5),
    ] {
        let (verdict, virtual_queue, virtual_capacity) = arrive(&mut avq, micros(now));
        assert_eq!(verdict, Verdict::Pass);
        near(virtual_queue, queue, 1e-4);
        near(virtual_capacity, capacity, 1e-6);
    }
}

/// The clock starts with the first arrival, not at 0.
#[test]
fn time_before_the_first_arrival_does_not_count() {
    let mut late = build(&AvqParameters::default());
    let mut early = build(&AvqParameters::default());
    for now in [0, 400, 800, 2000] {
        assert_eq!(arrive(&mut early, micros(now)), arrive(&mut late, micros(5_000_000 + now)));
    }
}

/// 50 packets fit, the 51st does not, and leaves the virtual queue as it is.
#[test]
fn what_overflows_the_virtual_queue_is_signalled() {
    for (ecn, signal) in [(true, Verdict::Mark(Reason::Early)), (false, Verdict::Drop(Reason::Early))] {
        let mut avq = build(&AvqParameters { ecn, ..AvqParameters::default() });
        for n in 1..=50 {
            let (verdict, virtual_queue, _) = arrive(&mut avq, Instant::ZERO);
            assert_eq!((verdict, virtual_queue), (Verdict::Pass, f64::from(n) * 1000.0));
        }
        let (verdict, virtual_queue, virtual_capacity) = arrive(&mut avq, Instant::ZERO);
        assert_eq!((verdict, virtual_queue), (signal, 50_000.0));
        near(virtual_capacity, 1e6 - 51.0 * 150.0, 1e-6);
    }
    // Half the buffer, in bytes.
    let bytes = Link { limit: Limit::Bytes(4000), ..LINK };
    let mut avq = AvqParameters { buffer: 0.5, ..AvqParameters::default() }.build(bytes, stream("avq"));
    let verdicts = [0; 3].map(|now| arrive(&mut avq, micros(now)).0);
    assert_eq!(verdicts, [Verdict::Pass, Verdict::Pass, Verdict::Drop(Reason::Early)]);
}

/// ns-2 with dropping: what is dropped does not adapt the capacity, and the time up to it counts
/// for the next packet that is accepted. The virtual queue is drained all the same.
#[test]
fn the_capacity_may_follow_accepted_packets_only() {
    let full = |ecn, adapts_to| {
        let mut avq = build(&AvqParameters { ecn, adapts_to, ..AvqParameters::default() });
        for _ in 0..50 {
            arrive(&mut avq, Instant::ZERO);
        }
        avq
    };
    let start = 1e6 - 50.0 * 150.0;
    let grown = |micros: f64| 0.15 * 0.98 * 1.25e6 * micros * 1e-6;

    let mut avq = full(false, AdaptsTo::Accepted);
    let (verdict, virtual_queue, capacity) = arrive(&mut avq, micros(500));
    assert_eq!((verdict, capacity), (Verdict::Drop(Reason::Early), start));
    near(virtual_queue, 50_000.0 - start * 0.0005, 1e-6);
    let (verdict, virtual_queue, capacity) = arrive(&mut avq, micros(1500));
    assert_eq!(verdict, Verdict::Pass);
    near(virtual_queue, 51_000.0 - start * 0.0015, 1e-6);
    near(capacity, start + grown(1500.0) - 150.0, 1e-6);

    // Marked packets are accepted, unless they cannot be marked.
    let mut avq = full(true, AdaptsTo::Accepted);
    near(arrive(&mut avq, micros(500)).2, start + grown(500.0) - 150.0, 1e-6);
    let mut avq = full(true, AdaptsTo::Accepted);
    let verdict = avq.on_enqueue(packet(Ecn::NotEct), waiting(0), micros(500));
    assert_eq!((verdict, read(&avq, "virtual_capacity")), (Verdict::Mark(Reason::Early), start));

    let mut avq = full(false, AdaptsTo::Arrivals);
    near(arrive(&mut avq, micros(500)).2, start + grown(500.0) - 150.0, 1e-6);
}

/// After a silence the capacity is the link's, less what the arrival takes; under a burst
/// it does not fall below 0.
#[test]
fn the_virtual_capacity_stays_between_nothing_and_the_link() {
    let mut avq = build(&AvqParameters::default());
    arrive(&mut avq, Instant::ZERO);
    let (_, virtual_queue, capacity) = arrive(&mut avq, micros(60_000_000));
    near(virtual_queue, 1000.0, 0.0);
    near(capacity, 1.25e6 - 150.0, 0.0);
    for _ in 0..10_000 {
        arrive(&mut avq, micros(60_000_000));
    }
    near(read(&avq, "virtual_capacity"), 0.0, 0.0);
}

/// Where arrivals stand at `gamma` of the link, the capacity stands still, packet by packet.
#[test]
fn the_capacity_settles_where_arrivals_are_gamma_of_the_link() {
    let drift = |share: f64| {
        let parameters = AvqParameters { gamma: probability(0.5), ..AvqParameters::default() };
        let mut avq = build(&parameters);
        arrive(&mut avq, Instant::ZERO);
        let before = read(&avq, "virtual_capacity");
        // A packet of 1000 bytes takes 800 us at 1.25e6 B/s.
        let gap = Duration::from_micros(800).mul_f64(1.0 / share);
        let mut now = Instant::ZERO;
        for _ in 0..1000 {
            now += gap;
            arrive(&mut avq, now);
        }
        read(&avq, "virtual_capacity") - before
    };
    near(drift(0.5), 0.0, 1e-3);
    assert!(drift(0.45) > 1000.0 && drift(0.55) < -1000.0);
}

/// Senders that halve on a signal and add on none: AVQ holds their rate at gamma of the
/// link, with a queue that is nearly empty.
#[test]
fn utilisation_settles_at_gamma() {
    let parameters = AvqParameters { gamma: probability(0.9), ecn: true, ..AvqParameters::default() };
    let mut port = Port::new(Fifo::new(build(&parameters), Limit::Packets(50)), rate(10_000_000));
    let (mut draws, mut now, mut packets_a_second) = (stream("arrivals"), Instant::ZERO, 600.0);
    let (mut sent, mut waited) = (0_u32, Duration::ZERO);
    for id in 0..400_000 {
        let gap = -(1.0 - draws.uniform()).ln() / packets_a_second;
        now += Duration::from_secs_f64(gap);
        let mut trace = Trace::default();
        port.offer(Numbered { id, info: packet(Ecn::Ect0) }, now, &mut trace);
        let marked = trace.events.iter().any(|event| matches!(event, Event::Marked { .. }));
        packets_a_second += if marked { -packets_a_second * 0.05 } else { 1000.0 * gap };
        if id >= 200_000 {
            for event in trace.events {
                if let Event::Sent { sojourn, .. } = event {
                    (sent, waited) = (sent + 1, waited + sojourn);
                }
            }
        }
    }
    let mean_wait = waited.as_secs_f64() / f64::from(sent);
    assert!(mean_wait < 0.008, "the mean wait is {mean_wait} s, ten packets");
    let began = now;
    let (mut offered, mut until) = (0.0, began);
    while until.since(began) < Duration::from_secs(100) {
        let gap = -(1.0 - draws.uniform()).ln() / packets_a_second;
        until += Duration::from_secs_f64(gap);
        let mut trace = Trace::default();
        port.offer(Numbered { id: 0, info: packet(Ecn::Ect0) }, until, &mut trace);
        let marked = trace.events.iter().any(|event| matches!(event, Event::Marked { .. }));
        packets_a_second += if marked { -packets_a_second * 0.05 } else { 1000.0 * gap };
        offered += 1000.0;
    }
    near(offered / until.since(began).as_secs_f64() / 1.25e6, 0.9, 0.01);
}

/// Up to the change the old rates count, from then on the new ones.
#[test]
fn a_new_rate_counts_from_now_on() {
    let mut avq = build(&AvqParameters::default());
    arrive(&mut avq, Instant::ZERO);
    avq.on_rate(rate(5_000_000), micros(400));
    near(read(&avq, "virtual_queue"), 1000.0 - 999_850.0 * 0.0004, 1e-9);
    near(read(&avq, "virtual_capacity"), 625_000.0, 0.0);
    near(arrive(&mut avq, micros(800)).1, 1000.0 + 1000.0 - 999_850.0 * 0.0004 - 625_000.0 * 0.0004, 1e-9);

    let mut avq = build(&AvqParameters::default());
    avq.on_rate(rate(5_000_000), micros(400));
    near(read(&avq, "virtual_capacity"), 500_000.0, 1e-9);
}

/// The virtual queue comes first, the real buffer last: a packet that finds it full has been
/// counted.
#[test]
fn a_full_buffer_counts_too() {
    let aqm = AvqParameters { buffer: 10.0, ..AvqParameters::default() }.build(LINK, stream("avq"));
    let mut fifo = Fifo::new(aqm, Limit::Packets(3));
    let mut trace = Trace::default();
    for id in 0..5 {
        fifo.enqueue(Numbered { id, info: packet(Ecn::NotEct) }, Instant::ZERO, &mut trace);
    }
    let dropped = |id| Event::Dropped { id, reason: Reason::Overflow, waited: false, now: Instant::ZERO };
    assert_eq!(trace.events, [dropped(3), dropped(4)]);
    near(read(fifo.aqm(), "virtual_queue"), 5000.0, 0.0);
}

/// Bytes count, not packets.
#[test]
fn small_packets_count_for_less() {
    let mut avq = AvqParameters::default().build(link(), stream("avq"));
    let small = PacketInfo { bytes: 40, ..packet(Ecn::NotEct) };
    avq.on_enqueue(small, waiting(0), Instant::ZERO);
    near(read(&avq, "virtual_queue"), 40.0, 0.0);
    near(read(&avq, "virtual_capacity"), 6.4e6 - 6.0, 1e-9);
}
