"""The reference of a discipline or congestion control: what the core declares of it, and its file NAME.toml.

Files of disciplines are in this folder, those of congestion controls in `congestion`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir import _core
from weir._core import network_of
from weir._errors import WeirError
from weir.scenario import CHOICE_KINDS, Declared, Parameter, Value, declared, meant_queue

DISCIPLINE_FOLDER = Path(__file__).parent
CONTROL_FOLDER = DISCIPLINE_FOLDER / "congestion"


@dataclass(frozen=True)
class Variable:
    """An inner variable, recorded over time."""

    meaning: str
    unit: str | None = None
    """Unit; with the defaults first, if there are several: "packets or bytes, as the thresholds are"."""

    @classmethod
    def of(cls, entry: str | Sequence[str]) -> Variable:
        """Reads a variable from the file: a sentence, or a meaning and a unit."""
        return cls(entry) if isinstance(entry, str) else cls(*entry)

    @property
    def sentence(self) -> str:
        """Meaning and unit."""
        return self.meaning if self.unit is None else f"{self.meaning}, in {self.unit}."

    @property
    def default_unit(self) -> str | None:
        """The unit with default parameters; figures use it."""
        return None if self.unit is None else self.unit.partition(" or ")[0]


@dataclass(frozen=True)
class Deviation:
    """One topic on which implementations differ; None where nothing is known."""

    topic: str
    published: str | None = None
    linux: str | None = None
    ns2: str | None = None
    ns3: str | None = None
    weir: str | None = None

    def __getitem__(self, column: str) -> str | None:
        return getattr(self, column)


DEVIATION_COLUMNS = {
    "published": "paper or RFC",
    "linux": "Linux",
    "ns2": "ns-2",
    "ns3": "ns-3",
    "weir": "Weir",
}
"""Columns of a table of deviations: key in the file to heading."""


@dataclass(frozen=True)
class Kernel:
    """The discipline in a Linux kernel."""

    name: str | None = None
    line: str | None = None
    """Arguments of `tc`, with the equivalents of the defaults in Weir."""
    since: str | None = None
    """The first kernel that has it."""
    note: str | None = None
    """Settings that the line cannot express."""
    none: str | None = None
    """Closest discipline, if no kernel has this one."""

    @classmethod
    def of(cls, entry: Mapping[str, str]) -> Kernel:
        """Reads the entry of a file: `qdisc`, the arguments of `tc` from the name on, or `none`."""
        if "none" in entry:
            return cls(**entry)
        rest = dict(entry)
        qdisc = rest.pop("qdisc")
        return cls(qdisc.split()[0], f"tc qdisc add dev eth0 root {qdisc}", **rest)


@dataclass(frozen=True, kw_only=True)
class Described:
    """Reference of a choice that is declared in the core and described in a file."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    title: str
    year: int
    """Year of publication."""
    sources: tuple[str, ...]
    idea: str
    equations: tuple[str, ...]
    worked: str
    """The equations with numbers, in Markdown, for the page alone; may be empty."""
    variables: dict[str, Variable]
    """Inner variables by name."""
    deviations: tuple[Deviation, ...]

    @property
    def columns(self) -> list[str]:
        """The `DEVIATION_COLUMNS` that have an entry."""
        return [column for column in DEVIATION_COLUMNS if any(entry[column] for entry in self.deviations)]


@dataclass(frozen=True, kw_only=True)
class Discipline(Described):
    """A discipline with all that its page shows."""

    figure: tuple[str, ...]
    """The most telling variables, in order: figures draw them below the queue."""
    set: dict[str, Value]
    """Values that the figure's scenario sets besides the defaults, by path."""
    caption: str
    """A remark on the figure; may be empty."""
    tc: Kernel


@dataclass(frozen=True, kw_only=True)
class Control(Described):
    """A congestion control with all that its page shows."""

    example: Value
    """Example of a value in a scenario file."""
    needs: dict[str, Value]
    """Keys of `tcp` that the congestion control needs to work as designed, by path."""


def registered() -> list[Discipline]:
    """All disciplines, in the order of the core."""
    return [_of(one) for one in declared.disciplines()]


def find(name: str) -> Discipline:
    """The discipline of this name; underscores count as dashes. Raises WeirError."""
    known = {one.name: one for one in declared.disciplines()}
    wanted = name.lower().replace("_", "-")
    if wanted not in known:
        raise WeirError(f"there is no discipline {name!r}", meant_queue(name))
    return _of(known[wanted])


def placed(resolved: str) -> dict[str, str]:
    """Component of the series to the name of its discipline, for a scenario as `Scenario.to_toml` writes it.
    An AQM in Python has no name here."""
    document = tomllib.loads(resolved)
    known = {one.name for one in declared.disciplines()}
    found: dict[str, str] = {}
    for port in network_of(resolved).ports:
        table: Any = document
        for key in (*port.key.split("."), "queue"):
            table = table.get(key, {})
        found |= {f"links.{port.link}.{port.direction}": name for name in table if name in known}
    return found


def controls() -> list[Control]:
    """All congestion controls, in the order of the core."""
    return [_control(one) for one in declared.choices_of("congestion")]


def control_of(key: str, one: Declared) -> Control | None:
    """The congestion control that a scenario file chooses by this key; None of another key."""
    return _control(one) if key == CHOICE_KINDS["congestion"][0] else None


def described(folder: Path = DISCIPLINE_FOLDER) -> list[str]:
    """The names that have a file there."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def read(name: str) -> dict[str, Any]:
    """The file of a discipline. Raises KeyError or TypeError for a bad file."""
    table = _table(DISCIPLINE_FOLDER, name)
    parts: dict[str, Any] = {
        **_common(table),
        "figure": tuple(table.pop("figure")),
        "set": dict(table.pop("set", {})),
        "caption": " ".join(str(table.pop("caption", "")).split()),
        "tc": Kernel.of(table.pop("tc")),
    }
    return _whole(name, table, parts)


def read_control(name: str) -> dict[str, Any]:
    """Reads the file of a congestion control. Raises KeyError or TypeError for a bad file."""
    table = _table(CONTROL_FOLDER, name)
    return _whole(name, table, _common(table))


def _table(folder: Path, name: str) -> dict[str, Any]:
    return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))


def _common(table: dict[str, Any]) -> dict[str, Any]:
    """Takes out of a file what both kinds have."""
    return {
        "title": str(table.pop("title")),
        "year": int(table.pop("year")),
        "sources": tuple(table.pop("sources")),
        "idea": " ".join(str(table.pop("idea")).split()),
        "equations": tuple(str(table.pop("equations")).strip("\n").split("\n")),
        "worked": str(table.pop("worked", "")).strip("\n"),
        "variables": _variables(table.pop("variables", {}), table.pop("variables_of", None)),
        "deviations": tuple(Deviation(topic, **entry) for topic, entry in table.pop("deviations").items()),
    }


def _whole(name: str, left: Mapping[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    if left:
        raise KeyError(f"{name}.toml: {', '.join(left)}")
    return parts


def _variables(own: Mapping[str, Any], of: str | None) -> dict[str, Variable]:
    """The own variables, after those of the discipline that this one extends."""
    extended: dict[str, Variable] = {} if of is None else read(of)["variables"]
    return {**extended, **{key: Variable.of(entry) for key, entry in own.items()}}


def _of(one: Declared) -> Discipline:
    return Discipline(name=one.name, summary=one.summary, parameters=one.parameters, **read(one.name))


def _control(one: Declared) -> Control:
    given = {"name": one.name, "summary": one.summary, "parameters": one.parameters, "example": one.example}
    needs = {
        path: tomllib.loads(f"is = {text}")["is"] for path, text in _core.congestion_facts(one.name).needs
    }
    return Control(**given, needs=needs, **read_control(one.name))
