"""The pages of `weir evaluate`: a scorecard for each discipline, and the comparison of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from weir import _core
from weir.aqm import sources
from weir.check import units
from weir.evaluate import COMPARED_BY, Evaluation, Judgement, Subject, against, cells, known_of, ranks, words
from weir.plot import Figure, Panel, comparison_figure, scorecard_figures, write_page
from weir.report._directory import REPORT, write_document
from weir.stats import wording

SCORECARD, COMPARISON = "scorecard.html", "comparison.html"
VERDICTS, CELLS = "verdicts.json", "cells.parquet"

_TEMPLATES = Path(__file__).parent


@dataclass(frozen=True)
class EvaluationPages:
    """Files of an evaluation: its pages, data and scenarios."""

    evaluation: Evaluation

    def write(self, directory: Path, images: Sequence[str] = ()) -> Path:
        """Writes a scorecard for each discipline, the comparison, `verdicts.json`, `cells.parquet` and the
        resolved scenarios into a directory; figures in these forms (`weir.plot.IMAGES`) beside it.
        Returns the first page."""
        names = list(self.evaluation.judgements)
        pages: list[Path] = []
        for name in names:
            place = directory if len(names) == 1 else directory / name
            place.mkdir(parents=True, exist_ok=True)
            pages.append(self._scorecard(name, place, images))
        if len(self.evaluation.request.everyone) > 1:
            self._comparison(directory)
        write_document(directory / VERDICTS, self.to_json())
        self.evaluation.values.write_parquet(directory / CELLS, compression="zstd")
        self._resolved(directory / "resolved")
        return directory / COMPARISON if len(names) > 1 else pages[0]

    def to_json(self) -> dict[str, Any]:
        """Document that `weir evaluate --json` prints."""
        found = self.evaluation
        request = found.request
        return {
            "weir": _core.__version__,
            "results_version": _core.results_version,
            "result": found.record.number,
            "command": found.record.command,
            "quick": request.quick,
            "exit_code": found.exit_code,
            "seeds": dict(found.seeds),
            "looks": list(request.looks),
            "wall_s": found.wall_s,
            "cpu_s": found.cpu_s,
            "references": [one.name for one in request.references],
            "disciplines": [
                {
                    "name": one.name,
                    "discipline": one.discipline,
                    "parameters": dict(one.parameters),
                    "source": one.source or None,
                    "gate": found.judgements[one.name][0].verdict,
                    "criteria": [judged.to_json() for judged in found.judgements[one.name]],
                }
                for one in request.subjects
            ],
            "not_available": [
                {"suite": cell.suite, "cell": cell.name, "section": cell.section, "needs": cell.needs}
                for cell in request.cells
                if cell.needs
            ],
            "deviations": list(words.DEVIATIONS),
        }

    def _scorecard(self, name: str, directory: Path, images: Sequence[str]) -> Path:
        found = self.evaluation
        judged = found.judgements[name]
        subject = next(one for one in found.request.subjects if one.name == name)
        _page(
            directory,
            SCORECARD,
            "scorecard.html.jinja",
            f"Scorecard: {name}",
            self._facts(subject),
            scorecard_figures(found, name),
            images,
            text=words,
            judged=judged,
            gate=words.gate_words(judged),
            chapters=grades(judged),
            lacking=[cell for cell in found.request.cells if cell.needs or cell.lacks],
            drifting=words.drifting(found, name),
            deviations=words.DEVIATIONS,
            command=found.record.command,
            classes=self._classes(name),
        )
        return directory / SCORECARD

    def _classes(self, name: str) -> dict[str, str]:
        """The files in Python of a subject, by the class."""
        settings = [one for of_cell in self.evaluation.settings.values() for one in of_cell.values()]
        of_subject = next((one for one in settings if one.subject == name), None)
        return {} if of_subject is None else sources.texts_in(of_subject.scenario)

    def _facts(self, subject: Subject) -> dict[str, str]:
        found = self.evaluation
        least, most = min(found.seeds.values()), max(found.seeds.values())
        parameters = ", ".join(f"{name} {value}" for name, value in subject.parameters.items())
        return {
            "Discipline": subject.source or subject.discipline,
            "Parameters": parameters or "the defaults",
            "Seeds": f"{least}" if least == most else f"{least} to {most}",
            "Cells": f"{len(found.seeds)}{' (quick)' if found.request.quick else ''}",
            "Weir": f"{_core.__version__} (results version {_core.results_version})",
            "Date": f"{datetime.now().astimezone():%Y-%m-%d}",
        }

    def _comparison(self, directory: Path) -> None:
        found = self.evaluation
        known = known_of(found.values)
        names = [one.name for one in found.request.everyone]
        tables = [one for one in (ranks(known, names, measure) for measure in COMPARED_BY) if one is not None]
        figure = comparison_figure(found)
        _page(
            directory,
            COMPARISON,
            "comparison.html.jinja",
            f"Comparison: {units.listed(names)}",
            {"Disciplines": f"{len(names)}", "Cells": f"{len(found.seeds)}"},
            [] if figure is None else [figure],
            (),
            ranks=tables,
            groups=[[units.listed(group) for group in one.groups()] for one in tables],
            number=wording.number,
            counts=self._counts(),
            verdicts=found.judgements,
            rows=list(zip(*found.judgements.values(), strict=True)),
        )

    def _counts(self) -> list[tuple[str, str, str, list[int]]]:
        """Counts for each discipline, each other one and each measure: at how many places it is better,
        worse, equal, undecided."""
        found = self.evaluation
        known = known_of(found.values)
        rows: list[tuple[str, str, str, list[int]]] = []
        every = cells()
        for one in found.request.subjects:
            for other in found.request.everyone:
                if other.name == one.name:
                    continue
                for measure in COMPARED_BY:
                    places = against(known, every, len(found.request.looks), one.name, other.name, measure)
                    relations = [place.relation for place in places]
                    order = ("better", "worse", "equal within the margin", "undecided")
                    rows.append(
                        (one.name, other.name, measure.replace("_", " "), [relations.count(r) for r in order])
                    )
        return rows

    def _resolved(self, directory: Path) -> None:
        """Writes the scenarios of the subjects with every default, at the first level of each cell."""
        for cell, settings in self.evaluation.settings.items():
            for one in self.evaluation.request.subjects:
                first = next((s for s in settings.values() if s.subject == one.name), None)
                if first is not None:
                    place = directory / one.name
                    place.mkdir(parents=True, exist_ok=True)
                    (place / f"{cell}.toml").write_text(first.scenario.to_toml(), encoding="utf-8")


def grades(judged: Sequence[Judgement]) -> list[tuple[str, str, str]]:
    """Chapter or suite, its grade, and why: A all criteria hold that are tested there, B none fails, C one
    fails, D more, – nothing available."""
    states: dict[str, dict[str, str]] = {}
    for one in judged:
        for place in one.places:
            name = (
                f"{place.cell.suite} {place.cell.family}"
                if place.cell.suite == "rfc7928"
                else place.cell.suite
            )
            states.setdefault(name, {})[one.criterion.title] = one.verdict
    found: list[tuple[str, str, str]] = []
    for name in sorted(states, key=_order):
        verdicts = states[name]
        failed = [title for title, verdict in verdicts.items() if verdict == "does not hold"]
        held = all(verdict == "holds" for verdict in verdicts.values())
        grade = "A" if held else "B" if not failed else "C" if len(failed) == 1 else "D"
        found.append(
            (name.replace("rfc7928", "RFC 7928, chapter"), grade, units.listed(failed) if failed else "")
        )
    return found


def _order(name: str) -> tuple[str, int]:
    suite, _, chapter = name.partition(" ")
    return suite, int(chapter) if chapter.isdigit() else 0


def _page(
    directory: Path,
    name: str,
    template: str,
    title: str,
    facts: dict[str, str],
    figures: Sequence[Figure],
    images: Sequence[str],
    **values: object,
) -> None:
    write_page(
        directory,
        template,
        title,
        facts,
        [Panel.of(figure) for figure in figures],
        templates=_TEMPLATES,
        images=images,
        **values,
    )
    (directory / REPORT).rename(directory / name)
