"""Tables on the terminal: of a result, of the results of a store, of a query."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.check import units
from weir.cli._command import print_text
from weir.stats import Cell, Grid, render_grid, wording
from weir.sweep import describe

if TYPE_CHECKING:
    import polars as pl

    from weir.check import Repeated
    from weir.stats import By
    from weir.sweep import Sweep

_INDENT = "  "

_MOST = 200
"""Rows of a query that a terminal is shown."""


def print_sweep(
    sweep: Sweep, measures: Sequence[str] = (), rows: int | None = None, by: By | None = None
) -> None:
    """The tables that are read first, and the paired differences: of these measures, if any are named. With
    axes, at most so many rows. With `by`, of each flow group or class too; of a run always."""
    width = get_terminal_size().columns
    head = sweep.title
    if sweep.axes or sweep.unfinished:
        head += f"\n{sweep.name}: {describe.state(sweep)}"
    if sweep.until:
        head += f"\nuntil {' and '.join(str(rule) for rule in sweep.until)}"
    if sweep.finished.is_empty():
        print_text(f"{head}\nnothing is finished yet")
        return
    # With a rule, points differ in the number of replications.
    equal = sweep.is_all_equal
    of_rule = wording.ALL_EQUAL if equal else wording.INTERVALS
    head += f"\n{of_rule if sweep.until else wording.replications(sweep.replications, equal=equal)}"
    if sweep.has_several_links or sweep.passed_by:
        head += f"\nqueue, marks and delay are those of the bottleneck: {sweep.bottleneck}"
    if sweep.passed_by:
        head += f"\ngoodput of all is that of the flows over it: {units.listed(sweep.passed_by)}"
    alone = _is_alone(sweep)
    head += _elsewhere(sweep, by, alone=alone)
    chosen = measures or _usual(sweep)
    blocks = [head, *(render_grid(grid, width) for grid in describe.grids_of(sweep, chosen, rows))]
    if len(sweep.variants) > 1 and not sweep.axes:
        blocks.append(_comparison(sweep, measures, width))
    shown: tuple[By, ...] = (by,) if by is not None else sweep.divided_by if alone else ()
    if sweep.has_both_directions and by is None and not measures:
        # All other tables are of one direction: downloads or uploads alone.
        blocks.insert(1, render_grid(describe.grid_by(sweep, "link", most=rows), width))
        shown = tuple(one for one in shown if one != "link")
    for one in shown:
        chosen = _of_parts(sweep, measures, one)
        blocks.append(render_grid(describe.grid_by(sweep, one, chosen, rows), width))
        if len(sweep.variants) > 1 and not sweep.axes:
            blocks.append(_comparison(sweep, chosen, width, one))
    print_text("\n\n".join(block for block in blocks if block))


def grids_shown(sweep: Sweep, measures: Sequence[str] = (), by: By | None = None) -> list[Grid]:
    """The tables of estimates that are read first, with all their rows."""
    if by is not None:
        return [describe.grid_by(sweep, by, _of_parts(sweep, measures or _usual(sweep), by))]
    return describe.grids_of(sweep, measures or _usual(sweep))


def notes_beside(sweep: Sweep, measures: Sequence[str] = (), by: By | None = None) -> Sequence[Repeated]:
    """Notes on what may mislead in the tables shown."""
    return sweep.notes_beside(measures or _usual(sweep), of_groups=by == "group" or _is_alone(sweep))


def _is_alone(sweep: Sweep) -> bool:
    return len(sweep.variants) == 1 and not sweep.axes


def _usual(sweep: Sweep) -> Sequence[str]:
    from weir.stats import HEADLINE, OVERVIEW, TRANSFER_MEASURES

    usual = OVERVIEW if _is_alone(sweep) else HEADLINE
    return usual + (TRANSFER_MEASURES if sweep.has_transfers and not sweep.axes else ())


def _elsewhere(sweep: Sweep, by: By | None, *, alone: bool) -> str:
    """Hint on where to find what the first table lacks."""
    if alone or by is not None or not sweep.divided_by:
        return ""
    options = " or ".join(f"--by {one}" for one in sweep.divided_by)
    return f"\nof all flows together; each part by itself: {options}"


def _of_parts(sweep: Sweep, measures: Sequence[str], by: By) -> Sequence[str]:
    """The measures of a table by flow group or class: those asked for that such a part has."""
    from weir.stats import MEASURES, MEASURES_BY, TRANSFER_MEASURES

    asked = [name for name in measures if MEASURES[name].is_known_by(by) and MEASURES[name].whole == name]
    return asked or MEASURES_BY[by] + (TRANSFER_MEASURES if sweep.has_transfers and by == "group" else ())


def print_results(listed: Sequence[Mapping[str, Any]], versions: Mapping[int, int]) -> None:
    """The results of a store, a line for each."""
    runs = sum(versions.values())
    text = f"{runs:,} finished runs"
    if set(versions) - {_core.results_version}:
        text += f" ({', '.join(f'{n:,} of results version {version}' for version, n in versions.items())})"
    print_text(text)
    if not listed:
        return
    heads = ("number", "name", "kind", "points", "variants", "runs", "size", "made", "command")
    lines = [
        (
            str(entry["number"]),
            str(entry["name"]),
            str(entry["kind"]),
            f"{entry['points']:,}",
            str(entry["variants"]),
            str(entry["state"]).partition(";")[0].removesuffix(" runs").removesuffix(" run"),
            describe.size(entry["bytes"]),
            str(entry["created"]),
            str(entry["command"] or ""),
        )
        for entry in listed
    ]
    widths = [max(len(line[column]) for line in (heads, *lines)) for column in range(len(heads))]
    left = {1, 2, 7, 8}
    width = get_terminal_size().columns
    for line in (heads, *lines):
        texts = [
            text.ljust(widths[column]) if column in left else text.rjust(widths[column])
            for column, text in enumerate(line)
        ]
        text = "  ".join(texts).rstrip()
        cut = sys.stdout.isatty() and len(text) > width
        print_text(f"{text[: width - 1]}…" if cut else text)


def print_frame(frame: pl.DataFrame) -> None:
    """Rows of a query, all columns, a dash for what is not defined."""
    width = get_terminal_size().columns
    if frame.is_empty():
        print_text("no rows")
        return
    first, *others = frame.columns
    rows = [
        (_plain(row[0]), [Cell(_plain(value)) for value in row[1:]]) for row in frame.head(_MOST).iter_rows()
    ]
    left = (
        f" (the first {_MOST:,} of {len(frame):,} rows; --export FILE writes all)"
        if len(frame) > _MOST
        else ""
    )
    print_text(render_grid(Grid(f"{first}{left}", others, rows), width))


def _comparison(sweep: Sweep, measures: Sequence[str], width: int, by: By | None = None) -> str:
    """The paired differences in words: of these measures, or of the usual ones and those with a margin."""
    import polars as pl

    from weir.stats import analysis, compared_measures

    usual = dict.fromkeys((*compared_measures(transfers=sweep.has_transfers), *sweep.margins))
    frame = sweep.differences(measures=measures or tuple(usual), by=by)
    if by:
        # A class that only one of two queues has is compared with nothing.
        frame = frame.filter((pl.col("n") > 0).any().over("variant", by))
        if frame.is_empty():
            return ""
    parts = frame.partition_by(by, maintain_order=True) if by else [frame]
    lines = [f"Against {sweep.label(sweep.baseline)}: paired differences over the whole run"]
    for part in parts:
        where = f", {part[by][0]}" if by else ""
        for label, said in wording.comparison(part, analysis.axis_of(sweep.observations())).items():
            lines += textwrap.wrap(
                f"{label}{where}: {'; '.join(said)}.",
                width=width,
                initial_indent=_INDENT,
                subsequent_indent=_INDENT * 2,
                break_on_hyphens=False,
            )
    if legend := wording.legend(frame):
        lines += textwrap.wrap(legend, width=width, initial_indent=_INDENT, subsequent_indent=_INDENT * 2)
    return "\n".join(lines)


def _plain(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
