//! A queue of the kernel in the place of a port: packets are written into the network namespace of a router, whose
//! way out has the queue, and are read behind it.
//!
//! ```text
//!  arrivals ──delay──► device in ──kernel forwards──► qdisc ──device out──delay──► exits
//! ```
//!
//! The kernel forwards the packets of IPv4 alone, and leaves their identification as it is (RFC 791): there stands the
//! number of the packet while it is inside. A packet that does not come out before a later one of its flow was dropped:
//! no discipline changes the order within a flow.

use std::{collections::VecDeque, io, os::fd::BorrowedFd};

use weir_scenario::KernelLink;
use weir_types::{Duration, Ecn, Instant, Rate};

use crate::{
    around::Around,
    chain::LinkName,
    checksum,
    counts::Counts,
    device::{Device, End, LARGEST},
    flows::Flows,
    frame::{self, Frame},
    offload,
};

/// Numbers of packets: as many as the identification has.
const NUMBERS: usize = 1 << 16;
/// Where the identification and the checksum of an IPv4 header stand.
const IDENTITY: usize = 4;
const CHECKSUM: usize = 10;

/// The devices of the router's namespace: TUN devices, as those of [`End`].
#[derive(Debug)]
pub struct Router {
    /// Packets written here are forwarded.
    pub into: End,
    /// They are read here, behind the queue.
    pub out: End,
}

/// A packet that came to a queue of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Passed {
    /// When it came.
    pub arrived: Instant,
    /// When it was out, its last bit included; `None` if it was dropped, or waited at the end.
    pub left: Option<Instant>,
    /// Bytes of the IP packet.
    pub bytes: u32,
    /// Number of its flow.
    pub flow: u32,
    /// The queue marked it.
    pub marked: bool,
    /// The queue dropped it.
    pub dropped: bool,
}

#[derive(Debug)]
pub(crate) struct KernelQueue {
    name: LinkName,
    rate: Rate,
    /// From the sender to the queue, and behind it.
    before: Duration,
    behind: Duration,
    into: Device,
    out: Device,
    /// On the way to the queue, by when they come there.
    coming: VecDeque<(Instant, Frame)>,
    /// In the kernel, by number; with the place in `passed`.
    inside: Vec<Option<(Frame, u32)>>,
    next: u16,
    /// Numbers and places of the packets inside of each flow, in their order.
    orders: Vec<VecDeque<(u16, u32)>>,
    /// On the way to the exit.
    leaving: VecDeque<(Instant, Frame)>,
    counts: Counts,
    waiting: u32,
    passed: Vec<Passed>,
    buffer: Vec<u8>,
    scratch: Vec<u8>,
}

impl KernelQueue {
    pub(crate) fn new(link: &KernelLink, router: Router) -> io::Result<Self> {
        Ok(Self {
            name: LinkName { link: link.link.clone(), direction: link.direction },
            rate: link.rate,
            before: link.before,
            behind: link.delay,
            into: Device::new(router.into)?,
            out: Device::new(router.out)?,
            coming: VecDeque::new(),
            inside: vec![None; NUMBERS],
            next: 0,
            orders: Vec::new(),
            leaving: VecDeque::new(),
            counts: Counts::new(),
            waiting: 0,
            passed: Vec::new(),
            buffer: vec![0; LARGEST],
            scratch: vec![0; LARGEST],
        })
    }

    pub(crate) fn offer(&mut self, frame: Frame, now: Instant) {
        self.coming.push_back((now + self.before, frame));
    }

    pub(crate) fn advance(&mut self, now: Instant, around: &mut Around<'_>) -> io::Result<()> {
        while self.coming.front().is_some_and(|(at, _)| *at <= now)
            && let Some((_, frame)) = self.coming.pop_front()
        {
            self.enter(frame, around)?;
        }
        self.collect(around)
    }

    pub(crate) fn take(&mut self, now: Instant) -> Option<(Instant, Frame)> {
        if self.leaving.front()?.0 <= now { self.leaving.pop_front() } else { None }
    }

    pub(crate) fn next_due(&self) -> Option<Instant> {
        let due = |queue: &VecDeque<(Instant, Frame)>| queue.front().map(|(at, _)| *at);
        [due(&self.coming), due(&self.leaving)].into_iter().flatten().min()
    }

    pub(crate) fn returns(&self) -> BorrowedFd<'_> {
        self.out.as_fd()
    }

    pub(crate) fn link(&mut self) -> (&LinkName, &mut Counts, f64, u32) {
        (&self.name, &mut self.counts, self.rate.bits_per_second() as f64, self.waiting)
    }

    pub(crate) fn finish(self) -> (Vec<(LinkName, weir_line::Totals)>, Vec<Passed>) {
        (vec![(self.name, self.counts.totals)], self.passed)
    }

    /// Writes a packet into the router's namespace, under a number of its own.
    fn enter(&mut self, frame: Frame, around: &mut Around<'_>) -> io::Result<()> {
        let packet = around.slots.get_mut(frame.slot, frame.bytes as usize);
        let copy = &mut self.scratch[..packet.len()];
        copy.copy_from_slice(packet);
        let is_v4 = copy.first().is_some_and(|first| first >> 4 == 4);
        let number = self.next;
        if is_v4 {
            set_identity(copy, number);
        }
        let arrived = around.clock.now();
        if !is_v4 || !self.into.send(copy, frame.checked)? {
            self.counts.totals.lost += 1;
            around.gone.push(frame);
            return Ok(());
        }
        self.next = number.wrapping_add(1);
        if let Some((_, place)) = self.inside[usize::from(number)] {
            // All numbers have been given since: it was dropped, and no packet of its flow came out after it.
            self.drop((number, place), around.flows, around.gone);
        }
        let place = self.passed.len() as u32;
        let Frame { bytes, flow, .. } = frame;
        self.passed.push(Passed { arrived, left: None, bytes, flow, marked: false, dropped: false });
        self.inside[usize::from(number)] = Some((frame, place));
        if self.orders.len() <= flow as usize {
            self.orders.resize_with(flow as usize + 1, VecDeque::new);
        }
        self.orders[flow as usize].push_back((number, place));
        self.counts.totals.arrivals += 1;
        self.waiting += 1;
        Ok(())
    }

    /// Reads what has come out.
    fn collect(&mut self, around: &mut Around<'_>) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut scratch = std::mem::take(&mut self.scratch);
        let read = loop {
            match self.out.receive(&mut buffer) {
                Ok(Some((header, packet))) => {
                    let now = around.clock.now();
                    // What is no packet of ours, such as a message of the router, has no number that is inside.
                    offload::unfold(&header, packet, &mut scratch, |packet, _| {
                        self.leave(packet, now, around);
                    });
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        (self.buffer, self.scratch) = (buffer, scratch);
        read
    }

    fn leave(&mut self, packet: &[u8], now: Instant, around: &mut Around<'_>) {
        let Some(parsed) = frame::parse(packet).filter(|_| packet[0] >> 4 == 4) else { return };
        let number = u16::from_be_bytes([packet[IDENTITY], packet[IDENTITY + 1]]);
        let Some((mut frame, place)) = self.inside[usize::from(number)] else { return };
        if frame.bytes as usize != parsed.bytes || around.flows.key(frame.flow) != Some(parsed.key) {
            return;
        }
        // Those of its flow that came before it were dropped.
        while let Some(first) = self.orders[frame.flow as usize].pop_front()
            && first != (number, place)
        {
            self.drop(first, around.flows, around.gone);
        }
        self.inside[usize::from(number)] = None;
        self.waiting -= 1;
        let record = &mut self.passed[place as usize];
        record.left = Some(now);
        record.marked = parsed.ecn == Ecn::Ce && frame.ecn != Ecn::Ce;
        if record.marked {
            frame.ecn = Ecn::Ce;
            self.counts.totals.marks += 1;
            around.flows.marked(frame.flow);
        }
        let sent = self.rate.time_to_send(frame.bytes);
        let sojourn = now.since(record.arrived).checked_sub(sent).unwrap_or(Duration::ZERO);
        self.counts.sent(frame.bytes, sojourn);
        self.leaving.push_back((now + self.behind, frame));
    }

    /// The packet at `place`, if it still is inside under `number`, was dropped.
    fn drop(&mut self, (number, place): (u16, u32), flows: &mut Flows, gone: &mut Vec<Frame>) {
        let inside = &mut self.inside[usize::from(number)];
        let Some((frame, _)) = inside.take_if(|(_, at)| *at == place) else { return };
        self.passed[place as usize].dropped = true;
        self.counts.totals.drops += 1;
        self.waiting -= 1;
        flows.dropped(frame.flow);
        gone.push(frame);
    }
}

/// Puts `number` into the identification of an IPv4 header, and mends its checksum.
fn set_identity(packet: &mut [u8], number: u16) {
    let before = [packet[IDENTITY], packet[IDENTITY + 1]];
    let after = number.to_be_bytes();
    packet[IDENTITY..IDENTITY + 2].copy_from_slice(&after);
    let sum = checksum::updated([packet[CHECKSUM], packet[CHECKSUM + 1]], before, after);
    packet[CHECKSUM..CHECKSUM + 2].copy_from_slice(&sum);
}
