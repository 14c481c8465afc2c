"""Values of finished runs: one number for each run and measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from weir import _core
from weir.evaluate import _series as series
from weir.evaluate._cells import Cell
from weir.evaluate._formulas import rpm, trimmed_mean
from weir.evaluate._voice import WORST, mos
from weir.run import WHOLE_RUN
from weir.stats import ALL, MEASURES, analysis
from weir.sweep import Sweep

OF_RUNS = (
    "goodput", "utilisation", "loss", "mark_fraction", "loss_synchronisation", "mean_queue", "queue_sd",
    "delay_mean", "delay_p50", "delay_p95", "delay_p99", "jain", "fct_mean", "fct_p50", "fct_p99",
)  # fmt: skip
"""Measures that every run has, as everywhere in Weir."""

OF_GROUPS = ("goodput_bps", "loss", "mark_fraction")

UNITS = {
    **{name: MEASURES[name].unit for name in OF_RUNS},
    "goodput_bps": "bit/s", "queue_cv": "", "queue_empty": "%", "spectral_peak": "%", "response_rtts": "RTT",
    "peak_second": "ms", "least_share": "%", "ratio": "", "imbalance": "", "left_share": "%", "mos": "",
    "bloat_ms": "ms", "rpm": "/min", "low_latency_p99": "ms", "window_low": "%", "queue_drift": "",
}  # fmt: skip
"""Units of every measure of an evaluation."""


@dataclass(frozen=True)
class Setting:
    """Meaning of a variant of a cell's plan: its level, its subject and its scenario."""

    level: str
    subject: str
    scenario: _core.Scenario
    target_ms: float


def values_of(cell: Cell, settings: Mapping[str, Setting], sweep: Sweep) -> pl.DataFrame:
    """Values by run and measure, one row for each that is defined: level, discipline, seed, measure,
    value."""
    rows: list[tuple[str, str, int, str, float]] = []
    tables = _Tables.of(sweep)
    waits = queue_samples(sweep)
    for run in sweep.finished.select("run", "variant", "seed").iter_rows(named=True):
        setting = settings[run["variant"]]
        found = {
            **tables.whole(run["run"]),
            **_of_groups(cell, setting, tables, run["run"]),
            **_over_time(setting, waits.get(run["run"])),
        }
        rows += [
            (setting.level, setting.subject, run["seed"], name, value)
            for name, value in found.items()
            if not math.isnan(value)
        ]
    schema = {
        "level": pl.String, "discipline": pl.String, "seed": pl.Int64, "measure": pl.String,
        "value": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


@dataclass(frozen=True)
class _Tables:
    """Rows of the tables, by the things they are about."""

    observed: Mapping[int, Mapping[str, Any]]
    links: Mapping[tuple[int, str, str, str], Mapping[str, Any]]
    """Rows over the whole run, by run, port, class and group."""
    groups: Mapping[tuple[int, str], Mapping[str, Any]]
    windows: Mapping[tuple[int, str], Sequence[float]]
    """Goodput of each period in bit/s, by run and group."""
    flows: Mapping[tuple[int, str], Sequence[float]]
    """Goodput of each flow in bit/s, by run and group."""
    waits: Mapping[tuple[int, str, str], list[tuple[float, int]]]
    """Histograms of the delay in ms, by run, port and group."""

    @staticmethod
    def of(sweep: Sweep) -> _Tables:
        whole = pl.col("period") == WHOLE_RUN
        observed = sweep.observations().filter(whole)
        port = pl.when(pl.col("direction") == "forward").then("link").otherwise(pl.col("link") + ".reverse")
        groups = sweep.table("groups")
        windows = groups.filter(~whole).group_by("run", "group", maintain_order=True).agg("goodput_bps")
        flows = (
            sweep.table("flows")
            .filter(whole)
            .group_by("run", "group", maintain_order=True)
            .agg("goodput_bps")
        )
        waits = sweep.table("delays").filter(whole, pl.col("class") == ALL).with_columns(port=port)
        histograms: dict[tuple[int, str, str], list[tuple[float, int]]] = {}
        for run, name, group, upto, count in waits.select(
            "run", "port", "group", "upto_ms", "count"
        ).iter_rows():
            histograms.setdefault((run, name, group), []).append((upto, count))
        return _Tables(
            {row["run"]: row for row in observed.iter_rows(named=True)},
            {
                (row["run"], row["port"], row["class"], row["group"]): row
                for row in sweep.table("links").filter(whole).with_columns(port=port).iter_rows(named=True)
            },
            {(row["run"], row["group"]): row for row in groups.filter(whole).iter_rows(named=True)},
            {(run, group): rows for run, group, rows in windows.iter_rows()},
            {(run, group): rows for run, group, rows in flows.iter_rows()},
            histograms,
        )

    def whole(self, run: int) -> dict[str, float]:
        """Measures of all packets."""
        row = self.observed[run]
        found = {name: _number(row[name]) for name in OF_RUNS}
        found["goodput_bps"] = _number(self.groups[run, ALL]["goodput_bps"])
        return found


def _of_groups(cell: Cell, setting: Setting, tables: _Tables, run: int) -> dict[str, float]:
    """Measures of groups, and between groups."""
    found: dict[str, float] = {}
    network = setting.scenario.network
    port = network.bottleneck.name
    bottleneck = tables.links[run, port, ALL, ALL]
    found["queue_drift"] = _number(bottleneck.get("queue_drift"))
    could_bps = _number(bottleneck["rate_bps"])
    for group in cell.groups:
        row = tables.groups.get((run, group), {})
        found.update({f"{name} of {group}": _number(row.get(name)) for name in OF_GROUPS})
        wait = tables.links.get((run, port, ALL, group), {})
        found.update({f"delay_{q} of {group}": _number(wait.get(f"delay_{q}_ms")) for q in ("mean", "p99")})
    bulk = [path.group for path in network.paths if path.traffic == "bulk"]
    each = [rate for group in bulk for rate in tables.flows.get((run, group), ())]
    if len(each) > 1:
        found["least_share"] = 100.0 * min(each) * len(each) / sum(each) if sum(each) > 0.0 else 0.0
    if cell.ratio:
        first, second = (float(np.mean(tables.flows.get((run, group), [math.nan]))) for group in cell.ratio)
        found["ratio"] = first / second if second > 0.0 else math.inf
        # A ratio of two and of a half are equally unfair.
        found["imbalance"] = max(found["ratio"], 1.0 / found["ratio"]) if found["ratio"] > 0.0 else math.inf
    if cell.left_by:
        group, datagrams = cell.left_by
        offered = _core.quantity(str(setting.scenario.value(f"flows.{datagrams}.traffic.cbr.rate")))[0]
        left = could_bps - offered
        found["left_share"] = 100.0 * _number(tables.groups[run, group]["goodput_bps"]) / left
    low = tables.links.get((run, port, "L", ALL))
    if low is not None:
        found["low_latency_p99"] = _number(low["delay_p99_ms"])
    windows = tables.windows.get((run, ALL), ())
    if len(windows) >= 10 and not network.port(port).rate_changes:
        found["window_low"] = 100.0 * float(np.quantile(windows, 0.01)) / could_bps
    found.update(_of_voice(cell, setting, tables, run))
    return found


def _of_voice(cell: Cell, setting: Setting, tables: _Tables, run: int) -> dict[str, float]:
    """Mean opinion score of calls, added delay in ms, and round trips per minute."""
    if not cell.voice:
        return {}
    network = setting.scenario.network
    scores: list[float] = []
    increase = 0.0
    for group in cell.voice:
        path = network.path(group)
        waits = [_number(tables.links[run, port, ALL, group]["delay_mean_ms"]) for port in path.data]
        increase += sum(waits)
        one_way = 1e3 * (path.base_rtt_s or 0.0) / 2.0 + sum(waits)
        loss = _number(tables.groups[run, group]["loss"])
        # A call of which no packet arrives has no delay, and the worst score.
        scores.append(WORST if math.isnan(one_way + loss) else mos(one_way, loss))
    found = {"mos": min(scores), "bloat_ms": increase}
    if cell.load:
        base = 1e3 * (network.path(cell.load[0]).base_rtt_s or 0.0)
        foreign = base + sum(_trimmed(tables, network, run, group) for group in cell.voice)
        loaded = base + sum(_trimmed(tables, network, run, group) for group in cell.load)
        if foreign > 0.0 and loaded > 0.0:
            found["rpm"] = rpm([foreign], loaded)
    return found


def _trimmed(tables: _Tables, network: _core.Network, run: int, group: str) -> float:
    """Mean of the lowest 95% of a group's waiting times on its way, in ms."""
    total = 0.0
    for port in network.path(group).data:
        bins = tables.waits.get((run, port, group), [])
        upto, counts = zip(*bins, strict=True) if bins else ((), ())
        total += trimmed_mean(upto, counts=counts) if any(counts) else math.nan
    return total


def _over_time(setting: Setting, queue: tuple[series.Samples, series.Samples] | None) -> dict[str, float]:
    """Measures of the queue over time, if it was recorded."""
    if queue is None:
        return {}
    instants, packets = queue
    network = setting.scenario.network
    port = network.port(network.bottleneck.name)
    warm_up = _core.quantity(str(setting.scenario.value("measure.warm_up")))[0]
    kept = instants >= warm_up
    if not kept.any():
        return {}
    found = {
        "queue_cv": series.variation(packets[kept]),
        "queue_empty": series.empty_share(packets[kept]),
        "spectral_peak": series.spectral_peak(packets[kept]),
        "peak_second": series.peak_second_ms(port, instants[kept], packets[kept]),
    }
    if port.rate_changes or len(port.load) > 1:
        found["response_rtts"] = series.response_rtts(
            port, instants, packets, setting.target_ms, warm_up, network.duration_s
        )
    return found


def queue_samples(sweep: Sweep) -> dict[int, tuple[series.Samples, series.Samples]]:
    """Instants in seconds and packets waiting at the bottleneck, by run; empty where none were recorded."""
    runs = sweep.finished["run"].unique().to_list()
    # Without the inner variables of AQMs, which are most of the table.
    named = {"variable": "queue", "component": analysis.component_of(sweep.bottleneck)}
    wanted = [pl.col(column).cast(pl.String) == name for column, name in named.items()]
    rows = sweep.store.scan("series", runs, sweep.results_version).filter(*wanted)
    parts = rows.select("run", "time_s", "value").collect().partition_by("run", maintain_order=True)
    return {int(one["run"][0]): (one["time_s"].to_numpy(), one["value"].to_numpy()) for one in parts}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else math.nan
