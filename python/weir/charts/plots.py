"""`result.plot`: the figures one by one, as Altair charts to show, change or save."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import altair as alt

from weir.charts import comparison
from weir.charts.completions import slowdown_by_size
from weir.charts.figure import Figure

if TYPE_CHECKING:
    from weir.result import Result


class Plots:
    """The charts of one result."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def measure(self, name: str) -> alt.Chart:
        """Any measure of `weir.measures.MEASURES` against users, time or variants."""
        return as_chart(comparison.measure_figure(self._result, name))

    def queue_by_users(self) -> alt.Chart:
        """Mean queue against the number of users."""
        return self.measure("mean_queue")

    def goodput_by_users(self) -> alt.Chart:
        """Goodput against the number of users."""
        return self.measure("goodput")

    def loss_by_users(self) -> alt.Chart:
        """Loss against the number of users."""
        return self.measure("loss")

    def queue_over_time(self) -> alt.Chart:
        """Queue of replication 0. Raises ValueError if the scenario asked for no series."""
        return as_chart(comparison.queue_over_time(self._result))

    def delay_distribution(self) -> alt.Chart:
        """Share of packets by queueing delay."""
        return as_chart(comparison.delay_distribution(self._result))

    def delay_tail(self) -> alt.Chart:
        """Share of packets that waited longer, logarithmic."""
        return as_chart(comparison.delay_tail(self._result))

    def slowdown_by_size(self) -> alt.Chart:
        """Slowdown of transfers by their size. Raises ValueError if no flows come and go."""
        return as_chart(slowdown_by_size(self._result))


def as_chart(figure: Figure) -> alt.Chart:
    """The figure as Altair knows it, data included."""
    # Put in place as they are: to read a specification anew, Altair would check every value.
    chart = cast("Any", figure.chart).copy(deep=False)
    chart.config = figure.specification["config"]
    chart.datasets = figure.specification["datasets"]
    return chart  # type: ignore[no-any-return]
