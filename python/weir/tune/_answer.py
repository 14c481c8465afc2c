"""Results of tuning: outcomes, confirmed settings, and the answer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir.stats import CONFIDENCE, Interval, deviation, student_t
from weir.sweep import Scalar, planned_looks
from weir.tune._space import Setting
from weir.tune._targets import Target

AnswerKind = Literal["achieved", "defaults already meet it", "not achievable", "undecided"]

State = Literal["met", "missed", "open"]

FIRST = 7
"""Replications before the first look at a confirmation: fewer say little about a skewed measure."""

CONFIRMATIONS = 3
"""Settings that may be confirmed: the defaults, the first that looks right, and the last."""

DOUBT = 2.0 * (1.0 - CONFIDENCE) / CONFIRMATIONS
"""Two-sided error probability of an interval, over all its looks. A wrong verdict needs an error on one side,
which is half of it. One tuning confirms at most `CONFIRMATIONS` settings: together 5%."""


@dataclass(frozen=True)
class TargetResult:
    """Outcome of one target at one setting and condition, on fresh seeds."""

    target: Target
    values: NDArray[np.float64] = field(repr=False)
    most: int
    """Maximum number of replications of a confirmation. Its looks depend on it."""
    condition: Setting = ()
    """Condition in which it was run; empty for the scenario's own."""
    doubt: float = DOUBT

    @property
    def mean(self) -> float:
        return float(np.nanmean(self.values))

    @property
    def half_width(self) -> float:
        """Half-width of an interval that holds at every look; infinite for one value."""
        defined = self.values[~np.isnan(self.values)]
        n = int(defined.size)
        if n < 2:
            return float("inf")
        level = 1.0 - self.doubt / len([count for count in planned_looks(self.most) if count >= FIRST])
        return student_t(n - 1, level) * deviation(defined) / n**0.5

    @property
    def state(self) -> State:
        """Side of the bound on which the whole interval lies."""
        met = [self.target.met_by(self.mean + side * self.half_width) for side in (-1.0, 1.0)]
        return "met" if all(met) else "open" if any(met) else "missed"

    @property
    def shortfall(self) -> float:
        """Shortfall of the mean, which is the logarithm of a ratio, above zero if the target is missed."""
        return float(self.target.shortfall(np.array([self.mean]))[0])

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
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

    setting: dict[str, Scalar]
    outcomes: tuple[TargetResult, ...]
    beside: Mapping[str, Interval] = field(default_factory=dict[str, Interval], kw_only=True)
    """Measures without a target, on the same seeds, with plain 95% intervals. With several conditions, each
    is from the one that is worst for it."""
    without_chance: bool = field(default=False, kw_only=True)
    """True if every seed gave the same run: then nothing is random, and no interval means anything."""

    @property
    def state(self) -> State:
        """Verdict on the setting: `met` if all targets are met in all conditions, `missed` if one is missed,
        else `open`."""
        states = {outcome.state for outcome in self.outcomes}
        return "missed" if "missed" in states else "open" if "open" in states else "met"

    @property
    def worst(self) -> TargetResult:
        """Outcome of the target and the condition that is missed by most, or met by least."""
        return max(self.outcomes, key=lambda outcome: outcome.shortfall)

    @property
    def worst_of_each(self) -> list[TargetResult]:
        """Outcome of each target in the condition that is worst for it."""
        targets = dict.fromkeys(outcome.target for outcome in self.outcomes)
        return [
            max((o for o in self.outcomes if o.target == target), key=lambda o: o.shortfall)
            for target in targets
        ]

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
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
    """Response of a measure to a parameter, in the coarse design."""

    measure: str
    path: str
    said: Said
    """Response on average over the other parameters."""
    turns_at: Scalar | None = None
    """Value of the parameter at which the measure turns, if it does."""
    where: Setting | None = None
    """Values of the other parameters at which the response differs; the first of several."""
    otherwise: Said | None = None
    """Response at the values in `where`."""


@dataclass(frozen=True)
class Tried:
    """Setting that the search has run."""

    setting: dict[str, Scalar]
    means: Mapping[str, float]
    """Means of the measures over replications. With several conditions, each is from the one that is worst
    for it."""
    shortfall: float
    """Shortfall of the worst target, in the mean over replications."""
    replications: int


@dataclass(frozen=True)
class Answer:
    """Verdict with its evidence."""

    verdict: AnswerKind
    targets: tuple[Target, ...]
    chosen: Confirmed
    """Setting that meets the targets. If the targets cannot be met it is the nearest setting; if that is
    undecided, the best."""
    defaults: Confirmed
    runs: int
    shapes: tuple[Shape, ...] = ()
    tried: tuple[Tried, ...] = ()
    least: float = 0.0
    """Lowest worst shortfall still thought possible anywhere in the box; 0 if nothing was searched."""

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
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
    """Number for JSON, which has no infinity: None stands for it."""
    return value if math.isfinite(value) else None
