"""Scenarios: read, checked and changed; what they can choose from; values as TOML."""

from weir.scenario._scenario import Scenario, Variant, bundled, file_of, flows_at, scenario_error, suggestion
from weir.scenario._toml import Value, to_toml

__all__ = [
    "Scenario",
    "Value",
    "Variant",
    "bundled",
    "file_of",
    "flows_at",
    "scenario_error",
    "suggestion",
    "to_toml",
]
