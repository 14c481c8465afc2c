"""Estimates of a result: means with intervals, and paired differences, with the dimensions they vary over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import polars as pl

from weir.run import WHOLE_RUN
from weir.stats import MEASURES, By, MeasureError, analysis, named_margins
from weir.sweep._axes import titles
from weir.sweep._dimension import TIME, USERS, VARIANTS, Dimension
from weir.sweep._observed import ObservedSweep


class EstimatedSweep(ObservedSweep):
    """A result whose measures are estimated at each point, for each variant and period."""

    def estimates(
        self,
        measures: Sequence[str] | None = None,
        of: str = analysis.ALL,
        by: By | None = None,
        at: str = "",
    ) -> pl.DataFrame:
        """Means with their 95% intervals per point, variant, period and measure.

        Measures are those of all packets, or of the flow group or class `of`, at the bottleneck or at the
        port `at`. Names such as `goodput of cubic` and `delay_p99 at line.reverse` say it for themselves.
        With `by`, of every flow group, every class, or at every port that data pass, in turn.

        Columns: the keys, group, class or link (with `by`), measure, unit, period, from_s, to_s, users, mean,
        half_width, low, high (null without an interval), n. Where a rule decided how many replications there
        are, the intervals are those of the rule, which hold although it looked several times.

        Raises MeasureError for measures and parts that are not there, and for `by` beside one part.

        Example:
            >>> rows = result.estimates(["mean delay"]).filter(period=-1)
            >>> rows.select("label", rows["mean"].round(1), rows["half_width"].round(1), "n").rows()
            [('DropTail', 130.1, 37.1, 3), ('RED(20:80) mark', 89.9, 47.1, 3), ('REM mark', 129.0, 11.4, 3)]
        """
        if by is not None:
            return self._by(by, of, at, measures, lambda of, at, chosen: self.estimates(chosen, of, at=at))
        chosen = self._known(measures)
        found = analysis.estimates(self.observations(of, chosen, at), chosen, self.keys, self.quantile)
        return self.where_random(found, self.unvarying)

    def differences(
        self,
        baseline: str | None = None,
        measures: Sequence[str] | None = None,
        of: str = analysis.ALL,
        margins: Mapping[str, float] | None = None,
        by: By | None = None,
        at: str = "",
    ) -> pl.DataFrame:
        """The other variants minus the baseline at each point, paired by replication, with 95% intervals.

        Without arguments: the baseline and the margins with which the comparison was run. `of`, `by` and `at`
        are as in `estimates`. Columns: the keys, group, class or link (with `by`), baseline, measure, unit,
        period, from_s, to_s, users. Statistics: difference, half_width, low, high, correlation (of the
        pairs), margin, n (pairs), verdict. The verdict is "other link" where the goodput of a group is a
        share of another link than that of the baseline.

        Raises InputError for a baseline that is no variant. Raises MeasureError for measures and parts that
        are not there, for `by` beside one part, and for a margin that is none.

        Example:
            >>> rows = result.differences(measures=["mean queue"]).filter(period=-1)
            >>> rows.select("label", rows["difference"].round(1), "verdict").rows()
            [('RED(20:80) mark', -14.6, 'no difference shown'), ('REM mark', 0.1, 'no difference shown')]
        """
        if by is not None:
            return self._by(
                by, of, at, measures, lambda of, at, one: self.differences(baseline, one, of, margins, at=at)
            )
        baseline = baseline or self.baseline
        self._place(baseline)
        chosen = self._known(measures)
        found = analysis.differences(
            self.observations(of, chosen, at),
            baseline,
            chosen,
            self.margins if margins is None else named_margins(margins),
            self.keys,
        )
        still = self.unvarying
        against = still.filter(pl.col("variant") == baseline).select("point")
        found = self.where_random(found, still.join(against, on="point", how="semi"))
        return self.of_one_link(found, of, baseline)

    def summary(self, of: str = analysis.ALL, by: By | None = None, at: str = "") -> pl.DataFrame:
        """One row per point and variant: every measure over the whole run, and its half width beside it.
        With `by`, one for each flow group, class or port of these.

        Columns: the keys, group, class or link (with `by`), n, then MEASURE and MEASURE_half_width in turn.

        Raises MeasureError for a flow group, a class or a port that is not there, and for `by` beside one.

        Example:
            >>> summary = result.summary()
            >>> dict(zip(summary["variant"], summary["goodput"].round(2)))
            {'drop-tail': 69.52, 'red-20-80-mark': 65.98, 'rem-mark': 69.28}
            >>> result.summary(by="group")["group"].unique().to_list()
            ['ftp']
        """
        if by is not None:
            return self._by(by, of, at, None, lambda of, at, _: self.summary(of, at=at))
        whole = self.estimates(of=of, at=at).filter(pl.col("period") == WHOLE_RUN)
        columns = [
            part.select(
                pl.col("mean").alias(name), pl.col("half_width").cast(pl.Float64).alias(f"{name}_half_width")
            )
            for name in self.measures
            for part in [whole.filter(pl.col("measure") == name)]
        ]
        counted = self.finished.group_by(self.keys, maintain_order=True).agg(
            pl.len().cast(pl.Int64).alias("n")
        )
        return pl.concat([counted, *columns], how="horizontal")

    def _by(
        self,
        by: By,
        one: str,
        at: str,
        measures: Sequence[str] | None,
        of: Callable[[str, str, Sequence[str]], pl.DataFrame],
    ) -> pl.DataFrame:
        """Frames of all parts, one below the other, with the measures that parts have. `of` selects a flow
        group or class, at a port. One part, or port, cannot be divided once more."""
        parts = self.parts(by)
        if one != analysis.ALL or at:
            said = f"values of {one} alone" if one != analysis.ALL else f"values at {at} alone"
            raise MeasureError(f"{said} are not divided by {by}", "leave out `by`, or `of` and `at`")
        chosen = measures_by(by, self._known(measures))
        if not chosen:
            known = ", ".join(measures_by(by, self.measures))
            raise MeasureError(f"none of these measures is known by {by}", f"these are: {known}")
        placed = [(analysis.ALL, part) if by == "link" else (part, "") for part in parts]
        frames = (
            of(*place, chosen).with_columns(pl.lit(part).alias(by))
            for part, place in zip(parts, placed, strict=True)
        )
        return pl.concat(frames).select(*self.keys, by, pl.all().exclude(*self.keys, by))

    @cached_property
    def dimensions(self) -> list[Dimension]:
        """Dimensions over which a figure can be drawn, namely the axes, the variants if there are several,
        and the periods. The periods are drawn by their users, if all runs agree on them and they differ;
        else, without axes, by their start."""
        dimensions = [
            axis.dimension(title)
            for axis, title in zip(self.layout.axes, titles(self.layout.axes), strict=True)
        ]
        if len(self.labels) > 1:
            dimensions.append(
                Dimension(VARIANTS, "variant", "", numeric=False, log=False, values=tuple(self.labels))
            )
        axis = analysis.axis_of(self.observations())
        if axis is not None and (axis.column == USERS or not self.axes):
            spans = self.observations().filter(pl.col("period") != WHOLE_RUN)
            levels = tuple(float(level) for level in spans[axis.column].unique().sort())
            named = ("users", "") if axis.column == USERS else ("time", "s")
            column = USERS if axis.column == USERS else TIME
            dimensions.append(Dimension(column, *named, numeric=True, log=False, values=levels))
        return dimensions


def measures_by(by: By, names: Sequence[str]) -> list[str]:
    """Measures of all packets at the bottleneck, among these, that single parts have too."""
    return [name for name in names if MEASURES[name].is_known_by(by) and MEASURES[name].whole == name]
