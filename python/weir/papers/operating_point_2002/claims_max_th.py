"""What the paper says about max_th: section 4.2 and figures 2 to 7."""

from __future__ import annotations

import operator
from collections.abc import Callable

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, at_least, at_most
from weir.papers.operating_point_2002.shapes import ForEach, Shift, Successive, rank_along, variation
from weir.papers.quantities import Level, Quantity, rank, relative, spread

HALF_BUFFER = 25.0
KNEE = 15.0
LOW, HIGH = 20.0, 80.0
"""Users: at most so many are a low load, at least so many a heavy one (section 4.3)."""


def level(
    measure: str, w_q: float = 0.002, experiment: str = "max-th", variant: str = "red", **at: float
) -> Level:
    """Over max_th, unless it is given."""
    weight = {"w_q": w_q} if experiment == "max-th" else {}
    return Level(experiment, variant, measure, at={**weight, **at})


def falls_with_max_th(w_q: float) -> Quantity:
    """The loss's rank correlation with max_th at every load."""
    return ForEach("max-th", "N", lambda n: rank(level("loss", w_q, N=n)))


def rises_with_load(w_q: float) -> Quantity:
    """The loss's rank correlation with the load at every max_th."""
    return ForEach("max-th", "max_th", lambda th: rank_along(level("loss", w_q, max_th=th)))


def delay_with_max_th(w_q: float) -> Quantity:
    """The delay's rank correlation with max_th at every load."""
    return ForEach("max-th", "N", lambda n: rank(level("delay_mean", w_q, N=n)))


def below_knee(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """Utilisation at max_th 6 minus that at 18, at low loads."""
    return ForEach(
        experiment,
        "N",
        lambda n: (
            level("utilisation", w_q, experiment, variant, N=n, max_th=6.0)
            - level("utilisation", w_q, experiment, variant, N=n, max_th=18.0)
        ),
        lambda n: n <= LOW,
    )


def delay_variation(wanted: Callable[[float], bool] = lambda _: True, experiment: str = "max-th") -> Quantity:
    """Of the delay over the loads, at every max_th up to half of the buffer."""

    def over_loads(th: float) -> Quantity:
        loads = ForEach(
            experiment, "N", lambda n: level("delay_mean", 0.002, experiment, N=n, max_th=th), wanted
        )
        return variation(loads)

    return ForEach(experiment, "max_th", over_loads, lambda th: th <= HALF_BUFFER)


def _spread(measure: str, experiment: str, variant: str, w_q: float, *, heavy: bool) -> Quantity:
    """Over all max_th at heavy loads; over those beyond the knee at low ones."""
    return ForEach(
        experiment,
        "N",
        lambda n: spread(
            level(measure, w_q, experiment, variant, N=n)
            if heavy
            else _beyond_knee(experiment, variant, measure, n, w_q)
        ),
        lambda n: n >= HIGH if heavy else n <= LOW,
    )


def _beyond_knee(experiment: str, variant: str, measure: str, users: float, w_q: float) -> Quantity:
    """A measure at every max_th beyond the knee."""
    return ForEach(
        experiment,
        "max_th",
        lambda th: level(measure, w_q, experiment, variant, N=users, max_th=th),
        lambda th: th > KNEE,
    )


def heavy_utilisation(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """How much the utilisation varies over max_th at heavy loads."""
    return _spread("utilisation", experiment, variant, w_q, heavy=True)


def light_utilisation(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """How much the utilisation varies beyond the knee at low loads."""
    return _spread("utilisation", experiment, variant, w_q, heavy=False)


def light_loss(experiment: str = "max-th", variant: str = "red", w_q: float = 0.002) -> Quantity:
    """How much the loss varies beyond the knee at low loads."""
    return _spread("loss", experiment, variant, w_q, heavy=False)


def _outwards(w_q: float) -> Quantity:
    def pair(n: float) -> tuple[Quantity, Quantity]:
        return level("delay_mean", w_q, N=n), level("loss", w_q, N=n)

    return Successive("max-th", "N", lambda more, less: Shift(pair(more), pair(less)))


def _of_loads(max_th: float) -> Quantity:
    """How far the delays of different loads lie from each other."""
    return spread(level("delay_mean", max_th=max_th))


def _guideline(measure: str, other: float, compare: Callable[[Quantity, Quantity], Quantity]) -> Quantity:
    """max_th at 0.6 of the buffer against another, at low loads."""
    return ForEach(
        "max-th",
        "N",
        lambda n: compare(level(measure, N=n, max_th=30.0), level(measure, N=n, max_th=other)),
        lambda n: n <= LOW,
    )


CLAIMS = (
    Claim(
        "A-2.1a",
        "The loss falls as max_th rises, at every load",
        "section 4.2, figure 2",
        (Part(falls_with_max_th(0.002), at_most(-0.9)),),
    ),
    Claim(
        "A-2.1b",
        "The loss rises with the load, at every max_th",
        "section 4.2, figure 2",
        (Part(rises_with_load(0.002), at_least(0.9)),),
    ),
    Claim(
        "A-2.1c",
        "The mean delay rises with max_th, at every load",
        "section 4.2, figure 3",
        (Part(delay_with_max_th(0.002), at_least(0.9)),),
    ),
    Claim(
        "A-2.2",
        "Up to half of the buffer, the delay depends little on the load: by less than 25% at each max_th",
        "section 4.2, figure 3",
        (Part(delay_variation(), at_most(25.0)),),
        note="The largest minus the smallest delay of all loads, over their mean. It does not hold where "
        "few users leave the average on RED's line, far below max_th, while many push it to max_th: "
        "P-11 and the map have it where all loads are heavy for their network.",
    ),
    Claim(
        "P-11",
        "Up to half of the buffer, the delays of 40 users and more differ by less than 25% at each max_th",
        "section 4.2, figure 3",
        (Part(delay_variation(lambda n: n >= 40.0), at_most(25.0)),),
        note="Not said by the paper: what A-2.2 says, where it can be. Fewer users need less loss than "
        "RED's line gives at max_th, so that their average stays on the line.",
    ),
    Claim(
        "A-2.3a",
        "At low load the link is used less where max_th is below about 15, and equally much above",
        "section 4.2, figure 4",
        (Part(below_knee(), at_most(-1.0)), Part(light_utilisation(), at_most(2.0))),
        note="Below: max_th 6 against 18, at least a point. Above: all of them within two points. Low "
        "load: up to 20 users, as section 4.3 has it. With 20 users both hold. With 5 and 10 the "
        "windows are large and swing with the queue: the link gains with every packet that max_th "
        "allows, and the knee is round. The map has it sharp where the pipe is half as large.",
    ),
    Claim(
        "A-2.3b",
        "At low load the loss does not depend on max_th above about 15",
        "section 4.2, figure 2",
        (Part(light_loss(), at_most(1.0)),),
        note="Within a point, which is as flat as a curve looks in a figure whose axis must hold the losses "
        "of heavy loads.",
    ),
    Claim(
        "A-2.3c",
        "At heavy load the utilisation does not depend on max_th",
        "section 4.2, figure 4",
        (Part(heavy_utilisation(), at_most(2.0)),),
    ),
    Claim(
        "A-2.7a",
        "The curve of delay and loss moves away from the origin as the load grows",
        "section 4.2, figure 7",
        (Part(_outwards(0.002), ABOVE_ZERO),),
        note="At the delay in the middle of what two neighbouring loads both reach, the heavier loses more.",
    ),
    Claim(
        "A-2.7b",
        "With w_q 0.005 the conclusions stay: loss falls with max_th and rises with the load, the curves "
        "move outwards",
        "section 4.2, figures 5 and 6",
        (
            Part(falls_with_max_th(0.005), at_most(-0.9)),
            Part(rises_with_load(0.005), at_least(0.9)),
            Part(delay_with_max_th(0.005), at_least(0.9)),
            Part(_outwards(0.005), ABOVE_ZERO),
        ),
    ),
    Claim(
        "A-2.7c",
        "With w_q 0.005 the utilisation depends on max_th as before: at low load below about 15, at heavy "
        "load not at all",
        "section 4.2, figure 6",
        (
            Part(below_knee(w_q=0.005), at_most(-1.0)),
            Part(light_utilisation(w_q=0.005), at_most(2.0)),
            Part(heavy_utilisation(w_q=0.005), at_most(2.0)),
        ),
        note="As A-2.3a, and for the same reason: the knee of few users is round. With the faster average "
        "it also moves to the right, beyond 18 for 20 users.",
    ),
    Claim(
        "P-1",
        "Delays of different loads lie closer together at half of the buffer than with max_th at all of it",
        "section 4.2, figure 3",
        (Part(_of_loads(18.0) - _of_loads(50.0), BELOW_ZERO),),
    ),
    Claim(
        "P-2",
        "First guideline: at low load max_th about 0.6 of the buffer uses the link as fully as more "
        "would, and the delay does not suffer much",
        "sections 4.2 and 5",
        (
            Part(_guideline("utilisation", 50.0, operator.sub), at_least(-1.0)),
            Part(_guideline("delay_mean", 18.0, relative), at_most(50.0)),
        ),
        note="max_th 30 against 50: at most a point of utilisation. From 18 to 30, that is by two thirds: "
        "the delay grows by at most a half. With 5 and 10 users max_th 50 would use more of the link "
        "yet; the delay holds for all.",
    ),
)
