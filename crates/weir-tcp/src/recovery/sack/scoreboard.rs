//! The SACK scoreboard (RFC 6675, section 4): the sacked segments between the cumulative ACK and the highest
//! segment sent. It gives the lost segments, the number in the network and the segment to send next.
//!
//! All segments have one size. An unsacked segment is thus lost as soon as three above it are sacked (three
//! ranges above it hold at least three). So every unsacked segment below the third highest sacked number is
//! lost, and only this boundary is kept:
//!
//! ```text
//!   una            retransmitted (HighRxt + 1)     boundary                 high
//!    |- retransmitted |---- lost, to be repaired ----|---- not known to be lost --|
//!   pipe = unsacked in [boundary, high) + unsacked in [una, retransmitted)
//! ```
//!
//! `passed` counts the sacked segments below `retransmitted`; at most three are above the boundary. So the
//! cost of an ACK does not depend on the window: a few additions and a bisection.

use super::Ranges;
use crate::recovery::NextSegment;

/// The scoreboard of a sender.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// Lowest number not acknowledged.
    una: u32,
    /// One past the highest number sent.
    high: u32,
    /// Segments above `una` that have arrived.
    sacked: Ranges,
    /// One past the highest number retransmitted in this recovery; at most `una` if there is none.
    retransmitted: u32,
    /// Sacked numbers in `una..retransmitted`.
    passed: u32,
    /// One past the highest number sent before the last timeout: all below counts as lost.
    expired: u32,
    /// No further rescue retransmission until `una` is above this.
    rescued: Option<u32>,
    threshold: u32,
}

impl Scoreboard {
    /// Before the first segment; a segment is lost if `threshold` above it are sacked (`DupThresh`).
    pub fn new(threshold: u32) -> Self {
        Self::counting_from(0, threshold)
    }

    /// [`Scoreboard::new`], with segments that count from `first`.
    pub(super) fn counting_from(first: u32, threshold: u32) -> Self {
        Self {
            una: first,
            high: first,
            sacked: Ranges::default(),
            retransmitted: 0,
            passed: 0,
            expired: 0,
            rescued: None,
            threshold,
        }
    }

    /// Segments that the receiver holds above the cumulative ACK.
    pub const fn sacked(&self) -> &Ranges {
        &self.sacked
    }

    /// Lowest number not acknowledged.
    pub const fn una(&self) -> u32 {
        self.una
    }

    /// One past the highest number sent.
    pub const fn high(&self) -> u32 {
        self.high
    }

    /// One past the highest number sent before the last timeout; 0 before one.
    pub const fn expired(&self) -> u32 {
        self.expired
    }

    /// A segment is lost if so many above it are sacked (`DupThresh`).
    pub const fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Nothing above the cumulative ACK has arrived, is lost or was sent again: an ACK of new data only moves
    /// `una`.
    #[inline]
    pub(super) const fn is_at_rest(&self) -> bool {
        self.sacked.is_empty() && self.retransmitted <= self.una && self.expired <= self.una
    }

    /// [`Scoreboard::acknowledge`] for a scoreboard at rest.
    #[inline]
    pub(super) const fn advance(&mut self, number: u32) {
        self.una = number;
    }

    /// Segments below `number` have been sent.
    #[inline]
    pub fn sent(&mut self, number: u32) {
        self.high = self.high.max(number);
    }

    /// All segments below `number` have arrived. Returns the number of those not sacked before.
    #[inline]
    pub fn acknowledge(&mut self, number: u32) -> u32 {
        if number <= self.una {
            return 0;
        }
        let known = self.sacked.remove_below(number);
        let new = number - self.una - known;
        self.una = number;
        self.high = self.high.max(number);
        // Either all removed segments were below `retransmitted`, or none is left below it.
        self.passed = if number < self.retransmitted { self.passed - known } else { 0 };
        new
    }

    /// The segments `first..last` have arrived. Returns the number of those not sacked before.
    pub fn sack(&mut self, first: u32, last: u32) -> u32 {
        let (first, last) = (first.max(self.una), last.min(self.high));
        let fence = self.retransmitted.clamp(first, last.max(first));
        let below = self.sacked.insert(first, fence);
        self.passed += below;
        below + self.sacked.insert(fence, last)
    }

    /// Every unsacked segment below it is lost.
    #[inline]
    fn boundary(&self) -> u32 {
        self.sacked.from_above(self.threshold).unwrap_or(0).max(self.expired).max(self.una)
    }

    /// `IsLost` of the first segment that is not acknowledged.
    #[inline]
    pub fn has_loss(&self) -> bool {
        self.boundary() > self.una
    }

    /// `IsLost` (RFC 6675, section 4).
    pub fn is_lost(&self, number: u32) -> bool {
        self.una <= number && number < self.boundary() && !self.sacked.contains(number)
    }

    /// `SetPipe`: segments in the network.
    #[inline]
    pub fn pipe(&self) -> u32 {
        let boundary = self.boundary();
        let first = self.high - boundary - self.sacked.count_from(boundary);
        first + self.retransmitted.saturating_sub(self.una) - self.passed
    }

    /// Recovery begins: nothing has been retransmitted (`HighRxt` = `HighACK`).
    pub fn enter(&mut self) {
        self.retransmitted = self.una;
        self.passed = 0;
        self.rescued = None;
    }

    /// The timer expired: every unsacked segment is lost and may be retransmitted. Sacked segments stay
    /// sacked (RFC 6675, section 5.1).
    pub fn expire(&mut self) {
        self.enter();
        self.expired = self.high;
    }

    /// `NextSeg`: the segment to send next; `new` is true if new data may be sent.
    pub fn next_segment(&self, new: bool) -> Option<NextSegment> {
        let hole = self.sacked.gap_from(self.retransmitted.max(self.una));
        if hole < self.boundary() {
            Some(NextSegment::Hole(hole))
        } else if new {
            Some(NextSegment::New)
        } else if hole < self.sacked.end() {
            Some(NextSegment::Hole(hole))
        } else if self.una < self.high && self.rescued.is_none_or(|rescued| self.una > rescued) {
            self.sacked.gap_below(self.high).filter(|hole| *hole >= self.una).map(NextSegment::Rescue)
        } else {
            None
        }
    }

    /// `next` is retransmitted. Recovery ends when all below `recovery_point` is acknowledged; until then
    /// there is one rescue retransmission. It does not change `retransmitted` (RFC 6675, section 4).
    pub fn repeat(&mut self, next: NextSegment, recovery_point: u32) {
        match next {
            NextSegment::Hole(hole) => {
                // All segments between are sacked.
                self.passed += hole - self.retransmitted.max(self.una);
                self.retransmitted = hole + 1;
            }
            NextSegment::Rescue(_) => self.rescued = Some(recovery_point),
            NextSegment::New => {}
        }
    }
}
