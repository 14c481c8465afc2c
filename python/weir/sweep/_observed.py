"""Observations of a result: the values of its runs, and the parts by which they can be divided."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import polars as pl

from weir._errors import InputError, listed
from weir.scenario import suggestion
from weir.stats import (
    By,
    MeasureError,
    analysis,
    check_measure,
    defined_measures,
    known_measure,
    measure_named,
)
from weir.sweep._noted import NotedSweep

_PARTS: tuple[By, ...] = ("group", "class", "link")


class ObservedSweep(NotedSweep):
    """Result with the values of each run, of which its estimates are made."""

    def observations(
        self, of: str = analysis.ALL, measures: Sequence[str] = (), at: str = ""
    ) -> pl.DataFrame:
        """Values of each run and period, one row each: the keys, replication, seed, run, the span, the users,
        and every measure. Measures are about all packets, a flow group or a class of the queue, at the
        bottleneck or at the port `at`. Columns follow for those of `measures` that name a part, such as
        `goodput of cubic` and `delay_p99 at line`.

        Raises MeasureError for a flow group, a class, a port or a measure that is not there.

        Example:
            >>> runs = result.observations().filter(variant="rem-mark", period=-1)
            >>> runs.select("replication", runs["delay_mean"].round(1)).rows()
            [(0, 123.8), (1, 132.2), (2, 131.2)]
        """
        measures = [known_measure(words).name for words in listed(measures)]
        known = self._observed.get((of, at))
        if known is None:
            if of not in {analysis.ALL, *self.flow_groups, *self.queue_classes}:
                there = ", ".join((*self.flow_groups, *self.queue_classes))
                raise MeasureError(f"there is no flow group or class {of!r}", f"there are: {there}")
            if at and at not in self.ports:
                raise MeasureError(f"there is no port {at!r}", f"there are: {', '.join(self.ports)}")
            observed = analysis.observations(self._measured, of, self.flow_groups, at=at)
            known = self._observed[of, at] = self.finished.join(
                observed, on="run", how="left", maintain_order="left_right"
            )
        return analysis.with_parts(known, measures, lambda one, port: self.observations(one, at=port))

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Measures that are defined here. Those of transfers need flows that come and go."""
        return defined_measures(transfers=self.has_transfers)

    @property
    def has_transfers(self) -> bool:
        """True if flows come and go in any of the runs."""
        return analysis.has_transfers(self._measured)

    @property
    def bottleneck(self) -> str:
        """Link at which queue, marks and delay are measured."""
        return analysis.bottleneck(self._measured)

    @property
    def has_several_links(self) -> bool:
        """True if the runs have several links, so that a table has to name the bottleneck."""
        return analysis.has_several_links(self._measured)

    @property
    def divided_by(self) -> tuple[By, ...]:
        """Ways to divide the measures, by flow groups, classes of the queue, or ports that data pass, if
        there are several."""
        groups = len(self.flow_groups) > 1 and self.kind != "live"
        found: dict[By, bool] = {
            "group": groups,
            "class": bool(self.queue_classes),
            "link": len(self.data_ports) > 1,
        }
        return tuple(by for by, there in found.items() if there)

    def parts(self, by: By) -> list[str]:
        """Flow groups, ports that data pass, or classes of the queue. Raises MeasureError if the queue has
        none, and for other parts."""
        if by not in _PARTS:
            raise MeasureError(f"nothing is divided by {by!r}", suggestion(str(by), _PARTS))
        if by == "group":
            return self.flow_groups
        if by == "link":
            return self.data_ports
        if not self.queue_classes:
            raise MeasureError("the queue of the bottleneck has no classes", "dualpi2 and cake have them")
        return self.queue_classes

    def _check_labels(self, labels: Sequence[str] | None) -> None:
        """Raises InputError for a label that no variant has."""
        for label in listed(labels or ()):
            if label not in self.labels:
                meant = dict(zip(self.variants, self.labels, strict=True)).get(label)
                hint = f"did you mean {meant!r}?" if meant else suggestion(str(label), self.labels)
                raise InputError(f"no variant has the label {label!r}", hint)

    @cached_property
    def _observed(self) -> dict[tuple[str, str], pl.DataFrame]:
        return {}

    def _known(self, measures: Sequence[str] | None) -> Sequence[str]:
        """Names of measures as a person writes them; all measures if none is given. Raises MeasureError."""
        found = [measure_named(words) for words in listed(measures or ())]
        for measure in found:
            check_measure(measure, self.flow_groups, self.queue_classes, self.ports)
        return [measure.name for measure in found] or self.measures
