"""What a result consists of: configurations, and the runs of each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from weir import _core
from weir.scenario._scenario import Variant, suggestion
from weir.scenario._toml import to_toml
from weir.sweep._axes import AxisError
from weir.sweep._design import Design
from weir.sweep._until import Rule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""Of the definition that a store keeps; grows when a reader of the old one would misread the new."""

Kind = Literal["run", "compare", "sweep"]
"""One scenario; variants at one point; a scenario or variants at the points of some axes."""

TUNING = "tune"
"""The kind of a result of `weir tune`: its definition has `runs`, their keys, and `results_version`."""


@dataclass(frozen=True)
class Configuration:
    """One variant at one point: what replications repeat."""

    point: int
    variant: int
    scenario: _core.Scenario
    applies: bool
    """False where some axis belongs wholly to an AQM that this variant does not have."""


@dataclass(frozen=True)
class Plan:
    """A result before its first run: every point has been checked."""

    name: str
    scenario: _core.Scenario
    """Without axes and variants."""
    variants: tuple[Variant, ...]
    """The first is the baseline of the differences."""
    design: Design
    configurations: tuple[Configuration, ...]
    replications: int
    """Of every configuration; with `until`, at most so many."""
    until: tuple[Rule, ...] = ()
    kind: Kind = "sweep"
    margins: Mapping[str, float] = field(default_factory=dict[str, float])
    """Measure to the largest difference, in its unit, that is called equal."""

    @property
    def title(self) -> str:
        """One line for people."""
        return self.scenario.title or self.scenario.name

    @property
    def has_python_aqms(self) -> bool:
        """Whether any variant has an AQM in Python."""
        return any(variant.scenario.has_python_aqms for variant in self.variants)

    @property
    def seeds(self) -> range:
        """Of the replications: common to all configurations, so that differences are paired."""
        return range(self.scenario.seed, self.scenario.seed + self.replications)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Keys of all runs, shape (configurations, replications)."""
        keys = _core.run_keys(self.hashes, self.scenario.seed, self.replications, _core.results_version)
        return keys.reshape(len(self.configurations), self.replications)

    @cached_property
    def hashes(self) -> list[str]:
        """Of the configurations' scenarios."""
        return [one.scenario.hash for one in self.configurations]

    @cached_property
    def id(self) -> str:
        """Two results are the same if all that they show is the same."""
        # How defaults are written out may change, and what is simulated stays the same.
        parts = {name: part for name, part in self.definition().items() if name != "resolved"}
        return hashlib.sha256(json.dumps([self.name, parts]).encode()).hexdigest()[:10]

    def configuration_label(self, index: int) -> str:
        """`5 Mbit/s, RED`."""
        chosen = self.configurations[index]
        values = [str(value) for _, value in self.design.rows[chosen.point]]
        label = [self.variants[chosen.variant].label] if len(self.variants) > 1 else []
        return ", ".join([*values, *label])

    @property
    def unaffected(self) -> list[str]:
        """Labels of the variants that do not have the AQM to which an axis belongs."""
        first = self.configurations[: len(self.variants)]
        return [self.variants[one.variant].label for one in first if not one.applies]

    def definition(self) -> dict[str, Any]:
        """All that is needed to find the runs again and to draw them, as plain values."""
        return {
            "format": FORMAT,
            "kind": self.kind,
            "scenario": self.scenario.name,
            "title": self.title,
            "variants": [{"name": variant.name, "label": variant.label} for variant in self.variants],
            "resolved": {variant.name: variant.scenario.to_toml() for variant in self.variants},
            "design": self.design.to_json(),
            "configurations": self.hashes,
            "seed": self.scenario.seed,
            "replications": self.replications,
            "until": [str(rule) for rule in self.until],
            "margins": dict(self.margins),
            "results_version": _core.results_version,
        }


def plan(
    scenario: _core.Scenario,
    variants: Sequence[Variant],
    design: Design,
    replications: int,
    until: Sequence[Rule],
    name: str | None = None,
    *,
    bare: bool = False,
) -> Plan:
    """Every configuration of a sweep, checked. A `bare` scenario, without variants or disciplines, takes the
    AQM to which an axis belongs, as it does with `--set`.

    Raises ScenarioError for a point that cannot be run, AxisError for axes that cannot be varied.
    """
    paths = design.paths
    plain = {part.path for axis in design.axes for part in axis.parts if part.numeric}
    _check_paths(paths, scenario, plain)
    _check_choices(paths)
    applies = [[bare or one.scenario.has_choice(path) for path in paths] for one in variants]
    for path, *of_variants in zip(paths, *applies, strict=True):
        if not any(of_variants):
            # Setting it would give every variant this AQM, and leave nothing to compare.
            labels = ", ".join(one.label for one in variants)
            raise AxisError(
                f"none of the variants has what this axis varies ({labels})",
                "choose the variants that have it with --variants, or add one that does",
                path,
            )
    configurations: list[Configuration] = []
    for point, assignments in enumerate(design.rows):
        for index, (variant, of_paths) in enumerate(zip(variants, applies, strict=True)):
            mine = [
                (path, to_toml(value))
                for (path, value), sets in zip(assignments, of_paths, strict=True)
                if sets
            ]
            replaced = _replaced(variant, mine)
            configurations.append(Configuration(point, index, replaced, _applies(design, of_paths)))
    return Plan(
        name or scenario.name,
        scenario,
        tuple(variants),
        design,
        tuple(configurations),
        replications,
        tuple(until),
    )


def plan_at_one_point(
    kind: Kind,
    scenario: _core.Scenario,
    variants: Sequence[Variant],
    replications: int,
    margins: Mapping[str, float] | None = None,
) -> Plan:
    """A run or a comparison: no axes. Raises ValueError without a replication."""
    if replications < 1:
        raise ValueError(f"{replications} replications; there must be at least one")
    configurations = [Configuration(0, i, one.scenario, applies=True) for i, one in enumerate(variants)]
    return Plan(
        scenario.name,
        scenario,
        tuple(variants),
        Design("grid", (), ((),)),
        tuple(configurations),
        replications,
        kind=kind,
        margins=margins or {},
    )


def _replaced(variant: Variant, values: Sequence[tuple[str, str]]) -> _core.Scenario:
    try:
        return variant.scenario.replace(values)
    except _core.ScenarioError as error:
        # The user did not pass --set: name the option they used.
        error.file = error.file.replace("--set ", "--axis ", 1)
        raise


def _applies(design: Design, of_paths: Sequence[bool]) -> bool:
    """Whether every axis sets something."""
    sets = dict(zip(design.paths, of_paths, strict=True))
    return all(any(sets[path] for path in axis.paths) for axis in design.axes)


def _check_paths(paths: Sequence[str], scenario: _core.Scenario, plain: Collection[str]) -> None:
    """Setting a value of a link or group that does not exist would create it. The values of `plain` paths are
    numbers or quantities: a round trip may be one, or a choice of distributions."""
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
                "a choice is not a value of an axis",
                "compare queue disciplines: --disciplines red,rem, or variants",
                path,
            )


def _check_choices(paths: Sequence[str]) -> None:
    """Two axes that choose different AQMs for one place would undo each other."""
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
