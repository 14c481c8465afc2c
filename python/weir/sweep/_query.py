"""A store from outside: its list of results, rows by SQL, CSV and Parquet files, and giving space back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from weir._errors import WeirError
from weir.run import TABLES as STORED
from weir.stats import ALL, HOW_TO_ASK, MEASURES, NO_SERIES, By, Grid
from weir.store import DamagedStoreError, Record, Store, StoreError, discard_directory, write_whole
from weir.sweep import _describe as describe
from weir.sweep import _latex as latex
from weir.sweep._plan import OF_RUNS
from weir.sweep._view import Sweep

_FROM = re.compile(r"\b(?:from|join)\s+\"?(\w+)", re.IGNORECASE)

_NAN = re.compile(r"\bis_?\s*(?:not\s+)?_?nan\b", re.IGNORECASE)

TABLES = ("estimates", "observations", *(name for name in STORED if name != "runs"))
"""Tables of a sweep that can be shown, queried and exported."""

TEX = ".tex"
"""Ending of a file with a table for LaTeX."""

_WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    ".csv": lambda frame, path: _without_formulas(frame).write_csv(path),
    ".parquet": lambda frame, path: frame.write_parquet(path, compression="zstd"),
    ".json": lambda frame, path: frame.write_json(path),
    TEX: lambda frame, path: path.write_text(latex.of_rows(frame), encoding="utf-8"),
}

EMPTY = {
    "completions": "no flows come and go in this scenario; traffic.poisson makes some",
    "transfers": "no flow group of this scenario takes transfers from a list; traffic.list reads one",
}
"""Messages about tables that may be empty: the reason, and how to get rows."""

_ROW = "row of the table"


def listing(store: Store) -> list[dict[str, Any]]:
    """Every result in the store, the newest first, as plain values."""
    return [_listed(store, record) for record in reversed(store.sweeps())]


def _listed(store: Store, record: Record) -> dict[str, Any]:
    known = {
        "number": record.number,
        "name": record.name,
        "id": record.id,
        "created": describe.moment(record.created),
        "command": record.command,
    }
    unknown: dict[str, Any] = {"kind": "", "design": "", "axes": [], "points": 0, "variants": 0, "bytes": 0}
    try:
        kind = _kind_of(store, record)
        sweep = None if kind in OF_RUNS else Sweep(store, record)
        runs = _runs_of(store, record) if sweep is None else []
    except WeirError as error:
        state = "damaged" if isinstance(error, StoreError) else error.message
        return {**known, **unknown, "runs": 0, "wanted": 0, "results_version": 0, "state": state}
    if sweep is None:
        return {
            **known,
            **unknown,
            "kind": kind,
            "runs": len(runs),
            "wanted": len(runs),
            "state": describe.counted(len(runs), "run"),
            "bytes": _bytes(store, record, runs),
            "results_version": record.definition["results_version"],
        }
    return {
        **known,
        "kind": sweep.kind,
        "design": sweep.design,
        "axes": [axis.title for axis in sweep.axes],
        "points": len(sweep.layout.rows),
        "variants": len(sweep.variants),
        "runs": sweep.finished["run"].n_unique(),
        "wanted": sweep.wanted["run"].n_unique(),
        "state": describe.state(sweep),
        "bytes": _bytes(store, record, sweep.finished["run"].unique().to_list()),
        "results_version": sweep.results_version,
    }


def _kind_of(store: Store, record: Record) -> str:
    with store.reading(record) as definition:
        if not isinstance(definition["kind"], str):
            raise TypeError("its kind is no text")
        return definition["kind"]


def _runs_of(store: Store, record: Record) -> list[int]:
    """Keys of the runs of a result that names them. Raises StoreError for what are none."""
    with store.reading(record) as definition:
        runs: list[int] = definition["runs"]
        if any(
            type(run) is not int or not 0 <= run < 2**63 for run in [*runs, definition["results_version"]]
        ):
            raise ValueError("its runs are no keys")
        return runs


def _bytes(store: Store, record: Record, runs: Sequence[int]) -> int:
    """Size on the disk in bytes: the share of its runs in the store, and its directory."""
    return store.size(runs) + size_of(store.directory(record))


def size_of(directory: Path) -> int:
    """Size of all files in a directory, in bytes; 0 if there is none."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def remove(store: Store, which: str) -> str:
    """Removes a result and its directory; says what is left to do. Raises StoreError."""
    record = store.find_sweep(which)
    directory = store.directory(record)
    freed = size_of(directory)
    # First what can fail, on a full disk: pages and captures are there no second time.
    store.remove_sweep(record)
    discard_directory(directory)
    return (
        f"removed result {record.number}, {record.name}, and {describe.size(freed)} of pages and captures; "
        "weir results --prune removes the runs that no result needs any more"
    )


def prune(store: Store) -> str:
    """Removes the runs that belong to no result; says how much it was. Raises StoreError."""
    before = size_of(store.path)
    keep: set[int] = set()
    for record in store.sweeps():
        named = _kind_of(store, record) in OF_RUNS
        keep.update(_runs_of(store, record) if named else Sweep(store, record).wanted["run"].to_list())
    removed = store.prune(keep)
    freed = max(0, before - size_of(store.path))
    return f"removed {describe.counted(removed, 'run')} without a result: {describe.size(freed)}"


@dataclass(frozen=True)
class Rows:
    """Rows that answer a query."""

    frame: pl.DataFrame
    lacking: str | None
    """Name of the table that has no rows in this result, in words. None if every table has rows."""


def rows(
    sweep: Sweep,
    table: str | None,
    where: str | None,
    measures: Sequence[str] = (),
    by: By | None = None,
) -> Rows:
    """Rows of a table of the sweep that meet an SQL condition. Raises WeirError."""
    name = table or ("observations" if where else "estimates")
    if name not in TABLES:
        raise WeirError(f"there is no table {name!r}", f"there are: {', '.join(TABLES)}")
    frame = _frame(sweep, name, measures, by)
    lacking = _lacking({name: frame}) or without_values(sweep, measures)
    if not where:
        return Rows(frame, lacking)
    numbered = _with_null(frame).with_row_index(_ROW)
    found = _execute({name: numbered}, f'select "{_ROW}" from {name} where {where}')  # noqa: S608 - the user's own condition
    return Rows(frame.select(pl.all().gather(found[_ROW])), lacking)


def query(store: Store, sweep: Sweep, sql: str, measures: Sequence[str] = (), by: By | None = None) -> Rows:
    """Answers a query over the tables of a sweep. Undefined values are NULL, as SQL has it.

    Raises WeirError for one that fails.
    """
    named = {name.lower() for name in _FROM.findall(sql)}
    frames = {name: _with_null(_frame(sweep, name, measures, by)) for name in TABLES if name in named}
    lacking = _lacking(frames)
    if "results" in named:
        frames["results"] = pl.DataFrame(listing(store))
    return Rows(_execute(frames, sql), lacking)


def _with_null(frame: pl.DataFrame) -> pl.DataFrame:
    """Replaces NaN by NULL for SQL, which knows no NaN: it would be above every number in a condition."""
    return frame.with_columns(pl.col(pl.Float64, pl.Float32).fill_nan(None))


def _execute(frames: Mapping[str, pl.DataFrame], sql: str) -> pl.DataFrame:
    try:
        return pl.SQLContext(frames, eager=True).execute(sql)
    except pl.exceptions.PolarsError as error:
        raise WeirError(
            f"the query failed: {str(error).splitlines()[0]}",
            "what is not defined is NULL: `loss is null`"
            if _NAN.search(sql)
            else f"tables: {', '.join((*TABLES, 'results'))}; a path needs quotation marks: "
            '"links.bottleneck.rate"',
        ) from None


def without_values(sweep: Sweep, measures: Sequence[str]) -> str | None:
    """First of these measures that is defined nowhere in the sweep, in words. Raises MeasureError."""
    for words in measures:
        if not sweep.estimates([words])["mean"].fill_nan(None).count():
            return f"it has no values of {words}"
    return None


def _lacking(frames: Mapping[str, pl.DataFrame]) -> str | None:
    """First of these tables that has no rows, in words."""
    empty = [name for name, frame in frames.items() if frame.is_empty()]
    return f"its table {empty[0]!r} is empty" if empty else None


def export(frame: pl.DataFrame, path: Path) -> None:
    """Writes the rows to a file, which appears when it is complete. Raises WeirError."""
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise WeirError(f"{path}: unknown kind of file", f"name one that ends in {', '.join(_WRITERS)}")
    _write(path, lambda place: writer(frame, place))


def export_tables(grids: Sequence[Grid], path: Path) -> None:
    """Writes tables of estimates for LaTeX, as they are shown. Raises WeirError."""
    text = latex.of_grids(grids)
    _write(path, lambda place: place.write_text(text, encoding="utf-8"))


def _write(path: Path, write: Callable[[Path], object]) -> None:
    try:
        write_whole(path, write)
    except (OSError, pl.exceptions.PolarsError) as error:
        # Polars has the errors of the system among its own.
        reason = getattr(error, "strerror", None) or next(iter(str(error).splitlines()), type(error).__name__)
        raise WeirError(f"{path} cannot be written: {reason}") from None


# Spreadsheets pass over space in front of a sign, and take its full-width form for it.
_FORMULA = r"^(?:\s*[=+\-@\x{ff1d}\x{ff0b}\x{ff0d}\x{ff20}]|[\t\r\n])"


def _without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Texts that a spreadsheet would take for a formula, behind an apostrophe (OWASP, CSV injection): names
    of variants and groups may come with the file of somebody else. Numbers stay as they are."""
    text = pl.col(pl.String, pl.Enum, pl.Categorical).cast(pl.String)
    behind = pl.Series(frame.columns, dtype=pl.String).str.replace(_FORMULA, "'${0}")
    named = dict(zip(frame.columns, behind.to_list(), strict=True))
    return frame.with_columns(text.str.replace(_FORMULA, "'${0}")).rename(named)


def plain(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows for JSON, which has no NaN and no infinity."""
    numbers = pl.col(pl.Float64, pl.Float32)
    return frame.with_columns(pl.when(numbers.is_finite()).then(numbers)).to_dicts()


def verify(store: Store, say: Callable[[str], None]) -> None:
    """Reads every file of the store, and compares runs with rows; says what was mended, or that all is well.

    Raises StoreError for what `rebuild` has to mend, when everything has been said.
    """
    try:
        mended = store.check()
    except DamagedStoreError as error:
        for problem in error.problems:
            say(f"store: {problem}")
        raise
    for sentence in mended:
        say(f"store: {sentence}")
    versions = ", ".join(
        f"{runs:,} runs of results version {version}" for version, runs in store.versions().items()
    )
    say(f"store: {versions or 'no runs'}; {'mended' if mended else 'all files are as the journal says'}")


def _frame(sweep: Sweep, name: str, measures: Sequence[str], by: By | None) -> pl.DataFrame:
    """Table of a sweep by name. `measures` and `by` apply to estimates and observations, which hold
    measures."""
    if name == "estimates":
        return sweep.estimates(measures or None, by=by)
    if name != "observations":
        frame = sweep.finished.join(sweep.table(name), on="run", maintain_order="left_right")
        if name == "series" and frame.is_empty() and not sweep.finished.is_empty():
            raise WeirError(NO_SERIES, HOW_TO_ASK)
        return frame
    parts = sweep.parts(by) if by else [ALL]
    of_port = by == "link"
    frames = [
        sweep.observations(ALL if of_port else part, measures, part if of_port else "") for part in parts
    ]
    if by:
        frames = [
            frame.with_columns(pl.lit(part).alias(by)) for frame, part in zip(frames, parts, strict=True)
        ]
    left_out = [name for name in MEASURES if measures and name not in measures]
    return pl.concat(frames).drop(left_out)
