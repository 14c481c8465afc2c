"""From what a person asks for, in options, in Python or in a scenario file, to a plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from weir.errors import WeirError
from weir.sweeps.axes import Axis, axis_of, check_distinct, parse
from weir.sweeps.design import Design, grid, lhs, morris, saltelli, sobol
from weir.sweeps.plan import Plan, plan
from weir.sweeps.until import Rule, looks

if TYPE_CHECKING:
    from weir.scenario import Scenario
    from weir.toml import Value

Method = Literal["lhs", "sobol", "morris", "saltelli"]

METHODS: dict[str, str] = {
    "lhs": "Latin hypercube of N points",
    "sobol": "N points of a scrambled Sobol sequence",
    "morris": "elementary effects along N trajectories",
    "saltelli": "Sobol indices from N base points, a power of two",
}
"""Ways to sample, with what N is."""

UNTIL_AT_MOST = 100
"""Replications of a cell whose rule is never met, where nothing else is said."""

Axes = Mapping[str, "Value"] | Sequence[str | Axis]


@dataclass(frozen=True)
class Wishes:
    """What was asked for; None leaves it to the scenario file and then to the default."""

    axes: Axes | None = None
    samples: int | None = None
    method: str | None = None
    variants: Sequence[str] | None = None
    disciplines: Sequence[str] | None = None
    replications: int | None = None
    until: Sequence[str] | None = None
    seed: int | None = None
    name: str | None = None


def define(scenario: Scenario, wishes: Wishes) -> Plan:
    """The plan. Raises ScenarioError or WeirError for whatever cannot be done, before any run."""
    written: dict[str, Any] = json.loads(scenario.sweep_table or "{}")
    asked: Axes | None = wishes.axes
    axes = _axes(written.get("axes", {}) if asked is None else asked)
    check_distinct(axes)
    until = written.get("until", ()) if wishes.until is None else wishes.until
    rules = tuple(Rule.parse(text) for text in until)
    replications = wishes.replications or written.get("replications") or (UNTIL_AT_MOST if rules else 1)
    if rules:
        looks(replications)
    method = wishes.method or (written.get("method") if asked is None else None)
    samples = wishes.samples or (written.get("samples") if asked is None else None)
    seeded = scenario if wishes.seed is None else scenario.with_seed(wishes.seed)
    return plan(
        seeded.core,
        seeded.arms(wishes.variants, wishes.disciplines),
        _design(axes, samples, method, seeded.seed),
        replications,
        rules,
        wishes.name,
    )


def _axes(asked: Axes) -> list[Axis]:
    if isinstance(asked, Mapping):
        return [axis_of(key, value) for key, value in asked.items()]
    return [axis if isinstance(axis, Axis) else parse(axis) for axis in asked]


def _design(axes: Sequence[Axis], samples: int | None, method: str | None, seed: int) -> Design:
    if samples is None:
        if method is not None:
            raise WeirError(
                f"the method {method} needs a number of samples", f"add --samples N: {METHODS.get(method)}"
            )
        return grid(axes)
    if not axes:
        raise WeirError(
            "there is nothing to sample", 'add an axis: --axis "links.bottleneck.rate=5..50 Mbit/s"'
        )
    match method or "lhs":
        case "lhs":
            return lhs(axes, samples, seed)
        case "sobol":
            return sobol(axes, samples, seed)
        case "morris":
            return morris(axes, samples, seed)
        case "saltelli":
            return saltelli(axes, samples, seed)
        case other:
            raise WeirError(f"there is no method {other!r}", f"there are: {', '.join(METHODS)}")
