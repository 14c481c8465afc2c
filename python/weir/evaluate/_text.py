"""Verdicts and cells in words, the same on the terminal and on pages."""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from weir.check import units
from weir.evaluate._cells import Cell
from weir.evaluate._criteria import Test
from weir.evaluate._evaluation import Evaluation, Step
from weir.evaluate._judge import Judgement, Outcome
from weir.evaluate._values import UNITS
from weir.tune import number_words

DEVIATIONS = tuple(
    """
RFC 7928 leaves open: 10 Mbit/s, 100 ms, packets of 1500 B, buffers of one bandwidth-delay product of the
  largest round trip. Starts are spread over 1 s; 300 s are measured behind a warm-up of 20 s
  (600 s for rtt-fair).
The warm-up is fixed; the measure queue_drift says how far the two halves behind it differ.
Points of the graph of section 2.7 are runs, not senders; its ellipses hold 68.27% of the distribution.
lbe: a gain of 1, the most that RFC 6817 allows, not 10.
bursts: the mean completion time of objects stands for the time of a page.
response: time until the mean delay of the next 10 round trips is between half of
  and twice the target. After a step that leaves each flow more capacity, it may also be below that.
voice: one G.711 stream in each direction; mean delay one way and loss, without a playout buffer.
rpm: self probes are estimated from the waits of the load's packets, without what waits behind a loss.
robust: the gain margin is in a figure alone, since theory doubts itself at windows so small.
RFC 7928 sets no thresholds: these are Weir's, and --thresholds FILE replaces them.
""".strip()
    .replace("\n  ", " ")
    .splitlines()
)
"""Notes of a scorecard on the values that are chosen here."""


def value_words(value: float, measure: str, relative: str = "") -> str:
    """Value with its unit: `17.8 ms`; a ratio has no unit."""
    number, unit = _number(value, measure, relative)
    return f"{number}{'' if unit in {'', '%'} else ' '}{unit}"


def _number(value: float, measure: str, relative: str) -> tuple[str, str]:
    """Value and its unit."""
    if not math.isfinite(value):
        return ("never" if measure == "response_rtts" else "–"), ""
    unit = "" if relative else UNITS.get(measure, "")
    if unit == "bit/s":
        return number_words(value / 1e6), "Mbit/s"
    return number_words(0.0 if abs(value) < 1e-5 else value), unit


def mean_words(outcome: Outcome) -> str:
    """Measured mean in words: `29.6 ms`, `1.01`."""
    return value_words(outcome.evidence.mean, outcome.test.measure, outcome.test.relative)


def interval_words(outcome: Outcome) -> str:
    """Interval without the unit: `27.8 to 31.6`; empty if it has no width."""
    test = outcome.test
    low, high = (_number(end, test.measure, test.relative)[0] for end in outcome.evidence.interval)
    return "" if low == high else f"{low} to {high}"


def measure_words(test: Test) -> str:
    """Measure and its divisor: `delay_p50 / target`."""
    over = {"target": "target", "drop-tail": "DropTail's"}.get(test.relative, test.relative)
    return f"{test.measure.replace('_', ' ')}{f' / {over}' if over else ''}"


def threshold_words(test: Test) -> str:
    """Bounds of a test: `< 1.5, fails > 3`."""
    other = ">" if test.sense == "<" else "<"
    passing = f"{test.sense} {test.passing:g}" if test.passing is not None else ""
    failing = f"fails {other} {test.failing:g}" if test.failing is not None else ""
    return ", ".join(filter(None, [passing, failing]))


def outcome_words(outcome: Outcome) -> str:
    """Outcome in words: `29.6 ms (27.8 to 31.6)`."""
    interval = interval_words(outcome)
    return f"{mean_words(outcome)} ({interval})" if interval else mean_words(outcome)


def place_words(outcome: Outcome) -> str:
    """Place in words: `rtt-fair, rtt-300`."""
    return outcome.cell.name if outcome.level == "–" else f"{outcome.cell.name}, {outcome.level}"


def remark(judgement: Judgement) -> str:
    """Reason why a criterion is not decided, and what is not part of it."""
    said = [judgement.reason] if judgement.reason else []
    if judgement.missing and judgement.verdict != "not available":
        said.append(f"without {units.listed(judgement.missing)}")
    if judgement.decisive is not None and judgement.decisive.evidence.without_chance:
        said.append("every seed gave the same value")
    if judgement.alone:
        lost = dict.fromkeys(
            f"{place_words(one)} ({measure_words(one.test)} {outcome_words(one)})" for one in judgement.alone
        )
        said.append(f"loses in one alone at {units.listed(list(lost)[:_MOST])}{_more(len(lost))}")
    return "; ".join(said)


_MOST = 4


def _more(count: int) -> str:
    return f" and {count - _MOST} more" if count > _MOST else ""


DRIFT = 0.05
"""Difference of the queue's mean between the two halves of a run, divided by the mean, from which a cell has
not settled."""


def drifting(evaluation: Evaluation, name: str) -> list[str]:
    """Cells without steps in which the queue had not settled behind the warm-up: a finding, not a failure."""
    mine = evaluation.values.filter(
        pl.col("discipline") == name,
        pl.col("measure") == "queue_drift",
        ~pl.col("cell").str.starts_with("vary-"),
    )
    means = mine.group_by("cell", "level", maintain_order=True).agg(pl.col("value").mean(), n=pl.len())
    return [
        f"{cell}, {level} ({value:+.0%})" for cell, level, value, _ in means.iter_rows() if abs(value) > DRIFT
    ]


def gate_words(judged: Sequence[Judgement]) -> str:
    """Verdict on the gate, in words: `The gate holds: ...`."""
    gate = judged[0]
    said = {
        "holds": "The gate holds: nowhere worse than DropTail in goodput and in delay at once.",
        "does not hold": "The gate does not hold: worse than DropTail in goodput and in delay at once",
    }.get(gate.verdict, f"The gate is {gate.verdict}: {gate.reason}.")
    if gate.verdict == "does not hold" and gate.decisive is not None:
        said += f", at {place_words(gate.decisive)}."
    return said


def text_of(evaluation: Evaluation) -> str:
    """Text that `weir evaluate` prints."""
    blocks = [_scorecard(name, judged) for name, judged in evaluation.judgements.items()]
    return "\n\n".join(blocks)


def _scorecard(name: str, judged: Sequence[Judgement]) -> str:
    lines = [f"{name}: {gate_words(judged)}", ""]
    width = max(len(one.criterion.title) for one in judged)
    for one in judged:
        head = f"{one.criterion.number:>2}  {one.criterion.title:<{width}}  {one.verdict:<13}"
        if one.decisive is None:
            lines.append(f"{head}  {one.reason}")
            continue
        test = one.decisive.test
        lines.append(
            f"{head}  {measure_words(test)} {outcome_words(one.decisive)} [{threshold_words(test)}] "
            f"at {place_words(one.decisive)}"
        )
    return "\n".join(lines)


def step_line(step: Step) -> str:
    """Progress in words: `cell 3 of 9: rtt-fair, 10 seeds`."""
    return f"cell {step.done + 1} of {step.cells}: {step.cell}, {step.seeds} seeds"


def listing(found: Sequence[Cell]) -> str:
    """Text that `weir evaluate --list` prints: a line for each cell, and what is missing."""
    widths = [max(len(text) for text in column) for column in zip(*map(_columns, found), strict=True)]
    lines: list[str] = []
    for cell in found:
        columns = (text.ljust(width) for text, width in zip(_columns(cell), widths, strict=True))
        lines.append("  ".join([*columns, _levels_of(cell)]).rstrip())
    return "\n".join(lines)


def _columns(cell: Cell) -> tuple[str, ...]:
    return cell.suite, cell.name, cell.section, cell.requirement, "quick" if cell.quick else ""


def _levels_of(cell: Cell) -> str:
    """Levels of a cell, in words: `3 levels: one, ten, hystart; without TFRC`."""
    if cell.needs:
        return f"not available: needs {cell.needs}"
    names = [level.name for level in cell.places(quick=False)]
    said = f"{len(names)} levels: {'; '.join(names[:_SHOWN])}{' …' if len(names) > _SHOWN else ''}"
    said = "1 level" if len(names) == 1 else said
    said = {"parameters": "each parameter x 0.5 and x 2", "scheduler": "plain and under fq"}.get(
        cell.vary, said
    )
    return f"{said}; without {cell.lacks}" if cell.lacks else said


_SHOWN = 6
