"""Results: runs, comparisons and sweeps, from their definition to their statements.

- What varies: `values` (levels and ranges), `reading` (how they are written), `axes`, and
  `design` (which points).
- How long: `until` (when a point has enough replications).
- Doing it: `define` and `plan` (points, variants, runs), `chunk`, `workers` and `cluster`, `runner`
  and `monitor`. `execute` records, runs and opens.
- What came of it: `recorded` and `view` (`Sweep`: tables, estimates, differences), `grids`,
  `describe`, `query`, `sensitivity` (how much each axis matters).
"""
