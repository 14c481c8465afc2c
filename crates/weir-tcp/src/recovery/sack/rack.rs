//! Loss detection by time (RACK, RFC 8985): a segment is lost if one sent after it has arrived, and a round trip
//! and the reordering window have passed since it was sent. RACK also detects lost retransmissions and losses at
//! the tail.
//!
//! ```text
//! xmit, rtt:  of the segment sent last among those that arrived (section 6.2, step 2)
//! lost:       at < xmit and at + rtt + reo_wnd <= now (step 5)
//! reo_wnd:    0 if three are sacked or in recovery, unless reordering has been seen;
//!             else min(steps min_rtt / 4, srtt) (step 4)
//! steps:      1, and 1 more for each round trip in which a needless repair arrived (step 4, `reo_wnd_mult`);
//!             1 again after 16 recoveries without one
//! timer:      when the last segment with at < xmit becomes lost (step 5)
//! PTO:        2 srtt, plus the maximum delay of an ACK if one segment is outstanding, but at most the time
//!             to the RTO (section 7.2)
//! ```
//!
//! The timestamp of an ACK is the time at which the transmission that caused it was sent, so step 2 is exact for
//! retransmissions too. Transmissions are listed in the order of sending. Those that have arrived or are lost
//! are removed from the head. So an ACK examines the list only up to the first segment that may still arrive.

use alloc::collections::VecDeque;
use core::ops::Range;

use weir_types::{Duration, Instant};

use super::{Ranges, Scoreboard, transmissions::Transmissions};

/// Recoveries for which a longer reordering window persists (`RACK.reo_wnd_persist`, RFC 8985, section 6.2).
const PERSISTENCE: u8 = 16;

/// The state of RACK.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Transmissions in the order of sending. Some may have arrived; the head is taken as it is examined.
    out: Transmissions,
    /// Lost and not yet retransmitted.
    lost: Ranges,
    /// Sent more than once.
    repeated: Ranges,
    /// When the latest segment that has arrived was sent.
    xmit: Instant,
    /// The number of transmissions up to it, those taken from the head of `out` among them. A number, since
    /// several segments may be sent at one instant.
    before: usize,
    /// The round trip of that segment.
    rtt: Duration,
    min_rtt: Duration,
    reordering: bool,
    /// The reordering window in quarters of the least round trip (`RACK.reo_wnd_mult`).
    steps: u8,
    /// Recoveries after which it is one quarter again (`RACK.reo_wnd_persist`).
    persistence: u8,
    /// One past the highest number sent when it last grew (`RACK.dsack_round`): it grows once per round trip.
    round: u32,
    /// When the last of the late segments becomes lost; [`Instant::MAX`] if there is none.
    due: Instant,
    /// Transmissions that were late when they were examined, in the order of sending: their places, counted as
    /// `before`. So the last one is found without a look at all that arrived after it.
    late: VecDeque<usize>,
    /// The number of transmissions examined for it, counted likewise.
    examined: usize,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            out: Transmissions::default(),
            lost: Ranges::default(),
            repeated: Ranges::default(),
            xmit: Instant::ZERO,
            before: 0,
            rtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            reordering: false,
            steps: 1,
            persistence: 0,
            round: 0,
            due: Instant::MAX,
            late: VecDeque::new(),
            examined: 0,
        }
    }
}

impl Rack {
    /// When [`Rack::detect`] must be called again, even if nothing arrives.
    #[inline]
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// Segments to retransmit.
    pub const fn lost(&self) -> &Ranges {
        &self.lost
    }

    /// Returns true if a segment that was sent again has not arrived yet.
    pub(super) fn repairs(&self, board: &Scoreboard) -> bool {
        self.repeated.iter().any(|(first, last)| board.sacked().gap_from(first) < last)
    }

    /// Returns true if a segment has arrived before one that was sent earlier.
    pub const fn has_seen_reordering(&self) -> bool {
        self.reordering
    }

    /// No segment is lost, late or sent again: `out` is what is outstanding, in the order of numbers.
    #[inline]
    pub(super) fn is_at_rest(&self, board: &Scoreboard) -> bool {
        self.lost.is_empty()
            && self.repeated.is_empty()
            && self.before <= self.out.taken()
            && self.due == Instant::MAX
            && self.out.len() == (board.high() - board.una()) as usize
    }

    /// At rest: whether none of those after the first `acked` segments was sent before `stamp`.
    #[inline]
    pub(super) fn sent_none_before(&self, acked: u32, stamp: Instant) -> bool {
        self.out.get(acked as usize).is_none_or(|out| stamp <= out.1)
    }

    /// At rest, the first `acked` segments have arrived; one of them, sent at `stamp`, caused the ACK. So no
    /// segment that is outstanding was sent before one that has arrived, and none is late.
    #[inline]
    pub(super) fn advance(&mut self, acked: u32, stamp: Instant, now: Instant) {
        self.out.take(acked as usize);
        debug_assert!(self.sent_none_before(0, stamp), "the ACK covers what caused it");
        if self.is_latest(stamp, now) {
            self.before = self.out.taken();
        }
    }

    /// Segments in the network: outstanding, not sacked, and not lost or already retransmitted.
    #[inline]
    pub fn pipe(&self, board: &Scoreboard) -> u32 {
        board.high() - board.una() - board.sacked().count() - self.lost.count()
    }

    /// A segment is sent.
    #[inline]
    pub fn sent(&mut self, number: u32, now: Instant, again: bool) {
        if again {
            // A probe retransmits a segment that may still arrive: the later transmission counts.
            if !self.lost.is_empty() && self.lost.remove(number, number + 1) > 0 {
                // Its earlier transmissions are no longer in the list.
            } else if let Some(at) = self.out.last_of(number) {
                self.out.remove(at);
                self.forget_places();
                self.before -= usize::from(at < self.before.saturating_sub(self.out.taken()));
            }
            self.repeated.insert(number, number + 1);
        }
        self.sent_row(number..number + 1, now);
    }

    /// These segments are sent, at one instant.
    #[inline]
    pub(super) fn sent_row(&mut self, numbers: Range<u32>, now: Instant) {
        self.out.push(numbers, now);
    }

    /// The segments `first..last` have arrived; `board` does not have them yet. A segment sent once that
    /// arrives after a higher one shows reordering (step 3).
    pub fn arriving(&mut self, board: &Scoreboard, first: u32, last: u32) {
        self.lost.remove(first, last);
        let late = last.min(board.sacked().end());
        let mut number = first;
        while !self.reordering && number < late {
            number = board.sacked().gap_from(number);
            self.reordering = number < late && !self.repeated.contains(number);
            number += 1;
        }
    }

    /// An ACK tells that a repair was `needless`, as what it repaired had arrived, or it `ends` a recovery
    /// (step 4). As in Linux, a repair counts only after reordering was seen. The window is longer for a round trip
    /// before it grows again. `board` has what the ACK covers.
    pub fn adapt(&mut self, board: &Scoreboard, needless: bool, ends: bool) {
        if needless && self.reordering && board.una() >= self.round {
            self.round = board.high();
            self.steps = self.steps.saturating_add(1);
            self.persistence = PERSISTENCE;
        } else if ends {
            self.persistence = self.persistence.saturating_sub(1);
            if self.persistence == 0 {
                self.steps = 1;
            }
        }
    }

    /// All segments below `number` have arrived.
    #[inline]
    pub fn forget(&mut self, number: u32) {
        self.repeated.remove_below(number);
    }

    /// A segment sent at `stamp` has arrived, and `board` has it (step 2). Of several sent at that instant it
    /// is the last that has arrived; segments sent next that have arrived count as well.
    #[inline]
    pub fn arrived(&mut self, board: &Scoreboard, stamp: Instant, now: Instant) {
        if !self.is_latest(stamp, now) {
            return;
        }
        let here = |number: u32| number < board.una() || board.sacked().contains(number);
        let known = self.before.saturating_sub(self.out.taken());
        let mut before = self.out.before(stamp, known);
        let together = self.out.iter().enumerate().skip(before).take_while(|(_, out)| out.1 == stamp);
        before = together.filter(|(_, out)| here(out.0)).last().map_or(before, |(at, _)| at + 1);
        while self.out.get(before).is_some_and(|out| here(out.0)) {
            before += 1;
        }
        self.before = self.before.max(self.out.taken() + before);
    }

    /// Takes the round trip of a segment sent at `stamp`; whether none that was sent later has arrived (step 2).
    #[inline]
    fn is_latest(&mut self, stamp: Instant, now: Instant) -> bool {
        let rtt = now.since(stamp);
        self.min_rtt = self.min_rtt.min(rtt);
        let latest = stamp >= self.xmit;
        if latest {
            (self.xmit, self.rtt) = (stamp, rtt);
        }
        latest
    }

    /// The reordering window (step 4). It is zero without reordering if a loss is `certain`: in recovery, or
    /// if enough segments are sacked.
    fn reo_wnd(&self, smoothed: Duration, certain: bool) -> Duration {
        if certain && !self.reordering {
            return Duration::ZERO;
        }
        (self.min_rtt / 4 * u64::from(self.steps)).min(smoothed)
    }

    /// Detects losses (step 5); `active` is true in a recovery, that after a timeout too. Returns whether a segment
    /// was found lost.
    pub fn detect(&mut self, board: &Scoreboard, smoothed: Duration, active: bool, now: Instant) -> bool {
        let certain = active || board.sacked().count() >= board.threshold();
        let allowed = self.rtt + self.reo_wnd(smoothed, certain);
        let before = self.lost.count();
        self.due = Instant::MAX;
        while let Some((number, at)) = self.out.get(0) {
            let here = number < board.una() || board.sacked().contains(number);
            if !here {
                if self.out.taken() >= self.before {
                    break;
                }
                if at + allowed > now {
                    self.due = self.last_late(board) + allowed;
                    break;
                }
                self.lost.insert(number, number + 1);
            }
            self.out.take(1);
        }
        self.lost.count() > before
    }

    /// When the last segment left that has not arrived though one that left later has. There is one: the head of the
    /// list. Each transmission is examined once, and forgotten once.
    fn last_late(&mut self, board: &Scoreboard) -> Instant {
        let Self { out, late, examined, before, .. } = self;
        let taken = out.taken();
        let waits = |place: usize| {
            let one = place.checked_sub(taken).and_then(|at| out.get(at));
            one.filter(|one| one.0 >= board.una() && !board.sacked().contains(one.0))
        };
        late.extend((taken.max(*examined)..*before).filter(|place| waits(*place).is_some()));
        *examined = (*before).max(*examined);
        while late.front().is_some_and(|place| *place < taken) {
            late.pop_front();
        }
        while let Some(place) = late.back() {
            if let Some(one) = waits(*place) {
                return one.1;
            }
            late.pop_back();
        }
        debug_assert!(false, "the head of the list is late");
        Instant::ZERO
    }

    /// The retransmission timer expired: the first outstanding segment is lost, and so is every segment sent a
    /// round trip ago. Section 6.3 adds the reordering window, Linux does not (`tcp_timeout_mark_lost`).
    pub fn expire(&mut self, board: &Scoreboard, now: Instant) {
        self.due = Instant::MAX;
        let (rtt, lost) = (self.rtt, &mut self.lost);
        let (mut at, mut kept, earlier) = (0, 0, self.before.saturating_sub(self.out.taken()));
        self.out.retain(|(number, left)| {
            let here = number < board.una() || board.sacked().contains(number);
            let late = number == board.una() || left + rtt <= now;
            if late && !here {
                lost.insert(number, number + 1);
            }
            let keeps = !late && !here;
            kept += usize::from(keeps && at < earlier);
            at += 1;
            keeps
        });
        self.before = self.out.taken() + kept;
        self.forget_places();
    }

    /// Transmissions were removed from the middle of the list: those after them have other places.
    fn forget_places(&mut self) {
        self.late.clear();
        self.examined = 0;
    }
}
