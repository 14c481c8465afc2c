"""Catalogue of everything that `weir list` lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from weir.scenario import Scenario, bundled, declared
from weir.stats import MEASURES


def _scenarios() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for name, path in bundled().items():
        scenario = Scenario.load(path)
        entries.append({"name": name, "summary": scenario.title, "variants": scenario.variants})
    return entries


def _choices(kind: str) -> list[dict[str, Any]]:
    return [asdict(one) for one in declared.choices_of(kind)]


def _measures() -> list[dict[str, Any]]:
    return [
        {"name": measure.name, "summary": measure.definition, "unit": measure.unit}
        for measure in MEASURES.values()
    ]


CATALOGUE: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "disciplines": lambda: [asdict(one) for one in declared.disciplines()],
    **{kind: partial(_choices, kind) for kind in declared.CHOICE_KINDS},
    "scenarios": _scenarios,
    "measures": _measures,
}
"""Kind to a function that lists it: dictionaries with at least name and summary."""
