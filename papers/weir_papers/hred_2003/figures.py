"""What the figures of `figures.toml` show, by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from weir.plot import Curve, Facet
from weir.stats import mean_interval
from weir.theory import red_queue
from weir_papers import ns2
from weir_papers.curves import curve, intervals, over_time
from weir_papers.data import Data, Study
from weir_papers.hred_2003.parameters import (
    ARRIVALS,
    BUFFER,
    MAX_TH,
    MIN_TH,
    PACKET,
    Q_REF,
    RTT_MEAN,
    folding_time,
    loop_gain,
    pi_ramp,
    required,
)
from weir_papers.hred_2003.quantities import (
    HALF_BAND,
    PHASES,
    QUEUE,
    VIEWS,
    Kilobytes,
    Response,
    amplitude,
    gain,
)
from weir_papers.paper import Filled
from weir_papers.quantities import Level, Quantity
from weir_papers.reading import Contents

AQMS = ("red", "hred", "pi", "avq")
CONTROLLED = ("red", "hred", "pi")
"""The paper leaves AVQ out of response times: it aims at no queue."""
KILO = PACKET / 1e3
"""kB of a packet."""
_THRESHOLDS = ((MIN_TH / 1e3, "min_th"), (MAX_TH / 1e3, "max_th"))
_LARGE = ((30.0, "30 kB"),)
"""What the paper calls a large deviation."""
_WAIT = 2.0 / 3.0
"""The share of RED's probability that ns-2's spacing of drops leaves."""


def _theory(label: str, x: Sequence[float], y: Sequence[float]) -> Curve:
    return Curve(label, x, y, kind="theory")


def _predicted(data: Data, flows: Sequence[float]) -> list[Curve]:
    """Where theory has RED's queue, up to max_th, and PI's, at every load."""
    pipe = ARRIVALS * RTT_MEAN
    found = [(n, red_queue(round(n), pipe, MIN_TH / PACKET, MAX_TH / PACKET, 0.02, _WAIT)) for n in flows]
    points = [(n, queue * KILO) for n, queue in found if queue is not None]
    red = [_theory(data.labels["red"], [n for n, _ in points], [q for _, q in points])] if points else []
    return [*red, _theory(data.labels["pi"], flows, [Q_REF / 1e3] * len(flows))]


# --- The paper's ------------------------------------------------------------------------------------------


def _steady(low: float, high: float) -> Callable[[Study], list[Facet]]:
    def facets(study: Study) -> list[Facet]:
        data = study["steady"]
        at = {"load": [load for load in data.levels("load") if low <= load <= high]}

        def curves(measure: str) -> list[Curve]:
            return [curve(study, Kilobytes("steady", aqm, measure, at), data.labels[aqm]) for aqm in AQMS]

        theory = _predicted(data, [low + step * (high - low) / 30 for step in range(31)])
        return [
            Facet("(a) average queue length", "kB", [*curves("mean_queue"), *theory], _THRESHOLDS),
            Facet("(b) standard deviation", "kB", curves("queue_sd"), _LARGE),
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
        made = Curve("queue", whole.x[kept], whole.y[kept], low[kept], high[kept])
        facets.append(Facet(label, "Queue (kB)", [made], _THRESHOLDS, top=510.0))
    return facets


def _responses(study: Study, experiment: str) -> list[Facet]:
    labels, phases = study[experiment].labels, PHASES[experiment]
    begin, end = phases.of(0)
    return [
        Facet(
            f"{direction}{words}",
            "Response time (s)",
            [curve(study, Response(experiment, aqm, (change,), view), labels[aqm]) for aqm in CONTROLLED],
            ((end - begin, "never"),),
        )
        for view, words in VIEWS.items()
        for change, direction in enumerate(phases.names)
    ]


# --- Other traffic, theory --------------------------------------------------------------------------------


def _of_ns2(aqm: str, measure: str, label: str, scale: float = 1.0) -> list[Curve]:
    """What ns-2.35 measured without web traffic."""
    found = ns2.curve("hred_2003", "steady-ftp", aqm, measure, label)
    return [replace(found, y=[scale * y for y in found.y])] if found.x else []


def _ftp_only(study: Study) -> list[Facet]:
    data = study["steady-ftp"]
    labels = data.labels

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
    theory = _predicted(data, [100.0 + 30.0 * step for step in range(31)])
    return [
        Facet("average queue length, FTP only", "kB", [*queues("mean_queue"), *theory], _THRESHOLDS),
        Facet("standard deviation, FTP only", "kB", queues("queue_sd"), _LARGE),
        Facet("utilisation, FTP only", "%", [*used("steady-ftp"), *beside], zero=False),
        Facet("utilisation, FTP and web", "%", used("steady"), zero=False),
    ]


def _stretch(data: Data, aqm: str, variable: str, begin: float, end: float) -> Curve:
    """Every second sample of a variable in the first replication."""
    runs = data.runs.filter(variant=aqm, replication=0)
    rows = data.read("series").filter(
        pl.col("run").is_in(runs["run"].implode()),
        pl.col("component") == QUEUE,
        pl.col("variable").cast(pl.String) == variable,
        pl.col("time_s").is_between(begin, end),
    )
    rows = rows.sort("time_s").gather_every(2)
    return Curve(data.labels[aqm], rows["time_s"].to_list(), rows["value"].to_list())


def _computed(study: Study) -> list[Facet]:
    """Probabilities and how fast they move, beside what formulas say."""
    data = study["dynamic"]
    steady = study["steady-ftp"].labels
    flows = [100.0 * 10.0 ** (step / 20.0) for step in range(21)]
    needed = _theory("1.5 / W²", flows, [100.0 * required(round(n)) for n in flows])
    losses = [curve(study, Level("steady-ftp", aqm, "loss"), steady[aqm]) for aqm in ("hred", "pi")]
    ramp = _stretch(data, "pi", "probability", 245.0, 300.0)
    start = next(y for x, y in zip(ramp.x, ramp.y, strict=True) if x >= 251.0)
    lines = [
        _theory(f"PI, {text}", [251.0, 300.0], [start, start + 49.0 * pi_ramp(excess)])
        for text, excess in (("187 kB above q_ref", Q_REF), ("buffer full", BUFFER - Q_REF))
    ]
    height = _stretch(data, "hred", "p_min", 249.0, 257.0)
    base = next(y for x, y in zip(height.x, height.y, strict=True) if x >= 250.0)
    rise = next(x for x, y in zip(height.x, height.y, strict=True) if x >= 250.0 and y > 1.02 * base)
    folds = [
        _theory(f"HRED, {text}", [rise, rise + span], [base, base * math.exp(span / folding_time(queue))])
        for text, queue, span in (("buffer full", BUFFER, 0.4), ("312 kB", MAX_TH + 62.5e3, 2.0))
    ]
    return [
        Facet("losses, FTP only", "%", [*losses, needed], log=True),
        Facet("PI's probability, dynamic load", "p", [ramp, *lines], x="Time (s)"),
        Facet("HRED's p_min, dynamic load", "p_min", [height, *folds], log=True, x="Time (s)"),
    ]


# --- HRED's settings --------------------------------------------------------------------------------------


def _flatness(study: Study) -> list[Facet]:
    """Limit cycles against K, beside the paper's test."""
    loads = study["gain"].levels("load")
    ks = [0.5 * 2.0 ** (step / 5.0) for step in range(21)]

    def by_k(of: Callable[[float], Quantity]) -> list[Curve]:
        return [curve(study, of(load), f"{load:g} FTP flows") for load in loads]

    predicted = _theory("equation (7) at q = 187 kB", ks, [loop_gain(Q_REF, RTT_MEAN, k) for k in ks])
    gains = [*by_k(lambda load: gain(load=load)), predicted]
    swings = by_k(lambda load: amplitude(load=load))
    deviations = by_k(lambda load: Kilobytes("gain", "hred", "queue_sd", {"load": load}))
    return [
        Facet("gain |S|", "|S|", gains, ((1.0, "1"),)),
        Facet("amplitude of the limit cycle", "kB", swings, ((HALF_BAND, "½ band"),)),
        Facet("standard deviation", "kB", deviations),
    ]


_MORE = 50.0
"""FTP flows that come, and leave again: x = 1.5."""


def _why_slow(study: Study) -> Filled:
    """Response times and deviations of HRED with other settings, varied one by one."""
    gains_for = "Round trip of the gains (ms)"
    settings = (
        ("why-rtt", gains_for, 1.0),
        ("why-k", "K", 1.0),
        ("why-p-min", "p_min at the start (1/1000)", 1e3),
    )
    facets = [
        Facet("response time, x = 1.5", "s", [_times(study, name, n, scale) for n in (0, 1)], x=title)
        for name, title, scale in settings
    ]
    steady = curve(study, Kilobytes("gain-rtt", "hred", "queue_sd"), "standing load")
    facets.append(Facet("standard deviation, 100 FTP flows", "kB", [steady], x=gains_for))
    both = [Response("moderate", "pi", (change,), more=(_MORE,)).samples(study)[0] for change in (0, 1)]
    rising, falling = (f"{mean_interval(one.values).mean:.1f}" for one in both)
    return Filled(facets, {"rising": rising, "falling": falling})


def _times(study: Study, name: str, change: int, scale: float) -> Curve:
    settings = [float(value) for value in study[name].levels("setting")]
    times = Response(name, "hred", (change,), more=(_MORE,))
    found = [replace(times, setting=at).samples(study)[0] for at in settings]
    return intervals(("rising", "falling")[change], [scale * value for value in settings], found)


_NAMES = {"spacing": "RED,", "gamma": "AVQ, gamma", "adapts-to": "AVQ,"}


def _readings(study: Study) -> list[Facet]:
    """RED and AVQ with what the paper does not state."""

    def curves(measure: str, *experiments: str) -> list[Curve]:
        made: list[Curve] = []
        for experiment in experiments:
            aqm = "red" if experiment == "spacing" else "avq"
            for setting in study[experiment].runs["setting"].unique(maintain_order=True):
                if setting == "accepted":
                    continue  # AVQ as everywhere else: it is there as gamma 0.98.
                quantity: Quantity = (
                    Level(experiment, aqm, measure, {"setting": setting})
                    if measure == "utilisation"
                    else Kilobytes(experiment, aqm, measure, {"setting": (setting,)})
                )
                words = f"{setting:g}" if isinstance(setting, float) else str(setting)
                made.append(curve(study, quantity, f"{_NAMES[experiment]} {words}"))
        return made

    use = curves("utilisation", "gamma", "adapts-to")
    return [
        Facet("RED: average queue length", "kB", curves("mean_queue", "spacing"), _THRESHOLDS),
        Facet("RED: standard deviation", "kB", curves("queue_sd", "spacing"), _LARGE),
        Facet("AVQ: average queue length", "kB", curves("mean_queue", "gamma", "adapts-to")),
        Facet("AVQ: utilisation", "%", use, zero=False),
    ]


_TODAY = ("codel", "pie", "fq-codel", "dualpi2", "hred-cubic")

FIGURES: Contents = {
    "figure-3": _steady(100.0, 400.0),
    "figure-4": _steady(400.0, 1000.0),
    "figure-5": lambda study: _queues(study["dynamic"], AQMS),
    "figure-6": lambda study: _responses(study, "moderate"),
    "figure-7": lambda study: _responses(study, "heavy"),
    "ftp-only": _ftp_only,
    "theory": _computed,
    "flatness": _flatness,
    "why-slow": _why_slow,
    "readings": _readings,
    "today": lambda study: _queues(study["today"], _TODAY),
}
