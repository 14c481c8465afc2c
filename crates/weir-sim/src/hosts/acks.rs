//! ACKs as a filter in a queue reads them.

use weir_aqm::{Ack, AckKind};
use weir_tcp::{AckOptions, BLOCKS, Flags, Segment};

use super::{Flow, Hosts};

/// Flags that a filter does not know. Linux takes them for reserved bits: AE of accurate ECN is one, and the echo of
/// [`Flags::ALL_CAPABLE`] has none of the others to stand in.
const UNKNOWN: [Flags; 2] = [Flags::AE, Flags::ALL_CAPABLE];

impl Hosts {
    /// Contents of the ACK `segment` while it is on its way; `None` if it is no ACK. One of a former flow with this
    /// id is of another connection, whose receiver is gone.
    pub(crate) fn ack(&self, segment: &Segment) -> Option<Ack> {
        let Flow { sender, receiver, .. } = self.flow(segment.flow);
        (segment.flags().has(Flags::ACK) && segment.number >= sender.first())
            .then(|| told_by(segment, &receiver.options_in_passing(segment)))
    }
}

/// Contents of `ack`, which has these options.
///
/// Numbers are those of segments: so are the blocks, and of two sets of blocks the longer one has more segments, not
/// bytes. Timestamps are left out: those of ACKs in one queue grow, but for ACKs that changed places before it.
fn told_by(ack: &Segment, options: &AckOptions) -> Ack {
    let flags = ack.flags();
    // Linux knows no option of accurate ECN.
    let is_laden = UNKNOWN.into_iter().any(|flag| flags.has(flag)) || options.accecn.is_some();
    let kind = if flags.has(Flags::SYN) {
        AckKind::Opening
    } else if is_laden {
        AckKind::Laden
    } else {
        AckKind::Pure
    };
    // On the wire a D-SACK is the first block.
    let mut blocks = [(0, 0); BLOCKS + 1];
    blocks[1..].copy_from_slice(&options.blocks);
    if let Some(number) = options.dsack {
        blocks[0] = (number, number + 1);
    }
    Ack { number: ack.number, ecn: [Flags::ECE, Flags::CWR].map(|flag| flags.has(flag)), kind, blocks }
}

#[cfg(test)]
mod tests {
    use weir_tcp::{Header, accecn::AccEcnOption};
    use weir_types::Ecn;

    use super::*;

    fn ack(flags: Flags) -> Segment {
        Segment { number: 7, header: Header::new(40, Ecn::NotEct, flags), ..Segment::default() }
    }

    #[test]
    fn flags_and_options_that_a_later_ack_may_not_repeat_are_told() {
        let kind = |flags: Flags, options| told_by(&ack(flags), &options).kind;
        let with = |flag| Flags::ACK.with(flag, true);
        assert_eq!(kind(Flags::ACK, AckOptions::NONE), AckKind::Pure);
        assert_eq!(kind(with(Flags::SYN).with(Flags::AE, true), AckOptions::NONE), AckKind::Opening);
        assert_eq!(kind(with(Flags::AE), AckOptions::NONE), AckKind::Laden);
        assert_eq!(kind(with(Flags::ALL_CAPABLE), AckOptions::NONE), AckKind::Laden);
        let counters = AckOptions { accecn: Some(AccEcnOption::default()), ..AckOptions::NONE };
        assert_eq!(kind(Flags::ACK, counters), AckKind::Laden);
        assert_eq!(told_by(&ack(with(Flags::ECE)), &AckOptions::NONE).ecn, [true, false]);
        assert_eq!(told_by(&ack(with(Flags::CWR)), &AckOptions::NONE).ecn, [false, true]);
    }

    #[test]
    fn a_duplicate_is_the_first_block() {
        let options = AckOptions { dsack: Some(3), blocks: [(9, 11), (0, 0), (0, 0)], accecn: None };
        let told = told_by(&ack(Flags::ACK), &options);
        assert_eq!((told.number, told.blocks), (7, [(3, 4), (9, 11), (0, 0), (0, 0)]));
    }
}
