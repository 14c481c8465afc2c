//! Loss detection by time (RACK, RFC 8985): a segment is lost if one that left later has arrived, and
//! the time for it to arrive, a round trip and a window for reordering, is over. It also finds a lost
//! retransmission and a loss near the end of what was sent.
//!
//! ```text
//! xmit, rtt:  of the segment that left last among those that arrived (section 6.2, step 2)
//! lost:       at < xmit and at + rtt + reo_wnd <= now (step 5)
//! reo_wnd:    0 once three are sacked or in recovery, unless reordering has been seen;
//!             else min(min_rtt / 4, srtt) (step 4)
//! PTO:        2 srtt, and what a delayed ACK may take if one segment is out (section 7.2)
//! ```
//!
//! The ACK's stamp is when the very transmission left that caused it, so that step 2 needs no guess
//! whether the original or the copy arrived. Transmissions are kept in the order in which they left:
//! those that have arrived, or are lost, leave the list at its head, and no ACK looks further than the
//! first that may still arrive.

use alloc::collections::VecDeque;

use weir_types::{Duration, Instant};

use super::{Ranges, Scoreboard};

/// The state of RACK.
#[derive(Clone, Debug)]
pub struct Rack {
    /// Transmissions that may still arrive, in the order in which they left; some have.
    out: VecDeque<(u32, Instant)>,
    /// Lost and not yet sent again.
    lost: Ranges,
    /// Sent more than once.
    repeated: Ranges,
    /// When the latest segment that has arrived was sent.
    xmit: Instant,
    /// How many transmissions left before it, and itself. A count, since several may leave at one instant.
    before: u64,
    /// How many have left the head of `out`.
    gone: u64,
    /// Its round trip.
    rtt: Duration,
    least_rtt: Duration,
    reordering: bool,
    /// When a segment that is merely late becomes lost; [`Instant::MAX`] if there is none.
    due: Instant,
}

impl Default for Rack {
    fn default() -> Self {
        Self {
            out: VecDeque::new(),
            lost: Ranges::default(),
            repeated: Ranges::default(),
            xmit: Instant::ZERO,
            before: 0,
            gone: 0,
            rtt: Duration::ZERO,
            least_rtt: Duration::MAX,
            reordering: false,
            due: Instant::MAX,
        }
    }
}

impl Rack {
    /// When [`Rack::detect`] is to be asked again, whatever arrives.
    #[inline]
    pub const fn due(&self) -> Instant {
        self.due
    }

    /// What is to be sent again.
    pub const fn lost(&self) -> &Ranges {
        &self.lost
    }

    /// Whether a segment has arrived before another that left earlier.
    pub const fn has_seen_reordering(&self) -> bool {
        self.reordering
    }

    /// Segments in the network: outstanding, not sacked, not lost unless sent again.
    #[inline]
    pub fn pipe(&self, board: &Scoreboard) -> u32 {
        board.high() - board.una() - board.sacked().count() - self.lost.count()
    }

    /// A segment leaves.
    #[inline]
    pub fn sent(&mut self, number: u32, now: Instant, again: bool) {
        if again {
            // A probe repeats what may still arrive: then the later transmission counts.
            if !self.lost.is_empty() && self.lost.remove(number, number + 1) > 0 {
                // Its earlier transmissions have left the list.
            } else if let Some(at) = self.out.iter().rposition(|out| out.0 == number) {
                self.out.remove(at);
                self.before -= u64::from((at as u64) < self.before.saturating_sub(self.gone));
            }
            self.repeated.insert(number, number + 1);
        }
        self.out.push_back((number, now));
    }

    /// `first..last` is about to be noted as arrived. What lies below others that have arrived and
    /// was sent once shows reordering (step 3).
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

    /// All below `number` has arrived.
    #[inline]
    pub fn forget(&mut self, number: u32) {
        self.repeated.remove_below(number);
    }

    /// A segment that left at `stamp` has arrived, as `board` knows (step 2). Of several that left at that
    /// instant it is one that has; and what left next, and has arrived too, came with the same ACK or before.
    #[inline]
    pub fn arrived(&mut self, board: &Scoreboard, stamp: Instant, now: Instant) {
        let rtt = now.since(stamp);
        self.least_rtt = self.least_rtt.min(rtt);
        if stamp < self.xmit {
            return;
        }
        (self.xmit, self.rtt) = (stamp, rtt);
        let here = |number: u32| number < board.una() || board.sacked().contains(number);
        let mut before = self.out.partition_point(|out| out.1 < stamp);
        let together = self.out.iter().enumerate().skip(before).take_while(|(_, out)| out.1 == stamp);
        before = together.filter(|(_, out)| here(out.0)).last().map_or(before, |(at, _)| at + 1);
        while self.out.get(before).is_some_and(|out| here(out.0)) {
            before += 1;
        }
        self.before = self.before.max(self.gone + before as u64);
    }

    /// How late a segment may be (step 4), given the smoothed round trip; `hasty` says that losses are
    /// certain: recovery is under way, or enough is sacked.
    fn tolerance(&self, smoothed: Duration, hasty: bool) -> Duration {
        if hasty && !self.reordering { Duration::ZERO } else { (self.least_rtt / 4).min(smoothed) }
    }

    /// Notes what is lost by now (step 5); `active` says that recovery is under way. Returns whether
    /// there is something new.
    pub fn detect(&mut self, board: &Scoreboard, smoothed: Duration, active: bool, now: Instant) -> bool {
        let hasty = active || board.sacked().count() >= board.threshold();
        let patience = self.rtt + self.tolerance(smoothed, hasty);
        let before = self.lost.count();
        self.due = Instant::MAX;
        while let Some(&(number, at)) = self.out.front() {
            let here = number < board.una() || board.sacked().contains(number);
            if !here {
                if self.gone >= self.before {
                    break;
                }
                if at + patience > now {
                    self.due = at + patience;
                    break;
                }
                self.lost.insert(number, number + 1);
            }
            self.out.pop_front();
            self.gone += 1;
        }
        self.lost.count() > before
    }

    /// The retransmission timer expired: lost is the first outstanding segment, and what has been out
    /// for a round trip (section 6.3).
    pub fn expire(&mut self, board: &Scoreboard, now: Instant) {
        self.due = Instant::MAX;
        let (rtt, lost) = (self.rtt, &mut self.lost);
        let (mut at, mut kept, earlier) = (0, 0, self.before.saturating_sub(self.gone));
        self.out.retain(|&(number, left)| {
            let here = number < board.una() || board.sacked().contains(number);
            let late = number == board.una() || left + rtt <= now;
            if late && !here {
                lost.insert(number, number + 1);
            }
            let keeps = !late && !here;
            kept += u64::from(keeps && at < earlier);
            at += 1;
            keeps
        });
        self.before = self.gone + kept;
    }
}
