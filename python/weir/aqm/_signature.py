"""Check that an AQM class of the user can be made: `__init__` takes the link, then the parameters."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

_PLAIN = {kind for one in (int, float, str, bool) for kind in (one, one.__name__)}
"""Types of parameters, as themselves and as annotations that are text: none is a link."""


class Problem(NamedTuple):
    """Reason why the class cannot be made."""

    key: str
    """Key of `queue.python` that is to blame."""
    message: str
    hint: str


def signature_problem(cls: type, parameters: Mapping[str, Any]) -> Problem | None:
    """Reason why `cls(link, **parameters)` fails, or does not do what it says; None if it can be called."""
    try:
        signature = inspect.signature(cls)
    except (TypeError, ValueError):
        # Of one without self, as of what is no function.
        signature = inspect.Signature()
    known = signature.parameters
    if not known or not _can_be_given_by_place(first := next(iter(known.values()))):
        return Problem(
            "class",
            f"the __init__ of {cls.__name__} does not take the link",
            "write def __init__(self, link), and after link what parameters name",
        )
    if not _is_for_link(first) or first.name in parameters:
        return Problem(
            "class",
            f"the first parameter of the __init__ of {cls.__name__} is the link, "
            f"and the class calls it {first.name!r}",
            f"write def __init__(self, link, {', '.join(known)}){_given(list(known.values()))}",
        )
    try:
        signature.bind(None, **parameters)
    except TypeError as error:
        names = list(known)[1:]
        unknown = next((name for name in parameters if name not in names), None)
        if unknown is not None:
            return Problem(
                f"parameters.{unknown}",
                f"{cls.__name__} has no parameter {unknown!r}",
                known_names(unknown, names, "its __init__(self, link) takes none"),
            )
        missing = [known[name] for name in names if _is_needed(known[name]) and name not in parameters]
        if not missing:
            return Problem(
                "parameters", f"{cls.__name__}: {error}", "give it a value in parameters = { ... }"
            )
        return Problem(
            "parameters",
            f"{cls.__name__} needs {' and '.join(one.name for one in missing)}: its __init__ has no default",
            f"write a default in the class: def __init__(self, {first.name}, "
            f"{', '.join(f'{one.name}=20' for one in missing)}){_given(missing, 'or')}",
        )
    return None


def hook_problem(cls: type, hook: str, base: type) -> Problem | None:
    """Reason why calls of a hook as that of `base` would fail; None if they can be done."""
    own = inspect.getattr_static(cls, hook)
    if not inspect.isfunction(own):
        return None
    names = list(inspect.signature(getattr(base, hook)).parameters)
    try:
        inspect.signature(own).bind(*names)
    except TypeError:
        called = f"{hook}({', '.join(names[1:])})"
        written = f"def {hook}({', '.join(names)})"
        return Problem("class", f"{cls.__name__} cannot be called as {called}", f"write {written}")
    return None


def known_names(name: str, names: list[str], otherwise: str) -> str:
    """Suggests the known name nearest to a misspelt one, else lists the known names; `otherwise` if there are
    none."""
    near = get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names)}" if names else otherwise


def _given(parameters: list[inspect.Parameter], joined: str = "and") -> str:
    """Text that shows how a scenario gives the parameters without a default; empty if there are none."""
    needed = [f"{one.name} = 20" for one in parameters if _is_needed(one)]
    if not needed:
        return ""
    return f", {joined} give it in the scenario: queue.python.parameters = {{ {', '.join(needed)} }}"


def _is_needed(parameter: inspect.Parameter) -> bool:
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and parameter.kind not in variable


def _can_be_given_by_place(parameter: inspect.Parameter) -> bool:
    return parameter.kind not in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


def _is_for_link(first: inspect.Parameter) -> bool:
    """Returns true if the first parameter is meant to be the link, by its type, or without a type by its
    name."""
    if first.annotation is not inspect.Parameter.empty:
        return first.annotation not in _PLAIN
    is_named = first.name.startswith("_") or "link" in first.name.lower()
    return is_named or first.kind is inspect.Parameter.VAR_POSITIONAL
