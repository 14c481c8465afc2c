//! REM: the price by rate and queue (equation 2), by queue alone (3), and the exponential map (4).
//! Other tests are of the first REM, whose price is the average queue.

use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, PacketInfo, Port, Reason, Verdict,
    aqm::{AqmConfig, DropTailParameters, MarkAt, PiParameters, Price, Rem, RemParameters, Updates},
    parts,
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Level};

use crate::support::{
    Event, Numbered, Trace, link, millis, near, packet, packets, probability, rate, read, signalling_rate,
    stream, waiting,
};

fn build(parameters: &RemParameters) -> Rem {
    parameters.build(link(), stream("rem"))
}

/// One interval: `arrivals` packets come, then `queue` packets wait when the timer fires.
fn tick(rem: &mut Rem, arrivals: u32, queue: u32) -> f64 {
    for _ in 0..arrivals {
        rem.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO);
    }
    let due = rem.next_update().expect("REM has a timer");
    rem.update(waiting(queue), due);
    assert_eq!(rem.next_update(), Some(due + Duration::from_millis(2)));
    read(rem, "price")
}

/// REM with its price set: equation (2) with gamma = alpha = 1 at b = b* adds x - c.
fn at_price(price: u32, parameters: &RemParameters) -> Rem {
    let mut rem = build(&RemParameters { gamma: 1.0, ..parameters.clone() });
    near(tick(&mut rem, 16 + price, 20), f64::from(price), 1e-9);
    rem
}

#[test]
fn the_first_update_comes_after_one_interval() {
    let rem = build(&RemParameters::default());
    assert_eq!(rem.next_update(), Some(millis(2)));
    near(read(&rem, "price"), 0.0, 0.0);
    near(read(&rem, "probability"), 0.0, 0.0);
}

/// At 64 Mbit/s, 16 packets of 1000 bytes are sent in 2 ms.
#[test]
fn the_price_by_rate_and_queue() {
    let mut rem = build(&RemParameters::default());
    let prices = [(18, 30), (20, 60), (16, 20), (10, 0)].map(|(x, b)| tick(&mut rem, x, b));
    for (price, expected) in prices.into_iter().zip([0.003, 0.011, 0.011, 0.003]) {
        near(price, expected, 1e-12);
    }
    // Never below zero, and with no memory of how far below it would have been.
    near(tick(&mut rem, 0, 0), 0.0, 0.0);
    near(tick(&mut rem, 17, 20), 0.001, 1e-12);
}

/// The published sequence starts from price 0 at a backlog of 20. From an empty queue the
/// first step to 20 costs gamma (20 - alpha b*) = 0.018, which stays.
#[test]
fn the_price_by_queue_alone() {
    let mut rem = build(&RemParameters { price: Price::Queue, ..RemParameters::default() });
    near(tick(&mut rem, 0, 20), 0.018, 1e-12);
    let prices = [30, 60, 60, 20].map(|b| tick(&mut rem, 99, b) - 0.018);
    for (price, expected) in prices.into_iter().zip([0.010, 0.041, 0.045, 0.009]) {
        near(price, expected, 1e-12);
    }
}

#[test]
fn the_probability_is_exponential_in_the_price() {
    for (price, m) in [(1, 9.990_010e-4), (10, 9.945_219e-3), (100, 0.095_117_369_1), (1000, 0.631_936_695_7)]
    {
        near(parts::exponential(f64::from(price), 1.001), m, 1e-9);
        near(read(&at_price(price, &RemParameters::default()), "probability"), m, 1e-9);
    }
    // Prices add up over a path as probabilities of passing multiply.
    let passes = |price| 1.0 - parts::exponential(price, 1.001);
    near(passes(3.0) * passes(70.0) * passes(0.5), passes(73.5), 1e-12);
}

/// Times between updates are exponential with a mean of 2 ms, and c is what the link sends in each: 8 packets in 1 ms.
#[test]
fn asynchronous_updates_come_at_times_of_their_own() {
    let mut rem =
        build(&RemParameters { gamma: 1.0, updates: Updates::Asynchronous, ..RemParameters::default() });
    for _ in 0..400_000 {
        rem.on_enqueue(packet(Ecn::NotEct), waiting(20), Instant::ZERO);
    }
    let (mut last, mut price, mut spans) = (Instant::ZERO, 400_000.0, Vec::new());
    for _ in 0..20_000 {
        let due = rem.next_update().expect("REM has a timer");
        spans.push(due.since(last).as_secs_f64());
        rem.update(waiting(20), due);
        price -= 8000.0 * spans[spans.len() - 1];
        near(read(&rem, "price"), price, 1e-3);
        last = due;
    }
    let count = spans.len() as f64;
    // A mean of so many has an error of 0.7%, a share one of 0.0034.
    near(spans.iter().sum::<f64>() / count, 0.002, 0.000_06);
    let longer = spans.iter().filter(|span| **span > 0.002).count();
    near(longer as f64 / count, (-1.0_f64).exp(), 0.014);
}

/// ns-2's `inw_`: twice the capacity counts half at first, then three quarters.
#[test]
fn arrivals_may_be_averaged() {
    let mut rem = build(&RemParameters { w_x: probability(0.5), ..RemParameters::default() });
    for (arrived, price) in [(32, 0.0), (32, 0.008), (16, 0.012)] {
        near(tick(&mut rem, arrived, 20), price, 1e-12);
    }
}

#[test]
fn updates_and_averages_without_effect_are_refused() {
    let refused = |one: RemParameters| AqmConfig::Rem(one).check().expect_err("no effect").parameter;
    let (plain, half, asynchronous) = (RemParameters::default, probability(0.5), Updates::Asynchronous);
    assert_eq!(refused(RemParameters { updates: asynchronous, price: Price::Average, ..plain() }), "updates");
    assert_eq!(refused(RemParameters { updates: asynchronous, w_x: half, ..plain() }), "w_x");
    assert_eq!(refused(RemParameters { price: Price::Queue, w_x: half, ..plain() }), "w_x");
    assert_eq!(refused(RemParameters { w_x: probability(0.0), ..plain() }), "w_x");
}

/// Rate and queue matched, the price and with it `m` stands still, and so many packets
/// are signalled: the load is in the price, not in the queue.
#[test]
fn in_equilibrium_packets_are_signalled_with_probability_m() {
    let mut rem = at_price(100, &RemParameters::default());
    for _ in 0..1000 {
        near(tick(&mut rem, 16, 20), 100.0, 1e-9);
    }
    let m = read(&rem, "probability");
    near(signalling_rate(&mut rem, waiting(20), 1_000_000), m, 0.0015);
}

/// `x` counts the packets that are dropped on arrival: with a loss of one packet in 17 the
/// queue settles at b* - (x - c)/alpha = 10.
#[test]
fn dropping_settles_below_the_target() {
    let mut rem = at_price(100, &RemParameters::default());
    near(tick(&mut rem, 17, 10), 100.0, 1e-9);
}

#[test]
fn a_target_in_bytes_counts_bytes() {
    let mut rem = build(&RemParameters { target: "20 kB".parse().unwrap(), ..RemParameters::default() });
    let small = PacketInfo { bytes: 250, ..packet(Ecn::NotEct) };
    let many = Backlog { packets: 500, bytes: 30_000, limit: Limit::Bytes(1_000_000) };
    for _ in 0..72 {
        rem.on_enqueue(small, many, Instant::ZERO);
    }
    rem.update(many, millis(2));
    near(read(&rem, "price"), 0.003, 1e-12);

    let mut rem = build(&RemParameters { target: packets(20.0), ..RemParameters::default() });
    for _ in 0..72 {
        rem.on_enqueue(small, many, Instant::ZERO);
    }
    rem.update(many, millis(2));
    near(read(&rem, "price"), 0.001 * (0.1 * 480.0 + 72.0 - 16.0), 1e-12);
    assert_eq!("20 kB".parse(), Ok(Level::Bytes(20_000.0)));
}

/// The timer runs on an idle line, 0.018 a tick at 64 Mbit/s: from 98 to 0 takes 11 s. Through
/// a port that nobody woke, so that the ticks are made up for at the next arrival.
#[test]
fn the_price_decays_while_the_line_is_idle() {
    let mut rem = build(&RemParameters::default());
    let mut ticks = 0;
    let mut high = at_price(98, &RemParameters::default());
    near(tick(&mut high, 0, 0), 98.0 - 18.0, 1e-9);
    // One interval with 98 016 arrivals at b*: the same price with gamma = 0.001.
    near(tick(&mut rem, 98_016, 20), 98.0, 1e-9);
    let mut port = Port::new(Fifo::new(rem.clone(), Limit::Packets(120)), rate(64_000_000));
    while read(&rem, "price") > 0.0 {
        tick(&mut rem, 0, 0);
        ticks += 1;
    }
    assert_eq!(ticks, 5445, "10.89 s");

    let mut trace = Trace::default();
    let mut price_at = |now| {
        port.advance(now, &mut trace);
        read(port.discipline().aqm(), "price")
    };
    near(price_at(millis(2 + 2 * 1000)), 98.0 - 18.0, 1e-9);
    assert!(price_at(millis(2 + 2 * 5444)) > 0.0);
    near(price_at(millis(2 + 2 * 5445)), 0.0, 0.0);
    assert_eq!(trace.events, []);
}

#[test]
fn a_new_rate_is_a_new_capacity() {
    let mut rem = build(&RemParameters::default());
    rem.on_rate(rate(32_000_000), Instant::ZERO);
    near(tick(&mut rem, 10, 20), 0.002, 1e-12);
}

/// A late update takes effect when it comes, and the next is an interval away.
/// The link has sent at the old rate until then: 16 packets in 2 ms for three quarters of the interval,
/// 160 for the last one.
#[test]
fn a_new_rate_within_an_interval_counts_from_then_on() {
    let mut rem = build(&RemParameters { gamma: 1.0, alpha: 0.1, ..RemParameters::default() });
    rem.on_rate(rate(640_000_000), Instant::from_nanos(1_500_000));
    // x - c = 100 - 52, at b = b*.
    near(tick(&mut rem, 100, 20), 48.0, 1e-9);
    near(tick(&mut rem, 160, 20), 48.0, 1e-9);
}

#[test]
fn a_late_update_counts_from_when_it_came() {
    let mut rem = build(&RemParameters::default());
    rem.update(waiting(20), millis(7));
    assert_eq!(rem.next_update(), Some(millis(9)));
}

/// The buffer is tested before the draw: arrivals at a full buffer change no later decision.
#[test]
fn a_full_buffer_draws_nothing() {
    let full = Backlog { limit: Limit::Packets(20), ..waiting(20) };
    let verdicts = |overflows_between| {
        let mut rem = at_price(1000, &RemParameters::default());
        (0..1000)
            .map(|_| {
                for _ in 0..overflows_between {
                    assert_eq!(rem.on_enqueue(packet(Ecn::Ect0), full, Instant::ZERO), Verdict::Pass);
                }
                rem.on_enqueue(packet(Ecn::Ect0), waiting(20), Instant::ZERO)
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(verdicts(0), verdicts(3));
}

#[test]
fn arrivals_are_dropped_or_marked() {
    let kinds = |ecn| {
        let mut rem = at_price(1000, &RemParameters { ecn, ..RemParameters::default() });
        (0..100).map(|_| rem.on_enqueue(packet(Ecn::Ect0), waiting(20), Instant::ZERO)).collect::<Vec<_>>()
    };
    assert!(kinds(false).contains(&Verdict::Drop(Reason::Early)));
    assert!(kinds(true).contains(&Verdict::Mark(Reason::Early)));
    let without = |verdict| !kinds(true).contains(&verdict) && kinds(true).contains(&Verdict::Pass);
    assert!(without(Verdict::Drop(Reason::Early)));
}

/// ns-2 marks what leaves and lets pass what cannot be marked; without ECN it drops arrivals.
#[test]
fn marking_at_departure_spares_what_cannot_be_marked() {
    let parameters = RemParameters { ecn: true, mark_at: MarkAt::Departure, ..RemParameters::default() };
    let mut fifo = Fifo::new(at_price(1000, &parameters), Limit::Packets(20_000));
    let mut trace = Trace::default();
    for id in 0..20_000 {
        let info = packet(if id % 2 == 0 { Ecn::Ect0 } else { Ecn::NotEct });
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    assert_eq!(trace.events, [], "arrivals are left alone");
    while fifo.dequeue(millis(1), &mut trace).is_some() {}
    let marks = trace.events.iter().filter(|event| match event {
        Event::Marked { id, reason: Reason::Early, .. } => id % 2 == 0,
        other => panic!("only marks on packets that can be marked, this is {other:?}"),
    });
    near(marks.count() as f64 / 10_000.0, 0.631_936_7, 0.02);

    let mut rem = at_price(1000, &RemParameters { ecn: false, ..parameters });
    near(signalling_rate(&mut rem, waiting(20), 10_000), 0.631_936_7, 0.02);
    let gone = rem.on_dequeue(packet(Ecn::Ect0), Duration::ZERO, waiting(20), Instant::ZERO);
    assert_eq!(gone, Verdict::Pass);
}

/// REM of 1999 with an average that is the queue itself, past its first arrival.
fn following(per_packet: f64) -> Rem {
    let w_q = probability(1.0);
    let mut rem =
        build(&RemParameters { price: Price::Average, w_q, per_packet, ..RemParameters::default() });
    see(&mut rem, 0);
    rem
}

/// A packet arrives and finds `queue` packets; price and probability.
fn see(rem: &mut Rem, queue: u32) -> (f64, f64) {
    rem.on_enqueue(packet(Ecn::NotEct), waiting(queue), Instant::ZERO);
    (read(rem, "price"), read(rem, "probability"))
}

#[test]
fn the_price_may_be_the_average_queue() {
    for (queue, m) in [(0, 0.0), (20, 0.864_664_716_8), (40, 0.981_684_361_1)] {
        let (price, probability) = see(&mut following(0.1), queue);
        near(price, 0.1 * f64::from(queue), 1e-12);
        near(probability, m, 1e-10);
    }
    // Prices add up over a path here as well.
    let passes = |queue| 1.0 - see(&mut following(0.01), queue).1;
    near(passes(3) * passes(40), passes(43), 1e-12);
    near(signalling_rate(&mut following(0.01), waiting(20), 1_000_000), 1.0 - (-0.2_f64).exp(), 0.002);
}

/// The average is RED's, with its weight and its rule for idle time; there is no timer.
#[test]
fn the_average_queue_is_that_of_red() {
    let parameters = RemParameters { price: Price::Average, ..RemParameters::default() };
    let mut rem = build(&parameters);
    assert_eq!(rem.next_update(), None);
    for queue in 0..5 {
        see(&mut rem, queue);
    }
    near(read(&rem, "price"), 0.1 * 0.019_960_039_984, 1e-12);
    for _ in 0..30_000 {
        see(&mut rem, 10);
    }
    near(read(&rem, "price"), 1.0, 1e-12);
    // Fifty packets of silence, at half the rate.
    rem.on_rate(rate(32_000_000), Instant::ZERO);
    rem.on_idle(Instant::ZERO);
    rem.on_enqueue(packet(Ecn::NotEct), waiting(0), Instant::ZERO + Duration::from_micros(50 * 250));
    near(read(&rem, "price"), 0.904_746_818_0, 1e-9);

    // In bytes, packets of mean size are counted.
    let mut rem =
        build(&RemParameters { w_q: probability(1.0), target: "20 kB".parse().unwrap(), ..parameters });
    let many_small = Backlog { packets: 500, bytes: 30_000, limit: Limit::Bytes(1_000_000) };
    for _ in 0..2 {
        rem.on_enqueue(PacketInfo { bytes: 60, ..packet(Ecn::NotEct) }, many_small, Instant::ZERO);
    }
    near(read(&rem, "price"), 3.0, 1e-12);
}

/// Variables of REM and PI after each interval, side by side on the queue of one port. Its packets
/// do not depend on marks.
fn side_by_side(rem: &RemParameters, pi: &PiParameters) -> Vec<(f64, f64)> {
    let (mut rem, mut pi) = (build(rem), pi.build(link(), stream("pi")));
    let mut port = Port::new(
        Fifo::new(DropTailParameters {}.build(link(), stream("none")), Limit::Packets(120)),
        rate(64_000_000),
    );
    let (mut draws, mut now, mut trace, mut prices) =
        (stream("arrivals"), Instant::ZERO, Trace::default(), vec![]);
    let mut load = 1.2;
    for id in 0..100_000 {
        now += Duration::from_nanos(125_000).mul_f64(draws.uniform() * 2.0 / load);
        while let Some(due) = rem.next_update().filter(|due| *due <= now) {
            assert_eq!(pi.next_update(), Some(due));
            port.advance(due, &mut trace);
            rem.update(port.backlog(), due);
            pi.update(port.backlog(), due);
            prices.push((read(&rem, "price"), read(&pi, "probability")));
        }
        // Busy and quiet times by turns.
        load = if id % 20_000 < 10_000 { 1.1 } else { 0.9 };
        port.offer(Numbered { id, info: packet(Ecn::Ect0) }, now, &mut trace);
        trace.events.clear();
    }
    prices
}

/// The REM paper, section 4.1: equation (3) is PI, on the price instead of the probability, with
/// `a = gamma`, `b = gamma (1 - alpha)`, `q_ref = b*`.
#[test]
fn the_price_by_queue_alone_is_pi() {
    for (gamma, alpha) in [(2e-5, 0.1), (1e-4, 0.01), (2e-6, 0.9)] {
        let rem = RemParameters { price: Price::Queue, gamma, alpha, ..RemParameters::default() };
        let pi = PiParameters {
            a: gamma,
            b: gamma * (1.0 - alpha),
            q_ref: rem.target,
            interval: rem.interval,
            ..PiParameters::default()
        };
        let prices = side_by_side(&rem, &pi);
        let highest = prices.iter().map(|(price, _)| *price).fold(0.0, f64::max);
        assert!(highest > 0.001 && highest < 1.0, "PI's probability must not reach its end: {highest}");
        assert!(prices.len() > 5000);
        for (price, probability) in prices {
            near(price, probability, 1e-9);
        }
    }
}

/// On the probability, as long as it is small, the gains are smaller by ln phi: 9.9950e-7 and
/// 8.9955e-7 for the paper's parameters.
#[test]
fn rem_is_nearly_pi_on_small_probabilities() {
    let rem = RemParameters { price: Price::Queue, ..RemParameters::default() };
    let slope = rem.phi.ln();
    let (a, b) = (rem.gamma * slope, rem.gamma * (1.0 - rem.alpha) * slope);
    near(a, 9.9950e-7, 5e-12);
    near(b, 8.9955e-7, 5e-12);
    let pi = PiParameters { a, b, q_ref: rem.target, interval: rem.interval, ..PiParameters::default() };
    for (price, p) in side_by_side(&rem, &pi) {
        let m = parts::exponential(price, rem.phi);
        // m = 1 - e^-p falls short of p by p^2/2.
        assert!(m <= p + 1e-12 && p - m <= p * p / 2.0 + 1e-12, "{m} and {p}");
    }
}
