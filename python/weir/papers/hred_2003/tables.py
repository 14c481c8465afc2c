"""Tables 1 and 2 with their units, and numbers beside the figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weir.papers.data import Sample, Study
from weir.papers.hred_2003 import parameters as of
from weir.papers.hred_2003.beyond import PACKAGE
from weir.papers.hred_2003.experiments import CONTROLLED, LAWS
from weir.papers.hred_2003.figures import KILO
from weir.papers.hred_2003.measured import Kilobytes
from weir.papers.hred_2003.times import PHASES, VIEWS, Response
from weir.papers.ns2 import mean as ns2_mean
from weir.papers.paper import Table
from weir.statistics import mean_interval


def settings(study: Study) -> Table:
    """Tables 1 and 2: what is printed, in which unit, and what it follows from."""
    del study
    a, b = of.pi_gains()
    ramp = of.pi_ramp(of.Q_REF)
    rows = (
        ("RED, HRED: min_th, max_th", "125 KB, 250 KB", "", "250, 500 packets"),
        ("RED: w_q, max_p", "0.002, 0.02", "", "the same, gentle"),
        ("HRED: w_q", "1", "the queue itself", "no average"),
        _row("HRED: K_alpha", of.PRINTED_K_ALPHA, "per bit: 2 S / (C RTT)²", of.k_alpha()),
        _row("HRED: K_beta", of.PRINTED_K_BETA, "per bit: twice K_alpha", 2.0 * of.k_alpha()),
        ("HRED: K", "2", "the α of equation (8)", "2"),
        ("HRED: |S| at min_th; 160, 200, 240 ms", "below 1", "equation (7)",
         ", ".join(f"{of.loop_gain(of.MIN_TH, rtt):.3f}" for rtt in (0.16, 0.2, 0.24))),
        ("HRED: least K at min_th, 240 ms", "", "equation (7), |S| = 1",
         f"{of.least_k(of.MIN_TH, 0.24):.2f}"),
        ("HRED: p_min up by e; 312, 500 kB", "", "8000 arrivals a second",
         f"{of.folding_time(312.5e3):.2f} s, {of.folding_time(500e3):.2f} s"),
        ("HRED: p_min down by e; 62 kB, empty", "", "8000 arrivals a second",
         f"{of.folding_time(62.5e3):.2f} s, {of.folding_time(0.0):.2f} s"),
        ("PI: q_ref, updates", "187 KB, 160 Hz", "", "the same"),
        _row("PI: a", of.PRINTED_A, "per byte: 100 flows, 240 ms", a),
        _row("PI: b", of.PRINTED_B, "per byte: 100 flows, 240 ms", b),
        ("PI: growth of p, 187 kB too many", "", "per second; gains printed, unrounded",
         f"{ramp:.2g}, {(a - b) * of.SAMPLING * of.Q_REF:.2g}"),
        ("AVQ: alpha, kappa", "0.15, 1.0", "kappa: virtual over real buffer",
         "the same; gamma 0.98"),
        *(
            (f"p that {flows} FTP flows need", "", "1.5 / W² at max_th and min_th",
             f"{of.required(flows, of.MAX_TH):.4f} to {of.required(flows, of.MIN_TH):.4f}")
            for flows in (100, 200, 400, 1000)
        ),
    )  # fmt: skip
    return Table(
        "table-1-2",
        "Tables 1 and 2: parameters, their units, and what follows from them",
        ("parameter", "printed", "unit, or source", "here"),
        rows,
        "The printed gains of HRED are per bit, those of PI per byte: both follow from 32 Mbit/s, 500 B, "
        "the longest round trip of 240 ms and, for PI, the fewest flows, 100.",
    )


def _row(name: str, printed: float, unit: str, ours: float) -> tuple[str, str, str, str]:
    return name, f"{printed:.4e}", unit, f"{ours:.4e}"


def doubled(study: Study) -> Table:
    """Figure 5 in numbers: phases of the dynamic load, with and without web traffic, beside ns-2."""
    rows: list[tuple[str, ...]] = []
    for law in LAWS:
        for begin, flows in ((100.0, 100), (150.0, 200), (200.0, 400), (250.0, 800)):
            cells = [f"{_queue(study, experiment, law, begin)}" for experiment in ("dynamic", "dynamic-ftp")]
            mean = ns2_mean(PACKAGE, "dynamic-ftp", law, "mean_queue", flows)
            deviation = ns2_mean(PACKAGE, "dynamic-ftp", law, "queue_sd", flows)
            beside = (
                f"{mean * KILO:.0f} ({deviation * KILO:.0f})"
                if mean is not None and deviation is not None
                else ""
            )
            label = study["dynamic"].labels[law]
            rows.append((label, f"{begin:g} to {begin + 50:g} s", str(flows), *cells, beside))
    return Table(
        "table-dynamic",
        "Figure 5 in numbers: mean queue (standard deviation), kB",
        ("law", "phase", "FTP flows", "FTP and web", "FTP only", "ns-2.35, FTP only"),
        tuple(rows),
        "Whole phases, the change included. ns-2's first phase is 50 to 150 s.",
    )


def _queue(study: Study, experiment: str, law: str, begin: float) -> str:
    of_phase = {"from_s": (begin,)}
    mean = Kilobytes(experiment, law, "mean_queue", of_phase, "periods").samples(study)[0]
    deviation = Kilobytes(experiment, law, "queue_sd", of_phase, "periods").samples(study)[0]
    interval = mean_interval(mean.values)
    half = "" if interval.half_width is None else f" ± {interval.half_width:.0f}"
    return f"{interval.mean:.0f}{half} ({mean_interval(deviation.values).mean:.0f})"


def responding(study: Study) -> Table:
    """Figures 6 and 7 in numbers: medians, and how many never settle."""
    rows: list[tuple[str, ...]] = []
    for experiment in ("moderate", "moderate-ftp", "heavy"):
        data = study[experiment]
        laws = [law for law in CONTROLLED if law in data.labels]
        for change, direction in enumerate(PHASES[experiment].names):
            columns = {
                (law, view): _medians(study, Response(experiment, law, (change,), view))
                for law in laws
                for view in VIEWS
            }
            for index, more in enumerate(data.levels("more")):
                x = 1.0 + more / PHASES[experiment].flows
                cells = [
                    columns[law, view][index] if law in laws else "" for view in VIEWS for law in CONTROLLED
                ]
                rows.append((experiment, direction, f"{x:g}", *cells))
    return Table(
        "table-responses",
        "Figures 6 and 7 in numbers: median response time, s",
        ("load", "", "x", "RED", "HRED", "PI", *(f"{name}, 100 ms" for name in ("RED", "HRED", "PI"))),
        tuple(rows),
        "The last three columns are for the mean over 100 ms. In brackets the share of runs that do not "
        "settle within the phase of 80 s, if there are any; they count as the longest.",
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
