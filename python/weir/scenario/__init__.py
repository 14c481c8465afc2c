"""Scenarios: read, checked and changed; what they can choose from; values as TOML."""

from typing import TYPE_CHECKING

from weir._lazy import first_use
from weir.scenario._assignments import (
    BEGINS_AS_RANGE,
    NUMBER,
    QUANTITY,
    UNIT,
    Assignment,
    AssignmentError,
    assignments,
    checked_path,
    is_whole,
    pieces,
    settings,
    typed,
    written,
)
from weir.scenario._scenario import (
    Scenario,
    Variant,
    bundled,
    core_of,
    file_of,
    flows_at,
    meant_queue,
    rename,
    scenario_error,
    suggestion,
)
from weir.scenario._toml import Value, printable_toml, to_toml

if TYPE_CHECKING:
    from weir.scenario import _declared as declared
    from weir.scenario._declared import CHOICE_KINDS, Declared, Parameter, chosen_as

__all__ = [
    "BEGINS_AS_RANGE",
    "NUMBER",
    "QUANTITY",
    "UNIT",
    "Assignment",
    "AssignmentError",
    "Scenario",
    "Value",
    "Variant",
    "assignments",
    "bundled",
    "checked_path",
    "file_of",
    "flows_at",
    "is_whole",
    "meant_queue",
    "pieces",
    "scenario_error",
    "settings",
    "suggestion",
    "to_toml",
    "typed",
    "written",
]

__getattr__ = first_use(__name__)
