"""Names beside dots, where they hide neither each other nor a dot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

LETTER, LINE = 5.6, 12.0
"""Width of a letter and height of a line, in units of the picture, at 10 px."""

_Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

# Shift and alignment of the name: right of its dot if there is room, else left, above, below.
_PLACES = (
    (7.0, 0.0, "left"), (-7.0, 0.0, "right"), (0.0, -11.0, "center"), (0.0, 11.0, "center"),
    (7.0, -10.0, "left"), (-7.0, -10.0, "right"), (7.0, 10.0, "left"), (-7.0, 10.0, "right"),
)  # fmt: skip


def placed(rows: pl.DataFrame, x: str, y: str, name: str, width: float, height: float) -> pl.DataFrame:
    """The rows with `dx`, `dy` and `align` of their names in a picture of this size.

    Both sides of the picture begin at zero and end at `end_of` their values.
    """
    across, up = (_positions(rows[column], size) for column, size in ((x, width), (y, height)))
    dots = [(left, height - top) for left, top in zip(across, up, strict=True)]
    taken: list[_Box] = [(a - 4, b - 4, a + 4, b + 4) for a, b in dots]
    chosen: list[tuple[float, float, str]] = []
    for (left, top), text in zip(dots, rows[name].to_list(), strict=True):
        boxes = [_box(left + dx, top + dy, align, len(str(text)) * LETTER) for dx, dy, align in _PLACES]
        costs = [_outside(box, width, height) + _covered(box, taken) for box in boxes]
        best = min(range(len(boxes)), key=costs.__getitem__)
        taken.append(boxes[best])
        chosen.append(_PLACES[best])
    return rows.with_columns(
        pl.Series("dx", [dx for dx, _, _ in chosen], pl.Float64),
        pl.Series("dy", [dy for _, dy, _ in chosen], pl.Float64),
        pl.Series("align", [align for _, _, align in chosen], pl.String),
    )


def end_of(values: pl.Series) -> float:
    """Where a side that begins at zero ends."""
    largest = values.drop_nans().max()
    return largest * 1.08 if isinstance(largest, float) and largest > 0.0 else 1.0


def _positions(values: pl.Series, size: float) -> list[float]:
    return [value / end_of(values) * size for value in values.fill_null(0.0).fill_nan(0.0)]


def _box(left: float, top: float, align: str, width: float) -> _Box:
    start = left - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width
    return (start, top - LINE / 2, start + width, top + LINE / 2)


def _covered(box: _Box, taken: Iterable[_Box]) -> float:
    """Area that the box shares with others."""
    return sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )


def _outside(box: _Box, width: float, height: float) -> float:
    """Area beyond the picture, dear: what lies there is cut off."""
    inside: Sequence[_Box] = [(0.0, 0.0, width, height)]
    area = (box[2] - box[0]) * (box[3] - box[1])
    return 4.0 * (area - _covered(box, inside))
