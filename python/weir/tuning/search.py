"""Finding a setting that meets the targets, or that none does.

With s_k(x) the shortfall of target k at setting x, the worst of them, s(x) = max_k s_k(x), is negative where all
targets are met, and its least value over the box says whether they can be. All runs of the search share their
seeds, so that settings differ by what they do and not by what they were given.

1. The defaults, on fresh seeds: they may do.
2. A coarse design, every combination of a few levels. It tells how each measure answers to each parameter; a
   loss that falls and then grows, as RED's does with max_p, is found and not assumed away.
3. Refinement: where the model expects the least, and where the least may hide. It ends when the best setting is
   clearly on one side, or nothing better can be expected anywhere.
4. Confirmation on fresh seeds, looked at after 5, 7, 10, 14, ... replications with intervals that hold for all
   looks together. Whoever chooses the best of many runs has chosen luck as well; fresh seeds know nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from weir.sweeps.until import looks
from weir.tuning.answer import Answer, Confirmed, Outcome, Shape, Verdict
from weir.tuning.lab import FRESH, Lab, Place
from weir.tuning.model import Model
from weir.tuning.targets import Target

LEVELS = {1: 7, 2: 5, 3: 3}
"""Of each parameter in the coarse design."""

COARSE = 2
"""Replications there, and of each setting tried later."""

ROUNDS = 8
"""Of refinement, at most."""

ENOUGH = 2.0
"""Deviations by which a setting has to be on one side to be confirmed at once."""

HOPE = 2.0
"""Deviations below the mean that are still thought possible when nothing better is found."""

MOST = 28
"""Replications of a confirmation."""

NEAR = 0.5
"""Share of a design's step within which two settings are the same to the model."""


@dataclass(frozen=True)
class Step:
    """What progress shows."""

    doing: str
    runs: int
    best: Confirmed | None
    setting: str
    shortfall: float
    deviation: float


OnStep = Callable[[Step], None]


class Search:
    """One search, from the defaults to the answer."""

    def __init__(self, lab: Lab, targets: Sequence[Target], on_step: OnStep | None = None) -> None:
        if lab.space.dimensions not in LEVELS:
            raise ValueError(f"{lab.space.dimensions} parameters; this search is for one to three")
        self._lab = lab
        self._targets = tuple(targets)
        self._on_step = on_step
        self._tried: list[Place] = []

    def run(self) -> Answer:
        """The answer, with its evidence."""
        defaults = self._defaults()
        self._say("coarse design")
        self._try(self._coarse())
        shapes = self._shapes()
        if defaults.state == "met":
            return self._answer("defaults already meet it", defaults, defaults, shapes)
        refuted: list[Confirmed] = []
        for _ in range(ROUNDS):
            best, mean, deviation, least = self._best()
            self._say("refining", best, mean, deviation)
            if mean + ENOUGH * deviation < 0.0:
                judged = self._confirm(best)
                if judged.state == "met":
                    return self._answer("achieved", judged, defaults, shapes)
                refuted.append(judged)
                if len(refuted) > 2:
                    break
            elif least > 0.0:
                break
            self._try(self._candidates())
        best, mean, deviation, least = self._best()
        judged = self._confirm(best)
        if judged.state == "met":
            return self._answer("achieved", judged, defaults, shapes)
        verdict: Verdict = "not achievable" if judged.state == "missed" and least > 0.0 else "undecided"
        return self._answer(verdict, judged, defaults, shapes)

    # The parts, in the order of their use.

    def _defaults(self) -> Confirmed:
        """The scenario as it is: a place outside the box, so to speak."""
        self._say("defaults")
        own = Lab(_Own(self._lab.space), self._lab.measures, self._lab.store, self._lab.workers)
        judged = _confirm(own, np.zeros(0), self._targets)
        self._lab.runs += own.runs
        return judged

    def _coarse(self) -> list[Place]:
        ticks = np.linspace(0.0, 1.0, LEVELS[self._lab.space.dimensions])
        return [np.array(place) for place in product(ticks, repeat=self._lab.space.dimensions)]

    def _try(self, places: Sequence[Place]) -> None:
        self._lab.run(places, COARSE)
        seen = {self._lab.space.values(place) for place in self._tried}
        for place in places:
            if self._lab.space.values(place) not in seen:
                self._tried.append(place)
                seen.add(self._lab.space.values(place))

    def _means(self, target: Target) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of the shortfall at the settings tried: means and their variances, pooled over all settings."""
        rows = [target.shortfall(self._lab.values(place, target.measure)) for place in self._tried]
        counts = np.array([row.size for row in rows])
        squares = sum(float(((row - row.mean()) ** 2).sum()) for row in rows)
        pooled = squares / max(1, int((counts - 1).sum()))
        return np.array([row.mean() for row in rows]), pooled / counts

    def _models(self) -> list[Model]:
        places = np.stack(self._tried)
        return [Model.of(places, *self._means(target)) for target in self._targets]

    def _grid(self) -> NDArray[np.float64]:
        """Where the models are looked at."""
        count = {1: 401, 2: 61, 3: 21}[self._lab.space.dimensions]
        ticks = np.linspace(0.0, 1.0, count)
        return np.array(list(product(ticks, repeat=self._lab.space.dimensions)))

    def _worst(self, places: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and deviation of the worst shortfall, by the target that is worst in the mean."""
        found = [model.at(places) for model in self._models()]
        means, deviations = np.stack([m for m, _ in found]), np.stack([d for _, d in found])
        worst = means.argmax(axis=0)
        rows = np.arange(places.shape[0])
        return means[worst, rows], deviations[worst, rows]

    def _best(self) -> tuple[Place, float, float, float]:
        """The setting of the least worst shortfall, its mean and deviation, and what is thought possible at best."""
        grid = self._grid()
        mean, deviation = self._worst(grid)
        best = int(mean.argmin())
        return grid[best], float(mean[best]), float(deviation[best]), float((mean - HOPE * deviation).min())

    def _candidates(self) -> list[Place]:
        """The best, and where the least may hide; neither where enough has been tried."""
        grid = self._grid()
        mean, deviation = self._worst(grid)
        chosen: list[Place] = []
        for score in (mean, mean - HOPE * deviation):
            place = grid[int(score.argmin())]
            if not any(np.array_equal(place, other) for other in chosen):
                chosen.append(place)
        for place in chosen:
            # The same again would teach nothing about it: more seeds do.
            if any(self._lab.space.values(place) == self._lab.space.values(other) for other in self._tried):
                known = self._lab.values(place, self._targets[0].measure).size
                self._lab.run([place], known + COARSE)
        return chosen

    def _confirm(self, place: Place) -> Confirmed:
        return _confirm(self._lab, place, self._targets, lambda judged: self._say("confirming", place, 0.0, 0.0, judged))

    def _shapes(self) -> tuple[Shape, ...]:
        from weir.tuning.shapes import shapes

        return shapes(self._lab, self._tried, [target.measure for target in self._targets])

    def _answer(
        self, verdict: Verdict, chosen: Confirmed, defaults: Confirmed, shapes: tuple[Shape, ...]
    ) -> Answer:
        tried = tuple(
            (
                self._lab.space.told(place),
                {name: float(self._lab.values(place, name).mean()) for name in self._lab.measures},
                int(self._lab.values(place, self._lab.measures[0]).size),
            )
            for place in self._tried
        )
        least = self._best()[3]
        return Answer(verdict, self._targets, chosen, defaults, shapes, tried, least, self._lab.runs)

    def _say(
        self,
        doing: str,
        place: Place | None = None,
        shortfall: float = 0.0,
        deviation: float = 0.0,
        judged: Confirmed | None = None,
    ) -> None:
        if self._on_step is None:
            return
        setting = "" if place is None else ", ".join(str(value) for value in self._lab.space.values(place))
        self._on_step(Step(doing, self._lab.runs, judged, setting, shortfall, deviation))


class _Own:
    """A space of one setting: the scenario as it is."""

    def __init__(self, space) -> None:
        self.scenario = space.scenario

    def values(self, place):
        return ()

    def at(self, place):
        return self.scenario

    def told(self, place):
        return {}


def _confirm(
    lab: Lab, place: Place, targets: Sequence[Target], say: Callable[[Confirmed], None] | None = None
) -> Confirmed:
    judged: Confirmed | None = None
    for count in looks(MOST):
        lab.run([place], count, FRESH)
        outcomes = tuple(Outcome(t, lab.values(place, t.measure, fresh=True), MOST) for t in targets)
        judged = Confirmed(place, lab.space.told(place), outcomes)
        if say is not None:
            say(judged)
        if judged.state != "open":
            break
    assert judged is not None
    return judged
