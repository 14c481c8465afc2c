//! Promises of every AQM, discipline and port, for any parameters: random operations against a model that knows nothing
//! but arithmetic.

mod aqms;
mod books;
mod discipline;
mod drop_tail;
mod port;
mod qdiscs;
pub(crate) mod random;
mod replace;

pub(crate) use discipline::{Rules, keeps_its_word};
pub(crate) use port::depends_on_nothing_but_arrivals;

use proptest::prelude::*;
use weir_aqm::PacketInfo;
use weir_types::Ecn;

/// An operation on a queue from outside.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Time passes, in nanoseconds; what is due is done.
    Advance(u64),
    /// A packet arrives.
    Offer(PacketInfo),
    /// The transmitter asks for a packet. A port asks by itself.
    Take,
    /// The link runs at so many bits per second from now on.
    Rate(u64),
}

pub(crate) fn ecn() -> impl Strategy<Value = Ecn> {
    prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)]
}

/// Sizes as they occur, and any.
fn bytes() -> impl Strategy<Value = u32> {
    prop_oneof![3 => Just(1000), 1 => Just(1500), 1 => Just(40), 1 => 1_u32..9000]
}

/// Bursts at one instant, gaps of some packets at 64 Mbit/s, and now and then a long silence.
pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let offer = (bytes(), ecn(), 0_u32..6)
        .prop_map(|(bytes, ecn, flow)| Operation::Offer(PacketInfo { bytes, ecn, flow }));
    let advance = prop_oneof![6 => 0_u64..300_000, 2 => Just(125_000), 1 => 0_u64..30_000_000];
    let rates = prop_oneof![Just(64_000_000_u64), Just(3_700_000), 1_000_000_u64..1_000_000_000];
    let operation = prop_oneof![
        12 => offer,
        8 => advance.prop_map(Operation::Advance),
        6 => Just(Operation::Take),
        1 => rates.prop_map(Operation::Rate),
    ];
    prop::collection::vec(operation, 1..400)
}
