"""What the paper concludes, and what its figures 8 to 10 are said to show, where no assertion has it."""

from __future__ import annotations

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, Range, at_least
from weir.papers.nlred_comparison_2013 import notes
from weir.papers.nlred_comparison_2013.experiments import (
    ACTIVE,
    LENGTHS,
    MAX_P,
    OTHERS,
    SENSITIVITY,
    level,
)
from weir.papers.nlred_comparison_2013.lengths import until

_SECTION_5 = "section 5"


def _against(
    first: tuple[str, ...], second: tuple[str, ...], measure: str, expected: Range
) -> tuple[Part, ...]:
    return tuple(
        Part(level(one, measure) - level(other, measure), expected)
        for one in first
        for other in second
        if one != other
    )


P_1A = Claim(
    "P-1a",
    "GRED, NLRED and REM have more goodput than DropTail at every number of flows",
    _SECTION_5,
    _against(ACTIVE, ("drop-tail",), "goodput", ABOVE_ZERO),
    note=notes.DROP_TAIL_GOODPUT,
)
P_1B = Claim(
    "P-1b",
    "GRED, NLRED and REM lose less than DropTail at every number of flows",
    _SECTION_5,
    _against(ACTIVE, ("drop-tail",), "loss", BELOW_ZERO),
    note=notes.DROP_TAIL_LOSS,
)
P_1C = Claim(
    "P-1c",
    "GRED, NLRED and REM have less delay than DropTail at every number of flows",
    _SECTION_5,
    _against(ACTIVE, ("drop-tail",), "delay_mean", BELOW_ZERO),
    note=notes.DROP_TAIL_DELAY,
)
P_1D = Claim(
    "P-1d",
    "GRED, NLRED and REM are fairer than DropTail at every number of flows",
    _SECTION_5,
    _against(ACTIVE, ("drop-tail",), "jain", ABOVE_ZERO),
    note=notes.DROP_TAIL_FAIRNESS,
)
P_2A = Claim(
    "P-2a",
    "NLRED has less delay than GRED, REM and DropTail",
    _SECTION_5,
    _against(("nlred",), OTHERS, "delay_mean", BELOW_ZERO),
    note=notes.NLRED_DELAY,
)
P_2B = Claim(
    "P-2b",
    "NLRED loses less than GRED, REM and DropTail",
    _SECTION_5,
    _against(("nlred",), OTHERS, "loss", BELOW_ZERO),
    note=notes.NLRED_LOSS,
)
P_2C = Claim(
    "P-2c",
    "NLRED always uses more than 90% of the link",
    _SECTION_5,
    (Part(level("nlred", "utilisation"), at_least(90.0)),),
    note=notes.NLRED_USES,
)
P_3A = Claim(
    "P-3a",
    "However long the run, NLRED's goodput is above that of GRED, REM and DropTail",
    "section 4, figure 8",
    tuple(
        Part(
            until(LENGTHS.name, "nlred", "goodput", 60.0) - until(LENGTHS.name, other, "goodput", 60.0),
            ABOVE_ZERO,
        )
        for other in OTHERS
    ),
    note=notes.LENGTH_GOODPUT,
)
P_3B = Claim(
    "P-3b",
    "However long the run, NLRED loses less than GRED, REM and DropTail",
    "section 4, figure 9",
    tuple(
        Part(
            until(LENGTHS.name, "nlred", "loss", 60.0) - until(LENGTHS.name, other, "loss", 60.0), BELOW_ZERO
        )
        for other in OTHERS
    ),
    note=notes.LENGTH_LOSS,
)
P_4 = Claim(
    "P-4",
    "At each max_p of 0.1, 0.3 and 0.5 NLRED's goodput is above GRED's",
    "section 4, figure 10",
    tuple(
        Part(
            level(nlred, "goodput", experiment=SENSITIVITY) - level(gred, "goodput", experiment=SENSITIVITY),
            ABOVE_ZERO,
        )
        for nlred, gred in zip(MAX_P["nlred"], MAX_P["gred"], strict=True)
    ),
    note=notes.MAX_P_NLRED,
)
P_5 = Claim(
    "P-5",
    "With the same height (factor 1) NLRED is gentler than RED at every load: its queue is the longer one",
    "section 2.3",
    (Part(level("nlred-1", "mean_queue") - level("red", "mean_queue"), ABOVE_ZERO),),
    note=notes.GENTLER,
)
P_6 = Claim(
    "P-6",
    "By its equal area (factor 1.5) NLRED keeps a longer queue than RED at 20 flows and a shorter one at 120",
    "section 2.3, after Zhou, Yeung and Li",
    (
        Part(level("nlred", "mean_queue", 20.0) - level("red", "mean_queue", 20.0), ABOVE_ZERO),
        Part(level("nlred", "mean_queue", 120.0) - level("red", "mean_queue", 120.0), BELOW_ZERO),
    ),
    note=notes.CROSSING,
)

CONCLUSIONS = (P_1A, P_1B, P_1C, P_1D, P_2A, P_2B, P_2C, P_3A, P_3B, P_4, P_5, P_6)
