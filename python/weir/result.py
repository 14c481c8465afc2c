"""What runs have measured: tables, estimates, plots, and a place to keep them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from weir import analysis, saved
from weir.measures import MEASURES, defined
from weir.record import Record
from weir.tables import KEYS, WHOLE_RUN

if TYPE_CHECKING:
    from weir.charts.plots import Plots


@dataclass(frozen=True)
class Result:
    """The outcome of `Scenario.run` or `Scenario.compare`.

    Tables are polars data frames whose leading columns are variant, label, replication and
    seed. In tables with a `period`, -1 is the whole run, warm-up left out.
    """

    record: Record
    """What was run, with which versions, at what cost."""
    tables: Mapping[str, pl.DataFrame]
    resolved: Mapping[str, str]
    """Variant to its scenario as TOML, every default written out."""
    captures: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Name to pcapng file, of the first replication. Without a file of their own they are gone with
    this object, unless it is saved."""

    @classmethod
    def load(cls, directory: str | os.PathLike[str]) -> Result:
        """A saved result. Raises ValueError where there is none, or of an unknown format."""
        return cls(*saved.read(directory))

    def save(self, directory: str | os.PathLike[str], *, report: bool = True, replace: bool = True) -> None:
        """Writes tables, figures and report; the directory appears when it is whole.

        An earlier result in its place is kept until then, and always if `replace` is False.
        Raises OSError if it cannot be written, and for a directory that is not a result.
        """
        saved.write(self, directory, report=report, replace=replace)

    @property
    def runs(self) -> pl.DataFrame:
        """One row per run: packets, events."""
        return self.tables["runs"]

    @property
    def links(self) -> pl.DataFrame:
        """Queues and utilisation by link, direction, class, group and period."""
        return self.tables["links"]

    @property
    def groups(self) -> pl.DataFrame:
        """Goodput, loss and fairness by flow group and period."""
        return self.tables["groups"]

    @property
    def flows(self) -> pl.DataFrame:
        """Goodput by flow and period."""
        return self.tables["flows"]

    @property
    def delays(self) -> pl.DataFrame:
        """Histograms of the queueing delay: `count` packets up to `upto_ms`."""
        return self.tables["delays"]

    @property
    def completions(self) -> pl.DataFrame:
        """Transfers that ended, by flow group, period and size (`upto_bytes`; NaN: all sizes): their
        number, times and slowdowns. Empty where no flows come and go."""
        return self.tables["completions"]

    @property
    def series(self) -> pl.DataFrame:
        """Inner variables over time; empty unless the scenario asks for series."""
        return self.tables["series"]

    @property
    def baseline(self) -> str:
        """The variant that the others are compared with: the first."""
        return self.record.variants[0].name

    def observations(self, group: str = analysis.ALL) -> pl.DataFrame:
        """One row per variant, replication and period with every measure as a column."""
        return analysis.observations(self.tables, group)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are defined here: those of transfers only where flows come and go."""
        return defined(transfers=analysis.has_transfers(self.tables))

    def estimates(self, measures: Sequence[str] | None = None, group: str = analysis.ALL) -> pl.DataFrame:
        """Means with 95% intervals per variant, period and measure: see `analysis.estimates`."""
        return analysis.estimates(self.observations(group), measures or self.measures)

    def differences(
        self,
        baseline: str | None = None,
        measures: Sequence[str] | None = None,
        group: str = analysis.ALL,
        margins: Mapping[str, float] | None = None,
    ) -> pl.DataFrame:
        """Variants against the baseline in pairs: see `analysis.differences`.

        Without `margins`, those that were stated when the comparison was run.
        """
        baseline = baseline or self.baseline
        if baseline not in self.record.labels:
            raise ValueError(f"there is no variant {baseline!r}; there are: {', '.join(self.record.labels)}")
        return analysis.differences(
            self.observations(group),
            baseline,
            measures or self.measures,
            self.record.margins if margins is None else margins,
        )

    def summary(self, group: str = analysis.ALL) -> pl.DataFrame:
        """One row per variant: every measure over the whole run, and its half width beside it.

        Columns: variant, label, n, then MEASURE and MEASURE_half_width in turn.
        """
        whole = self.estimates(group=group).filter(pl.col("period") == WHOLE_RUN)
        rows: list[dict[str, Any]] = []
        for part in whole.partition_by("variant", maintain_order=True):
            row: dict[str, Any] = {
                "variant": part["variant"][0],
                "label": part["label"][0],
                "n": self.record.replications,
            }
            for entry in part.iter_rows(named=True):
                row[entry["measure"]] = entry["mean"]
                row[f"{entry['measure']}_half_width"] = entry["half_width"]
            rows.append(row)
        numbers = {name: pl.Float64 for name in rows[0] if name not in {*KEYS, "n"}}
        return pl.DataFrame(rows, schema_overrides=numbers)

    def responses(
        self,
        low: str,
        high: str,
        *,
        link: str | None = None,
        hold: str = "10 s",
        average: str = "100 ms",
        at: Sequence[str] | None = None,
    ) -> pl.DataFrame:
        """How long the queue takes after each change of load: see `weir.responses`.

        Args:
            low, high: where the queue belongs, as "20 packets" or "62.5 kB".
            link: the bottleneck if None.
            hold: how long the queue must stay there for the response to be over.
            average: over which it is averaged, for the rows whose `queue` is `average`.
            at: instants from which times count; if None, when flows come or go after the start,
                or the link gets another rate.

        Columns: the keys of a run, change (0 is the first), at_s, until_s (when the load changes again, or
        the run ends), flows_before, flows_after, rate_bps (if it changes), queue (`samples` or `average`),
        response_s and settling_s, infinite where the load changes again before. Raises ResponseError.
        """
        from weir.responses import responses

        return responses(self.tables, self.resolved, low, high, link=link, hold=hold, average=average, at=at)

    @property
    def plot(self) -> Plots:
        """Charts: `result.plot.queue_by_users()` and so on."""
        from weir.charts.plots import Plots

        return Plots(self)

    def document(self) -> dict[str, Any]:
        """Everything that `--json` prints: plain values, null for "not defined".

        Keys: the manifest's, and `measures` (name to title, unit, definition), `estimates` and
        `differences` (rows as in the methods of these names).
        """
        estimates = self.estimates()
        differences = self.differences()
        return {
            **self.record.to_json(),
            "baseline": self.baseline,
            "measures": {
                measure.name: {
                    "title": measure.title,
                    "unit": measure.unit,
                    "definition": measure.definition,
                }
                for measure in map(MEASURES.__getitem__, self.measures)
            },
            "estimates": _plain(estimates),
            "differences": _plain(differences),
        }

    def _repr_html_(self) -> str:
        from weir.report.notebook import summary_html

        return summary_html(self)

    def __repr__(self) -> str:
        variants = ", ".join(self.record.labels.values())
        return f"<weir.Result {self.record.scenario!r}: {variants}; {self.record.replications} replications>"


def _plain(frame: pl.DataFrame) -> list[dict[str, Any]]:
    # JSON has no NaN.
    return [
        {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
        for row in frame.iter_rows(named=True)
    ]
