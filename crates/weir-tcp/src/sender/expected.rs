//! Header prediction: the fast path of the usual ACK.
//!
//! V. Jacobson: *4BSD TCP Header Prediction*, Computer Communication Review 20 (2), 1990. Almost every ACK is
//! the next one, outside of loss recovery and without an echo: only the window grows and data leaves. This
//! file does for such ACKs what [`Sender::on_ack`] and [`Sender::poll_segment`] do for all; tests run both over
//! the same ACKs. It holds with SACK and any congestion control, and with the others for plain Reno.

use weir_types::Instant;

use super::{AnyMachine, Sender, each_machine};
use crate::{Segment, congestion::Window, connection::Rest, recovery::Recovery};

impl Sender {
    /// Returns true if the ACK of all below `number`, with an `echo` or without but without options, takes the
    /// fast path: [`Sender::on_expected_ack`].
    #[inline]
    pub fn expects(&self, number: u32, echo: bool) -> bool {
        let connection = &self.connection;
        connection.rest == Rest::Usual
            && number > connection.una
            && (!echo || !connection.ecn.capable || self.has_answered(number))
    }

    /// Returns true if echoes of ACKs of all below `number` are answered already.
    #[cold]
    fn has_answered(&self, number: u32) -> bool {
        each_machine!(&self.machine, machine => !machine.recovery.covers_more(number))
    }

    /// When [`Sender::on_timeout`] is due, of a sender that expects an ACK, or that has just sent all it may.
    #[inline]
    pub const fn expected_timeout(&self) -> Instant {
        self.connection.due
    }

    /// Takes in an ACK that is expected. A segment sent at `stamp` caused it, and it is the first to cover that
    /// segment. `send` gets all that the ACK allows to leave, in rows ([`Segment::append`]). Returns how many
    /// segments that are. With an `echo` the window does not grow.
    #[expect(clippy::inline_always, reason = "what is sent goes straight to its place")]
    #[inline(always)]
    pub fn on_expected_ack(
        &mut self,
        number: u32,
        echo: bool,
        stamp: Instant,
        now: Instant,
        send: impl FnMut(Segment),
    ) -> u32 {
        let connection = &mut self.connection;
        let echo = echo && connection.ecn.capable;
        if let AnyMachine::Sack(machine) = &mut self.machine {
            machine.recovery.on_expected(connection, number, echo, stamp, now);
        } else if connection.may_grow() && !echo {
            connection.grow_plainly(number - connection.una);
        }
        connection.una = number;
        if connection.timed.ends_below(number) || connection.parameters.timestamps {
            connection.time_round_trip(number, stamp, now);
        }
        let Window { cwnd, bound, .. } = connection.window;
        let allowed = (if bound < cwnd { bound } else { cwnd }) as u32;
        let limit = number + allowed.min(connection.end - number);
        let first = connection.next;
        let next = connection.emit_row(limit, now, send);
        // As many segments as fit in the window: no whole one more does.
        connection.window_limited = f64::from(next - number) + 1.0 > cwnd;
        connection.timer = if number < next {
            now.later(connection.rtt.timeout(&connection.parameters))
        } else {
            Instant::MAX
        };
        connection.due = match &mut self.machine {
            AnyMachine::Sack(machine) => machine.recovery.after_expected(connection, first, now),
            _ => connection.timer,
        };
        next - first
    }
}

#[cfg(test)]
mod tests {
    use alloc::{collections::VecDeque, format, sync::Arc, vec::Vec};
    use core::num::NonZeroU32;

    use proptest::prelude::*;
    use weir_types::{Duration, Ecn};

    use super::*;
    use crate::{
        AppropriateByteCounting as Abc, Flags, Header, PacingParameters, Receiver, TcpParameters, TcpPreset,
        congestion::{
            CongestionConfig, CubicParameters, HystartParameters, HystartPlusParameters, SlowStartConfig,
        },
        recovery::{
            LossDetection, NewRenoParameters, RecoveryConfig, RenoRecoveryParameters, SackParameters,
        },
    };

    /// Sends all that may leave.
    fn send_all(sender: &mut Sender, now: Instant) -> Vec<Segment> {
        core::iter::from_fn(|| sender.poll_segment(now)).collect()
    }

    /// Sends all that may leave, in one call.
    fn send_at_once(sender: &mut Sender, now: Instant) -> Vec<Segment> {
        let mut sent = Vec::new();
        let count = sender.send_all(now, |row| split(row, &mut sent));
        assert_eq!(sender.expected_timeout(), sender.timeout());
        assert_eq!(sent.len(), count as usize);
        sent
    }

    /// The segments of `row`, after those that were `sent`.
    fn split(mut row: Segment, sent: &mut Vec<Segment>) {
        sent.extend(core::iter::from_fn(|| row.split_first()));
        sent.push(row);
    }

    fn ack(number: u32, stamp: Instant, echo: bool) -> Segment {
        let flags = Flags::ACK.with(Flags::ECE, echo);
        Segment { stamp, flow: 0, number, header: Header::new(40, Ecn::NotEct, flags) }
    }

    fn parameters() -> impl Strategy<Value = TcpParameters> {
        let recovery = prop_oneof![
            prop::option::of(1_u32..5).prop_map(|max_burst| {
                RecoveryConfig::NewReno(NewRenoParameters { max_burst, ..NewRenoParameters::default() })
            }),
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

    /// Any control, with the values of the RFCs or those of Linux; CUBIC with any slow start.
    fn congestion() -> impl Strategy<Value = CongestionConfig> {
        let slow_start = prop_oneof![
            Just(SlowStartConfig::Standard),
            Just(SlowStartConfig::Hystart(HystartParameters::default())),
            Just(SlowStartConfig::HystartPlus(HystartPlusParameters::default())),
        ];
        let preset = prop_oneof![Just(TcpPreset::Rfc), Just(TcpPreset::Linux)];
        let cubic = (slow_start, any::<bool>(), any::<bool>()).prop_map(|(slow_start, whole, friendly)| {
            CongestionConfig::Cubic(CubicParameters {
                slow_start,
                integer_cwnd: whole,
                reno_friendly: friendly,
                ..CubicParameters::default()
            })
        });
        let named = (0..CongestionConfig::NAMES.len(), preset).prop_map(|(at, preset)| {
            let control = CongestionConfig::from_name(CongestionConfig::NAMES[at]);
            preset.congestion_with(&control.expect("in the registry"))
        });
        prop_oneof![cubic, named]
    }

    /// With SACK, and a receiver that may delay its ACKs.
    fn sack_parameters() -> impl Strategy<Value = TcpParameters> {
        let abc = prop_oneof![Just(Abc::Off), Just(Abc::Limit2), Just(Abc::NoLimit)];
        let bools = prop::collection::vec(any::<bool>(), 14);
        let pacing = prop::option::of(any::<bool>())
            .prop_map(|tso| tso.map(|tso| PacingParameters { tso, ..PacingParameters::default() }));
        let numbers = (pacing, 0_u32..20);
        (congestion(), abc, bools, numbers).prop_map(
            |(congestion, abc, bools, (pacing, quickack_segments))| TcpParameters {
                pacing,
                congestion,
                recovery: RecoveryConfig::Sack(SackParameters {
                    detection: if bools[0] { LossDetection::Rack } else { LossDetection::default() },
                    tlp: bools[0] && bools[1],
                    prr: bools[2],
                    prr_on_mark: bools[2] && bools[3],
                    grow_on_full_ack: bools[4],
                    ..SackParameters::default()
                }),
                abc,
                ecn: bools[5] || bools[11],
                accecn: bools[11],
                accecn_option: bools[12],
                push_every: bools[11].then_some(NonZeroU32::MIN.saturating_add(3)),
                timestamps: bools[6],
                cwnd_validation: bools[7],
                handshake: bools[8],
                limited_transmit: bools[9],
                delayed_ack: bools[10].then_some(Duration::from_millis(40)),
                immediate_ecn_echo: bools[4],
                quickack_segments,
                ..TcpParameters::default()
            },
        )
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
            // The first ACK may end a handshake: it takes the slow path.
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

    /// The slow path with SACK, and beside it the fast path wherever it is open. Returns what leaves.
    fn acknowledge_both(
        slow: &mut Sender,
        fast: &mut Sender,
        receiver: &mut Receiver,
        ack: &Segment,
        now: Instant,
    ) -> Vec<Segment> {
        let (echo, options) = (ack.flags().has(Flags::ECE), receiver.options_of(ack));
        slow.connection.rest = Rest::No;
        slow.on_ack_with(ack, &options, now);
        let slow_due = slow.timeout();
        let expected = send_all(slow, now);
        let mut sent = Vec::new();
        if ack.options() == 0 && fast.expects(ack.number, echo) {
            assert_eq!(fast.expected_timeout(), fast.timeout());
            fast.on_expected_ack(ack.number, echo, ack.stamp, now, |row| split(row, &mut sent));
            assert_eq!(fast.expected_timeout(), fast.timeout());
        } else {
            fast.on_ack_with(ack, &options, now);
            assert_eq!(fast.timeout(), slow_due);
            sent = send_at_once(fast, now);
        }
        assert_eq!(sent, expected);
        assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
        sent
    }

    /// On a path without losses almost all ACKs of the Linux preset are expected.
    #[test]
    fn linux_expects_its_acks_too() {
        let parameters = TcpPreset::Linux.parameters();
        let mut receiver = Receiver::new(0, &parameters);
        let mut sender = Sender::new(0, 1000, Arc::new(parameters));
        sender.start();
        let mut now = Instant::ZERO;
        let mut flying = VecDeque::from(send_all(&mut sender, now));
        let (mut acks, mut expected) = (0, 0);
        for _ in 0..2000 {
            now += Duration::from_millis(1);
            let Some(data) = flying.pop_front() else { break };
            let Some(ack) = receiver.on_segment(&data, now) else { continue };
            acks += 1;
            expected += u32::from(sender.expects(ack.number, false));
            let mut slow = sender.clone();
            flying.extend(acknowledge_both(&mut slow, &mut sender, &mut receiver, &ack, now));
        }
        assert!(acks > 900, "{acks}");
        assert_eq!(expected, acks - 1, "all but that of the SYN");
    }

    proptest! {
        /// With the fast path and without it, a sender with SACK does the same, over a path that loses and marks.
        #[test]
        fn the_fast_path_with_sack_leads_to_the_same_state(
            parameters in sack_parameters(),
            end in prop::option::of(5_u32..200),
            steps in prop::collection::vec((1_usize..5, 0_u32..40, 1_u64..60), 1..150),
        ) {
            let mut receiver = Receiver::new(0, &parameters);
            let mut slow = Sender::new(0, 1000, Arc::new(parameters));
            match end {
                Some(segments) => slow.start_with(segments, 500),
                None => slow.start(),
            }
            let mut now = Instant::ZERO;
            let mut flying = VecDeque::from(send_all(&mut slow, now));
            let mut fast = slow.clone();
            for (count, kind, millis) in steps {
                now += Duration::from_millis(millis);
                while slow.timeout() <= now {
                    let now = slow.timeout();
                    slow.connection.rest = Rest::No;
                    slow.on_timeout(now);
                    fast.on_timeout(now);
                    prop_assert_eq!(fast.timeout(), slow.timeout());
                    let sent = send_all(&mut slow, now);
                    prop_assert_eq!(&send_at_once(&mut fast, now), &sent);
                    prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
                    flying.extend(sent);
                }
                if receiver.timeout() <= now && let Some(ack) = receiver.on_timeout() {
                    flying.extend(acknowledge_both(&mut slow, &mut fast, &mut receiver, &ack, now));
                }
                // Now and then the data is lost, or marked, or the ACK is lost.
                let count = count.min(flying.len());
                for mut data in flying.drain(..count).collect::<Vec<_>>() {
                    if kind == 0 {
                        continue;
                    }
                    if kind < 4 && data.ecn() != Ecn::NotEct {
                        data.header = data.header.with_ecn(Ecn::Ce);
                    }
                    if let Some(ack) = receiver.on_segment(&data, now) && kind != 4 {
                        flying.extend(acknowledge_both(&mut slow, &mut fast, &mut receiver, &ack, now));
                    }
                }
            }
        }

        /// With the fast path and without it, a sender does the same and is left the same.
        #[test]
        fn the_fast_path_leads_to_the_same_state(
            parameters in parameters(),
            end in prop::option::of(5_u32..200),
            steps in prop::collection::vec((0_u32..6, 0_u32..8, 1_u64..60), 1..120),
        ) {
            let mut slow = Sender::new(0, 1000, Arc::new(parameters));
            match end {
                Some(segments) => slow.start_with(segments, 500),
                None => slow.start(),
            }
            let mut now = Instant::ZERO;
            let mut fast = slow.clone();
            prop_assert_eq!(send_at_once(&mut fast, now), send_all(&mut slow, now));
            for (ahead, kind, millis) in steps {
                now += Duration::from_millis(millis);
                if slow.timeout() <= now {
                    slow.on_timeout(now);
                    fast.on_timeout(now);
                    prop_assert_eq!(send_at_once(&mut fast, now), send_all(&mut slow, now));
                }
                // Mostly new data; sometimes a duplicate, or an echo.
                let covered = if kind == 0 { 0 } else { ahead };
                let number = (slow.acked() + covered).min(slow.connection.high);
                let stamp = Instant::from_nanos(now.as_nanos() - millis.min(20) * 1_000_000);
                let echo = (1..4).contains(&kind);
                let ack = ack(number, stamp, echo);
                slow.on_ack(&ack, now);
                let expected = send_all(&mut slow, now);
                let mut sent = Vec::new();
                if fast.expects(number, echo) {
                    prop_assert_eq!(fast.expected_timeout(), fast.timeout());
                    fast.on_expected_ack(number, echo, stamp, now, |row| split(row, &mut sent));
                } else {
                    fast.on_ack(&ack, now);
                    sent = send_at_once(&mut fast, now);
                }
                prop_assert_eq!(sent, expected);
                prop_assert_eq!(format!("{fast:?}"), format!("{slow:?}"));
            }
        }
    }
}
