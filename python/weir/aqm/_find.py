"""A class of a scenario: found by its import path, and checked before anything runs."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from weir.aqm import Aqm, Controller
from weir.aqm._objects import period_of, time_limit_of, variables_of
from weir.aqm._signature import hook_problem, known_names, signature_problem
from weir.aqm._sources import Named, remember

_HOOKS = ("on_enqueue", "on_dequeue", "on_idle", "on_overflow", "on_rate", "update")


class NotFoundError(Exception):
    """Error about a class that cannot be used. The core turns it into an error of the scenario."""

    def __init__(self, key: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.key = key
        """Key of `python` that is wrong."""
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Found:
    """Class that can be used."""

    cls: type[Controller | Aqm]
    is_controller: bool
    hooks: frozenset[str]
    """Hooks that the class defines."""
    source: str
    """Digest of the class's file."""


_sources: WeakKeyDictionary[type, str] = WeakKeyDictionary()
"""Digest of a class's file when the class was first seen. A later change of the file does not
change the class."""


_stored: dict[tuple[str, str], bool] = {}


def unstored(named: Iterable[Named]) -> list[str]:
    """Import paths of the classes whose runs the store does not keep. The classes have been found before."""
    return [one.cls for one in named if not _stored.get((one.cls, one.digest or ""), True)]


def find(path: str, folder: str, parameters: Mapping[str, Any], source: str | None) -> Found:
    """Finds the class at an import path and checks that it takes these parameters.

    Args:
        path: `package.module:Class`.
        folder: the folder of the scenario file.
        parameters: its arguments by name.
        source: the expected digest of its file; None for any.

    Raises NotFoundError.
    """
    name, _, attribute = path.partition(":")
    module = _module(name, folder)
    cls = _class(module, attribute)
    _check_attributes(cls)
    if (problem := signature_problem(cls, parameters)) is not None:
        raise NotFoundError(*problem)
    digest = _digest(cls, module)
    if source is not None and source != digest:
        raise NotFoundError(
            "source",
            f"the file of {path} has changed: its digest is {digest}",
            "undo the change, or remove `source` to run the file as it is now",
        )
    base = Controller if issubclass(cls, Controller) else Aqm
    hooks = frozenset(hook for hook in _HOOKS if getattr(cls, hook, None) is not getattr(base, hook, None))
    _check_hooks(cls, is_controller=base is Controller)
    for hook in sorted(hooks):
        if (problem := hook_problem(cls, hook, base)) is not None:
            raise NotFoundError(*problem)
    _stored[path, digest] = bool(cls.stored)
    if not hooks:
        raise NotFoundError(
            "class",
            f"{path} defines no method that decides",
            "define update(self, seen) in a Controller, on_enqueue or on_dequeue in an Aqm",
        )
    return Found(cls, base is Controller, hooks, digest)


_folders: set[str] = set()
"""Folders of scenarios that were added to Python's path."""


def _search(name: str, place: str) -> None:
    """Makes Python look for the module in the folder `place` too."""
    if place not in sys.path or place in _folders:
        _folders.add(place)
        # Behind what Python has, so that a user's file never hides an installed module, and before the
        # folders of other scenarios.
        sys.path[:] = [one for one in sys.path if one not in _folders] + [
            place,
            *(one for one in sys.path if one in _folders and one != place),
        ]
    importlib.invalidate_caches()
    # A scenario in another folder may have brought another module of this name.
    top = name.partition(".")[0]
    known = sys.modules.get(top)
    found = None if known is None else PathFinder.find_spec(top)
    if found is None or known is None or known.__spec__ is None or known.__spec__.origin == found.origin:
        return
    if any(Path(known.__spec__.origin or "").is_relative_to(one) for one in _folders):
        for one in [one for one in sys.modules if one == top or one.startswith(f"{top}.")]:
            del sys.modules[one]


def _module(name: str, folder: str) -> ModuleType:
    place = str(Path(folder).resolve())
    _search(name, place)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise NotFoundError(
                "class",
                f"there is no module {error.name!r}",
                f"looked in {place}, the folder of the scenario, and where Python looks; "
                "PYTHONPATH adds to it, for workers too",
            ) from None
        raise _broken(name, error) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _broken(name, error) from error


def _broken(name: str, error: BaseException) -> NotFoundError:
    return NotFoundError(
        "class",
        f"importing {name} failed: {type(error).__name__}: {error}",
        f"python -c 'import {name}' shows where",
    )


def _class(module: ModuleType, name: str) -> type[Controller | Aqm]:
    found = getattr(module, name, None)
    if isinstance(found, type) and issubclass(found, (Controller, Aqm)):
        return found
    candidates = [
        key for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, (Controller, Aqm)) and value not in (Controller, Aqm)
    ]  # fmt: skip
    if found is not None:
        message = f"{module.__name__}:{name} is neither a weir.aqm.Controller nor a weir.aqm.Aqm"
    else:
        message = f"there is no class {name!r} in {module.__name__}"
    raise NotFoundError("class", message, known_names(name, candidates, "derive it from one of them"))


def _check_attributes(cls: type[Controller | Aqm]) -> None:
    for name, read in (("period", period_of), ("time_limit", time_limit_of), ("variables", variables_of)):
        # A property can only be checked on an object.
        value: object = getattr(cls, name)
        if hasattr(value, "__get__"):
            continue
        try:
            read(cls)
        except (TypeError, ValueError) as error:
            message, _, hint = str(error).rpartition(": ")
            raise NotFoundError("class", f"{cls.__name__}: {message}", hint) from None


def _check_hooks(cls: type[Controller | Aqm], *, is_controller: bool) -> None:
    """Refuses methods named like hooks that would never be called."""
    named = [name for name in dir(cls) if name.startswith("on_") and callable(getattr(cls, name))]
    if is_controller and named:
        raise NotFoundError(
            "class",
            f"{cls.__name__} is a Controller, and {named[0]} of a Controller is never called",
            "a Controller has update alone; derive it from Aqm to decide on every packet",
        )
    for name in named:
        if name not in _HOOKS:
            raise NotFoundError(
                "class",
                f"{cls.__name__} has no hook {name!r}, so it is never called",
                known_names(name, [hook for hook in _HOOKS if hook != "update"], ""),
            )


def _digest(cls: type, module: ModuleType) -> str:
    if cls not in _sources:
        try:
            text = inspect.getsource(module)
        except (OSError, TypeError):
            raise NotFoundError(
                "class",
                f"the text of {module.__name__} cannot be read, so the run could not be identified later",
                "put the class into a file",
            ) from None
        _sources[cls] = remember(text)
    return _sources[cls]
