"""Beside ours: ns-2.35 where it was run, and the queues and sources of today."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from weir.charts.study import Curve, Plot
from weir.papers import ns2
from weir.papers.curves import levels
from weir.papers.data import Study
from weir.papers.nlred_comparison_2013.experiments import CUBIC, NEWER, NS2_FAST, NS2_SLOW, TODAY, level
from weir.papers.nlred_comparison_2013.explained import panels
from weir.papers.nlred_comparison_2013.figures import BAND, FLOWS_TITLE, TICKS
from weir.papers.paper import Experiment

PACKAGE = "nlred_comparison_2013"


def _as_ns2(experiment: Experiment, where: str, caption: str) -> Callable[[Study], Plot]:
    def plot(study: Study) -> Plot:
        labels = {
            variant: label.removesuffix(", as ns-2")
            for variant, label in study[experiment.name].labels.items()
        }

        def curves(measure: str) -> list[Curve]:
            made: list[Curve] = []
            for variant, label in labels.items():
                ours = levels(study, level(variant, measure, experiment=experiment), (variant,))
                made += [replace(one, label=label) for one in ours]
                made.append(ns2.curve(PACKAGE, experiment.name, variant, measure, label))
            return made

        return Plot(
            experiment.name,
            f"Beside ns-2.35: {where}",
            f"{caption} {BAND}",
            FLOWS_TITLE,
            panels(curves),
            ticks=TICKS,
        )

    return plot


def _today(study: Study) -> Plot:
    variants = ("nlred", *NEWER, *CUBIC)
    return Plot(
        "today",
        "Today's company: CoDel, PIE, FQ-CoDel, DualPI2, and CUBIC",
        "NLRED for comparison; every queue with its own defaults; CUBIC with selective acknowledgements. "
        f"PIE lets bursts pass that it is not made for, and is DropTail here: 100 packets are 20 ms. {BAND}",
        FLOWS_TITLE,
        panels(
            lambda measure: levels(study, level("nlred", measure, experiment=TODAY), variants),
            ("goodput", "delay_mean", "loss", "jain"),
        ),
        ticks=TICKS,
    )


PLOTS: tuple[Callable[[Study], Plot], ...] = (
    _as_ns2(
        NS2_SLOW,
        "10 Mbit/s and 50 ms",
        "A pipe of 122 packets: here goodput falls with the number of flows under DropTail and REM, and "
        "DropTail is best up to 100 flows. The paper's setting was another.",
    ),
    _as_ns2(
        NS2_FAST,
        "30 Mbit/s and 100 ms",
        "A pipe of 732 packets: goodput rises, and GRED and REM are ahead of DropTail, whose packets are "
        "in step. One seed of ns-2 only. REM at 60 flows has two states, in step with 89% and out of step "
        "with 97.5%: an interval over both says little, and ns-2's one run is in the second.",
    ),
    _today,
)
