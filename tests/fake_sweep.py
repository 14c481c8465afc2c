"""A sweep made of formulas instead of runs, with the tables that figures and reports read."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.check import Repeated
from weir.plot import Figure
from weir.stats import _analysis as analysis
from weir.stats._intervals import student_t
from weir.stats._measures import defined_measures
from weir.sweep._design import Method
from weir.sweep._dimension import USERS, VARIANTS, Dimension

if TYPE_CHECKING:
    # Figures take a Sweep; this one only has the attributes that they read.
    _Base = Any
else:
    _Base = object

RATE = Dimension("links.bottleneck.rate", "rate", "Mbit/s", True, True, (1.0, 3.0, 10.0, 30.0, 100.0))  # noqa: FBT003
RTT = Dimension("flows.ftp.rtt", "rtt", "ms", True, False, (10.0, 40.0, 70.0, 100.0))  # noqa: FBT003
BUFFER = Dimension("links.bottleneck.buffer", "buffer", "packets", True, False, (50.0, 100.0, 200.0))  # noqa: FBT003
GAIN = Dimension("links.bottleneck.queue.rem.gamma", "rem gamma", "", True, True, (0.0001, 0.001, 0.01))  # noqa: FBT003
LOSS_RECOVERY = Dimension(
    "flows.ftp.tcp.recovery",
    "recovery",
    "",
    numeric=False,
    log=False,
    values=("newreno", "sack", "none"),
)
LABELS = ("DropTail", "RED", "REM")


def sampled(dimension: Dimension) -> Dimension:
    """The axis without levels, as designs that sample have it."""
    return Dimension(dimension.column, dimension.title, dimension.unit, True, dimension.log, ())  # noqa: FBT003


def finely(dimension: Dimension, levels: int) -> Dimension:
    """The axis with so many levels between its ends."""
    low, high = float(dimension.values[0]), float(dimension.values[-1])
    values = np.geomspace(low, high, levels) if dimension.log else np.linspace(low, high, levels)
    return replace(dimension, values=tuple(float(f"{value:.4g}") for value in values))


@dataclass
class FakeSweep(_Base):
    """Sweep whose measures grow and fall with the axes as one would expect of a queue."""

    axes: Sequence[Dimension]
    labels: Sequence[str] = ("DropTail",)
    replications: int = 5
    users: Sequence[int] = ()
    design: Method = "grid"
    points: int = 0
    """Number of points of a design that samples."""
    with_series: bool = True
    undefined: str = ""
    """A measure that is not defined at the first level of the first axis."""
    without: pl.Expr | None = None
    """Runs that are not finished."""
    lacks: Mapping[str, Sequence[Dimension]] = field(default_factory=dict[str, Sequence[Dimension]])
    """Label of a variant to axes that it does not have: along them, its runs are the same."""
    name: str = "fake"
    title: str = "A sweep made of formulas"
    command: str | None = "weir sweep fake.toml"
    number: int = 7
    bottleneck: str = "bottleneck"
    until: tuple[str, ...] = ()
    notes: tuple[Repeated, ...] = ()
    live: Mapping[str, object] = field(default_factory=dict[str, object])
    python: Mapping[str, str] = field(default_factory=dict[str, str])
    resolved: Mapping[str, str] = field(default_factory=lambda: {"base": 'schema = 1\nname = "fake"\n'})

    @property
    def dimensions(self) -> list[Dimension]:
        found = list(self.axes)
        if len(self.labels) > 1:
            found.append(Dimension(VARIANTS, "variant", "", False, False, tuple(self.labels)))  # noqa: FBT003
        if self.users:
            users = tuple(float(n) for n in self.users)
            found.append(Dimension(USERS, "users", "", True, False, users))  # noqa: FBT003
        return found

    @property
    def measures(self) -> tuple[str, ...]:
        return defined_measures(transfers=False)

    @property
    def divided_by(self) -> tuple[str, ...]:
        return ()

    @property
    def is_all_equal(self) -> bool:
        return False

    @property
    def completions(self) -> pl.DataFrame:
        return pl.DataFrame()

    @property
    def facts(self) -> Mapping[str, str]:
        runs = len(self._points) * len(self.labels) * self.replications
        return {
            "Scenario": self.name,
            "Points": f"{len(self._points):,}",
            "Variants": str(len(self.labels)),
            "Replications": str(self.replications),
            "Runs": f"{runs:,}",
            "Packets simulated": "1,234,567",
            "CPU time": "12.3 s",
            "Weir": "0.1.0",
        }

    @property
    def origin(self) -> Mapping[str, str]:
        return {
            "Weir": "0.1.0 (results version 1)",
            "Seeds": "1 to 5",
            "Python": "3.11 on Linux",
            "Started": "2026-11-20T12:00:00+00:00",
        }

    @property
    def variants(self) -> list[str]:
        return [label.lower() for label in self.labels]

    def resolved_at(self, point: int, variant: str) -> str:
        """No scenario: nothing is known of its queues."""
        assert point >= 0
        assert variant in self.variants
        return self.resolved["base"]

    @cached_property
    def _points(self) -> pl.DataFrame:
        rng = np.random.default_rng(7)
        if self.design == "grid":
            combinations = list(itertools.product(*(axis.values for axis in self.axes)))
            columns = {
                axis.column: [combination[i] for combination in combinations]
                for i, axis in enumerate(self.axes)
            }
        else:
            columns = {axis.column: _sample(axis, self.points, rng) for axis in self.axes}
        size = max((len(values) for values in columns.values()), default=1)
        return pl.DataFrame({"point": range(size), **columns})

    @cached_property
    def configurations(self) -> pl.DataFrame:
        labels = pl.DataFrame(
            {"variant": [label.lower() for label in self.labels], "label": list(self.labels)}
        )
        return self._points.join(labels, how="cross").with_columns(
            pl.col("label").cast(pl.Enum(list(self.labels)))
        )

    @property
    def unfinished(self) -> int:
        runs = self._observations.filter(pl.col("period") == -1).group_by("point", "label").len()
        return len(self.configurations) - len(runs.filter(pl.col("len") == self.replications))

    @cached_property
    def _observations(self) -> pl.DataFrame:
        replications = pl.DataFrame({"replication": range(self.replications)})
        periods = pl.DataFrame(
            {"period": range(-1, len(self.users)), "users": [max(self.users, default=20), *self.users]}
        ).with_columns(from_s=pl.col("period") * 50.0, to_s=pl.col("period") * 50.0 + 50.0)
        frame = self.configurations.join(replications, how="cross")
        frame = frame.with_columns(seed=pl.col("replication") + 1)
        frame = frame.with_columns(run=self._run()).join(periods, how="cross")
        measures = self._measures(frame)
        observed = frame.with_columns(**measures)
        if self.lacks:
            observed = observed.with_columns(pl.col(*measures).first().over("run", "period"))
        return observed if self.without is None else observed.filter(~self.without)

    def _run(self) -> pl.Expr:
        """Runs are the same where seed and scenario are, whatever point they are at."""
        here = pl.col("label").cast(pl.String)
        values = [
            pl.when(here.is_in([label for label, lacking in self.lacks.items() if axis in lacking]))
            .then(pl.lit(""))
            .otherwise(pl.col(axis.column).cast(pl.String))
            for axis in self.axes
        ]
        known = pl.concat_str(here, "replication", *values, separator=" ")
        return known.rank("dense").cast(pl.Int64)

    def _measures(self, frame: pl.DataFrame) -> dict[str, pl.Series]:
        rng = np.random.default_rng(11)

        def noise(spread: float) -> NDArray[np.float64]:
            return rng.normal(0.0, spread, len(frame))

        def axis(column: str, default: float) -> NDArray[np.float64]:
            there = column in frame.columns
            return frame[column].cast(pl.Float64).to_numpy() if there else np.full(len(frame), default)

        variant = frame["label"].cast(pl.String).replace_strict(
            list(self.labels), list(range(len(self.labels)))
        ).to_numpy() / max(1, len(self.labels) - 1)  # fmt: skip
        users = frame["users"].cast(pl.Float64).to_numpy() / 160.0
        rate, rtt = axis(RATE.column, 10.0), axis(RTT.column, 40.0)
        buffer = axis(BUFFER.column, 100.0)
        full = users * (10.0 / rate) ** 0.2 * (40.0 / rtt) ** 0.3
        queue = buffer * np.clip(full, 0.02, 1.0) * (1.0 - 0.8 * variant) * np.exp(noise(0.08))
        loss = 8.0 * full**2 * (1.0 - 0.3 * variant) * np.exp(noise(0.15))
        goodput = 100.0 - 12.0 * np.exp(-3.0 * full) - loss * 0.2 - np.abs(noise(0.6))
        delay = queue * 8.0 / rate
        values = {
            "mean_queue": queue,
            "queue_sd": queue / 3,
            "goodput": goodput,
            "utilisation": np.minimum(goodput + 1.0, 100.0),
            "loss": loss,
            "mark_fraction": loss * 0.0,
            "loss_synchronisation": np.minimum(loss * 10.0, 100.0),
            "delay_mean": delay,
            "delay_p50": delay * 0.9,
            "delay_p95": delay * 1.8,
            "delay_p99": delay * 2.2,
            "delay_p999": delay * 2.6,
            "path_delay": delay,
            "rtt_mean": 40.0 + delay,
            "jain": 1.0 - 0.1 * full,
            "timeouts": loss * 10.0,
        }
        if self.undefined:
            first = frame[self.axes[0].column] == self.axes[0].values[0]
            values[self.undefined] = np.where(first.to_numpy(), np.nan, values[self.undefined])
        return {name: pl.Series(values[name]) for name in defined_measures(transfers=False)}

    def quantile(self, degrees: int) -> float:
        return student_t(degrees)

    def observations(self, of: str = "all", measures: Sequence[str] = ()) -> pl.DataFrame:
        assert of == "all"
        assert set(measures) <= set(self.measures)
        return self._observations

    def estimates(self, measures: Sequence[str]) -> pl.DataFrame:
        by = ("point", "variant", "label", *(axis.column for axis in self.axes))
        return analysis.estimates(self.observations(), measures, by)

    def delay_histograms(self) -> pl.DataFrame:
        bins = pl.DataFrame({"bin": range(60)})
        observed = self._observations.filter(pl.col("period") == -1)
        axes = [axis.column for axis in self.axes]
        means = observed.group_by("point", "label", *axes, maintain_order=True).agg(
            pl.col("delay_mean").fill_nan(1.0).mean()
        )
        scaled = means.join(bins, how="cross").with_columns(upto_ms=(1.12 ** pl.col("bin")).round(3))
        depth = (pl.col("upto_ms") / pl.col("delay_mean")).clip(0.0, 40.0)
        count = (20_000 * depth * (-depth).exp() * 0.3).round().cast(pl.Int64).alias("count")
        return scaled.select("point", "label", *axes, "upto_ms", count).filter(pl.col("count") > 0)

    def sensitivity(self, measure: str) -> pl.DataFrame | None:
        axes = [axis.column for axis in self.axes]
        size = np.array([0.55 / 2**i for i in range(len(axes))]) * (1.0 + len(measure) / 100)
        if self.design == "morris":
            numbers = {
                "mu_star": size * 40,
                "mu_star_half_width": size * 6,
                "mu": -size * 35,
                "sigma": size * 15,
            }
        elif self.design == "saltelli":
            numbers = {
                "first": size * 0.8,
                "first_half_width": size * 0.2,
                "total": size,
                "total_half_width": size * 0.25,
            }
        else:
            return None
        return pl.DataFrame({"axis": axes, **numbers})

    def series_of(self, point: int, variants: Sequence[str]) -> pl.DataFrame:
        schema = {"label": pl.String, "component": pl.String, "variable": pl.String}
        empty = pl.DataFrame(schema={**schema, "time_s": pl.Float64, "value": pl.Float64})
        if not self.with_series:
            return empty
        time = np.arange(0.0, 100.0, 0.05)
        parts: list[pl.DataFrame] = [empty]
        for index, label in enumerate(variants):
            names = ["queue"] if index == 0 else ["queue", "price", "probability"]
            for scale, variable in zip((60.0, 20.0, 0.1), names, strict=False):
                wave = 1.0 + np.sin(time / (3.0 + index + point % 3)) * 0.5 + 0.2 * np.sin(time * 9.0)
                parts.append(
                    pl.DataFrame({"time_s": time, "value": wave * scale}).select(
                        pl.lit(label).alias("label"),
                        pl.lit("links.bottleneck.forward").alias("component"),
                        pl.lit(variable).alias("variable"),
                        "time_s",
                        "value",
                    )
                )
        return pl.concat(parts)


def _sample(axis: Dimension, points: int, rng: np.random.Generator) -> NDArray[Any]:
    if not axis.numeric:
        return rng.choice(np.array(axis.values), points)
    low, high = {RATE.column: (1.0, 100.0), RTT.column: (10.0, 200.0), GAIN.column: (1e-4, 1e-2)}.get(
        axis.column, (20.0, 400.0)
    )
    share = rng.random(points)
    return low * (high / low) ** share if axis.log else low + (high - low) * share


CONTINUOUS = [sampled(RATE), sampled(RTT), sampled(BUFFER)]
ONE_AXIS = FakeSweep([RATE])
TWO_AXES = FakeSweep([RATE, RTT], LABELS)
THREE_AXES = FakeSweep([RATE, RTT, BUFFER], LABELS, users=(20, 40, 60))
HYPERCUBE = FakeSweep(CONTINUOUS, LABELS, 1, design="lhs", points=400)
SWEEPS = {
    "no axis": FakeSweep([], LABELS),
    "users": FakeSweep([], LABELS, users=(20, 40, 60)),
    "one axis": ONE_AXIS,
    "one replication": FakeSweep([RTT], LABELS, 1),
    "two axes": TWO_AXES,
    "three axes": THREE_AXES,
    "text": FakeSweep([LOSS_RECOVERY, RATE], LABELS, 3),
    "undefined": FakeSweep([RATE, RTT], ("DropTail",), 3, undefined="delay_mean"),
    "no series": FakeSweep([RATE], with_series=False),
    "lhs": HYPERCUBE,
    "sobol": FakeSweep([*CONTINUOUS, LOSS_RECOVERY], ("REM",), 2, design="sobol", points=64),
    "morris": FakeSweep([*CONTINUOUS, sampled(GAIN)], ("REM",), 1, design="morris", points=60),
    "saltelli": FakeSweep(CONTINUOUS, ("REM",), 1, users=(20, 40), design="saltelli", points=80),
}


def rows_of(drawn: Figure, **wanted: object) -> list[dict[str, Any]]:
    """The rows of a figure that have these values."""
    frame = drawn.rows.filter(*(pl.col(name) == value for name, value in wanted.items()))
    return frame.to_dicts()


def encoded(drawn: Figure, channel: str) -> list[dict[str, Any]]:
    """Every encoding of a channel, wherever it stands in the chart."""
    found: list[dict[str, Any]] = []

    def look(part: dict[str, Any]) -> dict[str, Any]:
        if channel in part.get("encoding", {}):
            found.append(part["encoding"][channel])
        return part

    json.loads(json.dumps(drawn.bare), object_hook=look)
    return found
