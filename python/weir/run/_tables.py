"""Data frames from the columns of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weir import _core

TABLES = ("runs", "links", "groups", "flows", "delays", "completions", "series")
"""Every table of a result, in the order of its documentation."""

WHOLE_RUN = -1
"""The `period` of rows about the whole run, warm-up left out."""


def frames(
    tables: Mapping[str, _core.Columns], keys: Sequence[int] | NDArray[np.int64]
) -> dict[str, pl.DataFrame]:
    """The tables of `_core.tables`; the first column, `run`, holds the key of a row's run.

    Names are of type Enum, the bins of a histogram and the values of a series of type List.
    """
    numbers = pl.Series("run", keys, dtype=pl.Int64)
    found: dict[str, pl.DataFrame] = {}
    for name, columns in tables.items():
        frame = pl.DataFrame({title: _series(column) for title, column in columns.items()})
        found[name] = frame.with_columns(numbers.gather(frame["run"]))
    return found


def _series(column: _core.Column) -> pl.Series:
    kind, data, of = column
    values = np.frombuffer(data, kind)
    if of is None:
        return pl.Series(values)
    if isinstance(of, list):
        return pl.Series(values).cat.to(pl.Enum(of))
    lengths = np.frombuffer(of, np.uint32)
    # Of rows in order polars makes lists without a search.
    row = pl.Series(np.arange(len(lengths)).repeat(lengths)).set_sorted()
    return pl.DataFrame({"row": row, "list": values}).group_by("row", maintain_order=True).agg("list")["list"]
