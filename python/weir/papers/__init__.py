"""The five papers done again: what they claim, what runs say, with intervals.

- `paper`: what a reproduction consists of; `registry` has the five of them
- `data`, `quantities`, `claims`, `maps`: from finished runs to verdicts
- `curves`: from finished runs to figures; drawn by `weir.charts.study`
- `reproduce`: doing the runs and putting all of it together; written by `weir.report.reproduction`
- a package per paper: its experiments, claims and figures. Its scenarios are in `weir/scenarios/papers`.
"""
