"""Claims of a paper, and the checks that show or refute them.

A claim consists of checks: a quantity at a place, and the range in which it is expected. The range is what
the paper prints with the error of reading it, or what it says: where it compares two values, without a
number, the smallest difference that would matter is its margin (`weir_papers.quantities.RELEVANT`). The
interval of a check is Student's t over replications.

- A check **holds** where its 95% interval lies inside the range. A claim of many checks holds if all of
  them do.
- A check **does not hold** where its interval lies outside the range. One such check refutes a claim, and
  among many checks one may fail by chance. The interval then has the level 1 - 0.05 / checks (Bonferroni):
  all intervals of a claim together contain their means with 95%.
- Everything else is **undecided**: more replications may decide it, or the value lies on the border.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir.stats import CONFIDENCE, mean_interval, student_t
from weir_papers.data import Study
from weir_papers.quantities import Quantity

Finding = Literal["holds", "does not hold", "undecided"]

HOLDS: Finding = "holds"
FAILS: Finding = "does not hold"
OPEN: Finding = "undecided"


@dataclass(frozen=True)
class Range:
    """Range in which a value is expected, ends included."""

    low: float = -math.inf
    high: float = math.inf

    def text(self, unit: str) -> str:
        """`18.7 ± 1.5 packets`, `at least 0.995`."""
        tail = "" if not unit else "%" if unit == "%" else f" {unit}"
        if self.low == self.high:
            return f"{self.low:g}{tail}"
        if math.isinf(self.low):
            return f"at most {self.high:g}{tail}"
        if math.isinf(self.high):
            return f"at least {self.low:g}{tail}"
        return f"{self.low:g} to {self.high:g}{tail}"


def about(value: float, margin: float) -> Range:
    """The range within a margin around a value."""
    # 18.7 - 1.5 is 17.199999999999999 in binary.
    return Range(round(value - margin, 12), round(value + margin, 12))


def at_least(value: float) -> Range:
    """The range of values that are not less than `value`."""
    return Range(low=value)


def at_most(value: float) -> Range:
    """The range of values that are not more than `value`."""
    return Range(high=value)


ABOVE_ZERO = at_least(0.0)
"""Range of a difference whose first value is not the smaller one."""
BELOW_ZERO = at_most(0.0)


@dataclass(frozen=True)
class Part:
    """A quantity and its expected range, at all of its places."""

    quantity: Quantity
    expected: Range
    published: float | None = None
    """Value that the paper prints."""

    @property
    def margin(self) -> float:
        """Margin beyond the range, in the unit of the quantity."""
        return self.quantity.relevant if self.expected in (ABOVE_ZERO, BELOW_ZERO) else 0.0


def each(expected: Range, quantities: Iterable[Quantity], published: float | None = None) -> list[Part]:
    """Parts with the same expected range for each quantity."""
    return [Part(quantity, expected, published) for quantity in quantities]


@dataclass(frozen=True)
class Claim:
    """A claim of a paper, in our words, and the checks that would show it."""

    id: str
    """Id in docs and `--json`: `A-0.1`."""
    text: str
    section: str
    """Section of the paper."""
    parts: tuple[Part, ...]
    exceptions: int = 0
    """Checks that need not hold: "at almost all"."""
    note: str = ""
    """Reason for the way in which the claim is judged, or for its failure. Numbers in it are those of the
    full set."""
    ours: bool = False
    """True if the paper does not say it: it follows from what the paper says, or asks further."""

    def judge(self, study: Study) -> Judgement:
        """The verdict, by the runs."""
        places = [(part, sample) for part in self.parts for sample in part.quantity.samples(study)]
        checks = [
            Check(part.quantity.title, sample.place, part.quantity.unit, sample.values, part.expected,
                  part.margin, part.published, len(places))
            for part, sample in places
        ]  # fmt: skip
        return Judgement(self, tuple(checks))


@dataclass(frozen=True)
class Check:
    """One quantity at one place, and its expected range."""

    title: str
    place: str
    unit: str
    values: NDArray[np.float64] = field(repr=False)
    """One value per replication."""
    expected: Range
    margin: float
    """Margin beyond the range, in the unit of the quantity: a value within the margin contradicts nothing."""
    published: float | None
    together: int
    """Checks of the same claim."""

    @cached_property
    def value(self) -> float:
        """The mean over replications."""
        return mean_interval(self.values).mean

    @property
    def n(self) -> int:
        """Replications in which it is defined."""
        return int(np.count_nonzero(~np.isnan(self.values)))

    @cached_property
    def half_width(self) -> float | None:
        """Half width of the 95% interval; None where at most one replication defines it."""
        return mean_interval(self.values).half_width

    @property
    def interval(self) -> tuple[float, float] | None:
        half = self.half_width
        return None if half is None else (self.value - half, self.value + half)

    @property
    def expected_text(self) -> str:
        """`at least 0.995`, `at least 0 points, to within 0.5`."""
        return self.expected.text(self.unit) + (f", to within {self.margin:g}" if self.margin else "")

    @cached_property
    def verdict(self) -> Finding:
        half = self.half_width
        if half is None or math.isnan(self.value):
            return OPEN
        if self.value - half >= self._low and self.value + half <= self._high:
            return HOLDS
        wide = half * self._widening
        if self.value + wide < self._low or self.value - wide > self._high:
            return FAILS
        return OPEN

    @property
    def fits(self) -> bool:
        """True if the mean lies in the range, which is all that a few replications can say."""
        return self._low <= self.value <= self._high

    @property
    def _low(self) -> float:
        return self.expected.low - self.margin

    @property
    def _high(self) -> float:
        return self.expected.high + self.margin

    @property
    def _widening(self) -> float:
        """Ratio of half widths: from the 95% of one check to the 95% of all checks of the claim together."""
        if self.together == 1:
            return 1.0
        level = 1.0 - (1.0 - CONFIDENCE) / self.together
        return student_t(self.n - 1, level) / student_t(self.n - 1)

    @property
    def distance(self) -> float:
        """Distance of the mean from the border of its range, in half widths; negative outside of the
        range."""
        inside = min(self.value - self._low, self._high - self.value)
        if math.isnan(inside):
            return -math.inf
        half = self.half_width or 0.0
        return inside / half if half > 0.0 else math.copysign(math.inf, inside) if inside else 0.0

    def to_json(self) -> dict[str, Any]:
        """The check as plain values, None for values that are not defined."""
        return {
            "what": self.title,
            "place": self.place,
            "unit": self.unit,
            "verdict": self.verdict,
            "value": _finite(self.value),
            "interval": None if self.interval is None else list(self.interval),
            "expected": self.expected_text,
            "range": [_finite(self.expected.low), _finite(self.expected.high)],
            "margin": self.margin,
            "published": self.published,
            "n": self.n,
        }


@dataclass(frozen=True)
class Judgement:
    """A claim with its checks."""

    claim: Claim
    checks: tuple[Check, ...]

    @cached_property
    def verdict(self) -> Finding:
        verdicts = [check.verdict for check in self.checks]
        if verdicts.count(FAILS) > self.claim.exceptions:
            return FAILS
        if len(verdicts) - verdicts.count(HOLDS) <= self.claim.exceptions:
            return HOLDS
        return OPEN

    @cached_property
    def decisive(self) -> Check:
        """The check that the verdict hangs on: of those that may not be missed, the one nearest to its
        border, or furthest beyond."""
        order = {FAILS: 0, OPEN: 1, HOLDS: 2}
        ranked = sorted(self.checks, key=lambda check: (order[check.verdict], check.distance))
        return ranked[min(self.claim.exceptions, len(ranked) - 1)]

    @property
    def fits(self) -> bool:
        """True if the means of all checks lie in their ranges, except for as many as `exceptions` allows."""
        return sum(not check.fits for check in self.checks) <= self.claim.exceptions

    def count(self, verdict: Finding) -> int:
        """Checks with this verdict."""
        return sum(check.verdict == verdict for check in self.checks)

    def to_json(self, paper: str) -> dict[str, Any]:
        """One entry of the output of `weir reproduce --json`."""
        said = self.decisive.to_json()
        return {
            "paper": paper,
            "id": self.claim.id,
            "claim": self.claim.text,
            "section": self.claim.section,
            "ours": self.claim.ours,
            "verdict": self.verdict,
            **{
                name: said[name]
                for name in ("value", "interval", "expected", "range", "margin", "unit", "published", "n")
            },
            "decisive": ", ".join(word for word in (said["what"], said["place"]) if word),
            "exceptions": self.claim.exceptions,
            "note": self.claim.note,
            "checks": [check.to_json() for check in self.checks],
        }


Group = Literal["reproduced", "contradicted", "depends on what the paper does not say", "undecided", "ours"]

REPRODUCED: Group = "reproduced"
CONTRADICTED: Group = "contradicted"
DEPENDS: Group = "depends on what the paper does not say"
UNDECIDED: Group = "undecided"
OURS: Group = "ours"
GROUPS: tuple[Group, ...] = (REPRODUCED, DEPENDS, CONTRADICTED, UNDECIDED, OURS)


def in_words(counts: Mapping[Group, int]) -> str:
    """`33 reproduced, 8 depend on what the paper does not say`."""
    said = ", ".join(f"{count} {group}" for group, count in counts.items())
    return re.sub(r"(?<!\b1 )depends", "depend", said)


def grouped(judgement: Judgement, elsewhere: Sequence[bool]) -> Group:
    """Group of a claim. `elsewhere`: for each other reading of the paper, true if the claim fits in it.

    It is reproduced where it holds here and fits in at least half of the other readings. It depends on what
    the paper does not say where it holds or fits in some.
    """
    if judgement.claim.ours:
        return OURS
    holds = judgement.verdict == HOLDS
    if holds and 2 * sum(elsewhere) >= len(elsewhere):
        return REPRODUCED
    if holds or any(elsewhere):
        return DEPENDS
    return CONTRADICTED if judgement.verdict == FAILS else UNDECIDED


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
