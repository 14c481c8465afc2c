"""Operating points that are asked for, and what OP-RED makes of them: the problem the paper leaves open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from weir.papers.claims import ABOVE_ZERO, Claim, Part, at_least, at_most
from weir.papers.data import Sample, Study
from weir.papers.operating_point_2002.changes import FOLLOWS, STAGES, TOLERANCE, Followed, followed
from weir.papers.operating_point_2002.targets import TARGETS, Nearest, Reached, Target, nearest, reached
from weir.papers.quantities import Of

Outcome = tuple[int, Target, Nearest, Reached, Reached]
"""Users, target, the nearest fixed parameters, OP-RED, Adaptive RED."""


@lru_cache(maxsize=2)
def outcomes(study: Study) -> tuple[Outcome, ...]:
    """Every target at every load."""
    return tuple(_outcomes(study))


def _outcomes(study: Study) -> Iterator[Outcome]:
    for users, targets in TARGETS.items():
        asked = study[f"op-red-{users}"].levels("target")
        for target in (one for one in targets if one.delay in asked):
            near = nearest(study, users, target)
            ours, floyd = (reached(study, law, users, target, near) for law in ("op-red", "adaptive-red"))
            yield users, target, near, ours, floyd


_Value = Callable[[Nearest, Reached, Reached], NDArray[np.float64]]
"""Of what can be had, OP-RED and Adaptive RED, at one target."""


def _samples(wanted: Callable[[Nearest], bool], value: _Value) -> Callable[[Study], list[Sample]]:
    def samples(study: Study) -> list[Sample]:
        return [
            Sample(f"{users} users, {target.text}", float(users), value(near, ours, floyd))
            for users, target, near, ours, floyd in outcomes(study)
            if wanted(near)
        ]

    return samples


def _reachable(near: Nearest) -> bool:
    return near.reaches


def _unreachable(near: Nearest) -> bool:
    return not near.reaches


def _over_best(near: Nearest, ours: Reached, _: Reached) -> NDArray[np.float64]:
    return ours.distance / float(near.distance.mean())


def _changes(
    experiment: str, value: Callable[[Followed], NDArray[np.float64]]
) -> Callable[[Study], list[Sample]]:
    def samples(study: Study) -> list[Sample]:
        return [
            Sample(stage.text, stage.start_s, value(followed(study, experiment, FOLLOWS[experiment], stage)))
            for stage in STAGES[experiment]
        ]

    return samples


_RATIO = "larger ratio to the target"
_EXCESS = "distance from the target over that of the best fixed parameters"
_TRUTH = "time in which OP-RED says what is true"


def _following(experiment: str) -> Part:
    return Part(Of(_EXCESS, "", _changes(experiment, lambda one: one.excess)), at_most(TOLERANCE))


def _saying(experiment: str) -> Part:
    return Part(Of(_TRUTH, "%", _changes(experiment, lambda one: one.truth)), at_least(50.0))


CLAIMS = (
    Claim(
        "A-2.8a",
        "OP-RED reaches operating points that can be had, within 15% in delay and loss",
        "section 3; acceptance of OP-RED",
        (Part(Of(_RATIO, "", _samples(_reachable, lambda _n, o, _f: o.distance)), at_most(TOLERANCE)),),
    ),
    Claim(
        "A-2.8b",
        "Where a point cannot be had, OP-RED settles at the nearest that can, within 15%",
        "section 3; acceptance of OP-RED",
        (
            Part(
                Of(_EXCESS, "", _samples(_unreachable, _over_best)),
                at_most(TOLERANCE),
            ),
        ),
        note="The nearest is the least larger ratio to the target that RED has with fixed parameters.",
    ),
    Claim(
        "A-2.8c",
        "OP-RED says most of the time whether its target can be had",
        "acceptance of OP-RED",
        (
            Part(Of(_TRUTH, "%", _samples(_reachable, lambda _n, o, _f: o.truth)), at_least(50.0)),
            Part(Of(_TRUTH, "%", _samples(_unreachable, lambda _n, o, _f: o.truth)), at_least(50.0)),
        ),
    ),
    Claim(
        "A-2.8d",
        "OP-RED follows targets that change, and says which can be had",
        "section 3.1; acceptance of OP-RED",
        (_following("targets"), _saying("targets")),
        note="In the later half of the 200 s between two changes.",
    ),
    Claim(
        "A-2.8e",
        "OP-RED keeps to its target, or next to it, while the load changes",
        "section 3.1; acceptance of OP-RED",
        (_following("changing-loads"),),
        note="In the later half of the 200 s between two changes.",
    ),
    Claim(
        "A-2.8f",
        "After a change of the load OP-RED says within 100 s whether its target can be had",
        "acceptance of OP-RED",
        (_saying("changing-loads"),),
        note="With 80 users it is next to the target, and says so late. It calls a target unachievable when "
        "ten windows of two seconds have left it no way to go; after the jump from 20 users max_p still "
        "creeps to its bound, and until it stands there, there is a way to go.",
    ),
    Claim(
        "P-9",
        "Adaptive RED, which controls the average queue alone, is farther from points that cannot be had "
        "than OP-RED",
        "section 2",
        (
            Part(
                Of(
                    "larger ratio to the target, Adaptive RED's minus OP-RED's",
                    "",
                    _samples(_unreachable, lambda _n, o, f: f.distance - o.distance),
                ),
                ABOVE_ZERO,
            ),
        ),
        note="With 40 users the point that is nearest to 6.1 ms and 4.4% happens to lie where Adaptive RED"
        " has its floor: the same distance. Elsewhere it keeps to the delay alone, and loses what "
        "that costs.",
    ),
)
