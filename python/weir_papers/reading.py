"""A paper from the TOML files of its folder, and what its folder has for them in Python.

- `paper.toml`: what the paper asks, the experiments, what it leaves open, findings
- `claims.toml`: what it says, and maps of claims over settings. Their checks are in `checks.py`, by their
  ids.
- `figures.toml`: titles and captions of figures and tables. Their contents are in `figures.py` and
  `tables.py`, by their names.

`[experiment]`, `[figure]` and `[map]` have what every entry of the plural has unless it says otherwise.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from weir.scenario import bundled
from weir.store import RESULTS_VERSION
from weir_papers.claims import Claim, Part
from weir_papers.data import Study
from weir_papers.maps import ClaimMap
from weir_papers.paper import Choice, Experiment, FigureText, Paper, TableText, Topology, Unjudged
from weir_papers.readings import Column, Readings, Setting

_SHOWING = {"__init__.py", "figures.py", "tables.py"}
"""Files in the folder of a paper that only show results; all others decide how claims are judged."""
_RULES = ("check", "claims", "data", "expected", "groups", "quantifiers", "quantities", "readings")
"""Modules by which the claims of every paper are judged."""

Entry = dict[str, Any]
Contents = Mapping[str, Callable[[Study], Any]]


def read(
    package: str,
    checks: Mapping[str, Sequence[Part]],
    figures: Contents,
    tables: Contents,
    studies: Mapping[str, Callable[[Study], Study]] | None = None,
) -> Paper:
    """The paper of a folder. `studies`: name of a map to the function that selects the runs to judge by."""
    about, said, drawn = (_load(package, name) for name in ("paper", "claims", "figures"))
    claims = {key: Claim(key, **one, parts=tuple(checks[key])) for key, one in said["claims"].items()}
    of_maps = {
        key: Claim(**{"id": key, **one}, parts=tuple(checks[key]))
        for key, one in said.get("map_claims", {}).items()
    }
    _same(package, "checks", checks, [*claims, *of_maps])
    _same(package, "figures", figures, drawn["figures"])
    _same(package, "tables", tables, drawn.get("tables", {}))
    maps = [_map(one, of_maps | claims, studies or {}) for one in _entries(said, "maps")]
    readings = [_readings(one) for one in about.get("readings", ())]
    return Paper(
        about["key"],
        about["title"],
        about["authors"],
        about["published"],
        about["question"],
        tuple(Experiment(**one) for one in _entries(about, "experiments")),
        tuple(claims.values()),
        tuple(FigureText(**one, panels=figures[one["name"]]) for one in _entries(drawn, "figures")),
        tuple(TableText(**one, contents=tables[one["name"]]) for one in _entries(drawn, "tables")),
        tuple(maps),
        tuple(Choice(*one) for one in about["choices"]),
        about["findings"],
        tuple(readings),
        tuple(Column(name, **one) for name, one in about.get("columns", {}).items()),
        about.get("summary", ()),
        digest(package, claims.values(), about),
        tuple(Unjudged(*one) for one in about.get("unjudged", ())),
        Topology(**about["network"]) if "network" in about else None,
    )


def digest(package: str, claims: Iterable[Claim], about: Entry | None = None) -> str:
    """Digest of everything that is registered before the runs.

    - The claims, and the code that judges them: quantities, ranges, exceptions, the rules of all papers.
    - The experiments with their scenarios, the readings, and the choices where the paper leaves one.
    - The version of results.

    What is changed is judged by other runs. Texts that are written after the runs do not count: notes,
    findings, reasons, the summary. Comments and docstrings do not, either.

    `about`: the content of `paper.toml`.
    """
    about = _load(package, "paper") if about is None else about
    plain = [
        [
            *(claim.id, claim.text, claim.section, claim.ours, claim.exceptions, claim.holds_in),
            *(
                [part.quantity.title, part.quantity.unit, repr(part.expected), part.quantity.relevant]
                for part in claim.parts
            ),
        ]
        for claim in claims
    ]
    judging = [
        one for one in files(package).iterdir() if one.name.endswith(".py") and one.name not in _SHOWING
    ]
    judging += [files("weir_papers").joinpath(f"{name}.py") for name in _RULES]
    sources = [
        _statements(one.read_text(encoding="utf-8")) for one in sorted(judging, key=lambda one: one.name)
    ]
    registered = [plain, sources, *_setting(about), RESULTS_VERSION]
    return hashlib.blake2b(json.dumps(registered).encode(), digest_size=8).hexdigest()


def _statements(source: str) -> list[str]:
    """The lines of a module that do something: no docstring, no comment, no empty line."""
    said = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    lines = enumerate(source.splitlines(), 1)
    return [
        line for at, line in lines if at not in said and line.strip() and not line.lstrip().startswith("#")
    ]


def _setting(about: Entry) -> list[object]:
    """Experiments and their scenarios, readings, and choices without their reasons."""
    experiments = [
        {key: value for key, value in one.items() if key != "about"} for one in _entries(about, "experiments")
    ]
    known = bundled()
    scenarios = {
        name: tomllib.loads(known[name].read_text(encoding="utf-8"))
        for name in sorted({one["scenario"] for one in experiments})
    }
    return [
        experiments,
        scenarios,
        about.get("readings", ()),
        about.get("columns", {}),
        [choice[:2] for choice in about["choices"]],
    ]


def _map(
    entry: Entry, claims: Mapping[str, Claim], studies: Mapping[str, Callable[[Study], Study]]
) -> ClaimMap:
    judged = tuple(claims[key] for key in entry.pop("claims"))
    return ClaimMap(**entry, claims=judged, study=studies.get(entry["name"], _all_runs))


def _readings(entry: Entry) -> Readings:
    settings = tuple(Setting(**setting) for setting in entry["settings"])
    return Readings(entry["of"], entry["experiment"], settings, entry.get("also", {}))


def _all_runs(study: Study) -> Study:
    return study


def _same(package: str, what: str, found: Mapping[str, object], wanted: Iterable[str]) -> None:
    """Raises ValueError for texts without contents, and for contents without texts."""
    odd = found.keys() ^ set(wanted)
    if odd:
        raise ValueError(f"{package}: only one of the TOML file and {what}.py has {', '.join(sorted(odd))}")


def _load(package: str, name: str) -> Entry:
    return _plain(tomllib.loads(files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8")))


def _entries(document: Entry, name: str) -> list[Entry]:
    common = document.get(name.removesuffix("s"), {})
    return [{"name": key, **common, **entry} for key, entry in document.get(name, {}).items()]


def _plain(value: Any) -> Any:  # noqa: ANN401 - as TOML has it
    """The value with texts without the line breaks of the file, and with lists as tuples."""
    match value:
        case str():
            return " ".join(value.split())
        case list():
            return tuple(_plain(one) for one in value)  # pyright: ignore[reportUnknownVariableType]
        case dict():
            return {name: _plain(one) for name, one in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
