//! SACK blocks (RFC 2018): what the sender reads from the receiver's log is what the header of the same ACK
//! would tell it, whichever ACKs are lost.

use proptest::prelude::*;
use weir_tcp::{
    AckOptions, BLOCKS, Flags, Receiver, Segment, TcpParameters,
    recovery::{RecoveryConfig, SackParameters},
};
use weir_types::{Ecn, Instant};

fn receiver() -> Receiver {
    let recovery = RecoveryConfig::Sack(SackParameters::default());
    Receiver::new(0, &TcpParameters { recovery, ..TcpParameters::default() })
}

fn segment(number: u32) -> Segment {
    Segment {
        stamp: Instant::ZERO,
        flow: 0,
        number,
        header: weir_tcp::Header::new(1000, Ecn::NotEct, Flags::NONE),
    }
}

/// The cumulative ACK and the blocks of the ACK that `number` causes.
fn ack_of(receiver: &mut Receiver, number: u32) -> (u32, Vec<(u32, u32)>) {
    let ack = receiver.on_segment(&segment(number), Instant::ZERO).expect("no ACK is delayed");
    (ack.number, receiver.options_of(&ack).blocks().collect())
}

/// Options of the ACK that `number` causes.
fn options_of(receiver: &mut Receiver, number: u32) -> AckOptions {
    let ack = receiver.on_segment(&segment(number), Instant::ZERO).expect("no ACK is delayed");
    receiver.options_of(&ack)
}

/// RFC 2018, section 4: the block with what has just arrived comes first, then those that were
/// told of before.
#[test]
fn the_first_block_holds_what_arrived() {
    let mut receiver = receiver();
    assert_eq!(ack_of(&mut receiver, 0), (1, vec![]));
    assert_eq!(ack_of(&mut receiver, 2), (1, vec![(2, 3)]));
    assert_eq!(ack_of(&mut receiver, 5), (1, vec![(5, 6), (2, 3)]));
    assert_eq!(ack_of(&mut receiver, 4), (1, vec![(4, 6), (2, 3)]));
    assert_eq!(ack_of(&mut receiver, 3), (1, vec![(2, 6)]), "a filled gap joins its neighbours");
    assert_eq!(ack_of(&mut receiver, 1), (6, vec![]), "nothing is left beyond the ACK");
}

/// RFC 2883: an arrival for the second time is told once.
#[test]
fn what_arrives_twice_is_told() {
    let mut receiver = receiver();
    for number in 0..3 {
        assert_eq!(options_of(&mut receiver, number), AckOptions::NONE);
    }
    assert_eq!(options_of(&mut receiver, 1), AckOptions { dsack: Some(1), ..AckOptions::NONE });
    assert_eq!(options_of(&mut receiver, 3), AckOptions::NONE);
}

/// The receiver of RFC 2018: its list of blocks, the latest changed first.
#[derive(Default)]
struct Header {
    arrived: Vec<bool>,
    recent: Vec<(u32, u32)>,
}

impl Header {
    fn on_segment(&mut self, number: u32) -> (u32, bool, Vec<(u32, u32)>) {
        let number = number as usize;
        let twice = self.arrived.get(number) == Some(&true);
        self.arrived.resize(self.arrived.len().max(number + 1), false);
        self.arrived[number] = true;
        let una = self.arrived.iter().position(|here| !here).unwrap_or(self.arrived.len());
        let from = self.arrived[..number].iter().rposition(|here| !here).map_or(0, |gap| gap + 1);
        let length = self.arrived[number..].iter().take_while(|here| **here).count();
        let block = (from as u32, (number + length) as u32);
        if number >= una {
            self.recent.retain(|known| !(block.0 <= known.0 && known.1 <= block.1));
            self.recent.insert(0, block);
        }
        self.recent.truncate(4);
        self.recent.retain(|known| known.1 > una as u32);
        // RFC 2883 puts what arrived twice before all others.
        (una as u32, twice && number < una, self.recent.clone())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]
    #[test]
    fn the_log_tells_what_a_header_would(arrivals in prop::collection::vec((0_u32..40, 0_u32..4), 1..120)) {
        let (mut receiver, mut header) = (receiver(), Header::default());
        for (number, fate) in arrivals {
            let ack = receiver.on_segment(&segment(number), Instant::ZERO).expect("at once");
            let (una, twice, blocks) = header.on_segment(number);
            prop_assert_eq!(ack.number, una);
            // Two of four ACKs are lost.
            if fate >= 2 {
                let told = receiver.options_of(&ack);
                prop_assert_eq!(told.dsack, twice.then_some(number));
                let room = BLOCKS - usize::from(twice);
                let expected: Vec<_> = blocks.into_iter().take(room).collect();
                prop_assert_eq!(told.blocks().collect::<Vec<_>>(), expected);
            }
        }
    }
}
