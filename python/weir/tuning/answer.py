"""What comes out of tuning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir.statistics import CONFIDENCE, student_t
from weir.sweeps.until import looks
from weir.sweeps.values import Value
from weir.tuning.targets import Target

Verdict = Literal["achieved", "defaults already meet it", "not achievable", "undecided"]

State = Literal["met", "missed", "open"]


@dataclass(frozen=True)
class Outcome:
    """One target at one setting, on fresh seeds."""

    target: Target
    values: NDArray[np.float64] = field(repr=False)
    most: int
    """Replications that a confirmation may have: its looks depend on it."""

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.values))

    @property
    def half_width(self) -> float:
        """Of an interval that holds however often one has looked; infinite for one value."""
        n = int(np.count_nonzero(~np.isnan(self.values)))
        if n < 2:
            return float("inf")
        level = 1.0 - (1.0 - CONFIDENCE) / len(looks(self.most))
        return student_t(n - 1, level) * float(np.nanstd(self.values, ddof=1)) / n**0.5

    @property
    def state(self) -> State:
        low, high = self.mean - self.half_width, self.mean + self.half_width
        if self.target.met_by(low) and self.target.met_by(high):
            return "met"
        if not self.target.met_by(low) and not self.target.met_by(high):
            return "missed"
        return "open"

    @property
    def shortfall(self) -> float:
        """Of the mean: the logarithm of a ratio, above zero where the target is missed."""
        return float(self.target.shortfall(np.array([self.mean]))[0])

    def to_json(self) -> dict[str, Any]:
        return {
            "target": str(self.target),
            "measure": self.target.measure,
            "unit": self.target.of.unit,
            "bound": self.target.bound,
            "mean": self.mean,
            "interval": [self.mean - self.half_width, self.mean + self.half_width],
            "state": self.state,
            "shortfall": self.shortfall,
            "n": int(self.values.size),
        }


@dataclass(frozen=True)
class Confirmed:
    """A setting, judged on seeds that had no part in finding it."""

    place: NDArray[np.float64]
    setting: dict[str, Value]
    outcomes: tuple[Outcome, ...]

    @property
    def state(self) -> State:
        states = {outcome.state for outcome in self.outcomes}
        if "missed" in states:
            return "missed"
        return "open" if "open" in states else "met"

    @property
    def worst(self) -> Outcome:
        """The target that is missed by most, or met by least."""
        return max(self.outcomes, key=lambda outcome: outcome.shortfall)


@dataclass(frozen=True)
class Shape:
    """How a measure answers to a parameter in the coarse design."""

    measure: str
    path: str
    said: Literal["grows", "falls", "falls, then grows", "grows, then falls", "no effect shown"]
    turns_at: Value | None = None
    """Where it turns, if it does."""


@dataclass(frozen=True)
class Answer:
    """The verdict with its evidence."""

    verdict: Verdict
    targets: tuple[Target, ...]
    chosen: Confirmed
    """The setting that meets the targets; of what cannot be met, the nearest; of what is undecided, the best."""
    defaults: Confirmed
    shapes: tuple[Shape, ...]
    tried: tuple[tuple[dict[str, Value], dict[str, float], int], ...]
    """Settings of the search: parameters, means of the measures, replications."""
    least: float
    """The lowest worst shortfall that the model still thinks possible anywhere, with 95%."""
    runs: int

    @property
    def confidence(self) -> float:
        """Of the verdict, by the rule of the confirmation."""
        return CONFIDENCE
