"""Legend of curves: each label with its line and symbol, then what bands and other numbers are."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin
from typing import Any

import altair as alt

from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._plot import Curve, CurveKind, Plot

MANY = 40
"""Number of points of a curve from which symbols would hide it."""

OPEN: dict[CurveKind, str] = {"paper": "circle", "ns-2": "square", "target": "diamond"}
"""Symbols of numbers that are not from runs."""

DOTTED = (1.0, 2.5)
"""Dashes of theory."""

WITHOUT: tuple[CurveKind, ...] = ("chosen", "defaults")
"""Kinds that have no place in the legend."""

_SAID: dict[CurveKind, str] = {
    "theory": "theory",
    "paper": "printed in the paper",
    "ns-2": "ns-2.35",
    "target": "target",
}

_SIZE = 560
"""Size of an entry's symbol: twice its half width, squared."""
_HALF = _SIZE**0.5 / 2.0
"""Half of the width of a symbol, px: one unit of its path."""
_RADIUS, _THIN, _BAND = 3.6 / _HALF, 0.85 / _HALF, 5.0 / _HALF
_SHADE = "#c4c4c4"

CORNERS: dict[str, Sequence[tuple[float, float]]] = {
    "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    "diamond": [(0.0, -1.25), (0.9, 0.0), (0.0, 1.25), (-0.9, 0.0)],
    "triangle-up": [(0.0, -1.1), (1.1, 0.9), (-1.1, 0.9)],
    "triangle-down": [(0.0, 1.1), (1.1, -0.9), (-1.1, -0.9)],
    "triangle-right": [(1.1, 0.0), (-0.9, 1.1), (-0.9, -1.1)],
    "cross": [
        *((-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4), (0.4, 0.4)),
        *((0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4), (-1.1, -0.4), (-0.4, -0.4)),
    ],
    "circle": [(cos(n * pi / 12.0), sin(n * pi / 12.0)) for n in range(24)],
}
"""Corners of the symbols in units of their radius, clockwise."""


def look(plot: Plot) -> dict[str, Any]:
    """Encodings by channel: colour, symbol and dashes of the labels; `entries` has those of the legend.

    The symbols of points are in the column `symbol`, see `symbols`.
    """
    curves = [curve for facet in plot.facets for curve in facet.curves if curve.kind not in WITHOUT]
    kinds: dict[str, list[Curve]] = {}
    for curve in curves:
        kinds.setdefault(curve.label, []).append(curve)
    labels = list(kinds)
    colours = style.gradual(len(labels)) if plot.ordered else style.cycle("colour", len(labels))
    shapes, dashes = symbols(plot), style.cycle("dash", len(labels))
    if plot.ordered:
        dashes = [(1, 0)] * len(labels)
    paths = [_symbol(kinds[label], shapes[label], dash) for label, dash in zip(labels, dashes, strict=True)]
    rest = _rest(kinds)
    domain = [*labels, *(name for name, _, _ in rest)]
    scale = alt.Scale(domain=domain, range=[*colours, *(colour for _, colour, _ in rest)])
    lines = alt.Scale(domain=domain, range=[*dashes, *([(1, 0)] * len(rest))])
    entries = alt.Scale(domain=domain, range=[*paths, *(path for _, _, path in rest)])
    # The axis names the places already.
    wanted = [name for name, _, _ in rest] if plot.names else domain
    legend = (
        alt.Legend(symbolSize=_SIZE, symbolStrokeWidth=0, rowPadding=-6, columnPadding=26, values=wanted)
        if wanted and len(domain) > 1
        else None
    )
    return {
        "color": alt.Color("label:N", legend=legend, scale=scale),
        "shape": alt.Shape("symbol:N", scale=None),
        "strokeDash": alt.StrokeDash("label:N", legend=legend, scale=lines),
        "entries": {
            "color": alt.Color("label:N", legend=legend, scale=scale),
            "shape": alt.Shape("label:N", legend=legend, scale=entries),
        },
    }


def symbols(plot: Plot) -> dict[str, str]:
    """Label to the symbol of its points."""
    curves = [curve for facet in plot.facets for curve in facet.curves if curve.kind not in WITHOUT]
    labels = list(dict.fromkeys(curve.label for curve in curves))
    shapes = ["circle"] * len(labels) if plot.ordered else style.cycle("shape", len(labels))
    return dict(zip(labels, shapes, strict=True))


def layer(pen: chart.Pen) -> alt.Chart:
    """Layer that draws nothing and has the legend."""
    base: Any = pen.where("false").base.mark_point(filled=True)
    return base.encode(**pen.look["entries"])


def _symbol(curves: Sequence[Curve], shape: str, dash: Sequence[float]) -> str:
    """Path of a label: what its curves are drawn with, runs first."""
    kinds = {curve.kind for curve in curves}
    drawn = [curve for curve in curves if curve.kind in {"runs", "path"}]
    if drawn:
        many = min((len(curve.x) for curve in drawn if curve.x), default=0) > MANY and "path" not in kinds
        return _line(dash) + ("" if many else _point(shape))
    if "dot" in kinds:
        return _point(shape)
    return _line(DOTTED) if "theory" in kinds else _open(curves[0].kind)


def _rest(kinds: dict[str, list[Curve]]) -> list[tuple[str, str, str]]:
    """Entries besides the labels: name, colour, path."""
    found: list[tuple[str, str, str]] = []
    curves = [curve for same in kinds.values() for curve in same]
    # A label whose symbol is that of its kind needs no second entry.
    alone = [same for same in kinds.values() if len({curve.kind for curve in same}) == 1]
    for kind, name in _SAID.items():
        if any(one.kind == kind for one in curves) and not all(
            same in alone for same in kinds.values() if any(one.kind == kind for one in same)
        ):
            found.append((name, style.GREY, _line(DOTTED) if kind == "theory" else _open(kind)))
    ranged = [one for one in curves if one.low is not None]
    bands = [one.band for one in ranged if one.kind not in {"path", "dot", "paper"}]
    crosses = [one.band for one in ranged if one.kind in {"path", "dot"}]
    crossed = any(one.kind == "path" for one in ranged)
    shades = [name for name in dict.fromkeys(bands) if name not in crosses]
    bar = _box(-_THIN, _THIN, 2.0 * _RADIUS) + (_box(-2.0 * _RADIUS, 2.0 * _RADIUS, _THIN) if crossed else "")
    bars = ((name, style.GREY, bar) for name in dict.fromkeys(crosses))
    return [*found, *((name, _SHADE, _box(-1.0, 1.0, _BAND)) for name in shades), *bars]


def _line(dash: Sequence[float]) -> str:
    """A line with these dashes, px, from end to end."""
    steps = [length / _HALF for length in dash]
    if steps[1] == 0.0:
        return _box(-1.0, 1.0, _THIN)
    path, at, step = "", -1.0, 0
    while at < 1.0:
        length = steps[step % len(steps)]
        if step % 2 == 0:
            path += _box(at, min(1.0, at + length), _THIN)
        at += length
        step += 1
    return path


def _box(left: float, right: float, half: float) -> str:
    return _polygon([(left, -half), (right, -half), (right, half), (left, half)])


def _point(shape: str) -> str:
    return _polygon([(x * _RADIUS, y * _RADIUS) for x, y in CORNERS[shape]])


def _open(kind: CurveKind) -> str:
    """The outline of a symbol: its inner edge is drawn the other way round, which leaves it empty."""
    corners = CORNERS[OPEN[kind]]
    edges = [[(x * r, y * r) for x, y in corners] for r in (1.25 * _RADIUS, 0.85 * _RADIUS)]
    return _polygon(edges[0]) + _polygon(edges[1][::-1])


def _polygon(corners: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.3f},{y:.3f}" for x, y in corners) + "Z"
