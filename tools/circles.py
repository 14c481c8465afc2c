"""Finds circles between the files of a crate, and between its folders: `python tools/circles.py crates`.

An arrow goes from a file to the file that defines a name it uses. The path of the name begins with `crate`,
`super`, `self` or a module of the file. Re-exports are followed, and draw no arrow themselves. Calls of
methods draw none either, and tests within files are left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

NOISE = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|#\[cfg\(test\)\]\s*mod \w+ \{.*', re.DOTALL)
USE = re.compile(r"(pub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);")
VISIBILITY = re.compile(r"pub\([^)]*\)")
Module = tuple[str, ...]
PATH = re.compile(r"(?<![\w:])[a-z_]\w*(?:::\w+)+")


def leaves(tree: str) -> Iterator[tuple[list[str], str]]:
    """The paths of a `use`, each with the name it gets."""
    head, brace, rest = tree.strip().partition("{")
    if not brace:
        path, _, alias = tree.strip().partition(" as ")
        names = path.split("::")
        if names[-1] == "self":
            names.pop()
        yield names, alias.strip() or names[-1]
        return
    depth, start = 0, 0
    inner = rest.rsplit("}", 1)[0] + ","
    for end, letter in enumerate(inner):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if inner[start:end].strip():
                yield from leaves(head.strip() + inner[start:end].strip())
            start = end + 1


class Crate:
    """The modules of a crate by their paths, and what each brings in."""

    def __init__(self, source: Path) -> None:
        self.files: dict[Module, Path] = {}
        self.bodies: dict[Module, str] = {}
        self.brought: dict[Module, dict[str, list[str]]] = {}
        self.exported: dict[Module, set[str]] = {}
        for file in sorted(source.rglob("*.rs")):
            parts = file.relative_to(source).with_suffix("").parts
            module = parts[:-1] if parts[-1] in {"lib", "mod"} else parts
            text = NOISE.sub(" ", file.read_text(encoding="utf-8"))
            self.files[module] = file
            self.bodies[module] = VISIBILITY.sub(" ", USE.sub(" ", text))
            uses = [(bool(public), *leaf) for public, tree in USE.findall(text) for leaf in leaves(tree)]
            self.brought[module] = {name: path for _, path, name in uses}
            self.exported[module] = {name for public, _, name in uses if public}

    def resolve(self, module: Module, path: list[str]) -> Module | None:
        """The module that defines what `path` names within `module`; None if another crate does."""
        here = module
        for index, name in enumerate(path):
            if name == "crate":
                here = ()
            elif name == "super":
                here = here[:-1]
            elif name == "self":
                pass
            elif (*here, name) in self.files:
                here = (*here, name)
            elif name in self.brought[here] and self.brought[here][name] != path:
                return self.resolve(here, [*self.brought[here][name], *path[index + 1 :]])
            else:
                return here if index else None
        return here

    def arrows(self, module: Module) -> set[Module]:
        """The modules whose names the file of `module` uses."""
        body = self.bodies[module]
        words = set(re.findall(r"\w+", body))
        paths = [
            path
            for name, path in self.brought[module].items()
            if name not in self.exported[module] or name in words
        ]
        paths += [path.split("::") for path in PATH.findall(body)]
        found = {self.resolve(module, path) for path in paths}
        return {target for target in found if target is not None} - {module}


def neighbours(module: Module, target: Module) -> tuple[Module, Module] | None:
    """The parts of one folder in which an arrow begins and ends; None if one module lies within the other."""
    for depth, (here, there) in enumerate(zip(module, target, strict=False), 1):
        if here != there:
            return module[:depth], target[:depth]
    return None


def circles(crates: Path) -> Iterator[list[Path]]:
    """One circle of files, and one of folders, for each crate that has any."""
    for source in sorted(crates.glob("*/src")):
        crate = Crate(source)
        arrows = {module: crate.arrows(module) for module in crate.files}
        parts: dict[Module, set[Module]] = {}
        for module, targets in arrows.items():
            for ends in filter(None, (neighbours(module, target) for target in targets)):
                parts.setdefault(ends[0], set()).add(ends[1])
        for graph in (arrows, parts):
            try:
                TopologicalSorter(graph).prepare()
            except CycleError as error:
                yield [crate.files[module] for module in error.args[1]]


if __name__ == "__main__":
    found = list(circles(Path(sys.argv[1])))
    for circle in found:
        sys.stdout.write(f"circle: {' <- '.join(map(str, circle))}\n")
    sys.exit(bool(found))
