"""Figures that explain: readings of NLRED, synchronisation, phase effects, habits of ns-2, fairness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from weir.charts.study import Curve, Facet, Plot
from weir.measures import MEASURES
from weir.papers.curves import curve, levels
from weir.papers.data import Study
from weir.papers.nlred_comparison_2013.experiments import (
    HABITS,
    LENGTHS,
    MAIN,
    MAX_P,
    PAPERS,
    SENSITIVITY,
    SPREAD_OUT,
    level,
)
from weir.papers.nlred_comparison_2013.fairness import jain_until
from weir.papers.nlred_comparison_2013.figures import BAND, FLOWS_TITLE, TICKS, measured
from weir.papers.nlred_comparison_2013.synchronisation import synchronisation
from weir.papers.paper import Experiment

FOUR = ("goodput", "mean_queue", "loss", "jain")


_HABIT_LABELS = {
    "-plain": "none",
    "-idle": "whole idle steps",
    "-early": "never an empty queue",
    "-spare": "first packet spared",
    "": "all",
}


def panels(curves: Callable[[str], Sequence[Curve]], measures: Sequence[str] = FOUR) -> list[Facet]:
    """One per measure; an index of fairness and a goodput are never far from their ends."""
    tops = {"goodput": 100.0, "jain": 1.0}
    return [
        Facet(
            MEASURES[measure].title,
            MEASURES[measure].heading,
            curves(measure),
            zero=measure not in tops,
            top=tops.get(measure),
        )
        for measure in measures
    ]


def _readings(study: Study) -> Plot:
    variants = ("red", "gred", "nlred", "nlred-1", "nlred-gentle")
    return Plot(
        "readings",
        "What NLRED is taken for: RED, gentle RED, and NLRED read in three ways",
        "Where flows are many NLRED as in its paper lies with RED, gentle NLRED with gentle RED: what is "
        "seen between GRED and NLRED in the figures of the paper is the difference of gentleness. Of factor "
        f"1 comes a longer queue and more goodput. {BAND}",
        FLOWS_TITLE,
        panels(lambda measure: measured(study, measure, variants)),
        ticks=TICKS,
    )


def _together(study: Study, experiment: Experiment, variants: Sequence[str]) -> list[Curve]:
    labels = study[experiment.name].labels
    return [curve(study, synchronisation(experiment.name, one), labels[one]) for one in variants]


def _synchronisation(study: Study) -> Plot:
    title = "Flows that lose together (%)"
    return Plot(
        "synchronisation",
        "Why goodput is lost with few flows: they lose packets together",
        "The share of the flows that lose packets in a loss event of one round trip, averaged over "
        f"events. Compare figure 2, and figure 10 with the panel to the right. {BAND}",
        FLOWS_TITLE,
        [
            Facet("Four queues", title, _together(study, MAIN, PAPERS)),
            Facet("GRED at three max_p", title, _together(study, SENSITIVITY, MAX_P["gred"])),
        ],
        ticks=TICKS,
    )


def _wait(study: Study) -> Plot:
    def curves(measure: str) -> list[Curve]:
        made: list[Curve] = []
        for variant in ("drop-tail", "nlred", "rem"):
            waiting = levels(study, level(variant, measure, experiment=SPREAD_OUT), (variant,))
            made += measured(study, measure, (variant,))
            made += [replace(one, label=f"{one.label}, wait") for one in waiting]
        return made

    return Plot(
        "wait",
        "Phase effects: with and without a random wait of the senders",
        "'Wait': packets leave their sender up to two packet times later, at random. Out of step, "
        "DropTail has several points more goodput and is ahead of REM from 80 flows on; its index of "
        f"fairness is lower. NLRED and REM change little. {BAND}",
        FLOWS_TITLE,
        panels(curves),
        ticks=TICKS,
    )


def _habits(study: Study) -> Plot:
    title = MEASURES["goodput"].heading
    families = [
        (name, [one for one in HABITS.variants if one.startswith(family)])
        for family, name in (("gred", "GRED"), ("nlred", "NLRED"))
    ]
    return Plot(
        "habits",
        "The habits of ns-2.35, one by one and together",
        "What matters is that ns-2 drops nothing early while no more than one packet waits: without that, "
        f"RED drops from an empty queue as long as its average is high. {BAND}",
        FLOWS_TITLE,
        [
            Facet(
                name,
                title,
                [
                    replace(one, label=_HABIT_LABELS[variant.removeprefix(variant.split("-")[0])])
                    for variant in variants
                    for one in levels(study, level(variant, "goodput", experiment=HABITS), (variant,))
                ],
                zero=False,
                top=100.0,
            )
            for name, variants in families
        ],
        ticks=(20, 60, 120),
    )


def _fairness(study: Study) -> Plot:
    data = study[LENGTHS.name]
    most = max(data.levels("flows"))
    longer = [
        curve(study, jain_until(LENGTHS.name, variant, most), data.labels[variant]) for variant in PAPERS
    ]
    each = [_per_flow(one) for one in measured(study, "timeouts")]
    return Plot(
        "fairness",
        "What moves the fairness index: timeouts, and how long one looks",
        "The smaller the windows, the more losses end in a timeout, DropTail's in step excepted. To the "
        f"right the index of the same runs over ever longer times. {BAND}",
        FLOWS_TITLE,
        [
            Facet("Timeouts, 20 to 100 s", "Timeouts of a flow", each),
            Facet(
                f"Fairness of {most:g} flows",
                MEASURES["jain"].heading,
                longer,
                zero=False,
                top=1.0,
                x="Counted from the start to (s)",
            ),
        ],
    )


def _per_flow(total: Curve) -> Curve:
    def each(values: Sequence[float]) -> list[float]:
        return [value / flows for value, flows in zip(values, total.x, strict=True)]

    return Curve(
        total.label,
        total.x,
        each(total.y),
        None if total.low is None else each(total.low),
        None if total.high is None else each(total.high),
    )


PLOTS: tuple[Callable[[Study], Plot], ...] = (_readings, _synchronisation, _wait, _habits, _fairness)
