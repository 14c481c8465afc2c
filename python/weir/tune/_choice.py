"""Disciplines that were tuned for the same targets, beside each other."""

from __future__ import annotations

from weir.stats import wording
from weir.stats._grid import Cell, Grid, render
from weir.stats._measures import MEASURES
from weir.tune._text import SIGNS, arguments_of, measured, setting_words, target_words
from weir.tune._tune import Choice


def choice_text(choice: Choice, width: int) -> str:
    """A row for each discipline: every target's measure with its interval and verdict."""
    first = next(iter(choice.tuned.values())).answer.chosen
    heads = [target_words(outcome.target) for outcome in first.worst_of_each]
    heads += [MEASURES[name].heading for name in first.beside]
    rows: list[tuple[str, list[Cell]]] = []
    for name, one in choice.tuned.items():
        judged = one.answer.chosen
        cells = [Cell(f"{measured(o)} {SIGNS[o.state]}") for o in judged.worst_of_each]
        cells += [
            Cell(wording.estimate(interval.mean, interval.half_width, MEASURES[measure].decimals))
            for measure, interval in judged.beside.items()
        ]
        rows.append((name, cells))
    met = [name for name, one in choice.tuned.items() if one.answer.chosen.state == "met"]
    runs = sum(one.answer.runs for one in choice.tuned.values())
    said = f"{', '.join(met)}: every target is met" if met else "No discipline is shown to meet every target"
    lines = [f"{said}. {runs:,} runs; means of fresh seeds with their intervals, the best first.", ""]
    lines += [render(Grid("✓ met, ✗ missed, ? open", heads, rows), width), ""]
    for name, one in choice.tuned.items():
        setting = one.answer.chosen.setting
        words = setting_words(setting) if setting else "its defaults"
        lines.append(f"{name}: {one.answer.verdict}; {words}")
        lines += [f"  {argument}" for argument in arguments_of(setting)]
    return "\n".join(lines)
