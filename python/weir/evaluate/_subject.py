"""Subjects of an evaluation: a queue discipline by name, the queue of a scenario, or an AQM in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir import _core
from weir._errors import WeirError, listed
from weir.evaluate._cells import Cell, Level
from weir.scenario import Scenario, bundled, declared, meant_queue, to_toml
from weir.sweep import in_unit

DROP_TAIL = "drop-tail"

_TARGETS = ("target", "target_delay")
"""Parameters that set the target of a queue: a time, or packets."""

_FACTORS = (0.5, 2.0)


@dataclass(frozen=True)
class Subject:
    """Queue discipline with its parameters.

    Example:
        >>> from weir.evaluate import chosen, subjects
        >>> codel, cell = subjects(["codel"])[0], chosen("all", ["tcp"])[0]
        >>> level = cell.places(quick=True)[0]
        >>> placed = codel.placed(cell, level)
        >>> codel.target_ms(placed, default=20.0), codel.configurations(cell, [level])[0][0] == level.name
        (5.0, True)
    """

    name: str
    """Name in files and tables."""
    discipline: str
    parameters: Mapping[str, Any]
    source: str = ""
    """File or class that it comes from, as shown to people; empty for a discipline by name."""

    @property
    def claims_l4s(self) -> bool:
        """True if it has a queue for L4S."""
        return self.discipline == "dualpi2" or bool(self.parameters.get("ce_threshold_ect1"))

    def placed(self, cell: Cell, level: Level) -> _core.Scenario:
        """Scenario of a cell at a level with this discipline in its queues. Raises ScenarioError."""
        return self._in(cell, level, self._chosen(marks=cell.marks_at(level.name)))

    def configurations(self, cell: Cell, levels: Sequence[Level]) -> list[tuple[str, _core.Scenario]]:
        """Scenarios of all levels, by name, with this discipline. They include the levels that depend on
        it."""
        found: list[tuple[str, _core.Scenario]] = []
        for level in levels:
            if cell.vary == "parameters":
                found += [("defaults", self.placed(cell, level)), *self._varied(cell, level)]
            elif cell.vary == "scheduler":
                found += [("plain", self.placed(cell, level)), *self._scheduled(cell, level)]
            else:
                found.append((level.name, self.placed(cell, level)))
        return found

    def target_ms(self, scenario: _core.Scenario, default: float) -> float:
        """Target delay in a scenario, in milliseconds; `default` for a discipline that has none."""
        network = scenario.network
        bottleneck = network.bottleneck
        table: Mapping[str, Mapping[str, Any]] = scenario.value(f"{bottleneck.key}.queue") or {}
        parameters = table.get(self.discipline, {})
        for value in (parameters[name] for name in _TARGETS if name in parameters):
            milliseconds = in_unit(value, "ms")
            if milliseconds is not None:
                return milliseconds
            packets = in_unit(value, "packets")
            if packets is not None:
                port = network.port(bottleneck.name)
                return 1e3 * packets * 8.0 * port.mean_packet_bytes / port.rate_bps
        return default

    def _in(self, cell: Cell, level: Level, queue: Mapping[str, Any]) -> _core.Scenario:
        keys = cell.queues or (level.scenario.network.bottleneck.key,)
        return level.scenario.replace([(f"{key}.queue", to_toml(queue)) for key in keys])

    def _chosen(self, *, marks: bool) -> dict[str, dict[str, Any]]:
        parameters = dict(self.parameters)
        if marks and "ecn" in _parameters(self.discipline):
            parameters["ecn"] = True
        return {self.discipline: parameters}

    def _varied(self, cell: Cell, level: Level) -> list[tuple[str, _core.Scenario]]:
        """Scenarios with each numeric parameter halved and doubled. Values that cannot be set are left
        out."""
        base = self.placed(cell, level)
        found: list[tuple[str, _core.Scenario]] = []
        table = base.value(f"{base.network.bottleneck.key}.queue")
        for name, value in table[self.discipline].items():
            for factor in _FACTORS:
                scaled = _scaled(value, factor)
                if scaled is None:
                    continue
                queue = {self.discipline: {**self.parameters, name: scaled}}
                try:
                    found.append((f"{name} x {factor:g}", self._in(cell, level, queue)))
                except _core.ScenarioError:
                    continue
        return found

    def _scheduled(self, cell: Cell, level: Level) -> list[tuple[str, _core.Scenario]]:
        """Scenarios with the discipline under a queue for each flow, if it is an AQM."""
        try:
            queue = {"fq": {"aqm": self._chosen(marks=False)}}
            return [("fq", self._in(cell, level, queue))]
        except _core.ScenarioError:
            return []


def subjects(names: Sequence[str], settings: Sequence[tuple[str, str]] = ()) -> list[Subject]:
    """Subjects that users name: a discipline, `FILE.toml`, or `MODULE:CLASS`. `settings` are parameters of
    disciplines, as (`codel.target`, `10 ms`). Raises WeirError, ScenarioError.

    Example:
        >>> from weir.evaluate import subjects
        >>> codel, pie = subjects(["codel", "pie"], [("codel.target", "10 ms")])
        >>> codel.name, dict(codel.parameters), dict(pie.parameters)
        ('codel', {'target': '10 ms'}, {})
    """
    found: dict[str, Subject] = {}
    for text in listed(names):
        one = _subject(text)
        if one.name in found:
            raise WeirError(f"{text!r} is named twice", "leave one of them out")
        found[one.name] = one
    for path, value in settings:
        name, _, parameter = path.partition(".")
        if name not in found or not parameter:
            raise WeirError(
                f"{path}: it begins with none of the disciplines", f"there are: {', '.join(found)}"
            )
        found[name] = _with(found[name], parameter, value)
    for one in found.values():
        _check(one)
    return list(found.values())


def _subject(text: str) -> Subject:
    known = _core.disciplines()
    if text in known:
        return Subject(text, text, {})
    module, colon, cls = text.partition(":")
    if colon and module and cls and not Path(text).exists():
        return Subject(cls.lower(), "python", {"class": text}, text)
    if text.endswith(".toml") or text in bundled():
        return _of_scenario(text)
    raise WeirError(
        f"there is no queue discipline {text!r}",
        f"{meant_queue(text)}; a scenario's own queue: FILE.toml; an AQM in Python: MODULE:CLASS",
    )


def _of_scenario(text: str) -> Subject:
    """Queue of a scenario's bottleneck, with its parameters."""
    scenario = Scenario.load(text)
    table: Mapping[str, Mapping[str, Any]] = scenario.core.value(f"{scenario.network.bottleneck.key}.queue")
    ((name, parameters),) = (table or {DROP_TAIL: {}}).items()
    return Subject(scenario.name, name, parameters, text)


def _with(subject: Subject, parameter: str, value: str) -> Subject:
    """Subject with one parameter set, a value as on the command line."""
    scenario = _core.Scenario.loads(
        _PLAIN, overrides=[("links.link.queue", to_toml({subject.discipline: dict(subject.parameters)}))]
    )
    changed = scenario.replace([(f"links.link.queue.{subject.discipline}.{parameter}", value)])
    written = changed.value(f"links.link.queue.{subject.discipline}.{parameter}")
    return Subject(
        subject.name, subject.discipline, {**subject.parameters, parameter: written}, subject.source
    )


def _check(subject: Subject) -> None:
    """Checks that the subject can be placed at all. Raises ScenarioError."""
    queue = to_toml({subject.discipline: dict(subject.parameters)})
    _core.Scenario.loads(_PLAIN, f"{subject.source or subject.name}", [("links.link.queue", queue)])


_PLAIN = """
schema = 1
name = "plain"
duration = "1 s"
links.link = { rate = "10 Mbit/s", delay = "1 ms", buffer = "1 BDP" }
flows.ftp = { rtt = "100 ms" }
"""


def _parameters(discipline: str) -> set[str]:
    return {p.name for one in declared.disciplines() if one.name == discipline for p in one.parameters}


def _scaled(value: object, factor: float) -> object | None:
    """Number or quantity times a factor; None for what is neither, or zero."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return type(value)(value * factor) if value and value * factor >= 1e-12 else None
    number, _, unit = str(value).partition(" ")
    try:
        scaled = float(number) * factor
    except ValueError:
        return None
    if not scaled or not unit:
        return None
    return f"{max(1, round(scaled))} {unit}" if unit in {"packets", "B"} else f"{scaled:g} {unit}"
