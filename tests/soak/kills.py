"""Commands that are killed, or asked to end, at a random time."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from waiting import HANG_S
from weir.store import Store

PROGRAM = (sys.executable, "-m", "weir")

_AXIS = "links.bottleneck.rate=2 Mbit/s,3 Mbit/s,4 Mbit/s,5 Mbit/s"
_SWEEP = ("--axis", _AXIS, "--replications", "4000", "--quiet")

COMMANDS: dict[str, tuple[str, ...]] = {
    "processes": ("sweep", "{scenario}", *_SWEEP, "--processes", "2"),
    "compare": ("compare", "{scenario}", "--replications", "200", "--report", "--quiet"),
    "tune": (
        "tune",
        "{scenario}",
        "--variant",
        "red",
        "--target",
        "mean queue < 5 packets",
        "--vary",
        "red.max_th=5..50 packets",
        "--quiet",
    ),
    "dask": ("sweep", "{scenario}", *_SWEEP, "--dask", "local:2"),
}

SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM}

LONGEST_S = {"processes": 4.0, "compare": 5.0, "tune": 5.0, "dask": 7.0}


def trial(what: str, sent: str, seed: int, scenario: Path, place: Path) -> str:
    """Kills one command in an empty directory and looks at what is left; says what was seen.

    Raises AssertionError for a process that lives, a run that is lost, and what the next command leaves.
    """
    after_s = random.Random(seed).uniform(0.2, LONGEST_S[what])  # noqa: S311
    store, temporary = place / "results" / "store", place / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [*PROGRAM, *(part.format(scenario=scenario) for part in COMMANDS[what]), "--store", str(store)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment
    ) as running:
        time.sleep(after_s)
        before = finished(store)
        began = descendants(running.pid)
        running.send_signal(SIGNALS[sent])
        code = running.wait(HANG_S)
        # They hold the pipe, so that it is read when they are gone.
        end = time.monotonic() + HANG_S
        while any(map(lives, began)) and time.monotonic() < end:
            time.sleep(0.02)
        alive = [process for process in began if lives(process)]
        for process in alive:
            os.kill(process, signal.SIGKILL)
        assert not alive, f"{len(alive)} of {len(began)} processes live on"
        said = running.communicate()[1]
    assert not tracebacks(said, killed=sent == "SIGKILL"), said
    # Python ends by SIGINT itself where it interrupted code that a module had compiled.
    assert code in {-SIGNALS[sent], -signal.SIGINT, 130, 0}, (code, said)
    after = finished(store)
    assert before <= after, f"{len(before - after)} finished runs are lost"
    if after:
        with Store.open(store) as opened:
            assert opened.check() == [], "the store had to be mended"
            assert set(opened.scan("links").collect()["run"]) == after
    done = subprocess.run(
        [*PROGRAM, "run", scenario, "--store", store, "--quiet"],
        capture_output=True,
        text=True,
        env=environment,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    left = [path.relative_to(place) for path in place.rglob("*.tmp")]
    assert not left, f"left behind: {left}"
    return (
        f"{what} {sent} after {after_s:.2f} s: {len(began)} processes, {len(before)} runs, exit code {code}"
    )


def tracebacks(said: str, *, killed: bool) -> list[str]:
    """Tracebacks that a command printed.

    If it was killed, without those of processes that had just begun: there Python misses its parent.
    """
    found = said.split("Traceback (most recent call last):")[1:]
    return [one for one in found if not (killed and "in spawn_main" in one)]


def finished(store: Path) -> set[int]:
    """The runs that the journal has at this instant."""
    with suppress(sqlite3.Error):
        sql = sqlite3.connect(f"{(store / 'journal.sqlite').resolve().as_uri()}?mode=ro", uri=True)
        try:
            return {run for (run,) in sql.execute("SELECT run FROM runs")}
        finally:
            sql.close()
    return set()


def descendants(process: int) -> set[int]:
    """The processes that this one, or one of its own, has begun."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found: set[int] = set()
    while more := {child for child, parent in parents.items() if parent in found | {process}} - found:
        found |= more
    return found


def lives(process: int) -> bool:
    """Returns true if the process has not ended."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
