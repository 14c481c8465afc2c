"""What shows each claim of `claims.toml`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from weir_papers.claims import Part, each
from weir_papers.data import Sample, Study
from weir_papers.expected import LESS, MORE, Range, about, at_least, at_most
from weir_papers.ofc_1999 import quantities as of
from weir_papers.ofc_1999.optimum import (
    Case,
    by_optimum,
    by_theorem,
    equal,
    of_networks,
    steps_that_converge,
    textbook,
)
from weir_papers.ofc_1999.quantities import OfRuns, measured
from weir_papers.quantities import Level, Of, Quantity, relative

_REM, _RED, _DROP_TAIL, _TWO = "rem", "red", "drop-tail", "differentiated"
_ALL_THREE = (_REM, _RED, _DROP_TAIL)
_PLAIN, _DOUBLE = ("odd.0", "odd.1"), ("even.0", "even.1")
_PACKETS = ("synchronous", "asynchronous", "occupancy")
"""Of the algorithm over several links."""
_BOOK_QUEUE, _BOOK_WINDOW = textbook()
_NONE, _ALL = Range(0.0, 0.0), Range(100.0, 100.0)
_FAIR = 11.25
"""Mbit/s, a quarter of the link."""
_WITHIN = at_most(1.0)
"""Per cent of the optimum, where there is no chance."""
_NEAR = about(0.0, 5.0)
"""Per cent, in packets."""
_HALF_A_PERCENT = 0.005 * of.PACKETS
"""Section 3.3 calls goodputs comparable that differ by less."""
_PERFECT = at_least(0.995)
"""Printed as 1.00."""


def _level(variant: str, measure: str) -> Level:
    return Level("base", variant, measure)


def _of(variant: str, what: OfRuns, flows: tuple[str, ...] = of.SOURCES) -> Quantity:
    return measured("base", variant, what, flows)


def _row(variant: str, goodput: float, loss: float, jain: tuple[Range, float], queue: float) -> list[Part]:
    """A row of table 1 but for the deviation, in its order.

    A goodput by half a per cent lower is comparable. A loss of n packets, counted once, has an error of twice
    the root of n. A queue may have been counted with or without the packet that is being sent: that, and half
    a packet.
    """
    return [
        Part(_level(variant, "delivered"), at_least(goodput - _HALF_A_PERCENT), goodput),
        Part(_level(variant, "drops"), about(loss, round(2.0 * math.sqrt(loss))), loss),
        Part(_of(variant, of.JAIN), *jain),
        Part(_level(variant, "mean_queue"), about(queue, 1.5), queue),
    ]


def _deviation(variant: str, printed: float) -> Part:
    """To half a packet."""
    return Part(_level(variant, "queue_sd"), about(printed, 0.5), printed)


def _goodput_spread(study: Study) -> list[Sample]:
    found = [_level(variant, "delivered").samples(study)[0].values for variant in (_REM, _RED, _DROP_TAIL)]
    return [Sample("REM, RED, DropTail", float("nan"), 100.0 * np.ptp(np.stack(found), axis=0) / of.PACKETS)]


def _off_equilibrium(study: Study) -> list[Sample]:
    window = equal().windows[0]
    return [
        Sample(sample.place, sample.at, 100.0 * (sample.values / window - 1.0))
        for sample in _of(_REM, of.WINDOWS).samples(study)
    ]


def _reached(how: str) -> list[Part]:
    """Rates and prices against the optimum."""
    return each(
        _WITHIN,
        [
            of_networks("largest difference of a rate from the optimum", how, lambda case: case.rates_off),
            of_networks("largest difference of a price from the optimum", how, lambda case: case.prices_off),
        ],
    )


def _on_links(measure: str, gain: float) -> list[Level]:
    """Of the second of three links in a row, whose hosts measure their round trip."""
    return [Level("network-measured", one, measure, at={"gain": gain}) for one in _PACKETS]


def _short_term(measure: str) -> list[Quantity]:
    """With the newest round trip alone, minus that with the medium-term one."""
    pairs = zip(_on_links(measure, of.SHORT), _on_links(measure, of.MEDIUM), strict=True)
    return [short - medium for short, medium in pairs]


def _conditions(case: Case) -> float:
    return case.conditions_off


CHECKS: dict[str, Sequence[Part]] = {
    "A-1.1a": _row(_REM, 55_794.0, 0.0, (_PERFECT, 1.0), 18.7),
    "A-1.1b": [_deviation(_REM, 3.9)],
    "A-1.2": [*_row(_RED, 55_992.0, 0.0, (_PERFECT, 1.0), 8.5), _deviation(_RED, 3.6)],
    "A-1.3": [
        *_row(_DROP_TAIL, 56_054.0, 91.0, (about(0.85, 0.05), 0.85), 44.9),
        _deviation(_DROP_TAIL, 8.0),
    ],
    "A-1.4a": [Part(Of("spread of goodput", "%", _goodput_spread), at_most(0.5), 0.46)],
    "A-1.4b": [
        Part(_level(_DROP_TAIL, "delivered") - _level(_RED, "delivered"), MORE, 62.0),
        Part(_level(_RED, "delivered") - _level(_REM, "delivered"), MORE, 198.0),
    ],
    "A-1.5a": [Part(_of(_REM, of.SHORTEST), at_least(1.0)), Part(_of(_REM, of.LEAST_USE), at_least(99.9))],
    # Read off figures to half of the smaller number, and to five.
    "A-1.5b": [
        Part(_of(_REM, of.SWING), about(5.0, 2.5), 5.0),
        Part(_of(_RED, of.SWING), about(20.0, 5.0), 20.0),
    ],
    # Within a packet: windows are sent in whole ones.
    "A-1.6a": [Part(_of(_REM, of.WINDOWS), about(11.0, 1.0), 11.0)],
    # To a tenth: "roughly", "approximately".
    "A-1.6b": [
        Part(_of(_TWO, of.WINDOW_RATIO), about(2.0, 0.2), 2.0),
        Part(_level(_TWO, "mean_queue"), about(24.4, 1.5), 24.4),
        Part(_of(_TWO, of.RATES, _PLAIN), about(7.5, 0.75), 7.5),
        Part(_of(_TWO, of.RATES, _DOUBLE), about(15.0, 1.5), 15.0),
    ],
    "A-1.7": [
        Part(_of(_REM, of.FALLS), _NONE),
        Part(_of(_REM, of.LAST_WINDOWS), at_least(21.0), 21.0),
        *each(_NONE, (_level(_REM, name) for name in ("fast_retransmits", "timeouts", "ecn_cuts"))),
    ],
    "P-1": [Part(Of("optimal window against theory", "%", _off_equilibrium), about(0.0, 10.0))],
    "P-2": [
        Part(_of(_REM, of.SETTLED_QUEUE), about(20.0, 1.5), 20.0),
        Part(_of(_REM, of.SETTLED_DEVIATION), at_most(3.9)),
    ],
    "P-3": [Part(_of(_REM, of.FIRST_RATES), about(_FAIR, 0.2 * _FAIR))],
    "P-4": [
        Part(_of(_DROP_TAIL, of.SETTLED_QUEUE), at_least(45.0)),
        Part(_of(_DROP_TAIL, of.LATE_SHARE), at_most(0.5)),
    ],
    "P-5": [Part(_of(_RED, of.BETWEEN_THRESHOLDS), at_least(90.0))],
    # At least half of the printed difference.
    "P-6": [Part(_of(_RED, of.JAIN) - _of(_DROP_TAIL, of.JAIN), at_least(0.075), 0.15)],
    "P-7": [
        Part(_of(_TWO, of.WINDOWS, _PLAIN), about(10.0, 1.0), 10.0),
        Part(_of(_TWO, of.WINDOWS, _DOUBLE), about(20.0, 2.0), 20.0),
    ],
    "P-8": _reached("synchronous"),
    "P-9": _reached("asynchronous"),
    "P-10": each(
        _WITHIN,
        (
            of_networks("what is missing of the conditions", how, _conditions)
            for how in ("synchronous", "asynchronous")
        ),
    ),
    "P-11": [
        Part(
            steps_that_converge("networks that converge, 0.95 of theorem 1", 0.95, by_theorem, 50_000), _ALL
        ),
        Part(
            steps_that_converge("networks that converge, twice the optimum's bound", 2.0, by_optimum, 1000),
            _NONE,
        ),
    ],
    "P-12": each(_NEAR, map(of.price_off, _PACKETS)),
    "P-13": each(_NEAR, (of.rate_off("synchronous"), of.link_price_off("synchronous"))),
    "P-14": each(_NEAR, (of.rate_off("asynchronous"), of.link_price_off("asynchronous"))),
    "P-15": each(_NEAR, (of.rate_off("occupancy"), of.link_price_off("occupancy"))),
    "P-16": [Part(_of(_REM, of.OVER_WANTED), about(1.0, 0.1))],
    "P-17": [Part(_of(_REM, of.BEYOND_WINDOW), at_most(0.0))],
    "P-18": each(
        at_least(_HALF_A_PERCENT),
        (_level(_REM, "delivered") - _level(one, "delivered") for one in (_RED, "red-drop", _DROP_TAIL)),
    ),
    "P-19": each(at_least(99.5), (_level(one, "utilisation") for one in _ALL_THREE)),
    "P-20": [
        Part(_level(_DROP_TAIL, "mean_queue") - _level(_REM, "mean_queue"), MORE, 26.2),
        Part(_level(_REM, "mean_queue") - _level(_RED, "mean_queue"), MORE, 10.2),
    ],
    "P-21": [
        Part(_of(_REM, of.JAIN) - _of(_RED, of.JAIN), MORE, 0.0),
        Part(_of(_REM, of.JAIN) - _of(_DROP_TAIL, of.JAIN), at_least(0.075), 0.15),
    ],
    "P-23": [
        Part(measured("losses", _REM, of.LEAST_WINDOWS), at_most(1.0)),
        Part(measured("losses", _REM, of.OPTIMAL_BINDS), at_least(50.0)),
    ],
    "P-24": each(
        _NEAR, (of.measuring(off(one)) for one in _PACKETS for off in (of.rate_off, of.link_price_off))
    ),
    "P-25": [
        *each(MORE, _short_term("queue_sd")),
        *each(LESS, _short_term("utilisation")),
    ],
    # Within 5%, and windows within a packet.
    "P-26": [
        Part(measured("measured", _REM, of.SETTLED_QUEUE), about(_BOOK_QUEUE, 0.05 * _BOOK_QUEUE)),
        Part(measured("measured", _REM, of.WINDOWS), about(_BOOK_WINDOW, 1.0)),
        Part(measured("measured", _REM, of.RATES), about(_FAIR, 0.05 * _FAIR)),
        Part(measured("measured", _REM, of.OVER_WANTED), about(1.0, 0.05)),
    ],
    "P-27": [Part(_level(_RED, "delivered") - _level("red-drop", "delivered"), at_least(_HALF_A_PERCENT))],
    "P-28": [Part(measured("others", "fair", of.JAIN), _PERFECT)],
    "P-29": each(
        LESS,
        (
            relative(
                measured("smoothing", slow, of.WINDOW_DEVIATION),
                measured("smoothing", fast, of.WINDOW_DEVIATION),
            )
            for slow, fast in (("rem-slow", _REM), (_REM, "rem-fast"))
        ),
    ),
    "P-22": [Part(_of(_RED, of.SWING) - _of(_REM, of.SWING), MORE, 15.0)],
}
