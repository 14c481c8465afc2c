"""What shows each claim of `claims.toml`.

Ranges are the paper's words: "increases" is not to fall from one number of flows to the next, "higher" is
not to be lower. Goodput may fall by half a point on its way up, since it cannot grow where the link is full.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from weir_papers.claims import ABOVE_ZERO, BELOW_ZERO, Part, Range, at_least, at_most, each
from weir_papers.nlred_comparison_2013.quantities import most_minus_least, until
from weir_papers.quantities import Level, Quantity, steps

PAPERS = ("drop-tail", "gred", "nlred", "rem")
"""The queues that the paper compares."""
ACTIVE = ("gred", "nlred", "rem")
OTHERS = ("drop-tail", "gred", "rem")
"""Those that NLRED is said to beat."""
MAX_P = {"gred": ("gred", "gred-3", "gred-5"), "nlred": ("nlred", "nlred-3", "nlred-5")}
"""Each at max_p 0.1, 0.3 and 0.5."""

SMALL, LARGE = (20.0, 40.0), (60.0, 80.0, 100.0, 120.0)
"""Numbers of flows below and above the 50 up to which NLRED's queue is said to grow faster."""
BEYOND_60, NEAR_100 = (80.0, 100.0, 120.0), (100.0, 120.0)
"""120 stands for it with `--quick`, and in the maps."""
FULL = 98.0
"""Per cent of the link from which goodput has converged to it; SYNs and packets sent twice take the rest."""


def level(
    variant: str, measure: str, flows: Sequence[float] | float | None = None, experiment: str = "flows"
) -> Level:
    """A measure of a variant against flows, or at some of their numbers."""
    return Level(experiment, variant, measure, {} if flows is None else {"flows": flows})


def _minus(
    first: Iterable[str], second: Iterable[str], measure: str, flows: Sequence[float] | float | None = None
) -> list[Quantity]:
    second = tuple(second)
    return [
        level(one, measure, flows) - level(other, measure, flows)
        for one in first
        for other in second
        if one != other
    ]


def _steps(measure: str, *variants: str) -> list[Quantity]:
    return [steps(level(variant, measure)) for variant in variants]


def _at_max_p(pairs: Iterable[tuple[str, str]]) -> list[Quantity]:
    return [
        level(one, "goodput", None, "max-p") - level(other, "goodput", None, "max-p") for one, other in pairs
    ]


def _queues(nlred: str) -> list[Part]:
    less = each(ABOVE_ZERO, _minus([nlred], ["gred"], "mean_queue", SMALL))
    return less + each(BELOW_ZERO, _minus([nlred], OTHERS, "mean_queue", LARGE))


def _goodput_grows(variant: str) -> list[Part]:
    growth = level(variant, "goodput", 120.0) - level(variant, "goodput", 20.0)
    return [*each(at_least(-0.5), _steps("goodput", variant)), Part(growth, ABOVE_ZERO)]


def _until(measure: str, expected: Range) -> list[Part]:
    """NLRED against the others with 60 flows, at every length of the runs."""
    nlred = until("time", "nlred", measure, 60.0)
    return each(expected, (nlred - until("time", other, measure, 60.0) for other in OTHERS))


_OF_MAP = (("P-1a", "goodput", ABOVE_ZERO), ("P-1b", "loss", BELOW_ZERO), ("P-1d", "jain", ABOVE_ZERO))
_NAMES = {"gred": "GRED", "nlred": "NLRED", "rem": "REM"}
_PLAIN = {"gred-plain": "GRED without", "nlred-plain": "NLRED without"}

CHECKS: dict[str, Sequence[Part]] = {
    "A-4.1a": [part for variant in PAPERS for part in _goodput_grows(variant)],
    "A-4.1b": each(ABOVE_ZERO, _minus(["nlred"], OTHERS, "goodput")),
    "A-4.1c": each(at_least(FULL), [level("nlred", "goodput", BEYOND_60)]),
    "A-4.2a": _queues("nlred")[:1],
    "A-4.2b": _queues("nlred")[1:],
    "A-4.2c": _queues("nlred-1"),
    "A-4.3a": each(BELOW_ZERO, _steps("delay_mean", "rem")),
    "A-4.3b": each(BELOW_ZERO, _steps("delay_mean", "drop-tail", "gred", "nlred")),
    "A-4.4a": each(ABOVE_ZERO, _steps("loss", *PAPERS)),
    "A-4.4b": each(at_least(2.0), (level(one, "loss", 120.0) / level(one, "loss", 60.0) for one in PAPERS)),
    "A-4.4c": each(at_most(10.0), [level("nlred", "loss", 120.0)]),
    "A-4.5a": each(at_least(99.0), [level("nlred", "utilisation", NEAR_100)]),
    "A-4.5b": each(at_least(90.0), (level(other, "utilisation", NEAR_100) for other in OTHERS)),
    "A-4.6a": each(ABOVE_ZERO, _steps("jain", *PAPERS)),
    "A-4.6b": each(ABOVE_ZERO, _minus(["nlred"], OTHERS, "jain")),
    "A-4.6c": each(ABOVE_ZERO, _minus(["gred"], ["rem", "drop-tail"], "jain")),
    "A-4.7a": each(
        BELOW_ZERO,
        [
            most_minus_least("max-p", MAX_P["nlred"], "goodput", "NLRED")
            - most_minus_least("max-p", MAX_P["gred"], "goodput", "GRED")
        ],
    ),
    "A-4.7b": each(
        BELOW_ZERO, _at_max_p((more, less) for family in MAX_P.values() for less, more in pairwise(family))
    ),
    "P-1a": each(ABOVE_ZERO, _minus(ACTIVE, ["drop-tail"], "goodput")),
    "P-1b": each(BELOW_ZERO, _minus(ACTIVE, ["drop-tail"], "loss")),
    "P-1c": each(BELOW_ZERO, _minus(ACTIVE, ["drop-tail"], "delay_mean")),
    "P-1d": each(ABOVE_ZERO, _minus(ACTIVE, ["drop-tail"], "jain")),
    "P-2a": each(BELOW_ZERO, _minus(["nlred"], OTHERS, "delay_mean")),
    "P-2b": each(BELOW_ZERO, _minus(["nlred"], OTHERS, "loss")),
    "P-2c": each(at_least(90.0), [level("nlred", "utilisation")]),
    "P-3a": _until("goodput", ABOVE_ZERO),
    "P-3b": _until("loss", BELOW_ZERO),
    "P-4": each(ABOVE_ZERO, _at_max_p(zip(MAX_P["nlred"], MAX_P["gred"], strict=True))),
    "P-5": each(ABOVE_ZERO, _minus(["nlred-1"], ["red"], "mean_queue")),
    "P-6": [
        *each(ABOVE_ZERO, _minus(["nlred"], ["red"], "mean_queue", 20.0)),
        *each(BELOW_ZERO, _minus(["nlred"], ["red"], "mean_queue", 120.0)),
    ],
    # One measure and one queue at a time: which of them beats DropTail, and where?
    **{
        f"{claim}, {name}": each(expected, _minus([variant], ["drop-tail"], measure))
        for claim, measure, expected in _OF_MAP
        for variant, name in (_NAMES | _PLAIN if measure == "goodput" else _NAMES).items()
    },
}
