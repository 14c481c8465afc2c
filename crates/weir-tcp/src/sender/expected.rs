//! Header prediction: the short way of the usual ACK.
//!
//! V. Jacobson: *4BSD TCP Header Prediction*, Computer Communication Review 20 (2), 1990. Almost every ACK is
//! the next one, outside of loss recovery and without an echo: only the window grows and data leaves. This
//! file does for such ACKs what [`Sender::on_ack`] and [`Sender::poll_segment`] do for all; a test runs both
//! over the same ACKs.

use weir_types::Instant;

use super::{Connection, Sender};
use crate::{Segment, congestion::Window};

impl Sender {
    /// Whether the ACK of all below `number`, with an `echo` or without, takes the short way:
    /// [`Sender::on_expected_ack`].
    #[inline]
    pub fn expects(&self, number: u32, echo: bool) -> bool {
        let connection = &self.connection;
        connection.steady
            && number > connection.una
            && (!echo || !connection.ecn.capable || number <= connection.answered)
    }

    /// When [`Sender::on_timeout`] is due, of a sender that expects an ACK.
    #[inline]
    pub const fn expected_timeout(&self) -> Instant {
        self.connection.timer
    }

    /// Takes in an ACK that is expected, caused by a segment sent at `stamp`, and gives `send` all that it allows
    /// to leave. With an `echo` the window does not grow.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn on_expected_ack(
        &mut self,
        number: u32,
        echo: bool,
        stamp: Instant,
        now: Instant,
        mut send: impl FnMut(Segment),
    ) {
        let connection = &mut self.connection;
        if connection.may_grow() && !(echo && connection.ecn.capable) {
            connection.grow_plainly(number - connection.una);
        }
        connection.una = number;
        if connection.timed.ends_below(number) || connection.parameters.timestamps {
            connection.time_round_trip(number, stamp, now);
        }
        let Window { cwnd, bound, .. } = connection.window;
        let usable = if cwnd < bound { cwnd } else { bound } as u32;
        let limit = number.saturating_add(usable).min(connection.end);
        let mut next = connection.next;
        while next < limit {
            send(connection.emit_new(next, now));
            next += 1;
        }
        connection.next = next;
        connection.window_limited = next - number >= cwnd as u32;
        connection.timer =
            if number < next { now + connection.rtt.timeout(&connection.parameters) } else { Instant::MAX };
    }
}

impl Connection {
    /// Whether an ACK of new data without an echo does no more than let the window grow and data leave, as far
    /// as loss recovery is not concerned.
    pub(super) fn is_usual(&self) -> bool {
        self.una > self.first
            && self.next == self.high
            && !self.ecn.held
            && self.expired_at.is_none()
            && self.congestion.is_plain()
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, sync::Arc, vec::Vec};

    use proptest::prelude::*;
    use weir_types::{Duration, Ecn};

    use super::*;
    use crate::{
        AppropriateByteCounting as Abc, Flags, TcpParameters,
        recovery::{NewRenoParameters, RecoveryConfig, RenoRecoveryParameters},
    };

    /// Sends all that may leave.
    fn send_all(sender: &mut Sender, now: Instant) -> Vec<Segment> {
        core::iter::from_fn(|| sender.poll_segment(now)).collect()
    }

    fn ack(number: u32, stamp: Instant, echo: bool) -> Segment {
        let flags = Flags::ACK.with(Flags::ECE, echo);
        Segment { stamp, flow: 0, number, bytes: 40, ecn: Ecn::NotEct, flags, blocks: 0 }
    }

    fn parameters() -> impl Strategy<Value = TcpParameters> {
        let recovery = prop_oneof![
            Just(RecoveryConfig::NewReno(NewRenoParameters::default())),
            Just(RecoveryConfig::Reno(RenoRecoveryParameters::default())),
        ];
        let abc = prop_oneof![Just(Abc::Off), Just(Abc::Limit2), Just(Abc::NoLimit)];
        let bools = prop::collection::vec(any::<bool>(), 5);
        (recovery, abc, bools).prop_map(|(recovery, abc, bools)| TcpParameters {
            recovery,
            abc,
            ecn: bools[0],
            timestamps: bools[1],
            cwnd_validation: bools[2],
            handshake: bools[3],
            limited_transmit: bools[4],
            ..TcpParameters::default()
        })
    }

    /// Most ACKs are expected: the next ones of an unbroken row are, and a duplicate is not.
    #[test]
    fn the_next_ack_is_expected_and_a_duplicate_is_not() {
        let mut sender = Sender::new(0, 1000, Arc::new(TcpParameters::default()));
        sender.start();
        let mut now = Instant::ZERO;
        send_all(&mut sender, now);
        for number in 1..100 {
            now += Duration::from_millis(10);
            let mut sent = 0;
            let expected = sender.expects(number, false);
            // The first ACK may end a handshake: it takes the long way.
            assert_eq!(expected, number > 1, "ACK {number}");
            if expected {
                sender.on_expected_ack(number, false, now, now, |_| sent += 1);
                assert!(sent > 0, "ACK {number}");
            } else {
                sender.on_ack(&ack(number, now, false), now);
                send_all(&mut sender, now);
            }
        }
        assert!(!sender.expects(99, false));
    }

    proptest! {
        /// With the short way and without it, a sender does the same and is left the same.
        #[test]
        fn the_short_way_leads_to_the_same_place(
            parameters in parameters(),
            end in prop::option::of(5_u32..200),
            steps in prop::collection::vec((0_u32..6, 0_u32..8, 1_u64..60), 1..120),
        ) {
            let mut long = Sender::new(0, 1000, Arc::new(parameters));
            match end {
                Some(segments) => long.start_with(segments, 500),
                None => long.start(),
            }
            let mut now = Instant::ZERO;
            let mut short = long.clone();
            prop_assert_eq!(send_all(&mut short, now), send_all(&mut long, now));
            for (ahead, kind, millis) in steps {
                now += Duration::from_millis(millis);
                if long.timeout() <= now {
                    long.on_timeout(now);
                    short.on_timeout(now);
                    prop_assert_eq!(send_all(&mut short, now), send_all(&mut long, now));
                }
                // Mostly new data; sometimes a duplicate, or an echo.
                let covered = if kind == 0 { 0 } else { ahead };
                let number = (long.acked() + covered).min(long.connection.high);
                let stamp = Instant::from_nanos(now.as_nanos() - millis.min(20) * 1_000_000);
                let echo = (1..4).contains(&kind);
                let ack = ack(number, stamp, echo);
                long.on_ack(&ack, now);
                let expected = send_all(&mut long, now);
                let mut sent = Vec::new();
                if short.expects(number, echo) {
                    prop_assert_eq!(short.expected_timeout(), short.timeout());
                    short.on_expected_ack(number, echo, stamp, now, |segment| sent.push(segment));
                } else {
                    short.on_ack(&ack, now);
                    sent = send_all(&mut short, now);
                }
                prop_assert_eq!(sent, expected);
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            }
        }
    }
}
