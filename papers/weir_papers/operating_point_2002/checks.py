"""What shows each claim of `claims.toml`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from weir_papers.claims import ABOVE_ZERO, BELOW_ZERO, Part, at_least, at_most, each
from weir_papers.data import Sample, Study
from weir_papers.operating_point_2002.quantities import (
    best,
    everywhere,
    for_each,
    least_inside,
    rank_along,
    share,
    shift,
    successive,
    variation,
)
from weir_papers.operating_point_2002.targets import (
    FOLLOWS,
    STAGES,
    TOLERANCE,
    Followed,
    Nearest,
    Reached,
    followed,
    outcomes,
)
from weir_papers.quantities import Level, Of, Quantity, rank, relative, spread

Condition = Callable[[float], bool]

BUFFER, HALF_BUFFER, KNEE = 50.0, 25.0, 15.0
"""max_th, packets."""
LOW, HIGH = 20.0, 80.0
"""Users: at most so many are a low load, at least so many a heavy one (section 4.3)."""
SHIFTED = 0.1
"""Decades of max_p: half of the way from one value of the grid to the next."""

# --- Over max_th ------------------------------------------------------------------------------------------


def level(measure: str, w_q: float, experiment: str = "max-th", variant: str = "red", **at: float) -> Level:
    """Over max_th, unless it is given."""
    weight = {"w_q": w_q} if experiment == "max-th" else {}
    return Level(experiment, variant, measure, at={**weight, **at})


def _low(load: float) -> bool:
    return load <= LOW


def _along_max_th(measure: str, w_q: float) -> Quantity:
    """Its rank correlation with max_th at every load."""
    return for_each("max-th", "N", lambda n: rank(level(measure, w_q, N=n)))


def _rises_with_load(w_q: float) -> Quantity:
    return for_each("max-th", "max_th", lambda th: rank_along(level("loss", w_q, max_th=th)))


def below_knee(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """Utilisation at max_th 6 minus that at 18, at low loads."""

    def used(n: float, max_th: float) -> Level:
        return level("utilisation", w_q, experiment, variant, N=n, max_th=max_th)

    return for_each(experiment, "N", lambda n: used(n, 6.0) - used(n, 18.0), _low)


def varies_beyond_knee(
    measure: str, experiment: str = "max-th", variant: str = "red", w_q: float = 0.002
) -> Quantity:
    """How much a measure varies over max_th beyond the knee, at low loads."""

    def beyond(n: float) -> Quantity:
        return for_each(
            experiment,
            "max_th",
            lambda th: level(measure, w_q, experiment, variant, N=n, max_th=th),
            lambda th: th > KNEE,
        )

    return for_each(experiment, "N", lambda n: spread(beyond(n)), _low)


def heavy_utilisation(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """How much the utilisation varies over max_th at heavy loads."""
    return for_each(
        experiment,
        "N",
        lambda n: spread(level("utilisation", w_q, experiment, variant, N=n)),
        lambda n: n >= HIGH,
    )


def knee(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> list[Part]:
    """The link is used less below the knee, and equally much beyond."""
    return [
        Part(below_knee(experiment, variant, w_q), at_most(-1.0)),
        Part(varies_beyond_knee("utilisation", experiment, variant, w_q), at_most(2.0)),
    ]


def _delay_variation(where: Condition = everywhere, experiment: str = "max-th") -> Quantity:
    """Of the delay over the loads, at every max_th up to half of the buffer."""

    def over_loads(th: float) -> Quantity:
        return variation(
            for_each(experiment, "N", lambda n: level("delay_mean", 0.002, experiment, N=n, max_th=th), where)
        )

    return for_each(experiment, "max_th", over_loads, lambda th: th <= HALF_BUFFER)


def _outwards(w_q: float) -> Quantity:
    def pair(n: float) -> tuple[Quantity, Quantity]:
        return level("delay_mean", w_q, N=n), level("loss", w_q, N=n)

    return successive("max-th", "N", lambda more, less: shift(pair(more), pair(less)))


def _first_guideline(
    measure: str, other: float, compare: Callable[[Quantity, Quantity], Quantity]
) -> Quantity:
    """max_th at 0.6 of the buffer against another, at low loads."""
    return for_each(
        "max-th",
        "N",
        lambda n: compare(level(measure, 0.002, N=n, max_th=30.0), level(measure, 0.002, N=n, max_th=other)),
        _low,
    )


# --- Over max_p -------------------------------------------------------------------------------------------


def heavy(measure: str, experiment: str = "max-p", variant: str = "red", **at: float) -> Level:
    """With 80 users."""
    return Level(experiment, variant, measure, at=at)


def _by_load(measure: str, **at: float) -> Level:
    """With max_th 30."""
    return Level("loads", "red", measure, at=at)


def _below_buffer(th: float) -> bool:
    return th < BUFFER


def _every_max_th(
    make: Callable[[float], Quantity], experiment: str = "max-p", where: Condition = _below_buffer
) -> Quantity:
    return for_each(experiment, "max_th", make, where)


def minimum(experiment: str = "max-p", variant: str = "red", where: Condition = _below_buffer) -> list[Part]:
    """Of the loss over max_p, between its ends, at every max_th."""

    def above(end: str) -> Quantity:
        return _every_max_th(
            lambda th: least_inside(heavy("loss", experiment, variant, max_th=th), end), experiment, where
        )

    return each(BELOW_ZERO, map(above, ("first", "last")))


def better_at_0_3(experiment: str, variant: str = "red", **at: float) -> list[Part]:
    """Delay and loss at max_p 0.3 minus those at 0.1."""

    def found(measure: str, max_p: float) -> Level:
        return Level(experiment, variant, measure, at={**at, "max_p": max_p})

    return each(BELOW_ZERO, (found(one, 0.3) - found(one, 0.1) for one in ("delay_mean", "loss")))


def _best_by_max_th(th: float) -> Quantity:
    return best(heavy("loss", max_th=th))


def _fall(n: float) -> Quantity:
    """Of the delay from the least to the greatest max_p, in per cent."""
    return relative(_by_load("delay_mean", N=n, max_p=1.0), _by_load("delay_mean", N=n, max_p=0.02))


def _full_range(th: float) -> Quantity:
    """Of the utilisation."""
    return heavy("utilisation", max_th=th, max_p=1.0) - heavy("utilisation", max_th=th, max_p=0.02)


def _of_max_p(measure: str) -> Quantity:
    return for_each("max-p", "max_p", lambda p: rank_along(heavy(measure, max_p=p)))


def _forced(max_p: float) -> Quantity:
    return _every_max_th(
        lambda th: share(
            heavy("drops_forced", max_th=th, max_p=max_p),
            heavy("drops", max_th=th, max_p=max_p),
            "drops forced beyond max_th",
        )
    )


def _gentle(variant: str, max_p: float) -> Quantity:
    """Gentle RED's loss at max_p 0.02 minus that of a variant, at every max_th below the buffer."""
    return _every_max_th(
        lambda th: (
            heavy("loss", "settings", "red-gentle", max_th=th, max_p=0.02)
            - heavy("loss", "settings", variant, max_th=th, max_p=max_p)
        ),
        "settings",
    )


def _left_branch(th: float) -> Quantity:
    """What max_p 0.02 loses more than the best."""
    return least_inside(heavy("loss", max_th=th), "first")


def _light(measure: str) -> Quantity:
    def along(n: float) -> Quantity:
        return rank(for_each("loads", "max_p", lambda p: _by_load(measure, N=n, max_p=p), lambda p: p >= 0.1))

    return for_each("loads", "N", along, _low)


def _low_max_p(other: float) -> Quantity:
    """The loss at max_p 0.1 minus that at another, at low loads."""
    return for_each(
        "loads", "N", lambda n: _by_load("loss", N=n, max_p=0.1) - _by_load("loss", N=n, max_p=other), _low
    )


# --- Operating points -------------------------------------------------------------------------------------

_Value = Callable[[Nearest, Reached, Reached], NDArray[np.float64]]
"""Of what can be had, OP-RED and Adaptive RED, at one target."""
_RATIO = "larger ratio to the target"
_EXCESS = "distance from the target over that of the best fixed parameters"
_TRUTH = "time in which OP-RED's report is true"


def _reached(title: str, unit: str, value: _Value, *, reachable: bool) -> Quantity:
    """At every target that can be had, or that cannot."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(f"{users} users, {target.text}", float(users), value(near, ours, floyd))
            for users, target, near, ours, floyd in outcomes(study)
            if near.reaches == reachable
        ]

    return Of(title, unit, samples)


def _followed(
    title: str, unit: str, experiment: str, value: Callable[[Followed], NDArray[np.float64]]
) -> Quantity:
    """In every stage of an experiment in which something changes."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(stage.text, stage.start_s, value(followed(study, experiment, FOLLOWS[experiment], stage)))
            for stage in STAGES[experiment]
        ]

    return Of(title, unit, samples)


def _following(experiment: str) -> Part:
    return Part(_followed(_EXCESS, "", experiment, lambda one: one.excess), at_most(TOLERANCE))


def _saying(experiment: str) -> Part:
    return Part(_followed(_TRUTH, "%", experiment, lambda one: one.truth), at_least(50.0))


CHECKS: dict[str, Sequence[Part]] = {
    "A-2.1a": [Part(_along_max_th("loss", 0.002), at_most(-0.9))],
    "A-2.1b": [Part(_rises_with_load(0.002), at_least(0.9))],
    "A-2.1c": [Part(_along_max_th("delay_mean", 0.002), at_least(0.9))],
    "A-2.2": [Part(_delay_variation(), at_most(25.0))],
    "P-11": [Part(_delay_variation(lambda n: n >= 40.0), at_most(25.0))],
    "A-2.3a": knee(),
    "A-2.3b": [Part(varies_beyond_knee("loss"), at_most(1.0))],
    "A-2.3c": [Part(heavy_utilisation(), at_most(2.0))],
    "A-2.7a": [Part(_outwards(0.002), ABOVE_ZERO)],
    "A-2.7b": [
        Part(_along_max_th("loss", 0.005), at_most(-0.9)),
        Part(_rises_with_load(0.005), at_least(0.9)),
        Part(_along_max_th("delay_mean", 0.005), at_least(0.9)),
        Part(_outwards(0.005), ABOVE_ZERO),
    ],
    "A-2.7c": [*knee(w_q=0.005), Part(heavy_utilisation(w_q=0.005), at_most(2.0))],
    "P-1": [
        Part(
            spread(level("delay_mean", 0.002, max_th=18.0)) - spread(level("delay_mean", 0.002, max_th=50.0)),
            BELOW_ZERO,
        )
    ],
    "P-2": [
        Part(_first_guideline("utilisation", 50.0, operator.sub), at_least(-1.0)),
        Part(_first_guideline("delay_mean", 18.0, relative), at_most(50.0)),
    ],
    "A-2.4a": minimum(),
    "A-2.4b": [
        Part(_best_by_max_th(BUFFER) - _best_by_max_th(10.0), at_most(-SHIFTED)),
        Part(rank(for_each("max-p", "max_th", _best_by_max_th)), BELOW_ZERO),
    ],
    "A-2.4c": [
        Part(best(_by_load("loss", N=20.0)) - best(_by_load("loss", N=80.0)), at_most(-SHIFTED)),
        Part(rank(for_each("loads", "N", lambda n: best(_by_load("loss", N=n)))), ABOVE_ZERO),
    ],
    "A-2.4d": minimum(where=lambda th: th >= BUFFER),
    "A-2.5a": each(
        at_most(-0.9),
        [
            _every_max_th(lambda th: rank(heavy("delay_mean", max_th=th)), where=everywhere),
            for_each("loads", "N", lambda n: rank(_by_load("delay_mean", N=n))),
        ],
    ),
    "A-2.5b": [Part(for_each("loads", "N", lambda n: _fall(80.0) - _fall(n), _low), ABOVE_ZERO)],
    "A-2.5c": [Part(_every_max_th(_full_range, where=everywhere), BELOW_ZERO)],
    "A-2.5d": [Part(_full_range(10.0) - _full_range(50.0), BELOW_ZERO)],
    "P-10": [
        Part(
            spread(heavy("utilisation", max_th=10.0)) - spread(heavy("utilisation", max_th=BUFFER)),
            ABOVE_ZERO,
        )
    ],
    "A-2.6": better_at_0_3("max-p", max_th=30.0),
    "P-3": [Part(_of_max_p("loss"), at_most(-0.9)), Part(_of_max_p("delay_mean"), at_least(0.9))],
    "P-4": [Part(_forced(0.02), at_least(50.0)), Part(_forced(1.0), at_most(50.0))],
    "P-12": [Part(_gentle("red", 0.02), at_most(-1.0)), Part(_gentle("red-gentle", 0.3), at_most(0.5))],
    "P-5": [Part(_left_branch(10.0) - _left_branch(BUFFER), BELOW_ZERO)],
    "P-6": [Part(_light("loss"), at_least(0.9)), Part(_light("delay_mean"), at_most(-0.9))],
    "P-7": [
        Part(rank_along(heavy("loss", max_p=0.3)), at_most(-0.9)),
        Part(rank_along(heavy("delay_mean", max_p=0.3)), at_least(0.9)),
        Part(spread(heavy("utilisation", max_p=0.3)), at_most(2.0)),
    ],
    "P-8": each(BELOW_ZERO, map(_low_max_p, (0.3, 1.0))),
    "A-2.8a": [
        Part(_reached(_RATIO, "", lambda _, ours, __: ours.distance, reachable=True), at_most(TOLERANCE))
    ],
    "A-2.8b": [
        Part(
            _reached(
                _EXCESS,
                "",
                lambda near, ours, _: ours.distance / float(near.distance.mean()),
                reachable=False,
            ),
            at_most(TOLERANCE),
        )
    ],
    "A-2.8c": each(
        at_least(50.0),
        (
            _reached(_TRUTH, "%", lambda _, ours, __: ours.truth, reachable=reachable)
            for reachable in (True, False)
        ),
    ),
    "A-2.8d": [_following("targets"), _saying("targets")],
    "A-2.8e": [_following("changing-loads")],
    "A-2.8f": [_saying("changing-loads")],
    "P-9": [
        Part(
            _reached(
                f"{_RATIO}, Adaptive RED's minus OP-RED's",
                "",
                lambda _, ours, floyd: floyd.distance - ours.distance,
                reachable=False,
            ),
            ABOVE_ZERO,
        )
    ],
    # Of the maps.
    "A-2.4a, networks": each(
        BELOW_ZERO,
        (least_inside(Level("networks-max-p", "red", "loss"), end) for end in ("first", "last")),
    ),
    "A-2.6, networks": better_at_0_3("networks-max-p"),
    "A-2.2, networks": [Part(_delay_variation(experiment="networks-max-th"), at_most(25.0))],
    "A-2.3a, networks": knee("networks-max-th"),
    "A-2.3b, networks": [Part(varies_beyond_knee("loss", "networks-max-th"), at_most(1.0))],
    "A-2.3c, networks": [Part(heavy_utilisation("networks-max-th"), at_most(2.0))],
}
