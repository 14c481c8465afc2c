"""What the core declares of disciplines, congestion controls and loss recoveries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from weir import _core


@dataclass(frozen=True)
class Parameter:
    """A parameter, from the schema of scenario files."""

    name: str
    default: str | None
    """As a scenario file writes it; None if the value is computed or absent."""
    computed: str
    """What applies where there is no default, in words."""
    source: str
    """Where the default comes from; may be empty."""
    summary: str
    choices: dict[str, str]
    """The texts it accepts, each with its meaning; empty for numbers and quantities."""

    @property
    def shown(self) -> str:
        """The default and its source, for people."""
        value = self.default or self.computed or "not set"
        return f"{value} ({self.source})" if self.source else value


@dataclass(frozen=True)
class Declared:
    """One choice of a scenario file: an AQM, a scheduler, a congestion control, a loss recovery."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]


def disciplines() -> list[Declared]:
    """All AQMs and schedulers."""
    names = _core.disciplines()
    return [one for one in _declared("QueueConfig") if one.name in names]


def congestion_controls() -> list[Declared]:
    """All congestion controls."""
    return _declared("CongestionConfig")


def recoveries() -> list[Declared]:
    """All loss recoveries."""
    return _declared("RecoveryConfig")


def endpoints(name: str) -> dict[str, Declared]:
    """The parts of a TCP of this name, by key in a scenario file: `tcp.congestion`, `tcp.recovery`."""
    wanted = name.lower().replace("_", "-")
    kinds = {"tcp.congestion": congestion_controls(), "tcp.recovery": recoveries()}
    return {key: one for key, declared in kinds.items() for one in declared if one.name == wanted}


def _declared(choice: str) -> list[Declared]:
    definitions: dict[str, Any] = json.loads(_core.schema())["$defs"]
    found: list[Declared] = []
    for kind in definitions[choice]["oneOf"]:
        ((name, body),) = kind["properties"].items()
        definition = _referred(definitions, body)
        source = definition.get("x-default-source", "")
        properties: dict[str, Any] = definition.get("properties", {})
        parameters = [_parameter(definitions, key, schema, source) for key, schema in properties.items()]
        found.append(Declared(name, _text(kind), tuple(parameters)))
    return found


def _parameter(
    definitions: Mapping[str, Any], name: str, schema: Mapping[str, Any], source: str
) -> Parameter:
    default = schema.get("default")
    return Parameter(
        name,
        _default(default),
        schema.get("x-default", "its own defaults" if isinstance(default, dict) else ""),
        schema.get("x-default-source", "" if "x-default" in schema else source),
        _text(schema),
        _choices(definitions, schema),
    )


def _default(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict):
        names = list(cast("dict[str, object]", value))
        return names[0] if len(names) == 1 else None
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value)


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
