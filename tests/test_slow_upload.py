"""The how-to on a slow upload: its table and its differences are those of the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import weir
from weir.run._tables import WHOLE_RUN
from weir.stats import mean_interval, wording

PAGE = Path(__file__).parents[1] / "docs" / "how-to" / "slow-upload.md"
REPLICATIONS = 10

Values = dict[str, NDArray[np.float64]]
"""A value per replication, by variant."""

NAMES = {
    "cake": "CAKE",
    "conservative": 'CAKE, `ack_filter = "conservative"`',
    "aggressive": 'CAKE, `ack_filter = "aggressive"`',
    "fifo": "FIFO of 10 packets",
    "filtered-fifo": "the same, `ack-filter`",
}


def by_variant(rows: pl.DataFrame, value: pl.Expr) -> Values:
    parts = rows.with_columns(value.alias("value")).sort("replication").partition_by("variant", as_dict=True)
    return {str(variant): part["value"].to_numpy() for (variant,), part in parts.items()}


def measured(changes: Mapping[str, Any] | None = None, variants: Sequence[str] | None = None) -> list[Values]:
    """The columns of the table."""
    compared = weir.load("slow-upload", changes or {}).compare(REPLICATIONS, variants=variants)
    groups = compared.groups.filter(pl.col("period") == WHOLE_RUN)
    acks = compared.links.filter(
        pl.col("period") == WHOLE_RUN, pl.col("class") == "all", direction="reverse", group="download"
    )
    return [
        by_variant(groups.filter(group="download"), pl.col("goodput_bps") / 1e6),
        by_variant(groups.filter(group="backup"), pl.col("goodput_bps") / 1e3),
        by_variant(acks, pl.col("delay_mean_ms")),
        by_variant(acks, 100.0 * pl.col("drops") / pl.col("arrivals")),
        by_variant(acks, 100.0 * pl.col("acks_filtered") / pl.col("arrivals")),
    ]


def said(values: NDArray[np.float64], decimals: int) -> str:
    found = mean_interval(values)
    return wording.estimate(found.mean, found.half_width, decimals).replace("±", " ± ")


@pytest.fixture(scope="module")
def columns() -> list[Values]:
    return measured()


def test_the_table_is_that_of_the_runs(columns: list[Values]) -> None:
    rows = [
        " | ".join([name, *(said(of[variant], at) for of, at in zip(columns, (1, 0, 1, 0, 0), strict=True))])
        for variant, name in NAMES.items()
    ]
    page = PAGE.read_text(encoding="utf-8")
    assert [row for row in rows if f"| {row} |" not in page] == []


def test_half_of_the_upload_is_for_acks_without_a_filter(columns: list[Values]) -> None:
    """Both of its queues always have packets, and CAKE shares by bytes."""
    backup = columns[1]
    assert backup["cake"] == pytest.approx(500.0, rel=0.005)


def test_the_differences_are_those_of_the_runs(columns: list[Values]) -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    download, backup, *_ = columns
    for first, second in (("conservative", "cake"), ("aggressive", "conservative")):
        assert f"{said(abs(download[first] - download[second]), 1)} Mbit/s" in page
        assert f"{said(abs(backup[first] - backup[second]), 0)} kbit/s" in page
    assert f"{said(backup['filtered-fifo'] - backup['fifo'], 0)} kbit/s" in page
    # No difference is shown of the downloads beside a FIFO.
    found = mean_interval(download["filtered-fifo"] - download["fifo"])
    assert found.half_width is not None
    assert abs(found.mean) < found.half_width


def test_bursts_that_nothing_drops_lose_nothing() -> None:
    short: dict[str, Any] = {"links.line.queue": {"drop-tail": {}}, "links.line.buffer": "200 packets"}
    download, *_ = measured(short, ["conservative", "aggressive"])
    assert all((values > 49.9).all() for values in download.values())


def test_a_buffer_that_overflows_leaves_blue_in_force() -> None:
    """Room for 1000 packets: an overflow, and most downloads keep little, though no queue is left."""
    room = {"links.line.reverse.buffer": "1000 packets", "links.line.buffer": "1000 packets"}
    download, *_ = measured(room, ["cake", "conservative"])
    assert np.median(download["cake"]) < 20.0
    assert (download["conservative"] > 40.0).all()
