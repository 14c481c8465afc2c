"""Faults that a sweep survives: whatever is killed, cut or full, nothing finished is lost or counted
twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from waiting import HANG_S
from weir.store import Store
from weir.sweep._view import Sweep

SCENARIO = """\
schema = 1
name = "faults"
seed = 3
duration = "180 s"

[links.bottleneck]
rate = "4 Mbit/s"
delay = "10 ms"
buffer = "30 packets"
queue.red = { min_th = "5 packets" }

[flows.ftp]
count = 4
rtt = "60 ms"
start_jitter = "1 s"

[sweep]
replications = 10

[sweep.axes]
"links.bottleneck.queue.red.max_th" = "10..19 packets by 1"
"""

RUNS = 100

HELD = """\
import time
from pathlib import Path
import weir.__main__
from weir.sweep import _runner

usual, begun = _runner.wait, []


def wait(pending, timeout, return_when):
    if begun and not Path("go").exists():
        time.sleep(timeout)
        return set(), pending
    ended, rest = usual(pending, timeout, return_when)
    begun.extend(ended)
    return ended, rest


_runner.wait = wait
weir.__main__.main()
"""
"""`weir` whose sweep keeps its first chunks, and no more before there is a file `go`: whatever has to happen
in the middle of a sweep does."""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "faults.toml").write_text(SCENARIO, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with the results of a sweep that nothing happened to."""
    place = tmp_path_factory.mktemp("undisturbed")
    (place / "faults.toml").write_text(SCENARIO, encoding="utf-8")
    document = finished(start(place))
    assert (document["done"], document["found"]) == (RUNS, 0)
    return place


@pytest.fixture(scope="module")
def undisturbed(whole: Path) -> dict[str, pl.DataFrame]:
    """Tables of the sweep that nothing happened to."""
    return tables(whole)


def start(place: Path, *arguments: str, program: Sequence[str] = ("-m", "weir")) -> subprocess.Popen[str]:
    """`weir sweep` at work. With two threads, if nothing else is chosen: one, as on a machine with one core,
    would take all runs for itself."""
    chosen = arguments or ("--threads", "2")
    command = [sys.executable, *program, "sweep", "faults.toml", "--json", *chosen]
    return subprocess.Popen(
        command,
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A terminal's Ctrl-C is for pytest; and whoever is killed is killed with all of its own.
        start_new_session=True,
    )


def held(place: Path, *arguments: str) -> subprocess.Popen[str]:
    """`weir sweep` that has kept something, and goes on when there is a file `go`."""
    process = start(place, *arguments, program=("-c", HELD))
    wait_until(lambda: in_store(place) > 0, process)
    return process


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Exit code and what was printed."""
    try:
        out, err = process.communicate(timeout=HANG_S)
    except subprocess.TimeoutExpired:
        kill(process)
        raise
    return process.returncode, out, err


def finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The document of a sweep that ended well."""
    code, out, err = ended(process)
    assert code == 0, err
    return json.loads(out)


def kill(process: subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def tables(place: Path) -> dict[str, pl.DataFrame]:
    """All rows of the sweep, in an order of their own."""
    with Store.open(place / "results" / "store") as store:
        sweep = Sweep(store, store.find_sweep("faults"))
        assert len(sweep.runs) == RUNS
        found = {name: sweep.table(name) for name in ("links", "groups", "flows", "delays")}
    return {name: frame.sort(pl.all()) for name, frame in found.items()}


def in_store(place: Path) -> int:
    """Finished runs, as another process sees them; none where there is no store yet."""
    if not (place / "results" / "store" / "journal.sqlite").exists():
        return 0
    with Store.open(place / "results" / "store") as store:
        return sum(store.versions().values())


def assert_same(found: dict[str, pl.DataFrame], expected: dict[str, pl.DataFrame]) -> None:
    for name, frame in expected.items():
        assert found[name].equals(frame), name


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.soak)])
def test_a_killed_sweep_goes_on_where_it_was(
    kills: int, place: Path, undisturbed: dict[str, pl.DataFrame]
) -> None:
    moments = np.random.default_rng(11)
    before = 0
    for _ in range(kills):
        process = start(place)
        # Something has been kept, or nothing was left to do.
        while in_store(place) == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0.0, 0.3))
        kill(process)
        now = in_store(place)
        assert now >= before
        before = now
    document = finished(start(place))
    assert document["found"] == before
    assert document["done"] == RUNS - before
    assert_same(tables(place), undisturbed)


DASK = pytest.param(["--dask", "local:1"], marks=pytest.mark.soak)


@pytest.mark.parametrize("workers", [["--threads", "1"], ["--processes", "1"], DASK])
def test_ctrl_c_keeps_what_is_finished(
    workers: list[str], place: Path, undisturbed: dict[str, pl.DataFrame]
) -> None:
    process = held(place, *workers)
    os.killpg(process.pid, signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130
    assert "Traceback" not in err
    assert "the same command does the rest" in err
    kept = in_store(place)
    assert 0 < kept < RUNS
    document = finished(start(place))
    assert (document["found"], document["done"]) == (kept, RUNS - kept)
    assert_same(tables(place), undisturbed)


def test_two_sweeps_on_one_store_share_the_work(place: Path, undisturbed: dict[str, pl.DataFrame]) -> None:
    documents = [finished(process) for process in [start(place), start(place)]]
    assert sum(document["done"] for document in documents) == RUNS
    for document in documents:
        assert document["found"] + document["done"] + document["elsewhere"] == RUNS
    assert_same(tables(place), undisturbed)


def test_what_a_killed_sweep_had_begun_is_done_by_the_other(
    place: Path, undisturbed: dict[str, pl.DataFrame]
) -> None:
    first = held(place)
    kept = in_store(place)
    second = start(place)
    wait_until(lambda: in_store(place) > kept, second)
    kill(first)
    document = finished(second)
    assert document["found"] + document["done"] + document["elsewhere"] == RUNS
    assert_same(tables(place), undisturbed)


@pytest.mark.parametrize("damage", ["truncated", "missing", "garbage"])
def test_a_damaged_table_is_mended(
    damage: str, place: Path, whole: Path, undisturbed: dict[str, pl.DataFrame]
) -> None:
    shutil.copytree(whole / "results", place / "results")
    victim = next((place / "results" / "store" / "tables").glob("links-*.parquet"))
    rows = victim.read_bytes()
    match damage:
        case "truncated":
            victim.write_bytes(rows[: len(rows) // 2])
        case "missing":
            victim.unlink()
        case _:
            victim.write_bytes(bytes(reversed(rows)))
    code, out, err = ended(start(place))
    assert code == 0, err
    assert json.loads(out)["found"] == RUNS
    assert victim.name in err
    assert victim.read_bytes() == rows
    assert_same(tables(place), undisturbed)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="a disk of its own needs unshare")
def test_a_full_disk_loses_nothing(place: Path, undisturbed: dict[str, pl.DataFrame]) -> None:
    """In a mount namespace of its own, so that no other process sees the small disk."""
    script = (
        "set -e; mkdir results; mount -t tmpfs -o size=700k none results; shift; "
        '"$0" -m weir sweep faults.toml --json --threads 2; echo "first: $?" >&2; '
        "mount -o remount,size=100m results; "
        '"$0" -m weir sweep faults.toml --json --threads 2; cp -r results kept'
    ).replace("set -e; ", "")
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script, sys.executable, "x"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    if "mount" in done.stderr and "first:" not in done.stderr:
        pytest.skip(f"no disk of its own: {done.stderr.strip()}")
    before, _, _ = done.stderr.partition("first: ")
    assert "first: 2" in done.stderr, done.stderr
    assert "no room" in before
    assert "safe" in before
    assert "Traceback" not in done.stderr
    # A document of each of the two commands.
    failed, end = json.JSONDecoder().raw_decode(done.stdout)
    assert "no room" in failed["message"]
    document = json.loads(done.stdout[end:])
    assert document["found"] > 0
    assert document["found"] + document["done"] == RUNS
    shutil.rmtree(place / "results")
    (place / "kept").rename(place / "results")
    assert_same(tables(place), undisturbed)


class TestDask:
    """A cluster whose parts are killed. Everything listens on this machine alone."""

    @pytest.fixture(autouse=True)
    def _needs_dask(self) -> None:
        pytest.importorskip("distributed", reason="Dask is not installed")

    @pytest.mark.soak
    def test_a_lost_worker_is_made_up_for(self, place: Path, undisturbed: dict[str, pl.DataFrame]) -> None:
        with cluster(place, workers=2) as (address, parts):
            process = held(place, "--dask", address)
            kill(parts[1])
            (place / "go").touch()
            document = finished(process)
        assert document["done"] == RUNS
        assert_same(tables(place), undisturbed)

    @pytest.mark.soak
    def test_a_lost_scheduler_ends_the_sweep_and_loses_nothing(
        self, place: Path, undisturbed: dict[str, pl.DataFrame]
    ) -> None:
        with cluster(place, workers=1) as (address, parts):
            process = held(place, "--dask", address)
            kill(parts[0])
            code, _, err = ended(process)
        assert code == 1, err
        assert "Traceback" not in err
        assert "finished and safe" in err
        kept = in_store(place)
        assert 0 < kept < RUNS
        document = finished(start(place))
        assert (document["found"], document["done"]) == (kept, RUNS - kept)
        assert_same(tables(place), undisturbed)

    @pytest.mark.soak
    def test_a_worker_without_weir_is_said(self, place: Path) -> None:
        """Dask's worker ended without a word, and the sweep waited for ever."""
        (place / "without").mkdir()
        (place / "without/weir.py").write_text("raise ModuleNotFoundError('No module named weir')", "utf-8")
        with cluster(place, workers=1, path=place / "without") as (address, _):
            code, _, err = ended(start(place, "--dask", address))
        assert code == 1, err
        assert "a worker failed: ModuleNotFoundError: No module named weir" in err
        assert "hint: every worker needs the same Weir" in err
        assert "Traceback" not in err

    def test_nobody_answers(self, place: Path) -> None:
        hasty = "import weir.sweep._cluster as c; c.TIMEOUT_S = 1.0; import weir.__main__ as m; m.main()"
        code, out, err = ended(start(place, "--dask", "tcp://127.0.0.1:9", program=["-c", hasty]))
        assert code == 2
        assert json.loads(out)["message"].startswith("no Dask scheduler answers")
        assert err.startswith("error: no Dask scheduler answers at tcp://127.0.0.1:9")
        assert "hint: " in err


@contextmanager
def cluster(
    place: Path, workers: int, path: Path | None = None
) -> Generator[tuple[str, Sequence[subprocess.Popen[str]]]]:
    """A scheduler and its workers as processes; the first is the scheduler. They import from `path` first."""
    file = place / "scheduler.json"
    env = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(place)}
    env |= {"PYTHONPATH": str(path)} if path else {}
    quiet = {
        "cwd": place,
        "env": env,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "text": True,
    }
    scheduler = [
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
        "--no-dashboard", "--scheduler-file", str(file),
    ]  # fmt: skip
    worker = [
        sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file),
        "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard",
    ]  # fmt: skip
    parts: list[subprocess.Popen[str]] = []
    try:
        parts.append(subprocess.Popen(scheduler, start_new_session=True, **quiet))  # type: ignore[call-overload]
        wait_until(file.exists, parts[0])
        parts += [subprocess.Popen(worker, start_new_session=True, **quiet) for _ in range(workers)]  # type: ignore[call-overload]
        yield str(file), parts
    finally:
        for part in parts:
            kill(part)


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits for something that a process does."""
    limit = time.monotonic() + HANG_S
    while not happened():
        assert time.monotonic() < limit
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
