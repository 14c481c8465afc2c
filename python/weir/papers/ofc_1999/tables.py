"""Table 1, and tables of what it might have been."""

from __future__ import annotations

import math

from weir import wording
from weir.papers import ns2
from weir.papers.data import Study
from weir.papers.ofc_1999.measured import JAIN, RATES, SWING, WINDOWS, Measured
from weir.papers.ofc_1999.optimum import CAPACITY, equal, textbook, unequal
from weir.papers.paper import Table
from weir.papers.quantities import Level, Quantity
from weir.statistics import mean_interval

_MEASURES = {
    "delivered": "goodput", "drops": "loss", "jain": "fairness", "mean_queue": "mean queue",
    "queue_sd": "deviation of the queue",
}  # fmt: skip
"""By the column of `ns2.csv`."""
_PRINTED = {
    "rem": ("55794", "0", "1.00", "18.7", "3.9"),
    "red": ("55992", "0", "1.00", "8.5", "3.6"),
    "drop-tail": ("56054", "91", "0.85", "44.9", "8.0"),
}
_AS_NS2 = {"red": "red", "drop-tail": "drop-tail-49", "red-drop": "red-drop"}
_NS2_AT = 3.7333
_NOTHING = "–"


def table_1(study: Study) -> Table:
    """Every number that the paper prints."""
    rows: list[tuple[str, ...]] = []
    for variant, printed in _PRINTED.items():
        for (measure, title), number in zip(_MEASURES.items(), printed, strict=True):
            rows.append(
                (
                    f"{study['base'].labels[variant]}, {title}",
                    number,
                    _said(study, _quantity("base", variant, measure)),
                    _said(study, _quantity("instant", variant, measure)),
                    _as_ns2(study, variant, measure),
                    _ns2(variant, measure),
                )
            )
    for measure, title in _MEASURES.items():
        ours = _said(study, _quantity("others", "red-drop", measure))
        of_ns2 = (_as_ns2(study, "red-drop", measure), _ns2("red-drop", measure))
        rows.append((f"RED with drops, {title}", _NOTHING, ours, _NOTHING, *of_ns2))
    return Table(
        "table-1",
        "Table 1: performance metrics",
        ("", "paper", "Weir", "no jitter", "as in ns-2", "ns-2.35"),
        tuple(rows),
        "Goodput and loss in packets of 10 s, queues in packets. No jitter: all starts at the paper's "
        "instants. As in ns-2: Weir as ns-2.35 was set up. ± is half of a 95% interval over replications "
        "(ns-2: over three seeds; its fairness is from 1 s on). The last two columns have another network: "
        "0.35 ms more of round trip, one packet less in DropTail's buffer, Tahoe of ns-2.35. It has no REM "
        "hosts.",
    )


def table_others(study: Study) -> Table:
    """What the words of the paper might also mean, and what that gives."""
    data = study["others"]
    rows = [
        (
            label,
            *(_said(study, _quantity("others", variant, measure)) for measure in _MEASURES),
            _said(study, Measured("others", variant, SWING)),
        )
        for variant, label in data.labels.items()
    ]
    return Table(
        "others",
        "Other readings of the paper",
        ("", "goodput", "loss", "fairness", "mean queue", "deviation", "swing (Mbit/s)"),
        tuple(rows),
        "REM with tau as long as the round trip with the textbook's queue (10.84 ms), and with the least "
        "round trip that each host has seen; RED that drops, and RED whose marks are spaced as in its own "
        "paper; DropTail with one packet less. Printed for REM: 55794, 0, 1.00, 18.7, 3.9, and a swing of "
        "5 Mbit/s.",
    )


def table_theory(study: Study) -> Table:
    """What theory predicts, what is printed, what is measured."""
    one, two = equal(), unequal()
    queue, window = textbook()
    # Prices a / (1 + x): with weights in the ratio of one to two, x of the plain ones is a sixth of C.
    queue_2 = (CAPACITY + 1.0) / (1.0 + CAPACITY / 6.0) / 0.1
    rows: list[tuple[str, str, str, str, Quantity]] = [
        ("queue", f"{queue:.1f}", f"{one.queue:.2f}", "18.7", Level("base", "rem", "mean_queue")),
        (
            "window",
            f"{window:.1f}",
            f"{one.windows[0]:.2f}",
            "11",
            Measured("base", "rem", WINDOWS, ("odd.0",)),
        ),
        (
            "marked (%)",
            f"{-100.0 * math.expm1(-0.1 * queue):.1f}",
            f"{100.0 * one.marked:.1f}",
            _NOTHING,
            Level("base", "rem", "mark_fraction"),
        ),
        (
            "queue, two weights",
            f"{queue_2:.1f}",
            f"{two.queue:.2f}",
            "24.4",
            Level("base", "differentiated", "mean_queue"),
        ),
    ]
    for number, flow, printed_window, printed_rate in (
        (1, "odd.0", "10", "7.5"),
        (2, "even.0", "20", "15"),
    ):
        share = two.windows[number - 1] / sum(two.windows)
        by_book = number / 6.0
        rows += [
            (
                f"window of source {number}, two weights",
                f"{by_book * (21.0 + queue_2):.1f}",
                f"{two.windows[number - 1]:.2f}",
                printed_window,
                Measured("base", "differentiated", WINDOWS, (flow,)),
            ),
            (
                f"rate of source {number}, two weights (Mbit/s)",
                f"{45.0 * by_book:.1f}",
                f"{45.0 * share:.2f}",
                printed_rate,
                Measured("base", "differentiated", RATES, (flow,)),
            ),
        ]
    return Table(
        "theory",
        "Theory beside the packets",
        ("", "textbook", "equilibrium of windows", "paper", "Weir"),
        tuple((*row[:4], _said(study, row[4])) for row in rows),
        "Textbook: rates meet the capacity, and a window is the rate times the measured round trip; with "
        "two weights it would need a queue beyond the buffer. Equilibrium of windows: a window is the rate "
        "times the round trip without queues, so that q² + 21 q = 840 (1260 with two weights). Means of "
        "queues and marks are of 10 s with the ramp at their beginning, those of windows and rates from 1 "
        "s on.",
    )


def table_today(study: Study) -> Table:
    """Today's company in the measures of table 1."""
    rows = [
        (
            label,
            *(_said(study, _quantity("today", variant, measure)) for measure in _MEASURES),
            _said(study, Measured("today", variant, SWING)),
        )
        for variant, label in study["today"].labels.items()
    ]
    return Table(
        "today",
        "Today's company in the measures of table 1",
        ("", "goodput", "loss", "fairness", "mean queue", "deviation", "swing (Mbit/s)"),
        tuple(rows),
        "Goodput and loss in packets of 10 s, queues in packets.",
    )


def _quantity(experiment: str, variant: str, measure: str) -> Quantity:
    return Measured(experiment, variant, JAIN) if measure == "jain" else Level(experiment, variant, measure)


def _as_ns2(study: Study, variant: str, measure: str) -> str:
    if variant not in _AS_NS2:
        return _NOTHING
    there = study.at("as-ns2", "as-ns2", propagation=_NS2_AT)
    return _said(there, _quantity("as-ns2", _AS_NS2[variant], measure))


def _ns2(variant: str, measure: str) -> str:
    rows = ns2.numbers("ofc_1999").filter(experiment="base", variant=variant, measure=measure, at=_NS2_AT)
    if rows.is_empty():
        return _NOTHING
    mean, low, high = rows.select("mean", "low", "high").row(0)
    return said(mean, (high - low) / 2.0)


def _said(study: Study, quantity: Quantity) -> str:
    found = mean_interval(quantity.samples(study)[0].values)
    return said(found.mean, found.half_width)


def said(mean: float, half_width: float | None) -> str:
    """`19.91 ± 0.04`, with two digits of the uncertainty; without it where all values are equal."""
    if not half_width:
        return f"{mean:.6g}" if half_width is None or mean != round(mean) else f"{mean:.0f}"
    decimals = min(4, max(0, 1 - math.floor(math.log10(half_width))))
    return wording.estimate(mean, half_width, decimals).replace("±", " ± ")
