use weir_types::Instant;

/// The length of a queue over time: its integral, for the mean, and that of its square, for the deviation.
/// All numbers are integers, so that sums do not depend on their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueGauge {
    since: Instant,
    packets: u32,
    /// Nanoseconds at each length up to the longest, until the interval is closed.
    nanos: Vec<u64>,
    /// Once it is closed: packet-nanoseconds.
    area: u128,
    /// Packets squared times nanoseconds.
    square: u128,
    /// The longest queue.
    max: u32,
}

impl QueueGauge {
    /// Sets the length to `packets` from `now` on.
    #[inline]
    pub(crate) fn set(&mut self, packets: u32, now: Instant) {
        if packets == self.packets {
            return;
        }
        self.advance(now);
        self.packets = packets;
    }

    /// The gauge of the interval that begins at `now`, with the present length.
    pub(crate) fn begin(&self, now: Instant) -> Self {
        Self { since: now, packets: self.packets, ..Self::default() }
    }

    /// Closes the interval at `now`.
    pub(crate) fn close(&mut self, now: Instant) {
        self.advance(now);
        for (packets, nanos) in (0..).zip(std::mem::take(&mut self.nanos)) {
            self.area += packets * u128::from(nanos);
            self.square += packets * packets * u128::from(nanos);
            self.max = packets as u32;
        }
    }

    /// Adds another interval.
    pub(crate) fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.square += other.square;
        self.max = self.max.max(other.max);
    }

    /// Packet-nanoseconds of the interval, which is closed.
    pub(crate) const fn area(&self) -> u128 {
        self.area
    }

    /// Packet-nanoseconds of the interval until `now`, while it lasts.
    pub(crate) fn area_until(&self, now: Instant) -> u128 {
        let mut closed = self.clone();
        closed.close(now);
        closed.area
    }

    /// Time average over `nanos` nanoseconds, in packets.
    pub(crate) fn mean(&self, nanos: f64) -> f64 {
        self.area as f64 / nanos
    }

    /// Standard deviation over time, in packets.
    pub(crate) fn deviation(&self, nanos: f64) -> f64 {
        let mean = self.mean(nanos);
        (self.square as f64 / nanos - mean * mean).max(0.0).sqrt()
    }

    pub(crate) const fn max(&self) -> u32 {
        self.max
    }

    #[inline]
    fn advance(&mut self, now: Instant) {
        // Time does not go back: an overflow would be a bug.
        let nanos = now.as_nanos() - self.since.as_nanos();
        match self.nanos.get_mut(self.packets as usize) {
            Some(sum) => *sum += nanos,
            None => self.lengthen(nanos),
        }
        self.since = now;
    }

    /// The queue has never been as long.
    #[cold]
    fn lengthen(&mut self, nanos: u64) {
        self.nanos.resize(self.packets as usize, 0);
        self.nanos.push(nanos);
    }
}
