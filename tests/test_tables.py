"""The tables of many runs at once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from conftest import SMALL
from weir import _core
from weir.run._batch import run_batch
from weir.run._tables import TABLES, frames


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
        kind, data, of = columns["run"]
        assert next(iter(columns)) == "run"
        assert (kind, of) == ("u4", None)
        index = np.frombuffer(data, kind)
        assert np.all(np.diff(index.astype(np.int64)) >= 0), "in the order of the runs"
        assert set(index) == set(_with_rows(name, [0, 1, 2])), name
    packets = frames(_core.tables(runs), range(len(runs)))["runs"]["packets"]
    assert packets.to_list() == [run.packets for run in runs]


def test_many_runs_are_as_one_by_one(runs: list[_core.Run]) -> None:
    together = frames(_core.tables(runs), [10, 20, 30])
    alone = [frames(_core.tables([run]), [key]) for run, key in zip(runs, [10, 20, 30], strict=True)]
    for name, frame in together.items():
        texts = pl.selectors.by_dtype(pl.Enum)
        one_by_one = pl.concat([tables[name].with_columns(texts.cast(pl.String)) for tables in alone])
        assert frame.with_columns(texts.cast(pl.String)).equals(one_by_one), name


def test_keys_are_carried_into_every_row(runs: list[_core.Run]) -> None:
    largest = 2**63 - 1
    for name, frame in frames(_core.tables(runs), np.array([largest, 0, 7])).items():
        assert frame.columns[0] == "run"
        assert frame.schema["run"] == pl.Int64
        assert frame["run"].unique(maintain_order=True).to_list() == _with_rows(name, [largest, 0, 7])


def _with_rows(name: str, keys: list[int]) -> list[int]:
    """Keys of the runs that have rows: one of the three asks for no series, and in none do flows come and
    go."""
    return {"series": [keys[0], keys[2]], "completions": [], "transfers": []}.get(name, keys)


def test_names_are_enums_and_an_only_group_has_no_rows_of_its_own(runs: list[_core.Run]) -> None:
    columns = _core.tables(runs, only_groups=True)
    for name, frame in frames(_core.tables(runs), range(len(runs))).items():
        names = [column for column, kind in frame.schema.items() if kind == pl.Enum]
        assert bool(names) == (name != "runs")
        for column in names:
            texts = _names(columns[name][column])
            if name in {"links", "groups", "delays"}:
                groups = _names(columns[name]["group"])
                texts = [text for text, group in zip(texts, groups, strict=True) if group == "all"]
            assert frame[column].cast(pl.String).to_list() == texts


def _names(column: _core.Column) -> list[str]:
    kind, codes, names = column
    assert isinstance(names, list)
    return [names[code] for code in np.frombuffer(codes, kind)]


def test_tables_without_rows_have_their_columns(runs: list[_core.Run]) -> None:
    full, empty = frames(_core.tables(runs), range(len(runs))), frames(_core.tables([]), [])
    for name in TABLES:
        assert empty[name].is_empty()
        assert empty[name].columns == full[name].columns


def test_a_run_without_packets_has_no_delays() -> None:
    idle = _core.Scenario.loads(SMALL).replace(
        [
            ("flows.ftp.start", "5.99 s"),
            ("flows.ftp.start_jitter", "0 s"),
            ("flows.ftp.population", '[{ step = 1, every = "9 s", until = 3 }]'),
        ]
    )
    tables = frames(_core.tables(run_batch([(idle, 1)])), [1])
    assert tables["delays"].is_empty()
    assert tables["links"]["delay_p99_ms"].is_nan().all()
    assert tables["links"]["arrivals"].sum() == 0


def test_many_names_are_told_apart() -> None:
    """The flows are more than a code of eight bits can distinguish."""
    text = SMALL.replace('population = [{ step = 2, every = "2 s", until = 6 }]\n', "").replace(
        "count = 2", "count = 300"
    )
    flows = frames(_core.tables(run_batch([(_core.Scenario.loads(text), 1)])), [1])["flows"]
    whole = flows.filter(pl.col("period") == -1)
    assert whole["flow"].cast(pl.String).to_list() == [f"ftp.{number}" for number in range(300)]
