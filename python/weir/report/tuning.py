"""The page of evidence of `weir tune`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir import _core
from weir.plot import Panel, page, write_page
from weir.plot.tuning import Data, panels_of
from weir.plot.tuning.data import default_of
from weir.plot.tuning.effects import said, shape_of
from weir.plot.tuning.maps import beyond, worst_corner
from weir.plot.tuning.words import ROLES, SIGNS, condition_words, sentence, words_of
from weir.report.evidence import Evidence
from weir.report.tuning_words import (
    margin,
    measured,
    reasons,
    role_of,
    seeds_of,
    shown,
    target_words,
    verdict_sentence,
    worst_of_each,
)
from weir.stats import wording
from weir.tune.answer import Confirmed, State
from weir.tune.evaluator import FRESH

ANSWER = "answer.json"

_TEMPLATES = Path(__file__).parent
_TEMPLATE = "tuning.html.jinja"


def write_evidence(evidence: Evidence, directory: Path) -> None:
    """Writes report.html, figures/, answer.json and resolved.toml into a directory."""
    panels = evidence_panels(evidence)
    write_page(directory, _TEMPLATE, _title(evidence), {}, panels, templates=_TEMPLATES, **_values(evidence))
    (directory / "resolved.toml").write_text(evidence.resolved, encoding="utf-8")
    text = json.dumps(evidence.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
    (directory / ANSWER).write_text(text + "\n", encoding="utf-8")


def evidence_panels(evidence: Evidence) -> list[Panel]:
    """The figures in the order of the page."""
    axes = evidence.region.axes if evidence.region is not None else ()
    return panels_of(evidence.data, axes, evidence.cells, evidence.phases)


def evidence_html(evidence: Evidence, panels: Sequence[Panel], script: str) -> str:
    """The page alone. `script` defines `vegaEmbed`."""
    values = _values(evidence)
    return page(_TEMPLATE, _title(evidence), {}, panels, script, templates=_TEMPLATES, **values)


def _title(evidence: Evidence) -> str:
    return f"Tuning: {evidence.title}"


def _values(evidence: Evidence) -> dict[str, Any]:
    """What the template reads beside the figures."""
    answer, data = evidence.answer, evidence.data
    same = not answer.chosen.setting
    return {
        "state": answer.verdict.replace(" ", "-"),
        "sentence": verdict_sentence(data),
        "reasons": reasons(data),
        "role": role_of(data),
        "same": same,
        "targets": _targets(answer.chosen, None if same else answer.defaults),
        "parameters": _parameters(evidence),
        "settings": [] if same else [_argument(text) for text in evidence.settings],
        "name": evidence.name,
        "options": list(evidence.options),
        "nearest": answer.verdict not in {"achieved", "defaults already meet it"},
        "exports": evidence.exports,
        "shapes": _shapes(data),
        "worst": _worst(evidence),
        "command": evidence.command,
        "origin": _origin(evidence),
        "cost": _cost(evidence),
        "resolved": evidence.resolved,
        "measures": [target.of for target in {t.measure: t for t in answer.targets}.values()],
        "answer_file": ANSWER,
    }


@dataclass(frozen=True)
class _Judged:
    """A target at a setting, in words."""

    measured: str
    where: str
    margin: str
    state: State
    sign: str


def _targets(chosen: Confirmed, defaults: Confirmed | None) -> list[tuple[str, list[_Judged]]]:
    columns = [worst_of_each(judged) for judged in (chosen, defaults) if judged is not None]
    return [
        (
            target_words(outcomes[0].target),
            [
                _Judged(measured(o), condition_words(o.condition), margin(o), o.state, SIGNS[o.state])
                for o in outcomes
            ],
        )
        for outcomes in zip(*columns, strict=True)
    ]


@dataclass(frozen=True)
class _Parameter:
    """What may be changed, in words."""

    title: str
    path: str
    default: str
    value: str
    bounds: str


def _parameters(evidence: Evidence) -> list[_Parameter]:
    data = evidence.data
    found: list[_Parameter] = []
    for index, axis in enumerate(evidence.axes):
        bounds = axis.range
        assert bounds is not None
        ends = f"{bounds.low:g} to {bounds.high:g}{f' {bounds.unit}' if bounds.unit else ''}"
        value = evidence.answer.chosen.setting.get(axis.column)
        default = shown(default_of(evidence.resolved, axis.column))
        found.append(
            _Parameter(
                data.titles[index], axis.column, default, default if value is None else shown(value), ends
            )
        )
    return found


def _argument(text: str) -> str:
    """As a shell takes it."""
    return f'--set "{text}"' if " " in text else f"--set {text}"


def _shapes(data: Data) -> str:
    """How the measures answer to the parameters, a sentence each; empty where it is not known."""
    clauses: list[str] = []
    for measure in dict.fromkeys(shape.measure for shape in data.answer.shapes):
        target = next(t for t in data.answer.targets if t.measure == measure)
        found = [
            said(shape, data, index)
            for index in range(len(data.axes))
            if (shape := shape_of(data, index, measure)) is not None
        ]
        clauses.append(f"{sentence(words_of(target.of))}: {'; '.join(found)}.")
    return " ".join(clauses)


def _worst(evidence: Evidence) -> str:
    """What the map says; empty for no map."""
    if evidence.region is None or not evidence.cells:
        return ""
    cell = worst_corner(evidence.cells)
    held = sum(c.inside and c.state == "met" for c in evidence.cells)
    inside = sum(c.inside for c in evidence.cells)
    role = ROLES[evidence.answer.verdict]
    who = "Your defaults meet" if role == "defaults" else "This setting meets"
    said = f"{measured(cell.worst)}, where the target is {target_words(cell.worst.target)}: {cell.state}"
    return (
        f"{who} every target in {held} of {inside} conditions of the map. The worst is "
        f"{condition_words(cell.condition)}, with {words_of(cell.worst.target.of)} {said}. "
        f"{beyond(evidence.cells)}"
    ).rstrip()


def _origin(evidence: Evidence) -> dict[str, str]:
    first, fresh = evidence.seed, evidence.seed + FRESH
    found = {
        "Weir": f"{_core.__version__} (results version {_core.results_version})",
        "Seeds of the search": f"from {first}",
        "Fresh seeds": f"{fresh} to {fresh + seeds_of(evidence.answer.chosen) - 1}",
    }
    return {**found, **evidence.origin}


def _cost(evidence: Evidence) -> dict[str, str]:
    found = {"Runs": f"{evidence.answer.runs:,}"}
    if evidence.answer.tried:
        found["Settings tried"] = f"{len(evidence.answer.tried):,}"
    if evidence.wall_s > 0.0:
        found["Time"] = f"{wording.number(evidence.wall_s, 1)} s"
    if evidence.cpu_s > 0.0:
        found["CPU time"] = f"{wording.number(evidence.cpu_s, 1)} s"
    return found
