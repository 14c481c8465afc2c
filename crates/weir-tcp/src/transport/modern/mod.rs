//! The transport of a sender that paces or counts marks, beside recovery with selective acknowledgements. It has
//! pacing ([`Pacer`]), samples of the delivery rate ([`Sampler`]) and accurate ECN feedback ([`SenderEcn`]). It also
//! has Linux's rule of when the window limits ([`WindowUsage`]), and [`Delivery`] for the congestion control.

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
use super::{Departure, Transport};
use crate::{
    AckOptions, Flags, Segment, TcpParameters,
    accecn::AccEcnOption,
    congestion::{Ack, Counts, Delivery, Pace, Signal},
    connection::{Connection, Rest},
    recovery::{NextSegment, Recovery, Report, Sack},
};

/// Pacing, samples of the delivery rate, and the counts of marks.
#[derive(Clone, Debug)]
pub(crate) struct Modern {
    pacer: Pacer,
    usage: WindowUsage,
    ecn: SenderEcn,
    /// State of sampling; `None` unless the congestion control asks for samples of the delivery rate.
    sampler: Option<Sampler>,
    /// Segments delivered so far, the SYN not among them.
    delivered: u64,
    /// Segments found lost so far.
    lost: u64,
    min_rtt: Duration,
}

/// Facts about an ACK, and about the sender before it.
pub(crate) struct Before {
    /// Segments in the network before it.
    flight: u32,
    /// It acknowledges the SYN, which does not count as delivered.
    of_syn: bool,
    /// Its ACE field.
    ace: u8,
    /// Its counters of accurate ECN, if it bears any.
    option: Option<AccEcnOption>,
    /// Segments that it is the first to report as marked, if feedback is accurate.
    marked: u32,
}

/// Facts about the segments that an ACK is the first to report, for the congestion control.
struct Arrival {
    /// From sending the segment that caused the ACK until now.
    rtt: Duration,
    /// The smoothed round trip; that of this ACK before there is one.
    smoothed: Duration,
    /// Segments that it is the first to report.
    newly: u32,
    /// Segments among them that arrived marked.
    marked: u32,
    /// Segments that it shows to be lost.
    lost: u32,
    /// Segments in the network before it.
    flight: u32,
    /// It acknowledges the SYN.
    of_syn: bool,
}

impl Modern {
    /// Nothing sent; segments count from `first`. Call [`TcpParameters::check`] first.
    pub(crate) fn new(parameters: &TcpParameters, first: u32) -> Self {
        Self {
            pacer: Pacer::new(parameters.pacing),
            usage: WindowUsage::default(),
            ecn: SenderEcn::new(parameters),
            sampler: parameters.congestion.samples().then(|| Sampler::new(first)),
            delivered: 0,
            lost: 0,
            min_rtt: Duration::MAX,
        }
    }

    /// The rate of pacing; `None` before there is one.
    pub(crate) fn segments_per_second(&self) -> Option<f64> {
        self.pacer.segments_per_second()
    }

    /// Segments found lost that were not sent again. What is sent again before it is found lost is in the pipe twice.
    fn lost_now(recovery: &Sack) -> u32 {
        let board = &recovery.board;
        (board.high() - board.una() - board.sacked().count()).saturating_sub(recovery.pipe())
    }

    /// Does what may find losses, counts them and tells the congestion control of each.
    fn counting_losses(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        now: Instant,
        act: impl FnOnce(&mut Sack, &mut Connection),
    ) -> u32 {
        let before = Self::lost_now(recovery);
        act(recovery, connection);
        let new = Self::lost_now(recovery).saturating_sub(before);
        self.lost += u64::from(new);
        if new > 0
            && let (Some(sampler), Some(rack)) = (&mut self.sampler, &recovery.rack)
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
    fn note_arrivals(&mut self, recovery: &Sack, ack: &Segment, options: &AckOptions) {
        let Some(sampler) = &mut self.sampler else { return };
        let (una, sacked) = (recovery.board.una(), recovery.board.sacked());
        if ack.number > una {
            sampler.advance(ack.number, |number| sacked.contains(number));
        }
        for (first, last) in recovery.untold(options) {
            let mut number = sacked.gap_from(first.max(ack.number).max(una));
            while number < last {
                sampler.arrived(number);
                number += 1;
                if number < last {
                    number = sacked.gap_from(number);
                }
            }
        }
    }

    /// Returns true if the window limits the sender, where nothing may leave, perhaps since the window is `full`;
    /// `flight` segments are in the network.
    #[inline]
    fn limits(&mut self, connection: &Connection, recovery: &Sack, full: bool, flight: u32) -> bool {
        if !full
            && connection.next >= connection.end
            && let Some(sampler) = &mut self.sampler
            && recovery.rack.as_ref().is_none_or(|rack| rack.lost().is_empty())
        {
            sampler.limit_by_application(self.delivered, flight);
        }
        self.usage.classify(connection, full)
    }

    /// Counts for the congestion control, at an event that no ACK causes.
    fn counts(&self, connection: &Connection, sampler: &Sampler, now: Instant) -> Counts {
        Counts {
            now,
            delivered: self.delivered,
            delivered_at: sampler.delivered_at(),
            lost_so_far: self.lost,
            payload: connection.payload(),
        }
    }

    /// A segment leaves while no other is in the network (`CA_EVENT_TX_START`). Returns true if the congestion control
    /// was told, as the application limits samples.
    fn restart(&mut self, connection: &mut Connection, now: Instant) -> bool {
        let Some(sampler) = self.sampler.as_ref().filter(|sampler| sampler.is_limited()) else {
            return false;
        };
        let counts = self.counts(connection, sampler, now);
        connection.congestion.on_restart(&counts, &mut connection.window);
        self.pacer.follow(connection, connection.congestion.pace().rate, self.min_rtt);
        true
    }

    /// Notes for samples that a segment leaves, as [`Sampler::sent`] does.
    #[inline]
    fn note_sent(&mut self, number: u32, flight: u32, idle: bool, now: Instant) {
        if let Some(sampler) = &mut self.sampler {
            sampler.sent(number, flight, idle, self.delivered, now);
        }
    }

    /// Tells the congestion control of an ACK, and takes over what it sets.
    #[inline]
    fn deliver(&mut self, connection: &mut Connection, recovery: &mut Sack, arrival: &Arrival, now: Instant) {
        let sample = self.sampler.as_mut().and_then(|sampler| {
            sampler.take(self.delivered, self.min_rtt, recovery.take_told_of_tail(), now)
        });
        let sample = sample.filter(|_| !arrival.of_syn);
        let rtt = sample.and_then(|sample| sample.rtt).unwrap_or(arrival.rtt);
        let rtt = if self.sampler.is_some() { micros(Instant::ZERO, Instant::ZERO + rtt) } else { rtt };
        if sample.is_none_or(|sample| sample.rtt.is_some()) {
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let delivery = Delivery {
            now,
            rtt,
            smoothed: connection.rtt.smoothed().unwrap_or(arrival.smoothed),
            newly: arrival.newly,
            marked: arrival.marked,
            delivered: self.delivered,
            lost: arrival.lost,
            lost_so_far: self.lost,
            una: connection.una,
            high: connection.high,
            flight: recovery.pipe(),
            flight_before: arrival.flight,
            limited: connection.window_limited,
            full: self.usage.full,
            state: recovery.state(connection.una),
            min_rtt: self.min_rtt,
            next_release: self.pacer.next().max(now),
            bytes: connection.header.bytes(),
            payload: connection.payload(),
            sample,
        };
        connection.congestion.on_delivery(&delivery, &mut connection.window);
        let Pace { rate, bytes, limits_itself } = connection.congestion.pace();
        if connection.end == u32::MAX
            && let Some(bytes) = bytes
        {
            connection.header = connection.header.with_bytes(bytes);
        }
        if limits_itself && let Some(sampler) = &mut self.sampler {
            sampler.limit_by_application(self.delivered, recovery.pipe());
        }
        self.pacer.follow(connection, rate, self.min_rtt);
    }
}

impl Transport<Sack> for Modern {
    type Before = Before;

    const REST: Rest = Rest::Modern;

    #[inline]
    fn before_ack(
        &mut self,
        connection: &Connection,
        recovery: &Sack,
        ack: &Segment,
        options: &AckOptions,
    ) -> Before {
        let flight = recovery.pipe();
        if ack.number <= connection.high {
            self.note_arrivals(recovery, ack, options);
        }
        let (of_syn, ace) = (connection.is_connecting(), ack.flags().ace());
        Before { flight, of_syn, ace, option: options.accecn, marked: 0 }
    }

    #[inline]
    fn reads_marks(
        &mut self,
        connection: &Connection,
        ack: &Segment,
        before: &mut Before,
        report: &mut Report,
    ) -> bool {
        if self.ecn.is_accurate() {
            let (marked, feedback) = self.ecn.marked(connection, ack, before.option, report.delivered());
            self.ecn.takes(feedback);
            before.marked = marked;
            report.count_marks(before.marked);
            return before.marked > 0;
        }
        // The bits of a SYN-ACK agree on ECN and echo nothing (RFC 3168, section 6.1.1; RFC 9768, table 2).
        let echoes = connection.parameters.ecn && ack.flags().has(Flags::ECE);
        echoes && !before.of_syn && !ack.flags().has(Flags::SYN)
    }

    #[inline]
    fn after_ack(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        before: &Before,
        advances: bool,
        report: &Report,
        now: Instant,
    ) {
        let Before { flight, of_syn, ace, marked, .. } = *before;
        if of_syn && advances {
            self.ecn.on_syn_ack(connection, ace);
        }
        let newly = if of_syn { 0 } else { report.delivered() };
        self.delivered += u64::from(newly);
        let lost = self.counting_losses(connection, recovery, now, |recovery, connection| {
            recovery.after_ack(connection, advances, report, now);
        });
        let Ack { rtt, smoothed, .. } = report.event();
        let arrival = Arrival { rtt, smoothed, newly, marked, lost, flight, of_syn };
        self.deliver(connection, recovery, &arrival, now);
    }

    fn on_timeout(
        &mut self,
        connection: &mut Connection,
        recovery: &mut Sack,
        signal: Option<Signal>,
        now: Instant,
    ) {
        // The control learns of the losses first, as in Linux (`tcp_enter_loss`).
        self.counting_losses(connection, recovery, now, |recovery, connection| {
            recovery.on_timeout(connection, now);
        });
        if let Some(signal) = signal {
            connection.cut_for_timeout(signal);
            if let Some(sampler) = &self.sampler {
                let counts = self.counts(connection, sampler, now);
                connection.congestion.on_expiry(&counts);
            }
        }
        self.pacer.wake();
    }

    fn on_wake(&mut self, connection: &mut Connection, recovery: &mut Sack, now: Instant) {
        self.pacer.wake();
        if recovery.due() <= now {
            self.counting_losses(connection, recovery, now, |recovery, connection| {
                recovery.on_wake(connection, now);
            });
        }
    }

    #[inline]
    fn due(&self) -> Instant {
        self.pacer.due()
    }

    #[inline]
    fn release(&mut self, next: Option<NextSegment>, now: Instant) -> Option<NextSegment> {
        self.pacer.release(next, now)
    }

    #[inline]
    fn end_burst(&mut self) {
        self.pacer.end_burst();
    }

    #[inline]
    fn is_free(&self, now: Instant) -> bool {
        self.pacer.is_free(now)
    }

    #[inline]
    fn on_sent(
        &mut self,
        connection: &mut Connection,
        recovery: &Sack,
        segment: &mut Segment,
        Departure { syn, idle }: Departure,
        now: Instant,
    ) {
        self.ecn.declare(connection, segment, syn);
        if self.sampler.is_some() {
            if recovery.pipe() == 1 {
                self.restart(connection, now);
            }
            self.note_sent(segment.number, recovery.pipe(), idle, now);
            if segment.flags().has(Flags::RETRANSMISSION) && segment.number == connection.una {
                // What was sent again may be lost again: that is found before the timer expires
                // (`tcp_xmit_retransmit_queue`).
                connection.restart_timer(now);
            }
        }
        self.pacer.sent(now, syn);
        self.usage.sent = true;
    }

    #[inline]
    fn is_limited(&mut self, connection: &Connection, recovery: &Sack, full: bool) -> bool {
        self.limits(connection, recovery, full, recovery.pipe())
    }

    #[inline]
    fn may_rest(&self, connection: &Connection) -> bool {
        // A control that takes samples does not look at single marks, and counts are read on the fast path, too.
        let misses_no_mark = self.ecn.is_accurate()
            || self.ecn.is_classic() && (self.sampler.is_some() || connection.congestion.answers_marks());
        misses_no_mark && !connection.ecn.asks_routers
    }
}
