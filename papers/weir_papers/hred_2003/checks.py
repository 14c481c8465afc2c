"""What shows each claim of `claims.toml`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weir_papers.claims import ABOVE_ZERO, BELOW_ZERO, Part, Range, at_least, at_most, each
from weir_papers.data import Sample, Study
from weir_papers.hred_2003.parameters import K
from weir_papers.hred_2003.quantities import (
    HALF_BAND,
    VIEWS,
    Kilobytes,
    Response,
    View,
    What,
    amplitude,
    gain,
)
from weir_papers.quantities import Level, Of, Quantity, along, rank, steps

DEVIATION = 30.0
"""Of the queue, kB: what section IV calls large. The figures' unit is lost; its queues are in kB."""
BAND = Range(125.0, 250.0)
"""From min_th to max_th, kB."""
HEAVY = (400.0, 500.0, 600.0, 700.0, 800.0, 900.0, 1000.0)
"""Loads of figure 4."""
NEVER, ALWAYS = Range(0.0, 0.0), Range(1.0, 1.0)
_PHASES = (100.0, 150.0, 200.0, 250.0)


def _mean(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "mean_queue", at)


def _deviation(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "queue_sd", at)


def _used(variant: str, *loads: float) -> Level:
    return Level("steady", variant, "utilisation", {"load": loads} if loads else {})


def _largest(of: Quantity) -> Quantity:
    return along(of, "largest", lambda _, values: float(values.max()))


def _in_phase(variant: str, measure: str, *begins: float) -> Kilobytes:
    return Kilobytes("dynamic", variant, measure, {"from_s": begins or _PHASES}, "periods")


def _doubled(variant: str, what: What = "time", changes: tuple[int, ...] = (0, 1, 2)) -> list[Response]:
    return [Response("dynamic", variant, changes, view, what) for view in VIEWS]


def _there_and_back(experiment: str, variant: str, view: View, what: What = "time") -> Response:
    return Response(experiment, variant, (0, 1), view, what)


def _faster(experiment: str) -> list[Part]:
    return each(
        BELOW_ZERO,
        (
            _there_and_back(experiment, "hred", view) - _there_and_back(experiment, "pi", view)
            for view in VIEWS
        ),
    )


def _gap(view: View) -> Quantity:
    """By how much the ratio of PI's time to HRED's is larger at heavy load, at the same x."""

    def ratios(study: Study, experiment: str) -> dict[tuple[str, float], Sample]:
        slow = _there_and_back(experiment, "pi", view).samples(study)
        fast = _there_and_back(experiment, "hred", view).samples(study)
        found: dict[tuple[str, float], Sample] = {}
        for a, b in zip(slow, fast, strict=True):
            n = min(a.values.size, b.values.size)
            # A queue that never leaves the band has a time of zero; 0.1 s is four samples.
            ratio = np.log(np.maximum(a.values[:n], 0.1) / np.maximum(b.values[:n], 0.1))
            direction = a.place.split(", ")[1]
            found[direction, round(a.at, 6)] = Sample(f"{direction}, {a.at:g} times the flows", a.at, ratio)
        return found

    def gaps(study: Study) -> list[Sample]:
        moderate, heavy = ratios(study, "moderate"), ratios(study, "heavy")
        together: list[Sample] = []
        for key in (key for key in heavy if key in moderate):
            a, b = heavy[key].values, moderate[key].values
            n = min(a.size, b.size)
            together.append(Sample(heavy[key].place, heavy[key].at, a[:n] - b[:n]))
        return together

    name = f"logarithm of PI's time over HRED's, at heavy minus at moderate load{VIEWS[view]}"
    return Of(name, "", gaps)


def _along_k(study: Study) -> list[Sample]:
    """At every load, how the amplitude goes with K."""
    return [
        Sample(f"{load:g} flows", load, rank(amplitude(load=load)).samples(study)[0].values)
        for load in study["gain"].levels("load")
    ]


CHECKS: dict[str, Sequence[Part]] = {
    "A-3.1a": [Part(_mean("hred"), BAND)],
    "A-3.1b": [Part(_deviation("hred"), at_most(DEVIATION))],
    "A-3.1c": [Part(_used("hred"), at_least(99.0))],
    "A-3.2a": [
        Part(rank(_mean("red")), at_least(0.9)),
        Part(_mean("red", load=(100.0,)), at_most(250.0)),
        Part(_mean("red", load=(1000.0,)), at_least(250.0)),
    ],
    "A-3.2b": [Part(_largest(_deviation("red")), at_least(DEVIATION))],
    "A-3.2c": [Part(_mean("avq"), at_most(125.0))],
    "A-3.2d": [Part(_deviation("avq", load=(100.0,)), at_least(DEVIATION))],
    "A-3.2e": [
        Part(_deviation("avq", load=HEAVY), at_most(DEVIATION)),
        Part(_used("avq", *HEAVY), at_least(97.0)),
    ],
    "P-1": [
        *each(at_least(DEVIATION), (_largest(_deviation(variant)) for variant in ("pi", "avq"))),
        Part(_largest(_deviation("hred")), at_most(DEVIATION)),
    ],
    "P-2": [
        Part(Kilobytes("steady-ftp", "hred"), BAND),
        Part(Level("steady-ftp", "hred", "utilisation"), at_least(99.0)),
    ],
    "P-3": [Part(Level("steady", "hred", "loss") / Level("steady", "pi", "loss"), at_most(1.05))],
    "A-3.3a": each(NEVER, _doubled("hred", "never")),
    "A-3.3b": each(ABOVE_ZERO, map(steps, _doubled("pi"))),
    "A-3.3c": each(ALWAYS, _doubled("pi", "never", (2,))),
    "A-3.4a": _faster("moderate"),
    "A-3.4b": _faster("heavy"),
    "A-3.4c": each(ABOVE_ZERO, map(_gap, VIEWS)),
    "A-3.4d": each(
        NEVER,
        (
            _there_and_back(experiment, "hred", view, "never")
            for experiment in ("moderate", "heavy")
            for view in VIEWS
        ),
    ),
    "P-4": each(
        ABOVE_ZERO,
        (
            _in_phase("red", "queue_sd", 200.0) - _in_phase("red", "queue_sd", other)
            for other in (100.0, 150.0, 250.0)
        ),
    ),
    "P-5": [Part(_in_phase("pi", "mean_queue", 250.0), at_least(250.0))],
    "P-6": [
        Part(_in_phase("avq", "mean_queue"), at_most(125.0)),
        Part(Level("dynamic", "avq", "utilisation", {"from_s": _PHASES}, "periods"), at_least(97.0)),
    ],
    "P-7": [
        Part(_in_phase("avq", "queue_sd", 100.0), at_least(30.0)),
        Part(steps(_in_phase("avq", "queue_sd")), BELOW_ZERO),
    ],
    "A-3.5": [Part(gain(k=K), at_most(1.0)), Part(amplitude(k=K), at_most(HALF_BAND))],
    "P-8": [Part(Of("rank correlation of K and the amplitude of the limit cycle", "", _along_k), BELOW_ZERO)],
}
