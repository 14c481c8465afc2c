//! Congestion control: how the window answers to ACKs, losses and marks. One file each.

mod reno;

pub use reno::{Halves, Reno, RenoParameters};

/// The congestion window and where slow start ends, in segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// May be in flight; the sender uses the whole part.
    pub cwnd: f64,
    /// Below it the window grows exponentially.
    pub ssthresh: f64,
}

/// What a congestion control answers to.
pub trait Congestion {
    /// An ACK of new data arrived, outside of loss recovery and without an echo of a mark.
    fn on_ack(&mut self, window: &mut Window);

    /// Segments were found lost by duplicate ACKs; `flight` segments were outstanding.
    fn on_loss(&mut self, window: &mut Window, flight: f64);

    /// The receiver echoed a mark.
    fn on_mark(&mut self, window: &mut Window, flight: f64);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, window: &mut Window, flight: f64);
}

/// A choice of congestion control with its parameters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum CongestionConfig {
    /// Slow start and additive increase, multiplicative decrease (RFC 5681).
    Reno(RenoParameters),
}

impl Default for CongestionConfig {
    fn default() -> Self {
        Self::Reno(RenoParameters::default())
    }
}

impl CongestionConfig {
    /// The control, for a connection that has just begun.
    pub const fn build(&self) -> AnyCongestion {
        match self {
            Self::Reno(parameters) => AnyCongestion::Reno(Reno::new(*parameters)),
        }
    }
}

/// Any congestion control of the house.
#[derive(Clone, Debug)]
pub enum AnyCongestion {
    /// Reno.
    Reno(Reno),
}

impl Congestion for AnyCongestion {
    #[inline]
    fn on_ack(&mut self, window: &mut Window) {
        match self {
            Self::Reno(reno) => reno.on_ack(window),
        }
    }

    fn on_loss(&mut self, window: &mut Window, flight: f64) {
        match self {
            Self::Reno(reno) => reno.on_loss(window, flight),
        }
    }

    fn on_mark(&mut self, window: &mut Window, flight: f64) {
        match self {
            Self::Reno(reno) => reno.on_mark(window, flight),
        }
    }

    fn on_timeout(&mut self, window: &mut Window, flight: f64) {
        match self {
            Self::Reno(reno) => reno.on_timeout(window, flight),
        }
    }
}
