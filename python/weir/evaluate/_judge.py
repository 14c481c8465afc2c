"""Verdicts: the evidence of values for the tests of a criterion, place by place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import polars as pl

from weir.evaluate._cells import Cell
from weir.evaluate._criteria import Criteria, Criterion, Rule, Sense, Test
from weir.evaluate._evidence import Evidence, holm, scale_of
from weir.evaluate._subject import DROP_TAIL, Subject
from weir.stats import CONFIDENCE

Finding = Literal["holds", "does not hold", "undecided", "not available"]

DOUBT = 1.0 - CONFIDENCE

Known = Mapping[tuple[str, str, str, str], Mapping[int, float]]
"""Values by seed, for each cell, level, discipline and measure."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of one test at one place."""

    test: Test
    cell: Cell
    level: str
    evidence: Evidence
    drop_tail: float | None
    """Mean of the measure with DropTail, in its unit."""
    plain: float
    """Mean of the measure itself, if the test is about a ratio."""

    @property
    def place(self) -> tuple[str, str]:
        return self.cell.name, self.level

    @property
    def p_pass(self) -> float | None:
        """P-value against the null hypothesis that the test does not hold; None without such a bound."""
        bound = self.test.passing
        return None if bound is None else self.evidence.beyond(bound, self.test.sense)

    @property
    def p_fail(self) -> float | None:
        """P-value against the null hypothesis that the test does not fail; None without such a bound."""
        bound = self.test.failing
        return (
            None if bound is None else self.evidence.beyond(bound, _other(self.test.sense), inclusive=False)
        )

    @property
    def is_settled(self) -> bool:
        """True if the interval lies on one side of each bound, so that more seeds say nothing new."""
        for bound in (self.test.passing, self.test.failing):
            sides: tuple[Sense, Sense] = ("<", ">")
            if bound is not None and min(self.evidence.beyond(bound, side) for side in sides) > DOUBT:
                return False
        return True


@dataclass(frozen=True)
class Place:
    """A cell at a level, with the outcomes of a criterion's tests there."""

    outcomes: tuple[Outcome, ...]
    p_pass: float
    p_fail: float
    """P-value of failing, not yet corrected for the number of places."""

    @property
    def cell(self) -> Cell:
        return self.outcomes[0].cell


@dataclass(frozen=True)
class Judgement:
    """Finding about one criterion for a discipline."""

    criterion: Criterion
    verdict: Finding
    reason: str = ""
    """Reason why it is undecided or not available."""
    decisive: Outcome | None = None
    places: tuple[Place, ...] = field(default=(), repr=False)
    missing: tuple[str, ...] = ()
    """Cells of the criterion that were not run, each with the reason."""
    open_cells: frozenset[str] = frozenset()
    """Cells for which more seeds may decide."""

    @property
    def alone(self) -> list[Outcome]:
        """Outcomes of single tests that fail at a place that does not fail. Something is lost there for what
        is gained."""
        return [
            outcome
            for place in self.places
            if place.p_fail > DOUBT
            for outcome in place.outcomes
            if outcome.p_fail is not None and outcome.p_fail <= DOUBT
        ]

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        one = self.decisive
        found: dict[str, Any] = {
            "number": self.criterion.number,
            "criterion": self.criterion.title,
            "name": self.criterion.name,
            "weight": self.criterion.weight,
            "verdict": self.verdict,
            "reason": self.reason or None,
            "missing": list(self.missing),
            "places": len(self.places),
            "alone": [
                {
                    "test": one.test.name,
                    "cell": one.cell.name,
                    "level": one.level,
                    "value": _finite(one.evidence.mean),
                }
                for one in self.alone
            ],
        }
        if one is not None:
            low, high = one.evidence.interval
            found |= {
                "test": one.test.name,
                "cell": one.cell.name,
                "level": one.level,
                "section": one.cell.section,
                "requirement": one.cell.requirement,
                "measure": one.test.measure,
                "relative": one.test.relative or None,
                "value": _finite(one.evidence.mean),
                "interval": [_finite(low), _finite(high)],
                "pass": one.test.passing,
                "fail": one.test.failing,
                "sense": one.test.sense,
                "plain": _finite(one.plain),
                "drop_tail": None if one.drop_tail is None else _finite(one.drop_tail),
                "n": one.evidence.n,
                "without_chance": one.evidence.without_chance,
            }
        return found


@dataclass(frozen=True)
class Bench:
    """Data on which a discipline is judged."""

    known: Known
    cells: Sequence[Cell]
    """Cells that were to be run."""
    targets_ms: Mapping[tuple[str, str, str], float]
    """Target delays in milliseconds, by cell, level and discipline."""
    looks: int

    def judge(self, subject: Subject, criteria: Criteria, every: Sequence[Cell]) -> list[Judgement]:
        """A verdict for each criterion; `every`: all cells there are, to say what was left out."""
        return [self._judge(subject, one, every) for one in criteria.all]

    def _judge(self, subject: Subject, criterion: Criterion, every: Sequence[Cell]) -> Judgement:
        if criterion.needs:
            return Judgement(criterion, "not available", f"needs {criterion.needs}")
        missing = tuple(self._missing(criterion, every))
        places = tuple(self._places(subject, criterion))
        if not places:
            reason = "; ".join(missing) or "its measures are not defined for this discipline"
            return Judgement(criterion, "not available", reason, missing=missing)
        failed = _corrected(places)
        refuted = [place for place, p in zip(places, failed, strict=True) if p <= DOUBT]
        if refuted:
            worst = min(refuted, key=lambda place: place.p_fail)
            decisive = _worst(criterion, worst, failing=True)
            return Judgement(criterion, "does not hold", "", decisive, places, missing)
        open_places = [place for place in places if place.p_pass > DOUBT]
        if not open_places:
            nearest = max(places, key=lambda place: place.p_pass)
            return Judgement(criterion, "holds", "", _worst(criterion, nearest), places, missing)
        unsettled = [one for one in open_places if not all(outcome.is_settled for outcome in one.outcomes)]
        worst = max(unsettled or open_places, key=lambda place: place.p_pass)
        reason = "beyond what passes, and not beyond what fails"
        if unsettled:
            reason = "the interval contains a threshold"
        names = frozenset(place.cell.name for place in unsettled)
        return Judgement(criterion, "undecided", reason, _worst(criterion, worst), places, missing, names)

    def _missing(self, criterion: Criterion, every: Sequence[Cell]) -> Iterator[str]:
        run = {cell.name for cell in self.cells if not cell.needs}
        for cell in every:
            if cell.name not in run and any(test.is_about(cell) for test in criterion.tests):
                yield f"{cell.name}: {f'not available, needs {cell.needs}' if cell.needs else 'not run'}"

    def _places(self, subject: Subject, criterion: Criterion) -> Iterator[Place]:
        found: dict[tuple[str, str], list[Outcome]] = {}
        for cell in self.cells:
            for level in dict.fromkeys(key[1] for key in self.known if key[0] == cell.name):
                for outcome in self._outcomes(subject, criterion, cell, level):
                    found.setdefault(outcome.place, []).append(outcome)
        for outcomes in found.values():
            yield _place(criterion, outcomes)

    def _outcomes(self, subject: Subject, criterion: Criterion, cell: Cell, level: str) -> Iterator[Outcome]:
        for test in criterion.tests:
            skipped = test.only == "l4s" and not subject.claims_l4s
            if skipped or not test.is_about(cell) or not test.at_level(level):
                continue
            evidence = self._evidence(subject, test, cell, level)
            if evidence is not None:
                own = self.known[cell.name, level, subject.name, test.measure]
                beside = self.known.get((cell.name, level, DROP_TAIL, test.measure))
                yield Outcome(
                    test, cell, level, evidence, _mean(beside, test) if beside else None, _mean(own, test)
                )

    def _evidence(self, subject: Subject, test: Test, cell: Cell, level: str) -> Evidence | None:
        """Evidence of a test at a level. None if the measure, or its divisor, is not defined in at least two
        runs."""
        own = self.known.get((cell.name, level, subject.name, test.measure))
        if own is None:
            return None
        seeds = sorted(own)
        values = np.array([own[seed] for seed in seeds])
        if test.relative == "target":
            values = values / self.targets_ms[cell.name, level, subject.name]
        elif test.relative:
            beside = test.relative == DROP_TAIL
            where, who = (level, DROP_TAIL) if beside else (test.relative, subject.name)
            other = self.known.get((cell.name, where, who, test.measure), {})
            seeds = [seed for seed in seeds if seed in other]
            # A measure that is zero on both sides is the same on both.
            pairs = [(own[seed] + _TINY, other[seed] + _TINY) for seed in seeds]
            values = np.array([mine / theirs for mine, theirs in pairs])
        if test.either_way:
            # Of the mean ratio, not of each seed's: that would be above one by chance alone.
            values = values if values.size and np.log(values).mean() >= 0.0 else 1.0 / values
        if values.size == 0:
            return None
        return Evidence(values, scale_of(test.measure, test.relative), self.looks)


_TINY = 1e-9


def known_of(values: pl.DataFrame) -> Known:
    """Values of a frame with the columns cell, level, discipline, seed, measure and value, by all but the
    last."""
    found: dict[tuple[str, str, str, str], dict[int, float]] = {}
    columns = values.select("cell", "level", "discipline", "measure", "seed", "value")
    for cell, level, discipline, measure, seed, value in columns.iter_rows():
        found.setdefault((cell, level, discipline, measure), {})[seed] = value
    return found


def _place(criterion: Criterion, outcomes: Sequence[Outcome]) -> Place:
    passing = [p for p in (one.p_pass for one in outcomes) if p is not None]
    failing = [p for p in (one.p_fail for one in outcomes) if p is not None]
    # All tests with such a bound have to be there: what lacks a value is not beyond a bound.
    wanted = sum(test.failing is not None for test in criterion.tests if test.is_about(outcomes[0].cell))
    if criterion.fails == "all" and len(failing) < wanted:
        failing = []
    return Place(tuple(outcomes), _together(passing, criterion.passes), _together(failing, criterion.fails))


def _together(p_values: Sequence[float], rule: Rule) -> float:
    """P-value of all tests together, or of any of them (Bonferroni); 1 without a test."""
    if not p_values:
        return 1.0
    return max(p_values) if rule == "all" else min(1.0, len(p_values) * min(p_values))


def _corrected(places: Sequence[Place]) -> list[float]:
    """Holm's p-values of failing, each chapter by itself."""
    families: dict[str, list[int]] = {}
    for index, place in enumerate(places):
        families.setdefault(place.cell.family, []).append(index)
    adjusted = [1.0] * len(places)
    for members in families.values():
        for index, p in zip(members, holm([places[index].p_fail for index in members]), strict=True):
            adjusted[index] = p
    return adjusted


def _worst(criterion: Criterion, place: Place, *, failing: bool = False) -> Outcome:
    """Outcome that decides at a place."""
    if failing:
        return min(place.outcomes, key=lambda one: 2.0 if one.p_fail is None else one.p_fail)
    known = [one for one in place.outcomes if one.p_pass is not None] or list(place.outcomes)
    chosen = min if criterion.passes == "any" else max
    return chosen(known, key=lambda one: one.p_pass or 0.0)


def _mean(values: Mapping[int, float], test: Test) -> float:
    return Evidence(np.array(list(values.values())), scale_of(test.measure, "")).mean


def _other(sense: Sense) -> Sense:
    return ">" if sense == "<" else "<"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
