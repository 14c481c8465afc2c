"""What the paper says of the basic algorithm, section 2.1."""

from __future__ import annotations

from weir.papers.claims import Claim, Part, Range, at_most
from weir.papers.ofc_1999 import notes
from weir.papers.ofc_1999.optimum import Case, by_optimum, by_theorem, of_networks, steps_that_converge
from weir.papers.quantities import Quantity

_WITHIN = at_most(1.0)
"""Per cent of the optimum."""
_ALL, _NONE = Range(100.0, 100.0), Range(0.0, 0.0)


def _rates(how: str) -> Quantity:
    return of_networks("largest difference of a rate from the optimum", how, lambda case: case.rates_off)


def _prices(how: str) -> Quantity:
    return of_networks("largest difference of a price from the optimum", how, lambda case: case.prices_off)


def _conditions(case: Case) -> float:
    return case.conditions_off


CLAIMS = (
    Claim(
        "P-8",
        "links that price their load and sources that answer the prices reach the greatest total utility",
        "section 2.1, equations 1 to 3",
        (Part(_rates("synchronous"), _WITHIN), Part(_prices("synchronous"), _WITHIN)),
        note=notes.NETWORKS,
    ),
    Claim(
        "P-9",
        "they do so without a common clock, with old news of each other",
        "section 1; reference 10",
        (Part(_rates("asynchronous"), _WITHIN), Part(_prices("asynchronous"), _WITHIN)),
        note=notes.NETWORKS,
    ),
    Claim(
        "P-10",
        "what they reach meets the conditions of Karush, Kuhn and Tucker: prices are the multipliers",
        "section 2.1; reference 10",
        (
            Part(of_networks("what is missing of the conditions", "synchronous", _conditions), _WITHIN),
            Part(of_networks("what is missing of the conditions", "asynchronous", _conditions), _WITHIN),
        ),
    ),
    Claim(
        "P-11",
        "the step may be as large as theorem 1 of reference 10 has it; one that is twice as large as the "
        "optimum bears never gets there",
        "section 2.1; reference 10",
        (
            Part(
                steps_that_converge("networks that converge, 0.95 of theorem 1", 0.95, by_theorem, 50_000),
                _ALL,
            ),
            Part(
                steps_that_converge(
                    "networks that converge, twice the optimum's bound", 2.0, by_optimum, 1000
                ),
                _NONE,
            ),
        ),
        note=notes.STEPS,
    ),
)
