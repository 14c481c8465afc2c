"""Twelve targets on the operating-point paper's network, and the grid that verifies them.

`grid.csv` holds what the grid measured; its first lines say by which command. Targets were chosen by it: six
within what some setting of the grid has, two on its edge, four out of reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from weir.scenario._scenario import Scenario
from weir.tune._tune import Question, Task

GRID = pl.read_csv(Path(__file__).parent / "grid.csv", comment_prefix="#")
RUNS = int(GRID.filter(users=20)["n"].sum())
"""Number of runs of the grid at one load."""

VARY = ["red.max_th=6..50", "red.max_p=0.01..1"]


@dataclass(frozen=True)
class Asked:
    users: int
    delay_ms: float
    loss: float

    @property
    def targets(self) -> list[str]:
        return [f"mean delay < {self.delay_ms:g} ms", f"loss < {self.loss:g}%"]

    def shortfalls(self) -> np.ndarray:
        """Shortfall of every setting of the grid."""
        rows = GRID.filter(users=self.users)
        delay, loss = rows["delay_mean_ms"].to_numpy(), rows["loss_percent"].to_numpy()
        return np.maximum(np.log(delay / self.delay_ms), np.log(loss / self.loss))


REACHABLE = (
    Asked(20, 8, 3.0), Asked(20, 12, 2.6), Asked(20, 20, 2.3),
    Asked(80, 12, 15.2), Asked(80, 20, 14.4), Asked(80, 28, 14.0),
)  # fmt: skip
EDGE = (Asked(20, 10, 2.41), Asked(80, 15, 14.25))
BEYOND = (Asked(20, 6, 2.5), Asked(20, 12, 1.8), Asked(80, 10, 13.5), Asked(80, 20, 12.5))


def task_of(asked: Asked, seed: int | None = None) -> Task:
    """Task of `weir tune` for a target."""
    scenario = Scenario.load("papers/operating-point-2002", {"flows.ftp.count": asked.users}).variant("red")
    return Task.of(scenario if seed is None else scenario.with_seed(seed), Question(asked.targets, VARY))
