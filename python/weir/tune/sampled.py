"""More than three parameters, or a front instead of a point: Optuna's samplers on the same runs.

Akiba, Sano, Yanase, Ohta, Koyama: Optuna, KDD 2019. The sampler proposes, the laboratory runs on common
seeds, and what it finds is confirmed on fresh seeds like everything else. That nothing was found shows
nothing: without a model of the whole box the verdict is then *undecided*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weir.errors import WeirError
from weir.tune.answer import Answer, Confirmed, Verdict
from weir.tune.judge import Judge
from weir.tune.space import Place, Space

if TYPE_CHECKING:
    from types import ModuleType

TRIALS = 40
"""For each parameter."""

REPLICATIONS = 3
"""Of each setting that the sampler proposes."""

FRONT_REPLICATIONS = 5
"""Of the settings of a front, on fresh seeds."""

SAFE = -0.02
"""Worst shortfall from which a setting is worth a confirmation: 2% within."""


def sampled(space: Space, judge: Judge, trials: int | None = None, seed: int = 0) -> Answer:
    """A setting by Optuna's default sampler. Raises WeirError where Optuna is not installed."""
    optuna = _optuna()
    judge.say("defaults", (), 0.0, float("inf"))
    defaults = judge.confirm(())
    if defaults.state == "met":
        return Answer(
            "defaults already meet it", judge.targets, defaults, defaults, (), (), 0.0, judge.lab.runs
        )
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    places: list[Place] = []
    best: tuple[float, Place] | None = None
    judged: Confirmed | None = None
    for _ in range(trials or TRIALS * space.dimensions):
        place, trial = _proposed(study, space)
        setting = space.at(place)
        judge.try_out([setting], REPLICATIONS)
        places.append(place)
        worst = judge.shortfall(setting)
        study.tell(trial, worst)
        if best is None or worst < best[0]:
            best = worst, place
            judge.say("sampling", setting, worst, float("inf"))
            if worst < SAFE and judged is None:
                judged = judge.confirm(setting, place, 1)
                if judged.state == "met":
                    break
    assert best is not None
    if judged is None or judged.state != "met":
        judged = judge.confirm(space.at(best[1]), best[1], 2)
    verdict: Verdict = "achieved" if judged.state == "met" else "undecided"
    tried = tuple(judge.told(setting) for setting in dict.fromkeys(space.at(place) for place in places))
    return Answer(verdict, judge.targets, judged, defaults, (), tried, float("-inf"), judge.lab.runs)


@dataclass(frozen=True)
class Front:
    """Settings of which none is better than another in every target's measure, on fresh seeds."""

    settings: tuple[Confirmed, ...]
    tried: int
    runs: int

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "tried": self.tried,
            "runs": self.runs,
            "settings": [one.to_json() for one in self.settings],
        }


def front(space: Space, judge: Judge, trials: int | None = None, seed: int = 0) -> Front:
    """What can be had of all targets' measures together. Raises WeirError where Optuna is not installed."""
    if len(judge.targets) < 2:
        raise WeirError("a front needs two targets or more", "add one: --target")
    optuna = _optuna()
    study = optuna.create_study(
        directions=["minimize"] * len(judge.targets), sampler=optuna.samplers.TPESampler(seed=seed)
    )
    settings: dict[Any, None] = {}
    for _ in range(trials or TRIALS * space.dimensions):
        place, trial = _proposed(study, space)
        setting = space.at(place)
        judge.try_out([setting], REPLICATIONS)
        settings[setting] = None
        study.tell(trial, _shortfalls(judge, setting))
        judge.say("front", setting, judge.shortfall(setting), float("inf"))
    rows = {setting: np.array(_shortfalls(judge, setting)) for setting in settings}
    kept = [s for s in settings if not any(_beaten(rows[s], other) for other in rows.values())]
    # Whoever is on a front was lucky: on other seeds some of them beat others.
    judged = {setting: judge.look(setting, FRONT_REPLICATIONS) for setting in kept}
    again = {s: np.array([outcome.shortfall for outcome in one.outcomes]) for s, one in judged.items()}
    last = [s for s in kept if not any(_beaten(again[s], other) for other in again.values())]
    return Front(tuple(judged[setting] for setting in last), len(settings), judge.lab.runs)


def _shortfalls(judge: Judge, setting: Any) -> list[float]:  # noqa: ANN401 - a Setting
    return [
        max(
            float(target.shortfall(judge.lab.values(setting + c, target.measure)).mean())
            for c in judge.conditions
        )
        for target in judge.targets
    ]


def _beaten(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((other <= one).all() and (other < one).any())


def _proposed(study: Any, space: Space) -> tuple[Place, Any]:  # noqa: ANN401 - Optuna has no types
    trial = study.ask()
    shares: Sequence[float] = [trial.suggest_float(axis.column, 0.0, 1.0) for axis in space.axes]
    return np.array(shares), trial


def _optuna() -> ModuleType:
    try:
        import optuna
    except ImportError:
        raise WeirError(
            "more than three parameters, and fronts, need Optuna", "pip install 'weir[tuning]'"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
