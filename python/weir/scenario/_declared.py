"""Declarations of the core: disciplines, congestion controls and loss recoveries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal, cast

from weir import _core
from weir.scenario._toml import Value

Role = Literal["first", "last", "queue", "delay", "timer"]
"""Role of a parameter of an AQM. The level of the queue at which signals begin is first. From the last level
on they are strongest. The queue or the delay is to be held. The timer is the time between two updates."""


@dataclass(frozen=True)
class Tunable:
    """The bounds between which `weir tune --disciplines` looks for a value of a parameter."""

    low: str
    """The lower bound, as a scenario file writes it."""
    high: str
    """The upper bound, as a scenario file writes it, or `buffer`: as many packets as the buffer holds."""
    source: str
    """Source of the bounds."""

    @property
    def highest(self) -> str:
        """The upper bound, for people."""
        return "what the buffer holds" if self.high == BUFFER else self.high

    @property
    def shown(self) -> str:
        """`0.5 ms to 100 ms (RFC 8289)`, for people."""
        return f"{self.low} to {self.highest} ({self.source})"


BUFFER = "buffer"
"""Upper bound of a tunable level of a queue that may be as large as the buffer."""


@dataclass(frozen=True)
class Parameter:
    """A parameter, from the schema of scenario files."""

    name: str
    default: str | None
    """The default, as a scenario file writes it; None if the value is computed or absent."""
    computed: str
    """Rule in words by which the value is computed if there is no default."""
    source: str
    """Source of the default; may be empty."""
    summary: str
    choices: dict[str, str]
    """The texts it accepts, each with its meaning; empty for numbers and quantities."""
    takes: str
    """Kind of value: `a duration with its unit: s, ms`, `number`."""
    required: bool
    tunable: Tunable | None = None
    """Bounds between which its value is tuned; None for a parameter that is tuned only if it is named."""
    roles: list[Role] = field(default_factory=list["Role"])
    """Its roles in an AQM."""

    @property
    def shown(self) -> str:
        """The default and its source, for people."""
        value = self.default or self.computed or ("required" if self.required else "not set")
        return f"{value} ({self.source})" if self.source else value


@dataclass(frozen=True)
class Declared:
    """A choice of a scenario file: an AQM, a scheduler, a congestion control, a kind of traffic."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    example: Value
    """Example of a value; {} if its defaults are enough."""
    draws: bool = True
    """False for an AQM without chance."""

    @cached_property
    def roles(self) -> Mapping[Role, str]:
        """The parameter that has each role, by its name."""
        return {role: one.name for one in self.parameters for role in one.roles}


CHOICE_KINDS = {
    "congestion": ("flows.GROUP.tcp.congestion", "CongestionConfig"),
    "recovery": ("flows.GROUP.tcp.recovery", "RecoveryConfig"),
    "traffic": ("flows.GROUP.traffic", "Traffic"),
    "sizes": ("flows.GROUP.traffic.KIND.size", "SizeDistribution"),
    "losses": ("links.LINK.loss", "Loss"),
}
"""Choices of a scenario besides queue disciplines: kind to its key, and its definition in the schema."""


def disciplines() -> tuple[Declared, ...]:
    """All AQMs and schedulers."""
    names = _core.disciplines()
    return tuple(one for one in _declared("QueueConfig") if one.name in names)


@cache
def tunable(discipline: str) -> Mapping[str, Tunable]:
    """The tunable parameters of a discipline, in the order of declaration; empty for none of that name."""
    found = next((one for one in disciplines() if one.name == discipline), None)
    parameters = () if found is None else found.parameters
    return {one.name: one.tunable for one in parameters if one.tunable is not None}


@cache
def discipline(name: str) -> Declared | None:
    """The AQM or scheduler of this name; None for `python`, which only its class knows."""
    return next((one for one in disciplines() if one.name == name), None)


def choices_of(kind: str) -> tuple[Declared, ...]:
    """All choices of one of `CHOICE_KINDS`."""
    return _declared(CHOICE_KINDS[kind][1])


def chosen_as(name: str) -> dict[str, Declared]:
    """The choices of this name, by key in a scenario file: `flows.GROUP.tcp.congestion`."""
    wanted = name.lower().replace("_", "-")
    return {
        key: one for kind, (key, _) in CHOICE_KINDS.items() for one in choices_of(kind) if one.name == wanted
    }


@cache
def _definitions() -> dict[str, Any]:
    return json.loads(_core.schema())["$defs"]


@cache
def _declared(choice: str) -> tuple[Declared, ...]:
    definitions = _definitions()
    found: list[Declared] = []
    for kind in definitions[choice]["oneOf"]:
        ((name, body),) = kind["properties"].items()
        definition = _referred(definitions, body)
        source = definition.get("x-default-source", "")
        properties: dict[str, Any] = definition.get("properties", {})
        required = definition.get("required", ())
        parameters = [
            _parameter(definitions, key, schema, source, required=key in required)
            for key, schema in properties.items()
        ]
        written = (definition, *definition.get("anyOf", ()))
        examples = [example for one in written for example in one.get("examples", ())]
        example: Value = examples[0] if examples else {}
        draws = definition.get("x-draws", True)
        found.append(Declared(name, _text(kind), tuple(parameters), example, draws))
    return tuple(found)


def _parameter(
    definitions: Mapping[str, Any], name: str, schema: Mapping[str, Any], source: str, *, required: bool
) -> Parameter:
    default = schema.get("default")
    return Parameter(
        name,
        _default(default),
        schema.get("x-default", "its own defaults" if isinstance(default, dict) else ""),
        schema.get("x-default-source", "" if "x-default" in schema else source),
        _text(schema),
        _choices(definitions, schema),
        _takes(definitions, schema),
        required,
        None if (bounds := schema.get("x-tunable")) is None else _tunable(bounds),
        schema.get("x-role", "").split(),
    )


def _tunable(bounds: Mapping[str, Any]) -> Tunable:
    return Tunable(str(bounds["from"]), str(bounds["to"]), bounds["source"])


def _takes(definitions: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Kind of a value in words; empty for a choice."""
    if "$ref" in schema:
        definition = _referred(definitions, schema)
        meaning = _text(definition)
        return meaning if "unit" in meaning and "type" in definition else _takes(definitions, definition)
    if "anyOf" in schema:
        return " or ".join(filter(None, (_takes(definitions, one) for one in schema["anyOf"])))
    plain = {"boolean": "true or false", "string": "text", "object": "table", "array": "list", "null": ""}
    plain["integer"] = "whole number"
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    return " or ".join(filter(None, (plain.get(name, name) for name in names)))


def _default(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        names = list(cast("dict[str, object]", value))
        return names[0] if len(names) == 1 else None
    return _digits(value) if isinstance(value, float) else json.dumps(value)


def _digits(value: float) -> str:
    """The number as it is, if that takes ten digits at most, as 739/256 does; else to six digits."""
    exact = f"{value:.10g}"
    return exact if float(exact) == value else f"{value:.6g}"


def _choices(definitions: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in (schema, *schema.get("anyOf", ())):
        words = _referred(definitions, one).get("oneOf", ()) if "$ref" in one else ()
        found.update({word["const"]: _text(word) for word in words if "const" in word})
    return found


def _referred(definitions: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    return definitions[str(schema["$ref"]).removeprefix("#/$defs/")]


def _text(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description", "")).split())
