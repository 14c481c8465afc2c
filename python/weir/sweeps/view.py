"""A sweep as the store holds it: tables with axes, estimates, figures. Nothing is run."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from weir import _core, analysis
from weir.charts.dimension import USERS, VARIANTS, Dimension
from weir.charts.dimension import Design as Kind
from weir.errors import WeirError
from weir.measures import MEASURES, defined
from weir.saved import REPORT, replacing, write_manifest
from weir.statistics import student_t
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweeps import telling
from weir.sweeps.axes import titles
from weir.sweeps.design import Design
from weir.sweeps.measured import measured
from weir.sweeps.plan import FORMAT
from weir.sweeps.stopping import OPEN, stops
from weir.sweeps.until import Rule, Sequential
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.charts.sweep_plots import SweepPlots
    from weir.store import Cost

CELL = ("point", "variant", "label")
"""What replications of a cell have in common."""


class Sweep:
    """What is known of a sweep: of its runs, those that are finished."""

    def __init__(self, store: Store, record: Record) -> None:
        if record.definition["format"] > FORMAT:
            raise WeirError(
                f"the sweep {record.name!r} was defined by a newer Weir", "upgrade Weir to read it"
            )
        self.store = store
        self.record = record
        self.layout = Design.from_json(record.definition["design"])
        self._observed: dict[str, pl.DataFrame] = {}

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def design(self) -> Kind:
        """How the points were chosen."""
        return self.layout.kind

    @property
    def title(self) -> str:
        return str(self.record.definition["title"])

    @property
    def command(self) -> str | None:
        """The command line, where there was one."""
        return self.record.command

    @property
    def results_version(self) -> int:
        return int(self.record.definition["results_version"])

    @property
    def replications(self) -> int:
        """Wanted of every cell; with rules for stopping, at most."""
        return int(self.record.definition["replications"])

    @cached_property
    def until(self) -> tuple[Rule, ...]:
        """The rules for stopping."""
        return tuple(Rule.parse(text) for text in self.record.definition["until"])

    @cached_property
    def _sequential(self) -> Sequential | None:
        return Sequential(self.until, self.replications) if self.until else None

    @property
    def variants(self) -> list[str]:
        return [arm["name"] for arm in self.record.definition["arms"]]

    @property
    def labels(self) -> list[str]:
        """Of the variants, in order."""
        return [arm["label"] for arm in self.record.definition["arms"]]

    @property
    def resolved(self) -> Mapping[str, str]:
        """Variant to its scenario as TOML, axes not yet set."""
        return self.record.definition["resolved"]

    @cached_property
    def groups(self) -> list[str]:
        """The flow groups."""
        return list(tomllib.loads(next(iter(self.resolved.values())))["flows"])

    @cached_property
    def cells(self) -> pl.DataFrame:
        """One row per point and variant: point, variant, label, hash, then a column per axis."""
        arms = len(self.variants)
        points = len(self.layout.rows)
        frame = pl.DataFrame(
            {
                "point": np.repeat(np.arange(points, dtype=np.int64), arms),
                "variant": self.variants * points,
                "label": self.labels * points,
                "hash": self.record.definition["cells"],
            },
            schema_overrides={"hash": pl.String},
        )
        for column, values in self._axis_columns().items():
            frame = frame.with_columns(values.gather(frame["point"]).alias(column))
        return frame

    @cached_property
    def wanted(self) -> pl.DataFrame:
        """One row per run that the sweep wants: those of `cells`, replication, seed, run."""
        n = self.replications
        first = int(self.record.definition["seed"])
        hashes = self.cells["hash"].to_list()
        keys = _core.run_keys(hashes, first, n, self.results_version)
        repeated = self.cells.drop("hash").select(pl.all().repeat_by(n).explode())
        replication = np.tile(np.arange(n, dtype=np.int64), len(hashes))
        return repeated.with_columns(
            pl.Series("replication", replication),
            pl.Series("seed", replication + first),
            pl.Series("run", keys),
        )

    @cached_property
    def stops(self) -> pl.DataFrame:
        """How far each cell is: see `weir.sweeps.stopping`."""
        runs = self._finished
        if self._sequential is not None:
            keys = runs["run"].unique().to_list()
            tables = self._tables(keys)
            measures = list(dict.fromkeys(rule.measure for rule in self.until))
            observed = analysis.observations(tables).filter(pl.col("period") == WHOLE_RUN)
            runs = runs.join(observed.select("run", *measures), on="run", how="left", maintain_order="left")
        return stops(runs, self.cells, self.replications, self._sequential)

    @property
    def unfinished(self) -> int:
        """Cells (points and variants) that lack replications."""
        return self.stops["state"].to_list().count(OPEN)

    @cached_property
    def runs(self) -> pl.DataFrame:
        """The rows of `wanted` that are finished and count: up to where a rule stopped."""
        if self._sequential is None:
            return self._finished
        counted = self.stops.select("point", "variant", "n")
        return (
            self._finished.join(counted, on=["point", "variant"], how="left", maintain_order="left")
            .filter(pl.col("replication") < pl.col("n"))
            .drop("n")
        )

    @cached_property
    def _finished(self) -> pl.DataFrame:
        finished = self.store.finished(self.wanted["run"].unique().to_list())
        known = pl.Series("run", sorted(finished), dtype=pl.Int64)
        return self.wanted.filter(pl.col("run").is_in(known.implode()))

    def table(self, name: str) -> pl.DataFrame:
        """A table of all runs that count: see `weir.Result`; the first column is the run."""
        return self._scan(name).collect()

    def observations(self, group: str = analysis.ALL) -> pl.DataFrame:
        """One row per run and period: point, variant, label, replication, seed, run, the axes, the
        span, the users, and every measure."""
        if [group] == self.groups:
            # The rows of an only group are those of all.
            group = analysis.ALL
        if group not in self._observed:
            tables = self._tables()
            observed = analysis.observations(tables, group)
            self._observed[group] = self.runs.join(observed, on="run", how="left", maintain_order="left")
        return self._observed[group]

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The measures that are defined here: those of transfers only where flows come and go."""
        return defined(transfers=analysis.has_transfers(self._tables()))

    def estimates(self, measures: Sequence[str] | None = None, group: str = analysis.ALL) -> pl.DataFrame:
        """Means with their intervals per point, variant, period and measure, axes beside them.

        The intervals have a level of 95%. Where a rule decided how many replications there are,
        they are those of the rule, which hold although it looked several times.
        """
        measures = measures or self.measures
        unknown = [name for name in measures if name not in MEASURES]
        if unknown:
            raise ValueError(f"there is no measure {unknown[0]!r}; there are: {', '.join(MEASURES)}")
        by = [*CELL, *self._axis_columns()]
        return analysis.estimates(self.observations(group), measures, by, self.quantile)

    def quantile(self, degrees: int) -> float:
        """Of Student's t at the level of the intervals, for so many degrees of freedom."""
        if self._sequential is None:
            return student_t(degrees)
        return self._sequential.quantile(degrees)

    def delays(self) -> pl.DataFrame:
        """Histograms of the queueing delay at the bottleneck over all replications of a cell.

        Columns: point, variant, label, the axes, upto_ms, count.
        """
        whole = (pl.col("period") == WHOLE_RUN) & (pl.col("group") == analysis.ALL)
        tables = {name: self._scan(name).filter(whole).collect() for name in ("links", "delays")}
        rows = analysis.bottleneck_rows(tables, "delays", analysis.ALL).select("run", "upto_ms", "count")
        by = [*CELL, *self._axis_columns()]
        return (
            self.runs.select("run", *by)
            .join(rows, on="run", maintain_order="left")
            .group_by(*by, "upto_ms", maintain_order=True)
            .agg(pl.col("count").sum())
        )

    def series(self, point: int = 0, variants: Sequence[str] | None = None) -> pl.DataFrame:
        """Inner variables over time of replication 0 at one point: variant, label, component,
        variable, time_s, value. `variants` are labels. Empty unless the scenario asks for series."""
        runs = self.runs.filter(pl.col("point") == point, pl.col("replication") == 0)
        if variants is not None:
            runs = runs.filter(pl.col("label").is_in(list(variants)))
        rows = self._scan("series", runs["run"].to_list()).collect()
        return runs.select("variant", "label", "run").join(rows, on="run", maintain_order="left").drop("run")

    def sensitivity(self, measure: str) -> pl.DataFrame | None:
        """How much each axis matters: see `weir.sweeps.sensitivity`. None for other designs.

        Raises ValueError while points are missing, and for several variants.
        """
        from weir.sweeps.sensitivity import indices

        if self.design not in {"morris", "saltelli"}:
            return None
        if len(self.variants) > 1:
            raise ValueError("sensitivity is of one variant: sweep it alone with --variants NAME")
        rows = self.estimates([measure]).filter(pl.col("period") == WHOLE_RUN)
        means = pl.DataFrame({"point": np.arange(len(self.layout.rows), dtype=np.int64)}).join(
            rows.select("point", "mean"), on="point", how="left", maintain_order="left"
        )
        return indices(self.layout, means["mean"].fill_null(float("nan")).to_numpy())

    @property
    def dimensions(self) -> list[Dimension]:
        """What a figure can be drawn over: the axes, then the variants and the users if they differ."""
        return self._dimensions

    @cached_property
    def _dimensions(self) -> list[Dimension]:
        dimensions = [
            axis.dimension(title)
            for axis, title in zip(self.layout.axes, titles(self.layout.axes), strict=True)
        ]
        if len(self.labels) > 1:
            dimensions.append(
                Dimension(VARIANTS, "variant", "", numeric=False, log=False, values=tuple(self.labels))
            )
        spans = self.observations().filter(pl.col("period") != WHOLE_RUN)
        if not spans.is_empty():
            users = spans.group_by("period").agg(pl.col("users").n_unique().alias("n"))
            if len(users) > 1 and users["n"].max() == 1 and spans["users"].n_unique() == len(users):
                levels = tuple(float(users) for users in spans["users"].unique().sort())
                dimensions.append(Dimension(USERS, "users", "", numeric=True, log=False, values=levels))
        return dimensions

    @cached_property
    def cost(self) -> Cost:
        """What the runs took that count."""
        return self.store.cost(self.runs["run"].unique().to_list())

    @property
    def facts(self) -> Mapping[str, str]:
        """What heads a report."""
        return telling.facts(self)

    @property
    def origin(self) -> Mapping[str, str]:
        """What it takes to run it again."""
        return telling.origin(self)

    @property
    def plot(self) -> SweepPlots:
        """Figures: `sweep.plot.lines("goodput")` and so on."""
        from weir.charts.sweep_plots import SweepPlots

        return SweepPlots(self)

    def report(self, directory: str | os.PathLike[str]) -> Path:
        """Writes `report.html` and the figures; returns the page.

        The directory appears when it is whole. Raises OSError where it cannot be written.
        """
        from weir.report.sweep import write_sweep_report

        with replacing(directory) as place:
            write_sweep_report(self, place)
            write_manifest(place, {"weir": _core.__version__, "sweep": self.name, "id": self.id})
        return Path(directory) / REPORT

    def document(self, measures: Sequence[str] | None = None) -> dict[str, Any]:
        """Everything that `--json` prints."""
        return telling.document(self, measures or self.measures)

    def close(self) -> None:
        """Closes the store; what has not been looked at by then cannot be any more."""
        self.store.close()

    def __enter__(self) -> Sweep:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<weir.Sweep {self.name!r} {self.id}: {len(self.cells)} cells, {len(self.runs)} runs>"

    def _axis_columns(self) -> dict[str, pl.Series]:
        """Path to its values, one per point: numbers in the axis' unit where they are numbers."""
        return self.layout.columns()

    def _tables(self, runs: Sequence[int] | None = None) -> dict[str, pl.DataFrame]:
        """The tables that measures are found in, of some runs or of all that count."""
        return measured(lambda name: self._scan(name, runs))

    def _scan(self, name: str, runs: Sequence[int] | None = None) -> pl.LazyFrame:
        chosen = self.runs["run"].unique().to_list() if runs is None else runs
        rows = self.store.scan(name, chosen, self.results_version)
        return rows.with_columns(pl.col(pl.Enum).cast(pl.String))
