"""The reference as plain text, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from weir.disciplines._reference import COLUMNS, Discipline, Kernel
from weir.scenario._declared import Declared, Parameter

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_EMPHASIS = re.compile(r"(?<![^\s(])\*(\S[^*]*)\*")

_MIN_WIDTH = 48
"""Columns; narrower terminals wrap lines themselves."""


def text_of(discipline: Discipline, width: int) -> str:
    """The page of a discipline, in lines of at most `width` columns where they can be broken."""
    width = max(width, _MIN_WIDTH)
    sentences = [(name, variable.sentence) for name, variable in discipline.variables.items()]
    blocks = [
        f"{discipline.title}, {discipline.year}: {discipline.name}",
        _wrap(discipline.summary, width),
        _wrap(discipline.idea, width),
        _section("Equations", [f"  {line}".rstrip() for line in discipline.equations]),
        _section("Sources", [_wrap(source, width, "  ", "    ") for source in discipline.sources]),
        _parameters(discipline.parameters, width),
        _section("Inner variables", _table(sentences, width)),
        _section("Deviations", _deviations(discipline, width)),
        _section("In Linux", _kernel(discipline.tc, width)),
    ]
    return "\n\n".join(block for block in blocks if block)


def text_of_endpoint(key: str, declared: Declared, width: int) -> str:
    """A congestion control or loss recovery, with its key in a scenario file."""
    blocks = [
        f"{key}.{declared.name}",
        _wrap(declared.summary, width),
        _parameters(declared.parameters, width),
    ]
    return "\n\n".join(block for block in blocks if block)


def _parameters(parameters: Sequence[Parameter], width: int) -> str:
    lines: list[str] = []
    names = max((len(parameter.name) for parameter in parameters), default=0)
    for parameter in parameters:
        lines += _table([(parameter.name, f"{parameter.shown}. {parameter.summary}")], width, names)
        lines += _table(parameter.choices.items(), width, indent=" " * (names + 6))
    return _section("Parameters: default (source) and meaning", lines)


def _deviations(discipline: Discipline, width: int) -> list[str]:
    lines: list[str] = []
    names = max((len(COLUMNS[column]) for column in discipline.columns), default=0)
    for entry in discipline.deviations:
        lines.append(_wrap(entry.topic, width, "  ", "  "))
        texts = [(COLUMNS[column], entry[column]) for column in discipline.columns]
        lines += _table([(who, text) for who, text in texts if text], width, names, "    ")
    return lines


def _kernel(tc: Kernel, width: int) -> list[str]:
    if tc.none is not None:
        return [_wrap(f"No kernel has it. {tc.none}", width, "  ", "  ")]
    lines = [
        f"  {tc.name}, Linux {tc.since} or newer",
        _wrap(str(tc.line), width - 2, "    ", "      ", " \\"),
    ]
    return [*lines, _wrap(tc.note, width, "  ", "  ")] if tc.note else lines


def _table(
    entries: Iterable[tuple[str, str]], width: int, names: int | None = None, indent: str = "  "
) -> list[str]:
    """Names in one column, texts in the next."""
    pairs = list(entries)
    widest = names if names is not None else max((len(name) for name, _ in pairs), default=0)
    rest = " " * (len(indent) + widest + 2)
    return [_wrap(text, width, f"{indent}{name.ljust(widest)}  ", rest) for name, text in pairs]


def _section(title: str, lines: Iterable[str]) -> str:
    """A heading and its lines; empty without lines."""
    texts = list(lines)
    return "\n".join([title, *texts]) if texts else ""


def _wrap(text: str, width: int, first: str = "", rest: str = "", end: str = "") -> str:
    """Breaks at spaces, with `end` at each break, and removes Markdown."""
    lines = textwrap.wrap(
        _EMPHASIS.sub(r"\1", _LINK.sub(r"\1", text)),
        width=width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return f"{end}\n".join(lines)
