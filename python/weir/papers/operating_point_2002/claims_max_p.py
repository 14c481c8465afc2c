"""What the paper says about max_p: section 4.3 and figures 8 to 13."""

from __future__ import annotations

from collections.abc import Callable

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, at_least, at_most
from weir.papers.operating_point_2002.shapes import ForEach, LeastInside, Share, best, rank_along
from weir.papers.quantities import Level, Quantity, rank, relative, spread

BUFFER = 50.0
SHIFTED = 0.1
"""Decades of max_p: half of the way from one value of the grid to the next."""


def heavy(measure: str, experiment: str = "max-p", variant: str = "red", **at: float) -> Level:
    """With 80 users."""
    return Level(experiment, variant, measure, at=at)


def by_load(measure: str, variant: str = "red", **at: float) -> Level:
    """With max_th 30."""
    return Level("loads", variant, measure, at=at)


def every_max_th(
    make: Callable[[float], Quantity],
    experiment: str = "max-p",
    wanted: Callable[[float], bool] = lambda th: th < BUFFER,
) -> Quantity:
    """At every max_th that the buffer leaves room above."""
    return ForEach(experiment, "max_th", make, wanted)


def least_inside(
    end: str, experiment: str = "max-p", variant: str = "red", wanted: Callable[[float], bool] | None = None
) -> Quantity:
    """Of the loss over max_p, at every max_th."""
    return every_max_th(
        lambda th: LeastInside(heavy("loss", experiment, variant, max_th=th), end),
        experiment,
        wanted or (lambda th: th < BUFFER),
    )


def better_at(measure: str, experiment: str, variant: str = "red", **at: float) -> Quantity:
    """At max_p 0.3 minus at 0.1."""
    return Level(experiment, variant, measure, at={**at, "max_p": 0.3}) - Level(
        experiment, variant, measure, at={**at, "max_p": 0.1}
    )


def best_by_max_th(experiment: str = "max-p", variant: str = "red") -> Quantity:
    """The max_p of the least loss, at every max_th."""
    return ForEach(experiment, "max_th", lambda th: best(heavy("loss", experiment, variant, max_th=th)))


def _shift_with_max_th(low: float, high: float) -> Quantity:
    return best(heavy("loss", max_th=high)) - best(heavy("loss", max_th=low))


def _best_by_load() -> Quantity:
    return ForEach("loads", "N", lambda n: best(by_load("loss", N=n)))


def _fall(n: float) -> Quantity:
    """Of the delay from the least to the greatest max_p, in per cent."""
    return relative(by_load("delay_mean", N=n, max_p=1.0), by_load("delay_mean", N=n, max_p=0.02))


def _full_range(th: float) -> Quantity:
    """Of the utilisation."""
    return heavy("utilisation", max_th=th, max_p=1.0) - heavy("utilisation", max_th=th, max_p=0.02)


def _variation(th: float) -> Quantity:
    return spread(heavy("utilisation", max_th=th))


def _of_max_p(measure: str) -> Quantity:
    return ForEach("max-p", "max_p", lambda p: rank_along(heavy(measure, max_p=p)))


def _forced(max_p: float) -> Quantity:
    return every_max_th(
        lambda th: Share(
            heavy("drops_forced", max_th=th, max_p=max_p),
            heavy("drops", max_th=th, max_p=max_p),
            "drops forced beyond max_th",
        )
    )


def _gentle_left() -> Quantity:
    """Gentle RED's loss at max_p 0.02 minus RED's."""
    return every_max_th(
        lambda th: (
            heavy("loss", "habits", "red-gentle", max_th=th, max_p=0.02)
            - heavy("loss", "habits", "red", max_th=th, max_p=0.02)
        ),
        "habits",
    )


def _gentle_branch() -> Quantity:
    """Gentle RED's loss at max_p 0.02 minus its own at 0.3."""
    return every_max_th(
        lambda th: (
            heavy("loss", "habits", "red-gentle", max_th=th, max_p=0.02)
            - heavy("loss", "habits", "red-gentle", max_th=th, max_p=0.3)
        ),
        "habits",
    )


def _left_branch(th: float) -> Quantity:
    """What max_p 0.02 loses more than the best."""
    return LeastInside(heavy("loss", max_th=th), "first")


def _light(measure: str) -> Quantity:
    return ForEach(
        "loads",
        "N",
        lambda n: rank(
            ForEach("loads", "max_p", lambda p: by_load(measure, N=n, max_p=p), lambda p: p >= 0.1)
        ),
        lambda n: n <= 20.0,
    )


def _low_max_p(other: float) -> Quantity:
    """The loss at max_p 0.1 minus that at another, at low loads."""
    return ForEach(
        "loads",
        "N",
        lambda n: by_load("loss", N=n, max_p=0.1) - by_load("loss", N=n, max_p=other),
        lambda n: n <= 20.0,
    )


def _guideline(measure: str) -> Quantity:
    return rank_along(heavy(measure, max_p=0.3))


CLAIMS = (
    Claim(
        "A-2.4a",
        "With 80 users the loss has a minimum between small and large max_p, at every max_th below the "
        "buffer",
        "section 4.3, figure 8",
        (Part(least_inside("first"), BELOW_ZERO), Part(least_inside("last"), BELOW_ZERO)),
        note="The best max_p of each replication is chosen by the others: its own choice would find a "
        "minimum in chance.",
    ),
    Claim(
        "A-2.4b",
        "The minimum of the loss moves to smaller max_p as max_th rises",
        "section 4.3, figure 8",
        (
            Part(_shift_with_max_th(10.0, BUFFER), at_most(-SHIFTED)),
            Part(rank(best_by_max_th()), BELOW_ZERO),
        ),
        note="By at least half of the step between two values of max_p, in decades.",
    ),
    Claim(
        "A-2.4c",
        "The minimum of the loss moves to smaller max_p as the load falls",
        "section 4.3, figure 13",
        (
            Part(best(by_load("loss", N=20.0)) - best(by_load("loss", N=80.0)), at_most(-SHIFTED)),
            Part(rank(_best_by_load()), ABOVE_ZERO),
        ),
    ),
    Claim(
        "A-2.4d",
        "The loss has its minimum, too, where max_th is all of the buffer",
        "section 4.3, figure 8",
        (
            Part(least_inside("first", wanted=lambda th: th >= BUFFER), BELOW_ZERO),
            Part(least_inside("last", wanted=lambda th: th >= BUFFER), BELOW_ZERO),
        ),
        note="The paper does not say which max_th its figure 8 shows. With max_th 50 the average never "
        "stands beyond max_th before the buffer is full: there is no left branch. The loss is level "
        "up to max_p 0.1, and rises from there. It is the end of the shift of A-2.4b.",
    ),
    Claim(
        "A-2.5a",
        "The delay falls as max_p rises, at every max_th and every load",
        "section 4.3, figures 9 and 12",
        (
            Part(
                every_max_th(lambda th: rank(heavy("delay_mean", max_th=th)), wanted=lambda _: True),
                at_most(-0.9),
            ),
            Part(ForEach("loads", "N", lambda n: rank(by_load("delay_mean", N=n))), at_most(-0.9)),
        ),
    ),
    Claim(
        "A-2.5b",
        "Over max_p the delay falls by a smaller part at heavy load",
        "section 4.3, figure 12",
        (
            Part(
                ForEach("loads", "N", lambda n: _fall(80.0) - _fall(n), lambda n: n <= 20.0),
                ABOVE_ZERO,
            ),
        ),
        note="From max_p 0.02 to 1, with 80 users against 20 and less. With 10 and with 20 users the delay"
        " falls by more; with 5 as with 80, since a queue of five users is short at max_p 0.02 "
        "already.",
    ),
    Claim(
        "A-2.5c",
        "The link is used less with max_p near 1, at every max_th",
        "section 4.3, figure 10",
        (Part(every_max_th(_full_range, wanted=lambda _: True), BELOW_ZERO),),
    ),
    Claim(
        "A-2.5d",
        "What a large max_p costs of the link is most where max_th is small",
        "section 4.3, figure 10",
        (Part(_full_range(10.0) - _full_range(50.0), BELOW_ZERO),),
    ),
    Claim(
        "P-10",
        "Over max_p, the use of the link varies most where max_th is small",
        "section 4.3, figure 10",
        (Part(_variation(10.0) - _variation(BUFFER), ABOVE_ZERO),),
        note="The largest minus the smallest utilisation over all max_p, with max_th 10 against 50: the "
        "paper's own words, of which A-2.5d takes the ends.",
    ),
    Claim(
        "A-2.6",
        "With 80 users and max_th 30, max_p 0.3 has less delay and less loss than 0.1",
        "section 4.3, figure 11",
        (
            Part(better_at("delay_mean", "max-p", max_th=30.0), BELOW_ZERO),
            Part(better_at("loss", "max-p", max_th=30.0), BELOW_ZERO),
        ),
    ),
    Claim(
        "P-3",
        "At any max_p the loss falls and the delay rises as max_th rises, with 80 users",
        "section 4.3, figures 8 and 9",
        (Part(_of_max_p("loss"), at_most(-0.9)), Part(_of_max_p("delay_mean"), at_least(0.9))),
        note="From max_p 0.7 on the average of 80 users stays far below any max_th, and the loss is nearly"
        " the same for all of them: there is no order to find.",
    ),
    Claim(
        "P-4",
        "The losses at small max_p are those of an average beyond max_th; at large max_p they are RED's own",
        "section 4.3",
        (Part(_forced(0.02), at_least(50.0)), Part(_forced(1.0), at_most(50.0))),
        note="Half of the drops, with 80 users and max_th below the buffer.",
    ),
    Claim(
        "P-12",
        "Without the cliff at max_th there is no left branch: with the gentle ramp, max_p 0.02 loses "
        "less, and no more than the best",
        "section 4.3",
        (Part(_gentle_left(), at_most(-1.0)), Part(_gentle_branch(), at_most(0.5))),
        note="Not said by the paper: its explanation put to the test, with 80 users and max_th below the "
        "buffer. Less than RED at the same max_p, by a point at least; and at most half a point above "
        "gentle RED with max_p 0.3.",
    ),
    Claim(
        "P-5",
        "The branch of small max_p, where delay and loss are both high, shrinks as max_th rises",
        "section 4.3, figure 11",
        (Part(_left_branch(10.0) - _left_branch(BUFFER), BELOW_ZERO),),
        note="How far the loss at the best max_p lies below that at 0.02, with max_th 10 against 50.",
    ),
    Claim(
        "P-6",
        "At low load max_p, from 0.1 up, trades delay for loss",
        "sections 4.3 and 5",
        (Part(_light("loss"), at_least(0.9)), Part(_light("delay_mean"), at_most(-0.9))),
    ),
    Claim(
        "P-7",
        "Second guideline: at high load, with max_p 0.3, max_th trades loss for delay, and the link stays "
        "full",
        "sections 4.3 and 5",
        (
            Part(_guideline("loss"), at_most(-0.9)),
            Part(_guideline("delay_mean"), at_least(0.9)),
            Part(spread(heavy("utilisation", max_p=0.3)), at_most(2.0)),
        ),
    ),
    Claim(
        "P-8",
        "Third guideline: at low load a max_p near 0.1 loses less than a large one",
        "section 5",
        (Part(_low_max_p(0.3), BELOW_ZERO), Part(_low_max_p(1.0), BELOW_ZERO)),
        note="With max_th 30 and up to 20 users.",
    ),
)
