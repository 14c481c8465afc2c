"""Files of classes: their texts by digest, and what in a text makes the same seed give other results."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from weir import _core

_texts: dict[str, str] = {}


def remember(text: str) -> str:
    """Keeps the text of a file; returns its digest."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    _texts[digest] = text
    return digest


def text_of(digest: str | None) -> str | None:
    """Text with this digest; None if this process has not seen it."""
    return _texts.get(digest or "")


class Named(NamedTuple):
    """Class of an AQM that a scenario names."""

    path: str
    """Path of its table in the scenario: `links.bottleneck.queue.python`."""
    cls: str
    """Import path of the class."""
    digest: str | None
    """Digest of the text of its file."""


def named_in(document: Mapping[str, Any], path: str = "") -> Iterator[Named]:
    """The classes that a scenario with every default names."""
    for key, value in document.items():
        here = f"{path}.{key}" if path else key
        parts = cast("Sequence[Any]", value) if isinstance(value, list) else [value]
        for one in parts:
            if isinstance(one, Mapping):
                table = cast("Mapping[str, Any]", one)
                if key == "python" and isinstance(table.get("class"), str):
                    yield Named(here, table["class"], table.get("source"))
                else:
                    yield from named_in(table, here)


def texts_of(classes: Iterable[Named]) -> dict[str, str]:
    """Import path of each class to the text of its file, where this process has seen it."""
    return {one.cls: text for one in classes if (text := text_of(one.digest)) is not None}


def texts_in(scenario: _core.Scenario) -> dict[str, str]:
    """Import path of each class that a scenario names to the text of its file."""
    return texts_of(named_in(json.loads(scenario.to_json()))) if scenario.has_python_aqms else {}


def digests_of(document: Mapping[str, Any], texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """The digests of the classes that a scenario names and did not load: path and digest, as overrides, of
    those whose `texts` are known by import path, where the scenario has none or another."""
    digests = {cls: remember(text) for cls, text in texts.items()}
    return [
        (f"{one.path}.source", json.dumps(digests[one.cls]))
        for one in named_in(document)
        # Changes are a list: no path leads to one of them.
        if digests.get(one.cls, one.digest) != one.digest and not one.path.startswith("changes.")
    ]


class Use(NamedTuple):
    """Call that gives other results in each run."""

    line: int
    name: str
    """Full name of the call: `random.random`."""


_SEEDED = frozenset(
    {
        "random.Random",
        *(
            f"numpy.random.{name}"
            for name in ("default_rng", "RandomState", "SeedSequence", "PCG64", "MT19937")
        ),
        *(f"numpy.random.{name}" for name in ("Philox", "SFC64", "PCG64DXSM")),
    }
)
"""Generators that are repeatable if they are given a seed."""

_NOT_DRAWN = frozenset({"numpy.random.Generator"})

_OTHERS = frozenset(
    {
        *("os.urandom", "os.getrandom", "uuid.uuid1", "uuid.uuid4", "time.time", "time.time_ns"),
        *("time.monotonic", "time.monotonic_ns", "time.perf_counter", "time.perf_counter_ns"),
        *("time.process_time", "time.process_time_ns", "time.thread_time", "time.thread_time_ns"),
        *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today"),
        "datetime.date.today",
    }
)
_ROOMS = ("random.", "numpy.random.", "secrets.")


def unrepeatable(text: str) -> list[Use]:
    """Calls in a file that draw from generators that all share, or that have no seed, or that read the clock.

    What it calls is looked up by the names of its imports: what other modules do is not seen.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    names = dict(_imported(tree))
    called: dict[int, ast.Call] = {
        id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)
    }
    found: list[Use] = []
    inner: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in inner or not isinstance(node, (ast.Attribute, ast.Name)):
            continue
        name = _full_name(node, names)
        if name is None:
            continue
        if isinstance(node, ast.Attribute):
            inner.update(id(part) for part in ast.walk(node.value))
        if _draws(name, called.get(id(node))):
            found.append(Use(node.lineno, name))
    return sorted(set(found))


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Names in the file, with their full names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                yield (one.asname, one.name) if one.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                yield one.asname or one.name, f"{node.module}.{one.name}"


def _full_name(node: ast.expr, names: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute) and (of := _full_name(node.value, names)) is not None:
        return f"{of}.{node.attr}"
    return None


def _draws(name: str, call: ast.Call | None) -> bool:
    """Returns true if the use draws random numbers or reads the clock. A class that is not called, as in a
    type, does not."""
    if name in _SEEDED:
        return call is not None and not (call.args or call.keywords)
    if name in _NOT_DRAWN or name in {"numpy.random", "random", "secrets"}:
        return False
    return name in _OTHERS or name.startswith(_ROOMS)
