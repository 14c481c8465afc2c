"""The page of a result: a run, a comparison or a sweep."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from weir._shared import PAGE, fragment
from weir.plot import Panel, page, panels_of, write_page
from weir.report._summary import answers, ran
from weir.report._theory import theory_of
from weir.run import WHOLE_RUN
from weir.stats import (
    HEADLINE,
    MEASURES,
    TRANSFER_MEASURES,
    Cell,
    analysis,
    compared_measures,
    grid_cells,
    wording,
)
from weir.sweep import PERIODS, VARIANTS, Dimension, Sweep, describe, level_text

ROWS = 40
"""Maximum number of rows in the table of points. A data frame has all of them."""

LEVELS = 12
"""Maximum number of levels of an axis that are listed one by one."""

DESIGNS: Mapping[str, str] = {
    "grid": "a grid: every combination of the levels",
    "lhs": "a Latin hypercube",
    "sobol": "a scrambled Sobol sequence",
    "morris": "trajectories for elementary effects after Morris",
    "saltelli": "Saltelli's points for Sobol indices",
}

STUDIO = "studio.html"
"""Name of the studio beside a page."""

_STOPPED = "; a rule for stopping widens those of means for its number of looks, not those of differences"

_TEMPLATES = Path(__file__).parent
_TEMPLATE = "result.html.jinja"


def write(
    sweep: Sweep, directory: str | os.PathLike[str], images: Sequence[str] = (), *, theory: bool = False
) -> None:
    """Writes `report.html` into a directory, which is made if it is missing; into its folder `figures`, the
    figures in these forms (`weir.plot.IMAGES`). `studio.html` is beside it if the studio is built: the page
    leads there, to its scenarios packet by packet. `theory`: with what the fluid model says. Raises WeirError
    where that is asked of a sweep.

    Raises OSError where a file cannot be written, and WeirError while no run is finished.

    Example:
        >>> import os
        >>> weir.report.write(result, "page")
        >>> "report.html" in os.listdir("page")
        True
    """
    values, panels = _values(sweep), panels_of(sweep)
    if theory:
        said = values["theory"] = theory_of(sweep)
        panels += [said.panel] if said.panel else []
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    if PAGE.exists():
        values["studio"] = _links(sweep)
        if values["studio"]:
            shutil.copyfile(PAGE, directory / STUDIO)
    write_page(
        directory,
        _TEMPLATE,
        sweep.title,
        sweep.facts,
        panels,
        templates=_TEMPLATES,
        images=images,
        **values,
    )


def html(sweep: Sweep, panels: Sequence[Panel], script: str) -> str:
    """HTML of the page alone. `script` defines `vegaEmbed`."""
    values = _values(sweep)
    return page(_TEMPLATE, sweep.title, sweep.facts, panels, script, templates=_TEMPLATES, **values)


def _values(sweep: Sweep) -> dict[str, Any]:
    """Values that the template reads, except the figures."""
    axes = [d for d in sweep.dimensions if d.column not in {VARIANTS, *PERIODS}]
    estimates = sweep.estimates(HEADLINE).filter(pl.col("period") == WHOLE_RUN)
    found = not estimates.is_empty()
    headline = compared_measures(transfers="fct_mean" in sweep.measures)
    return {
        "sweep": sweep,
        "theory": None,
        "studio": [],
        "ran": ran(sweep, axes),
        "answers": answers(sweep, axes, headline),
        # With the path of an axis, which periods and variants have not.
        "axes": [(d, d.column if d in axes else "", _levels(sweep, d)) for d in sweep.dimensions if axes],
        "design": DESIGNS[sweep.design],
        "basis": _basis(
            estimates.filter(pl.col("n") > 0)["n"].unique().sort().to_list(), equal=sweep.is_all_equal
        ),
        "points": _points(sweep, axes, estimates) if axes and found else None,
        **(_without_axes(sweep) if found and not axes else {"grids": [], "whole": [], "compared": {}}),
        "part_titles": describe.PART_TITLES,
        "divided": {by: describe.grid_by(sweep, by, most=ROWS) for by in sweep.divided_by if found},
        "measures": [MEASURES[name] for name in sweep.measures],
        "intervals": f"Intervals are Student's t over replications{_STOPPED if sweep.until else ''}.",
    }


def _links(sweep: Sweep) -> list[tuple[str, str]]:
    """Label and address of every variant in the studio, which runs no Python."""
    if sweep.python:
        return []
    return [
        (sweep.labels[place], STUDIO + fragment(sweep.resolved[variant], ()))
        for place, variant in enumerate(sweep.variants)
        if variant in sweep.resolved
    ]


def _without_axes(sweep: Sweep) -> dict[str, Any]:
    """Tables by period, differences from the baseline, and every measure."""
    transfers = tuple(name for name in TRANSFER_MEASURES if name in sweep.measures)
    differences = sweep.differences(measures=compared_measures(transfers=bool(transfers)))
    whole = sweep.estimates().filter(pl.col("period") == WHOLE_RUN)
    return {
        "grids": describe.grids_of(sweep, HEADLINE + transfers),
        # Heading of every measure, and a cell per variant.
        "whole": [
            (MEASURES[str(part["measure"][0])].heading, grid_cells(part))
            for part in whole.partition_by("measure", maintain_order=True)
        ],
        "compared": wording.comparison(differences, analysis.axis_of(sweep.observations())),
        "legend": wording.legend(differences),
        "differences": [
            (row, MEASURES[row["measure"]])
            for row in differences.filter(pl.col("period") == WHOLE_RUN).iter_rows(named=True)
        ],
        "wording": wording,
        "baseline": sweep.label(sweep.baseline),
    }


def _levels(sweep: Sweep, dimension: Dimension) -> str:
    levels = [level_text(level) for level in dimension.values]
    if len(levels) > LEVELS:
        return f"{', '.join(levels[: LEVELS - 2])}, … {levels[-1]} ({len(levels):,} levels)"
    if levels:
        return ", ".join(levels)
    drawn = sweep.observations()[dimension.column]
    low, high = drawn.min(), drawn.max()
    if isinstance(low, float) and isinstance(high, float):
        return f"{low:.4g} to {high:.4g}{', by factors' if dimension.log else ''}"
    return "sampled"


def _basis(counts: Sequence[int], *, equal: bool) -> str:
    """Basis of the numbers in the tables: intervals, and the number of replications."""
    if len(counts) > 1:
        if equal:
            return wording.ALL_EQUAL
        return f"{wording.INTERVALS} of {counts[0]} to {counts[-1]} replications"
    return wording.replications(counts[0], equal=equal) if counts else ""


def _points(sweep: Sweep, axes: Sequence[Dimension], whole: pl.DataFrame) -> dict[str, Any]:
    """Headline measures over the whole run, with a row per point and variant: place, then estimates."""
    several = len(sweep.labels) > 1
    parts = whole.partition_by("point", "variant", maintain_order=True)
    rows: list[tuple[list[str], list[Cell]]] = []
    for part in parts[:ROWS]:
        first = part.row(0, named=True)
        # Sampled values have sixteen digits, of which a table needs four.
        place = [
            f"{v:.4g}" if d.numeric and not d.values else level_text(v)
            for d in axes
            for v in [first[d.column]]
        ]
        rows.append((place + [str(first["label"])] * several, grid_cells(part)))
    head = (
        [axis.heading for axis in axes]
        + ["Variant"] * several
        + [MEASURES[name].heading for name in HEADLINE]
    )
    return {"head": head, "rows": rows, "left_out": len(parts) - len(rows)}
