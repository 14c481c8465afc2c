"""Today's company on the paper's network."""

from __future__ import annotations

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import against
from weir.papers.data import Study
from weir.papers.ofc_1999.measured import JAIN, SWING, Measured
from weir.papers.quantities import Level, Quantity

_DEFAULTS = {
    "drop-tail": "DropTail",
    "codel": "CoDel",
    "fq-codel": "FQ-CoDel",
    "pie": "PIE",
    "dualpi2": "DualPI2",
}
_SHORT = {
    "codel-short": "CoDel", "fq-codel-short": "FQ-CoDel", "pie-short": "PIE", "dualpi2-short": "DualPI2",
    "dctcp": "DCTCP before DualPI2",
}  # fmt: skip


def figure_today(study: Study) -> Plot:
    """Queue against goodput, fairness and swing, with targets for the Internet and for this link."""
    facets: list[Facet] = []
    for title, unit, of, top in (
        ("goodput", "Goodput (%)", "goodput", 100.0),
        ("fairness", "Jain index", "jain", 1.0),
        ("swing of receive rates", "Range in 100 ms (Mbit/s)", "swing", 16.0),
    ):
        rem = _point(study, "base", "rem", of, "REM hosts and queue")
        for targets, variants in (("their own targets", _DEFAULTS), ("targets of 1 ms", _SHORT)):
            own = variants is _DEFAULTS
            points = [_point(study, "today", one, of, label) for one, label in variants.items()]
            facets.append(
                Facet(
                    f"{title.capitalize()}, {targets}",
                    unit,
                    [rem, *points] if own else points,
                    # Far to the right of all others there.
                    levels=() if own else ((rem.y[0], "REM"),),
                    zero=of == "swing",
                    top=top if of == "swing" or not own else None,
                )
            )
    return Plot(
        "today",
        "Today's company",
        "The mean queue against goodput, fairness and the swing of receive rates: CUBIC with marks before "
        "queues of today, on the left with the targets of their documents, which are meant for round trips "
        "of 100 ms: 5 ms are 28 packets here, and 15 ms are more than the buffer, so that PIE and DualPI2 "
        "are DropTail and covered by it. On the right with a target of 1 ms. Means of all replications, "
        "with 95% intervals both ways; REM is the paper's, at a mean queue of 20.",
        "Mean queue (packets)",
        facets,
    )


def _point(study: Study, experiment: str, variant: str, of: str, label: str) -> Curve:
    return against(study, Level(experiment, variant, "mean_queue"), _quantity(experiment, variant, of), label)


def _quantity(experiment: str, variant: str, of: str) -> Quantity:
    match of:
        case "jain":
            return Measured(experiment, variant, JAIN)
        case "swing":
            return Measured(experiment, variant, SWING)
        case _:
            return Level(experiment, variant, of)
