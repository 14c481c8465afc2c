"""Figures: a chart with its title, caption and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from textwrap import wrap
from typing import Any, cast

import altair as alt
import polars as pl

from weir.plot import _style as style
from weir.plot._layout import Layout

ROWS = alt.NamedData("rows")
"""Name by which a chart refers to the rows of its figure."""


@dataclass(frozen=True)
class Figure:
    """Chart with its title, caption and data."""

    name: str
    """Name of its files."""
    title: str
    caption: str
    chart: alt.TopLevelMixin
    rows: pl.DataFrame
    """Rows of data, which the chart calls `rows`."""
    layout: Layout = field(default_factory=Layout)

    def styled(
        self,
        *,
        title: str | None = None,
        size: str | None = None,
        x_title: str | None = None,
        y_title: str | None = None,
        log: str | None = None,
        legend: str | None = None,
        x_range: str | None = None,
        y_range: str | None = None,
        facet_titles: Mapping[str, str] | None = None,
    ) -> Figure:
        """Figure with another look. Raises ChartError for an invalid value.

        Args:
            title: above the chart.
            size: of the image with everything on it: `800x500` (pixels), `84x60mm`, `8.4x6cm`,
                `3.3x2.5in`, `240x170pt`.
            x_title, y_title: of the axes, with the unit; empty for none.
            log: the logarithmic axes: `x`, `y` or `xy`.
            legend: `top`, `bottom`, `left`, `right` or `none`.
            x_range, y_range: of the axes, in their unit: `0..100`, `0..`, `..50`. What is beyond is cut off.
            facet_titles: of panels, by the title that the figure has, or its level alone: `10 Mbit/s`.

        Example:
            >>> drawn = weir.plot.lines(result, "mean delay").styled(title="Delay", log="y", size="84x60mm")
            >>> drawn.title, drawn.layout.log
            ('Delay', ('y',))
        """
        given = Layout.of(size, x_title, y_title, log, legend, x_range, y_range, facet_titles or {})
        layout = given.named(self.bare, self.rows)
        rows = layout.checked(self.bare, self.rows)
        return replace(self, title=self.title if title is None else title, rows=rows, layout=layout)

    def altair(self) -> alt.Chart:
        """Altair chart of the figure, data included, to show, change or save.

        Example:
            >>> chart = weir.plot.lines(result, "mean delay").altair()
            >>> len(chart.to_dict(validate=False)["datasets"]["rows"])
            6
        """
        # Put in place as they are: to read a specification anew, Altair would check every value.
        chart = cast("Any", self.chart).copy(deep=False)
        chart.config = self.specification["config"]
        chart.datasets = self.specification["datasets"]
        return cast("alt.Chart", chart)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Image for notebooks, since Altair's charts load their scripts from the network."""
        from vl_convert import vegalite_to_svg

        return {"image/svg+xml": vegalite_to_svg(self.captioned)}

    @cached_property
    def specification(self) -> dict[str, Any]:
        """Vega-Lite specification, data included."""
        # The data join last: Altair would check every value against its schema, for seconds.
        datasets = {"rows": self._rounded.to_dicts()}
        return {**self.bare, "datasets": datasets}

    @cached_property
    def bare(self) -> dict[str, Any]:
        """Specification without the data."""
        # Altair's check against the schema of Vega-Lite takes longer than the rest; the tests make it.
        return self.layout.applied({**self.chart.to_dict(validate=False), "config": style.CONFIG})

    @cached_property
    def captioned(self) -> dict[str, Any]:
        """Specification with title and caption above the picture, for a file that stands alone."""
        title = {
            **style.TITLE,
            "text": wrap(self.title, self.layout.letters(style.TITLE_LETTERS)),
            "subtitle": wrap(self.caption, self.layout.letters(style.CAPTION_LETTERS)),
        }
        return {**self.specification, "title": title}

    @property
    def columns(self) -> dict[str, Any]:
        """Data by column, a fraction of the size; texts as indices into their `levels`."""
        found: dict[str, Any] = {}
        for column in self._rounded:
            if column.dtype == pl.String:
                levels = column.unique(maintain_order=True)
                index = {level: place for place, level in enumerate(levels)}
                found[column.name] = {"levels": levels.to_list(), "index": [index[text] for text in column]}
            else:
                found[column.name] = column.to_list()
        return found

    @property
    def _rounded(self) -> pl.DataFrame:
        # Five digits are more than a screen or a printer shows, and a third of the size of the page.
        return self.rows.with_columns(pl.col(pl.Float64).round_sig_figs(5).fill_nan(None))


@dataclass(frozen=True)
class Panel:
    """Figures that share a place on a page, which shows one at a time."""

    name: str
    """Name of the place in the page."""
    figures: tuple[Figure, ...]
    choices: tuple[str, ...]
    """Choices of the reader, one per figure."""

    @classmethod
    def of(cls, figure: Figure) -> Panel:
        """Panel with this figure alone.

        Example:
            >>> panel = weir.plot.Panel.of(weir.plot.lines(result, "mean delay"))
            >>> panel.name, panel.choices
            ('panel-delay-mean-by-users', ('Mean delay against users',))
        """
        return cls(f"panel-{figure.name}", (figure,), (figure.title,))
