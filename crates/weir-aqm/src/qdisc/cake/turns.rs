//! Lists of queues that wait for their turn. A queue is on one of them at most, and may leave it from the middle: one
//! that decays becomes sparse with its next packet.

use super::{
    super::linked_list::Index,
    flow::{Flow, Links},
};

/// First in, first out.
#[derive(Debug, Default)]
pub(super) struct Turns {
    first: Option<Index>,
    last: Option<Index>,
}

impl Turns {
    #[inline]
    pub(super) fn first(&self) -> Option<usize> {
        self.first.map(Index::index)
    }

    /// Appends a queue, which is on no list.
    pub(super) fn push(&mut self, flows: &mut [Flow], queue: usize) {
        let place = Some(Index::new(queue));
        flows[queue].links = Links { next: None, previous: self.last };
        match self.last {
            Some(last) => flows[last.index()].links.next = place,
            None => self.first = place,
        }
        self.last = place;
    }

    /// Takes a queue off the list, on which it is.
    pub(super) fn remove(&mut self, flows: &mut [Flow], queue: usize) {
        let Links { next, previous } = core::mem::take(&mut flows[queue].links);
        match previous {
            Some(previous) => flows[previous.index()].links.next = next,
            None => self.first = next,
        }
        match next {
            Some(next) => flows[next.index()].links.previous = previous,
            None => self.last = previous,
        }
    }
}
