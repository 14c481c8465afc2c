"""Directories that are no stores, or not for us."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from synthetic import RUNS, assert_holds, filled, finished, keys, names

from weir.store import Store, StoreError, rebuild


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "store")


def newer(path: Path) -> bytes:
    with sqlite3.connect(path / "journal.sqlite") as sql:
        sql.execute("PRAGMA user_version = 4")
    sql.close()
    return (path / "journal.sqlite").read_bytes()


def test_a_store_of_a_newer_weir_is_left_alone(path: Path) -> None:
    content = newer(path)
    before = names(path)
    attempts: list[Callable[[], object]] = [
        lambda: Store.open(path),
        lambda: Store.open(path, read_only=True),
        lambda: rebuild(path),
    ]
    for attempt in attempts:
        with pytest.raises(StoreError, match="written by a newer Weir: its format is 4"):
            attempt()
    assert names(path) == before
    assert (path / "journal.sqlite").read_bytes() == content


def test_another_database_is_no_journal(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "journal.sqlite") as sql:
        sql.execute("CREATE TABLE mine (x)")
    sql.close()
    with pytest.raises(StoreError, match="not the journal of a store"):
        Store.open(tmp_path)


def test_what_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store at"):
        Store.open(tmp_path / "none")
    with pytest.raises(StoreError, match="there is no store at"):
        Store.open(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(StoreError, match="is a file, not a store"):
        Store.open(tmp_path / "file", create=True)
    with pytest.raises(StoreError, match="not a store, and not empty: it holds file"):
        Store.open(tmp_path, create=True)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("create", [True, False])
def test_an_empty_directory_and_one_where_making_it_was_interrupted(tmp_path: Path, *, create: bool) -> None:
    (tmp_path / "owners").mkdir()
    (tmp_path / "journal.sqlite").touch()
    with Store.open(tmp_path, create=create) as store:
        assert store.repairs == []
        assert_holds(store, [])


@pytest.fixture
def somebody(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory that everybody may enter; we are nobody in particular there."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        place.chmod(0o755)
        monkeypatch.chdir(place)
        yield place


def as_nobody(open_it: Callable[[], None]) -> None:
    if os.geteuid() != 0:
        open_it()
        return
    os.seteuid(65534)
    try:
        open_it()
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the users of a Unix system")
def test_a_store_that_we_may_only_read(somebody: Path) -> None:
    path = filled(somebody / "store")
    inside = [path, *path.rglob("*")]
    for entry in inside:
        entry.chmod(0o555 if entry.is_dir() else 0o444)

    def look() -> None:
        with pytest.raises(StoreError, match=r"store cannot be written: Permission denied") as raised:
            Store.open(path)
        assert raised.value.hint == "change its permissions or name another directory"
        with pytest.raises(StoreError, match="cannot be written: Permission denied"):
            Store.open(path / "within" / "store", create=True)
        with Store.open(path, read_only=True) as store:
            assert_holds(store, RUNS)
            with pytest.raises(StoreError, match="cannot be opened or written"):
                store.commit(finished(keys([1000])))

    try:
        as_nobody(look)
    finally:
        for entry in inside:
            entry.chmod(0o755)


def test_a_read_only_store_changes_nothing(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        assert_holds(store, RUNS)
        with pytest.raises(StoreError, match="readonly database"):
            store.commit(finished(keys([1000])))
        with pytest.raises(StoreError, match="readonly database"):
            store.compact(force=True)
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS)
