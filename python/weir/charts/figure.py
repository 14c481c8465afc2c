"""A chart with what is said about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import altair as alt
import polars as pl

from weir.charts import style

ROWS = alt.NamedData("rows")
"""The rows of a figure, as its chart calls them."""


@dataclass(frozen=True)
class Figure:
    """A chart with what is said about it."""

    name: str
    """Of its files."""
    title: str
    caption: str
    chart: alt.TopLevelMixin
    rows: pl.DataFrame
    """What the chart calls `rows`."""

    @cached_property
    def specification(self) -> dict[str, Any]:
        """The Vega-Lite specification, data included."""
        # Seven digits are more than a screen or a printer shows, and half the size of the page.
        rounded = self.rows.with_columns(pl.col(pl.Float64).round_sig_figs(7).fill_nan(None))
        # The data join last: Altair would check every value against its schema, for seconds.
        datasets = {"rows": rounded.to_dicts()}
        return {**self.chart.to_dict(), "config": style.CONFIG, "datasets": datasets}
