"""Tables: which conclusions stand when a habit changes; the best max_p; operating points one by one."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from weir.papers import ns2
from weir.papers.claims import BELOW_ZERO, Claim, Part, at_most
from weir.papers.data import Study
from weir.papers.operating_point_2002.changes import FOLLOWS, STAGES, followed
from weir.papers.operating_point_2002.claims_max_p import SHIFTED, better_at, least_inside
from weir.papers.operating_point_2002.claims_max_th import (
    below_knee,
    heavy_utilisation,
    light_loss,
    light_utilisation,
)
from weir.papers.operating_point_2002.claims_targets import outcomes
from weir.papers.operating_point_2002.shapes import best, table
from weir.papers.operating_point_2002.targets import nearest
from weir.papers.paper import Table
from weir.papers.quantities import Level, relative
from weir.statistics import mean_interval

Values = NDArray[np.float64]
Made = Callable[[str], tuple[Part, ...]]
"""What is judged, of a variant."""

_LOW, _HIGH = 10.0, 50.0


def _loss(variant: str, experiment: str = "habits", **at: float) -> Level:
    return Level(experiment, variant, "loss", at=at)


def _conclusions() -> dict[str, Made]:
    return {
        "A-2.3a: 10 users leave the link idle below max_th 15, and equally busy above": lambda v: (
            Part(below_knee("habits-max-th", v), at_most(-1.0)),
            Part(light_utilisation("habits-max-th", v), at_most(2.0)),
        ),
        "A-2.3b: their loss does not depend on max_th above 15": lambda v: (
            Part(light_loss("habits-max-th", v), at_most(1.0)),
        ),
        "A-2.3c: with 80 users utilisation does not depend on max_th": lambda v: (
            Part(heavy_utilisation("habits-max-th", v), at_most(2.0)),
        ),
        "A-2.4a: a minimum of the loss over max_p, 80 users, max_th 30": lambda v: tuple(
            Part(least_inside(end, "habits", v, lambda th: th == 30.0), BELOW_ZERO)
            for end in ("first", "last")
        ),
        "A-2.4b: it moves left with max_th, from 10 to 50": lambda v: (
            Part(best(_loss(v, max_th=_HIGH)) - best(_loss(v, max_th=_LOW)), at_most(-SHIFTED)),
        ),
        "A-2.4c: and as the load falls, from 80 to 20 users": lambda v: (
            Part(best(_loss(v, "habits-light")) - best(_loss(v, max_th=30.0)), at_most(-SHIFTED)),
        ),
        "A-2.5a: max_p 1 has less delay than 0.02, 80 users": lambda v: (
            Part(
                relative(
                    Level("habits", v, "delay_mean", at={"max_p": 1.0}),
                    Level("habits", v, "delay_mean", at={"max_p": 0.02}),
                ),
                BELOW_ZERO,
            ),
        ),
        "A-2.6: max_p 0.3 betters 0.1 in both, 80 users, max_th 30": lambda v: (
            Part(better_at("delay_mean", "habits", v, max_th=30.0), BELOW_ZERO),
            Part(better_at("loss", "habits", v, max_th=30.0), BELOW_ZERO),
        ),
    }


def conclusions(study: Study) -> Table:
    """Verdicts by variant."""
    labels = study["habits"].labels
    rows = [
        (text, *(_verdict(study, text, made(variant)) for variant in labels))
        for text, made in _conclusions().items()
    ]
    return Table(
        "habits",
        "Do the conclusions hang on a habit of sender or queue?",
        ("conclusion", *labels.values()),
        tuple(rows),
        "Verdicts as those of the claims, on coarser grids. Gentle RED has no left branch, hence no "
        "minimum; the rest of the conclusions do not need the habits.",
    )


def _verdict(study: Study, text: str, parts: tuple[Part, ...]) -> str:
    try:
        return Claim("", text, "", parts).judge(study).verdict
    except ValueError:
        # --quick has not all of the settings.
        return "not run"


# --- The best max_p ---------------------------------------------------------------------------------------


def best_max_p(study: Study) -> Table:
    """Where the loss is least."""
    rows: list[tuple[str, ...]] = [
        (f"80 users, max_th {th:g}", *_best(study, Level("max-p", "red", "loss", at={"max_th": th})), "", "")
        for th in study["max-p"].levels("max_th")
    ]
    for n in study["loads"].levels("N"):
        level = Level("loads", "red", "loss", at={"N": n})
        printed = "near 0.3" if n == 80.0 else "near 0.1" if n <= 20.0 else ""
        rows.append((f"{n:g} users, max_th 30", *_best(study, level), printed, _best_of_ns2(n)))
    return Table(
        "best-max-p",
        "The max_p of the least loss",
        ("setting", "max_p of the least mean loss", "loss there (%)", "the paper", "ns-2.35, 50 ms"),
        tuple(rows),
        "Of the values of figures 8 and 13. The paper calls a max_p near 0.3 better than 0.1 for high "
        "loads and one near 0.1 good for low ones. ns-2 had a round trip of 50 ms, which is twice the "
        "load.",
    )


def _best(study: Study, level: Level) -> tuple[str, str]:
    found = level.samples(study)
    place = int(table(found).mean(axis=1).argmin())
    return f"{found[place].at:g}", _said(found[place].values, 2)


def _best_of_ns2(users: float) -> str:
    known = ns2.curve("operating_point_2002", f"as-ns2-max-p-{users:g}", "red", "loss", "")
    return f"{known.x[int(np.argmin(known.y))]:g}" if known.x else ""


# --- Operating points -------------------------------------------------------------------------------------


def operating_points(study: Study) -> Table:
    """Every target."""
    rows = [
        (
            f"{users}",
            f"{target.delay:g}, {target.loss:g}",
            f"{near.max_th:g}, {near.max_p:g}",
            _point(near.delay, near.loss),
            f"{float(near.distance.mean()):.2f}",
            _point(ours.delay, ours.loss),
            _said(ours.distance, 2),
            f"{float(ours.truth.mean()):.0f}",
            _point(floyd.delay, floyd.loss),
            _said(floyd.distance, 2),
        )
        for users, target, near, ours, floyd in outcomes(study)
    ]
    return Table(
        "operating-points",
        "Operating points one by one",
        ("users", "target: ms, %", "best fixed: max_th, max_p", "ms, %", "ratio", "OP-RED: ms, %", "ratio",
         "says so (% of the time)", "Adaptive RED: ms, %", "ratio"),
        tuple(rows),
        "The ratio is the larger one of delay and loss to the target: at most 1 where it is met. Those of "
        "the best fixed pair above 1 belong to targets that cannot be had.",
    )  # fmt: skip


def changes(study: Study) -> Table:
    """Every stage of the runs in which something changes."""
    rows: list[tuple[str, ...]] = []
    for experiment, stages in STAGES.items():
        for stage in stages:
            near = nearest(study, stage.users, stage.target)
            one = followed(study, experiment, FOLLOWS[experiment], stage)
            rows.append(
                (
                    "targets" if experiment == "targets" else "loads",
                    stage.text,
                    f"{stage.target.delay:g}, {stage.target.loss:g}",
                    _point(near.delay, near.loss),
                    _point(one.delay, one.loss),
                    _said(one.excess, 2),
                    _after(one.after_s),
                    f"{float(one.truth.mean()):.0f}",
                )
            )
    return Table(
        "changes",
        "OP-RED while targets and loads change",
        ("what changes", "stage", "target: ms, %", "best fixed ms, %", "OP-RED's ms, %",
         "ratio to the best, or to the target", "there after (s)", "says so (% of the time)"),
        tuple(rows),
        "Of the later half of each stage. There: within 15% of the best, in means of 20 s, to stay; the "
        "median of the replications.",
    )  # fmt: skip


def _after(seconds: Values) -> str:
    median = float(np.median(seconds))
    return "never" if math.isinf(median) else f"{median:g}"


def _point(delay: Values, loss: Values) -> str:
    return f"{np.mean(delay):.1f}, {np.mean(loss):.2f}"


def _said(values: Values, digits: int) -> str:
    found = mean_interval(np.asarray(values))
    if found.half_width is None:
        return f"{found.mean:.{digits}f}"
    return f"{found.mean:.{digits}f} ± {found.half_width:.{digits}f}"


TABLES = (best_max_p, conclusions, operating_points, changes)
