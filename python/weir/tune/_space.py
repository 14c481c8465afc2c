"""Search space: parameters with their bounds, and settings of them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir._errors import WeirError
from weir.scenario import QUANTITY, Scenario, declared, suggestion, to_toml
from weir.sweep import Axis, AxisPart, Range, Scalar, check_distinct, in_unit, parsed_axis
from weir.tune._varied import varied

COARSE = 5
"""Levels of each parameter that are checked for a setting that can be run."""

LOGARITHMIC = 10.0
"""Ratio of the bounds from which equal steps are equal factors."""


class SpaceError(WeirError, ValueError):
    """Error about something that cannot be varied in this way."""


Setting = tuple[tuple[str, Scalar], ...]
"""Paths with their values: of parameters, of the conditions in which they must work, or of both."""

DesignPoint = NDArray[np.float64]
"""A setting as a point of the box of parameters, shape (dimensions,), each in [0, 1]."""


def placed(scenario: _core.Scenario, setting: Setting) -> _core.Scenario:
    """The scenario with these values. Raises ScenarioError."""
    return scenario.replace([(path, to_toml(value)) for path, value in setting])


def refusal(scenario: _core.Scenario, setting: Setting) -> _core.ScenarioError | None:
    """Error with which the scenario refuses these values; None if it takes them."""
    try:
        placed(scenario, setting)
    except _core.ScenarioError as error:
        return error
    return None


def check_runs(scenario: _core.Scenario, setting: Setting, option: str) -> None:
    """Raises the ScenarioError of values that came with this option, if the scenario refuses them."""
    error = refusal(scenario, setting)
    if error is not None:
        error.file = error.file.replace("--set ", f"{option} ", 1)
        raise error


@dataclass(frozen=True)
class Bounds:
    """Range of a parameter that was searched."""

    path: str
    low: Scalar
    high: Scalar
    log: bool
    """True if equal steps were equal factors."""

    def to_json(self) -> dict[str, Scalar]:
        """Returns plain values, as `weir tune --json` prints them."""
        return {
            "path": self.path,
            "from": self.low,
            "to": self.high,
            "scale": "log" if self.log else "linear",
        }


@dataclass(frozen=True)
class Space:
    """Box of parameters, each side from 0 to 1."""

    scenario: _core.Scenario
    axes: tuple[Axis, ...]

    @staticmethod
    def of(scenario: Scenario, texts: Sequence[str]) -> Space:
        """Reads parameters as a person writes them: `red.max_th=5..50`, or with the whole path. A
        parameter without a unit has that of its default. Checks both ends. Raises SpaceError, AxisError,
        ScenarioError."""
        if not texts:
            raise SpaceError("there is nothing to vary", _usual(scenario.network))
        example = "PARAMETER=LOW..HIGH", "red.max_th=5..50 packets"
        axes = [bounded(scenario.core, text, example, _path) for text in texts]
        check_distinct(axes)
        space = Space(scenario.core, tuple(axes))
        if not space.points(COARSE):
            check_runs(scenario.core, space.at(np.full(len(axes), 0.5)), "--vary")
            raise SpaceError("no setting within these bounds can be run", "widen them")
        return space

    @property
    def dimensions(self) -> int:
        return len(self.axes)

    @property
    def bounds(self) -> tuple[Bounds, ...]:
        """Bounds of each parameter."""
        return tuple(
            Bounds(axis.column, axis.at(0.0)[0], axis.at(1.0)[0], range_of(axis).log) for axis in self.axes
        )

    def at(self, point: DesignPoint) -> Setting:
        """The setting at a point.

        A range that begins at zero has no factors, and its small values matter as those of a logarithm do:
        the cube of the side makes a quarter of the way a 64th of the range.
        """
        shares = [
            float(u) ** 3 if _from_zero(axis) else float(u) for axis, u in zip(self.axes, point, strict=True)
        ]
        return tuple((axis.column, axis.at(share)[0]) for axis, share in zip(self.axes, shares, strict=True))

    @cached_property
    def left_out(self) -> tuple[str, ...]:
        """Reasons why the scenario refuses an end of a parameter: one sentence each."""
        found: list[str] = []
        for axis in self.axes:
            for value in (axis.at(0.0)[0], axis.at(1.0)[0]):
                error = refusal(self.scenario, ((axis.column, value),))
                if error is not None:
                    found.append(f"{axis.column} = {value} cannot be run and is left out: {error.message}")
        return tuple(found)

    @cached_property
    def defaults(self) -> DesignPoint | None:
        """Point of the scenario's own values; None if one of them is outside its bounds."""
        found: list[float] = []
        for axis in self.axes:
            bounds, number = range_of(axis), in_unit(self.scenario.value(axis.column), axis.unit)
            if number is None or not bounds.low <= number <= bounds.high:
                return None
            if bounds.log:
                found.append(math.log(number / bounds.low) / math.log(bounds.high / bounds.low))
            else:
                share = (number - bounds.low) / (bounds.high - bounds.low)
                found.append(share ** (1.0 / 3.0) if _from_zero(axis) else share)
        return np.array(found)

    def can_run(self, point: DesignPoint) -> bool:
        """Returns true if the scenario takes the setting at a point."""
        return refusal(self.scenario, self.at(point)) is None

    def points(self, levels: int) -> list[DesignPoint]:
        """Every combination of so many levels that can be run, each setting once."""
        ticks = np.linspace(0.0, 1.0, levels)
        found = {self.at(point): point for point in map(np.array, product(ticks, repeat=self.dimensions))}
        return [point for point in found.values() if self.can_run(point)]


def range_of(axis: Axis) -> Range:
    """Range of an axis that `bounded` has read."""
    assert axis.range is not None
    return axis.range


def _usual(network: _core.Network) -> str:
    """Suggestion for the command line when no parameter is named."""
    port = network.port(network.bottleneck.name)
    queue = port.queue
    ranges = " ".join(f'--vary "{text}"' for text in varied(queue, (), port))
    return (
        f"for example {ranges}" if ranges else f"the queue is {queue}: tune others, --disciplines codel,pie"
    )


def bounded(
    scenario: _core.Scenario,
    text: str,
    example: tuple[str, str],
    path_of: Callable[[_core.Scenario, str], str],
) -> Axis:
    """Reads `NAME=LOW..HIGH` as an axis, by factors if the ends are far apart. Bounds without a unit have
    that of the scenario's value. Raises SpaceError, AxisError."""
    name, equals, bounds = text.partition("=")
    if not equals or ".." not in bounds:
        raise SpaceError(f'"{text}" is not {example[0]}', f'write for example "{example[1]}"')
    path = path_of(scenario, name.strip())
    axis = parsed_axis(f"{path}={_with_unit(scenario, path, bounds.strip())}")
    found = axis.range
    if found is None:
        raise SpaceError("levels are for weir sweep; tuning needs bounds", "write LOW..HIGH", path)
    # A probability from 0.01 to 0.5 has as much to say below 0.1 as above.
    wide = found.low > 0.0 and found.high / found.low >= LOGARITHMIC
    return Axis((AxisPart(path, replace(found, log=found.log or wide)),))


def _from_zero(axis: Axis) -> bool:
    bounds = range_of(axis)
    return bounds.low == 0.0 and not bounds.whole


def _path(scenario: _core.Scenario, name: str) -> str:
    discipline, dot, parameter = name.partition(".")
    if discipline in {"links", "flows", "measure", "duration"}:
        return name
    bottleneck = scenario.network.bottleneck
    queue = scenario.network.port(bottleneck.name).queue
    path = f"{bottleneck.key}.queue"
    if discipline != queue:
        ours = _core.name_of_others("queue", discipline)
        raise SpaceError(
            f"the queue of {bottleneck.key.removeprefix('links.')} is {queue}, which has no {name!r}",
            ours
            if ours is not None
            else f'choose the discipline first: --set "{path}.{discipline}={{}}"'
            if dot
            else suggestion(discipline, [queue]),
        )
    known = [one.name for found in declared.disciplines() if found.name == queue for one in found.parameters]
    # A class in Python has parameters of its own.
    if dot and queue != "python" and parameter.split(".")[0] not in known:
        raise SpaceError(f"{queue} has no parameter {parameter!r}", suggestion(parameter, known))
    return f"{path}.{name}"


def _with_unit(scenario: _core.Scenario, path: str, bounds: str) -> str:
    """Bounds such as `5..50`, with the unit of the default if none is written and the default has one."""
    if re.search(r"[A-Za-zµμ%]", re.sub(r"(?<=\d)[eE](?=[+-]?\d)", "", bounds.removesuffix("log"))):
        return bounds
    value = scenario.value(path)
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or not match["unit"]:
        return bounds
    head, log = (bounds[: -len("log")].rstrip(), " log") if bounds.endswith("log") else (bounds, "")
    return f"{head} {match['unit']}{log}"
