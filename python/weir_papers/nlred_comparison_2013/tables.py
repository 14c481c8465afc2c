"""Contents of the tables of `figures.toml`, by their names."""

from __future__ import annotations

from weir.stats import MEASURES, mean_interval
from weir_papers import ns2
from weir_papers.data import Study
from weir_papers.nlred_comparison_2013.checks import level
from weir_papers.reading import Contents


def _parameters(_: Study) -> list[tuple[str, str, str]]:
    return [
        ("Channel, topology", "wired, dumbbell", "dumbbell: access links of 100 Mbit/s, one bottleneck"),
        ("Traffic", "FTP, 20 to 120 flows", "bulk, 20 to 120 flows; NewReno, no ECN"),
        ("Packet size", "512 B", "512 B on the wire"),
        ("Window size", "8000", "8000 packets; 16 packets as another reading"),
        ("Buffer", "100 packets", "100 packets"),
        ("Queue type", "RED, REM, NLRED, DropTail", "the same; RED is gentle in the text"),
        ("Thresholds of RED", "5 and 15", "5 and 15 packets"),
        ("q_weight", "0.002, of RED and REM", "0.002, of RED; REM has no such parameter"),
        ("max_p", "0.1; 0.3 and 0.5 in figure 10", "0.1; 0.3 and 0.5"),
        ("phi, alpha, gamma of REM", "1.001, 0.1, 0.001", "1.001, 0.1, 0.001"),
        ("b* of REM", "not stated", "20 packets"),
        ("Height of NLRED's parabola", "not stated", "1.5 max_p"),
        ("Time of simulation", "100 s; 25 to 150 s in figures 8 and 9", "100 s, from 20 s on; 25 to 150 s"),
        ("Capacity, round trip", "not stated", "20 Mbit/s, 100 ms; readings at 5 to 20 Mbit/s, 50 to 200 ms"),
        ("Replications", "one, as it seems", "10 in the main comparison, 5 or 6 elsewhere"),
    ]


def _numbers(study: Study) -> list[tuple[str, ...]]:
    """Goodput, queue, loss, fairness at both settings."""
    return [
        (
            where,
            label.removesuffix(", as ns-2"),
            f"{flows:g}",
            *(
                _beside_ns2(study, experiment, variant, measure, flows)
                for measure in ("goodput", "mean_queue", "loss", "jain")
            ),
        )
        for experiment, where in (("ns2-10", "10 Mbit/s, 50 ms"), ("ns2-30", "30 Mbit/s, 100 ms"))
        for variant, label in study[experiment].labels.items()
        for flows in study[experiment].levels("flows")
    ]


def _beside_ns2(study: Study, experiment: str, variant: str, measure: str, flows: float) -> str:
    (sample,) = level(variant, measure, flows, experiment).samples(study)
    theirs = ns2.mean("nlred_comparison_2013", experiment, variant, measure, flows)
    digits = 3 if measure == "jain" else MEASURES[measure].decimals
    ours = f"{mean_interval(sample.values).mean:.{digits}f}"
    return f"{ours} / " + ("–" if theirs is None else f"{theirs:.{digits}f}")


TABLES: Contents = {"table-1": _parameters, "ns-2": _numbers}
