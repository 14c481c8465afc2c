"""Figures 1 and 2 of the paper, and what stands behind figure 2."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir.charts.study import Curve, Facet, Plot
from weir.papers import ns2
from weir.papers.curves import curve, levels
from weir.papers.data import Study
from weir.papers.quantities import Level
from weir.papers.rem_2001 import measured
from weir.papers.rem_2001.experiments import PACKAGE, RED, REM, period, settled
from weir.theory.equilibrium import mean_window, red_queue, reno_probability

USERS = tuple(range(20, 161, 20))
_X = "Number of users"
_PANELS = (("goodput", "Goodput (%)"), ("mean_queue", "Mean queue (packets)"), ("loss", "Loss (%)"))


def figure_1(study: Study) -> Plot:
    """Computed: no runs."""
    del study
    queues = np.linspace(0.0, 40.0, 81)
    # RED(5:15) with max_p 0.1 and gentle.
    red = np.interp(queues, [0.0, 5.0, 15.0, 30.0, 40.0], [0.0, 0.0, 0.1, 1.0, 1.0])
    prices = np.linspace(0.0, 3000.0, 61)
    rem = 1.0 - measured.PHI**-prices
    facets = [
        Facet(
            "Gentle RED(5:15), max_p 0.1",
            "Marking probability",
            [Curve("probability", queues.tolist(), red.tolist())],
            top=1.0,
            x="Average queue (packets)",
        ),
        Facet(
            "REM, φ = 1.001",
            "Marking probability",
            [Curve("probability", prices.tolist(), rem.tolist())],
            top=1.0,
            x="Price",
        ),
    ]
    return Plot(
        "figure-1",
        "Figure 1: marking probability of gentle RED and of REM",
        "Computed, not simulated; the paper's figure has no numbers. RED's congestion measure is the "
        "average queue, REM's the price, which no buffer bounds: hence two axes. In the wireline "
        "experiment the price stays below 120, where REM's curve is nearly a straight line.",
        "",
        facets,
    )


def figure_2(study: Study) -> Plot:
    """As in the paper: REM left, RED right, each beside DropTail."""
    facets: list[Facet] = []
    for measure, y in _PANELS:
        for title, variants in (("REM and DropTail", REM), ("RED and DropTail", ("drop-tail", *RED))):
            curves = levels(study, period("", measure), variants)
            curves += _beside(study, "wireline", measure, variants)
            facets.append(Facet(title, y, curves, zero=measure != "goodput"))
    return Plot(
        "figure-2",
        "Figure 2: goodput, mean queue and loss in each period of 50 s",
        f"{_replications(study)} Bands are 95% intervals. REM, left, holds the queue, and its goodput is "
        "above DropTail's but for the largest numbers of users. RED's queue, right, grows with the "
        "users. ns-2.35's RED is gentle, that of 2000 was not: from 80 users on this is the difference "
        "between squares and lines (see the table on RED's jump).",
        _X,
        facets,
        ticks=USERS,
    )


def figure_2_settled(study: Study) -> Plot:
    """The last 30 s, with theory."""
    facets = [
        Facet(
            f"{y.split(' (')[0]}: {title}",
            y,
            [*levels(study, settled("", measure), variants), *_theory(study, measure, variants)],
            levels=[(20.0, "b*")] if measure == "mean_queue" and variants == REM else (),
        )
        for measure, y in _PANELS[1:]
        for title, variants in (("REM, DropTail", REM), ("RED, DropTail", ("drop-tail", *RED)))
    ]
    return Plot(
        "figure-2-settled",
        "Queue and loss of figure 2 in the last 30 s of each period, with theory",
        f"{_replications(study)} Theory has p = 1.5 / W² and N W = 640 + q: the loss of REM that drops is "
        "p at a queue of 20 packets; RED's queues are where two thirds of its line, which is what ns-2's "
        "wait leaves, give p; they end where no queue below max_th does. Theory knows no swings: RED's "
        "signals come in bunches, and a shorter queue is enough. REM that drops falls below its target "
        "by (x - c) / α, since x counts what is dropped; here x is from the measured loss and goodput.",
        _X,
        facets,
        ticks=USERS,
    )


def window_and_price(study: Study) -> Plot:
    """What travels with the users."""
    label = study["wireline"].labels["rem-mark"]
    shares = [mean_window(n, measured.PIPE, measured.TARGET) for n in USERS]
    prices = [measured.theory_price(n) for n in USERS]
    marks = [100.0 * reno_probability(w) for w in shares]
    users = list(USERS)
    facets = [
        Facet(
            "Window",
            "Mean window (packets)",
            [
                curve(study, measured.window("rem-mark"), label),
                Curve(label, users, shares, kind="theory"),
                Curve(label, [20, 160], [32.0, 4.0], kind="paper"),
            ],
        ),
        Facet(
            "Price",
            "Mean price",
            [curve(study, measured.price(), label), Curve(label, users, prices, kind="theory")],
        ),
        Facet(
            "Marks",
            "Marked (%)",
            [
                curve(study, settled("rem-mark", "mark_fraction"), label),
                Curve(label, users, marks, kind="theory"),
            ],
        ),
        Facet(
            "Queue",
            "Mean queue (packets)",
            [curve(study, settled("rem-mark", "mean_queue"), label)],
            [(measured.TARGET, "b*")],
        ),
    ]
    return Plot(
        "window-and-price",
        "What travels with the number of users under REM, while the queue stays",
        f"{_replications(study)} The last 30 s of each period. Theory: W = (640 + 20) / N, 1.5 / W² and "
        "the price that gives it. Where windows are of few "
        "packets, fewer marks are enough than it says.",
        _X,
        facets,
        ticks=USERS,
    )


def footnote(study: Study) -> Plot:
    """Dropping minus marking, with NewReno and with Reno."""
    facets: list[Facet] = []
    for title, experiment in (("NewReno", "wireline"), ("Reno", "reno")):
        curves: list[Curve] = []
        for law, label in (("red-20-80", "RED(20:80)"), ("red-10-30", "RED(10:30)"), ("rem", "REM")):
            drop, mark = f"{law}-drop", f"{law}-mark"
            if drop in study[experiment].labels:
                dropping = period(drop, "goodput", experiment)
                curves.append(curve(study, dropping - period(mark, "goodput", experiment), label))
                curves.append(_difference(experiment, drop, mark, label))
        facets.append(Facet(title, "Goodput, drop minus mark (points)", curves, [(0.0, "")], zero=False))
    return Plot(
        "footnote-1",
        "Footnote 1: goodput with dropping minus goodput with marking, with NewReno and with Reno",
        f"{_replications(study)} Whole periods, in pairs. With NewReno RED gains by dropping, and REM "
        "does not; with Reno RED does not either. ns-2's RED is gentle, and in its runs with Reno it "
        "drops beyond max_p, though it marks: only the signs are to be compared.",
        _X,
        facets,
        ticks=USERS,
    )


def _difference(experiment: str, drop: str, mark: str, label: str) -> Curve:
    first = ns2.curve(PACKAGE, experiment, drop, "goodput", label)
    second = ns2.curve(PACKAGE, experiment, mark, "goodput", label)
    return Curve(label, first.x, [a - b for a, b in zip(first.y, second.y, strict=True)], kind="ns-2")


def phase_effects(study: Study) -> Plot:
    """With a random wait and without."""
    pairs = (("drop-tail", "drop-tail"), ("rem-mark", "rem"))
    facets: list[Facet] = []
    for measure, y in _PANELS[:2]:
        curves: list[Curve] = []
        for alone, waiting in pairs:
            label = study["wireline"].labels[alone]
            curves.append(curve(study, settled(alone, measure), label))
            level = Level("controllers", waiting, measure, when="periods")
            curves.append(curve(study, level, f"{label}, wait"))
            curves.append(ns2.curve(PACKAGE, "settled", alone, measure, label))
            curves.append(ns2.curve(PACKAGE, "phase-effects", alone, measure, f"{label}, wait"))
        facets.append(Facet(y.split(" (")[0], y, curves, zero=measure != "goodput"))
    return Plot(
        "phase-effects",
        "Phase effects: equal round trips, with a random wait of up to 0.25 ms before each burst and without",
        f"{_replications(study)} The last 30 s of each period; ns-2's, the last 40 s. Two packet times of "
        "wait lift DropTail's goodput by points; REM's hardly moves. A good part of what figure 2 shows "
        "of DropTail is flows that lose together.",
        _X,
        facets,
        ticks=USERS,
    )


def _beside(study: Study, experiment: str, measure: str, variants: Sequence[str]) -> list[Curve]:
    labels = study["wireline"].labels
    return [ns2.curve(PACKAGE, experiment, variant, measure, labels[variant]) for variant in variants]


def _replications(study: Study) -> str:
    return f"Means of {study['wireline'].runs['replication'].n_unique()} replications."


def _theory(study: Study, measure: str, variants: Sequence[str]) -> list[Curve]:
    labels = study["wireline"].labels
    if measure == "loss" and "rem-drop" in variants:
        loss = [100.0 * reno_probability(mean_window(n, measured.PIPE, measured.TARGET)) for n in USERS]
        return [Curve(labels["rem-drop"], list(USERS), loss, kind="theory")]
    if measure != "mean_queue":
        return []
    if "rem-drop" in variants:
        fall = curve(study, measured.dropping_rest(), labels["rem-drop"])
        return [Curve(fall.label, fall.x, fall.y, kind="theory")]
    made: list[Curve] = []
    for variant, least, most in (("red-20-80-mark", 20.0, 80.0), ("red-10-30-mark", 10.0, 30.0)):
        found = [(n, red_queue(n, measured.PIPE, least, most, 0.1, 2.0 / 3.0)) for n in USERS]
        known = [(n, queue) for n, queue in found if queue is not None]
        made.append(
            Curve(labels[variant], [n for n, _ in known], [queue for _, queue in known], kind="theory")
        )
    return made
