"""How much each axis matters: elementary effects after Morris, or Sobol indices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import altair as alt
import polars as pl

from weir.charts import style
from weir.charts.dimension import ChartError, SweepData
from weir.charts.figure import ROWS, Figure
from weir.charts.sweep.cut import measure_of
from weir.charts.sweep.labels import end_of, placed
from weir.charts.sweep.parts import Chart, caption, file_name
from weir.errors import WeirError
from weir.measures import Measure

_SCATTER = 220
"""Height of the scatter plot."""

_ROW = 24
"""Height of an axis, in units of the picture."""


def sensitivity(view: SweepData, name: str) -> Figure:
    """The indices of every axis for the measure `name`, the largest first."""
    measure = measure_of(name)
    try:
        indices = view.sensitivity(measure.name)
    except WeirError as error:
        raise ChartError(error.message, error.hint, error.path) from error
    except ValueError as error:
        raise ChartError(str(error)) from error
    if indices is None:
        raise ChartError(
            f"a design {view.design!r} shows no sensitivity",
            "sweep with --method morris, or --method saltelli for shares of the variance",
        )
    titles = {d.column: d.title for d in view.dimensions}
    named = indices.with_columns(pl.col("axis").replace(titles))
    return _morris(named, measure) if view.design == "morris" else _sobol(named, measure)


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
