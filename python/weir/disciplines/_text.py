"""The reference as plain text, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence

from weir.disciplines._reference import DEVIATION_COLUMNS, Control, Described, Discipline, Kernel, control_of
from weir.scenario import CHOICE_KINDS, Declared, Parameter, to_toml
from weir.stats import Measure

_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")
_EMPHASIS = re.compile(r"(?<![^\s(])\*(\S[^*]*)\*")

_MIN_WIDTH = 48
"""Columns; narrower terminals wrap lines themselves."""


def text_of_entry(entry: Discipline | Control, width: int) -> str:
    """The page of a discipline or a congestion control, in lines of at most `width` columns where they can be
    broken."""
    width = max(width, _MIN_WIDTH)
    sentences = [(name, variable.sentence) for name, variable in entry.variables.items()]
    path = f"{CHOICE_KINDS['congestion'][0]}.{entry.name}" if isinstance(entry, Control) else entry.name
    blocks = [
        f"{entry.title}, {entry.year}: {path}",
        _wrap(entry.summary, width),
        _wrap(entry.idea, width),
        _section("Equations", [f"  {line}".rstrip() for line in entry.equations]),
        _section("Sources", [_wrap(source, width, "  ", "    ") for source in entry.sources]),
        _parameters(entry.parameters, width),
        _section("weir tune --disciplines: from, to (source)", _tuned(entry.parameters, width)),
        _section("Inner variables", _table(sentences, width)),
        _section("Deviations", _deviations(entry, width)),
        _section("In Linux", _kernel(entry.tc, width)) if isinstance(entry, Discipline) else _example(entry),
    ]
    return "\n\n".join(block for block in blocks if block)


def text_of_choice(key: str, declared: Declared, width: int) -> str:
    """A choice of a scenario file that is no queue discipline, with its key and an example."""
    if (control := control_of(key, declared)) is not None:
        return text_of_entry(control, width)
    width = max(width, _MIN_WIDTH)
    blocks = [
        f"{key}.{declared.name}",
        _wrap(declared.summary, width),
        _parameters(declared.parameters, width),
        _section("Example", [f"  {line}" for line in example_of(key, declared)]),
    ]
    return "\n\n".join(block for block in blocks if block)


def _example(control: Control) -> str:
    return _section("Example", [f"  {line}" for line in example_of(CHOICE_KINDS["congestion"][0], control)])


def example_of(key: str, declared: Declared | Control) -> list[str]:
    """Lines of a scenario file that choose it, the choice itself last."""
    kind, _, rest = key.partition(".")
    entry, _, place = rest.partition(".")
    name = {"GROUP": "web", "LINK": "bottleneck"}[entry]
    place = place.replace("KIND", "poisson")
    value = re.sub(r'"([\w-]+)" =', r"\1 =", to_toml(declared.example))
    needs = declared.needs if isinstance(declared, Control) else {}
    others = [f"tcp.{path} = {to_toml(needed)}" for path, needed in needs.items()]
    return [f"[{kind}.{name}]", *others, f"{place}.{declared.name} = {value}"]


def text_of_measure(measure: Measure, width: int) -> str:
    """A measure of results: its name, title, unit and definition."""
    unit = f" ({measure.unit})" if measure.unit else ""
    return f"{measure.name}: {measure.title}{unit}\n\n{_wrap(measure.definition, max(width, _MIN_WIDTH))}"


def _parameters(parameters: Sequence[Parameter], width: int) -> str:
    lines: list[str] = []
    names = max((len(parameter.name) for parameter in parameters), default=0)
    for parameter in parameters:
        # A default shows its unit itself.
        takes = f" ({parameter.takes})" if parameter.takes and parameter.default is None else ""
        shown = (
            "may be left out" if "Default" in parameter.summary and not parameter.default else parameter.shown
        )
        lines += _table([(parameter.name, f"{shown}{takes}. {parameter.summary}")], width, names)
        lines += _table(parameter.choices.items(), width, indent=" " * (names + 6))
    return _section("Parameters: default (source) and meaning", lines)


def _tuned(parameters: Sequence[Parameter], width: int) -> list[str]:
    return _table([(one.name, one.tunable.shown) for one in parameters if one.tunable is not None], width)


def _deviations(described: Described, width: int) -> list[str]:
    lines: list[str] = []
    names = max((len(DEVIATION_COLUMNS[column]) for column in described.columns), default=0)
    for entry in described.deviations:
        lines.append(_wrap(entry.topic, width, "  ", "  "))
        texts = [(DEVIATION_COLUMNS[column], entry[column]) for column in described.columns]
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
