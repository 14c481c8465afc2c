"""Sensitivity to each axis: elementary effects after Morris, or Sobol indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir._errors import WeirError
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._cut import kind, measure_of
from weir.plot._figure import Figure
from weir.stats import Measure
from weir.sweep import ChartError, Sweep

_SCATTER = 220
"""Height of the scatter plot."""

_ROW = 24
"""Height of an axis, in units of the picture."""

LETTER, LINE = 5.6, 12.0
"""Width of a letter and height of a line, in units of the picture, at 10 px."""

# Shift and alignment of the name: right of its dot if there is room, else left, above, below.
_PLACES = (
    (7.0, 0.0, "left"), (-7.0, 0.0, "right"), (0.0, -11.0, "center"), (0.0, 11.0, "center"),
    (7.0, -10.0, "left"), (-7.0, -10.0, "right"), (7.0, 10.0, "left"), (-7.0, 10.0, "right"),
)  # fmt: skip

_MORRIS = (
    "Elementary effects after Morris: the change of the measure when an axis moves through its "
    "whole range. μ* is the mean of their sizes, with its 95% confidence interval; a large σ "
    "says that the effect depends on the other axes or is not linear."
)
_SOBOL = (
    "Sobol indices: the share of the variance over all points that an axis explains alone, and "
    "with everything it has a part in. Bars end in 95% confidence intervals."
)


@kind
def sensitivity(sweep: Sweep, measure: str | None = None) -> Figure:
    """Sensitivity to each axis of a `morris` or `saltelli` design, the largest first.

    Raises ChartError for any other design, and for several variants.

    Example:
        >>> axes = ["links.bottleneck.rate=2..8 Mbit/s", "flows.ftp.count=2..6"]
        >>> screened = scenario.sweep(axes, samples=4, method="morris", variants="rem-mark")
        >>> drawn = weir.plot.sensitivity(screened, "utilisation")
        >>> drawn.rows.select("axis", drawn.rows["mu_star"].round()).rows()
        [('bottleneck rate', 27.0), ('ftp count', 20.0)]
    """
    of = measure_of(measure)
    try:
        indices = sweep.sensitivity(of.name)
    except WeirError as error:
        raise ChartError(error.message, error.hint, error.path) from error
    except ValueError as error:
        raise ChartError(str(error)) from error
    if indices is None:
        raise ChartError(
            f"a design {sweep.design!r} shows no sensitivity",
            "sweep with --method morris, or --method saltelli for shares of the variance",
        )
    named = indices.with_columns(pl.col("axis").replace({d.column: d.title for d in sweep.dimensions}))
    drawn, rows, said = (
        (*_morris(named, of), _MORRIS) if sweep.design == "morris" else (*_sobol(named, of), _SOBOL)
    )
    return Figure(
        chart.file_name(of.name, "sensitivity"),
        f"What {of.words} depends on",
        chart.caption(of.definition, said),
        drawn,
        rows,
    )


def _morris(indices: pl.DataFrame, measure: Measure) -> tuple[chart.Chart, pl.DataFrame]:
    half = pl.col("mu_star_half_width")
    rows = indices.sort("mu_star", descending=True, nulls_last=True).with_columns(
        low=(pl.col("mu_star") - half).clip(lower_bound=0.0), high=pl.col("mu_star") + half
    )
    rows = placed(rows, "mu_star", "sigma", "axis", style.WIDTH, _SCATTER)
    unit = f" ({measure.unit})" if measure.unit else ""
    shown = {"mu_star": "μ*", "low": "low", "high": "high", "mu": "μ", "sigma": "σ"}
    tips = chart.tooltips(
        ("axis:N", "axis", None), *((f"{name}:Q", title, measure.decimals) for name, title in shown.items())
    )
    bars = _bars(rows["axis"].to_list(), "mu_star", f"Mean size of effect μ*{unit}", tips)
    pen = chart.Pen(
        chart.side("x", f"μ*{unit}", scale=_from_zero(rows["mu_star"]), axis={"tickCount": 5}),
        chart.side("y", f"Spread of effect σ{unit}", scale=_from_zero(rows["sigma"]), axis={"tickCount": 5}),
    ).encode(tooltip=tips)
    shift: dict[str, Any] = {name: alt.ExprRef(f"datum.{name}") for name in ("dx", "dy", "align")}
    dots = pen("point", x="mu_star", y="sigma", filled=True, size=45, color=style.INK, opacity=1)
    names = pen("text", x="mu_star", y="sigma", fontSize=10, baseline="middle", **shift)
    scatter = chart.panel([dots, names.encode(text="axis:N")], style.WIDTH, _SCATTER)
    return chart.beside([bars, scatter], 1, 30), rows


def _from_zero(values: pl.Series) -> dict[str, Any]:
    return {"domain": [0, end_of(values)], "nice": False}


def _sobol(indices: pl.DataFrame, measure: Measure) -> tuple[chart.Chart, pl.DataFrame]:
    order = indices.sort("total", descending=True, nulls_last=True)["axis"].to_list()
    kinds = {"total": "total, with others", "first": "alone"}
    rows = pl.concat(
        indices.select(
            "axis",
            order=pl.lit(kind),
            share=pl.col(column),
            low=pl.col(column) - pl.col(f"{column}_half_width"),
            high=pl.col(column) + pl.col(f"{column}_half_width"),
        )
        for column, kind in kinds.items()
    )
    numbers = ((f"{name}:Q", name, 3) for name in ("share", "low", "high"))
    tips = chart.tooltips(("axis:N", "axis", None), *numbers, ("order:N", "order", None))
    return _bars(
        order, "share", f"Share of the variance of {measure.words}", tips, list(kinds.values())
    ), rows


def _bars(
    order: Sequence[str], column: str, title: str, tips: list[alt.Tooltip], orders: Sequence[str] = ()
) -> alt.LayerChart:
    """A bar per axis, or one for each of the orders, with intervals."""
    bands = {"paddingInner": 0.3, "paddingOuter": 0.15}
    names = {"labelLimit": 200, "ticks": False}
    pen = chart.Pen(
        chart.side("x", title, axis={"format": "~%"} if orders else {}),
        chart.side("y", None, "N", scale=bands, axis=names, sort=list(order)),
    )
    fill: dict[str, Any] = {"color": style.SOFT}
    if orders:
        pen = pen.encode(yOffset=alt.YOffset("order:N", sort=list(orders)))
        fill = {}
    bar = pen("bar", x=column, y="axis", **fill).encode(tooltip=tips)
    if orders:
        scale = alt.Scale(domain=list(orders), range=[style.SOFT, style.SOFTER])
        bar = bar.encode(color=alt.Color("order:N", scale=scale))
    ends = pen("rule", x="low", x2="high", y="axis", strokeWidth=1.4, color=style.INK)
    return chart.panel([bar, ends], style.WIDTH, max(60, _ROW * len(order) * (1.3 if orders else 1)))


def placed(rows: pl.DataFrame, x: str, y: str, name: str, width: float, height: float) -> pl.DataFrame:
    """Rows with `dx`, `dy` and `align` of their names in a picture of this size.

    Both sides of the picture begin at zero and end at `end_of` their values.
    """
    across, up = (
        rows[column].fill_null(0.0).fill_nan(0.0).to_numpy() / end_of(rows[column]) for column in (x, y)
    )
    dots = np.stack([across * width, height - up * height], axis=1)
    # Left, top, right, bottom.
    taken = np.hstack([dots - 4.0, dots + 4.0])
    picture = np.array([[0.0, 0.0, width, height]])
    shifts = np.array([(dx, dy) for dx, dy, _ in _PLACES])
    before = np.array([{"left": 0.0, "center": 0.5, "right": 1.0}[align] for _, _, align in _PLACES])
    chosen: list[int] = []
    for dot, text in zip(dots, rows[name].to_list(), strict=True):
        size = np.array([len(str(text)) * LETTER, LINE])
        corners = dot + shifts - np.stack([before, np.full(len(_PLACES), 0.5)], axis=1) * size
        boxes = np.hstack([corners, corners + size])
        # What lies beyond the picture is cut off.
        costs = _covered(boxes, taken) + 4.0 * (size.prod() - _covered(boxes, picture))
        chosen.append(int(np.argmin(costs.round(6))))
        taken = np.vstack([taken, boxes[chosen[-1]]])
    found = pl.DataFrame([_PLACES[one] for one in chosen], schema=["dx", "dy", "align"], orient="row")
    return pl.concat([rows, found], how="horizontal")


def end_of(values: pl.Series) -> float:
    """End of a side that begins at zero."""
    largest = chart.extent(values)[1]
    return largest * 1.08 if largest > 0.0 else 1.0


def _covered(boxes: NDArray[np.float64], taken: NDArray[np.float64]) -> NDArray[np.float64]:
    """Area that each box shares with the others."""
    low = np.maximum(boxes[:, None, :2], taken[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], taken[None, :, 2:])
    return np.clip(high - low, 0.0, None).prod(axis=2).sum(axis=1)
