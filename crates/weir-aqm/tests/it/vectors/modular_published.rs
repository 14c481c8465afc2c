//! Published AQMs as points of the AQM put together.

use proptest::prelude::*;
use weir_aqm::{
    Aqm, Limit, Link,
    aqm::{
        AqmConfig, CongestionMeasure, ModularParameters, NlredParameters, PiParameters, Price, Profile,
        RedParameters, RemParameters, Spacing,
    },
    qdisc::Fifo,
};
use weir_types::{Duration, Ecn, Level, Probability, Streams};

use super::modular::point;
use crate::{
    contracts::{Operation, Rules, keeps_its_word, operations},
    support::{Event, link, millis, packet, packets, probability, read, waiting},
};

/// Everything that an AQM does on the operations, and how likely a signal is at the end.
pub(super) fn behaviour(
    config: &AqmConfig,
    limit: Limit,
    seed: u64,
    operations: &[Operation],
) -> (Vec<Event>, u64) {
    let link = Link { limit, ..link() };
    let make = || Fifo::new(config.build(link, Streams::new(seed).at("aqm")), limit);
    let events = keeps_its_word(make, &Rules { marks: true, line: |_| 0 }, operations);
    let mut aqm = config.build(link, Streams::new(seed).at("aqm"));
    for step in 0..200 {
        let now = aqm.next_update().unwrap_or(millis(step * 3));
        aqm.update(waiting(step as u32 % 23), now);
        aqm.on_enqueue(packet(Ecn::Ect0), waiting(step as u32 % 19), now);
        if step % 7 == 0 {
            aqm.on_idle(now);
        }
    }
    (events, read(&aqm, "probability").to_bits())
}

/// Published parameters that a point may share.
#[derive(Clone, Debug)]
struct Shared {
    low: f64,
    high: f64,
    top: Probability,
    weight: Probability,
    spacing: Spacing,
    harddrop: bool,
    ecn: bool,
    target: Level,
    interval: Duration,
    gain: f64,
    alpha: f64,
}

fn shared() -> impl Strategy<Value = Shared> {
    let spacing = prop_oneof![Just(Spacing::Geometric), Just(Spacing::Uniform), Just(Spacing::Wait)];
    let harddrop = prop_oneof![Just(true), Just(false)];
    let red = (0.0..5.0, 0.1..10.0, 0.05..0.6, 0.01..1.0, spacing, harddrop);
    let rem = (any::<bool>(), any::<bool>(), 1.0..30.0, 200_u64..20_000, 1e-3..10.0, 0.01..0.99);
    (red, rem).prop_map(|(red, rem)| {
        let (low, width, top, weight, spacing, harddrop) = red;
        let (ecn, in_bytes, target, micros, gain, alpha) = rem;
        Shared {
            low,
            high: low + width,
            top: probability(top),
            weight: probability(weight),
            spacing,
            harddrop,
            ecn,
            target: if in_bytes { Level::Bytes(target * 1000.0) } else { packets(target) },
            interval: Duration::from_micros(micros),
            gain,
            alpha,
        }
    })
}

/// Published AQMs with the points that they are.
fn pairs(shared: &Shared) -> Vec<(AqmConfig, ModularParameters)> {
    let Shared { low, high, top, weight, spacing, harddrop, ecn, target, interval, gain, alpha } = *shared;
    let red = RedParameters {
        min_th: Some(packets(low)),
        max_th: Some(packets(high)),
        max_p: top,
        w_q: weight,
        spacing,
        harddrop,
        ecn,
        ..RedParameters::default()
    };
    let nlred = NlredParameters {
        min_th: Some(packets(low)),
        max_th: Some(packets(high)),
        max_p: top,
        w_q: weight,
        spacing,
        harddrop,
        ecn,
        ..NlredParameters::default()
    };
    let red_point = |profile, top: f64| ModularParameters {
        profile,
        spacing,
        harddrop,
        ecn,
        low: Some(low),
        high: Some(high),
        top: Some(probability(top)),
        weight: Some(weight),
        ..ModularParameters::default()
    };
    let rem = |price| {
        AqmConfig::Rem(RemParameters {
            price,
            alpha,
            gamma: gain,
            phi: 1.05,
            per_packet: gain / 10.0,
            w_q: weight,
            target,
            interval,
            ecn,
            ..RemParameters::default()
        })
    };
    let price_point = |measure| ModularParameters {
        alpha,
        gamma: gain,
        phi: 1.05,
        kappa: Some(gain / 10.0),
        weight: Some(weight),
        target,
        interval,
        ecn,
        ..point(measure, Profile::Exponential)
    };
    let (a, b) = (gain / 100.0, gain * alpha / 100.0);
    let pi = PiParameters { a, b, q_ref: target, interval, ecn, ..PiParameters::default() };
    let pi_point =
        ModularParameters { a, b, target, interval, ecn, ..point(CongestionMeasure::Pi, Profile::Affine) };
    // Counting packets is exact; an average in bytes is rounded in another place.
    let average = ModularParameters { target: packets(20.0), ..price_point(CongestionMeasure::Average) };
    let first_rem = AqmConfig::Rem(RemParameters {
        price: Price::Average,
        per_packet: gain / 10.0,
        w_q: weight,
        target: packets(20.0),
        ecn,
        ..RemParameters::default()
    });
    vec![
        (AqmConfig::Red(red.clone()), red_point(Profile::Linear, top.get())),
        (AqmConfig::Red(RedParameters { gentle: true, ..red }), red_point(Profile::Gentle, top.get())),
        (AqmConfig::Nlred(nlred), red_point(Profile::Quadratic, 1.5 * top.get())),
        (rem(Price::RateAndQueue), price_point(CongestionMeasure::Price)),
        (rem(Price::Queue), price_point(CongestionMeasure::PriceByQueue)),
        (first_rem, average),
        (AqmConfig::Pi(pi), pi_point),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// RED, gentle RED, NLRED, REM in its three forms and PI are points: packet by packet the same,
    /// and the same to the last bit of the probability.
    #[test]
    fn published_aqms_are_points(shared in shared(), limit in 3_u32..40, seed: u64, operations in operations()) {
        for (aqm, point) in pairs(&shared) {
            let point = AqmConfig::Modular(point);
            prop_assert_eq!(aqm.check().and(point.check()), Ok(()), "{:?}", point);
            let published = behaviour(&aqm, Limit::Packets(limit), seed, &operations);
            prop_assert_eq!(behaviour(&point, Limit::Packets(limit), seed, &operations), published, "{:?}", aqm);
        }
    }

    /// With nothing set, it is RED with nothing set.
    #[test]
    fn the_defaults_are_those_of_red(seed: u64, operations in operations()) {
        let [red, modular] = ["red", "modular"].map(|name| {
            let config = AqmConfig::from_name(name).expect("in the registry");
            behaviour(&config, Limit::Packets(30), seed, &operations)
        });
        prop_assert_eq!(red, modular);
    }
}
