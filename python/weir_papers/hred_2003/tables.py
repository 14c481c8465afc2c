"""Contents of the tables of `figures.toml`, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weir.scenario import Scenario
from weir.stats import mean_interval
from weir.theory import analyse, system_of
from weir_papers import ns2
from weir_papers.curves import estimated
from weir_papers.data import Sample, Study
from weir_papers.hred_2003 import parameters as of
from weir_papers.hred_2003.figures import AQMS, CONTROLLED, KILO
from weir_papers.hred_2003.quantities import PHASES, Kilobytes, Response
from weir_papers.reading import Contents

_DOUBLINGS = ((100.0, 100), (150.0, 200), (200.0, 400), (250.0, 800))
"""Starts of the phases of figure 5, in seconds, and numbers of FTP flows."""


def _settings(_: Study) -> list[tuple[str, str, str, str]]:
    """Settings that the paper prints, their units, and the equations from which they follow."""
    a, b = of.pi_gains()
    gains = ", ".join(f"{of.loop_gain(of.MIN_TH, rtt):.3f}" for rtt in (0.16, 0.2, 0.24))
    least_k = f"{of.least_k(of.MIN_TH, 0.24):.2f}"
    rises, falls = (
        ", ".join(f"{of.folding_time(queue):.2f} s" for queue in queues)
        for queues in ((312.5e3, 500e3), (62.5e3, 0.0))
    )
    ramp = f"{of.pi_ramp(of.Q_REF):.2g}, {(a - b) * of.SAMPLING * of.Q_REF:.2g}"
    return [
        ("RED, HRED: min_th, max_th", "125 KB, 250 KB", "", "250, 500 packets"),
        ("RED: w_q, max_p", "0.002, 0.02", "", "the same, gentle"),
        ("HRED: w_q", "1", "the queue itself", "no average"),
        _row("HRED: K_alpha", of.PRINTED_K_ALPHA, "per bit: 2 S / (C RTT)²", of.k_alpha()),
        _row("HRED: K_beta", of.PRINTED_K_BETA, "per bit: twice K_alpha", 2.0 * of.k_alpha()),
        ("HRED: K", "2", "the α of equation (8)", "2"),
        ("HRED: |S| at min_th; 160, 200, 240 ms", "below 1", "equation (7)", gains),
        (
            "HRED: least K at min_th, 240 ms",
            "",
            "equation (7), |S| = 1",
            least_k,
        ),
        ("HRED: p_min up by e; 312, 500 kB", "", "8000 arrivals a second", rises),
        ("HRED: p_min down by e; 62 kB, empty", "", "8000 arrivals a second", falls),
        ("PI: q_ref, updates", "187 KB, 160 Hz", "", "the same"),
        _row("PI: a", of.PRINTED_A, "per byte: 100 flows, 240 ms", a),
        _row("PI: b", of.PRINTED_B, "per byte: 100 flows, 240 ms", b),
        ("PI: growth of p, 187 kB too many", "", "per second; gains printed, unrounded", ramp),
        ("AVQ: alpha, kappa", "0.15, 1.0", "kappa: virtual over real buffer", "the same; gamma 0.98"),
        *(
            (
                f"p that {flows} FTP flows need",
                "",
                "1.5 / W² at max_th and min_th",
                f"{of.required(flows, of.MAX_TH):.4f} to {of.required(flows, of.MIN_TH):.4f}",
            )
            for flows in (100, 200, 400, 1000)
        ),
    ]


def _row(name: str, printed: float, unit: str, ours: float) -> tuple[str, str, str, str]:
    return name, f"{printed:.4e}", unit, f"{ours:.4e}"


def _doubled(study: Study) -> Iterator[list[str]]:
    """Phases of the dynamic load, with and without web traffic, beside ns-2."""
    for aqm in AQMS:
        for begin, flows in _DOUBLINGS:
            cells = [_queue(study, experiment, aqm, begin) for experiment in ("dynamic", "dynamic-ftp")]
            mean, deviation = (
                ns2.mean("hred_2003", "dynamic-ftp", aqm, measure, flows)
                for measure in ("mean_queue", "queue_sd")
            )
            beside = (
                "" if mean is None or deviation is None else f"{mean * KILO:.0f} ({deviation * KILO:.0f})"
            )
            label = study["dynamic"].labels[aqm]
            yield [label, f"{begin:g} to {begin + 50:g} s", str(flows), *cells, beside]


def _queue(study: Study, experiment: str, aqm: str, begin: float) -> str:
    mean, deviation = (
        Kilobytes(experiment, aqm, measure, {"from_s": (begin,)}, "periods").samples(study)[0]
        for measure in ("mean_queue", "queue_sd")
    )
    interval = mean_interval(mean.values)
    half = "" if interval.half_width is None else f" ± {interval.half_width:.0f}"
    return f"{interval.mean:.0f}{half} ({mean_interval(deviation.values).mean:.0f})"


def _responses(study: Study) -> Iterator[list[str]]:
    """Medians of response times, and numbers of runs that never settle."""
    for experiment in ("moderate", "heavy"):
        for change, direction in enumerate(PHASES[experiment].names):
            of = [Response(experiment, aqm, (change,)) for aqm in CONTROLLED]
            at = [f"{sample.at:g}" for sample in of[0].samples(study)]
            yield from (
                [experiment, direction, *row]
                for row in zip(at, *(_medians(study, one) for one in of), strict=True)
            )


def _medians(study: Study, times: Response) -> list[str]:
    never = replace(times, what="never").samples(study)
    return [_median(a, b) for a, b in zip(times.samples(study), never, strict=True)]


def _median(times: Sample, never: Sample) -> str:
    share = float(never.values.mean())
    if share > 0.5:
        return f"never ({share:.0%})"
    text = f"{float(np.median(times.values)):.1f}"
    return f"{text} ({share:.0%})" if share else text


def _theory(study: Study) -> Iterator[list[str]]:
    """Queue, deviation, margin and period that the linear loop has in each phase, beside the packets'."""
    data = study["dynamic-ftp"]
    for aqm in CONTROLLED:
        scenario = Scenario.loads(data.resolved[aqm])
        for begin, flows in _DOUBLINGS:
            reading = system_of(scenario, begin + 25.0)
            loop = analyse(reading.system, reading.flags)
            period, deviation = loop.period, loop.deviation
            yield [
                data.labels[aqm],
                str(flows),
                f"{loop.point.queue * KILO:.0f}",
                _measured(study, aqm, "mean_queue", begin),
                "" if deviation is None else f"{deviation * KILO:.0f}",
                _measured(study, aqm, "queue_sd", begin),
                "" if loop.margins is None else f"{loop.margins.gain_margin or float('inf'):.2g}",
                "" if period is None else f"{period:.2g}",
                "" if loop.roots is None else "stable" if loop.roots.stable else "unstable",
                ", ".join(sorted({code for row in loop.predictions for code in row.flags})),
            ]


def _measured(study: Study, aqm: str, measure: str, begin: float) -> str:
    level = Kilobytes("dynamic-ftp", aqm, measure, {"from_s": (begin,)}, "periods")
    return estimated(level.samples(study)[0], 0)


TABLES: Contents = {
    "table-1-2": _settings,
    "table-dynamic": _doubled,
    "table-responses": _responses,
    "table-theory": _theory,
}
