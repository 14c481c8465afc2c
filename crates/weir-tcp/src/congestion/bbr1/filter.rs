//! The greatest of what was measured in the latest rounds, as Linux estimates it (`lib/win_minmax.c`, after
//! K. Nichols).

/// Three samples: the greatest of the window, the greatest of what came after it, and the same of that. A sample that
/// none after it exceeds is remembered only if a part of the window began with it. So the estimate may fall below the
/// greatest of the window once the first sample has left it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxFilter {
    /// Round and value, the values falling.
    best: [(u64, f64); 3],
}

impl MaxFilter {
    pub(super) const fn get(&self) -> f64 {
        self.best[0].1
    }

    /// Takes in `value`, of `round`; what is older than `window` rounds is forgotten.
    pub(super) fn update(&mut self, round: u64, value: f64, window: u64) {
        let sample = (round, value);
        let best = &mut self.best;
        if value >= best[0].1 || round - best[2].0 > window {
            *best = [sample; 3];
            return;
        }
        if value >= best[1].1 {
            (best[1], best[2]) = (sample, sample);
        } else if value >= best[2].1 {
            best[2] = sample;
        }
        let age = round - best[0].0;
        if age > window {
            *best = [best[1], best[2], sample];
            if round - best[0].0 > window {
                *best = [best[1], best[2], sample];
            }
        } else if best[1].0 == best[0].0 && age > window / 4 {
            // A quarter of the window has passed without a second best.
            (best[1], best[2]) = (sample, sample);
        } else if best[2].0 == best[1].0 && age > window / 2 {
            best[2] = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::float_cmp, reason = "values are kept as they are")]

    use super::*;

    /// By hand, with a window of ten rounds.
    #[test]
    fn what_none_exceeds_is_remembered_once_a_part_of_the_window() {
        let mut filter = MaxFilter::default();
        let mut after = |round, value| {
            filter.update(round, value, 10);
            filter.get()
        };
        for (round, value) in [(0, 10.0), (1, 9.0), (2, 7.0)] {
            assert_eq!(after(round, value), 10.0);
        }
        // A quarter has passed: 6 is the second best, though 9 was greater.
        assert_eq!(after(3, 6.0), 10.0);
        assert_eq!(after(10, 5.0), 10.0, "ten rounds old");
        assert_eq!(after(11, 5.0), 6.0, "the greatest of the window is 9");
        assert_eq!(after(12, 8.0), 8.0, "a greater one counts at once");
        assert_eq!(after(23, 1.0), 1.0, "none of the window is left");
    }
}
