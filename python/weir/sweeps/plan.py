"""What a sweep consists of: cells, and the runs that each of them wants."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.experiment import Arm
from weir.sweeps.axes import AxisError
from weir.sweeps.design import Design
from weir.sweeps.until import Rule
from weir.toml import to_toml

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""Of the definition that a store keeps; grows when a reader of the old one would misread the new."""


@dataclass(frozen=True)
class Cell:
    """One arm at one point: what replications repeat."""

    point: int
    arm: int
    scenario: _core.Scenario
    applies: bool
    """False where some axis belongs wholly to a law that this arm does not have."""


@dataclass(frozen=True)
class Plan:
    """A sweep before its first run: every point has been checked."""

    name: str
    scenario: _core.Scenario
    """Without axes and variants."""
    arms: tuple[Arm, ...]
    design: Design
    cells: tuple[Cell, ...]
    replications: int
    """Of every cell; with `until`, at most so many."""
    until: tuple[Rule, ...]

    @property
    def title(self) -> str:
        """One line for people."""
        return self.scenario.title or self.scenario.name

    @property
    def has_python_laws(self) -> bool:
        """Whether laws of somebody's own run in it."""
        return any(arm.scenario.has_python_laws for arm in self.arms)

    @property
    def seeds(self) -> range:
        """Of the replications: common to all cells, so that they compare in pairs."""
        return range(self.scenario.seed, self.scenario.seed + self.replications)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Keys of all runs, shape (cells, replications)."""
        keys = _core.run_keys(self.hashes, self.scenario.seed, self.replications, _core.results_version)
        return keys.reshape(len(self.cells), self.replications)

    @cached_property
    def hashes(self) -> list[str]:
        """Of the cells' scenarios."""
        return [cell.scenario.hash for cell in self.cells]

    @cached_property
    def id(self) -> str:
        """What makes two sweeps the same. More replications make it no other, unless a rule decides:
        its looks depend on the largest number."""
        parts = {
            "name": self.name,
            "replications": self.replications if self.until else None,
            "results_version": _core.results_version,
            "arms": [[arm.name, arm.label] for arm in self.arms],
            "axes": [axis.to_json() for axis in self.design.axes],
            "cells": self.hashes,
            "seed": self.scenario.seed,
            "until": [str(rule) for rule in self.until],
        }
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:10]

    def cell_label(self, cell: int) -> str:
        """For people: `5 Mbit/s, RED`."""
        chosen = self.cells[cell]
        values = [str(value) for _, value in self.design.rows[chosen.point]]
        label = [self.arms[chosen.arm].label] if len(self.arms) > 1 else []
        return ", ".join([*values, *label])

    def leaves_alone(self, arm: int) -> bool:
        """Whether an axis belongs to a law that this arm does not have."""
        return any(not cell.applies for cell in self.cells[: len(self.arms)] if cell.arm == arm)

    def definition(self) -> dict[str, Any]:
        """All that is needed to find the runs again and to draw them, as plain values."""
        return {
            "format": FORMAT,
            "scenario": self.scenario.name,
            "title": self.title,
            "arms": [{"name": arm.name, "label": arm.label} for arm in self.arms],
            "resolved": {arm.name: arm.scenario.to_toml() for arm in self.arms},
            "design": self.design.to_json(),
            "cells": self.hashes,
            "seed": self.scenario.seed,
            "replications": self.replications,
            "until": [str(rule) for rule in self.until],
            "results_version": _core.results_version,
        }


def plan(
    scenario: _core.Scenario,
    arms: Sequence[Arm],
    design: Design,
    replications: int,
    until: Sequence[Rule],
    name: str | None = None,
    *,
    bare: bool = False,
) -> Plan:
    """Every cell of the sweep, checked. A `bare` scenario, none of its variants and no law that was
    asked for by name, takes the law of an axis, as it does with an override.

    Raises ScenarioError for a point that cannot be run, AxisError for axes that cannot be varied.
    """
    paths = design.paths
    plain = {part.path for axis in design.axes for part in axis.parts if part.numeric}
    _check_paths(paths, scenario, plain)
    _check_choices(paths)
    applies = [[bare or arm.scenario.has_choice(path) for path in paths] for arm in arms]
    for path, *of_arms in zip(paths, *applies, strict=True):
        if not any(of_arms):
            # Setting it would give every variant this law, and leave nothing to compare.
            labels = ", ".join(arm.label for arm in arms)
            raise AxisError(
                f"none of the variants has what this axis varies ({labels})",
                "choose the variants that have it with --variants, or add one that does",
                path,
            )
    cells: list[Cell] = []
    for point, assignments in enumerate(design.rows):
        for index, (arm, of_paths) in enumerate(zip(arms, applies, strict=True)):
            mine = [
                (path, to_toml(value))
                for (path, value), sets in zip(assignments, of_paths, strict=True)
                if sets
            ]
            cells.append(Cell(point, index, _replaced(arm, mine), _applies(design, of_paths)))
    return Plan(
        name or scenario.name, scenario, tuple(arms), design, tuple(cells), replications, tuple(until)
    )


def _replaced(arm: Arm, values: Sequence[tuple[str, str]]) -> _core.Scenario:
    try:
        return arm.scenario.replace(values)
    except _core.ScenarioError as error:
        # Nobody has typed --set.
        error.file = error.file.replace("--set ", "--axis ", 1)
        raise


def _applies(design: Design, of_paths: Sequence[bool]) -> bool:
    """Whether every axis sets something."""
    sets = dict(zip(design.paths, of_paths, strict=True))
    return all(any(sets[path] for path in axis.paths) for axis in design.axes)


def _check_paths(paths: Sequence[str], scenario: _core.Scenario, plain: Collection[str]) -> None:
    """A link or group that does not exist would be made by setting a value of it. `plain`: paths that take
    numbers or quantities, as a round trip may, which is a choice of distributions otherwise."""
    from weir.scenario import suggestion

    known = {"links": ("link", scenario.links), "flows": ("flow group", scenario.groups)}
    for path in paths:
        table, _, rest = path.partition(".")
        what, names = known.get(table, ("", []))
        name = rest.partition(".")[0]
        # A row of links, or the groups over its links, may be named as a whole.
        if names and name not in names and f"{name}1" not in names:
            raise AxisError(f"there is no {what} {name!r}", suggestion(name, names), path)
        if path not in plain and any(place == path for place, _ in _core.choices_of(f"{path}.x")):
            raise AxisError(
                "a choice is not a value of an axis", "compare laws: --disciplines red,rem, or variants", path
            )


def _check_choices(paths: Sequence[str]) -> None:
    """Two axes that choose different laws for one place would undo each other."""
    chosen: dict[str, tuple[str, str]] = {}
    choices = [(path, choice) for path in paths for choice in _core.choices_of(path)]
    for path, (place, name) in choices:
        other, other_path = chosen.setdefault(place, (name, path))
        if other != name:
            raise AxisError(
                f"{other_path} makes {place} {other}, and this axis makes it {name}",
                "sweep one of them, or compare the two as variants",
                path,
            )
