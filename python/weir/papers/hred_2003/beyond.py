"""Figures beyond the paper's: other traffic, theory, explanations, today's company."""

from __future__ import annotations

import math
from typing import Literal

import polars as pl

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import curve
from weir.papers.data import Data, Study
from weir.papers.hred_2003.experiments import COMPANY, LAWS
from weir.papers.hred_2003.figures import FLOWS, KILO, THRESHOLDS, queues, reference, settled
from weir.papers.hred_2003.gains import AMPLITUDE, GAIN, HALF_BAND
from weir.papers.hred_2003.measured import QUEUE, Kilobytes, QueueMeasure
from weir.papers.hred_2003.parameters import (
    BUFFER,
    MAX_TH,
    Q_REF,
    RTT_MEAN,
    folding_time,
    loop_gain,
    pi_ramp,
    required,
)
from weir.papers.ns2 import numbers
from weir.papers.quantities import Level, Quantity

PACKAGE = "hred_2003"


def ns2_curve(law: str, measure: str, label: str, scale: float = 1.0) -> list[Curve]:
    """What ns-2.35 measured without web traffic."""
    rows = numbers(PACKAGE).filter(experiment="steady-ftp", variant=law, measure=measure).sort("at")
    if rows.is_empty():
        return []
    return [Curve(label, rows["at"].to_list(), (rows["mean"] * scale).to_list(), kind="ns-2")]


def ftp_only(study: Study) -> Plot:
    """Figures 3 and 4 without web traffic, beside ns-2."""
    data = study["steady-ftp"]

    def queue_curves(measure: QueueMeasure) -> list[Curve]:
        made: list[Curve] = []
        for law in LAWS:
            label = data.labels[law]
            made.append(curve(study, Kilobytes("steady-ftp", law, measure), label))
            made += ns2_curve(law, measure, label, KILO)
        return made

    def used(experiment: str) -> list[Curve]:
        of = [Level(experiment, law, "utilisation") for law in LAWS]
        return [curve(study, level, data.labels[level.variant]) for level in of]

    beside = [squares for law in LAWS for squares in ns2_curve(law, "utilisation", data.labels[law])]
    grid = [100.0 + 30.0 * step for step in range(31)]
    theory = [*settled(data.labels["red"], grid), *reference(data.labels["pi"], grid)]
    return Plot(
        "ftp-only",
        "The same without web traffic, and the use of the link",
        "Upper panels: figures 3 and 4 with FTP flows alone, which ns-2.35 can be compared with (it has no "
        "HRED). Lower panels: utilisation without and with three web sessions for each flow. AVQ leaves the "
        "2% that it means to leave; the others fill the link.",
        FLOWS,
        [
            Facet("average queue length, FTP only", "kB", [*queue_curves("mean_queue"), *theory], THRESHOLDS),
            Facet("standard deviation, FTP only", "kB", queue_curves("queue_sd"), ((30.0, "30 kB"),)),
            Facet("utilisation, FTP only", "%", [*used("steady-ftp"), *beside], zero=False),
            Facet("utilisation, FTP and web", "%", used("steady"), zero=False),
        ],
    )


def _stretch(
    data: Data, law: str, variable: str, label: str, begin: float, end: float, scale: float = 1.0
) -> Curve:
    """Every second sample of a variable in the first replication."""
    runs = data.runs.filter(variant=law, replication=0)
    rows = (
        data.read("series")
        .filter(
            pl.col("run").is_in(runs["run"].implode()),
            pl.col("component") == QUEUE,
            pl.col("variable").cast(pl.String) == variable,
            pl.col("time_s").is_between(begin, end),
        )
        .sort("time_s")
        .gather_every(2)
    )
    return Curve(label, rows["time_s"].to_list(), (rows["value"] * scale).to_list())


def theory(study: Study) -> Plot:
    """Probabilities and how fast they move, beside what formulas say."""
    data = study["dynamic"]
    steady = study["steady-ftp"].labels
    flows = [100.0 * 10.0 ** (step / 20.0) for step in range(21)]
    needed = Curve("1.5 / W²", flows, [100.0 * required(round(n)) for n in flows], kind="theory")
    losses = [curve(study, Level("steady-ftp", law, "loss"), steady[law]) for law in ("hred", "pi")]
    ramp = _stretch(data, "pi", "probability", data.labels["pi"], 245.0, 300.0)
    start = next(y for x, y in zip(ramp.x, ramp.y, strict=True) if x >= 251.0)
    lines = [
        Curve(f"PI, {text}", [251.0, 300.0], [start, start + 49.0 * pi_ramp(excess)], kind="theory")
        for text, excess in (("187 kB above q_ref", Q_REF), ("buffer full", BUFFER - Q_REF))
    ]
    height = _stretch(data, "hred", "p_min", data.labels["hred"], 249.0, 257.0)
    base = next(y for x, y in zip(height.x, height.y, strict=True) if x >= 250.0)
    rise = next(x for x, y in zip(height.x, height.y, strict=True) if x >= 250.0 and y > 1.02 * base)
    folds = [
        Curve(
            f"HRED, {text}",
            [rise, rise + span],
            [base, base * math.exp(span / folding_time(queue))],
            kind="theory",
        )
        for text, queue, span in (("buffer full", BUFFER, 0.4), ("312 kB", MAX_TH + 62.5e3, 2.0))
    ]
    return Plot(
        "theory",
        "How much has to be lost, and how fast PI and HRED get there",
        "Losses with FTP flows alone beside 1.5 / W², the windows filling pipe and reference queue; "
        "with windows of a few packets timeouts take part of the work, and less is needed. PI's "
        "probability after the last doubling cannot climb faster than its gains allow, about 0.001 a "
        "second: 50 s are not enough. HRED's p_min grows in proportion to itself, by e in 1.3 s at "
        "312 kB and in 0.26 s at a full buffer. Both over time in the first replication.",
        FLOWS,
        [
            Facet("losses, FTP only", "%", [*losses, needed], log=True),
            Facet("PI's probability, dynamic load", "p", [ramp, *lines], x="Time (s)"),
            Facet("HRED's p_min, dynamic load", "p_min", [height, *folds], log=True, x="Time (s)"),
        ],
        columns=3,
    )


def flatness(study: Study) -> Plot:
    """Limit cycles against K, beside the paper's test."""
    data = study["gain"]
    loads = data.levels("load")
    ks = [0.5 * 2.0 ** (step / 5.0) for step in range(21)]

    def by_k(of: Quantity, load: float) -> Curve:
        return curve(study, of, f"{load:g} FTP flows")

    swings = [by_k(AMPLITUDE.where(load=(load,)), load) for load in loads]
    deviations = [by_k(Kilobytes("gain", "hred", "queue_sd", {"load": (load,)}), load) for load in loads]
    gains = [by_k(GAIN.where(load=(load,)), load) for load in loads]
    predicted = Curve(
        "equation (7) at q = 187 kB", ks, [loop_gain(Q_REF, RTT_MEAN, k) for k in ks], kind="theory"
    )
    return Plot(
        "flatness",
        "The flatness K: gain and steadiness",
        "HRED with other K; web and FTP. The gain |S| of equation (7) falls with K, as it must, and is "
        "below 1 from about K = 1.7 on. But the queue is the steadier the smaller K is: what swings is "
        "the loop through p_min, which the line dampens.",
        "K",
        [
            Facet("gain |S|", "|S|", [*gains, predicted], ((1.0, "1"),)),
            Facet("amplitude of the limit cycle", "kB", swings, ((HALF_BAND, "½ band"),)),
            Facet("standard deviation", "kB", deviations),
        ],
        columns=3,
        log_x=True,
        ticks=(0.5, 1, 2, 4, 8),
    )


def other_readings(study: Study) -> Plot:
    """RED and AVQ with what the paper does not state."""

    def curves(experiment: str, law: str, of: QueueMeasure | Literal["utilisation"]) -> list[Curve]:
        made: list[Curve] = []
        for setting in study[experiment].runs["setting"].unique(maintain_order=True):
            if setting == "accepted":
                continue  # AVQ as everywhere else: it is there as gamma 0.98.
            quantity: Quantity = (
                Level(experiment, law, "utilisation", {"setting": setting})
                if of == "utilisation"
                else Kilobytes(experiment, law, of, {"setting": (setting,)})
            )
            words = f"{setting:g}" if isinstance(setting, float) else str(setting)
            made.append(curve(study, quantity, f"{_NAMES[experiment]} {words}"))
        return made

    avq = [*curves("gamma", "avq", "mean_queue"), *curves("adapts-to", "avq", "mean_queue")]
    use = [*curves("gamma", "avq", "utilisation"), *curves("adapts-to", "avq", "utilisation")]
    return Plot(
        "readings",
        "What the paper does not state about RED and AVQ",
        "RED with drops spaced as in ns-2 (wait), independent, and as in 1993 (uniform); AVQ with another "
        "utilisation to settle at, and adapting to all arrivals as its paper has it instead of to what it "
        "accepts. No reading makes RED's queue independent of the load. Adapting to arrivals costs AVQ the "
        "link at heavy load.",
        FLOWS,
        [
            Facet("RED: average queue length", "kB", curves("spacing", "red", "mean_queue"), THRESHOLDS),
            Facet("RED: standard deviation", "kB", curves("spacing", "red", "queue_sd"), ((30.0, "30 kB"),)),
            Facet("AVQ: average queue length", "kB", avq),
            Facet("AVQ: utilisation", "%", use, zero=False),
        ],
    )


_NAMES = {"spacing": "RED,", "gamma": "AVQ, gamma", "adapts-to": "AVQ,"}


def today(study: Study) -> Plot:
    """Figure 5 with laws of today and with CUBIC."""
    return Plot(
        "today",
        "Today's company: the load of figure 5",
        "CoDel, PIE, FQ-CoDel and DualPI2 with their defaults, dropping, in the same buffer; HRED with CUBIC "
        "senders. PIE and DualPI2 hold their delay (15 ms are 60 kB) through all doublings; CoDel, alone "
        "or under fair queueing, drops at a rate that grows with time only, and its queue grows with the "
        "load. With 100 CUBIC flows HRED swings between empty and full: its gains are for NewReno.",
        "Time (s)",
        queues(study["today"], COMPANY),
        ticks=(100, 150, 200, 250, 300),
    )
