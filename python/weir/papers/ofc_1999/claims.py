"""What the paper says of its runs: table 1, the dynamics of figures 1 and 3, experiment 2."""

from __future__ import annotations

import numpy as np

from weir.papers.claims import ABOVE_ZERO, Claim, Part, Range, about, at_least, at_most
from weir.papers.data import Sample, Study
from weir.papers.ofc_1999 import notes
from weir.papers.ofc_1999.measured import (
    BETWEEN_THRESHOLDS,
    FALLS,
    FIRST_RATES,
    JAIN,
    LAST_WINDOWS,
    LATE_SHARE,
    LEAST_USE,
    PACKETS,
    RATES,
    SETTLED_DEVIATION,
    SETTLED_QUEUE,
    SHORTEST,
    SWING,
    WINDOW_RATIO,
    WINDOWS,
    Measured,
    OfRuns,
)
from weir.papers.ofc_1999.optimum import equal
from weir.papers.quantities import Level, Of, Quantity

_REM, _RED, _DROP_TAIL, _TWO = "rem", "red", "drop-tail", "differentiated"
_PLAIN, _DOUBLE = ("odd.0", "odd.1"), ("even.0", "even.1")
_NONE = Range(0.0, 0.0)
_FAIR = 11.25
"""Mbit/s, a quarter of the link."""


def _level(variant: str, measure: str) -> Level:
    return Level("base", variant, measure)


def _of(variant: str, what: OfRuns, *flows: str) -> Measured:
    return Measured("base", variant, what, flows) if flows else Measured("base", variant, what)


def _row(variant: str, expected: tuple[Range, ...], printed: tuple[float, ...]) -> tuple[Part, ...]:
    """A row of table 1, in its order."""
    columns: tuple[Quantity, ...] = (
        _level(variant, "delivered"),
        _level(variant, "drops"),
        _of(variant, JAIN),
        _level(variant, "mean_queue"),
        _level(variant, "queue_sd"),
    )
    return tuple(Part(*part) for part in zip(columns, expected, printed, strict=True))


def _goodput_spread(study: Study) -> list[Sample]:
    found = [_level(variant, "delivered").samples(study)[0].values for variant in (_REM, _RED, _DROP_TAIL)]
    return [Sample("REM, RED, DropTail", float("nan"), 100.0 * np.ptp(np.stack(found), axis=0) / PACKETS)]


def _off_equilibrium(study: Study) -> list[Sample]:
    window = equal().windows[0]
    return [
        Sample(sample.place, sample.at, 100.0 * (sample.values / window - 1.0))
        for sample in _of(_REM, WINDOWS).samples(study)
    ]


REM_ROW = Claim(
    "A-1.1",
    "REM loses nothing, is perfectly fair, and keeps a queue of 18.7 packets that hardly moves",
    "table 1",
    _row(
        _REM,
        (at_least(55_500.0), _NONE, at_least(0.995), about(18.7, 1.5), about(3.9, 1.2)),
        (55_794.0, 0.0, 1.0, 18.7, 3.9),
    ),
    note=notes.REM_ROW,
)

RED_ROW = Claim(
    "A-1.2",
    "RED with marks loses nothing, is perfectly fair, and keeps a queue of 8.5 packets",
    "table 1",
    _row(
        _RED,
        (about(55_992.0, 300.0), _NONE, at_least(0.99), about(8.5, 2.0), about(3.6, 1.2)),
        (55_992.0, 0.0, 1.0, 8.5, 3.6),
    ),
    note=notes.RED_ROW,
)

DROP_TAIL_ROW = Claim(
    "A-1.3",
    "DropTail loses packets, is unfair, and keeps its buffer nearly full",
    "table 1",
    _row(
        _DROP_TAIL,
        (about(56_054.0, 150.0), Range(30.0, 300.0), about(0.85, 0.07), about(44.9, 3.0), about(8.0, 3.0)),
        (56_054.0, 91.0, 0.85, 44.9, 8.0),
    ),
    note=notes.DROP_TAIL_ROW,
)

CLAIMS = (
    REM_ROW,
    RED_ROW,
    DROP_TAIL_ROW,
    Claim(
        "A-1.4a",
        "goodputs differ by less than 0.5%",
        "section 3.3",
        (Part(Of("spread of goodput", "%", _goodput_spread), at_most(0.5), 0.46),),
    ),
    Claim(
        "A-1.4b",
        "DropTail has the highest goodput, RED the next, REM the lowest",
        "section 3.3",
        (
            Part(_level(_DROP_TAIL, "delivered") - _level(_RED, "delivered"), ABOVE_ZERO, 62.0),
            Part(_level(_RED, "delivered") - _level(_REM, "delivered"), ABOVE_ZERO, 198.0),
        ),
        note=notes.ORDER,
    ),
    Claim(
        "A-1.5a",
        "after the first 200 ms REM's queue is never empty, and the link always busy",
        "section 3.2, figure 1(c)",
        (Part(_of(_REM, SHORTEST), at_least(1.0)), Part(_of(_REM, LEAST_USE), at_least(99.9))),
    ),
    Claim(
        "A-1.5b",
        "receive rates swing by 5 Mbit/s under REM, by 20 Mbit/s under RED",
        "section 3.3, figures 1(d) and 3(d)",
        (
            Part(_of(_REM, SWING), about(5.0, 2.0), 5.0),
            Part(_of(_RED, SWING), about(20.0, 8.0), 20.0),
            Part(_of(_RED, SWING) - _of(_REM, SWING), ABOVE_ZERO, 15.0),
        ),
        note=notes.SWING,
    ),
    Claim(
        "A-1.6a",
        "all four optimal windows come close to 11 packets",
        "section 3.2, figure 1(b)",
        (Part(_of(_REM, WINDOWS), Range(10.0, 11.5), 11.0),),
        note=notes.WINDOWS,
    ),
    Claim(
        "A-1.6b",
        "twice the weight is twice the window, and twice the rate: 7.5 and 15 Mbit/s at a queue of 24.4",
        "section 3.4, figure 4",
        (
            Part(_of(_TWO, WINDOW_RATIO), about(2.0, 0.15), 2.0),
            Part(_level(_TWO, "mean_queue"), about(24.4, 2.0), 24.4),
            Part(_of(_TWO, RATES, *_PLAIN), about(7.5, 1.0), 7.5),
            Part(_of(_TWO, RATES, *_DOUBLE), about(15.0, 1.0), 15.0),
        ),
        note=notes.TWO_WEIGHTS,
    ),
    Claim(
        "A-1.7",
        "with REM no congestion window is ever reduced: it opens to its cap, and the optimal window binds",
        "sections 2.4 and 3.2, figure 1(a)",
        (
            Part(_of(_REM, FALLS), _NONE),
            Part(_of(_REM, LAST_WINDOWS), at_least(21.0), 21.0),
            Part(_level(_REM, "fast_retransmits"), _NONE),
            Part(_level(_REM, "timeouts"), _NONE),
            Part(_level(_REM, "ecn_cuts"), _NONE),
        ),
    ),
    Claim(
        "P-1",
        "the optimal windows come very close to their theoretical equilibrium",
        "section 3.2",
        (Part(Of("optimal window against theory", "%", _off_equilibrium), about(0.0, 10.0)),),
        note=notes.EQUILIBRIUM,
    ),
    Claim(
        "P-2",
        "REM's queue is almost constant at about 20 packets",
        "section 3.2, figure 1(c)",
        (
            Part(_of(_REM, SETTLED_QUEUE), about(20.0, 1.5), 20.0),
            Part(_of(_REM, SETTLED_DEVIATION), at_most(3.9)),
        ),
    ),
    Claim(
        "P-3",
        "each source comes quickly to its fair share: within 20% of it 200 to 400 ms after the last start",
        "section 3.2, figure 1(d)",
        (Part(_of(_REM, FIRST_RATES), about(_FAIR, 0.2 * _FAIR)),),
    ),
    Claim(
        "P-4",
        "DropTail's buffer is constantly full, and the last source gets less than half of what others have",
        "section 3.3, figures 3(a) and (b)",
        (
            Part(_of(_DROP_TAIL, SETTLED_QUEUE), at_least(45.0)),
            Part(_of(_DROP_TAIL, LATE_SHARE), at_most(0.5)),
        ),
        note=notes.LATE,
    ),
    Claim(
        "P-5",
        "RED's queue stays between its thresholds, 5 and 15 packets",
        "section 3.3, figure 3(c)",
        (Part(_of(_RED, BETWEEN_THRESHOLDS), at_least(90.0)),),
        note=notes.THRESHOLDS,
    ),
    Claim(
        "P-6",
        "RED is much fairer than DropTail",
        "section 3.3",
        (Part(_of(_RED, JAIN) - _of(_DROP_TAIL, JAIN), at_least(0.05), 0.15),),
        note=notes.FAIRER,
    ),
    Claim(
        "P-7",
        "with two weights the optimal windows are 20 and 10 packets",
        "section 3.4, figure 4(b)",
        (
            Part(_of(_TWO, WINDOWS, *_PLAIN), about(10.0, 1.5), 10.0),
            Part(_of(_TWO, WINDOWS, *_DOUBLE), about(20.0, 1.5), 20.0),
        ),
        note=notes.TWENTY_AND_TEN,
    ),
)
