"""The paper's table of parameters, and ns-2's numbers beside ours."""

from __future__ import annotations

from weir.measures import MEASURES
from weir.papers import ns2
from weir.papers.data import Study
from weir.papers.nlred_comparison_2013.experiments import NS2_FAST, NS2_SLOW, level
from weir.papers.paper import Experiment, Table
from weir.statistics import mean_interval

_PACKAGE = "nlred_comparison_2013"


def parameters(_: Study) -> Table:
    """Table 1 and what section 3 says."""
    rows = (
        ("Channel, topology", "wired, dumbbell", "dumbbell: access links of 100 Mbit/s, one bottleneck"),
        ("Traffic", "FTP, 20 to 120 flows", "bulk, 20 to 120 flows; NewReno, no ECN"),
        ("Packet size", "512 B", "512 B on the wire"),
        ("Window size", "8000", "8000 packets"),
        ("Buffer", "100 packets", "100 packets"),
        ("Queue type", "RED, REM, NLRED, DropTail", "the same; RED is gentle in the text"),
        ("Thresholds of RED", "5 and 15", "5 and 15 packets"),
        ("q_weight", "0.002, of RED and REM", "0.002, of RED; REM has no such parameter"),
        ("max_p", "0.1; 0.3 and 0.5 in figure 10", "0.1; 0.3 and 0.5"),
        ("phi, alpha, gamma of REM", "1.001, 0.1, 0.001", "1.001, 0.1, 0.001"),
        ("b* of REM", "not stated", "20 packets"),
        ("Height of NLRED's parabola", "not stated", "1.5 max_p; max_p as another reading"),
        ("Time of simulation", "100 s; 25 to 150 s in figures 8 and 9", "100 s, from 20 s on; 25 to 150 s"),
        ("Capacity, round trip", "not stated", "20 Mbit/s, 100 ms; maps over 5 to 40 Mbit/s, 25 to 200 ms"),
        ("Replications", "one, as it seems", "10 in the main comparison, 4 to 6 elsewhere"),
    )
    return Table("table-1", "Table 1: Simulation parameters", ("Parameter", "Printed", "Here"), rows)


def beside_ns2(study: Study) -> Table:
    """Goodput, queue, loss, fairness at both settings."""
    measures = ("goodput", "mean_queue", "loss", "jain")
    rows: list[tuple[str, ...]] = []
    for experiment, where in ((NS2_SLOW, "10 Mbit/s, 50 ms"), (NS2_FAST, "30 Mbit/s, 100 ms")):
        data = study[experiment.name]
        for variant, label in data.labels.items():
            for flows in data.levels("flows"):
                cells = [_cell(study, experiment, variant, measure, flows) for measure in measures]
                rows.append((where, label.removesuffix(", as ns-2"), f"{flows:g}", *cells))
    head = ("Setting", "Queue", "Flows", *(MEASURES[measure].heading for measure in measures))
    return Table(
        "ns-2",
        "Weir / ns-2.35 with the same habits, 20 to 100 s",
        head,
        tuple(rows),
        "ns-2's loss is of arrivals at the queue, ours of packets sent. One to three seeds of ns-2.",
    )


def _cell(study: Study, experiment: Experiment, variant: str, measure: str, flows: float) -> str:
    (sample,) = level(variant, measure, flows, experiment).samples(study)
    ours = mean_interval(sample.values).mean
    theirs = ns2.mean(_PACKAGE, experiment.name, variant, measure, flows)
    digits = 3 if measure == "jain" else MEASURES[measure].decimals
    return f"{ours:.{digits}f} / " + ("–" if theirs is None else f"{theirs:.{digits}f}")
