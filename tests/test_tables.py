"""The tables of many runs at once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from conftest import SMALL
from weir import _core
from weir.batch import run_batch
from weir.tables import KEYS, TABLES, Key, assemble, frames


@pytest.fixture(scope="module")
def runs() -> list[_core.Run]:
    """Two scenarios, one of them with series, and two seeds."""
    scenario = _core.Scenario.loads(SMALL)
    silent = _core.Scenario.loads(SMALL.replace('series = { interval = "20 ms" }', ""))
    return run_batch([(scenario.variant("red"), 1), (silent, 2), (scenario, 2)])


def test_a_row_says_which_run_it_is_of(runs: list[_core.Run]) -> None:
    tables = _core.tables(runs)
    assert tuple(tables) == TABLES
    for name, columns in tables.items():
        index = columns["run"]
        assert next(iter(columns)) == "run"
        assert not isinstance(index, tuple)
        assert index.dtype == np.uint32
        assert np.all(np.diff(index.astype(np.int64)) >= 0), "in the order of the runs"
        assert set(index) == set(_with_rows(name, [0, 1, 2])), name
    packets = frames(runs, range(len(runs)))["runs"]["packets"]
    assert packets.to_list() == [run.packets for run in runs]


def test_many_runs_are_as_one_by_one(runs: list[_core.Run]) -> None:
    together = frames(runs, [10, 20, 30])
    alone = [frames([run], [key]) for run, key in zip(runs, [10, 20, 30], strict=True)]
    for name, frame in together.items():
        texts = pl.selectors.by_dtype(pl.Enum)
        one_by_one = pl.concat([tables[name].with_columns(texts.cast(pl.String)) for tables in alone])
        assert frame.with_columns(texts.cast(pl.String)).equals(one_by_one), name


def test_keys_are_carried_into_every_row(runs: list[_core.Run]) -> None:
    largest = 2**63 - 1
    for name, frame in frames(runs, np.array([largest, 0, 7])).items():
        assert frame.columns[0] == "run"
        assert frame.schema["run"] == pl.Int64
        assert frame["run"].unique(maintain_order=True).to_list() == _with_rows(name, [largest, 0, 7])


def _with_rows(name: str, keys: list[int]) -> list[int]:
    """Those of the three runs that have rows: one asks for no series, and in none do flows come and go."""
    return {"series": [keys[0], keys[2]], "completions": []}.get(name, keys)


def test_names_are_texts_in_results_and_enums_for_the_store(runs: list[_core.Run]) -> None:
    for_results = assemble([(Key("a", "A", number), run) for number, run in enumerate(runs)])
    for name, frame in frames(runs, range(len(runs))).items():
        names = [column for column, kind in frame.schema.items() if kind == pl.Enum]
        assert bool(names) == (name != "runs")
        text = for_results[name]
        if name in {"links", "groups", "delays"}:
            # The only group has no rows of its own in a store.
            text = text.filter(pl.col("group") == "all")
        assert [text.schema[column] for column in names] == [pl.String] * len(names)
        assert frame.select(pl.col(names).cast(pl.String)).equals(text.select(names))
        assert text.columns == [*KEYS, *(column for column in frame.columns if column not in {"run", "seed"})]


def test_tables_without_rows_have_their_columns(runs: list[_core.Run]) -> None:
    full, empty = frames(runs, range(len(runs))), frames([], [])
    for name in TABLES:
        assert empty[name].is_empty()
        assert empty[name].columns == full[name].columns
    silent = assemble([(Key("a", "A", 0), runs[1])])["series"]
    texts = ["variant", "label", "component", "variable"]
    numbers = {"replication": pl.Int64, "seed": pl.Int64, "time_s": pl.Float64, "value": pl.Float64}
    assert dict(silent.schema) == {**dict.fromkeys(texts, pl.String), **numbers}


def test_a_run_without_packets_has_no_delays() -> None:
    idle = _core.Scenario.loads(SMALL).replace(
        [
            ("flows.ftp.start", "5.99 s"),
            ("flows.ftp.jitter", "0 s"),
            ("flows.ftp.population", "1 more every 9 s until 3"),
        ]
    )
    tables = frames(run_batch([(idle, 1)]), [1])
    assert tables["delays"].is_empty()
    assert tables["links"]["delay_p99_ms"].is_nan().all()
    assert tables["links"]["arrivals"].sum() == 0


def test_many_names_are_told_apart() -> None:
    """More flows than a code of eight bits can tell."""
    text = SMALL.replace('population = "2 more every 2 s until 6"\n', "").replace("count = 2", "count = 300")
    flows = frames(run_batch([(_core.Scenario.loads(text), 1)]), [1])["flows"]
    whole = flows.filter(pl.col("period") == -1)
    assert whole["flow"].cast(pl.String).to_list() == [f"ftp.{number}" for number in range(300)]
