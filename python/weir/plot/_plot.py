"""Description of a figure of a study, before it is drawn: curves in panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

CurveKind = Literal["runs", "theory", "paper", "ns-2", "target", "path", "dot", "chosen", "defaults"]
"""Kind of the numbers of a curve. `path`: runs, whose line joins its points in their order, not by x. `dot`:
runs without a line. `chosen` and `defaults`: settings, which have symbols of their own and no label."""

INTERVAL = "95% interval"
"""A band shows this, if nothing else is said."""


@dataclass(frozen=True)
class Curve:
    """Curve: points that belong together, with the same label in all panels."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    """Lower ends of the intervals, of the range over time, or of the range that a paper prints."""
    high: Sequence[float] | None = None
    kind: CurveKind = "runs"
    x_low: Sequence[float] | None = None
    """Lower ends of the horizontal intervals of a `path`."""
    x_high: Sequence[float] | None = None
    band: str = INTERVAL
    """Name of `low` and `high` in the legend."""


@dataclass(frozen=True)
class Facet:
    """Panel of a figure. Panels whose vertical axes have the same title have the same scale."""

    title: str
    """Title above the panel; may be empty if there is only one."""
    y: str
    """Title of the vertical axis, with its unit."""
    curves: Sequence[Curve]
    levels: Sequence[tuple[float, str]] = ()
    """Horizontal lines with their names, such as a target, a threshold or a capacity."""
    zero: bool = True
    """True if the vertical axis begins at zero. An axis that begins above zero has a mark that says so."""
    log: bool = False
    top: float | None = None
    """End of the vertical axis, if it is not the largest value."""
    x: str = ""
    """Title of the horizontal axis, if it is not that of the plot."""
    ticks: Sequence[float] | None = None
    """Ticks of the vertical axis, if they are few and given."""
    places: Sequence[tuple[float, str]] = ()
    """Vertical lines with their names, such as a threshold."""


@dataclass(frozen=True)
class Plot:
    """Description of a figure, before it is drawn."""

    name: str
    """Name of its files, such as `figure-2`."""
    title: str
    caption: str
    x: str
    """Title of the horizontal axis, with its unit."""
    facets: Sequence[Facet]
    columns: int = 2
    """Number of panels side by side, at most 3."""
    log_x: bool = False
    ticks: Sequence[float] | None = None
    """Ticks of the horizontal axis, if they are few and given."""
    ordered: bool = False
    """True if the labels are levels of one parameter, whose colours have an order."""
    names: Mapping[float, str] | None = None
    """Names of places on the horizontal axis, which has no other ticks."""
    own_scales: bool = False
    """True if each panel has a vertical scale of its own."""
