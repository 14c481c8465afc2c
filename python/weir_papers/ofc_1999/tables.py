"""Contents of the tables of `figures.toml`, by their names."""

from __future__ import annotations

import math
from collections.abc import Iterator

from weir.stats import mean_interval, wording
from weir_papers import ns2
from weir_papers.data import Study
from weir_papers.ofc_1999.optimum import CAPACITY, equal, textbook, unequal
from weir_papers.ofc_1999.quantities import RATES, SWING, WINDOWS, measure, measured
from weir_papers.quantities import Level, Quantity
from weir_papers.reading import Contents

_MEASURES = {
    "delivered": "goodput", "drops": "loss", "jain": "fairness", "mean_queue": "mean queue",
    "queue_sd": "deviation of the queue",
}  # fmt: skip
"""Column of `ns2.csv` to the name of the measure."""
_PRINTED = {
    "rem": ("55794", "0", "1.00", "18.7", "3.9"),
    "red": ("55992", "0", "1.00", "8.5", "3.6"),
    "drop-tail": ("56054", "91", "0.85", "44.9", "8.0"),
}
_AS_NS2 = {"red": "red", "drop-tail": "drop-tail-49", "red-drop": "red-drop"}
_NS2_AT = 3.7333
_NOTHING = "–"


def _table_1(study: Study) -> Iterator[list[str]]:
    """Every number that the paper prints."""
    for variant, printed in _PRINTED.items():
        for (name, title), number in zip(_MEASURES.items(), printed, strict=True):
            ours = [_said(study, measure(one, variant, name)) for one in ("base", "instant")]
            label = study["base"].labels[variant]
            yield [f"{label}, {title}", number, *ours, _as_ns2(study, variant, name), _ns2(variant, name)]
    for name, title in _MEASURES.items():
        ours = _said(study, measure("others", "red-drop", name))
        beside = [_as_ns2(study, "red-drop", name), _ns2("red-drop", name)]
        yield [f"RED with drops, {title}", _NOTHING, ours, _NOTHING, *beside]


def _by_variant(study: Study, experiment: str) -> Iterator[list[str]]:
    """Table of all measures of table 1, and the swing of rates, by variant."""
    for variant, label in study[experiment].labels.items():
        columns = [*(measure(experiment, variant, name) for name in _MEASURES)]
        yield [label, *(_said(study, one) for one in (*columns, measured(experiment, variant, SWING)))]


def table_theory(study: Study) -> Iterator[list[str]]:
    """Predictions of theory, printed values, and measured values."""

    def row(name: str, book: str, at_rest: str, printed: str, ours: Quantity) -> list[str]:
        measuring = study.instead({"base": study["measured"]})
        return [name, book, at_rest, printed, _said(study, ours), _said(measuring, ours)]

    one, two = equal(), unequal()
    queue, window = textbook()
    # Prices a / (1 + x): with weights in the ratio of one to two, x of the plain ones is a sixth of C.
    queue_2 = (CAPACITY + 1.0) / (1.0 + CAPACITY / 6.0) / 0.1
    windows = measured("base", "rem", WINDOWS, ("odd.0",))
    book_marked = f"{-100.0 * math.expm1(-0.1 * queue):.1f}"
    marked = Level("base", "rem", "mark_fraction")
    queue_of_two = Level("base", "differentiated", "mean_queue")
    yield row("queue", f"{queue:.1f}", f"{one.queue:.2f}", "18.7", Level("base", "rem", "mean_queue"))
    yield row("window", f"{window:.1f}", f"{one.windows[0]:.2f}", "11", windows)
    yield row("marked (%)", book_marked, f"{100.0 * one.marked:.1f}", _NOTHING, marked)
    yield row("queue, two weights", f"{queue_2:.1f}", f"{two.queue:.2f}", "24.4", queue_of_two)
    for number, flow, printed, printed_rate in ((1, "odd.0", "10", "7.5"), (2, "even.0", "20", "15")):
        own = two.windows[number - 1]
        yield row(
            f"window of source {number}, two weights",
            f"{number / 6.0 * (21.0 + queue_2):.1f}",
            f"{own:.2f}",
            printed,
            measured("base", "differentiated", WINDOWS, (flow,)),
        )
        yield row(
            f"rate of source {number}, two weights (Mbit/s)",
            f"{45.0 * number / 6.0:.1f}",
            f"{45.0 * own / sum(two.windows):.2f}",
            printed_rate,
            measured("base", "differentiated", RATES, (flow,)),
        )


def _as_ns2(study: Study, variant: str, name: str) -> str:
    if variant not in _AS_NS2:
        return _NOTHING
    there = study.at("as-ns2", "as-ns2", propagation=_NS2_AT)
    return _said(there, measure("as-ns2", _AS_NS2[variant], name))


def _ns2(variant: str, name: str) -> str:
    rows = ns2.numbers("ofc_1999").filter(experiment="base", variant=variant, measure=name, at=_NS2_AT)
    if rows.is_empty():
        return _NOTHING
    mean, low, high = rows.select("mean", "low", "high").row(0)
    return said(mean, (high - low) / 2.0)


def _said(study: Study, quantity: Quantity) -> str:
    found = mean_interval(quantity.samples(study)[0].values)
    return said(found.mean, found.half_width)


def said(mean: float, half_width: float | None) -> str:
    """`19.91 ± 0.04`, with two digits of the uncertainty; without it where all values are equal."""
    if not half_width:
        return f"{mean:.6g}" if half_width is None or mean != round(mean) else f"{mean:.0f}"
    decimals = min(4, max(0, 1 - math.floor(math.log10(half_width))))
    return wording.estimate(mean, half_width, decimals).replace("±", " ± ")


TABLES: Contents = {
    "table-1": _table_1,
    "theory": table_theory,
    "others": lambda study: _by_variant(study, "others"),
    "today": lambda study: _by_variant(study, "today"),
}
