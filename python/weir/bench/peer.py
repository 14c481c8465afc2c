"""ns-2, where it is installed and the source tree with its scripts is at hand."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from weir.run.processes import output_of

_SCRIPT = Path(__file__).parents[3] / "tests" / "reference" / "ns2" / "run.py"


@dataclass(frozen=True)
class Timing:
    """One run of a case in ns-2."""

    user_s: float
    """User CPU time of the whole process, building the network included."""
    packets: int


def available() -> bool:
    """Whether cases can be run in ns-2."""
    return shutil.which("ns") is not None and _SCRIPT.exists()


def time_case(case: str) -> Timing:
    """Runs a case in ns-2, with the same network, flows and duration. Raises RuntimeError."""
    (row,) = json.loads(output_of(_SCRIPT, "--time", case))
    return Timing(row["user_s"], row["packets"])
