//! Requests of a modem and grants of its CMTS, interval by interval.

use alloc::collections::VecDeque;

use weir_types::{Duration, Instant};

use super::parameters::{Docsis, work};

/// Next event of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Nothing waits, nothing has been asked for.
    None,
    /// A MAP interval begins.
    Map,
    /// The request of the interval, with its grant if there is one.
    Request,
}

/// Bytes asked for, and when.
#[derive(Clone, Copy, Debug)]
struct Request {
    at: Instant,
    bytes: u64,
}

/// State of the modem and of its CMTS.
#[derive(Debug)]
pub(super) struct Exchange {
    step: Step,
    /// When the step is due.
    due: Instant,
    /// Number of the MAP interval that the step is of.
    map: u64,
    /// Tokens at the instant `tokens_at`, as work.
    tokens: u128,
    tokens_at: Instant,
    /// Requests that the CMTS does not know of yet.
    requests: VecDeque<Request>,
    /// Bytes that the CMTS knows of and has not granted.
    known: u64,
    /// Beginning of the grant of this interval, the one that is used or comes next.
    begin: Instant,
    /// Bytes of the grant that have been sent, or are of a packet that was taken.
    sent: u64,
    /// Bytes of the grant that are left.
    left: u64,
    /// Bytes of the grant that nothing waited for.
    unused: u64,
    /// Bytes of the packet taken last that no grant has carried yet.
    rest: u64,
}

impl Exchange {
    /// An exchange that has not begun, with a full bucket.
    pub(super) const fn new(tokens: u128) -> Self {
        Self {
            step: Step::None,
            due: Instant::MAX,
            map: 0,
            tokens,
            tokens_at: Instant::ZERO,
            requests: VecDeque::new(),
            known: 0,
            begin: Instant::ZERO,
            sent: 0,
            left: 0,
            unused: 0,
            rest: 0,
        }
    }

    /// Becomes like `other`, in the memory that it has.
    pub(super) fn copy(&mut self, other: &Self) {
        let mut requests = core::mem::take(&mut self.requests);
        requests.clear();
        requests.extend(&other.requests);
        *self = Self { requests, ..*other };
    }

    pub(super) const fn due(&self) -> Instant {
        self.due
    }

    /// Returns true if the next step is the beginning of an interval.
    pub(super) const fn map_is_due(&self) -> bool {
        matches!(self.step, Step::Map)
    }

    pub(super) const fn rest(&self) -> u64 {
        self.rest
    }

    /// Work of bytes sent with this grant that have not left at `now`.
    pub(super) fn leaving(&self, docsis: &Docsis, now: Instant) -> u128 {
        let left = u128::from(self.position(docsis).since(now).as_nanos());
        work(self.sent).min(u128::from(docsis.channel.bits_per_second()) * left)
    }

    /// When the bytes sent with this grant have left.
    pub(super) fn position(&self, docsis: &Docsis) -> Instant {
        self.begin + docsis.time(self.sent)
    }

    /// When the next packet may be taken at the earliest. A step comes before, unless a grant is in use.
    pub(super) fn ready(&self, docsis: &Docsis) -> Instant {
        match self.step {
            Step::Map if self.left > 0 && self.rest == 0 => self.position(docsis),
            Step::Request if self.left > 0 => self.begin,
            Step::Map => self.due,
            Step::None | Step::Request => start(docsis, self.map + 1),
        }
    }

    /// Tokens at `now`, with those of a grant that are not used.
    pub(super) fn tokens(&self, docsis: &Docsis, now: Instant) -> u128 {
        let come = docsis.rates.work(now).saturating_sub(docsis.rates.work(self.tokens_at));
        (self.tokens + come).min(work(docsis.burst)) + work(self.left + self.unused)
    }

    /// A packet arrives at `now` where nothing waits.
    pub(super) fn wake(&mut self, docsis: &Docsis, now: Instant) {
        if self.step == Step::None {
            self.map = now.as_nanos() / docsis.map_interval.as_nanos();
            self.collect(docsis, start(docsis, self.map));
            self.grant(docsis);
            // The arrival comes after all that is due at its instant.
            if self.due <= now {
                self.end_of_request(docsis);
            }
        }
        // The burst of a grant that has begun was built before.
        if self.step == Step::Map {
            self.unused += self.left;
            self.left = 0;
        }
    }

    /// A packet is taken. Returns true if the grant has room for all of it.
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        debug_assert_eq!(self.rest, 0, "one packet at a time");
        let now = if self.step == Step::Map { bytes.min(self.left) } else { 0 };
        self.left -= now;
        self.sent += now;
        self.rest = bytes - now;
        self.rest == 0
    }

    /// Does what is due, while `backlog` bytes wait in the queue.
    pub(super) fn step(&mut self, docsis: &Docsis, backlog: u64) {
        match self.step {
            Step::Map => self.map_begins(docsis, backlog + self.rest),
            Step::Request => self.request(docsis, backlog + self.rest),
            Step::None => {}
        }
    }

    /// A MAP interval begins: the CMTS has looked at the requests that reached it in time.
    fn map_begins(&mut self, docsis: &Docsis, waiting: u64) {
        let now = self.due;
        self.collect(docsis, now);
        while let Some(request) = self.requests.front().filter(|one| one.at + docsis.request_to_grant <= now)
        {
            self.known += request.bytes;
            self.requests.pop_front();
        }
        if waiting == 0 && self.known == 0 && self.requests.is_empty() {
            (self.step, self.due) = (Step::None, Instant::MAX);
            return;
        }
        self.grant(docsis);
    }

    /// Tokens come, and the unused ones return. Unused bytes of a grant do not count against the modem, as in
    /// `docsis-ns3` (`ReceiveUnusedCGrantUpdate`).
    fn collect(&mut self, docsis: &Docsis, now: Instant) {
        self.tokens = self.tokens(docsis, now).min(work(docsis.burst));
        self.tokens_at = now;
        (self.left, self.unused) = (0, 0);
    }

    /// Grant of interval `map`, and its place; without a grant the place of the request.
    fn grant(&mut self, docsis: &Docsis) {
        let tokens = u64::try_from(self.tokens / work(1)).unwrap_or(u64::MAX);
        let most = docsis.most();
        self.left = self.known.max(docsis.proactive()).min(tokens).min(most);
        self.known = self.known.saturating_sub(self.left);
        self.tokens -= work(self.left);
        let room = match docsis.guaranteed {
            _ if self.left == 0 => docsis.map_interval,
            None => docsis.map_interval.saturating_sub(docsis.time(most)),
            // Proactive grants keep a period, and what was asked for is added to them.
            Some(_) => Duration::ZERO,
        };
        let offset = (room.as_nanos() as f64 * docsis.draws.uniform(self.map)) as u64;
        self.begin = start(docsis, self.map) + Duration::from_nanos(offset);
        self.sent = 0;
        (self.step, self.due) = (Step::Request, self.begin);
    }

    /// The modem asks for what it has not asked for, and builds the burst of its grant.
    fn request(&mut self, docsis: &Docsis, waiting: u64) {
        let granted = self.left;
        self.left = granted.min(waiting);
        self.unused = granted - self.left;
        let on_way: u64 = self.requests.iter().map(|request| request.bytes).sum();
        let asked = self.left + self.known + on_way;
        if waiting > asked {
            self.requests.push_back(Request { at: self.due, bytes: waiting - asked });
        }
        let carried = self.rest.min(self.left);
        self.rest -= carried;
        self.left -= carried;
        self.sent = carried;
        self.end_of_request(docsis);
    }

    /// The next step is the next interval.
    fn end_of_request(&mut self, docsis: &Docsis) {
        self.map += 1;
        (self.step, self.due) = (Step::Map, start(docsis, self.map));
    }
}

/// Beginning of MAP interval `map`.
fn start(docsis: &Docsis, map: u64) -> Instant {
    Instant::from_nanos(map * docsis.map_interval.as_nanos())
}
