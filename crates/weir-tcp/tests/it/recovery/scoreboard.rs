//! The scoreboard against RFC 6675's section 4, taken word by word over one truth value per segment.

use proptest::prelude::*;
use weir_tcp::recovery::{NextSegment, Scoreboard};

const THRESHOLD: usize = 3;

/// The definitions, without a thought for their cost.
#[derive(Default)]
struct Naive {
    una: usize,
    sacked: Vec<bool>,
    /// `HighRxt` + 1, and one past what the last timeout took for lost.
    retransmitted: usize,
    expired: usize,
    rescued: Option<usize>,
}

impl Naive {
    fn is_lost(&self, number: usize) -> bool {
        let above = &self.sacked[number + 1..];
        let ranges = above.iter().zip([false].iter().chain(above)).filter(|(this, last)| **this && !**last);
        let many = above.iter().filter(|sacked| **sacked).count() >= THRESHOLD || ranges.count() >= THRESHOLD;
        !self.sacked[number] && (many || number < self.expired)
    }

    fn pipe(&self) -> usize {
        let unsacked = || (self.una..self.sacked.len()).filter(|number| !self.sacked[*number]);
        unsacked().filter(|number| !self.is_lost(*number)).count()
            + unsacked().filter(|number| *number < self.retransmitted).count()
    }

    fn next_segment(&self, new: bool) -> Option<NextSegment> {
        let outstanding = || (self.una..self.sacked.len()).filter(|number| !self.sacked[*number]);
        let mut holes = outstanding().filter(|number| *number >= self.retransmitted);
        let highest = self.sacked.iter().rposition(|sacked| *sacked);
        let below = holes.next();
        if let Some(hole) = below.filter(|hole| self.is_lost(*hole)) {
            Some(NextSegment::Hole(hole as u32))
        } else if new {
            Some(NextSegment::New)
        } else if let Some(hole) = below.filter(|hole| Some(*hole) < highest) {
            Some(NextSegment::Hole(hole as u32))
        } else if self.rescued.is_none_or(|rescued| self.una > rescued) {
            outstanding().next_back().map(|hole| NextSegment::Rescue(hole as u32))
        } else {
            None
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Send(usize),
    Sack(usize, usize),
    Acknowledge(usize),
    Repeat(bool),
    Enter,
    Expire,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (1_usize..12).prop_map(Step::Send),
        (0_usize..40, 1_usize..5).prop_map(|(first, length)| Step::Sack(first, length)),
        (0_usize..40, 1_usize..5).prop_map(|(first, length)| Step::Sack(first, length)),
        (0_usize..12).prop_map(Step::Acknowledge),
        any::<bool>().prop_map(Step::Repeat),
        any::<bool>().prop_map(Step::Repeat),
        Just(Step::Enter),
        Just(Step::Expire),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]
    #[test]
    fn it_is_the_naive_one(steps in prop::collection::vec(step(), 1..80)) {
        let (mut board, mut naive) = (Scoreboard::new(THRESHOLD as u32), Naive::default());
        for step in steps {
            match step {
                Step::Send(count) => {
                    naive.sacked.resize(naive.sacked.len() + count, false);
                    board.sent(naive.sacked.len() as u32);
                }
                Step::Sack(first, length) => {
                    // The receiver has not got `una`.
                    let first = (naive.una + 1 + first).min(naive.sacked.len());
                    let last = (first + length).min(naive.sacked.len());
                    let new = naive.sacked[first..last].iter().filter(|sacked| !**sacked).count();
                    naive.sacked[first..last].fill(true);
                    prop_assert_eq!(board.sack(first as u32, last as u32) as usize, new);
                }
                Step::Acknowledge(count) => {
                    let una = (naive.una + count).min(naive.sacked.len());
                    let una = una + naive.sacked[una..].iter().take_while(|sacked| **sacked).count();
                    let new = naive.sacked[naive.una..una].iter().filter(|sacked| !**sacked).count();
                    naive.una = una;
                    prop_assert_eq!(board.acknowledge(una as u32) as usize, new);
                    naive.sacked[..una].fill(false);
                }
                Step::Repeat(new) => {
                    let next = board.next_segment(new);
                    let recovery_point = naive.sacked.len();
                    if let Some(next) = next {
                        board.repeat(next, recovery_point as u32);
                        match next {
                            NextSegment::Hole(hole) => naive.retransmitted = hole as usize + 1,
                            NextSegment::Rescue(_) => naive.rescued = Some(recovery_point),
                            NextSegment::New => {}
                        }
                    }
                }
                Step::Enter => {
                    board.enter();
                    (naive.retransmitted, naive.rescued) = (naive.una, None);
                }
                Step::Expire => {
                    board.expire();
                    (naive.retransmitted, naive.rescued) = (naive.una, None);
                    naive.expired = naive.sacked.len();
                }
            }
            prop_assert_eq!(board.pipe() as usize, naive.pipe());
            prop_assert_eq!(board.has_loss(), naive.una < naive.sacked.len() && naive.is_lost(naive.una));
            for number in naive.una..naive.sacked.len() {
                prop_assert_eq!(board.is_lost(number as u32), naive.is_lost(number));
            }
            for new in [false, true] {
                prop_assert_eq!(board.next_segment(new), naive.next_segment(new));
            }
        }
    }
}
