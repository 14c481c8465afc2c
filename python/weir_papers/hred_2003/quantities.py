"""What only this paper asks for: queues in kilobytes, response times, limit cycles and gains.

A response time is as section IV has it: from a change of load until the queue is between min_th / 2 and
3 max_th / 2 and stays there for 10 s. It is infinite where the queue does not settle before the load changes
again. Such a run counts here with the length of its phase, the least that its time can be; a mean of the
finite times would be too short. The share of such runs is a quantity of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.stats import ALL, times
from weir_papers.data import Data, Sample, Study
from weir_papers.hred_2003.parameters import (
    CAPACITY,
    MAX_TH,
    MIN_TH,
    PACKET,
    RTT_MEAN,
    K,
    loop_gain,
    red_gain,
)
from weir_papers.quantities import Level, Of, Quantity, plain, spearman

QUEUE = "links.bottleneck.forward"


@dataclass(frozen=True)
class Kilobytes(Level):
    """A measure of the queue in kilobytes.

    Packets of the queue times the mean size of those that left it in the same time: nearly 500 B, but the
    SYNs of web connections have 40 B.
    """

    measure: str = "mean_queue"

    @property
    def unit(self) -> str:
        return "kB"

    def rows(self, data: Data) -> pl.DataFrame:
        columns = ("period", "direction", "class", "group", "bytes", "departures")
        links = data.table("links", *columns).filter(
            pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("group") == ALL
        )
        size = (pl.col("bytes") / pl.col("departures") / 1e3).alias("kilobytes")
        sizes = links.select("run", "period", size).unique(["run", "period"])
        rows = super().rows(data).join(sizes, on=["run", "period"], how="left", maintain_order="left")
        return rows.with_columns(pl.col(self.measure) * pl.col("kilobytes"))


@dataclass(frozen=True)
class Swing(Level):
    """Amplitude of the limit cycle in the queue, from 100 s on."""

    measure: str = "limit_cycle"

    @property
    def unit(self) -> str:
        return "kB"

    def rows(self, data: Data) -> pl.DataFrame:
        runs = data.runs.filter(variant=self.variant)["run"].to_list()
        parts = queues(data, runs, since=100.0).items()
        found = {run: cycle(part["value"].to_numpy()) * PACKET / 1e3 for run, part in parts}
        rows = data.whole.filter(variant=self.variant)
        swings = pl.col("run").replace_strict(found, return_dtype=pl.Float64)
        return rows.with_columns(swings.alias(self.measure))


@lru_cache(maxsize=16)
def _queue_series(read: Callable[[str], pl.DataFrame]) -> pl.DataFrame:
    # Reading the series takes longer than all else, and every reading of the paper asks for some of it.
    return read("series").filter(pl.col("component") == QUEUE, pl.col("variable") == "queue")


def queues(data: Data, runs: list[int], since: float = 0.0) -> dict[int, pl.DataFrame]:
    """Of each of these runs the queue over time: time_s, value (packets)."""
    rows = _queue_series(data.read).filter(pl.col("run").is_in(runs), pl.col("time_s") >= since)
    parts = rows.partition_by("run", as_dict=True, maintain_order=True)
    return {int(run): part.sort("time_s") for (run,), part in parts.items()}


def cycle(queue: NDArray[np.float64]) -> float:
    """The amplitude of what repeats: that of a sine with the covariance that the queue has with itself one
    period later.

    The period is where the autocorrelation has its first peak after it has been negative; noise has none
    there, a limit cycle nearly all of its variance.
    """
    centred = queue - queue.mean()
    size = centred.size
    spectrum = np.abs(np.fft.rfft(centred, 2 * size)) ** 2
    half = size // 2
    # By the number of pairs at each lag: without it, long periods look as if they faded.
    weights = np.array([1.0 / (size - lag) for lag in range(half)])
    covariance = np.fft.irfft(spectrum)[:half] * weights
    below = np.flatnonzero(covariance < 0.0)
    if below.size == 0:
        return 0.0
    begin = int(below[0])
    above = np.flatnonzero(covariance[begin:] > 0.0)
    if above.size == 0:
        return 0.0
    first = begin + int(above[0])
    ends = np.flatnonzero(covariance[first:] <= 0.0)
    last = first + int(ends[0]) if ends.size else covariance.size
    return float(np.sqrt(2.0 * covariance[first:last].max()))


def gain(of: Kilobytes) -> Quantity:
    """|S| of RED or HRED at the mean queues of runs, at the K of their axis where there is one."""

    def samples(study: Study) -> list[Sample]:
        varies = "k" in study[of.experiment].axes

        def at(queue: float, place: float) -> float:
            return (
                red_gain(queue) if of.variant == "red" else loop_gain(queue, RTT_MEAN, place if varies else K)
            )

        return [
            Sample(one.place, one.at, np.array([at(1e3 * queue, one.at) for queue in one.values]))
            for one in of.samples(study)
        ]

    return Of("gain |S|", "", samples)


def queue_law(experiment: str, variant: str) -> Quantity:
    """K of equation (1), (l + C RTT) √p / N, against that with the fewest flows, in per cent."""
    loads = Kilobytes(experiment, variant)
    lost = Level(experiment, variant, "loss")

    def samples(study: Study) -> list[Sample]:
        pairs = zip(loads.samples(study), lost.samples(study), strict=True)
        found = [
            (one, (one.values + CAPACITY * RTT_MEAN / 1e3) * np.sqrt(loss.values / 100.0) / one.at)
            for one, loss in pairs
        ]
        first = found[0][1]
        return [Sample(one.place, one.at, 100.0 * (k / first - 1.0)) for one, k in found[1:]]

    return Of("(l + C RTT) √p / N against that of the fewest flows", "%", samples)


def agreement(first: Quantity, second: Quantity) -> Quantity:
    """The rank correlation of two quantities over their places."""

    def samples(study: Study) -> list[Sample]:
        a, b = (np.stack([one.values for one in of.samples(study)]) for of in (first, second))
        found = np.array([spearman(a[:, run], b[:, run]) for run in range(a.shape[1])])
        return [Sample("", float("nan"), found)]

    return Of(f"rank correlation of {first.title} and {second.title}", "", samples)


# --- Response times ---------------------------------------------------------------------------------------

LOW, HIGH = 0.5 * MIN_TH / PACKET, 1.5 * MAX_TH / PACKET
"""The band, packets."""
HOLD_S = 10.0


@dataclass(frozen=True)
class Phases:
    """When the load of an experiment changes."""

    changes: tuple[float, ...]
    end: float
    names: tuple[str, ...]
    flows: float = float("nan")
    """FTP flows at the start, where an axis says how many come."""

    def of(self, index: int) -> tuple[float, float]:
        """Beginning and end of the phase after a change."""
        return self.changes[index], (*self.changes, self.end)[index + 1]


_DOUBLINGS = Phases((150.0, 200.0, 250.0), 300.0, ("150 to 200 s", "200 to 250 s", "250 to 300 s"))
PHASES: dict[str, Phases] = {
    **dict.fromkeys(("dynamic", "dynamic-ftp", "today"), _DOUBLINGS),
    **{
        name: Phases((100.0, 180.0), 260.0, ("rising", "falling"), flows)
        for name, flows in (
            *(("moderate", 100.0), ("heavy", 400.0)),
            *(("pi-capacity", 100.0), ("gains-response", 100.0)),
        )
    },
}


def _growth(data: Data) -> Phases:
    """The phases of a load that grows at the beginnings of periods: a reading may have its own schedule."""
    rows = data.periods.select("from_s", "to_s", "users").unique().sort("from_s")
    later = rows.filter(pl.col("users") > pl.col("users").shift(1))
    changes, end = later["from_s"].to_list(), float(rows["to_s"][-1])
    bounds = pairwise([*changes, end])
    return Phases(tuple(changes), end, tuple(f"{begin:g} to {until:g} s" for begin, until in bounds))


@dataclass(frozen=True)
class Response(Quantity):
    """Seconds until the queue has come to stay, or the share of runs in which it has not."""

    experiment: str
    variant: str
    changes: tuple[int, ...]
    """Which changes count, from 0."""
    what: Literal["time", "never"] = "time"

    @property
    def unit(self) -> str:
        return "s" if self.what == "time" else ""

    @property
    def title(self) -> str:
        return "response time" if self.what == "time" else "share that never settle"

    def samples(self, study: Study) -> list[Sample]:
        data = study[self.experiment]
        phases = _growth(data) if self.experiment == "dynamic" else PHASES[self.experiment]
        rows = response_times(data, phases).filter(variant=self.variant)
        found: list[Sample] = []
        for change in self.changes:
            begin, end = phases.of(change)
            here = rows.filter(change=change)
            for part in here.partition_by(data.axes, maintain_order=True) if data.axes else [here]:
                values = part["response_s"].to_numpy()
                if self.what == "time":
                    values = np.minimum(values, end - begin)
                else:
                    values = np.isinf(values).astype(np.float64)
                words, at = [str(part["label"][0]), phases.names[change]], begin
                for axis in data.axes:
                    at = float(part[axis][0])
                    if axis == "more":
                        at = 1.0 + at / phases.flows
                    words.append(f"{at:g} times the flows" if axis == "more" else f"{axis} {plain(at)}")
                found.append(Sample(", ".join(words), at, values))
        return found


@lru_cache(maxsize=64)
def response_times(data: Data, phases: Phases) -> pl.DataFrame:
    """A row per run and change: those of the runs, change, response_s (infinite for never)."""
    rows = [
        {"run": run, "change": change, "response_s": response}
        for run, part in queues(data, data.runs["run"].to_list()).items()
        for change, response in enumerate(of_run(part["time_s"].to_numpy(), part["value"].to_numpy(), phases))
    ]
    found = pl.DataFrame(
        rows, schema={"run": data.runs["run"].dtype, "change": pl.Int64, "response_s": pl.Float64}
    )
    return data.runs.join(found, on="run", maintain_order="left").sort(*data.axes, "replication")


def of_run(time_s: NDArray[np.float64], queue: NDArray[np.float64], phases: Phases) -> list[float]:
    """The response times of one run from its queue, packets, at these seconds."""
    instants = np.rint(time_s * 1e9).astype(np.int64)
    inside = (queue >= LOW) & (queue <= HIGH)
    bounds = [tuple(round(1e9 * instant) for instant in phases.of(n)) for n in range(len(phases.changes))]
    return [times(instants, inside, begin, end, round(1e9 * HOLD_S))[0] for begin, end in bounds]
