"""How much each axis matters: elementary effects after Morris, or Sobol indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.errors import WeirError
from weir.plot import style
from weir.plot._cut import measure_of
from weir.plot._figure import ROWS, Figure
from weir.plot._parts import Chart, caption, file_name
from weir.stats.measures import Measure
from weir.sweep.dimension import ChartError
from weir.sweep.view import Sweep

_SCATTER = 220
"""Height of the scatter plot."""

_ROW = 24
"""Height of an axis, in units of the picture."""

LETTER, LINE = 5.6, 12.0
"""Width of a letter and height of a line, in units of the picture, at 10 px."""

_Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

# Shift and alignment of the name: right of its dot if there is room, else left, above, below.
_PLACES = (
    (7.0, 0.0, "left"), (-7.0, 0.0, "right"), (0.0, -11.0, "center"), (0.0, 11.0, "center"),
    (7.0, -10.0, "left"), (-7.0, -10.0, "right"), (7.0, 10.0, "left"), (-7.0, 10.0, "right"),
)  # fmt: skip


def sensitivity(sweep: Sweep, name: str) -> Figure:
    """The indices of every axis for the measure `name`, the largest first."""
    measure = measure_of(name)
    try:
        indices = sweep.sensitivity(measure.name)
    except WeirError as error:
        raise ChartError(error.message, error.hint, error.path) from error
    except ValueError as error:
        raise ChartError(str(error)) from error
    if indices is None:
        raise ChartError(
            f"a design {sweep.design!r} shows no sensitivity",
            "sweep with --method morris, or --method saltelli for shares of the variance",
        )
    titles = {d.column: d.title for d in sweep.dimensions}
    named = indices.with_columns(pl.col("axis").replace(titles))
    return _morris(named, measure) if sweep.design == "morris" else _sobol(named, measure)


def _morris(indices: pl.DataFrame, measure: Measure) -> Figure:
    half = pl.col("mu_star_half_width")
    rows = indices.sort("mu_star", descending=True, nulls_last=True).with_columns(
        low=(pl.col("mu_star") - half).clip(lower_bound=0.0), high=pl.col("mu_star") + half
    )
    rows = placed(rows, "mu_star", "sigma", "axis", style.WIDTH, _SCATTER)
    order = rows["axis"].to_list()
    unit = f" ({measure.unit})" if measure.unit else ""
    shown = {"mu_star": "μ*", "low": "low", "high": "high", "mu": "μ", "sigma": "σ"}
    bars = _bars(order, "mu_star", f"Mean size of effect μ*{unit}", _tooltip(shown, measure.decimals))
    sizes, spreads = (
        alt.Scale(domain=[0, end_of(rows[column])], nice=False) for column in ("mu_star", "sigma")
    )
    ticks = alt.Axis(tickCount=5)
    across = alt.X("mu_star:Q", title=f"μ*{unit}", axis=ticks, scale=sizes)
    up = alt.Y("sigma:Q", title=f"Spread of effect σ{unit}", axis=ticks, scale=spreads)
    base = alt.Chart(ROWS).encode(x=across, y=up, tooltip=_tooltip(shown, measure.decimals))
    dots = base.mark_point(filled=True, size=45, color=style.INK, opacity=1)
    shift: dict[str, Any] = {name: alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align")}
    names = base.mark_text(fontSize=10, baseline="middle", **shift).encode(text="axis:N")
    scatter: Any = alt.layer(dots, names).properties(width=style.WIDTH, height=_SCATTER)
    return Figure(
        file_name(measure.name, "sensitivity"),
        f"What {measure.title.lower()} depends on",
        caption(
            measure.definition,
            "Elementary effects after Morris: the change of the measure when an axis moves through its "
            "whole range. μ* is the mean of their sizes, with its 95% confidence interval; a large σ "
            "says that the effect depends on the other axes or is not linear.",
        ),
        _stacked([bars, scatter]),
        rows,
    )


def _sobol(indices: pl.DataFrame, measure: Measure) -> Figure:
    order = indices.sort("total", descending=True, nulls_last=True)["axis"].to_list()
    kinds = {"total": "total, with others", "first": "alone"}
    rows = pl.concat(
        [
            indices.select(
                "axis",
                pl.lit(kind).alias("order"),
                pl.col(column).alias("share"),
                (pl.col(column) - pl.col(f"{column}_half_width")).alias("low"),
                (pl.col(column) + pl.col(f"{column}_half_width")).alias("high"),
            )
            for column, kind in kinds.items()
        ]
    )
    colours = alt.Scale(domain=list(kinds.values()), range=[style.SOFT, style.SOFTER])
    shown = {"share": "share", "low": "low", "high": "high"}
    chart = _bars(
        order,
        "share",
        f"Share of the variance of {measure.title.lower()}",
        [*_tooltip(shown, 3), alt.Tooltip("order:N")],
        {
            "yOffset": alt.YOffset("order:N", sort=list(kinds.values())),
            "color": alt.Color("order:N", scale=colours),
        },
        alt.Axis(format="~%"),
        2,
    )
    return Figure(
        file_name(measure.name, "sensitivity"),
        f"What {measure.title.lower()} depends on",
        caption(
            measure.definition,
            "Sobol indices: the share of the variance over all points that an axis explains alone, and "
            "with everything it has a part in. Bars end in 95% confidence intervals.",
        ),
        chart,
        rows,
    )


def _bars(
    order: Sequence[str],
    field: str,
    title: str,
    tooltip: Sequence[alt.Tooltip],
    more: Mapping[str, Any] | None = None,
    axis: alt.Axis | None = None,
    bars: int = 1,
) -> Any:  # noqa: ANN401 - what Altair's layers are is not in its types
    encodings: dict[str, Any] = dict(more or {})
    bands = alt.Scale(paddingInner=0.3, paddingOuter=0.15)
    y = alt.Y("axis:N", sort=list(order), title=None, scale=bands, axis=alt.Axis(labelLimit=200, ticks=False))
    axis = axis or alt.Axis()
    base = alt.Chart(ROWS).encode(y=y)
    filled: dict[str, Any] = {} if more else {"color": style.SOFT}
    bar = base.mark_bar(**filled).encode(
        x=alt.X(f"{field}:Q", title=title, axis=axis), tooltip=list(tooltip), **encodings
    )
    encodings.pop("color", None)
    ends = base.mark_rule(strokeWidth=1.4, color=style.INK).encode(
        x=alt.X("low:Q", title=title, axis=axis), x2="high:Q", **encodings
    )
    height = max(60, _ROW * len(order) * (1.3 if bars > 1 else 1))
    return alt.layer(bar, ends).properties(width=style.WIDTH, height=height)


def _stacked(charts: Sequence[Any]) -> Chart:
    together: Any = alt.concat(*charts, columns=1, spacing=30)
    return cast("alt.ConcatChart", together)


def _tooltip(fields: Mapping[str, str], decimals: int) -> list[alt.Tooltip]:
    numbers = (
        alt.Tooltip(f"{name}:Q", title=title, format=f".{decimals}f") for name, title in fields.items()
    )
    return [alt.Tooltip("axis:N"), *numbers]


def placed(rows: pl.DataFrame, x: str, y: str, name: str, width: float, height: float) -> pl.DataFrame:
    """The rows with `dx`, `dy` and `align` of their names in a picture of this size.

    Both sides of the picture begin at zero and end at `end_of` their values.
    """
    across, up = (_positions(rows[column], size) for column, size in ((x, width), (y, height)))
    dots = [(left, height - top) for left, top in zip(across, up, strict=True)]
    taken: list[_Box] = [(a - 4, b - 4, a + 4, b + 4) for a, b in dots]
    chosen: list[tuple[float, float, str]] = []
    for (left, top), text in zip(dots, rows[name].to_list(), strict=True):
        boxes = [_box(left + dx, top + dy, align, len(str(text)) * LETTER) for dx, dy, align in _PLACES]
        costs = [_outside(box, width, height) + _covered(box, taken) for box in boxes]
        best = min(range(len(boxes)), key=costs.__getitem__)
        taken.append(boxes[best])
        chosen.append(_PLACES[best])
    return rows.with_columns(
        pl.Series("dx", [dx for dx, _, _ in chosen], pl.Float64),
        pl.Series("dy", [dy for _, dy, _ in chosen], pl.Float64),
        pl.Series("align", [align for _, _, align in chosen], pl.String),
    )


def end_of(values: pl.Series) -> float:
    """Where a side that begins at zero ends."""
    largest = values.drop_nans().max()
    return largest * 1.08 if isinstance(largest, float) and largest > 0.0 else 1.0


def _positions(values: pl.Series, size: float) -> list[float]:
    return [value / end_of(values) * size for value in values.fill_null(0.0).fill_nan(0.0)]


def _box(left: float, top: float, align: str, width: float) -> _Box:
    start = left - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
    return (start, top - LINE / 2, start + width, top + LINE / 2)


def _covered(box: _Box, taken: Iterable[_Box]) -> float:
    """Area that the box shares with others."""
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )


def _outside(box: _Box, width: float, height: float) -> float:
    """Area beyond the picture, dear: what lies there is cut off."""
    inside: Sequence[_Box] = [(0.0, 0.0, width, height)]
    area = (box[2] - box[0]) * (box[3] - box[1])
    return 4.0 * (area - _covered(box, inside))
