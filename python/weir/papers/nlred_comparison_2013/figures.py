"""The figures of the paper: six measures against flows, two against the length of a run, and max_p."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weir.charts.study import Curve, Facet, Plot
from weir.measures import MEASURES
from weir.papers.curves import curve, levels
from weir.papers.data import Study
from weir.papers.nlred_comparison_2013 import theory
from weir.papers.nlred_comparison_2013.experiments import (
    ACTIVE,
    LENGTHS,
    MAIN,
    MAX_P,
    PAPERS,
    SENSITIVITY,
    level,
)
from weir.papers.nlred_comparison_2013.lengths import CumulativeMeasure, until

FLOWS_TITLE = "Number of flows"
TICKS = (20, 40, 60, 80, 100, 120)
BAND = "Bands are 95% intervals over replications."


def predicted(study: Study, measure: str) -> list[Curve]:
    """What windows and laws say together, under the labels of the variants."""
    labels = study[MAIN.name].labels
    x = theory.fine()
    return [
        Curve(labels[family], x, [theory.measure_at(family, measure, n) for n in x], kind="theory")
        for family in theory.FAMILIES
    ]


def measured(study: Study, measure: str, variants: Sequence[str] = PAPERS) -> list[Curve]:
    """The main experiment against flows."""
    return levels(study, level(variants[0], measure), variants)


def _goodput(study: Study) -> list[Facet]:
    return [Facet("", MEASURES["goodput"].heading, measured(study, "goodput"), zero=False, top=100.0)]


def _both(study: Study, measure: str, lines: Sequence[tuple[float, str]] = ()) -> list[Facet]:
    """All four, and the three below DropTail by themselves, where theory has something to say."""
    title = MEASURES[measure].heading
    active = [*measured(study, measure, ACTIVE), *predicted(study, measure)]
    return [
        Facet("All four", title, measured(study, measure)),
        Facet("Without DropTail", title, active, levels=lines),
    ]


def _queue(study: Study) -> list[Facet]:
    return _both(study, "mean_queue", ((5.0, "min_th"), (15.0, "max_th"), (20.0, "b*")))


def _delay(study: Study) -> list[Facet]:
    return _both(study, "delay_mean")


def _loss(study: Study) -> list[Facet]:
    x = theory.fine()
    windows = Curve("windows alone", x, [theory.measure_at("nlred", "loss", n) for n in x], kind="theory")
    return [Facet("", MEASURES["loss"].heading, [*measured(study, "loss"), windows], levels=((10.0, "10%"),))]


def _utilisation(study: Study) -> list[Facet]:
    return [Facet("", MEASURES["utilisation"].heading, measured(study, "utilisation"), zero=False, top=100.0)]


def _jain(study: Study) -> list[Facet]:
    return [Facet("", MEASURES["jain"].heading, measured(study, "jain"), zero=False, top=1.0)]


def _against_flows(
    number: int, what: str, facets: Callable[[Study], Sequence[Facet]], caption: str
) -> Callable[[Study], Plot]:
    def plot(study: Study) -> Plot:
        return Plot(
            f"figure-{number}",
            f"Figure {number}: {what} against the number of flows",
            f"{caption} {BAND}",
            FLOWS_TITLE,
            facets(study),
            ticks=TICKS,
        )

    return plot


def _against_length(number: int, measure: CumulativeMeasure, caption: str) -> Callable[[Study], Plot]:
    def plot(study: Study) -> Plot:
        data = study[LENGTHS.name]
        facets = [
            Facet(
                f"{flows:g} flows",
                MEASURES[measure].heading,
                [
                    curve(study, until(LENGTHS.name, variant, measure, flows), data.labels[variant])
                    for variant in PAPERS
                ],
                zero=measure == "loss",
            )
            for flows in data.levels("flows")
        ]
        return Plot(
            f"figure-{number}",
            f"Figure {number}: {MEASURES[measure].title} against simulation time",
            f"{caption} {BAND}",
            "Simulation time (s)",
            facets,
            columns=3,
            ticks=(25, 50, 75, 100, 125, 150),
        )

    return plot


def _figure_10(study: Study) -> Plot:
    variants = [*MAX_P["gred"], *MAX_P["nlred"]]
    labels = study[SENSITIVITY.name].labels
    curves = [
        curve(study, level(variant, "goodput", experiment=SENSITIVITY), labels[variant])
        for variant in variants
    ]
    return Plot(
        "figure-10",
        "Figure 10: Goodput against the number of flows at three max_p",
        "GRED and NLRED with max_p of 0.1 (without a number), 0.3 and 0.5. From 0.1 to 0.3 goodput "
        "falls; from 0.3 to 0.5 GRED's rises again, and NLRED's with few flows, since fewer of them lose "
        f"together. {BAND}",
        FLOWS_TITLE,
        [Facet("", MEASURES["goodput"].heading, curves, zero=False)],
        ticks=TICKS,
    )


PLOTS: tuple[Callable[[Study], Plot], ...] = (
    _against_flows(
        2,
        "Goodput",
        _goodput,
        "It rises with the number of flows, as the paper says. But REM and DropTail are ahead of both REDs "
        "with few flows, and NLRED comes near the link from 100 flows on.",
    ),
    _against_flows(
        3,
        "Average queue length",
        _queue,
        "DropTail's is far above that of the REDs. REM's falls, for dropped packets count "
        "in its price. With few flows the queue is empty for much of the time, which theory leaves out.",
    ),
    _against_flows(
        4,
        "Queueing delay",
        _delay,
        "The paper has it fall for all. It falls under REM, and rises under the others as their queues do.",
    ),
    _against_flows(
        5,
        "Packet loss rate",
        _loss,
        "Faster than the number of flows, slower than its square, which windows alone would have: 1.5 / "
        "W^2 with W the pipe and the queue shared by all. DropTail loses least, NLRED most.",
    ),
    _against_flows(
        6,
        "Link utilisation",
        _utilisation,
        "Like goodput, without the packets that arrive twice. NLRED is above 90% from 60 flows on, not "
        "always.",
    ),
    _against_flows(
        7,
        "Jain's fairness index",
        _jain,
        "From 20 to 100 s. Flows with equal round trips are treated alike by all four; what differs is the "
        "third decimal.",
    ),
    _against_length(
        8,
        "goodput",
        "From the beginning to the time given, start included. NLRED stands where the number of flows puts "
        "it, at any length.",
    ),
    _against_length(
        9,
        "loss",
        "From the beginning to the time given: the slow starts weigh less and less. NLRED loses most at "
        "any length from 60 flows on.",
    ),
    _figure_10,
)
