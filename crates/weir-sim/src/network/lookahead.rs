//! Look-ahead of ports: how far a port may serve packets before other ports have come to the same instant.
//!
//! **The rule.** What an event at one port causes arrives at another later by the delay between them. So a port may
//! serve the next packet of a pipe before the first event of all. That packet must arrive earlier than anything that
//! event may send here, and no timer may be due before. Two ports that feed each other then take turns of a whole
//! delay each, not of one packet.
//!
//! **Why the results are the same.** A port depends on nothing but the packets that arrive and its own instants. An
//! event at a port handles packets that left it before by at most its lateness. Endpoints act on them no earlier than
//! at that event. So all it can cause enters a pipe to this port. It arrives no earlier than the event, plus the
//! delay of the pipe, less the lateness of a port before it: [`PortState::lookahead`](super::PortState::lookahead).
//! Beside the packets, the flows and their round-trip times are seen at a drop. They are known beforehand only if no
//! flow ends by itself. A queue that drops packets as they leave is called late, and takes the flows of the instant
//! of the drop ([`Routing::live_at`](crate::hosts::Routing::live_at), [`Hosts::flows_through`](crate::hosts::Hosts)).
//! Its port does not look ahead. A port whose queue another takes the place of does not, either, as the other may be
//! of that kind. With an observer, who sees all packets in order, no port looks ahead.

use std::collections::HashMap;

use weir_types::Duration;

use super::{PortSlot, builder::PipeKey};

/// Ports with more pipes do not look ahead: they would have to look at each.
const MOST_PIPES: usize = 4;

/// Allows `ports` with these `pipes` to look ahead. One half of a delay between two ports is for the lateness of the
/// first, the other for the look-ahead of the second.
pub(super) fn allow(ports: &mut [PortSlot], pipes: &HashMap<PipeKey, u32>) {
    for (before, _, delay, _) in pipes.keys() {
        if let Some(before) = before {
            let lateness = &mut ports[*before as usize].state.lateness;
            *lateness = (*lateness).min(*delay / 2);
        }
    }
    let mut ahead = vec![(Duration::MAX, Vec::new()); ports.len()];
    for (&(before, port, delay, _), &pipe) in pipes {
        let late = before.map_or(Duration::ZERO, |before| ports[before as usize].state.lateness);
        let (lookahead, pipes) = &mut ahead[port as usize];
        *lookahead = (*lookahead).min(delay.saturating_sub(late));
        pipes.push(pipe);
    }
    for (slot, (lookahead, pipes)) in ports.iter_mut().zip(ahead) {
        if pipes.len() <= MOST_PIPES && !slot.drops_late() {
            slot.state.lookahead = lookahead;
            slot.state.pipes = if pipes.len() > 1 { pipes } else { Vec::new() };
        }
    }
}
