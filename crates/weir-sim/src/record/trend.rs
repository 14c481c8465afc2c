//! Trend of the queue length: its mean in ten equal parts of the measured time.

use weir_types::Instant;

use super::Row;

/// Parts of the measured time.
const PARTS: usize = 10;

/// Reads the areas under the lengths of all queues where a part ends.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Ends of all parts but the last, which ends with the run.
    ends: Vec<Instant>,
    /// By end, of every queue: packet-nanoseconds since the start of the run.
    areas: Vec<Vec<u128>>,
}

impl Parts {
    pub(crate) fn of(run: &Row) -> Self {
        let part = run.to.since(run.from).as_nanos() / PARTS as u64;
        let ends = (1..PARTS as u64).map(|number| Instant::from_nanos(run.from.as_nanos() + number * part));
        Self { ends: ends.collect(), areas: Vec::with_capacity(PARTS - 1) }
    }

    /// The next end.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.ends.get(self.areas.len()).copied()
    }

    /// A part ends: `areas` are those of all queues.
    pub(crate) fn close(&mut self, areas: Vec<u128>) {
        self.areas.push(areas);
    }

    /// The trend of `queue`, whose area was `before` at the start of what is measured and is `after` at its end.
    pub(crate) fn trend(&self, queue: usize, before: u128, after: u128) -> Trend {
        let read = self.areas.iter().map(|areas| areas[queue]);
        let ends: Vec<_> = read.chain([after]).collect();
        let begins = std::iter::once(before).chain(ends.iter().copied());
        Trend::of(&begins.zip(&ends).map(|(begin, end)| end - begin).collect::<Vec<_>>())
    }
}

/// How a queue changed in the course of what is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Trend {
    /// Kendall's S over the parts: pairs in which the later queue is longer, less those in which it is shorter.
    /// S is from -45 to 45, and around 0 for a stationary queue (H. B. Mann: *Nonparametric tests against
    /// trend*, Econometrica 13(3), 1945).
    pub(crate) s: i32,
    /// The mean of the second half less that of the first, over the mean of both; 0 for an empty queue.
    pub(crate) drift: f64,
}

impl Trend {
    fn of(areas: &[u128]) -> Self {
        let pairs = areas
            .iter()
            .enumerate()
            .flat_map(|(later, area)| areas[..later].iter().map(move |earlier| area.cmp(earlier) as i32));
        let s = pairs.sum();
        let (first, second) = areas.split_at(areas.len() / 2);
        let [first, second] = [first, second].map(|half| half.iter().sum::<u128>() as f64);
        let mean = f64::midpoint(first, second);
        Self { s, drift: if mean > 0.0 { (second - first) / mean } else { 0.0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_growing_queue_has_a_trend_and_a_swinging_one_has_none() {
        let growing: Vec<_> = (1..=10).collect();
        assert_eq!(Trend::of(&growing), Trend { s: 45, drift: 25.0 / 27.5 });
        let shrinking: Vec<_> = (1..=10).rev().collect();
        assert_eq!(Trend::of(&shrinking), Trend { s: -45, drift: -25.0 / 27.5 });
        let swinging = [3, 1, 3, 1, 3, 1, 3, 1, 3, 1];
        assert_eq!(Trend::of(&swinging).s, -5);
        assert_eq!(Trend::of(&[0; 10]), Trend { s: 0, drift: 0.0 });
    }

    #[test]
    fn parts_are_tenths_of_what_is_measured() {
        let at = |seconds: u64| Instant::from_nanos(seconds * 1_000_000_000);
        let mut parts = Parts::of(&Row { period: None, from: at(20), to: at(120), intervals: 1..2 });
        for number in 1..10_u64 {
            assert_eq!(parts.next(), Some(at(20 + 10 * number)));
            parts.close(vec![u128::from(number * number)]);
        }
        assert_eq!(parts.next(), None);
        assert_eq!(parts.trend(0, 0, 100).s, 45);
    }
}
