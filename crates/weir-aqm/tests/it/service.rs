//! Packets that a transmitter sends when its rate changes or follows a trace.

use std::{collections::VecDeque, sync::Arc};

use proptest::prelude::*;
use weir_aqm::{
    Aqm, Capacity, DeliveryTrace, Limit, PacketInfo, Port, RateSchedule, Service, TokenBucket,
    aqm::AqmConfig, qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Rate};

use crate::support::{Event, Numbered, Trace, link, rate, stream};

const ROOM: Limit = Limit::Packets(u32::MAX);

/// A port with room for all before `service`.
fn port(service: Service) -> Port<Numbered, impl weir_aqm::Discipline<Numbered>> {
    let aqm = AqmConfig::from_name("drop-tail").unwrap().build(link(), stream("aqm"));
    Port::new(Fifo::new(aqm, ROOM), service)
}

fn numbered(id: u64, bytes: u32) -> Numbered {
    Numbered { id, info: PacketInfo { bytes, ecn: Ecn::NotEct, flow: 0 } }
}

/// When each packet began and ended.
fn spans(trace: &Trace) -> Vec<(Instant, Instant)> {
    let span = |event: &Event| match event {
        Event::Sent { start, end, .. } => Some((*start, *end)),
        _ => None,
    };
    trace.events.iter().filter_map(span).collect()
}

fn schedule() -> impl Strategy<Value = (Vec<(u64, u64)>, Option<u64>)> {
    let change = (1_u64..400_000_000, 1_000_u64..1_000_000_000);
    (prop::collection::vec(change, 1..6), prop::option::of(1_u64..300_000_000)).prop_map(|(gaps, after)| {
        let mut at = 0;
        let changes: Vec<_> = gaps
            .into_iter()
            .map(|(gap, rate)| {
                at += gap;
                (at, rate)
            })
            .collect();
        (changes, after.map(|after| at + after))
    })
}

/// Bits times 10^9 that a link can send until `until`, change by change.
fn integral(first: u64, changes: &[(u64, u64)], every: Option<u64>, until: u64) -> u128 {
    let (mut sum, mut base) = (0, 0);
    loop {
        let (mut at, mut rate) = (0, first);
        for (next, after) in changes.iter().copied().chain([(every.unwrap_or(u64::MAX), first)]) {
            let end = next.min(until - base);
            sum += u128::from(rate) * u128::from(end - at);
            if end < next || base + next == until {
                return sum;
            }
            (at, rate) = (next, after);
        }
        base += every.expect("otherwise it has no end");
    }
}

/// Rates of a bucket, one or some that change, and the highest of them in bit/s.
fn bucket_rates() -> impl Strategy<Value = (Arc<RateSchedule>, u64)> {
    let bits = 1_000_000_u64..100_000_000;
    (
        bits.clone(),
        prop::option::of((prop::collection::vec((1_u64..50_000_000, bits), 1..6), 1_u64..30_000_000)),
    )
        .prop_map(|(first, changing)| {
            let Some((gaps, after)) = changing else {
                return (Arc::new(RateSchedule::fixed(rate(first))), first);
            };
            let (mut at, mut highest) = (0, first);
            let changes: Vec<_> = gaps
                .into_iter()
                .map(|(gap, bits)| {
                    (at, highest) = (at + gap, highest.max(bits));
                    (Duration::from_nanos(at), rate(bits))
                })
                .collect();
            let every = (after % 3 > 0).then(|| Duration::from_nanos(at + after));
            (Arc::new(RateSchedule::new(rate(first), &changes, every).expect("in order")), highest)
        })
}

proptest! {
    /// A busy link sends the integral of its rate, to the nanosecond.
    #[test]
    fn bytes_are_the_integral_of_the_rate(
        first in 1_000_u64..1_000_000_000,
        (changes, every) in schedule(),
        sizes in prop::collection::vec(1_u32..9000, 1..80),
    ) {
        let nanos = Duration::from_nanos;
        let written: Vec<_> = changes.iter().map(|(at, bits)| (nanos(*at), rate(*bits))).collect();
        let schedule = Arc::new(RateSchedule::new(rate(first), &written, every.map(nanos)).unwrap());
        let (mut port, mut trace) = (port(Service::Scheduled(Arc::clone(&schedule))), Trace::default());
        for (id, bytes) in sizes.iter().enumerate() {
            port.offer(numbered(id as u64, *bytes), Instant::ZERO, &mut trace);
        }
        // Longer than the slowest link needs.
        port.advance(Instant::from_nanos(80 * 9000 * 8 * 1_000_000), &mut trace);
        let spans = spans(&trace);
        prop_assert_eq!(spans.len(), sizes.len());
        let mut bits = 0;
        for ((start, end), bytes) in spans.iter().zip(&sizes) {
            prop_assert_eq!(integral(first, &changes, every, start.as_nanos()) , schedule.work(*start));
            bits += u128::from(*bytes) * 8 * 1_000_000_000;
            let end = end.as_nanos();
            prop_assert!(integral(first, &changes, every, end) <= bits, "too late by more than a nanosecond");
            prop_assert!(integral(first, &changes, every, end + 1) > bits, "too early");
        }
        prop_assert!(spans.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }

    /// Against the definition: the tokens of any span are those of its beginning and those that the rates bring, and no
    /// more than the bucket holds. Packets that leave never exceed them, and no packet waits while there are enough.
    #[test]
    fn a_bucket_keeps_its_rates_and_its_bursts(
        (rates, highest) in bucket_rates(),
        burst in 3_000_u64..60_000,
        faster in prop::option::of(2_u64..10),
        arrivals in prop::collection::vec((0_u64..40_000_000, 1_u32..3_000), 1..80),
    ) {
        let peak = faster.map(|times| rate(highest * times));
        let bucket = TokenBucket { rates: Arc::clone(&rates), burst, peak };
        let (mut port, mut trace) = (port(Service::Bucket(bucket)), Trace::default());
        let mut now = 0;
        for (id, (gap, bytes)) in arrivals.iter().enumerate() {
            now += gap;
            port.offer(numbered(id as u64, *bytes), Instant::from_nanos(now), &mut trace);
        }
        port.advance(Instant::from_nanos(now + 10_000_000_000), &mut trace);
        let spans = spans(&trace);
        prop_assert_eq!(spans.len(), arrivals.len());
        let work = |bytes: u64| u128::from(bytes) * 8 * Service::WORK_PER_BIT;
        let come = |from: u64, to: u64| rates.work(Instant::from_nanos(to)) - rates.work(Instant::from_nanos(from));
        let (mut tokens, mut at, mut arrived, mut free) = (work(burst), 0, 0, 0);
        for ((gap, bytes), (_, end)) in arrivals.iter().zip(&spans) {
            arrived += *gap;
            let (begin, need) = (u64::max(arrived, free), work(u64::from(*bytes)));
            tokens = u128::min(work(burst), tokens + come(at, begin));
            // The first instant at which there are enough.
            let (mut early, mut late) = (begin, begin + 10_000_000_000);
            while early < late {
                let middle = early.midpoint(late);
                if tokens + come(begin, middle) >= need { late = middle } else { early = middle + 1 }
            }
            (tokens, at) = (tokens + come(begin, late) - need, late);
            let least = late + peak.map_or(0, |peak| (need / u128::from(peak.bits_per_second())) as u64);
            free = end.as_nanos();
            // Less than a nanosecond of each packet at its peak is carried over; without one, no two leave together.
            prop_assert!((least..=least + 1).contains(&free), "{free}, not {least}");
        }
        prop_assert!(spans.windows(2).all(|pair| pair[0].1 < pair[1].1), "no two leave at the same instant");
    }

    /// No more leaves a bucket between any two instants than its tokens and its peak let through. A bucket that is
    /// always busy sends that, to the last packet. The capacities of neighbouring intervals add up to that of both.
    #[test]
    fn what_a_bucket_sends_is_within_its_capacity(
        (rates, highest) in bucket_rates(),
        burst in 3_000_u64..60_000,
        faster in prop::option::of(2_u64..10),
        busy in any::<bool>(),
        arrivals in prop::collection::vec((0_u64..4_000_000, 1_u32..3_000), 1..80),
        cuts in prop::collection::vec(1_u64..100_000_000, 1..20),
    ) {
        let peak = faster.map(|times| rate(highest * times));
        let bucket = TokenBucket { rates, burst, peak };
        let (mut port, mut trace) = (port(Service::Bucket(bucket)), Trace::default());
        let mut now = 0;
        let mut due: Vec<_> = arrivals.iter().map(|(gap, bytes)| { now += gap; (if busy { 0 } else { now }, *bytes) }).collect();
        if busy {
            // More than it can send until the last cut.
            due.extend((0..30_000_000 / 3_000 * 15).map(|_| (0, 2_999)));
        }
        let sizes: Vec<_> = due.iter().map(|(_, bytes)| *bytes).collect();
        let mut due = due.into_iter().enumerate().peekable();
        let mut instants: Vec<_> = cuts.into_iter().map(Instant::from_nanos).collect();
        instants.sort_unstable();
        let mut before = (port.supply(Instant::ZERO).unwrap(), 0);
        let (first, mut whole, mut total) = (before.0, None::<Capacity>, 0);
        for cut in instants {
            while let Some((id, (at, bytes))) = due.next_if(|(_, (at, _))| Instant::from_nanos(*at) <= cut) {
                port.offer(numbered(id as u64, bytes), Instant::from_nanos(at), &mut trace);
            }
            port.advance(cut, &mut trace);
            let supply = port.supply(cut).unwrap();
            let begun: u128 = trace.events.iter().filter_map(|event| match event {
                Event::Sent { id, .. } => Some(u128::from(sizes[*id as usize]) * 8 * Service::WORK_PER_BIT),
                _ => None,
            }).sum();
            let passed = begun - supply.unsent;
            let (capacity, sent) = (supply.since(before.0), passed - before.1);
            prop_assert!(sent <= capacity.work() + Service::WORK_PER_BIT, "{sent} of {capacity:?}");
            if busy {
                prop_assert!(sent + 3_000 * 8 * Service::WORK_PER_BIT >= capacity.work(), "{sent} of {capacity:?}");
            }
            whole = Some(whole.map_or(capacity, |whole| whole.and(capacity)));
            total += sent;
            before = (supply, passed);
            prop_assert_eq!(whole, Some(supply.since(first)));
        }
        prop_assert!(total <= whole.unwrap().work() + Service::WORK_PER_BIT);
    }

    /// Against one opportunity after the other, as Mahimahi goes about it.
    #[test]
    fn a_trace_is_reproduced(
        gaps in prop::collection::vec(0_u32..4, 1..30),
        last in 1_u32..5,
        arrivals in prop::collection::vec((0_u64..6_000_000, 1_u32..4000), 1..60),
        cuts in prop::collection::vec(0_u64..200_000_000, 0..10),
    ) {
        let mut at = 0;
        let mut times: Vec<u32> = gaps.iter().map(|gap| { at += gap; at }).collect();
        times.push(at + last);
        let delivery = Arc::new(DeliveryTrace::new(times.clone()).unwrap());
        let mut now = 0;
        let arrivals: Vec<(u64, u32)> = arrivals.into_iter().map(|(gap, bytes)| { now += gap; (now, bytes) }).collect();

        // When each byte leaves: one opportunity after the other, after what arrived before it.
        let (mut left, mut ends): (VecDeque<(usize, u32)>, _) = (VecDeque::new(), vec![(0, 0); arrivals.len()]);
        let (mut next, mut cycle, mut bytes_at) = (0, 0, Vec::new());
        while ends.iter().any(|(_, end)| *end == 0) {
            for ms in &times {
                let instant = (cycle + u64::from(*ms)) * 1_000_000;
                while next < arrivals.len() && arrivals[next].0 < instant {
                    left.push_back((next, arrivals[next].1));
                    next += 1;
                }
                let mut room = DeliveryTrace::BYTES;
                while room > 0 && let Some((packet, bytes)) = left.front_mut() {
                    if *bytes == arrivals[*packet].1 {
                        ends[*packet].0 = instant;
                    }
                    let some = room.min(*bytes);
                    (room, *bytes) = (room - some, *bytes - some);
                    bytes_at.push((instant, some));
                    if *bytes == 0 {
                        ends[*packet].1 = instant;
                        left.pop_front();
                    }
                }
            }
            cycle += u64::from(times[times.len() - 1]);
        }

        let (mut port, mut trace) = (port(Service::Trace(Arc::clone(&delivery))), Trace::default());
        let mut cuts: VecDeque<u64> = { let mut cuts = cuts; cuts.sort_unstable(); cuts.into() };
        let check = |port: &mut Port<_, _>, trace: &mut Trace, cut: u64| {
            let now = Instant::from_nanos(cut);
            port.advance(now, trace);
            let sent: u64 = trace.events.iter().filter_map(|event| match event {
                Event::Sent { id, .. } => Some(u64::from(arrivals[*id as usize].1) * 8),
                _ => None,
            }).sum();
            let passed: u128 = bytes_at.iter().filter(|(at, _)| *at <= cut).map(|(_, bytes)| u128::from(*bytes) * 8 * Service::WORK_PER_BIT).sum();
            let supply = port.supply(now).unwrap();
            assert_eq!(u128::from(sent) * Service::WORK_PER_BIT - supply.unsent, passed, "at {cut}");
            assert!(passed <= supply.come);
        };
        for (id, (at, bytes)) in arrivals.iter().enumerate() {
            while cuts.front().is_some_and(|cut| cut < at) {
                check(&mut port, &mut trace, cuts.pop_front().unwrap());
            }
            port.offer(numbered(id as u64, *bytes), Instant::from_nanos(*at), &mut trace);
        }
        for cut in cuts {
            check(&mut port, &mut trace, cut.max(arrivals[arrivals.len() - 1].0));
        }
        port.advance(Instant::from_nanos(100_000_000_000), &mut trace);
        let found: Vec<_> = spans(&trace).iter().map(|(start, end)| (start.as_nanos(), end.as_nanos())).collect();
        prop_assert_eq!(found, ends);
    }
}

proptest! {
    /// Nothing that an idle port sends of a row of packets is earlier than what the service says, and what it says is
    /// reached: by a schedule with one packet, from a bucket with small ones, with a trace by whole opportunities.
    #[test]
    fn the_earliest_end_is_that_of_an_idle_port(
        bits in 1_000_000_u64..100_000_000,
        (changes, every) in schedule(),
        gaps in prop::collection::vec(0_u32..4, 1..30),
        burst in 3_000_u64..60_000,
        faster in prop::option::of(2_u64..10),
        from in 1_u64..900_000_000,
        packets in 1_u64..60,
    ) {
        let nanos = Duration::from_nanos;
        let written: Vec<_> = changes.iter().map(|(at, bits)| (nanos(*at), rate(*bits))).collect();
        let schedule = Arc::new(RateSchedule::new(rate(bits), &written, every.map(nanos)).unwrap());
        let mut at = 0;
        let mut times: Vec<_> = gaps.iter().map(|gap| { at += gap; at }).collect();
        times.push(at + 1);
        let services = [
            (Service::Fixed(rate(bits)), 1_504, 1),
            (Service::Scheduled(Arc::clone(&schedule)), 1_504, 1),
            (Service::Bucket(TokenBucket { rates: Arc::clone(&schedule), burst, peak: faster.map(|times| rate(changes.iter().map(|(_, bits)| *bits).fold(bits, u64::max) * times)) }), 1, 200),
            (Service::Trace(Arc::new(DeliveryTrace::new(times).unwrap())), 1_504, 0),
        ];
        let from = Instant::from_nanos(from);
        for (service, bytes, slack) in services {
            let (mut port, mut trace) = (port(service.clone()), Trace::default());
            for id in 0..packets {
                port.offer(numbered(id, bytes), from, &mut trace);
            }
            port.advance(Instant::from_nanos(10_000_000_000_000), &mut trace);
            let end = spans(&trace)[packets as usize - 1].1;
            let earliest = service.earliest(from, packets * u64::from(bytes));
            prop_assert!(earliest <= end, "{service:?}: {earliest:?} is later than {end:?}");
            prop_assert!(end.since(earliest) <= nanos(slack), "{service:?}: {earliest:?}, not {end:?}");
        }
    }
}

/// Saturated, a trace delivers its mean rate, and never more than its opportunities.
#[test]
fn the_mean_rate_of_a_trace() {
    let delivery = DeliveryTrace::new(vec![0, 0, 3, 7, 7, 7, 10]).unwrap();
    assert_eq!(delivery.mean_rate(), rate(7 * 1504 * 8 * 100));
    assert_eq!(delivery.period(), Duration::from_millis(10));
    let (mut port, mut trace) = (port(Service::Trace(Arc::new(delivery))), Trace::default());
    // Full-sized packets: one an opportunity, less the two at the very start.
    for id in 0..7000 {
        port.offer(numbered(id, 1504), Instant::ZERO, &mut trace);
    }
    port.advance(Instant::from_nanos(1_000_000_000), &mut trace);
    // 100 periods of 7, and the two at the beginning of the next.
    assert_eq!(spans(&trace).len(), 700);
    assert_eq!(
        port.supply(Instant::from_nanos(1_000_000_000)).map(|supply| supply.come),
        Some(702 * 1504 * 8 * Service::WORK_PER_BIT)
    );
    assert_eq!(port.rate(), rate(8_422_400));
}

#[test]
fn what_is_no_trace_and_no_schedule() {
    assert!(DeliveryTrace::new(Vec::new()).is_none());
    assert!(DeliveryTrace::new(vec![0, 0]).is_none());
    assert!(DeliveryTrace::new(vec![2, 1]).is_none());
    let (second, bits) = (Duration::from_secs(1), rate(8));
    assert!(RateSchedule::new(bits, &[(Duration::ZERO, bits)], None).is_none());
    assert!(RateSchedule::new(bits, &[(second, bits), (second, bits)], None).is_none());
    assert!(RateSchedule::new(bits, &[(second, bits)], Some(second)).is_none());
}

/// Learns of rates, and when.
#[derive(Default)]
struct Listener {
    rates: Vec<(Rate, Instant)>,
    updates: Vec<Instant>,
}

impl Aqm for Listener {
    fn take_over(&mut self, _: &Self) {}

    fn on_rate(&mut self, rate: Rate, now: Instant) {
        self.rates.push((rate, now));
    }

    fn next_update(&self) -> Option<Instant> {
        Some(Instant::from_nanos((self.updates.len() as u64 + 1) * 1_000_000_000))
    }

    fn update(&mut self, _: weir_aqm::Backlog, now: Instant) {
        self.updates.push(now);
    }
}

/// The AQM learns of every change at the instant at which it was due, before its own update. This holds even where
/// the line was idle and nobody asked. A rate that is set by hand replaces them from then on.
#[test]
fn aqms_are_told_of_changes() {
    let seconds = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
    let changes = [(Duration::from_secs(2), rate(5_000))];
    let schedule = RateSchedule::new(rate(8_000), &changes, Some(Duration::from_secs(3))).unwrap();
    let mut port = Port::new(Fifo::new(Listener::default(), ROOM), Service::Scheduled(Arc::new(schedule)));
    let mut trace = Trace::default();
    port.offer(numbered(0, 1), seconds(7), &mut trace);
    let expected = [(2, 5_000), (3, 8_000), (5, 5_000), (6, 8_000)];
    assert_eq!(port.discipline().aqm().rates, expected.map(|(at, bits)| (rate(bits), seconds(at))));
    assert_eq!(port.discipline().aqm().updates, [1, 2, 3, 4, 5, 6, 7].map(seconds));
    assert_eq!(port.rate(), rate(8_000));
    port.set_rate(rate(1_000), seconds(8), &mut trace);
    port.advance(seconds(20), &mut trace);
    assert_eq!(port.discipline().aqm().rates.last(), Some(&(rate(1_000), seconds(8))));
    assert_eq!(port.discipline().aqm().updates.len(), 20);
}
