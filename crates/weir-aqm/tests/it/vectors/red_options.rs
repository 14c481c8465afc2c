//! RED's options: signalling and ns-2 compatibility.

use weir_aqm::{
    Aqm, Backlog, Discipline, Limit, PacketInfo, Reason, Verdict,
    aqm::{Red, RedParameters, Spacing},
    qdisc::Fifo,
};
use weir_types::{Ecn, Instant, Level};

use super::red::{busy, following, see};
use crate::support::{
    Event, Numbered, Trace, link, near, packet, packets, probability, read, stream, waiting,
};

/// Every packet in the band is signalled.
fn certain() -> RedParameters {
    RedParameters { max_p: probability(1.0), ..RedParameters::default() }
}

/// At an average of 10 the band of `certain` signals the packet after a signal for sure.
fn signal(parameters: &RedParameters) -> Verdict {
    let mut red = following(parameters);
    (0..100).map(|_| see(&mut red, 10)).find(|verdict| *verdict != Verdict::Pass).expect("a signal")
}

#[test]
fn early_signals_drop_or_mark() {
    assert_eq!(signal(&certain()), Verdict::Drop(Reason::Early));
    assert_eq!(signal(&RedParameters { ecn: true, ..certain() }), Verdict::Mark(Reason::Early));
}

/// RFC 3168, section 5: a packet that cannot be marked is dropped where another is marked.
/// RFC 3168, section 7: beyond the highest threshold all are dropped.
#[test]
fn what_cannot_be_marked_is_dropped_instead() {
    let outcome = |ecn, harddrop, queue: u64| {
        let parameters = RedParameters { ecn: true, harddrop, w_q: probability(1.0), ..certain() };
        let mut fifo = Fifo::new(parameters.build(link(), stream("red")), Limit::Packets(1000));
        let mut trace = Trace::default();
        // Those that find fewer than 15 stay, marked or not.
        for id in 0..queue {
            fifo.enqueue(Numbered { id, info: packet(Ecn::Ect0) }, Instant::ZERO, &mut trace);
        }
        assert_eq!(u64::from(fifo.backlog().packets), queue);
        trace.events.clear();
        fifo.enqueue(Numbered { id: 999, info: packet(ecn) }, Instant::ZERO, &mut trace);
        trace.events
    };
    let dropped = |reason| vec![Event::Dropped { id: 999, reason, waited: false, now: Instant::ZERO }];
    let marked = |reason| vec![Event::Marked { id: 999, reason, now: Instant::ZERO }];
    for ecn in [Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        // With max_p = 1, the packet at an average of 14 is signalled with p_b = 0.9 and
        // the count behind it: certain.
        assert_eq!(outcome(ecn, true, 14), marked(Reason::Early), "{ecn:?}");
        assert_eq!(outcome(ecn, true, 15), dropped(Reason::Forced), "{ecn:?}");
        assert_eq!(outcome(ecn, false, 15), marked(Reason::Forced), "{ecn:?}");
    }
    assert_eq!(outcome(Ecn::NotEct, true, 14), dropped(Reason::Early));
    assert_eq!(outcome(Ecn::NotEct, true, 15), dropped(Reason::Forced));
    assert_eq!(outcome(Ecn::NotEct, false, 15), dropped(Reason::Forced));
}

#[test]
fn forced_marks_need_ecn() {
    let red = RedParameters { harddrop: false, ..RedParameters::default() };
    assert_eq!(see(&mut following(&red), 20), Verdict::Drop(Reason::Forced));
    assert_eq!(see(&mut following(&RedParameters { ecn: true, ..red }), 20), Verdict::Mark(Reason::Forced));
}

/// ns-2's `mark_p_`: marks while `p_b` is below it, drops from there on.
#[test]
fn from_mark_p_on_packets_are_dropped() {
    let at = |queue, limit| {
        let mark_p = Some(probability(limit));
        let mut red = following(&RedParameters { ecn: true, mark_p, ..RedParameters::default() });
        (0..200).map(|_| see(&mut red, queue)).find(|verdict| *verdict != Verdict::Pass)
    };
    assert_eq!(at(7, 0.05), Some(Verdict::Mark(Reason::Early)));
    assert_eq!(at(10, 0.0501), Some(Verdict::Mark(Reason::Early)));
    assert_eq!(at(10, 0.05), Some(Verdict::Drop(Reason::Early)), "p_b = 0.05 is not below 0.05");
    assert_eq!(at(13, 0.05), Some(Verdict::Drop(Reason::Early)));
}

/// ns-2: the packet with which the average enters the band is never signalled, and is
/// counted, so that the next one has count 2.
#[test]
fn the_first_packet_of_the_band_may_be_spared() {
    let mut red = following(&RedParameters { ns2_old: true, ..certain() });
    for _ in 0..100 {
        assert_eq!(see(&mut red, 10), Verdict::Pass);
        near(read(&red, "count"), 1.0, 0.0);
        // p_b = 1/2 at count 2 is certain.
        assert_eq!(see(&mut red, 10), Verdict::Drop(Reason::Early));
        assert_eq!(see(&mut red, 4), Verdict::Pass);
        near(read(&red, "count"), -1.0, 0.0);
    }
    let signalled = (0..1000).filter(|_| {
        see(&mut red, 4);
        see(&mut red, 14) != Verdict::Pass
    });
    assert_eq!(signalled.count(), 0);

    let mut red = following(&certain());
    let signalled = (0..1000).filter(|_| {
        see(&mut red, 4);
        see(&mut red, 14) != Verdict::Pass
    });
    near(signalled.count() as f64, 900.0, 50.0);
}

/// RED whose average stands at 40 and hardly moves.
fn remembering(parameters: &RedParameters) -> Red {
    let mut red = busy(parameters);
    for _ in 0..20_000 {
        see(&mut red, 40);
    }
    red
}

/// ns-2 signals early only if more than one packet waits, and begins anew when it does.
#[test]
fn a_short_queue_may_be_left_alone() {
    let (none, one) = (packets(0.0), packets(1.0));
    for (min_qlen, queue, verdict) in [
        (none, 0, Verdict::Drop(Reason::Forced)),
        (one, 0, Verdict::Pass),
        (one, 1, Verdict::Pass),
        (one, 2, Verdict::Drop(Reason::Forced)),
    ] {
        let mut red = remembering(&RedParameters { min_qlen, ..RedParameters::default() });
        assert_eq!(see(&mut red, queue), verdict, "early above {min_qlen:?}, {queue} wait");
        near(read(&red, "average"), 39.9, 0.1);
        near(read(&red, "count"), if verdict == Verdict::Pass { -1.0 } else { 0.0 }, 0.0);
    }

    let min_qlen = Level::Bytes(1500.0);
    let mut red = remembering(&RedParameters { min_qlen, ..RedParameters::default() });
    let small = Backlog { packets: 30, bytes: 1500, limit: Limit::Packets(1000) };
    assert_eq!(red.on_enqueue(packet(Ecn::NotEct), small, Instant::ZERO), Verdict::Pass);
    assert_eq!(see(&mut red, 2), Verdict::Drop(Reason::Forced), "2 kB wait");
}

/// A drop for want of room is a signal: the next early one is spaced from it.
#[test]
fn an_overflow_restarts_the_count() {
    let mut red = following(&RedParameters { spacing: Spacing::Wait, ..RedParameters::default() });
    for _ in 0..15 {
        assert_eq!(see(&mut red, 10), Verdict::Pass);
    }
    near(read(&red, "count"), 14.0, 0.0);
    let full = Backlog { limit: Limit::Packets(10), ..waiting(10) };
    red.on_enqueue(packet(Ecn::NotEct), full, Instant::ZERO);
    near(read(&red, "count"), 0.0, 0.0);

    // Below the band there is no count to restart.
    let mut red = following(&RedParameters::default());
    let small_buffer = Backlog { limit: Limit::Packets(2), ..waiting(2) };
    red.on_enqueue(packet(Ecn::NotEct), small_buffer, Instant::ZERO);
    near(read(&red, "count"), -1.0, 0.0);
}

/// A full buffer drops for want of room whatever the AQM says, and marks nothing.
#[test]
fn an_overflow_overrides_a_mark() {
    let parameters = RedParameters { ecn: true, harddrop: false, ..certain() };
    let aqm = RedParameters { w_q: probability(1.0), ..parameters }.build(link(), stream("red"));
    let mut fifo = Fifo::new(aqm, Limit::Packets(20));
    let mut trace = Trace::default();
    for id in 0..21 {
        let info = PacketInfo { flow: 3, ..packet(Ecn::Ect0) };
        fifo.enqueue(Numbered { id, info }, Instant::ZERO, &mut trace);
    }
    let last = Event::Dropped { id: 20, reason: Reason::Overflow, waited: false, now: Instant::ZERO };
    assert_eq!(trace.events.last(), Some(&last));
    let forced = |event: &&Event| matches!(event, Event::Marked { reason: Reason::Forced, .. });
    assert_eq!(trace.events.iter().filter(forced).count(), 5, "those that found 15 to 19");
}
