"""Disciplines that were tuned for the same targets, beside each other in words."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill, wrap

from weir.check import units
from weir.stats import MEASURES, Cell, Grid, render_grid, wording
from weir.tune import _text as words
from weir.tune._space import Bounds
from weir.tune._tune import Choice, Tuned


def choice_words(choice: Choice) -> list[str]:
    """Result of tuning several disciplines, in sentences: first the verdict, then the meaning of the
    numbers."""
    answers = {name: one.answer for name, one in choice.tuned.items()}
    met = [name for name, answer in answers.items() if answer.chosen.state == "met"]
    runs = sum(answer.runs for answer in answers.values())
    said = [
        f"{units.listed(met)}: every target is met."
        if met
        else "No discipline is shown to meet every target, of all settings searched.",
        (
            f"{runs:,} runs. Means of fresh seeds with their intervals, ordered by the worst target: the "
            "nearest first. The confidence, 95%, is that of each discipline by itself; weir compare tells "
            "whether two differ."
        ),
    ]
    if any(answer.chosen.without_chance for answer in answers.values()):
        said.append(words.WITHOUT_CHANCE.strip())
    return said


def choice_grid(choice: Choice) -> Grid:
    """Table with a row for each discipline: every target's measure with its interval and verdict, then the
    other measures."""
    first = next(iter(choice.tuned.values())).answer.chosen
    heads = [words.target_words(outcome.target) for outcome in first.worst_of_each]
    heads += [MEASURES[name].heading for name in first.beside]
    rows: list[tuple[str, list[Cell]]] = []
    for name, one in choice.tuned.items():
        judged = one.answer.chosen
        cells = [Cell(f"{words.measured(o)} {words.SIGNS[o.state]}") for o in judged.worst_of_each]
        cells += [
            Cell(wording.estimate(interval.mean, interval.half_width, MEASURES[measure].decimals))
            for measure, interval in judged.beside.items()
        ]
        rows.append((name, cells))
    return Grid("✓ met, ✗ missed, ? open", heads, rows)


def outcome_words(one: Tuned) -> str:
    """Verdict on a discipline and the setting it is about: `achieved; target 5.95 ms`."""
    chosen, verdict = one.answer.chosen, one.answer.verdict
    if chosen.setting:
        within = " within these bounds" if verdict == "not achievable" else ""
        return f"{verdict}{within}; {words.setting_words(chosen.setting)}"
    # "Not achievable" would say that other settings were looked at.
    said = {"met": "its defaults meet every target", "missed": "missed by its defaults"}
    return said.get(chosen.state, f"{verdict}; its defaults")


def searched_words(bounds: Sequence[Bounds]) -> str:
    """Ranges that were searched: `max_th from 6 to 120 packets, max_p from 0.01 to 0.5`; empty without
    parameters."""
    names = words.names_of([one.path for one in bounds])
    parts: list[str] = []
    for name, one in zip(names, bounds, strict=True):
        low, _, unit = words.value_words(one.low).partition(" ")
        high = words.value_words(one.high)
        shared = unit and high.endswith(f" {unit}")
        parts.append(f"{name} from {low if shared else words.value_words(one.low)} to {high}")
    return ", ".join(parts)


def looked_at(one: Tuned) -> str:
    """Settings of a discipline that the verdict is about: `searched: target from 0.5 to 100 ms`."""
    bounds = one.task.space.bounds
    if not bounds:
        return "nothing is varied: it declares no tunable parameter"
    if one.answer.verdict == "defaults already meet it":
        return f"not searched, as the defaults do: {searched_words(bounds)}"
    return f"searched: {searched_words(bounds)}"


def choice_text(choice: Choice, width: int) -> str:
    """Text for the terminal."""
    lines = [fill(" ".join(choice_words(choice)), width), "", render_grid(choice_grid(choice), width), ""]
    for name, one in choice.tuned.items():
        lines.append(f"{name}: {outcome_words(one)}")
        lines += wrap(looked_at(one), width, initial_indent="  ", subsequent_indent="  ")
        lines += [f"  {argument}" for argument in words.arguments_of(one.answer.chosen.setting)]
    return "\n".join(lines)
