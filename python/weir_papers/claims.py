"""Claims of a paper, and the checks that show or refute them.

A claim consists of checks: a quantity at a place, and what is expected of it (`weir_papers.expected`). The
interval of a check is Student's t over replications.

- A check **holds** where its 95% interval shows what is expected: it lies inside a range, or has the sign of
  a difference.
- A difference is a **tie** where its 95% interval is smaller than the smallest difference that would matter,
  whichever sign it has.
- A check **does not hold** where its interval shows the opposite: it lies outside the range, or has the other
  sign. Among many checks one may fail by chance. The interval then has the level 1 - 0.05 / checks
  (Bonferroni): all intervals of a claim together contain their means with 95%.
- Everything else is **undecided**: more replications may decide it, or the value lies on the border.

In how many checks a claim has to hold, the words of the paper say (`weir_papers.quantifiers`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from weir_papers import quantifiers
from weir_papers.check import Check
from weir_papers.data import Study
from weir_papers.expected import Expected, Finding, Never, Sign
from weir_papers.quantifiers import Quantifier
from weir_papers.quantities import Quantity, ends, steps


@dataclass(frozen=True)
class Part:
    """A quantity and what is expected of it, at all of its places."""

    quantity: Quantity
    expected: Expected
    published: float | None = None
    """Value that the paper prints."""


def each(expected: Expected, quantities: Iterable[Quantity], published: float | None = None) -> list[Part]:
    """Parts with the same expectation for each quantity."""
    return [Part(quantity, expected, published) for quantity in quantities]


def trend(expected: Sign, quantities: Iterable[Quantity]) -> list[Part]:
    """Parts that show a trend of each quantity along its places: its growth from end to end has the sign, and
    no step is shown to have the other one."""
    parts: list[Part] = []
    for quantity in quantities:
        parts += [Part(ends(quantity), expected), Part(steps(quantity), Never(expected.sign))]
    return parts


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
    holds_in: Quantifier = "all"
    """Checks in which it has to hold."""
    settles: str = ""
    """Setting of ours that was chosen so that it holds: it then depends on that setting at best."""
    words: str = ""
    """Words of the paper that say in how many: `can`, `in general`. Empty where it says it without a word."""

    def __post_init__(self) -> None:
        kinds = {type(part.expected) for part in self.parts}
        if Never in kinds and Sign not in kinds:
            raise ValueError(f"{self.id}: steps alone show no trend; add the growth from end to end")
        if self.exceptions and self.holds_in != "all":
            raise ValueError(
                f"{self.id}: exceptions are of a claim about all checks, not of {self.holds_in!r}"
            )

    def judge(self, study: Study) -> Judgement:
        """The verdict, by the runs."""
        places = [(part, sample) for part in self.parts for sample in part.quantity.samples(study)]
        checks = [
            Check(part.quantity.title, sample.place, part.quantity.unit, sample.values, part.expected,
                  part.quantity.relevant, part.published, len(places), sample.exact)
            for part, sample in places
        ]  # fmt: skip
        return Judgement(self, tuple(checks))


@dataclass(frozen=True)
class Judgement:
    """A claim with its checks."""

    claim: Claim
    checks: tuple[Check, ...]

    @cached_property
    def verdict(self) -> Finding:
        return quantifiers.verdict(self.checks, self.claim.holds_in, self.claim.exceptions)

    @cached_property
    def decisive(self) -> Check:
        """The check that the verdict hangs on."""
        return quantifiers.decisive(self.checks, self.claim.holds_in, self.claim.exceptions)

    @property
    def likely(self) -> Finding:
        """The finding by the means alone, which is all that a few replications have."""
        return quantifiers.likely(self.checks, self.claim.holds_in, self.claim.exceptions)

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
                for name in ("value", "interval", "expected", "range", "relevant", "unit", "published", "n")
            },
            "decisive": ", ".join(word for word in (said["what"], said["place"]) if word),
            "holds_in": self.claim.holds_in,
            "words": self.claim.words,
            "settles": self.claim.settles,
            "exceptions": self.claim.exceptions,
            "note": self.claim.note,
            "checks": [check.to_json() for check in self.checks],
        }
