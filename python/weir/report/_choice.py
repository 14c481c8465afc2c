"""The page of `weir tune --disciplines`: what each discipline reaches, in words, a figure and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir import _core
from weir.aqm import sources
from weir.plot import write_page
from weir.plot.tuning import choice_panel
from weir.report._directory import write_document
from weir.report._tuning import ANSWER
from weir.stats import MEASURES, wording
from weir.tune import Choice, arguments_of, choice_grid, choice_words, looked_at, outcome_words

_INTERVALS = (
    "Intervals are Student's t over replications. Those of targets hold for all looks together; others "
    "are of one look, though the targets decided how many replications there are."
)


@dataclass(frozen=True)
class ChoicePage:
    """Answers of several disciplines, with the data needed to use and to repeat them."""

    choice: Choice
    exports: Mapping[str, Mapping[str, str]]
    """Settings of each discipline for other systems, texts by form, such as `tc script`."""

    def write(self, directory: Path, images: Sequence[str] = ()) -> None:
        """Writes report.html and answer.json into a directory; into its folder `figures`, the figure in these
        forms (`weir.plot.IMAGES`)."""
        choice = self.choice
        assert choice.record is not None
        tuned = list(choice.tuned.values())
        chosen = tuned[0].answer.chosen
        measures = [outcome.target.measure for outcome in chosen.worst_of_each] + list(chosen.beside)
        seconds = {"Time": choice.wall_s, "CPU time": choice.cpu_s}
        write_page(
            directory,
            "choice.html.jinja",
            f"Which queue: {choice.record.title}",
            {},
            [choice_panel(choice)],
            templates=Path(__file__).parent,
            images=images,
            choice=choice,
            said=choice_words(choice),
            met=any(one.answer.chosen.state == "met" for one in tuned),
            grid=choice_grid(choice),
            words=outcome_words,
            looked_at=looked_at,
            arguments_of=arguments_of,
            exports=self.exports,
            measures=[MEASURES[name] for name in dict.fromkeys(measures)],
            intervals=_INTERVALS,
            cost={
                "Runs": f"{sum(one.answer.runs for one in tuned):,}",
                **{name: f"{wording.number(s, 1)} s" for name, s in seconds.items() if s > 0.0},
                "Weir": f"{_core.__version__} (results version {_core.results_version})",
            },
            answer_file=ANSWER,
            classes={
                cls: text for one in tuned for cls, text in sources.texts_in(one.task.scenario.core).items()
            },
        )
        write_document(directory / ANSWER, choice.to_json())
