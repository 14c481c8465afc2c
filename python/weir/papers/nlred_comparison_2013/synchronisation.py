"""How many flows lose packets together: global synchronisation, which queue management is to prevent."""

from __future__ import annotations

import polars as pl

from weir.papers.data import Sample, Study
from weir.papers.quantities import Of, Quantity, samples_of
from weir.tables import WHOLE_RUN

_COLUMN = "loss_synchronisation"


def synchronisation(experiment: str, variant: str) -> Quantity:
    """The share of the flows, in per cent, that lose packets in a loss event (docs/results.md)."""

    def made(study: Study) -> list[Sample]:
        data = study[experiment]
        keys = ("period", "link", "direction", "class", "group")
        rows = data.table("links", *keys, _COLUMN).filter(
            pl.col("period") == WHOLE_RUN,
            pl.col("link") == "bottleneck",
            pl.col("direction") == "forward",
            pl.col("class") == "all",
            pl.col("group") == "all",
            pl.col("variant") == variant,
        )
        return samples_of(rows.with_columns(pl.col(_COLUMN) * 100.0), data, _COLUMN, along=False)

    return Of("flows that lose packets together", "%", made)
