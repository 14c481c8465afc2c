"""What there is to choose from."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from weir import _core
from weir.measures import MEASURES
from weir.scenario import Scenario, bundled


def laws() -> list[dict[str, Any]]:
    """What every law of the core declares.

    Name, summary, `about` (its parameters as a whole), and parameters: name, default, summary and
    `choices`, the words it may be, each with its meaning.
    """
    definitions: dict[str, Any] = json.loads(_core.schema())["$defs"]
    found: list[dict[str, Any]] = []
    for law in _core.laws():
        declared = _parameters(definitions, str(law["name"]))
        parameters: Any = law["parameters"]
        found.append(
            {
                **law,
                "about": _text(declared),
                "parameters": [
                    {**parameter, "choices": _choices(definitions, declared["properties"][parameter["name"]])}
                    for parameter in parameters
                ],
            }
        )
    return found


def congestion_controls() -> list[dict[str, Any]]:
    """What every congestion control declares; entries as those of `laws`, without `about`."""
    return _declared("CongestionConfig")


def recoveries() -> list[dict[str, Any]]:
    """The same of every loss recovery."""
    return _declared("RecoveryConfig")


def _declared(choice: str) -> list[dict[str, Any]]:
    """What the kinds of a choice declare: name, summary, parameters."""
    definitions: dict[str, Any] = json.loads(_core.schema())["$defs"]
    found: list[dict[str, Any]] = []
    for kind in definitions[choice]["oneOf"]:
        ((name, body),) = kind["properties"].items()
        declared: dict[str, Any] = definitions[_name(body["$ref"])].get("properties", {})
        parameters = [
            {
                "name": parameter,
                "default": _default(schema.get("default")),
                "summary": _text(schema),
                "choices": _choices(definitions, schema),
            }
            for parameter, schema in declared.items()
        ]
        found.append({"name": name, "summary": _text(kind), "parameters": parameters})
    return found


def _default(value: object) -> str:
    """As a person reads it: a choice by its name."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        names = [str(name) for name in cast("dict[str, object]", value)]
        return names[0] if len(names) == 1 else "all as listed there"
    return json.dumps(value)


def _parameters(definitions: Mapping[str, Any], law: str) -> dict[str, Any]:
    """The schema of a law's parameters."""
    for definition in definitions.values():
        for choice in definition.get("oneOf", ()):
            reference = choice.get("properties", {}).get(law, {}).get("$ref")
            if reference is not None:
                return definitions[_name(reference)]
    raise KeyError(law)


def _choices(definitions: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, str]:
    """The words that a parameter may be; none if it is a number or a quantity."""
    found: dict[str, str] = {}
    for one in (schema, *schema.get("anyOf", ())):
        if "$ref" in one:
            words = definitions[_name(one["$ref"])].get("oneOf", ())
            found.update({word["const"]: _text(word) for word in words if "const" in word})
    return found


def _name(reference: str) -> str:
    return reference.removeprefix("#/$defs/")


def _text(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description", "")).split())


def _scenarios() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for name, path in bundled().items():
        scenario = Scenario.load(path)
        entries.append({"name": name, "summary": scenario.title, "variants": scenario.variants})
    return entries


def _measures() -> list[dict[str, Any]]:
    return [
        {"name": measure.name, "summary": measure.definition, "unit": measure.unit}
        for measure in MEASURES.values()
    ]


CATALOGUE: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "laws": laws,
    "congestion": congestion_controls,
    "recovery": recoveries,
    "scenarios": _scenarios,
    "measures": _measures,
}
"""Kind to a function that lists it: dictionaries with at least name and summary."""
