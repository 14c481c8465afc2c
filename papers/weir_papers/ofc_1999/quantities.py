"""What only this paper asks for: windows, receive rates and fairness of each of four sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import polars as pl

from weir_papers.data import Data, Sample, Study
from weir_papers.quantities import Level, Of, Quantity, samples_of

SETTLED_S = 1.0
"""400 ms after the last start."""
ALONE_S = 0.25
"""The second source has been there for ten round trips."""
SOURCES = ("odd.0", "even.0", "odd.1", "even.1")
"""By their starts."""
PACKETS = 56250
"""That the link carries in 10 s."""
QUEUE = "links.bottleneck.forward"
SENDING_MS = 0.351
"""Of a round trip, beside propagation: to send a packet on three links, and its ACK."""
PROPAGATION_MS = 3.3827
"""Of the main runs: 3.734 ms in all, 21 packets of the link, rounded up."""
SAMPLES = 75
"""ACKs to an estimate, of the main runs."""


@dataclass(frozen=True)
class OfRuns:
    """A number of each run, or of each of its sources."""

    name: str
    unit: str
    values: Callable[[Data], pl.DataFrame]
    """Columns run, value and, of sources, flow."""


def measured(experiment: str, variant: str, what: OfRuns, flows: Sequence[str] = SOURCES) -> Quantity:
    """`OfRuns` of one variant, at every place that is left; of what is measured of sources, those of these
    flows."""

    def samples(study: Study) -> list[Sample]:
        data = study[experiment]
        rows = data.runs.filter(pl.col("variant") == variant).join(what.values(data), on="run")
        if "flow" not in rows.columns:
            return samples_of(rows, data, "value", along=False)
        return [
            replace(sample, place=f"{sample.place}, source {SOURCES.index(flow) + 1}")
            for flow in flows
            for sample in samples_of(rows.filter(pl.col("flow") == flow), data, "value", along=False)
        ]

    return Of(what.name, what.unit, samples)


def bins(data: Data) -> pl.DataFrame:
    """What each source received in each period, Mbit/s. Columns run, flow, from_s, to_s, rate."""
    times = data.periods.select("run", "period", "from_s", "to_s")
    flows = data.read("flows").select("run", "flow", "period", "goodput_bps")
    return flows.join(times, on=["run", "period"]).with_columns((pl.col("goodput_bps") / 1e6).alias("rate"))


def _settled_bins(data: Data) -> pl.DataFrame:
    # A period may begin a nanosecond early.
    return bins(data).filter(pl.col("from_s") >= SETTLED_S - 1e-6)


def _rates(data: Data) -> pl.DataFrame:
    return _settled_bins(data).group_by("run", "flow").agg(pl.col("rate").mean().alias("value"))


def _first_rates(data: Data) -> pl.DataFrame:
    first = (pl.col("from_s") >= 0.8 - 1e-6) & (pl.col("to_s") <= 1.0 + 1e-6)
    return bins(data).filter(first).group_by("run", "flow").agg(pl.col("rate").mean().alias("value"))


def _swings(data: Data) -> pl.DataFrame:
    swing = pl.col("rate").max() - pl.col("rate").min()
    of_flows = _settled_bins(data).group_by("run", "flow").agg(swing.alias("value"))
    return of_flows.group_by("run").agg(pl.col("value").mean())


def _late_share(data: Data) -> pl.DataFrame:
    last = pl.col("value").filter(pl.col("flow") == SOURCES[-1]).sum()
    others = pl.col("value").filter(pl.col("flow") != SOURCES[-1]).mean()
    return _rates(data).group_by("run").agg((last / others).alias("value"))


def _jain(data: Data) -> pl.DataFrame:
    x = pl.col("delivered").cast(pl.Float64)
    index = x.sum() ** 2 / (pl.len() * (x**2).sum())
    whole = data.read("flows").filter(pl.col("period") == -1)
    return whole.group_by("run").agg(index.alias("value"))


@lru_cache(maxsize=8)
def series(data: Data, variable: str) -> pl.DataFrame:
    """The series of a variable: run, component, flow, time_s, value."""
    rows = data.read("series").filter(pl.col("variable") == variable)
    return rows.with_columns(pl.col("component").str.strip_prefix("flows.").alias("flow"))


def _settled_series(data: Data, variable: str) -> pl.DataFrame:
    return series(data, variable).filter(pl.col("time_s") >= SETTLED_S)


def _windows(data: Data) -> pl.DataFrame:
    found = _settled_series(data, "ownd")
    return found.group_by("run", "flow").agg(pl.col("value").mean())


def _window_ratio(data: Data) -> pl.DataFrame:
    even = pl.col("flow").str.starts_with("even")
    ratio = pl.col("value").filter(even).mean() / pl.col("value").filter(~even).mean()
    return _windows(data).group_by("run").agg(ratio.alias("value"))


def _falls(data: Data) -> pl.DataFrame:
    rows = series(data, "cwnd").sort("run", "flow", "time_s")
    fell = pl.col("value").diff().over("run", "flow") < 0.0
    return rows.group_by("run").agg(fell.sum().cast(pl.Float64).alias("value"))


def _last_windows(data: Data) -> pl.DataFrame:
    rows = series(data, "cwnd").sort("time_s")
    return rows.group_by("run", "flow", maintain_order=True).agg(pl.col("value").last())


def _queue(data: Data, from_s: float) -> pl.DataFrame:
    found = series(data, "queue")
    return found.filter(pl.col("component") == QUEUE, pl.col("time_s") >= from_s)


def _shortest(data: Data) -> pl.DataFrame:
    return _queue(data, ALONE_S).group_by("run").agg(pl.col("value").min())


def _settled_queue(data: Data) -> pl.DataFrame:
    return _queue(data, SETTLED_S).group_by("run").agg(pl.col("value").mean())


def _settled_deviation(data: Data) -> pl.DataFrame:
    return _queue(data, SETTLED_S).group_by("run").agg(pl.col("value").std())


def _between_thresholds(data: Data) -> pl.DataFrame:
    inside = pl.col("value").is_between(5.0, 15.0)
    return _queue(data, SETTLED_S).group_by("run").agg((100.0 * inside.mean()).alias("value"))


def _least_use(data: Data) -> pl.DataFrame:
    late = data.periods.filter(pl.col("from_s") >= 0.3 - 1e-6)
    return late.group_by("run").agg(pl.col("utilisation").min().alias("value"))


JAIN = OfRuns("Jain index of packets received", "", _jain)
RATES = OfRuns("receive rate from 1 s on", "Mbit/s", _rates)
FIRST_RATES = OfRuns("receive rate from 0.8 to 1 s", "Mbit/s", _first_rates)
SWING = OfRuns("range of a receive rate in bins, mean of the sources", "Mbit/s", _swings)
LATE_SHARE = OfRuns("rate of source 4 over the others' mean", "", _late_share)
WINDOWS = OfRuns("optimal window from 1 s on", "packets", _windows)
WINDOW_RATIO = OfRuns("optimal windows of sources 2 and 4 over those of 1 and 3", "", _window_ratio)
FALLS = OfRuns("reductions of congestion windows", "", _falls)
LAST_WINDOWS = OfRuns("congestion window at the end", "packets", _last_windows)
SHORTEST = OfRuns("shortest queue from 0.25 s on", "packets", _shortest)
SETTLED_QUEUE = OfRuns("mean queue from 1 s on", "packets", _settled_queue)
SETTLED_DEVIATION = OfRuns("deviation of the queue from 1 s on", "packets", _settled_deviation)
BETWEEN_THRESHOLDS = OfRuns("time with 5 to 15 packets waiting, from 1 s on", "%", _between_thresholds)
LEAST_USE = OfRuns("least utilisation of 100 ms from 0.3 s on", "%", _least_use)

_OF_RUNS = {"jain": JAIN, "swing": SWING}


def measure(experiment: str, variant: str, name: str) -> Quantity:
    """`jain` and `swing` as the paper has them, everything else as Weir has it."""
    if name in _OF_RUNS:
        return measured(experiment, variant, _OF_RUNS[name])
    return Level(experiment, variant, name)
