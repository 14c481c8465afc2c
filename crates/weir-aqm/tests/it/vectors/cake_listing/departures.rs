//! Departures: `cake_dequeue`, `cake_drop` and `cake_advance_shaper`.

use weir_aqm::Reason;

use super::{Labelled, Line, Listing, QUEUES, Set, Tin, What, time};

/// Which list a queue is the first of.
#[derive(Clone, Copy)]
enum Head {
    Decaying,
    New,
    Old,
}

impl Tin {
    fn head(&self, decaying_first: bool) -> Option<(Head, usize)> {
        let lists = [(Head::New, &self.new), (Head::Old, &self.old), (Head::Decaying, &self.decaying)];
        if let (true, Some(first)) = (decaying_first, self.decaying.front()) {
            return Some((Head::Decaying, *first));
        }
        lists.into_iter().find_map(|(head, list)| list.front().map(|first| (head, *first)))
    }

    fn unlist(&mut self, head: Head) {
        match head {
            Head::Decaying => self.decaying.pop_front(),
            Head::New => self.new.pop_front(),
            Head::Old => self.old.pop_front(),
        };
    }
}

impl Listing {
    fn on_the_wire(&self, bytes: u32) -> u32 {
        let frame = (bytes + self.setup.overhead).max(self.setup.mpu);
        match self.setup.line {
            Line::Plain => frame,
            Line::Atm => frame.div_ceil(48) * 53,
            Line::Ptm => frame + frame.div_ceil(64),
        }
    }

    /// Charges a packet, and returns what it takes on the wire.
    fn advance(&mut self, tin: usize, bytes: u32, now: i64, dropped: bool) -> i64 {
        let bytes = self.on_the_wire(bytes);
        let Some(rate) = self.setup.rate else { return i64::from(bytes) };
        let tin = &mut self.tins[tin];
        let took = time(bytes, tin.times.rate.expect("its part of the rate"));
        if tin.next < now {
            tin.next += took;
        } else if tin.next < now + took {
            tin.next = now + took;
        }
        if self.setup.shaped {
            let took = time(bytes, rate);
            self.next += took;
            if !dropped {
                self.failsafe += took + took / 2;
            }
        }
        i64::from(bytes)
    }

    fn take(&mut self, tin: usize, queue: usize) -> Option<(Labelled, i64)> {
        let taken = self.tins[tin].flows[queue].packets.pop_front()?;
        self.waiting -= 1;
        self.bytes -= u64::from(taken.0.info.bytes);
        Some(taken)
    }

    pub(super) fn drop_longest(&mut self, now: i64, log: &mut Vec<What>) {
        let places = (0..QUEUES).flat_map(|queue| (0..self.tins.len()).map(move |tin| (queue, tin)));
        let longest = places.max_by_key(|(queue, tin)| self.tins[*tin].flows[*queue].bytes());
        let (queue, tin) = longest.expect("there are queues");
        let (packet, _) = self.take(tin, queue).expect("something waits");
        let times = self.tins[tin].times;
        self.tins[tin].flows[queue].vars.full(&times, now);
        if self.setup.ingress {
            self.advance(tin, packet.info.bytes, now, true);
        }
        log.push(What::Dropped { id: packet.id, reason: Reason::Overflow });
    }

    fn choose(&mut self, now: i64) -> usize {
        if self.setup.rate.is_some() {
            let (mut best, mut least) = (0, i64::MAX);
            for (number, tin) in self.tins.iter().enumerate() {
                let ahead = tin.next - now;
                if tin.sparse + tin.bulk > 0 && (ahead <= 0 || ahead <= least) {
                    (best, least) = (number, ahead);
                }
            }
            self.current = best;
            return best;
        }
        loop {
            let tin = &mut self.tins[self.current];
            if tin.deficit >= 0 && tin.sparse + tin.bulk > 0 {
                return self.current;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.times.tin_quantum;
            }
            self.current += 1;
            if self.current == self.tins.len() {
                self.current = 0;
            }
        }
    }

    pub(in super::super) fn dequeue(&mut self, now: i64, log: &mut Vec<What>) {
        let (sides, ingress) = (self.sides(), self.setup.ingress);
        let mut first = true;
        'begin: loop {
            if self.waiting == 0 {
                return;
            }
            let number = self.choose(now);
            'retry: loop {
                let tin = &mut self.tins[number];
                let Some((head, queue)) = tin.head(first) else { continue 'begin };
                first = false;
                if tin.flows[queue].deficit <= 0 {
                    if tin.flows[queue].set == Set::Sparse {
                        if tin.flows[queue].packets.is_empty() {
                            tin.flows[queue].set = Set::SparseWait;
                        } else {
                            tin.sparse -= 1;
                            tin.bulk += 1;
                            tin.count_bulk(queue, sides, 1);
                            tin.flows[queue].set = Set::Bulk;
                        }
                    }
                    tin.flows[queue].deficit += tin.quantum(queue, sides, &mut self.rng);
                    tin.unlist(head);
                    tin.old.push_back(queue);
                    continue 'retry;
                }
                loop {
                    let Some((packet, arrived)) = self.take(number, queue) else {
                        self.ran_empty(number, queue, head, now);
                        continue 'begin;
                    };
                    let tin = &mut self.tins[number];
                    let (times, bulk) = (tin.times, if ingress { tin.bulk } else { 0 });
                    let flow = &mut tin.flows[queue];
                    let (waited, ecn) = (now - arrived, packet.info.ecn);
                    let (drop, mark) = flow.vars.judge(&times, bulk, waited, ecn, now, &mut self.rng);
                    let leaves = !drop || flow.packets.is_empty();
                    if leaves || ingress {
                        let bytes = self.advance(number, packet.info.bytes, now, !leaves);
                        self.tins[number].flows[queue].deficit -= bytes;
                        self.tins[number].deficit -= bytes;
                    }
                    if leaves {
                        if mark {
                            log.push(What::Marked { id: packet.id });
                        }
                        log.push(What::Taken { id: packet.id, tin: number, waited });
                        return;
                    }
                    log.push(What::Dropped { id: packet.id, reason: Reason::Early });
                    if ingress {
                        continue 'retry;
                    }
                }
            }
        }
    }

    fn ran_empty(&mut self, number: usize, queue: usize, head: Head, now: i64) {
        let sides = self.sides();
        let tin = &mut self.tins[number];
        let (times, vars) = (tin.times, &mut tin.flows[queue].vars);
        vars.empty(&times, now);
        let rests = vars.p_drop <= 0.0 && vars.count == 0 && now >= vars.drop_next;
        match tin.flows[queue].set {
            Set::Bulk => {
                tin.bulk -= 1;
                tin.count_bulk(queue, sides, -1);
            }
            Set::Sparse | Set::SparseWait => tin.sparse -= 1,
            Set::Decaying | Set::None => {}
        }
        tin.unlist(head);
        if rests {
            tin.flows[queue].set = Set::None;
        } else {
            tin.flows[queue].set = Set::Decaying;
            tin.decaying.push_back(queue);
        }
    }
}
