"""Figures of operating points: what is asked for, what can be had, and where laws come to rest."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import curve, over_time
from weir.papers.data import Sample, Study
from weir.papers.operating_point_2002.changes import FOLLOWS, PERIOD_S, STAGE_S, STAGES, Stage
from weir.papers.operating_point_2002.claims_targets import outcomes
from weir.papers.operating_point_2002.figures import DELAY, LOSS
from weir.papers.operating_point_2002.targets import TARGETS, Reached, nearest
from weir.papers.quantities import Level
from weir.statistics import mean_interval

FRONT, OURS = "RED, best fixed parameters", "OP-RED"


def operating_points(study: Study) -> Plot:
    """Targets and what became of them, by the number of users."""
    found = outcomes(study)
    facets: list[Facet] = []
    for users in TARGETS:
        mine = [one for one in found if one[0] == users]
        facets.append(
            Facet(
                f"{users} users",
                LOSS,
                [
                    _front(study, users),
                    _scattered(OURS, [ours for _, _, _, ours, _ in mine]),
                    _scattered("Adaptive RED", [floyd for _, _, _, _, floyd in mine]),
                    _self_configuring(study, users),
                    Curve(
                        OURS,
                        [one[1].delay for one in mine],
                        [one[1].loss for one in mine],
                        kind="target",
                    ),
                ],
                log=True,
            )
        )
    return Plot(
        "operating-points",
        "Operating points: targets, and where laws come to rest",
        "The line joins the pairs of max_th and max_p that no other betters in both delay and loss. "
        "Targets on it or above it can be had. OP-RED goes there; from a target below it goes to the "
        "nearest point of the line, by the larger ratio, which is straight up or right and then along 45° "
        "on these axes. Adaptive RED, told the delays alone, and not able to aim below 8 ms here, lands "
        "at some loss; self-configuring RED (max_th 30) knows no target. Crosses are 95% intervals.",
        DELAY,
        facets,
        log_x=True,
        ticks=(2, 5, 10, 20, 40),
    )


def _front(study: Study, users: int) -> Curve:
    means = (
        study["grid"]
        .at(N=users)
        .whole.group_by("max_th", "max_p")
        .agg(pl.col("delay_mean", "loss").mean())
        .sort("delay_mean", "loss")
    )
    points: list[tuple[float, float]] = []
    for delay, loss in means.select("delay_mean", "loss").iter_rows():
        if not points or loss < points[-1][1]:
            points.append((delay, loss))
    return Curve(FRONT, [d for d, _ in points], [loss for _, loss in points], kind="path")


def _scattered(label: str, reached: Sequence[Reached]) -> Curve:
    """Points without a line: between each two lies one that is not defined."""
    columns: list[list[float]] = [[], [], [], [], [], []]
    for one in reached:
        delay, loss = mean_interval(one.delay), mean_interval(one.loss)
        point = (delay.mean, loss.mean, loss.low, loss.high, delay.low, delay.high)
        for column, value in zip(columns, point, strict=True):
            column += [math.nan if value is None else value, math.nan]
    x, y, low, high, x_low, x_high = columns
    return Curve(label, x, y, low, high, "path", x_low, x_high)


def _self_configuring(study: Study, users: int) -> Curve:
    rows = study["feng-red"].at(N=users).whole
    delay, loss = rows["delay_mean"].to_numpy(), rows["loss"].to_numpy()
    nowhere = np.full(delay.size, np.nan)
    return _scattered("Self-configuring RED", [Reached(delay, loss, nowhere, nowhere)])


# --- Over time --------------------------------------------------------------------------------------------


def targets_change(study: Study) -> Plot:
    """OP-RED while its targets change."""
    return Plot(
        "targets-change",
        "OP-RED while its targets change, 20 users",
        "Means of 20 s; bands are 95% intervals over replications. The targets change every 200 s; the "
        "last one cannot be had, and OP-RED balances both ratios. Below: the parameters that it moves, in "
        "one replication.",
        "Time (s)",
        [
            *_traces(study, "targets", (22.0, 6.0)),
            _parameter(study, "max_th", "max_th (packets)", 50.0),
            _parameter(study, "max_p", "max_p", 0.6),
        ],
    )


def loads_change(study: Study) -> Plot:
    """Three laws while the load changes."""
    return Plot(
        "loads-change",
        "The load changes: 20, 80, 20 and 40 users",
        "OP-RED is asked for 12 ms and 3%, Adaptive RED for 12 ms; self-configuring RED knows no target. "
        "With 80 and with 40 users the target cannot be had: OP-RED balances both ratios, at the nearest "
        "point that fixed parameters reach (circles); Adaptive RED keeps the delay alone. Means of 20 s; "
        "bands are 95% intervals over replications.",
        "Time (s)",
        _traces(study, "changing-loads", (42.0, 16.0)),
    )


def _traces(study: Study, experiment: str, tops: tuple[float, float]) -> list[Facet]:
    facets: list[Facet] = []
    for measure, title, top in zip(("delay_mean", "loss"), (DELAY, LOSS), tops, strict=True):
        curves = [_steps(study, STAGES[experiment], measure)]
        curves += [
            curve(study, Level(experiment, variant, measure, when="periods"), label, _middle)
            for variant, label in study[experiment].labels.items()
        ]
        curves.append(_asked(STAGES[experiment], measure))
        facets.append(Facet("", title, curves, top=top))
    return facets


def _middle(sample: Sample) -> float:
    """Of a period."""
    return sample.at + PERIOD_S / 2


def _steps(study: Study, stages: Sequence[Stage], measure: str) -> Curve:
    """The nearest that fixed parameters come, in the stages whose target they do not reach."""
    x: list[float] = []
    y: list[float] = []
    for stage in stages:
        near = nearest(study, stage.users, stage.target)
        if not near.reaches:
            value = float((near.delay if measure == "delay_mean" else near.loss).mean())
            x += [stage.start_s, stage.start_s + STAGE_S, stage.start_s + STAGE_S]
            y += [value, value, float("nan")]
    return Curve("RED, nearest fixed parameters", x, y)


def _asked(stages: Sequence[Stage], measure: str) -> Curve:
    """Targets, some times in each stage."""
    times = [stage.start_s + STAGE_S * part for stage in stages for part in (0.25, 0.5, 0.75)]
    values = [stage.target.delay if measure == "delay_mean" else stage.target.loss for stage in stages]
    return Curve(OURS, times, [value for value in values for _ in range(3)], kind="target")


def _parameter(study: Study, variable: str, title: str, top: float) -> Facet:
    data = study["targets"]
    made = over_time(data, FOLLOWS["targets"], "links.bottleneck.forward", variable, OURS)
    return Facet("", title, [made], top=top)


PLOTS = (operating_points, targets_change, loads_change)
