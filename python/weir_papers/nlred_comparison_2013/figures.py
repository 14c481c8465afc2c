"""Contents of the figures of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from weir.plot import Curve, Facet
from weir_papers import ns2
from weir_papers.curves import curve, levels, panel
from weir_papers.data import Study
from weir_papers.nlred_comparison_2013.checks import BEGINNING_S, MAX_P, PAPERS, level
from weir_papers.nlred_comparison_2013.quantities import marking, synchronisation, until
from weir_papers.quantities import Quantity
from weir_papers.reading import Contents

PACKAGE = "nlred_comparison_2013"
_FOUR = ("goodput", "mean_queue", "loss", "jain")


def _measured(
    study: Study, measure: str, variants: Iterable[str] = PAPERS, experiment: str = "flows", label: str = "{}"
) -> list[Curve]:
    return levels(study, level("", measure, None, experiment), variants, label.format)


def _of(
    study: Study, experiment: str, variants: Iterable[str], made: Callable[[str], Quantity]
) -> list[Curve]:
    labels = study[experiment].labels
    return [curve(study, made(variant), labels[variant]) for variant in variants]


def _panels(curves: Callable[[str], Sequence[Curve]], measures: Iterable[str] = _FOUR) -> list[Facet]:
    return [panel(measure, curves(measure)) for measure in measures]


def _one(measure: str, *printed: tuple[str, float, float]) -> Callable[[Study], list[Facet]]:
    """A measure against the number of flows. `printed`: variant, flows and value in the paper's text."""

    def panels(study: Study) -> list[Facet]:
        labels = study["flows"].labels
        beside = [Curve(labels[one], [flows], [value], kind="paper") for one, flows, value in printed]
        curves = [*_measured(study, measure), *beside]
        return [panel(measure, curves, "")]

    return panels


def _against_time(measure: str) -> Callable[[Study], list[Facet]]:
    return lambda study: [
        panel(
            measure,
            _of(study, "time", PAPERS, lambda one, n=n: until(one, measure, n)),
            f"{n:g} flows",
        )
        for n in study["time"].levels("flows")
    ]


def _synchronisation(study: Study) -> list[Facet]:
    title = "Flows that lose together (%)"
    return [
        Facet(name, title, _of(study, "flows", variants, lambda one: synchronisation("flows", one)))
        for name, variants in (("Four queues", PAPERS), ("GRED at three max_p", MAX_P["gred"]))
    ]


def _beginning(study: Study) -> list[Facet]:
    found: list[Facet] = []
    for n in study["time"].levels("flows"):
        there = study.at("time", "time", flows=n)
        curves = _of(there, "time", ("rem", "red"), lambda one: marking(one, BEGINNING_S))
        found.append(Facet(f"{n:g} flows", "Dropped by the AQM (%)", curves, zero=True))
    return found


def _wait(study: Study) -> list[Facet]:
    return _panels(
        lambda measure: [
            one
            for variant in ("drop-tail", "nlred", "rem")
            for one in (
                *_measured(study, measure, [variant]),
                *_measured(study, measure, [variant], "wait", "{}, wait"),
            )
        ]
    )


def _as_ns2(experiment: str) -> Callable[[Study], list[Facet]]:
    def panels(study: Study) -> list[Facet]:
        labels = {name: text.removesuffix(", as ns-2") for name, text in study[experiment].labels.items()}
        return _panels(
            lambda measure: [
                one
                for variant, label in labels.items()
                for one in (
                    *_measured(study, measure, [variant], experiment, label),
                    ns2.curve(PACKAGE, experiment, variant, measure, label),
                )
            ]
        )

    return panels


def _today(study: Study) -> list[Facet]:
    variants = ("nlred", "codel", "pie", "fq-codel", "dualpi2", "cubic-drop-tail", "cubic-nlred")
    return _panels(
        lambda measure: _measured(study, measure, variants, "today"),
        ("goodput", "delay_mean", "loss", "jain"),
    )


FIGURES: Contents = {
    "figure-2": _one("goodput"),
    "figure-3": _one("mean_queue"),
    "figure-4": _one("delay_mean"),
    "figure-5": _one("loss", ("nlred", 120.0, 10.0)),
    "figure-6": _one(
        "utilisation", ("nlred", 100.0, 100.0), *((one, 100.0, 90.0) for one in ("gred", "rem", "drop-tail"))
    ),
    "figure-7": _one("jain"),
    "figure-8": _against_time("goodput"),
    "figure-9": _against_time("loss"),
    "figure-10": lambda study: [
        panel("goodput", _measured(study, "goodput", (*MAX_P["gred"], *MAX_P["nlred"])), "", top=100.0)
    ],
    "beginning": _beginning,
    "synchronisation": _synchronisation,
    "wait": _wait,
    "ns2-10": _as_ns2("ns2-10"),
    "ns2-30": _as_ns2("ns2-30"),
    "today": _today,
}
