"""What there is to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weir import _core
from weir.measures import MEASURES
from weir.scenario import Scenario, bundled


def _laws() -> list[dict[str, Any]]:
    return [dict(law) for law in _core.laws()]


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
    "laws": _laws,
    "scenarios": _scenarios,
    "measures": _measures,
}
"""Kind to a function that lists it: dictionaries with at least name and summary."""
