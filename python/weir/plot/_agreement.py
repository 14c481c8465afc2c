"""Theory beside packets: predictions against measurements, margins against swings, regions, rates and
prices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import numpy as np
import polars as pl

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._curves import draw
from weir.plot._figure import ROWS, Figure
from weir.plot._plot import Curve, Facet, Plot
from weir.theory import RedMap, Region

Agreement = Literal["agrees", "outside", "undecided", "theory not valid here"]
_LOOKS: dict[str, tuple[str, str]] = {
    "agrees": ("#0072B2", "circle"), "undecided": ("#E69F00", "square"), "outside": ("#D55E00", "diamond"),
    "theory not valid here": ("#666666", "circle"),
}  # fmt: skip


def agreement(rows: pl.DataFrame, title: str, unit: str, tolerance: float, *, name: str) -> Figure:
    """Ratio of measured to predicted values, with the line of equality and the band of the tolerance.

    `rows`: predicted, measured, low and high (of the interval; may be null), verdict, label. Where theory is
    not valid the symbol is hollow.
    """
    known = rows.filter(pl.col("measured").is_not_null(), pl.col("predicted") > 0.0)
    low, high = chart.extent(known["predicted"], known["measured"])
    log = high > 8.0 * low > 0.0
    ends = (
        (low / 1.25, high * 1.25)
        if log
        else (max(0.0, low - 0.1 * (high - low)), high + 0.1 * (high - low) + 1e-9)
    )
    across = chart.span("x", f"Predicted ({unit})", *ends, log=log)
    up = chart.span("y", f"Measured ({unit})", *ends, log=log)
    band = [
        {"x": x, "low": x * (1.0 - tolerance), "y": x, "high": x * (1.0 + tolerance)}
        for x in np.geomspace(max(ends[0], ends[1] / 1e4), ends[1], 60).tolist()
    ]
    lines: Any = alt.Chart(alt.Data(values=band))
    order = list(_LOOKS)
    legend = alt.Legend(columns=4)
    scale = alt.Scale(domain=order, range=[_LOOKS[one][0] for one in order])
    shapes = alt.Scale(domain=order, range=[_LOOKS[one][1] for one in order])
    look = {
        "color": alt.Color("verdict:N", legend=legend, scale=scale),
        "shape": alt.Shape("verdict:N", legend=legend, scale=shapes),
    }
    pen = chart.Pen(across, up, look)
    tips = chart.tooltips(
        ("label:N", "case", None), ("predicted:Q", "predicted", ".4~g"), ("measured:Q", "measured", ".4~g")
    )
    mark: dict[str, Any] = {"x": "predicted", "y": "measured", "size": 50, "opacity": 1}
    layers = [
        lines.mark_area(fillOpacity=0.12, color=style.GREY, clip=True).encode(
            x="x:Q", y="low:Q", y2="high:Q"
        ),
        lines.mark_line(color=style.GREY, strokeWidth=1, clip=True).encode(x="x:Q", y="y:Q"),
        pen("rule", "color", x="predicted", y="low", y2="high", strokeWidth=1, clip=True),
    ]
    for is_not, filled in (("!==", True), ("===", False)):
        some = pen.where(f"datum.verdict {is_not} 'theory not valid here'")
        layers.append(some("point", "color", "shape", filled=filled, **mark).encode(tooltip=tips))
    counts = {one: int((known["verdict"] == one).sum()) for one in order}
    said = ", ".join(f"{count} {one}" for one, count in counts.items() if count)
    caption = (
        f"Line: equal; band: ±{tolerance:.0%}. Bars: 95% confidence intervals of packets over "
        f"replications. {said}. Hollow: "
        "a flag said beforehand that theory does not hold there."
    )
    return Figure(name, title, caption, chart.panel(layers, style.WIDTH, style.WIDTH * 0.8), known)


def margin_and_swing(curves: Sequence[Curve], title: str, *, name: str) -> Figure:
    """Coefficient of variation of the queue over the gain margin; theory as a dotted line."""
    facet = Facet("", "Standard deviation of the queue over its mean", curves)
    caption = (
        "Left of a gain margin of 1 loops are unstable. Theory: the noise of cuts in the linear loop, where "
        "that is stable."
    )
    return draw(Plot(name, title, caption, "Gain margin (factor)", [facet], log_x=True))


def balance_bars(rows: pl.DataFrame, title: str, *, name: str) -> Figure:
    """Rates of paths and signals of links: predicted beside measured. `rows`: kind (rate, price), part,
    source (theory, packets), value, low, high."""
    panels: list[alt.LayerChart] = []
    titles = {"rate": "Rate of a flow (packets/s)", "price": "Share of packets with a signal"}
    order = ["theory", "packets"]
    colour = alt.Color(
        "source:N", scale=alt.Scale(domain=order, range=["#56B4E9", "#000000"]), legend=alt.Legend(title=None)
    )
    for kind, heading in titles.items():
        mine = rows.filter(pl.col("kind") == kind)
        if mine.is_empty():
            continue
        count = mine["part"].n_unique()
        base: Any = alt.Chart(ROWS).transform_filter(f"datum.kind === '{kind}'")
        x = alt.X(
            "part:N",
            title=None,
            sort=mine["part"].unique(maintain_order=True).to_list(),
            axis=alt.Axis(labelAngle=0),
        )
        side = {"x": x, "xOffset": alt.XOffset("source:N", sort=order)}
        y = alt.Y("value:Q", title=heading, scale=alt.Scale(domainMin=0))
        layers = [
            base.mark_bar().encode(y=y, color=colour, **side),
            base.mark_rule(color=style.STRONG, strokeWidth=1.6).encode(y="low:Q", y2="high:Q", **side),
        ]
        panels.append(chart.panel(layers, max(120, min(style.WIDTH, 60 * count)), 200))
    caption = "Theory by duality beside packets; red bars are 95% confidence intervals over replications."
    return Figure(name, title, caption, chart.beside(panels, 2, color="shared"), rows)


def region_map(found: Region, measured: pl.DataFrame | None = None) -> Figure:
    """Sigma of the rightmost root as colour, contours of the gain margin, and simulated points by their
    coefficient of variation. `measured`: x, y, cv."""
    cells = found.cells
    steps = [np.sqrt(axis.values[1] / axis.values[0]) for axis in (found.x, found.y)]
    rows = cells.with_columns(
        *(
            expression
            for column, step in zip(("x", "y"), steps, strict=True)
            for expression in (
                (pl.col(column) / step).alias(f"{column}_from"), (pl.col(column) * step).alias(f"{column}_to")
            )
        ),
        pl.lit("cell").alias("kind"),
        # Roots far to the left differ in nothing that can be seen.
        (pl.col("sigma").clip(-2.0, 2.0)).alias("shown"),
    )  # fmt: skip
    contours = pl.DataFrame(
        _contours(found), schema={"x": pl.Float64, "y": pl.Float64, "level": pl.String, "place": pl.Int64}
    )
    frames = [rows, contours.with_columns(pl.lit("contour").alias("kind"))]
    if measured is not None:
        frames.append(measured.with_columns(pl.lit("run").alias("kind")))
    whole = pl.concat(frames, how="diagonal")
    ends = [
        (axis.values[0] / step, axis.values[-1] * step)
        for axis, step in zip((found.x, found.y), steps, strict=True)
    ]
    across = chart.span("x", found.x.title, *ends[0], log=True)
    up = chart.span("y", found.y.title, *ends[1], log=True)
    scale = alt.Scale(domain=[-2.0, 0.0, 2.0], range=["#0072B2", "#ffffff", "#D55E00"], interpolate="rgb")
    colour = alt.Color(
        "shown:Q", scale=scale, legend=alt.Legend(title="σ of the rightmost root (1/s)", gradientLength=180)
    )
    pen = chart.Pen(across, up, {"color": colour})
    levels = alt.Scale(domain=["1", "2", "4"], range=[[1, 0], [6, 3], [2, 2]])
    lines: Any = pen.where("datum.kind === 'contour'")("line", color=style.INK, strokeWidth=1.2, clip=True)
    cell: Any = pen.where("datum.kind === 'cell' && isValid(datum.shown)")(
        "rect", "color", x="x_from", x2="x_to", y="y_from", y2="y_to"
    )
    bare: Any = pen.where("datum.kind === 'cell' && !isValid(datum.shown)")(
        "rect", x="x_from", x2="x_to", y="y_from", y2="y_to", color=style.UNDRAWN
    )
    dashes = alt.StrokeDash("level:N", scale=levels, legend=alt.Legend(title="Gain margin"))
    layers = [bare, cell, lines.encode(strokeDash=dashes, order="place:Q", detail="level:N")]
    if measured is not None:
        marks: Any = pen.where("datum.kind === 'run'")(
            "point", filled=True, size=80, stroke=style.INK, opacity=1
        )
        fill = alt.Fill(
            "cv:Q",
            scale=alt.Scale(scheme="greys", domain=[0, 1]),
            legend=alt.Legend(title="Measured sd/mean"),
        )
        layers.append(marks.encode(fill=fill))
    caption = chart.caption(
        f"Stable where blue: {found.stable:.0%} of the cells with an operating point. Grey: no "
        "operating point, or no model.",
        "The operating point is found anew in every cell.",
        "Points: packets." if measured is not None else "",
    )
    return Figure(
        chart.file_name("region", found.system.name, found.x.name, found.y.name),
        f"Stability: {found.system.aqm.name}, {found.system.name}",
        caption,
        chart.panel(layers, style.WIDTH, style.WIDTH * 0.8),
        whole,
    )


def _contours(found: Region) -> list[dict[str, Any]]:
    """Contours of the gain margin at 1, 2 and 4: in each column of cells, the first height at which it passes
    the value."""
    points: list[dict[str, Any]] = []
    grid = (
        found.cells.sort("y", "x")["gain_margin"]
        .fill_null(math.nan)
        .to_numpy()
        .reshape(len(found.y.values), -1)
    )
    heights = np.log(found.y.values)
    for level in (1.0, 2.0, 4.0):
        for column, x in enumerate(found.x.values):
            values = np.log(np.clip(grid[:, column], 1e-9, 1e9)) - math.log(level)
            for k in np.flatnonzero(
                np.diff(np.signbit(values)) & np.isfinite(values[:-1]) & np.isfinite(values[1:])
            )[:1]:
                share = values[k] / (values[k] - values[k + 1])
                y = math.exp(heights[k] + share * (heights[k + 1] - heights[k]))
                points.append({"x": x, "y": y, "level": f"{level:g}", "place": column})
    return points


def bifurcation(
    found: RedMap, weights: np.ndarray[Any, np.dtype[np.float64]], measured: Sequence[Curve] = ()
) -> Figure:
    """Averages that the map visits over the weight, and those of packets beside it."""
    visited = found.diagram(weights)
    count = len(visited)
    rows = [
        {"panel": "map", "x": float(w), "y": float(value), "low": None, "high": None}
        for k, w in enumerate(weights)
        for value in np.unique(np.round(visited[:, k], 1))
    ]
    rows += [
        {"panel": "packets", "x": x, "y": y, "low": low, "high": high}
        for curve in measured
        for x, y, low, high in zip(curve.x, curve.y, curve.low or curve.y, curve.high or curve.y, strict=True)
    ]
    schema = {"panel": pl.String, **dict.fromkeys(("x", "y", "low", "high"), pl.Float64)}
    data = pl.DataFrame(rows, schema=schema)
    side = chart.side("y", "Average queue (packets)", scale={"zero": False})
    span = chart.span(
        "x", "Weight of the map, once a round trip", float(weights[0]), float(weights[-1]), log=False
    )
    dots = chart.Pen(span, side).where("datum.panel === 'map'")
    critical: Any = alt.Chart(alt.Data(values=[{"x": found.critical}]))
    of_map = [
        critical.mark_rule(color=style.GREY, strokeDash=[3, 3]).encode(x="x:Q"),
        dots("point", filled=True, size=1.5, opacity=0.6, color=style.INK),
    ]
    panels = [chart.panel(of_map, style.WIDTH, 220, "The map")]
    if measured:
        pen = chart.Pen(span, side).where("datum.panel === 'packets'")
        layers = [
            pen("rule", y="low", y2="high", strokeWidth=3, color="#7fb3d5"),
            pen("point", filled=True, size=34, opacity=1, color=style.INK),
        ]
        panels.append(
            chart.panel(layers, style.WIDTH, 220, "Packets: mean, and the 5 to 95% of the average over time")
        )
    caption = (
        f"{count} averages after 2,000 round trips, for each weight. Dashed: where the fixed point of "
        f"{found.fixed:.4g} packets doubles its period, a weight of {found.critical:.4g}."
    )
    return Figure("red-bifurcation", "RED as a map: period doubling", caption, chart.beside(panels, 1), data)
