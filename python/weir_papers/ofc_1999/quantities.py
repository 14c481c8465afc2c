"""What only this paper asks for: windows, rates and fairness of sources, and rates against the optimum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl

from weir import Scenario
from weir.theory import Network, Optimum, network_of, optimum
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
PACKET_BITS = 8000.0
WEIGHT = 5626.0
"""a of the utility a ln(1 + x)."""
QUEUE = "links.bottleneck.forward"
SENDING_MS = 0.351
"""Of a round trip, beside propagation: to send a packet on three links, and its ACK."""
PROPAGATION_MS = 3.3827
"""Of the main runs: 3.734 ms in all, 21 packets of the link, rounded up."""
SAMPLES = 75
"""ACKs to an estimate, of the main runs."""
MEDIUM, SHORT = 0.125, 1.0
"""Weights of the newest round trip: RFC 6298's, and no memory at all."""

Read = Callable[[str], pl.DataFrame]


@dataclass(frozen=True)
class OfRuns:
    """A number of each run, or of each of its sources."""

    name: str
    unit: str
    values: Callable[[Read], pl.DataFrame]
    """From the tables of an experiment: columns run, value and, of sources, flow."""


def measured(experiment: str, variant: str, what: OfRuns, flows: Sequence[str] = SOURCES) -> Quantity:
    """`OfRuns` of one variant, at every place that is left; of what is measured of sources, those of these
    flows."""

    def samples(study: Study) -> list[Sample]:
        data = study[experiment]
        rows = data.runs.filter(pl.col("variant") == variant).join(_values(what, data.read), on="run")
        if "flow" not in rows.columns:
            return samples_of(rows, data, "value", along=False)
        return [
            replace(sample, place=f"{sample.place}, {_source(flow)}")
            for flow in flows
            for sample in samples_of(rows.filter(pl.col("flow") == flow), data, "value", along=False)
        ]

    return Of(what.name, what.unit, samples)


def _source(flow: str) -> str:
    return f"source {SOURCES.index(flow) + 1}" if flow in SOURCES else flow


@lru_cache(maxsize=128)
def _values(what: OfRuns, read: Read) -> pl.DataFrame:
    """Of all runs of the experiment: they are asked for variant by variant, and reading by reading."""
    return what.values(read)


@lru_cache(maxsize=16)
def bins(read: Read) -> pl.DataFrame:
    """What each source received in each period, Mbit/s. Columns run, flow, from_s, to_s, rate."""
    times = (
        read("groups").filter(pl.col("period") >= 0, group="all").select("run", "period", "from_s", "to_s")
    )
    flows = read("flows").select("run", "flow", "period", rate=pl.col("goodput_bps") / 1e6)
    return flows.join(times, on=["run", "period"])


@lru_cache(maxsize=24)
def series(read: Read, variable: str) -> pl.DataFrame:
    """The series of a variable: run, component, flow, time_s, value."""
    rows = read("series").filter(pl.col("variable") == variable)
    return rows.with_columns(pl.col("component").str.strip_prefix("flows.").alias("flow"))


# --- Receive rates ----------------------------------------------------------------------------------------


def _settled_bins(read: Read) -> pl.DataFrame:
    # A period may begin a nanosecond early.
    return bins(read).filter(pl.col("from_s") >= SETTLED_S - 1e-6)


def _rates(read: Read) -> pl.DataFrame:
    return (
        _settled_bins(read)
        .group_by("run", "flow", maintain_order=True)
        .agg(pl.col("rate").mean().alias("value"))
    )


def _first_rates(read: Read) -> pl.DataFrame:
    first = (pl.col("from_s") >= 0.8 - 1e-6) & (pl.col("to_s") <= 1.0 + 1e-6)
    return (
        bins(read)
        .filter(first)
        .group_by("run", "flow", maintain_order=True)
        .agg(pl.col("rate").mean().alias("value"))
    )


def _swings(read: Read) -> pl.DataFrame:
    swing = pl.col("rate").max() - pl.col("rate").min()
    of_flows = _settled_bins(read).group_by("run", "flow", maintain_order=True).agg(swing.alias("value"))
    return of_flows.group_by("run", maintain_order=True).agg(pl.col("value").mean())


def _late_share(read: Read) -> pl.DataFrame:
    last = pl.col("value").filter(pl.col("flow") == SOURCES[-1]).sum()
    others = pl.col("value").filter(pl.col("flow") != SOURCES[-1]).mean()
    return _rates(read).group_by("run", maintain_order=True).agg((last / others).alias("value"))


def _jain(read: Read) -> pl.DataFrame:
    x = pl.col("delivered").cast(pl.Float64)
    index = x.sum() ** 2 / (pl.len() * (x**2).sum())
    whole = read("flows").filter(pl.col("period") == -1)
    return whole.group_by("run", maintain_order=True).agg(index.alias("value"))


def _least_use(read: Read) -> pl.DataFrame:
    late = (pl.col("period") >= 0) & (pl.col("from_s") >= 0.3 - 1e-6)
    rows = read("links").filter("bottleneck", late, direction="forward", group="all")
    return rows.group_by("run", maintain_order=True).agg((100.0 * pl.col("utilisation").min()).alias("value"))


# --- Windows and prices -----------------------------------------------------------------------------------


def _settled_means(read: Read, variable: str) -> pl.DataFrame:
    found = series(read, variable).filter(pl.col("time_s") >= SETTLED_S)
    return found.group_by("run", "flow", maintain_order=True).agg(pl.col("value").mean())


def _windows(read: Read) -> pl.DataFrame:
    return _settled_means(read, "ownd")


def _window_deviation(read: Read) -> pl.DataFrame:
    found = series(read, "ownd").filter(pl.col("time_s") >= SETTLED_S)
    of_flows = found.group_by("run", "flow", maintain_order=True).agg(pl.col("value").std())
    return of_flows.group_by("run", maintain_order=True).agg(pl.col("value").mean())


def _window_ratio(read: Read) -> pl.DataFrame:
    even = pl.col("flow").str.starts_with("even")
    ratio = pl.col("value").filter(even).mean() / pl.col("value").filter(~even).mean()
    return _windows(read).group_by("run", maintain_order=True).agg(ratio.alias("value"))


def _over_wanted(read: Read) -> pl.DataFrame:
    prices = series(read, "price").filter(pl.col("time_s") >= SETTLED_S, pl.col("flow").is_in(SOURCES))
    wanted = (WEIGHT / pl.col("value") - 1.0).mean() * PACKET_BITS / 1e6
    both = (
        prices.group_by("run", "flow", maintain_order=True)
        .agg(wanted.alias("wanted"))
        .join(_rates(read), on=["run", "flow"])
    )
    return both.select("run", "flow", pl.col("value") / pl.col("wanted"))


def _falls(read: Read) -> pl.DataFrame:
    rows = series(read, "cwnd").sort("run", "flow", "time_s")
    fell = pl.col("value").diff().over("run", "flow") < 0.0
    return rows.group_by("run", maintain_order=True).agg(fell.sum().cast(pl.Float64).alias("value"))


def _last_windows(read: Read) -> pl.DataFrame:
    rows = series(read, "cwnd").sort("time_s")
    return rows.group_by("run", "flow", maintain_order=True).agg(pl.col("value").last())


def _least_windows(read: Read) -> pl.DataFrame:
    return series(read, "cwnd").group_by("run", maintain_order=True).agg(pl.col("value").min())


def _optimal_binds(read: Read) -> pl.DataFrame:
    keys = ["run", "flow", "time_s"]
    both = series(read, "ownd").join(series(read, "cwnd").select(*keys, cwnd="value"), on=keys)
    late = both.filter(pl.col("time_s") >= SETTLED_S)
    binds = 100.0 * (pl.col("value") <= pl.col("cwnd")).mean()
    return late.group_by("run", maintain_order=True).agg(binds.alias("value"))


def _beyond_window(read: Read) -> pl.DataFrame:
    keys = ["run", "flow", "time_s"]
    both = series(read, "flight").join(series(read, "cwnd").select(*keys, cwnd="value"), on=keys)
    return both.group_by("run", maintain_order=True).agg((pl.col("value") - pl.col("cwnd")).max())


# --- The queue --------------------------------------------------------------------------------------------


def _queue(read: Read, from_s: float, value: pl.Expr) -> pl.DataFrame:
    found = series(read, "queue").filter(pl.col("component") == QUEUE, pl.col("time_s") >= from_s)
    return found.group_by("run", maintain_order=True).agg(value.alias("value"))


_INSIDE = pl.col("value").is_between(5.0, 15.0).mean() * 100.0

JAIN = OfRuns("jain index", "", _jain)
RATES = OfRuns("receive rate from 1 s on", "Mbit/s", _rates)
FIRST_RATES = OfRuns("receive rate from 0.8 to 1 s", "Mbit/s", _first_rates)
SWING = OfRuns("range of a receive rate in bins, mean of the sources", "Mbit/s", _swings)
LATE_SHARE = OfRuns("rate of source 4 over the others' mean", "", _late_share)
LEAST_USE = OfRuns("least utilisation of a bin from 0.3 s on", "%", _least_use)
WINDOWS = OfRuns("optimal window from 1 s on", "packets", _windows)
WINDOW_DEVIATION = OfRuns(
    "deviation of an optimal window from 1 s on, mean of the sources", "packets", _window_deviation
)
WINDOW_RATIO = OfRuns("optimal windows of sources 2 and 4 over those of 1 and 3", "", _window_ratio)
OVER_WANTED = OfRuns("receive rate over the one that the price is worth", "", _over_wanted)
FALLS = OfRuns("reductions of congestion windows", "", _falls)
LAST_WINDOWS = OfRuns("congestion window at the end", "packets", _last_windows)
LEAST_WINDOWS = OfRuns("smallest congestion window of any source", "packets", _least_windows)
OPTIMAL_BINDS = OfRuns("time in which optimal windows are the smaller ones, from 1 s on", "%", _optimal_binds)
BEYOND_WINDOW = OfRuns("most in flight beyond the congestion window", "packets", _beyond_window)
SHORTEST = OfRuns("shortest queue from 0.25 s on", "packets",
                  lambda read: _queue(read, ALONE_S, pl.col("value").min()))  # fmt: skip
SETTLED_QUEUE = OfRuns("mean queue from 1 s on", "packets",
                       lambda read: _queue(read, SETTLED_S, pl.col("value").mean()))  # fmt: skip
SETTLED_DEVIATION = OfRuns("deviation of the queue from 1 s on", "packets",
                           lambda read: _queue(read, SETTLED_S, pl.col("value").std()))  # fmt: skip
BETWEEN_THRESHOLDS = OfRuns("time with 5 to 15 packets waiting, from 1 s on", "%",
                            lambda read: _queue(read, SETTLED_S, _INSIDE))  # fmt: skip

_OF_RUNS = {"jain": JAIN, "swing": SWING}


def measure(experiment: str, variant: str, name: str) -> Quantity:
    """`jain` and `swing` as the paper has them, everything else as Weir has it."""
    if name in _OF_RUNS:
        return measured(experiment, variant, _OF_RUNS[name])
    return Level(experiment, variant, name)


# --- Several links ----------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def best(variant: str) -> tuple[Network, Optimum]:
    """The network of the packets, and its optimum."""
    network = network_of(Scenario.load("papers/ofc-1999-network").variant(variant))
    return network, optimum(network)


def rate_off(variant: str) -> Quantity:
    """Of each group of sources, what it receives against the optimum, %."""
    network, found = best(variant)

    def samples(study: Study) -> list[Sample]:
        data = study["network"]
        rows = data.table("groups", "group", "period", "goodput_bps").filter(period=-1, variant=variant)
        return [
            _percent(data, rows.filter(group=source.name), "goodput_bps",
                     source.name, PACKET_BITS * source.count * float(rate))
            for source, rate in zip(network.sources, found.rates, strict=True)
        ]  # fmt: skip

    return Of("rate against the optimum", "%", samples)


def measuring(quantity: Quantity, gain: float = MEDIUM) -> Quantity:
    """The same over several links where hosts measure their round trip with this weight."""
    return Of(
        quantity.title,
        quantity.unit,
        lambda study: quantity.samples(study.at("network-measured", "network", gain=gain)),
    )


def price_off(variant: str) -> Quantity:
    """Of each group of sources, the price that it estimates against the sum of those of its links, %."""
    network, _ = best(variant)

    def samples(study: Study) -> list[Sample]:
        data = study["network"]
        rows = _late_prices(data.read)
        found: list[Sample] = []
        for source in network.sources:
            links = rows.filter(pl.col("name").is_in([f"links.{name}.forward" for name in source.path]))
            own = rows.filter(pl.col("name") == f"flows.{source.name}")
            both = own.join(
                links.group_by("run", maintain_order=True).agg(pl.col("price").sum().alias("sum")), on="run"
            )
            ratio = data.runs.filter(variant=variant).join(both, on="run")
            found.append(_percent(data, ratio.with_columns(pl.col("price") / pl.col("sum")), "price",
                                  source.name, 1.0))  # fmt: skip
        return found

    return Of("price of the path against the sum of its links", "%", samples)


def link_price_off(variant: str) -> Quantity:
    """Of each link, its mean price against the optimum, %."""
    network, found = best(variant)

    def samples(study: Study) -> list[Sample]:
        data = study["network"]
        rows = data.runs.filter(variant=variant).join(_late_prices(data.read), on="run")
        return [
            _percent(data, rows.filter(name=f"links.{link.name}.forward"), "price", link.name, float(price))
            for link, price in zip(network.links, found.prices, strict=True)
        ]

    return Of("price of a link against the optimum", "%", samples)


@lru_cache(maxsize=4)
def _late_prices(read: Read) -> pl.DataFrame:
    """Mean prices after the warm-up, of links and of groups of sources: run, name, price."""
    name = pl.col("component").str.replace(r"\.\d+$", "")
    late = series(read, "price").filter(pl.col("time_s") >= 20.0)
    return late.group_by("run", name.alias("name"), maintain_order=True).agg(
        pl.col("value").mean().alias("price")
    )


def _percent(data: Data, rows: pl.DataFrame, column: str, name: str, wanted: float) -> Sample:
    (sample,) = samples_of(rows, data, column, along=False)
    return replace(
        sample, place=f"{sample.place}, {name}", values=100.0 * (np.asarray(sample.values) / wanted - 1.0)
    )
