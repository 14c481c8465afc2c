"""How much each axis matters: elementary effects and Sobol indices.

Both take one number per point, the mean over its replications. What chance remains in these
means looks like influence: it widens the intervals, and it is part of the total indices of every
axis and of `sigma`. Replications have the same seeds at all points, which takes much of it away.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.stats._intervals import mean_interval
from weir.sweep._design import Design, DesignError, problem, salib

Values = NDArray[np.float64]

_SEED = 1
"""Of the bootstrap, so that the same results have the same intervals."""


def indices(design: Design, outputs: Values) -> pl.DataFrame:
    """One row per axis, in their order; `outputs` has one value per point of the design.

    Of a `morris` design, in the unit of the outputs and per full extent of the axis: axis (its
    first path), mu_star (mean of the sizes of the elementary effects), mu_star_half_width (95%),
    mu (their mean, with sign), sigma (their standard deviation: large where the effect depends
    on the other axes or is not linear).

    Of a `saltelli` design, as shares of the variance: axis, first (explained by the axis alone),
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


def _morris(design: Design, outputs: Values) -> pl.DataFrame:
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


def _elementary_effects(design: Design, outputs: Values) -> Values:
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


def _positions(design: Design, cube: Values) -> Values:
    """Where the points stand on their axes, 0 to 1: levels evenly spaced, ranges as drawn.

    The lattice moves every axis by the same share, but an axis with two levels can only jump
    from one to the other: it must not seem to have done so in a shorter step.
    """
    columns = zip(design.axes, cube.T.tolist(), strict=True)
    return np.array([[axis.parts[0].values.position(u) for u in column] for axis, column in columns]).T


def _saltelli(design: Design, outputs: Values) -> pl.DataFrame:
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
