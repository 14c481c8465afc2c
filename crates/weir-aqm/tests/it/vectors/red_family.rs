//! Properties of RED that its descendants keep: the average, the spacing, how packets are signalled.

use serde_json::{Value, json};
use weir_aqm::{
    Aqm, Reason, Verdict,
    aqm::{AnyAqm, AqmConfig},
};
use weir_types::{Ecn, Instant};

use crate::support::{link, millis, near, packet, rate, read, signalling_rate, stream, waiting};

/// The family with these parameters, where thresholds can be set between 5 and 15 packets.
fn family(parameters: &Value) -> Vec<(&'static str, AnyAqm)> {
    let aqm = |name: &'static str| {
        let mut table = parameters.clone();
        let thresholds = [("min_th", "5 packets"), ("max_th", "15 packets")];
        for (key, level) in &thresholds[..if name == "op-red" { 1 } else { 2 }] {
            table[*key] = json!(level);
        }
        let config: AqmConfig = serde_json::from_value(json!({ name: table })).expect(name);
        config.check().expect(name);
        (name, config.build(link(), stream("family")))
    };
    ["red", "nlred", "feng-red", "adaptive-red", "op-red"].map(aqm).into()
}

fn see(aqm: &mut AnyAqm, queue: u32, now: Instant) -> Verdict {
    aqm.on_enqueue(packet(Ecn::NotEct), waiting(queue), now)
}

#[test]
fn all_average_as_red_does() {
    let mut aqms = family(&json!({ "w_q": 0.01 }));
    let mut averages = Vec::new();
    for (_, aqm) in &mut aqms {
        for n in 0..2000 {
            see(aqm, n % 37, millis(u64::from(n)));
        }
        aqm.on_rate(rate(16_000_000), millis(2000));
        aqm.on_idle(millis(2000));
        see(aqm, 0, millis(2010));
        averages.push(read(aqm, "average"));
    }
    assert!(averages[0] > 10.0, "{averages:?}");
    for average in &averages {
        near(*average, averages[0], 0.0);
    }
}

/// Two signals for every one of `p_b` with RED's own spacing, two thirds with ns-2's wait.
#[test]
fn all_space_as_red_does() {
    for (spacing, factor, tolerance) in
        [("geometric", 1.0, 0.03), ("uniform", 2.0, 0.03), ("wait", 2.0 / 3.0, 0.03)]
    {
        for (name, mut aqm) in family(&json!({ "w_q": 1.0, "spacing": spacing })) {
            see(&mut aqm, 0, Instant::ZERO);
            // OP-RED's thresholds are far apart here: a queue in the middle of each band.
            let queue = if name == "op-red" { 300 } else { 10 };
            let signals = signalling_rate(&mut aqm, waiting(queue), 400_000);
            let p_b = read(&aqm, "probability");
            assert!(p_b > 0.01, "{name} signals");
            let measured = signals / p_b;
            assert!((measured - factor).abs() < tolerance, "{name}, {spacing}: {measured} times p_b");
        }
    }
}

#[test]
fn all_mark_or_drop_as_red_does() {
    let verdicts = |parameters: Value| {
        let aqms = family(&parameters).into_iter();
        aqms.map(|(name, mut aqm)| {
            see(&mut aqm, 0, Instant::ZERO);
            let queue = if name == "op-red" { 300 } else { 10 };
            let early = (0..10_000).map(|_| see(&mut aqm, queue, Instant::ZERO));
            let early = early.filter(|verdict| *verdict != Verdict::Pass).last();
            (early.expect("a signal"), see(&mut aqm, 900, Instant::ZERO))
        })
        .collect::<Vec<_>>()
    };
    let (early, forced) = (Reason::Early, Reason::Forced);
    let all = |early, forced| vec![(early, forced); 5];
    assert_eq!(verdicts(json!({ "w_q": 1.0 })), all(Verdict::Drop(early), Verdict::Drop(forced)));
    let marking = json!({ "w_q": 1.0, "ecn": true });
    assert_eq!(verdicts(marking), all(Verdict::Mark(early), Verdict::Drop(forced)));
    let marking = json!({ "w_q": 1.0, "ecn": true, "harddrop": false });
    assert_eq!(verdicts(marking), all(Verdict::Mark(early), Verdict::Mark(forced)));
}
