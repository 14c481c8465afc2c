"""Contents of the figures of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from weir.plot import Curve, Facet
from weir.theory import mean_window, red_queue, reno_probability
from weir_papers import ns2
from weir_papers.curves import curve, fluid_over_time, levels, over_time, panel
from weir_papers.data import Study
from weir_papers.quantities import Level, Quantity, relative
from weir_papers.reading import Contents
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.checks import RED, REM, SIX, WIRELESS, controllers, period, settled

PACKAGE = "rem_2001"
USERS = list(range(20, 161, 20))
_SIDES = (("REM", REM), ("RED", ("drop-tail", *RED)))
_READINGS = (
    ("wireless", "As the text says"),
    ("wireless-gentle", "Gentle, ns-2's code"),
    ("wireless-ns2", "ns-2's of 2000"),
)
"""Readings of RED in the wireless experiments."""
_LN_PHI = 9.995003e-4


def _theory(label: str, x: Sequence[float], y: Sequence[float]) -> Curve:
    return Curve(label, x, y, kind="theory")


# --- Wireline ---------------------------------------------------------------------------------------------


def figure_1(_: Study) -> list[Facet]:
    """Computed: RED(5:15) with max_p 0.1 and gentle, and REM."""
    queues = np.linspace(0.0, 40.0, 81)
    red = np.interp(queues, [0.0, 5.0, 15.0, 30.0, 40.0], [0.0, 0.0, 0.1, 1.0, 1.0])
    prices = np.linspace(0.0, 3000.0, 61)
    rem = 1.0 - of.PHI**-prices
    return [
        Facet(
            title, "Marking probability", [Curve("probability", at.tolist(), p.tolist())], top=1.0, x=x
        )
        for title, at, p, x in (
            ("Gentle RED(5:15), max_p 0.1", queues, red, "Average queue (packets)"),
            ("REM, φ = 1.001", prices, rem, "Price"),
        )
    ]  # fmt: skip


def _figure_2(study: Study) -> list[Facet]:
    labels = study["wireline"].labels
    return [
        panel(
            measure,
            [curve(study, period(one, measure), labels[one]) for one in variants],
            f"{side} and DropTail",
            [(20.0, "b*")] if measure == "mean_queue" and side == "REM" else (),
        )
        for measure in ("goodput", "mean_queue", "loss")
        for side, variants in _SIDES
    ]


def _gentle_red(study: Study) -> list[Facet]:
    labels = study["wireline"].labels
    return [
        panel(
            measure,
            [
                one
                for variant in ("drop-tail", *RED)
                for one in (
                    curve(study, period(variant, measure, "wireline-gentle"), labels[variant]),
                    ns2.curve(PACKAGE, "wireline", variant, measure, labels[variant]),
                )
            ],
        )
        for measure in ("goodput", "mean_queue")
    ]


def _figure_2_settled(study: Study) -> list[Facet]:
    return [
        panel(
            measure,
            [*levels(study, settled("", measure), variants), *_computed(study, measure, variants)],
            f"{title}: {side}, DropTail",
            [(20.0, "b*")] if measure == "mean_queue" and side == "REM" else (),
        )
        for measure, title in (("mean_queue", "Mean queue"), ("loss", "Loss"))
        for side, variants in _SIDES
    ]


def _computed(study: Study, measure: str, variants: Sequence[str]) -> list[Curve]:
    labels = study["wireline"].labels
    if measure == "loss":
        loss = [100.0 * reno_probability(mean_window(n, of.PIPE, of.TARGET)) for n in USERS]
        return [_theory(labels["rem-drop"], USERS, loss)] if "rem-drop" in variants else []
    if "rem-drop" in variants:
        fall = curve(study, of.dropping_rest(), labels["rem-drop"])
        return [_theory(fall.label, fall.x, fall.y)]
    made: list[Curve] = []
    for variant, least, most in (("red-20-80-mark", 20.0, 80.0), ("red-10-30-mark", 10.0, 30.0)):
        found = {n: red_queue(n, of.PIPE, least, most, 0.1, 2.0 / 3.0) for n in USERS}
        known = {n: queue for n, queue in found.items() if queue is not None}
        made.append(_theory(labels[variant], [*known], [*known.values()]))
    return made


def _window_and_price(study: Study) -> list[Facet]:
    label = study["wireline"].labels["rem-mark"]
    shares = [mean_window(n, of.PIPE, of.TARGET) for n in USERS]
    marks = [100.0 * reno_probability(w) for w in shares]
    windows = [
        curve(study, of.under_way("rem-mark", "wireline"), label),
        _theory(label, USERS, shares),
        Curve(label, [20, 160], [32.0, 4.0], kind="paper"),
    ]
    prices = [
        curve(study, of.price(), label),
        _theory(label, USERS, [of.theory_price(n) for n in USERS]),
    ]
    marked = [curve(study, settled("rem-mark", "mark_fraction"), label), _theory(label, USERS, marks)]
    queue = [curve(study, settled("rem-mark", "mean_queue"), label)]
    return [
        Facet("Window", "Mean window (packets)", windows),
        Facet("Price", "Mean price", prices),
        Facet("Marks", "Marked (%)", marked),
        panel("mean_queue", queue, "Queue", [(of.TARGET, "b*")]),
    ]


def _footnote_1(study: Study) -> list[Facet]:
    def curves(experiment: str) -> list[Curve]:
        made: list[Curve] = []
        for queue, label in (("red-20-80", "RED(20:80)"), ("red-10-30", "RED(10:30)"), ("rem", "REM")):
            drop, mark = f"{queue}-drop", f"{queue}-mark"
            more = period(drop, "goodput", experiment) - period(mark, "goodput", experiment)
            made.append(curve(study, more, label))
        return made

    y = "Goodput, drop minus mark (points)"
    return [
        Facet(title, y, curves(experiment), [(0.0, "")], zero=False)
        for title, experiment in (("NewReno", "wireline"), ("Reno", "reno"))
    ]


def _phase_effects(study: Study) -> list[Facet]:
    def curves(measure: str) -> list[Curve]:
        return [
            one
            for alone, waiting in (("drop-tail", "drop-tail"), ("rem-mark", "rem"))
            for label in [study["wireline"].labels[alone]]
            for one in (
                curve(study, settled(alone, measure), label),
                curve(study, controllers(waiting, measure), f"{label}, wait"),
                ns2.curve(PACKAGE, "settled", alone, measure, label),
                ns2.curve(PACKAGE, "phase-effects", alone, measure, f"{label}, wait"),
            )
        ]

    return [panel("goodput", curves("goodput")), panel("mean_queue", curves("mean_queue"))]


# --- Prices -----------------------------------------------------------------------------------------------


def _sum_of_prices(study: Study) -> list[Facet]:
    queues = {"rem": "REM", "price-red": "price, RED's probability", "queue-rem": "queue, REM's probability"}
    marked = [
        one
        for variant, label in queues.items()
        for one in (
            curve(study, of.end_to_end(variant, "marked"), label),
            curve(study, of.end_to_end(variant, "told"), label, kind="theory"),
        )
    ]
    marked.append(ns2.curve(PACKAGE, "parking-lot", "rem-mark", "marked", "REM"))
    deviations = [
        curve(study, relative(of.end_to_end(variant, "marked"), of.end_to_end(variant, "told")), label)
        for variant, label in queues.items()
    ]
    return [
        Facet("What arrives with a mark", "Long flows' packets marked (%)", marked),
        Facet("Against what is computed", "Deviation (%)", deviations, [(0.0, "")], zero=False),
    ]


def _utilities(study: Study) -> list[Facet]:
    labels = study["utilities"].labels

    def dot(at: int, variant: str, name: str) -> Curve:
        there = study.instead({"utilities": study[name]})
        return curve(there, of.against_optimum(variant), labels[variant], lambda _: float(at), "dot")

    return [
        Facet(
            title,
            "Long flows' goodput against the optimum (%)",
            [dot(at, variant, name) for at, variant in enumerate(SIX, 1)],
            [(0.0, ""), (25.0, ""), (-25.0, "")],
            zero=False,
        )
        for title, name in (("Wait of a packet time", "utilities"), ("Of ten", "utilities-wait"))
    ]


def _equivalence(study: Study) -> list[Facet]:
    data = study["controllers"]
    variants = ("rem", "rem-queue", "pi", "rem-queue-drop", "asynchronous", "price-red", "queue-rem")

    def price(variant: str, variable: str, scale: float = 1.0) -> Curve:
        label = data.labels[variant]
        return over_time(data, variant, "links.bottleneck.forward", variable, label, scale, slots=150)

    # A probability p is REM's price -ln(1 - p) / ln(phi); linear as PI has it, p / ln(phi).
    prices = [price("rem", "price"), price("rem-queue", "price"), price("asynchronous", "price")]
    prices.append(price("pi", "probability", 1.0 / _LN_PHI))
    marking = [one for one in variants if one != "rem-queue-drop"]
    return [
        panel("mean_queue", levels(study, controllers("", "mean_queue"), variants), lines=[(20.0, "b*")]),
        panel("goodput", levels(study, controllers("", "goodput"), variants)),
        Facet("Marks", "Marked (%)", levels(study, controllers("", "mark_fraction"), marking)),
        Facet("Price over time, one run each", "Price", prices, x="Time (s)"),
    ]


def _today(study: Study) -> list[Facet]:
    labels = {**study["today"].labels, "rem": "REM"}
    today = ("drop-tail", "rem", "codel", "pie", "fq-codel", "dualpi2")
    return [
        panel(
            measure,
            [
                curve(study, Level("today", prefix + one, measure, when="periods"), labels[one])
                for one in variants
            ],
            title,
            [(20.0, "20")] if measure == "mean_queue" else (),
        )
        for measure in ("goodput", "mean_queue", "loss")
        for title, prefix, variants in (("NewReno", "", today), ("CUBIC", "cubic-", today[:2]))
    ]


# --- Wireless ---------------------------------------------------------------------------------------------


def _figure_3(study: Study) -> list[Facet]:
    labels = study["wireless"].labels
    printed = [
        Curve(labels["drop-tail"], [20.0, 100.0], [62.0, 91.0], kind="paper"),
        # Ranges over all numbers of users, beside the curves.
        Curve(labels["rem"], [108.0], [93.0], [90.0], [96.0], "paper"),
        Curve(labels["red-20-80"], [114.0], [93.0], [90.0], [96.0], "paper"),
        Curve(labels["red-10-30"], [120.0], [88.5], [82.0], [95.0], "paper"),
    ]
    return [
        panel(
            "goodput",
            [
                *(curve(study, period(one, "goodput", name), labels[one]) for one in labels),
                *printed,
            ],
            title,
        )
        for name, title in _READINGS
    ]


def _figure_4(study: Study) -> list[Facet]:
    labels = study["wireless"].labels
    return [
        Facet(
            title,
            "Overflow so far (packets)",
            [
                curve(study.instead({"wireless": study[name]}), of.cumulative_overflow(one), labels[one])
                for one in labels
            ],
        )
        for name, title in _READINGS
    ]


def _wireless_queue(study: Study) -> list[Facet]:
    return [
        panel(
            "mean_queue",
            levels(study, settled("", "mean_queue", name), ("drop-tail", *WIRELESS)),
            title,
            [(20.0, "b*")],
        )
        for name, title in _READINGS
    ]


def _fluid(study: Study) -> list[Facet]:
    """REM that marks: packets of the first replication, and the fluid model of the same users."""
    data = study["wireline"]
    facets: list[Facet] = []
    for variable, heading in (("queue", "Queue (packets)"), ("price", "Price")):
        packets = over_time(data, "rem-mark", "links.bottleneck.forward", variable, "packets")
        fluid = fluid_over_time(data, "rem-mark", variable, "fluid")
        facets.append(Facet(heading, heading, [packets, fluid]))
    return facets


def _bursts(study: Study) -> list[Facet]:
    bursts = [_along_bursts(study, variant) for variant in ("drop-tail", "rem")]
    return [panel("goodput", bursts, "")]


def _along_bursts(study: Study, variant: str) -> Curve:
    level: Quantity = Level("bursts", variant, "goodput", {"users": 20.0}, when="stages")
    lengths = [1.0 / to_good for to_good in study["bursts"].levels("to_good")]
    place = count()
    return curve(study, level, study["wireless"].labels[variant], at=lambda _: lengths[next(place)])


FIGURES: Contents = {
    "figure-1": figure_1,
    "figure-2": _figure_2,
    "figure-3": _figure_3,
    "figure-4": _figure_4,
    "gentle-red": _gentle_red,
    "figure-2-settled": _figure_2_settled,
    "window-and-price": _window_and_price,
    "footnote-1": _footnote_1,
    "phase-effects": _phase_effects,
    "fluid": _fluid,
    "sum-of-prices": _sum_of_prices,
    "equivalence": _equivalence,
    "utilities": _utilities,
    "wireless-queue": _wireless_queue,
    "bursts": _bursts,
    "today": _today,
}
