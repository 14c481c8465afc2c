"""Overview at the top of a page: the claims by their groups, and the readings in which they fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl

from weir.plot import Figure, parts_of_a_whole, share_map
from weir_papers.expected import FAILS, HOLDS, TIE
from weir_papers.groups import (
    CONTRADICTED,
    DEPENDS,
    EQUAL,
    OURS,
    REPRODUCED,
    SO_FAR,
    UNDECIDED,
    Group,
    in_words,
)

if TYPE_CHECKING:
    from weir_papers.readings import Readings

COLOURS: Mapping[Group, str] = {
    REPRODUCED: "#8fd3b8",
    DEPENDS: "#f5d27a",
    EQUAL: "#e3dccb",
    CONTRADICTED: "#e99b6b",
    UNDECIDED: "#dddddd",
    OURS: "#b8cfe6",
    SO_FAR[HOLDS]: "#8fd3b8",
    SO_FAR[TIE]: "#e3dccb",
    SO_FAR[FAILS]: "#e99b6b",
}
"""Colours of groups, light enough for black letters; in grey print, order and numbers tell the groups
apart."""

ALL = "all"
"""The column of every reading together."""


def counts_bar(counts: Mapping[Group, int]) -> Figure:
    """Bar with the number of claims in each group."""
    rows = pl.DataFrame(
        {"part": list(counts), "count": list(counts.values()), "number": [str(n) for n in counts.values()]}
    )
    colours = {group: COLOURS[group] for group in counts}
    return Figure(
        "claims",
        "Claims by what became of them",
        f"{in_words(counts)}.",
        parts_of_a_whole(rows, colours),
        rows,
    )


def reading_map(rows: pl.DataFrame, readings: Readings) -> Figure:
    """Map of the share of readings in which each claim fits: of all readings, and of those with each
    setting."""
    labels = rows["claim"].unique(maintain_order=True).to_list()
    share = (100.0 * (pl.col("likely") == HOLDS).mean()).alias("share")
    titles = [setting.title for setting in readings.settings]
    parts = [
        rows.group_by("claim", maintain_order=True)
        .agg(share)
        .with_columns(level=pl.lit(ALL), panel=pl.lit(ALL))
    ]
    parts += [
        rows.group_by("claim", title, maintain_order=True)
        .agg(share)
        .rename({title: "level"})
        .with_columns(panel=pl.lit(title))
        for title in titles
    ]
    columns = ["claim", "panel", "level", "share"]
    order = pl.DataFrame(
        {
            "panel": [ALL, *(one.title for one in readings.settings for _ in one.names)],
            "level": [ALL, *(name for one in readings.settings for name in one.names.values())],
        }
    ).with_row_index("place")
    table = (
        pl.concat([part.select(columns) for part in parts])
        .join(order, on=["panel", "level"])
        .rename({"claim": "label"})
    )
    best = best_reading(rows)
    caption = (
        f"Per cent of {rows['reading'].n_unique()} readings in which the means of all checks of a claim lie "
        f"in their ranges. {best}"
    )
    return Figure(
        f"readings-{readings.of}", f"Readings of what the paper does not say: {readings.of}", caption,
        share_map(table, labels, [ALL, *titles]), table,
    )  # fmt: skip


def best_reading(rows: pl.DataFrame) -> str:
    """Sentence on the reading in which most claims fit together."""
    settings = [name for name in rows.columns if name not in {"claim", "reading", "likely"}]
    counted = rows.group_by("reading", *settings, maintain_order=True).agg(
        (pl.col("likely") == HOLDS).sum().alias("fits"), pl.len()
    )
    best = counted.sort("fits", descending=True, maintain_order=True).row(0, named=True)
    words = "; ".join(f"{name}: {best[name]}" for name in settings)
    return f"Most fit together, {best['fits']} of {best['len']}, with {words}."
