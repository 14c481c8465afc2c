"""A discipline as plain text, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable

from weir.lineage.reading import COLUMNS, Discipline, Kernel

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_EMPHASIS = re.compile(r"(?<![^\s(])\*(\S[^*]*)\*")

_LEAST = 48
"""Columns below which a terminal is taken for wider than it is."""


def text_of(discipline: Discipline, width: int) -> str:
    """What the page says, in lines of at most `width` columns where they can be broken."""
    width = max(width, _LEAST)
    blocks = [
        f"{discipline.title}, {discipline.year}: {discipline.name}",
        wrapped(discipline.summary, width),
        wrapped(discipline.idea, width),
        section("Equations", [f"  {line}".rstrip() for line in discipline.equations]),
        section("Sources", [wrapped(source, width, "  ", "    ") for source in discipline.sources]),
    ]
    if discipline.parameters:
        blocks.append(section("Parameters and their defaults", _parameters(discipline, width)))
    if discipline.variables:
        blocks.append(section("Inner variables", _variables(discipline, width)))
    if discipline.deviations:
        blocks.append(section("Deviations", _deviations(discipline, width)))
    blocks.append(section("In Linux", _kernel(discipline.tc, width)))
    return "\n\n".join(blocks)


def kernel_heading(tc: Kernel) -> str:
    """`red, Linux 2.2 or newer`."""
    return f"{tc.name}, Linux {tc.since} or newer"


def _parameters(discipline: Discipline, width: int) -> list[str]:
    lines: list[str] = []
    names = max(len(parameter.name) for parameter in discipline.parameters)
    for parameter in discipline.parameters:
        said = f"{parameter.value}. {parameter.meaning}" if parameter.value else parameter.meaning
        if parameter.origin:
            said += f" Default: {parameter.origin}."
        lines += named([(parameter.name, said)], width, names)
        lines += named(parameter.choices.items(), width, indent=" " * (names + 6))
    if discipline.origin:
        lines.append(wrapped(f"Other defaults: {discipline.origin}.", width, "  ", "  "))
    return lines


def _variables(discipline: Discipline, width: int) -> list[str]:
    return named(((name, variable.said) for name, variable in discipline.variables.items()), width)


def _deviations(discipline: Discipline, width: int) -> list[str]:
    lines: list[str] = []
    names = max(len(COLUMNS[column]) for column in discipline.columns)
    for entry in discipline.deviations:
        lines.append(wrapped(entry.topic, width, "  ", "  "))
        said = [(COLUMNS[column], entry[column]) for column in discipline.columns]
        lines += named([(who, what) for who, what in said if what], width, names, "    ")
    return lines


def _kernel(tc: Kernel, width: int) -> list[str]:
    if tc.none is not None:
        return [wrapped(f"No kernel has it. {tc.none}", width, "  ", "  ")]
    lines = [f"  {kernel_heading(tc)}", wrapped(str(tc.line), width - 2, "    ", "      ", " \\")]
    return [*lines, wrapped(tc.note, width, "  ", "  ")] if tc.note else lines


def named(
    entries: Iterable[tuple[str, str]], width: int, names: int | None = None, indent: str = "  "
) -> list[str]:
    """Names in a column, and beside each what is said of it."""
    pairs = list(entries)
    widest = names if names is not None else max((len(name) for name, _ in pairs), default=0)
    rest = " " * (len(indent) + widest + 2)
    return [wrapped(said, width, f"{indent}{name.ljust(widest)}  ", rest) for name, said in pairs]


def section(title: str, lines: Iterable[str]) -> str:
    """A heading and its lines."""
    return "\n".join([title, *lines])


def wrapped(text: str, width: int, first: str = "", rest: str = "", end: str = "") -> str:
    """Broken between words only; `end` is put where a line goes on. What Markdown adds is gone."""
    lines = textwrap.wrap(
        _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)),
        width=width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return f"{end}\n".join(lines)
