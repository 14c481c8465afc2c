"""Contents of the figures of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from weir.plot import Curve, Facet
from weir.theory import Vector
from weir_papers import ns2
from weir_papers.curves import against, curve, intervals, over_time
from weir_papers.data import Sample, Study
from weir_papers.ofc_1999.optimum import (
    CAPACITY,
    convergence,
    equal,
    late_convergence,
    settled,
    textbook,
    unequal,
)
from weir_papers.ofc_1999.quantities import (
    PROPAGATION_MS,
    QUEUE,
    SAMPLES,
    SENDING_MS,
    SOURCES,
    SWING,
    bins,
    link_price_off,
    measure,
    measured,
    price_off,
    rate_off,
    series,
)
from weir_papers.paper import Filled
from weir_papers.quantities import Level
from weir_papers.reading import Contents

_QUEUE, _EQUILIBRIUM, _TEXTBOOK = "Queue", "Equilibrium", "Textbook"
_END_S, _FIRST_S = 10.0, 2.0
_LINK_MBPS = 45.0
_TOP = 25.0
_ALLOWED = 21.0
"""Packets that the receiver allows."""
_NAMES = [f"Source {number}" for number in (1, 2, 3, 4)]
_NAMED = (Curve(_QUEUE, [], []), *(Curve(name, [], []) for name in _NAMES))
"""Curves with a name only, so that all figures give the names the same colours, and the queue a solid
line."""


# --- Experiments 1 and 2 over time ------------------------------------------------------------------------


def _first_run(study: Study, rows: pl.DataFrame, variant: str) -> pl.DataFrame:
    runs = study["base"].runs.filter(variant=variant, replication=0)
    return rows.filter(pl.col("run").is_in(runs["run"].implode()))


def _windows(study: Study, variant: str, variable: str, sources: int = 4) -> list[Curve]:
    """Windows of each source from its start on, as far as figure 1 shows them."""
    rows = _first_run(study, series(study["base"].read, variable), variant)
    # Before the first estimate nothing but the receive window binds; it is not drawn.
    rows = rows.filter(pl.col("time_s") <= _FIRST_S, pl.col("value").is_finite())
    found: list[Curve] = []
    for number, flow in enumerate(SOURCES[:sources]):
        own = rows.filter(pl.col("flow") == flow, pl.col("time_s") >= 0.2 * number).sort("time_s")
        # What the receiver does not allow is not used (equation 9): the paper's figure ends at 21 packets.
        used = own["value"].clip(upper_bound=_ALLOWED)
        found.append(Curve(_NAMES[number], own["time_s"].to_list(), used.to_list()))
    return found


def _rates(study: Study, variant: str) -> list[Curve]:
    rows = _first_run(study, bins(study["base"].read), variant).sort("from_s")
    found: list[Curve] = []
    for name, flow in zip(_NAMES, SOURCES, strict=True):
        own = rows.filter(pl.col("flow") == flow)
        found.append(Curve(name, ((own["from_s"] + own["to_s"]) / 2.0).to_list(), own["rate"].to_list()))
    return found


def _line(label: str, value: float, end_s: float = _END_S) -> Curve:
    return Curve(label, [0.0, end_s], [value, value], kind="theory")


def _printed(label: str, value: float, end_s: float = _END_S) -> Curve:
    """A mean that the paper prints, beside the run."""
    return Curve(label, [1.04 * end_s], [value], kind="paper")


def _cwnd(curves: Sequence[Curve]) -> Facet:
    return Facet("(a) Congestion windows", "Window (packets)", [*_NAMED, *curves], top=_TOP)


def _ownd(*curves: Curve) -> Facet:
    return Facet("(b) Optimal windows", "Window (packets)", curves, top=_TOP)


def _buffer(
    study: Study, variant: str, title: str, *beside: Curve, named: Sequence[Curve] = (), top: float = 50.0
) -> Facet:
    queue = over_time(study["base"], variant, QUEUE, "queue", _QUEUE)
    return Facet(title, "Packets waiting", [*named, queue, *beside], top=top)


def _received(study: Study, variant: str, title: str, *beside: Curve) -> Facet:
    return Facet(title, "Receive rate (Mbit/s)", [*_rates(study, variant), *beside], top=_LINK_MBPS)


def figure_1(study: Study) -> Filled:
    """The base case: windows, buffer, receive rates under REM."""
    window, queue = equal().windows[0], equal().queue
    book_queue, book_window = textbook()
    at_rest = [
        _line(_EQUILIBRIUM, window, _FIRST_S),
        _line(_TEXTBOOK, book_window, _FIRST_S),
        _printed(_EQUILIBRIUM, 11.0, _FIRST_S),
    ]
    waiting = [_line(_EQUILIBRIUM, queue), _line(_TEXTBOOK, book_queue), _printed(_QUEUE, 18.7)]
    facets = [
        _cwnd(_windows(study, "rem", "cwnd")),
        _ownd(*_windows(study, "rem", "ownd"), *at_rest),
        _buffer(study, "rem", "(c) Buffer occupancy", *waiting),
        _received(study, "rem", "(d) Receive rates", _line(_EQUILIBRIUM, _LINK_MBPS / 4)),
    ]
    words = {"window": f"{window:.2f}", "queue": f"{queue:.2f}"}
    return Filled(facets, {**words, "book_window": f"{book_window:.1f}", "book_queue": f"{book_queue:.1f}"})


def figure_3(study: Study) -> list[Facet]:
    """Buffer and receive rates under DropTail and RED."""
    drop_tail, red = "(a) Buffer occupancy, DropTail", "(c) Buffer occupancy, RED"
    thresholds = ((5.0, "thresh"), (15.0, "maxthresh"))
    return [
        _buffer(study, "drop-tail", drop_tail, _printed(_QUEUE, 44.9), named=_NAMED, top=55.0),
        _received(study, "drop-tail", "(b) Receive rates, DropTail"),
        replace(_buffer(study, "red", red, _printed(_QUEUE, 8.5)), levels=thresholds),
        _received(study, "red", "(d) Receive rates, RED"),
    ]


def figure_4(study: Study) -> Filled:
    """Two sources with twice the weight."""
    at_rest = unequal()
    plain, double = at_rest.windows[:2]
    pipe = sum(at_rest.windows) / _LINK_MBPS
    one, two = _NAMES[:2]
    windows = [
        _line(one, plain, _FIRST_S),
        _line(two, double, _FIRST_S),
        _printed(one, 10.0, _FIRST_S),
        _printed(two, 20.0, _FIRST_S),
    ]
    rates = [_line(one, plain / pipe), _line(two, double / pipe), _printed(one, 7.5), _printed(two, 15.0)]
    waiting = [_line(_EQUILIBRIUM, at_rest.queue), _printed(_QUEUE, 24.4)]
    facets = [
        _cwnd(_windows(study, "differentiated", "cwnd", 2)),
        _ownd(*_windows(study, "differentiated", "ownd", 2), *windows),
        _buffer(study, "differentiated", "(c) Buffer occupancy", *waiting),
        _received(study, "differentiated", "(d) Receive rates", *rates),
    ]
    words = {"plain": f"{plain:.1f}", "double": f"{double:.1f}", "queue": f"{at_rest.queue:.1f}"}
    return Filled(facets, words)


# --- The basic algorithm, computed ------------------------------------------------------------------------

_ALONE = {"a": "a; first link", "b": "b; second link", "c": "c; third link"}
"""A source that passes one link alone, and the colour of the price of this link."""
_DUMBBELL = {name: name for name in ("plain", "double", "capped", "assured", "reno-like")}
_PARKING_LOT = {"long": "long", "middle": "middle", **_ALONE, "d": "d"}


def convergence_of(example: str, sources: dict[str, str], links: dict[str, str]) -> list[Facet]:
    """Rates and prices on their way to the optimum."""
    found, late = convergence(example), late_convergence(example)
    best = found.optimum
    of_sources = [sources[one.name] for one in found.network.sources]
    of_links = [links[one.name] for one in found.network.links]
    return [
        # A little above the highest that is drawn; step 0 is not.
        Facet(f"{title}, {how}", y, _steps(labels, values, optimum), top=1.06 * float(values[1:].max()))
        for how, taken in (("synchronous", found.trajectory), ("asynchronous", late))
        for title, y, labels, values, optimum in (
            ("Rates", "Rate (packets/s)", of_sources, taken.rates, best.rates),
            ("Prices", "Price", of_links, taken.prices, best.prices),
        )
    ]


def _steps(labels: list[str], values: Vector, optimum: Vector) -> list[Curve]:
    last = len(values) - 1
    steps = np.unique(np.rint(np.geomspace(1, max(2, last), 24)).astype(np.int64))
    steps = steps[steps <= last]
    runs = [Curve(label, steps.tolist(), values[steps, index].tolist()) for index, label in enumerate(labels)]
    dotted = [
        Curve(label, [1.0, float(last)], [float(optimum[index])] * 2, kind="theory")
        for index, label in enumerate(labels)
    ]
    return runs + dotted


def dumbbell(_: Study) -> list[Facet]:
    """One link, five utilities."""
    return convergence_of("dumbbell", _DUMBBELL, {"bottleneck": "price"})


def _parking_lot(_: Study) -> list[Facet]:
    links = {label.split("; ")[1].removesuffix(" link"): label for label in _ALONE.values()}
    return convergence_of("parking-lot", _PARKING_LOT, links)


# --- Over what the paper leaves open ----------------------------------------------------------------------


def _whole(sample: Sample) -> float:
    """The round trip without queues."""
    return sample.at + SENDING_MS


_USED: dict[str, float] = {"N": SAMPLES, "propagation": PROPAGATION_MS, "max_p": 0.1, "bin": 100.0}
"""Settings of the main runs, among those of the readings."""


def _along(study: Study, axis: str) -> Study:
    """The readings that differ from the main runs in one setting alone."""
    return study.at("readings", "readings", **{name: at for name, at in _USED.items() if name != axis})


def _settled(study: Study) -> list[Facet]:
    over_n, over_rtt = _along(study, "N"), _along(study, "propagation")
    counts = over_n["readings"].levels("N")
    trips = [one + SENDING_MS for one in over_rtt["readings"].levels("propagation")]
    predicted = [settled(*[CAPACITY] * 4, tau=one / 1e3).queue for one in trips]
    at_n, at_trip = "N, ACKs to an estimate", "Round trip without queues (ms)"
    facets: list[Facet] = []
    for there, ends, at_rest, position, used, x in (
        (over_n, [counts[0], counts[-1]], [equal().queue] * 2, None, SAMPLES, at_n),
        (over_rtt, trips, predicted, _whole, PROPAGATION_MS + SENDING_MS, at_trip),
    ):
        queue, deviation = (
            [
                curve(there, Level("readings", "rem", name), "REM", position),
                Curve("REM", [used], [printed], kind="paper"),
            ]
            for name, printed in (("mean_queue", 18.7), ("queue_sd", 3.9))
        )
        queue += [
            Curve(_EQUILIBRIUM, ends, at_rest, kind="theory"),
            Curve(_TEXTBOOK, [ends[0], ends[-1]], [textbook()[0]] * 2, kind="theory"),
        ]
        facets.append(Facet("Mean queue", "Mean queue (packets)", queue, x=x, top=50.0))
        facets.append(Facet("Deviation of the queue", "Deviation (packets)", deviation, x=x, top=8.0))
    return facets


def _network(study: Study) -> list[Facet]:
    """Rates and prices of each group of sources and each link, against the optimum."""
    facets: list[Facet] = []
    for title, quantity, x in (
        ("Rates", rate_off, "Source"),
        ("Prices of links", link_price_off, "Link"),
        ("Prices of paths", price_off, "Source"),
    ):
        curves: list[Curve] = []
        for at, (variant, label) in enumerate(study["network"].labels.items()):
            # Side by side, as they are close.
            shift = 0.12 * (at - 1.5)
            samples = quantity(variant).samples(study)
            curves.append(intervals(label, [n + shift for n in range(1, 1 + len(samples))], samples, "dot"))
        facets.append(Facet(title, "Off the optimum (%)", curves, ((0.0, ""),), zero=False, x=x))
    return facets


def _phases(study: Study) -> list[Facet]:
    """DropTail over the round trip, to a fraction of the time that a packet takes."""
    facets: list[Facet] = []
    for title, unit, name, printed, top in (
        ("Packets lost", "Packets lost", "drops", 91.0, 300.0),
        ("Fairness", "Jain index", "jain", 0.85, None),
        ("Mean queue", "Mean queue (packets)", "mean_queue", 44.9, 55.0),
        ("Deviation of the queue", "Deviation (packets)", "queue_sd", 8.0, 15.0),
    ):
        curves: list[Curve] = []
        for limit in study["phases"].levels("limit"):
            there = study.at("phases", "phases", limit=limit)
            found = curve(there, measure("phases", "drop-tail", name), f"{limit:g} may wait", _whole)
            curves.append(_near(found))
        of_ns2 = ns2.curve("ofc_1999", "base", "drop-tail", name, "49 may wait")
        curves.append(replace(of_ns2, x=[x + SENDING_MS for x in of_ns2.x]))
        curves.append(Curve("50 may wait", [PROPAGATION_MS + SENDING_MS], [printed], kind="paper"))
        facets.append(Facet(title, unit, curves, zero=name != "jain", top=top))
    return facets


def _near(found: Curve) -> Curve:
    """The part of a curve where phases can be told apart."""
    keep = [index for index, x in enumerate(found.x) if 3.3 <= x <= 4.25]

    def kept(values: Sequence[float] | None) -> list[float] | None:
        return None if values is None else [values[index] for index in keep]

    x, y = kept(found.x), kept(found.y)
    return replace(found, x=x or [], y=y or [], low=kept(found.low), high=kept(found.high))


def _waits(study: Study) -> list[Facet]:
    return [
        Facet(
            title,
            unit,
            [curve(study, measure("waits", one, name), text) for one, text in study["waits"].labels.items()],
            zero=top is not None,
            top=top,
        )
        for title, unit, name, top in (
            ("Packets lost", "Packets lost", "drops", 250.0),
            ("Fairness", "Jain index", "jain", None),
            ("Mean queue", "Mean queue (packets)", "mean_queue", 55.0),
            ("Goodput", "Goodput (%)", "goodput", None),
        )
    ]


def _bins(study: Study) -> list[Facet]:
    there = _along(study, "bin")
    labels = {name: text for name, text in there["readings"].labels.items() if name in {"rem", "red"}}
    curves = [curve(there, measured("readings", one, SWING), text) for one, text in labels.items()]
    return [Facet("", "Range (Mbit/s)", curves, levels=((5.0, "REM, paper"), (20.0, "RED, paper")))]


# --- Queue disciplines of today ---------------------------------------------------------------------------

_DEFAULTS = {
    "drop-tail": "DropTail",
    "codel": "CoDel",
    "fq-codel": "FQ-CoDel",
    "pie": "PIE",
    "dualpi2": "DualPI2",
}
_SHORT = {f"{name}-short": label for name, label in _DEFAULTS.items() if name != "drop-tail"}
_SHORT["prague"] = "Prague before DualPI2"


def _today(study: Study) -> list[Facet]:
    """Queue against goodput, fairness and swing, with targets for the Internet and for this link."""

    def point(experiment: str, variant: str, name: str, label: str) -> Curve:
        queue = Level(experiment, variant, "mean_queue")
        return against(study, queue, measure(experiment, variant, name), label)

    facets: list[Facet] = []
    for title, y, name, top in (
        ("Goodput", "Goodput (%)", "goodput", 100.0),
        ("Fairness", "Jain index", "jain", 1.0),
        ("Swing of receive rates", "Range in 100 ms (Mbit/s)", "swing", 16.0),
    ):
        rem = point("base", "rem", name, "REM hosts and queue")
        own = [point("today", one, name, label) for one, label in _DEFAULTS.items()]
        short = [point("today", one, name, label) for one, label in _SHORT.items()]
        zero = name == "swing"
        facets.append(
            Facet(f"{title}, their own targets", y, [rem, *own], zero=zero, top=top if zero else None)
        )
        # REM is far to the right of all others there: a line.
        facets.append(
            Facet(f"{title}, targets of 1 ms", y, short, levels=((rem.y[0], "REM"),), zero=zero, top=top)
        )
    return facets


FIGURES: Contents = {
    "figure-1": figure_1,
    "figure-3": figure_3,
    "figure-4": figure_4,
    "optimum-dumbbell": dumbbell,
    "optimum-parking-lot": _parking_lot,
    "network": _network,
    "settled": _settled,
    "phases": _phases,
    "waits": _waits,
    "bins": _bins,
    "today": _today,
}
