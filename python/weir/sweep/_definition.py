"""Checks that the definition of a result is valid: a store may come from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast, get_args

from weir.check import Note
from weir.stats import MEASURES
from weir.sweep._plan import ResultKind

_TEXTS = ("kind", "scenario", "title")
_COUNTS = {"replications": 10_000_000, "seed": 2**63 - 1, "results_version": 2**31 - 1}
"""Largest values of whole numbers, by name."""
_HASH = re.compile(r"[0-9a-f]{1,64}")


def check_definition(definition: Mapping[str, Any]) -> None:
    """Raises ValueError, TypeError or LookupError for an invalid definition of a result with tables."""
    _of(str, *(definition[name] for name in _TEXTS))
    if definition["kind"] not in get_args(ResultKind):
        raise ValueError(f"there is no kind {definition['kind']!r:.40}")
    for name, most in _COUNTS.items():
        _of(int, definition[name])
        if not 0 <= definition[name] <= most:
            raise ValueError(f"{name} is {definition[name]}")
    _of(list, *(definition[name] for name in ("variants", "until", "configurations")))
    _of(dict, *(definition[name] for name in ("margins", "resolved", "design")), definition.get("live", {}))
    _of(dict, *definition["variants"])
    _of(str, *(variant[name] for variant in definition["variants"] for name in ("name", "label")))
    _of(str, *definition["until"], *definition["configurations"])
    _of(str, *(definition["resolved"][variant["name"]] for variant in definition["variants"]))
    _of((int, float), *definition["margins"].values())
    if unknown := definition["margins"].keys() - MEASURES.keys():
        raise ValueError(f"there is no measure {min(unknown)!r:.40}")
    if odd := next((text for text in definition["configurations"] if not _HASH.fullmatch(text)), None):
        raise ValueError(f"{odd!r:.40} is no hash of a scenario")
    if not definition["variants"] or not definition["replications"]:
        raise ValueError("it has no runs")
    _check_additions(definition)


def _check_additions(definition: Mapping[str, Any]) -> None:
    """Checks the fields that only some results have: classes in Python, and facts and notes of live runs."""
    live, classes = definition.get("live", {}), definition.get("python", {})
    facts, notes, honesty = live.get("facts", {}), live.get("notes", []), live.get("honesty", [])
    _of(dict, facts, classes, definition.get("choices", {}))
    _of(list, notes, honesty)
    _of(str, *facts.values(), *classes.values())
    _of(dict, *notes, *honesty)
    names = {field.name for field in fields(Note)}
    if odd := next((note for note in notes if note.keys() != names), None):
        raise ValueError(f"{odd!r:.40} is no note")
    _of(str, *(text for note in notes for text in note.values()))


def _of(kind: type | tuple[type, ...], *values: object) -> None:
    for value in values:
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TypeError(f"{cast('object', value)!r:.40} is not what stands there")
