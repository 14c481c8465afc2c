"""Tables of links and flows of a live run: as they are now, and over the whole run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

import polars as pl

from weir._printable import printable
from weir.check import units
from weir.run import WHOLE_RUN
from weir.stats import Cell, Grid, render_grid, wording

if TYPE_CHECKING:
    from rich.console import Console

    from weir.sweep import Sweep

_FLOWS = 8
"""Number of flows that a terminal shows: the busiest."""

_LINK = ("rate", "used", "p50 delay", "p95", "p99", "drops", "marks")
_FLOW = ("packets", "bytes", "drops", "marks")


def summary(sweep: Sweep, last: Mapping[str, Any]) -> str:
    """The links over the whole runs, warm-up left out, and the flows of the last run."""
    width = get_terminal_size().columns
    grids = [links_of(sweep), flows_of(last["flows"])]
    return "\n\n".join(render_grid(grid, width) for grid in grids if grid.rows)


def links_of(sweep: Sweep) -> Grid:
    """A row for each link and direction, means over the runs."""
    whole = (pl.col("period") == WHOLE_RUN) & (pl.col("class") == "all") & (pl.col("group") == "all")
    rows = sweep.links.filter(whole & (pl.col("variant") == sweep.baseline))
    label = "".join(rows["label"].cast(pl.String).head(1))
    rows = rows.group_by("link", "direction", maintain_order=True).agg(pl.exclude(pl.String).mean())
    grid: list[tuple[str, Sequence[Cell]]] = []
    for row in rows.iter_rows(named=True):
        texts = [
            units.rate(row["rate_bps"]),
            f"{wording.number(100.0 * row['utilisation'], 1)}%",
            *(f"{wording.number(row[f'delay_{p}_ms'], 1)} ms" for p in ("p50", "p95", "p99")),
            f"{row['drops']:,.0f}",
            f"{row['marks']:,.0f}",
        ]
        grid.append((f"{row['link']} {row['direction']}", list(map(Cell, texts))))
    runs = f", mean of {sweep.replications} runs" if sweep.replications > 1 else ""
    warm_up_s = rows["from_s"].max() or 0.0
    of = f" of {label}" if len(sweep.variants) > 1 else ""
    without = f", without the first {warm_up_s:.3g} s" if warm_up_s else ""
    return Grid(f"Links{of}{without}{runs}", _LINK, grid)


def flows_of(flows: Sequence[Mapping[str, Any]], most: int = _FLOWS) -> Grid:
    """A row for each of the busiest flows."""
    grid: list[tuple[str, Sequence[Cell]]] = []
    for flow in flows[:most]:
        packets, drops, marks = (f"{flow[name]:,}" for name in ("packets", "drops", "marks"))
        sent = units.scaled(flow["bytes"], ("B", "kB", "MB", "GB"))
        grid.append((printable(flow["flow"]), list(map(Cell, (packets, sent, drops, marks)))))
    return Grid("Busiest flows", _FLOW, grid)


class _Rates:
    """Rates of links between two snapshots."""

    def __init__(self) -> None:
        self._time_s = 0.0
        self._bytes: dict[tuple[str, str], int] = {}

    def sent_bps(self, snapshot: Mapping[str, Any]) -> dict[tuple[str, str], float]:
        """Sending rate of each link and direction since the last call, bit/s."""
        spent = max(1e-9, snapshot["time_s"] - self._time_s)
        now = {(link["link"], link["direction"]): link["bytes"] for link in snapshot["links"]}
        rates = {key: 8.0 * (sent - self._bytes.get(key, 0)) / spent for key, sent in now.items()}
        self._time_s, self._bytes = snapshot["time_s"], now
        return rates


def picture(snapshot: Mapping[str, Any], sent_bps: Mapping[tuple[str, str], float], width: int) -> str:
    """Tables of the links now, and of the flows so far."""
    rows: list[tuple[str, Sequence[Cell]]] = []
    for link in snapshot["links"]:
        sent = sent_bps[link["link"], link["direction"]]
        texts = [
            units.rate(link["rate_bps"]),
            f"{100.0 * sent / link['rate_bps']:.3g}%" if link["rate_bps"] else "–",
            f"{link['waiting']:,}",
            f"{wording.number(link['delay_p50_ms'], 1)} ms",
            f"{wording.number(link['delay_p99_ms'], 1)} ms",
            f"{link['drops']:,}",
            f"{link['marks']:,}",
        ]
        rows.append((f"{link['link']} {link['direction']}", list(map(Cell, texts))))
    head = ("rate", "used", "queue", "p50 delay", "p99", "drops", "marks")
    state = (
        f"{snapshot['time_s']:.0f} s, wake-ups {snapshot['lateness_p99_us']:.0f} µs late at p99, "
        f"{snapshot['stalls']:,} stalls, {snapshot['cpu_s']:.1f} s of CPU"
    )
    grids = [Grid("Links now", head, rows), flows_of(snapshot["flows"])]
    return "\n\n".join([*(render_grid(grid, width) for grid in grids if grid.rows), state])


Dashboard = tuple[Callable[[Mapping[str, Any]], None], int]
"""Function that draws a snapshot; and the descriptor for the output of the commands, which stands above the
picture."""


@contextmanager
def dashboard() -> Generator[Dashboard]:
    """A picture on the terminal of stderr that changes with each snapshot."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    rates = _Rates()
    reading, writing = os.pipe()
    with Live(console=console, transient=True, auto_refresh=False) as live:
        above = threading.Thread(target=_copy_lines, args=(reading, console), daemon=True)
        above.start()

        def show(snapshot: Mapping[str, Any]) -> None:
            text = picture(snapshot, rates.sent_bps(snapshot), console.width)
            live.update(Text(text, no_wrap=True), refresh=True)

        try:
            yield show, writing
        finally:
            os.close(writing)
            above.join()


def _copy_lines(descriptor: int, console: Console) -> None:
    """Copies the output of the commands: to stdout if that is no terminal, else above the picture."""
    from rich.text import Text

    with os.fdopen(descriptor, "rb") as lines:
        for line in lines:
            if sys.stdout.isatty():
                console.print(Text.from_ansi(line.decode(errors="replace").rstrip("\n")))
            else:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
