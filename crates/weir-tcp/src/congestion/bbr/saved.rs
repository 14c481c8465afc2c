//! The window before a loss or `PROBE_RTT`, and packet conservation.

use crate::congestion::{Delivery, RecoveryState, Window};

/// The window to return to, and what loss recovery did at the last ACK.
#[derive(Clone, Copy, Debug)]
pub(in crate::congestion) struct Saved {
    pub(in crate::congestion) cwnd: f64,
    pub(in crate::congestion) state: RecoveryState,
    /// As many segments leave as arrive.
    pub(in crate::congestion) conserving: bool,
}

impl Saved {
    pub(in crate::congestion) const NONE: Self =
        Self { cwnd: 0.0, state: RecoveryState::Open, conserving: false };

    /// Saves the window, before something cuts it. `is_cut`: something has, besides loss recovery.
    pub(in crate::congestion) const fn save(&mut self, cwnd: f64, is_cut: bool) {
        let whole = matches!(self.state, RecoveryState::Open) && !is_cut;
        self.cwnd = if whole { cwnd } else { self.cwnd.max(cwnd) };
    }

    /// Packet conservation in the first round of recovery; the former window after it
    /// (`bbr_set_cwnd_to_recover_or_restore`). Returns true if recovery begins.
    pub(in crate::congestion) fn recover_or_restore(
        &mut self,
        delivery: &Delivery,
        window: &mut Window,
    ) -> bool {
        let (before, state) = (core::mem::replace(&mut self.state, delivery.state), delivery.state);
        let conserved = f64::from(delivery.flight + delivery.newly);
        if delivery.lost > 0 {
            window.cwnd = (window.cwnd - f64::from(delivery.lost)).max(1.0);
        }
        let begins = state == RecoveryState::Recovery && before < RecoveryState::Recovery;
        if begins {
            self.conserving = true;
            window.cwnd = conserved;
        } else if before != RecoveryState::Open && state == RecoveryState::Open {
            self.conserving = false;
            window.cwnd = window.cwnd.max(self.cwnd);
        }
        if self.conserving {
            window.cwnd = window.cwnd.max(conserved);
        }
        begins
    }
}
