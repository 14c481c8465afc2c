"""Result as its store holds it: its definition, its finished runs, and their tables."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from weir import _core
from weir._errors import InputError, WeirError, require
from weir.aqm import sources
from weir.run import TABLES, WHOLE_RUN
from weir.scenario import suggestion
from weir.stats import analysis
from weir.store import Record, Store, StoreError, place_of
from weir.sweep._definition import check_definition
from weir.sweep._design import Design, settings
from weir.sweep._plan import EVALUATION, FORMAT, TUNING, ResultKind
from weir.sweep._until import Rule, Sequential

if TYPE_CHECKING:
    from weir.store import Cost

CONFIGURATION = ("point", "variant", "label")
"""Columns that the replications of a configuration have in common, besides the axes."""

MET, MAXIMUM, OPEN = "met", "maximum", "open"
"""States of a configuration. `met`: it has all replications wanted, or enough for the rules. `maximum`: it
has as many as allowed, and the rules are not met. `open`: it is not finished."""

_OF_GROUPS = {"links", "groups", "delays", "completions"}


def measured(scan: Callable[[str], pl.LazyFrame]) -> dict[str, pl.DataFrame]:
    """Tables of the measures: `links`, `groups` and `completions`, which stores of early versions do not
    have."""
    tables = {name: scan(name).collect() for name in ("links", "groups")}
    with suppress(StoreError):
        tables["completions"] = scan("completions").collect()
    return tables


class _Table:
    """Table of a result, with a row for each run and each further key of the table."""

    def __set_name__(self, owner: type[RecordedSweep], name: str) -> None:
        self._name = name

    def __get__(self, sweep: RecordedSweep, owner: type[RecordedSweep]) -> pl.DataFrame:
        return sweep.keyed(self._name)


def _refuse_others(record: Record, definition: Mapping[str, Any]) -> None:
    """Raises WeirError for results that have no tables, and ValueError for an invalid definition."""
    if definition["kind"] == EVALUATION:
        raise WeirError(
            f"result {record.number}, {record.name}, is an evaluation, and has no tables",
            f"its page is in {record.name}; the same command writes it again: {record.command}",
        )
    if definition["kind"] == TUNING:
        raise WeirError(
            f"result {record.number}, {record.name}, is what `weir tune` found, and has no tables",
            f"weir results {record.number} shows it, weir report {record.number} writes its page; name "
            "another result for tables and figures",
        )
    if definition["format"] != FORMAT:
        raise WeirError(
            f"another version of Weir defined the result {record.name!r}", "use that version to read it"
        )
    check_definition(definition)


class RecordedSweep:
    """The definition, the finished runs and the tables of a result."""

    links = _Table()
    """Queues and utilisation by link, direction, class, group and period (-1 is the whole run)."""
    groups = _Table()
    """Goodput, loss and fairness by flow group and period."""
    flows = _Table()
    """Goodput by flow and period."""
    delays = _Table()
    """Histograms of the queueing delay, with `count` packets up to `upto_ms`."""
    completions = _Table()
    """Transfers that ended, their number, times and slowdowns, by flow group, period and size (`upto_bytes`,
    NaN for all sizes). Empty if no flows come and go."""
    transfers = _Table()
    """Transfers of a list (`traffic.list`), each with its line in the file, its size, when it started and
    ended. Empty without lists."""
    series = _Table()
    """Inner variables over time; empty unless the scenario asks for series."""

    def __init__(self, store: Store, record: Record) -> None:
        with store.reading(record) as definition:
            self._take(store, record, definition)

    def _take(self, store: Store, record: Record, definition: Mapping[str, Any]) -> None:
        _refuse_others(record, definition)
        self.store = store
        self.record = record
        self.number = record.number or 0
        """Number of the result in its store, from 1; 0 if it is not recorded there."""
        self.name = record.name
        self.id = record.id
        """Identifier of the result. Results with equal identifiers show the same."""
        self.command = record.command
        """Command line that made the result; None if there was none."""
        self.created = record.created
        self.kind: ResultKind = definition["kind"]
        """Kind of the result: `run`, `live`, `compare` or `sweep`."""
        self.live: Mapping[str, Any] = definition.get("live", {})
        """Facts of a live run: `facts`, `notes`, and `honesty` of each run. Empty if all runs are
        simulated."""
        self.title: str = definition["title"]
        self.scenario: str = definition["scenario"]
        """Name of the scenario."""
        self.results_version: int = definition["results_version"]
        self.replications: int = definition["replications"]
        """Number of replications of every configuration; with rules for stopping, the maximum."""
        self.seed: int = definition["seed"]
        """Seed of replication 0; replication r has `seed + r`."""
        self.until = tuple(Rule.parse(text) for text in definition["until"])
        """Rules for stopping."""
        self.margins: Mapping[str, float] = definition["margins"]
        """Largest difference that is called equal, by measure, in its unit."""
        self.variants: list[str] = [variant["name"] for variant in definition["variants"]]
        self.labels: list[str] = [variant["label"] for variant in definition["variants"]]
        """Labels of the variants, in order."""
        self.baseline = self.variants[0]
        """Variant that the others are compared with."""
        self.resolved: Mapping[str, str] = definition["resolved"]
        """Scenario of each variant as TOML, with every default written out and axes not yet set."""
        self.python: Mapping[str, str] = definition.get("python", {})
        """Text of the file of each AQM in Python as it was run, by import path."""
        for text in self.python.values():
            sources.remember(text)
        self.layout = Design.from_json(definition["design"])
        self.design = self.layout.kind
        """Method by which the points were chosen."""
        self.axes = self.layout.axes
        self._sequential = Sequential(self.until, self.replications, planned=bool(self.until))
        self._bare: dict[str, tuple[_core.Scenario, set[str]]] = {}
        """Scenario of each variant, axes not yet set, with the paths that it has."""
        if len(definition["configurations"]) != len(self.layout) * len(self.variants):
            raise ValueError("it has not a configuration for each variant at each point")

    @classmethod
    def open(cls, which: int | str | None = None, store: str | os.PathLike[str] | None = None) -> Self:
        """Opens the result of this number, name or id in a store, results/store if None.

        Of a name, or without one, it is the newest that has tables. Raises StoreError, and WeirError if none
        has.

        Example:
            >>> done = scenario.run(store="lab/store")
            >>> with weir.Sweep.open(done.number, "lab/store") as again:
            ...     print(again.name, again.kind, again.id == done.id)
            rem-wireline run True
        """
        opened = Store.open(place_of(store), read_only=True)
        records = opened.find_sweeps(which)
        for record in records[:-1]:
            with suppress(WeirError):
                return cls(opened, record)
        return cls(opened, records[-1])

    def label(self, variant: str) -> str:
        """Label of one variant. Raises InputError for one that the result does not have."""
        return self.labels[self._place(variant)]

    def _place(self, variant: str) -> int:
        """Place of a variant among all. Raises InputError for one that the result does not have."""
        if variant not in self.variants:
            named = dict(zip(self.labels, self.variants, strict=True)).get(variant)
            hint = f"did you mean {named!r}?" if named else suggestion(str(variant), self.variants)
            raise InputError(f"there is no variant {variant!r}", hint)
        return self.variants.index(variant)

    def _check_point(self, point: int) -> None:
        last = len(self.layout.rows) - 1
        there = f"its points are 0 to {last}" if last else "its only point is 0"
        require(0 <= point <= last, f"the result has no point {point}", there)

    @cached_property
    def flow_groups(self) -> list[str]:
        """Names of the groups of flows."""
        return [path.group for path in _core.network_of(self.resolved[self.baseline]).paths]

    def resolved_at(self, point: int, variant: str) -> str:
        """Scenario of one configuration as TOML. Raises WeirError where it cannot be resolved again, and
        InputError for a point or a variant that the result does not have."""
        self._check_point(point)
        self._place(variant)
        return self._at(point, variant).to_toml() if self.axes else self.resolved[variant]

    def _at(self, point: int, variant: str) -> _core.Scenario:
        """Scenario of one configuration, if there are axes. Files that it names must exist. Its classes are
        not loaded: the author of the store may have written them too."""
        place = point * len(self.variants) + self._place(variant)
        wanted = self.record.definition["configurations"][place]
        if variant not in self._bare:
            bare = _core.Scenario.loads(self.resolved[variant], self.name, python=None)
            self._bare[variant] = bare, {path for path in self.layout.paths if bare.has_choice(path)}
        bare, paths = self._bare[variant]
        values = self.layout.rows[point]
        # An axis may belong to an AQM that the variant does not have.
        for chosen in ([pair for pair in values if pair[0] in paths], values):
            found = bare.replace(settings(chosen, self.record.definition.get("choices")))
            # An axis may have set another class, which then is of another file.
            if found.has_python_aqms and (of := sources.digests_of(json.loads(found.to_json()), self.python)):
                found = found.replace(of)
            if found.hash == wanted:
                return found
        raise WeirError(f"{variant} at point {point} cannot be resolved again")

    @cached_property
    def configurations(self) -> pl.DataFrame:
        """Configurations, one row per point and variant. Columns are point, variant, label, hash, then one
        per axis."""
        variants = len(self.variants)
        points = len(self.layout.rows)
        frame = pl.DataFrame(
            {
                "point": np.repeat(np.arange(points, dtype=np.int64), variants),
                "variant": self.variants * points,
                "label": self.labels * points,
                "hash": self.record.definition["configurations"],
            },
            schema_overrides={"hash": pl.String},
        )
        for column, values in self.layout.columns().items():
            frame = frame.with_columns(values.gather(frame["point"]).alias(column))
        return frame

    @cached_property
    def keys(self) -> list[str]:
        """Columns that distinguish configurations, namely point, variant, label and the axes."""
        return [*CONFIGURATION, *self.layout.columns()]

    @cached_property
    def wanted(self) -> pl.DataFrame:
        """Requested runs, one row each, with the columns of `configurations`, replication, seed, run."""
        n = self.replications
        hashes = self.configurations["hash"].to_list()
        keys = _core.run_keys(hashes, self.seed, n, self.results_version)
        repeated = self.configurations.drop("hash").select(pl.all().repeat_by(n).explode())
        replication = np.tile(np.arange(n, dtype=np.int64), len(hashes))
        return repeated.with_columns(
            pl.Series("replication", replication),
            pl.Series("seed", replication + self.seed),
            pl.Series("run", np.frombuffer(keys, np.int64)),
        )

    @cached_property
    def stops(self) -> pl.DataFrame:
        """State of each configuration, in columns point, variant, n and state (`met`, `maximum` or `open`).
        The first n replications count."""
        runs = self._finished.select("run", "point", "variant", "replication")
        if self.until and not runs.is_empty():
            keys = runs["run"].unique().to_list()
            measures = list(dict.fromkeys(rule.measure for rule in self.until))
            tables = measured(lambda name: self._scan(name, keys))
            observed = analysis.observations(tables, groups=self.flow_groups, measures=measures)
            whole = observed.filter(pl.col("period") == WHOLE_RUN).select("run", *measures)
            runs = runs.join(whole, on="run", how="left", maintain_order="left")
        found = {
            (str(part["variant"][0]), int(part["point"][0])): stop(part, self._sequential)
            for part in runs.sort("replication").partition_by("point", "variant", maintain_order=True)
        }
        every = self.configurations.select("point", "variant")
        rows = [found.get((variant, point), (0, OPEN)) for point, variant in every.iter_rows()]
        return every.with_columns(
            pl.Series("n", [n for n, _ in rows], dtype=pl.Int64),
            pl.Series("state", [state for _, state in rows], dtype=pl.String),
        )

    @property
    def unfinished(self) -> int:
        """Number of configurations that lack replications."""
        return self.stops["state"].to_list().count(OPEN)

    @cached_property
    def finished(self) -> pl.DataFrame:
        """Rows of `wanted` that are finished and count, which is up to where a rule stopped."""
        if not self.until:
            return self._finished
        counted = self.stops.select("point", "variant", "n")
        return (
            self._finished.join(counted, on=["point", "variant"], how="left", maintain_order="left")
            .filter(pl.col("replication") < pl.col("n"))
            .drop("n")
        )

    @cached_property
    def cost(self) -> Cost:
        """Cost of the runs that count."""
        return self.store.cost(self._run_keys)

    @property
    def runs(self) -> pl.DataFrame:
        """Packets and events of each run, one row per run."""
        rows = self._scan("runs").select("run", "packets", "events").collect()
        return self.finished.join(rows, on="run", how="left", maintain_order="left")

    @property
    def tables(self) -> Mapping[str, pl.DataFrame]:
        """All tables by name."""
        return {name: getattr(self, name) for name in TABLES}

    def table(self, name: str) -> pl.DataFrame:
        """Table of all runs that count. Its first column, `run`, is the key of the run. Raises StoreError if
        there is no such table."""
        return self._scan(name).collect()

    @property
    def directory(self) -> Path:
        """Directory of its pages, figures and captures, NUMBER-NAME beside the store."""
        return self.store.directory(self.record)

    @property
    def captures(self) -> Mapping[str, Path]:
        """Captures of the packets of replication 0, as pcapng files by name."""
        return {path.stem: path for path in sorted((self.directory / "captures").glob("*.pcapng"))}

    def quantile(self, degrees: int) -> float:
        """Quantile of Student's t at the level of the intervals, for this number of degrees of freedom.
        Raises InputError for none."""
        return self._sequential.quantile(degrees)

    def close(self) -> None:
        """Closes the store; nothing more can be read from it.

        Example:
            >>> opened = scenario.run()
            >>> opened.close()
        """
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _finished(self) -> pl.DataFrame:
        finished = self.store.finished(self.wanted["run"].unique().to_list())
        known = pl.Series("run", sorted(finished), dtype=pl.Int64)
        return self.wanted.filter(pl.col("run").is_in(known.implode()))

    @cached_property
    def _run_keys(self) -> list[int]:
        return self.finished["run"].unique().to_list()

    def keyed(self, name: str) -> pl.DataFrame:
        """Table of the runs that count, led by the columns that distinguish runs. Raises as `table` does."""
        rows = self.table(name)
        if name in _OF_GROUPS and len(self.flow_groups) == 1:
            # The store leaves out the rows of an only group: they are those of all.
            own = rows.filter(pl.col("group") == analysis.ALL)
            rows = pl.concat([rows, own.with_columns(pl.lit(self.flow_groups[0]).alias("group"))])
        return self.finished.join(rows, on="run", maintain_order="left_right")

    @cached_property
    def _measured(self) -> dict[str, pl.DataFrame]:
        """Tables of the measures, of the runs that count."""
        return measured(self._scan)

    def _scan(self, name: str, runs: Sequence[int] | None = None) -> pl.LazyFrame:
        rows = self.store.scan(name, self._run_keys if runs is None else runs, self.results_version)
        # A store without any run does not know what its tables are like. One with runs leaves out a table in
        # which none of them has a row.
        if rows.collect_schema().names() == ["run"] and self._finished.is_empty():
            again = f"the same command does them: {self.command}" if self.command else None
            raise WeirError(f"no run of result {self.number}, {self.name}, is finished yet", again)
        return rows.with_columns(pl.col(pl.Enum, pl.Categorical).cast(pl.String))


def stop(runs: pl.DataFrame, sequential: Sequential) -> tuple[int, str]:
    """Number of replications of a configuration that count, and its state.

    `runs` are its finished ones, in order, with `replication` and the measures of the rules.
    """
    # With rules, what comes after a gap was asked for by another sweep, or is still to be counted.
    gaps = np.flatnonzero(runs["replication"].to_numpy() != np.arange(len(runs)))
    n = int(gaps[0]) if gaps.size and sequential.rules else len(runs)
    measures = {rule.measure for rule in sequential.rules}
    values = {name: runs[name].fill_null(float("nan")).to_numpy()[:n] for name in measures}
    stopped = sequential.stopped_at(values, n)
    if stopped is None:
        return n, OPEN
    return stopped, MET if sequential.state(values, stopped) <= 1.0 else MAXIMUM
