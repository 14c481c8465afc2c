"""Several processes at one store, killed processes, full disks."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from synthetic import assert_holds, expected, finished, keys, names, parquet, rows

from waiting import HANG_S
from weir.store import Store, StoreError
from weir.store import _chunks as chunks

HERE = Path(__file__).parent


@contextmanager
def script(
    text: str, *arguments: str | Path, before: tuple[str, ...] = ()
) -> Generator[subprocess.Popen[str]]:
    """A Python process that knows `synthetic`; it is killed at the end of the block."""
    with subprocess.Popen(
        [*before, sys.executable, "-c", text, *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])},
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


WRITER = """
import sys
from synthetic import finished, keys
from weir.store import Store, _chunks as chunks
chunks.PART_RUNS = 100
with Store.open(sys.argv[1], create=True) as store:
    print("open", flush=True)
    for number in range(int(sys.argv[2]), 1000000):
        runs = keys(range(10 * number + 1, 10 * number + 11))
        mine = store.claim(runs)
        assert mine == set(runs), (number, mine)
        store.commit(finished(runs))
        print(number, flush=True)
        store.compact(force=number % 3 == 2)
"""


@pytest.mark.parametrize("kills", [4, pytest.param(16, marks=pytest.mark.soak)])
def test_a_killed_writer_loses_nothing(kills: int, tmp_path: Path) -> None:
    """Killed again and again, at any instant of commits and compactions."""
    path = tmp_path / "store"
    chance = random.Random(3)  # noqa: S311
    reported: set[int] = set()
    for _ in range(kills):
        begin = max(reported, default=-1) + 1
        with script(WRITER, path, str(begin)) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            reported.update(int(process.stdout.readline()) for _ in range(chance.randrange(1, 8)))
            time.sleep(chance.uniform(0.0, 0.05))
            process.send_signal(signal.SIGKILL)
            reported.update(int(line) for line in process.stdout)
        with Store.open(path) as store:
            assert store.repairs == []
            found = {
                row // 10
                for row in range(10 * max(reported, default=0) + 30)
                if store.finished(keys([row + 1]))
            }
            # The last chunk may have been committed but not yet reported.
            assert reported <= found
            assert len(found - reported) <= 1
            reported = found
            assert_holds(
                store, keys(run for number in found for run in range(10 * number + 1, 10 * number + 11))
            )
        assert not [name for name in names(path) if name.endswith(".tmp")]
    with Store.open(path) as store:
        assert store.check() == []
    assert len(reported) > 2.5 * kills
    assert len(parquet(path, "runs")) == len(parquet(path, "links"))


SHARING = """
import sys, json
from synthetic import finished, keys
from weir.store import Store
computed = []
with Store.open(sys.argv[1], create=True) as store:
    print("open", flush=True)
    sys.stdin.readline()
    for begin in range(0, 400, 10):
        mine = sorted(store.claim(keys(range(begin + 1, begin + 11))))
        if mine:
            store.commit(finished(mine))
            computed += mine
    store.compact(force=True)
print(json.dumps(computed))
"""


def test_two_writers_share_the_work(tmp_path: Path) -> None:
    path = tmp_path / "store"
    with script(SHARING, path) as one, script(SHARING, path) as two:
        for process in (one, two):
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
        computed = [json.loads(process.communicate("go\n", timeout=HANG_S)[0]) for process in start(one, two)]
    assert sorted(computed[0] + computed[1]) == sorted(keys(range(1, 401)))
    with Store.open(path) as store:
        assert_holds(store, keys(range(1, 401)))
        assert store.check() == []


def start(*processes: subprocess.Popen[str]) -> tuple[subprocess.Popen[str], ...]:
    """Both at once: `communicate` waits for one."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return processes


CLAIMING = """
import sys
from synthetic import keys
from weir.store import Store
store = Store.open(sys.argv[1])
print(len(store.claim(keys(range(1, 11)))), flush=True)
sys.stdin.readline()
"""


def test_claims_of_the_living_are_kept_and_those_of_the_dead_are_void(tmp_path: Path) -> None:
    runs = keys(range(1, 21))
    with Store.open(tmp_path / "store", create=True) as store:
        store.commit(finished(runs[:1]))
        with script(CLAIMING, tmp_path / "store") as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "9\n"
            assert store.claim(runs) == set(runs[10:])
            assert store.claim(runs[10:]) == set(runs[10:])
            store.release(runs[15:])
            assert store.claim(runs[:10]) == set()
            process.kill()
            process.wait()
        assert store.claim(runs) == set(runs[1:])


def test_a_claim_ends_with_its_store(tmp_path: Path) -> None:
    runs = keys(range(1, 6))
    with Store.open(tmp_path / "store", create=True) as one, Store.open(tmp_path / "store") as two:
        assert one.claim(runs) == set(runs)
        assert two.claim(runs) == set()
        one.close()
        assert two.claim(runs) == set(runs)
        two.release()
        assert two.claim(runs) == set(runs)


def test_a_store_is_for_one_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "store", create=True):
        monkeypatch.setattr("weir.store._owners._host", lambda: "another")
        with pytest.raises(StoreError, match="in use on another host"):
            Store.open(tmp_path / "store")
    Store.open(tmp_path / "store").close()


def test_a_file_system_without_locks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_lock(*_: object, **__: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_lock)
    with pytest.raises(StoreError, match="cannot share a journal or lock files") as raised:
        Store.open(tmp_path / "store", create=True)
    assert raised.value.hint == "name a directory on a local disk"


def test_readers_are_not_disturbed_by_compaction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PART_RUNS", 1000)
    path = tmp_path / "store"
    runs = keys(range(1, 101))
    writer = Store.open(path, create=True)
    writer.commit(finished(runs[:50]))
    writer.compact(force=True)
    with Store.open(path, read_only=True) as reader:
        before = reader.scan("delays")
        old = parquet(path, "delays")
        for begin in range(50, 100, 10):
            writer.commit(finished(runs[begin : begin + 10]))
            assert rows(reader.scan("delays")) == expected("delays", runs[: begin + 10])
            writer.compact(force=True)
            assert rows(reader.scan("delays")) == expected("delays", runs[: begin + 10])
        assert not set(old) & set(parquet(path, "delays"))
        assert rows(before) == expected("delays", runs[:50])
    writer.close()
    assert rows(before) == expected("delays", runs[:50])


def test_only_one_process_compacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.commit(finished(keys(range(1, 6))))
        store.commit(finished(keys(range(6, 11))))
        other = Store.open(tmp_path / "store")
        owners = other._owners  # pyright: ignore[reportPrivateUsage]
        with owners.alone(wait=False) as ours, monkeypatch.context() as patch:
            assert ours
            # What is not urgent is left to the other.
            patch.setattr(chunks, "PART_RUNS", 5)
            store.compact()
            assert parquet(store.path, "links") == []
        other.close()
        store.compact(force=True)
        assert len(parquet(store.path, "links")) == 1


STRESS = """
import random, sys
from synthetic import finished, keys
from weir.store import Store, _chunks as chunks
chunks.PART_RUNS = 60
chance = random.Random(int(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    with Store.open(sys.argv[1], create=True) as store:
        assert store.repairs == []
        for _ in range(chance.randrange(1, 4)):
            begin = 10 * chance.randrange(100)
            mine = sorted(store.claim(keys(range(begin + 1, begin + 11))))
            if mine:
                store.commit(finished(mine))
            store.compact(force=chance.random() < 0.5)
            with Store.open(sys.argv[1], read_only=True) as reader:
                assert reader.repairs == []
                links = reader.scan("links").collect()
                assert links.height == 2 * links["run"].n_unique()
print("fine")
"""


@pytest.mark.parametrize("times", ["6", pytest.param("60", marks=pytest.mark.soak)])
def test_processes_that_open_merge_and_read_at_once(times: str, tmp_path: Path) -> None:
    path = tmp_path / "store"
    with (
        script(STRESS, path, "1", times) as one,
        script(STRESS, path, "2", times) as two,
        script(STRESS, path, "3", times) as three,
    ):
        assert [process.communicate(timeout=HANG_S)[0] for process in (one, two, three)] == ["fine\n"] * 3
    with Store.open(path) as store:
        assert store.check() == []
        store.compact(force=True)
        runs = store.scan("runs").collect()["run"].to_list()
        assert_holds(store, runs)
        written = [row for file in parquet(path, "links") for row in pl.read_parquet(file).rows()]
        assert sorted(written) == expected("links", runs)


def test_an_interrupted_compaction_leaves_nothing_half_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync
    with Store.open(tmp_path / "store", create=True) as store:
        store.commit(finished(keys(range(1, 11))))
        store.compact(force=True)
        store.commit(finished(keys(range(11, 21))))
        before = names(store.path)
        for error in (KeyboardInterrupt(), OSError(28, "No space left on device"), MemoryError()):
            calls = 0

            def fail(descriptor: int, error: BaseException = error) -> None:
                nonlocal calls
                calls += 1
                fsync(descriptor)
                if calls == 3:
                    raise error

            with monkeypatch.context() as patch:
                patch.setattr(os, "fsync", fail)
                with pytest.raises((type(error), StoreError)):
                    store.compact(force=True)
            assert calls == 3
            assert names(store.path) == before
            assert_holds(store, keys(range(1, 21)))
        store.compact(force=True)
        assert_holds(store, keys(range(1, 21)))


def test_a_full_journal(tmp_path: Path) -> None:
    """SQLite says the same where a database may not grow as where the disk is full."""
    with Store.open(tmp_path / "store", create=True) as store:
        store.commit(finished(keys(range(1, 11))))
        sql = store._journal.sql  # pyright: ignore[reportPrivateUsage]
        (pages,) = sql.execute("PRAGMA page_count").fetchone()
        sql.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(
            StoreError, match=r"no room on the disk of .*: a chunk of runs could not be"
        ) as raised:
            store.commit(finished(keys(range(11, 500))))
        assert raised.value.hint is not None
        assert "what was finished before is safe" in raised.value.hint
        assert_holds(store, keys(range(1, 11)))
        sql.execute("PRAGMA max_page_count = 1000000")
        store.commit(finished(keys(range(11, 500))))
        assert_holds(store, keys(range(1, 500)))


FULL = """
import sys, shutil
from pathlib import Path
from synthetic import assert_holds, finished, keys, names, parquet
from weir.store import Store, StoreError
disk = Path(sys.argv[1])
path = disk / "store"
(disk / "ballast").write_bytes(bytes(1000000))
done = []
with Store.open(path, create=True) as store:
    try:
        for begin in range(1, 1000000, 200):
            runs = keys(range(begin, begin + 200))
            store.commit(finished(runs))
            done += runs
            if len(done) == 2000:
                store.compact(force=True)
    except StoreError as error:
        print(error.message, "|", error.hint)
    assert_holds(store, done)
    try:
        store.compact(force=True)
    except StoreError as error:
        print(error.message, "|", error.hint)
    assert_holds(store, done)
    assert not [name for name in names(disk) if name.endswith(".tmp")], names(disk)
with open(disk / "rest", "wb", buffering=0) as rest:
    try:
        while True:
            rest.write(bytes(1000))
    except OSError:
        pass
assert shutil.disk_usage(disk).free < 4096
with Store.open(path, read_only=True) as store:
    assert_holds(store, done)
try:
    with Store.open(path) as store:
        assert_holds(store, done)
        runs = keys(range(1000001, 1000201))
        store.commit(finished(runs))
        done += runs  # the journal had some room within
except StoreError as error:
    print(error.message, "|", error.hint)
(disk / "ballast").unlink()
with Store.open(path) as store:
    assert store.repairs == [], store.repairs
    assert_holds(store, done)
    runs = keys(range(2000001, 2000201))
    store.commit(finished(runs))
    store.compact(force=True)
    assert_holds(store, done + runs)
    assert store.check() == []
print("done", len(done))
"""


def test_a_full_disk(tmp_path: Path) -> None:
    """On a small disk of its own: what fills it is the store, and then nothing is left at all."""
    own = ("unshare", "--user", "--map-root-user", "--mount")
    possible = shutil.which("unshare") and subprocess.run([*own, "true"], check=False, capture_output=True)
    if not possible or possible.returncode != 0:
        pytest.skip("needs a mount namespace of its own")
    mount = f"mount -t tmpfs -o size=4m weir-test '{tmp_path}' && exec \"$@\""
    with script(FULL, tmp_path, before=(*own, "sh", "-c", mount, "sh")) as process:
        said, _ = process.communicate(timeout=HANG_S)
    *errors, last = said.splitlines()
    assert last.startswith("done ")
    assert "a chunk of runs could not be recorded | what was finished before is safe; make room" in errors[0]
    assert "the tables could not be compacted, but every finished run is safe" in errors[1]
    assert all(error.startswith(f"no room on the disk of {tmp_path}/store: ") for error in errors), said
