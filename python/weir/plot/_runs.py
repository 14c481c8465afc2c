"""Figures of runs one by one: their delays and goodput, the delays of their packets, their transfers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._averages import distinct
from weir.plot._cut import MOST_ROWS, NONE, Cut, Where, kind, thinned
from weir.plot._figure import Figure
from weir.stats import ALL, MEASURES, Ellipse
from weir.sweep import ChartError, Sweep

DOTS = 2_000
"""Maximum number of dots."""

CORNERS = 40
"""Number of corners of an ellipse drawn as a polygon."""

X, Y = MEASURES["delay_mean"], MEASURES["goodput"]


@kind
def ellipses(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Delay and goodput, a dot per run, with ellipses of one standard deviation.

    The plot of RFC 7928, section 2.7, after K. Winstein (Transport Architectures for an Evolving
    Internet, 2014): the delay axis runs backwards, so that better is up and to the right.

    Raises ChartError for fewer than two runs, and for a dimension that the result does not have.

    Example:
        >>> drawn = weir.plot.ellipses(result)
        >>> drawn.rows.filter(part="run").height
        9
    """
    cut = Cut.of(sweep, where).group(family, facet)
    groups: list[str] = list(cut.roles)
    observed = cut.observed([X.name, Y.name])
    different = distinct(observed, groups)
    runs = different.select(*groups, pl.col(X.name).alias("x"), pl.col(Y.name).alias("y")).drop_nulls()
    if len(runs) < 2:
        raise ChartError("one run alone has no spread to draw", "ask for replications")
    dots, (outlines, medians) = thinned(runs, DOTS), _summary(runs, groups)
    parts = {"run": dots, "ellipse": outlines, "median": medians}
    named = [frame.with_columns(pl.lit(name).alias("part")) for name, frame in parts.items()]
    rows = pl.concat(named, how="diagonal").select(*groups, "x", "y", "part", "corner", "n")
    drawn = f", {len(dots):,} of {len(runs):,} drawn" if len(dots) < len(runs) else ""
    return Figure(
        "delay-goodput",
        "Goodput against mean delay, run by run",
        chart.caption(
            "Better is up and to the right: the delay runs backwards.",
            f"A dot is a run{drawn}. An ellipse is one standard deviation of the normal distribution "
            "fitted to all runs of one colour by maximum likelihood; the large symbol is their median.",
            "A run that serves several points counts once." if len(different) < len(observed) else "",
            "The runs do not spread: no ellipses." if outlines.is_empty() else "",
            "Each panel has axes of its own." if "facet" in cut.roles else "",
            cut.said("Runs pooled over"),
        ),
        chart.faceted(cut, _spread(cut, rows, len(dots)), 0.75, own_axes=("x", "y")),
        rows,
    )


def _summary(runs: pl.DataFrame, groups: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Corners of the ellipse of each group, unless all runs are the same, and its medians."""
    outlines = [runs.clear().with_columns(corner=pl.lit(None, pl.Int64))]
    medians: list[dict[str, Any]] = []
    parts = runs.partition_by(groups, maintain_order=True, as_dict=True) if groups else {(): runs}
    for key, part in parts.items():
        group, points = dict(zip(groups, key, strict=True)), part.select("x", "y").to_numpy()
        medians.append({**group, "x": part["x"].median(), "y": part["y"].median(), "n": len(part)})
        if np.ptp(points, axis=0).any():
            x, y = Ellipse(points).corners(CORNERS)
            outlines.append(pl.DataFrame({**group, "x": x, "y": y, "corner": range(CORNERS + 1)}))
    return pl.concat(outlines), pl.DataFrame(medians)


def _spread(cut: Cut, rows: pl.DataFrame, dots: int) -> list[alt.Chart]:
    loose: dict[str, Any] = {"zero": False, "padding": 8}
    # The tail of a normal distribution may lie below zero; no delay does.
    beyond = chart.extent(rows["x"])[0] < 0.0
    backwards = {**loose, "reverse": True, **({"domainMin": 0} if beyond else {})}
    pen = chart.Pen(
        chart.side("x", X.heading, scale=backwards, axis={"tickCount": 5}),
        # Rounded, it would end above 100%.
        chart.side("y", Y.heading, scale={**loose, "nice": False}, axis={"tickCount": 5}),
        chart.families(cut),
    )
    run, ellipse, median = (pen.where(f"datum.part == '{part}'") for part in ("run", "ellipse", "median"))
    values = [("x:Q", X.heading, X.decimals), ("y:Q", Y.heading, Y.decimals)]
    many = dots > 300
    size = 45 if "facet" in cut.roles else 80
    symbol = median("point", "color", "shape", filled=True, size=size, stroke="white", strokeWidth=0.8)
    return [
        run("circle", "color", size=6 if many else 14, fillOpacity=0.3 if many else 0.45).encode(
            tooltip=chart.tooltips(*values, cut=cut)
        ),
        ellipse("line", "color", "strokeDash", strokeWidth=1.4, clip=beyond).encode(order="corner:Q"),
        chart.choosable(cut, symbol.encode(tooltip=chart.tooltips(*values, ("n:Q", "runs", None), cut=cut))),
    ]


@kind
def cdf(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Distribution of the queueing delay.

    Raises ChartError for a dimension that the result does not have.

    Example:
        >>> drawn = weir.plot.cdf(result, where={"variant": "REM mark"})
        >>> drawn.title, drawn.rows["at_most"].max()
        ('Distribution of the queueing delay', 1.0)
    """
    cut = Cut.of(sweep, where).group(family, facet)
    return _shares(
        cut,
        _curves(cut).select(*cut.roles, "delay_ms", "at_most"),
        ("delay-distribution", "Distribution of the queueing delay"),
        "waited at most so long",
        "Dropped packets do not count.",
        {"scale": {"domain": [0, 1]}, "axis": {"format": "~%", "tickCount": 5}},
    )


@kind
def tail(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Fraction of packets that waited longer, logarithmic.

    Raises ChartError for a dimension that the result does not have.

    Example:
        >>> drawn = weir.plot.tail(result, where={"variant": "REM mark"})
        >>> drawn.title, round(drawn.rows["longer"].min(), 4)
        ('Tail of the queueing delay', 0.2186)
    """
    cut = Cut.of(sweep, where).group(family, facet)
    rows = _curves(cut).select(*cut.roles, "delay_ms", "longer").drop_nulls()
    ticks = decades(rows["longer"])
    return _shares(
        cut,
        rows,
        ("delay-tail", "Tail of the queueing delay"),
        "waited longer",
        "Each curve ends where fewer than ten packets are left.",
        {
            "scale": {"type": "log", "domain": [ticks[-1], 1], "nice": False, "clamp": True},
            "axis": {"format": "~%", "values": ticks},
        },
    )


def _curves(cut: Cut) -> pl.DataFrame:
    if cut.periods:
        raise ChartError("delays are recorded of whole runs: users cannot be told apart")
    groups = list(cut.roles)
    columns = ("point", pl.col("label").cast(pl.String), pl.col("upto_ms").alias("delay_ms"), "count")
    counts = (
        cut.select(cut.sweep.delay_histograms(), *columns)
        .join(distinct(cut.observed([]), groups), on=["point", "label"], how="semi")
        .group_by(*groups, "delay_ms", maintain_order=True)
        .agg(pl.col("count").sum())
        .sort(*groups, "delay_ms")
    )
    curves = distributions(counts, groups, min(300, max(30, MOST_ROWS // cut.lines)))
    if curves.is_empty():
        raise ChartError("no packet left the bottleneck: there are no delays to draw")
    return curves


def _shares(
    cut: Cut, rows: pl.DataFrame, named: tuple[str, str], what: str, end: str, y: Mapping[str, Any]
) -> Figure:
    column = rows.columns[-1]
    # Beside a panel there is no room for more than a word.
    panels = "facet" in cut.roles
    axis = {"grid": False, "tickCount": 5 if panels else 10}
    pen = chart.Pen(
        chart.side("x", "Queueing delay (ms)", scale={"nice": False}, axis=axis),
        chart.side("y", "Packets" if panels else f"Packets that {what}", **y),
        chart.families(cut, dashed=True),
    )
    line = pen(
        "line", "color", "strokeDash", x="delay_ms", y=column, interpolate="step-after", strokeWidth=1.6
    )
    tips = chart.tooltips(("delay_ms:Q", "delay (ms)", 2), (f"{column}:Q", "share", ".3~%"), cut=cut)
    observed = cut.observed([])
    repeated = len(distinct(observed, list(cut.roles))) < len(observed)
    return Figure(
        *named,
        chart.caption(
            f"Share of the packets that {what} at the bottleneck, over the whole run and all replications.",
            end,
            "A run that serves several points counts once." if repeated else "",
            "Each panel has a delay axis of its own." if panels else "",
            cut.said("Packets pooled over"),
        ),
        chart.faceted(cut, [chart.choosable(cut, line.encode(tooltip=tips))], own_axes=("x",)),
        rows,
    )


def distributions(counts: pl.DataFrame, keys: Sequence[str], points: int = 300) -> pl.DataFrame:
    """Distributions from the columns `delay_ms` and `count`, one per value of the key columns.

    Columns: the keys, delay_ms, at_most (share of packets that waited at most so long), longer (the
    rest). `longer` is null where fewer than ten packets are left, too few to draw a tail from. Points
    that a picture of `points` by `points` could not tell apart are left out.
    """
    whole = [*keys] or [pl.lit(0)]
    count, delay = pl.col("count"), pl.col("delay_ms")
    total = count.sum().over(whole)
    left = total - count.cum_sum().over(whole)
    share = left / total
    # Same column and same rows, in both pictures: the same pixel.
    pixel = pl.struct(
        (delay / delay.max().over(whole) * points).floor().alias("across"),
        (share * points).floor().alias("up"),
        (share.clip(1e-9).log10() * points / 6).floor().alias("up_log"),
    )
    columns = {"at_most": 1.0 - share, "longer": pl.when(left >= 10).then(share), "_pixel": pixel}
    curves = counts.sort(*keys, delay).filter(total > 0).select(*keys, delay, **columns)
    curves = curves.unique([*keys, "_pixel"], keep="last", maintain_order=True).drop("_pixel")
    first = curves.filter(pl.int_range(pl.len()).over(whole) == 0)
    begin = first.with_columns(delay_ms=pl.lit(0.0), at_most=pl.lit(0.0), longer=pl.lit(1.0))
    return pl.concat([begin, curves]).sort(*keys, delay, maintain_order=True)


def decades(shares: pl.Series) -> list[float]:
    """Powers of ten from 1 down to the first below every share, or to one in a million."""
    lowest = shares.drop_nulls().min()
    depth = math.ceil(-math.log10(lowest)) if isinstance(lowest, float) and lowest > 0.0 else 1
    return [10.0**-power for power in range(min(max(1, depth), 6) + 1)]


QUANTILES = {"slowdown_p50": "Median", "slowdown_p99": "99th percentile"}

FEWEST = 20
"""Least number of transfers of a size, in all replications, that is drawn: a percentile of fewer says
nothing."""


@kind
def slowdown(sweep: Sweep, *, family: str | None = None, where: Where | None = None) -> Figure:
    """Slowdown of transfers by their size: median and 99th percentile, on logarithmic axes.

    Raises ChartError where no flows come and go, and for a part of the periods.

    Example:
        >>> traffic = {"poisson": {"load": 0.5, "size": {"exponential": {"mean": "20 kB"}}}}
        >>> short = {"duration": "5 s", "measure.warm_up": "1 s", "flows.web.traffic": traffic}
        >>> rows = weir.plot.slowdown(weir.load("web", short).run()).rows
        >>> rows["quantile"].unique().sort().to_list(), rows["slowdown"].min() >= 1.0
        (['99th percentile', 'Median'], True)
    """
    cut = Cut.of(sweep, where).group(family, NONE)
    if cut.periods:
        raise ChartError("the slowdown is drawn of whole runs: periods cannot be told apart")
    if sweep.completions.is_empty():
        raise ChartError("no flows come and go in this scenario", "traffic.poisson makes some")
    sizes = {"format": "~s", "grid": False, "tickCount": 6}
    pen = chart.Pen(
        chart.side("x", "Size of the transfer (bytes)", scale={"type": "log"}, axis=sizes),
        chart.side("y", "Slowdown", scale={"type": "log", "domainMin": 1}),
        chart.families(cut),
    )
    line = pen("line", "color", "strokeDash", x="upto_bytes", y="slowdown", strokeWidth=1.6)
    points = pen("point", "color", "shape", x="upto_bytes", y="slowdown", filled=True, size=42).encode(
        tooltip=chart.tooltips(
            ("slowdown:Q", "slowdown", 2),
            ("count:Q", "transfers", None),
            ("upto_bytes:Q", "up to (bytes)", "~s"),
            cut=cut,
        )
    )
    both = chart.panel([line, chart.choosable(cut, points)], style.WIDTH, style.HEIGHT * 2 // 3)
    row = alt.Row("quantile:N", sort=list(QUANTILES.values()), title=None)
    facet = both.facet(row=row, spacing=12)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return Figure(
        "slowdown-by-size",
        "Slowdown by size",
        chart.caption(
            "Time of a transfer over the least that it could have been: the round trip of its handshake, "
            "propagation, and its bytes at the narrowest link. Points stand at the upper end of their sizes, "
            "over the whole run; means over runs.",
            f"Sizes with fewer than {FEWEST} transfers are left out.",
            cut.said("Runs pooled over"),
        ),
        facet,
        _transfers(cut),
    )


def _transfers(cut: Cut) -> pl.DataFrame:
    """Family, quantile, upto_bytes, slowdown, count (transfers of all runs)."""
    groups = list(cut.roles)
    whole = cut.sweep.completions.filter(pl.col("group") == ALL, pl.col("upto_bytes").is_not_nan())
    columns = ("run", "period", "upto_bytes", "count")
    runs = cut.select(whole, *columns, *(pl.col(name).fill_nan(None) for name in QUANTILES))
    return (
        distinct(runs, [*groups, "upto_bytes"])
        .group_by(*groups, "upto_bytes", maintain_order=True)
        .agg(*(pl.col(name).mean() for name in QUANTILES), pl.col("count").sum())
        .filter(pl.col("count") >= FEWEST)
        .rename(QUANTILES)
        .unpivot(
            list(QUANTILES.values()),
            index=[*groups, "upto_bytes", "count"],
            variable_name="quantile",
            value_name="slowdown",
        )
        .sort("upto_bytes", maintain_order=True)
        .select(*groups, "quantile", "upto_bytes", "slowdown", "count")
    )
