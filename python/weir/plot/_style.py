"""One style for every chart.

Colours are those of Okabe and Ito (2008), distinguishable with any colour vision; shapes and
dashes tell the variants apart in grey print. Sizes are for a column of 84 mm: 12 px become 7 pt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import altair as alt

WIDTH = 420
HEIGHT = 260
TITLE_LETTERS, CAPTION_LETTERS = 56, 84
"""Numbers of letters in a line as wide as a chart with its axis, also in DejaVu Sans, the widest of the usual
fonts."""

GREY = "#666666"
INK = "#000000"
STRONG = "#D55E00"
"""Colour of the setting that is the answer of tuning."""

MET, OPEN, MISSED = "#7fb3d5", "#ececec", "#E69F00"
TIE = "#cfe3c8"
"""Colours of the cells in a map of verdicts: light enough for a number to be read on them."""

BOUND = "#009E73"
"""Colour of targets, and of regions where they are met."""

SOFT, SOFTER = "#7fb3d5", "#d4e4f1"
"""Colours of bars: an interval can be seen across both, and they differ in grey print."""

# Without their yellow, which is too light for a line on white.
_COLOURS = ("#000000", "#E69F00", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
_ON_DARK = ("#f0f0f0", "#f0b429", "#4aa8e8", "#ff8a4c", "#2fc89c", "#e8a5cb", "#a8dcff")
_SHAPES = (
    "circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right",
)  # fmt: skip
_DASHES = ((1, 0), (6, 2), (2, 2), (8, 2, 2, 2), (10, 4), (4, 1), (1, 1))

ON_CELL = "black"
"""Colour of text on a cell of a map: the cell has the same colour on any background."""

_GREYS = {
    "#000": "#e9e9e9", GREY: "#b0b4ba", "#444444": "#9aa0a6", "#888": "#9aa0a6", "#e5e5e5": "#34383d",
    "#ddd": "#34383d", "#f0f0f0": "#2b2f34", SOFT: "#2f7fb5", SOFTER: "#24506b",
}  # fmt: skip
DARK = {**_GREYS, **dict(zip(_COLOURS, _ON_DARK, strict=True))}
"""Colours for a dark page, by the colour on white."""

CONFIG = {
    "font": "Helvetica, Arial, sans-serif",
    "background": "white",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "gridColor": "#e5e5e5",
        "domainColor": "#444444",
        "tickColor": "#444444",
        "labelOverlap": True,
    },
    "legend": {
        "labelFontSize": 11,
        "labelLimit": 240,
        "orient": "bottom",
        "title": None,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "columns": 3,
        "symbolSize": 70,
        "symbolOpacity": 1,
        "columnPadding": 14,
    },
    "header": {"labelFontSize": 11, "labelAnchor": "start", "labelOrient": "top", "labelPadding": 2},
}
"""Vega-Lite `config` of every chart."""


TITLE = {
    "anchor": "start",
    "fontSize": 13,
    "offset": 12,
    "subtitleFontSize": 10.5,
    "subtitleColor": "#444444",
    "subtitleLineHeight": 13.5,
    "subtitlePadding": 5,
}
"""Style of the title of a chart that carries title and caption itself."""


UNDRAWN = "#f0f0f0"
"""Colour of a heat map's cell without a value."""

GRADIENT = "viridis"
"""Colour scheme of a heat map: even steps look even, with any colour vision and in grey print."""


_ASPECTS: dict[str, tuple[Sequence[Any], int]] = {
    "colour": (_COLOURS, 0),
    "shape": (_SHAPES, 1),
    "dash": (_DASHES, 1),
}


def cycle(aspect: Literal["colour", "shape", "dash"], count: int) -> list[Any]:
    """Colours, shapes or dashes of so many labels.

    Each round through the colours shifts shapes and dashes by one: no two labels look alike before every
    combination is used.
    """
    values, shift = _ASPECTS[aspect]
    length = len(values)
    return [values[(index + shift * (index // length)) % length] for index in range(count)]


def look(labels: Sequence[str], legend: alt.Legend | None, field: str = "label") -> dict[str, Any]:
    """Channels color, shape and strokeDash by label, in this order; without a legend if None."""
    channels: tuple[tuple[str, Any, Literal["colour", "shape", "dash"]], ...] = (
        ("color", alt.Color, "colour"),
        ("shape", alt.Shape, "shape"),
        ("strokeDash", alt.StrokeDash, "dash"),
    )
    found: dict[str, Any] = {}
    for name, made, aspect in channels:
        scale = alt.Scale(domain=list(labels), range=cycle(aspect, len(labels)))
        found[name] = made(f"{field}:N", legend=legend, scale=scale)
    return found


def gradient(labels: Sequence[str], legend: alt.Legend | None, field: str = "label") -> alt.Color:
    """Colour by label, where the labels are levels in order."""
    scheme = alt.SchemeParams(name=GRADIENT, extent=[0.0, _LIGHTEST])
    return alt.Color(f"{field}:O", legend=legend, scale=alt.Scale(domain=list(labels), scheme=scheme))


_LIGHTEST = 0.85
"""Share of the colour scheme that labels use: the rest is too light for a line on white."""

_VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725")
"""Colours of `GRADIENT` in equal steps."""


def gradual(count: int) -> list[str]:
    """The colours of so many labels in order, as `gradient` has them, as hexadecimal numbers."""
    last = len(_VIRIDIS) - 1
    found: list[str] = []
    for index in range(count):
        at = last * _LIGHTEST * index / max(1, count - 1)
        left = min(int(at), last - 1)
        pair = [[int(one[n : n + 2], 16) for n in (1, 3, 5)] for one in _VIRIDIS[left : left + 2]]
        mixed = (round(a + (at - left) * (b - a)) for a, b in zip(*pair, strict=True))
        found.append("#" + "".join(f"{one:02x}" for one in mixed))
    return found
