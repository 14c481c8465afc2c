"""One timed run: `python -m weir.bench._worker FILE [KEY=VALUE ...]` prints what it cost as JSON."""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from weir import _core


def peak_rss_mb() -> float:
    """The most memory that this process has held, in units of 2^20 bytes."""
    try:
        # Not getrusage: on Linux its maximum begins with the memory of the parent process.
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 2**10


def measure(path: str, *settings: str) -> dict[str, float | int]:
    """Runs the scenario once on one thread, with `KEY=VALUE` for values other than those of the file."""
    overrides = [(key, value) for key, _, value in (setting.partition("=") for setting in settings)]
    scenario = _core.Scenario.load(path, overrides)
    before_mb = peak_rss_mb()
    before_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    started = time.monotonic()
    batch = _core.Batch([(scenario, scenario.seed)], 1)
    while not batch.wait(1.0):
        pass
    wall_s = time.monotonic() - started
    user_s = resource.getrusage(resource.RUSAGE_SELF).ru_utime - before_s
    (run,) = batch.results()
    return {
        "packets": run.packets,
        "events": run.events,
        "user_s": user_s,
        "wall_s": wall_s,
        "peak_rss_mb": peak_rss_mb(),
        "added_rss_mb": peak_rss_mb() - before_mb,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(*sys.argv[1:])))
