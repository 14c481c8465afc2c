"""What shows each claim of `claims.toml`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from weir_papers.claims import Part, each
from weir_papers.expected import LESS, MORE, NEVER_LESS, at_least, at_most
from weir_papers.operating_point_2002.points import (
    FIRST,
    SETTLED_S,
    TARGETS_CHANGE,
    TOLERANCE,
    at_targets,
    exchanged,
    in_stages,
)
from weir_papers.operating_point_2002.quantities import (
    bends,
    best,
    ends,
    everywhere,
    for_each,
    least_inside,
    rank_along,
    share,
    shift,
    successive,
    variation,
)
from weir_papers.quantities import Level, Quantity, rank, relative, spread

Condition = Callable[[float], bool]

HALF_BUFFER, KNEE = 25.0, 15.0
"""max_th, packets."""
LOW, HIGH = 20.0, 80.0
"""Users: at most so many are a low load, at least so many a heavy one (section 4.3)."""
SHIFTED = 0.1
"""Decades of max_p: half of the way from one value of the grid to the next."""

# --- Over max_th ------------------------------------------------------------------------------------------


def level(measure: str, w_q: float = 0.002, variant: str = "red", **at: float) -> Level:
    """Over max_th, unless it is given."""
    return Level("max-th", variant, measure, at={"w_q": w_q, **at})


def _low(load: float) -> bool:
    return load <= LOW


def _high(load: float) -> bool:
    return load >= HIGH


def _each_load(make: Callable[[float], Quantity], where: Condition = everywhere) -> Quantity:
    return for_each("max-th", "N", make, where)


def _along_max_th(measure: str, w_q: float = 0.002) -> Quantity:
    """Its rank correlation with max_th at every load."""
    return _each_load(lambda n: rank(level(measure, w_q, N=n)))


def _rises_with_load(w_q: float = 0.002) -> Quantity:
    return for_each("max-th", "max_th", lambda th: rank_along(level("loss", w_q, max_th=th)))


def _outwards(w_q: float = 0.002) -> Quantity:
    def pair(n: float) -> tuple[Quantity, Quantity]:
        return level("delay_mean", w_q, N=n), level("loss", w_q, N=n)

    return successive("max-th", "N", lambda more, less: shift("more loss", pair(more), pair(less)))


def _order(w_q: float = 0.002) -> dict[str, Part]:
    """Of losses and delays over max_th and loads."""
    return {
        "A-2.1a": Part(_along_max_th("loss", w_q), at_most(-0.9)),
        "A-2.1b": Part(_rises_with_load(w_q), at_least(0.9)),
        "A-2.1c": Part(_along_max_th("delay_mean", w_q), at_least(0.9)),
        "A-2.7a": Part(_outwards(w_q), MORE),
    }


def _beyond_knee(measure: str, w_q: float = 0.002) -> Quantity:
    """How much a measure varies over max_th beyond the knee, at low loads."""

    def beyond(n: float) -> Quantity:
        return for_each(
            "max-th", "max_th", lambda th: level(measure, w_q, N=n, max_th=th), lambda th: th > KNEE
        )

    return _each_load(lambda n: spread(beyond(n)), _low)


def _knee(w_q: float = 0.002) -> list[Part]:
    """The link is used less below the knee, and equally much beyond."""

    def used(n: float, max_th: float) -> Level:
        return level("utilisation", w_q, N=n, max_th=max_th)

    return [
        Part(_each_load(lambda n: used(n, 6.0) - used(n, 18.0), _low), at_most(-1.0)),
        Part(_beyond_knee("utilisation", w_q), at_most(2.0)),
    ]


def _heavy_utilisation(w_q: float = 0.002) -> Part:
    """How much the utilisation varies over max_th at heavy loads."""
    return Part(_each_load(lambda n: spread(level("utilisation", w_q, N=n)), _high), at_most(2.0))


def _delay_variation() -> Quantity:
    """Of the delay over the loads, at every max_th up to half of the buffer."""
    return for_each(
        "max-th",
        "max_th",
        lambda th: variation(level("delay_mean", max_th=th)),
        lambda th: th <= HALF_BUFFER,
    )


def _first_guideline(
    measure: str, other: float, compare: Callable[[Quantity, Quantity], Quantity]
) -> Quantity:
    """max_th at 0.6 of the buffer against another, at low loads."""
    return _each_load(
        lambda n: compare(level(measure, N=n, max_th=30.0), level(measure, N=n, max_th=other)), _low
    )


def _against_drop_tail(measure: str, max_th: float) -> Quantity:
    """RED's minus that of the full buffer, at every load."""

    def found(n: float, variant: str) -> Level:
        return level(measure, variant=variant, N=n, max_th=max_th)

    return _each_load(lambda n: found(n, "red") - found(n, "drop-tail"))


def short_buffers(measure: str, n: float) -> Level:
    """DropTail's, by its buffer."""
    return Level("short-buffers", "drop-tail", measure, at={"N": n})


def in_full_buffer(measure: str, n: float) -> Level:
    """RED's, by max_th."""
    return Level("flexibility", "red", measure, at={"N": n})


def _at_the_same_delay(n: float) -> Quantity:
    """How much more of the link DropTail with a shorter buffer uses."""
    short, full = ((of("delay_mean", n), of("utilisation", n)) for of in (short_buffers, in_full_buffer))
    return shift("more of the link used", short, full)


# --- Over max_p -------------------------------------------------------------------------------------------


def heavy(measure: str, experiment: str = "max-p", **at: float) -> Level:
    """With 80 users."""
    return Level(experiment, "red", measure, at=at)


def _by_load(measure: str, **at: float) -> Level:
    """With max_th 30."""
    return Level("loads", "red", measure, at=at)


def _every_max_th(make: Callable[[float], Quantity], experiment: str = "max-p") -> Quantity:
    return for_each(experiment, "max_th", make)


def _with_max_th(make: Callable[[float], Quantity], experiment: str = "max-p") -> Quantity:
    """At the largest max_th minus that at the smallest."""
    return ends(experiment, "max_th", lambda high, low: make(high) - make(low))


def _every_max_p(of: Callable[[float, float], Level], experiment: str = "max-p") -> Quantity:
    """At the largest max_th minus that at the smallest, at every max_p."""
    return for_each(experiment, "max_p", lambda p: _with_max_th(lambda th: of(th, p), experiment))


def _minimum(experiment: str = "max-p") -> list[Part]:
    """Of the loss over max_p, between its ends, at every max_th."""

    def above(end: str) -> Quantity:
        return _every_max_th(lambda th: least_inside(heavy("loss", experiment, max_th=th), end), experiment)

    return each(LESS, map(above, ("first", "last")))


def _better_at_0_3(experiment: str = "max-p") -> list[Part]:
    """Delay and loss at max_p 0.3 minus those at 0.1, max_th 30."""

    def found(measure: str, max_p: float) -> Level:
        return heavy(measure, experiment, max_th=30.0, max_p=max_p)

    return each(LESS, (found(one, 0.3) - found(one, 0.1) for one in ("delay_mean", "loss")))


def _moves_left(experiment: str = "max-p") -> list[Part]:
    """The minimum, with max_th."""

    def at(th: float) -> Quantity:
        return best(heavy("loss", experiment, max_th=th))

    return [
        Part(_with_max_th(at, experiment), at_most(-SHIFTED)),
        Part(rank(_every_max_th(at, experiment)), LESS),
    ]


def _best_by_load(n: float) -> Quantity:
    return best(_by_load("loss", N=n))


def _fall(n: float) -> Quantity:
    """Of the delay from the least to the greatest max_p, in per cent."""
    return relative(_by_load("delay_mean", N=n, max_p=1.0), _by_load("delay_mean", N=n, max_p=0.02))


def _used(th: float, max_p: float) -> Level:
    return heavy("utilisation", max_th=th, max_p=max_p)


def _forced(max_p: float, whole: str = "drops") -> Callable[[float], Quantity]:
    """By max_th."""

    def found(th: float) -> Quantity:
        forced = heavy("drops_forced", max_th=th, max_p=max_p)
        return share(forced, heavy(whole, max_th=th, max_p=max_p), f"drops forced beyond max_th, of {whole}")

    return found


def _light(measure: str) -> Quantity:
    def along(n: float) -> Quantity:
        return rank(for_each("loads", "max_p", lambda p: _by_load(measure, N=n, max_p=p), lambda p: p >= 0.1))

    return for_each("loads", "N", along, _low)


def _low_max_p(other: float) -> Quantity:
    """The loss at max_p 0.1 minus that at another, at low loads."""
    return for_each(
        "loads", "N", lambda n: _by_load("loss", N=n, max_p=0.1) - _by_load("loss", N=n, max_p=other), _low
    )


def _light_grid(th: float, max_p: float) -> Level:
    return Level("grid", "red-plain", "loss", at={"N": LOW, "max_th": th, "max_p": max_p})


# --- Operating points -------------------------------------------------------------------------------------

_RATIO = "larger ratio to the target"
_EXCESS = "distance from the target over that of the best fixed parameters"
_TRUTH = "time in which OP-RED's report is true"


def _following(experiment: str) -> Part:
    return Part(in_stages(_EXCESS, experiment, lambda one: one.excess), at_most(TOLERANCE))


def _saying(experiment: str) -> Part:
    return Part(in_stages(_TRUTH, experiment, lambda one: one.truth, "%"), at_least(50.0))


def _adaptive(measure: str) -> Quantity:
    """How much it varies under Adaptive RED over the loads."""
    return variation(Level("changing-loads", "adaptive-red-loads", measure, when="stages", after_s=SETTLED_S))


CHECKS: dict[str, Sequence[Part]] = {
    "A-2.9a": [
        Part(_against_drop_tail("delay_mean", 6.0), LESS),
        Part(_against_drop_tail("utilisation", 50.0), MORE),
    ],
    "A-2.9b": [Part(for_each("short-buffers", "N", _at_the_same_delay), LESS)],
    "A-2.10": [Part(_adaptive("loss") - _adaptive("delay_mean"), MORE)],
    "A-2.11a": [
        Part(
            exchanged(_EXCESS, (LOW, TARGETS_CHANGE[1].target), (LOW, TARGETS_CHANGE[2].target)),
            at_least(TOLERANCE),
        )
    ],
    "A-2.11b": [Part(exchanged(_EXCESS, (LOW, FIRST), (HIGH, FIRST)), at_least(TOLERANCE))],
    **{name: [part] for name, part in _order().items()},
    "A-2.2": [Part(_delay_variation(), at_most(25.0))],
    "P-1": [Part(spread(level("delay_mean", max_th=18.0)) - spread(level("delay_mean", max_th=50.0)), LESS)],
    "A-2.3a": _knee(),
    "A-2.3b": [Part(_beyond_knee("loss"), at_most(1.0))],
    "A-2.3c": [_heavy_utilisation()],
    "A-2.7b": [*_order(0.005).values()],
    "A-2.7c": [*_knee(0.005), _heavy_utilisation(0.005)],
    "A-2.7d": [*_minimum("max-p-weight"), *_moves_left("max-p-weight"), *_better_at_0_3("max-p-weight")],
    "P-2": [
        Part(_first_guideline("utilisation", 50.0, operator.sub), at_least(-1.0)),
        Part(_first_guideline("delay_mean", 18.0, relative), at_most(50.0)),
    ],
    "A-2.4a": _minimum(),
    "P-4": [
        Part(_every_max_th(_forced(0.02)), at_least(50.0)),
        Part(_every_max_th(_forced(1.0)), at_most(50.0)),
    ],
    "A-2.4b": _moves_left(),
    "A-2.4e": [Part(_with_max_th(_forced(0.02, "sent")), LESS)],
    "A-2.4c": [
        Part(
            ends("loads", "N", lambda high, low: _best_by_load(low) - _best_by_load(high)), at_most(-SHIFTED)
        ),
        Part(rank(for_each("loads", "N", _best_by_load)), MORE),
    ],
    "P-3": [
        Part(_every_max_p(lambda th, p: heavy("loss", max_th=th, max_p=p)), LESS),
        Part(_every_max_p(lambda th, p: heavy("delay_mean", max_th=th, max_p=p)), MORE),
    ],
    "A-2.4f": [Part(_every_max_p(_light_grid, "grid"), LESS)],
    "A-2.5a": each(
        at_most(-0.9),
        [
            _every_max_th(lambda th: rank(heavy("delay_mean", max_th=th))),
            for_each("loads", "N", lambda n: rank(_by_load("delay_mean", N=n))),
        ],
    ),
    "A-2.5b": [Part(ends("loads", "N", lambda high, low: _fall(high) - _fall(low)), MORE)],
    "A-2.5c": [Part(_every_max_th(lambda th: _used(th, 1.0) - _used(th, 0.02)), LESS)],
    "A-2.5d": [Part(_with_max_th(lambda th: spread(heavy("utilisation", max_th=th))), LESS)],
    "A-2.5e": [Part(_every_max_p(_used), MORE)],
    "A-2.6": _better_at_0_3(),
    "P-5": [Part(_with_max_th(lambda th: least_inside(heavy("loss", max_th=th), "first")), MORE)],
    "P-6": [Part(_light("loss"), at_least(0.9)), Part(_light("delay_mean"), at_most(-0.9))],
    "P-7": [
        Part(rank_along(heavy("loss", max_p=0.3)), at_most(-0.9)),
        Part(rank_along(heavy("delay_mean", max_p=0.3)), at_least(0.9)),
        Part(spread(heavy("utilisation", max_p=0.3)), at_most(2.0)),
    ],
    "P-8": each(LESS, map(_low_max_p, (0.3, 1.0))),
    "A-2.8a": [
        Part(at_targets(_RATIO, lambda _, ours, __: ours.distance, reachable=True), at_most(TOLERANCE))
    ],
    "A-2.8b": [
        Part(
            at_targets(_EXCESS, lambda near, ours, _: ours.distance / near.distance.mean(), reachable=False),
            at_most(TOLERANCE),
        )
    ],
    "A-2.8c": [
        Part(at_targets(_TRUTH, lambda _, ours, __: ours.truth, reachable=one, unit="%"), at_least(50.0))
        for one in (True, False)
    ],
    "A-2.8d": [_following("targets"), _saying("targets")],
    "A-2.8e": [_following("changing-loads")],
    "A-2.8f": [_saying("changing-loads")],
    "P-10": [
        *_minimum(),
        Part(_every_max_th(lambda th: bends(heavy("loss", max_th=th))), NEVER_LESS),
    ],
    "P-11": [
        Part(Level("small-bursts", "red", "loss") - Level("small-bursts", "red-unsmoothed", "loss"), LESS)
    ],
    "P-9": [
        Part(
            at_targets(
                f"{_RATIO}, Adaptive RED's minus OP-RED's",
                lambda _, ours, floyd: floyd.distance - ours.distance,
                reachable=False,
            ),
            MORE,
        )
    ],
}
