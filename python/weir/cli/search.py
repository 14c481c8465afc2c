"""Progress of a search: the current best and its interval, on one line."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager

from weir.cli import console
from weir.tune.judge import OnStep, Step
from weir.tune.text import percent

LINE_S = 10.0
"""Between two lines where there is no terminal."""


@contextmanager
def following(*, quiet: bool) -> Generator[OnStep | None]:
    """On a terminal a line that changes; elsewhere one now and then; nothing if `quiet`."""
    if quiet:
        yield None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        with Live(console=Console(stderr=True), transient=True) as live:
            yield lambda step: live.update(Spinner("line", text=line(step)))
    else:
        yield _lines()


def line(step: Step) -> str:
    """`refining, 62 runs; best 33 packets, 0.1: 8.2% within ±1.2%`."""
    text = f"{step.doing}, {step.runs} runs"
    if not step.setting:
        return text
    values = ", ".join(str(value) for _, value in step.setting)
    interval = "" if step.half_width in {0.0, float("inf")} else f" ±{100.0 * step.half_width:.3g}%"
    return f"{text}; best {values}: {percent(step.shortfall)}{interval}"


def _lines() -> OnStep:
    said = time.monotonic()

    def show(step: Step) -> None:
        nonlocal said
        if time.monotonic() - said >= LINE_S:
            said = time.monotonic()
            console.note(line(step))

    return show
