"""The kinds of figures of a sweep: what the caller names, and a choice for what is not named.

Dimensions are named by path, last part of the path, or title; `none` as family or facet asks for
none. `where` keeps levels: `{"rate": "10 Mbit/s"}`. Every function raises ChartError, a ValueError
that lists what there is, for a wrong name and where the sweep lacks what the figure needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from inspect import signature
from typing import Concatenate, ParamSpec

from weir.plot import (
    _delays,
    _ellipses,
    _heat,
    _lines,
    _over_time,
    _sensitivity,
    _slowdown,
    _tradeoff,
    _trend,
)
from weir.plot._cut import FACETS, NONE, Cut, Role, Where, cut
from weir.plot._figure import Figure
from weir.plot._parts import caption
from weir.stats.measures import HEADLINE
from weir.sweep.dimension import PERIODS, USERS, VARIANTS, ChartError, Dimension, find, listed
from weir.sweep.view import Sweep

AXES = 12
"""Panels of a trend at most."""

Options = ParamSpec("Options")
Kind = Callable[Concatenate[Sweep, Options], Figure]

KINDS: dict[str, Callable[..., Figure]] = {}
"""Every kind of figure by name, in the order of a list."""


def figure(sweep: Sweep, kind: str, *, where: Where | None = None, **options: str | None) -> Figure:
    """One figure. `kind` is one of `KINDS`; an option that is None is chosen."""
    name = kind.replace("-", "_")
    if name not in KINDS:
        raise ChartError(f"there is no kind of figure {kind!r}; there are: {', '.join(KINDS)}")
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in options_of(name):
            raise ChartError(
                f"a figure of the kind {name} has no {option}; it has: {', '.join(options_of(name))}"
            )
    return KINDS[name](sweep, **given, **({"where": where} if where else {}))


def options_of(kind: str) -> list[str]:
    """The options of a kind, without `where`."""
    return [name for name in signature(KINDS[kind]).parameters if name not in {"sweep", "where"}]


def _kind(build: Kind[Options]) -> Kind[Options]:
    """Registers a kind; its captions say how much of the sweep is not finished."""

    @wraps(build)
    def drawn(sweep: Sweep, /, *args: Options.args, **options: Options.kwargs) -> Figure:
        if sweep.observations().is_empty():
            raise ChartError("no run is finished: there is nothing to draw")
        made = build(sweep, *args, **options)
        return replace(made, caption=caption(made.caption, _unfinished(sweep)))

    KINDS[build.__name__] = drawn
    return drawn


def _unfinished(sweep: Sweep) -> str:
    left = sweep.unfinished
    if not left:
        return ""
    every = f"{len(sweep.configurations):,} configurations (a variant at a point)"
    return f"{left:,} of {every} {'is' if left == 1 else 'are'} not finished."


@_kind
def lines(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    family: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """A measure over one dimension with bands; colours by a second, panels by a third."""
    choice = _Choice(sweep, where or {})
    x_ = choice.named(x, [*choice.levelled, *choice.periods, *choice.variants])
    if x_ is None or not x_.values:
        raise ChartError("a line needs levels to go through, and nothing varies in steps", "draw a trend")
    family_ = choice.named(family, [*choice.variants, *choice.levelled, *choice.periods], x_)
    facet_ = choice.named(facet, choice.panels, x_, family_)
    return _lines.lines(choice.cut({"x": x_, "family": family_, "facet": facet_}), measure or HEADLINE[0])


@_kind
def heat(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """A measure over two dimensions, as colour."""
    choice = _Choice(sweep, where or {})
    # The side that was named is not free for the other.
    asked = [find(sweep.dimensions, name) for name in (x, y) if name]
    x_ = choice.named(x, [*choice.axes, *choice.periods], *asked)
    y_ = choice.named(y, [*choice.axes, *choice.periods], x_)
    if x_ is None or y_ is None:
        raise ChartError(
            f"a map needs two axes; there are: {listed(sweep.dimensions)}",
            "sweep a second axis, or draw lines",
        )
    facet_ = choice.named(facet, [*choice.variants, *choice.panels], x_, y_)
    return _heat.heat(choice.cut({"x": x_, "y": y_, "facet": facet_}), measure or HEADLINE[0])


@_kind
def tradeoff(
    sweep: Sweep,
    y: str | None = None,
    x: str | None = None,
    *,
    load: str | None = None,
    family: str | None = None,
    facet: str | None = None,
    where: Where | None = None,
) -> Figure:
    """Measure y against measure x along a growing load: mean delay against loss."""
    choice = _Choice(sweep, where or {})
    # How many flows there are is the plainest load.
    numbers = sorted((d for d in choice.levelled if d.numeric), key=lambda d: not d.column.endswith(".count"))
    grows = choice.named(load, [*(d for d in choice.periods if d.column == USERS), *numbers])
    if grows is None:
        raise ChartError(
            "a trade-off is drawn along a load that grows in steps, and none does",
            "sweep a number with levels, or give the scenario periods with more and more users",
        )
    if not grows.numeric:
        raise ChartError(f"{grows.title} is not a number and cannot grow", "name another load")
    family_ = choice.named(family, [*choice.variants, *choice.levelled], grows)
    facet_ = choice.named(facet, choice.panels, grows, family_)
    placed = choice.cut({"load": grows, "family": family_, "facet": facet_})
    return _tradeoff.tradeoff(placed, x or "loss", y or "delay_mean")


@_kind
def ellipses(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Delay and goodput, a dot per run, with ellipses of one standard deviation."""
    return _ellipses.ellipses(_Choice(sweep, where or {}).grouped(family, facet))


@_kind
def cdf(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Distribution of the queueing delay."""
    return _delays.delays(_Choice(sweep, where or {}).grouped(family, facet), "cdf")


@_kind
def tail(
    sweep: Sweep, *, family: str | None = None, facet: str | None = None, where: Where | None = None
) -> Figure:
    """Share of packets that waited longer, logarithmic."""
    return _delays.delays(_Choice(sweep, where or {}).grouped(family, facet), "tail")


@_kind
def slowdown(sweep: Sweep, *, family: str | None = None, where: Where | None = None) -> Figure:
    """Slowdown of transfers by their size: median and 99th percentile."""
    return _slowdown.slowdown(_Choice(sweep, where or {}).grouped(family, NONE))


@_kind
def over_time(sweep: Sweep, measure: str | None = None, *, where: Where | None = None) -> Figure:
    """What was recorded of the queue and its AQM, replication 0 of the first point kept.

    `measure` is a recorded variable, or several with commas. Default: all of them.
    """
    return _over_time.over_time(_Choice(sweep, where or {}).cut({}), measure.split(",") if measure else ())


@_kind
def trend(
    sweep: Sweep,
    measure: str | None = None,
    *,
    x: str | None = None,
    family: str | None = None,
    where: Where | None = None,
) -> Figure:
    """A measure along an axis that is sampled, or along every axis."""
    choice = _Choice(sweep, where or {})
    axes = [find(sweep.dimensions, x)] if x else choice.axes[:AXES]
    if not axes:
        raise ChartError("there is no axis to draw a trend along", "sweep an axis")
    family_ = choice.named(family, choice.variants, *axes)
    return _trend.trend(choice.cut({"family": family_}), measure or HEADLINE[0], axes)


@_kind
def sensitivity(sweep: Sweep, measure: str | None = None) -> Figure:
    """How much each axis matters, of a `morris` or `saltelli` design."""
    return _sensitivity.sensitivity(sweep, measure or HEADLINE[0])


@dataclass(frozen=True)
class _Choice:
    """The dimensions that there are to choose from."""

    sweep: Sweep
    where: Where

    @cached_property
    def varying(self) -> list[Dimension]:
        """Dimensions with more than the one level that `where` leaves."""
        fixed = {
            find(self.sweep.dimensions, name).column
            for name, levels in self.where.items()
            if isinstance(levels, str | int | float) or len(levels) == 1
        }
        return [d for d in self.sweep.dimensions if d.column not in fixed and len(d.values) != 1]

    @property
    def axes(self) -> list[Dimension]:
        return [d for d in self.varying if d.column not in {VARIANTS, *PERIODS}]

    @property
    def levelled(self) -> list[Dimension]:
        """Axes that are not sampled continuously."""
        return [d for d in self.axes if d.values]

    @property
    def panels(self) -> list[Dimension]:
        """Axes with so few levels that there can be a panel for each."""
        return [d for d in self.levelled if len(d.values) <= FACETS]

    @property
    def periods(self) -> list[Dimension]:
        return [d for d in self.varying if d.column in PERIODS]

    @property
    def variants(self) -> list[Dimension]:
        return [d for d in self.varying if d.column == VARIANTS]

    def named(
        self, name: str | None, otherwise: Sequence[Dimension], *taken: Dimension | None
    ) -> Dimension | None:
        """The dimension of this name; without a name the first that is not taken, if any."""
        if name is None:
            return next((dimension for dimension in otherwise if dimension not in taken), None)
        return None if name == NONE else find(self.sweep.dimensions, name)

    def grouped(self, family: str | None, facet: str | None) -> Cut:
        """Families and panels of a figure that has no dimension along its sides."""
        family_ = self.named(family, [*self.variants, *self.levelled])
        return self.cut({"family": family_, "facet": self.named(facet, self.panels, family_)})

    def cut(self, roles: Mapping[Role, Dimension | None]) -> Cut:
        for role, dimension in roles.items():
            if dimension is not None and not dimension.values and role not in {"x", "y"}:
                raise ChartError(
                    f"{dimension.title} is sampled continuously: as {role} it would have no levels",
                    "draw a trend over it",
                )
        return cut(self.sweep, roles, self.where)
