"""Shares: how a whole divides, and what part of each row has something, setting by setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import polars as pl

from weir._errors import require
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._columns import check_columns
from weir.sweep import ChartError

_CELL = (44, 17)
"""Width and height of a cell, in pixels."""


def parts_of_a_whole(rows: pl.DataFrame, colours: Mapping[str, str]) -> chart.Chart:
    """Bar that is divided into parts of a whole. `rows`: part (as in `colours`), count, and number (the text
    in it).

    Raises ChartError for rows without these columns, and for a part without a colour.

    Example:
        >>> import polars as pl
        >>> from weir.plot import parts_of_a_whole
        >>> rows = pl.DataFrame({"part": ["held", "open"], "count": [7, 3], "number": ["7", "3"]})
        >>> drawn = parts_of_a_whole(rows, {"held": "#0072b2", "open": "#999999"})
        >>> [layer["mark"]["type"] for layer in drawn.to_dict(validate=False)["layer"]]
        ['bar', 'text']
    """
    check_columns(rows, ("part", "count", "number"))
    order = list(colours)
    odd = next((part for part in rows["part"] if part not in colours), None)
    require(odd is None, f"the part {odd!r} has no colour", f"there are: {', '.join(order)}", ChartError)
    placed = rows.with_columns(
        (pl.col("count").cum_sum() - pl.col("count") / 2).alias("middle"),
        (pl.col("count").cum_sum() - pl.col("count")).alias("begin"),
        pl.col("count").cum_sum().alias("end"),
    )
    base = alt.Chart(alt.Data(values=placed.to_dicts()))
    scale = alt.Scale(domain=order, range=list(colours.values()))
    legend = alt.Legend(title=None, orient="bottom", symbolType="square", symbolStrokeWidth=0, columns=2)
    side = alt.Axis(grid=False, ticks=False, labels=False, domain=False)
    bar = base.mark_bar(stroke="white", strokeWidth=2).encode(
        x=alt.X("begin:Q", title=None, axis=side),
        x2="end:Q",
        color=alt.Color("part:N", scale=scale, legend=legend, sort=order),
        tooltip=[alt.Tooltip("part:N"), alt.Tooltip("number:N")],
    )
    inside = base.mark_text(fontSize=14, color=style.ON_CELL).encode(x="middle:Q", text="number:N")
    return chart.panel([bar, inside.transform_filter("datum.count > 0")], style.WIDTH, 34)


def share_map(rows: pl.DataFrame, labels: Sequence[str], panels: Sequence[str]) -> chart.Chart:
    """A table of shares as colours: a row for each label, a panel for each setting, a column for each level.

    `rows`: label, panel, level, place (of the level in its panel), share (%).

    Raises ChartError for rows without these columns, and without a panel or a label.

    Example:
        >>> import polars as pl
        >>> from weir.plot import share_map
        >>> rows = {"label": ["RED", "REM"], "share": [80.0, 95.0], "level": "5 Mbit/s", "place": 0}
        >>> rows = pl.DataFrame({"panel": "rate", **rows})
        >>> share_map(rows, ["RED", "REM"], ["rate"]).title.text
        'rate'
    """
    check_columns(rows, ("label", "panel", "level", "place", "share"))
    require(bool(panels), "the map has no panel", "name the settings that are panels", ChartError)
    require(bool(labels), "the map has no row", "name the labels that are rows", ChartError)
    drawn: list[alt.LayerChart] = []
    for number, panel in enumerate(panels):
        here = rows.filter(panel=panel)
        levels = here.unique("level").sort("place")["level"].to_list()
        axis = {"labelAngle": -40, "grid": False, "ticks": False, "domain": False, "orient": "bottom"}
        names = {"grid": False, "ticks": False, "domain": False, "labels": number == 0, "labelLimit": 200}
        pen = chart.Pen(
            chart.side("x", None, "N", axis=axis, sort=levels),
            chart.side("y", None, "N", axis=names, sort=list(labels)),
        ).where(f"datum.panel === {panel!r}")
        scale = alt.Scale(scheme="blues", domain=[0, 160])
        tips = chart.tooltips(
            ("label:N", "claim", None),
            ("panel:N", "setting", None),
            ("level:N", "is", None),
            ("share:Q", "fits (%)", 0),
        )
        cells = pen("rect", x="level", y="label", stroke="white", strokeWidth=1).encode(
            color=alt.Color("share:Q", scale=scale, legend=None), tooltip=tips
        )
        text = pen("text", x="level", y="label", fontSize=10, color=style.ON_CELL).encode(
            text=alt.Text("share:Q", format=".0f")
        )
        size = _CELL[0] * len(levels), _CELL[1] * len(labels)
        drawn.append(chart.panel([cells, text], *size, panel, 11))
    return chart.beside(drawn, len(drawn), 12)
