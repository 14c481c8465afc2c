"""What only this paper asks for: queues in kilobytes, response times, limit cycles and gains.

A response time is as section IV has it: from a change of load until the queue is between min_th / 2 and
3 max_th / 2 and stays there for 10 s. It is infinite where the queue does not settle before the load changes
again. Such a run counts here with the length of its phase, the least that its time can be; a mean of the
finite times would be too short. The share of such runs is a quantity of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.stats import ALL, moving_average, times
from weir_papers.data import Data, Sample, Study, near
from weir_papers.hred_2003.parameters import CAPACITY, MAX_TH, MIN_TH, PACKET, RTT_MEAN
from weir_papers.quantities import Level, Of, Quantity, samples_of

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
        rows = (
            super()
            .rows(data)
            .join(_packet_sizes(data), on=["run", "period"], how="left", maintain_order="left")
        )
        return rows.with_columns(pl.col(self.measure) * pl.col("kilobytes"))


def _packet_sizes(data: Data) -> pl.DataFrame:
    """Mean size of the packets that left, in kB, by run and period."""
    columns = ("period", "direction", "class", "group", "bytes", "departures")
    links = data.table("links", *columns).filter(
        pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("group") == ALL
    )
    return links.select(
        "run", "period", (pl.col("bytes") / pl.col("departures") / 1e3).alias("kilobytes")
    ).unique(["run", "period"])


def _of_series(
    name: str,
    unit: str,
    function: Callable[[Mapping[str, NDArray[np.float64]]], float],
    variables: Sequence[str],
    at: Mapping[str, float],
) -> Quantity:
    """What a function makes of variables of HRED's bottleneck over time, from 100 s on, run by run of the
    experiment `gain`; only at these values of its axes."""

    def samples(study: Study) -> list[Sample]:
        data = study["gain"]
        chosen = [near(axis, value) for axis, value in at.items()]
        runs = data.runs.filter(pl.col("variant") == "hred", *chosen)
        rows = data.read("series").filter(
            pl.col("run").is_in(runs["run"].implode()),
            pl.col("component") == QUEUE,
            pl.col("variable").cast(pl.String).is_in(list(variables)),
            pl.col("time_s") >= 100.0,
        )
        found = {
            run: function(_arrays(part))
            for (run,), part in rows.partition_by("run", as_dict=True, maintain_order=True).items()
        }
        values = runs.with_columns(
            pl.col("run").replace_strict(found, return_dtype=pl.Float64).alias("value")
        )
        return samples_of(values, data, "value", along=False)

    return Of(name, unit, samples)


def _arrays(run: pl.DataFrame) -> dict[str, NDArray[np.float64]]:
    parts = run.sort("time_s").partition_by("variable", as_dict=True, maintain_order=True)
    return {str(name): part["value"].to_numpy() for (name,), part in parts.items()}


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


HALF_BAND = 62.5
"""kB: a swing of so much about the middle of the band touches it on both sides."""


def _amplitude(values: Mapping[str, NDArray[np.float64]]) -> float:
    return cycle(values["queue"]) * PACKET / 1e3


def _measured_gain(values: Mapping[str, NDArray[np.float64]]) -> float:
    """Equation (7) at the queue and the line that the run had."""
    queue = float(values["queue"].mean()) * PACKET
    slope = float((values["p_max"] - values["p_min"]).mean()) / (MAX_TH - MIN_TH)
    return (queue + CAPACITY * RTT_MEAN) / (2.0 * float(values["probability"].mean())) * slope


def amplitude(**at: float) -> Quantity:
    """Of the limit cycle, at these values of axes."""
    return _of_series("amplitude of the limit cycle", "kB", _amplitude, ("queue",), at)


def gain(**at: float) -> Quantity:
    """|S|, at these values of axes."""
    return _of_series("gain |S|", "", _measured_gain, ("queue", "p_min", "p_max", "probability"), at)


# --- Response times ---------------------------------------------------------------------------------------

LOW, HIGH = 0.5 * MIN_TH / PACKET, 1.5 * MAX_TH / PACKET
"""The band, packets."""
HOLD_S, AVERAGE_S = 10.0, 0.1

View = Literal["samples", "average"]
What = Literal["time", "never"]
VIEWS: dict[View, str] = {"samples": "", "average": ", mean over 100 ms"}


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
_TO_AND_FRO = Phases((100.0, 180.0), 260.0, ("rising", "falling"), 100.0)
PHASES: dict[str, Phases] = {
    "dynamic": _DOUBLINGS,
    "dynamic-ftp": _DOUBLINGS,
    "today": _DOUBLINGS,
    "moderate": _TO_AND_FRO,
    "moderate-ftp": _TO_AND_FRO,
    "heavy": replace(_TO_AND_FRO, flows=400.0),
    **dict.fromkeys(("why-rtt", "why-k", "why-p-min"), _TO_AND_FRO),
}


@dataclass(frozen=True)
class Response(Quantity):
    """Seconds until the queue has come to stay, or the share of runs in which it has not."""

    experiment: str
    variant: str
    changes: tuple[int, ...]
    """Which changes count, from 0."""
    view: View = "samples"
    what: What = "time"
    more: tuple[float, ...] | None = None
    """Values of the axis that count; None: all."""
    setting: float | None = None
    """Of HRED, where it varies."""

    @property
    def unit(self) -> str:
        return "s" if self.what == "time" else ""

    @property
    def title(self) -> str:
        return ("response time" if self.what == "time" else "share that never settle") + VIEWS[self.view]

    def samples(self, study: Study) -> list[Sample]:
        phases = PHASES[self.experiment]
        rows = response_times(study, self.experiment).filter(variant=self.variant, view=self.view)
        if self.more is not None:
            rows = rows.filter(pl.col("more").is_in(list(self.more)))
        if self.setting is not None:
            rows = rows.filter((pl.col("setting") - self.setting).abs() <= 1e-9 * self.setting)
        axis = "more" in rows.columns
        found: list[Sample] = []
        for change in self.changes:
            begin, end = phases.of(change)
            here = rows.filter(change=change)
            for part in here.partition_by("more", maintain_order=True) if axis else [here]:
                label = str(part["label"][0])
                values = part.sort("replication")["response_s"].to_numpy()
                if self.what == "time":
                    values = np.minimum(values, end - begin)
                else:
                    values = np.isinf(values).astype(np.float64)
                words = [label, phases.names[change]]
                at = begin
                if axis:
                    at = 1.0 + float(part["more"][0]) / phases.flows
                    words.append(f"{at:g} times the flows")
                found.append(Sample(", ".join(words), at, values))
        return found

    def of(self, variant: str) -> Response:
        """The same of another variant."""
        return replace(self, variant=variant)


@lru_cache(maxsize=len(PHASES))
def response_times(study: Study, experiment: str) -> pl.DataFrame:
    """A row per run, change and view: those of the runs, change, view, response_s (infinite for never).

    Kept: reading the series takes longer than all else.
    """
    data, phases = study[experiment], PHASES[experiment]
    series = data.read("series").filter(
        pl.col("run").is_in(data.runs["run"].implode()),
        pl.col("component") == QUEUE,
        pl.col("variable") == "queue",
    )
    rows: list[Mapping[str, object]] = []
    for (run,), part in series.partition_by("run", as_dict=True, maintain_order=True).items():
        ordered = part.sort("time_s")
        instants = np.rint(ordered["time_s"].to_numpy() * 1e9).astype(np.int64)
        rows += [{"run": run, **row} for row in of_run(instants, ordered["value"].to_numpy(), phases)]
    found = pl.DataFrame(
        rows, schema={"run": pl.Int64, "change": pl.Int64, "view": pl.String, "response_s": pl.Float64}
    )
    return data.runs.join(found, on="run", maintain_order="left").sort(*data.axes, "replication")


def of_run(
    instants: NDArray[np.int64], queue: NDArray[np.float64], phases: Phases
) -> list[dict[str, int | str | float]]:
    """The response times of one run from its queue, packets, at these nanoseconds."""
    interval = float(np.median(np.diff(instants))) / 1e9
    views: dict[View, NDArray[np.float64]] = {
        "samples": queue,
        "average": moving_average(queue, max(1, round(AVERAGE_S / interval))),
    }
    found: list[dict[str, int | str | float]] = []
    for index in range(len(phases.changes)):
        begin, end = (round(1e9 * instant) for instant in phases.of(index))
        for view, values in views.items():
            inside = (values >= LOW) & (values <= HIGH)
            response, _ = times(instants, inside, begin, end, round(1e9 * HOLD_S))
            found.append({"change": index, "view": view, "response_s": response})
    return found
