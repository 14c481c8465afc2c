"""Directories that are no stores, or not for us."""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from synthetic import RUNS, assert_holds, filled, finished, keys, names

from conftest import SMALL, command_in
from weir.store import Store, StoreError, rebuild


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "store")


def newer(path: Path) -> bytes:
    with sqlite3.connect(path / "journal.sqlite") as sql:
        sql.execute("PRAGMA user_version = 5")
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
        with pytest.raises(StoreError, match="written by a newer Weir: its format is 5"):
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
            with pytest.raises(StoreError, match="was opened to be read"):
                store.commit(finished(keys([1000])))

    try:
        as_nobody(look)
    finally:
        for entry in inside:
            entry.chmod(0o755)


def test_a_read_only_store_changes_nothing(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        assert_holds(store, RUNS)
        with pytest.raises(StoreError, match="was opened to be read"):
            store.commit(finished(keys([1000])))
        with pytest.raises(StoreError, match="was opened to be read"):
            store.compact(force=True)
    with Store.open(path) as store:
        assert store.repairs == []
        assert_holds(store, RUNS)


@contextmanager
def permissions_count() -> Generator[None]:
    """They do not for the root user, unless this thread gives up CAP_DAC_OVERRIDE for a while."""
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    usual, less = ((ctypes.c_uint32 * 6)() for _ in range(2))
    libc = ctypes.CDLL(None)
    assert libc.capget(head, usual) == 0
    less[:] = usual[:]
    less[0] &= ~0b10
    assert libc.capset(head, less) == 0
    try:
        yield
    finally:
        assert libc.capset(head, usual) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs the capabilities of Linux")
def test_commands_read_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    weir_command = command_in(tmp_path)
    assert weir_command("compare", "small.toml", "-n", "2", "--quiet").returncode == 0
    (out := tmp_path / "out").mkdir()
    out.chmod(0o777)
    inside = [tmp_path / "results", *(tmp_path / "results").rglob("*")]
    for entry in inside:
        entry.chmod(0o555 if entry.is_dir() else 0o444)

    with permissions_count():
        for arguments in (
            ("results",),
            ("results", "1", "--json"),
            ("results", "--verify"),
            ("results", "--sql", "select count(*) from links"),
            ("report", "1", "--out", out / "page"),
            ("plot", "1", "--kind", "tradeoff", "--out", out / "tradeoff.svg"),
        ):
            done = weir_command(*arguments)
            assert done.returncode == 0, (arguments, done.stderr)
        for arguments in (("report",), ("results", "1", "--remove"), ("run", "small.toml", "--seed", "9")):
            done = weir_command(*arguments)
            assert done.returncode == 2, (arguments, done.stderr)
            assert "cannot be " in done.stderr
    assert (out / "page" / "report.html").exists()
    assert (out / "tradeoff.svg").exists()
    for entry in inside:
        entry.chmod(0o755)


def test_a_file_in_the_place_of_the_owners_is_moved_aside(path: Path) -> None:
    shutil.rmtree(path / "owners")
    (path / "owners").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="Not a directory") as raised:
        Store.open(path)
    assert "--rebuild" in str(raised.value.hint)
    assert any("owners was a file" in sentence for sentence in rebuild(path))
    assert (path / "aside" / "owners").read_text(encoding="utf-8") == "mine"
    with Store.open(path) as store:
        assert_holds(store, RUNS)
