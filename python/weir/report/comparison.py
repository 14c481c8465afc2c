"""The report: one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from weir import wording
from weir.analysis import axis_of, has_transfers
from weir.charts.comparison import figures_of
from weir.charts.figure import Figure, Panel
from weir.charts.render import render
from weir.grid import grids_of
from weir.measures import HEADLINE, MEASURES, OF_TRANSFERS, compared
from weir.record import Record
from weir.report.page import page
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result


def write_report(result: Result, directory: Path) -> None:
    """Writes `figures/` and `report.html` into an existing directory."""
    figures = figures_of(result)
    drawn = directory / "figures"
    drawn.mkdir()
    script = render({figure.name: figure.specification for figure in figures}, drawn)
    (directory / "report.html").write_text(html(result, figures, script), encoding="utf-8")


def html(result: Result, figures: Sequence[Figure], script: str) -> str:
    """The page. `script` defines `vegaEmbed`."""
    record = result.record
    axis = axis_of(result.observations())
    return page(
        "comparison.html.jinja",
        record.title,
        _facts(record),
        [Panel.of(figure) for figure in figures],
        script,
        record=record,
        grids=grids_of(result, HEADLINE + (OF_TRANSFERS if has_transfers(result.tables) else ())),
        periods=axis is not None,
        basis=wording.replications(record.replications),
        whole=_whole_run(result),
        differences=_differences(result),
        comparison=wording.comparison(result.differences(measures=_compared(result)), axis),
        baseline=record.labels[result.baseline],
        measures=[MEASURES[name] for name in result.measures],
        resolved=result.resolved,
    )


def _facts(record: Record) -> dict[str, str]:
    cost = record.cost
    speed = f", {cost.ns_per_packet:.0f} ns per packet" if cost.ns_per_packet else ""
    return {
        "Scenario": record.scenario,
        "Variants" if len(record.variants) > 1 else "Variant": str(len(record.variants)),
        "Replications": str(record.replications),
        "Packets simulated": f"{cost.packets:,}",
        "CPU time": f"{cost.cpu_s:.1f} s{speed}",
        "Weir": record.weir,
    }


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


def _compared(result: Result) -> tuple[str, ...]:
    return compared(transfers=has_transfers(result.tables))


def _differences(result: Result) -> list[dict[str, Any]]:
    """One row per variant and headline measure, over the whole run."""
    whole = result.differences(measures=_compared(result)).filter(pl.col("period") == WHOLE_RUN)
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
