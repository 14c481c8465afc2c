"""Data frames from the columns of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weir import _core

TABLES = ("runs", "links", "groups", "flows", "delays", "completions", "transfers", "series")
"""Every table of a result, in the order of its documentation."""

WHOLE_RUN = -1
"""The `period` of rows about the whole run, warm-up left out."""


def frames(
    tables: Mapping[str, _core.Columns], keys: Sequence[int] | NDArray[np.int64]
) -> dict[str, pl.DataFrame]:
    """The tables of `_core.tables`; the first column, `run`, holds the key of a row's run.

    Names are of type Enum, the bins of a histogram and the values of a series of type List.
    """
    numbers = np.asarray(keys, dtype=np.int64)
    return {name: _frame(columns, numbers) for name, columns in tables.items()}


def _frame(columns: _core.Columns, keys: NDArray[np.int64]) -> pl.DataFrame:
    found: dict[str, pl.Series | NDArray[Any] | None] = {}
    lists: dict[bytes, dict[str, NDArray[Any]]] = {}
    for title, (kind, data, of) in columns.items():
        values = np.frombuffer(data, kind)
        if isinstance(of, list):
            found[title] = pl.Series(values).cat.to(pl.Enum(of))
        elif of is not None:
            found[title] = None  # keeps its place among the columns
            lists.setdefault(of, {})[title] = values
        else:
            found[title] = keys[values] if title == "run" else values
    for lengths, ours in lists.items():
        found |= _lists(np.frombuffer(lengths, np.uint32), ours)
    return pl.DataFrame(found)


def _lists(lengths: NDArray[np.uint32], columns: Mapping[str, NDArray[Any]]) -> dict[str, pl.Series]:
    # Of rows in order polars makes lists without a search.
    row = pl.Series(np.arange(len(lengths)).repeat(lengths)).set_sorted()
    grouped = pl.DataFrame({"": row, **columns}).group_by("", maintain_order=True).agg(pl.all())
    return {title: grouped[title] for title in columns}
