//! The upstream of a cable modem: when packets leave by requests and grants.

use std::sync::Arc;

use proptest::prelude::*;
use weir_aqm::{
    Capacity, Discipline, Docsis, Limit, PacketInfo, Port, RateSchedule, Service, aqm::AqmConfig, qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Instant, Rate, Streams};

use crate::support::{Event, Numbered, Trace, link, rate, stream};

const WORK: u128 = Service::WORK_PER_BIT * 8;

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn queue(name: &str) -> impl Discipline<Numbered> {
    let aqm = AqmConfig::from_name(name).unwrap().build(link(), stream("aqm"));
    Fifo::new(aqm, Limit::Packets(u32::MAX))
}

fn port(docsis: &Docsis, name: &str) -> Port<Numbered, impl Discipline<Numbered>> {
    Port::new(queue(name), Service::Docsis(Box::new(docsis.clone())))
}

fn numbered(id: usize, bytes: u32) -> Numbered {
    Numbered { id: id as u64, info: PacketInfo { bytes, ecn: Ecn::NotEct, flow: 0 } }
}

/// 10 Mbit/s on a channel of 100 Mbit/s, by MAP messages every 2 ms.
fn modem() -> Docsis {
    Docsis {
        rates: Arc::new(RateSchedule::fixed(rate(10_000_000))),
        burst: 5_000,
        peak: None,
        channel: rate(100_000_000),
        map_interval: Duration::from_millis(2),
        request_to_grant: Duration::from_micros(1_620),
        guaranteed: None,
        draws: Streams::new(1).draws_at("links.cable.docsis"),
    }
}

fn modems() -> impl Strategy<Value = Docsis> {
    let mbit = |bits: u64| rate(bits * 1_000_000);
    (
        (1_u64..40, prop::option::of((1_u64..60_000_000, 1_u64..40)), 500_u64..40_000),
        (prop::option::of(1_u64..40), 40_u64..900),
        (100_000_u64..5_000_000, 0_u64..12_000_000),
        (prop::option::of(50_000_u64..1_000_000), any::<u64>()),
    )
        .prop_map(move |((first, change, burst), (faster, channel), (map, loop_delay), (pgs, seed))| {
            let changes: Vec<_> =
                change.iter().map(|(at, bits)| (Duration::from_nanos(*at), mbit(*bits))).collect();
            Docsis {
                rates: Arc::new(RateSchedule::new(mbit(first), &changes, None).unwrap()),
                burst,
                peak: faster.map(|more| mbit(40 + more)),
                channel: mbit(channel),
                map_interval: Duration::from_nanos(map),
                request_to_grant: Duration::from_nanos(loop_delay),
                guaranteed: pgs.map(rate),
                draws: Streams::new(seed).draws_at("docsis"),
            }
        })
}

/// Times from one arrival to the next in nanoseconds, and sizes: some in a row, some after long pauses.
fn arrivals() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let gap = prop_oneof![0_u64..200_000, 0_u64..3_000_000, 0_u64..50_000_000];
    prop::collection::vec((gap, 1_u32..3_000), 1..120).prop_map(|gaps| {
        let mut now = 0;
        let arrive = |(gap, bytes)| {
            now += gap;
            (now, bytes)
        };
        gaps.into_iter().map(arrive).collect()
    })
}

/// Bytes of a burst, when it begins, and how many bytes have left before it.
struct Burst {
    begin: u64,
    before: u64,
    bytes: u64,
}

/// Bytes of a grant.
type Rule = fn(&Bounds) -> u64;

/// Bytes that a grant depends on.
struct Bounds {
    known: u64,
    proactive: u64,
    tokens: u64,
    most: u64,
}

/// The rule of this model: tokens bound all that is granted.
fn within_tokens(bounds: &Bounds) -> u64 {
    bounds.known.max(bounds.proactive).min(bounds.tokens).min(bounds.most)
}

/// The rule of `docsis-ns3` (`CmtsUpstreamScheduler::GenerateMap`): tokens bound only what was asked for.
fn beyond_tokens(bounds: &Bounds) -> u64 {
    bounds.known.min(bounds.tokens).min(bounds.most).max(bounds.proactive)
}

/// The exchange as a list of intervals, in bytes of one long stream: no packets, no sleep, nothing ahead of its time.
fn bursts(docsis: &Docsis, arrivals: &[(u64, u32)], rule: Rule) -> Vec<Burst> {
    let interval = docsis.map_interval.as_nanos();
    let in_map = |bits: u64| u128::from(bits) * u128::from(interval);
    let fastest = docsis.peak.unwrap_or(docsis.channel).min(docsis.channel).bits_per_second();
    let most = u64::min((in_map(fastest) / WORK) as u64, docsis.burst);
    let proactive = docsis.guaranteed.map_or(0, |rate| in_map(rate.bits_per_second()).div_ceil(WORK) as u64);
    let room = interval - (u128::from(most) * WORK / u128::from(docsis.channel.bits_per_second())) as u64;
    let total: u64 = arrivals.iter().map(|(_, bytes)| u64::from(*bytes)).sum();
    let depth = u128::from(docsis.burst) * WORK;
    // Requests with their instants; bytes granted of those in time, and the intervals up to now.
    let (mut requests, mut counted, mut pending) = (Vec::<(u64, u64)>::new(), 0, 0_u64);
    let (mut tokens, mut sent, mut found) = (depth, 0_u64, Vec::new());
    for map in 0_u64.. {
        let begin = map * interval;
        if map > 0 {
            let come = docsis.rates.work(at(begin)) - docsis.rates.work(at(begin - interval));
            tokens = u128::min(tokens + come, depth);
        }
        while requests
            .get(counted)
            .is_some_and(|(made, _)| made + docsis.request_to_grant.as_nanos() <= begin)
        {
            pending += requests[counted].1;
            counted += 1;
        }
        let granted = rule(&Bounds { known: pending, proactive, tokens: (tokens / WORK) as u64, most });
        pending = pending.saturating_sub(granted);
        // A proactive grant is at the beginning, the first frame of its interval in `docsis-ns3`.
        let span = match granted {
            0 => interval,
            _ if docsis.guaranteed.is_some() => 0,
            _ => room,
        };
        let place = begin + (span as f64 * docsis.draws.uniform(map)) as u64;
        let arrived: u64 =
            arrivals.iter().filter(|(when, _)| *when < place).map(|(_, bytes)| u64::from(*bytes)).sum();
        let bytes = granted.min(arrived - sent);
        tokens = tokens.saturating_sub(u128::from(bytes) * WORK);
        let on_way: u64 = requests[counted..].iter().map(|(_, bytes)| bytes).sum();
        let new = (arrived - sent).saturating_sub(bytes + pending + on_way);
        if new > 0 {
            requests.push((place, new));
        }
        if bytes > 0 {
            found.push(Burst { begin: place, before: sent, bytes });
        }
        sent += bytes;
        if sent == total {
            return found;
        }
    }
    unreachable!("rates are above zero")
}

/// When each packet begins and ends, by the bytes of the bursts.
fn listing(docsis: &Docsis, arrivals: &[(u64, u32)], rule: Rule) -> Vec<(Instant, Instant)> {
    let bursts = bursts(docsis, arrivals, rule);
    let leaves = |byte: u64| {
        let burst = bursts.iter().find(|burst| burst.before + burst.bytes >= byte).unwrap();
        let work = u128::from(byte - burst.before) * WORK;
        burst.begin + (work / u128::from(docsis.channel.bits_per_second())) as u64
    };
    let mut before = 0;
    let span = |(_, bytes): &(u64, u32)| {
        let first = bursts.iter().find(|burst| burst.before + burst.bytes > before).unwrap();
        let start = if before > first.before { leaves(before) } else { first.begin };
        before += u64::from(*bytes);
        (at(start), at(leaves(before)))
    };
    arrivals.iter().map(span).collect()
}

/// Events of a port with these arrivals, woken when it asks, or at arrivals only.
fn events(docsis: &Docsis, aqm: &str, arrivals: &[(u64, u32)], woken: bool) -> Vec<Event> {
    let (mut port, mut trace) = (port(docsis, aqm), Trace::default());
    for (id, (when, bytes)) in arrivals.iter().enumerate() {
        while let Some(due) = port.next_wake().filter(|due| woken && *due < at(*when)) {
            port.advance(due, &mut trace);
        }
        port.offer(numbered(id, *bytes), at(*when), &mut trace);
    }
    while let Some(due) = port.next_wake() {
        port.advance(due, &mut trace);
    }
    trace.events
}

/// When each packet began and ended.
fn spans(events: &[Event]) -> Vec<(Instant, Instant)> {
    let span = |event: &Event| match event {
        Event::Sent { start, end, .. } => Some((*start, *end)),
        _ => None,
    };
    events.iter().filter_map(span).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Against a second calculation from the definition, to the nanosecond.
    #[test]
    fn packets_leave_as_a_list_of_grants_says(docsis in modems(), arrivals in arrivals()) {
        let found = events(&docsis, "drop-tail", &arrivals, true);
        prop_assert_eq!(spans(&found), listing(&docsis, &arrivals, within_tokens));
        let late = events(&docsis, "drop-tail", &arrivals, false);
        prop_assert_eq!(late, found);
    }

    /// Tokens leave proactive grants as they are in `docsis-ns3` if they come fast enough, and the bucket holds those of
    /// two intervals. Twice the guaranteed rate leaves out a byte of rounding.
    #[test]
    fn tokens_do_not_shorten_a_guaranteed_grant(mut docsis in modems(), arrivals in arrivals(), mbit in 1_u64..40, share in 0.05..0.5) {
        let tokens = rate(mbit * 1_000_000);
        docsis.rates = Arc::new(RateSchedule::fixed(tokens));
        docsis.guaranteed = Some(rate((tokens.bits_per_second() as f64 * share) as u64));
        docsis.burst = docsis.burst.max(2 * docsis.bytes_in_map(tokens) + 2);
        let found = events(&docsis, "drop-tail", &arrivals, true);
        prop_assert_eq!(spans(&found), listing(&docsis, &arrivals, beyond_tokens));
    }

    /// Each packet leaves once or is dropped once, in order, whoever drops it and when.
    #[test]
    fn nothing_is_lost_between_grants(docsis in modems(), arrivals in arrivals(), aqm in prop::sample::select(&["codel", "pie", "red", "rem"][..])) {
        let found = events(&docsis, aqm, &arrivals, true);
        let count = |of: fn(&Event) -> bool| found.iter().filter(|event| of(event)).count();
        let sent = count(|event| matches!(event, Event::Sent { .. }));
        let dropped = count(|event| matches!(event, Event::Dropped { .. }));
        prop_assert_eq!(sent + dropped, arrivals.len());
        let spans = spans(&found);
        prop_assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[0].0 < pair[0].1));
        prop_assert_eq!(events(&docsis, aqm, &arrivals, false), found);
    }

    /// No more leaves between two instants than tokens and channel let through, and a transfer takes no less than
    /// its bound.
    #[test]
    fn what_is_sent_is_within_the_capacity(docsis in modems(), arrivals in arrivals(), cuts in prop::collection::vec(1_u64..100_000_000, 1..20)) {
        let service = Service::Docsis(Box::new(docsis.clone()));
        let (mut port, mut trace) = (port(&docsis, "drop-tail"), Trace::default());
        let mut due = arrivals.iter().enumerate().peekable();
        let mut instants = cuts;
        instants.sort_unstable();
        let mut before = (port.supply(Instant::ZERO).unwrap(), 0);
        let (first, mut whole) = (before.0, None::<Capacity>);
        for cut in instants {
            while let Some((id, (when, bytes))) = due.next_if(|(_, (when, _))| *when <= cut) {
                port.offer(numbered(id, *bytes), at(*when), &mut trace);
            }
            port.advance(at(cut), &mut trace);
            let supply = port.supply(at(cut)).unwrap();
            let taken: u128 = trace.events.iter().filter_map(|event| match event {
                Event::Sent { id, .. } => Some(u128::from(arrivals[*id as usize].1) * WORK),
                _ => None,
            }).sum();
            let passed = taken - supply.unsent;
            let capacity = supply.since(before.0);
            // A nanosecond of the channel is cut off at the end of a packet.
            let rounding = u128::from(docsis.channel.bits_per_second());
            prop_assert!(passed - before.1 <= capacity.work() + rounding, "{passed} {capacity:?}");
            whole = Some(whole.map_or(capacity, |whole| whole.and(capacity)));
            prop_assert_eq!(whole, Some(supply.since(first)));
            before = (supply, passed);
        }
        let (begun, bytes) = arrivals[0];
        let found = events(&docsis, "drop-tail", &arrivals, true);
        prop_assert!(spans(&found)[0].1 >= service.earliest(at(begun), u64::from(bytes)));
    }
}

/// A lone packet waits for the next request, at most two intervals. Then it waits for the interval after
/// `request_to_grant`, at most one more, and for its grant there.
#[test]
fn a_lone_packet_waits_for_its_request_and_its_grant() {
    let docsis = modem();
    let channel = Duration::from_nanos(8 * 1_000 * 10);
    let waits: Vec<_> = (0..4_000)
        .map(|number| {
            let arrival = number * 50_000_000 + number * 501;
            let [(start, end)] = spans(&events(&docsis, "drop-tail", &[(arrival, 1_000)], true))[..] else {
                panic!("it leaves once")
            };
            assert_eq!(end, start + channel);
            start.since(at(arrival)).as_secs_f64() * 1e3
        })
        .collect();
    let (least, most) =
        (waits.iter().copied().fold(f64::MAX, f64::min), waits.iter().copied().fold(0.0, f64::max));
    // An interval is 2 ms, and the largest grant, 5,000 B, leaves room for 1.6 ms before a grant.
    assert!((1.62..2.0).contains(&least), "{least} ms");
    assert!((7.2..3.0 * 2.0 + 1.6).contains(&most), "{most} ms");
    // In intervals, 7/12 is the mean wait for a request that lies at random in each of them. A request at u is
    // granted in the next interval if u <= 1 - 1.62/2 = 0.19, else in the one after that.
    let mean = waits.iter().sum::<f64>() / waits.len() as f64;
    let until_interval = 0.19 * (1.0 - 0.19 / 2.0) + 0.81 * (2.0 - 1.19 / 2.0);
    let expected = 2.0 * (7.0 / 12.0 + until_interval) + 1.6 / 2.0;
    assert!((mean - expected).abs() < 0.05, "{mean} ms, not {expected} ms");
}

/// A modem with enough to send reaches its rate to the byte. Unused bytes of grants for packets that CoDel drops are
/// tokens again.
#[test]
fn a_busy_modem_sends_its_rate() {
    let docsis = modem();
    for aqm in ["drop-tail", "codel"] {
        let arrivals: Vec<_> = (0..20_000).map(|number| (number * 700_000, 1_000)).collect();
        let found = spans(&events(&docsis, aqm, &arrivals, true));
        let (from, to) = (at(2_000_000_000), at(12_000_000_000));
        let sent = found.iter().filter(|(_, end)| (from..to).contains(end)).count();
        // Two bursts at the ends of the span.
        let expected = 10_000_000.0 / 8.0 / 1_000.0 * 10.0;
        assert!((sent as f64 - expected).abs() <= 6.0, "{aqm}: {sent} packets, not {expected}");
    }
}

/// With Proactive Grant Service a packet waits for the next interval, and no request.
#[test]
fn a_guaranteed_grant_needs_no_request() {
    let docsis = Docsis { guaranteed: Some(rate(5_000_000)), ..modem() };
    let interval = docsis.map_interval.as_nanos();
    for number in 0..2_000 {
        let arrival = number * 50_000_000 + number * 997;
        let [(start, _)] = spans(&events(&docsis, "drop-tail", &[(arrival, 1_000)], true))[..] else {
            panic!("it leaves once")
        };
        assert_eq!(start, at((arrival / interval + 1) * interval));
    }
}

/// Grants of a busy modem with Proactive Grant Service keep the period of its intervals.
#[test]
fn guaranteed_grants_keep_a_period() {
    let docsis = Docsis { guaranteed: Some(rate(5_000_000)), ..modem() };
    let arrivals: Vec<_> = (0..4_000).map(|number| (number * 700_000, 1_000)).collect();
    let found = spans(&events(&docsis, "drop-tail", &arrivals, true));
    let begins: Vec<_> =
        found.windows(2).filter(|pair| pair[0].1 < pair[1].0).map(|pair| pair[1].0).collect();
    // 2,500 B come in an interval and a burst may be 5,000 B: about every other grant begins with a packet.
    assert!(begins.len() > 700, "{}", begins.len());
    assert!(begins.iter().all(|begin| begin.as_nanos() % docsis.map_interval.as_nanos() == 0));
}

/// A peak bounds what an interval grants, a bucket what comes after a pause.
#[test]
fn a_burst_leaves_at_the_peak_and_then_at_the_rate() {
    let docsis = Docsis { burst: 100_000, peak: Some(rate(40_000_000)), ..modem() };
    let arrivals = vec![(0, 1_000); 400];
    let found = spans(&events(&docsis, "drop-tail", &arrivals, true));
    let (interval, first) = (docsis.map_interval.as_nanos(), found[0].0.as_nanos());
    let sent = |intervals: u64| {
        let until = at((first / interval + intervals) * interval);
        found.iter().filter(|(_, end)| *end <= until).count() as u64
    };
    // 10,000 B at the peak in each interval. Tokens for 2,500 B come meanwhile: the bucket lasts for 13 intervals.
    assert_eq!((1..=13).map(&sent).collect::<Vec<_>>(), (1..=13).map(|n| n * 10).collect::<Vec<_>>());
    assert_eq!((sent(40) - sent(20)) * 1_000, 20 * 2_500);
}

/// The rate of the AQM is that of the tokens, and follows its changes.
#[test]
fn the_rate_changes_on_time() {
    let changed = [(Duration::from_millis(1_000), rate(2_000_000))];
    let rates = RateSchedule::new(rate(10_000_000), &changed, None).unwrap();
    let docsis = Docsis { rates: Arc::new(rates), ..modem() };
    let (mut port, mut trace) = (port(&docsis, "drop-tail"), Trace::default());
    let seen = |port: &Port<Numbered, _>| -> Rate { port.rate() };
    for (id, when) in (0..4_000_u64).map(|number| number * 500_000).enumerate() {
        port.offer(numbered(id, 1_000), at(when), &mut trace);
        assert_eq!(seen(&port), rate(if when < 1_000_000_000 { 10_000_000 } else { 2_000_000 }));
    }
    let spans = spans(&trace.events);
    let sent =
        |from: u64, to: u64| spans.iter().filter(|(_, end)| (at(from)..at(to)).contains(end)).count() as f64;
    assert!((sent(200_000_000, 1_000_000_000) - 1_000.0).abs() <= 6.0);
    assert!((sent(1_200_000_000, 2_000_000_000) - 200.0).abs() <= 6.0);
}
