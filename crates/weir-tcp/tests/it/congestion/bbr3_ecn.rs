//! The answer of BBR version 3 to marks, round by round: against a separate calculation in the kernel's whole 256ths.

#![expect(clippy::float_cmp, reason = "windows are whole, and shares are 256ths")]

use weir_tcp::{
    Declared, TcpParameters, TcpPreset,
    accecn::{EcnMode, ReceiverEcn},
    congestion::{
        Bbr3, Bbr3EcnParameters, Bbr3Parameters, Congestion, CongestionConfig, Delivery, RateSample,
        RecoveryState, Window,
    },
};
use weir_types::{Duration, Ecn, Instant};

/// Segments of a round, unless a test has its own: the product of bandwidth and round trip.
const N: u32 = 100;
const RTT: Duration = Duration::from_millis(2);
const CRUISE: f64 = 1.0;
const UP: f64 = 1.25;
const DOWN: f64 = 232.0 / 256.0;

/// A sender whose ACKs come as a test writes them.
struct Script {
    bbr: Bbr3,
    window: Window,
    now: Instant,
    rtt: Duration,
    una: u32,
    delivered: u64,
    marked: u32,
}

/// Times and early probes at which only marks begin and end phases.
fn patient() -> Bbr3Parameters {
    let ecn = Bbr3EcnParameters { reprobe_gain: 0.0, ..Bbr3EcnParameters::default() };
    Bbr3Parameters { ecn: Some(ecn), probe_wait: Duration::from_secs(60), ..Bbr3Parameters::default() }
}

impl Script {
    fn new(parameters: &Bbr3Parameters, rtt: Duration) -> Self {
        let mut bbr = Bbr3::new(parameters);
        bbr.on_ecn(EcnMode::Accurate);
        let window = Window { cwnd: 10.0, ssthresh: f64::INFINITY, bound: f64::INFINITY };
        Self { bbr, window, now: Instant::ZERO + rtt, rtt, una: 1, delivered: 0, marked: 0 }
    }

    /// An ACK of `newly` segments, `marked` of them, `after` the last. Its sample is of a segment that left when `back`
    /// fewer were delivered than now, with `flight` in the network.
    fn tell(&mut self, newly: u32, marked: u32, back: u32, flight: u32, after: Duration) {
        self.now += after;
        self.una += newly;
        self.delivered += u64::from(newly);
        self.marked += marked;
        let sample = RateSample {
            interval: Some(self.rtt),
            delivered: u64::from(back),
            prior_delivered: self.delivered - u64::from(back),
            app_limited: false,
            rtt: Some(self.rtt),
            flight,
            lost: 0,
            tail: None,
        };
        let delivery = Delivery {
            now: self.now,
            rtt: self.rtt,
            smoothed: self.rtt,
            newly,
            marked,
            delivered: self.delivered,
            lost: 0,
            lost_so_far: 0,
            una: self.una,
            high: self.una + N,
            flight: N,
            flight_before: N,
            limited: true,
            full: true,
            state: RecoveryState::Open,
            min_rtt: self.rtt,
            next_release: self.now,
            bytes: 9000,
            // Few segments fill a burst of segmentation offload, which then does not bound the window.
            payload: 8948,
            sample: Some(sample),
        };
        self.bbr.on_delivery(&delivery, &mut self.window);
    }

    /// A round that is one ACK, of `n` segments.
    fn round(&mut self, n: u32, marked: u32) {
        self.tell(n, marked, n, n, self.rtt);
    }

    fn variable(&self, wanted: &str) -> f64 {
        let mut found = f64::NAN;
        self.bbr.probe(&mut |name, value| found = if name == wanted { value } else { found });
        found
    }

    /// Rounds without marks until the rate has this gain in `PROBE_BW`.
    fn reach(&mut self, gain: f64) {
        for _ in 0..200 {
            if self.variable("mode") == 2.0 && self.variable("pacing_gain") == gain {
                return;
            }
            self.round(N, 0);
        }
        panic!("a gain of {gain} is not reached");
    }

    /// All that the control sets and shows.
    fn state(&self) -> Vec<f64> {
        let mut values = vec![self.window.cwnd, self.window.ssthresh, self.bbr.pace().rate.unwrap_or(0.0)];
        self.bbr.probe(&mut |name, value| {
            if name != "ecn_alpha" {
                values.push(value);
            }
        });
        values
    }
}

/// The kernel's alpha in 256ths after a round of `n` segments.
const fn renewed(alpha: u32, n: u32, marked: u32) -> u32 {
    (((256 - 16) * alpha) >> 8) + ((16 * (marked * 256 / n)) >> 8)
}

/// The kernel's `inflight_lo` after a round with a mark.
const fn cut(inflight: u32, alpha: u32) -> u32 {
    (inflight * (256 - ((alpha * 85) >> 8))) >> 8
}

#[test]
fn alpha_follows_the_share_of_marks_in_whole_256ths() {
    let mut script = Script::new(&patient(), RTT);
    assert_eq!(script.variable("ecn_alpha"), 1.0);
    let shares = [(10, 10), (20, 0), (37, 12), (80, 79), (100, 6), (100, 7), (3, 1)];
    let mut alpha = 256;
    for (n, marked) in shares.into_iter().cycle().take(60).chain([(N, 0); 60]) {
        script.round(n, marked);
        alpha = renewed(alpha, n, marked);
        assert_eq!(script.variable("ecn_alpha"), f64::from(alpha) / 256.0);
    }
    assert_eq!(alpha, 0, "below 16 of 256 it loses one a round");
}

/// Several ACKs make a round; alpha is renewed once.
#[test]
fn alpha_is_renewed_once_a_round() {
    let mut script = Script::new(&patient(), RTT);
    script.round(N, 0);
    let mut alpha = renewed(256, N, 0);
    // The second ACK is of a segment that left within the first's round.
    for marked in [40, 20, 0, 70] {
        script.tell(50, marked / 2, 50, N, RTT / 2);
        alpha = renewed(alpha, 50, marked / 2);
        let first = script.variable("ecn_alpha");
        assert_eq!(first, f64::from(alpha) / 256.0);
        script.tell(50, marked / 2, 100, N, RTT / 2);
        assert_eq!(script.variable("ecn_alpha"), first);
        script.tell(50, 0, 50, N, RTT / 2);
        alpha = renewed(alpha, 100, marked / 2);
        assert_eq!(script.variable("ecn_alpha"), f64::from(alpha) / 256.0);
    }
}

/// Two rounds, one after the other, with at least half of the segments marked.
#[test]
fn two_rounds_of_many_marks_end_startup() {
    let ends = |rounds: &[(u32, u32)]| {
        let mut script = Script::new(&patient(), RTT);
        for &(n, marked) in rounds {
            assert_eq!(script.variable("mode"), 0.0, "{rounds:?}");
            script.round(n, marked);
        }
        let known = [script.variable("inflight_hi"), script.window.ssthresh];
        (script.variable("mode") != 0.0).then_some(known)
    };
    assert_eq!(ends(&[(25, 0), (50, 0), (100, 0), (200, 0), (400, 0)]), None);
    assert_eq!(ends(&[(50, 0), (100, 75), (200, 99), (400, 300)]), None, "99 of 200 are less than half");
    // Flight and product of the round before: 50 or 100 segments. A sample with no more than half marked raises that.
    assert_eq!(ends(&[(50, 50), (100, 50)]), Some([100.0, 100.0]), "the first round counts, too");
    assert_eq!(ends(&[(50, 50), (100, 51)]), Some([50.0, 100.0]));
    assert_eq!(ends(&[(50, 0), (100, 50), (200, 150)]), Some([100.0, 200.0]));
}

#[test]
fn a_round_with_a_mark_lowers_the_flight_by_alpha_thirds_once() {
    let mut script = Script::new(&patient(), RTT);
    script.reach(CRUISE);
    assert_eq!(script.variable("inflight_lo"), f64::INFINITY);
    let mut alpha = (script.variable("ecn_alpha") * 256.0) as u32;
    let mut inflight = script.window.cwnd as u32;
    for marked in [1, 30, 50, 100, 100, 2] {
        script.round(N, marked);
        alpha = renewed(alpha, N, marked);
        inflight = cut(inflight, alpha);
        assert_eq!(script.variable("inflight_lo"), f64::from(inflight));
        assert!(script.window.cwnd <= f64::from(inflight.max(4)));
    }
    // Without a mark nothing changes; and marks do not lower the bandwidth.
    script.round(N, 0);
    assert_eq!(script.variable("inflight_lo"), f64::from(inflight));
    assert_eq!(script.variable("bw"), f64::from(N) / RTT.as_secs_f64());
    // A second ACK of the round lowers nothing, though it tells of marks.
    script.tell(50, 25, 50, N, RTT / 2);
    let once = script.variable("inflight_lo");
    assert!(once < f64::from(inflight));
    script.tell(50, 50, 100, N, RTT / 2);
    assert_eq!(script.variable("inflight_lo"), once);
}

/// A sample counts the marks since its segment left, over several ACKs.
#[test]
fn a_probe_with_more_than_half_marked_bounds_the_flight() {
    let bounded = |first: u32, second: u32, back: u32| {
        let quick = Bbr3Parameters { probe_wait: Duration::from_millis(50), ..patient() };
        let quick = Bbr3Parameters { probe_spread: Duration::from_millis(1), ..quick };
        let mut script = Script::new(&quick, RTT);
        script.reach(UP);
        script.tell(50, first, 50, 130, RTT / 2);
        script.tell(50, second, back, 120, RTT / 2);
        let over = script.variable("pacing_gain") != UP;
        assert_eq!(over, script.variable("inflight_hi").is_finite());
        script.variable("inflight_hi")
    };
    assert_eq!(bounded(0, 0, 50), f64::INFINITY);
    assert_eq!(bounded(0, 25, 50), f64::INFINITY, "half is not more than half");
    assert_eq!(bounded(0, 26, 50), 120.0);
    assert_eq!(bounded(25, 25, 100), f64::INFINITY);
    assert_eq!(bounded(20, 31, 100), 120.0);
    assert_eq!(bounded(26, 0, 50), 130.0);
}

/// Once marks have ceased for a round, the next probe begins, and grows as if rounds had passed: by 2^5 of 50 segments.
#[test]
fn marks_that_cease_bring_the_next_probe() {
    let rounds_to_up = |reprobe_gain: f64| {
        let ecn = Some(Bbr3EcnParameters { reprobe_gain, ..Bbr3EcnParameters::default() });
        let wait = Duration::from_millis(50);
        let mut script = Script::new(
            &Bbr3Parameters { ecn, probe_wait: wait, probe_spread: Duration::ZERO, ..patient() },
            RTT,
        );
        script.reach(UP);
        script.round(N, 75);
        assert_eq!([script.variable("pacing_gain"), script.variable("inflight_hi")], [DOWN, f64::from(N)]);
        let mut rounds = 0;
        // Marks go on for two rounds, in one of which nothing else happens.
        for marked in [10, 10].into_iter().chain([0; 60]) {
            script.round(N, marked);
            rounds += 1;
            if script.variable("pacing_gain") == UP {
                break;
            }
        }
        let before = script.variable("inflight_hi");
        script.round(N, 0);
        (rounds, before, script.variable("inflight_hi"))
    };
    let (rounds, before, after) = rounds_to_up(0.5);
    assert!((4..=6).contains(&rounds), "{rounds} rounds");
    assert_eq!([before, after], [100.0, 100.0 + 33.0], "100 / (100 >> 5) = 33");
    let (rounds, before, after) = rounds_to_up(0.0);
    assert!(rounds > 20, "{rounds} rounds: 50 ms of DOWN and CRUISE");
    assert_eq!([before, after], [100.0, 101.0]);
}

/// Marks change nothing at all on longer paths, without the option, or where ACKs do not count them.
#[test]
fn marks_are_ignored_elsewhere() {
    let default = Bbr3EcnParameters::default();
    let with = |ecn| Bbr3Parameters { ecn, ..Bbr3Parameters::default() };
    let shares = |script: &mut Script, are: u32| {
        let mut states = Vec::new();
        for round in 0_u32..1500 {
            script.round(N, if round % 7 < 4 { are * (round % 100) } else { 0 });
            states.push(script.state());
        }
        states
    };
    let changes = |ecn, rtt, mode| {
        let [marked, none] = [1, 0].map(|are| {
            let mut script = Script::new(&with(ecn), rtt);
            script.bbr.on_ecn(mode);
            shares(&mut script, are)
        });
        let mut plain = Script::new(&with(None), rtt);
        assert_eq!(none, shares(&mut plain, 0), "without marks the option changes nothing");
        marked != none
    };
    let (short, long) = (Duration::from_millis(5), Duration::from_micros(5001));
    let any = Some(Bbr3EcnParameters { max_rtt: Duration::ZERO, ..default });
    assert!(changes(Some(default), short, EcnMode::Accurate));
    assert!(changes(any, long, EcnMode::Accurate));
    assert!(!changes(Some(default), long, EcnMode::Accurate));
    assert!(!changes(None, short, EcnMode::Accurate));
    assert!(!changes(Some(default), short, EcnMode::Off));
}

fn tcp(ecn: bool, accecn: bool) -> TcpParameters {
    let parameters = Bbr3Parameters { ecn: Some(Bbr3EcnParameters::default()), ..Bbr3Parameters::default() };
    let congestion = CongestionConfig::Bbr3(parameters);
    TcpParameters { congestion, ecn, accecn, ..TcpPreset::Linux.parameters() }
}

/// It is refused without counted marks. Segments are ECT(0), and not ECN-capable if the other end cannot count.
#[test]
fn it_needs_accurate_feedback() {
    assert_eq!(tcp(true, true).check(), Ok(()));
    for (parameters, key) in [(tcp(false, false), "ecn"), (tcp(true, false), "accecn")] {
        let error = parameters.check().unwrap_err();
        assert_eq!(error.parameter, key);
        assert_eq!(
            error.message,
            format!("congestion.bbr3.ecn answers how many packets are marked, and {key} is off")
        );
        assert!(error.hint.contains("ecn = true and accecn = true"), "{}", error.hint);
    }
    assert_eq!(Declared::in_all(&tcp(true, true)).data, Ecn::Ect0);
    assert_eq!(Declared::in_all(&tcp(true, true)).syn, Ecn::NotEct);
    let alone = TcpParameters { receiver_ecn: ReceiverEcn::Classic, ..tcp(true, true) };
    assert_eq!(Declared::in_all(&alone).data, Ecn::NotEct);
}

#[test]
fn parameters_are_checked() {
    let known = Bbr3EcnParameters::default();
    let bad = [
        (Bbr3EcnParameters { alpha_gain: 0.0, ..known }, "ecn.alpha_gain", "0.0625"),
        (Bbr3EcnParameters { factor: 1.1, ..known }, "ecn.factor", "leave ecn out"),
        (Bbr3EcnParameters { threshold: f64::NAN, ..known }, "ecn.threshold", "0.5"),
        (Bbr3EcnParameters { full_rounds: 0, ..known }, "ecn.full_rounds", "2"),
        (Bbr3EcnParameters { reprobe_gain: -0.1, ..known }, "ecn.reprobe_gain", "0.5"),
    ];
    for (ecn, name, hint) in bad {
        let parameters = Bbr3Parameters { ecn: Some(ecn), ..Bbr3Parameters::default() };
        let error = CongestionConfig::Bbr3(parameters).check().unwrap_err();
        assert_eq!(error.parameter, name);
        assert!(error.hint.contains(hint), "{name}: {}", error.hint);
    }
}
