use alloc::format;

use proptest::prelude::*;

use super::*;
use crate::congestion::{CongestionConfig, DctcpParameters};

proptest! {
    /// Where ACKs are delayed, the fast path and the slow path do the same.
    #[test]
    fn the_fast_path_with_delayed_acks_leads_to_the_same_state(
        exact in any::<bool>(),
        prompt in any::<bool>(),
        quick in 0_u32..4,
        steps in prop::collection::vec((0_u32..30, 0_u32..12, 1_u64..60), 1..100),
    ) {
        let mut parameters = TcpParameters {
            recovery: RecoveryConfig::Sack(crate::recovery::SackParameters::default()),
            delayed_ack: Some(Duration::from_millis(40)),
            immediate_ecn_echo: prompt,
            quickack_segments: quick,
            ..TcpParameters::default()
        };
        if exact {
            parameters.congestion = CongestionConfig::Dctcp(DctcpParameters::default());
        }
        let mut long = Receiver::new(0, &parameters);
        let mut short = long.clone();
        let mut now = Instant::ZERO;
        for (ahead, kind, millis) in steps {
            now += Duration::from_millis(millis);
            if long.timeout() <= now {
                prop_assert_eq!(short.on_timeout(), long.on_timeout());
            }
            let ahead = ahead.saturating_sub(26);
            let flags = Flags::NONE.with(Flags::CWR, kind == 0).with(Flags::SYN, long.expected == 0);
            let ecn = if (1..4).contains(&kind) { Ecn::Ce } else { Ecn::Ect0 };
            let number = (long.expected + ahead).saturating_sub(u32::from(kind == 4));
            let header = Header::new(1000, ecn, flags);
            let data = Segment { stamp: now, number, header, ..Segment::default() };
            prop_assert_eq!(short.on_segment(&data, now), long.on_other(&data, now));
            prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
        }
    }
}
