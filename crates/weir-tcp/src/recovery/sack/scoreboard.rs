//! What the receiver has told of the segments between the cumulative ACK and the highest one sent, and
//! what follows from it (RFC 6675, section 4): which are lost, how many are in the network, which is
//! to be sent next.
//!
//! Segments are of one size, so an unsacked segment is lost as soon as three above it are sacked (three
//! ranges above it hold at least three). *Lost* is therefore all unsacked below the third highest
//! sacked number, and no more than that boundary is kept:
//!
//! ```text
//!   una            retransmitted (HighRxt + 1)     boundary                 high
//!    |-- sent twice --|---- lost, to be repaired ----|---- not known to be lost --|
//!   pipe = unsacked in [boundary, high) + unsacked in [una, retransmitted)
//! ```
//!
//! `passed` counts what is sacked below `retransmitted`; above the boundary there are three at most.
//! So an ACK costs a few additions and a bisection, however long the window.

use super::Ranges;

/// What `NextSeg` (RFC 6675, section 4) says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextSegment {
    /// Rules 1 and 3: the lowest hole that has not been sent again.
    Hole(u32),
    /// Rule 2: data that has not been sent.
    New,
    /// Rule 4: the highest hole, once per recovery, so that the tail is not lost unnoticed.
    Rescue(u32),
}

/// The scoreboard of a sender.
#[derive(Clone, Debug)]
pub struct Scoreboard {
    /// Lowest number not acknowledged.
    una: u32,
    /// One past the highest number sent.
    high: u32,
    /// What arrived beyond `una`.
    sacked: Ranges,
    /// One past the highest number sent again in this recovery; `una` or below if there is none.
    retransmitted: u32,
    /// Sacked numbers in `una..retransmitted`.
    passed: u32,
    /// One past the highest number sent before the last timeout: all of it counts as lost.
    expired: u32,
    /// No rescue retransmission before `una` is beyond this.
    rescued: Option<u32>,
    threshold: u32,
}

impl Scoreboard {
    /// Nothing sent; `threshold` segments above it tell that one is lost (`DupThresh`).
    pub fn new(threshold: u32) -> Self {
        Self {
            una: 0,
            high: 0,
            sacked: Ranges::default(),
            retransmitted: 0,
            passed: 0,
            expired: 0,
            rescued: None,
            threshold,
        }
    }

    /// Segments count from `first`.
    pub(crate) const fn count_from(&mut self, first: u32) {
        (self.una, self.high) = (first, first);
    }

    /// What the receiver holds beyond the cumulative ACK.
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

    /// Segments above one that tell that it is lost.
    pub const fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Segments below `number` have been sent.
    #[inline]
    pub fn sent(&mut self, number: u32) {
        self.high = self.high.max(number);
    }

    /// All below `number` has arrived. Returns for how many of them that is news.
    #[inline]
    pub fn acknowledge(&mut self, number: u32) -> u32 {
        if number <= self.una {
            return 0;
        }
        let known = self.sacked.remove_below(number);
        let new = number - self.una - known;
        self.una = number;
        self.high = self.high.max(number);
        // Either all that was taken out lay below `retransmitted`, or nothing is left below it.
        self.passed = if number < self.retransmitted { self.passed - known } else { 0 };
        new
    }

    /// `first..last` has arrived. Returns for how many of them that is news.
    pub fn sack(&mut self, first: u32, last: u32) -> u32 {
        let (first, last) = (first.max(self.una), last.min(self.high));
        let fence = self.retransmitted.clamp(first, last.max(first));
        let below = self.sacked.insert(first, fence);
        self.passed += below;
        below + self.sacked.insert(fence, last)
    }

    /// All unsacked below it is lost.
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

    /// Recovery begins: nothing has been sent again (`HighRxt` = `HighACK`).
    pub fn enter(&mut self) {
        self.retransmitted = self.una;
        self.passed = 0;
        self.rescued = None;
    }

    /// The timer expired: what has not arrived is lost, and all of it may be sent again. What
    /// the receiver holds, it keeps (RFC 6675, section 5.1).
    pub fn expire(&mut self) {
        self.enter();
        self.expired = self.high;
    }

    /// `NextSeg`: what to send next, `new` telling whether there is new data that may be sent.
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

    /// `next` is sent again; recovery ends when all below `recovery_point` is acknowledged. After the rescue
    /// there is none until then. It leaves `retransmitted` as it was, as the RFC has it.
    pub fn repeat(&mut self, next: NextSegment, recovery_point: u32) {
        match next {
            NextSegment::Hole(hole) => {
                // All between is sacked.
                self.passed += hole - self.retransmitted.max(self.una);
                self.retransmitted = hole + 1;
            }
            NextSegment::Rescue(_) => self.rescued = Some(recovery_point),
            NextSegment::New => {}
        }
    }
}
