"""Reads what is known of a discipline: its own declaration, and its file in this folder."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

from weir import _core, catalogue
from weir.errors import WeirError
from weir.toml import Value

FOLDER = Path(__file__).parent

_ORIGINS = re.compile(r"(?:^|(?<=\. ))Defaults: (.*)\.$")
"""The sentence about all parameters that says where their defaults come from."""

_ORIGIN = re.compile(r"(?:^|(?<=[.:] ))Default\b:? (.*?)\.(?= [A-Z`]|$)")
"""The sentence of a parameter that says where its default comes from."""

_WORDS = {"off": "false", "on": "true"}
"""What people write for what files have."""

_LITERAL = re.compile(r"(?:off|on)\b|\d[\d.e-]*(?:/\d+)?(?: (?:packets?|[mu]?s|k?B|KiB|MiB)\b)?")
"""A default at the beginning of a sentence about it."""


@dataclass(frozen=True)
class Parameter:
    """As the law declares it."""

    name: str
    default: str
    """As in a scenario file; "none" where nothing stands there, whatever that means."""
    meaning: str
    origin: str
    """Where the default comes from; empty if nothing is said of this one by itself."""
    choices: dict[str, str]
    """The words it may be, each with its meaning; none if it is a number or a quantity."""

    @property
    def value(self) -> str:
        """The default, if it can be written."""
        return "" if self.default == "none" else self.default

    @classmethod
    def of(cls, declared: Mapping[str, Any]) -> Parameter:
        """Takes the sentence about the default out of the summary."""
        name, default = str(declared["name"]), str(declared["default"])
        meaning, origin = str(declared["summary"]), ""
        found = _ORIGIN.search(meaning)
        if found is not None:
            default, origin = _parted(default, found[1])
            meaning = f"{meaning[: found.start()].rstrip()} {meaning[found.end() :].lstrip()}".strip()
        return cls(name, default, meaning, origin, dict(declared["choices"]))


@dataclass(frozen=True)
class Variable:
    """An inner variable, as it is recorded over time."""

    meaning: str
    unit: str | None = None
    """What it is counted in; with the law's defaults, if there are several ("packets or bytes ...")."""

    @classmethod
    def of(cls, entry: str | Mapping[str, str]) -> Variable:
        """From the file: a sentence, or a meaning and a unit."""
        return cls(entry) if isinstance(entry, str) else cls(**entry)

    @property
    def said(self) -> str:
        """In one sentence."""
        return self.meaning if self.unit is None else f"{self.meaning}, in {self.unit}."

    @property
    def drawn(self) -> str | None:
        """The unit with the law's defaults, which figures have."""
        return None if self.unit is None else self.unit.partition(" or ")[0]


@dataclass(frozen=True)
class Deviation:
    """One thing that is not done alike everywhere; None where nobody does it at all."""

    topic: str
    published: str | None = None
    linux: str | None = None
    ns2: str | None = None
    ns3: str | None = None
    weir: str | None = None

    def __getitem__(self, column: str) -> str | None:
        return getattr(self, column)


COLUMNS = {"published": "paper or RFC", "linux": "Linux", "ns2": "ns-2", "ns3": "ns-3", "weir": "Weir"}
"""Of a table of deviations: the key in the file, and what people call it."""


@dataclass(frozen=True)
class Kernel:
    """What stands in for the discipline in a Linux kernel."""

    name: str | None = None
    line: str | None = None
    """For `tc`, with the equivalents of our defaults."""
    since: str | None = None
    """The first kernel that has it."""
    note: str | None = None
    """What the line cannot say."""
    none: str | None = None
    """What comes closest, if no kernel has it."""


@dataclass(frozen=True)
class Discipline:
    """All that is known of one."""

    name: str
    """In scenario files."""
    summary: str
    parameters: tuple[Parameter, ...]
    origin: str
    """Where the defaults come from of which nothing is said by itself; may be empty."""
    title: str
    """What people call it."""
    year: int
    sources: tuple[str, ...]
    idea: str
    equations: tuple[str, ...]
    variables: dict[str, Variable]
    """Inner variables by name."""
    figure: tuple[str, ...]
    """Which of them are drawn below the queue."""
    set: dict[str, Value]
    """What the scenario of the figure has, by path, beside the defaults."""
    caption: str
    """What has to be known of the figure; empty if nothing has."""
    tc: Kernel
    deviations: tuple[Deviation, ...]

    @property
    def columns(self) -> list[str]:
        """Those of `COLUMNS` in which something is said."""
        return [column for column in COLUMNS if any(entry[column] for entry in self.deviations)]


def registered() -> list[Discipline]:
    """Every discipline of the core, in its order."""
    return [_of(law) for law in catalogue.laws()]


def find(name: str) -> Discipline:
    """The discipline of this name, written with whatever dashes. Raises WeirError."""
    known = {str(law["name"]): law for law in catalogue.laws()}
    wanted = name.lower().replace("_", "-")
    if wanted not in known:
        close = get_close_matches(wanted, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
        raise WeirError(f"there is no discipline {name!r}", hint)
    return _of(known[wanted])


def described() -> list[str]:
    """The names that have a file here, whether or not the core has them."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def read(name: str) -> dict[str, Any]:
    """The file of a discipline, every part in its type. Raises KeyError or TypeError for a bad file."""
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    parts: dict[str, Any] = {
        "title": str(table.pop("title")),
        "year": int(table.pop("year")),
        "sources": tuple(table.pop("sources")),
        "idea": " ".join(str(table.pop("idea")).split()),
        "equations": tuple(str(table.pop("equations")).strip("\n").split("\n")),
        "variables": {key: Variable.of(entry) for key, entry in table.pop("variables").items()},
        "figure": tuple(table.pop("figure")),
        "set": dict(table.pop("set", {})),
        "caption": " ".join(str(table.pop("caption", "")).split()),
        "tc": Kernel(**table.pop("tc")),
        "deviations": tuple(Deviation(**entry) for entry in table.pop("deviation")),
    }
    if table:
        raise KeyError(f"{name}.toml: {', '.join(table)}")
    return parts


def _of(law: Mapping[str, Any]) -> Discipline:
    name = str(law["name"])
    parameters = tuple(Parameter.of(declared) for declared in law["parameters"])
    origin = _ORIGINS.search(str(law["about"]))
    return Discipline(
        name, str(law["summary"]), parameters, "" if origin is None else origin[1], **read(name)
    )


def _parted(default: str, origin: str) -> tuple[str, str]:
    """The default as its author writes it, 1/6000 and not 0.000166..., and the rest of the origin."""
    if origin == default:
        return default, ""
    found = _LITERAL.match(origin)
    if found is None or not _same(default, found[0]):
        return default, origin
    said = origin[found.end() :].lstrip(" ,;")
    # One pair of parentheses around all of it.
    inner = said[1:-1]
    if said.startswith("(") and said.endswith(")") and "(" not in inner and ")" not in inner:
        said = inner
    return (default if found[0] in _WORDS else found[0]), said


def _same(default: str, written: str) -> bool:
    """Whether a person who writes so means this default."""
    if default == written or _WORDS.get(written) == default:
        return True
    try:
        return math.isclose(float(default), float(Fraction(written)))
    except ValueError:
        pass
    try:
        return _core.quantity(default) == _core.quantity(written)
    except ValueError:
        return False
