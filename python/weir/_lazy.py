"""Names of a package that are imported on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module


def first_use(package: str) -> Callable[[str], object]:
    """The `__getattr__` of a package. A name that its `__init__` imports under `if TYPE_CHECKING` is imported
    when it is first asked for, and no other name with it.

    So type checkers, readers and the program share one list, and no name costs what its neighbours load.
    """

    def find(name: str) -> object:
        home = _homes(package).get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = home
        if module == package:
            return import_module(f"{package}.{original}")
        return getattr(import_module(module), original)

    return find


@cache
def _homes(package: str) -> dict[str, tuple[str, str]]:
    """The names that a package imports under `if TYPE_CHECKING`, each to its module and its name there."""
    # Few programs get here without these two.
    import ast
    from pathlib import Path

    text = Path(str(sys.modules[package].__file__)).read_text(encoding="utf-8")
    blocks = (one for one in ast.parse(text).body if isinstance(one, ast.If))
    return {
        alias.asname or alias.name: (statement.module, alias.name)
        for block in blocks
        if isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom) and statement.module
        if f"{statement.module}.".startswith(f"{package}.")
        for alias in statement.names
    }
