"""The fluid over time, alone or over the packets of a result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._figure import Figure
from weir.plot._over_time import SLOTS, envelope, time_side
from weir.theory import FluidRun

_LOWEST, _HIGHEST = 0.05, 0.95
"""Quantiles at the ends of the band of packets."""

_UNITS = {"queue": "Queue (packets)", "average": "Average queue (packets)", "price": "Price"}


def fluid_over_time(runs: Sequence[FluidRun], packets: pl.DataFrame | None = None) -> Figure:
    """Curves over time in a row for each variable. Dotted lines are the fluid. With packets, the mean of
    their replications is a line and their 5 to 95% a band.

    `packets` is as `Sweep.series_of` gives it, one or more replications below each other, with the labels of
    the runs. The figure draws those of its variables that the fluid has.
    """
    alone = len(runs) == 1
    samples = _named(pl.concat([_labelled(run.series, "fluid" if alone else run.name) for run in runs]))
    variables = samples["variable"].unique(maintain_order=True).to_list()
    titles = {name: _UNITS.get(name, _titled(name)) for name in variables}
    ruled = envelope(
        samples.with_columns(pl.lit("theory").alias("kind")), ["label", "variable", "kind"], SLOTS * 2
    )
    frames = [ruled.drop("slot_s")]
    replications = 0
    if packets is not None and not packets.is_empty():
        named = _named(_labelled(packets, "packets") if alone else packets)
        frames.append(_banded(named, variables, max(float(run.course.times[-1]) for run in runs)))
        replications = int(packets["replication"].n_unique()) if "replication" in packets.columns else 1
    rows = pl.concat(frames, how="diagonal")
    labels = rows["label"].unique(maintain_order=True).to_list()
    legend = alt.Legend(symbolSize=500, symbolType="stroke") if len(labels) > 1 else None
    look = {"color": style.look(labels, legend)["color"]}
    end = max(float(run.course.times[-1]) for run in runs)
    panels = [
        _panel(
            name, titles[name], look, end, last=name == variables[-1], height=max(118, 330 // len(variables))
        )
        for name in variables
    ]
    flags = sorted({flag.code for run in runs for flag in run.flags})
    caption = chart.caption(
        "Dotted: the nonlinear fluid from an empty queue, flows in slow start.",
        f"Lines and bands: packets, the mean and the 5 to 95% of {replications} replications."
        if replications > 1
        else "",
        "Lines: packets, one run." if replications == 1 else "",
        f"Doubtful here: {', '.join(flags)}." if flags else "",
    )
    made: Any = alt.vconcat(*panels, spacing=10)
    title = runs[0].label.removesuffix(", fluid") if alone else runs[0].phases[0].system.name
    return Figure(chart.file_name("fluid", runs[0].name), f"Fluid over time: {title}", caption, made, rows)


def _titled(name: str) -> str:
    return f"W of {name.removeprefix('cwnd of ')} (packets)" if name.startswith("cwnd of ") else name


def _labelled(samples: pl.DataFrame, label: str) -> pl.DataFrame:
    return samples.with_columns(pl.lit(label).alias("label"))


def _named(samples: pl.DataFrame) -> pl.DataFrame:
    """Samples with the group in the name of a flow's variable: `cwnd of ftp`, for any watched flow of the
    group."""
    component, variable = pl.col("component").cast(pl.String), pl.col("variable").cast(pl.String)
    group = component.str.strip_prefix("flows.").str.replace(r"\.\d+$", "")
    flows = component.str.starts_with("flows.")
    named = pl.when(flows).then(pl.concat_str(variable, pl.lit(" of "), group)).otherwise(variable)
    return samples.with_columns(named.alias("variable")).filter(pl.col("value").is_not_nan())


def _panel(
    variable: str, title: str, look: dict[str, Any], end: float, *, last: bool, height: int
) -> alt.LayerChart:
    side = time_side(end) if last else time_side(end, labels=False)
    pen = chart.Pen(side, chart.side("y", title, axis={"tickCount": 4}), look).where(
        f"datum.variable === {json.dumps(variable)}"
    )
    packets, theory = (pen.where(f"datum.kind === '{kind}'") for kind in ("packets", "theory"))
    layers = [
        packets("area", "color", x="time_s", y="lowest", y2="highest", fillOpacity=0.25),
        packets("line", "color", x="time_s", y="mean", strokeWidth=1),
        theory("line", "color", x="time_s", y="mean", strokeWidth=1.6, strokeDash=[1, 2.5]),
    ]
    return chart.panel(layers, style.WIDTH, height)


def _banded(packets: pl.DataFrame, variables: Sequence[str], end: float) -> pl.DataFrame:
    """Mean and quantiles over the replications, in each slot of time."""
    slot = end / (SLOTS // 2)
    middle = ((pl.col("time_s") / slot).floor() + 0.5) * slot
    shown = packets.filter(pl.col("variable").cast(pl.String).is_in(list(variables)))
    return (
        shown.group_by(
            pl.col("label").cast(pl.String),
            pl.col("variable").cast(pl.String),
            middle.alias("time_s"),
            maintain_order=True,
        )
        .agg(
            pl.col("value").quantile(_LOWEST).alias("lowest"),
            pl.col("value").mean().alias("mean"),
            pl.col("value").quantile(_HIGHEST).alias("highest"),
        )
        .with_columns(pl.lit("packets").alias("kind"))
        .select("label", "variable", "kind", "time_s", "lowest", "mean", "highest")
    )
