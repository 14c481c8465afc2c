"""Cells of an evaluation, in suites: each is a bundled scenario at one or several levels."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from weir import _core
from weir._errors import WeirError, listed
from weir.scenario import Scenario, suggestion

SUITES = ("rfc7928", "l4s", "flent", "rpm", "cable")
"""Names of the suites."""

SHORTER = 3.0
"""Factor by which `--quick` shortens a cell after its warm-up."""

_FOLDER = Path(__file__).parent / "suites"


@dataclass(frozen=True)
class Level:
    """Setting of a cell's scenario, before a queue discipline is placed in it."""

    name: str
    scenario: _core.Scenario


@dataclass(frozen=True)
class Cell:
    """Scenario of a suite, with the levels and the measures of an evaluation.

    Example:
        >>> from weir.evaluate import chosen
        >>> cell = chosen("all", ["tcp"])[0]
        >>> cell.source, cell.family, [level.name for level in cell.places(quick=True)]
        ('evaluation/rfc7928/tcp', '5', ['–'])
        >>> chosen("all", ["ecn"])[0].marks_at("newreno")
        False
    """

    suite: str
    name: str
    section: str
    """Section of the RFC, or the name of the set or test elsewhere."""
    requirement: str
    """Requirement of RFC 7928, section 13. M must be considered, R is recommended, Y may be considered, D
    should or must be discussed."""
    needs: str = ""
    """Feature that Weir lacks to run the cell; empty if it can run."""
    lacks: str = ""
    """Parts of the test that the cell leaves out."""
    scenario: str = ""
    levels: tuple[str, ...] = ("*",)
    """Patterns of the cell's levels."""
    quick: tuple[str, ...] = ()
    """Patterns of the levels that `--quick` runs. Without any, `--quick` leaves the cell out."""
    queues: tuple[str, ...] = ()
    """Keys of the ports that get the discipline; by default the bottleneck."""
    ecn: tuple[str, ...] = ()
    """Patterns of the levels at which the discipline marks, if it can."""
    vary: Literal["", "parameters", "scheduler"] = ""
    """Further levels that depend on the discipline, either its parameters halved and doubled, or the AQM
    under a scheduler."""
    groups: tuple[str, ...] = ()
    """Groups of flows that are measured by themselves."""
    ratio: tuple[str, ...] = ()
    """Names of two groups whose goodputs per flow are divided."""
    left_by: tuple[str, ...] = ()
    """Names of a group and of a group of datagrams. The goodput of the first is divided by the rate that the
    second leaves."""
    voice: tuple[str, ...] = ()
    """Voice streams, one in each direction."""
    load: tuple[str, ...] = ()
    """Groups that load the link, one in each direction."""

    @property
    def source(self) -> str:
        """Name of the cell's bundled scenario."""
        return self.scenario or f"evaluation/{self.suite}/{self.name}"

    @property
    def family(self) -> str:
        """Tests of one criterion that are corrected together, which is the chapter of the RFC, or the
        suite."""
        return self.section.partition(".")[0] if self.suite == "rfc7928" else self.suite

    def marks_at(self, level: str) -> bool:
        """Returns true if a discipline that can mark does so at a level."""
        return matches(level, self.ecn)

    def places(self, *, quick: bool) -> list[Level]:
        """Levels of the cell: variants of its scenario, at the points of its axes."""
        found = _levels(self.source)
        chosen = [one for one in found if matches(one.name, self.levels)]
        if not quick:
            return chosen
        return [_shortened(one) for one in chosen if matches(one.name, self.quick)]


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Returns true if a name matches one of these patterns."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@cache
def cells() -> tuple[Cell, ...]:
    """Cells of every suite, in order.

    Example:
        >>> from weir.evaluate import cells
        >>> len(cells()), cells()[0].name, cells()[0].section
        (38, 'tcp', '5.1.1')
    """
    return tuple(cell for suite in SUITES for cell in _read(suite))


def chosen(suite: str, only: Sequence[str] = ()) -> list[Cell]:
    """Cells of a suite, or of all; with `only`, those of these names in any suite. Raises WeirError.

    Example:
        >>> from weir.evaluate import chosen
        >>> [cell.name for cell in chosen("l4s")][:3], chosen("all", only=["tcp"])[0].suite
        (['pairs', 'numbers', 'rtts'], 'rfc7928')
    """
    if suite not in {*SUITES, "all"}:
        raise WeirError(f"there is no suite {suite!r}", suggestion(suite, [*SUITES, "all"]))
    only = listed(only)
    if not only:
        return [cell for cell in cells() if suite in {"all", cell.suite}]
    names = [cell.name for cell in cells()]
    for name in only:
        if name not in names:
            raise WeirError(f"there is no cell {name!r}", suggestion(name, names))
    return [cell for cell in cells() if cell.name in only]


def _read(suite: str) -> list[Cell]:
    text = (_FOLDER / f"{suite}.toml").read_text(encoding="utf-8")
    return [_cell(suite, table) for table in tomllib.loads(text)["cells"]]


def _cell(suite: str, table: dict[str, Any]) -> Cell:
    values = with_tuples(table)
    quick = values.pop("quick", ())
    left = values.pop("left_by", {})
    return Cell(
        suite,
        quick=("*",) if quick is True else quick,
        left_by=(left["group"], left["datagrams"]) if left else (),
        **values,
    )


def with_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    """Table of a file, with its lists as tuples."""
    return {
        key: tuple(cast("list[Any]", one)) if isinstance(one, list) else one for key, one in table.items()
    }


@cache
def _levels(source: str) -> tuple[Level, ...]:
    from weir.sweep import SweepSpec, define_sweep

    plan = define_sweep(Scenario.load(source), SweepSpec())
    found: list[Level] = []
    for one in plan.configurations:
        values = [str(value) for _, value in _first_of_each(plan.design.rows[one.point])]
        name = plan.variants[one.variant].name if len(plan.variants) > 1 else ""
        found.append(Level(", ".join(filter(None, [name, *values])) or "–", one.scenario))
    return tuple(found)


def _first_of_each(row: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Paths and values of a level. Paths that move together have one value: only the first is kept."""
    kept: list[tuple[str, Any]] = []
    for path, value in row:
        if not (kept and kept[-1][1] == value and kept[-1][0].rpartition(".")[2] == path.rpartition(".")[2]):
            kept.append((path, value))
    return kept


def _shortened(level: Level) -> Level:
    warm_up = _core.quantity(str(level.scenario.value("measure.warm_up")))[0]
    seconds = warm_up + (level.scenario.duration - warm_up) / SHORTER
    return Level(level.name, level.scenario.replace([("duration", f"{seconds:g} s")]))
