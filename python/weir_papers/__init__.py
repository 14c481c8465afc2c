"""Five papers reproduced: what they claim, and what runs say, with intervals.

A folder per paper has its texts and settings as data (`paper.toml`, `claims.toml`, `figures.toml`). It also
has what computes from runs (`checks.py`, `quantities.py`, `figures.py`, `tables.py`). `reading` joins them.

- `registry`: the papers by their keys; `paper`: what a reproduction consists of
- `data`, `quantities`, `claims`, `maps`: from finished runs to verdicts
- `curves`, `verdicts`: from finished runs to figures; `ns2`: what ns-2.35 measured
- `reproduce`: does the runs and judges by them; `pages`: HTML and Markdown
- `command`, `reproducing`: the verb `weir reproduce`
- `scenarios`: scenario files, found as `papers/NAME`
"""
