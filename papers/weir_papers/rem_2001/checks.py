"""What shows each claim of `claims.toml`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir_papers.claims import ABOVE_ZERO, BELOW_ZERO, Part, Range, about, at_least, at_most, each
from weir_papers.quantities import Level, Of, Quantity, along, rank, relative, spread, steps
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.quantities import SETTLED

REM = ("drop-tail", "rem-drop", "rem-mark")
"""The left panel of figure 2."""
RED = ("red-20-80-drop", "red-20-80-mark", "red-10-30-drop", "red-10-30-mark")
"""The right panel, with DropTail."""
MODIFIED = ("red-20-80", "red-10-30", "rem")
"""Wireless: sources that take no loss for congestion, queues that mark above max_th too."""
FORCED = ("red-20-80-forced", "red-10-30-forced", "rem")
"""The same where RED drops above max_th, as ns-2's does. REM has no such threshold."""
NEAR_TARGET = Range(14.0, 30.0)
"""Packets, of a queue whose target is 20."""


def settled(variant: str, measure: str) -> Level:
    """Of the last 30 s of each period of the wireline experiment."""
    return Level("wireline", variant, measure, when="stages", after_s=SETTLED)


def period(variant: str, measure: str, experiment: str = "wireline") -> Level:
    """Of each whole period, as the paper's figures have it."""
    return Level(experiment, variant, measure, when="stages")


def wireless(variant: str, measure: str, after_s: float = 0.0) -> Level:
    """Of each period of the wireless experiment."""
    return Level("wireless", variant, measure, when="stages", after_s=after_s)


def controllers(variant: str, measure: str) -> Level:
    """Of the last 30 s of each period of the experiment with today's controllers."""
    return Level("controllers", variant, measure, when="periods")


def _more(first: str, second: str, measure: str = "goodput", experiment: str = "wireline") -> Quantity:
    return period(first, measure, experiment) - period(second, measure, experiment)


def _drop_minus_mark(experiment: str) -> list[Quantity]:
    return [_more(f"{red}-drop", f"{red}-mark", "goodput", experiment) for red in ("red-20-80", "red-10-30")]


def _wide_minus_narrow(measure: str) -> list[Quantity]:
    return [_more(f"red-20-80-{how}", f"red-10-30-{how}", measure) for how in ("drop", "mark")]


def _at_20(variant: str, experiment: str = "wireless") -> Level:
    return Level(experiment, variant, "goodput", {"users": 20.0}, when="stages")


def _lost(variant: str) -> Level:
    return Level("mixed-path", variant, "loss")


def _phone(variant: str) -> Of:
    return of.of_group(variant, "phone", "goodput", "goodput", "%", 100.0)


def _desk(variant: str) -> Of:
    return of.of_group(
        variant, "desk", "goodput", "goodput of the conventional users of the router", "%", 100.0
    )


def _in_flight(place: slice) -> Of:
    return Of("packets under way per user", "packets", lambda study: of.in_flight(study)[place])


def _against_hops(column: str) -> Quantity:
    return relative(of.end_to_end("rem-mark", "marked"), of.end_to_end("rem-mark", column))


def _of_periods(what: Quantity, name: str, function: of.OfPeriods, unit: str | None = None) -> Quantity:
    return along(what, name, lambda _, values: float(function(values)), unit)


def _bands(variants: Sequence[str]) -> list[Part]:
    low, wide = Range(78.0, 99.0), Range(86.0, 100.0)
    return [Part(wireless(v, "goodput"), low if v.startswith("red-10-30") else wide) for v in variants]


def _order(variants: Sequence[str]) -> list[Part]:
    red_20, red_10, rem = (_at_20(variant) for variant in variants)
    return [*each(Range(-3.0, 3.0), [rem - red_20]), *each(ABOVE_ZERO, [rem - red_10, red_20 - red_10])]


def _overflow(forced: str, ids: str) -> dict[str, Sequence[Part]]:
    red_20, red_10 = f"red-20-80{forced}", f"red-10-30{forced}"
    drop_tail, wide, narrow, rem = map(of.final_overflow, ("drop-tail", red_20, red_10, "rem"))
    return {
        f"A-0.10{ids[0]}": [
            *each(at_least(3.0), [drop_tail / wide]), *each(ABOVE_ZERO, [wide - rem, wide - narrow])
        ],
        f"A-0.10{ids[1]}": each(at_least(80.0), map(of.early_share, ("rem", red_10))),
        f"A-0.10{ids[2]}": each(at_most(50.0), map(of.early_share, ("drop-tail", red_20))),
    }  # fmt: skip


_GROWING = ("drop-tail", "red-20-80", "red-10-30", "red-20-80-forced", "red-10-30-forced")

CHECKS: dict[str, Sequence[Part]] = {
    "A-0.1a": each(at_least(-1.0), (_more(variant, "drop-tail") for variant in REM[1:])),
    "A-0.1b": each(
        at_least(50.0),
        (
            _of_periods(
                _more(variant, "drop-tail"),
                "share of periods above zero",
                lambda values: 100.0 * np.mean(values > 0),
                "%",
            )
            for variant in REM[1:]
        ),
    ),
    "A-0.2a": each(NEAR_TARGET, [settled("rem-mark", "mean_queue")], 20.0),
    "A-0.2b": each(Range(10.0, 30.0), [settled("rem-drop", "mean_queue")], 20.0),
    "A-0.2c": each(at_most(10.0), [spread(settled("rem-mark", "mean_queue"))]),
    "A-0.2d": each(at_most(-0.5), [rank(settled("rem-drop", "mean_queue"))]),
    "A-0.3": each(at_least(-1.0), (steps(settled(variant, "mean_queue")) for variant in ("drop-tail", *RED))),
    "A-0.4a": each(Range(-25.0, 25.0), [relative(period("rem-drop", "loss"), period("drop-tail", "loss"))]),
    "A-0.4b": each(at_most(0.1), [settled("rem-mark", "loss")]),
    "A-0.5a": each(ABOVE_ZERO, (_more("drop-tail", variant) for variant in RED)),
    "A-0.5b": each(ABOVE_ZERO, _wide_minus_narrow("goodput")),
    "A-0.5c": each(ABOVE_ZERO, _wide_minus_narrow("mean_queue")),
    "A-0.6a": each(ABOVE_ZERO, _drop_minus_mark("wireline")),
    "A-0.6b": each(BELOW_ZERO, _drop_minus_mark("reno")),
    "A-0.6c": each(at_least(-0.5), [_more("rem-mark", "rem-drop")]),
    "A-0.7a": each(Range(0.85, 1.15), map(of.window_over_share, REM)),
    "A-0.7b": each(Range(0.85, 1.15), map(of.window_over_share, RED)),
    "P-1": [
        *each(ABOVE_ZERO, [steps(of.price())]),
        *each(Range(0.5, 2.0), [of.price_over_theory()]),
        *each(
            at_least(20.0),
            [_of_periods(of.price(), "last over first", lambda values: values[-1] / values[0], "")],
        ),
    ],
    "P-2": each(ABOVE_ZERO, [controllers("rem", "goodput") - controllers("drop-tail", "goodput")]),
    "P-3": each(
        ABOVE_ZERO,
        (
            Level("wireline", "drop-tail", "goodput", {"users": 160.0}, "stages", SETTLED)
            - Level("gentle", variant, "goodput", when="periods")
            for variant in RED
        ),
    ),
    "P-4": each(NEAR_TARGET, [Level("reno", "rem-mark", "mean_queue", when="stages", after_s=SETTLED)]),
    "P-5a": each(Range(-5, 5), [_against_hops("product")]),
    "P-5b": each(Range(-5, 5), [_against_hops("price")]),
    "P-6": [
        Part(controllers("pi", "mean_queue") - controllers("rem-queue", "mean_queue"), Range(-2.0, 2.0)),
        Part(controllers("pi", "goodput") - controllers("rem-queue", "goodput"), Range(-1.0, 1.0)),
        Part(
            relative(controllers("pi", "mark_fraction"), controllers("rem-queue", "mark_fraction")),
            Range(-10, 10),
        ),
    ],
    "P-7a": [
        Part(controllers("rem-queue", "mean_queue") - controllers("rem", "mean_queue"), Range(-5.0, 5.0)),
        Part(controllers("rem-queue", "goodput") - controllers("rem", "goodput"), Range(-1.0, 1.0)),
    ],
    "P-7b": each(NEAR_TARGET, [controllers("rem-queue-drop", "mean_queue")], 20.0),
    "A-0.8a": each(about(62.0, 6.0), [_at_20("drop-tail")], 62.0),
    "A-0.8b": each(
        BELOW_ZERO,
        [
            _of_periods(
                wireless("drop-tail", "goodput"),
                "first minus least of the others",
                lambda values: values[0] - values[1:].min(),
                "points",
            )
        ],
    ),
    "A-0.8c": each(
        about(91.0, 5.0), [_of_periods(wireless("drop-tail", "goodput"), "highest", np.max)], 91.0
    ),
    "A-0.9a": _bands(MODIFIED),
    "A-0.9b": _order(MODIFIED),
    "A-0.9c": _bands(FORCED),
    "A-0.9d": _order(FORCED),
    **_overflow("", "abc"),
    **_overflow("-forced", "def"),
    "A-0.11a": each(NEAR_TARGET, [wireless("rem", "mean_queue", SETTLED)], 20.0),
    "A-0.11b": each(ABOVE_ZERO, (steps(wireless(variant, "mean_queue", SETTLED)) for variant in _GROWING)),
    "P-8": [
        Part(_at_20("rem-newreno", "senders") - _at_20("drop-tail"), Range(-3.0, 3.0)),
        Part(_at_20("rem") - _at_20("drop-tail"), at_least(20.0)),
    ],
    "P-9": each(at_least(5.0), [_at_20("rem", "bursts") - _at_20("drop-tail", "bursts")]),
    "P-10": [
        Part(_lost("no-fall-back") / _lost("newreno"), at_least(1.5)),
        Part(_desk("no-fall-back") / _desk("newreno"), at_most(0.75)),
    ],
    "P-11": [
        Part(relative(_lost("fall-back"), _lost("newreno")), Range(-10.0, 10.0)),
        Part(relative(_desk("fall-back"), _desk("newreno")), Range(-10.0, 10.0)),
        Part(_phone("fall-back-capable") - _phone("no-fall-back-capable"), Range(-1.0, 1.0)),
    ],
    "P-12": [
        Part(_in_flight(slice(None, 1)), about(22.0, 3.0), 22.0),
        Part(_in_flight(slice(-1, None)), about(4.0, 1.0), 4.0),
    ],
    "P-13": each(
        at_least(20.0),
        [
            _of_periods(
                wireless("drop-tail", "goodput"),
                "best minus first",
                lambda values: values.max() - values[0],
                "points",
            )
        ],
        29.0,
    ),
}
