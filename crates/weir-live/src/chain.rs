//! The ports of one direction in virtual time.
//!
//! ```text
//!  arrivals ──delay──► port ──line, delay──► port ──line, delay──► exits
//! ```
//!
//! Whoever drives the chain tells it what time it is, early or late: packets move at the instants that were due. So a
//! late call delays what comes out, but changes no rate, no sojourn time and no decision. The links of a scenario
//! feed forward, so each port is brought to the present after the one before it.

use std::collections::VecDeque;

use weir_aqm::{Observer, Output, Port, Reason, qdisc::AnyDiscipline};
use weir_line::{Line, Losses, Passage};
use weir_scenario::{Direction, Way};
use weir_types::{Duration, Instant, Streams};

use crate::{counts::Counts, flows::Flows, frame::Frame};

/// The name and direction of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkName {
    /// The link's name in the scenario.
    pub link: String,
    /// The direction of the link that packets pass.
    pub direction: Direction,
}

/// The ports of one direction, in the order in which packets pass them.
#[derive(Debug)]
pub(crate) struct Chain {
    /// Before the first port.
    before: Duration,
    ports: Vec<Hop>,
    /// Packets on their way, by when they come: to each port, and out.
    pipes: Vec<Pipe>,
    /// The least time from the end of each pipe to the exit.
    ahead: Vec<Duration>,
}

type Pipe = VecDeque<(Instant, Frame)>;

/// A port, the line behind it and its counts.
#[derive(Debug)]
struct Hop {
    name: LinkName,
    port: Port<Frame, AnyDiscipline<Frame>>,
    losses: Option<Losses>,
    line: Option<Line<Frame>>,
    delay: Duration,
    counts: Counts,
}

/// The surroundings of a port while it acts.
struct Context<'a> {
    losses: &'a mut Option<Losses>,
    line: &'a mut Option<Line<Frame>>,
    delay: Duration,
    counts: &'a mut Counts,
    out: &'a mut Pipe,
    gone: &'a mut Vec<Frame>,
    flows: &'a mut Flows,
}

impl Chain {
    /// The ports of `way`, as a simulation with this seed has them.
    pub(crate) fn new(way: &Way, seed: u64) -> Self {
        let streams = Streams::new(seed);
        let ports: Vec<_> = way.scenario.as_ref().map_or_else(Vec::new, |scenario| {
            let network = scenario.network();
            let hop = |at: &_| Hop::new(network.port(*at).expect("the way has queues"), streams);
            network.paths[0].data.iter().map(hop).collect()
        });
        let mut ahead = vec![Duration::ZERO];
        for hop in ports.iter().rev() {
            ahead.push(ahead.last().map_or(hop.delay, |sum| *sum + hop.delay));
        }
        ahead.reverse();
        let pipes = (0..ahead.len()).map(|_| VecDeque::new()).collect();
        Self { before: way.before, ports, pipes, ahead }
    }

    /// A packet came at `now`, which is later than any before.
    #[inline]
    pub(crate) fn offer(&mut self, frame: Frame, now: Instant) {
        self.pipes[0].push_back((now + self.before, frame));
    }

    /// Does what was due up to and including `now`. The slots of lost and dropped packets go to `gone`.
    pub(crate) fn advance(&mut self, now: Instant, flows: &mut Flows, gone: &mut Vec<Frame>) {
        let Self { ports, pipes, .. } = self;
        for (index, hop) in ports.iter_mut().enumerate() {
            let (before, behind) = pipes.split_at_mut(index + 1);
            let (pipe, out) = (&mut before[index], &mut behind[0]);
            let Hop { port, losses, line, delay, counts, .. } = hop;
            let mut context = Context { losses, line, delay: *delay, counts, out, gone, flows };
            while let Some((at, frame)) = due(pipe, now) {
                if context.losses.as_mut().is_some_and(|losses| losses.before(frame.bytes)) {
                    context.counts.totals.lost += 1;
                    context.gone.push(frame);
                    continue;
                }
                context.counts.totals.arrivals += 1;
                port.offer(frame, at, &mut context);
            }
            port.advance(now, &mut context);
            context.release(now);
        }
    }

    /// The next packet that is out by `now`, and when it came out. Call [`Chain::advance`] before.
    #[inline]
    pub(crate) fn take(&mut self, now: Instant) -> Option<(Instant, Frame)> {
        due(self.pipes.last_mut()?, now)
    }

    /// Before this instant nothing comes out; `None` if nothing is on the way.
    pub(crate) fn next_exit(&self) -> Option<Instant> {
        let pipes = self.pipes.iter().zip(&self.ahead);
        let on_way = pipes.filter_map(|(pipe, ahead)| Some(pipe.front()?.0 + *ahead));
        let in_ports = self.ports.iter().zip(&self.ahead).flat_map(|(hop, ahead)| {
            let waiting = hop.port.next_wake();
            let held = hop.line.as_ref().and_then(Line::due);
            [waiting, held].into_iter().flatten().map(|at| at + *ahead)
        });
        on_way.chain(in_ports).min()
    }

    /// The links, each with its counts, rate and waiting packets.
    pub(crate) fn links(&mut self) -> impl Iterator<Item = (&LinkName, &mut Counts, f64, u32)> {
        self.ports.iter_mut().map(|hop| {
            let waiting = hop.port.backlog().packets;
            (&hop.name, &mut hop.counts, hop.port.rate().bits_per_second() as f64, waiting)
        })
    }
}

/// The next packet of `pipe`, if it is due by `now`.
#[inline]
fn due(pipe: &mut Pipe, now: Instant) -> Option<(Instant, Frame)> {
    if pipe.front()?.0 <= now { pipe.pop_front() } else { None }
}

impl Hop {
    fn new(port: &weir_scenario::Port<'_>, streams: Streams) -> Self {
        // The names of the streams are those of a simulation: the same draws.
        let path = format!("links.{}", port.at);
        let discipline = port.queue().build(port.link(), streams, &format!("{path}.aqm"));
        Self {
            name: LinkName { link: port.at.link.to_owned(), direction: port.at.direction },
            port: Port::new(
                discipline,
                port.service.clone().drawing(|| streams.draws_at(&format!("{path}.docsis"))),
            ),
            losses: port.loss().map(|loss| Losses::new(loss, streams.at(&format!("{path}.loss")))),
            line: Line::new(&port.spec, |part| streams.at(&format!("{path}.{part}"))),
            delay: port.delay,
            counts: Counts::new(),
        }
    }
}

impl Context<'_> {
    /// Moves on the packets that the line has held and releases by `now`.
    fn release(&mut self, now: Instant) {
        while let Some((frame, at)) = self.line.as_mut().and_then(|line| line.release(now)) {
            self.out.push_back((at + self.delay, frame));
        }
    }
}

impl Observer<Frame> for Context<'_> {
    fn dropped(&mut self, frame: Frame, _reason: Reason, _waited: bool, _now: Instant) {
        self.counts.totals.drops += 1;
        self.flows.dropped(frame.flow);
        self.gone.push(frame);
    }

    fn marked(&mut self, frame: &Frame, _reason: Reason, _now: Instant) {
        self.counts.totals.marks += 1;
        self.flows.marked(frame.flow);
    }
}

impl Output<Frame> for Context<'_> {
    fn sent(&mut self, frame: Frame, sojourn: Duration, _start: Instant, end: Instant) {
        self.counts.sent(frame.bytes, sojourn);
        let lost = self.losses.as_mut().is_some_and(|losses| losses.behind(frame.bytes));
        if lost {
            self.counts.totals.lost += 1;
            self.gone.push(frame);
        }
        let passage = match self.line {
            Some(line) => line.pass(frame, end, lost),
            None => Passage::At(frame, end),
        };
        if let Passage::At(frame, at) = passage
            && !lost
        {
            self.out.push_back((at + self.delay, frame));
        }
    }

    fn backlog(&mut self, _packets: u32, _now: Instant) {}
}
