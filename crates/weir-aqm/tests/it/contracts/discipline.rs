//! A discipline by itself: what goes in comes out once, in order, or is dropped once.

use std::collections::{BTreeMap, VecDeque};

use weir_aqm::{Discipline, Limit, PacketInfo};
use weir_types::{Duration, Ecn, Instant};

use super::Operation;
use crate::support::{Event, Numbered, Trace, rate};

/// Rules of one discipline besides the contract.
pub(crate) struct Rules {
    /// The discipline may mark.
    pub(crate) marks: bool,
    /// Which line a packet waits in: packets of one line leave in order of arrival.
    pub(crate) line: fn(PacketInfo) -> u32,
}

/// Runs the operations twice on a discipline fresh from `make`, holds it to the contract and
/// returns what happened.
pub(crate) fn keeps_its_word<D: Discipline<Numbered>>(
    make: impl Fn() -> D,
    rules: &Rules,
    operations: &[Operation],
) -> Vec<Event> {
    let first = run(make(), rules, operations);
    assert_eq!(first, run(make(), rules, operations), "the same seed gives the same trace");
    first
}

fn run<D: Discipline<Numbered>>(mut discipline: D, rules: &Rules, operations: &[Operation]) -> Vec<Event> {
    let mut trace = Trace::default();
    let mut model = Model::new(rules);
    let mut now = Instant::ZERO;
    let mut id = 0;
    for operation in operations {
        let due = discipline.next_update();
        let seen = trace.events.len();
        match *operation {
            Operation::Advance(nanos) => {
                now += Duration::from_nanos(nanos);
                update_until(&mut discipline, now, nanos % 2 == 1);
                assert!(discipline.next_update().is_none_or(|due| due > now));
            }
            Operation::Offer(info) => {
                trace.events.push(Event::Offered { id, info, now });
                discipline.enqueue(Numbered { id, info }, now, &mut trace);
                id += 1;
            }
            Operation::Take => take(&mut discipline, now, &mut trace),
            Operation::Rate(bits) => discipline.on_rate(rate(bits), now),
        }
        if !matches!(operation, Operation::Advance(_)) {
            assert_eq!(discipline.next_update(), due, "the timer changes only inside update");
        }
        trace.events[seen..].iter().for_each(|event| model.observe(event));
        model.compare(&discipline);
    }
    // What waits can be had, all of it.
    while discipline.backlog().packets > 0 {
        let seen = trace.events.len();
        now += Duration::from_micros(125);
        take(&mut discipline, now, &mut trace);
        trace.events[seen..].iter().for_each(|event| model.observe(event));
        model.compare(&discipline);
    }
    trace.events
}

/// Does the updates up to `now`, when they are due or all too late.
fn update_until<D: Discipline<Numbered>>(discipline: &mut D, now: Instant, late: bool) {
    while let Some(due) = discipline.next_update().filter(|due| *due <= now) {
        discipline.update(if late { now } else { due });
        let next = discipline.next_update().expect("a timer goes on");
        assert!(next > due, "after the update due at {due:?} comes the one at {next:?}");
    }
}

fn take<D: Discipline<Numbered>>(discipline: &mut D, now: Instant, trace: &mut Trace) {
    let next = discipline.dequeue(now, trace);
    match next {
        Some((Numbered { id, info }, sojourn)) => {
            trace.events.push(Event::Taken { id, ecn: info.ecn, sojourn, now });
        }
        None => assert_eq!(discipline.backlog().packets, 0, "nothing came though something waits"),
    }
}

/// A packet the model knows to be inside.
struct Inside {
    id: u64,
    info: PacketInfo,
    arrived: Instant,
}

/// The books: every packet is inside, delivered or dropped.
pub(super) struct Model<'a> {
    rules: &'a Rules,
    lines: BTreeMap<u32, VecDeque<Inside>>,
    line_of: Vec<u32>,
    marked: Vec<bool>,
    bytes: u64,
    delivered: u64,
    dropped: u64,
}

impl<'a> Model<'a> {
    pub(super) const fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            lines: BTreeMap::new(),
            line_of: Vec::new(),
            marked: Vec::new(),
            bytes: 0,
            delivered: 0,
            dropped: 0,
        }
    }

    pub(super) fn waiting(&self) -> u64 {
        self.lines.values().map(|line| line.len() as u64).sum()
    }

    /// Takes in an event and objects if it cannot be.
    pub(super) fn observe(&mut self, event: &Event) {
        match *event {
            Event::Offered { id, info, now } => {
                assert_eq!(id as usize, self.line_of.len());
                let line = (self.rules.line)(info);
                self.line_of.push(line);
                self.marked.push(false);
                self.bytes += u64::from(info.bytes);
                self.lines.entry(line).or_default().push_back(Inside { id, info, arrived: now });
            }
            Event::Dropped { id, waited, .. } => {
                let line = self.line(id);
                let place = line.iter().position(|inside| inside.id == id).expect("dropped from inside");
                if !waited {
                    assert_eq!(id as usize + 1, self.line_of.len(), "only an arrival has not waited");
                }
                self.leaves(id, place);
                self.dropped += 1;
            }
            Event::Marked { id, .. } => {
                let inside = self.line(id).iter().find(|inside| inside.id == id).expect("marked inside");
                assert!(inside.info.ecn.is_markable(), "packet {id} is not ECN-capable and was marked");
                assert!(self.rules.marks, "packet {id} was marked by a discipline that must not mark");
                self.marked[id as usize] = true;
            }
            Event::Taken { id, ecn, sojourn, now: start } | Event::Sent { id, ecn, sojourn, start, .. } => {
                let marked = self.marked[id as usize];
                let inside = self.line(id).front().expect("delivered from inside");
                assert_eq!(inside.id, id, "packets of one line leave in order");
                assert_eq!(start.since(inside.arrived), sojourn);
                let expected = if marked { Ecn::Ce } else { inside.info.ecn };
                assert_eq!(ecn, expected, "the observer is told of every mark");
                self.leaves(id, 0);
                self.delivered += 1;
            }
            Event::Backlog { .. } => {}
        }
        let offered = self.line_of.len() as u64;
        assert_eq!(offered, self.delivered + self.dropped + self.waiting());
    }

    /// The discipline counts what is inside and never more than there is room for.
    pub(super) fn compare<D: Discipline<Numbered>>(&self, discipline: &D) {
        let queue = discipline.backlog();
        assert_eq!((u64::from(queue.packets), queue.bytes), (self.waiting(), self.bytes));
        assert_eq!(discipline.packets(), queue.packets);
        match queue.limit {
            Limit::Packets(limit) => assert!(queue.packets <= limit),
            Limit::Bytes(limit) | Limit::Span(limit) => assert!(queue.bytes <= limit),
        }
    }

    fn line(&mut self, id: u64) -> &mut VecDeque<Inside> {
        self.lines.get_mut(&self.line_of[id as usize]).expect("an offered packet has a line")
    }

    fn leaves(&mut self, id: u64, place: usize) {
        let inside = self.line(id).remove(place).expect("it was found there");
        self.bytes -= u64::from(inside.info.bytes);
    }
}
