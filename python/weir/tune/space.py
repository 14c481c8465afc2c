"""What may be changed: parameters with their bounds, and settings of them."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir.errors import WeirError
from weir.scenario import declared
from weir.scenario.scenario import Scenario, suggestion
from weir.scenario.toml import to_toml
from weir.sweep.axes import Axis, check_distinct, parse
from weir.sweep.values import QUANTITY, Levels, Range, Value, written

_BARE = re.compile(
    r"(?P<path>[^=]+)=\s*(?P<low>[^.\s]+(?:\.\d+)?)\s*\.\.\s*(?P<high>\S+?)(?P<log>\s+log)?\s*"
)

COARSE = 5
"""Levels of each parameter at which it is looked whether anything can be run."""

LOGARITHMIC = 10.0
"""From this ratio of the bounds on, equal steps are equal factors."""


class SpaceError(WeirError, ValueError):
    """Something that cannot be varied so."""


Setting = tuple[tuple[str, Value], ...]
"""Paths and their values: of parameters, of the conditions they are to work in, or of both."""

Place = NDArray[np.float64]
"""A setting as a point of the box of parameters, shape (dimensions,), each in [0, 1]."""


def placed(scenario: _core.Scenario, setting: Setting) -> _core.Scenario:
    """The scenario with these values. Raises ScenarioError."""
    return scenario.replace([(path, to_toml(value)) for path, value in setting])


@dataclass(frozen=True)
class Space:
    """The parameters: a box, each side from 0 to 1."""

    scenario: _core.Scenario
    axes: tuple[Axis, ...]

    @staticmethod
    def of(scenario: Scenario, texts: Sequence[str]) -> Space:
        """As a person writes it: `red.max_th=5..50`, or with the whole path. A parameter without a unit
        has that of its default. Both ends are checked. Raises SpaceError, AxisError, ScenarioError."""
        if not texts:
            raise SpaceError("there is nothing to vary", 'add a parameter: --vary "red.max_th=5..50"')
        axes = [_axis(scenario, text) for text in texts]
        check_distinct(axes)
        space = Space(scenario.core, tuple(axes))
        if not space.places(COARSE):
            try:
                placed(scenario.core, space.at(np.full(len(axes), 0.5)))
            except _core.ScenarioError as error:
                # Nobody has typed --set.
                error.file = error.file.replace("--set ", "--vary ", 1)
                raise
            raise SpaceError("no setting within these bounds can be run", "widen them")
        return space

    @property
    def dimensions(self) -> int:
        return len(self.axes)

    def at(self, place: Place) -> Setting:
        """The setting at a place."""
        return tuple(
            (axis.column, axis.at(_share(axis, float(u)))[0])
            for axis, u in zip(self.axes, place, strict=True)
        )

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Of ends of parameters that the scenario does not take, why: one sentence each."""
        found: list[str] = []
        for axis in self.axes:
            for value in (axis.at(0.0)[0], axis.at(1.0)[0]):
                try:
                    placed(self.scenario, ((axis.column, value),))
                except _core.ScenarioError as error:
                    found.append(f"{axis.column} = {value} cannot be run and is left out: {error.message}")
        return tuple(found)

    @cached_property
    def defaults(self) -> Place | None:
        """Where the scenario's own values lie; None if one of them is outside its bounds."""
        resolved: dict[str, Any] = tomllib.loads(self.scenario.to_toml())
        place: list[float] = []
        for axis in self.axes:
            value = _looked_up(resolved, axis.column)
            bounds = axis.range
            if bounds is None or not isinstance(value, str | int | float) or isinstance(value, bool):
                return None
            try:
                number = Levels((value, written(Decimal(1), bounds.unit, whole=False))).number(value)
            except (AssertionError, ValueError):
                return None
            if not bounds.low <= number <= bounds.high:
                return None
            place.append(_place(axis, bounds, number))
        return np.array(place)

    def can_run(self, place: Place) -> bool:
        """Whether the scenario takes the setting at a place."""
        try:
            placed(self.scenario, self.at(place))
        except _core.ScenarioError:
            return False
        return True

    def places(self, levels: int) -> list[Place]:
        """Every combination of so many levels that can be run, each setting once."""
        ticks = np.linspace(0.0, 1.0, levels)
        found = {self.at(place): place for place in map(np.array, product(ticks, repeat=self.dimensions))}
        return [place for place in found.values() if self.can_run(place)]


def _share(axis: Axis, u: float) -> float:
    """The share of the range that belongs to a place on the side of the box.

    A range that begins at zero has no factors, and its small values matter as those of a logarithm do: the
    cube of the place makes a quarter of the way a 64th of the range.
    """
    return u**3 if _from_zero(axis) else u


def _place(axis: Axis, bounds: Range, number: float) -> float:
    """The place of a value on the side of the box."""
    if bounds.log:
        return math.log(number / bounds.low) / math.log(bounds.high / bounds.low)
    share = (number - bounds.low) / (bounds.high - bounds.low)
    return share ** (1.0 / 3.0) if _from_zero(axis) else share


def _from_zero(axis: Axis) -> bool:
    bounds = axis.range
    return bounds is not None and bounds.low == 0.0 and not bounds.whole


def _looked_up(resolved: dict[str, Any], path: str) -> object:
    """A value of a resolved scenario, in which the first of a row of links stands for all of them."""
    found: object = resolved
    for word in path.split("."):
        table: dict[str, Any] = found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]
        found = table.get(word, table.get(f"{word}1"))
    return found


def _axis(scenario: Scenario, text: str) -> Axis:
    name, equals, bounds = text.partition("=")
    if not equals or ".." not in bounds:
        raise SpaceError(
            f'"{text}" is not PARAMETER=LOW..HIGH', 'write for example "red.max_th=5..50 packets"'
        )
    path = _path(scenario, name.strip())
    axis = parse(f"{path}={_with_unit(scenario, path, bounds.strip())}")
    found = axis.range
    if found is None:
        raise SpaceError("levels are for weir sweep; tuning needs bounds", "write LOW..HIGH", path)
    if found.low > 0.0 and found.high / found.low >= LOGARITHMIC and not found.log:
        # A probability from 0.01 to 0.5 has as much to say below 0.1 as above.
        part = axis.parts[0]
        wide = Range(found.low, found.high, found.unit, found.whole, log=True)
        axis = Axis((type(part)(part.path, wide),))
    return axis


def bottleneck_of(scenario: Scenario) -> str:
    """The link of the bottleneck, by the name that the file has: of a link of a row that of the row."""
    return scenario.core.network.bottleneck.key.removeprefix("links.")


def _path(scenario: Scenario, name: str) -> str:
    if name.partition(".")[0] in {"links", "flows", "measure", "duration"}:
        return name
    link = bottleneck_of(scenario)
    known = _looked_up(tomllib.loads(scenario.to_toml()), f"links.{link}.queue")
    aqm: dict[str, Any] = known if isinstance(known, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    law, dot, parameter = name.partition(".")
    if law not in aqm:
        raise SpaceError(
            f"the queue of {link} is {', '.join(aqm) or 'drop-tail'}, which has no {name!r}",
            f'choose the law first: --set "links.{link}.queue.{law}={{}}"'
            if dot
            else suggestion(law, list(aqm)),
        )
    if dot and parameter.split(".")[0] not in _parameters(law):
        raise SpaceError(f"{law} has no parameter {parameter!r}", suggestion(parameter, _parameters(law)))
    return f"links.{link}.queue.{name}"


def _parameters(law: str) -> list[str]:
    (known,) = [one for one in declared.disciplines() if one.name == law]
    return [parameter.name for parameter in known.parameters]


def _with_unit(scenario: Scenario, path: str, bounds: str) -> str:
    """`5..50`, with the unit of the default where it has one and none is written."""
    if re.search(r"[A-Za-zµμ%]", re.sub(r"(?<=\d)[eE](?=[+-]?\d)", "", bounds.removesuffix("log"))):
        return bounds
    value = _looked_up(tomllib.loads(scenario.to_toml()), path)
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or not match["unit"]:
        return bounds
    head, log = (bounds[: -len("log")].rstrip(), " log") if bounds.endswith("log") else (bounds, "")
    return f"{head} {match['unit']}{log}"
