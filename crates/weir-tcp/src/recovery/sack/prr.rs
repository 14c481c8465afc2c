//! Proportional rate reduction (RFC 9937, before it RFC 6937): in recovery the window is not cut at once
//! but so that, over a round trip, `ssthresh / RecoverFS` segments leave for each that arrives. If
//! losses alone took more than that, the window climbs back to `ssthresh`, bounded by what arrives.
//!
//! ```text
//! pipe > ssthresh:  SndCnt = ceil(prr_delivered ssthresh / RecoverFS) - prr_out
//! else:             SndCnt = min(ssthresh - pipe, limit)
//!   conservative:     limit = prr_delivered - prr_out
//!   slow start:       limit = max(prr_delivered - prr_out, delivered) + 1
//!   RFC 9937:         limit = max(prr_delivered - prr_out, delivered), + 1 if SafeACK
//! cwnd = pipe + SndCnt
//! ```

use crate::recovery::PrrBound;

/// The state of a reduction under way, in segments.
#[derive(Clone, Debug, Default)]
pub struct Prr {
    /// Arrived since recovery began (`prr_delivered`).
    delivered: u32,
    /// Sent since recovery began (`prr_out`).
    out: u32,
    /// In the network when recovery began (`RecoverFS`).
    flight: u32,
}

impl Prr {
    /// Recovery begins with `flight` segments in the network, those that this ACK has told of included.
    pub const fn enter(&mut self, flight: u32) {
        *self = Self { delivered: 0, out: 0, flight: if flight == 0 { 1 } else { flight } };
    }

    /// A segment leaves.
    pub const fn sent(&mut self) {
        self.out += 1;
    }

    /// An ACK tells of `delivered` segments; `pipe` are in the network, `safe` is the RFC's
    /// `SafeACK`: the ACK advances, and RACK finds no further loss by it. Without RACK only the first is tested.
    /// Returns the window.
    pub fn window(&mut self, delivered: u32, pipe: u32, ssthresh: f64, safe: bool, bound: PrrBound) -> f64 {
        self.delivered += delivered;
        let (arrived, out, inside) = (f64::from(self.delivered), f64::from(self.out), f64::from(pipe));
        let count = if inside > ssthresh {
            libm::ceil(arrived * ssthresh / f64::from(self.flight)) - out
        } else {
            let conserved = arrived - out;
            let limit = match bound {
                PrrBound::Crb => conserved,
                PrrBound::Ssrb => conserved.max(f64::from(delivered)) + 1.0,
                PrrBound::SafeAck => conserved.max(f64::from(delivered)) + f64::from(u8::from(safe)),
            };
            limit.min(ssthresh - inside)
        };
        // The first repair always leaves (RFC 9937, section 6).
        let least = if self.out == 0 { 1.0 } else { 0.0 };
        inside + count.max(least)
    }
}
