"""Maps of stability: sigma, margins, period and deviation over two variables, the operating point anew in
every cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from weir.theory._aqms import AdaptiveRed, Integrator
from weir.theory._margins import grid, margins_of
from weir.theory._noise import Noise
from weir.theory._plant import QueueLoop, loop_of
from weir.theory._point import System, operating_point
from weir.theory._roots import roots_of
from weir.theory._utility import TheoryError, require

SIZE = 40
PER_DECADE = 150
"""Frequencies per decade in the analysis of a cell: the roots decide, and margins are drawn as contours."""

DEGREE = 12
"""Degree of the collocation in a cell. Newton's method makes its roots exact."""

AXES = {
    "N": "Flows",
    "C": "Capacity (packets/s)",
    "R": "Propagation round trip (s)",
    "target": "Target (packets)",
    "gain": "Gain (factor)",
    "w_q": "Weight of the average",
    "max_p": "max_p",
    "min_th": "min_th (packets)",
    "max_th": "max_th (packets)",
    "k": "k of HRED",
    "alpha": "alpha of AVQ (1/s)",
    "gamma": "gamma of AVQ",
}
"""Titles of the variables of a map: N, C and R of the flows and the link, and parameters of the AQM. `gain`
multiplies both gains of an integrator."""


@dataclass(frozen=True)
class RegionAxis:
    """A variable and its levels, in order."""

    name: str
    values: tuple[float, ...]

    @staticmethod
    def of(text: str, size: int = SIZE) -> RegionAxis:
        """Reads an axis such as `N=10..200`, with logarithmic levels. Raises TheoryError.

        Example:
            >>> from weir.theory import RegionAxis
            >>> [round(value) for value in RegionAxis.of("N=10..1000", 3).values]
            [10, 100, 1000]
        """
        require(size >= 1, f"an axis of {size} levels", "one or more")
        name, _, span = text.partition("=")
        low, dots, high = span.partition("..")
        example = "--x N=10..200"
        require(
            name.strip() in AXES, f"{name!r} is nothing to vary", f"there are: {', '.join(AXES)}; {example}"
        )
        try:
            ends = float(low), float(high)
        except ValueError:
            raise TheoryError(f"{text!r} is no range", example) from None
        require(bool(dots) and 0.0 < ends[0] < ends[1], f"{text!r} is no range above zero", example)
        return RegionAxis(name.strip(), tuple(np.geomspace(*ends, size).tolist()))

    @property
    def title(self) -> str:
        """Title of the axis in a picture."""
        return AXES[self.name]


@dataclass(frozen=True)
class Region:
    """Map of stability over two variables."""

    system: System
    x: RegionAxis
    y: RegionAxis
    cells: pl.DataFrame
    """Cells of the map, one row each. Columns are x, y, sigma (1/s), gain_margin, period (s), queue and
    deviation (packets), note (why there is no number)."""

    @property
    def stable(self) -> float:
        """Fraction of stable cells, of those with an operating point."""
        known = self.cells.filter(pl.col("sigma").is_not_null())
        return float((known["sigma"] < 0.0).mean() or 0.0)  # type: ignore[arg-type]


def varied(system: System, name: str, value: float) -> System:
    """The system with another value. Flows keep the shares of their groups, round trips their ratios.

    Raises TheoryError for a parameter that its AQM does not have.
    """
    groups, aqm = system.groups, system.aqm
    match name:
        case "N":
            total = sum(group.flows for group in groups)
            return replace(system, groups=tuple(replace(g, flows=g.flows * value / total) for g in groups))
        case "R":
            total = sum(group.flows for group in groups)
            mean = sum(group.flows * group.delay for group in groups) / total
            require(mean > 0.0, "a delay of zero has no multiple", "give the flows a round trip")
            return replace(system, groups=tuple(replace(g, delay=g.delay * value / mean) for g in groups))
        case "C":
            share = value / system.capacity
            return replace(system, capacity=value, unresponsive=system.unresponsive * share)
        case "gain" if isinstance(aqm, Integrator):
            return replace(system, aqm=replace(aqm, now=aqm.now * value, before=aqm.before * value))
        case "target" if isinstance(aqm, Integrator):
            aim = value / system.capacity if aqm.by_delay else value
            return replace(system, aqm=replace(aqm, target=aim))
        case _:
            inner: Any = aqm.red if isinstance(aqm, AdaptiveRed) else aqm
            require(hasattr(inner, name), f"{aqm.name} has no {name}", "N, C, R, or a parameter that it has")
            changed = replace(inner, **{name: value})
            return replace(system, aqm=replace(aqm, red=changed) if isinstance(aqm, AdaptiveRed) else changed)


def region(
    system: System,
    x: RegionAxis,
    y: RegionAxis,
    *,
    workers: int = 2,
    progress: Callable[[float], None] | None = None,
) -> Region:
    """Analyses every cell, on so many processes. Raises TheoryError for axes that the system does not
    have, for one without levels, and without a process.

    Example:
        >>> from weir.theory import RegionAxis, region, system_of
        >>> system = system_of(scenario.variant("rem-mark")).system
        >>> found = region(system, RegionAxis.of("N=2..8", 2), RegionAxis.of("R=0.05..0.2", 2), workers=1)
        >>> found.cells.select("x", "y", "gain_margin").to_numpy().round(1).tolist()
        [[2.0, 0.0, 17.9], [8.0, 0.0, 363.1], [2.0, 0.2, 0.3], [8.0, 0.2, 5.5]]
    """
    require(x.name != y.name, f"both axes are {x.name}", "two different ones")
    require(workers >= 1, f"{workers} processes analyse nothing", "one or more")
    for axis in (x, y):
        require(bool(axis.values), f"the axis {axis.name} has no levels", "write for example N=10..200")
        varied(system, axis.name, axis.values[0])
    rows = [(system, x.name, y.name, x.values, value) for value in y.values]
    cells: list[Mapping[str, Any]] = []
    if workers > 1:
        with ProcessPoolExecutor(workers) as pool:
            for k, row in enumerate(pool.map(_row, rows, chunksize=4)):
                cells += row
                if progress:
                    progress((k + 1) / len(rows))
    else:
        for row in map(_row, rows):
            cells += row
    schema = dict.fromkeys(("x", "y", "sigma", "gain_margin", "period", "queue", "deviation"), pl.Float64)
    return Region(system, x, y, pl.DataFrame(cells, schema={**schema, "note": pl.String}))


def _row(task: tuple[System, str, str, Sequence[float], float]) -> list[dict[str, Any]]:
    system, x, y, values, up = task
    return [_cell(system, x, y, across, up) for across in values]


def _cell(system: System, x: str, y: str, across: float, up: float) -> dict[str, Any]:
    found: dict[str, Any] = {"x": across, "y": up, "note": None}
    try:
        changed = varied(varied(system, x, across), y, up)
        point = operating_point(changed)
        loop = loop_of(changed, point)
        roots = roots_of(loop, DEGREE)
    except TheoryError as error:
        return {**found, "note": error.message}
    found |= {"sigma": roots.growth, "queue": point.queue, "period": roots.period}
    margin = margins_of(loop, PER_DECADE, 8).gain_margin
    found["gain_margin"] = math.inf if margin is None else margin
    if roots.stable and isinstance(loop, QueueLoop):
        frequencies = grid(loop, PER_DECADE)
        found["deviation"] = Noise(frequencies, loop.noise(frequencies)).deviation
    return found
