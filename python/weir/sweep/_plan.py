"""Plans: the configurations of a result and the runs of each, from its specification."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir._errors import WeirError
from weir.aqm import sources, unstored
from weir.check import Cost, Repeated, cost, notes, notes_together
from weir.scenario import Scenario, Value, Variant, rename
from weir.stats import MEASURES, MeasureError, check_measure
from weir.sweep import _design as designs
from weir.sweep._axes import Axis, axis_of, check_distinct, parsed_axis
from weir.sweep._bottleneck import check_one_bottleneck
from weir.sweep._design import Assignment, Design, settings
from weir.sweep._settable import check_fixed, settable_paths
from weir.sweep._until import Rule, RuleError, planned_looks

FORMAT = 2
"""Version of the definition that a store keeps. It grows when a reader of the old one would misread the
new."""

ResultKind = Literal["run", "live", "compare", "sweep"]
"""Kind of a result. `run`: one scenario, simulated. `live`: one scenario with real packets. `compare`:
variants at one point. `sweep`: a scenario or variants at the points of some axes."""

TUNING = "tune"
"""Kind of a result of `weir tune`. Its definition has `runs`, their keys, and `results_version`."""


EVALUATION = "evaluate"
"""Kind of a result of `weir evaluate`. Its definition has `runs`, their keys, and `results_version`."""

OF_RUNS = frozenset({TUNING, EVALUATION})
"""Kinds of results that name their runs: they are no sweeps, and have no tables."""

METHODS: dict[str, str] = {
    "lhs": "Latin hypercube of N points",
    "sobol": "N points of a scrambled Sobol sequence",
    "morris": "elementary effects along N trajectories",
    "saltelli": "Sobol indices from N base points, a power of two",
}
"""Sampling methods, each with the meaning of its N."""

_SAMPLERS = {one.__name__: one for one in (designs.lhs, designs.sobol, designs.morris, designs.saltelli)}

UNTIL_AT_MOST = 100
"""Default maximum number of replications of a configuration whose rule is not met."""

_ESTIMATED = 100
"""Maximum number of configurations whose cost is estimated."""

Axes = Mapping[str, Value] | Sequence[str | Axis] | str


@dataclass(frozen=True)
class Configuration:
    """Configuration of a sweep: one variant at one point. Replications repeat it."""

    point: int
    variant: int
    scenario: _core.Scenario


@dataclass(frozen=True)
class Plan:
    """Result before its first run. Every point has been checked."""

    name: str
    scenario: _core.Scenario
    """Scenario without axes and variants."""
    variants: tuple[Variant, ...]
    """Variants; the first is the baseline of the differences."""
    design: Design
    configurations: tuple[Configuration, ...]
    replications: int
    """Number of replications of every configuration; with `until`, the maximum."""
    until: tuple[Rule, ...] = ()
    kind: ResultKind = "sweep"
    margins: Mapping[str, float] = field(default_factory=dict[str, float])
    """Largest difference that is called equal, by measure, in its unit."""
    unaffected: tuple[str, ...] = ()
    """Labels of the variants that do not have the AQM to which an axis belongs."""

    @property
    def title(self) -> str:
        """Title for people, in one line."""
        return self.scenario.title or self.scenario.name

    @cached_property
    def groups(self) -> list[str]:
        """Names of the groups of flows."""
        return [path.group for path in self.scenario.network.paths]

    @property
    def has_python_aqms(self) -> bool:
        """True if any variant has an AQM in Python."""
        return any(variant.scenario.has_python_aqms for variant in self.variants)

    @property
    def seeds(self) -> range:
        """Seeds of the replications. All configurations share them, so that differences are paired."""
        return range(self.scenario.seed, self.scenario.seed + self.replications)

    @cached_property
    def notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead in the configurations."""
        labelled = ((self.variants[one.variant].label, one.scenario) for one in self.configurations)
        variants = ((variant.label, variant.scenario) for variant in self.variants)
        return notes_together(((label, notes(scenario)) for label, scenario in labelled), variants)

    @cached_property
    def cost(self) -> Cost:
        """Estimated cost of the run that takes most memory. Of many configurations, a sample is estimated."""
        step = -(-len(self.configurations) // _ESTIMATED)
        chosen = dict.fromkeys(
            one.scenario for one in (*self.configurations[::step], self.configurations[-1])
        )
        return max(map(cost, chosen), key=lambda one: one.memory_bytes)

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Keys of all runs, shape (configurations, replications)."""
        keys = _core.run_keys(self.hashes, self.scenario.seed, self.replications, _core.results_version)
        return np.frombuffer(keys, np.int64).reshape(len(self.configurations), self.replications)

    @cached_property
    def hashes(self) -> list[str]:
        """Hashes of the configurations' scenarios."""
        return [one.scenario.hash for one in self.configurations]

    @cached_property
    def id(self) -> str:
        """Identifier of the result. Two results have equal identifiers if all that they show is equal."""
        # How defaults are written out may change, and what is simulated stays the same.
        parts = {name: part for name, part in self.definition().items() if name not in {"resolved", "python"}}
        return hashlib.sha256(json.dumps([self.name, parts]).encode()).hexdigest()[:10]

    def configuration_label(self, index: int) -> str:
        """Label of a configuration: `5 Mbit/s, RED`."""
        chosen = self.configurations[index]
        values = [str(value) for _, value in self.design.rows[chosen.point]]
        label = [self.variants[chosen.variant].label] if len(self.variants) > 1 else []
        return ", ".join([*values, *label])

    @cached_property
    def _choices(self) -> dict[str, dict[str, Any]]:
        """Parameters of each choice, by path and name. A preset may give them."""
        chosen: dict[str, dict[str, Any]] = {}
        paths = set(filter(designs.is_choice, self.design.paths))
        for one in self.configurations if paths else ():
            for path, value in self.design.rows[one.point]:
                if path in paths and designs.names_choice(value):
                    chosen.setdefault(path, {}).setdefault(str(value), one.scenario.value(path)[value])
        return chosen

    @property
    def unstored(self) -> list[str]:
        """Import paths of the Python classes that keep their runs out of the store: then nothing of the plan
        may go there."""
        return unstored(self._classes)

    @cached_property
    def _classes(self) -> list[sources.Named]:
        """Python classes that variants or values of axes name."""
        scenarios = [one.scenario for one in self.variants]
        if any(path.endswith(".class") for axis in self.design.axes for path in axis.paths):
            scenarios += [one.scenario for one in self.configurations]
        named = [one for one in scenarios if one.has_python_aqms]
        return list(
            dict.fromkeys(cls for one in named for cls in sources.named_in(json.loads(one.to_json())))
        )

    @cached_property
    def _python(self) -> dict[str, str]:
        """Text of the file of each class, by its import path: the file may change later."""
        return sources.texts_of(self._classes)

    def definition(self) -> dict[str, Any]:
        """Definition of the result, as plain values: all that is needed to find the runs again and to draw
        them."""
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
            **({"choices": self._choices} if self._choices else {}),
            **({"python": self._python} if self.has_python_aqms else {}),
        }


@dataclass(frozen=True)
class SweepSpec:
    """Specification of a sweep. None leaves a value to the scenario file and then to the default."""

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
    """Makes the plan of a sweep, checked before any run. Raises ScenarioError for a point that cannot be run,
    WeirError."""
    written: dict[str, Any] = json.loads(scenario.sweep_table or "{}")
    asked: Axes = written.get("axes", {}) if spec.axes is None else spec.axes
    if isinstance(asked, str):
        asked = [asked]
    if isinstance(asked, Mapping):
        axes = [axis_of(key, value) for key, value in asked.items()]
    else:
        axes = [axis if isinstance(axis, Axis) else parsed_axis(axis) for axis in asked]
    check_distinct(axes)
    check_fixed(axes, spec.fixed)
    until = _listed(spec.until)
    rules = tuple(Rule.parse(text) for text in (written.get("until", ()) if until is None else until))
    replications = _counted("replications", spec.replications, written.get("replications"))
    if replications is None:
        replications = UNTIL_AT_MOST if rules else 1
    if rules:
        planned_looks(replications)
    of_file = written if spec.axes is None else {}
    method = spec.method or of_file.get("method")
    samples = _counted("samples", spec.samples, of_file.get("samples"))
    seeded = scenario if spec.seed is None else scenario.with_seed(spec.seed)
    design = _design(axes, samples, method, seeded.seed)
    if spec.name is not None and not re.fullmatch(r"\w[\w .+-]*", spec.name):
        raise WeirError(
            f"{spec.name!r} is not a valid name", "use letters, digits, spaces, '.', '+', '-' and '_'"
        )
    variants, disciplines = _listed(spec.variants), _listed(spec.disciplines)
    chosen = seeded.chosen(variants, disciplines)
    # A scenario without variants or disciplines takes the AQM to which an axis belongs, as with `--set`.
    bare = disciplines is None and not (seeded.variants if variants is None else variants)
    settable = settable_paths(seeded.core, chosen, design, bare=bare)
    check_measures((rule.measure for rule in rules), [one.scenario for one in chosen], RuleError)
    configurations = tuple(
        Configuration(point, index, _replaced(variant, [pair for pair in values if pair[0] in paths]))
        for point, values in enumerate(design.rows)
        for index, (variant, paths) in enumerate(zip(chosen, settable, strict=True))
    )
    plan = Plan(
        spec.name or scenario.name,
        seeded.core,
        tuple(chosen),
        design,
        configurations,
        replications,
        rules,
        unaffected=tuple(
            variant.label
            for variant, paths in zip(chosen, settable, strict=True)
            if any(paths.isdisjoint(axis.paths) for axis in axes)
        ),
    )
    check_one_bottleneck((plan.configuration_label(n), one.scenario) for n, one in enumerate(configurations))
    return plan


def plan_at_one_point(
    kind: ResultKind,
    scenario: _core.Scenario,
    variants: Sequence[Variant],
    replications: int,
    margins: Mapping[str, float] | None = None,
) -> Plan:
    """Makes the plan of a run or a comparison, without axes. Raises WeirError without a replication."""
    _counted("replications", replications, None)
    check_one_bottleneck((one.label, one.scenario) for one in variants)
    configurations = [Configuration(0, i, one.scenario) for i, one in enumerate(variants)]
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


def check_measures(
    names: Iterable[str], scenarios: Iterable[_core.Scenario], error: type[WeirError] = MeasureError
) -> None:
    """Raises `error` for a measure of a flow group, class or port that none of the scenarios has."""
    of_parts = [MEASURES[name] for name in names if MEASURES[name].part or MEASURES[name].at]
    if not of_parts:
        return
    networks = [scenario.network for scenario in scenarios]
    groups = dict.fromkeys(path.group for one in networks for path in one.paths)
    classes = dict.fromkeys(name for one in networks for name in one.port(one.bottleneck.name).classes)
    ports = dict.fromkeys(port.name for one in networks for port in one.ports)
    for measure in of_parts:
        check_measure(measure, list(groups), list(classes), list(ports), error)


def _replaced(variant: Variant, values: Sequence[Assignment]) -> _core.Scenario:
    try:
        return variant.scenario.replace(settings(values))
    except _core.ScenarioError as error:
        # The user did not pass --set: name the option they used.
        rename(error, "--axis ")
        raise


def _listed(asked: str | Sequence[str] | None) -> list[str] | None:
    """List of texts; a single text becomes a list of one."""
    return None if asked is None else [asked] if isinstance(asked, str) else list(asked)


def _counted(what: str, asked: int | None, written: int | None) -> int | None:
    number = written if asked is None else asked
    if number is not None and number < 1:
        raise WeirError(f"{number} {what}; there must be at least one")
    return number


def _design(axes: Sequence[Axis], samples: int | None, method: str | None, seed: int) -> Design:
    if method is not None and method not in METHODS:
        raise WeirError(f"there is no method {method!r}", f"there are: {', '.join(METHODS)}")
    if samples is None:
        if method is not None:
            raise WeirError(
                f"the method {method} needs a number of samples", f"add --samples N: {METHODS[method]}"
            )
        return designs.grid(axes)
    if not axes:
        raise WeirError(
            "there is nothing to sample", 'add an axis: --axis "links.bottleneck.rate=5..50 Mbit/s"'
        )
    return _SAMPLERS[method or "lhs"](axes, samples, seed)
