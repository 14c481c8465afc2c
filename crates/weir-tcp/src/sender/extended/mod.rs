//! The extended sender: recovery with selective acknowledgements together with what the senders of today add, which
//! is pacing ([`Pacer`]), Linux's rule of when the window limits, and [`Delivery`] for the congestion control.
//!
//! It is a [`Recovery`] beside the others, so the compiler makes its own copy of the way of an ACK and of a segment:
//! senders that do not pace have nothing of it.

mod accecn;
mod expected;
mod pacing;
mod rate_sample;
mod window_usage;

use weir_types::{Duration, Instant};

use self::{
    accecn::SenderEcn,
    pacing::Pacer,
    rate_sample::{Sampler, micros},
    window_usage::WindowUsage,
};
use super::{Connection, Rest};
use crate::{
    AckOptions, Flags, Segment, TcpParameters,
    congestion::{Ack, Congestion, Delivery},
    recovery::{NextSegment, Recovery, RecoveryConfig, Report, Sack, SackParameters},
};

/// Selective acknowledgements, pacing and what else a sender of today keeps.
#[derive(Clone, Debug)]
pub(crate) struct Extended {
    sack: Sack,
    pacer: Pacer,
    usage: WindowUsage,
    ecn: SenderEcn,
    /// If the congestion control asks for samples of the delivery rate.
    sampler: Option<Sampler>,
    /// Segments delivered so far, the SYN not among them.
    delivered: u64,
    /// Segments found lost so far.
    lost: u64,
    min_rtt: Duration,
}

/// Facts that an ACK reports to an extended sender.
pub(crate) struct News {
    report: Report,
    /// Segments in the network before it.
    flight: u32,
    /// It acknowledges the SYN, which does not count as delivered.
    of_syn: bool,
    /// Segments that it is the first to report as marked, if feedback is accurate.
    marked: u32,
    /// Its ACE field.
    ace: u8,
}

/// Facts that the congestion control is told of an ACK, besides its number.
struct Heard {
    rtt: Duration,
    /// If there was no round trip before.
    smoothed: Duration,
    newly: u32,
    marked: u32,
    lost: u32,
    /// Segments in the network before it.
    flight: u32,
    of_syn: bool,
}

impl Extended {
    /// Nothing sent. Call [`TcpParameters::check`] first.
    pub(crate) fn new(parameters: &TcpParameters) -> Self {
        let sack = match &parameters.recovery {
            RecoveryConfig::Sack(sack) => *sack,
            _ => SackParameters::default(),
        };
        let mut sack = Sack::new(&sack);
        sack.goes_on = parameters.congestion.samples();
        Self {
            sack,
            pacer: Pacer::new(parameters.pacing),
            usage: WindowUsage::default(),
            ecn: SenderEcn::new(parameters),
            sampler: parameters.congestion.samples().then(Sampler::new),
            delivered: 0,
            lost: 0,
            min_rtt: Duration::MAX,
        }
    }

    /// The state of recovery.
    pub(crate) const fn sack(&self) -> &Sack {
        &self.sack
    }

    /// The rate of pacing; `None` before there is one.
    pub(crate) fn segments_per_second(&self) -> Option<f64> {
        self.pacer.segments_per_second()
    }

    /// Segments found lost that were not sent again. What is sent again before it is found lost is in the pipe twice.
    fn lost_now(&self) -> u32 {
        let board = &self.sack.board;
        (board.high() - board.una() - board.sacked().count()).saturating_sub(self.sack.pipe())
    }

    /// Does what may find losses, counts them and tells the congestion control of each.
    fn counting_losses(
        &mut self,
        connection: &mut Connection,
        now: Instant,
        act: impl FnOnce(&mut Sack, &mut Connection),
    ) -> u32 {
        let before = self.lost_now();
        act(&mut self.sack, connection);
        let new = self.lost_now().saturating_sub(before);
        self.lost += u64::from(new);
        if new > 0
            && let (Some(sampler), Some(rack)) = (&mut self.sampler, &self.sack.rack)
        {
            for number in rack.lost().iter().flat_map(|(first, last)| first..last) {
                if let Some(lost) = sampler.lost(number, self.delivered, now) {
                    connection.congestion.on_segment_lost(&lost);
                }
            }
        }
        new
    }

    /// Notes which segments an ACK is the first to report, before recovery does.
    #[inline]
    fn note_arrivals(&mut self, ack: &Segment, options: &AckOptions) {
        let Some(sampler) = &mut self.sampler else { return };
        let (una, sacked) = (self.sack.board.una(), self.sack.board.sacked());
        if ack.number > una {
            sampler.advance(ack.number, |number| sacked.contains(number));
        }
        for (first, last) in options.blocks {
            let mut number = sacked.gap_from(first.max(ack.number).max(una));
            while number < last {
                sampler.arrived(number);
                number = sacked.gap_from(number + 1);
            }
        }
    }

    /// Returns true if the window limits the sender, where nothing may leave, perhaps since the window is `full`;
    /// `flight` segments are in the network.
    #[inline]
    fn is_limited(&mut self, connection: &Connection, full: bool, flight: u32) -> bool {
        if !full
            && connection.next >= connection.end
            && let Some(sampler) = &mut self.sampler
            && self.sack.rack.as_ref().is_none_or(|rack| rack.lost().is_empty())
        {
            sampler.limit_by_application(self.delivered, flight);
        }
        self.usage.judge(connection, full)
    }

    /// Tells the congestion control of an ACK.
    #[inline]
    fn deliver(&mut self, connection: &mut Connection, heard: &Heard, now: Instant) {
        let sample =
            self.sampler.as_mut().and_then(|sampler| sampler.take(self.delivered, self.min_rtt, now));
        let sample = sample.filter(|_| !heard.of_syn);
        let rtt = sample.and_then(|sample| sample.rtt).unwrap_or(heard.rtt);
        let rtt = if self.sampler.is_some() { micros(Instant::ZERO, Instant::ZERO + rtt) } else { rtt };
        if sample.is_none_or(|sample| sample.rtt.is_some()) {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let limits = connection.congestion.limits_itself();
        let delivery = Delivery {
            now,
            rtt,
            smoothed: connection.rtt.smoothed().unwrap_or(heard.smoothed),
            newly: heard.newly,
            marked: heard.marked,
            delivered: self.delivered,
            lost: heard.lost,
            lost_so_far: self.lost,
            una: connection.una,
            high: connection.high,
            flight: self.sack.pipe(),
            flight_before: heard.flight,
            limited: connection.window_limited,
            full: self.usage.full,
            state: self.sack.state(connection.una),
            min_rtt: self.min_rtt,
            next_release: self.pacer.next().max(now),
            bytes: connection.header.bytes(),
            payload: connection.payload(),
            sample,
        };
        connection.congestion.on_delivery(&delivery, &mut connection.window);
        if connection.end == u32::MAX
            && let Some(bytes) = connection.congestion.segment_bytes()
        {
            connection.header = connection.header.with_bytes(bytes);
        }
        let limits = limits || connection.congestion.limits_itself();
        if limits && let Some(sampler) = &mut self.sampler {
            sampler.limit_by_application(self.delivered, self.sack.pipe());
        }
    }
}

/// Delegates to recovery, and adds what is due.
impl Recovery for Extended {
    type News = News;

    const REST: Rest = Rest::Extended;

    fn count_from(&mut self, first: u32) {
        self.sack.count_from(first);
        if let Some(sampler) = &mut self.sampler {
            sampler.count_from(first);
        }
    }

    #[inline]
    fn take_in(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        options: &AckOptions,
        now: Instant,
    ) -> Option<News> {
        let flight = self.sack.pipe();
        if ack.number <= connection.high {
            self.note_arrivals(ack, options);
        }
        let mut report = self.sack.take_in(connection, ack, options, now)?;
        let marked = self.ecn.marked(connection, ack, options.accecn, report.delivered());
        if self.ecn.is_accurate() {
            report.count_marks(marked);
        }
        Some(News { report, flight, of_syn: connection.is_connecting(), marked, ace: ack.flags().ace() })
    }

    #[inline]
    fn event(&self, connection: &Connection, ack: &Segment, news: &News, now: Instant) -> Ack {
        self.sack.event(connection, ack, &news.report, now)
    }

    #[inline]
    fn echoes(&self, connection: &Connection, ack: &Segment, news: &News) -> bool {
        if self.ecn.is_accurate() {
            return news.marked > 0;
        }
        // The bits of a SYN-ACK agree on ECN and echo nothing (RFC 3168, section 6.1.1; RFC 9768, table 2).
        !news.of_syn && !ack.flags().has(Flags::SYN) && self.sack.echoes(connection, ack, &news.report)
    }

    #[inline]
    fn covers_more(&self, acked: u32) -> bool {
        self.sack.covers_more(acked)
    }

    fn on_mark(&mut self, connection: &mut Connection, news: &News, now: Instant) {
        self.sack.on_mark(connection, &news.report, now);
    }

    #[inline]
    fn on_advance(&mut self) {
        self.sack.on_advance();
    }

    #[inline]
    fn on_new_data(
        &mut self,
        connection: &mut Connection,
        ack: &Segment,
        covered: u32,
        echo: bool,
        news: &News,
        now: Instant,
    ) {
        self.sack.on_new_data(connection, ack, covered, echo, &news.report, now);
    }

    #[inline]
    fn on_duplicate(&mut self, connection: &mut Connection, now: Instant) {
        self.sack.on_duplicate(connection, now);
    }

    #[inline]
    fn after_ack(&mut self, connection: &mut Connection, advances: bool, news: &News, now: Instant) {
        if news.of_syn && advances {
            self.ecn.on_syn_ack(connection, news.ace);
        }
        let newly = if news.of_syn { 0 } else { news.report.delivered() };
        self.delivered += u64::from(newly);
        let lost = self.counting_losses(connection, now, |sack, connection| {
            sack.after_ack(connection, advances, &news.report, now);
        });
        let Ack { rtt, smoothed, .. } = news.report.event();
        let News { marked, flight, of_syn, .. } = *news;
        self.deliver(connection, &Heard { rtt, smoothed, newly, marked, lost, flight, of_syn }, now);
        self.pacer.follow(connection, self.min_rtt);
    }

    fn leave(&mut self, high: u32) {
        self.sack.leave(high);
    }

    fn on_timeout(&mut self, connection: &mut Connection, now: Instant) {
        self.counting_losses(connection, now, |sack, connection| sack.on_timeout(connection, now));
        self.pacer.wake();
    }

    fn on_wake(&mut self, connection: &mut Connection, now: Instant) {
        self.pacer.wake();
        if self.sack.due() <= now {
            self.counting_losses(connection, now, |sack, connection| sack.on_wake(connection, now));
        }
    }

    #[inline]
    fn due(&self) -> Instant {
        self.sack.due().min(self.pacer.due())
    }

    #[inline]
    fn flight(&self, connection: &Connection) -> f64 {
        self.sack.flight(connection)
    }

    fn next_segment(&self, connection: &Connection) -> Option<NextSegment> {
        self.sack.next_segment(connection)
    }

    fn next_repair(&self, connection: &Connection) -> Option<NextSegment> {
        self.sack.next_repair(connection)
    }

    #[inline]
    fn next_at(&mut self, connection: &Connection, now: Instant) -> Option<NextSegment> {
        let next = self.sack.next_segment(connection);
        self.pacer.release(next, now)
    }

    fn repair_at(&mut self, connection: &Connection, now: Instant) -> Option<NextSegment> {
        let next = self.sack.next_segment(connection);
        if next == Some(NextSegment::New) {
            self.pacer.end_burst();
        }
        self.pacer.release(next, now).filter(|next| *next != NextSegment::New)
    }

    #[inline]
    fn has_room(&self, connection: &Connection) -> bool {
        self.sack.has_room(connection)
    }

    fn has_room_at(&self, connection: &Connection, now: Instant) -> bool {
        self.pacer.is_free(now) && self.sack.has_room(connection)
    }

    #[inline]
    fn is_at_rest(&mut self, connection: &Connection) -> bool {
        // A control that takes samples does not look at marks.
        let hears_all = self.sampler.is_some() || connection.congestion.answers_marks();
        hears_all && self.sack.repairs_nothing() && !connection.ecn.asks_routers && self.ecn.is_classic()
    }

    #[inline]
    fn is_window_limited(&mut self, connection: &Connection) -> bool {
        let full = self.sack.is_window_limited(connection);
        self.is_limited(connection, full, self.sack.pipe())
    }

    #[inline]
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        let syn = connection.is_connecting();
        let idle = connection.una == connection.high;
        let mut segment = self.sack.send(connection, next, now);
        self.ecn.declare(connection, &mut segment, syn);
        if let Some(sampler) = &mut self.sampler {
            sampler.sent(segment.number, self.sack.pipe(), idle, self.delivered, now);
            if next != NextSegment::New && segment.number == connection.una {
                // What was sent again may be lost again: that is found before the timer expires
                // (`tcp_xmit_retransmit_queue`).
                connection.restart_timer(now);
            }
        }
        self.pacer.sent(now, syn);
        self.usage.sent = true;
        segment
    }
}
