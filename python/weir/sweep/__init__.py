"""Results: runs, comparisons and sweeps, from their definition to their statements.

- What varies: `values` (levels and ranges), `axes`, and `design` (which points, and how
  much each axis matters).
- How long: `until` (when a point has enough replications).
- Doing it: `plan` (points, variants, runs), `chunk` (runs in one go), `workers`, `cluster`,
  `monitor` and `runner` (records, runs and opens).
- What came of it: `recorded` and `view` (`Sweep`: tables, estimates, differences),
  `describe`, `query`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._lazy import first_use

if TYPE_CHECKING:
    from weir.sweep import _describe as describe
    from weir.sweep import _query as query
    from weir.sweep._axes import Axis, AxisError, AxisPart, check_distinct, parsed_axis
    from weir.sweep._chunk import Workers
    from weir.sweep._dimension import (
        PERIODS,
        TIME,
        USERS,
        VARIANTS,
        ChartError,
        Dimension,
        dimension_names,
        find_dimension,
        level_text,
    )
    from weir.sweep._fits import within_limits
    from weir.sweep._interrupts import not_interrupted
    from weir.sweep._limits import memory_refusal
    from weir.sweep._plan import (
        EVALUATION,
        TUNING,
        Axes,
        Plan,
        SweepSpec,
        check_measures,
        define_sweep,
        plan_at_one_point,
    )
    from weir.sweep._query import Rows
    from weir.sweep._runner import (
        OnProgress,
        Progress,
        Tally,
        as_finished,
        execute_plan,
        run_plan,
        unrecorded,
    )
    from weir.sweep._until import planned_looks
    from weir.sweep._values import Range, Scalar, in_unit, scalar_text
    from weir.sweep._view import Sweep
    from weir.sweep._workers import chosen_workers

__all__ = [
    "Axis",
    "AxisError",
    "OnProgress",
    "Plan",
    "Progress",
    "Sweep",
    "SweepSpec",
    "Tally",
    "Workers",
    "chosen_workers",
    "define_sweep",
    "execute_plan",
    "parsed_axis",
]

# A worker that is only started needs no data frames.
__getattr__ = first_use(__name__)
