"""Results of one kind: tables, estimates and differences of the runs that their store holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import polars as pl

from weir._errors import listed
from weir.run import WHOLE_RUN
from weir.stats import MEASURES, By, analysis
from weir.sweep import _describe as describe
from weir.sweep._design import DesignError, indices
from weir.sweep._estimated import EstimatedSweep, measures_by


class Sweep(EstimatedSweep):
    """A run, a comparison or a sweep: a run has one point and one variant, a comparison one point.

    Frames are polars data frames. Their first columns are point, variant, label and one column per axis. In
    frames with a `period`, -1 is the whole run without its warm-up.

    A verb that reads tables raises WeirError while no run is finished, and StoreError after `close`.

    Example:
        >>> result.label("rem-mark"), result.parts("link"), result.bottlenecks(0, "rem-mark")
        ('REM mark', ['bottleneck'], {'ftp': 'bottleneck'})
        >>> weir.Scenario.loads(result.resolved_at(0, "rem-mark")).duration, round(result.quantile(2), 2)
        (4.0, 4.3)
        >>> result.table("links").columns[:4], result.keyed("links").columns[:4]
        (['run', 'link', 'direction', 'class'], ['point', 'variant', 'label', 'replication'])
    """

    def delay_histograms(self) -> pl.DataFrame:
        """Histograms of the queueing delay at the bottleneck over the whole run and all replications.

        Columns: the keys, upto_ms, count.

        Example:
            >>> rows = result.delay_histograms().filter(variant="rem-mark")
            >>> rows["count"].sum(), round(rows["upto_ms"].max())
            (3911, 240)
        """
        whole = (pl.col("period") == WHOLE_RUN) & (pl.col("group") == analysis.ALL)
        tables = {name: self._scan(name).filter(whole).collect() for name in ("links", "delays")}
        rows = analysis.bottleneck_rows(tables, "delays", analysis.ALL).select("run", "upto_ms", "count")
        return (
            self.finished.select("run", *self.keys)
            .join(rows, on="run", maintain_order="left_right")
            .group_by(*self.keys, "upto_ms", maintain_order=True)
            .agg(pl.col("count").sum())
        )

    def series_of(
        self, point: int = 0, variants: Sequence[str] | None = None, *, every: bool = False
    ) -> pl.DataFrame:
        """Time series of inner variables in replication 0 at one point: variant, label, component, variable,
        time_s, value. `variants` are labels. Empty unless the scenario asks for series.

        `every`: of all replications, with a column `replication` before the component. Raises InputError for
        a point or a label that the result does not have.

        Example:
            >>> series = result.series_of(variants=["REM mark"])
            >>> series["variable"].unique(maintain_order=True).to_list()
            ['queue', 'price', 'probability']
            >>> round(series.filter(variable="price")["value"].max(), 1)
            5.0
        """
        self._check_point(point)
        self._check_labels(variants)
        runs = self.finished.filter(pl.col("point") == point)
        runs = runs if every else runs.filter(pl.col("replication") == 0)
        if variants is not None:
            runs = runs.filter(pl.col("label").is_in(listed(variants)))
        rows = self._scan("series", runs["run"].to_list()).collect()
        chosen = runs.select("variant", "label", *(["replication"] if every else []), "run")
        return chosen.join(rows, on="run", maintain_order="left_right").drop("run")

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
        """Response times of the queue after each change of load: see `weir.stats._responses`.

        Args:
            low, high: the band in which the queue belongs, as "20 packets" or "62.5 kB".
            link: the bottleneck if None.
            hold: how long the queue must stay in the band for the response to be over.
            average: over which it is averaged, for the rows whose `queue` is `average`.
            at: instants from which times count; if None, when flows come or go after the start,
                or the link gets another rate.

        Columns: the keys, replication, seed, change (0 is the first), at_s, until_s (the next change of the
        load, or the end), flows_before, flows_after. Then: rate_bps (if it changes), queue (`samples` or
        `average`), response_s and settling_s, infinite where the load changes again before. Raises
        ResponseError.

        Example:
            >>> rows = result.responses("1 packets", "60 packets", hold="300 ms")
            >>> first = rows.filter(change=0, replication=0, queue="average")
            >>> first.select("label", "at_s", first["response_s"].round(1)).rows()
            [('DropTail', 2.0, 0.5), ('RED(20:80) mark', 2.0, 0.5), ('REM mark', 2.0, 0.5)]
        """
        from weir.stats import responses

        tables = {"series": self.series, "links": self.links}
        axes = self.configurations.drop("variant", "label", "hash").unique(maintain_order=True)
        found: list[pl.DataFrame] = []
        for keys in axes.iter_rows(named=True):
            point = keys["point"]
            here = {name: frame.filter(pl.col("point") == point) for name, frame in tables.items()}
            resolved = {name: self.resolved_at(point, name) for name in self.variants}
            rows = responses(here, resolved, low, high, link=link, hold=hold, average=average, at=at)
            found.append(rows.with_columns(pl.lit(value).alias(name) for name, value in keys.items()))
        return pl.concat(found).select(*self.keys, pl.all().exclude(self.keys))

    def sensitivity(self, measure: str) -> pl.DataFrame | None:
        """Sensitivity to each axis: see `weir.sweep._design`. None for other designs.

        Raises MeasureError for a measure that is not there. Raises DesignError while points are missing, and
        for several variants.

        Example:
            >>> axes = ["links.bottleneck.rate=2..8 Mbit/s", "flows.ftp.count=2..6"]
            >>> screened = scenario.sweep(axes, samples=4, method="morris", variants="rem-mark")
            >>> found = screened.sensitivity("utilisation")
            >>> found.select("axis", found["mu_star"].round()).rows()
            [('links.bottleneck.rate', 27.0), ('flows.ftp.count', 20.0)]
        """
        self._known([measure])
        if self.design not in {"morris", "saltelli"}:
            return None
        if len(self.variants) > 1:
            known = ", ".join(self.variants)
            raise DesignError("sensitivity is of one variant", f"sweep it alone, --variants NAME: {known}")
        rows = self.estimates([measure]).filter(pl.col("period") == WHOLE_RUN)
        means = pl.DataFrame({"point": np.arange(len(self.layout.rows), dtype=np.int64)}).join(
            rows.select("point", "mean"), on="point", how="left", maintain_order="left"
        )
        return indices(self.layout, means["mean"].fill_null(float("nan")).to_numpy())

    def _repr_html_(self) -> str:
        return describe.html_of(self)

    @property
    def facts(self) -> Mapping[str, str]:
        """Facts at the head of a page."""
        cost = self.cost
        return {
            "Scenario": self.scenario,
            "Points": f"{len(self.layout.rows):,}",
            "Variants": f"{len(self.labels):,}",
            "Replications": f"{'at most ' if self.until else ''}{self.replications:,}",
            "Runs": describe.state(self).replace(" runs", "", 1).replace(" run", "", 1),
            "Packets" if self.live else "Packets simulated": f"{cost.packets:,}",
            "CPU time": f"{cost.cpu_s:.1f} s{describe.speed(cost)}",
            **self.live.get("facts", {}),
            **({"Until": " and ".join(map(str, self.until))} if self.until else {}),
        }

    @property
    def origin(self) -> Mapping[str, str]:
        """Facts needed to run it again."""
        last = self.seed + self.replications - 1
        return {
            "Result": f"{self.number} {self.name} ({self.id})",
            "Weir": f"{self.record.weir}, results version {self.results_version}",
            "Seeds": f"{self.seed} to {last}" if last > self.seed else str(self.seed),
            "Defined": describe.moment(self.created),
        }

    def document(self, measures: Sequence[str] | None = None) -> dict[str, Any]:
        """Document that `--json` prints, as plain values: null for "not defined".

        Raises MeasureError for measures that are not there.

        Example:
            >>> document = result.document(["goodput"])
            >>> document["kind"], document["variants"][0]["name"], len(document["estimates"])
            ('compare', 'drop-tail', 9)
        """
        chosen = self._known(measures)
        return {
            "number": self.number,
            "name": self.name,
            "kind": self.kind,
            "id": self.id,
            "scenario": self.scenario,
            "title": self.title,
            "command": self.command,
            "design": self.design,
            "axes": [axis.to_json() for axis in self.axes],
            "variants": self.record.definition["variants"],
            "baseline": self.baseline,
            "margins": dict(self.margins),
            "replications": self.replications,
            "seeds": list(range(self.seed, self.seed + self.replications)),
            "until": [str(rule) for rule in self.until],
            "live": dict(self.live) or None,
            "weir": self.record.weir,
            "results_version": self.results_version,
            "state": describe.state(self),
            "configurations": self.stops.to_dicts(),
            "runs": self.finished["run"].n_unique(),
            "wanted": self.wanted["run"].n_unique(),
            "cost": asdict(self.cost),
            "notes": [note.to_json() for note in self.notes],
            "measures": {
                name: {"title": m.title, "unit": m.unit, "definition": m.definition}
                for name in dict.fromkeys((*self.measures, *chosen))
                for m in (MEASURES[name],)
            },
            "estimates": self.estimates(chosen).fill_nan(None).to_dicts(),
            "differences": self.differences(measures=chosen).fill_nan(None).to_dicts(),
            "by": {by: self._document_by(by, chosen) for by in self.divided_by},
        }

    def _document_by(self, by: By, measures: Sequence[str]) -> dict[str, Any]:
        """Estimates and differences of every flow group, or class, for the measures that these have."""
        if not measures_by(by, measures):
            return {"estimates": [], "differences": []}
        return {
            "estimates": self.estimates(measures, by=by).fill_nan(None).to_dicts(),
            "differences": self.differences(measures=measures, by=by).fill_nan(None).to_dicts(),
        }

    def __repr__(self) -> str:
        of = f"({self.kind}): {', '.join(self.labels)}; {describe.state(self)}"
        return f"<weir.Sweep {self.number} {self.name!r} {of}>"
