use weir_tcp::Segment;
use weir_types::Instant;

use super::{arrivals::Arrivals, datagrams::Datagrams, finite::NewFlow, listed::Listed, sessions::Session};

/// Decides when the next flow or datagram begins.
#[derive(Debug)]
pub(crate) enum Generator {
    /// Flows arrive at random.
    Arrivals(Arrivals),
    /// Flows start as a list says.
    Listed(Box<Listed>),
    /// A user who transfers one thing after the other.
    Session(Box<Session>),
    /// A source of datagrams.
    Datagrams(Box<Datagrams>),
}

/// The result of a generator's event.
pub(crate) enum Generated {
    Flow(NewFlow),
    Datagram(Segment),
    Nothing,
}

impl Generator {
    /// Begins the next flow or datagram, and returns it with the time at which the generator continues; `index` is that
    /// of the generator.
    pub(super) fn step(&mut self, index: u32, now: Instant) -> (Generated, Option<Instant>) {
        match self {
            Self::Arrivals(arrivals) => {
                let flow = arrivals.draw();
                (Generated::Flow(flow), arrivals.next(now))
            }
            Self::Listed(list) => (Generated::Flow(list.take()), list.next()),
            Self::Session(session) => {
                let (transfer, next) = session.step(now);
                let flow = transfer.map(|transfer| session.flow(transfer, index));
                (flow.map_or(Generated::Nothing, Generated::Flow), next)
            }
            Self::Datagrams(source) => {
                let (segment, next) = source.step(now);
                (Generated::Datagram(segment), next)
            }
        }
    }

    /// A flow of this generator is complete: when the generator continues.
    pub(super) fn on_complete(&mut self, now: Instant) -> Option<Instant> {
        match self {
            Self::Session(session) => session.arrived(now),
            Self::Arrivals(_) | Self::Listed(_) | Self::Datagrams(_) => None,
        }
    }
}
