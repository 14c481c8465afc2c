"""A result as its store holds it: what was asked for, which runs are finished, and their tables."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from weir import _core
from weir.errors import WeirError
from weir.run.tables import TABLES, WHOLE_RUN
from weir.scenario.toml import to_toml
from weir.stats import analysis
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweep.design import Design
from weir.sweep.design import Kind as DesignKind
from weir.sweep.measured import measured
from weir.sweep.plan import FORMAT, TUNING, Kind
from weir.sweep.stopping import OPEN, stops
from weir.sweep.until import Rule, Sequential

if TYPE_CHECKING:
    from weir.store import Cost
    from weir.sweep.axes import Axis

CONFIGURATION = ("point", "variant", "label")
"""The columns that replications of a configuration have in common, beside the axes."""

_OF_GROUPS = {"links", "groups", "delays", "completions"}


class RecordedSweep:
    """The definition, the finished runs and the tables of a result."""

    def __init__(self, store: Store, record: Record) -> None:
        if record.definition["kind"] == TUNING:
            raise WeirError(
                f"result {record.number}, {record.name}, is what `weir tune` found, and has no tables",
                f"its page is in {store.directory(record)}; name another result for tables and figures",
            )
        if record.definition["format"] != FORMAT:
            raise WeirError(
                f"another version of Weir defined the result {record.name!r}", "use that version to read it"
            )
        self.store = store
        self.record = record
        self.layout = Design.from_json(record.definition["design"])

    @property
    def number(self) -> int:
        """In its store, from 1."""
        assert self.record.number is not None, "the store has numbered it"
        return self.record.number

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def id(self) -> str:
        """Results with the same id show the same."""
        return self.record.id

    @property
    def kind(self) -> Kind:
        """`run`, `compare` or `sweep`."""
        return self._definition["kind"]

    @property
    def title(self) -> str:
        return str(self._definition["title"])

    @property
    def scenario(self) -> str:
        """Its name."""
        return str(self._definition["scenario"])

    @property
    def command(self) -> str | None:
        """The command line, where there was one."""
        return self.record.command

    @property
    def created(self) -> datetime | None:
        return self.record.created

    @property
    def results_version(self) -> int:
        return int(self._definition["results_version"])

    @property
    def replications(self) -> int:
        """Of every configuration; with rules for stopping, at most."""
        return int(self._definition["replications"])

    @property
    def seed(self) -> int:
        """Of replication 0; replication r has `seed + r`."""
        return int(self._definition["seed"])

    @cached_property
    def until(self) -> tuple[Rule, ...]:
        """The rules for stopping."""
        return tuple(Rule.parse(text) for text in self._definition["until"])

    @property
    def margins(self) -> Mapping[str, float]:
        """Measure to the largest difference, in its unit, that is called equal."""
        return self._definition["margins"]

    @property
    def variants(self) -> list[str]:
        return [variant["name"] for variant in self._definition["variants"]]

    @property
    def labels(self) -> list[str]:
        """Of the variants, in order."""
        return [variant["label"] for variant in self._definition["variants"]]

    @property
    def baseline(self) -> str:
        """The variant that the others are compared with: the first."""
        return self.variants[0]

    def label(self, variant: str) -> str:
        """Of one variant."""
        return self.labels[self.variants.index(variant)]

    @property
    def resolved(self) -> Mapping[str, str]:
        """Variant to its scenario as TOML, every default written out, axes not yet set."""
        return self._definition["resolved"]

    @cached_property
    def flow_groups(self) -> list[str]:
        """Names of the groups of flows."""
        return list(tomllib.loads(next(iter(self.resolved.values())))["flows"])

    @property
    def design(self) -> DesignKind:
        """How the points were chosen."""
        return self.layout.kind

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.layout.axes

    def resolved_at(self, point: int, variant: str) -> str:
        """The scenario of one configuration as TOML."""
        if not self.axes:
            return self.resolved[variant]
        row = self.configurations.row(
            by_predicate=(pl.col("point") == point) & (pl.col("variant") == variant), named=True
        )
        bare = _core.Scenario.loads(self.resolved[variant], self.name)
        values = [(path, to_toml(value)) for path, value in self.layout.rows[point]]
        # An axis may belong to an AQM that the variant does not have.
        for chosen in ([pair for pair in values if bare.has_choice(pair[0])], values):
            found = bare.replace(chosen)
            if found.hash == row["hash"]:
                return found.to_toml()
        raise WeirError(f"{variant} at point {point} cannot be resolved again")

    @cached_property
    def configurations(self) -> pl.DataFrame:
        """One row per point and variant: point, variant, label, hash, then a column per axis."""
        variants = len(self.variants)
        points = len(self.layout.rows)
        frame = pl.DataFrame(
            {
                "point": np.repeat(np.arange(points, dtype=np.int64), variants),
                "variant": self.variants * points,
                "label": self.labels * points,
                "hash": self._definition["configurations"],
            },
            schema_overrides={"hash": pl.String},
        )
        for column, values in self.layout.columns().items():
            frame = frame.with_columns(values.gather(frame["point"]).alias(column))
        return frame

    @cached_property
    def keys(self) -> list[str]:
        """The columns that tell configurations apart: point, variant, label and the axes."""
        return [*CONFIGURATION, *self.layout.columns()]

    @cached_property
    def wanted(self) -> pl.DataFrame:
        """One row per run that was asked for: those of `configurations`, replication, seed, run."""
        n = self.replications
        hashes = self.configurations["hash"].to_list()
        keys = _core.run_keys(hashes, self.seed, n, self.results_version)
        repeated = self.configurations.drop("hash").select(pl.all().repeat_by(n).explode())
        replication = np.tile(np.arange(n, dtype=np.int64), len(hashes))
        return repeated.with_columns(
            pl.Series("replication", replication),
            pl.Series("seed", replication + self.seed),
            pl.Series("run", keys),
        )

    @cached_property
    def stops(self) -> pl.DataFrame:
        """How far each configuration is: see `weir.sweep.stopping`."""
        runs = self._finished
        if self._sequential is not None:
            measures = list(dict.fromkeys(rule.measure for rule in self.until))
            observed = analysis.observations(self._measured(runs["run"].unique().to_list()))
            whole = observed.filter(pl.col("period") == WHOLE_RUN).select("run", *measures)
            runs = runs.join(whole, on="run", how="left", maintain_order="left")
        return stops(runs, self.configurations, self.replications, self._sequential)

    @property
    def unfinished(self) -> int:
        """Configurations that lack replications."""
        return self.stops["state"].to_list().count(OPEN)

    @cached_property
    def finished(self) -> pl.DataFrame:
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
    def cost(self) -> Cost:
        """Of the runs that count."""
        return self.store.cost(self._run_keys)

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run: packets, events."""
        rows = self._scan("runs").select("run", "packets", "events").collect()
        return self.finished.join(rows, on="run", how="left", maintain_order="left")

    @property
    def links(self) -> pl.DataFrame:
        """Queues and utilisation by link, direction, class, group and period (-1: the whole run)."""
        return self._keyed("links")

    @property
    def groups(self) -> pl.DataFrame:
        """Goodput, loss and fairness by flow group and period."""
        return self._keyed("groups")

    @property
    def flows(self) -> pl.DataFrame:
        """Goodput by flow and period."""
        return self._keyed("flows")

    @property
    def delays(self) -> pl.DataFrame:
        """Histograms of the queueing delay: `count` packets up to `upto_ms`."""
        return self._keyed("delays")

    @property
    def completions(self) -> pl.DataFrame:
        """Transfers that ended, by flow group, period and size (`upto_bytes`; NaN: all sizes): their
        number, times and slowdowns. Empty where no flows come and go."""
        return self._keyed("completions")

    @property
    def series(self) -> pl.DataFrame:
        """Inner variables over time; empty unless the scenario asks for series."""
        return self._keyed("series")

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All of them by name, each read when it is looked at."""
        return _Tables(self)

    def table(self, name: str) -> pl.DataFrame:
        """A table of all runs that count, by key of the run: the first column, `run`."""
        return self._scan(name).collect()

    @property
    def directory(self) -> Path:
        """Of its pages, figures and captures: NUMBER-NAME beside the store."""
        return self.store.directory(self.record)

    @property
    def captures(self) -> Mapping[str, Path]:
        """Name to pcapng file, of the packets of replication 0."""
        return {path.stem: path for path in sorted((self.directory / "captures").glob("*.pcapng"))}

    def close(self) -> None:
        """Closes the store; nothing more can be read from it."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _definition(self) -> Mapping[str, Any]:
        return self.record.definition

    @cached_property
    def _sequential(self) -> Sequential | None:
        return Sequential(self.until, self.replications) if self.until else None

    @cached_property
    def _finished(self) -> pl.DataFrame:
        finished = self.store.finished(self.wanted["run"].unique().to_list())
        known = pl.Series("run", sorted(finished), dtype=pl.Int64)
        return self.wanted.filter(pl.col("run").is_in(known.implode()))

    @cached_property
    def _run_keys(self) -> list[int]:
        return self.finished["run"].unique().to_list()

    def _keyed(self, name: str) -> pl.DataFrame:
        rows = self._scan(name).collect()
        if name in _OF_GROUPS and len(self.flow_groups) == 1:
            # The store leaves out the rows of an only group: they are those of all.
            own = rows.filter(pl.col("group") == analysis.ALL)
            rows = pl.concat([rows, own.with_columns(pl.lit(self.flow_groups[0]).alias("group"))])
        return self.finished.join(rows, on="run", maintain_order="left_right")

    def _measured(self, runs: Sequence[int] | None = None) -> dict[str, pl.DataFrame]:
        """The tables that measures are found in, of some runs or of all that count."""
        return measured(lambda name: self._scan(name, runs))

    def _scan(self, name: str, runs: Sequence[int] | None = None) -> pl.LazyFrame:
        rows = self.store.scan(name, self._run_keys if runs is None else runs, self.results_version)
        return rows.with_columns(pl.col(pl.Enum).cast(pl.String))


class _Tables(Mapping[str, pl.DataFrame]):
    def __init__(self, sweep: RecordedSweep) -> None:
        self._sweep = sweep

    def __getitem__(self, name: str) -> pl.DataFrame:
        if name not in TABLES:
            raise KeyError(name)
        frame: pl.DataFrame = getattr(self._sweep, name)
        return frame

    def __iter__(self) -> Iterator[str]:
        return iter(TABLES)

    def __len__(self) -> int:
        return len(TABLES)
