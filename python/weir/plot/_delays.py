"""How long packets waited: the distribution by family, and its tail."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import altair as alt
import polars as pl

from weir.plot._averages import distinct
from weir.plot._cut import MOST_ROWS, Cut, Role
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import Family, caption, faceted, tooltips
from weir.sweep.dimension import ChartError

Kind = Literal["cdf", "tail"]

_CURVE = {"delay_ms": pl.Float64, "at_most": pl.Float64, "longer": pl.Float64}


def delays(cut: Cut, kind: Kind) -> Figure:
    """Share of the packets that waited at most so long, or longer (logarithmic)."""
    groups: list[Role] = [role for role in cut.roles if role in {"family", "facet"}]
    if cut.periods:
        raise ChartError("delays are recorded of whole runs: users cannot be told apart")
    observed = cut.observed([])
    different = distinct(observed, groups)
    columns = ("point", pl.col("label").cast(pl.String), pl.col("upto_ms").alias("delay_ms"), "count")
    counts = (
        cut.select(cut.sweep.delay_histograms(), *columns)
        .join(different, on=["point", "label"], how="semi")
        .group_by(*groups, "delay_ms")
        .agg(pl.col("count").sum())
        .sort(*groups, "delay_ms")
    )
    curves = distributions(counts, groups, min(300, max(30, MOST_ROWS // cut.lines)))
    if curves.is_empty():
        raise ChartError("no packet left the bottleneck: there are no delays to draw")
    # Beside a panel there is no room for more than a word.
    panels = "facet" in cut.roles
    if kind == "cdf":
        column, name, title = "at_most", "delay-distribution", "Distribution of the queueing delay"
        said = "Share of the packets that waited at most so long at the bottleneck"
        end = "Dropped packets do not count."
        y = alt.Y(
            "at_most:Q",
            title="Packets" if panels else "Packets that waited at most so long",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="~%", tickCount=5),
        )
    else:
        column, name, title = "longer", "delay-tail", "Tail of the queueing delay"
        said = "Share of the packets that waited longer at the bottleneck"
        end = "Each curve ends where fewer than ten packets are left."
        ticks = decades(curves["longer"])
        y = alt.Y(
            "longer:Q",
            title="Packets" if panels else "Packets that waited longer",
            scale=alt.Scale(type="log", domain=[ticks[-1], 1], nice=False, clamp=True),
            axis=alt.Axis(format="~%", values=ticks),
        )
    rows = curves.select(*groups, "delay_ms", column).drop_nulls()
    return Figure(
        name,
        title,
        caption(
            f"{said}, over the whole run and all replications.",
            end,
            "A run that serves several points counts once." if len(different) < len(observed) else "",
            "Each panel has a delay axis of its own." if panels else "",
            cut.said("Packets pooled over"),
        ),
        faceted(cut, _layers(cut, y, column), own_axes=("x",)),
        rows,
    )


def _layers(cut: Cut, y: alt.Y, column: str) -> list[alt.Chart]:
    family = Family.of(cut)
    x = alt.X(
        "delay_ms:Q",
        title="Queueing delay (ms)",
        scale=alt.Scale(nice=False),
        axis=alt.Axis(grid=False, tickCount=5 if "facet" in cut.roles else 10),
    )
    curve = (
        alt.Chart(ROWS)
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(
            x=x,
            y=y,
            tooltip=[
                *tooltips(cut, ("delay_ms:Q", "delay (ms)", 2)),
                alt.Tooltip(f"{column}:Q", title="share", format=".3~%"),
            ],
            **family.encodings("color", "strokeDash", dashed=True),
        )
    )
    return [family.choosable(curve)]


def distributions(counts: pl.DataFrame, keys: Sequence[str], points: int = 300) -> pl.DataFrame:
    """Distributions from the columns `delay_ms` and `count`, one per value of the key columns.

    Columns: the keys, delay_ms, at_most (share of packets that waited at most so long), longer (the
    rest; null where fewer than ten packets are left, too few to draw a tail from). Points that a
    picture of `points` by `points` could not tell apart are left out.
    """
    curves = [
        _distribution(part.sort("delay_ms"), keys, points)
        for part in (counts.partition_by(keys, maintain_order=True) if keys else [counts])
        if part["count"].sum() > 0
    ]
    if not curves:
        return pl.DataFrame(schema={**dict.fromkeys(keys, pl.String), **_CURVE})
    return pl.concat(curves)


def _distribution(counts: pl.DataFrame, keys: Sequence[str], points: int) -> pl.DataFrame:
    total = counts["count"].sum()
    left = total - pl.col("count").cum_sum()
    tail = left / total
    # Same column and same rows, in both pictures: the same pixel.
    pixel = [
        (pl.col("delay_ms") / pl.col("delay_ms").max() * points).floor(),
        (tail * points).floor(),
        (tail.clip(1e-9).log10() * points / 6).floor(),
    ]
    curve = counts.select(
        *keys,
        "delay_ms",
        at_most=1.0 - tail,
        longer=pl.when(left >= 10).then(tail),
        _pixel=pl.struct(*(expression.alias(str(i)) for i, expression in enumerate(pixel))),
    )
    kept = curve.unique("_pixel", keep="last", maintain_order=True).drop("_pixel")
    start = counts.head(1).select(*keys, delay_ms=pl.lit(0.0), at_most=pl.lit(0.0), longer=pl.lit(1.0))
    return pl.concat([start, kept])


def decades(shares: pl.Series) -> list[float]:
    """1, 0.1, ... down to the first that is below every share, or to one in a million."""
    lowest = shares.drop_nulls().min()
    depth = math.ceil(-math.log10(lowest)) if isinstance(lowest, float) and lowest > 0.0 else 1
    return [10.0**-power for power in range(min(max(1, depth), 6) + 1)]
