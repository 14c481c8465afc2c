"""Data frames from the columns of the core."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core

KEYS = ("variant", "label", "replication", "seed")
"""The leading columns of every table of a result."""

TABLES = ("runs", "links", "groups", "flows", "delays", "completions", "series")
"""Every table of a result, in the order of its documentation."""

WHOLE_RUN = -1
"""The `period` of rows about the whole run, warm-up left out."""


@dataclass(frozen=True)
class Key:
    """Which run a row belongs to."""

    variant: str
    label: str
    replication: int


def assemble(runs: Sequence[tuple[Key, _core.Run]]) -> dict[str, pl.DataFrame]:
    """All tables of some runs, keyed by variant, label, replication and seed.

    Rows are in the order of the runs: same runs, same bytes.
    """
    keys = pl.DataFrame(
        {
            "variant": [key.variant for key, _ in runs],
            "label": [key.label for key, _ in runs],
            "replication": [key.replication for key, _ in runs],
            "seed": [run.seed for _, run in runs],
        },
        schema={"variant": pl.String, "label": pl.String, "replication": pl.Int64, "seed": pl.Int64},
    )
    return {
        # The seed of a run is one of the keys.
        name: pl.concat([keys[_index(columns)], _frame(columns, pl.String, {"seed"})], how="horizontal")
        for name, columns in _core.tables([run for _, run in runs]).items()
    }


def frames(runs: Sequence[_core.Run], keys: Sequence[int] | NDArray[np.int64]) -> dict[str, pl.DataFrame]:
    """All tables of some runs; the first column, `run`, holds the key of a row's run.

    Cheap, for runs that are over in milliseconds: names are of type Enum, and the only group of a
    scenario has no rows of its own, which would say what those of `all` say.
    """
    numbers = np.asarray(keys, dtype=np.int64)
    return {
        name: _frame(columns, pl.Enum).insert_column(0, pl.Series("run", numbers[_index(columns)]))
        for name, columns in _core.tables(runs, only_groups=False).items()
    }


def _index(columns: _core.Columns) -> NDArray[np.uint32]:
    """The place of each row's run among the runs."""
    index = columns["run"]
    assert not isinstance(index, tuple)
    return index.astype(np.uint32, copy=False)


def _frame(
    columns: _core.Columns, text: type[pl.String | pl.Enum], without: Set[str] = frozenset()
) -> pl.DataFrame:
    """The columns but for the number of the run."""
    without = without | {"run"}
    return pl.DataFrame(
        [_series(name, column, text) for name, column in columns.items() if name not in without]
    )


def _series(name: str, column: _core.Column, text: type[pl.String | pl.Enum]) -> pl.Series:
    if not isinstance(column, tuple):
        return pl.Series(name, column)
    codes, names = column
    if text is pl.String:
        return pl.Series(name, names, dtype=pl.String)[codes]
    return pl.Series(name, codes).cat.to(pl.Enum(names))
