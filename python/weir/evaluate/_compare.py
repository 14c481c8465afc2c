"""Disciplines beside each other: paired differences at every place, and ranks over the places."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from weir._errors import require
from weir.evaluate._cells import Cell
from weir.evaluate._evidence import Evidence, holm
from weir.evaluate._judge import DOUBT, Known
from weir.scenario import suggestion
from weir.stats import CONFIDENCE, MeasureError

Relation = Literal["better", "worse", "equal within the margin", "undecided"]

COMPARED_BY: Mapping[str, tuple[bool, float]] = {
    "goodput_bps": (True, 1.05),
    "delay_p50": (False, 1.1),
    "delay_p99": (False, 1.1),
}
"""Measures by which disciplines are compared, as (true if more is better, largest ratio that is called
equal)."""

LEAST_MS = 1.0
"""Greatest difference in milliseconds up to which delays are also called equal."""


@dataclass(frozen=True)
class Compared:
    """Comparison of two disciplines at one place."""

    cell: str
    level: str
    measure: str
    ratio: float
    interval: tuple[float, float]
    relation: Relation


def against(
    known: Known, cells: Sequence[Cell], looks: int, mine: str, theirs: str, measure: str
) -> list[Compared]:
    """Compares two disciplines by ratios seed by seed, with Holm's correction over the cells of a chapter.
    Places at which a seed is known of one of them alone are left out.

    Raises MeasureError for a measure that is not compared, and InputError without a look.

    Example:
        >>> from weir.evaluate import against, chosen
        >>> cell = chosen("rfc7928", ["tcp"])[0]
        >>> fast, slow = {1: 9.0, 2: 9.5, 3: 9.2}, {1: 18.0, 2: 19.5, 3: 18.1}
        >>> known = {("tcp", "-", "codel", "delay_p50"): fast, ("tcp", "-", "red", "delay_p50"): slow}
        >>> (found,) = against(known, [cell], 1, "codel", "red", "delay_p50")
        >>> found.relation, round(found.ratio, 2)
        ('better', 0.5)
    """
    more, margin = _compared_by(measure)
    require(looks >= 1, f"{looks} looks at the values are none", "give 1 or more")
    families: dict[str, list[tuple[str, str, Evidence, float]]] = {}
    family = {cell.name: cell.family for cell in cells}
    for cell, level, discipline, name in known:
        if (discipline, name) != (mine, measure) or cell not in family:
            continue
        own, other = known[cell, level, mine, name], known.get((cell, level, theirs, name), {})
        pairs = [(own[seed], other[seed]) for seed in sorted(own.keys() & other.keys())]
        if len(pairs) < 2 or any(min(pair) <= 0.0 for pair in pairs):
            continue
        ratios = np.array([one / two for one, two in pairs])
        apart = abs(float(np.mean([one - two for one, two in pairs])))
        families.setdefault(family[cell], []).append((cell, level, Evidence(ratios, "log", looks), apart))
    return [
        one for places in families.values() for one in _judged(places, measure, margin, more_is_better=more)
    ]


def _compared_by(measure: str) -> tuple[bool, float]:
    if measure not in COMPARED_BY:
        said = f"disciplines are not compared by {measure!r}"
        raise MeasureError(said, suggestion(measure, list(COMPARED_BY)))
    return COMPARED_BY[measure]


def _judged(
    places: Sequence[tuple[str, str, Evidence, float]], measure: str, margin: float, *, more_is_better: bool
) -> list[Compared]:
    adjusted = holm([min(e.beyond(1.0, "<"), e.beyond(1.0, ">")) for _, _, e, _ in places])
    found: list[Compared] = []
    for (cell, level, evidence, apart), p in zip(places, adjusted, strict=True):
        low, high = evidence.interval
        equal = (1.0 / margin <= low and high <= margin) or (measure != "goodput_bps" and apart <= LEAST_MS)
        if equal:
            relation: Relation = "equal within the margin"
        elif p <= DOUBT:
            relation = "better" if (evidence.mean > 1.0) == more_is_better else "worse"
        else:
            relation = "undecided"
        found.append(Compared(cell, level, measure, evidence.mean, (low, high), relation))
    return found


@dataclass(frozen=True)
class Ranks:
    """Mean ranks over places, 1 being best, with the difference that chance alone would reach."""

    measure: str
    mean: Mapping[str, float]
    places: int
    p: float
    """P-value of Friedman's test, whose null hypothesis is that all disciplines are alike."""
    critical: float
    """Critical difference of Nemenyi's test."""

    def groups(self) -> list[list[str]]:
        """Disciplines in groups that are not distinguished, from the best on.

        Example:
            >>> from weir.evaluate import Ranks
            >>> mean = {"codel": 1.0, "pie": 1.4, "drop-tail": 3.0}
            >>> Ranks("delay_p50", mean, places=8, p=0.001, critical=1.2).groups()
            [['codel', 'pie'], ['drop-tail']]
        """
        order = sorted(self.mean, key=lambda name: self.mean[name])
        if self.p > DOUBT:
            return [order]
        found: list[list[str]] = []
        for first in range(len(order)):
            last = max(
                i for i in range(len(order)) if self.mean[order[i]] - self.mean[order[first]] <= self.critical
            )
            if not found or order[last] != found[-1][-1]:
                found.append(order[first : last + 1])
        return found


def ranks(known: Known, disciplines: Sequence[str], measure: str) -> Ranks | None:
    """Ranks over the places at which all disciplines have the measure; None for less than two disciplines or
    places.

    Raises MeasureError for a measure that is not compared.

    Example:
        >>> from weir.evaluate import ranks
        >>> means = {"codel": 5.0, "red": 9.0, "drop-tail": 60.0}
        >>> known = {(c, "-", aqm, "delay_p50"): {1: means[aqm]} for c in "abcdef" for aqm in means}
        >>> found = ranks(known, list(means), "delay_p50")
        >>> found.mean, round(found.p, 4)
        ({'codel': 1.0, 'red': 2.0, 'drop-tail': 3.0}, 0.0025)
    """
    more, _ = _compared_by(measure)
    places = dict.fromkeys((cell, level) for cell, level, _, name in known if name == measure)
    rows: list[list[float]] = []
    for cell, level in places:
        values = [known.get((cell, level, one, measure)) for one in disciplines]
        if all(values):
            rows.append([float(np.mean(list(value.values()))) for value in values if value])
    count = len(disciplines)
    if count < 2 or len(rows) < 2:
        return None
    stats: Any = import_module("scipy.stats")
    table = np.array([stats.rankdata([-v if more else v for v in row]) for row in rows])
    mean = table.mean(axis=0)
    n = len(rows)
    # Friedman's statistic with the correction for ties.
    spread = float(((table - (count + 1) / 2.0) ** 2).sum())
    statistic = (
        (count - 1) * n**2 * float(((mean - (count + 1) / 2.0) ** 2).sum()) / spread if spread else 0.0
    )
    quantile = float(stats.studentized_range.ppf(CONFIDENCE, count, np.inf)) / math.sqrt(2.0)
    return Ranks(
        measure,
        dict(zip(disciplines, mean.tolist(), strict=True)),
        n,
        float(stats.chi2.sf(statistic, count - 1)),
        quantile * math.sqrt(count * (count + 1) / (6.0 * n)),
    )
