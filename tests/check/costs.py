"""Scenarios whose costs are measured: every kind of traffic, and what makes a run dearer than its load says.

`measure` forks a process for each, so that the memory of one is not that of another.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import weir
from weir import _core
from weir.check import Cost

BASE = """
schema = 1
name = "cost"
duration = "20 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "200 packets"

[flows.main]
rtt = "40 ms"
"""

_STATUS = Path("/proc/self/status")

TRACE = "trace.csv"
"""A second of 20,000 packets of 1000 bytes, of 50 flows."""

LIST = "list.csv"
"""2,000 transfers of 20 packets, one every 10 ms."""

Values = Mapping[str, Any]

_CELLS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

GRID: Mapping[str, Values] = _CELLS["every"]
"""Name to what a scenario changes in the base."""

MORE: Mapping[str, Values] = _CELLS["soak"]
"""Further ones: beside those above too long for every test."""


@dataclass(frozen=True)
class Measured:
    """Measured cost of a run, and its estimate."""

    packets: float
    """Packets that arrived at ports."""
    memory_bytes: float
    """The largest that the process had, less what it had before."""
    cpu_s: float
    estimate: Cost

    @property
    def ratios(self) -> dict[str, float]:
        """Estimate over measurement."""
        return {
            "packets": self.estimate.packets / self.packets,
            "memory": self.estimate.memory_bytes / self.memory_bytes,
            "time": self.estimate.cpu_s / self.cpu_s,
        }


def scenario(values: Values) -> weir.Scenario:
    return weir.Scenario.loads(BASE).replace(values)


def write_trace(folder: Path) -> None:
    rows = (f"{n / 20_000:.6f},1000,{n % 50}" for n in range(20_000))
    transfers = (f"{number / 100:.2f},30000" for number in range(2000))
    (folder / LIST).write_text("start,size\n" + "\n".join(transfers) + "\n", encoding="ascii")
    (folder / TRACE).write_text("time,bytes,flow\n" + "\n".join(rows) + "\n", encoding="ascii")


def measure(names: Iterable[str]) -> Iterator[tuple[str, Measured]]:
    """Runs in a process of its own, without threads: each run is done in a fork of it."""
    command = [sys.executable, __file__, *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            name, packets, memory, cpu_s, estimate = json.loads(line)
            yield name, Measured(packets, memory, cpu_s, Cost(**estimate))
    assert process.returncode == 0


def _memory(name: str) -> int:
    (line,) = (line for line in _STATUS.read_text(encoding="ascii").splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def _run(name: str) -> None:
    loaded = scenario({**GRID, **MORE}[name])
    estimate = asdict(weir.check.cost(loaded))
    before = _memory("VmRSS")
    done = loaded.run(threads=1, store=f"store{os.getpid()}")
    memory = _memory("VmHWM") - before
    links = done.tables["links"]
    whole = (links["period"] == -1) & (links["class"] == "all") & (links["group"] == "all")
    packets = int(links.filter(whole)["arrivals"].sum())
    sys.stdout.write(json.dumps([name, packets, memory, done.cost.cpu_s, estimate]) + "\n")
    sys.stdout.flush()


def main(names: list[str]) -> None:
    # What every run needs is there before the first one; nothing that begins a thread.
    for module in ("polars", "weir._api", "weir.sweep._view"):
        import_module(module)
    os.environ["WEIR_NO_LIMITS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_trace(Path())
        _core.Scenario.loads(BASE).network  # noqa: B018
        gc.freeze()
        for name in names:
            child = os.fork()
            if child == 0:
                _run(name)
                os._exit(0)
            _, status = os.waitpid(child, 0)
            if status:
                sys.exit(f"{name}: {status}")


if __name__ == "__main__":
    main(sys.argv[1:])
