"""Checks of axes: the variants that have them, and paths that cannot be varied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir import _core
from weir.scenario import suggestion
from weir.sweep._axes import Axis, AxisError
from weir.sweep._design import is_choice

if TYPE_CHECKING:
    from weir.scenario import Variant
    from weir.sweep._design import Design


def settable_paths(
    scenario: _core.Scenario, variants: Sequence[Variant], design: Design, *, bare: bool
) -> list[set[str]]:
    """Paths that each variant has. Raises AxisError for axes that cannot be varied."""
    _check_paths(design, scenario)
    if bare:
        _check_choices(design.paths)
    settable = [{path for path in design.paths if bare or one.scenario.has_choice(path)} for one in variants]
    for path in design.paths:
        if not any(path in paths for paths in settable):
            # Setting it would give every variant this AQM, and leave nothing to compare.
            labels = ", ".join(one.label for one in variants)
            raise AxisError(
                f"none of the variants has what this axis varies ({labels})",
                "choose the variants that have it with --variants, or add one that does",
                path,
            )
    return settable


def check_fixed(axes: Sequence[Axis], fixed: Sequence[str]) -> None:
    """Raises AxisError for an axis of a path that is fixed."""
    for path in (path for axis in axes for path in axis.paths):
        for other in fixed:
            if f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}."):
                raise AxisError(
                    f"{other} is set to a value, and an axis varies it",
                    "leave one of them out; --axis replaces the axes of the file",
                    path,
                )


def _check_paths(design: Design, scenario: _core.Scenario) -> None:
    """Refuses paths of a link or group that does not exist: setting a value would create it."""
    # Numbers and quantities: a round trip may be one, or a choice of distributions.
    plain = {part.path for axis in design.axes for part in axis.parts if part.values.numeric}
    known = {"links": ("link", scenario.links), "flows": ("flow group", scenario.groups)}
    for path in design.paths:
        table, _, rest = path.partition(".")
        what, names = known.get(table, ("", []))
        name = rest.partition(".")[0]
        # A row of links, or the groups over its links, may be named as a whole.
        if names and name not in names and f"{name}1" not in names:
            raise AxisError(f"there is no {what} {name!r}", suggestion(name, names), path)
        if path not in plain and table == "links" and is_choice(path):
            raise AxisError(
                "a choice of a link is not a value of an axis",
                "compare queue disciplines: --disciplines red,rem, or variants",
                path,
            )


def _check_choices(paths: Sequence[str]) -> None:
    """Refuses two axes that choose different AQMs for one place: they would undo each other."""
    chosen: dict[str, tuple[str, str]] = {}
    choices = [(path, choice) for path in paths for choice in _core.choices_of(path)]
    for path, (place, name) in choices:
        other, other_path = chosen.setdefault(place, (name, path))
        if other != name:
            raise AxisError(
                f"{other_path} makes {place} {other}, and this axis makes it {name}",
                "sweep one of them, or compare the two as variants",
                path,
            )
