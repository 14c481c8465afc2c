"""What shows each claim of `claims.toml`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from weir_papers.claims import Part, each, trend
from weir_papers.expected import LESS, MORE, Range, about, at_least, at_most
from weir_papers.quantities import Level, Quantity, along, rank, relative, spread, steps
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.quantities import SETTLED

REM = ("drop-tail", "rem-drop", "rem-mark")
"""The left panel of figure 2."""
RED = ("red-20-80-drop", "red-20-80-mark", "red-10-30-drop", "red-10-30-mark")
"""The right panel, with DropTail."""
_REDS = ("red-20-80", "red-10-30")
WIRELESS = ("red-20-80", "red-10-30", "rem")
"""Figures 3 and 4, beside DropTail: sources that take no loss for congestion."""
SIX = tuple(f"{source}{queue}" for source in ("", "vegas-") for queue in ("drop-tail", "red", "rem"))
"""Reno and Vegas with each queue."""
NEAR_TARGET = about(20.0, 10.0)
"""Packets: within half of it."""
SAME = Range(-0.5, 0.5)
"""Packets or points: the smallest relevant difference."""
NO_LESS = at_least(SAME.low)
"""Points: no less by what would matter."""


def settled(variant: str, measure: str, experiment: str = "wireline") -> Level:
    """Of the last 30 s of each period."""
    return Level(experiment, variant, measure, when="stages", after_s=SETTLED)


def period(variant: str, measure: str, experiment: str = "wireline") -> Level:
    """Of each whole period, as the paper's figures have it."""
    return Level(experiment, variant, measure, when="stages")


def controllers(variant: str, measure: str) -> Level:
    """Of the last 30 s of each period of the experiment with other controllers."""
    return Level("controllers", variant, measure, when="periods")


def _more(first: str, second: str, measure: str = "goodput", experiment: str = "wireline") -> Quantity:
    return period(first, measure, experiment) - period(second, measure, experiment)


def _wide_minus_narrow(measure: str, experiment: str = "wireline") -> list[Quantity]:
    return [_more(f"red-20-80-{how}", f"red-10-30-{how}", measure, experiment) for how in ("drop", "mark")]


def _drop_minus_mark(experiment: str) -> list[Quantity]:
    return [_more(f"{red}-drop", f"{red}-mark", "goodput", experiment) for red in _REDS]


def _with_reno(how: str, red: str) -> Quantity:
    """REM's lead over a RED with Reno minus that with NewReno."""
    reno, newreno = (
        Level("both", f"rem-{how}", "goodput", at, when="stages")
        - Level("both", f"{red}-{how}", "goodput", at, when="stages")
        for at in ({"recovery": "reno"}, {"recovery": "newreno"})
    )
    return reno - newreno


def _whole(first: str, second: str, measure: str) -> Quantity:
    """Of whole periods of the experiment with other gains, transients included."""
    return period(first, measure, "gains") - period(second, measure, "gains")


def _elsewhere(red: str) -> Quantity:
    return Level("elsewhere", "rem-mark", "goodput") - Level("elsewhere", f"{red}-mark", "goodput")


def _below_drop_tail(experiment: str) -> list[Quantity]:
    return [_more("drop-tail", variant, "goodput", experiment) for variant in RED]


def _growing(variants: Iterable[str], experiment: str) -> list[Part]:
    return trend(MORE, (period(variant, "mean_queue", experiment) for variant in variants))


def _like_rem(variant: str, other: str = "rem") -> list[Part]:
    """A queue near the target, and the same goodput."""
    return [
        Part(controllers(variant, "mean_queue"), NEAR_TARGET, 20.0),
        Part(controllers(variant, "goodput") - controllers(other, "goodput"), SAME),
    ]


def _like(first: str, second: str, measure: str) -> Quantity:
    """A difference that takes many seeds to be called small."""
    one, other = (Level("likeness", variant, measure, when="periods") for variant in (first, second))
    return one - other


def _on_paths(variant: str, column: str) -> Quantity:
    return relative(of.end_to_end(variant, "marked"), of.end_to_end(variant, column))


def _at_20(variant: str, experiment: str = "wireless") -> Level:
    return Level(experiment, variant, "goodput", {"users": 20.0}, when="stages")


def _of_periods(what: Quantity, name: str, function: of.OfPeriods, unit: str | None = None) -> Quantity:
    return along(what, name, lambda _, values: float(function(values)), unit)


def _windows(
    variant: str, experiment: str, ends: dict[float, Range], printed: dict[float, float]
) -> list[Part]:
    windows = of.under_way(variant, experiment)
    return [Part(of.only_at(windows, users), ends[users], printed[users]) for users in ends]


def _drift(variant: str) -> Quantity:
    """Of the mean queue, from one 50 s to the next, without the first."""
    at = {"from_s": [50.0, 100.0]}
    return steps(Level("utilities", variant, "mean_queue", at, when="periods"))


def _lost(variant: str) -> Level:
    return Level("mixed-path", variant, "loss")


def _of(group: str, variant: str) -> Quantity:
    return of.of_group("mixed-path", variant, (group,))


_MARKED = of.end_to_end("rem", "marked", "sums")
_DROP_TAIL, _WIDE, _NARROW, _REM = map(of.final_overflow, ("drop-tail", *WIRELESS))
_BEST_AND_WORST = period("drop-tail", "goodput", "wireless")

CHECKS: dict[str, Sequence[Part]] = {
    # Section 3
    "P-1": trend(MORE, [of.price()]),
    "P-14": _like_rem("asynchronous"),
    "P-7a": [
        Part(controllers("rem-queue", "mean_queue"), NEAR_TARGET, 20.0),
        Part(_like("rem-queue", "rem", "goodput"), SAME),
    ],
    "P-7b": each(NEAR_TARGET, [controllers("rem-queue-drop", "mean_queue")], 20.0),
    "P-5a": each(Range(-5.0, 5.0), [_on_paths("rem", "product")]),
    "P-5b": each(Range(-5.0, 5.0), [_on_paths("rem", "told")]),
    "P-15a": _like_rem("price-red"),
    "P-15b": each(at_most(-5.0), [of.only_at(_on_paths("price-red", "told"), 3)]),
    "P-15c": each(Range(-5.0, 5.0), [_on_paths("queue-rem", "told")]),
    "P-15d": trend(MORE, [controllers("queue-rem", "mean_queue")]),
    "P-3": _growing(RED, "wireline-gentle"),
    "P-16": [
        *each(MORE, (settled("rem-mark", "goodput") - settled(variant, "goodput") for variant in RED)),
        *each(LESS, (settled("rem-mark", "loss") - settled(variant, "loss") for variant in RED)),
    ],
    "P-19": each(at_most(2.0), [settled("cleared", "mean_queue", "gains")]),
    "P-20": each(
        LESS,
        (_whole("alpha-high", "alpha-low", measure) for measure in ("mean_queue", "goodput")),
    ),
    "P-21": each(
        LESS,
        (of.halfway(more) - of.halfway(less) for more, less in (("gamma-high", "rem"), ("rem", "gamma-low"))),
    ),
    "P-22": each(
        LESS,
        [relative(of.end_to_end("rem", "linear", "sums"), _MARKED) - _MARKED],
    ),
    "P-23": [
        *each(MORE, map(_elsewhere, _REDS)),
        *each(MORE, [Level("paths", "rem", "goodput") - Level("paths", "red", "goodput")]),
    ],
    "P-24": trend(MORE, [period("drop-tail", "mean_queue", "vegas")]),
    "P-25": each(
        Range(-5.0, 5.0),
        (
            relative(of.price(other, "gains"), of.price("rem", "gains"))
            for other in ("rem-queue", "asynchronous", "alpha-high", "gamma-high")
        ),
    ),
    "P-26": each(at_least(5.0), (settled(f"{red}-drop", "loss") for red in _REDS)),
    # Section 4.1
    "P-17a": each(Range(-25.0, 25.0), map(of.against_optimum, SIX)),
    "P-17b": each(
        Range(-25.0, 25.0),
        (relative(of.long_over_cross(SIX[0]), of.long_over_cross(one)) for one in SIX[1:3]),
    ),
    "P-18": each(Range(-2.0, 2.0), map(_drift, SIX)),
    "P-6": each(SAME, (_like("pi", "rem-queue", one) for one in ("mean_queue", "goodput", "mark_fraction"))),
    # Section 4.2
    "A-0.1a": each(MORE, [_more("rem-drop", "drop-tail")]),
    "A-0.1b": each(MORE, [_more("rem-mark", "drop-tail")]),
    "A-0.2a": each(NEAR_TARGET, (period(variant, "mean_queue") for variant in REM[1:]), 20.0),
    "A-0.2b": each(at_most(10.0), (spread(period(variant, "mean_queue")) for variant in REM[1:])),
    "A-0.2c": each(at_most(-0.5), [rank(settled("rem-drop", "mean_queue"))]),
    "A-0.3": _growing(("drop-tail", *RED), "wireline"),
    "A-0.4a": each(Range(-25.0, 25.0), [relative(period("rem-drop", "loss"), period("drop-tail", "loss"))]),
    "A-0.4b": each(at_most(0.1), [settled("rem-mark", "loss")]),
    "A-0.5a": each(MORE, _below_drop_tail("wireline")),
    "A-0.5b": each(MORE, _wide_minus_narrow("goodput")),
    "A-0.5c": each(MORE, _wide_minus_narrow("mean_queue")),
    "A-0.6a": each(MORE, _drop_minus_mark("wireline")),
    "A-0.6b": each(LESS, _drop_minus_mark("reno")),
    "A-0.6c": each(NO_LESS, [_more("rem-mark", "rem-drop")]),
    "P-4a": each(NEAR_TARGET, (period(variant, "mean_queue", "reno") for variant in REM[1:]), 20.0),
    "P-4b": each(Range(-2.0, 2.0), (_with_reno(how, red) for how in ("mark", "drop") for red in _REDS)),
    "A-0.7a": [
        part
        for variant in REM
        for part in _windows(
            variant, "wireline", {20.0: about(32.0, 3.2), 160.0: about(4.0, 0.5)}, {20.0: 32.0, 160.0: 4.0}
        )
    ],
    "A-0.7b": each(Range(0.85, 1.15), map(of.window_over_share, (*REM, *RED))),
    "P-2": each(MORE, [controllers("rem", "goodput") - controllers("drop-tail", "goodput")]),
    # Section 5
    "A-0.8a": each(about(62.0, 6.0), [_at_20("drop-tail")], 62.0),
    "A-0.8b": each(
        LESS,
        [
            _of_periods(
                _BEST_AND_WORST, "first minus least of the others", lambda v: v[0] - v[1:].min(), "points"
            )
        ],
    ),
    "A-0.8c": each(about(91.0, 5.0), [_of_periods(_BEST_AND_WORST, "highest", np.max)], 91.0),
    "P-13a": each(at_least(20.0), (_at_20(variant) - _at_20("drop-tail") for variant in WIRELESS)),
    "P-13b": each(MORE, (_more(variant, "drop-tail", "goodput", "wireless") for variant in WIRELESS)),
    "A-0.9a": [
        Part(
            period(variant, "goodput", "wireless"),
            Range(78.0, 99.0) if variant == "red-10-30" else Range(86.0, 100.0),
        )
        for variant in WIRELESS
    ],
    "A-0.9b": each(MORE, (_more(one, "red-10-30", "goodput", "wireless") for one in ("rem", "red-20-80"))),
    "P-12": _windows(
        "rem", "wireless", {20.0: about(22.0, 3.0), 100.0: about(4.0, 1.0)}, {20.0: 22.0, 100.0: 4.0}
    ),
    "A-0.11a": each(NEAR_TARGET, [period("rem", "mean_queue", "wireless")], 20.0),
    "A-0.11b": _growing(("drop-tail", *WIRELESS[:2]), "wireless"),
    "A-0.10a": each(MORE, [_DROP_TAIL - _WIDE, _WIDE - _REM, _WIDE - _NARROW]),
    "A-0.10b": each(at_most(0.1), map(of.overflow_share, ("rem", "red-10-30"))),
    "A-0.10c": each(at_least(80.0), map(of.early_share, ("rem", "red-10-30"))),
    "A-0.10d": each(at_most(50.0), map(of.early_share, ("drop-tail", "red-20-80"))),
    "P-8": each(MORE, [_at_20("rem", "senders") - _at_20("rem-newreno", "senders")]),
    "P-9": each(at_least(5.0), [_at_20("rem", "bursts") - _at_20("drop-tail", "bursts")]),
    "P-10": [
        Part(_lost("no-fall-back") - _lost("newreno"), MORE),
        Part(_of("desk", "no-fall-back") - _of("desk", "newreno"), LESS),
    ],
    "P-11": [
        Part(relative(_lost("fall-back"), _lost("newreno")), Range(-10.0, 10.0)),
        Part(relative(_of("desk", "fall-back"), _of("desk", "newreno")), Range(-10.0, 10.0)),
        Part(_of("phone", "fall-back-capable") - _of("phone", "no-fall-back-capable"), Range(-1.0, 1.0)),
    ],
}
