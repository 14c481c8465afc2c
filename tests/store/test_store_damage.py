"""Stores that somebody or something has damaged."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from synthetic import RUNS, assert_holds, expected, filled, finished, keys, names, parquet, rows

from weir.store import DamagedStoreError, Store, StoreError, rebuild
from weir.store._journal import Journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "store")


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def garble(file: Path) -> None:
    """Same length, other bytes, as a failing disk may leave it."""
    time = file.stat()
    file.write_bytes(bytes(len(file.read_bytes())))
    os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))


def alter(file: Path) -> None:
    """Same length and ends, another byte in the middle."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


DAMAGE = {
    Path.unlink: "is missing",
    cut: "bytes",
    garble: "is not what was written",
    alter: "is not what was written",
}


@pytest.mark.parametrize(("damage", "said"), DAMAGE.items())
@pytest.mark.parametrize("table", ["links", "runs"])
def test_a_damaged_parquet_file_is_written_anew(
    path: Path, table: str, damage: Callable[[Path], None], said: str
) -> None:
    file = parquet(path, table)[0]
    whole = file.read_bytes()
    damage(file)
    with Store.open(path, read_only=True) as store:
        assert len(store.repairs) == 1
        assert store.repairs[0].endswith("its runs are read from the journal")
        assert_holds(store, RUNS)
    with Store.open(path) as store:
        assert len(store.repairs) == 1
        assert store.repairs[0].startswith(f"tables/{file.name} ")
        assert said in store.repairs[0]
        assert store.repairs[0].endswith(": written anew from the journal")
        assert_holds(store, RUNS)
    assert file.read_bytes() == whole
    with Store.open(path) as store:
        assert store.repairs == []


def test_all_tables_lost(path: Path) -> None:
    shutil.rmtree(path / "tables")
    with Store.open(path) as store:
        assert len(store.repairs) == 2 * 4
        assert_holds(store, RUNS)


def test_a_file_that_is_damaged_while_the_store_is_open(path: Path) -> None:
    with Store.open(path) as store:
        cut(parquet(path, "delays")[0])
        assert rows(store.scan("delays")) == expected("delays", RUNS)


def test_a_copied_store_needs_no_repair(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path, tmp_path / "copy", copy_function=shutil.copyfile)
    with Store.open(tmp_path / "copy") as store:
        assert store.repairs == []
        assert_holds(store, RUNS)


def test_a_full_check_finds_what_a_quick_look_does_not(path: Path) -> None:
    file = parquet(path, "delays")[0]
    time = file.stat()
    alter(file)
    os.utime(file, ns=(time.st_atime_ns, time.st_mtime_ns))
    with Store.open(path) as store:
        assert store.repairs == []
        (found,) = store.check()
        assert found == f"tables/{file.name} is not what was written: written anew from the journal"
        assert store.check() == []
        assert_holds(store, RUNS)


FIRST, LAST = 2, 5
"""Chunks of `filled`: that of the first file, and one that has no file yet."""


def damage_payload(path: Path, chunk: int) -> None:
    with sqlite3.connect(path / "journal.sqlite") as sql:
        (data,) = sql.execute(
            "SELECT data FROM payloads WHERE chunk = ? AND name = 'links'", (chunk,)
        ).fetchone()
        changed = bytes([*data[:-20], data[-20] ^ 255, *data[-19:]])
        sql.execute("UPDATE payloads SET data = ? WHERE chunk = ? AND name = 'links'", (changed, chunk))
    sql.close()


def test_the_tables_bring_a_damaged_chunk_back(path: Path) -> None:
    file = parquet(path, "links")[0]
    damage_payload(path, FIRST)
    with Store.open(path) as store:
        (found,) = store.check()
        assert found == f"the table 'links' of chunk {FIRST} was damaged: brought back from {file.name}"
        assert store.check() == []
    shutil.rmtree(path / "tables")
    with Store.open(path) as store:
        assert_holds(store, RUNS)


def test_what_is_damaged_and_nowhere_else_is_said(path: Path) -> None:
    damage_payload(path, LAST)
    with Store.open(path) as store:
        for read in (store.check, lambda: store.scan("links"), lambda: store.compact(force=True)):
            with pytest.raises(
                StoreError, match=rf"journal of .* is damaged: the table 'links' of chunk {LAST}"
            ):
                read()
        assert rows(store.scan("delays")) == expected("delays", RUNS)


def test_a_chunk_damaged_in_both_copies_can_be_computed_again(path: Path) -> None:
    damage_payload(path, FIRST)
    cut(parquet(path, "links")[0])
    with pytest.raises(StoreError, match=rf"journal of .* is damaged: the table 'links' of chunk {FIRST}"):
        Store.open(path)
    rebuild(path)
    with Store.open(path) as store:
        assert store.finished(RUNS) == set(RUNS[20:])
        store.commit(finished(RUNS))
        assert_holds(store, RUNS)


def test_foreign_owners_are_said_and_set_aside(path: Path) -> None:
    (path / "owners" / "mine.txt").write_text("not of the store")
    (path / "owners" / "00000000000000aa").write_text("not a directory")
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        with pytest.raises(DamagedStoreError) as raised:
            store.check()
    assert [text.split("/")[-1] for text in raised.value.problems] == [
        "00000000000000aa does not belong to the store",
        "mine.txt does not belong to the store",
    ]
    rebuild(path)
    assert (path / "aside" / "mine.txt").read_text() == "not of the store"
    with Store.open(path) as store:
        assert store.check() == []


@pytest.mark.parametrize("step", range(6))
def test_an_interrupted_rebuilding_loses_nothing(
    path: Path, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def interrupted(usual: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal calls
            calls += 1
            if calls == step + 1:
                raise KeyboardInterrupt
            return usual(*arguments)

        return call

    shutil.copy(path / "journal.sqlite", path / "journal.sqlite-wal")  # not a log of SQLite: it is set aside
    with monkeypatch.context() as patch:
        for name in ("rename", "replace"):
            patch.setattr(Path, name, interrupted(getattr(Path, name)))
        patch.setattr(os, "link", interrupted(os.link))
        with suppress(KeyboardInterrupt):
            rebuild(path)
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        assert store.check() == []
        assert store.find_sweep("rates").definition == {"axes": [1]}


def test_files_of_an_interrupted_compaction_are_removed(path: Path) -> None:
    before = names(path)
    for table in ("links", "delays", "flows"):
        shutil.copy(parquet(path, table)[0], path / "tables" / f"{table}-00009.parquet")
    (path / "owners" / "00000000000000aa").mkdir()
    (path / "owners" / "00000000000000aa" / "owner.lock").touch()
    (path / "owners" / "00000000000000aa" / "links-00010.parquet").write_bytes(b"half")
    (path / "tables" / "mine.txt").write_text("not of the store")
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS)
    assert names(path) == sorted([*before, "tables/mine.txt"])


def test_parts_that_an_older_journal_does_not_know_are_taken_in(path: Path, tmp_path: Path) -> None:
    shutil.copy(path / "journal.sqlite", tmp_path / "older.sqlite")
    with Store.open(path) as store:
        more = keys(range(100, 140))
        store.commit(finished(more))
        store.compact(force=True)
    shutil.copy(tmp_path / "older.sqlite", path / "journal.sqlite")
    with Store.open(path) as store:
        assert any(text.endswith("taken in") for text in store.repairs)
        assert_holds(store, [*RUNS, *more])
        store.compact(force=True)
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, [*RUNS, *more])


def test_unknown_files_that_cannot_be_taken_in_are_set_aside(path: Path) -> None:
    (path / "tables" / "links-00077.parquet").write_bytes(b"PAR1 or something else")
    with Store.open(path) as store:
        (said,) = store.repairs
        assert "links-00077.parquet" in said
        assert said.endswith("moved to aside/")
    assert (path / "aside" / "links-00077.parquet").read_bytes() == b"PAR1 or something else"


def spoil(journal: Path) -> None:
    journal.write_bytes(b"something else" * 1000)


def punch(journal: Path) -> None:
    """Some pages in the middle are lost: it opens, and fails later."""
    content = bytearray(journal.read_bytes())
    content[8192 : len(content) // 2] = bytes(len(content) // 2 - 8192)
    journal.write_bytes(content)


def empty(journal: Path) -> None:
    journal.write_bytes(b"")


@pytest.mark.parametrize("damage", [spoil, punch, empty, cut])
def test_a_damaged_journal_is_said_and_can_be_made_again(path: Path, damage: Callable[[Path], None]) -> None:
    with Store.open(path) as store:
        store.compact(force=True)
    damage(path / "journal.sqlite")
    damaged = (path / "journal.sqlite").read_bytes()
    with (
        pytest.raises(StoreError, match=r"the journal of .* is damaged") as raised,
        Store.open(path) as store,
    ):
        store.check()
    assert raised.value.hint is not None
    assert "`weir results --rebuild --store" in raised.value.hint
    said = rebuild(path)
    assert "the old journal is aside/journal.sqlite now" in said
    assert (path / "aside" / "journal.sqlite").read_bytes() == damaged
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS)
        assert store.check() == []


def test_a_lost_journal_is_made_again_from_the_tables(path: Path) -> None:
    (path / "journal.sqlite").unlink()
    with pytest.raises(StoreError, match="has lost its journal") as raised:
        Store.open(path, create=True)
    assert raised.value.hint is not None
    assert "rebuild" in raised.value.hint
    rebuild(path)
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS[:24])
        assert set(store.scan("runs").collect().get_column("seed")) == {run % 1000 for run in RUNS[:24]}
    assert len(parquet(path, "links")) == 1


def test_a_sound_journal_made_again_is_the_same(path: Path) -> None:
    rebuild(path)
    with Store.open(path) as store:
        assert_holds(store, RUNS)
        assert store.find_sweep("rates").definition == {"axes": [1]}


def test_no_room_for_a_new_journal_leaves_the_old_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks that a journal that cannot be written for want of room is not taken for damaged."""

    class Full(Journal):
        def __init__(self, path: Path, *, create: bool = False, **how: bool) -> None:
            super().__init__(path, create=create, **how)
            if create:
                (pages,) = self.sql.execute("PRAGMA page_count").fetchone()
                self.sql.execute(f"PRAGMA max_page_count = {pages}")

    with Store.open(path) as store:
        more = keys(range(1000, 1010))
        store.commit(finished(more))
    with monkeypatch.context() as patch:
        patch.setattr("weir.store._rebuild.Journal", Full)
        with pytest.raises(StoreError, match=r"no room on the disk of .*: a new journal could not be made"):
            rebuild(path)
    assert not (path / "aside").exists()
    with Store.open(path) as store:
        assert_holds(store, [*RUNS, *more])
        assert store.find_sweep("rates").definition == {"axes": [1]}
        assert store.check() == []


def test_nothing_to_make_a_journal_from(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="neither a journal nor tables"):
        rebuild(tmp_path)
    with pytest.raises(StoreError, match="no store"):
        rebuild(tmp_path / "none")


def test_no_journal_is_made_under_one_that_is_open(path: Path) -> None:
    with Store.open(path), pytest.raises(StoreError, match=r"this process has .* open once more"):
        rebuild(path)


def test_a_table_that_cannot_be_written_anew_is_read_from_the_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet(path, "links")[0].unlink()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("weir.store._owners.Owners.put", full)
        with Store.open(path) as store:
            (said,) = store.repairs
            assert said.endswith(
                "could not be written anew (there is no room), its runs are read from the journal"
            )
            assert_holds(store, RUNS)
            with pytest.raises(StoreError, match=r"no room .*: the tables could not be compacted"):
                store.compact(force=True)
            assert_holds(store, RUNS)
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS)
    assert rows(pl.concat(pl.scan_parquet(file) for file in parquet(path, "links"))) == expected(
        "links", RUNS
    )
