"""Notes on a result: what may mislead in its configurations, and in the measured values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

import polars as pl

from weir import _core, check
from weir._errors import WeirError
from weir.check import Note, Repeated
from weir.run import WHOLE_RUN
from weir.stats import MEASURES, analysis
from weir.sweep._networks import NetworkedSweep

_TAIL = re.compile(r"_p(\d+)$")
"""Pattern of the name of a measure that is a quantile."""

_WHOLE = pl.col("period") == WHOLE_RUN

Counts = dict[tuple[int, str], list[int]]
"""Count in each run, by point and variant."""


class NotedSweep(NetworkedSweep):
    """Result with its notes."""

    @property
    def notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead in the configurations, and in the measured values."""
        return *self.live_notes, *self.scenario_notes, *self.measured_notes

    @property
    def measured_notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead in the measured values."""
        return self.notes_beside(("delay_p95", "delay_p99", "slowdown_p99"), of_groups=True)

    def notes_beside(self, measures: Sequence[str], *, of_groups: bool) -> tuple[Repeated, ...]:
        """Notes on the measured values beside tables of these measures, with or without a row for each flow
        group."""
        return *self.trend_notes, *self._value_notes(measures, of_groups=of_groups)

    @property
    def live_notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead about real packets."""
        return check.merged([(self.labels[0], [Note(**note) for note in self.live.get("notes", ())])])

    @cached_property
    def trend_notes(self) -> tuple[Repeated, ...]:
        """Notes on configurations whose queue had not settled."""
        rows = self._measured["links"]
        if not {"queue_trend", "queue_drift"} <= set(rows.columns):
            return ()  # of an earlier version
        whole = pl.col("bottleneck") & (pl.col("class") == analysis.ALL) & (pl.col("group") == analysis.ALL)
        found = rows.filter(whole & (pl.col("period") == WHOLE_RUN)).select(
            "run", "queue_trend", "queue_drift"
        )
        labels = dict(zip(self.variants, self.labels, strict=True))
        settings = self.finished.join(found, on="run").group_by("point", "variant", maintain_order=True)
        return check.merged(
            (labels[name], check.trend_notes(self.resolved[name], trends, drifts))
            for _, name, trends, drifts in settings.agg("queue_trend", "queue_drift").iter_rows()
        )

    @cached_property
    def scenario_notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead in the configurations."""
        if self.kind == "live":
            return ()  # most are about the senders of a simulation
        labelled = list(zip(self.variants, self.labels, strict=True))
        if not self.axes:
            return check.notes_together(
                ((label, check.notes_of_toml(self.resolved[name])) for name, label in labelled),
                ((label, self.resolved[name]) for name, label in labelled),
            )
        try:
            points = range(len(self.layout.rows))
            return check.merged(
                (label, check.notes(self._at(point, name))) for point in points for name, label in labelled
            )
        except (_core.ScenarioError, WeirError):
            # A file that it names is no longer there, or it does not say of which file a class was.
            return ()

    @cached_property
    def unvarying(self) -> pl.DataFrame:
        """Configurations in which nothing is random, by point and variant. At least two replications are
        equal in every value of every period, so that intervals would say nothing."""
        runs = self.finished.select("run", "point", "variant")
        for name, table in self._measured.items():
            rows = table.select("run", row=table.drop("run").hash_rows())
            runs = runs.join(
                rows.group_by("run", maintain_order=True).agg(pl.col("row").alias(name)), on="run", how="left"
            )
        together = runs.group_by("point", "variant", maintain_order=True)
        equal = together.agg(
            pl.len().alias("replications"), *(pl.col(name).n_unique() for name in self._measured)
        )
        alike = pl.all_horizontal(pl.col(name) == 1 for name in self._measured)
        return equal.filter((pl.col("replications") > 1) & alike).select("point", "variant")

    def where_random(self, rows: pl.DataFrame, still: pl.DataFrame) -> pl.DataFrame:
        """Removes the intervals of the configurations in which nothing is random."""
        if still.is_empty():
            return rows
        marked = rows.join(
            still.with_columns(_still=True), on=["point", "variant"], how="left", maintain_order="left"
        )
        random = pl.when(pl.col("_still").is_null())
        return marked.with_columns(
            random.then(pl.col(name)).alias(name) for name in ("half_width", "low", "high")
        ).drop("_still")

    @property
    def is_all_equal(self) -> bool:
        """True if nothing is random in any configuration."""
        return len(self.unvarying) == len(self.finished.select("point", "variant").unique()) > 0

    def _value_notes(self, measures: Sequence[str], *, of_groups: bool) -> tuple[Repeated, ...]:
        """Notes on undefined values, equal replications, and quantiles of few values."""
        if self.finished.is_empty():
            return ()
        still = set(self.unvarying.iter_rows())
        counts = [
            (what, self._least(table, column, chosen), quantiles)
            for what, table, column, chosen in self._counted(of_groups=of_groups)
            if (quantiles := _quantiles(measures, table))
        ]
        cut = list(self._cut_off(of_groups=of_groups)) if _is_of_transfers(measures) else []
        arrivals = self._each("links", "arrivals", _WHOLE & _at_bottleneck(analysis.ALL))
        found: list[tuple[str, list[Note]]] = []
        for point, name, label in (
            self.finished.select("point", "variant", "label").unique(maintain_order=True).iter_rows()
        ):
            here = list(check.nothing_measured(arrivals.get((point, name), ())))
            here += [check.nothing_random(self.flow_groups[0])] if (point, name) in still else []
            for what, least, quantiles in counts:
                here += check.few_values(least.get((point, name), 0), what, quantiles)
            for what, ended, left in cut:
                # None in a variant without transfers.
                runs = zip(ended.get((point, name), ()), left.get((point, name), ()), strict=True)
                most = max(runs, key=lambda run: run[1] / max(1, sum(run)), default=(0, 0))
                here += check.unfinished_transfers(*most, what)
            found.append((label, here))
        return check.merged(found)

    def _counted(self, *, of_groups: bool) -> Iterator[tuple[str, str, str, pl.Expr]]:
        """Populations of the quantiles: a description, the table and the column that count it, and its
        rows."""
        for group, of in self._described(of_groups=of_groups):
            some = _at_bottleneck(group) & (pl.col("departures") > 0)
            yield f"packets{of} left the bottleneck in a run", "links", "departures", _WHOLE & some
            if group == analysis.ALL:
                yield "packets left the bottleneck in a period", "links", "departures", ~_WHOLE & some
            if analysis.has_transfers(self._measured):
                rows = (pl.col("group") == group) & pl.col("upto_bytes").is_nan()
                yield f"transfers{of} ended in a run", "completions", "count", _WHOLE & rows

    def _cut_off(self, *, of_groups: bool) -> Iterator[tuple[str, Counts, Counts]]:
        """Transfers in words, those that ended, and those that had not."""
        if not analysis.has_transfers(self._measured):
            return
        for group, of in self._described(of_groups=of_groups):
            rows = _WHOLE & (pl.col("group") == group) & pl.col("upto_bytes").is_nan()
            ended, left = (self._each("completions", column, rows) for column in ("count", "unfinished"))
            if ended:
                yield f"transfers{of}", ended, left

    def _described(self, *, of_groups: bool) -> Iterator[tuple[str, str]]:
        """Populations of flows, with words for each: all flows together and, if there are several groups,
        each of them."""
        yield analysis.ALL, ""
        if of_groups and len(self.flow_groups) > 1:
            yield from ((group, f" of {group}") for group in self.flow_groups)

    def _each(self, table: str, column: str, chosen: pl.Expr) -> Counts:
        """Count in each run, by point and variant."""
        rows = self.finished.join(self._measured[table].filter(chosen).select("run", column), on="run")
        each = rows.group_by("point", "variant", maintain_order=True).agg(pl.col(column))
        return {(point, variant): numbers for point, variant, numbers in each.iter_rows()}

    def _least(self, table: str, column: str, chosen: pl.Expr) -> dict[tuple[int, str], int]:
        """Least count in a run, by point and variant."""
        return {setting: int(min(numbers)) for setting, numbers in self._each(table, column, chosen).items()}


def _at_bottleneck(group: str) -> pl.Expr:
    """Condition for the rows of the table `links` about the packets of a group at the bottleneck."""
    return (pl.col("group") == group) & pl.col("bottleneck") & (pl.col("class") == analysis.ALL)


def _is_of_transfers(measures: Sequence[str]) -> bool:
    """Returns true if times or slowdowns of transfers are among these measures."""
    return any(MEASURES[name].table == "completions" and name != "transfers" for name in measures)


def _quantiles(measures: Sequence[str], table: str) -> list[str]:
    """Quantiles among these measures whose values a table counts."""
    found = (MEASURES[name] for name in measures)
    tails = (
        _TAIL.search(one.whole) for one in found if (one.table == "completions") == (table == "completions")
    )
    return [f"p{tail[1]}" if len(tail[1]) < 3 else f"p{tail[1][:2]}.{tail[1][2:]}" for tail in tails if tail]
