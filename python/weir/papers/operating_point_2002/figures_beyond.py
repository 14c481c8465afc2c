"""Figures that the paper does not have: ns-2's runs, what decides, operating points, today's laws."""

from __future__ import annotations

from weir.charts.study import Curve, Facet, Plot
from weir.papers import ns2
from weir.papers.curves import against, curve
from weir.papers.data import Study
from weir.papers.operating_point_2002.figures import BAND, DELAY, LOSS, MAX_TH, users
from weir.papers.operating_point_2002.shapes import Rest, Share
from weir.papers.quantities import Level, Quantity

_PACKAGE = "operating_point_2002"


def beside_ns2(study: Study) -> Plot:
    """Our RED and that of ns-2 with the same round trip."""
    facets: list[Facet] = []
    for experiment, variant, below, fixed in (
        ("as-ns2-max-th", "red", MAX_TH, "RED, max_p 0.1"),
        ("as-ns2-max-p", "red", "max_p", "RED, max_th 30"),
        ("as-ns2-max-p", "red-gentle", "max_p", "Gentle RED, max_th 30"),
    ):
        for measure, title in (("loss", LOSS), ("delay_mean", DELAY)):
            curves: list[Curve] = []
            for n in study[experiment].levels("N"):
                curves.append(curve(study, Level(experiment, variant, measure, at={"N": n}), users(n)))
                curves.append(ns2.curve(_PACKAGE, f"{experiment}-{n:g}", variant, measure, users(n)))
            facets.append(Facet(fixed, title, curves, x=below, top=20.0 if measure == "loss" else None))
    return Plot(
        "as-ns2",
        "RED as ns-2.35 ran it",
        "The network of ns-2's runs: a round trip of 50 ms, not 100, and no random wait. The valley over "
        "max_p is there, too, and moves with the load; with the gentle ramp its left side is gone. Where "
        f"the full buffer drops, with max_th 50, the phase of equal flows decides. {BAND}",
        "",
        facets,
    )


def forced(study: Study) -> Plot:
    """Why there is a minimum."""
    variants = ("red", "red-gentle")
    labels = study["habits"].labels
    facets: list[Facet] = []
    for th in study["habits"].levels("max_th"):
        of_loss = [
            curve(study, Level("habits", variant, "loss", at={"max_th": th}), labels[variant])
            for variant in variants
        ]
        of_drops = [curve(study, _not_early(variant, th), labels[variant]) for variant in variants]
        facets.append(Facet(f"max_th {th:g}", LOSS, of_loss, zero=False))
        facets.append(Facet(f"max_th {th:g}", "Forced drops (% of all)", of_drops, top=100.0))
    return Plot(
        "forced",
        "Why there is a minimum: drops beyond max_th, 80 users",
        "Left: loss over max_p. Right: how many of the drops are forced, by the average beyond max_th, "
        "beyond twice max_th with the gentle ramp, or by the full buffer. Where max_p is too small for "
        "the load, RED drops whole bursts; with the gentle ramp it does not, and the left branch goes. "
        f"{BAND}",
        "max_p",
        facets,
        log_x=True,
        ticks=(0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    )


def _not_early(variant: str, max_th: float) -> Quantity:
    early, drops = (
        Level("habits", variant, name, at={"max_th": max_th}) for name in ("drops_early", "drops")
    )
    return Rest(Share(early, drops, "early drops"), "forced drops")


def habits(study: Study) -> Plot:
    """One thing changed at a time."""
    labels = study["habits"].labels
    facets = [
        Facet(
            f"80 users, max_th {th:g}",
            LOSS,
            [
                curve(study, Level("habits", variant, "loss", at={"max_th": th}), labels[variant])
                for variant in labels
            ],
            zero=False,
        )
        for th in study["habits"].levels("max_th")
    ]
    facets.append(
        Facet(
            "20 users, max_th 30",
            LOSS,
            [curve(study, Level("habits-light", variant, "loss"), labels[variant]) for variant in labels],
            zero=False,
        )
    )
    return Plot(
        "habits",
        "Loss against max_p with one habit of sender or queue changed",
        "All but the gentle ramp keep the minimum. RED spaced as in 1993 drops three times as often at "
        f"the same max_p, which moves the curve to the left. {BAND}",
        "max_p",
        facets,
        log_x=True,
        ticks=(0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
    )


def _law(study: Study, experiment: str, variant: str, label: str) -> Curve:
    delay, loss = (Level(experiment, variant, name) for name in ("delay_mean", "loss"))
    return against(study, delay, loss, label)


def today(study: Study) -> Plot:
    """Laws of today in the plane of delay and loss."""
    facets = [
        Facet(
            title,
            LOSS,
            [_law(study, experiment, variant, label) for variant, label in study[experiment].labels.items()],
            log=True,
            top=20.0,
        )
        for experiment, title in (("today", "NewReno"), ("today-cubic", "CUBIC"))
    ]
    counts = ", ".join(f"{n:g}" for n in study["today"].levels("N"))
    return Plot(
        "today",
        "Today's company in the plane of delay and loss",
        f"{counts} users, from the left or lower end of each curve up; RED with max_th 30 and max_p 0.1, "
        "the others with their defaults, all dropping. No law makes the loss of many users small: it is "
        "what their windows need. DropTail loses least and waits longest; the laws with a target of "
        "delay keep to it. Crosses are 95% intervals.",
        DELAY,
        facets,
    )


PLOTS = (beside_ns2, forced, habits)
