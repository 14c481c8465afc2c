"""Designs: at which points of its axes a sweep runs, and how much each axis matters.

Elementary effects and Sobol indices take one number per point, the mean over its replications. The randomness
that remains in these means looks like influence: it widens the intervals, and it is part of the total indices
of every axis and of `sigma`. Replications have the same seeds at all points, which takes much of it away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import chain, product
from math import prod
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir._errors import WeirError
from weir.scenario import to_toml
from weir.stats import mean_interval
from weir.sweep._axes import Axis, AxisError, Scalar, check_distinct

Method = Literal["grid", "lhs", "sobol", "morris", "saltelli"]

Assignment = tuple[str, Scalar]
"""Path with its value."""

Cube = NDArray[np.float64]
"""Points as positions on their axes, shape (points, axes), each in [0, 1]."""

MOST_POINTS = 10_000_000

_SEED = 1
"""Seed of the bootstrap, so that equal results have equal intervals."""


class DesignError(WeirError, ValueError):
    """Error about a choice of points that cannot be made or analysed."""


@dataclass(frozen=True)
class Design:
    """Points of a sweep, in order. A design is complete by itself: nothing is drawn again to know them.

    Sampled points may coincide where axes have few levels; a run is a run, and is done once.
    """

    kind: Method
    axes: tuple[Axis, ...]
    rows: tuple[tuple[Assignment, ...], ...]
    """Values of every path at every point, in the order of the axes and their paths."""
    cube: Cube | None = field(default=None, compare=False, repr=False)
    """Positions that were drawn, before they became values; None for a grid."""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Paths of all axes, in the order of `rows`."""
        return tuple(path for axis in self.axes for path in axis.paths)

    def columns(self) -> dict[str, pl.Series]:
        """Values of each path, one per point: numbers in the unit of its axis, or texts."""
        parts = [part for axis in self.axes for part in axis.parts]
        found: dict[str, pl.Series] = {}
        for index, part in enumerate(parts):
            # Few levels, many points: each is read once.
            values = [row[index][1] for row in self.rows]
            drawn = {(type(value), value): part.values.drawn(value) for value in values}
            found[part.path] = pl.Series(
                part.path,
                [drawn[type(value), value] for value in values],
                dtype=pl.Float64 if part.values.numeric else pl.String,
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "kind": self.kind,
            "axes": [axis.to_json() for axis in self.axes],
            "cube": None if self.cube is None else self.cube.tolist(),
        }

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Design:
        """Reads a design from the document that `to_json` wrote: equal points, whatever a sampler would draw
        by now."""
        axes = tuple(Axis.from_json(axis) for axis in document["axes"])
        if document["kind"] == "grid":
            return grid(axes)
        cube = np.array(document["cube"], dtype=np.float64)
        return _sampled(document["kind"], axes, cube)


def settings(
    values: Iterable[Assignment], tables: Mapping[str, Mapping[str, Any]] | None = None
) -> list[tuple[str, str]]:
    """Settings of a scenario for these values: paths with TOML.

    The name of a choice, such as `cubic`, is the table of that name: the one in `tables`, by path and
    name. The core takes other names as an empty table.
    """
    found: list[tuple[str, str]] = []
    for path, value in values:
        table = (tables or {}).get(path, {}).get(str(value))
        found.append((path, to_toml(value)) if table is None else (f"{path}.{value}", to_toml(table)))
    return found


def is_choice(path: str) -> bool:
    """Returns true if the path holds one of several tables: a congestion control, a queue discipline."""
    return any(place == path for place, _ in _core.choices_of(f"{path}.x"))


def names_choice(value: Scalar) -> bool:
    """Returns true if the value is a name. Where a choice stands there may also be a number with its unit."""
    return isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9-]*", value) is not None


def grid(axes: Sequence[Axis]) -> Design:
    """Every combination of levels, the last axis fastest. Without axes, one point.

    Raises AxisError for a range, which has no levels.
    """
    check_distinct(axes)
    levels: list[list[tuple[Assignment, ...]]] = []
    for axis in axes:
        if axis.levels is None:
            raise AxisError(
                "a range has no levels for a grid",
                "add `in 5` for five values, or `by` and a step; or sample it: --samples N",
                axis.column,
            )
        levels.append([tuple(zip(axis.paths, row, strict=True)) for row in axis.levels])
    _check_size(prod(len(each) for each in levels))
    rows = tuple(tuple(chain.from_iterable(point)) for point in product(*levels))
    return Design("grid", tuple(axes), rows)


def lhs(axes: Sequence[Axis], n: int, seed: int) -> Design:
    """A Latin hypercube: cut any axis into n equal parts, and each has one of the n points.

    Raises DesignError, AxisError.
    """
    _check(axes, n, seed)
    qmc: Any = import_module("scipy.stats.qmc")
    cube = qmc.LatinHypercube(d=len(axes), seed=np.random.default_rng(seed)).random(n)
    return _sampled("lhs", axes, cube)


def sobol(axes: Sequence[Axis], n: int, seed: int) -> Design:
    """The first n points of a Sobol sequence, scrambled by the seed.

    Best balanced where n is a power of two. The points of a smaller n are the first of a larger
    one, so that a sweep can grow without losing a run. Raises DesignError, AxisError.
    """
    _check(axes, n, seed)
    qmc: Any = import_module("scipy.stats.qmc")
    sequence = qmc.Sobol(d=len(axes), scramble=True, seed=np.random.default_rng(seed))
    # Asked for n points that are no power of two, scipy warns of what the docstring says.
    cube = sequence.random_base2((n - 1).bit_length())[:n]
    return _sampled("sobol", axes, cube)


def morris(axes: Sequence[Axis], trajectories: int, seed: int, levels: int = 4) -> Design:
    """Morris' trajectories: each changes one axis after the other, by about half its extent.

    `trajectories` times (axes + 1) points on a lattice of `levels` positions per axis, an even
    number; for `sensitivity.indices`. Raises DesignError, also where SALib is missing, AxisError.
    """
    _check(axes, trajectories * (len(axes) + 1), seed)
    _check_varied(axes)
    if trajectories < 2:
        raise DesignError("a single trajectory shows no spread", "write at least 2 trajectories; 10 is usual")
    if levels < 2 or levels % 2:
        raise DesignError(f"{levels} levels; Morris' lattice needs an even number of positions", "4 is usual")
    half = levels // 2
    for axis in axes:
        if any(axis.at(n / (levels - 1)) == axis.at((n + half) / (levels - 1)) for n in range(half)):
            raise AxisError("so few whole numbers make no logarithmic lattice", "list them", axis.column)
    sampler = salib("SALib.sample.morris")
    drawn = sampler.sample(problem(axes), trajectories, num_levels=levels, seed=seed)
    # Back to the lattice, from which sums of thirds have strayed by a rounding.
    cube = np.round(np.asarray(drawn) * (levels - 1)) / (levels - 1)
    return _sampled("morris", axes, cube)


def saltelli(axes: Sequence[Axis], n: int, seed: int) -> Design:
    """Saltelli's scheme for Sobol indices of first order and in total: n times (axes + 2) points.

    n is a power of two; for `sensitivity.indices`. Raises DesignError, also where SALib is
    missing, AxisError.
    """
    _check(axes, n * (len(axes) + 2), seed)
    _check_varied(axes)
    if n < 2 or n & (n - 1):
        below = 1 << max(1, n.bit_length() - 1)
        raise DesignError(
            f"{n} base points; Saltelli's scheme needs a power of two", f"write {below} or {2 * below}"
        )
    sampler = salib("SALib.sample.sobol")
    generator = np.random.default_rng(seed)
    cube = sampler.sample(problem(axes), n, calc_second_order=False, seed=generator)
    return _sampled("saltelli", axes, np.asarray(cube))


def salib(module: str) -> Any:  # noqa: ANN401 (it has no types of its own)
    """Imports a module of SALib, which is an extra. Raises DesignError if it is missing."""
    try:
        return import_module(module)
    except ImportError:
        raise DesignError("sensitivity designs need SALib", "pip install 'weir-aqm[sensitivity]'") from None


def problem(axes: Sequence[Axis]) -> dict[str, Any]:
    """Description of the unit cube for SALib."""
    return {
        "num_vars": len(axes),
        "names": [axis.column for axis in axes],
        "bounds": [[0.0, 1.0]] * len(axes),
    }


def _sampled(kind: Method, axes: Sequence[Axis], cube: Cube) -> Design:
    columns: list[list[tuple[Assignment, ...]]] = []
    for axis, positions in zip(axes, cube.T.tolist(), strict=True):
        # On a lattice or with levels, few settings serve many points.
        known: dict[float, tuple[Assignment, ...]] = {}
        columns.append(
            [
                known.get(u) or known.setdefault(u, tuple(zip(axis.paths, axis.at(u), strict=True)))
                for u in positions
            ]
        )
    rows = tuple(tuple(chain.from_iterable(point)) for point in zip(*columns, strict=True))
    return Design(kind, tuple(axes), rows, cube)


def _check(axes: Sequence[Axis], points: int, seed: int) -> None:
    if not axes:
        raise DesignError(
            "there is nothing to sample", 'add an axis: --axis "links.bottleneck.rate=5..50 Mbit/s"'
        )
    check_distinct(axes)
    if points < 1:
        raise DesignError(f"{points} points; there must be at least one")
    if seed < 0:
        raise DesignError(f"the seed {seed} is negative")
    _check_size(points)


def _check_size(points: int) -> None:
    if points > MOST_POINTS:
        raise DesignError(
            f"{points:,} points are more than {MOST_POINTS:,}",
            "use fewer levels or samples, or sample the axes instead of crossing them: --samples N",
        )


def _check_varied(axes: Sequence[Axis]) -> None:
    for axis in axes:
        if axis.levels is not None and len(axis.levels) < 2:
            raise AxisError("a single value has no influence", "give at least two", axis.column)


def indices(design: Design, outputs: Cube) -> pl.DataFrame:
    """Sensitivity indices: one row per axis, in their order. `outputs` has one value per point of the design.

    Columns of a `morris` design, in the unit of the outputs and per full extent of the axis: axis (its first
    path), mu_star (mean of the sizes of the elementary effects), mu_star_half_width (95%), mu (their mean,
    with sign), sigma (their standard deviation: large where the effect depends on the other axes or is not
    linear).

    Columns of a `saltelli` design, as shares of the variance: axis, first (explained by the axis alone),
    first_half_width (95%), total (with everything it has a part in), total_half_width.

    All are zero where the outputs do not vary, and null where the points cannot tell. Raises
    DesignError for another design and for missing outputs.
    """
    if design.kind not in {"morris", "saltelli"}:
        raise DesignError(
            f"a {design.kind} design does not show how much each axis matters",
            "sample with --method morris, or with --method saltelli",
        )
    outputs = np.asarray(outputs, dtype=np.float64)
    if outputs.shape != (len(design),):
        raise DesignError(f"{outputs.size} outputs for {len(design)} points")
    missing = np.flatnonzero(~np.isfinite(outputs))
    if missing.size:
        raise DesignError(
            f"{missing.size} of {len(design)} points have no value, the first of them point {missing[0]}",
            "sensitivity needs a value at every point: finish the sweep, or choose another measure",
        )
    return _morris(design, outputs) if design.kind == "morris" else _saltelli(design, outputs)


def _morris(design: Design, outputs: Cube) -> pl.DataFrame:
    effects = _elementary_effects(design, outputs)
    # The trajectories are independent, so an ordinary t interval serves, where a bootstrap of
    # ten values would be too narrow.
    intervals = [mean_interval(np.abs(row)) for row in effects]
    return _frame(
        design,
        mu_star=[interval.mean for interval in intervals],
        mu_star_half_width=[interval.half_width for interval in intervals],
        mu=effects.mean(axis=1).tolist(),
        sigma=effects.std(axis=1, ddof=1).tolist(),
    )


def _elementary_effects(design: Design, outputs: Cube) -> Cube:
    """Change of the output per full extent of the axis, shape (axes, trajectories)."""
    axes = len(design.axes)
    assert design.cube is not None, "only a grid has none"
    drawn = design.cube.reshape(-1, axes + 1, axes)
    positions = _positions(design, design.cube).reshape(drawn.shape)
    rises = np.diff(outputs.reshape(-1, axes + 1), axis=1)
    effects = np.empty((axes, len(rises)))
    # Each step of a trajectory moves one axis, in an order of its own.
    moved = np.abs(np.diff(drawn, axis=1)).argmax(axis=2)
    steps = np.take_along_axis(np.diff(positions, axis=1), moved[..., np.newaxis], axis=2)[..., 0]
    np.put_along_axis(effects.T, moved, rises / steps, axis=1)
    return effects


def _positions(design: Design, cube: Cube) -> Cube:
    """Positions of the points on their axes, 0 to 1: levels evenly spaced, ranges as drawn.

    The lattice moves every axis by the same share, but an axis with two levels can only jump
    from one to the other: it must not seem to have done so in a shorter step.
    """
    columns = zip(design.axes, cube.T.tolist(), strict=True)
    return np.array([[axis.parts[0].values.position(u) for u in column] for axis, column in columns]).T


def _saltelli(design: Design, outputs: Cube) -> pl.DataFrame:
    axes = len(design.axes)
    nothing: list[float | None] = [0.0 if np.ptp(outputs) == 0.0 else None] * axes
    base = outputs.reshape(-1, axes + 2)[:, [0, -1]]
    if np.ptp(base) == 0.0:
        # Nothing varies, or only where the base points do not see it.
        return _frame(
            design, first=nothing, first_half_width=nothing, total=nothing, total_half_width=nothing
        )
    # Its resamples are all in memory at once.
    resamples = min(1000, max(50, 20_000_000 // len(base)))
    found: Any = salib("SALib.analyze.sobol").analyze(
        problem(design.axes), outputs, calc_second_order=False, num_resamples=resamples, seed=_SEED
    )
    return _frame(
        design,
        first=found["S1"].tolist(),
        first_half_width=found["S1_conf"].tolist(),
        total=found["ST"].tolist(),
        total_half_width=found["ST_conf"].tolist(),
    )


def _frame(design: Design, **columns: list[Any]) -> pl.DataFrame:
    axes = [axis.column for axis in design.axes]
    schema = {"axis": pl.String} | dict.fromkeys(columns, pl.Float64)
    return pl.DataFrame({"axis": axes, **columns}, schema=schema).fill_nan(None)
