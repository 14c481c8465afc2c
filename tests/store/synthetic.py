"""Tables as a run would give them, made up from the key of the run alone, and what a store holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from weir.store import Finished, FinishedRun, Record, Store

TABLES = ("links", "delays", "flows", "series")

_DIRECTION = pl.Enum(["forward", "reverse"])
_GROUP = pl.Enum(["web", "all", "ftp"])


def keys(numbers: Iterable[int]) -> list[int]:
    """Keys of 63 bits, as scattered as hashes are."""
    return [number * 0x9E3779B97F4A7C15 % 2**63 for number in numbers]


def finished(runs: Sequence[int], *, results_version: int | None = None) -> Finished:
    """A chunk of runs and their tables, histograms as lists."""
    rows = [FinishedRun(run, f"{run % 97:016x}", run % 1000, 0.001, run % 50, run % 500) for run in runs]
    flat = tables(runs)
    delays = flat["delays"].group_by("run", "group", maintain_order=True).agg("upto_ms", "count")
    return Finished(rows, {**flat, "delays": delays}, results_version)


def tables(runs: Sequence[int]) -> dict[str, pl.DataFrame]:
    """Tables as they are read: by run, text as Enum of more categories than occur."""
    links = [(run, way, run % 31 / 7, run % 5) for run in runs for way in ("forward", "reverse")]
    delays = [(run, _group(run, i), 0.5 * i, run % 11 + i) for run in runs for i in range(run % 6 + 1)]
    flows = [(run, f"ftp.{i}", float(i)) for run in runs for i in range(run % 3)]
    return {
        "links": _frame(links, {"direction": _DIRECTION, "loss": pl.Float64, "drops": pl.Int64}),
        "delays": _frame(delays, {"group": _GROUP, "upto_ms": pl.Float64, "count": pl.Int64}),
        "flows": _frame(flows, {"flow": pl.Enum(["ftp.0", "ftp.1"]), "goodput_bps": pl.Float64}),
        "series": _frame([], {"component": pl.Enum([]), "value": pl.Float64}),
    }


def rows(frame: pl.DataFrame | pl.LazyFrame) -> list[tuple[object, ...]]:
    """Rows in an order of their own, independent of the order in the frame."""
    return sorted(frame.lazy().collect().rows())


def expected(table: str, runs: Iterable[int]) -> list[tuple[object, ...]]:
    return rows(tables(list(runs))[table])


def assert_holds(store: Store, runs: Iterable[int]) -> None:
    """Exactly these runs, each table whole and nothing twice."""
    wanted = set(runs)
    assert store.finished(wanted) == wanted
    assert store.cost().runs == len(wanted)
    for table in TABLES if wanted else ():
        assert rows(store.scan(table)) == expected(table, wanted), table
    assert set(store.scan("runs").collect().get_column("run")) == wanted


def parquet(store: Path, table: str) -> list[Path]:
    return sorted((store / "tables").glob(f"{table}-*.parquet"))


def names(directory: Path) -> list[str]:
    """Everything in a directory and below, but for locks and the log of the journal."""
    found = (path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file())
    return sorted(name for name in found if not name.endswith((".lock", "-wal", "-shm")))


RUNS = keys(range(1, 41))


def filled(path: Path) -> Path:
    """A closed store with RUNS: 24 of them in two parts, the rest in the journal alone."""
    with Store.open(path, create=True) as store:
        store.commit(finished(RUNS[:20]))
        store.compact(force=True)
        store.commit(finished(RUNS[20:24]))
        store.compact(force=True)
        store.commit(finished(RUNS[24:]))
        store.record_sweep(Record("aa11", "rates", definition={"axes": [1]}))
    assert len(parquet(path, "links")) == 2
    return path


def _group(run: int, i: int) -> str:
    return "all" if i <= run % 3 else "ftp"


def _frame(
    values: Sequence[tuple[object, ...]], schema: dict[str, pl.DataType | type[pl.DataType]]
) -> pl.DataFrame:
    return pl.DataFrame(values, schema={"run": pl.Int64, **schema}, orient="row")
