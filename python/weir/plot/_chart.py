"""Parts of all figures: axes, looks of families, layers, panels, captions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

import altair as alt
import polars as pl

from weir.plot import _style as style
from weir.plot._cut import Cut
from weir.plot._figure import ROWS
from weir.stats import Measure
from weir.sweep import VARIANTS, Dimension

# No thousands separators in short numbers, never "1e+5" or a rounding that joins two ticks.
NUMBERS = "~r"

GAP = 18
"""Gap between panels in pixels: the last number below one must not touch the first below the next."""

Chart = alt.Chart | alt.LayerChart | alt.FacetChart | alt.ConcatChart
Side = Callable[[str], Any]
"""Function that makes the axis of a side for a column, the same in every layer."""


# Axes.


def side(
    channel: Literal["x", "y"],
    title: str | None,
    kind: Literal["Q", "N", "O"] = "Q",
    *,
    scale: Mapping[str, Any] | None = None,
    axis: Mapping[str, Any] | None = None,
    **more: Any,  # noqa: ANN401 - options of the channel
) -> Side:
    """A side of a panel with these options of scale and axis."""
    made = alt.X if channel == "x" else alt.Y
    if scale is not None:
        more["scale"] = alt.Scale(**scale)
    if axis is not None:
        more["axis"] = alt.Axis(**axis)
    return lambda column: made(f"{column}:{kind}", title=title, **more)


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: 1, 2, 5 of every decade; more of a short axis, fewer of a long one."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    length = math.log10(high / low)
    steps = (1, 2, 3, 4, 5, 6, 8) if length <= 1.0 else (1, 2, 5) if length <= 2.5 else (1,)
    # As the decimal number that is meant: 10 ** -3 * 5 is not 0.005.
    ticks = [float(f"{step:g}e{power}") for power in decades for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001] or [low, high]


def span(
    channel: Literal["x", "y"],
    title: str | None,
    low: float,
    high: float,
    *,
    log: bool,
    clamp: bool = False,
    **axis: Any,  # noqa: ANN401 - options of the axis
) -> Side:
    """A side from `low` to `high`. Without other options, a logarithmic one has ticks by decades."""
    scale: dict[str, Any] = {"domain": [low, high], "nice": False, **({"clamp": True} if clamp else {})}
    if log:
        scale["type"] = "log"
        axis = {"values": log_ticks(low, high), "format": NUMBERS, "labelOverlap": "greedy", **axis}
    else:
        scale["zero"] = False
    return side(channel, title, scale=scale, axis=axis)


def x_side(dimension: Dimension, places: Sequence[float]) -> Side:
    """Axis of a numeric dimension, with a tick at every level if there are few."""
    low, high = places[0], places[-1]
    few: dict[str, Any] = {"values": list(places)} if dimension.values and len(places) <= 10 else {}
    log = dimension.log and low > 0.0
    if log:
        margin = (high / low) ** 0.03
        few = few or {"values": log_ticks(low, high)}
        ends = (low / margin, high * margin)
    else:
        margin = 0.03 * (high - low) or 0.5
        ends = (low - margin, high + margin)
    return span("x", dimension.heading, *ends, log=log, grid=False, format=NUMBERS, **few)


def y_side(measure: Measure) -> Side:
    """Axis of a measure. It begins at zero, except for a measure whose values lie near its largest."""
    return side("y", measure.heading, scale={"zero": measure.full is None})


def above_zero(rows: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """An interval may reach below zero; the measure cannot, and the axis does not."""
    return rows.with_columns(pl.col("low").clip(lower_bound=0.0)) if measure.full is None else rows


def extent(*values: pl.Series) -> tuple[float, float]:
    """The smallest and the largest of all; from 0 to 1 if there is none."""
    known = pl.concat([series.cast(pl.Float64) for series in values]).drop_nulls().drop_nans()
    return (0.0, 1.0) if known.is_empty() else (cast("float", known.min()), cast("float", known.max()))


def is_wide(values: Iterable[float], ratio: float) -> bool:
    """Returns true if the largest value exceeds the smallest by this ratio: its axis is then logarithmic."""
    known = list(values)
    return 0.0 < ratio * min(known) < max(known)


# Layers.


@dataclass(frozen=True)
class Pen:
    """Drawer of layers with the same axes and looks."""

    x: Side
    y: Side
    look: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Encodings by channel."""
    base: alt.Chart = field(default_factory=lambda: alt.Chart(ROWS))

    def __call__(
        self,
        mark: str,
        *by: str,
        x: str = "x",
        y: str = "y",
        x2: str | None = None,
        y2: str | None = None,
        **options: Any,  # noqa: ANN401 - of the mark
    ) -> alt.Chart:
        """Layer of this mark along columns, whose rows are distinguished by these channels of the look."""
        ends = {channel: f"{column}:Q" for channel, column in (("x2", x2), ("y2", y2)) if column}
        looks = {channel: self.look[channel] for channel in (*by, "opacity") if channel in self.look}
        chart: Any = getattr(self.base, f"mark_{mark}")(**options)
        return cast("alt.Chart", chart.encode(x=self.x(x), y=self.y(y), **ends, **looks))

    def where(self, test: str) -> Pen:
        """Pen for the rows that pass this test."""
        return replace(self, base=self.base.transform_filter(test))

    def encode(self, **channels: Any) -> Pen:  # noqa: ANN401 - any channel
        """Pen with these channels in every layer."""
        return replace(self, base=self.base.encode(**channels))


def families(cut: Cut, *, dashed: bool = False) -> dict[str, Any]:
    """Looks of the families of a cut. Without families everything has one colour."""
    if "family" not in cut.roles:
        return {"color": alt.ColorValue(style.INK), "opacity": alt.OpacityValue(1)}
    dimension = cut.roles["family"]
    # The outline of a filled symbol would be drawn in the dash of its line.
    width: dict[str, Any] = {"symbolSize": 500} if dashed else {"symbolStrokeWidth": 0}
    # Names of variants need no title.
    legend = alt.Legend(title=None if dimension.column == VARIANTS else dimension.heading, **width)
    faint = alt.OpacityValue(0.12, condition={"param": "chosen", "value": 1})
    return {**style.look(cut.names("family"), legend, "family"), "opacity": faint}


def choosable(cut: Cut, chart: alt.Chart) -> alt.Chart:
    """The layer through which a click on the legend chooses families."""
    if "family" not in cut.roles:
        return chart
    # Every click adds or removes a family: touch screens have no shift key.
    chosen = alt.selection_point(name="chosen", fields=["family"], bind="legend", toggle="true")
    return chart.properties(name="choice").add_params(chosen)


def named_levels(levels: Iterable[tuple[float, str]]) -> list[alt.Chart]:
    """Horizontal lines with their names in the margin, where no curve crosses them."""
    made: list[alt.Chart] = []
    for value, text in levels:
        base = alt.Chart(alt.Data(values=[{"level": value, "text": text}])).encode(y="level:Q")
        name = base.mark_text(align="left", baseline="middle", dx=4, color=style.GREY, fontSize=10)
        made += [
            base.mark_rule(color=style.GREY, strokeDash=[3, 3]),
            name.encode(x=alt.XValue("width"), text="text:N"),
        ]
    return made


def named_places(places: Iterable[tuple[float, str]]) -> list[alt.Chart]:
    """Vertical lines with their names at the top."""
    made: list[alt.Chart] = []
    for value, text in places:
        base = alt.Chart(alt.Data(values=[{"place": value, "text": text}])).encode(x="place:Q")
        name = base.mark_text(align="left", baseline="top", dx=4, color=style.GREY, fontSize=10)
        made += [
            base.mark_rule(color=style.GREY, strokeDash=[3, 3]),
            name.encode(y=alt.YValue(0), text="text:N"),
        ]
    return made


def tooltips(*fields: tuple[str, str, str | int | None], cut: Cut | None = None) -> list[alt.Tooltip]:
    """The family and the panel of a cut, then (field, title, format or decimals; None for a level)."""
    roles = dict[str, Dimension]() if cut is None else {**cut.roles}
    placed = [(f"{role}:N", roles[role].title, None) for role in ("family", "facet") if role in roles]
    shown: list[alt.Tooltip] = []
    for name, title, form in (*placed, *fields):
        given: dict[str, Any] = (
            {} if form is None else {"format": f".{form}f" if isinstance(form, int) else form}
        )
        shown.append(alt.Tooltip(name, title=title, **given))
    return shown


# Panels.


def columns_for(panels: int) -> int:
    """Number of panels side by side: rows as full as possible."""
    return min(panels, 2) if panels in {1, 2, 4} else 3


def panel_size(panels: int, ratio: float = style.HEIGHT / style.WIDTH) -> tuple[int, int]:
    """Width and height of a panel, if there are this many."""
    columns = columns_for(panels)
    if panels == 1:
        return style.WIDTH, round(style.WIDTH * ratio)
    width = (style.WIDTH - GAP * (columns - 1)) // columns
    return width, max(90, round(width * max(ratio, 0.75)))


def faceted(
    cut: Cut,
    layers: Sequence[alt.Chart],
    ratio: float = style.HEIGHT / style.WIDTH,
    *,
    own_axes: Sequence[str] = (),
) -> Chart:
    """The layers, once per panel if the cut has facets. `own_axes`: sides with a scale per panel."""
    panels = cut.names("facet")
    width, height = panel_size(cut.panels, ratio)
    # Altair's types say too little of what follows.
    chart: Any = alt.layer(*layers).properties(width=width, height=height)
    if panels:
        columns = columns_for(len(panels))
        chart = chart.facet(facet=alt.Facet("facet:N", sort=panels, title=None), columns=columns, spacing=GAP)
        if own_axes:
            chart = chart.resolve_scale(**dict.fromkeys(own_axes, "independent"))
        elif len(panels) % columns:
            # Shared axes would stand below the empty places of the last row.
            chart = chart.resolve_axis(x="independent")
    return cast("Chart", chart)


def beside(
    panels: Sequence[Any], columns: int = 2, spacing: int = GAP, **shared: Literal["shared", "independent"]
) -> Chart:
    """Panels that differ in more than their rows; one stands alone."""
    if len(panels) == 1:
        return panels[0]
    together: Any = alt.concat(*panels, columns=columns, spacing=spacing)
    return cast("Chart", together.resolve_scale(**shared) if shared else together)


def panel(
    layers: Sequence[alt.Chart],
    width: float,
    height: float,
    title: str | Sequence[str] | None = None,
    size: int = 12,
) -> alt.LayerChart:
    """The layers as a panel of this size, with a title in this size of letters."""
    more: dict[str, Any] = {}
    if title is not None:
        more["title"] = alt.TitleParams(
            title, anchor="start", frame="group", fontSize=size, fontWeight="normal", offset=6
        )
    chart: Any = alt.layer(*layers).properties(width=width, height=height, **more)
    return cast("alt.LayerChart", chart)


# Words.


def intervals(rows: pl.DataFrame, what: str = "Bands are") -> str:
    """Description of the intervals of a figure, from its column `n`."""
    counts = rows.filter(pl.col("n") > 0)["n"]
    low, high = counts.min(), counts.max()
    if high is None:
        return "Not defined in any run."
    if high == 1:
        return "One replication: no intervals."
    number = f"{high}" if low == high else f"{low} to {high}"
    return f"Means of {number} replications. {what} 95% confidence intervals."


def caption(*sentences: str) -> str:
    """Sentences that are not empty, in a row."""
    return " ".join(sentence for sentence in sentences if sentence)


def file_name(*words: str) -> str:
    """Name of a figure's files: lower case, with hyphens."""
    text = "-".join(word for word in words if word).lower()
    kept = "".join(character if character.isalnum() else "-" for character in text)
    return "-".join(part for part in kept.split("-") if part)
