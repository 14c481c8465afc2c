"""What comes out of tuning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir.stats._intervals import CONFIDENCE, Interval, deviation, student_t
from weir.sweep._until import looks
from weir.sweep._values import Value
from weir.tune._space import Setting
from weir.tune._targets import Target

Verdict = Literal["achieved", "defaults already meet it", "not achievable", "undecided"]

State = Literal["met", "missed", "open"]

FIRST = 7
"""Replications before which a confirmation is not looked at: fewer say little of a skewed measure."""

CONFIRMATIONS = 3
"""Settings that may be confirmed: the defaults, the first that looks right, and the last."""

DOUBT = 2.0 * (1.0 - CONFIDENCE) / CONFIRMATIONS
"""Of an interval, all looks together. To be wrong on the right side takes half of it, and of one tuning at
most so many settings are confirmed: together 5%."""


@dataclass(frozen=True)
class Outcome:
    """One target at one setting and condition, on fresh seeds."""

    target: Target
    values: NDArray[np.float64] = field(repr=False)
    most: int
    """Replications that a confirmation may have: its looks depend on it."""
    condition: Setting = ()
    """In which it was run; empty: the scenario's own."""
    doubt: float = DOUBT

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.values))

    @property
    def half_width(self) -> float:
        """Of an interval that holds however often one has looked; infinite for one value."""
        defined = self.values[~np.isnan(self.values)]
        n = int(defined.size)
        if n < 2:
            return float("inf")
        level = 1.0 - self.doubt / len([count for count in looks(self.most) if count >= FIRST])
        return student_t(n - 1, level) * deviation(defined) / n**0.5

    @property
    def state(self) -> State:
        """On which side of the bound the whole interval lies."""
        met = [self.target.met_by(self.mean + side * self.half_width) for side in (-1.0, 1.0)]
        return "met" if all(met) else "open" if any(met) else "missed"

    @property
    def shortfall(self) -> float:
        """Of the mean: the logarithm of a ratio, above zero where the target is missed."""
        return float(self.target.shortfall(np.array([self.mean]))[0])

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "target": str(self.target),
            "measure": self.target.measure,
            "unit": self.target.of.unit,
            "bound": self.target.bound,
            "condition": dict(self.condition),
            "mean": self.mean,
            "interval": [_finite(self.mean - self.half_width), _finite(self.mean + self.half_width)],
            "state": self.state,
            "shortfall": self.shortfall,
            "n": int(self.values.size),
        }


@dataclass(frozen=True)
class Confirmed:
    """A setting, judged on seeds that had no part in finding it."""

    setting: dict[str, Value]
    outcomes: tuple[Outcome, ...]
    beside: Mapping[str, Interval] = field(default_factory=dict[str, Interval], kw_only=True)
    """Measures that are no target, on the same seeds, with plain 95% intervals; of several
    conditions in the one that is worst for it."""
    without_chance: bool = field(default=False, kw_only=True)
    """Whether every seed gave the same run: nothing is drawn then, and no interval means anything."""

    @property
    def state(self) -> State:
        """`met` if all targets are, in all conditions; `missed` if one is."""
        states = {outcome.state for outcome in self.outcomes}
        return "missed" if "missed" in states else "open" if "open" in states else "met"

    @property
    def worst(self) -> Outcome:
        """The target, and the condition, that is missed by most, or met by least."""
        return max(self.outcomes, key=lambda outcome: outcome.shortfall)

    @property
    def worst_of_each(self) -> list[Outcome]:
        """Of every target, the outcome in the condition that is worst for it."""
        targets = dict.fromkeys(outcome.target for outcome in self.outcomes)
        return [
            max((o for o in self.outcomes if o.target == target), key=lambda o: o.shortfall)
            for target in targets
        ]

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "setting": self.setting,
            "state": self.state,
            "without_chance": self.without_chance,
            "outcomes": [outcome.to_json() for outcome in self.outcomes],
            "beside": {
                name: {"mean": _finite(one.mean), "half_width": one.half_width, "n": one.n}
                for name, one in self.beside.items()
            },
        }


Said = Literal["grows", "falls", "falls, then grows", "grows, then falls", "no effect shown"]


@dataclass(frozen=True)
class Shape:
    """How a measure answers to a parameter in the coarse design."""

    measure: str
    path: str
    said: Said
    """On average over the other parameters."""
    turns_at: Value | None = None
    """Where it turns, if it does."""
    where: Setting | None = None
    """Values of the other parameters at which it does otherwise; the first of several."""
    otherwise: Said | None = None
    """What it does there."""


@dataclass(frozen=True)
class Tried:
    """A setting of the search."""

    setting: dict[str, Value]
    means: Mapping[str, float]
    """Of the measures, over replications; of several conditions, in the one that is worst for it."""
    shortfall: float
    """The worst, in the mean over replications."""
    replications: int


@dataclass(frozen=True)
class Answer:
    """The verdict with its evidence."""

    verdict: Verdict
    targets: tuple[Target, ...]
    chosen: Confirmed
    """The setting that meets the targets; of what cannot be met, the nearest; of what is undecided, the
    best."""
    defaults: Confirmed
    runs: int
    shapes: tuple[Shape, ...] = ()
    tried: tuple[Tried, ...] = ()
    least: float = 0.0
    """The lowest worst shortfall that is still thought possible anywhere in the box; 0 where nothing was
    searched."""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "verdict": self.verdict,
            "targets": [str(target) for target in self.targets],
            "confidence": CONFIDENCE,
            "chosen": self.chosen.to_json(),
            "defaults": self.defaults.to_json(),
            "worst": self.chosen.worst.to_json(),
            "shapes": [asdict(shape) for shape in self.shapes],
            "least_shortfall": _finite(self.least),
            "runs": self.runs,
            "tried": [
                {**asdict(one), "means": {name: _finite(mean) for name, mean in one.means.items()}}
                for one in self.tried
            ],
        }


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if math.isfinite(value) else None
