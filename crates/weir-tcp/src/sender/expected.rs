//! Header prediction: the short way of the usual ACK.
//!
//! V. Jacobson: *4BSD TCP Header Prediction*, Computer Communication Review 20 (2), 1990. Almost every ACK is
//! the next one, outside of loss recovery and without an echo: only the window grows and data leaves. This
//! file does for such ACKs what [`Sender::on_ack`] and [`Sender::poll_segment`] do for all; a test runs both
//! over the same ACKs.

use weir_types::Instant;

use super::Sender;
use crate::{Flags, Segment};

impl Sender {
    /// Takes in an ACK that is expected, and gives `send` all that it allows to leave. Returns false and does
    /// nothing if the ACK is another: then call [`Sender::on_ack`].
    #[inline]
    pub fn on_expected_ack(&mut self, ack: &Segment, now: Instant, mut send: impl FnMut(Segment)) -> bool {
        let Self { connection, recovery } = self;
        let Some(fast) = recovery.fast_retransmit() else { return false };
        let parameters = &*connection.parameters;
        if ack.number <= connection.una
            || connection.una == connection.first
            || connection.next != connection.high
            || fast.is_repairing()
            || connection.ecn.held
            || parameters.ecn && ack.flags.has(Flags::ECE)
            || connection.congestion.observes()
        {
            return false;
        }
        let counted = parameters.abc.of(ack.number - connection.una);
        if connection.may_grow() && !connection.congestion.grow_plainly(counted, &mut connection.window) {
            return false;
        }
        connection.una = ack.number;
        connection.expired_at = None;
        if parameters.timestamps || connection.timed.is_some() {
            connection.time_round_trip(ack, now);
        }
        let window = connection.window.cwnd as u32;
        let usable = connection.window.cwnd.min(connection.window.bound) as u32;
        let limit = connection.una.saturating_add(usable).min(connection.end).max(connection.next);
        fast.advance(limit - connection.next);
        while connection.next < limit {
            connection.next += 1;
            send(connection.emit_new(connection.next - 1, now));
        }
        connection.window_limited = limit - connection.una >= window;
        connection.restart_timer(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, sync::Arc, vec::Vec};

    use proptest::prelude::*;
    use weir_types::{Duration, Ecn};

    use super::*;
    use crate::{
        AppropriateByteCounting as Abc, TcpParameters,
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
            let expected = sender.on_expected_ack(&ack(number, now, false), now, |_| sent += 1);
            // The first ACK may end a handshake: it takes the long way.
            assert_eq!(expected, number > 1, "ACK {number}");
            if expected {
                assert!(sent > 0, "ACK {number}");
            } else {
                sender.on_ack(&ack(number, now, false), now);
                send_all(&mut sender, now);
            }
        }
        assert!(!sender.on_expected_ack(&ack(99, now, false), now, |_| unreachable!()));
    }

    proptest! {
        /// With the short way and without it, a sender does the same and is left the same.
        #[test]
        fn the_short_way_leads_to_the_same_place(
            parameters in parameters(),
            end in prop::option::of(5_u32..200),
            steps in prop::collection::vec((0_u32..6, 0_u32..12, 1_u64..60), 1..120),
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
                let ack = ack(number, Instant::from_nanos(now.as_nanos() - millis.min(20) * 1_000_000), kind == 1);
                long.on_ack(&ack, now);
                let expected = send_all(&mut long, now);
                let mut sent = Vec::new();
                if !short.on_expected_ack(&ack, now, |segment| sent.push(segment)) {
                    short.on_ack(&ack, now);
                    sent = send_all(&mut short, now);
                }
                prop_assert_eq!(sent, expected);
                prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            }
        }
    }
}
