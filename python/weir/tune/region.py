"""Conditions that a setting has to work in: a region of rates, loads and round trips, and a map of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

from weir import _core
from weir.scenario.scenario import Scenario
from weir.sweep.axes import Axis, Part, check_distinct, parse
from weir.sweep.values import Range, Value, written
from weir.tune.answer import Confirmed, Outcome, State
from weir.tune.lab import Lab
from weir.tune.space import Setting, SpaceError, bottleneck_of, placed
from weir.tune.targets import Target

SEARCHED = {1: 3, 2: 3, 3: 2}
"""Levels of each condition in the search; of three conditions the middle besides."""

MAPPED = {1: 7, 2: 5, 3: 3}
"""Levels of each condition in the map, within the region; one more beyond each end."""

REPLICATIONS = 7
"""Of each cell of the map."""

ONCE = 0.05
"""Doubt of a cell's interval: it is looked at once, and for itself."""


@dataclass(frozen=True)
class Region:
    """What the setting is to be good for."""

    axes: tuple[Axis, ...]

    @staticmethod
    def of(scenario: Scenario, texts: Sequence[str]) -> Region:
        """As a person writes it: `rate=5..50 Mbit/s`, `flows=1..100`, `rtt=10..200 ms`, or with a path.
        All corners are checked. Raises SpaceError, AxisError, ScenarioError."""
        if len(texts) > max(SEARCHED):
            raise SpaceError(
                f"{len(texts)} conditions; there may be three", "leave the least important one out"
            )
        axes = [_axis(scenario, text) for text in texts]
        check_distinct(axes)
        region = Region(tuple(axes))
        for condition in region.conditions():
            try:
                placed(scenario.core, condition)
            except _core.ScenarioError as error:
                # Nobody has typed --set.
                error.file = error.file.replace("--set ", "--over ", 1)
                raise
        return region

    def conditions(self) -> list[Setting]:
        """Corners, middles of edges and the centre; of three conditions corners and centre."""
        count = SEARCHED[len(self.axes)]
        found = [self._at(shares) for shares in product(_shares(count), repeat=len(self.axes))]
        if len(self.axes) == max(SEARCHED):
            found.append(self._at([0.5] * len(self.axes)))
        return list(dict.fromkeys(found))

    def cells(self) -> list[tuple[Setting, bool]]:
        """Conditions of the map, with whether they are inside the region."""
        count = MAPPED[len(self.axes)]
        levels = [_mapped(axis, count) for axis in self.axes]
        return [
            (tuple(setting for setting, _ in places), all(inside for _, inside in places))
            for places in product(*levels)
        ]

    def _at(self, shares: Sequence[float]) -> Setting:
        return tuple(_level(axis, share) for axis, share in zip(self.axes, shares, strict=True))


@dataclass(frozen=True)
class MapCell:
    """A setting in a condition."""

    condition: Setting
    inside: bool
    """Of the region."""
    outcomes: tuple[Outcome, ...]

    @property
    def state(self) -> State:
        return Confirmed(None, {}, self.outcomes).state

    @property
    def worst(self) -> Outcome:
        """The target that is missed by most, or met by least."""
        return max(self.outcomes, key=lambda outcome: outcome.shortfall)

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "condition": dict(self.condition),
            "inside": self.inside,
            "state": self.state,
            "worst": self.worst.to_json(),
        }


def map_of(region: Region, setting: Setting, targets: Sequence[Target], lab: Lab) -> tuple[MapCell, ...]:
    """The setting over the region and a step beyond, on fresh seeds."""
    cells = [one for one in region.cells() if _can_run(lab, setting + one[0])]
    lab.run([setting + condition for condition, _ in cells], REPLICATIONS, fresh=1)
    return tuple(
        MapCell(
            condition,
            inside,
            tuple(
                # Looked at once: its interval is the usual one.
                Outcome(
                    t,
                    lab.values(setting + condition, t.measure, fresh=1)[:REPLICATIONS],
                    REPLICATIONS,
                    condition,
                )
                for t in targets
            ),
        )
        for condition, inside in cells
    )


def _can_run(lab: Lab, setting: Setting) -> bool:
    """A step beyond the region may be one that no scenario takes, such as a round trip below the links'."""
    try:
        placed(lab.scenario, setting)
    except _core.ScenarioError:
        return False
    return True


def _level(axis: Axis, share: float) -> tuple[str, Value]:
    """The value at a share of the range: of three digits between the ends, which are as they were written."""
    values = axis.parts[0].values
    assert isinstance(values, Range)
    number = values.low * (values.high / values.low) ** share
    if 0.0 < share < 1.0:
        number = float(f"{number:.3g}")
    whole = round(number) if values.whole else number
    return axis.column, written(Decimal(repr(whole)), values.unit, whole=values.whole)


def _shares(count: int) -> list[float]:
    return [index / (count - 1) for index in range(count)]


def _mapped(axis: Axis, count: int) -> list[tuple[tuple[str, Value], bool]]:
    """Levels of one condition with one beyond each end, by the same factor."""
    part = axis.parts[0]
    values = part.values
    assert isinstance(values, Range)
    step = (values.high / values.low) ** (1.0 / (count - 1))
    low, high = (float(f"{end:.3g}") for end in (values.low / step, values.high * step))
    if values.whole:
        low, high = float(max(1, round(low))), max(float(round(high)), values.high + 1.0)
    wide = Axis((Part(part.path, Range(low, high, values.unit, values.whole, log=True)),))
    inner = [(_level(axis, share), True) for share in _shares(count)]
    before, after = (_level(wide, share) for share in (0.0, 1.0))
    return [
        *([(before, False)] if low < values.low else []),
        *dict.fromkeys(inner),
        (after, False),
    ]


def _axis(scenario: Scenario, text: str) -> Axis:
    name, equals, bounds = text.partition("=")
    if not equals or ".." not in bounds:
        raise SpaceError(f'"{text}" is not CONDITION=LOW..HIGH', 'write for example "flows=1..100"')
    path = _path(scenario, name.strip())
    axis = parse(f"{path}={bounds.strip()}")
    found = axis.range
    if found is None:
        raise SpaceError("a region needs bounds", "write LOW..HIGH", path)
    if found.low <= 0.0:
        raise SpaceError("the lower bound is not above zero", "conditions are compared by factors", path)
    return Axis((Part(path, Range(found.low, found.high, found.unit, found.whole, log=True)),))


def _path(scenario: Scenario, name: str) -> str:
    match name:
        case "rate" | "buffer":
            return f"links.{bottleneck_of(scenario)}.{name}"
        case "flows" | "rtt":
            quantity = "count" if name == "flows" else "rtt"
            if len(scenario.groups) != 1:
                groups = ", ".join(scenario.groups)
                raise SpaceError(
                    f"there are several groups of flows: {groups}",
                    f"say which: flows.{scenario.groups[0]}.{quantity}=LOW..HIGH",
                )
            return f"flows.{scenario.groups[0]}.{quantity}"
        case _ if "." in name:
            return name
        case _:
            raise SpaceError(
                f'there is no condition "{name}"', "there are rate, flows, rtt, buffer, and any path"
            )
