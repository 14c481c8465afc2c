"""Conditions that a setting has to work in: a region of rates, loads and round trips, and a map of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np

from weir import _core
from weir.scenario import Scenario, written
from weir.sweep import Axis, AxisPart, Range, Scalar, check_distinct
from weir.tune._answer import Confirmed
from weir.tune._evaluator import Evaluator
from weir.tune._space import Setting, SpaceError, bounded, check_runs, range_of, refusal

SEARCHED = {1: 3, 2: 3, 3: 2}
"""Levels of each condition in the search. With three conditions the middle is added."""

MAPPED = {1: 7, 2: 5, 3: 3}
"""Levels of each condition in the map, within the region. One more lies beyond each end."""

REPLICATIONS = 7
"""Replications of each cell of the map."""


@dataclass(frozen=True)
class Region:
    """Region of conditions in which the setting must meet the targets."""

    axes: tuple[Axis, ...]

    @staticmethod
    def of(scenario: Scenario, texts: Sequence[str]) -> Region:
        """Reads conditions as a person writes them: `rate=5..50 Mbit/s`, `flows=1..100`, `rtt=10..200 ms`, or
        with a path. Checks all corners. Raises SpaceError, AxisError, ScenarioError."""
        if len(texts) > max(SEARCHED):
            raise SpaceError(
                f"{len(texts)} conditions; there may be three", "leave the least important one out"
            )
        region = Region(tuple(_axis(scenario.core, text) for text in texts))
        check_distinct(region.axes)
        for condition in region.conditions():
            check_runs(scenario.core, condition, "--over")
        return region

    def conditions(self) -> list[Setting]:
        """Conditions of the search: corners, middles of edges and the centre; with three conditions, corners
        and centre."""
        count = len(self.axes)
        shares = [*product(np.linspace(0.0, 1.0, SEARCHED[count]), repeat=count), (0.5,) * count]
        found = [
            tuple(_level(axis, float(share)) for axis, share in zip(self.axes, one, strict=True))
            for one in shares
        ]
        return list(dict.fromkeys(found))

    def cells(self) -> list[tuple[Setting, bool]]:
        """Conditions of the map, each with true if it is inside the region."""
        levels = [_mapped(axis, MAPPED[len(self.axes)]) for axis in self.axes]
        return [
            (tuple(level for level, _ in places), all(inside for _, inside in places))
            for places in product(*levels)
        ]


@dataclass(frozen=True)
class MapCell(Confirmed):
    """Outcome of a setting in one condition of the map."""

    condition: Setting
    inside: bool
    """True if the cell is inside the region."""

    def to_json(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "condition": dict(self.condition),
            "inside": self.inside,
            "state": self.state,
            "worst": self.worst.to_json(),
        }


def map_of(region: Region, setting: Setting, evaluator: Evaluator) -> tuple[MapCell, ...]:
    """The setting over the region and a step beyond, on fresh seeds, each cell looked at once."""
    # A step beyond the region may be one that no scenario takes, such as a round trip below the links'.
    scenario = evaluator.scenario
    cells = [cell for cell in region.cells() if refusal(scenario, setting + cell[0]) is None]
    conditions = [condition for condition, _ in cells]
    outcomes = evaluator.outcomes(setting, conditions, REPLICATIONS, most=REPLICATIONS)
    return tuple(
        MapCell(dict(setting), outcomes[index :: len(cells)], condition, inside)
        for index, (condition, inside) in enumerate(cells)
    )


def _level(axis: Axis, share: float) -> tuple[str, Scalar]:
    """The value at a share of the range: of three digits between the ends, which are as they were written."""
    values = range_of(axis)
    number = values.low * (values.high / values.low) ** share
    if 0.0 < share < 1.0:
        number = float(f"{number:.3g}")
    whole = round(number) if values.whole else number
    return axis.column, written(Decimal(repr(whole)), values.unit, whole=values.whole)


def _mapped(axis: Axis, count: int) -> list[tuple[tuple[str, Scalar], bool]]:
    """Levels of one condition with one beyond each end, by the same factor."""
    values = range_of(axis)
    step = (values.high / values.low) ** (1.0 / (count - 1))
    low, high = (float(f"{end:.3g}") for end in (values.low / step, values.high * step))
    if values.whole:
        low, high = float(max(1, round(low))), max(float(round(high)), values.high + 1.0)
    wide = Axis((AxisPart(axis.column, replace(values, low=low, high=high)),))
    inner = dict.fromkeys(_level(axis, float(share)) for share in np.linspace(0.0, 1.0, count))
    before = [(_level(wide, 0.0), False)] if low < values.low else []
    return [*before, *((level, True) for level in inner), (_level(wide, 1.0), False)]


def _axis(scenario: _core.Scenario, text: str) -> Axis:
    axis = bounded(scenario, text, ("CONDITION=LOW..HIGH", "flows=1..100"), _path)
    found: Range = range_of(axis)
    if found.low <= 0.0:
        path = axis.column
        raise SpaceError("the lower bound is not above zero", "conditions are compared by factors", path)
    return Axis((AxisPart(axis.column, replace(found, log=True)),))


def _path(scenario: _core.Scenario, name: str) -> str:
    if name in {"rate", "buffer"}:
        return f"{scenario.network.bottleneck.key}.{name}"
    if name in {"flows", "rtt"}:
        quantity = "count" if name == "flows" else "rtt"
        if len(scenario.groups) != 1:
            raise SpaceError(
                f"there are several groups of flows: {', '.join(scenario.groups)}",
                f"say which: flows.{scenario.groups[0]}.{quantity}=LOW..HIGH",
            )
        return f"flows.{scenario.groups[0]}.{quantity}"
    if "." in name:
        return name
    raise SpaceError(f'there is no condition "{name}"', "there are rate, flows, rtt, buffer, and any path")
