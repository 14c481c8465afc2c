"""From the specification of a sweep, in options, in Python or in a scenario file, to a plan."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from weir._errors import WeirError
from weir.sweep._axes import Axis, AxisError, axis_of, check_distinct, parse
from weir.sweep._design import Design, grid, lhs, morris, saltelli, sobol
from weir.sweep._plan import Plan, plan
from weir.sweep._until import Rule, looks

if TYPE_CHECKING:
    from weir.scenario._scenario import Scenario
    from weir.scenario._toml import Value

Method = Literal["lhs", "sobol", "morris", "saltelli"]

METHODS: dict[str, str] = {
    "lhs": "Latin hypercube of N points",
    "sobol": "N points of a scrambled Sobol sequence",
    "morris": "elementary effects along N trajectories",
    "saltelli": "Sobol indices from N base points, a power of two",
}
"""Ways to sample, with what N is."""

_SAMPLERS = {"lhs": lhs, "sobol": sobol, "morris": morris, "saltelli": saltelli}

UNTIL_AT_MOST = 100
"""Replications of a configuration whose rule is never met, by default."""

Axes = Mapping[str, "Value"] | Sequence[str | Axis]


@dataclass(frozen=True)
class SweepSpec:
    """A sweep as specified; None leaves a value to the scenario file and then to the default."""

    axes: Axes | None = None
    samples: int | None = None
    method: str | None = None
    variants: str | Sequence[str] | None = None
    disciplines: str | Sequence[str] | None = None
    replications: int | None = None
    until: str | Sequence[str] | None = None
    seed: int | None = None
    name: str | None = None
    fixed: Sequence[str] = ()
    """Paths that are set to a value, and so cannot vary."""


def define_sweep(scenario: Scenario, spec: SweepSpec) -> Plan:
    """The plan, checked before any run. Raises ScenarioError, WeirError."""
    written: dict[str, Any] = json.loads(scenario.sweep_table or "{}")
    asked: Axes | None = spec.axes
    axes = _axes(written.get("axes", {}) if asked is None else asked)
    check_distinct(axes)
    _check_fixed(axes, spec.fixed)
    until = _listed(spec.until)
    rules = tuple(Rule.parse(text) for text in (written.get("until", ()) if until is None else until))
    replications = _counted("replications", spec.replications, written.get("replications"))
    if replications is None:
        replications = UNTIL_AT_MOST if rules else 1
    if rules:
        looks(replications)
    of_file = written if asked is None else {}
    method = spec.method or of_file.get("method")
    samples = _counted("samples", spec.samples, of_file.get("samples"))
    seeded = scenario if spec.seed is None else scenario.with_seed(spec.seed)
    variants, disciplines = _listed(spec.variants), _listed(spec.disciplines)
    return plan(
        seeded.core,
        seeded.chosen(variants, disciplines),
        _design(axes, samples, method, seeded.seed),
        replications,
        rules,
        _named(spec.name),
        bare=disciplines is None and not (seeded.variants if variants is None else variants),
    )


def _listed(asked: str | Sequence[str] | None) -> list[str] | None:
    """One text stands for a list of one."""
    return None if asked is None else [asked] if isinstance(asked, str) else list(asked)


def _counted(what: str, asked: int | None, written: int | None) -> int | None:
    number = written if asked is None else asked
    if number is not None and number < 1:
        raise WeirError(f"{number} {what}; there must be at least one")
    return number


def _named(name: str | None) -> str | None:
    if name is not None and not re.fullmatch(r"\w[\w .+-]*", name):
        raise WeirError(f"{name!r} is not a valid name", "use letters, digits, spaces, '.', '+', '-' and '_'")
    return name


def _check_fixed(axes: Sequence[Axis], fixed: Sequence[str]) -> None:
    for path in (path for axis in axes for path in axis.paths):
        for other in fixed:
            if f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}."):
                raise AxisError(
                    f"{other} is set to a value, and an axis varies it",
                    "leave one of them out; --axis replaces the axes of the file",
                    path,
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
    sampler = _SAMPLERS.get(method or "lhs")
    if sampler is None:
        raise WeirError(f"there is no method {method!r}", f"there are: {', '.join(METHODS)}")
    return sampler(axes, samples, seed)
