//! A sender with selective acknowledgements (RFC 6675, section 5): what its ACKs cause, and what leaves
//! while `pipe` is below the window. The window of a receiver bounds new data only.

use weir_types::{Duration, Instant};

use super::Sender;
use crate::{
    Growth, Segment,
    congestion::{Ack, Congestion, Repair, Signal},
    recovery::{Blocks, NextSegment, Probe, RecoveryConfig, Reduction, Sack, SackParameters},
};

/// What may be added to the timeout of a probe for a delayed ACK (RFC 8985, section 7.2).
const DELAYED_ACK: Duration = Duration::from_millis(200);

impl Sender {
    /// An acknowledgement has arrived that carries these blocks, as [`crate::Receiver::blocks_of`]
    /// gives them: the first number included, the last excluded, empty ranges where there are fewer.
    pub fn on_sack(&mut self, ack: &Segment, blocks: &Blocks, now: Instant) {
        if ack.number > self.high || ack.number < self.first {
            return;
        }
        let Some(sack) = &mut self.sack else { return self.on_ack(ack, now) };
        let outstanding = sack.board.high() - sack.board.una() - sack.board.sacked().count();
        let (delivered, twice) = sack.take_in(ack.number, blocks, ack.stamp, now);
        let flight = f64::from(sack.pipe());
        let event = Ack { flight, ..self.event(ack, ack.number.saturating_sub(self.una), now) };
        let connecting = self.is_connecting();
        if ack.number >= self.una && !connecting {
            let cut = self.congestion.observe(event, &mut self.window);
            self.counters.mark_cuts += u64::from(cut);
            self.reduced |= cut;
        }
        let echo = event.echo && self.congestion.answers_marks();
        if echo && self.recovery.covers_more(ack.number) {
            self.stop_walking();
            let before = self.window.cwnd;
            self.cut_for_mark(now);
            if self.selective().mark_reduction == Reduction::Proportional {
                self.walk(before, outstanding);
            }
        }
        let advances = ack.number > self.una;
        if advances {
            self.advance(ack, now);
            let ends = self.recovery.is_active() && self.recovery.is_full(self.una);
            if ends {
                self.recovery.leave();
                self.stop_walking();
                self.congestion.on_recovered(now, &mut self.window);
            }
            if !connecting && !self.recovery.is_active() && (!ends || self.selective().grow_at_exit) {
                if self.recovery.covers_more(self.una) {
                    self.stop_walking();
                }
                let limited = self.window_limited || self.parameters.growth == Growth::Always;
                if limited && !echo && !self.is_walking() {
                    let counted = if ends { f64::from(delivered) } else { event.counted };
                    self.congestion.on_ack(Ack { counted, ..event }, &mut self.window);
                }
            }
            self.restart_timer(now);
        }
        self.answer_probe(advances, twice, delivered, now);
        self.answer_loss(outstanding, now, advances, delivered);
        self.arm_probe(now, advances);
    }

    /// When loss recovery wants to be woken, if before the retransmission timer, it has come.
    pub(super) fn on_selective_timeout(&mut self, now: Instant) {
        let Some(sack) = &mut self.sack else { return };
        if sack.probe_at <= now {
            sack.probe_at = Instant::MAX;
            sack.forced = true;
            let repeats = !(self.next < self.end && self.bounded());
            if let Some(sack) = &mut self.sack {
                sack.probe = Some(Probe { end: self.high + u32::from(!repeats), repeats });
            }
            self.restart_timer(now);
        }
        let outstanding = self.outstanding();
        self.answer_loss(outstanding, now, false, 0);
    }

    /// The next segment that may leave now.
    pub(super) fn poll_selective(&mut self, now: Instant) -> Option<Segment> {
        let choice = self.choice();
        if choice.is_none() {
            let window = self.window.cwnd as u32;
            self.window_limited = self.sack.as_ref().is_some_and(|sack| sack.pipe() >= window);
        }
        self.leave(choice?, now)
    }

    /// The next segment that is sent again, if that comes next.
    pub(super) fn poll_hole(&mut self, now: Instant) -> Option<Segment> {
        let choice = self.choice().filter(|choice| *choice != NextSegment::New)?;
        self.leave(choice, now)
    }

    /// What may leave now.
    pub(super) fn choice(&self) -> Option<NextSegment> {
        let sack = self.sack.as_ref()?;
        if self.held {
            return None;
        }
        let new = self.next < self.end && self.bounded();
        if let Some(probe) = sack.probe.filter(|_| sack.forced && !self.recovery.is_active()) {
            let tail = || sack.board.sacked().gap_below(self.high).map(NextSegment::Rescue);
            return if probe.repeats { tail() } else { new.then_some(NextSegment::New) };
        }
        let pipe = sack.pipe();
        if !sack.forced && (pipe >= self.window.cwnd as u32 || self.is_connecting() && pipe >= 1) {
            return None;
        }
        let active = self.recovery.is_active();
        // Without limited transmit what is sacked makes no room before recovery begins.
        let new = new
            && (active
                || self.parameters.limited_transmit
                || self.high - self.una < self.window.cwnd as u32
                || self.una < sack.board.expired());
        if let Some(rack) = &sack.rack {
            return rack.lost().lowest().map(NextSegment::Hole).or(new.then_some(NextSegment::New));
        }
        // Rules 3 and 4 hold in recovery only.
        sack.board.next_segment(new).filter(|next| match next {
            NextSegment::New => true,
            NextSegment::Hole(hole) => active || sack.board.is_lost(*hole),
            NextSegment::Rescue(_) => active,
        })
    }

    fn leave(&mut self, choice: NextSegment, now: Instant) -> Option<Segment> {
        let room = self.high - self.una < self.window.cwnd as u32;
        let active = self.recovery.is_active();
        let number = match choice {
            NextSegment::Hole(hole) | NextSegment::Rescue(hole) => hole,
            NextSegment::New => {
                self.next += 1;
                self.limited += u32::from(!room && !active);
                self.next - 1
            }
        };
        let recovery_point = self.high;
        let segment = self.emit(number, now);
        let sack = self.sack.as_mut()?;
        if sack.rack.is_none() {
            sack.board.repeat(choice, recovery_point);
        }
        sack.sent(number, choice != NextSegment::New, now);
        sack.forced = false;
        if choice == NextSegment::New {
            self.arm_probe(now, true);
        }
        Some(segment)
    }

    /// Begins recovery if something was found lost, and walks the window down while it lasts.
    fn answer_loss(&mut self, outstanding: u32, now: Instant, advances: bool, delivered: u32) {
        let smoothed = self.rtt.smoothed().unwrap_or(Duration::MAX);
        let active = self.recovery.is_active();
        let Some(sack) = &mut self.sack else { return };
        let found = sack.finds_loss(active, smoothed, now);
        if found && !active && !self.held {
            self.begin_recovery(outstanding, now);
        }
        let bound = self.selective().bound;
        let Some(sack) = self.sack.as_mut().filter(|sack| sack.walking) else { return };
        let safe = advances && !(found && sack.rack.is_some());
        let pipe = sack.pipe();
        self.window.cwnd = sack.prr.window(delivered, pipe, self.window.ssthresh, safe, bound).max(1.0);
    }

    fn begin_recovery(&mut self, outstanding: u32, now: Instant) {
        let before = self.window;
        if self.recovery.is_full(self.una) {
            let flight = f64::from(self.high - self.una - self.limited);
            self.use_window();
            let repair = self.congestion.on_loss(Signal { now, flight }, &mut self.window);
            self.recovery.cut(self.high);
            self.reduced |= repair != Repair::Uncut;
            if repair == Repair::StartOver {
                self.counters.fast_retransmits += 1;
                self.cut_by_mark = false;
                self.timed = None;
                if let Some(sack) = &mut self.sack {
                    sack.expire(now);
                }
                return self.restart_timer(now);
            }
            let walks = repair == Repair::Recover && self.selective().reduction == Reduction::Proportional;
            if walks {
                self.walk(before.cwnd, outstanding);
            }
        } else if !self.cut_by_mark {
            // After a timeout what is lost is sent again without recovery.
            return;
        }
        self.cut_by_mark = false;
        self.counters.fast_retransmits += 1;
        self.recovery.enter();
        if let Some(sack) = &mut self.sack {
            sack.board.enter();
            sack.forced = true;
            sack.probe_at = Instant::MAX;
        }
        self.timed = None;
        self.restart_timer(now);
    }

    /// The target is what the law has made of the window; that is what it was `before` until PRR has set it.
    fn walk(&mut self, before: f64, outstanding: u32) {
        let Some(sack) = &mut self.sack else { return };
        sack.walking = true;
        sack.prr.enter(outstanding);
        self.window.ssthresh = self.window.cwnd;
        self.window.cwnd = before;
    }

    fn is_walking(&self) -> bool {
        self.sack.as_ref().is_some_and(|sack| sack.walking)
    }

    /// The reduction is over, and the window what it was to be.
    fn stop_walking(&mut self) {
        if let Some(sack) = self.sack.as_mut().filter(|sack| sack.walking) {
            sack.walking = false;
            self.window.cwnd = self.window.ssthresh;
        }
    }

    /// What an ACK says of the probe (RFC 8985, section 7.4.2): a repeated tail that was not a second
    /// copy has repaired a loss, which cuts the window as any.
    fn answer_probe(&mut self, advances: bool, twice: bool, delivered: u32, now: Instant) {
        let Some(sack) = &mut self.sack else { return };
        let Some(probe) = sack.probe.filter(|probe| self.una >= probe.end) else { return };
        let repaired = probe.repeats && !twice && self.una > probe.end;
        if repaired || !probe.repeats || twice || !advances && delivered == 0 {
            sack.probe = None;
        }
        if repaired && !self.recovery.is_active() && self.recovery.is_full(self.una) {
            self.use_window();
            let flight = self.flight();
            let repair = self.congestion.on_loss(Signal { now, flight }, &mut self.window);
            self.recovery.cut(self.high);
            self.reduced |= repair != Repair::Uncut;
        }
    }

    /// Sets the timer of the tail (RFC 8985, section 7.2), `afresh` if something new has left or has
    /// been acknowledged.
    fn arm_probe(&mut self, now: Instant, afresh: bool) {
        if !self.selective().tail_probe {
            return;
        }
        let (outstanding, timer) = (self.high - self.una, self.timer);
        let idle = self.recovery.is_active() || self.is_connecting() || outstanding == 0;
        let (Some(sack), Some(smoothed)) = (&mut self.sack, self.rtt.smoothed()) else { return };
        if idle || !sack.board.sacked().is_empty() || sack.probe.is_some() || self.una < sack.board.expired()
        {
            sack.probe_at = Instant::MAX;
        } else if afresh {
            let delayed = if outstanding == 1 { DELAYED_ACK } else { Duration::ZERO };
            let at = now + smoothed * 2 + delayed;
            sack.probe_at = if at < timer { at } else { Instant::MAX };
        }
    }

    /// Sent, and not known to have arrived.
    fn outstanding(&self) -> u32 {
        let arrived = self.sack.as_ref().map_or(0, |sack| sack.board.sacked().count());
        self.high - self.una - arrived
    }

    /// The receiver, or a law with a window of its own, allows one more new segment.
    fn bounded(&self) -> bool {
        self.high - self.una < self.window.bound as u32
    }

    fn selective(&self) -> SackParameters {
        match self.parameters.recovery {
            RecoveryConfig::Sack(parameters) => parameters,
            RecoveryConfig::NewReno(_) | RecoveryConfig::Reno(_) => SackParameters::default(),
        }
    }
}

impl Sack {
    /// When it wants to be woken; [`Instant::MAX`] if not at all.
    #[inline]
    pub(super) fn due(&self) -> Instant {
        self.rack.as_ref().map_or(Instant::MAX, |rack| rack.due().min(self.probe_at))
    }
}
