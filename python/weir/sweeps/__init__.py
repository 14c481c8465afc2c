"""Sweeps: an experiment at many points, from its definition to its statements.

- What varies: `values` (levels and ranges), `reading` (how they are written), `axes`, and
  `design` (which points).
- How long: `until` (when a point has enough replications).
- Doing it: `define` and `plan` (points, arms, runs), `chunk`, `workers` and `cluster`, `runner`
  and `watch`.
- What came of it: `view` (the sweep as tables), `sensitivity` (how much each axis matters).
"""
