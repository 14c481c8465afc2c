//! Recovery with selective acknowledgements (RFC 6675): the receiver says which segments it holds, the
//! sender keeps a scoreboard, and segments leave while what is in the network, `pipe`, is below the
//! window. Loss is told by three segments above ([`Scoreboard`]) or by time ([`Rack`]); the window is
//! cut at once or in proportion to what arrives ([`Prr`]).

use weir_types::{Duration, Instant, Invalid};

use super::{Prr, Rack, ReductionBound, Scoreboard};

/// What tells that a segment is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum LossDetection {
    /// So many segments above it have arrived (RFC 6675, `IsLost`).
    #[default]
    Count,
    /// One that left later has arrived, and it is late (RFC 8985). Finds lost retransmissions too.
    Time,
}

/// How the window goes from what it was to what the congestion control wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Reduction {
    /// At once: nothing leaves until as much has arrived (RFC 6675).
    #[default]
    AtOnce,
    /// Over a round trip, in proportion to what arrives (RFC 9937).
    Proportional,
}

/// Parameters of recovery with selective acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct SackParameters {
    /// What tells that a segment is lost. Default: what has arrived above it (RFC 6675); Linux: time.
    pub loss: LossDetection,
    /// Segments above it that tell that one is lost. Default 3 (RFC 6675, `DupThresh`).
    pub threshold: u32,
    /// How the window is cut. Default: at once (RFC 6675); Linux: in proportion.
    pub reduction: Reduction,
    /// How the window is cut after a mark. Default: at once (RFC 3168); Linux: in proportion, and it does not
    /// grow until what was sent before is acknowledged.
    pub mark_reduction: Reduction,
    /// The ACK that ends recovery lets the window grow, as others do (Linux). Default off.
    pub grow_at_exit: bool,
    /// How fast a window cut in proportion climbs back when losses took more. Default: RFC 9937.
    pub bound: ReductionBound,
    /// Send a segment when nothing has come back for two round trips, so that a loss at the tail is
    /// noticed before the timer expires (TLP, RFC 8985, section 7). Works with loss told by time.
    /// Default off; Linux on.
    pub tail_probe: bool,
}

impl Default for SackParameters {
    fn default() -> Self {
        Self {
            loss: LossDetection::default(),
            threshold: 3,
            reduction: Reduction::default(),
            mark_reduction: Reduction::default(),
            grow_at_exit: false,
            bound: ReductionBound::default(),
            tail_probe: false,
        }
    }
}

impl SackParameters {
    /// Whether the parameters go together.
    ///
    /// # Errors
    /// Names the parameter that does not, and what to do.
    pub fn check(&self) -> Result<(), Invalid> {
        Invalid::unless(
            self.threshold > 0,
            "threshold",
            "threshold is zero",
            "every segment would be lost; RFC 6675 has 3",
        )?;
        Invalid::unless(
            !self.tail_probe || self.loss == LossDetection::Time,
            "tail_probe",
            "tail_probe needs losses told by time",
            "add loss = \"time\"",
        )
    }
}

/// A probe of the tail that has left (RFC 8985, section 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// One past the highest number sent when it left.
    pub end: u32,
    /// It repeated a segment.
    pub repeats: bool,
}

/// What a sender with selective acknowledgements keeps beside what every sender keeps.
#[derive(Clone, Debug)]
pub struct Sack {
    /// What has arrived.
    pub board: Scoreboard,
    /// When what has not arrived is lost; `None` if the scoreboard alone tells.
    pub rack: Option<Rack>,
    /// The reduction under way.
    pub prr: Prr,
    /// The window is being walked down by `prr`.
    pub walking: bool,
    /// The next segment leaves whatever the window says.
    pub forced: bool,
    /// When the tail is to be probed; [`Instant::MAX`] if it is not.
    pub probe_at: Instant,
    /// The probe of which no ACK has told yet.
    pub probe: Option<Probe>,
}

impl Sack {
    /// Nothing sent.
    pub fn new(parameters: &SackParameters) -> Self {
        Self {
            board: Scoreboard::new(parameters.threshold),
            rack: (parameters.loss == LossDetection::Time).then(Rack::default),
            prr: Prr::default(),
            walking: false,
            forced: false,
            probe_at: Instant::MAX,
            probe: None,
        }
    }

    /// Segments in the network.
    #[inline]
    pub fn pipe(&self) -> u32 {
        match &self.rack {
            None => self.board.pipe(),
            Some(rack) => rack.pipe(&self.board),
        }
    }

    /// Takes in what an ACK tells, `number` being the lowest that has not arrived. Returns for how many
    /// segments it is news, and whether one arrived a second time (RFC 2883).
    pub fn take_in(
        &mut self,
        number: u32,
        blocks: &[(u32, u32)],
        stamp: Instant,
        now: Instant,
    ) -> (u32, bool) {
        let una = self.board.una();
        if let Some(rack) = self.rack.as_mut().filter(|_| number > una) {
            rack.arriving(&self.board, una, number);
            rack.forget(number);
        }
        let mut delivered = self.board.acknowledge(number);
        let mut twice = false;
        for &(first, last) in blocks {
            twice |= first > last;
            if first >= last || last <= number {
                continue;
            }
            if let Some(rack) = &mut self.rack {
                rack.arriving(&self.board, first, last);
            }
            delivered += self.board.sack(first, last);
        }
        if let Some(rack) = self.rack.as_mut().filter(|_| delivered > 0) {
            rack.arrived(&self.board, stamp, now);
        }
        (delivered, twice)
    }

    /// A segment leaves.
    #[inline]
    pub fn sent(&mut self, number: u32, again: bool, now: Instant) {
        self.board.sent(number + 1);
        if let Some(rack) = &mut self.rack {
            rack.sent(number, now, again);
        }
        self.prr.sent();
    }

    /// Whether there is a loss that recovery is to begin for; while it is `active`, a new one.
    #[inline]
    pub fn finds_loss(&mut self, active: bool, smoothed: Duration, now: Instant) -> bool {
        match &mut self.rack {
            None => self.board.has_loss(),
            Some(rack) => {
                let new = rack.detect(&self.board, smoothed, active, now);
                new || !active && !rack.lost().is_empty()
            }
        }
    }

    /// The retransmission timer expired.
    pub fn expire(&mut self, now: Instant) {
        self.board.expire();
        if let Some(rack) = &mut self.rack {
            rack.expire(&self.board, now);
        }
        self.walking = false;
        self.forced = false;
        self.probe_at = Instant::MAX;
        self.probe = None;
    }
}
