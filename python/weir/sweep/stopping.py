"""How far each configuration of a sweep is: which replications count, and whether that is enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from weir.sweep.until import Sequential

MET, MAXIMUM, OPEN = "met", "maximum", "open"

_SCHEMA = {"point": pl.Int64, "variant": pl.String, "n": pl.Int64, "state": pl.String}


def stops(
    runs: pl.DataFrame, configurations: pl.DataFrame, wanted: int, sequential: Sequential | None
) -> pl.DataFrame:
    """One row per configuration: point, variant, n, state.

    `n` replications count, the first ones. The state is `met` (a rule, or all that are wanted),
    `maximum` (as many as allowed, and the rule not met) or `open` (not finished).

    Args:
        runs: finished runs with point, variant, replication and the measures of the rules.
        configurations: with point and variant.
        wanted: replications; with rules, at most.
    """
    found: dict[tuple[int, str], tuple[int, str]] = {}
    measures = list(dict.fromkeys(rule.measure for rule in sequential.rules)) if sequential else []
    for part in runs.sort("replication").partition_by("point", "variant", maintain_order=True):
        # What comes after a gap was asked for by another sweep, or is still to be counted.
        gaps = np.flatnonzero(part["replication"].to_numpy() != np.arange(len(part)))
        n = int(gaps[0]) if gaps.size else len(part)
        key = (part["point"][0], part["variant"][0])
        if sequential is None:
            found[key] = (len(part), MET if len(part) >= wanted else OPEN)
            continue
        values = {name: part[name].fill_null(float("nan")).to_numpy()[:n] for name in measures}
        stopped = sequential.stopped_at(values, n)
        if stopped is None:
            found[key] = (n, OPEN)
        else:
            found[key] = (stopped, MET if sequential.state(values, stopped) <= 1.0 else MAXIMUM)
    rows: list[dict[str, Any]] = []
    for point, variant in configurations.select("point", "variant").iter_rows():
        n, state = found.get((point, variant), (0, OPEN))
        rows.append({"point": point, "variant": variant, "n": n, "state": state})
    return pl.DataFrame(rows, schema=_SCHEMA)
