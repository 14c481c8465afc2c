//! Recovery with selective acknowledgements (RFC 6675). The receiver says which segments it holds, and the sender
//! keeps a scoreboard. Segments leave while what is in the network, `pipe`, is below the window. A segment is lost
//! when three above it have arrived ([`Scoreboard`]) or when it is late ([`Rack`]). The window is cut at once or in
//! proportion to what arrives ([`Prr`]).

mod expected;
mod prr;
mod rack;
mod ranges;
mod response;
mod scoreboard;
mod transmissions;

use weir_types::{Duration, Instant};

pub(crate) use self::response::Report;
pub use self::{prr::Prr, rack::Rack, ranges::Ranges, scoreboard::Scoreboard};
use super::{LossDetection, RecoveryPoint, SackParameters};
use crate::{AckOptions, BLOCKS, congestion::RecoveryState, options::Block};

/// A probe of the tail that has left (RFC 8985, section 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// One past the highest number sent when it left.
    pub end: u32,
    /// It repeated a segment.
    pub repeats: bool,
}

/// Facts that an ACK tells of a tail that a probe has repeated (RFC 8985, section 7.4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToldOfTail {
    /// It or the probe has arrived.
    Arrived,
    /// It was lost.
    Lost,
}

/// The state of SACK recovery.
#[derive(Clone, Debug)]
pub struct Sack {
    /// Scoreboard of the segments that have arrived.
    pub board: Scoreboard,
    /// When what has not arrived is lost; `None` if the scoreboard alone tells.
    pub rack: Option<Rack>,
    /// The reduction under way.
    pub prr: Prr,
    /// `prr` is reducing the window.
    pub reducing: bool,
    /// The next segment leaves even if the window is full.
    pub forced: bool,
    /// Recovery that ends begins anew while what it has sent again above its end is outstanding. It does so in
    /// Linux, where that still counts as lost (`lost_out`). Here it does so for congestion controls that look at
    /// its state.
    goes_on: bool,
    /// When the tail is to be probed; [`Instant::MAX`] if it is not.
    pub probe_at: Instant,
    /// The probe that no ACK has answered yet.
    pub probe: Option<Probe>,
    /// Facts of a repeated tail that an ACK has told, for a transport that takes them.
    told_of_tail: Option<ToldOfTail>,
    /// Recovery is under way.
    active: bool,
    point: RecoveryPoint,
    /// The blocks of the last ACK that had any.
    told: [Block; BLOCKS],
    /// Segments sent by limited transmit; they do not count as outstanding when the window is cut.
    limited: u32,
    parameters: SackParameters,
}

impl Sack {
    /// Nothing sent.
    pub fn new(parameters: &SackParameters) -> Self {
        Self::counting_from(0, parameters, false)
    }

    /// Nothing sent; segments count from `first`. The congestion control looks at the state of recovery if it
    /// `samples` the delivery rate.
    pub(crate) fn counting_from(first: u32, parameters: &SackParameters, samples: bool) -> Self {
        Self {
            board: Scoreboard::counting_from(first, parameters.dupthresh),
            rack: (parameters.detection == LossDetection::Rack).then(Rack::default),
            prr: Prr::default(),
            reducing: false,
            forced: false,
            goes_on: samples,
            probe_at: Instant::MAX,
            probe: None,
            told_of_tail: None,
            active: false,
            point: RecoveryPoint::default(),
            told: AckOptions::NONE.blocks,
            limited: 0,
            parameters: *parameters,
        }
    }

    /// Tells once what the ACK at hand has said of a repeated tail.
    #[inline]
    pub(crate) const fn take_told_of_tail(&mut self) -> Option<ToldOfTail> {
        self.told_of_tail.take()
    }

    /// Segments in the network.
    #[inline]
    pub fn pipe(&self) -> u32 {
        match &self.rack {
            None => self.board.pipe(),
            Some(rack) => rack.pipe(&self.board),
        }
    }

    /// State of recovery while `una` is the lowest number not acknowledged.
    pub(crate) const fn state(&self, una: u32) -> RecoveryState {
        if una < self.board.expired() {
            RecoveryState::Loss
        } else if self.active {
            RecoveryState::Recovery
        } else {
            RecoveryState::Open
        }
    }

    /// Reads what an ACK reports, `number` being the lowest that has not arrived. Returns of how many segments it
    /// is the first to report the arrival.
    fn read(&mut self, number: u32, options: &AckOptions, stamp: Instant, now: Instant) -> u32 {
        let una = self.board.una();
        if let Some(rack) = self.rack.as_mut().filter(|_| number > una) {
            rack.arriving(&self.board, una, number);
            rack.forget(number);
        }
        let mut delivered = self.board.acknowledge(number);
        for (first, last) in self.untold(options) {
            // Nothing new.
            if last <= number || self.board.sacked().gap_from(first) >= last {
                continue;
            }
            if let Some(rack) = &mut self.rack {
                rack.arriving(&self.board, first, last);
            }
            delivered += self.board.sack(first, last);
        }
        if !options.report_order() {
            self.told = options.blocks;
        }
        let ends = self.ends_recovery(una, number);
        if let Some(rack) = &mut self.rack {
            // A timer sends the probe, not RACK: a second copy of it tells nothing about the window.
            let probed = self.probe.map(|probe| probe.end - 1);
            let needless = options.dsack.is_some() && options.dsack != probed;
            rack.adapt(&self.board, needless, ends);
        }
        if let Some(rack) = self.rack.as_mut().filter(|_| delivered > 0) {
            rack.arrived(&self.board, stamp, now);
        }
        delivered
    }

    /// Returns true if an ACK of all below `number` ends a recovery, one after a timeout too; `una` was the lowest
    /// number not acknowledged before.
    fn ends_recovery(&self, una: u32, number: u32) -> bool {
        let expired = self.board.expired();
        self.active && self.point.is_full(number) || una < expired && expired <= number
    }

    /// The blocks of an ACK that the one before has not told of.
    #[inline]
    pub(crate) fn untold(&self, options: &AckOptions) -> impl Iterator<Item = Block> + use<> {
        let told = self.told;
        options.blocks.into_iter().filter(move |block| block.0 < block.1 && !told.contains(block))
    }

    /// A segment leaves.
    #[inline]
    pub fn sent(&mut self, number: u32, again: bool, now: Instant) {
        self.board.sent(number + 1);
        if let Some(rack) = &mut self.rack {
            rack.sent(number, now, again);
        }
        if self.reducing {
            self.prr.sent();
        }
    }

    /// Returns true if there is a loss that recovery is to begin for; while it is `active`, a new one.
    #[inline]
    pub fn finds_loss(&mut self, active: bool, smoothed: Duration, now: Instant) -> bool {
        match &mut self.rack {
            None => self.board.has_loss(),
            Some(rack) => {
                let repairs = active || self.board.una() < self.board.expired();
                let new = rack.detect(&self.board, smoothed, repairs, now);
                let outstanding = || self.goes_on && self.probe.is_none() && rack.repairs(&self.board);
                new || !active && (!rack.lost().is_empty() || outstanding())
            }
        }
    }

    /// The retransmission timer expired.
    pub fn expire(&mut self, now: Instant) {
        self.board.expire();
        if let Some(rack) = &mut self.rack {
            rack.expire(&self.board, now);
        }
        self.reducing = false;
        self.forced = false;
        self.probe_at = Instant::MAX;
        self.probe = None;
    }
}
