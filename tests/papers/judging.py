"""Claims about numbers that are given."""

from __future__ import annotations

import numpy as np

from weir_papers.claims import Claim, Judgement, Part
from weir_papers.data import Sample, Study
from weir_papers.expected import Expected, Finding
from weir_papers.quantifiers import Quantifier
from weir_papers.quantities import Of

NOTHING = Study({})


Values = list[list[float]] | np.ndarray


def rows(values: Values, relevant: float = 0.5) -> Of:
    """A quantity with a place for each row of values."""
    samples = [Sample(f"place {i}", float(i), np.array(row, dtype=float)) for i, row in enumerate(values)]
    return Of("something", "packets", lambda _: samples, relevant)


def judged(
    values: Values,
    expected: Expected,
    exceptions: int = 0,
    published: float | None = None,
    holds_in: Quantifier = "all",
) -> Judgement:
    """A claim with a check for each row of values."""
    part = Part(rows(values), expected, published)
    return Claim("X-1", "It is so.", "section 1", (part,), exceptions, holds_in=holds_in).judge(NOTHING)


def verdict(values: Values, expected: Expected, exceptions: int = 0, holds_in: Quantifier = "all") -> Finding:
    return judged(values, expected, exceptions, holds_in=holds_in).verdict


HIGH, EVEN, LOW, WIDE = [5.0, 5.1, 4.9], [0.0, 0.1, -0.1], [-5.0, -5.1, -4.9], [-40.0, 60.0, 5.0]
