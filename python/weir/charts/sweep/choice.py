"""Figures by name: what was asked for, and a sensible choice for what was not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from weir.charts.dimension import USERS, VARIANTS, ChartError, Dimension, SweepData, find, listed
from weir.charts.figure import Figure
from weir.charts.sweep import delays, ellipses, heat, lines, sensitivity, series, tradeoff, trend
from weir.charts.sweep.cut import FACETS, NONE, Cut, Role, Where, cut
from weir.charts.sweep.once import Once
from weir.charts.sweep.parts import caption
from weir.measures import HEADLINE

AXES = 12
"""Panels of a trend at most."""


def figure(
    view: SweepData,
    kind: str,
    *,
    measure: str | None = None,
    x: str | None = None,
    y: str | None = None,
    family: str | None = None,
    facet: str | None = None,
    load: str | None = None,
    where: Where | None = None,
) -> Figure:
    """One figure. `kind` is one of `KINDS`; what is not said is chosen.

    Dimensions are named by path, last part of the path, or title; `none` as family or facet wants
    none. Of a trade-off `x` and `y` are measures, and `load` is what grows along a line. Of the
    kind `over_time`, `measure` is a recorded variable, or several with commas. `where` keeps
    levels of a dimension.

    Raises ChartError, a ValueError that lists what there is, for wrong names, and where the sweep
    lacks what the figure needs.
    """
    name = kind.replace("-", "_")
    if name not in KINDS:
        raise ChartError(f"there is no kind of figure {kind!r}; there are: {', '.join(KINDS)}")
    build, takes = KINDS[name]
    asked = {"measure": measure, "x": x, "y": y, "family": family, "facet": facet, "load": load}
    for option, value in asked.items():
        if value is not None and option not in takes:
            raise ChartError(f"a figure of the kind {name} has no {option}; it has: {', '.join(takes)}")
    once = view if isinstance(view, Once) else Once(view)
    if once.observations().is_empty():
        raise ChartError("no run is finished: there is nothing to draw")
    drawn = build(_Choice(once, measure, x, y, family, facet, load, where or {}))
    return replace(drawn, caption=caption(drawn.caption, _unfinished(once)))


def _unfinished(view: SweepData) -> str:
    left = view.unfinished
    if not left:
        return ""
    verb = "is" if left == 1 else "are"
    return f"{left:,} of {len(view.cells):,} cells {verb} not finished (a cell is a variant at a point)."


@dataclass(frozen=True)
class _Choice:
    """What was asked for, None where nothing was, and what there is to choose from."""

    view: SweepData
    measure: str | None
    x: str | None
    y: str | None
    family: str | None
    facet: str | None
    load: str | None
    where: Where

    @property
    def headline(self) -> str:
        return self.measure or HEADLINE[0]

    @cached_property
    def varying(self) -> list[Dimension]:
        """Dimensions with more than the one level that `where` leaves."""
        fixed = {
            find(self.view, name).column
            for name, levels in self.where.items()
            if isinstance(levels, str | int | float) or len(levels) == 1
        }
        return [d for d in self.view.dimensions if d.column not in fixed and len(d.values) != 1]

    @property
    def axes(self) -> list[Dimension]:
        return [d for d in self.varying if d.column not in {VARIANTS, USERS}]

    @property
    def levelled(self) -> list[Dimension]:
        """Axes that are not sampled continuously."""
        return [d for d in self.axes if d.values]

    @property
    def panels(self) -> list[Dimension]:
        """Axes with so few levels that there can be a panel for each."""
        return [d for d in self.levelled if len(d.values) <= FACETS]

    @property
    def users(self) -> list[Dimension]:
        return [d for d in self.varying if d.column == USERS]

    @property
    def variants(self) -> list[Dimension]:
        return [d for d in self.varying if d.column == VARIANTS]

    def named(
        self, name: str | None, otherwise: Sequence[Dimension], *taken: Dimension | None
    ) -> Dimension | None:
        """The dimension of this name; without a name the first that is not taken, if any."""
        if name is None:
            return next((dimension for dimension in otherwise if dimension not in taken), None)
        return None if name == NONE else find(self.view, name)

    def cut(self, roles: Mapping[Role, Dimension | None]) -> Cut:
        for role, dimension in roles.items():
            if dimension is not None and not dimension.values and role not in {"x", "y"}:
                raise ChartError(
                    f"{dimension.title} is sampled continuously: as {role} it would have no levels",
                    "draw a trend over it",
                )
        return cut(self.view, roles, self.where)


def _lines(choice: _Choice) -> Figure:
    x = choice.named(choice.x, [*choice.levelled, *choice.users, *choice.variants])
    if x is None or not x.values:
        raise ChartError("a line needs levels to go through, and nothing varies in steps", "draw a trend")
    family = choice.named(choice.family, [*choice.variants, *choice.levelled, *choice.users], x)
    facet = choice.named(choice.facet, choice.panels, x, family)
    return lines.lines(choice.cut({"x": x, "family": family, "facet": facet}), choice.headline)


def _heat(choice: _Choice) -> Figure:
    # The side that was named is not free for the other.
    asked = [find(choice.view, name) for name in (choice.x, choice.y) if name]
    x = choice.named(choice.x, [*choice.axes, *choice.users], *asked)
    y = choice.named(choice.y, [*choice.axes, *choice.users], x)
    if x is None or y is None:
        raise ChartError(
            f"a map needs two axes; there are: {listed(choice.view)}", "sweep a second axis, or draw lines"
        )
    facet = choice.named(choice.facet, [*choice.variants, *choice.panels], x, y)
    return heat.heat(choice.cut({"x": x, "y": y, "facet": facet}), choice.headline)


def _tradeoff(choice: _Choice) -> Figure:
    # How many flows there are is the plainest load.
    numbers = sorted((d for d in choice.levelled if d.numeric), key=lambda d: not d.column.endswith(".count"))
    load = choice.named(choice.load, [*choice.users, *numbers])
    if load is None:
        raise ChartError(
            "a trade-off is drawn along a load that grows in steps, and none does",
            "sweep a number with levels, or give the scenario periods with more and more users",
        )
    if not load.numeric:
        raise ChartError(f"{load.title} is not a number and cannot grow", "name another load")
    family = choice.named(choice.family, [*choice.variants, *choice.levelled], load)
    facet = choice.named(choice.facet, choice.panels, load, family)
    placed = choice.cut({"load": load, "family": family, "facet": facet})
    return tradeoff.tradeoff(placed, choice.x or "loss", choice.y or "delay_mean")


def _grouped(choice: _Choice) -> Cut:
    """Families and panels of a figure that has no dimension along its sides."""
    family = choice.named(choice.family, [*choice.variants, *choice.levelled])
    facet = choice.named(choice.facet, choice.panels, family)
    return choice.cut({"family": family, "facet": facet})


def _over_time(choice: _Choice) -> Figure:
    return series.over_time(choice.cut({}), choice.measure.split(",") if choice.measure else ())


def _trend(choice: _Choice) -> Figure:
    axes = [find(choice.view, choice.x)] if choice.x else choice.axes[:AXES]
    if not axes:
        raise ChartError("there is no axis to draw a trend along", "sweep an axis")
    family = choice.named(choice.family, choice.variants, *axes)
    return trend.trend(choice.cut({"family": family}), choice.headline, axes)


_DISTRIBUTED = ("family", "facet")

KINDS: Mapping[str, tuple[Callable[[_Choice], Figure], tuple[str, ...]]] = {
    "lines": (_lines, ("measure", "x", "family", "facet")),
    "heat": (_heat, ("measure", "x", "y", "facet")),
    "tradeoff": (_tradeoff, ("x", "y", "load", "family", "facet")),
    "ellipses": (lambda choice: ellipses.ellipses(_grouped(choice)), _DISTRIBUTED),
    "cdf": (lambda choice: delays.delays(_grouped(choice), "cdf"), _DISTRIBUTED),
    "tail": (lambda choice: delays.delays(_grouped(choice), "tail"), _DISTRIBUTED),
    "over_time": (_over_time, ("measure",)),
    "trend": (_trend, ("measure", "x", "family")),
    "sensitivity": (lambda choice: sensitivity.sensitivity(choice.view, choice.headline), ("measure",)),
}
"""Every kind of figure: how it is made, and the options that it takes."""
