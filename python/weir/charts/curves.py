"""What a chart needs of the tables, made small enough to draw and still true."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from weir.analysis import ALL, Tables, bottleneck, bottleneck_rows
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result

SLOTS = 400
"""Of a curve over time: about one per pixel of a column."""


_CURVE = {"delay_ms": pl.Float64, "at_most": pl.Float64, "longer": pl.Float64}


def queue_envelope(tables: Tables, slots: int = SLOTS) -> pl.DataFrame:
    """Queue samples of replication 0 in at most `slots` slots of time, nothing cut off.

    Columns: label, time_s (middle of the slot), slot_s (its length), lowest, mean, highest. Empty
    if the scenario asked for no series.
    """
    link = bottleneck(tables)
    samples = tables["series"].filter(
        pl.col("replication") == 0,
        pl.col("variable") == "queue",
        pl.col("component") == f"links.{link}.forward",
    )
    return envelope(samples, ["label"], slots)


def delay_curves(tables: Tables, points: int = 300) -> pl.DataFrame:
    """Distribution of the queueing delay over the whole run and all replications.

    Columns: label, delay_ms, at_most (share of packets that waited at most so long), longer (the
    rest; null where fewer than ten packets are left, too few to draw a tail from). Points that a
    picture of `points` by `points` could not tell apart are left out.
    """
    counts = (
        bottleneck_rows(tables, "delays", ALL)
        .filter(pl.col("period") == WHOLE_RUN)
        .group_by("variant", "label", pl.col("upto_ms").alias("delay_ms"), maintain_order=True)
        .agg(pl.col("count").sum())
    )
    return distributions(counts, ["variant", "label"], points).drop("variant")


def distributions(counts: pl.DataFrame, keys: Sequence[str], points: int = 300) -> pl.DataFrame:
    """The curves of `delay_curves` from `delay_ms` and `count`, one per value of the key columns."""
    curves = [
        _distribution(part.sort("delay_ms"), keys, points)
        for part in (counts.partition_by(keys, maintain_order=True) if keys else [counts])
        if part["count"].sum() > 0
    ]
    if not curves:
        return pl.DataFrame(schema={**dict.fromkeys(keys, pl.String), **_CURVE})
    return pl.concat(curves)


def envelope(samples: pl.DataFrame, keys: Sequence[str], slots: int = SLOTS) -> pl.DataFrame:
    """`time_s` and `value` in at most `slots` slots of time per value of the keys, nothing cut off.

    Columns: the keys, time_s (middle of the slot), slot_s (its length), lowest, mean, highest.
    """
    end = samples["time_s"].max()
    slot_s = end / slots if isinstance(end, float) and end > 0.0 else 1.0
    slot = (pl.col("time_s") / slot_s).floor().clip(0, slots - 1)
    middle = ((slot + 0.5) * slot_s).alias("time_s")
    return samples.group_by(*keys, middle, maintain_order=True).agg(
        pl.lit(slot_s).alias("slot_s"),
        pl.col("value").min().alias("lowest"),
        pl.col("value").mean().alias("mean"),
        pl.col("value").max().alias("highest"),
    )


def decades(shares: pl.Series) -> list[float]:
    """1, 0.1, ... down to the first that is below every share, or to one in a million."""
    lowest = shares.drop_nulls().min()
    depth = math.ceil(-math.log10(lowest)) if isinstance(lowest, float) and lowest > 0.0 else 1
    return [10.0**-power for power in range(min(max(1, depth), 6) + 1)]


def rem_targets(result: Result) -> list[float]:
    """The targets in packets of every REM at the bottleneck, each once."""
    link = bottleneck(result.tables)
    targets: set[float] = set()
    for text in result.resolved.values():
        scenario: dict[str, Any] = tomllib.loads(text)
        target = str(scenario["links"][link].get("aqm", {}).get("rem", {}).get("target", ""))
        amount, _, unit = target.partition(" ")
        if unit in {"packet", "packets"}:
            targets.add(float(amount))
    return sorted(targets)


def _distribution(counts: pl.DataFrame, keys: Sequence[str], points: int) -> pl.DataFrame:
    total = counts["count"].sum()
    left = total - pl.col("count").cum_sum()
    tail = left / total
    # Same column and same rows, in both pictures: the same pixel.
    pixel = [
        (pl.col("delay_ms") / pl.col("delay_ms").max() * points).floor(),
        (tail * points).floor(),
        (tail.clip(1e-9).log10() * points / 6).floor(),
    ]
    curve = counts.select(
        *keys,
        "delay_ms",
        at_most=1.0 - tail,
        longer=pl.when(left >= 10).then(tail),
        _pixel=pl.struct(*(expression.alias(str(i)) for i, expression in enumerate(pixel))),
    )
    kept = curve.unique("_pixel", keep="last", maintain_order=True).drop("_pixel")
    start = counts.head(1).select(*keys, delay_ms=pl.lit(0.0), at_most=pl.lit(0.0), longer=pl.lit(1.0))
    return pl.concat([start, kept])
