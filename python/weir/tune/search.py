"""Finding a setting that meets the targets, or that none does.

With s_k(x) the shortfall of target k at setting x, the worst of them, s(x) = max_k s_k(x), is negative
where all targets are met, and its least value over the box says whether they can be. All runs of the
search share their seeds, so that settings differ by what they do and not by what they were given.

1. The defaults, on fresh seeds: they may do.
2. A coarse design, every combination of a few levels. It tells how each measure answers to each parameter; a
   loss that falls and then grows, as RED's does with max_p, is found and not assumed away.
3. Refinement: where the model expects the least, and where the least may hide. It ends when the best
   setting is clearly on the right side, or nothing on the right side can be expected anywhere.
4. Confirmation on fresh seeds, looked at after 7, 10, 14, 20, 28 replications with intervals that hold for
   all looks together. Whoever chooses the best of many runs has chosen luck as well; fresh seeds know
   nothing of it.

Where a setting is to do over a region of conditions, each target counts once for every condition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir.tune.answer import Answer, Confirmed, Verdict
from weir.tune.judge import Judge
from weir.tune.shapes import REPLICATIONS, shapes
from weir.tune.space import Place, Setting, Space
from weir.tune.surface import Best, best_of

LEVELS = {1: 7, 2: 5, 3: 3}
"""Of each parameter in the coarse design."""

ROUNDS = 12
"""Of refinement, at most."""

LOOKED_AROUND = 2
"""Rounds of looking around the nearest setting before all are called hopeless."""

_TICKS = {1: 401, 2: 61, 3: 21}
"""Of each parameter where the model is looked at."""


class Search:
    """One search, from the defaults to the answer."""

    def __init__(self, space: Space, judge: Judge) -> None:
        if space.dimensions not in LEVELS:
            raise ValueError(f"{space.dimensions} parameters; this search is for one to three")
        self._space, self._judge = space, judge
        self._tried: list[Place] = []
        self._grid = np.stack(space.places(_TICKS[space.dimensions]))

    def run(self) -> Answer:
        """The answer, with its evidence."""
        judge = self._judge
        judge.say("defaults", (), 0.0, float("inf"))
        defaults = judge.confirm(())
        if defaults.state == "met":
            # Nothing has to be changed, so nothing has to be known of other settings.
            return Answer(
                "defaults already meet it", judge.targets, defaults, defaults, (), (), 0.0, judge.lab.runs
            )
        judge.say("coarse design", (), 0.0, float("inf"))
        coarse = self._space.places(LEVELS[self._space.dimensions])
        self._try(coarse)
        if self._space.defaults is not None:
            # Known to work somehow, and often near to what is wanted.
            self._try([self._space.defaults])
        refuted: Confirmed | None = None
        around = 0
        for _ in range(ROUNDS):
            best = self._best()
            judge.say("refining", self._space.at(best.place), best.mean, 1.96 * best.deviation)
            if best.promising and refuted is None:
                judged = self._confirm(best.place, 1)
                if judged.state == "met":
                    return self._answer("achieved", judged, defaults, coarse)
                refuted = judged
            elif best.hopeless and self._space.at(best.place) in self._seen():
                # The nearest has been run, not only computed; and a dip beside it would have been seen.
                if around == LOOKED_AROUND:
                    break
                around += 1
                self._try(self._between(best.place))
            self._refine(best)
        best = self._best()
        judged = self._confirm(best.place, 2)
        if judged.state == "met":
            return self._answer("achieved", judged, defaults, coarse)
        verdict: Verdict = "not achievable" if judged.state == "missed" and best.hopeless else "undecided"
        return self._answer(verdict, self._nearest(judged, defaults), defaults, coarse)

    def _nearest(self, judged: Confirmed, defaults: Confirmed) -> Confirmed:
        """The judged setting, or the defaults where these are nearer and lie in the box."""
        inside = self._space.defaults is not None
        return defaults if inside and defaults.worst.shortfall < judged.worst.shortfall else judged

    def _between(self, place: Place) -> list[Place]:
        """Halfway to the next settings tried, along each parameter, both ways."""
        found: list[Place] = []
        for index in range(self._space.dimensions):
            known = np.unique([tried[index] for tried in self._tried])
            for nearest in (known[known < place[index] - 1e-9][-1:], known[known > place[index] + 1e-9][:1]):
                for tick in nearest:
                    middle = place.copy()
                    middle[index] = 0.5 * (place[index] + tick)
                    if self._space.can_run(middle):
                        found.append(middle)
        return found

    def _try(self, places: Sequence[Place]) -> None:
        seen = self._seen()
        for place in places:
            if self._space.at(place) not in seen:
                self._tried.append(place)
                seen.add(self._space.at(place))
        self._judge.try_out([self._space.at(place) for place in places], REPLICATIONS)

    def _seen(self) -> set[Setting]:
        return {self._space.at(place) for place in self._tried}

    def _best(self) -> Best:
        return best_of(self._space, self._judge, self._tried, self._grid)

    def _refine(self, best: Best) -> None:
        """Runs where the least is expected, and where it may hide; more of what was tried already."""
        known = self._seen()
        for place in (best.place, best.hope):
            setting = self._space.at(place)
            if setting in known:
                done = self._judge.lab.values(
                    setting + self._judge.conditions[0], self._judge.targets[0].measure
                ).size
                self._judge.try_out([setting], done + REPLICATIONS)
            else:
                self._try([place])
                known.add(setting)

    def _confirm(self, place: Place, attempt: int) -> Confirmed:
        return self._judge.confirm(self._space.at(place), place, attempt)

    def _answer(
        self, verdict: Verdict, chosen: Confirmed, defaults: Confirmed, coarse: Sequence[Place]
    ) -> Answer:
        judge = self._judge
        measures = [target.measure for target in judge.targets]
        return Answer(
            verdict,
            judge.targets,
            chosen,
            defaults,
            shapes(judge.lab, self._space, coarse, measures, judge.conditions),
            tuple(judge.told(self._space.at(place)) for place in self._tried),
            min(self._best().least, chosen.worst.shortfall),
            judge.lab.runs,
        )
