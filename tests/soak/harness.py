"""Cases in a process of their own, with limits of time and memory, and what goes wrong by seed."""

from __future__ import annotations

import faulthandler
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from waiting import HANG_S, cpu_s

Case = Callable[[int], object]
"""Raises an exception where what must hold does not. Everything depends on the seed alone."""

LONGEST_S = 5.0
"""CPU time of a case: the machine may have other work."""

_MEMORY = 4 << 30
_SHM = "/dev/shm"  # noqa: S108 - each process makes a folder of its own there
_PLACE = _SHM if os.access(_SHM, os.W_OK) else None
"""Folder of the cases: in memory, as a store on the disk waits for it at every commit."""


def work(case: Case, seeds: Sequence[int], place: Path) -> None:
    """Does the cases one after the other, and writes down which one is under way and which one failed."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, most))
    with (place / "stack").open("w") as stack:
        faulthandler.enable(stack)
        for seed in seeds:
            (place / "now").write_text(str(seed))
            failed = attempt(case, seed)
            if failed is not None:
                (place / f"{seed}.failed").write_text(failed, errors="backslashreplace")
    (place / "now").write_text("done")


def attempt(case: Case, seed: int) -> str | None:
    """Error of a case; None if it had none."""
    import traceback

    try:
        case(seed)
    except KeyboardInterrupt:
        raise
    # A panic of Rust is no Exception.
    except BaseException as error:  # noqa: BLE001
        return "".join(traceback.format_exception(error))
    return None


def failures(
    what: str, first: int, count: int, say: Callable[[str], object] = print, processes: int = 1
) -> dict[int, str]:
    """Seed to the error of its case. A case that hangs or ends its process counts, and the others go on."""
    begun = time.monotonic()
    ends = [first + count * part // processes for part in range(processes + 1)]
    with ThreadPoolExecutor(processes) as pool:
        parts = [pool.submit(_failures, what, begin, end, say) for begin, end in pairwise(ends)]
        found = {seed: why for part in parts for seed, why in part.result().items()}
    rate = count / (time.monotonic() - begun)
    say(f"{what}: {count:,} cases, {rate:.0f} a second, {len(found)} failed")
    return found


def _failures(what: str, first: int, last: int, say: Callable[[str], object]) -> dict[int, str]:
    found: dict[int, str] = {}
    while first < last:
        with TemporaryDirectory(dir=_PLACE) as name:
            place = Path(name)
            command = [sys.executable, "-m", "soak.worker", what, str(first), str(last), name]
            path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
            environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": name}
            with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as worker:
                under_way, why = _watched(worker, place)
            for file in sorted(place.glob("*.failed")):
                found[int(file.stem)] = file.read_text()
            if under_way is not None:
                stack = (place / "stack").read_text()[-3000:] if (place / "stack").exists() else ""
                found[under_way] = f"{why}\n{stack}"
            first = last if under_way is None else under_way + 1
        if first < last:
            say(f"{what}: goes on at seed {first}")
    return found


def _watched(worker: subprocess.Popen[bytes], place: Path) -> tuple[int | None, str]:
    """The case that hung or ended the process, and how; None at a good end."""
    now, since, used = "", time.monotonic(), 0.0
    while True:
        ended = worker.poll() is not None
        text = (place / "now").read_text() if (place / "now").exists() else ""
        if text == "done":
            worker.wait()
            return None, ""
        if ended and not text:
            raise RuntimeError(f"the process ended with code {worker.returncode} before its first case")
        if ended:
            return int(text), f"the process ended with code {worker.returncode}"
        if text != now:
            now, since, used = text, time.monotonic(), cpu_s(worker.pid)
        elif now and (time.monotonic() - since > HANG_S or cpu_s(worker.pid) - used > LONGEST_S):
            worker.kill()
            return int(now), f"hangs: {cpu_s(worker.pid) - used:.1f} s of CPU"
        time.sleep(0.1)
