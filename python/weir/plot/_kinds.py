"""Kinds of figures of a sweep, by name, and the figures on its page.

Dimensions are named by path, last part of the path, or title; `none` as family or facet asks for none.
`where` keeps levels: `{"rate": "10 Mbit/s"}`. The function chooses all that is not named. Every kind raises
ChartError, a ValueError that lists what there is, for a wrong name and where the sweep lacks what the figure
needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import signature

from weir.plot._cut import Where
from weir.plot._figure import Figure, Panel
from weir.plot._maps import heat
from weir.plot._means import lines, trend
from weir.plot._over_time import over_time
from weir.plot._runs import cdf, ellipses, slowdown, tail
from weir.plot._sensitivity import sensitivity
from weir.plot._tradeoff import tradeoff
from weir.scenario import suggestion
from weir.stats import HEADLINE, MEASURES
from weir.sweep import PERIODS, VARIANTS, ChartError, Sweep

_ALL: Sequence[Callable[..., Figure]] = (
    lines, heat, tradeoff, ellipses, cdf, tail, slowdown, over_time, trend, sensitivity,
)  # fmt: skip
KINDS: dict[str, Callable[..., Figure]] = {kind.__name__: kind for kind in _ALL}
"""Functions of all kinds of figures, by name, in the order of a list."""

FEW = ("mean_queue", "delay_p99", "goodput", "loss")
"""Measures that a reader can choose from."""

MAIN = (*HEADLINE, "jain")
"""Measures that a reader can choose from in the figure that shows most."""


def figure(sweep: Sweep, kind: str, *, where: Where | None = None, **options: str | None) -> Figure:
    """Draws one figure. `kind` is one of `KINDS`, also with hyphens; an option that is None is chosen.

    Raises ChartError for a kind, an option or a dimension that is not there, and without data for the kind.

    Example:
        >>> drawn = weir.plot.figure(result, "lines", measure="mean delay")
        >>> drawn.name, drawn.title
        ('delay-mean-by-users', 'Mean delay against users')
    """
    name = _kind_named(kind)
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in options_of(name):
            known = options_of(name)
            hint = suggestion(option, known)
            raise ChartError(
                f"a figure of the kind {name} has no {option}; it has: {', '.join(known)}",
                hint if hint.startswith("did you mean") else None,
            )
    return KINDS[name](sweep, **given, **({"where": where} if where else {}))


def options_of(kind: str) -> list[str]:
    """Names of the options of a kind, without `where`. The kind is one of `KINDS`, also with hyphens.

    Raises ChartError for a kind that is not there.

    Example:
        >>> from weir.plot import options_of
        >>> options_of("cdf"), options_of("over_time")
        (['family', 'facet'], ['measure'])
    """
    options = signature(KINDS[_kind_named(kind)]).parameters
    return [name for name in options if name not in {"sweep", "where"}]


def _kind_named(kind: str) -> str:
    """Name of a kind, which a person may write with hyphens. Raises ChartError if there is none."""
    name = kind.replace("-", "_")
    if name not in KINDS:
        known = [one.replace("_", "-") for one in KINDS]
        raise ChartError(f"there is no kind of figure {kind!r}", suggestion(kind.replace("_", "-"), known))
    return name


def panels_of(sweep: Sweep) -> list[Panel]:
    """Panels of a page, in order. It leaves out figures for which the sweep has no data, such as a map of one
    axis.

    Example:
        >>> [panel.name for panel in weir.plot.panels_of(result)]
        ['panel-lines', 'panel-tradeoff', 'panel-ellipses', 'panel-delays', 'panel-over-time']
    """
    if sweep.observations().is_empty():
        return []
    columns = [d.column for d in sweep.dimensions]
    axes = [column for column in columns if column not in {VARIANTS, *PERIODS}]
    stepwise = sweep.design == "grid"

    def drawn(kind: str, measure: str | None = None, x: str | None = None) -> Figure | None:
        # A figure without data is left out.
        with suppress(ChartError):
            made = figure(sweep, kind, measure=measure, x=x)
            return None if made.rows.is_empty() else made
        return None

    def of(kind: str, measures: Sequence[str], x: str | None = None) -> dict[str, Figure | None]:
        return {MEASURES[name].title: drawn(kind, name, x) for name in measures}

    # The queue, which all variants have, alone; then everything that was recorded.
    queue, every = drawn("over_time", "queue"), drawn("over_time")
    alone = queue and every and queue.rows["panel"].n_unique() == every.rows["panel"].n_unique()
    over_time = {"Queue": queue, "Queue and AQM": None if alone or not queue else every}
    # Of one run, what it did is the first question; of several, how they differ.
    first = len(columns) == 0
    periods = [column for column in columns if column in PERIODS and axes]
    places = {
        **({"over-time": dict(reversed(over_time.items()))} if first else {}),
        "sensitivity": of("sensitivity", FEW),
        "lines": of("lines", MAIN if stepwise else ()),
        "trend": of("trend", () if stepwise else FEW),
        # Without an axis, the lines before are these.
        **{f"lines-{x}": of("lines", HEADLINE, x) for x in periods},
        "heat": of("heat", FEW if axes else ()),
        "tradeoff": {"": drawn("tradeoff")},
        "ellipses": {"": drawn("ellipses")},
        "delays": {"Distribution": drawn("cdf"), "Tail": drawn("tail")},
        "slowdown": {"": drawn("slowdown")},
        **({} if first else {"over-time": over_time}),
    }
    panels: list[Panel] = []
    for name, choices in places.items():
        there = {choice: made for choice, made in choices.items() if made is not None}
        if there:
            panels.append(Panel(f"panel-{name}", tuple(there.values()), tuple(there)))
    return panels


def figures_of(sweep: Sweep) -> list[Figure]:
    """All figures of the page.

    Example:
        >>> [drawn.name for drawn in weir.plot.figures_of(result)][-3:]
        ['delay-tail', 'queue-over-time', 'over-time']
    """
    return [figure for panel in panels_of(sweep) for figure in panel.figures]
