"""A store where no file may grow, as on a full disk: what is there can be read, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from synthetic import filled

from conftest import Command
from full_disk import NO_BYTECODE
from waiting import HANG_S
from weir.store import Record, Store, StoreError
from weir.sweep import _query as query


def limited(blocks: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command whose files have at most so many blocks of the shell."""
    shell = ["/bin/sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", sys.executable, "-m", "weir"]
    return subprocess.run(
        [*shell, *arguments],
        env={**os.environ, **NO_BYTECODE},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )


def test_a_limit_of_files_is_said_and_what_is_there_is_read(
    weir_command: Command, small: Path, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    assert weir_command("run", small, "--store", store, "-q").returncode == 0
    listed = limited(4, "results", "--store", store)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "small" in listed.stdout
    exported = limited(0, "results", "--store", store, "--export", tmp_path / "rows.csv")
    assert exported.returncode == 2
    assert "rows.csv cannot be written: File too large" in exported.stderr
    refused = limited(4, "run", small, "--store", store, "--seed", "9")
    assert refused.returncode == 2
    assert "may become larger than" in refused.stderr
    assert "ulimit -f" in refused.stderr
    assert not [*tmp_path.glob("rows.csv")]


def test_what_cannot_be_removed_keeps_its_pages(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("no room")

    with Store.open(path) as store:
        record = store.record_sweep(Record("0123456789", "mine", "Mine", {}))
        page = store.claim_directory(record) / "capture.pcap"
        page.touch()
        monkeypatch.setattr(store, "remove_sweep", full)
        with pytest.raises(StoreError, match="no room"):
            query.remove(store, "mine")
        assert page.exists()


def test_an_empty_directory_is_no_strangers(path: Path) -> None:
    with Store.open(path) as store:
        record = store.record_sweep(Record("0123456789", "mine", "Mine", {}))
        place = store.directory(record)
        # There was no room for the manifest.
        place.mkdir()
        assert store.claim_directory(record) == place == store.directory(record)


@pytest.mark.parametrize("blocks", [0, 1])
def test_a_file_stays_as_it_was_where_the_new_one_has_no_room(blocks: int, tmp_path: Path) -> None:
    former = tmp_path / "access.toml"
    former.write_text("mine\n", encoding="utf-8")
    done = limited(blocks, "init", "access", "-o", former, "--force")
    assert done.returncode == 2
    assert f"{former} cannot be written: File too large" in done.stderr
    assert former.read_text(encoding="utf-8") == "mine\n"
    assert [*tmp_path.iterdir()] == [former]


def test_a_store_below_a_file_is_said(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(StoreError, match=f"{file} is a file") as raised:
        Store.open(file / "deep" / "store", create=True)
    assert "rebuild" not in str(raised.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return filled(tmp_path / "store")
