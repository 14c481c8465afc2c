"""Settings confirmed: on fresh seeds until it is clear on which side of the targets they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weir.stats._intervals import CONFIDENCE
from weir.sweep._until import looks
from weir.tune._answer import DOUBT, FIRST, Confirmed, Outcome, Tried
from weir.tune._evaluator import Evaluator
from weir.tune._space import Setting
from weir.tune._targets import Target, TargetError

MOST = 28
"""Replications of a confirmation."""


@dataclass(frozen=True)
class Step:
    """What progress shows."""

    doing: str
    runs: int
    setting: Setting
    """The best so far."""
    shortfall: float
    """The worst of it, expected."""
    half_width: float
    """Of an interval of 95%."""


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Confirmation:
    """Settings against targets in conditions."""

    evaluator: Evaluator
    targets: tuple[Target, ...]
    conditions: tuple[Setting, ...] = ((),)
    """Where a setting has to do; one empty one: the scenario as it is."""
    on_step: OnStep | None = None

    @property
    def demands(self) -> list[tuple[Target, Setting]]:
        """Every target in every condition."""
        return [(target, condition) for target in self.targets for condition in self.conditions]

    def try_out(self, settings: Sequence[Setting], replications: int) -> None:
        """Runs of the search, in all conditions."""
        self.evaluator.run([setting + c for setting in settings for c in self.conditions], replications)

    def shortfalls(self, setting: Setting) -> list[float]:
        """Of each target, in the condition that is worst for it, in the mean over the runs of the search."""
        return [
            max(
                float(target.shortfall(self.evaluator.values(setting + c, target.measure)).mean())
                for c in self.conditions
            )
            for target in self.targets
        ]

    def outcomes(
        self,
        setting: Setting,
        conditions: Sequence[Setting],
        replications: int,
        *,
        most: int,
        fresh: int = 1,
        doubt: float = DOUBT,
    ) -> tuple[Outcome, ...]:
        """Of every target in every condition, on so many fresh seeds: see `Outcome` for `most`, `doubt`."""
        self.evaluator.run([setting + condition for condition in conditions], replications, fresh=fresh)
        return tuple(
            Outcome(
                target,
                self.evaluator.values(setting + c, target.measure, fresh=fresh)[:replications],
                most,
                c,
                doubt,
            )
            for target in self.targets
            for c in conditions
        )

    def confirm(self, setting: Setting, attempt: int = 0) -> Confirmed:
        """On fresh seeds: 7, 10, 14, 20, 28 replications, until every target is met or one is missed. Every
        attempt has seeds of its own: what the first has seen chose the next. Raises TargetError for a
        measure that is not defined, such as a wait where nothing passed."""
        judged: Confirmed | None = None
        for count in (count for count in looks(MOST) if count >= FIRST):
            outcomes = self.outcomes(setting, self.conditions, count, most=MOST, fresh=attempt + 1)
            for outcome in outcomes:
                if np.isnan(outcome.values).any():
                    measure = outcome.target.measure
                    raise TargetError(f"{measure} is not defined in every run", "choose another measure")
            judged = Confirmed(dict(setting), outcomes)
            worst = judged.worst
            relative = worst.half_width / abs(worst.mean) if worst.mean else 0.0
            self.say("confirming", setting, worst.shortfall, relative)
            if judged.state != "open":
                break
        assert judged is not None, "there are looks"
        return judged

    def look(self, setting: Setting, replications: int) -> Confirmed:
        """So many fresh replications, looked at once; of several conditions the worst for each target."""
        doubt = 1.0 - CONFIDENCE
        outcomes = self.outcomes(setting, self.conditions, replications, most=FIRST, doubt=doubt)
        return Confirmed(dict(setting), tuple(Confirmed({}, outcomes).worst_of_each))

    def tried(self, setting: Setting) -> Tried:
        """What the search saw of a setting."""
        means: dict[str, float] = {}
        for target in self.targets:
            rows = [self.evaluator.values(setting + c, target.measure) for c in self.conditions]
            worst = max(rows, key=lambda values: float(target.shortfall(values).mean()))
            means[target.measure] = float(worst.mean())
        count = min(self.evaluator.values(setting + c, target.measure).size for target, c in self.demands)
        return Tried(dict(setting), means, max(self.shortfalls(setting)), count)

    def say(
        self, doing: str, setting: Setting = (), shortfall: float = 0.0, half: float = float("inf")
    ) -> None:
        """Tells `on_step` what is done now."""
        if self.on_step is not None:
            self.on_step(Step(doing, self.evaluator.runs, setting, shortfall, half))
