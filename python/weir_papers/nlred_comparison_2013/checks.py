"""What shows each claim of `claims.toml`.

"Increases" is growth from the fewest flows to the most with no step shown to fall; "higher" is a difference
with this sign; "in general" is the mean over numbers of flows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from weir_papers.claims import Part, each, trend
from weir_papers.expected import LESS, MORE, Expected, Sign, at_least, at_most
from weir_papers.nlred_comparison_2013.quantities import (
    at_the_beginning,
    marking,
    most_minus_least,
    synchronisation,
    until,
)
from weir_papers.quantities import Level, Quantity, along

PAPERS = ("nlred", "gred", "rem", "drop-tail")
"""The queues that the paper compares."""
ACTIVE = ("nlred", "gred", "rem")
OTHERS = ("gred", "rem", "drop-tail")
"""Those that NLRED is said to beat."""
MAX_P = {"gred": ("gred", "gred-3", "gred-5"), "nlred": ("nlred", "nlred-3", "nlred-5")}
"""Each at max_p 0.1, 0.3 and 0.5."""

SMALL, LARGE = (20.0, 40.0), (60.0, 80.0, 100.0, 120.0)
"""Numbers of flows below and above the 50 up to which NLRED's queue is said to grow faster."""
BEYOND_60, NEAR_100 = (80.0, 100.0, 120.0), (100.0, 120.0)
"""120 stands for it with `--quick`, and in the readings."""
LIGHT, MIDDLE, HEAVY = 20.0, 60.0, 120.0
"""The loads at the ends of the paper's range, and where its text has the curves bend."""
FULL = 98.0
"""Per cent of the link from which goodput has converged to it; SYNs and packets sent twice take the rest."""
BEGINNING_S = 25.0
"""The shortest run of the paper."""
SIGNIFICANT = 0.005
"""In Jain's index: the smallest difference that would matter."""


def level(
    variant: str, measure: str, flows: Sequence[float] | float | None = None, experiment: str = "flows"
) -> Level:
    """A measure of a variant against flows, or at some of their numbers."""
    return Level(experiment, variant, measure, {} if flows is None else {"flows": flows})


def _minus(
    first: Iterable[str], second: Sequence[str], measure: str, flows: Sequence[float] | float | None = None
) -> list[Quantity]:
    return [
        level(one, measure, flows) - level(other, measure, flows)
        for one in first
        for other in second
        if one != other
    ]


def _along_flows(expected: Sign, measure: str) -> list[Part]:
    """Trend along the numbers of flows, under every queue."""
    return trend(expected, [level(variant, measure) for variant in PAPERS])


def _at_max_p(pairs: Iterable[tuple[str, str]]) -> list[Quantity]:
    return [level(one, "goodput") - level(other, "goodput") for one, other in pairs]


def _in_general(
    expected: Expected, measure: str, first: Sequence[str] = ACTIVE, second: Sequence[str] = ("drop-tail",)
) -> list[Part]:
    """Each of the first against each of the second, averaged over the numbers of flows."""
    return each(
        expected,
        (
            along(quantity, "mean", lambda _, values: float(values.mean()))
            for quantity in _minus(first, second, measure)
        ),
    )


def _together(variant: str) -> Quantity:
    return synchronisation("flows", variant, HEAVY)


def _until(measure: str, expected: Expected) -> list[Part]:
    """NLRED against the others, at every length of the runs."""
    nlred = until("nlred", measure, MIDDLE)
    return each(expected, (nlred - until(other, measure, MIDDLE) for other in OTHERS))


CHECKS: dict[str, Sequence[Part]] = {
    "A-4.1a": _along_flows(MORE, "goodput"),
    "A-4.1b": each(MORE, _minus(["nlred"], OTHERS, "goodput")),
    "A-4.1c": each(at_least(FULL), [level("nlred", "goodput", BEYOND_60)]),
    "A-4.2a": each(MORE, _minus(["nlred"], ["gred"], "mean_queue", SMALL)),
    "A-4.2b": each(LESS, _minus(["nlred"], OTHERS, "mean_queue", LARGE)),
    "A-4.3": _along_flows(LESS, "delay_mean"),
    "A-4.4a": _along_flows(MORE, "loss"),
    "A-4.4b": each(at_least(2.0), (level(one, "loss", 120.0) / level(one, "loss", 60.0) for one in PAPERS)),
    "A-4.4c": each(at_most(10.0), [level("nlred", "loss", 120.0)]),
    "A-4.5a": each(at_least(99.0), [level("nlred", "utilisation", NEAR_100)]),
    "A-4.5b": each(at_least(90.0), (level(other, "utilisation", NEAR_100) for other in OTHERS)),
    "A-4.6a": _along_flows(MORE, "jain"),
    "A-4.6b": each(at_least(SIGNIFICANT), _minus(["nlred"], OTHERS, "jain")),
    "A-4.6c": each(MORE, _minus(["gred"], ["rem", "drop-tail"], "jain")),
    "A-4.7a": each(
        LESS,
        [
            most_minus_least("flows", MAX_P["nlred"], "goodput", "NLRED")
            - most_minus_least("flows", MAX_P["gred"], "goodput", "GRED")
        ],
    ),
    "A-4.7b": each(
        LESS, _at_max_p((more, less) for family in MAX_P.values() for less, more in pairwise(family))
    ),
    "P-1a": _in_general(MORE, "goodput"),
    "P-1b": _in_general(LESS, "loss"),
    "P-1c": _in_general(LESS, "delay_mean"),
    "P-1d": _in_general(MORE, "jain"),
    "P-1e": _in_general(MORE, "utilisation"),
    "P-1f": _in_general(LESS, "mean_queue"),
    "P-2a": _in_general(LESS, "delay_mean", ["nlred"], OTHERS),
    "P-2b": _in_general(LESS, "loss", ["nlred"], OTHERS),
    "P-2c": each(at_least(90.0), [level("nlred", "utilisation")]),
    "P-2d": _in_general(LESS, "mean_queue", ["nlred"], OTHERS),
    "P-2e": _in_general(MORE, "utilisation", ["nlred"], OTHERS),
    "P-3a": _until("goodput", MORE),
    "P-3b": _until("loss", LESS),
    "P-4": each(MORE, _at_max_p(zip(MAX_P["nlred"], MAX_P["gred"], strict=True))),
    "P-5": each(MORE, _minus(["nlred-1"], ["red"], "mean_queue")),
    "P-6": [
        *each(MORE, _minus(["nlred"], ["red"], "mean_queue", LIGHT)),
        *each(LESS, _minus(["nlred"], ["red"], "mean_queue", HEAVY)),
    ],
    "P-7": each(MORE, [at_the_beginning()]),
    "P-9": each(MORE, (_together("drop-tail") - _together(one) for one in ACTIVE)),
    "P-10": [
        *each(at_least(95.0), [level("rem", "utilisation")]),
        *each(at_most(0.5), [level("rem", "loss")]),
        *each(at_most(10.0), [level("rem", "delay_mean")]),
    ],
    "P-8": each(MORE, [marking("rem", BEGINNING_S) - marking("red", BEGINNING_S)]),
}
