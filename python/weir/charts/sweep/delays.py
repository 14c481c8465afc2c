"""How long packets waited: the distribution by family, and its tail."""

from __future__ import annotations

from typing import Literal

import altair as alt
import polars as pl

from weir.charts.curves import decades, distributions
from weir.charts.dimension import ChartError
from weir.charts.figure import ROWS, Figure
from weir.charts.sweep.cut import MOST_ROWS, Cut, Role
from weir.charts.sweep.means import distinct
from weir.charts.sweep.parts import Family, caption, faceted, tooltips

Kind = Literal["cdf", "tail"]


def delays(cut: Cut, kind: Kind) -> Figure:
    """Share of the packets that waited at most so long, or longer (logarithmic)."""
    groups: list[Role] = [role for role in cut.roles if role in {"family", "facet"}]
    if cut.periods:
        raise ChartError("delays are recorded of whole runs: users cannot be told apart")
    observed = cut.observed([])
    different = distinct(observed, groups)
    columns = ("point", pl.col("label").cast(pl.String), pl.col("upto_ms").alias("delay_ms"), "count")
    counts = (
        cut.select(cut.view.delays(), *columns)
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
