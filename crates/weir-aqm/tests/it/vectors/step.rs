//! The step: a threshold, and nothing else.

use weir_aqm::{
    Aqm, PacketInfo, Reason, Verdict,
    aqm::{AqmConfig, StepParameters},
};
use weir_types::{Ecn, Instant, Level};

use crate::support::{link, packet, packets, stream, waiting};

fn verdicts(parameters: StepParameters, queues: &[u32]) -> Vec<Verdict> {
    let config = AqmConfig::Step(parameters);
    assert_eq!(config.check(), Ok(()));
    let mut aqm = config.build(link(), stream("step"));
    let info = PacketInfo { flow: 1, ..packet(Ecn::Ect0) };
    queues.iter().map(|queue| aqm.on_enqueue(info, waiting(*queue), Instant::ZERO)).collect()
}

/// RFC 8257, section 3.1: marked if the queue is greater than K, whatever it was before.
#[test]
fn all_beyond_the_threshold_and_none_below() {
    let (pass, mark) = (Verdict::Pass, Verdict::Mark(Reason::Forced));
    let found = verdicts(StepParameters::default(), &[0, 19, 20, 21, 200, 20, 21]);
    assert_eq!(found, [pass, pass, pass, mark, mark, pass, mark]);
}

/// `waiting` has packets of 1000 bytes.
#[test]
fn a_threshold_may_be_in_bytes() {
    let parameters = StepParameters { threshold: Level::Bytes(2500.0), ecn: false };
    assert_eq!(verdicts(parameters, &[2, 3]), [Verdict::Pass, Verdict::Drop(Reason::Forced)]);
}

#[test]
fn a_threshold_of_nothing_is_refused() {
    let config = AqmConfig::Step(StepParameters { threshold: packets(0.0), ..StepParameters::default() });
    assert_eq!(config.check().unwrap_err().parameter, "threshold");
}
