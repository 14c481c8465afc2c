"""Figures of the basic algorithm, computed: rates and prices on their way to the optimum."""

from __future__ import annotations

import numpy as np

from weir.charts.study import Curve, Facet, Plot
from weir.papers.data import Study
from weir.papers.ofc_1999.optimum import convergence, late_convergence
from weir.theory.network import Vector

_POINTS = 24
"""Of a curve."""


def figure_dumbbell(_: Study) -> Plot:
    """One link, five utilities."""
    names = {name: name for name in ("plain", "double", "capped", "assured", "reno-like")}
    return _plot(
        "optimum-dumbbell",
        "Section 2.1 computed: one link, five utilities",
        "A link of 5625 packets/s, as the paper's, shared by a source of weight 5626, one of twice that, "
        "one with a highest, one with a least rate, and one that shares as Reno does.",
        "dumbbell",
        names,
        {"bottleneck": "price"},
    )


def figure_parking_lot(_: Study) -> Plot:
    """Three links in a row."""
    alone = {"a": "first", "b": "second", "c": "third"}
    labels = {one: f"{one}; {link} link" for one, link in alone.items()}
    return _plot(
        "optimum-parking-lot",
        "Section 2.1 computed: three links in a row",
        "Links of 1000, 800 and 1200 packets/s; source long passes all, middle the first two, a, b and c "
        "one each, d the third. The price of a link has the colour of a source that passes it alone.",
        "parking-lot",
        {"long": "long", "middle": "middle", **labels, "d": "d"},
        {link: labels[one] for one, link in alone.items()},
    )


def _plot(
    name: str, title: str, about: str, example: str, sources: dict[str, str], links: dict[str, str]
) -> Plot:
    found, late = convergence(example), late_convergence(example)
    network, best = found.network, found.optimum
    facets: list[Facet] = []
    for how, rates, prices in (
        ("synchronous", found.trajectory.rates, found.trajectory.prices),
        ("asynchronous", late.rates, late.prices),
    ):
        of_sources = [sources[one.name] for one in network.sources]
        of_links = [links[one.name] for one in network.links]
        facets += [
            Facet(f"Rates, {how}", "Packets/s", _curves(of_sources, rates, best.rates), top=_top(rates)),
            Facet(f"Prices, {how}", "Price", _curves(of_links, prices, best.prices), top=_top(prices)),
        ]
    return Plot(
        name,
        title,
        f"{about} From prices of zero, with half the step that the optimum bears; below, with news of each "
        "other that are up to five steps old, and the step smaller accordingly. Dotted is the optimum "
        "that another solver finds.",
        "Step",
        facets,
        log_x=True,
        ticks=(1, 3, 10, 30, 100, 300, 1000),
    )


def _top(values: Vector) -> float:
    """A little above the highest that is drawn; step 0 is not."""
    return 1.06 * float(values[1:].max())


def _curves(labels: list[str], values: Vector, optimum: Vector) -> list[Curve]:
    last = len(values) - 1
    steps = np.unique(np.rint(np.geomspace(1, max(2, last), _POINTS)).astype(np.int64))
    steps = steps[steps <= last]
    runs = [Curve(label, steps.tolist(), values[steps, index].tolist()) for index, label in enumerate(labels)]
    dotted = [
        Curve(label, [1.0, float(last)], [float(optimum[index])] * 2, kind="theory")
        for index, label in enumerate(labels)
    ]
    return runs + dotted
