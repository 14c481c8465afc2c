"""A room is entered through its `__init__`, or a module without an underscore: `_NAME.py` is for its room."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "python"
ROOMS = {
    ".".join(path.parent.relative_to(PYTHON).parts): path
    for path in sorted(PYTHON.glob("weir/**/__init__.py"))
}
FILES = [*sorted(PYTHON.rglob("*.py")), *sorted(ROOT.glob("tools/*.py")), ROOT / "docs/conf.py"]


def package_of(path: Path) -> str:
    """The package of a file below `python`; nothing for a file elsewhere."""
    return ".".join(path.parent.relative_to(PYTHON).parts) if PYTHON in path.parents else ""


def imports(text: str, package: str) -> Iterator[tuple[str, str]]:
    """Module and name of everything that a file imports; no name where it imports a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from ((module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


@cache
def imports_of(path: Path) -> frozenset[tuple[str, str]]:
    return frozenset(imports(path.read_text(encoding="utf-8"), package_of(path)))


def past_the_door(text: str, package: str) -> list[str]:
    """Modules of other rooms that a file imports. What is directly in `weir` belongs to no room."""
    found: list[str] = []
    for module, name in imports(text, package):
        parts = f"{module}.{name}".rstrip(".").split(".")
        private = [place for place, part in enumerate(parts) if part[:1] == "_" and part[:2] != "__"]
        if parts[0] not in {"weir", "weir_papers"} or not private:
            continue
        room = ".".join(parts[: private[0]])
        if "." in room and not f"{package}.".startswith(f"{room}."):
            found.append(".".join(parts))
    return found


@pytest.mark.parametrize(
    ("package", "text", "found"),
    [
        ("weir.plot", "from weir.sweep._view import Sweep", ["weir.sweep._view.Sweep"]),
        ("weir.plot", "from weir.sweep import _view as view", ["weir.sweep._view"]),
        ("weir.plot", "def late():\n    import weir.sweep._view", ["weir.sweep._view"]),
        ("weir.plot", "from ..sweep._view import Sweep", ["weir.sweep._view.Sweep"]),
        ("", "from weir.plot.tuning._data import Data", ["weir.plot.tuning._data.Data"]),
        ("weir.plot", "from weir.plot.tuning._data import Data", ["weir.plot.tuning._data.Data"]),
        ("weir.plot", "from weir.sweep import Sweep", []),
        ("weir.plot", "from weir.plot._chart import Pen", []),
        ("weir.plot.tuning", "from weir.plot._figure import Panel", []),
        ("weir.plot", "from weir import _core", []),
        ("weir.plot", "from weir._errors import WeirError", []),
        ("", "from weir import __version__", []),
    ],
)  # fmt: skip
def test_what_goes_past_a_door(package: str, text: str, found: list[str]) -> None:
    assert past_the_door(text, package) == found


def test_a_room_is_entered_through_its_door() -> None:
    found = {
        str(path.relative_to(ROOT)): past_the_door(path.read_text(encoding="utf-8"), package_of(path))
        for path in FILES
    }
    assert len(found) > 300
    assert {file: modules for file, modules in found.items() if modules} == {}


def lent(room: str) -> set[str]:
    """Names that a room imports from its own modules and does not use itself."""
    tree = ast.parse(ROOMS[room].read_text(encoding="utf-8"))
    own = [
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{room}.")
        for alias in node.names
    ]
    return set(own) - {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


@pytest.mark.parametrize("room", sorted(set(ROOMS) - {"weir"}))
def test_a_door_has_what_is_public_and_what_other_rooms_use(room: str) -> None:
    door = import_module(room)
    assert [name for name in lent(room) if getattr(door, name, None) is None] == []
    used = {
        name
        for path in FILES
        if not f"{package_of(path)}.".startswith(f"{room}.")
        for module, name in imports_of(path)
        if module == room
    }
    assert lent(room) - used - set(getattr(door, "__all__", ())) == set()


def test_a_name_of_a_door_does_not_load_its_neighbours() -> None:
    code = "import sys, weir.sweep; weir.sweep.planned_looks; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert {"weir.sweep._until"} == {name for name in loaded.split() if name.startswith("weir.sweep._")}
    with pytest.raises(AttributeError, match=r"module 'weir\.sweep' has no attribute 'Swep'"):
        _ = import_module("weir.sweep").Swep
