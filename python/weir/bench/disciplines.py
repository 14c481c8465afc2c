"""The cost of each queue discipline alone: what `cargo bench` prints, where the sources are at hand."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_SOURCES = Path(__file__).parents[3]
_COMMAND = ("bench", "--quiet", "--package", "weir-aqm", "--bench", "aqms", "--", "--json")

RING = "ring"
"""The row of the bare ring buffer, against which the others are held."""


@dataclass(frozen=True)
class DisciplineCost:
    """Nanoseconds per packet of one discipline, in and out."""

    discipline: str
    ns: float
    """With 32 flows."""
    ns_many: float | None = None
    """With 1,000, where flows matter."""


def discipline_costs(*, say: Callable[[str], None]) -> list[DisciplineCost]:
    """Measures all disciplines; nothing without cargo or without the sources.

    Raises RuntimeError if the benchmark fails.
    """
    cargo = shutil.which("cargo")
    if cargo is None or not (_SOURCES / "Cargo.toml").exists():
        say("disciplines alone: skipped, they need cargo and the sources")
        return []
    say("disciplines alone: cargo bench")
    done = subprocess.run(  # noqa: S603 - our own benchmark
        [cargo, *_COMMAND], cwd=_SOURCES, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"the benchmark of the disciplines failed:\n{done.stderr[-2000:]}")
    return costs_of(done.stdout)


def costs_of(lines: str) -> list[DisciplineCost]:
    """What the benchmark has printed, a row for each discipline."""
    rows = [json.loads(line) for line in lines.splitlines()]
    few = {row["discipline"]: row["ns_per_packet"] for row in rows if row["flows"] <= 32}
    many = {row["discipline"]: row["ns_per_packet"] for row in rows if row["flows"] > 32}
    return [DisciplineCost(name, ns, many.get(name)) for name, ns in few.items()]
