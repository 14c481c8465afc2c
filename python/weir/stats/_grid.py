"""Tables of estimates, for terminal and page alike, and as plain text that fits the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from weir.stats import wording
from weir.stats._measures import MEASURES

_GAP = 2


@dataclass(frozen=True)
class Cell:
    """`20.4` and `±0.3`."""

    mean: str
    interval: str = ""

    def __str__(self) -> str:
        return self.mean + self.interval


@dataclass(frozen=True)
class Grid:
    """A table with a head."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def cells(rows: pl.DataFrame) -> list[Cell]:
    """A cell for each row of estimates."""
    return [
        Cell(
            wording.number(row["mean"], MEASURES[row["measure"]].decimals),
            wording.plus_minus(row["half_width"], MEASURES[row["measure"]].decimals),
        )
        for row in rows.iter_rows(named=True)
    ]


def render(grid: Grid, width: int) -> str:
    """The grid in at most `width` columns where that is possible.

    Intervals stand beside the means where there is room and below them where there is not;
    columns that still do not fit go into further blocks.
    """
    labels = max(len(label) for label, _ in grid.rows)
    beside = [[str(cell) for cell in cells] for _, cells in grid.rows]
    if labels + sum(_widths(grid.columns, beside)) <= width:
        lines = _block(grid, [[text] for text in beside], labels, slice(None))
        return "\n".join([grid.title, *lines])
    stacked = [[[c.mean for c in cells], _intervals(cells)] for _, cells in grid.rows]
    widths = _widths(grid.columns, [line for lines in stacked for line in lines])
    blocks: list[str] = []
    first = 0
    while first < len(widths):
        last, used = first, labels
        while last < len(widths) and (last == first or used + widths[last] <= width):
            used += widths[last]
            last += 1
        blocks.append("\n".join(_block(grid, stacked, labels, slice(first, last))))
        first = last
    return f"{grid.title}\n" + "\n\n".join(blocks)


def _intervals(cells: Sequence[Cell]) -> list[str]:
    return [cell.interval for cell in cells]


def _widths(columns: Sequence[str], lines: list[list[str]]) -> list[int]:
    """Of each column, the gap before it included."""
    return [
        _GAP + max(len(column), *(len(line[index]) for line in lines)) for index, column in enumerate(columns)
    ]


def _block(grid: Grid, rows: list[list[list[str]]], labels: int, part: slice) -> list[str]:
    """Head and rows of some columns. `rows` holds the lines of each row, of texts."""
    widths = _widths(grid.columns, [line for lines in rows for line in lines])[part]

    def aligned(head: str, texts: Sequence[str]) -> str:
        cells = (text.rjust(width) for text, width in zip(texts[part], widths, strict=True))
        return (head.ljust(labels) + "".join(cells)).rstrip()

    out = [aligned("", grid.columns)] if any(grid.columns) else []
    for (label, _), lines in zip(grid.rows, rows, strict=True):
        for index, line in enumerate(lines):
            if index == 0 or any(line):
                out.append(aligned(label if index == 0 else "", line))
    return out
