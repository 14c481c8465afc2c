"""Everything that is printed."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from weir import _core, gridtext, wording
from weir.grid import Cell, Grid

if TYPE_CHECKING:
    import polars as pl

    from weir._core import ScenarioError
    from weir.batch import OnProgress
    from weir.batch import Progress as Done
    from weir.bench.measure import Measurement
    from weir.result import Result
    from weir.sweeps.view import Sweep

_INDENT = "  "

_MOST = 200
"""Rows of a query that a terminal is shown."""


def print_text(text: str) -> None:
    """Data: to stdout."""
    sys.stdout.write(text.rstrip("\n") + "\n")


def print_json(document: object) -> None:
    """Data for machines: to stdout."""
    print_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def note(text: str) -> None:
    """What is good to know: to stderr."""
    sys.stderr.write(f"{text}\n")


def print_error(message: str, hint: str | None = None) -> None:
    """What went wrong, and what to do: to stderr."""
    note(f"error: {message}")
    if hint:
        note(f"hint: {hint}")


def print_scenario_error(error: ScenarioError) -> None:
    """`file:line: path: message`, and the hint."""
    place = error.file if error.line is None else f"{error.file}:{error.line}"
    note(": ".join(part for part in (place, error.path, error.message) if part))
    if error.hint:
        note(f"hint: {error.hint}")


def print_result(result: Result, measures: Sequence[str]) -> None:
    """The tables that answer first, and what the pairs say."""
    from weir.analysis import bottleneck, has_several_links, has_transfers
    from weir.grid import grids_of
    from weir.measures import HEADLINE, OF_TRANSFERS, OVERVIEW

    width = get_terminal_size().columns
    record = result.record
    single = len(record.variants) == 1
    # What a column per period or a line per variant has room for.
    usual = (OVERVIEW if single else HEADLINE[:2]) + (OF_TRANSFERS if has_transfers(result.tables) else ())
    chosen = measures or usual
    head = f"{record.title}\n{wording.replications(record.replications)}"
    if has_several_links(result.tables):
        head += f"\nqueue, marks and delay are those of the narrowest link: {bottleneck(result.tables)}"
    blocks = [head]
    blocks += [gridtext.render(grid, width) for grid in grids_of(result, chosen)]
    if not single:
        blocks.append(_comparison(result, width))
    print_text("\n\n".join(blocks))


def print_sweep(sweep: Sweep, measures: Sequence[str], rows: int | None = 40) -> None:
    """Estimates of a sweep, at most so many rows."""
    from weir.grid import grid_of_sweep
    from weir.sweeps import telling

    width = get_terminal_size().columns
    head = f"{sweep.title}\n{sweep.name} ({sweep.id}): {telling.state(sweep)}"
    if sweep.until:
        head += f"\nuntil {' and '.join(str(rule) for rule in sweep.until)}"
    if sweep.runs.is_empty():
        print_text(f"{head}\nnothing is finished yet")
        return
    means = wording.replications(sweep.replications if not sweep.until else 2).partition(" of ")[0]
    print_text(f"{head}\n{means}\n\n{gridtext.render(grid_of_sweep(sweep, measures, rows), width)}")


def print_sweeps(listed: Sequence[Mapping[str, Any]], versions: Mapping[int, int]) -> None:
    """What is in the store."""
    runs = sum(versions.values())
    text = f"{runs:,} finished runs"
    if set(versions) - {_core.results_version}:
        text += f" ({', '.join(f'{n:,} of results version {version}' for version, n in versions.items())})"
    blocks = [text]
    if listed:
        # Of which results version, where it is not the same for all.
        mixed = len({entry["results_version"] for entry in listed}) > 1
        heads = ["id", "runs", "points", "variants", "made", *(["results version"] if mixed else [])]
        rows = [(str(entry["sweep"]), _sweep_cells(entry, mixed=mixed)) for entry in listed]
        blocks.append(
            gridtext.render(Grid("Sweeps, the latest first", heads, rows), get_terminal_size().columns)
        )
    print_text("\n\n".join(blocks))


def print_frame(frame: pl.DataFrame) -> None:
    """Rows of a query, all columns, a dash for what is not defined."""
    width = get_terminal_size().columns
    if frame.is_empty():
        print_text("no rows")
        return
    first, *others = frame.columns
    rows = [
        (_plain(row[0]), [Cell(_plain(value), "") for value in row[1:]])
        for row in frame.head(_MOST).iter_rows()
    ]
    left = (
        f" (the first {_MOST:,} of {len(frame):,} rows; --export FILE writes all)"
        if len(frame) > _MOST
        else ""
    )
    print_text(gridtext.render(Grid(f"{first}{left}", others, rows), width))


def print_measurements(measurements: Sequence[Measurement]) -> None:
    """A line per case of `weir bench`."""
    peers = any(measurement.ratio is not None for measurement in measurements)
    heads = ["ns/packet", "packets", "user s", "peak MB", "added MB"]
    heads += ["ns-2 ns/packet", "ratio"] if peers else []
    rows: list[tuple[str, list[Cell]]] = []
    for m in measurements:
        texts = [
            f"{m.ns_per_packet:.0f}", f"{m.packets}", f"{m.user_s:.2f}",
            f"{m.peak_rss_mb:.1f}", f"{m.added_rss_mb:.1f}",
        ]  # fmt: skip
        if peers:
            texts += [wording.number(m.ns2_ns_per_packet, 0), wording.number(m.ratio, 1)]
        rows.append((m.case, [Cell(text, "") for text in texts]))
    grid = Grid(f"Least of {measurements[0].repeat} runs", heads, rows)
    print_text(gridtext.render(grid, get_terminal_size().columns))


def print_catalogue(catalogue: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Names with their summaries, by kind."""
    width = get_terminal_size().columns
    for index, (kind, entries) in enumerate(catalogue.items()):
        print_text(("\n" if index else "") + kind.capitalize())
        names = max((len(str(entry["name"])) for entry in entries), default=0)
        for entry in entries:
            print_text(_entry(str(entry["name"]), str(entry["summary"]), names, width))


@contextmanager
def progress_bar(runs: int, *, quiet: bool) -> Generator[OnProgress | None]:
    """A bar with an estimate of the time left, on a terminal; nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        BarColumn(),
        TextColumn("{task.fields[finished]} of {task.total} runs, left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=runs, finished=0)

        def show(now: Done) -> None:
            bar.update(task, completed=now.fraction * runs, finished=now.finished)

        yield show


def _comparison(result: Result, width: int) -> str:
    from weir.analysis import axis_of, has_transfers
    from weir.measures import compared

    axis = axis_of(result.observations())
    measures = compared(transfers=has_transfers(result.tables))
    clauses = wording.comparison(result.differences(measures=measures), axis)
    lines = [f"Against {result.record.labels[result.baseline]}, in pairs, over the whole run"]
    for label, said in clauses.items():
        lines += textwrap.wrap(
            f"{label}: {'; '.join(said)}.",
            width=width,
            initial_indent=_INDENT,
            subsequent_indent=_INDENT * 2,
            break_on_hyphens=False,
        )
    if result.record.replications > 2:
        lines.append(f"{_INDENT}r: correlation of the pairs")
    return "\n".join(lines)


def _sweep_cells(entry: Mapping[str, Any], *, mixed: bool) -> list[Cell]:
    texts = [
        str(entry["id"]),
        str(entry["state"]).partition(";")[0].removesuffix(" runs"),
        f"{entry['points']:,}" if entry["design"] == "grid" else f"{entry['points']:,} {entry['design']}",
        str(entry["variants"]),
        str(entry["created"]).removesuffix("+00:00"),
        *([str(entry["results_version"])] if mixed else []),
    ]
    return [Cell(text, "") for text in texts]


def _plain(value: object) -> str:
    if value is None or value != value:  # noqa: PLR0124 - NaN
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _entry(name: str, summary: str, names: int, width: int) -> str:
    head = f"{_INDENT}{name.ljust(names)}  "
    return textwrap.fill(
        summary, width=max(width, 40), initial_indent=head, subsequent_indent=" " * len(head)
    )
