"""Runs under way: a live table on a terminal, or lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from weir.cli import _console as console
from weir.stats._measures import MEASURES

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weir.sweep._plan import Plan
    from weir.sweep._runner import OnProgress, Progress

T = TypeVar("T")

LINE_S = 10.0
"""Between two lines where there is no terminal: a batch system keeps them as a log."""


@dataclass(frozen=True)
class Following:
    """How a sweep is followed."""

    show: OnProgress | None
    watch: bool
    """Whether widest intervals are shown, and so have to be known."""


@contextmanager
def following(plan: Plan | None, workers: str, *, quiet: bool) -> Generator[Following]:
    """On a terminal a live table; elsewhere a line now and then; nothing if `quiet`."""
    if quiet:
        yield Following(None, watch=False)
    elif sys.stderr.isatty():
        with _table(plan, workers) as show:
            yield Following(show, watch=plan is not None)
    else:
        yield Following(lines(summary), watch=False)


@contextmanager
def _table(plan: Plan | None, workers: str) -> Generator[OnProgress]:
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:

        def show(progress: Progress) -> None:
            live.update(_picture(plan, workers, progress), refresh=True)

        yield show


def _picture(plan: Plan | None, workers: str, progress: Progress) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    head = Table.grid(padding=(0, 2))
    ended = progress.found + progress.done + progress.elsewhere
    head.add_row(
        ProgressBar(total=max(1, progress.wanted), completed=ended + progress.under_way, width=30),
        Text(summary(progress)),
        Text(workers, style="dim"),
    )
    if plan is None or not progress.widest:
        return head
    table = Table(box=None, padding=(0, 2), header_style="dim")
    for name in ("widest interval so far", "±", "of its mean", "at"):
        table.add_column(name, justify="left" if name in {"widest interval so far", "at"} else "right")
    for widest in progress.widest:
        measure = MEASURES[widest.measure]
        unit = f" {measure.difference_unit}" if measure.difference_unit else ""
        table.add_row(
            measure.title,
            f"{widest.half_width:.{measure.decimals}f}{unit}",
            f"{100.0 * widest.relative:.3g}%",
            plan.configuration_label(widest.configuration),
        )
    return Group(head, table)


def summary(progress: Progress) -> str:
    """`4,211 of 10,000 runs, 421 runs/s, 14 s left`."""
    ended = progress.found + progress.done + progress.elsewhere
    parts = [f"{ended:,} of {progress.wanted:,} runs{' so far' if progress.open_ended else ''}"]
    if progress.rate > 0.0:
        rate = progress.rate
        parts.append(f"{rate:,.0f} runs/s" if rate >= 10.0 else f"{rate:.2g} runs/s")
    if progress.remaining_s is not None and ended < progress.wanted:
        least = "at least " if progress.open_ended else ""
        parts.append(f"{least}{_span(progress.remaining_s)} left")
    return ", ".join(parts)


def lines(text_of: Callable[[T], str]) -> Callable[[T], None]:
    """Says now and then how far something is."""
    said = time.monotonic()

    def show(progress: T) -> None:
        nonlocal said
        if time.monotonic() - said >= LINE_S:
            said = time.monotonic()
            console.note(text_of(progress))

    return show


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
