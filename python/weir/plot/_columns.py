"""Check of the rows that a user brings: they have the columns that a chart is drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from weir._errors import require
from weir.sweep import ChartError


def check_columns(rows: pl.DataFrame, wanted: Sequence[str]) -> None:
    """Raises ChartError for rows that lack one of these columns."""
    missing = [name for name in wanted if name not in rows.columns]
    said = f"the rows have no column {missing[0]!r}" if missing else ""
    require(not missing, said, f"there are: {', '.join(rows.columns) or 'none'}", ChartError)
