"""Figures: what they show as data, and the files drawn from them.

A figure of a sweep is made by the function of its kind, `weir.plot.lines(sweep, "goodput")`, or by
`weir.plot.figure` from the kind's name. It shows itself in a notebook; `weir.plot.save` writes it.

Arguments of all kinds: `measure` is a name or words (`"p99 delay"`), and its unit stands at the axis. `x`,
`family` (colour), `facet` (panel) and `load` name an axis by its path or last part, `variant`, or `users`.
`where` maps such a name to the level, or levels, to keep. None: chosen from what varies. Bands and bars are
95% confidence intervals over replications. Raises ChartError where the result has no data for the kind.

`Curve`, `Facet` and `Plot` describe a figure of any other numbers, which `draw` makes a figure.
"""

from typing import TYPE_CHECKING

from weir._lazy import first_use
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._curves import draw
from weir.plot._figure import Figure, Panel
from weir.plot._files import IMAGES, page, render, save, template_environment, write_page
from weir.plot._kinds import (
    KINDS,
    cdf,
    ellipses,
    figure,
    figures_of,
    heat,
    lines,
    options_of,
    over_time,
    panels_of,
    sensitivity,
    slowdown,
    tail,
    tradeoff,
    trend,
)
from weir.plot._layout import Layout
from weir.plot._maps import verdict_map
from weir.plot._over_time import envelope, swings, time_side
from weir.plot._plot import Curve, CurveKind, Facet, Plot
from weir.plot._recorded import UNIT_SYMBOLS
from weir.plot._shares import parts_of_a_whole, share_map

if TYPE_CHECKING:
    from weir.plot._agreement import balance_bars, bifurcation, region_map
    from weir.plot._evaluation import comparison_figure, scorecard_figures
    from weir.plot._flent import flent
    from weir.plot._fluid import fluid_over_time
    from weir.plot._loops import LOOP_FIGURES, measured_spectrum, spectrum
    from weir.plot._theory import convergence
    from weir.plot._topology import topology

__all__ = [
    "IMAGES",
    "KINDS",
    "Curve",
    "CurveKind",
    "Facet",
    "Figure",
    "Panel",
    "Plot",
    "cdf",
    "draw",
    "ellipses",
    "envelope",
    "figure",
    "figures_of",
    "flent",
    "heat",
    "lines",
    "options_of",
    "over_time",
    "page",
    "panels_of",
    "parts_of_a_whole",
    "render",
    "save",
    "sensitivity",
    "share_map",
    "slowdown",
    "tail",
    "topology",
    "tradeoff",
    "trend",
    "verdict_map",
    "write_page",
]

__getattr__ = first_use(__name__)
