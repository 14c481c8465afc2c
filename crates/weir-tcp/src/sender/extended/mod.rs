//! The extended sender: recovery with selective acknowledgements together with what the senders of today add, which
//! is pacing ([`Pacer`]), Linux's rule of when the window limits, and [`Delivery`] for the congestion control.
//!
//! It is a [`Recovery`] beside the others, so the compiler makes its own copy of the way of an ACK and of a segment:
//! senders that do not pace have nothing of it. It never takes the short way of the usual ACK.

mod accecn;
mod pacing;
mod rate_sample;

use weir_types::{Duration, Instant};

use self::{accecn::SenderEcn, pacing::Pacer, rate_sample::Sampler};
use super::Connection;
use crate::{
    Segment, TcpParameters,
    congestion::{Ack, Congestion, Delivery},
    recovery::{Blocks, NextSegment, Recovery, RecoveryConfig, Report, Sack, SackParameters},
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
    /// Segments found lost since the last ACK.
    lost: u32,
    min_rtt: Duration,
}

/// What an ACK reports.
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

impl Extended {
    /// Nothing sent. Call [`TcpParameters::check`] first.
    pub(crate) fn new(parameters: &TcpParameters) -> Self {
        let sack = match &parameters.recovery {
            RecoveryConfig::Sack(sack) => *sack,
            _ => SackParameters::default(),
        };
        Self {
            sack: Sack::new(&sack),
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

    /// Segments found lost that were not sent again.
    fn lost_now(&self) -> u32 {
        let board = &self.sack.board;
        board.high() - board.una() - board.sacked().count() - self.sack.pipe()
    }

    /// Does what may find losses, counts them and tells the congestion control of each.
    fn counting_losses(&mut self, connection: &mut Connection, act: impl FnOnce(&mut Sack, &mut Connection)) {
        let before = self.lost_now();
        act(&mut self.sack, connection);
        let new = self.lost_now().saturating_sub(before);
        self.lost += new;
        if new > 0
            && let (Some(sampler), Some(rack)) = (&mut self.sampler, &self.sack.rack)
        {
            for number in rack.lost().iter().flat_map(|(first, last)| first..last) {
                if let Some(lost) = sampler.lost(number, self.delivered) {
                    connection.congestion.on_segment_lost(&lost);
                }
            }
        }
    }

    /// Notes which segments an ACK is the first to report, before recovery does.
    #[inline]
    fn note_arrivals(&mut self, ack: &Segment, blocks: &Blocks) {
        let Some(sampler) = &mut self.sampler else { return };
        let (una, sacked) = (self.sack.board.una(), self.sack.board.sacked());
        if ack.number > una {
            sampler.advance(ack.number, |number| sacked.contains(number));
        }
        for &(first, last) in blocks {
            let mut number = sacked.gap_from(first.max(ack.number).max(una));
            while number < last {
                sampler.arrived(number);
                number = sacked.gap_from(number + 1);
            }
        }
    }

    /// Tells the congestion control of an ACK.
    fn deliver(&mut self, connection: &mut Connection, news: &News, now: Instant) {
        let Ack { rtt, smoothed, .. } = news.report.event();
        let newly = if news.of_syn { 0 } else { news.report.delivered() };
        self.delivered += u64::from(newly);
        let sample =
            self.sampler.as_mut().and_then(|sampler| sampler.take(self.delivered, self.min_rtt, now));
        let sample = sample.filter(|_| !news.of_syn);
        let rtt = sample.and_then(|sample| sample.rtt).unwrap_or(rtt);
        if sample.is_none_or(|sample| sample.rtt.is_some()) {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let limits = connection.congestion.limits_itself();
        if limits && let Some(sampler) = &mut self.sampler {
            sampler.limit_by_application(self.delivered, self.sack.pipe());
        }
        let delivery = Delivery {
            now,
            rtt,
            smoothed: connection.rtt.smoothed().unwrap_or(smoothed),
            newly,
            marked: news.marked,
            delivered: self.delivered,
            lost: core::mem::take(&mut self.lost),
            una: connection.una,
            high: connection.high,
            flight: self.sack.pipe(),
            flight_before: news.flight,
            limited: connection.window_limited,
            state: self.sack.state(connection.una),
            min_rtt: self.min_rtt,
            next_release: self.pacer.next().max(now),
            payload: connection.payload(),
            sample,
        };
        connection.congestion.on_delivery(&delivery, &mut connection.window);
    }
}

/// Delegates to recovery, and adds what is due.
impl Recovery for Extended {
    type News = News;

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
        blocks: &Blocks,
        now: Instant,
    ) -> Option<News> {
        let flight = self.sack.pipe();
        let mut blocks = *blocks;
        let option = self.ecn.option(&mut blocks);
        if ack.number <= connection.high {
            self.note_arrivals(ack, &blocks);
        }
        let report = self.sack.take_in(connection, ack, &blocks, now)?;
        let marked = self.ecn.marked(connection, ack, option, report.delivered());
        Some(News { report, flight, of_syn: connection.is_connecting(), marked, ace: ack.flags().ace() })
    }

    #[inline]
    fn event(&self, connection: &Connection, ack: &Segment, news: &News, now: Instant) -> Ack {
        let event = self.sack.event(connection, ack, &news.report, now);
        let marked = news.marked;
        if self.ecn.is_accurate() { Ack { echo: marked > 0, marked, ..event } } else { event }
    }

    #[inline]
    fn echoes(&self, connection: &Connection, ack: &Segment, news: &News) -> bool {
        if self.ecn.is_accurate() { news.marked > 0 } else { self.sack.echoes(connection, ack, &news.report) }
    }

    #[inline]
    fn covers_more(&self, acked: u32) -> bool {
        // No flag need reach the receiver before the next cut.
        if self.ecn.is_accurate() { self.sack.covers_all(acked) } else { self.sack.covers_more(acked) }
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
        self.counting_losses(connection, |sack, connection| {
            sack.after_ack(connection, advances, &news.report, now);
        });
        self.deliver(connection, news, now);
        self.pacer.follow(connection, self.min_rtt);
    }

    fn leave(&mut self, high: u32) {
        self.sack.leave(high);
    }

    fn on_timeout(&mut self, connection: &mut Connection, now: Instant) {
        self.counting_losses(connection, |sack, connection| sack.on_timeout(connection, now));
        self.pacer.wake();
    }

    fn on_wake(&mut self, connection: &mut Connection, now: Instant) {
        self.pacer.wake();
        if self.sack.due() <= now {
            self.counting_losses(connection, |sack, connection| sack.on_wake(connection, now));
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
    fn is_at_rest(&mut self, _: &Connection) -> bool {
        false
    }

    #[inline]
    fn is_window_limited(&mut self, connection: &Connection) -> bool {
        let full = self.sack.is_window_limited(connection);
        if !full
            && connection.next >= connection.end
            && let Some(sampler) = &mut self.sampler
            && self.sack.rack.as_ref().is_none_or(|rack| rack.lost().is_empty())
        {
            sampler.limit_by_application(self.delivered, self.sack.pipe());
        }
        self.usage.judge(connection, full)
    }

    #[inline]
    fn send(&mut self, connection: &mut Connection, next: NextSegment, now: Instant) -> Segment {
        let syn = connection.is_connecting();
        let idle = connection.una == connection.high;
        let mut segment = self.sack.send(connection, next, now);
        self.ecn.declare(connection, &mut segment, syn);
        if let Some(sampler) = &mut self.sampler {
            sampler.sent(segment.number, self.sack.pipe(), idle, self.delivered, now);
        }
        self.pacer.sent(now, syn);
        self.usage.sent = true;
        segment
    }
}

/// Whether the window limits the sender, as Linux has it: whether it was full at any moment since a window of data
/// began. A window in which pacing alone held the sender back does not count.
#[derive(Clone, Copy, Debug, Default)]
struct WindowUsage {
    /// Something has left since it was last judged.
    sent: bool,
    full: bool,
    /// The greatest number outstanding.
    most: u32,
    /// The window of data ends when all below is acknowledged.
    until: u32,
}

impl WindowUsage {
    /// Nothing may leave now, perhaps since the window is `full`. In slow start the window also limits if it is not
    /// twice what was outstanding.
    fn judge(&mut self, connection: &Connection, full: bool) -> bool {
        let outstanding = connection.high - connection.una;
        if core::mem::take(&mut self.sent) || full {
            let new_window = connection.una >= self.until;
            if new_window || full || !self.full && outstanding > self.most {
                *self = Self { sent: false, full, most: outstanding, until: connection.next };
            }
        }
        let window = connection.window;
        self.full || window.cwnd < window.ssthresh && window.cwnd < 2.0 * f64::from(self.most)
    }
}
