"""Rows of a store for people and other programs: lists, SQL, CSV and Parquet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from weir.errors import WeirError
from weir.replace import write_whole
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweeps import telling
from weir.sweeps.view import Sweep
from weir.tables import WHOLE_RUN

SHOWN = ("mean_queue", "goodput", "loss", "delay_mean", "delay_p99")
"""Measures of a table where none are asked for."""

_STORED = ("links", "groups", "flows", "delays", "completions", "series")
_FROM = re.compile(r"\b(?:from|join)\s+\"?(\w+)", re.IGNORECASE)

TABLES = ("estimates", "observations", *_STORED)
"""What can be shown, queried and exported of a sweep."""

_WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path, compression="zstd"),
    ".json": lambda frame, path: frame.write_json(path),
}


def listing(store: Store) -> list[dict[str, Any]]:
    """Every sweep in the store, the latest first, as plain values."""
    return [_listed(store, record) for record in reversed(store.sweeps())]


def _listed(store: Store, record: Record) -> dict[str, Any]:
    known = {
        "sweep": record.name,
        "id": record.id,
        "created": telling.moment(record.created),
        "command": record.command,
    }
    try:
        sweep = Sweep(store, record)
    except WeirError as error:
        return {**known, "design": "", "axes": [], "points": 0, "variants": 0, "state": error.message}
    return {
        **known,
        "design": sweep.design,
        "axes": [axis.title for axis in sweep.layout.axes],
        "points": len(sweep.layout.rows),
        "variants": len(sweep.variants),
        "runs": sweep.runs["run"].n_unique(),
        "wanted": sweep.wanted["run"].n_unique(),
        "state": telling.state(sweep),
        "results_version": sweep.results_version,
    }


def rows(
    store: Store, sweep: Sweep, table: str | None, where: str | None, measures: Sequence[str] = ()
) -> pl.DataFrame:
    """A table of the sweep, of the rows that meet an SQL condition. Raises WeirError."""
    name = table or ("observations" if where else "estimates")
    if name not in TABLES:
        raise WeirError(f"there is no table {name!r}", f"there are: {', '.join(TABLES)}")
    if name in _STORED or where is not None:
        condition = f" where {where}" if where else ""
        return query(store, sweep, f"select * from {name}{condition}", measures)  # noqa: S608 - the user's own query
    return _frame(sweep, name, measures)


def query(store: Store, sweep: Sweep, sql: str, measures: Sequence[str] = ()) -> pl.DataFrame:
    """The answer to a query over the tables of a sweep. Raises WeirError for one that fails."""
    named = {name.lower() for name in _FROM.findall(sql)}
    frames = {name: _frame(sweep, name, measures) for name in TABLES if name in named}
    if "sweeps" in named:
        frames["sweeps"] = pl.DataFrame(listing(store))
    try:
        return pl.SQLContext(frames, eager=True).execute(sql)
    except pl.exceptions.PolarsError as error:
        raise WeirError(
            f"the query failed: {str(error).splitlines()[0]}",
            f"tables: {', '.join((*TABLES, 'sweeps'))}; a path needs quotation marks: "
            '"links.bottleneck.rate"',
        ) from None


def export(frame: pl.DataFrame, path: Path) -> None:
    """Writes the rows; the file appears when it is whole. Raises WeirError."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise WeirError(f"{path}: unknown kind of file", f"name one that ends in {', '.join(_WRITERS)}")
    try:
        write_whole(path, lambda place: writer(frame, place))
    except OSError as error:
        raise WeirError(f"{path} cannot be written: {error.strerror or error}") from None


def plain(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows for JSON, which has no NaN."""
    return frame.with_columns(pl.col(pl.Float64, pl.Float32).fill_nan(None)).to_dicts()


def verify(store: Store, say: Callable[[str], None]) -> None:
    """Reads every file of the store; says what was mended, or that all is well."""
    mended = store.check()
    for sentence in mended:
        say(f"store: {sentence}")
    versions = ", ".join(
        f"{runs:,} runs of results version {version}" for version, runs in store.versions().items()
    )
    say(f"store: {versions or 'no runs'}; {'mended' if mended else 'all files are as the journal says'}")


def _frame(sweep: Sweep, name: str, measures: Sequence[str]) -> pl.DataFrame:
    if name == "estimates":
        rows = sweep.estimates(measures or sweep.measures)
        return rows.filter(pl.col("period") == WHOLE_RUN) if _one_period(rows) else rows
    if name == "observations":
        return sweep.observations()
    return sweep.runs.join(sweep.table(name), on="run", maintain_order="left")


def _one_period(rows: pl.DataFrame) -> bool:
    return rows["period"].n_unique() == 1
