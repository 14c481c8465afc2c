"""Data frames from the columns of the core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    import numpy as np
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

    Names are of type Enum.
    """
    numbers = pl.Series("run", keys, dtype=pl.Int64)
    found: dict[str, pl.DataFrame] = {}
    for name, columns in tables.items():
        plain = {title: one[0] if isinstance(one, tuple) else one for title, one in columns.items()}
        texts = [
            pl.col(title).cat.to(pl.Enum(one[1])) for title, one in columns.items() if isinstance(one, tuple)
        ]
        frame = pl.DataFrame(plain)
        found[name] = frame.with_columns(numbers.gather(frame["run"]), *texts)
    return found
