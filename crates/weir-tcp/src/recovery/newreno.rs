//! `NewReno` fast recovery (RFC 6582). Three duplicate ACKs start it; a *partial* ACK, which
//! covers some but not all of what was outstanding then, shows the next hole; a *full* ACK
//! ends it. During recovery every duplicate ACK inflates the window by one segment, since it
//! tells that one has left the network; a partial ACK deflates it by what it covers, but one.

/// Which partial ACKs restart the retransmission timer (RFC 6582, section 4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum TimerReset {
    /// The first: with many losses a timeout ends the repair ("impatient").
    #[default]
    FirstPartialAck,
    /// Every one: one segment is repaired per round trip, however many ("slow but steady").
    EveryPartialAck,
}

/// The window after a full ACK (RFC 6582, section 3.2, step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Exit {
    /// `min(ssthresh, max(flight, 1) + 1)`: no burst.
    #[default]
    Flight,
    /// The halved window, less what partial ACKs took beyond the inflation (ns-2).
    Window,
}

/// Parameters of `NewReno` fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(deny_unknown_fields, default)
)]
pub struct NewRenoParameters {
    /// Which partial ACKs restart the timer. Default: the first.
    pub timer_reset: TimerReset,
    /// The window after a full ACK. Default: what is outstanding, plus one.
    pub exit: Exit,
    /// Send at most this many segments per ACK while in recovery (ns-2: 2). Default: no bound.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub burst: Option<u32>,
}

/// Where a connection stands in loss recovery.
#[derive(Clone, Debug, Default)]
pub struct NewReno {
    /// One past the highest segment sent when the window was last cut; `None` before that,
    /// so that the loss of the very first segment is repaired.
    recover: Option<u32>,
    /// Segments that the window is inflated by; above zero only in recovery.
    inflation: u32,
    active: bool,
    /// A partial ACK has been seen in this recovery.
    partial: bool,
}

impl NewReno {
    /// Whether recovery is under way.
    #[inline]
    pub const fn is_active(&self) -> bool {
        self.active
    }

    /// By how much the window is inflated, in segments.
    #[inline]
    pub const fn inflation(&self) -> u32 {
        self.inflation
    }

    /// Whether an ACK up to `acked` covers more than was outstanding at the last cut: only
    /// then may the window be cut again.
    #[inline]
    pub fn covers_more(&self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked > recover)
    }

    /// The window was cut, `sent` being one past the highest segment sent.
    pub const fn cut(&mut self, sent: u32) {
        self.recover = Some(sent);
    }

    /// Enters recovery on the third duplicate ACK.
    pub const fn enter(&mut self) {
        self.active = true;
        self.partial = false;
        self.inflation = 3;
    }

    /// One more duplicate ACK: a segment has left the network.
    #[inline]
    pub const fn inflate(&mut self) {
        self.inflation += 1;
    }

    /// Whether an ACK up to `acked` ends recovery.
    #[inline]
    pub fn is_full(&self, acked: u32) -> bool {
        self.recover.is_none_or(|recover| acked >= recover)
    }

    /// A partial ACK of `covered` segments: deflates by as many, less one, first the
    /// inflation and then the window. Returns whether it is the first of this recovery.
    pub fn deflate(&mut self, covered: u32, cwnd: &mut f64) -> bool {
        if self.inflation > covered {
            self.inflation -= covered - 1;
        } else {
            *cwnd = (*cwnd - f64::from(covered - self.inflation)).max(1.0);
            self.inflation = 1;
        }
        !core::mem::replace(&mut self.partial, true)
    }

    /// Leaves recovery.
    pub const fn leave(&mut self) {
        self.active = false;
        self.inflation = 0;
    }
}
