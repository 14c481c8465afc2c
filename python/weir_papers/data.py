"""Measurements of the runs of an experiment, as claims and figures need them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.stats import ALL, MEASURES, WHOLE_RUN, bottleneck_rows

if TYPE_CHECKING:
    from weir import Sweep

_OF_LINK = ("arrivals", "departures", "drops", "drops_early", "drops_forced", "drops_overflow", "marks")
_OF_SENDERS = ("sent", "retransmitted", "delivered", "arrived", "fast_retransmits", "ecn_cuts")

COUNTERS = (*_OF_LINK, *_OF_SENDERS)
"""Counts beside the measures: at the bottleneck's queue, and at all senders and receivers."""

_WEIGHTS = {"loss": "sent", "mark_fraction": "arrivals", "delay_mean": "departures"}
"""Measure to the weights of its mean over several periods; all other measures are weighted with their
length."""

_SUMS = ("timeouts", *COUNTERS)


@dataclass(frozen=True)
class Sample:
    """One quantity at one place: a value per replication, shape (n,), NaN where it is not defined."""

    place: str
    """Place in words: `REM mark, 40 users`."""
    at: float
    """Position on the axis of a figure; NaN where there is none."""
    values: NDArray[np.float64]
    exact: bool = False
    """True if nothing is random: one value, computed."""


@dataclass(frozen=True, eq=False)
class Data:
    """The finished runs of one experiment. A key of caches: only itself is equal.

    `frame` has a row per run and period: run, variant, label, replication, the axes by their short
    names, period (-1: the whole run), from_s, to_s, users, every measure of `weir list measures` in
    its unit (but loss is dropped over sent packets), and `COUNTERS`.
    """

    frame: pl.DataFrame
    runs: pl.DataFrame
    """A row per run: run, variant, label, replication, the axes."""
    axes: tuple[str, ...]
    stage_s: float | None
    read: Callable[[str], pl.DataFrame]
    """A table of the store: see docs/reference/results.md."""
    resolved: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variant to its scenario as TOML, every default written out, axes not yet set."""
    _staged: dict[float, pl.DataFrame] = field(default_factory=dict[float, pl.DataFrame], repr=False)

    @classmethod
    def of(cls, sweep: Sweep, axis_columns: Mapping[str, str], stage_s: float | None = None) -> Data:
        """Reads the results of an experiment from the store. `axis_columns`: short name to path, by axis."""
        names = {path: name for name, path in axis_columns.items()}
        observed = sweep.observations().rename(names, strict=False)
        tables = {name: sweep.table(name) for name in ("links", "groups")}
        links = bottleneck_rows(tables, "links", ALL).select("run", "period", *_OF_LINK)
        # The papers divide by the packets sent, not by those whose way ended.
        loss = (100.0 * (pl.col("drops") / pl.col("sent"))).alias("loss")
        groups = tables["groups"].filter(pl.col("group") == ALL)
        groups = groups.select("run", "period", *_OF_SENDERS, loss)
        counted = links.join(groups, on=["run", "period"])
        frame = observed.drop("loss").join(counted, on=["run", "period"], how="left", maintain_order="left")
        axes = tuple(names.values())
        keys = ["run", "variant", "label", "replication", *axes]
        runs = sweep.finished.rename(names, strict=False).select(keys)
        return cls(frame, runs, axes, stage_s, sweep.table, sweep.resolved)

    @cached_property
    def labels(self) -> dict[str, str]:
        """Variant to its label."""
        pairs = self.runs.select("variant", "label").unique(maintain_order=True)
        return dict(pairs.iter_rows())

    def at(self, **values: float | str) -> Data:
        """The runs at these values of axes only; these axes are no axes any more."""
        chosen = [near(name, value) for name, value in values.items()]
        axes = tuple(name for name in self.axes if name not in values)
        return replace(
            self, frame=self.frame.filter(*chosen), runs=self.runs.filter(*chosen), axes=axes, _staged={}
        )

    def levels(self, axis: str) -> list[float]:
        """The values of an axis, ascending."""
        return self.runs[axis].unique().sort().to_list()

    def table(self, name: str, *columns: str) -> pl.DataFrame:
        """Rows of a table of the store (links, groups, flows, delays, completions, series) with variant,
        label, replication and axes."""
        rows = self.read(name)
        if columns:
            rows = rows.select("run", *columns)
        return self.runs.join(rows, on="run", maintain_order="left")

    @property
    def whole(self) -> pl.DataFrame:
        """Rows of the whole run, without the warm-up."""
        return self.frame.filter(pl.col("period") == WHOLE_RUN)

    @property
    def periods(self) -> pl.DataFrame:
        """Rows of single periods."""
        return self.frame.filter(pl.col("period") != WHOLE_RUN)

    def stages(self, after_s: float = 0.0) -> pl.DataFrame:
        """Periods put together to stages of equal load, each without its first `after_s` seconds.

        Shares and means are weighted means, counts are sums, the deviation of the queue is that of
        all of the time. Percentiles and Jain's index are means over the periods.
        """
        if self.stage_s is None:
            return self.periods
        if after_s not in self._staged:
            self._staged[after_s] = _stages(self.periods, self.axes, self.stage_s, after_s)
        return self._staged[after_s]


class Study:
    """The data of all experiments of a paper, by their names."""

    def __init__(self, data: Mapping[str, Data], *, quick: bool = False) -> None:
        self._data = dict(data)
        self.quick = quick
        self.asked: set[str] = set()
        """Names of the experiments that were read."""

    def __getitem__(self, experiment: str) -> Data:
        self.asked.add(experiment)
        return self._data[experiment]

    @property
    def replications(self) -> str:
        """`10`, or `5 to 20`."""
        counts = sorted({data.runs["replication"].n_unique() for data in self._data.values()})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"

    def at(self, experiment: str, instead_of: str, **values: float | str) -> Study:
        """The data in which the runs of `experiment`, at these values of its axes, replace those of
        `instead_of`."""
        return self.instead({instead_of: self._data[experiment].at(**values)})

    def instead(self, data: Mapping[str, Data]) -> Study:
        """The data with other runs for some experiments."""
        return Study({**self._data, **data}, quick=self.quick)


def near(name: str, value: float | str) -> pl.Expr:
    """Expression that is true where a column has this value."""
    if isinstance(value, str):
        return pl.col(name) == value
    # Levels are read from text in one unit and asked for in another: 0.1 is not always 0.1.
    return (pl.col(name) - value).abs() <= 1e-6 * max(1.0, abs(value))


def _stages(periods: pl.DataFrame, axes: tuple[str, ...], stage_s: float, after_s: float) -> pl.DataFrame:
    # A period that begins a nanosecond early belongs to its own stage all the same.
    stage = ((pl.col("from_s") + 1e-6) / stage_s).floor().cast(pl.Int64)
    numbered = periods.with_columns(stage.alias("stage"), (pl.col("to_s") - pl.col("from_s")).alias("_s"))
    kept = numbered.filter(pl.col("from_s") + 1e-6 >= pl.col("stage") * stage_s + after_s)
    measures = [name for name in MEASURES if name not in {*_SUMS, "queue_sd"}]
    squares = pl.col("queue_sd") ** 2 + pl.col("mean_queue") ** 2
    means = [_weighted(pl.col(name), _WEIGHTS.get(name, "_s")).alias(name) for name in measures]
    return (
        kept.group_by("run", "variant", "label", "replication", *axes, "stage", maintain_order=True)
        .agg(
            pl.col("from_s").min(),
            pl.col("to_s").max(),
            pl.col("users").max(),
            *means,
            _weighted(squares, "_s").alias("_squares"),
            *(pl.col(name).sum() for name in _SUMS),
        )
        .with_columns((pl.col("_squares") - pl.col("mean_queue") ** 2).clip(0.0).sqrt().alias("queue_sd"))
        .with_columns(pl.col("stage").alias("period"))
        .drop("_squares", "stage")
    )


def _weighted(value: pl.Expr, weight: str) -> pl.Expr:
    defined = value.is_not_null() & value.is_not_nan()
    weights = pl.when(defined).then(pl.col(weight))
    return (pl.when(defined).then(value) * weights).sum() / weights.sum()
