"""Commands wait for what other processes hold, and never without a word."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from synthetic import filled

from waiting import HANG_S
from weir.store import Store, StoreError
from weir.store import _files as files
from weir.store import _journal as journal
from weir.store import _owners as owners


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Path of a store for whose journal and files nobody has patience."""
    for module in (journal, owners):
        monkeypatch.setattr(module, "SILENT_S", 0.0)
        monkeypatch.setattr(module, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(journal, "_BIT_S", 0.0)
    return filled(tmp_path / "store")


@pytest.mark.parametrize("read_only", [False, True])
def test_a_journal_that_another_has_alone(
    read_only: bool,  # noqa: FBT001
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(journal, "_PATIENCE_S", 0.1)
    other = sqlite3.connect(path / journal.NAME, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="kept locked by another process"):
        Store.open(path, read_only=read_only)
    assert caplog.messages == [f"waiting for another process that works in {path}, at most 0.1 s"]
    other.close()


def test_another_that_sqlite_does_not_wait_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each of two would wait for the other, SQLite tells one of them at once."""
    monkeypatch.setattr(journal, "_PATIENCE_S", HANG_S)
    plain, refusals = files.mend, [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_SNAPSHOT]

    def mend(*arguments: Any) -> Any:  # noqa: ANN401 - as files.mend
        if refusals:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = refusals.pop()
            raise error
        return plain(*arguments)

    monkeypatch.setattr(files, "mend", mend)
    with Store.open(path) as store:
        assert not refusals
        assert store.claim([1]) == {1}


def test_a_transaction_of_another(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(journal, "_PATIENCE_S", 0.1)
    with Store.open(path) as store:
        other = sqlite3.connect(path / journal.NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="kept locked by another process"):
            store.claim([1])
        assert caplog.messages == [f"waiting for another process that works in {path}, at most 0.1 s"]
        other.execute("ROLLBACK")
        assert store.claim([1]) == {1}
        other.close()


def test_another_at_the_files(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    us = owners.Owners(path)
    with us.alone(wait=False) as ours, Store.open(path) as store:
        assert ours
        with pytest.raises(StoreError, match="has been at the files"):
            store.check()
    assert caplog.messages == [f"waiting for another process that works in {path}, at most 0 s"]
