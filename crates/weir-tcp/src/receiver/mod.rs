mod accecn;
mod accurate;
mod beyond;
mod compression;
mod held;
mod log;
mod reporter;
mod state;

use alloc::boxed::Box;

use weir_types::{Duration, Ecn, Instant, PacketSize};

use self::beyond::Beyond;
pub use self::reporter::Reporter;
use crate::{
    AckOptions, Declared, Flags, Header, Segment, TcpParameters, congestion::Feedback,
    recovery::RecoveryConfig,
};

/// The receiving side of a connection: acknowledges, and counts what arrives for the first
/// time.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The lowest number that has not arrived.
    expected: u32,
    /// The number of the first segment.
    first: u32,
    /// Distinct data segments, the SYN not among them.
    delivered: u32,
    /// All segments: the SYN and what came twice among them.
    arrived: u32,
    /// Segments that arrived with the mark of a queue.
    marked: u32,
    /// Segments that arrived beyond `expected`.
    beyond: Beyond,
    /// Reports of its ACKs besides their number; `None` if there are none.
    reporter: Option<Box<Reporter>>,
    /// ACKs bear an echo: a mark arrived and the sender has not yet said that it cut its window; if
    /// feedback is exact, the last segment was marked.
    echo: bool,
    feedback: Feedback,
    /// Every segment in order is acknowledged at once, and marks are latched.
    at_once: bool,
    /// `at_once` holds, nothing has arrived beyond `expected`, and marks are not counted.
    steady: bool,
    /// Every second segment in order is acknowledged, and nothing has arrived beyond `expected`.
    pairs: bool,
    /// All routers on the path of the last segment understand ECN; only if its sender asked.
    capable: bool,
    /// When the delayed ACK is due; [`Instant::MAX`] if there is none.
    due: Instant,
    /// Stamp of the first segment whose ACK is being delayed, if one is.
    stamp: Instant,
    /// ACKs are delayed, and for how long.
    delays: bool,
    delay: Duration,
    /// ACKs that report a change of marks are not delayed.
    prompt: bool,
    /// ACKs that are still sent at once in spite of `delay`.
    quick: u32,
    ack_size: PacketSize,
    /// The ECN bits of ACKs, and of the answer to a SYN.
    declared: [Ecn; 2],
    flow: u32,
}

impl Receiver {
    /// The other end of connection `flow`.
    pub fn new(flow: u32, parameters: &TcpParameters) -> Self {
        let classic = parameters.congestion.feedback();
        let at_once = parameters.delayed_ack.is_none() && classic == Feedback::Latched;
        let feedback = if parameters.accecn { Feedback::Accurate } else { classic };
        let declared = Declared::of_receiver(parameters);
        let is_sack = matches!(parameters.recovery, RecoveryConfig::Sack(_));
        Self {
            expected: 0,
            first: 0,
            delivered: 0,
            arrived: 0,
            marked: 0,
            beyond: Beyond::default(),
            reporter: is_sack.then(|| Box::new(Reporter::new(parameters))),
            echo: false,
            feedback,
            at_once,
            steady: at_once && feedback != Feedback::Accurate,
            pairs: false,
            capable: false,
            due: Instant::MAX,
            stamp: Instant::ZERO,
            delays: parameters.delayed_ack.is_some(),
            delay: parameters.delayed_ack.unwrap_or_default(),
            prompt: parameters.immediate_ecn_echo,
            quick: parameters.quickack_segments,
            ack_size: parameters.ack_size,
            declared: [declared.ack, declared.syn_ack],
            flow,
        }
    }

    /// The other end of [`Sender::counting_from`](crate::Sender::counting_from).
    #[must_use]
    pub const fn counting_from(mut self, first: u32) -> Self {
        (self.first, self.expected) = (first, first);
        self
    }

    /// The lowest number that has not arrived.
    #[inline]
    pub const fn expected(&self) -> u32 {
        self.expected
    }

    /// Returns true if data takes the fast path: it is the next, nothing has arrived beyond it, and it is
    /// acknowledged at once.
    #[inline]
    pub const fn expects(&self, segment: &Segment) -> bool {
        self.steady && segment.number == self.expected
    }

    /// Returns true if its ACKs echo a mark once this data has arrived, if marks are latched.
    #[inline]
    pub fn echoes_after(&self, segment: &Segment) -> bool {
        if segment.is_silent() {
            return self.echo;
        }
        tells_of_congestion(segment) || self.echo && !segment.flags().has(Flags::CWR)
    }

    /// Data has arrived. Returns its ACK, unless that is delayed.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment, now: Instant) -> Option<Segment> {
        if self.expects(segment) {
            self.on_expected(segment, self.echoes_after(segment));
            return Some(self.ack_of(segment));
        }
        if self.at_once && self.reporter.is_none() {
            return self.on_unordered(segment);
        }
        if self.pairs && segment.number == self.expected && self.tells_nothing_new(segment) {
            return self.on_next(segment, now);
        }
        self.on_other(segment, now)
    }

    /// The ACK of this data, which has just arrived as expected.
    #[inline]
    pub fn ack_of(&mut self, segment: &Segment) -> Segment {
        self.ack(segment.stamp, segment.flags().has(Flags::SYN))
    }

    /// Returns true if ACKs echo after this data what they did before, and none is due for what it says.
    #[inline]
    fn tells_nothing_new(&self, segment: &Segment) -> bool {
        let marked = segment.ecn() == Ecn::Ce;
        let same = marked == self.echo || self.feedback == Feedback::Latched && self.echo;
        same && !segment.flags().has(Flags::SYN) && !segment.flags().has(Flags::CWR)
    }

    /// The fast path where every second segment is acknowledged: the first of two arms the timer.
    #[inline]
    fn on_next(&mut self, segment: &Segment, now: Instant) -> Option<Segment> {
        self.count_next(segment);
        if self.delayed().is_some() {
            return Some(self.acknowledge(segment.stamp, false));
        }
        self.delay_ack(segment, now + self.delay);
        None
    }

    /// Data that [`Receiver::expects`] has arrived, and ACKs `echo` after it as [`Receiver::echoes_after`] says. Its
    /// ACK has the number [`Receiver::expected`] and the stamp of the data.
    #[expect(clippy::inline_always, reason = "it is on the fast path of every packet")]
    #[inline(always)]
    pub fn on_expected(&mut self, segment: &Segment, echo: bool) {
        self.echo = echo;
        self.count_next(segment);
    }

    /// Counts data that is the next, without a change of echoes.
    #[expect(clippy::inline_always, reason = "it is on the fast path of every packet")]
    #[inline(always)]
    fn count_next(&mut self, segment: &Segment) {
        self.arrived += 1;
        self.expected += 1;
        self.delivered += 1;
        self.capable = false;
        if !segment.is_silent() {
            self.capable = segment.flags().has(Flags::ALL_CAPABLE);
            self.marked += u32::from(segment.ecn() == Ecn::Ce);
            self.delivered -= u32::from(segment.flags().has(Flags::SYN));
        }
    }

    /// Data arrives in any order at a receiver that acknowledges every segment at once, without SACK blocks.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet in a recovery")]
    #[inline(always)]
    fn on_unordered(&mut self, segment: &Segment) -> Option<Segment> {
        if segment.number < self.first {
            return None;
        }
        self.arrived += 1;
        self.marked += u32::from(segment.ecn() == Ecn::Ce);
        self.capable = segment.flags().has(Flags::ALL_CAPABLE);
        self.echo = self.echoes_after(segment);
        let syn = segment.flags().has(Flags::SYN);
        let new = self.beyond.insert(segment.number, &mut self.expected);
        self.delivered += u32::from(new && !syn);
        self.steady = self.beyond.is_empty();
        Some(self.ack(segment.stamp, syn))
    }

    /// Data that is out of order, or at a receiver that does not acknowledge all at once.
    #[inline(never)]
    fn on_other(&mut self, segment: &Segment, now: Instant) -> Option<Segment> {
        match self.feedback {
            Feedback::Accurate => self.on_accecn(segment, now),
            feedback => self.on_classic(segment, now, feedback),
        }
    }

    /// Data arrives in any order at a receiver with this `feedback`, which does not count marks.
    #[expect(clippy::inline_always, reason = "it is on the way of every packet out of order")]
    #[inline(always)]
    fn on_classic(&mut self, segment: &Segment, now: Instant, feedback: Feedback) -> Option<Segment> {
        let plain = segment.number == self.expected && self.beyond.is_empty();
        if !plain && segment.number < self.first {
            return None;
        }
        let marked = tells_of_congestion(segment);
        self.capable = segment.flags().has(Flags::ALL_CAPABLE);
        self.arrived += 1;
        self.marked += u32::from(segment.ecn() == Ecn::Ce);
        let before = match feedback {
            Feedback::Latched | Feedback::Accurate => {
                let latched = self.echo && !segment.flags().has(Flags::CWR);
                if self.prompt && marked && !latched {
                    self.quick = self.quick.max(2);
                }
                self.echo = marked || latched;
                None
            }
            Feedback::Exact => self.echo_exactly(marked, plain),
        };
        if self.prompt && segment.flags().has(Flags::CWR) {
            self.quick = self.quick.max(1);
        }
        let new = if plain {
            self.expected += 1;
            true
        } else {
            let new = self.beyond.insert(segment.number, &mut self.expected);
            self.steady = self.at_once && self.beyond.is_empty();
            self.note(segment.number, new);
            new
        };
        self.pairs = self.delays && self.quick == 0 && self.beyond.is_empty();
        let syn = segment.flags().has(Flags::SYN);
        self.delivered += u32::from(new && !syn);
        if self.delays && plain && !syn && self.delayed().is_none() && self.quick == 0 {
            self.delay_ack(segment, now + self.delay);
            before
        } else if self.delays && before.is_some() {
            // Two ACKs are to be sent: the earlier one leaves first.
            self.delay_ack(segment, now);
            before
        } else if !plain && self.compresses(segment, new, now) {
            None
        } else {
            self.quick = self.quick.saturating_sub(1);
            Some(self.acknowledge(segment.stamp, syn))
        }
    }

    /// From now on ACKs report segments that are `marked` or not. One ACK cannot report both, so a
    /// delayed ACK leaves first, with the echo of the segments before (RFC 8257, section 3.2).
    #[inline(never)]
    fn echo_exactly(&mut self, marked: bool, plain: bool) -> Option<Segment> {
        let turns = plain && marked != self.echo;
        let before = self.delayed().filter(|_| turns).map(|stamp| self.acknowledge(stamp, false));
        self.echo = marked;
        if turns && self.prompt {
            self.quick = self.quick.max(1);
        }
        before
    }

    /// The delayed ACK is due.
    pub fn on_timeout(&mut self) -> Option<Segment> {
        self.quick = self.quick.saturating_sub(u32::from(self.delayed().is_some()));
        self.release_held();
        let ack = self.delayed().map(|stamp| self.acknowledge(stamp, false));
        if self.feedback == Feedback::Accurate { ack.map(|ack| self.report(ack)) } else { ack }
    }

    /// The ACK of `segment` is delayed until `due`.
    #[inline]
    const fn delay_ack(&mut self, segment: &Segment, due: Instant) {
        (self.stamp, self.due) = (segment.stamp, due);
    }

    /// The stamp of the first segment whose ACK is being delayed, if one is.
    #[inline]
    fn delayed(&self) -> Option<Instant> {
        (self.due < Instant::MAX).then_some(self.stamp)
    }

    /// Options of an ACK of this receiver. To be read once, in the order of arrival.
    pub fn options_of(&mut self, ack: &Segment) -> AckOptions {
        match &mut self.reporter {
            Some(reporter) if ack.options() > 0 => reporter.log.read(ack.options()),
            _ => AckOptions::NONE,
        }
    }

    /// Options of an ACK for an observer on the path: the receiver keeps them.
    pub fn options_in_passing(&self, ack: &Segment) -> AckOptions {
        match &self.reporter {
            Some(reporter) if ack.options() > 0 => reporter.log.peek(ack.options()),
            _ => AckOptions::NONE,
        }
    }

    /// Writes down the block that the next ACK is to show first: the one that `number` has come to lie
    /// in, or `number` itself if it was acknowledged before (RFC 2883).
    fn note(&mut self, number: u32, new: bool) {
        let Some(reporter) = &mut self.reporter else { return };
        if number >= self.expected {
            let (first, last) = self.beyond.around(number);
            reporter.log.arrived(first, last);
        } else if !new {
            reporter.log.arrived_twice(number);
        }
    }

    /// The ACK that is due, perhaps of a SYN.
    #[inline]
    fn acknowledge(&mut self, stamp: Instant, syn: bool) -> Segment {
        // RFC 7323, section 4.3: the earliest of the segments that one ACK covers.
        let stamp = self.delayed().unwrap_or(stamp);
        self.due = Instant::MAX;
        self.ack(stamp, syn)
    }

    #[inline]
    fn ack(&mut self, stamp: Instant, syn: bool) -> Segment {
        let told = Flags::ACK.with(Flags::ECE, self.echo).with(Flags::SYN, syn);
        let flags = told.with(Flags::ALL_CAPABLE, self.capable);
        let header = Header::new(self.ack_size.bytes(), self.declared[usize::from(syn)], flags);
        let place = self.reporter.as_mut().map_or(0, |reporter| reporter.log.write(self.expected));
        Segment { stamp, flow: self.flow, number: self.expected, header: header.with_options(place) }
    }
}

/// Returns true if the segment bears a mark that is echoed: that of a SYN is not (RFC 8257, section 3.5).
#[inline]
fn tells_of_congestion(segment: &Segment) -> bool {
    segment.ecn() == Ecn::Ce && !segment.flags().has(Flags::SYN)
}

#[cfg(test)]
mod tests;
