"""What a notebook shows of a result."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import vl_convert

from weir import wording
from weir.charts.comparison import measure_figure
from weir.grid import Grid, grids_of
from weir.measures import HEADLINE

if TYPE_CHECKING:
    from weir.result import Result


def summary_html(result: Result) -> str:
    """Title, headline tables and the first chart, without scripts."""
    record = result.record
    svg = vl_convert.vegalite_to_svg(measure_figure(result, HEADLINE[0]).specification)
    tables = "".join(_table(grid) for grid in grids_of(result))
    return (
        f"<h4>{escape(record.title)}</h4>"
        f"<p>{escape(wording.replications(record.replications).capitalize())}</p>{tables}{svg}"
    )


def _table(grid: Grid) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in grid.columns)
    rows = "".join(
        f"<tr><th>{escape(label)}</th>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"
        for label, cells in grid.rows
    )
    return (
        f"<table><caption>{escape(grid.title)}</caption>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{rows}</tbody></table>"
    )
