"""Stores whose journal somebody has changed by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from synthetic import RUNS, assert_holds, filled, finished

from weir import _core
from weir.store import DamagedStoreError, Record, Store, StoreError, rebuild


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "store")


def edit(path: Path, *statements: str) -> None:
    """Changes the journal behind the back of the store, as a person with a tool would."""
    with closing(sqlite3.connect(path / "journal.sqlite")) as sql:
        sql.executescript(f"PRAGMA ignore_check_constraints = ON; {';'.join(statements)};")


TWICE = (
    "UPDATE payloads AS one SET data = other.data, crc32 = other.crc32 FROM payloads AS other "
    "WHERE one.name = 'links' AND other.name = 'flows' AND one.chunk = 5 AND other.chunk = 5"
)

EDITS = {
    "a run without rows": ("UPDATE runs SET run = 77 WHERE run = {old}", "has no rows of 1 of its runs", ()),
    "a run less, merged": ("DELETE FROM runs WHERE run = {old}", "has rows of 1 runs that are not", ()),
    "a run less": ("DELETE FROM runs WHERE run = {new}", "has rows of 1 runs that are not", RUNS[-1:]),
    "another chunk": ("UPDATE runs SET chunk = 2 WHERE run = {new}", "has rows of 1 runs that are not", ()),
    "no chunk": ("UPDATE runs SET chunk = 99 WHERE run = {new}", "1 runs belong to no chunk", ()),
    "a table less": (
        "DELETE FROM payloads WHERE chunk = 5 AND name = 'delays'",
        "lacks the table 'delays'",
        RUNS[24:],
    ),
    "a table twice": (
        TWICE,
        "'links' of chunk 5 is not what was written",
        RUNS[24:],
    ),
    "a wrong count": ("UPDATE chunks SET runs = 3 WHERE id = 5", "has 16 of its 3 runs", ()),
    "a wrong cost": ("UPDATE runs SET seed = 5000 WHERE run = {old}", "not as they were recorded", ()),
    "a negative number": ("UPDATE chunks SET merged = -1 WHERE id = 2", "is damaged", ()),
    "a name of elsewhere": (
        "UPDATE payloads SET name = '../../x' WHERE chunk = 2 AND name = 'links'",
        "is damaged",
        (),
    ),
    "a definition": ("UPDATE sweeps SET definition = '{{}}'", "the record of result 1 is not what", ()),
}


@pytest.mark.parametrize(("edited", "said", "lost"), EDITS.values(), ids=EDITS)
def test_runs_and_rows_that_do_not_belong_together(
    path: Path, edited: str, said: str, lost: Sequence[int]
) -> None:
    edit(path, edited.format(old=RUNS[3], new=RUNS[-1]))
    with pytest.raises(DamagedStoreError) as raised, Store.open(path) as store:
        store.check()
    assert said in f"{raised.value.message} {raised.value.problems}"
    assert "`weir results --rebuild" in str(raised.value.hint)
    assert rebuild(path)
    with Store.open(path) as store:
        assert store.check() == []
        assert_holds(store, set(RUNS) - set(lost))


@pytest.mark.parametrize("lost", ["chunks", "payloads"])
def test_runs_without_tables_are_said_when_they_are_read(path: Path, lost: str) -> None:
    edit(path, f"DELETE FROM {lost}")  # noqa: S608
    with Store.open(path) as store, pytest.raises(DamagedStoreError, match="runs have no tables"):
        store.scan("links", RUNS)
    rebuild(path)
    with Store.open(path) as store:
        assert store.check() == []
        assert_holds(store, RUNS[:24])


@pytest.mark.parametrize("lost", ["UPDATE payloads SET chunk = 99", "DELETE FROM payloads"])
def test_a_table_that_a_chunk_lost_is_said_when_it_is_read(path: Path, lost: str) -> None:
    """The others of its tables are there, so the runs seem whole."""
    edit(path, f"{lost} WHERE chunk = 5 AND name = 'links'")
    with Store.open(path) as store:
        with pytest.raises(DamagedStoreError, match="some runs have no table 'links'"):
            store.scan("links", RUNS)
        assert store.scan("flows", RUNS).collect().height > 0


def test_runs_of_a_wrong_version_are_said_when_they_are_read(path: Path) -> None:
    edit(path, "UPDATE chunks SET results_version = -5 WHERE id = 5")
    with Store.open(path) as store, pytest.raises(DamagedStoreError, match="another results version"):
        store.scan("links", RUNS, _core.results_version)


def test_a_chunk_without_an_entry_is_said_when_room_is_made(path: Path) -> None:
    edit(path, "UPDATE runs SET chunk = 7")
    with Store.open(path) as store, pytest.raises(DamagedStoreError, match="a chunk 7"):
        store.prune(RUNS[::2])


def test_rows_without_an_entry_are_not_counted_beside_those_computed_again(path: Path) -> None:
    edit(path, "DELETE FROM runs")
    with Store.open(path) as store:
        store.commit(finished(RUNS))
        store.compact(force=True)
        assert_holds(store, RUNS)
        assert store.check() == []


def test_rows_under_another_entry_are_not_counted_beside_those_computed_again(path: Path) -> None:
    edit(path, f"UPDATE runs SET run = 9223372036854775807 WHERE run = {RUNS[-1]}")  # noqa: S608
    with Store.open(path) as store:
        store.commit(finished(RUNS[-1:]))
        store.compact(force=True)
    rebuild(path)
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        assert store.check() == []


def test_results_numbered_by_hand_are_numbered_anew(path: Path) -> None:
    edit(path, "UPDATE sweeps SET asked = 9223372036854775807")
    rebuild(path)
    with Store.open(path) as store:
        assert store.find_sweep("rates").definition == {"axes": [1]}
        assert store.record_sweep(Record("bb22", "more")).number == 2


def test_a_damaged_record_is_said_and_can_be_removed(path: Path) -> None:
    edit(path, "UPDATE sweeps SET definition = 'no JSON', name = '../../x'")
    with Store.open(path) as store:
        (record,) = store.sweeps()
        with pytest.raises(StoreError, match=r"the record of result 1 in .* is damaged") as raised:
            record.definition["kind"]
        assert "weir results 1 --remove" in str(raised.value.hint)
        assert store.directory(record).parent == path.parent
        store.remove_sweep(record)
        assert store.check() == []
