//! Runge and Kutta's method of fourth order.
//!
//! A step is a share of the shortest round trip, so that no stage needs the future. What averages is solved exactly
//! over a step, however fast it is. Steps end where something jumps, since the method has no order across: the queue
//! comes to a bound or leaves it, a slow start ends, a jump of the signal arrives. Sampled AQMs are integrated as
//! continuous ones where T is below a fifth of a round trip, and hold their signal in between otherwise.

use std::mem::discriminant;

use crate::{
    Course, Integration, Phase, System,
    aqm::{Drive, Seen},
    cohort::{Bottleneck, Cohort},
    past::{Node, Past},
    point::{Point, averaged, zero},
};

/// Steps.
pub(crate) const PER_ROUND_TRIP: f64 = 6.0;

/// The rest of a step behind a jump, as a share of the step, that is not worth another attempt.
const REST: f64 = 1e-6;

/// The shortest step, as a share of the longest. A step ends that far behind a jump that arrives, since what follows
/// has to be behind it.
const LEAST: f64 = 1e-3;

/// How near the queue is to a bound when it is at it, packets.
const NEAR: f64 = 1e-6;

/// A full buffer, as a share of it: what follows it by interpolation may be a little below.
const FULL: f64 = 1.0 - 1e-9;

/// Something jumps.
#[derive(Clone, Copy, PartialEq)]
enum Jump {
    /// At the queue, or as a slow start ends.
    Here,
    /// As flows see it, a round trip later.
    Arrives,
}

/// One integration.
pub(crate) struct Run<'a> {
    given: &'a Integration,
    system: &'a System,
    drive: Box<dyn Drive>,
    /// k of an average.
    lag: Option<f64>,
    /// The state waits for updates.
    held: bool,
    /// States at which something jumps.
    knees: Vec<f64>,
    drops: bool,
    now: f64,
    point: Point,
    /// Slope at the point, as written down with the last step.
    slope: Point,
    /// The queue stays at a bound.
    fixed: bool,
    /// q' if there were no bounds: at the point, and as last seen.
    free: [f64; 2],
    /// Arrival rate, as last seen, packets per second.
    rate: f64,
    cohorts: Vec<Cohort>,
    gone: Vec<Cohort>,
    past: Past,
    /// Slopes at the stages of the step after the first.
    stages: [Point; 3],
    /// The point that the step leads to.
    next: Point,
}

impl<'a> Run<'a> {
    pub(crate) fn new(given: &'a Integration, first: &'a Phase) -> Self {
        let system = &first.system;
        let drive = system.aqm.drive(first.since);
        let start = given.start.as_ref();
        let queue = given.queue.or(start.map(|start| start.queue)).unwrap_or(0.0);
        let state = given.state.unwrap_or_else(|| drive.begins(start, system.capacity));
        Self {
            given,
            system,
            drive,
            lag: None,
            held: false,
            knees: Vec::new(),
            drops: false,
            now: first.since,
            point: Point { queue, state, ..Point::default() },
            slope: Point::default(),
            fixed: false,
            free: [0.0; 2],
            rate: system.capacity,
            cohorts: Vec::new(),
            gone: Vec::new(),
            past: Past::default(),
            stages: Default::default(),
            next: Point::default(),
        }
    }

    /// All of it.
    pub(crate) fn course(mut self) -> Course {
        self.gone.append(&mut self.cohorts);
        Course::new(&self.past, &self.gone, &self.system.aqm)
    }

    /// The system is this one from now on.
    pub(crate) fn enter(&mut self, phase: &'a Phase, first: bool) {
        let (old, system) = (self.system, &phase.system);
        self.system = system;
        self.drops = system.drops();
        // An AQM that stays the same keeps what it has learned.
        if old.aqm != system.aqm {
            self.drive = system.aqm.drive(self.now);
            if discriminant(&old.aqm) != discriminant(&system.aqm) {
                self.point.state = self.drive.begins(None, system.capacity);
            }
        }
        self.lag = self.drive.lag(system.capacity);
        self.knees = self.drive.knees();
        for (part, group) in system.groups.iter().enumerate() {
            let mut mine: Vec<_> = self
                .cohorts
                .iter_mut()
                .filter(|one| one.part == part && one.group.name == group.name)
                .collect();
            let mut there: f64 = mine.iter().map(|one| one.flows).sum();
            if there > 0.0 && (group.flows <= there || !self.given.newcomers) {
                for one in &mut mine {
                    one.flows *= group.flows / there;
                }
                there = group.flows;
            }
            for one in mine {
                one.group.clone_from(group);
            }
            if group.flows - there > 1e-9 {
                let window = self.given.start.as_ref().filter(|_| first).map(|start| start.windows[part]);
                let begin = self.past.nodes.len();
                let (cohort, values) = Cohort::new(group, part, group.flows - there, begin, window);
                self.cohorts.push(cohort);
                self.point.flows.push(values);
            }
        }
        let stays =
            |one: &Cohort| system.groups.get(one.part).is_some_and(|group| group.name == one.group.name);
        for index in (0..self.cohorts.len()).rev() {
            if !stays(&self.cohorts[index]) {
                self.gone.push(self.cohorts.remove(index));
                self.point.flows.remove(index);
            }
        }
    }

    /// Steps until an instant.
    pub(crate) fn advance(&mut self, end: f64) {
        self.held = self.drive.hold(self.system.shortest() / 5.0, self.now, self.point.queue);
        self.past.held = self.held;
        self.begin();
        while self.now < end {
            let until = end.min(self.drive.due());
            let rtts = self.cohorts.iter().map(|one| self.rtt(one, self.point.queue));
            let own = rtts.fold(f64::INFINITY, f64::min) / PER_ROUND_TRIP;
            let longest = self.given.step.map_or(own, |step| step.min(own));
            // Rounding is not to leave a last step of nothing.
            let steps = ((until - self.now) / longest - 1e-9).ceil().max(1.0);
            let h = (until - self.now) / steps;
            let went = self.step(h);
            self.now = if steps > 1.0 || went < h { self.now + went } else { until };
            if self.now >= self.drive.due() {
                let Point { queue, state, .. } = self.point;
                self.point.state = self.drive.update(state, queue, self.system.capacity);
            }
            self.begin();
        }
    }

    /// One step of `longest` seconds, or less if something jumps in it; returns how long it was.
    fn step(&mut self, longest: f64) -> f64 {
        let mut h = longest;
        self.attempt(h);
        let mut ended = None;
        for _ in 0..4 {
            let Some((share, jump)) = self.jumps_in(h, longest * LEAST) else { break };
            ended = Some(jump);
            if share > 1.0 - REST {
                break;
            }
            h = (h * share).max(longest * LEAST);
            self.attempt(h);
        }
        let now = self.now + h;
        std::mem::swap(&mut self.point, &mut self.next);
        let Self { system, drive, point, .. } = self;
        point.state = drive.bounded(point.state, system.capacity);
        point.queue = if point.queue < NEAR { 0.0 } else { point.queue };
        point.queue = if point.queue > system.buffer - NEAR { system.buffer } else { point.queue };
        if ended.is_some() {
            // What comes before a jump has the slopes of before.
            let [.., last] = &mut self.stages;
            std::mem::swap(&mut self.slope, last);
            self.note(now);
        }
        let Self { system, point, cohorts, .. } = self;
        for (one, values) in cohorts.iter_mut().zip(&mut point.flows) {
            let rtt = one.group.round_trip(point.queue, system.capacity);
            one.settle(values, now, rtt);
            if ended == Some(Jump::Here) {
                one.jumps_at(now);
            }
        }
        h
    }

    /// Where a step of `h` leads.
    fn attempt(&mut self, h: f64) {
        let (t, half) = (self.now, 0.5 * h);
        let [mut second, mut third, mut fourth] = std::mem::take(&mut self.stages);
        let mut next = std::mem::take(&mut self.next);
        next.moved(&self.point, &self.slope, half);
        self.slopes(t + half, &next, &mut second);
        next.moved(&self.point, &second, half);
        self.slopes(t + half, &next, &mut third);
        next.moved(&self.point, &third, h);
        self.slopes(t + h, &next, &mut fourth);
        let (point, first) = (&self.point, &self.slope);
        let sum = |one: f64, two: f64, three: f64, four: f64| h / 6.0 * (one + 2.0 * (two + three) + four);
        for (i, values) in next.flows.iter_mut().enumerate() {
            let [one, two, three, four] = [first, &second, &third, &fourth].map(|slope| &slope.flows[i]);
            for (j, value) in values.iter_mut().enumerate() {
                *value = point.flows[i][j] + sum(one[j], two[j], three[j], four[j]);
            }
            values[0] = values[0].max(1.0).min(self.cohorts[i].group.most);
        }
        next.queue = point.queue + sum(first.queue, second.queue, third.queue, fourth.queue);
        next.state = if let Some(lag) = self.lag {
            let middle = 0.5 * (point.queue + next.queue) + 0.125 * h * (first.queue - fourth.queue);
            averaged(lag, point.state, [point.queue, middle, next.queue], h)
        } else {
            point.state + sum(first.state, second.state, third.state, fourth.state)
        };
        self.next = next;
        self.stages = [second, third, fourth];
    }

    /// Where in the step that was attempted something jumps first, as a share of it; a jump that arrives is to lie
    /// `behind` seconds behind.
    fn jumps_in(&self, h: f64, behind: f64) -> Option<(f64, Jump)> {
        let (point, next, slope, [.., last]) = (&self.point, &self.next, &self.slope, &self.stages);
        let mut first: Option<(f64, Jump)> = None;
        let mut found = |share: Option<f64>, jump: Jump| {
            if let Some(share) = share.filter(|share| first.is_none_or(|(known, _)| *share < known)) {
                first = Some((share, jump));
            }
        };
        if self.fixed {
            let [begin, end] = self.free;
            found((begin * end < 0.0).then(|| begin / (begin - end)), Jump::Here);
        } else {
            let levels = [Some(0.0), Some(self.system.buffer), self.drive.edge()];
            for level in levels.into_iter().flatten() {
                let values = [point.queue - level, next.queue - level];
                found(zero(values, [slope.queue, last.queue], h), Jump::Here);
            }
        }
        for knee in &self.knees {
            let values = [point.state - knee, next.state - knee];
            found(zero(values, [slope.state, last.state], h), Jump::Here);
        }
        for (i, one) in self.cohorts.iter().enumerate() {
            if let (Some(begin), Some(end)) = (one.missing(&point.flows[i]), one.missing(&next.flows[i])) {
                found(zero([begin, end], [-slope.flows[i][2], -last.flows[i][2]], h), Jump::Here);
            }
            if let Some(jump) = one.jump() {
                let begin = self.now - self.rtt(one, point.queue) - jump;
                let end = self.now + h - self.rtt(one, next.queue) - jump;
                found((end > 2.0 * behind).then(|| (behind - begin) / (end - begin)), Jump::Arrives);
            }
        }
        first
    }

    fn rtt(&self, one: &Cohort, queue: f64) -> f64 {
        one.group.round_trip(queue.max(0.0), self.system.capacity)
    }

    /// The slope of a point at an instant.
    fn slopes(&mut self, t: f64, at: &Point, slope: &mut Point) {
        self.flows(t, at, slope);
        self.others(at, slope);
    }

    /// The slopes of the windows, what arrives, and what that does to a queue without bounds.
    fn flows(&mut self, t: f64, at: &Point, slope: &mut Point) {
        let &System { capacity, buffer, unresponsive, .. } = self.system;
        let (drive, queue) = (&*self.drive, at.queue.max(0.0));
        let bottleneck = Bottleneck { drive, capacity, full: buffer * FULL };
        let mut rate = unresponsive;
        slope.flows.clear();
        for (one, values) in self.cohorts.iter_mut().zip(&at.flows) {
            let rtt = one.group.round_trip(queue, capacity);
            rate += one.flows * one.window(values) / rtt;
            slope.flows.push(one.slopes(values, t, rtt, &self.past, bottleneck));
        }
        let passes =
            if self.drops { rate * (1.0 - drive.signal(at.state, queue, rate, false)) } else { rate };
        self.rate = rate;
        self.free[1] = passes - capacity;
    }

    /// The slopes of the queue and the state.
    fn others(&self, at: &Point, slope: &mut Point) {
        let (queue, rate) = (at.queue.max(0.0), self.rate);
        slope.queue = if self.fixed { 0.0 } else { self.free[1] };
        slope.state = match self.lag {
            Some(lag) => lag * (queue - at.state),
            None if self.held => 0.0,
            None => {
                let seen = Seen { queue, growth: slope.queue, rate };
                self.drive.slope(at.state, seen, self.system.capacity)
            }
        };
    }

    /// Begins a step: its slope at first, and whether the queue stays at a bound.
    fn begin(&mut self) {
        let (point, mut slope) = (std::mem::take(&mut self.point), std::mem::take(&mut self.slope));
        let first = self.past.nodes.is_empty();
        if first {
            // What is asked of the past at first: all as it is here, with the rate that it takes a look to know.
            let Point { queue, state, .. } = point;
            for _ in 0..2 {
                self.past.nodes.clear();
                self.past.nodes.push(Node {
                    time: self.now,
                    queue,
                    state,
                    rate: self.rate,
                    ..Node::default()
                });
                self.flows(self.now, &point, &mut slope);
            }
            self.past.nodes.clear();
        } else {
            self.flows(self.now, &point, &mut slope);
        }
        let (free, still) = (self.free[1], 1e-9 * self.system.capacity);
        self.free[0] = free;
        self.fixed =
            (point.queue <= 0.0 && free < -still) || (point.queue >= self.system.buffer && free > still);
        self.others(&point, &mut slope);
        (self.point, self.slope) = (point, slope);
        self.note(self.now);
    }

    /// Writes down where it is, with the slope from here on.
    fn note(&mut self, time: f64) {
        let (&Point { queue, state, .. }, slope, rate) = (&self.point, &self.slope, self.rate);
        for ((one, values), slope) in self.cohorts.iter_mut().zip(&self.point.flows).zip(&slope.flows) {
            one.note(values, slope);
        }
        let signal = self.drive.signal(state, queue, rate, false);
        let (queue_slope, state_slope) = (slope.queue, slope.state);
        self.past.nodes.push(Node { time, queue, queue_slope, state, state_slope, rate, signal });
    }
}
