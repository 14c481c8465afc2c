"""More than three parameters, or a front instead of a point: Optuna's samplers on the same runs.

Akiba, Sano, Yanase, Ohta, Koyama: Optuna, KDD 2019. The sampler proposes, the settings are run on common
seeds, and what it finds is confirmed on fresh seeds like everything else. That nothing was found shows
nothing: without a model of the whole box the verdict is then *undecided*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from weir._errors import WeirError
from weir.store import Sweep as Record
from weir.tune._answer import Answer, Confirmed, Verdict
from weir.tune._confirmation import Confirmation
from weir.tune._space import Setting, Space

TRIALS = 40
"""For each parameter."""

REPLICATIONS = 3
"""Of each setting that the sampler proposes."""

FRONT_REPLICATIONS = 5
"""Of the settings of a front, on fresh seeds."""

SAFE = -0.02
"""Worst shortfall from which a setting is worth a confirmation: 2% within."""


def sampled(space: Space, confirmation: Confirmation, trials: int | None = None, seed: int = 0) -> Answer:
    """A setting by Optuna's default sampler. Raises WeirError where Optuna is not installed."""
    proposals = _proposals(space, confirmation, trials, seed, lambda shortfalls: [max(shortfalls)])
    confirmation.say("defaults")
    defaults = confirmation.confirm(())
    runs = confirmation.evaluator
    if defaults.state == "met":
        return Answer("defaults already meet it", confirmation.targets, defaults, defaults, runs.runs)
    tried: dict[Setting, float] = {}
    judged: Confirmed | None = None
    least = float("inf")
    for setting, (worst, *_) in proposals:
        tried[setting] = worst
        if worst < least:
            least = worst
            confirmation.say("sampling", setting, worst)
            if worst < SAFE and judged is None:
                judged = confirmation.confirm(setting, 1)
                if judged.state == "met":
                    break
    if judged is None or judged.state != "met":
        judged = confirmation.confirm(min(tried, key=lambda setting: tried[setting]), 2)
    verdict: Verdict = "achieved" if judged.state == "met" else "undecided"
    seen = tuple(map(confirmation.tried, tried))
    return Answer(verdict, confirmation.targets, judged, defaults, runs.runs, (), seen, float("-inf"))


@dataclass(frozen=True)
class Front:
    """Settings of which none is better than another in every target's measure, on fresh seeds."""

    settings: tuple[Confirmed, ...]
    tried: int
    runs: int
    record: Record | None = None
    """In the store."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    """Of the search when it was asked for first."""

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "result": None if self.record is None else self.record.number,
            "tried": self.tried,
            "runs": self.runs,
            "settings": [one.to_json() for one in self.settings],
        }


def front(space: Space, confirmation: Confirmation, trials: int | None = None, seed: int = 0) -> Front:
    """What can be had of all targets' measures together. Raises WeirError where Optuna is not installed."""
    if len(confirmation.targets) < 2:
        raise WeirError("a front needs two targets or more", "add one: --target")
    tried: dict[Setting, list[float]] = {}
    for setting, shortfalls in _proposals(space, confirmation, trials, seed, list):
        tried[setting] = shortfalls
        confirmation.say("front", setting, max(shortfalls))
    best = compress(tried, undominated(list(tried.values())))
    # Points on the front are biased: evaluate them again on fresh seeds.
    judged = [confirmation.look(setting, FRONT_REPLICATIONS) for setting in best]
    again = undominated([[outcome.shortfall for outcome in one.outcomes] for one in judged])
    return Front(tuple(compress(judged, again)), len(tried), confirmation.evaluator.runs)


def undominated(rows: list[list[float]]) -> list[bool]:
    """Of each row, whether no other is as low in all columns and lower in one."""
    every = np.array(rows)
    return [not ((every <= row).all(axis=1) & (every < row).any(axis=1)).any() for row in every]


def _proposals(
    space: Space,
    confirmation: Confirmation,
    trials: int | None,
    seed: int,
    told: Callable[[list[float]], list[float]],
) -> Iterator[tuple[Setting, list[float]]]:
    """Settings that Optuna's default sampler proposes, each run, with what the sampler is told of their
    shortfalls; they end when nobody asks for more. Raises WeirError where Optuna is not installed."""
    try:
        import optuna
    except ImportError:
        raise WeirError(
            "more than three parameters, and fronts, need Optuna", "pip install 'weir[tuning]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study: Any = optuna.create_study(
        directions=["minimize" for _ in told([0.0] * len(confirmation.targets))],
        sampler=optuna.samplers.TPESampler(seed=seed),
    )

    def proposed() -> Iterator[tuple[Setting, list[float]]]:
        for _ in range(trials or TRIALS * space.dimensions):
            trial = study.ask()
            shares = [trial.suggest_float(axis.column, 0.0, 1.0) for axis in space.axes]
            setting = space.at(np.array(shares))
            confirmation.try_out([setting], REPLICATIONS)
            values = told(confirmation.shortfalls(setting))
            study.tell(trial, values)
            yield setting, values

    return proposed()
