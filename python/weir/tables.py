"""Data frames from the columns of the core, keyed by variant, label, replication and seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from weir import _core

KEYS = ("variant", "label", "replication", "seed")
"""The leading columns of every table."""

TABLES = ("runs", "links", "groups", "flows", "delays", "series")
"""Every table of a result, in the order of its documentation."""

WHOLE_RUN = -1
"""The `period` of rows about the whole run, warm-up left out."""

# A table without rows comes without columns.
_WITHOUT_ROWS: dict[str, dict[str, type[pl.DataType]]] = {
    "delays": {
        "link": pl.String,
        "direction": pl.String,
        "class": pl.String,
        "group": pl.String,
        "period": pl.Int64,
        "upto_ms": pl.Float64,
        "count": pl.Int64,
    },
    "series": {
        "component": pl.String,
        "variable": pl.String,
        "time_s": pl.Float64,
        "value": pl.Float64,
    },
}

_COLUMNS: dict[str, Callable[[_core.Run], _core.Columns]] = {
    "links": lambda run: run.links,
    "groups": lambda run: run.groups,
    "flows": lambda run: run.flows,
    "delays": lambda run: run.delays,
    "series": lambda run: run.series,
}


@dataclass(frozen=True)
class Key:
    """Which run a row belongs to."""

    variant: str
    label: str
    replication: int


def assemble(runs: Sequence[tuple[Key, _core.Run]]) -> dict[str, pl.DataFrame]:
    """All tables of at least one run. Rows are in the order of the runs: same runs, same bytes."""
    tables = {"runs": pl.concat([_keyed(key, run, _run_row(run)) for key, run in runs])}
    for name, columns in _COLUMNS.items():
        tables[name] = pl.concat([_keyed(key, run, _frame(name, columns(run))) for key, run in runs])
    return tables


def _run_row(run: _core.Run) -> pl.DataFrame:
    # CPU time is not here: it differs between two runs of the same scenario and seed.
    return pl.DataFrame({"packets": [run.packets], "events": [run.events]})


def _frame(table: str, columns: _core.Columns) -> pl.DataFrame:
    return pl.DataFrame(columns) if columns else pl.DataFrame(schema=_WITHOUT_ROWS[table])


def _keyed(key: Key, run: _core.Run, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(
        pl.lit(key.variant).alias("variant"),
        pl.lit(key.label).alias("label"),
        pl.lit(key.replication, dtype=pl.Int64).alias("replication"),
        pl.lit(run.seed, dtype=pl.Int64).alias("seed"),
        pl.all(),
    )
