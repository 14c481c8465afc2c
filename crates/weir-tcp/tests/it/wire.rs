//! A sender and a receiver on the two ends of a link that loses and marks by a script.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap, HashMap},
    sync::Arc,
};

use weir_tcp::{Flags, Receiver, Segment, Sender, TcpParameters};
use weir_types::{Ecn, Instant};

/// The path and what it does to which segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// A segment and which transmission of it, counted from 1. It occupies the link all the same.
    pub(crate) lost: Vec<(u32, u32)>,
    pub(crate) marked: Vec<(u32, u32)>,
    pub(crate) rate_bits_per_second: u64,
    pub(crate) one_way_delay_ns: u64,
    pub(crate) segment_bytes: u32,
    pub(crate) end_ns: u64,
}

/// Kind of an event at the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Start,
    Ack,
    Timeout,
    Send,
}

/// A row of a trace: an event at the sender, or a segment that it sent because of the last event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) time_ns: u64,
    pub(crate) kind: Kind,
    /// Number of a segment. In an ACK: the last number received in order.
    pub(crate) number: Option<u32>,
    /// Number of the transmission of a segment; events have none.
    pub(crate) copy: Option<u32>,
    pub(crate) flags: BTreeSet<&'static str>,
    /// State of the sender after an event and all that it caused; segments have none.
    pub(crate) state: Option<State>,
}

/// State of a sender, as far as it can be seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct State {
    /// The window without the inflation of recovery.
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    /// When the retransmission timer expires.
    pub(crate) timer_ns: u64,
}

/// Segments and ACKs on their way, in the order of arrival.
type OnTheWay = BinaryHeap<Reverse<(u64, u64, Direction)>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Direction {
    ToReceiver,
    ToSender,
}

pub(crate) struct Wire {
    script: Script,
    sender: Sender,
    receiver: Receiver,
    on_the_way: OnTheWay,
    segments: HashMap<u64, Segment>,
    /// When the link is free, to the receiver and back.
    free: [u64; 2],
    copies: HashMap<u32, u32>,
    /// Packets so far: two that arrive at one instant do so in the order of their departure.
    serial: u64,
    rows: Vec<Row>,
}

impl Wire {
    pub(crate) fn new(script: Script, parameters: TcpParameters) -> Self {
        let parameters = Arc::new(parameters);
        Self {
            sender: Sender::new(0, script.segment_bytes, parameters.clone()),
            receiver: Receiver::new(0, &parameters),
            script,
            on_the_way: OnTheWay::new(),
            segments: HashMap::new(),
            free: [0; 2],
            copies: HashMap::new(),
            serial: 0,
            rows: Vec::new(),
        }
    }

    /// Everything that happens at the sender until the end.
    pub(crate) fn run(mut self) -> Vec<Row> {
        self.sender.start();
        self.happened(0, Kind::Start, None);
        loop {
            let arrival = self.on_the_way.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
            let timeout = self.sender.timeout().as_nanos();
            let now = arrival.min(timeout);
            if now >= self.script.end_ns {
                return self.rows;
            }
            // At one instant the timer comes first.
            if now == timeout {
                self.sender.on_timeout(Instant::from_nanos(now));
                self.happened(now, Kind::Timeout, None);
                continue;
            }
            let Some(Reverse((_, serial, direction))) = self.on_the_way.pop() else { unreachable!() };
            let segment = self.segments.remove(&serial).expect("every entry has a segment");
            if direction == Direction::ToReceiver {
                if let Some(ack) = self.receiver.on_segment(&segment, Instant::from_nanos(now)) {
                    self.carry(now, ack, Direction::ToSender);
                }
            } else {
                self.sender.on_ack(&segment, Instant::from_nanos(now));
                self.happened(now, Kind::Ack, Some(segment));
            }
        }
    }

    /// Notes an event, and sends what the sender now wants to send.
    fn happened(&mut self, now: u64, kind: Kind, ack: Option<Segment>) {
        let event = self.rows.len();
        self.rows.push(Row {
            time_ns: now,
            kind,
            number: ack.map(|ack| ack.number - 1),
            copy: None,
            flags: ack.filter(|ack| ack.flags().has(Flags::ECE)).map(|_| "ece").into_iter().collect(),
            state: None,
        });
        while let Some(segment) = self.sender.poll_segment(Instant::from_nanos(now)) {
            self.transmit(now, segment);
        }
        self.rows[event].state = Some(State {
            cwnd: self.sender.cwnd(),
            ssthresh: self.sender.ssthresh(),
            timer_ns: self.sender.timeout().as_nanos(),
        });
    }

    fn transmit(&mut self, now: u64, mut segment: Segment) {
        let copy = self.copies.entry(segment.number).or_default();
        *copy += 1;
        let this = (segment.number, *copy);
        assert_eq!(segment.flags().has(Flags::RETRANSMISSION), *copy > 1, "{this:?}");
        let lost = self.script.lost.contains(&this);
        let marked = self.script.marked.contains(&this);
        let words = [(segment.flags().has(Flags::CWR), "cwr"), (lost, "lost"), (marked, "ce")].into_iter();
        self.rows.push(Row {
            time_ns: now,
            kind: Kind::Send,
            number: Some(this.0),
            copy: Some(this.1),
            flags: words.filter_map(|(present, word)| present.then_some(word)).collect(),
            state: None,
        });
        if marked {
            assert_ne!(segment.ecn(), Ecn::NotEct, "the script marks what cannot be marked: {this:?}");
            segment.header = segment.header.with_ecn(Ecn::Ce);
        }
        if lost {
            self.occupy(now, segment.bytes(), Direction::ToReceiver);
        } else {
            self.carry(now, segment, Direction::ToReceiver);
        }
    }

    fn carry(&mut self, now: u64, segment: Segment, direction: Direction) {
        let arrives = self.occupy(now, segment.bytes(), direction) + self.script.one_way_delay_ns;
        self.serial += 1;
        self.segments.insert(self.serial, segment);
        self.on_the_way.push(Reverse((arrives, self.serial, direction)));
    }

    /// The link is busy with a packet; returns until when.
    fn occupy(&mut self, now: u64, bytes: u32, direction: Direction) -> u64 {
        let free = &mut self.free[direction as usize];
        let transmission = u64::from(bytes) * 8 * 1_000_000_000 / self.script.rate_bits_per_second;
        *free = now.max(*free) + transmission;
        *free
    }
}
