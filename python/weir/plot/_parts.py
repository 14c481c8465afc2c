"""What figures of sweeps have in common: axes, families, panels, captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import style
from weir.plot._cut import Cut, Role
from weir.stats.measures import Measure
from weir.sweep.dimension import VARIANTS, Dimension, plain

NEAR_FULL = ("goodput", "utilisation", "jain")
"""Measures near their largest value: from zero, their differences could not be seen."""

# No thousands separators in short numbers, never "1e+5" or a rounding that joins two ticks.
NUMBERS = "~r"

GAP = 18
"""Between panels: the last number below one must not touch the first below the next."""

Chart = alt.Chart | alt.LayerChart | alt.FacetChart | alt.ConcatChart


@dataclass(frozen=True)
class Family:
    """How the families of a figure are told apart; without any, everything is in one colour."""

    names: Sequence[str]
    title: str | None
    """Of the legend; none for variants, which speak for themselves."""

    @classmethod
    def of(cls, cut: Cut) -> Family:
        """The families of a cut."""
        if "family" not in cut.roles:
            return cls((), None)
        dimension = cut.roles["family"]
        return cls(cut.names("family"), None if dimension.column == VARIANTS else dimension.heading)

    def encodings(self, *channels: str, dashed: bool = False) -> dict[str, Any]:
        """The encodings of these channels: color, shape, strokeDash, opacity."""
        if not self.names:
            return {"color": alt.value(style.INK), "opacity": alt.value(1)}
        # The outline of a filled symbol would be drawn in the dash of its line.
        width: dict[str, Any] = {"symbolSize": 500} if dashed else {"symbolStrokeWidth": 0}
        legend = alt.Legend(title=self.title, **width)
        made = {
            "color": style.colour(self.names, legend, "family"),
            "shape": style.shape(self.names, legend, "family"),
            "strokeDash": style.dash(self.names, legend, "family"),
            "opacity": alt.OpacityValue(0.12, condition={"param": "chosen", "value": 1}),
        }
        return {channel: made[channel] for channel in (*channels, "opacity")}

    def choosable(self, chart: alt.Chart) -> alt.Chart:
        """The layer through which a click on the legend chooses families."""
        if not self.names:
            return chart
        # Every click adds a family or takes it away: a finger has no shift key.
        chosen = alt.selection_point(name="chosen", fields=["family"], bind="legend", toggle="true")
        return chart.properties(name="choice").add_params(chosen)


def x_axis(dimension: Dimension, places: Sequence[float]) -> alt.X:
    """The axis of a numeric dimension, with a tick at every level if there are few."""
    low, high = places[0], places[-1]
    few: dict[str, Any] = {"values": list(places)} if dimension.values and len(places) <= 10 else {}
    if dimension.log and low > 0.0:
        margin = (high / low) ** 0.03
        scale = alt.Scale(type="log", domain=[low / margin, high * margin], nice=False)
        few = few or {"values": log_ticks(low, high), "labelOverlap": "greedy"}
    else:
        margin = 0.03 * (high - low) or 0.5
        scale = alt.Scale(domain=[low - margin, high + margin], nice=False)
    axis = alt.Axis(grid=False, format=NUMBERS, **few)
    return alt.X("x:Q", title=dimension.heading, axis=axis, scale=scale)


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: 1, 2, 5 of every decade; more of a short axis, fewer of a long one."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    length = math.log10(high / low)
    steps = (1, 2, 3, 4, 5, 6, 8) if length <= 1.0 else (1, 2, 5) if length <= 2.5 else (1,)
    # As the decimal number that is meant: 10 ** -3 * 5 is not 0.005.
    ticks = [float(f"{step:g}e{power}") for power in decades for step in steps]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001] or [low, high]


def y_scale(measure: Measure) -> alt.Scale:
    """From zero, but for what lives near its largest value."""
    return alt.Scale(zero=measure.name not in NEAR_FULL)


def above_zero(rows: pl.DataFrame, measure: Measure, column: str = "low") -> pl.DataFrame:
    """An interval may reach below zero; the measure cannot, and the axis does not."""
    if measure.name in NEAR_FULL:
        return rows
    return rows.with_columns(pl.col(column).clip(lower_bound=0.0))


def tooltips(cut: Cut, *fields: tuple[str, str, int | None]) -> list[alt.Tooltip]:
    """The family and the panel, then (field, title, decimals; None for a level)."""
    roles: tuple[Role, ...] = ("family", "facet")
    shown = [alt.Tooltip(f"{role}:N", title=cut.roles[role].title) for role in roles if role in cut.roles]
    return shown + tooltips_of(*fields)


def tooltips_of(*fields: tuple[str, str, int | None]) -> list[alt.Tooltip]:
    """(Field, title, decimals; None for a level)."""
    return [
        alt.Tooltip(field, title=title)
        if decimals is None
        else alt.Tooltip(field, title=title, format=f".{decimals}f")
        for field, title, decimals in fields
    ]


def columns_for(panels: int) -> int:
    """Panels side by side: rows as full as can be."""
    if panels in {1, 2, 4}:
        return min(panels, 2)
    return 3


def panel_size(panels: int, ratio: float = style.HEIGHT / style.WIDTH) -> tuple[int, int]:
    """Width and height of one of so many panels."""
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
    panels = cut.names("facet") if "facet" in cut.roles else []
    width, height = panel_size(max(1, len(panels)), ratio)
    layered = alt.layer(*layers).properties(width=width, height=height)
    if not panels:
        return layered
    facet = alt.Facet("facet:N", sort=panels, title=None)
    columns = columns_for(len(panels))
    # Altair's types say too little of what follows.
    untyped = cast("Any", layered)
    spread = untyped.facet(facet=facet, columns=columns, spacing=GAP)
    if own_axes:
        spread = spread.resolve_scale(**dict.fromkeys(own_axes, "independent"))
    elif len(panels) % columns:
        # Below a last row with gaps, shared axes would hang in the air.
        spread = spread.resolve_axis(x="independent")
    return cast("alt.FacetChart", spread)


def intervals(rows: pl.DataFrame, what: str = "Bands are") -> str:
    """What the intervals of a figure are, from its column `n`."""
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
    """Of a figure's files: lower case, with hyphens."""
    text = "-".join(word for word in words if word).lower()
    kept = "".join(character if character.isalnum() else "-" for character in text)
    return "-".join(part for part in kept.split("-") if part)


def levels_text(levels: Sequence[float | str]) -> list[str]:
    """Levels as an ordinal axis shows them."""
    return [plain(level) for level in levels]
