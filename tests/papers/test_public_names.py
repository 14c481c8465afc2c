"""The papers use Weir's public names alone: those that `weir` and its rooms list in `__all__`."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import weir_papers

FOLDER = Path(weir_papers.__file__).parent


def imported(path: Path) -> list[tuple[str, str]]:
    """Module and name of everything that a file imports from Weir."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "weir":
            found += [(node.module, alias.name) for alias in node.names]
        if isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names if alias.name.split(".")[0] == "weir"]
    return found


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_only_public_names_are_imported(path: Path) -> None:
    for module, name in imported(path):
        assert module.count(".") <= 1, f"{module} is a module inside a room"
        room = import_module(module)
        assert not name or name in room.__all__, f"{module} does not list {name}"
        assert not name or hasattr(room, name)


@pytest.mark.parametrize("first", ["weir_papers.command", "weir.cli"])
def test_the_verb_can_be_imported_before_and_after_the_command_line(first: str) -> None:
    script = f"import {first}, weir_papers.command, weir.cli; print(weir_papers.command.reproduce.__name__)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "reproduce\n"), done.stderr
