"""What only this paper asks for: measures from the start to some time, flows that lose together, spreads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from weir.stats import MEASURES, WHOLE_RUN
from weir_papers.data import Data, Sample, Study, near
from weir_papers.quantities import Level, Of, Quantity, samples_of

LENGTHS_S = (25.0, 50.0, 75.0, 100.0, 125.0, 150.0)
"""Of the runs in figures 8 and 9. A shorter run is the beginning of a longer one with the same seed."""


def cumulated(data: Data) -> pl.DataFrame:
    """The periods with `goodput` and `loss`, in per cent, of all the time up to their ends."""
    length = pl.col("to_s") - pl.col("from_s")

    def total(of: pl.Expr) -> pl.Expr:
        return of.cum_sum().over("run", order_by="from_s")

    # Of senders and receivers, as the goodput and the loss of a single period are.
    lost = pl.col("loss") / 100.0 * pl.col("sent")
    return data.periods.with_columns(
        (total(pl.col("goodput") * length) / total(length)).alias("goodput"),
        (100.0 * total(lost) / total(pl.col("sent"))).alias("loss"),
    )


def until(variant: str, measure: str, flows: float) -> Quantity:
    """`goodput` or `loss` from the beginning to each length of a run.

    At this number of flows, or at that of the reading where it is one of its settings.
    """

    def made(study: Study) -> list[Sample]:
        data = study["time"]
        data = data.at(flows=flows) if "flows" in data.axes else data
        rows = cumulated(data).filter(pl.col("variant") == variant, pl.col("to_s").is_in(LENGTHS_S))
        return [
            Sample(f"{data.labels[variant]}, {end:g} s", end, part[measure].to_numpy())
            for part in rows.sort("to_s", "replication").partition_by("to_s", maintain_order=True)
            for end in [float(part["to_s"][0])]
        ]

    return Of(measure, MEASURES[measure].unit, made)


def marking(variant: str, until_s: float) -> Quantity:
    """Per cent of the packets that arrive that the AQM drops, a full buffer left aside, in each period."""
    title, dropped = "marking probability", pl.col("drops") - pl.col("drops_overflow")

    def made(study: Study) -> list[Sample]:
        data = study["time"]
        rows = data.periods.filter(pl.col("variant") == variant, pl.col("to_s") <= until_s)
        share = (100.0 * dropped / pl.col("arrivals")).alias(title)
        return samples_of(rows.with_columns(share), data, title, along=True)

    return Of(title, "%", made, RELEVANT_MARKING)


RELEVANT_MARKING = 0.1
"""Points: the smallest difference that would matter, that of losses."""


def at_the_beginning() -> Quantity:
    """REM's marking probability at a price minus RED's at an average, both as many packets, at 1, 2 and so on
    below RED's min_th, where RED marks nothing: computed."""

    def made(_: Study) -> list[Sample]:
        places = np.arange(1.0, RED_MIN_TH)
        return [
            Sample(f"price and average {at:g}", at, np.array([100.0 * (1.0 - REM_PHI**-at)]), exact=True)
            for at in places
        ]

    return Of("marking probability of REM minus that of RED", "points", made)


REM_PHI, RED_MIN_TH = 1.001, 5.0
"""REM's phi, and RED's min_th in packets: table 1 of the paper."""


def synchronisation(experiment: str, variant: str, flows: float | None = None) -> Quantity:
    """The share of the flows, in per cent, that lose packets in a loss event (docs/reference/results.md).

    `flows`: the only number of them that counts; None: all numbers.
    """
    column = "loss_synchronisation"

    def made(study: Study) -> list[Sample]:
        data = study[experiment]
        keys = ("period", "link", "direction", "class", "group")
        whole = {"link": "bottleneck", "direction": "forward", "group": "all", "variant": variant}
        rows = data.table("links", *keys, column).filter(pl.col("class") == "all", period=WHOLE_RUN, **whole)
        rows = rows if flows is None else rows.filter(near("flows", flows))
        return samples_of(rows.with_columns(pl.col(column) * 100.0), data, column, along=False)

    return Of("flows that lose packets together", "%", made)


def most_minus_least(experiment: str, variants: Sequence[str], measure: str, name: str) -> Quantity:
    """Over the variants, run by run: the largest value minus the smallest, at each place.

    `name`: what the variants have in common.
    """
    of = [Level(experiment, variant, measure) for variant in variants]

    def made(study: Study) -> list[Sample]:
        axis = study[experiment].axes[-1]
        return [
            Sample(f"{name}, {axis} {one[0].at:g}", one[0].at, np.ptp([s.values for s in one], axis=0))
            for one in zip(*(level.samples(study) for level in of), strict=True)
        ]

    unit = "points" if of[0].unit == "%" else of[0].unit
    return Of(f"spread of {of[0].title} over max_p", unit, made, (of[0] - of[1]).relevant)
