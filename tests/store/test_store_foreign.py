"""Stores that came from somebody else: what they name stays in their folder, and nothing in them acts."""

from __future__ import annotations

import gc
import json
import os
import sqlite3
import sys
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from synthetic import RUNS, assert_holds, filled, names

from conftest import SMALL, command_in
from weir.store import DamagedStoreError, Record, Store, StoreError, rebuild
from weir.store._journal import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "there" / "store")


def forge(store: Path, **values: str) -> None:
    """Gives the records of a store other values, and the sums that belong to them."""
    columns = ("id", "name", "title", "definition", "command")
    with closing(sqlite3.connect(store / "journal.sqlite")) as sql:
        for number, *row in sql.execute(f"SELECT number, {', '.join(columns)} FROM sweeps").fetchall():  # noqa: S608
            new = [values.get(name, old) for name, old in zip(columns, row, strict=True)]
            checksum = zlib.crc32(json.dumps(new).encode())
            sql.execute(
                "UPDATE sweeps SET id = ?, name = ?, title = ?, definition = ?, command = ?, crc32 = ? "
                "WHERE number = ?",
                (*new, checksum, number),
            )
        sql.commit()


ELSEWHERE = ["x/../../../y", "/y", "..", ".", "", "a\\b", "a\nb", "a\x00b", "é" * 90, "\x1b[2J"]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_that_leads_elsewhere_is_no_record(path: Path, name: str) -> None:
    forge(path, name=name)
    with Store.open(path) as store:
        (record,) = store.sweeps()
        with pytest.raises(StoreError, match=r"the record of result 1 in .* is damaged"):
            record.definition["kind"]
        assert store.directory(record).parent == path.parent
        store.remove_sweep(record)


@pytest.mark.parametrize("key", ["../../y", "a/b", "", "a" * 60, "a\nb"])
def test_an_id_that_leads_elsewhere_is_no_record(path: Path, key: str) -> None:
    forge(path, id=key)
    (path.parent / "1-rates").mkdir()  # so that the id stands behind the name
    with Store.open(path) as store:
        (record,) = store.sweeps()
        with pytest.raises(StoreError, match=r"the record of result 1 in .* is damaged"):
            record.definition["kind"]
        assert store.directory(record).parent == path.parent


def test_commands_write_nothing_outside_of_the_folder_of_a_store(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    (other / "captures").mkdir(parents=True)
    (other / "mine").write_text("mine", encoding="utf-8")
    (home / "small.toml").write_text(SMALL, encoding="utf-8")
    weir = command_in(home)
    assert weir("run", "small.toml", "--quiet").returncode == 0
    forge(home / "results" / "store", name="x/../../../other")
    (home / "results" / "1-x").mkdir()
    before = names(other)
    for arguments in (("report", "1"), ("plot", "1"), ("results", "1"), ("results", "1", "--remove")):
        done = weir(*arguments)
        assert "Traceback" not in done.stderr
        assert names(other) == before, arguments
    assert weir("results").returncode == 0


def test_links_of_a_result_are_not_followed(path: Path) -> None:
    other = path.parent.parent / "other"
    other.mkdir()
    (path.parent / "1-rates").symlink_to(other)
    with Store.open(path) as store:
        (record,) = store.sweeps()
        assert store.directory(record).name == "1-rates-aa11"
        place = store.claim_directory(record)
        assert names(other) == []
        (place / "captures").symlink_to(other)
        with pytest.raises(OSError, match="a link to elsewhere"):
            store.claim_directory(record)
    assert names(other) == []


@pytest.mark.parametrize("name", ["tables", "sweeps", "owners", "aside", "journal.sqlite"])
def test_links_in_a_store_are_refused(path: Path, name: str) -> None:
    other = path.parent.parent / "other"
    place = path / name
    if place.exists():
        place.rename(other)
    else:
        other.mkdir()
    place.symlink_to(other)
    before = names(other)
    for attempt in (
        lambda: Store.open(path),
        lambda: Store.open(path, read_only=True),
        lambda: rebuild(path),
    ):
        with pytest.raises(StoreError, match=rf"{name} is a link to elsewhere"):
            attempt()
    assert names(other) == before


def test_pipes_in_a_store_are_not_waited_for(path: Path) -> None:
    (owner := path / "owners" / "0123456789abcdef").mkdir()
    os.mkfifo(owner / "owner.lock")
    os.mkfifo(path / "tables" / "links-00077.parquet")
    (directory := path.parent / "1-rates").mkdir()
    os.mkfifo(directory / "manifest.json")
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        assert store.directory(store.find_sweep("rates")).name == "1-rates-aa11"


ADDED = {
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM payloads; END",
    "a view": "CREATE VIEW v AS SELECT * FROM sweeps",
    "a table": "CREATE TABLE mine (x)",
    "an index": "CREATE INDEX i ON runs (seed)",
}


@pytest.mark.parametrize("statement", ADDED.values(), ids=ADDED)
def test_what_others_have_added_to_a_journal_is_found(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path / "journal.sqlite")) as sql:
        sql.execute(statement)
    for read_only in (True, False):
        with pytest.raises(DamagedStoreError, match="which is not Weir's") as raised:
            Store.open(path, read_only=read_only)
        assert "--rebuild" in str(raised.value.hint)
    rebuild(path)
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        assert store.find_sweep("rates").definition == {"axes": [1]}
        assert store.check() == []


def test_a_view_in_the_place_of_a_table_is_found(path: Path) -> None:
    with closing(sqlite3.connect(path / "journal.sqlite")) as sql:
        sql.execute("ALTER TABLE sweeps RENAME TO others")
        sql.execute("CREATE VIEW sweeps AS SELECT * FROM others")
    with pytest.raises(DamagedStoreError, match="which is not Weir's"):
        Store.open(path)
    # Nothing is read through it: what the tables have is left.
    rebuild(path)
    with Store.open(path) as store:
        assert_holds(store, RUNS[:24])


def test_what_sqlite_adds_itself_is_no_stranger(path: Path) -> None:
    with closing(sqlite3.connect(path / "journal.sqlite")) as sql:
        sql.execute("ANALYZE")
    with Store.open(path) as store:
        assert store.repairs == []


LONG = [
    "n" * 300,
    "ß" * 200,
    "a/b",
    "x.",
    "x ",
    "con",
    "nul.x",
    "a:b?",
    "a\u202eb",
    "caf\udce9",
    "\x1b[2J",
    "",
    "...",
]


@pytest.mark.parametrize("name", LONG)
def test_names_that_no_file_may_have_are_shortened_before_they_are_kept(path: Path, name: str) -> None:
    import polars as pl

    with Store.open(path) as store:
        record = store.record_sweep(Record("bb22", name, f"title {name}", {}, f"weir run {name}"))
        assert store.find_sweep(name) == record
        place = store.claim_directory(record)
        assert place.parent == path.parent
        assert len(os.fsencode(place.name)) < 150
        assert place.name.isprintable()
        assert place.name == place.name.strip(" .")
        table = store.write_sweep_table(record, pl.DataFrame({"run": [1]}))
        assert table.parent == path / "sweeps"
        assert table.name.partition(".")[0].lower() not in {"con", "nul"}
        assert store.check() == []
    with Store.open(path) as store:
        assert store.find_sweep("bb22") == record


def test_ids_that_no_file_may_have_are_refused(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(ValueError, match="no id"):
        store.record_sweep(Record("../x", "rates"))


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN IMMEDIATE"])
def test_an_interruption_before_a_block_leaves_no_transaction(path: Path, begin: str) -> None:
    with closing(Journal(path / "journal.sqlite")) as journal:
        for block in (journal.transaction, journal.snapshot):
            # Ctrl-C after the statement, before the block: nobody is there to end it.
            journal.sql.execute(begin)
            journal.sql.execute("DELETE FROM runs")
            with block() as sql:
                assert sql.execute("SELECT count(*) FROM runs").fetchone() == (len(RUNS),)
    with Store.open(path) as store:
        assert_holds(store, RUNS)


def test_a_block_that_is_never_ended_complains_about_nothing(path: Path) -> None:
    with closing(Journal(path / "journal.sqlite")) as journal:
        block = journal.snapshot()
        block.__enter__()  # and Ctrl-C before the block
    with pytest.MonkeyPatch.context() as patch:
        complaints: list[object] = []
        patch.setattr(sys, "unraisablehook", complaints.append)
        del block
        gc.collect()
    assert complaints == []
