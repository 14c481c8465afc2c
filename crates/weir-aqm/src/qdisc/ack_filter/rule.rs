//! The rule by which an ACK makes one before it redundant.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Ack, AckKind};

/// How many ACKs are taken away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Filtering {
    /// None.
    Off,
    /// ACKs that two later ones make redundant: two of a flow stay (`ack-filter` of Linux).
    Conservative,
    /// ACKs that two later ones make redundant, or one that stands right behind and has the same ECN flags: one ACK
    /// of a flow stays (`ack-filter-aggressive` of Linux).
    Aggressive,
}

impl Filtering {
    /// Returns true if no ACK is taken away.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(in crate::qdisc) const fn is_off(&self) -> bool {
        matches!(self, Self::Off)
    }

    /// The place of the ACK to take away when `newest` joins `waiting`: all before it, from the head on, each with its
    /// place; `None` for a packet that is no ACK of the connection.
    ///
    /// The one nearest to the head goes, so that what `newest` tells arrives no later than without the filter.
    pub(in crate::qdisc) fn redundant<T>(
        self,
        newest: &Ack,
        waiting: impl Iterator<Item = (T, Option<Ack>)>,
    ) -> Option<T> {
        if self == Self::Off || newest.kind == AckKind::Opening {
            return None;
        }
        let (mut first, mut is_last): (Option<(T, [bool; 2])>, bool) = (None, false);
        for (place, ack) in waiting {
            is_last = false;
            let Some(ack) = ack else { continue };
            // Where the flags change, the last ACK with the old ones tells of it.
            if first.as_ref().is_some_and(|(_, ecn)| *ecn != ack.ecn) {
                first = None;
            }
            if !ack.is_redundant_after(newest) {
                continue;
            }
            if let Some((first, _)) = first {
                return Some(first);
            }
            first = Some((place, ack.ecn));
            is_last = true;
        }
        let (place, ecn) = first?;
        (self == Self::Aggressive && is_last && ecn == newest.ecn).then_some(place)
    }
}

impl Ack {
    /// Returns true if `newest` tells all that this one does, and more. Without more it is a duplicate ACK, which the
    /// sender counts.
    fn is_redundant_after(&self, newest: &Self) -> bool {
        if self.kind != AckKind::Pure || is_before(newest.number, self.number) {
            return false;
        }
        match self.blocks_within(newest) {
            None => false,
            Some(more) => more || self.number != newest.number,
        }
    }

    /// Returns true if `newest` reports more in its SACK blocks than this ACK; `None` unless it reports all that this
    /// one does. Blocks that it acknowledges by its number do not count: Linux compares blocks with blocks.
    fn blocks_within(&self, newest: &Self) -> Option<bool> {
        let blocks = |ack: &Self| ack.blocks.into_iter().filter(|(first, end)| first != end);
        let length =
            |ack: &Self| blocks(ack).map(|(first, end)| end.wrapping_sub(first)).fold(0, u32::wrapping_add);
        for (first, end) in blocks(self) {
            // A D-SACK is told once.
            let is_dsack = is_before(first, self.number);
            let covers = |other: (u32, u32)| !is_before(first, other.0) && !is_before(other.1, end);
            if is_dsack || !blocks(newest).any(covers) {
                return None;
            }
        }
        Some(length(newest) > length(self))
    }
}

/// Returns true if number `one` comes before `other` on the circle of numbers.
const fn is_before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}
