"""Check that a text is a whole scenario, as `to_toml` writes it: what reads it asks for every default."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any, cast

from weir import _core
from weir.scenario import scenario_error

_HINT = "give the text that `Scenario.to_toml` writes: it has every default"


def whole_document(text: str) -> Mapping[str, Any]:
    """The document of a scenario as `to_toml` writes it. Raises ScenarioError for another text."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise scenario_error(f"this is no TOML: {error}", _HINT, "<text>") from None
    for key, kind in (("duration", str), ("measure", dict), ("links", dict), ("flows", dict)):
        if not isinstance(document.get(key), kind):
            raise _incomplete(f"it has no {key}")
    for kind in ("links", "flows"):
        for name, table in cast("Mapping[str, object]", document[kind]).items():
            if not isinstance(table, dict):
                raise _incomplete(f"{kind}.{name} is no table")
            # The core takes for granted that data have a queue.
            if kind == "links" and "queue" not in table:
                raise _incomplete(f"{kind}.{name} has no queue")
    return document


def _incomplete(why: str) -> _core.ScenarioError:
    return scenario_error(f"this is no whole scenario: {why}", _HINT, "<text>")
