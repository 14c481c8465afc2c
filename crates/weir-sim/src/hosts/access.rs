use weir_types::{Duration, Instant, Rate};

/// One direction of a flow's own link: first in, first out, without drops. The instant of a packet's departure
/// is known when it enters, so no event is scheduled.
#[derive(Clone, Copy, Debug, Default)]
struct Wire {
    free_at: Instant,
}

impl Wire {
    /// The instant at which a packet that enters at `now` and takes `time` has been sent.
    #[inline]
    fn finish(&mut self, now: Instant, time: Duration) -> Instant {
        self.free_at = now.max(self.free_at) + time;
        self.free_at
    }
}

/// The access links of one flow, at both ends and in both directions.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    rate: Rate,
    /// Usual sizes of data and ACKs, with their transmission times.
    data: (u32, Duration),
    ack: (u32, Duration),
    from_sender: Wire,
    to_receiver: Wire,
    from_receiver: Wire,
    to_sender: Wire,
}

impl Access {
    pub(crate) fn new(rate: Rate, data: u32, ack: u32) -> Self {
        Self {
            rate,
            data: (data, rate.time_to_send(data)),
            ack: (ack, rate.time_to_send(ack)),
            from_sender: Wire::default(),
            to_receiver: Wire::default(),
            from_receiver: Wire::default(),
            to_sender: Wire::default(),
        }
    }

    /// A data packet enters the sender's link at `now`. Returns when it has been sent.
    #[inline(never)]
    pub(crate) fn send_data(&mut self, bytes: u32, now: Instant) -> Instant {
        let time = self.time(bytes);
        self.from_sender.finish(now, time)
    }

    /// A data packet enters the receiver's link at `now`.
    #[inline]
    pub(crate) fn deliver_data(&mut self, bytes: u32, now: Instant) -> Instant {
        let time = self.time(bytes);
        self.to_receiver.finish(now, time)
    }

    /// An ACK enters the receiver's link at `now`.
    #[inline]
    pub(crate) fn send_ack(&mut self, bytes: u32, now: Instant) -> Instant {
        let time = self.time(bytes);
        self.from_receiver.finish(now, time)
    }

    /// An ACK enters the sender's link at `now`.
    #[inline]
    pub(crate) fn deliver_ack(&mut self, bytes: u32, now: Instant) -> Instant {
        let time = self.time(bytes);
        self.to_sender.finish(now, time)
    }

    #[inline]
    fn time(&self, bytes: u32) -> Duration {
        if bytes == self.data.0 {
            self.data.1
        } else if bytes == self.ack.0 {
            self.ack.1
        } else {
            self.rate.time_to_send(bytes)
        }
    }
}
