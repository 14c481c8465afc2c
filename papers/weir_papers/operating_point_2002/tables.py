"""What the tables of `figures.toml` hold, by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from weir.stats import mean_interval
from weir_papers import ns2
from weir_papers.claims import BELOW_ZERO, Claim, Part, at_most
from weir_papers.data import Study
from weir_papers.operating_point_2002.checks import (
    SHIFTED,
    better_at_0_3,
    heavy_utilisation,
    knee,
    minimum,
    varies_beyond_knee,
)
from weir_papers.operating_point_2002.quantities import best, table
from weir_papers.operating_point_2002.targets import FOLLOWS, STAGES, followed, nearest, outcomes
from weir_papers.paper import Filled
from weir_papers.quantities import Level, relative
from weir_papers.reading import Contents

Values = NDArray[np.float64]


def _loss(variant: str, experiment: str = "settings", **at: float) -> Level:
    return Level(experiment, variant, "loss", at=at)


def _delay(variant: str, max_p: float) -> Level:
    return Level("settings", variant, "delay_mean", at={"max_p": max_p})


_CONCLUSIONS: dict[str, Callable[[str], Sequence[Part]]] = {
    "A-2.3a: 10 users leave the link idle below max_th 15, and equally busy above": lambda v: knee(
        "settings-max-th", v
    ),
    "A-2.3b: their loss does not depend on max_th above 15": lambda v: [
        Part(varies_beyond_knee("loss", "settings-max-th", v), at_most(1.0))
    ],
    "A-2.3c: with 80 users utilisation does not depend on max_th": lambda v: [
        Part(heavy_utilisation("settings-max-th", v), at_most(2.0))
    ],
    "A-2.4a: a minimum of the loss over max_p, 80 users, max_th 30": lambda v: minimum(
        "settings", v, lambda th: th == 30.0
    ),
    "A-2.4b: it moves left with max_th, from 10 to 50": lambda v: [
        Part(best(_loss(v, max_th=50.0)) - best(_loss(v, max_th=10.0)), at_most(-SHIFTED))
    ],
    "A-2.4c: and as the load falls, from 80 to 20 users": lambda v: [
        Part(best(_loss(v, "settings-light")) - best(_loss(v, max_th=30.0)), at_most(-SHIFTED))
    ],
    "A-2.5a: max_p 1 has less delay than 0.02, 80 users": lambda v: [
        Part(relative(_delay(v, 1.0), _delay(v, 0.02)), BELOW_ZERO)
    ],
    "A-2.6: max_p 0.3 betters 0.1 in both, 80 users, max_th 30": lambda v: better_at_0_3(
        "settings", v, max_th=30.0
    ),
}
"""What is judged, of a variant."""


def _settings(study: Study) -> Filled:
    """Verdicts by variant."""
    labels = study["settings"].labels
    rows = [
        [text, *(_verdict(study, text, parts(variant)) for variant in labels)]
        for text, parts in _CONCLUSIONS.items()
    ]
    return Filled(rows, head=tuple(labels.values()))


def _verdict(study: Study, text: str, parts: Sequence[Part]) -> str:
    try:
        return Claim("", text, "", tuple(parts)).judge(study).verdict
    except ValueError:
        # --quick has not all of the settings.
        return "not run"


def _best_max_p(study: Study) -> Iterator[list[str]]:
    """Where the loss is least."""
    for th in study["max-p"].levels("max_th"):
        yield [f"80 users, max_th {th:g}", *_best(study, _loss("red", "max-p", max_th=th)), "", ""]
    for n in study["loads"].levels("N"):
        printed = "near 0.3" if n == 80.0 else "near 0.1" if n <= 20.0 else ""
        found = _best(study, _loss("red", "loads", N=n))
        yield [f"{n:g} users, max_th 30", *found, printed, _best_of_ns2(n)]


def _best(study: Study, level: Level) -> tuple[str, str]:
    found = level.samples(study)
    place = int(table(found).mean(axis=1).argmin())
    return f"{found[place].at:g}", _said(found[place].values)


def _best_of_ns2(users: float) -> str:
    known = ns2.curve("operating_point_2002", f"as-ns2-max-p-{users:g}", "red", "loss", "")
    return f"{known.x[int(np.argmin(known.y))]:g}" if known.x else ""


def _operating_points(study: Study) -> Iterator[list[str]]:
    """Every target."""
    for users, target, near, ours, floyd in outcomes(study):
        yield [
            f"{users}",
            f"{target.delay:g}, {target.loss:g}",
            f"{near.max_th:g}, {near.max_p:g}",
            _point(near.delay, near.loss),
            f"{float(near.distance.mean()):.2f}",
            _point(ours.delay, ours.loss),
            _said(ours.distance),
            f"{float(ours.truth.mean()):.0f}",
            _point(floyd.delay, floyd.loss),
            _said(floyd.distance),
        ]


def _changes(study: Study) -> Iterator[list[str]]:
    """Every stage of the runs in which something changes."""
    for experiment, stages in STAGES.items():
        for stage in stages:
            near = nearest(study, stage.users, stage.target)
            one = followed(study, experiment, FOLLOWS[experiment], stage)
            after = float(np.median(one.after_s))
            yield [
                "targets" if experiment == "targets" else "loads",
                stage.text,
                f"{stage.target.delay:g}, {stage.target.loss:g}",
                _point(near.delay, near.loss),
                _point(one.delay, one.loss),
                _said(one.excess),
                "never" if math.isinf(after) else f"{after:g}",
                f"{float(one.truth.mean()):.0f}",
            ]


def _point(delay: Values, loss: Values) -> str:
    return f"{np.mean(delay):.1f}, {np.mean(loss):.2f}"


def _said(values: Values) -> str:
    found = mean_interval(np.asarray(values))
    half = "" if found.half_width is None else f" ± {found.half_width:.2f}"
    return f"{found.mean:.2f}{half}"


TABLES: Contents = {
    "best-max-p": _best_max_p,
    "settings": _settings,
    "operating-points": _operating_points,
    "changes": _changes,
}
