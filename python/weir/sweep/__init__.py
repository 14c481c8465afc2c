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
    from weir.sweep._axes import Axis, AxisError, parse
    from weir.sweep._chunk import Workers
    from weir.sweep._plan import Plan, SweepSpec, define_sweep
    from weir.sweep._runner import OnProgress, Progress, Tally, execute_plan
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
    "parse",
]

# A worker that is only started needs no data frames.
__getattr__ = first_use(__name__, __all__, ("_axes", "_chunk", "_workers", "_plan", "_runner", "_view"))
