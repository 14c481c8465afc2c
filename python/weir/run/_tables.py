"""Data frames from the columns of the core."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core

TABLES = ("runs", "links", "groups", "flows", "delays", "completions", "series")
"""Every table of a result, in the order of its documentation."""

WHOLE_RUN = -1
"""The `period` of rows about the whole run, warm-up left out."""


def frames(runs: Sequence[_core.Run], keys: Sequence[int] | NDArray[np.int64]) -> dict[str, pl.DataFrame]:
    """All tables of some runs; the first column, `run`, holds the key of a row's run.

    Cheap, for runs that are over in milliseconds: names are of type Enum, and the only group of a
    scenario has no rows of its own, which would say what those of `all` say.
    """
    numbers = np.asarray(keys, dtype=np.int64)
    found: dict[str, pl.DataFrame] = {}
    for name, columns in _core.tables(runs, only_groups=False).items():
        index = columns.pop("run")
        assert not isinstance(index, tuple)
        of_rows = pl.Series("run", numbers[index.astype(np.uint32, copy=False)])
        found[name] = pl.DataFrame([of_rows, *(_series(*column) for column in columns.items())])
    return found


def _series(name: str, column: _core.Column) -> pl.Series:
    if not isinstance(column, tuple):
        return pl.Series(name, column)
    codes, names = column
    return pl.Series(name, codes).cat.to(pl.Enum(names))
