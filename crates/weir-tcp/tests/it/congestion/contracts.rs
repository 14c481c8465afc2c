//! Properties that hold for every congestion control, whatever happens to it.

use proptest::prelude::*;
use weir_tcp::congestion::{
    CongestionConfig, CubicParameters, HystartParameters, RenoParameters, Repair, SlowStartConfig,
};
use weir_types::{Duration, Probability};

use super::Bench;

#[derive(Clone, Debug)]
enum Event {
    Ack { acked: u32, echo: bool },
    Wait { millis: u64 },
    Path { millis: u64 },
    Loss { repaired: bool },
    Mark,
    Timeout,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        20 => (0_u32..4, any::<bool>()).prop_map(|(acked, echo)| Event::Ack { acked, echo }),
        4 => (0_u64..500).prop_map(|millis| Event::Wait { millis }),
        2 => (1_u64..400).prop_map(|millis| Event::Path { millis }),
        1 => any::<bool>().prop_map(|repaired| Event::Loss { repaired }),
        1 => Just(Event::Mark),
        1 => Just(Event::Timeout),
    ];
    prop::collection::vec(event, 1..400)
}

fn controls() -> Vec<CongestionConfig> {
    let mut controls: Vec<_> =
        CongestionConfig::NAMES.iter().map(|name| CongestionConfig::from_name(name).unwrap()).collect();
    let slow_start = SlowStartConfig::Hystart(HystartParameters::default());
    let beta_ecn = Probability::new(0.8);
    controls.push(CongestionConfig::Reno(RenoParameters {
        beta_ecn,
        slow_start,
        ..RenoParameters::default()
    }));
    controls.push(CongestionConfig::Cubic(CubicParameters { slow_start, ..CubicParameters::default() }));
    controls
}

proptest! {
    /// Something may always be sent, no window is without end, and no signal makes one larger.
    #[test]
    fn windows_stay_windows(events in events(), begin in 1_u32..200, slow in any::<bool>()) {
        for control in controls() {
            let name = control.name();
            let mut bench = Bench::new(&control, f64::from(begin));
            if slow {
                bench.window.ssthresh = f64::INFINITY;
            }
            for event in &events {
                let before = bench.window.cwnd;
                match *event {
                    Event::Ack { acked, echo } => {
                        let acked = acked.min(bench.high - bench.una);
                        bench.ack(acked, echo);
                        let most = before * 1.5 + 3.0;
                        prop_assert!(bench.window.cwnd <= most, "{name}: {before} to {:?}", bench.window);
                    }
                    Event::Wait { millis } => bench.now += Duration::from_millis(millis),
                    Event::Path { millis } => bench.rtt = Duration::from_millis(millis),
                    Event::Loss { repaired } => {
                        let repair = bench.loss();
                        prop_assert!(bench.window.cwnd <= before.max(2.0), "{name}: {:?}", bench.window);
                        if repaired && repair != Repair::StartOver {
                            bench.control.on_recovered(bench.now, &mut bench.window);
                        }
                    }
                    Event::Mark => {
                        if bench.control.answers_marks() {
                            bench.mark();
                        }
                        prop_assert!(bench.window.cwnd <= before, "{name}: {:?}", bench.window);
                    }
                    Event::Timeout => {
                        bench.timeout();
                        prop_assert!(bench.window.cwnd <= before.max(2.0), "{name}: {:?}", bench.window);
                    }
                }
                let window = bench.window;
                prop_assert!(window.cwnd >= 1.0 && window.cwnd.is_finite(), "{name}: {window:?}");
                prop_assert!(window.ssthresh >= 2.0 || window.ssthresh >= f64::from(begin), "{name}: {window:?}");
                prop_assert!(window.bound >= 1.0, "{name}: {window:?}");
            }
        }
    }
}

/// Time series have a row of every variable at every instant, from the first on.
#[test]
fn the_same_variables_are_shown_at_any_time() {
    for control in controls() {
        let shown = |bench: &Bench| {
            let mut names = Vec::new();
            bench.control.probe(&mut |name, _| names.push(name));
            names
        };
        let mut bench = Bench::new(&control, 10.0);
        let first = shown(&bench);
        bench.round(2);
        assert_eq!(shown(&bench), first, "{}", control.name());
    }
}
