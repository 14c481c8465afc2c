use weir_types::Duration;

use super::Pipes;

/// The way of a flow's packets in one direction. Flows with the same links and delays share it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Route {
    /// How packets get from the endpoint to the first port, or to the other endpoint.
    pub(crate) entry: Entry,
    /// The ports on the way and the pipe behind each.
    pub(crate) hops: Box<[Hop]>,
}

/// The beginning of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Entry {
    /// Through a pipe.
    Pipe(u32),
    /// At once into a port: the endpoint sits beside it.
    Port(u32),
}

/// A port and what lies behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Hop {
    pub(crate) port: u32,
    /// The pipe to the next port or to the endpoint.
    pub(crate) pipe: u32,
    /// The last port before the endpoint's access link.
    pub(crate) last: bool,
}

impl Route {
    /// Propagation from end to end.
    pub(crate) fn delay(&self, pipes: &Pipes) -> Duration {
        let entry = match self.entry {
            Entry::Pipe(pipe) => Some(pipe),
            Entry::Port(_) => None,
        };
        let legs = entry.into_iter().chain(self.hops.iter().map(|hop| hop.pipe));
        legs.fold(Duration::ZERO, |sum, pipe| sum + pipes.0[pipe as usize].delay)
    }

    /// What lies behind `port`.
    #[inline]
    pub(crate) fn behind(&self, port: u32) -> Hop {
        match &*self.hops {
            [only] => *only,
            hops => *hops.iter().find(|hop| hop.port == port).expect("packets stay on their route"),
        }
    }
}
