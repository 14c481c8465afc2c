"""Settings judged: on fresh seeds until it is clear, and told with what the search saw of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from weir.stats.intervals import CONFIDENCE
from weir.sweep.until import looks
from weir.tune.answer import FIRST, Confirmed, Outcome, Tried
from weir.tune.lab import Lab
from weir.tune.space import Place, Setting
from weir.tune.targets import Target, TargetError

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


_HINTS = {
    "jain": 'it is of flows that are there from the beginning of what is measured: measure.warm_up = "2 s"',
    "goodput": "paths with different narrowest links have none in common; choose utilisation or loss",
}

OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Judge:
    """Targets in conditions."""

    lab: Lab
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
        self.lab.run([setting + c for setting in settings for c in self.conditions], replications)

    def shortfall(self, setting: Setting) -> float:
        """The worst, in the mean over the runs of the search."""
        return max(
            float(target.shortfall(self.lab.values(setting + condition, target.measure)).mean())
            for target, condition in self.demands
        )

    def confirm(self, setting: Setting, place: Place | None = None, attempt: int = 0) -> Confirmed:
        """On fresh seeds: 7, 10, 14, 20, 28 replications, until every target is met or one is missed. Every
        attempt has seeds of its own: what the first has seen chose the next."""
        settings = [setting + condition for condition in self.conditions]
        judged: Confirmed | None = None
        for count in (count for count in looks(MOST) if count >= FIRST):
            self.lab.run(settings, count, fresh=attempt + 1)
            self._check(settings, attempt + 1)
            outcomes = tuple(
                Outcome(
                    target,
                    self.lab.values(setting + condition, target.measure, fresh=attempt + 1),
                    MOST,
                    condition,
                )
                for target, condition in self.demands
            )
            judged = Confirmed(place, dict(setting), outcomes)
            worst = judged.worst
            relative = worst.half_width / abs(worst.mean) if worst.mean else 0.0
            self.say("confirming", setting, worst.shortfall, relative)
            if judged.state != "open":
                break
        assert judged is not None, "there are looks"
        return judged

    def look(self, setting: Setting, replications: int) -> Confirmed:
        """So many fresh replications, looked at once; of several conditions the worst for each target."""
        self.lab.run([setting + condition for condition in self.conditions], replications, fresh=1)
        outcomes = [
            Outcome(
                target,
                self.lab.values(setting + condition, target.measure, fresh=1)[:replications],
                FIRST,
                condition,
                1.0 - CONFIDENCE,
            )
            for target, condition in self.demands
        ]
        worst = [max((o for o in outcomes if o.target == t), key=lambda o: o.shortfall) for t in self.targets]
        return Confirmed(None, dict(setting), tuple(worst))

    def _check(self, settings: Sequence[Setting], fresh: int) -> None:
        """Raises TargetError for a measure that is not defined, such as a wait where nothing passed."""
        for setting in settings:
            for target in self.targets:
                if np.isnan(self.lab.values(setting, target.measure, fresh=fresh)).any():
                    raise TargetError(
                        f"{target.measure} is not defined in every run", "choose another measure"
                    )

    def told(self, setting: Setting) -> Tried:
        """What the search saw of it."""
        found = {
            target.measure: [
                (float(target.shortfall(values).mean()), values)
                for values in (self.lab.values(setting + c, target.measure) for c in self.conditions)
            ]
            for target in self.targets
        }
        means = {name: float(max(rows, key=lambda row: row[0])[1].mean()) for name, rows in found.items()}
        replications = min(values.size for rows in found.values() for _, values in rows)
        return Tried(dict(setting), means, self.shortfall(setting), replications)

    def say(self, doing: str, setting: Setting, shortfall: float, half_width: float) -> None:
        """To whoever follows."""
        if self.on_step is not None:
            self.on_step(Step(doing, self.lab.runs, setting, shortfall, half_width))
