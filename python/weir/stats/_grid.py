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
    """Cell of a table: a mean and its interval, such as `20.4` and `±0.3`."""

    mean: str
    interval: str = ""

    def __str__(self) -> str:
        return self.mean + self.interval


@dataclass(frozen=True)
class Grid:
    """Table with a head."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]


def grid_cells(rows: pl.DataFrame) -> list[Cell]:
    """Cells of a table, one for each row of estimates."""
    return [
        Cell(
            wording.number(row["mean"], MEASURES[row["measure"]].decimals),
            wording.plus_minus(row["half_width"], MEASURES[row["measure"]].decimals),
        )
        for row in rows.iter_rows(named=True)
    ]


def render_grid(grid: Grid, width: int) -> str:
    """Text of the grid in at most `width` columns, where that is possible.

    Units stand beside the titles of columns, and intervals beside the means, where there is room. They stand
    below them where there is not. Columns that still do not fit go into further blocks.
    """
    labels = max(len(label) for label, _ in grid.rows)
    # Of the head and of each row its lines, of each line the texts of its cells.
    head = [list(grid.columns)]
    rows = [[[str(cell) for cell in cells]] for _, cells in grid.rows]
    widths = _widths(head, rows)
    if labels + sum(widths) > width:
        titles = [title.partition(" (") for title in grid.columns]
        head = [[title for title, _, _ in titles], [mark.strip() + unit for _, mark, unit in titles]]
        widths = _widths(head, rows)
    if labels + sum(widths) > width:
        rows = [[[cell.mean for cell in cells], [cell.interval for cell in cells]] for _, cells in grid.rows]
        widths = _widths(head, rows)
    lines = [("", head), *((label, texts) for (label, _), texts in zip(grid.rows, rows, strict=True))]
    blocks: list[str] = []
    first = 0
    while not blocks or first < len(widths):
        last, used = first, labels
        while last < len(widths) and (last == first or used + widths[last] <= width):
            used += widths[last]
            last += 1
        blocks.append(_block(lines, [labels, *widths[first:last]], first))
        first = last
    return f"{grid.title}\n" + "\n\n".join(blocks)


def _widths(head: list[list[str]], rows: list[list[list[str]]]) -> list[int]:
    """Width of each column, including the gap before it."""
    lines = [*head, *(line for lines in rows for line in lines)]
    return [_GAP + max(map(len, column)) for column in zip(*lines, strict=True)]


def _block(rows: Sequence[tuple[str, list[list[str]]]], widths: Sequence[int], first: int) -> str:
    """Labels, and as many columns as there are further widths, from `first` on."""

    def aligned(label: str, texts: Sequence[str]) -> str:
        cells = (text.rjust(width) for text, width in zip(texts[first:], widths[1:], strict=False))
        return (label.ljust(widths[0]) + "".join(cells)).rstrip()

    out: list[str] = []
    for label, (main, *others) in rows:
        out += [aligned(label, main), *(aligned("", line) for line in others if any(line))]
    # A table of one column may have no head.
    return "\n".join(out[0 if out[0] else 1 :])
