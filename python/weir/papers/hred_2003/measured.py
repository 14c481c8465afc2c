"""Queues in kilobytes, as the paper has them, and periods that repeat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.analysis import ALL
from weir.measures import MEASURES
from weir.papers.data import Data, Sample, Study
from weir.papers.quantities import Quantity, samples_of

QueueMeasure = Literal["mean_queue", "queue_sd"]

QUEUE = "links.bottleneck.forward"


@dataclass(frozen=True)
class Kilobytes(Quantity):
    """A measure of the queue in kilobytes.

    Packets of the queue times the mean size of those that left it in the same time: nearly 500 B, but the
    SYNs of web connections have 40 B.
    """

    experiment: str
    variant: str
    measure: QueueMeasure = "mean_queue"
    at: Mapping[str, Sequence[float | str]] = field(default_factory=dict[str, "Sequence[float | str]"])
    """Axis, or `from_s` of periods, to the values that count."""
    when: Literal["whole", "periods"] = "whole"

    @property
    def unit(self) -> str:
        return "kB"

    @property
    def title(self) -> str:
        return MEASURES[self.measure].title.lower()

    def samples(self, study: Study) -> list[Sample]:
        data = study[self.experiment]
        rows = (data.whole if self.when == "whole" else data.periods).filter(variant=self.variant)
        rows = rows.filter(*_chosen(self.at))
        sizes = _packet_sizes(data)
        rows = rows.join(sizes, on=["run", "period"], how="left", maintain_order="left")
        rows = rows.with_columns((pl.col(self.measure) * pl.col("kilobytes")).alias("value"))
        return samples_of(rows, data, "value", along=self.when == "periods")

    def of(self, variant: str) -> Kilobytes:
        """The same of another variant."""
        return replace(self, variant=variant)


def _packet_sizes(data: Data) -> pl.DataFrame:
    """Mean size of the packets that left, in kB, by run and period."""
    columns = ("period", "direction", "class", "group", "bytes", "departures")
    links = data.table("links", *columns).filter(
        pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("group") == ALL
    )
    return links.select(
        "run", "period", (pl.col("bytes") / pl.col("departures") / 1e3).alias("kilobytes")
    ).unique(["run", "period"])


@dataclass(frozen=True)
class OfSeries(Quantity):
    """What a function makes of variables of the bottleneck over time, run by run."""

    name: str
    of_unit: str
    experiment: str
    variant: str
    function: Callable[[Mapping[str, NDArray[np.float64]]], float]
    """Of the values of each variable, from 100 s on."""
    variables: tuple[str, ...] = ("queue",)
    at: Mapping[str, Sequence[float]] = field(default_factory=dict[str, "Sequence[float]"])
    """Axis to the values that count."""

    @property
    def unit(self) -> str:
        return self.of_unit

    @property
    def title(self) -> str:
        return self.name

    def samples(self, study: Study) -> list[Sample]:
        data = study[self.experiment]
        runs = data.runs.filter(pl.col("variant") == self.variant, *_chosen(self.at))
        rows = data.read("series").filter(
            pl.col("run").is_in(runs["run"].implode()),
            pl.col("component") == QUEUE,
            pl.col("variable").cast(pl.String).is_in(list(self.variables)),
            pl.col("time_s") >= 100.0,
        )
        found = {
            run: self.function(_arrays(part))
            for (run,), part in rows.partition_by("run", as_dict=True, maintain_order=True).items()
        }
        values = runs.with_columns(
            pl.col("run").replace_strict(found, return_dtype=pl.Float64).alias("value")
        )
        return samples_of(values, data, "value", along=False)

    def where(self, **at: Sequence[float]) -> OfSeries:
        """The same at these values of axes only."""
        return replace(self, at=at)


def _chosen(at: Mapping[str, Sequence[float | str]]) -> list[pl.Expr]:
    return [pl.any_horizontal([_is(name, value) for value in values]) for name, values in at.items()]


def _is(name: str, value: float | str) -> pl.Expr:
    if isinstance(value, str):
        return pl.col(name) == value
    # Values of axes are read from text: 0.1 is not always 0.1.
    return (pl.col(name) - value).abs() <= 1e-6 * max(1.0, abs(value))


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
