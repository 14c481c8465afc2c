"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import polars as pl
from markupsafe import Markup

from weir import wording
from weir.analysis import axis_of
from weir.charts.comparison import figures_of
from weir.charts.figure import Figure
from weir.charts.render import render
from weir.grid import grids_of
from weir.measures import HEADLINE, MEASURES
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result

_HERE = Path(__file__).parent


def write_report(result: Result, directory: Path) -> None:
    """Writes `figures/` and `report.html` into an existing directory."""
    figures = figures_of(result)
    drawn = directory / "figures"
    drawn.mkdir()
    script = render({figure.name: figure.specification for figure in figures}, drawn)
    (directory / "report.html").write_text(html(result, figures, script), encoding="utf-8")


def html(result: Result, figures: Sequence[Figure], script: str) -> str:
    """The page. `script` defines `vegaEmbed`."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    record = result.record
    axis = axis_of(result.observations())
    return environment.get_template("comparison.html.jinja").render(
        record=record,
        grids=grids_of(result),
        periods=axis is not None,
        basis=wording.replications(record.replications),
        whole=_whole_run(result),
        differences=_differences(result),
        comparison=wording.comparison(result.differences(measures=HEADLINE), axis),
        baseline=record.labels[result.baseline],
        figures=figures,
        charts=_json({figure.name: figure.specification for figure in figures}),
        measures=MEASURES.values(),
        resolved=result.resolved,
        script=Markup(script.replace("</script", "<\\/script")),  # noqa: S704 - the renderer's own
    )


def _whole_run(result: Result) -> list[dict[str, Any]]:
    """One row per measure: its heading and a cell per variant."""
    whole = result.estimates().filter(pl.col("period") == WHOLE_RUN)
    return [
        {
            "heading": MEASURES[str(part["measure"][0])].heading,
            "cells": [_estimate(row) for row in part.iter_rows(named=True)],
        }
        for part in whole.partition_by("measure", maintain_order=True)
    ]


def _differences(result: Result) -> list[dict[str, Any]]:
    """One row per variant and headline measure, over the whole run."""
    whole = result.differences(measures=HEADLINE).filter(pl.col("period") == WHOLE_RUN)
    rows: list[dict[str, Any]] = []
    for row in whole.iter_rows(named=True):
        measure = MEASURES[row["measure"]]
        rows.append(
            {
                "label": row["label"],
                "measure": measure.title,
                "unit": measure.difference_unit,
                "difference": wording.estimate(row["difference"], row["half_width"], measure.decimals),
                "correlation": wording.number(row["correlation"], 2),
                "verdict": row["verdict"],
            }
        )
    return rows


def _estimate(row: dict[str, Any]) -> str:
    decimals = MEASURES[row["measure"]].decimals
    return wording.estimate(row["mean"], row["half_width"], decimals)


def _json(value: object) -> Markup:
    # "<" only ever occurs in texts, where it may be written as an escape.
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return Markup(text)  # noqa: S704 - cannot end the element any more
