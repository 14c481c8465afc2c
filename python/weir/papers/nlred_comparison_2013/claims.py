"""Section 4 of the paper: assertions A-4.1 to A-4.7 of what its figures show.

Ranges are the paper's words: "increases" is not to fall from one number of flows to the next, "higher" is
not to be lower. Only goodput may fall by half a point on its way up, since it cannot grow where the link is
full.
"""

from __future__ import annotations

from itertools import pairwise

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, at_least, at_most
from weir.papers.nlred_comparison_2013 import notes
from weir.papers.nlred_comparison_2013.experiments import (
    BEYOND_60,
    LARGE,
    MAX_P,
    NEAR_100,
    OTHERS,
    PAPERS,
    SENSITIVITY,
    SMALL,
    level,
)
from weir.papers.nlred_comparison_2013.quantities import most_minus_least
from weir.papers.quantities import Quantity, Steps

FULL = 98.0
"""Per cent of the link from which goodput has converged to it; SYNs and packets sent twice take the rest."""


def _growth(variant: str, measure: str) -> Quantity:
    """From the first to the last number of flows."""
    return level(variant, measure, 120.0) - level(variant, measure, 20.0)


def _falls(*variants: str) -> tuple[Part, ...]:
    return tuple(Part(Steps(level(variant, "delay_mean")), BELOW_ZERO) for variant in variants)


A_4_1A = Claim(
    "A-4.1a",
    "Goodput rises with the number of flows, whatever the queue",
    "section 4, figure 2",
    tuple(
        part
        for variant in PAPERS
        for part in (
            Part(Steps(level(variant, "goodput")), at_least(-0.5)),
            Part(_growth(variant, "goodput"), ABOVE_ZERO),
        )
    ),
    note=notes.GOODPUT_GROWS,
)
A_4_1B = Claim(
    "A-4.1b",
    "NLRED's goodput is above that of GRED, REM and DropTail at every number of flows",
    "section 4, figure 2",
    tuple(Part(level("nlred", "goodput") - level(other, "goodput"), ABOVE_ZERO) for other in OTHERS),
    note=notes.NLRED_GOODPUT,
)
A_4_1C = Claim(
    "A-4.1c",
    "Beyond 60 flows NLRED's goodput is the capacity of the link",
    "section 4, figure 2",
    (Part(level("nlred", "goodput", BEYOND_60), at_least(FULL)),),
    note=notes.NLRED_FULL,
)


def _queues(nlred: str) -> tuple[Part, ...]:
    less = (Part(level(nlred, "mean_queue", SMALL) - level("gred", "mean_queue", SMALL), ABOVE_ZERO),)
    more = tuple(
        Part(level(nlred, "mean_queue", LARGE) - level(other, "mean_queue", LARGE), BELOW_ZERO)
        for other in OTHERS
    )
    return less + more


A_4_2A = Claim(
    "A-4.2a",
    "Below 50 flows NLRED lets its queue grow longer than GRED does",
    "section 4, figure 3",
    _queues("nlred")[:1],
    note=notes.QUEUE_SMALL,
)
A_4_2B = Claim(
    "A-4.2b",
    "Beyond 50 flows NLRED holds its queue shorter than GRED, REM and DropTail hold theirs",
    "section 4, figure 3",
    _queues("nlred")[1:],
    note=notes.QUEUE_LARGE,
)
A_4_2C = Claim(
    "A-4.2c",
    "Both are so for the NLRED of the paper's words, whose probability is below RED's everywhere (factor 1)",
    "sections 2.3 and 4, figure 3",
    _queues("nlred-1"),
    note=notes.QUEUE_FACTOR,
)
A_4_3A = Claim(
    "A-4.3a",
    "Under REM the queueing delay falls as the number of flows grows",
    "section 4, figure 4",
    _falls("rem"),
    note=notes.DELAY_REM,
)
A_4_3B = Claim(
    "A-4.3b",
    "Under DropTail, GRED and NLRED the queueing delay falls as the number of flows grows",
    "section 4, figure 4",
    _falls("drop-tail", "gred", "nlred"),
    note=notes.DELAY_OTHERS,
)
A_4_4A = Claim(
    "A-4.4a",
    "Loss rises with the number of flows, whatever the queue",
    "section 4, figure 5",
    tuple(Part(Steps(level(variant, "loss")), ABOVE_ZERO) for variant in PAPERS),
    note=notes.LOSS_RISES,
)
A_4_4B = Claim(
    "A-4.4b",
    "Beyond 60 flows loss grows faster than their number: twice the flows lose more than twice the share",
    "section 4, figure 5",
    tuple(
        Part(level(variant, "loss", 120.0) / level(variant, "loss", 60.0), at_least(2.0))
        for variant in PAPERS
    ),
    note=notes.LOSS_GROWS,
)
A_4_4C = Claim(
    "A-4.4c",
    "NLRED loses less than 10% at 120 flows",
    "section 4, figure 5",
    (Part(level("nlred", "loss", 120.0), at_most(10.0)),),
    note=notes.LOSS_AT_120,
)
A_4_5A = Claim(
    "A-4.5a",
    "Near a hundred flows NLRED uses all of the link",
    "section 4, figure 6",
    (Part(level("nlred", "utilisation", NEAR_100), at_least(99.0)),),
    note=notes.NLRED_FULL,
)
A_4_5B = Claim(
    "A-4.5b",
    "Near a hundred flows GRED, REM and DropTail use more than 90% of the link",
    "section 4, figure 6",
    tuple(Part(level(other, "utilisation", NEAR_100), at_least(90.0)) for other in OTHERS),
    note=notes.OTHERS_USE,
)
A_4_6A = Claim(
    "A-4.6a",
    "Jain's fairness index rises with the number of flows, whatever the queue",
    "section 4, figure 7",
    tuple(Part(Steps(level(variant, "jain")), ABOVE_ZERO) for variant in PAPERS),
    note=notes.FAIRNESS_FALLS,
)
A_4_6B = Claim(
    "A-4.6b",
    "NLRED is fairer than GRED, REM and DropTail at every number of flows",
    "section 4, figure 7",
    tuple(Part(level("nlred", "jain") - level(other, "jain"), ABOVE_ZERO) for other in OTHERS),
    note=notes.FAIRNESS_NLRED,
)
A_4_6C = Claim(
    "A-4.6c",
    "GRED is fairer than REM and DropTail",
    "section 4, figure 7",
    tuple(Part(level("gred", "jain") - level(other, "jain"), ABOVE_ZERO) for other in ("rem", "drop-tail")),
    note=notes.FAIRNESS_GRED,
)
A_4_7A = Claim(
    "A-4.7a",
    "NLRED's goodput depends less on max_p than GRED's: it varies less over 0.1, 0.3 and 0.5",
    "section 4, figure 10",
    (
        Part(
            most_minus_least(SENSITIVITY.name, MAX_P["nlred"], "goodput", "NLRED")
            - most_minus_least(SENSITIVITY.name, MAX_P["gred"], "goodput", "GRED"),
            BELOW_ZERO,
        ),
    ),
    note=notes.MAX_P_SPREAD,
)
A_4_7B = Claim(
    "A-4.7b",
    "The larger max_p, the lower the goodput of GRED and of NLRED",
    "section 4, figure 10",
    tuple(
        Part(
            level(higher, "goodput", experiment=SENSITIVITY)
            - level(lower, "goodput", experiment=SENSITIVITY),
            BELOW_ZERO,
        )
        for family in MAX_P.values()
        for lower, higher in pairwise(family)
    ),
    note=notes.MAX_P_GOODPUT,
)

ASSERTIONS = (
    A_4_1A,
    A_4_1B,
    A_4_1C,
    A_4_2A,
    A_4_2B,
    A_4_2C,
    A_4_3A,
    A_4_3B,
    A_4_4A,
    A_4_4B,
    A_4_4C,
    A_4_5A,
    A_4_5B,
    A_4_6A,
    A_4_6B,
    A_4_6C,
    A_4_7A,
    A_4_7B,
)
