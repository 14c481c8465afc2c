"""Finding a setting that meets the targets, or that none does.

s_k(x) is the shortfall of target k at setting x. The worst of them, s(x) = max_k s_k(x), is negative
where all targets are met. Its least value over the box says whether they can be. All runs of the search
share their seeds, so that settings differ by what they do and not by what they were given.

1. The defaults, on fresh seeds: they may do.
2. A coarse design, every combination of a few levels. It tells how each measure answers to each parameter. A
   loss that falls and then grows, as RED's does with max_p, is found and not assumed away.
3. Refinement: where the model expects the least, and where the least may hide. It ends when the best
   setting is clearly on the right side, or nothing on the right side can be expected anywhere.
4. Confirmation on fresh seeds, looked at after 7, 10, 14, 20, 28 replications with intervals that hold for
   all looks together. The best of many runs had luck as well; fresh seeds know nothing of it.

Where a setting is to do over a region of conditions, each target counts once for every condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from weir.tune._answer import Answer, AnswerKind, Confirmed
from weir.tune._evaluator import Evaluator
from weir.tune._shapes import REPLICATIONS, shapes
from weir.tune._space import DesignPoint, Setting, Space
from weir.tune._surface import Best, best_of

LEVELS = {1: 7, 2: 5, 3: 3}
"""Levels of each parameter in the coarse design, by the number of parameters."""

ROUNDS = 12
"""Maximum number of rounds of refinement."""

LOOKED_AROUND = 2
"""Rounds of looking around the nearest setting before all are called hopeless."""

_TICKS = {1: 401, 2: 61, 3: 21}
"""Grid points of each parameter at which the model is evaluated, by the number of parameters."""


class Search:
    """Search from the defaults to the answer."""

    def __init__(self, space: Space, evaluator: Evaluator) -> None:
        if space.dimensions not in LEVELS:
            raise ValueError(f"{space.dimensions} parameters; this search is for one to three")
        self._space, self._evaluator = space, evaluator
        self._tried: dict[Setting, DesignPoint] = {}
        self._coarse = space.points(LEVELS[space.dimensions])

    def run(self) -> Answer:
        """Searches, and returns the answer with its evidence."""
        space, evaluator = self._space, self._evaluator
        evaluator.say("defaults")
        defaults = evaluator.confirm(())
        if defaults.state == "met":
            # Nothing has to be changed, so nothing has to be known of other settings.
            runs = evaluator.runs
            return Answer("defaults already meet it", evaluator.targets, defaults, defaults, runs)
        evaluator.say("coarse design")
        # The defaults work somehow, and are often near to what is wanted.
        self._try([*self._coarse, *([] if space.defaults is None else [space.defaults])])
        refuted = False
        around = 0
        for _ in range(ROUNDS):
            best = self._best()
            setting = space.at(best.point)
            evaluator.say("refining", setting, best.mean, 1.96 * best.deviation)
            if best.promising and not refuted:
                judged = evaluator.confirm(setting, 1)
                if judged.state == "met":
                    return self._answer("achieved", judged, defaults)
                refuted = True
            elif best.hopeless and setting in self._tried:
                # The nearest has been run, not only computed; and a dip beside it would have been seen.
                if around == LOOKED_AROUND:
                    break
                around += 1
                self._try(self._between(best.point))
            self._refine(best)
        best = self._best()
        judged = evaluator.confirm(space.at(best.point), 2)
        if judged.state == "met":
            return self._answer("achieved", judged, defaults)
        nearer = space.defaults is not None and defaults.worst.shortfall < judged.worst.shortfall
        verdict: AnswerKind = "not achievable" if judged.state == "missed" and best.hopeless else "undecided"
        return self._answer(verdict, defaults if nearer else judged, defaults)

    def _between(self, point: DesignPoint) -> list[DesignPoint]:
        """Points halfway to the next settings tried, along each parameter, in both directions."""
        found: list[DesignPoint] = []
        for index, known in enumerate(map(np.unique, np.stack(list(self._tried.values())).T)):
            for nearest in (known[known < point[index] - 1e-9][-1:], known[known > point[index] + 1e-9][:1]):
                for tick in nearest:
                    middle = point.copy()
                    middle[index] = 0.5 * (point[index] + tick)
                    if self._space.can_run(middle):
                        found.append(middle)
        return found

    def _try(self, points: Sequence[DesignPoint]) -> None:
        settings = [self._space.at(point) for point in points]
        for setting, point in zip(settings, points, strict=True):
            self._tried.setdefault(setting, point)
        self._evaluator.try_out(settings, REPLICATIONS)

    @cached_property
    def _grid(self) -> NDArray[np.float64]:
        """Points at which the model is evaluated, shape (points, dimensions)."""
        return np.stack(self._space.points(_TICKS[self._space.dimensions]))

    def _best(self) -> Best:
        return best_of(self._space, self._evaluator, list(self._tried.values()), self._grid)

    def _refine(self, best: Best) -> None:
        """Runs settings where the model expects the least shortfall and where a lower one may hide, and
        repeats settings tried before."""
        for point in (best.point, best.hope):
            setting = self._space.at(point)
            if setting in self._tried:
                self._evaluator.try_out([setting], self._evaluator.tried(setting).replications + REPLICATIONS)
            else:
                self._try([point])

    def _answer(self, verdict: AnswerKind, chosen: Confirmed, defaults: Confirmed) -> Answer:
        evaluator = self._evaluator
        return Answer(
            verdict,
            evaluator.targets,
            chosen,
            defaults,
            evaluator.runs,
            shapes(evaluator, self._space, self._coarse),
            tuple(map(evaluator.tried, self._tried)),
            min(self._best().least, chosen.worst.shortfall),
        )
