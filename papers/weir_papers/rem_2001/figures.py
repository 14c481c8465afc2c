"""What the figures of `figures.toml` show, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from weir.plot import Curve, Facet
from weir.theory import mean_window, red_queue, reno_probability
from weir_papers import ns2
from weir_papers.curves import curve, levels, over_time, panel
from weir_papers.data import Study
from weir_papers.quantities import Level, Quantity, relative
from weir_papers.reading import Contents
from weir_papers.rem_2001 import quantities as of
from weir_papers.rem_2001.checks import (
    FORCED,
    MODIFIED,
    RED,
    REM,
    SETTLED,
    controllers,
    period,
    settled,
    wireless,
)

PACKAGE = "rem_2001"
USERS = list(range(20, 161, 20))
_SIDES = (("REM", REM), ("RED", ("drop-tail", *RED)))
_READINGS = (("RED marks beyond max_th", MODIFIED), ("RED drops beyond max_th", FORCED))
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
            [
                *levels(study, period("", measure), variants),
                *(ns2.curve(PACKAGE, "wireline", one, measure, labels[one]) for one in variants),
            ],
            f"{side} and DropTail",
        )
        for measure in ("goodput", "mean_queue", "loss")
        for side, variants in _SIDES
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
        curve(study, of.window("rem-mark"), label),
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
            if drop in study[experiment].labels:
                more = period(drop, "goodput", experiment) - period(mark, "goodput", experiment)
                a, b = (ns2.curve(PACKAGE, experiment, one, "goodput", label) for one in (drop, mark))
                ns_2 = [x - y for x, y in zip(a.y, b.y, strict=True)]
                made += [curve(study, more, label), Curve(label, a.x, ns_2, kind="ns-2")]
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
    queues = (("rem-mark", "REM", "price"), ("red-mark", "RED(10:30)", "product"))
    marked = [
        one
        for variant, label, column in queues
        for one in (
            curve(study, of.end_to_end(variant, "marked"), label),
            curve(study, of.end_to_end(variant, column), label, kind="theory"),
            ns2.curve(PACKAGE, "parking-lot", variant, "marked", label),
        )
    ]
    deviations = [
        curve(study, relative(of.end_to_end(variant, "marked"), of.end_to_end(variant, column)), label)
        for variant, column, label in (
            ("rem-mark", "price", "REM, from prices"),
            ("rem-mark", "product", "REM, from hops"),
            ("red-mark", "product", "RED(10:30), from hops"),
        )
    ]
    return [
        Facet("What arrives with a mark", "Long flows' packets marked (%)", marked),
        Facet("Against what is computed", "Deviation (%)", deviations, [(0.0, "")], zero=False),
    ]


def _equivalence(study: Study) -> list[Facet]:
    data = study["controllers"]
    variants = ("rem", "rem-queue", "pi", "rem-queue-drop")

    def curves(measure: str) -> list[Curve]:
        dropping = curve(study, settled("rem-drop", measure), "REM, eq. 2, drop")
        return [*levels(study, controllers("", measure), variants), dropping]

    def price(variant: str, variable: str, scale: float = 1.0) -> Curve:
        label = data.labels[variant]
        return over_time(data, variant, "links.bottleneck.forward", variable, label, scale, slots=150)

    # A probability p is REM's price -ln(1 - p) / ln(phi); linear as PI has it, p / ln(phi).
    prices = [price("rem", "price"), price("rem-queue", "price"), price("pi", "probability", 1.0 / _LN_PHI)]
    marked = levels(study, controllers("", "mark_fraction"), variants[:3])
    return [
        panel("mean_queue", curves("mean_queue"), lines=[(20.0, "b*")]),
        panel("goodput", curves("goodput")),
        Facet("Marks", "Marked (%)", marked),
        Facet("Price over time, one run each", "Price", prices, x="Time (s)"),
    ]


def _today(study: Study) -> list[Facet]:
    labels = {**study["controllers"].labels, "rem": "REM"}
    today = ("drop-tail", "rem", "codel", "pie", "fq-codel", "dualpi2")
    return [
        panel(
            measure,
            [curve(study, controllers(prefix + one, measure), labels[one]) for one in variants],
            title,
            [(20.0, "20")] if measure == "mean_queue" else (),
        )
        for measure in ("goodput", "mean_queue", "loss")
        for title, prefix, variants in (("NewReno", "", today), ("CUBIC", "cubic-", today[:2]))
    ]


# --- Wireless ---------------------------------------------------------------------------------------------


def _schemes(study: Study, level: Level, variants: Sequence[str]) -> list[Curve]:
    return levels(study, level, ("drop-tail", *variants), _plain)


def _plain(label: str) -> str:
    """Without what the title of the panel says."""
    return label.split(", forced", maxsplit=1)[0]


def _figure_3(study: Study) -> list[Facet]:
    printed = Curve(study["wireless"].labels["drop-tail"], [20], [62.0], kind="paper")
    lines = [(96.0, "96"), (82.0, "82")]
    return [
        panel("goodput", [*_schemes(study, wireless("", "goodput"), variants), printed], title, lines)
        for title, variants in _READINGS
    ]


def _wireless_queue(study: Study) -> list[Facet]:
    level = wireless("", "mean_queue", SETTLED)
    return [
        panel("mean_queue", _schemes(study, level, variants), title, [(20.0, "b*")])
        for title, variants in _READINGS
    ]


def _figure_4(study: Study) -> list[Facet]:
    labels = study["wireless"].labels

    def curves(variants: Sequence[str]) -> list[Curve]:
        return [
            curve(study, of.cumulative_overflow(one), _plain(labels[one])) for one in ("drop-tail", *variants)
        ]

    return [Facet(title, "Overflow so far (packets)", curves(variants)) for title, variants in _READINGS]


def _sources_and_bursts(study: Study) -> list[Facet]:
    before = Level("senders", "rem-newreno", "goodput", when="stages")
    single = [
        *levels(study, wireless("", "goodput"), ("drop-tail", "rem")),
        curve(study, before, study["senders"].labels["rem-newreno"]),
    ]
    bursts = [_along_bursts(study, variant) for variant in ("drop-tail", "rem")]
    return [
        panel("goodput", single, "Losses one by one"),
        panel("goodput", bursts, "Losses in bursts, 20 users", x="Mean length of a burst (packets)"),
    ]


def _along_bursts(study: Study, variant: str) -> Curve:
    level: Quantity = Level("bursts", variant, "goodput", {"users": 20.0}, when="stages")
    lengths = [1.0 / to_good for to_good in study["bursts"].levels("to_good")]
    place = count()
    label = _plain(study["wireless"].labels[variant])
    return curve(study, level, label, at=lambda _: lengths[next(place)])


FIGURES: Contents = {
    "figure-1": figure_1,
    "figure-2": _figure_2,
    "figure-3": _figure_3,
    "figure-4": _figure_4,
    "figure-2-settled": _figure_2_settled,
    "window-and-price": _window_and_price,
    "footnote-1": _footnote_1,
    "phase-effects": _phase_effects,
    "sum-of-prices": _sum_of_prices,
    "equivalence": _equivalence,
    "wireless-queue": _wireless_queue,
    "sources-and-bursts": _sources_and_bursts,
    "today": _today,
}
