"""Contents of the tables of `figures.toml`, by their names."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from weir.stats import mean_interval
from weir_papers import ns2
from weir_papers.data import Study
from weir_papers.operating_point_2002.checks import HIGH, LOW
from weir_papers.operating_point_2002.points import FOLLOWS, STAGES, followed, nearest, outcomes
from weir_papers.operating_point_2002.quantities import table
from weir_papers.quantities import Level
from weir_papers.reading import Contents

Values = NDArray[np.float64]


def _best_max_p(study: Study) -> Iterator[list[str]]:
    """Table of the max_p with the least loss."""
    for th in study["max-p"].levels("max_th"):
        found = _best(study, Level("max-p", "red", "loss", at={"max_th": th}))
        yield [f"80 users, max_th {th:g}", *found, "", ""]
    for experiment in ("loads", "loads-unnamed"):
        for n in study[experiment].levels("N"):
            printed = "near 0.3" if n == HIGH else "near 0.1" if n <= LOW else ""
            found = _best(study, Level(experiment, "red", "loss", at={"N": n}))
            yield [f"{n:g} users, max_th 30", *found, printed, _best_of_ns2(n)]


def _best(study: Study, level: Level) -> tuple[str, str]:
    found = level.samples(study)
    place = int(table(found).mean(axis=1).argmin())
    return f"{found[place].at:g}", _said(found[place].values)


def _best_of_ns2(users: float) -> str:
    known = ns2.curve("operating_point_2002", f"as-ns2-max-p-{users:g}", "red", "loss", "")
    return f"{known.x[int(np.argmin(known.y))]:g}" if known.x else ""


def _operating_points(study: Study) -> Iterator[list[str]]:
    """Table of all targets."""
    for users, target, near, ours, floyd in outcomes(study):
        yield [
            f"{users:g}",
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
    """Table of all stages of the runs in which something changes."""
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
    "operating-points": _operating_points,
    "changes": _changes,
}
