"""Every public function and verb has an example, the examples run, and docstrings say what is raised."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from test_api_bad_input import EVERY
from test_api_bad_input import given as raising  # noqa: F401 - a fixture
from weir import WeirError
from weir._public import MODULES

PAGE = (Path(__file__).parents[1] / "docs/reference/python.md").read_text(encoding="utf-8")
"""The page of the interface. Its block of Python makes what every example may use."""

VERB = (FunctionType, classmethod, staticmethod)

OURS = {
    "weir.Store": "claim claim_directory commit directory reading record_sweep release unkept "
    "write_sweep_table",
    "weir.Sweep": "notes_beside of_one_link where_random",
    "weir.evaluate.Judgement": "to_json",
    "weir.theory.Group": "as_linear grows response",
    "weir.theory.Hred": "realised swinging",
    "weir.theory.Integrator": "divisor near_edge realised",
    "weir.theory.Network": "demand_at slopes",
    "weir.theory.QueueLoop": "matrices",
    "weir.theory.RateLoop": "matrices noise",
    "weir.theory.Realisation": "transfer",
    "weir.theory.Red": "lag raw realised",
}
"""Verbs that rooms use among themselves, by class."""

HOOKS = {"weir.aqm.Aqm", "weir.aqm.Controller"}
"""Classes whose methods users write, and Weir calls."""


@cache
def docstrings() -> dict[str, str]:
    """Every public function, class and verb, by its name: its docstring."""
    found: dict[str, str] = {}
    for module in MODULES:
        for name in import_module(module).__all__:
            value = getattr(import_module(module), name)
            if inspect.isclass(value) and not issubclass(value, Exception):
                found[f"{module}.{name}"] = value.__doc__ or ""
                found |= {f"{module}.{name}.{verb}": text for verb, text in verbs(value)}
            elif inspect.isfunction(inspect.unwrap(value)):
                found[f"{module}.{name}"] = value.__doc__ or ""
    return found


def verbs(value: type) -> Iterator[tuple[str, str]]:
    """The public methods of a class, each with its docstring."""
    for name in dir(value):
        if name[0] != "_" and isinstance(inspect.getattr_static(value, name), VERB):
            yield name, getattr(value, name).__doc__ or ""


def has_example(name: str) -> bool:
    """Returns true for an example of its own, or one of its class that calls it."""
    found = docstrings()
    owner, _, verb = name.rpartition(".")
    lines = re.findall(r"(?:>>>|\.\.\.) .*", found.get(owner, ""))
    return ">>> " in found[name] or any(f".{verb}(" in line for line in lines)


def is_asked(name: str) -> bool:
    """Returns true for functions, and for the verbs that a user calls."""
    owner, _, verb = name.rpartition(".")
    if owner in MODULES:
        return not inspect.isclass(getattr(import_module(owner), verb))
    return owner not in HOOKS and verb not in OURS.get(owner, "").split()


def test_every_function_and_verb_has_an_example() -> None:
    asked = [name for name in docstrings() if is_asked(name)]
    assert len(asked) > 200
    assert [name for name in asked if not has_example(name)] == []


def test_a_verb_of_ours_is_one_and_has_no_example() -> None:
    named = {f"{owner}.{verb}" for owner, verbs in OURS.items() for verb in verbs.split()}
    assert named <= set(docstrings())
    assert [name for name in named if has_example(name)] == []


@pytest.fixture(scope="module")
def given() -> dict[str, object]:
    """Names that the page gives to every example."""
    (block,) = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    found: dict[str, object] = {}
    exec(block, found)  # noqa: S102 - our own page
    return found


@pytest.fixture
def without_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages get no renderer, which takes longer to bundle than all examples take together."""
    monkeypatch.setattr("weir.plot._files._script", ["vegaEmbed"])


@pytest.mark.usefixtures("without_bundle")
@pytest.mark.parametrize("name", [name for name, text in docstrings().items() if ">>> " in text])
def test_an_example_says_what_happens(
    name: str, given: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = inspect.cleandoc(docstrings()[name])
    assert "# doctest:" not in text
    example = doctest.DocTestParser().get_doctest(text, dict(given), name, None, None)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


@cache
def meant(name: str) -> object:
    """The function or class of a name; nothing for a verb."""
    owner, _, last = name.rpartition(".")
    return getattr(import_module(owner), last) if owner in MODULES else None


def called(function: Any) -> list[str]:  # noqa: ANN401 - whatever a call calls
    """Names in `docstrings` of a function, a class, or a verb of an object."""
    bound = getattr(function, "__self__", None)
    classes: list[object] = [*(bound if isinstance(bound, type) else type(bound)).__mro__]
    found = [name for name in docstrings() if meant(name) is function]
    found += [
        f"{name}.{function.__name__}" for name in docstrings() if bound is not None and meant(name) in classes
    ]
    return [name for name in found if name in docstrings()]


def test_what_is_raised_is_said(raising: dict[str, object]) -> None:  # noqa: F811 - the fixture
    """Bad input of `test_api_bad_input.py` against the docstrings of what is called, or of its class."""
    said, unsaid = 0, list[str]()
    for call, kind, *_ in EVERY:
        expression = ast.parse(call, mode="eval").body
        assert isinstance(expression, ast.Call)
        names = called(eval(ast.unparse(expression.func), raising))  # noqa: S307 - calls of our tests
        texts = [docstrings().get(one, "") for name in names for one in (name, name.rpartition(".")[0])]
        kinds = [one.__name__ for one in kind.__mro__ if issubclass(one, WeirError) or one is kind]
        if any(re.search(rf"\b(?:{'|'.join(kinds)})\b", text) for text in texts):
            said += 1
        elif names:
            unsaid.append(f"{names[0]}: {kind.__name__}, in {call}")
    assert unsaid == []
    assert said > 140
