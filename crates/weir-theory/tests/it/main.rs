//! The fluid model against what is known of its solutions.

use weir_theory::{
    Aqm, Avq, Course, Group, Hred, Integration, Integrator, Phase, Red, Shape, Spacing, WindowModel,
};
use weir_theory::{Start, Step, System};

const CAPACITY: f64 = 3750.0;

fn group(kind: WindowModel) -> Group {
    Group { flows: 60.0, delay: 0.2, kind, cut: 0.5, ..Group::default() }
}

fn system(aqm: Aqm) -> System {
    System {
        groups: vec![group(WindowModel::Reno)],
        capacity: CAPACITY,
        aqm,
        unresponsive: 0.0,
        buffer: 800.0,
    }
}

fn pi() -> Integrator {
    let (now, before, interval, target) = (1.822e-5, 1.816e-5, 1.0 / 160.0, 175.0);
    Integrator { now, before, interval, target, ..Integrator::default() }
}

fn red(gentle: bool) -> Aqm {
    Aqm::Red(Red {
        name: "RED".to_owned(),
        min_th: 150.0,
        max_th: 700.0,
        max_p: 0.1,
        w_q: 1e-4,
        gentle,
        spacing: Spacing::Geometric,
        parabola: false,
        pole: None,
        adapts: None,
    })
}

fn aqms() -> Vec<Aqm> {
    vec![
        red(true),
        red(false),
        Aqm::Integrator(pi()),
        Aqm::Integrator(Integrator { shape: Shape::Square, ..pi() }),
        Aqm::Integrator(Integrator {
            tuned: true,
            now: 20.25,
            before: 20.0,
            target: 0.02,
            by_delay: true,
            ..pi()
        }),
        Aqm::Hred(Hred { min_th: 100.0, max_th: 200.0, k: 2.0, rtt: 0.24, fall: 2.0 }),
        Aqm::Avq(Avq { gamma: 0.98, alpha: 0.15 }),
        Aqm::Step(Step { threshold: 65.0 }),
    ]
}

fn integration(system: System, until: f64) -> Integration {
    let phases = vec![Phase { since: 0.0, system }];
    Integration {
        phases,
        until,
        start: None,
        queue: None,
        state: None,
        step: None,
        most_steps: None,
        newcomers: true,
    }
}

fn run(integration: &Integration) -> Course {
    integration.run().expect("it has a round trip")
}

/// Linearly between steps.
fn at(course: &Course, values: &[f64], instant: f64) -> f64 {
    let after = course.times.partition_point(|time| *time <= instant).clamp(1, course.times.len() - 1);
    let share = (instant - course.times[after - 1]) / (course.times[after] - course.times[after - 1]);
    values[after - 1] + share * (values[after] - values[after - 1])
}

/// Where everything rests nothing moves: p = a / (b W²), W = C R / N.
#[test]
fn a_rest_is_a_rest() {
    let window = CAPACITY * (0.2 + 175.0 / CAPACITY) / 60.0;
    let signal = 2.0 / (window * window);
    let start = Start { queue: 175.0, state: signal, windows: vec![window] };
    let course = run(&Integration { start: Some(start), ..integration(system(Aqm::Integrator(pi())), 60.0) });
    assert!(course.queue.iter().all(|queue| (queue - 175.0).abs() < 1e-6));
    assert!(course.windows[0].mean.iter().all(|mean| (mean - window).abs() < 1e-8));
}

/// Without a signal slow start doubles the window each round trip, and the queue is empty until they fill the link.
#[test]
fn slow_start_doubles() {
    let course = run(&integration(system(red(true)), 0.5));
    let mean = at(&course, &course.windows[0].mean, 0.05);
    assert!((mean - 10.0 * 2.0_f64.powf(0.25)).abs() < 0.02, "{mean}");
    assert!(at(&course, &course.queue, 0.05) < 1e-9);
}

#[test]
fn queues_stay_within_their_bounds() {
    for aqm in aqms() {
        let course = run(&integration(system(aqm.clone()), 30.0));
        assert!(course.queue.iter().all(|queue| (0.0..=800.0).contains(queue)), "{aqm:?}");
        assert!(course.signal.iter().all(|p| (0.0..=1.0).contains(p)), "{aqm:?}");
        let least = course.windows[0].mean.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least >= 1.0, "{least} under {aqm:?}");
        assert!(course.times.is_sorted());
    }
}

/// The mean queue of half the step is within a thousandth of the buffer, whatever jumps on the way.
#[test]
fn half_the_step_is_the_same() {
    for kind in [WindowModel::Reno, WindowModel::Scalable, WindowModel::Cubic, WindowModel::Dctcp] {
        for aqm in aqms() {
            let mut system = system(aqm.clone());
            system.groups[0].kind = kind;
            let means = [0.2 / 6.0, 0.2 / 12.0].map(|step| {
                let course = run(&Integration { step: Some(step), ..integration(system.clone(), 40.0) });
                (0..4000).map(|i| at(&course, &course.queue, 0.01 * f64::from(i))).sum::<f64>() / 4000.0
            });
            // Of CUBIC, whose growth is steep where no signal comes, two.
            let within = if kind == WindowModel::Cubic { 1.6 } else { 0.8 };
            assert!((means[0] - means[1]).abs() < within, "{kind:?}, {aqm:?}: {means:?}");
        }
    }
}

/// An AQM keeps its state when the load changes.
#[test]
fn a_load_that_changes_by_nothing_changes_nothing() {
    for aqm in aqms() {
        let whole = integration(system(aqm.clone()), 20.0);
        let mut parts = whole.clone();
        parts.phases.push(Phase { since: 7.0, ..parts.phases[0].clone() });
        let [one, other] = [run(&whole), run(&parts)];
        for instant in [6.0, 8.0, 9.0] {
            let [one, other] = [&one, &other].map(|course| at(course, &course.queue, instant));
            assert!((one - other).abs() < 0.8, "{aqm:?} at {instant} s: {one}, {other}");
        }
    }
}

#[test]
fn what_cannot_be_integrated() {
    let message = |given: &Integration| given.run().expect_err("it cannot be").message;
    let mut none = integration(system(red(true)), 1.0);
    none.phases[0].system.groups[0].delay = 0.0;
    assert!(message(&none).contains("delay of zero"));
    none.phases[0].system.groups[0].delay = 1e-7;
    assert!(message(&none).contains("too many"));
    none.phases[0].since = 2.0;
    assert!(message(&none).contains("nothing to integrate"));
}
