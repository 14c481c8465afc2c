//! No allocation in steady state: a counting allocator under a million packets.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use serde_json::json;
use weir_aqm::{
    Discipline, Limit, Link, Observer, Output, Packet, PacketInfo, Port, Reason, qdisc::QueueConfig,
};
use weir_types::{Duration, Ecn, Instant, Streams};

use crate::support::{link, packet, rate, stream};

thread_local! {
    /// Per thread, because the tests of this binary run side by side.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[expect(unsafe_code, reason = "an allocator can only be written with it")]
// SAFETY: every call is handed on to the system's allocator as it came. Counting does not panic. It
// does not allocate, as the counter is a constant-initialised thread-local without a destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count() {
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

/// A packet that owns nothing.
pub(crate) struct Plain(PacketInfo);

impl Packet for Plain {
    fn info(&self) -> PacketInfo {
        self.0
    }

    fn mark(&mut self) {
        self.0.ecn = Ecn::Ce;
    }
}

#[derive(Default)]
pub(crate) struct Tally {
    sent: u64,
    dropped: u64,
    marked: u64,
}

impl Observer<Plain> for Tally {
    fn dropped(&mut self, _: Plain, _: Reason, _: bool, _: Instant) {
        self.dropped += 1;
    }

    fn marked(&mut self, _: &Plain, _: Reason, _: Instant) {
        self.marked += 1;
    }
}

impl Output<Plain> for Tally {
    fn sent(&mut self, _: Plain, _: Duration, _: Instant, _: Instant) {
        self.sent += 1;
    }

    fn backlog(&mut self, _: u32, _: Instant) {}
}

pub(crate) const LIMIT: Limit = Limit::Packets(120);

/// Sends a million packets through the discipline and demands that nothing is allocated on the
/// way.
pub(crate) fn allocates_nothing<D: Discipline<Plain>>(name: &str, discipline: D) {
    let (allocations, tally) = allocations(discipline, 1_000_000);
    assert_eq!(allocations, 0, "{name} allocates");
    // AVQ closes the door to traffic that does not answer.
    assert!(tally.sent > 10_000 && tally.dropped + tally.marked > 1000, "{name} has work to do");
}

/// Sends packets of six flows, half of them ECN-capable, through a port at 110% load, with a
/// silence now and then. Counts the allocations on the way.
pub(crate) fn allocations<D: Discipline<Plain>>(discipline: D, packets: u32) -> (u64, Tally) {
    let mut port = Port::new(discipline, rate(64_000_000));
    let (mut tally, mut draws, mut now) = (Tally::default(), stream("arrivals"), Instant::ZERO);
    let mut arrive = |gap: f64, flow: u32, tally: &mut Tally| {
        now += Duration::from_nanos(125_000).mul_f64(gap);
        port.advance(now, tally);
        let ecn = if draws.chance(0.5) { Ecn::NotEct } else { Ecn::Ect0 };
        port.offer(Plain(PacketInfo { flow, ..packet(ecn) }), now, tally);
        draws.uniform()
    };
    // Every line is as full as it can be at least once. Some AQMs let so many in only after some
    // traffic: the first quarter of the packets is for them.
    for flow in 0..6 {
        arrive(1000.0, flow, &mut tally);
        for _ in 0..200 {
            arrive(0.0, flow, &mut tally);
        }
    }
    let (mut before, mut draw) = (0, 0.5);
    for n in 0..packets {
        if n == packets / 4 {
            before = ALLOCATIONS.get();
        }
        let silence = if n % 10_000 == 0 { 500.0 } else { 0.0 };
        draw = arrive(silence + draw * 2.0 / 1.1, n % 6, &mut tally);
    }
    (ALLOCATIONS.get() - before, tally)
}

/// Everything in the registry, AQMs and disciplines, as it comes and marking if it can.
#[test]
fn nothing_allocates() {
    for name in QueueConfig::NAMES {
        let tables = [json!({ *name: {} }), json!({ *name: { "ecn": true } })];
        let configs: Vec<QueueConfig> =
            tables.into_iter().filter_map(|table| serde_json::from_value(table).ok()).collect();
        assert!(!configs.is_empty(), "{name} can be built");
        for config in configs {
            allocates_nothing(name, config.build(Link { limit: LIMIT, ..link() }, Streams::new(1), "aqm"));
        }
    }
}

#[test]
fn allocations_are_counted() {
    let before = ALLOCATIONS.get();
    let mut list = vec![1_u8];
    list.reserve(1000);
    assert_eq!(ALLOCATIONS.get() - before, 2, "{list:?}");
}
