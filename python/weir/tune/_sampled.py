"""Optuna's samplers, for more than three parameters or for a front instead of a point, on the same runs.

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
from weir.check import Repeated
from weir.store import Record
from weir.tune._answer import Answer, AnswerKind, Confirmed
from weir.tune._evaluator import Evaluator
from weir.tune._space import Setting, Space

TRIALS = 40
"""Default number of trials per parameter."""

REPLICATIONS = 3
"""Replications of each setting that the sampler proposes."""

FRONT_REPLICATIONS = 5
"""Replications of the settings of a front, on fresh seeds."""

SAFE = -0.02
"""Worst shortfall from which a setting is worth a confirmation: 2% within."""


def sampled(space: Space, evaluator: Evaluator, trials: int | None = None) -> Answer:
    """Searches a setting with Optuna's default sampler. Raises WeirError if Optuna is not installed."""
    proposals = _proposals(space, evaluator, trials, lambda shortfalls: [max(shortfalls)])
    evaluator.say("defaults")
    defaults = evaluator.confirm(())
    if defaults.state == "met":
        return Answer("defaults already meet it", evaluator.targets, defaults, defaults, evaluator.runs)
    tried: dict[Setting, float] = {}
    judged: Confirmed | None = None
    least = float("inf")
    for setting, (worst, *_) in proposals:
        tried[setting] = worst
        if worst < least:
            least = worst
            evaluator.say("sampling", setting, worst)
            if worst < SAFE and judged is None:
                judged = evaluator.confirm(setting, 1)
                if judged.state == "met":
                    break
    if judged is None or judged.state != "met":
        judged = evaluator.confirm(min(tried, key=lambda setting: tried[setting]), 2)
    verdict: AnswerKind = "achieved" if judged.state == "met" else "undecided"
    seen = tuple(map(evaluator.tried, tried))
    return Answer(verdict, evaluator.targets, judged, defaults, evaluator.runs, (), seen, float("-inf"))


@dataclass(frozen=True)
class Front:
    """Settings of which none is better than another in every target's measure, on fresh seeds."""

    settings: tuple[Confirmed, ...]
    tried: int
    runs: int
    notes: tuple[Repeated, ...] = ()
    """Notes on what may mislead in the scenario."""
    record: Record | None = None
    """Record of the result in the store."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    """CPU time of the search when it was first requested, in seconds."""

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "result": None if self.record is None else self.record.number,
            "tried": self.tried,
            "runs": self.runs,
            "notes": [note.to_json() for note in self.notes],
            "settings": [one.to_json() for one in self.settings],
        }


def front(space: Space, evaluator: Evaluator, trials: int | None = None) -> Front:
    """Finds the trade-off of all targets' measures. Raises WeirError if Optuna is not installed."""
    if len(evaluator.targets) < 2:
        raise WeirError("a front needs two targets or more", "add one: --target")
    tried: dict[Setting, list[float]] = {}
    for setting, shortfalls in _proposals(space, evaluator, trials, list):
        tried[setting] = shortfalls
        evaluator.say("front", setting, max(shortfalls))
    best = compress(tried, undominated(list(tried.values())))
    # Points on the front are biased: evaluate them again on fresh seeds.
    judged = [evaluator.look(setting, FRONT_REPLICATIONS) for setting in best]
    again = undominated([[outcome.shortfall for outcome in one.outcomes] for one in judged])
    return Front(tuple(compress(judged, again)), len(tried), evaluator.runs)


def undominated(rows: list[list[float]]) -> list[bool]:
    """Marks the rows that no other row dominates, that is, no other is as low in all columns and lower in
    one."""
    every = np.array(rows)
    return [not ((every <= row).all(axis=1) & (every < row).any(axis=1)).any() for row in every]


def _proposals(
    space: Space,
    evaluator: Evaluator,
    trials: int | None,
    objectives: Callable[[list[float]], list[float]],
) -> Iterator[tuple[Setting, list[float]]]:
    """Settings that Optuna's default sampler proposes, each run, with its objectives, made of the
    shortfalls of the targets. Raises WeirError where Optuna is not installed."""
    try:
        import optuna
    except ImportError:
        raise WeirError(
            "more than three parameters, and fronts, need Optuna", "pip install 'weir-aqm[tuning]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study: Any = optuna.create_study(
        directions=["minimize" for _ in objectives([0.0] * len(evaluator.targets))],
        sampler=optuna.samplers.TPESampler(seed=0),
    )

    def proposed() -> Iterator[tuple[Setting, list[float]]]:
        for _ in range(trials or TRIALS * space.dimensions):
            trial = study.ask()
            shares = [trial.suggest_float(axis.column, 0.0, 1.0) for axis in space.axes]
            setting = space.at(np.array(shares))
            evaluator.try_out([setting], REPLICATIONS)
            values = objectives(evaluator.shortfalls(setting))
            study.tell(trial, values)
            yield setting, values

    return proposed()
