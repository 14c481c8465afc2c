"""The page of evidence of `weir tune`: the answer, its figures and its maps, and how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, cast

from weir import _core
from weir.aqm import sources
from weir.plot import Panel, page, write_page
from weir.plot.tuning import panels_of
from weir.report._directory import write_document
from weir.stats import wording
from weir.sweep import scalar_text
from weir.tune import FRESH_SEEDS, Tuned, words

ANSWER = "answer.json"

_TEMPLATES = Path(__file__).parent
_TEMPLATE = "tuning.html.jinja"

_ROLES = {"chosen": "This setting", "nearest": "Nearest setting", "best found": "Best found"}
"""Headings of the column of the judged setting."""


@dataclass(frozen=True)
class Evidence:
    """Answer with its evidence, and with the data needed to use and to repeat it.

    Example:
        >>> from weir.report import Evidence
        >>> found = scenario.variant("rem-mark").tune(["mean delay < 200 ms"], ["rem.gamma=0.0001..0.01"])
        >>> evidence = Evidence(found)
        >>> evidence.title, evidence.to_json()["verdict"]
        ('REM paper, section 4.2: 20 to 160 NewReno users on 64 Mbit/s', 'defaults already meet it')
        >>> evidence.html(evidence.panels, script="").startswith("<!doctype html>")
        True
    """

    tuned: Tuned
    exports: Mapping[str, str] = field(default_factory=dict[str, str])
    """Settings of the answer for other systems, texts by form (`tc script`, `OpenWrt SQM` or `scenario`)."""

    @property
    def title(self) -> str:
        core = self.tuned.task.scenario.core
        return core.title or core.name

    @property
    def command(self) -> str | None:
        """Command line that asked; None if there was none."""
        return self.tuned.record.command if self.tuned.record is not None else None

    @property
    def resolved(self) -> str:
        """Scenario with every default, before anything was changed."""
        return self.tuned.task.scenario.to_toml()

    @property
    def panels(self) -> list[Panel]:
        """Figures in the order of the page."""
        return panels_of(self.tuned)

    def write(self, directory: Path, images: Sequence[str] = ()) -> None:
        """Writes report.html, answer.json and resolved.toml into a directory; into its folder `figures`, the
        figures in these forms (`weir.plot.IMAGES`).

        Raises OSError where a file cannot be written.

        Example:
            >>> from pathlib import Path
            >>> from weir.report import Evidence
            >>> Path("answer").mkdir()
            >>> found = scenario.variant("rem-mark").tune(["mean delay < 200 ms"], ["rem.gamma=0.0001..0.01"])
            >>> Evidence(found).write(Path("answer"))
            >>> sorted(path.name for path in Path("answer").iterdir())
            ['answer.json', 'report.html', 'resolved.toml']
        """
        title, values = f"Tuning: {self.title}", self._values()
        write_page(
            directory, _TEMPLATE, title, {}, self.panels, templates=_TEMPLATES, images=images, **values
        )
        (directory / "resolved.toml").write_text(self.resolved, encoding="utf-8")
        write_document(directory / ANSWER, self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Returns the contents of the page as plain values."""
        tuned = self.tuned
        answer, seed = tuned.answer, tuned.task.scenario.core.seed
        document = {
            "sentence": words.sentence(answer),
            "reasons": words.reasons(answer),
            **answer.to_json(),
            "scenario": tuned.task.source,
            "title": self.title,
            "axes": [axis.to_json() for axis in tuned.task.space.axes],
            "set": [f"{path}={scalar_text(value)}" for path, value in answer.chosen.setting.items()],
            "seed": seed,
            "fresh_seed": seed + FRESH_SEEDS,
            "command": self.command,
            "wall_s": tuned.wall_s,
            "cpu_s": tuned.cpu_s,
            "weir": _core.__version__,
            "results_version": _core.results_version,
            "exports": dict(self.exports),
            "notes": [note.to_json() for note in tuned.task.notes],
            "robustness": [cell.to_json() for cell in tuned.cells],
            "worst_condition": words.worst_corner(tuned.cells).to_json() if tuned.cells else None,
            "op_red": [phase.to_json() for phase in tuned.phases],
        }
        return cast("dict[str, Any]", _finite(document))

    def html(self, panels: Sequence[Panel], script: str) -> str:
        """HTML of the page alone. `script` defines `vegaEmbed`."""
        title = f"Tuning: {self.title}"
        return page(_TEMPLATE, title, {}, panels, script, templates=_TEMPLATES, **self._values())

    def _values(self) -> dict[str, Any]:
        """Values that the template reads, except the figures."""
        answer, task = self.tuned.answer, self.tuned.task
        chosen = answer.chosen
        same = not chosen.setting
        judged = [one.worst_of_each for one in ((chosen,) if same else (chosen, answer.defaults))]
        seed = task.scenario.core.seed
        fresh = seed + FRESH_SEEDS
        seconds = {"Time": self.tuned.wall_s, "CPU time": self.tuned.cpu_s}
        return {
            "text": words,
            "answer": answer,
            "tuned": self.tuned,
            "evidence": self,
            "same": same,
            "role": _ROLES.get(words.ROLES[answer.verdict], "Your defaults"),
            "targets": list(zip(*judged, strict=True)),
            "parameters": self._parameters(),
            "measures": [target.of for target in {t.measure: t for t in answer.targets}.values()],
            "origin": {
                "Weir": f"{_core.__version__} (results version {_core.results_version})",
                "Seeds of the search": f"from {seed}",
                "Fresh seeds": f"{fresh} to {fresh + words.seeds_of(chosen) - 1}",
            },
            "cost": {
                "Runs": f"{answer.runs:,}",
                **({"Settings tried": f"{len(answer.tried):,}"} if answer.tried else {}),
                **{name: f"{wording.number(s, 1)} s" for name, s in seconds.items() if s > 0.0},
            },
            "answer_file": ANSWER,
            "classes": sources.texts_in(task.scenario.core),
        }

    def _parameters(self) -> list[dict[str, str]]:
        """Parameters that may be changed, in words."""
        axes = self.tuned.task.space.axes
        setting, core = self.tuned.answer.chosen.setting, self.tuned.task.scenario.core
        found: list[dict[str, str]] = []
        for title, axis in zip(words.names_of([axis.column for axis in axes]), axes, strict=True):
            bounds = axis.range
            assert bounds is not None
            default = core.value(axis.column)
            found.append(
                {
                    "title": title,
                    "path": axis.column,
                    "default": words.value_words(default),
                    "value": words.value_words(setting.get(axis.column, default)),
                    "bounds": f"{bounds.low:g} to {bounds.high:g} {bounds.unit}".rstrip(),
                }
            )
        return found


def _finite(value: object) -> object:
    """Value for JSON, which has no infinity: what is not finite becomes null."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(one) for key, one in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in cast("Sequence[Any]", value)]
    return value
