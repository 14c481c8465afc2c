"""What the figures of `figures.toml` show, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from weir.plot import Curve, Facet
from weir_papers import ns2
from weir_papers.curves import curve, levels, panel
from weir_papers.data import Study
from weir_papers.nlred_comparison_2013 import quantities, theory
from weir_papers.nlred_comparison_2013.checks import ACTIVE, MAX_P, PAPERS, level
from weir_papers.nlred_comparison_2013.quantities import until
from weir_papers.reading import Contents

PACKAGE = "nlred_comparison_2013"
_FOUR = ("goodput", "mean_queue", "loss", "jain")
_TOPS = {"goodput": 100.0, "utilisation": 100.0, "jain": 1.0}


def _measured(
    study: Study, measure: str, variants: Iterable[str] = PAPERS, experiment: str = "flows", label: str = "{}"
) -> list[Curve]:
    return levels(study, level("", measure, None, experiment), variants, label.format)


def _predicted(study: Study, measure: str) -> list[Curve]:
    """What windows and AQMs say together, under the labels of the variants."""
    labels = study["flows"].labels
    return [
        Curve(
            labels[one], theory.FINE, [theory.measure_at(one, measure, n) for n in theory.FINE], kind="theory"
        )
        for one in theory.FAMILIES
    ]


def _panels(curves: Callable[[str], Sequence[Curve]], measures: Iterable[str] = _FOUR) -> list[Facet]:
    return [panel(measure, curves(measure), top=_TOPS.get(measure)) for measure in measures]


def _one(study: Study, measure: str) -> list[Facet]:
    return [panel(measure, _measured(study, measure), "", top=_TOPS.get(measure))]


def _both(study: Study, measure: str, lines: Sequence[tuple[float, str]] = ()) -> list[Facet]:
    """All four, and the three below DropTail by themselves, where theory has something to say."""
    active = [*_measured(study, measure, ACTIVE), *_predicted(study, measure)]
    return [
        panel(measure, _measured(study, measure), "All four"),
        panel(measure, active, "Without DropTail", lines),
    ]


def _loss(study: Study) -> list[Facet]:
    x = theory.FINE
    windows = Curve("windows alone", x, [theory.measure_at("nlred", "loss", n) for n in x], kind="theory")
    return [panel("loss", [*_measured(study, "loss"), windows], "", ((10.0, "10%"),))]


def _so_far(study: Study, measure: str, flows: float) -> list[Curve]:
    """From the start to the end of each period."""
    labels = study["time"].labels
    return [curve(study, until("time", one, measure, flows), labels[one]) for one in PAPERS]


def _against_time(study: Study, measure: str) -> list[Facet]:
    flows = study["time"].levels("flows")
    return [panel(measure, _so_far(study, measure, n), f"{n:g} flows") for n in flows]


def _without_compatibility(study: Study) -> list[Facet]:
    def curves(measure: str) -> list[Curve]:
        families = ("gred", "nlred") if measure == "mean_queue" else PAPERS
        plain = ("gred-plain", "nlred-plain")
        return [*_measured(study, measure, families), *_measured(study, measure, plain, "without-flows")]

    return _panels(curves)


def _readings(study: Study) -> list[Facet]:
    variants = ("red", "gred", "nlred", "nlred-1", "nlred-gentle")
    return _panels(lambda measure: _measured(study, measure, variants))


def _together(study: Study, experiment: str, variants: Iterable[str]) -> list[Curve]:
    labels = study[experiment].labels
    return [curve(study, quantities.synchronisation(experiment, one), labels[one]) for one in variants]


def _synchronisation(study: Study) -> list[Facet]:
    title = "Flows that lose together (%)"
    return [
        Facet("Four queues", title, _together(study, "flows", PAPERS)),
        Facet("GRED at three max_p", title, _together(study, "max-p", MAX_P["gred"])),
    ]


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


_SETTINGS = {
    "-plain": "none",
    "-idle": "whole idle steps",
    "-early": "never an empty queue",
    "-spare": "first packet spared",
    "": "all",
}


def _ns2_settings(study: Study) -> list[Facet]:
    return [
        panel(
            "goodput",
            [
                one
                for ending, name in _SETTINGS.items()
                for one in _measured(study, "goodput", [family + ending], "ns2-settings", name)
            ],
            family.upper(),
            top=100.0,
        )
        for family in ("gred", "nlred")
    ]


def _per_flow(total: Curve) -> Curve:
    def each(values: Sequence[float] | None) -> list[float] | None:
        return (
            None if values is None else [value / flows for value, flows in zip(values, total.x, strict=True)]
        )

    return replace(total, y=each(total.y) or [], low=each(total.low), high=each(total.high))


def _fairness(study: Study) -> list[Facet]:
    most = max(study["time"].levels("flows"))
    timeouts = [_per_flow(one) for one in _measured(study, "timeouts")]
    so_far = _so_far(study, "jain", most)
    return [
        Facet("Timeouts, 20 to 100 s", "Timeouts of a flow", timeouts),
        panel("jain", so_far, f"Fairness of {most:g} flows", top=1.0, x="Counted from the start to (s)"),
    ]


def _as_ns2(study: Study, experiment: str) -> list[Facet]:
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


def _today(study: Study) -> list[Facet]:
    variants = ("nlred", "codel", "pie", "fq-codel", "dualpi2", "cubic-drop-tail", "cubic-nlred")
    return _panels(
        lambda measure: _measured(study, measure, variants, "today"),
        ("goodput", "delay_mean", "loss", "jain"),
    )


_THRESHOLDS = ((5.0, "min_th"), (15.0, "max_th"), (20.0, "b*"))
_MAX_P = (*MAX_P["gred"], *MAX_P["nlred"])

FIGURES: Contents = {
    "figure-2": lambda study: _one(study, "goodput"),
    "figure-3": lambda study: _both(study, "mean_queue", _THRESHOLDS),
    "figure-4": lambda study: _both(study, "delay_mean"),
    "figure-5": _loss,
    "figure-6": lambda study: _one(study, "utilisation"),
    "figure-7": lambda study: _one(study, "jain"),
    "figure-8": lambda study: _against_time(study, "goodput"),
    "figure-9": lambda study: _against_time(study, "loss"),
    "figure-10": lambda study: [panel("goodput", _measured(study, "goodput", _MAX_P, "max-p"), "")],
    "without-compatibility": _without_compatibility,
    "readings": _readings,
    "synchronisation": _synchronisation,
    "wait": _wait,
    "ns2-settings": _ns2_settings,
    "fairness": _fairness,
    "ns2-10": lambda study: _as_ns2(study, "ns2-10"),
    "ns2-30": lambda study: _as_ns2(study, "ns2-30"),
    "today": _today,
}
