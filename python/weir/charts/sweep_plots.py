"""`sweep.plot`: the figures of a sweep one by one, as Altair charts to show, change or save."""

from __future__ import annotations

import altair as alt

from weir.charts.dimension import SweepData
from weir.charts.plots import as_chart
from weir.charts.sweep import figure
from weir.charts.sweep.cut import Where


class SweepPlots:
    """The charts of one sweep.

    Dimensions are named by path, last part of the path, or title; what is not named is chosen, and
    `"none"` as family or facet wants none. `where` keeps levels: `{"rate": "10 Mbit/s"}`. All raise
    ValueError, listing what there is, for wrong names and where the sweep lacks what they need.
    """

    def __init__(self, view: SweepData) -> None:
        self._view = view

    def lines(
        self,
        measure: str | None = None,
        *,
        x: str | None = None,
        family: str | None = None,
        facet: str | None = None,
        where: Where | None = None,
    ) -> alt.Chart:
        """A measure over one dimension with bands; colours by a second, panels by a third."""
        return self._chart("lines", measure=measure, x=x, family=family, facet=facet, where=where)

    def heat(
        self,
        measure: str | None = None,
        *,
        x: str | None = None,
        y: str | None = None,
        facet: str | None = None,
        where: Where | None = None,
    ) -> alt.Chart:
        """A measure over two dimensions, as colour."""
        return self._chart("heat", measure=measure, x=x, y=y, facet=facet, where=where)

    def tradeoff(
        self,
        y: str | None = None,
        x: str | None = None,
        *,
        load: str | None = None,
        family: str | None = None,
        facet: str | None = None,
        where: Where | None = None,
    ) -> alt.Chart:
        """Measure y against measure x along a growing load: mean delay against loss."""
        return self._chart("tradeoff", x=x, y=y, load=load, family=family, facet=facet, where=where)

    def ellipses(
        self, *, family: str | None = None, facet: str | None = None, where: Where | None = None
    ) -> alt.Chart:
        """Delay and goodput, a dot per run, with ellipses of one standard deviation."""
        return self._chart("ellipses", family=family, facet=facet, where=where)

    def cdf(
        self, *, family: str | None = None, facet: str | None = None, where: Where | None = None
    ) -> alt.Chart:
        """Distribution of the queueing delay."""
        return self._chart("cdf", family=family, facet=facet, where=where)

    def tail(
        self, *, family: str | None = None, facet: str | None = None, where: Where | None = None
    ) -> alt.Chart:
        """Share of packets that waited longer, logarithmic."""
        return self._chart("tail", family=family, facet=facet, where=where)

    def over_time(self, *variables: str, where: Where | None = None) -> alt.Chart:
        """What was recorded of the queue and its law, replication 0 of the first point kept."""
        return self._chart("over_time", measure=",".join(variables) or None, where=where)

    def trend(
        self,
        measure: str | None = None,
        *,
        x: str | None = None,
        family: str | None = None,
        where: Where | None = None,
    ) -> alt.Chart:
        """A measure along an axis that is sampled, or along every axis."""
        return self._chart("trend", measure=measure, x=x, family=family, where=where)

    def sensitivity(self, measure: str | None = None) -> alt.Chart:
        """How much each axis matters, of a `morris` or `saltelli` design."""
        return self._chart("sensitivity", measure=measure)

    def _chart(self, kind: str, *, where: Where | None = None, **options: str | None) -> alt.Chart:
        return as_chart(figure(self._view, kind, where=where, **options))
