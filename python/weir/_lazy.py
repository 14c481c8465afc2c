"""Names of a package that are imported on first use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module


def first_use(package: str, names: Collection[str], modules: Sequence[str]) -> Callable[[str], object]:
    """The `__getattr__` of a package: each of the names is that of the first of its modules that has it."""

    def find(name: str) -> object:
        for module in modules if name in names else ():
            found = getattr(import_module(f"{package}.{module}"), name, None)
            if found is not None:
                return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return find
