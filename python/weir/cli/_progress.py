"""Runs under way: a live table on a terminal, or lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from weir._printable import printable
from weir.cli import _command as command

if TYPE_CHECKING:
    from rich.console import RenderableType

    from weir.sweep import OnProgress, Plan, Progress

T = TypeVar("T")

LINE_S = 10.0
"""Seconds between two lines where there is no terminal: a batch system keeps them as a log."""


@contextmanager
def following(plan: Plan | None, workers: str, *, quiet: bool) -> Generator[OnProgress | None]:
    """Runs under way: on a terminal a live table; elsewhere a line now and then; nothing if `quiet`."""
    with live(summary, lambda progress: _picture(plan, workers, progress), quiet=quiet) as show:
        yield show


@contextmanager
def live(
    text_of: Callable[[T], str], picture_of: Callable[[T], RenderableType], *, quiet: bool
) -> Generator[Callable[[T], None] | None]:
    """Shows progress: on a terminal as a picture that changes, elsewhere from time to time as a line of text;
    nothing if `quiet`."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        # No thread that refreshes the picture: it could wait for ever for a lock that Ctrl-C has left taken
        # in the middle of drawing.
        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as picture:
            yield lambda progress: picture.update(picture_of(progress), refresh=True)
    else:
        last = time.monotonic()

        def show(progress: T) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE_S:
                last = time.monotonic()
                command.note(text_of(progress))

        yield show


def _picture(plan: Plan | None, workers: str, progress: Progress) -> RenderableType:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from weir.stats import MEASURES

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
            Text(printable(plan.configuration_label(widest.configuration))),
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


def _span(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
