"""Contents of the figures of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from weir.plot import Curve, Facet
from weir.theory import red_queue
from weir_papers import ns2
from weir_papers.curves import curve, fluid_over_time, over_time
from weir_papers.data import Data, Study
from weir_papers.hred_2003.checks import DEVIATION, HALF_BAND
from weir_papers.hred_2003.parameters import (
    ARRIVALS,
    BUFFER,
    MAX_P,
    MAX_TH,
    MIN_TH,
    PACKET,
    Q_REF,
    RTT_MEAN,
    line,
    loop_gain,
)
from weir_papers.hred_2003.quantities import PHASES, QUEUE, Kilobytes, Response, Swing, gain
from weir_papers.quantities import Level
from weir_papers.reading import Contents

AQMS = ("red", "hred", "pi", "avq")
CONTROLLED = ("red", "hred", "pi")
"""Controllers with response times. The paper leaves AVQ out, as it aims at no queue."""
KILO = PACKET / 1e3
"""Size of a packet in kB."""
_THRESHOLDS = ((MIN_TH / 1e3, "min_th"), (MAX_TH / 1e3, "max_th"))
_LARGE = ((DEVIATION, "30 kB"),)
_TIMES = "Load, times that before"
_WAIT = 2.0 / 3.0
"""Share of RED's probability that the spacing of drops in ns-2 leaves."""


# --- The paper's ------------------------------------------------------------------------------------------


def _mapping(study: Study) -> list[Facet]:
    """HRED's probability at every queue, at light and at heavy load."""
    data = study["steady"]
    queue = [BUFFER * step / 20.0 for step in range(21)]
    curves = [
        Curve("equations (6) and (8)", [q / 1e3 for q in queue], [line(q) for q in queue], kind="theory")
    ]
    loads = data.levels("load")
    for load in (loads[0], loads[-1]):
        run = data.runs.filter(variant="hred", replication=0, load=load)
        series = data.read("series").filter(
            pl.col("run").is_in(run["run"].implode()), pl.col("component") == QUEUE, pl.col("time_s") >= 100.0
        )
        rows = series.with_columns(pl.col("variable").cast(pl.String)).pivot(
            "variable", index="time_s", values="value"
        )
        slots = (
            rows.group_by((pl.col("queue") * KILO / 25.0).floor().alias("slot"), maintain_order=True)
            .agg(kb=(pl.col("queue") * KILO).mean(), p=(pl.col("probability") / pl.col("p_min")).mean())
            .sort("slot")
        )
        curves.append(Curve(f"{load:g} FTP flows", slots["kb"].to_list(), slots["p"].to_list()))
    bounds = ((1.0, "p_min"), (line(MAX_TH), "p_max"))
    return [
        Facet("", "Drop probability, in units of p_min", curves, bounds, x="Queue (kB)", places=_THRESHOLDS)
    ]


def _steady(low: float, high: float) -> Callable[[Study], list[Facet]]:
    def facets(study: Study) -> list[Facet]:
        data = study["steady"]
        at = {"load": [load for load in data.levels("load") if low <= load <= high]}

        def curves(measure: str) -> list[Curve]:
            return [curve(study, Kilobytes("steady", aqm, measure, at), data.labels[aqm]) for aqm in AQMS]

        return [
            Facet("(a) average queue length", "Mean queue (kB)", curves("mean_queue"), _THRESHOLDS),
            Facet("(b) standard deviation", "Standard deviation (kB)", curves("queue_sd"), _LARGE),
        ]

    return facets


def _queues(data: Data, variants: Sequence[str]) -> list[Facet]:
    """A panel for each variant: the queue of the first replication over time, from 100 s."""
    facets: list[Facet] = []
    for variant in variants:
        label = data.labels[variant]
        whole = over_time(data, variant, QUEUE, "queue", label, KILO, slots=450)
        kept = slice(next(index for index, time in enumerate(whole.x) if time >= 100.0), None)
        low, high = whole.low or (), whole.high or ()
        # One label for all: a panel with one curve needs no colour of its own.
        made = replace(whole, label="queue", x=whole.x[kept], y=whole.y[kept], low=low[kept], high=high[kept])
        facets.append(Facet(label, "Queue (kB)", [made], _THRESHOLDS, top=510.0))
    return facets


def _responses(study: Study, experiment: str, aqms: Sequence[str] = CONTROLLED) -> list[Facet]:
    labels, phases = study[experiment].labels, PHASES[experiment]
    begin, end = phases.of(0)
    return [
        Facet(
            direction,
            "Response time (s)",
            [curve(study, Response(experiment, aqm, (change,)), labels[aqm]) for aqm in aqms],
            ((end - begin, "never"),),
        )
        for change, direction in enumerate(phases.names)
    ]


# --- Other windows, other traffic, theory -----------------------------------------------------------------


def _wide(study: Study) -> list[Facet]:
    there = study.instead({name: study[f"{name}-wide"] for name in ("moderate", "heavy")})
    data = study["steady-wide"]

    def queues(measure: str) -> list[Curve]:
        return [curve(study, Kilobytes("steady-wide", aqm, measure), data.labels[aqm]) for aqm in AQMS]

    flows = "Number of FTP flows"
    responses = [
        replace(facet, title=f"{name} load, {facet.title}", x=_TIMES)
        for name in ("moderate", "heavy")
        for facet in _responses(there, name, ("hred", "pi"))
    ]
    return [
        Facet("average queue length", "Mean queue (kB)", queues("mean_queue"), _THRESHOLDS, x=flows),
        Facet("standard deviation", "Standard deviation (kB)", queues("queue_sd"), _LARGE, x=flows),
        *responses,
    ]


def _of_ns2(aqm: str, measure: str, label: str, scale: float = 1.0) -> list[Curve]:
    """Curve measured by ns-2.35 without web traffic."""
    found = ns2.curve("hred_2003", "steady-ftp", aqm, measure, label)
    return [replace(found, y=[scale * y for y in found.y])] if found.x else []


def _ftp_only(study: Study) -> list[Facet]:
    labels = study["steady-ftp"].labels

    def queues(measure: str) -> list[Curve]:
        return [
            one
            for aqm in AQMS
            for one in (
                curve(study, Kilobytes("steady-ftp", aqm, measure), labels[aqm]),
                *_of_ns2(aqm, measure, labels[aqm], KILO),
            )
        ]

    def used(experiment: str) -> list[Curve]:
        return [curve(study, Level(experiment, aqm, "utilisation"), labels[aqm]) for aqm in AQMS]

    beside = [squares for aqm in AQMS for squares in _of_ns2(aqm, "utilisation", labels[aqm])]
    flows = [100.0 + 30.0 * step for step in range(31)]
    red = [
        (n, queue * KILO)
        for n in flows
        for queue in [
            red_queue(round(n), ARRIVALS * RTT_MEAN, MIN_TH / PACKET, MAX_TH / PACKET, MAX_P, _WAIT)
        ]
        if queue is not None
    ]
    theory = [
        Curve(labels["red"], [n for n, _ in red], [queue for _, queue in red], kind="theory"),
        Curve(labels["pi"], flows, [Q_REF / 1e3] * len(flows), kind="theory"),
    ]
    return [
        Facet(
            "average queue length, FTP only", "Mean queue (kB)", [*queues("mean_queue"), *theory], _THRESHOLDS
        ),
        Facet("standard deviation, FTP only", "Standard deviation (kB)", queues("queue_sd"), _LARGE),
        Facet("utilisation, FTP only", "Utilisation (%)", [*used("steady-ftp"), *beside], zero=False),
        Facet("utilisation, FTP and web", "Utilisation (%)", used("steady"), zero=False),
    ]


def _gains(study: Study) -> list[Facet]:
    """|S| of RED and HRED beside how far their queues swing."""
    labels = study["steady"].labels
    gains = [curve(study, gain(Kilobytes("steady", aqm)), labels[aqm]) for aqm in ("red", "hred")]
    swings = [curve(study, Swing("steady", aqm), labels[aqm]) for aqm in ("red", "hred")]
    return [
        Facet("gain |S|", "|S|", gains, ((1.0, "1"),), log=True),
        Facet("amplitude of the limit cycle", "Amplitude (kB)", swings, ((HALF_BAND, "½ band"),)),
    ]


def _pi_limits(study: Study) -> list[Facet]:
    def swings(experiment: str) -> list[Curve]:
        return [curve(study, Kilobytes(experiment, "pi", "queue_sd"), "PI")]

    slow = curve(study, Response("pi-capacity", "pi-designed", (0,)), "PI")
    return [
        Facet(
            "standard deviation",
            "Standard deviation (kB)",
            swings("pi-flows"),
            _LARGE,
            x="Number of FTP flows",
        ),
        Facet("standard deviation", "Standard deviation (kB)", swings("pi-rtt"), _LARGE, x="Round trip (ms)"),
        Facet("response time, 100 to 200 flows", "Response time (s)", [slow], x="Rate (Mbit/s)"),
    ]


def _flatness(study: Study) -> list[Facet]:
    """Limit cycles against K, beside the paper's test."""
    ks = [0.5 * 2.0 ** (step / 5.0) for step in range(21)]
    measured = gain(Kilobytes("gain", "hred"))
    predicted = Curve(
        "equation (7) at q = 187 kB", ks, [loop_gain(Q_REF, RTT_MEAN, k) for k in ks], kind="theory"
    )
    return [
        Facet("gain |S|", "|S|", [curve(study, measured, "HRED"), predicted], ((1.0, "1"),)),
        Facet(
            "amplitude of the limit cycle",
            "Amplitude (kB)",
            [curve(study, Swing("gain", "hred"), "HRED")],
            ((HALF_BAND, "½ band"),),
        ),
    ]


def _fluid(study: Study) -> list[Facet]:
    """The load of figure 5 without web sessions: packets, and the fluid of the same flows."""
    data = study["dynamic-ftp"]
    facets: list[Facet] = []
    for facet, variant in zip(_queues(data, CONTROLLED), CONTROLLED, strict=True):
        whole = fluid_over_time(data, variant, "queue", "fluid", KILO, slots=450)
        kept = [place for place, time in enumerate(whole.x) if time >= 100.0]
        fluid = replace(whole, x=[whole.x[k] for k in kept], y=[whole.y[k] for k in kept])
        packets = replace(facet.curves[0], label="packets")
        facets.append(replace(facet, curves=[packets, fluid]))
    return facets


_TODAY = ("pie", "dualpi2", "hred-cubic")

FIGURES: Contents = {
    "figure-2": _mapping,
    "figure-3": _steady(100.0, 400.0),
    "figure-4": _steady(400.0, 1000.0),
    "figure-5": lambda study: _queues(study["dynamic"], AQMS),
    "figure-6": lambda study: _responses(study, "moderate"),
    "figure-7": lambda study: _responses(study, "heavy"),
    "wide": _wide,
    "gains": _gains,
    "pi-limits": _pi_limits,
    "flatness": _flatness,
    "ftp-only": _ftp_only,
    "fluid": _fluid,
    "today": lambda study: _queues(study["today"], _TODAY),
}
