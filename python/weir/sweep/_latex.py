"""Tables for LaTeX with the rules of `booktabs`: of rows, and of estimates as they are shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import polars as pl

from weir.stats import Cell, Grid

_NEEDS = "% \\usepackage{booktabs}\n"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}

_UNDEFINED = "--"

_DIGITS = 6


def of_rows(frame: pl.DataFrame) -> str:
    """LaTeX table of all rows and columns; a dash for a value that is not defined."""
    kinds = frame.dtypes
    columns = "".join("r" if kind.is_numeric() else "l" for kind in kinds)
    return _NEEDS + _tabular(columns, frame.columns, (map(_value, row) for row in frame.iter_rows()))


def of_grids(grids: Sequence[Grid]) -> str:
    """LaTeX tables of estimates, one below the other: a row of each for each of theirs."""
    made: list[str] = []
    for grid in grids:
        rows = ((_text(re.sub(r" {2,}", ", ", label)), *map(_cell, cells)) for label, cells in grid.rows)
        table = _tabular("l" + "r" * len(grid.columns), ("", *grid.columns), rows)
        made.append(f"% {grid.title}\n{table}" if grid.title.strip() else table)
    return _NEEDS + "\n".join(made)


def _tabular(columns: str, heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        _row(map(_text, heads)),
        "\\midrule",
        *map(_row, rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Iterable[str]) -> str:
    line = " & ".join(cells)
    # What begins with a bracket would be an argument of the end of the line before.
    return f"{{}}{line} \\\\" if line.startswith("[") else f"{line} \\\\"


def _text(text: str) -> str:
    """Text on one line, for LaTeX: names of variants may have any character."""
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def _cell(cell: Cell) -> str:
    try:
        mean = float(cell.mean)
    except ValueError:
        return _text(str(cell))
    sign = cell.interval.partition("±")[2]
    return f"${cell.mean} \\pm {sign}$" if sign else _number(cell.mean, mean)


def _value(value: object) -> str:
    if value is None:
        return _UNDEFINED
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _text(str(value))
    if math.isnan(value):
        return _UNDEFINED
    if math.isinf(value):
        return "$\\infty$" if value > 0 else "$-\\infty$"
    return _number(f"{value:.{_DIGITS}g}" if isinstance(value, float) else str(value), value)


def _number(text: str, value: float) -> str:
    digits, exponent, power = text.partition("e")
    if exponent:
        return f"${digits} \\times 10^{{{int(power)}}}$"
    return f"${text}$" if value < 0 or text.startswith("-") else text
