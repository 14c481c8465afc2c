"""Maps: the mean of a measure, or a verdict, as the colour of a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir._errors import require
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._averages import distinct, interval
from weir.plot._columns import check_columns
from weir.plot._cut import Cut, Role, Where, kind, measure_of
from weir.plot._figure import Figure
from weir.stats import Measure
from weir.sweep import ChartError, Dimension, Sweep, dimension_names, level_text

LABELLED = 60
"""Number of cells above which they have no room for their value."""

BINS = 15
"""Number of bins of an axis that is sampled continuously."""

FEW = 12
"""Number of cells side by side up to which they stand apart."""

LOGARITHMIC = 100.0
"""Ratio of the largest mean to the smallest from which steps of colour are factors."""


@kind
def heat(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """Map of a measure over two dimensions, as colour. An axis without levels is cut into bins.

    Raises ChartError for fewer than two dimensions, and for one that the result does not have.

    Example:
        >>> axes = ["links.bottleneck.rate=2,4 Mbit/s", "links.bottleneck.buffer=20,80 packets"]
        >>> drawn = weir.plot.heat(scenario.sweep(axes, variants="drop-tail"), "mean delay")
        >>> drawn.rows.select("x", "y", drawn.rows["mean"].round()).rows()
        [('2', '20', 42.0), ('2', '80', 184.0), ('4', '20', 17.0), ('4', '80', 72.0)]
    """
    of, cut = measure_of(measure), Cut.of(sweep, where)
    sides: list[tuple[Role, str | None]] = [("x", x), ("y", y)]
    # A side that is named is not free for the other.
    for role, name in sorted(sides, key=lambda side: side[1] is None):
        cut = cut.place(role, name, [*cut.axes, *cut.spans])
    across, up = cut.roles.get("x"), cut.roles.get("y")
    if across is None or up is None:
        raise ChartError(
            f"a map needs two axes; there are: {dimension_names(sweep.dimensions)}",
            "sweep a second axis, or draw lines",
        )
    cut = cut.place("facet", facet, [*cut.variants, *cut.faceting]).light("x", "y")
    observed, keys = cut.observed([of.name]), list[str]()
    for role, dimension in cut.roles.items():
        keys += [role] if dimension.values else [role, f"{role}_to"]
        if not dimension.values:
            observed = _binned(observed, dimension, role)
        elif role in {"x", "y"}:
            observed = observed.with_columns(
                pl.col(role).replace_strict(cut.levels(role), _names(cut, role), return_dtype=pl.String)
            )
    binned = [d.title for d in (across, up) if not d.values]
    rows = (
        _over_points(observed, keys, of)
        if binned
        else interval(observed, keys, of.name, sweep.quantile, cut.parts)
    )
    rows = rows.select(*keys, "mean", "low", "high", "n").sort(keys)
    low, high = chart.extent(rows["mean"])
    log = 0.0 < LOGARITHMIC * low < high
    sizes = [max(1, len(cut.levels(role))) if cut.roles[role].values else BINS for role in ("x", "y")]
    return Figure(
        chart.file_name(of.name, "over", across.title, up.title),
        f"{of.title} over {across.title} and {up.title}",
        chart.caption(
            of.definition,
            f"A cell is the mean of its points, in at most {BINS} steps of {' and of '.join(binned)}; "
            "those that are the same runs count once."
            if binned
            else chart.intervals(rows, "In a browser, tooltips have the"),
            "The scale of colours is logarithmic." if log else "",
            "Grey: not defined." if rows["mean"].null_count() else "",
            "White: no runs." if len(rows) < rows["x"].n_unique() * rows["y"].n_unique() * cut.panels else "",
            cut.said(),
        ),
        # Cells neither flat nor tall.
        chart.faceted(
            cut, _layers(cut, of, rows, sizes, log=log), min(0.8, max(0.35, 0.62 * sizes[1] / sizes[0]))
        ),
        rows,
    )


def _layers(
    cut: Cut, measure: Measure, rows: pl.DataFrame, sizes: list[int], *, log: bool
) -> list[alt.Chart]:
    low, high = chart.extent(rows["mean"])
    sides: tuple[Role, Role] = ("x", "y")
    ends: list[Role] = [role for role in sides if not cut.roles[role].values]
    headed = {role: cut.roles[role].heading for role in sides}
    tips = chart.tooltips(
        *((f"{role}:{'Q' if role in ends else 'N'}", title, None) for role, title in headed.items()),
        *((f"{end}_to:Q", f"{cut.roles[end].title} to", ".4~r") for end in ends),
        ("mean:Q", measure.heading, measure.decimals),
        ("half_width:Q", "±", measure.decimals),
        ("n:Q", "points" if ends else "replications", None),
        cut=cut,
    )
    pen = chart.Pen(_side(cut, "x", rows), _side(cut, "y", rows)).encode(tooltip=tips)
    pen = chart.Pen(
        pen.x, pen.y, base=pen.base.transform_calculate(half_width="(datum.high - datum.low) / 2")
    )
    defined, undefined = pen.where("isValid(datum.mean)"), pen.where("!isValid(datum.mean)")
    cell: dict[str, Any] = {f"{role}2": f"{role}_to" for role in ends}
    # Between many cells, their edges would be all that is seen.
    cell |= {"stroke": "white", "strokeWidth": 0.5} if max(sizes) <= FEW else {}
    ticks: dict[str, Any] = {"values": chart.log_ticks(low, high)} if log else {"tickCount": 4}
    legend = alt.Legend(
        title=measure.heading, gradientLength=200, gradientThickness=10, format=chart.NUMBERS, **ticks
    )
    steps: dict[str, Any] = {"type": "log"} if log else {}
    scale = alt.Scale(
        scheme=style.GRADIENT, domain=[low, high if high > low else low + 1.0], nice=False, **steps
    )
    layers = [defined("rect", **cell).encode(color=alt.Color("mean:Q", legend=legend, scale=scale))]
    if rows["mean"].null_count():
        layers.append(undefined("rect", color=style.UNDRAWN, **cell))
    room = chart.panel_size(cut.panels)[0] / sizes[0]
    if not ends and sizes[0] * sizes[1] <= LABELLED and room >= 5.5 * (measure.decimals + 3):
        # White on the dark half of the colours, black on the bright one.
        middle = low * (high / low) ** 0.6 if log else low + 0.6 * (high - low)
        # On a narrow screen, numbers would run into one another.
        text = defined("text", fontSize=10, opacity=alt.ExprRef("bandwidth('x') < 26 ? 0 : 1"))
        layers.append(
            text.encode(
                text=alt.Text("mean:Q", format=f".{measure.decimals}f"),
                color=alt.condition(f"datum.mean < {middle!r}", alt.value("white"), alt.value(style.ON_CELL)),
            )
        )
    return layers


def _side(cut: Cut, role: Role, rows: pl.DataFrame) -> chart.Side:
    """Axis of the cells: of bins by number, of levels by name."""
    assert role in {"x", "y"}
    channel = "x" if role == "x" else "y"
    dimension = cut.roles[role]
    if not dimension.values:
        low, high = chart.extent(rows[role], rows[f"{role}_to"])
        log = dimension.log and low > 0.0
        axis: dict[str, Any] = {"grid": False, "format": chart.NUMBERS, "tickCount": 5}
        return chart.span(channel, dimension.heading, low, high, log=log, **axis)
    levels = _names(cut, role)
    width = chart.panel_size(cut.panels)[0] / max(1, len(levels))
    turned = role == "x" and not dimension.numeric and max(map(len, levels), default=0) * 6.5 > width
    axis = {"grid": False, "ticks": False, "domain": False, "labelLimit": 140, "labelPadding": 4}
    axis["labelAngle"] = -40 if turned else 0
    order = levels if role == "x" else levels[::-1]
    return chart.side(channel, dimension.heading, "N", axis=axis, sort=order)


def _names(cut: Cut, role: Role) -> list[str]:
    return [level_text(level) for level in cut.levels(role)]


def _binned(observed: pl.DataFrame, dimension: Dimension, role: Role) -> pl.DataFrame:
    """The column `role` as the lower edge of its bin, and `role`_to as the upper."""
    values: NDArray[np.float64] = observed[role].to_numpy()
    distinct = np.unique(values)
    log = dimension.log and bool(np.all(distinct > 0.0))
    places = np.log(distinct) if log else distinct
    if len(places) <= BINS:
        # Some designs sample on a lattice: a cell for each, up to halfway to the next.
        margin = 0.5 if len(places) == 1 else 0.0
        middles = (places[1:] + places[:-1]) / 2
        edges = np.concatenate([places[:1] - margin, middles, places[-1:] + margin])
    else:
        edges = np.linspace(float(places[0]), float(places[-1]), BINS + 1)
    if log:
        edges = np.exp(edges)
    index = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
    return observed.with_columns(pl.Series(role, edges[index]), pl.Series(f"{role}_to", edges[index + 1]))


def _over_points(observed: pl.DataFrame, keys: list[str], measure: Measure) -> pl.DataFrame:
    """The mean over the points of a cell, each the mean of its replications; n counts points.

    Points that are the same runs count once.
    """
    value = pl.col(measure.name)
    points = distinct(observed, keys).group_by(*keys, "point", maintain_order=True).agg(value.mean())
    cells = points.group_by(keys, maintain_order=True).agg(
        value.mean().alias("mean"), value.count().cast(pl.Int64).alias("n")
    )
    nothing = pl.lit(None, dtype=pl.Float64)
    return cells.with_columns(nothing.alias("low"), nothing.alias("high"))


COLOURS = (style.MET, style.OPEN, style.MISSED)
"""Colours of the three verdicts, best first: light enough for a sign and a number to be read on them."""
_WITH_TIES = (style.MET, style.TIE, style.OPEN, style.MISSED)


def verdict_map(
    rows: pl.DataFrame,
    verdicts: Sequence[str],
    axes: Sequence[str],
    panels: Mapping[str, str | Sequence[str]],
    shown: Mapping[str, str],
    size: tuple[int, int],
    letters: int = 12,
) -> chart.Chart:
    """Map with a cell for each row, coloured and signed by its verdict, in a panel for each value of `panel`.

    Args:
        rows: panel, x and y (numbers), verdict, sign, and framed; inside (cells outside are pale) and text
            (a number in the cell), where there are any.
        verdicts: the words for met, open and missed; of four words the second is for a tie.
        axes: titles of one or two axes.
        panels: value of `panel` to its title, in `letters` of this size.
        shown: column to its name in a tooltip.
        size: width of a panel, and height of a cell.

    Raises ChartError for rows without these columns, without an axis or a panel, and for a verdict that is
    none of the words.

    Example:
        >>> import polars as pl
        >>> from weir.plot import verdict_map
        >>> rows = {"x": [5, 20], "y": [10, 10], "verdict": ["met", "missed"], "sign": ["+", "-"]}
        >>> cells = pl.DataFrame({"panel": "", "framed": False, **rows})
        >>> words, axes = ["met", "open", "missed"], ["Rate (Mbit/s)", "Flows"]
        >>> verdict_map(cells, words, axes, {"": "All"}, {"verdict": "verdict"}, (200, 40)).title.text
        'All'
    """
    check_columns(rows, ("panel", "x", "y", "verdict", "sign", "framed"))
    require(bool(axes), "the map has no axis", "give the titles of one or two", ChartError)
    require(bool(panels), "the map has no panel", "give the title of each value of `panel`", ChartError)
    odd = next((word for word in rows["verdict"] if word not in verdicts), None)
    words = ", ".join(verdicts)
    require(odd is None, f"{odd!r} is none of the verdicts", f"there are: {words}", ChartError)
    colours = _WITH_TIES if len(verdicts) > len(COLOURS) else COLOURS
    scale = alt.Scale(domain=list(verdicts), range=list(colours))
    legend = alt.Legend(symbolType="square", symbolStrokeWidth=0)
    tips = chart.tooltips(*((f"{name}:N", title, None) for name, title in shown.items()))
    plain = {"labelAngle": 0, "grid": False, "ticks": False, "domain": False, "format": "~r"}
    drawn: list[alt.LayerChart] = []
    for name, title in panels.items():
        here = rows.filter(pl.col("panel") == name)
        up = axes[1] if len(axes) > 1 else None
        options = plain if up else {**plain, "labels": False}
        pen = chart.Pen(
            chart.side("x", axes[0], "O", axis=plain, sort="ascending"),
            chart.side("y", up, "O", axis=options, sort="descending"),
        ).where(f"datum.panel === {name!r}")
        ink, faint = alt.value(style.ON_CELL), alt.value(style.GREY)
        cells = pen("rect", stroke="white", strokeWidth=1).encode(
            color=alt.Color("verdict:N", scale=scale, legend=legend), tooltip=tips
        )
        numbered = "text" in here.columns
        layers = [
            cells,
            pen("text", fontSize=12, dy=-6 if numbered else 0, color=style.ON_CELL).encode(text="sign:N"),
        ]
        if numbered:
            layers.append(pen("text", fontSize=9, dy=8, color=style.ON_CELL).encode(text="text:N"))
        if "inside" in here.columns:
            pale = alt.condition("datum.inside", alt.value(1.0), alt.value(0.35))
            colour = alt.condition("datum.inside", ink, faint)
            layers = [cells.encode(fillOpacity=pale), *(layer.encode(color=colour) for layer in layers[1:])]
        layers.append(pen.where("datum.framed")("rect", filled=False, stroke=style.INK, strokeWidth=2.4))
        drawn.append(chart.panel(layers, size[0], size[1] * max(1, here["y"].n_unique()), title, letters))
    return chart.beside(drawn, min(2, len(drawn)), 20)
