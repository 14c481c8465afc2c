"""Analyses of loops as text: a row for each, and what makes it doubtful below."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from weir.stats import Cell, Grid, render_grid
from weir.theory._analysis import Analysis
from weir.theory._static import as_pi
from weir.theory._utility import TheoryError

Row = tuple[str, Analysis | TheoryError]
"""The label of a scenario or variant, and its analysis or why there is none."""

_COLUMNS = (
    "queue (packets)",
    "p",
    "W",
    "R (ms)",
    "gain margin",
    "phase margin (°)",
    "delay margin (ms)",
    "sigma (1/s)",
    "period (s)",
    "sd (packets)",
    "verdict",
)


def text_of_loops(title: str, rows: Sequence[Row], width: int) -> str:
    """A table, `?` beside what a flag spoils, and the flags."""
    found = [(label, _cells(one)) for label, one in rows if isinstance(one, Analysis)]
    blocks = [title]
    if found:
        blocks.append(render_grid(Grid("?: doubtful here, for a reason below", _COLUMNS, found), width))
    said: list[str] = []
    for label, one in rows:
        if isinstance(one, TheoryError):
            said.append(f"{label}: {one.message}")
            continue
        said += [f"{label}: {line}" for line in _more(one)]
        said += [f"{label}: {flag}" for flag in one.flags]
    wrapped = [line for text in said for line in wrap(text, max(width, 40), subsequent_indent="  ")]
    return "\n\n".join([*blocks, "\n".join(wrapped)] if wrapped else blocks)


def _cells(one: Analysis) -> list[Cell]:
    margins, roots, point = one.margins, one.roots, one.point
    doubtful = {row.name for row in one.predictions if not row.valid}

    def cell(value: float | None, name: str = "", scale: float = 1.0) -> Cell:
        mark = "?" if name in doubtful and value is not None else ""
        return Cell("–" if value is None else f"{_number(value * scale)}{mark}")

    def span(values: Sequence[float], name: str = "", scale: float = 1.0) -> Cell:
        low, high = min(values) * scale, max(values) * scale
        if f"{low:.3g}" == f"{high:.3g}":
            return cell(low, name)
        return Cell(f"{low:.3g}–{high:.3g}{'?' if name in doubtful else ''}")

    verdict = "no loop" if roots is None else "stable" if roots.stable else "unstable"
    return [
        cell(point.queue, "queue"),
        span(point.signals, "signal"),
        span(point.windows),
        span(point.rtts, scale=1e3),
        cell(margins and margins.gain_margin),
        cell(margins and margins.phase_margin),
        cell(margins and margins.delay_margin, scale=1e3),
        cell(roots and roots.growth),
        cell(one.period, "period"),
        cell(one.deviation, "deviation"),
        Cell(verdict + ("?" if "stable" in doubtful else "")),
    ]


def _number(value: float) -> str:
    """Three digits, without an exponent where there are more before the point."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _more(one: Analysis) -> list[str]:
    lines: list[str] = []
    if one.why:
        lines.append(f"no linear loop: {one.why.removeprefix('no model: ')}")
    if one.sawtooth is not None:
        saw = one.sawtooth
        lines.append(
            f"sawtooth of flows in step: {saw.amplitude:.3g} packets from peak to trough, "
            f"{saw.period:.3g} s, the least "
            f"queue {saw.least_queue:.3g}; a full link needs K above {saw.least_threshold:.3g}, and g below "
            f"{saw.largest_gain:.3g}"
        )
    if one.swing is not None and one.swing.amplitude is not None:
        swing = one.swing
        lines.append(
            f"swings up to {swing.amplitude:.3g} packets about {one.point.queue:.3g} die out in the "
            "band, larger ones "
            f"grow; gain margin beyond the band {swing.full_margin:.3g}"
        )
    if one.static_gain is not None:
        lines.append(f"static gain |S| {one.static_gain:.3g}: HRED's paper asks for less than 1")
    gains = as_pi(one.point.aqm)
    if gains is not None:
        same = f"PI with a = {gains[0]:.6g} and b = {gains[1]:.6g} is the same"
        lines.append(f"{same} while prices are small, packets wait and none is dropped")
    if one.margins is not None and len(one.margins.phases) > 1 and (one.margins.gain_margin or 2.0) < 1.0:
        lines.append("several phase crossovers: the roots decide, not the margins")
    return lines
