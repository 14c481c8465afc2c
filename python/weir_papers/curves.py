"""Curves from runs: means with their intervals along an axis, and values over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import polars as pl

from weir.plot import Curve, CurveKind, Facet, envelope
from weir.scenario import Scenario
from weir.stats import MEASURES, mean_interval, wording
from weir.theory import fluid_of
from weir_papers.data import Data, Sample, Study
from weir_papers.quantities import Level, Quantity


def curve(
    study: Study,
    quantity: Quantity,
    label: str,
    at: Callable[[Sample], float] | None = None,
    kind: CurveKind = "runs",
) -> Curve:
    """A quantity along its places, with 95% intervals. `at` gives the position of a sample, else its own."""
    samples = quantity.samples(study)
    return intervals(label, [sample.at if at is None else at(sample) for sample in samples], samples, kind)


def intervals(label: str, x: Sequence[float], samples: Sequence[Sample], kind: CurveKind = "runs") -> Curve:
    """Means of samples with 95% intervals, at these positions."""
    found = [mean_interval(sample.values) for sample in samples]
    several = any(one.half_width is not None for one in found)
    low = [one.mean if one.low is None else one.low for one in found] if several else None
    high = [one.mean if one.high is None else one.high for one in found] if several else None
    return Curve(label, x, [one.mean for one in found], low, high, kind)


def levels(
    study: Study, level: Level, variants: Iterable[str], label: Callable[[str], str] = lambda label: label
) -> list[Curve]:
    """One curve per variant, named by `label` from the variant's label."""
    labels = study[level.experiment].labels
    return [curve(study, level.of(variant), label(labels[variant])) for variant in variants]


def panel(
    measure: str,
    curves: Sequence[Curve],
    title: str | None = None,
    lines: Sequence[tuple[float, str]] = (),
    *,
    top: float | None = None,
    x: str = "",
) -> Facet:
    """The panel of a measure of `weir list measures`, called so unless there is another title."""
    known = MEASURES[measure]
    title = known.title if title is None else title
    # No interval makes a share more than all.
    top = known.full if top is None else top
    return Facet(title, known.heading, curves, lines, known.full is None, top=top, x=x)


def against(study: Study, x: Quantity, y: Quantity, label: str) -> Curve:
    """Curve of one quantity against another, place by place, with intervals both ways: a path."""
    across = [mean_interval(sample.values) for sample in x.samples(study)]
    up = curve(study, y, label)
    return Curve(
        label,
        [one.mean for one in across],
        up.y,
        up.low,
        up.high,
        "path",
        [one.mean if one.low is None else one.low for one in across],
        [one.mean if one.high is None else one.high for one in across],
    )


def over_time(
    data: Data,
    variant: str,
    component: str,
    variable: str,
    label: str,
    scale: float = 1.0,
    slots: int = 300,
    replication: int = 0,
) -> Curve:
    """A variable of the series of one replication: means over slots of time, the band from the least to the
    greatest. `component` as in docs/reference/results.md: `links.bottleneck.forward`, `flows.ftp.0`."""
    runs = data.runs.filter(pl.col("variant") == variant, pl.col("replication") == replication)
    rows = data.read("series").filter(
        pl.col("run").is_in(runs["run"].implode()),
        pl.col("component") == component,
        pl.col("variable") == variable,
    )
    slotted = envelope(rows.with_columns(pl.col("value") * scale), ["run"], slots).sort("time_s")
    return Curve(
        label,
        slotted["time_s"].to_list(),
        slotted["mean"].to_list(),
        slotted["lowest"].to_list(),
        slotted["highest"].to_list(),
        band="least to greatest",
    )


def fluid_over_time(
    data: Data, variant: str, variable: str, label: str, scale: float = 1.0, slots: int = 300
) -> Curve:
    """Curve of the fluid model for a variable of the queue, in the same slots of time as `over_time`."""
    run = fluid_of(Scenario.loads(data.resolved[variant]))
    rows = run.series.filter(pl.col("component").str.starts_with("links."), pl.col("variable") == variable)
    slotted = envelope(rows.with_columns(pl.col("value") * scale), ["label"], slots).sort("time_s")
    return Curve(label, slotted["time_s"].to_list(), slotted["mean"].to_list(), kind="theory")


def estimated(sample: Sample, digits: int) -> str:
    """`20.4 ± 0.3`, for a table."""
    found = mean_interval(sample.values)
    return wording.estimate(found.mean, found.half_width, digits)
