"""Readings of a paper, as axes of its open settings: the readings in which a claim fits, and one of them in
full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from weir_papers.quantities import plain

if TYPE_CHECKING:
    from weir_papers.claims import Claim, Judgement
    from weir_papers.data import Data, Study


@dataclass(frozen=True)
class Setting:
    """A setting that a paper leaves open, and the values that it may have had."""

    axes: tuple[str, ...]
    """Short names of axes of the experiment."""
    title: str
    """Title: `TCP`."""
    names: Mapping[str, str]
    """Values of the axes, separated by spaces, to their names. Values without a name are no reading."""

    def levels(self, data: Data) -> list[tuple[dict[str, float | str], str]]:
        """Values by axis, with their names."""
        rows = data.runs.select(self.axes).unique().to_dicts()
        known = {" ".join(map(plain, row.values())): row for row in rows}
        return [(known[text], name) for text, name in self.names.items() if text in known]


@dataclass(frozen=True)
class Readings:
    """Every combination of settings that a paper leaves open, with few replications each."""

    of: str
    """Experiment of the claims."""
    experiment: str
    """Experiment at every reading: its axes are those of `of`, and the settings."""
    settings: tuple[Setting, ...]
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further experiments of the claims, each with the experiment that has it at the same readings."""

    def fits(self, claims: Sequence[Claim], study: Study) -> pl.DataFrame:
        """Table of the claims in each reading: claim, reading, likely (the finding by the means), a column of
        names for each setting. A claim fits where that finding is *holds*.

        Claims that have nothing to do with the experiments are left out.
        """
        data = study[self.experiment]
        rows: list[dict[str, object]] = []
        for number, reading in enumerate(product(*(one.levels(data) for one in self.settings))):
            at = {axis: value for values, _ in reading for axis, value in values.items()}
            words = {one.title: word for one, (_, word) in zip(self.settings, reading, strict=True)}
            experiments = {self.of: self.experiment, **self.also}
            there = study.instead({of: study[one].at(**at) for of, one in experiments.items()})
            for claim in claims:
                there.asked.clear()
                judged = claim.judge(there)
                if there.asked & experiments.keys():
                    rows.append({"claim": claim.id, "reading": number, "likely": judged.likely, **words})
            # What has nothing to do with one reading has nothing to do with the others.
            concerned = {row["claim"] for row in rows}
            claims = [claim for claim in claims if claim.id in concerned]
        return pl.DataFrame(rows)


@dataclass(frozen=True)
class Column:
    """One reading run in full, beside the reading that the figures show."""

    name: str
    title: str
    instead: Mapping[str, str]
    """Experiment to the one that replaces it."""

    def study(self, study: Study) -> Study:
        """The runs by which the reading is judged."""
        return study.instead({name: study[other] for name, other in self.instead.items()})

    def judged(self, claims: Sequence[Claim], study: Study) -> dict[str, Judgement]:
        """Claim to its judgement in this reading. Claims that have nothing to do with it are left out."""
        there = self.study(study)
        found: dict[str, Judgement] = {}
        for claim in claims:
            there.asked.clear()
            judgement = claim.judge(there)
            if there.asked & self.instead.keys():
                found[claim.id] = judgement
        return found
