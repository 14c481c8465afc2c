"""What a paper does not say, as axes: in which readings of it a claim fits, and one of them run in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from weir_papers.quantities import plain

if TYPE_CHECKING:
    from weir_papers.claims import Claim
    from weir_papers.data import Data, Study


@dataclass(frozen=True)
class Setting:
    """Something that a paper leaves open, and what it may have been."""

    axes: tuple[str, ...]
    """Short names of axes of the experiment."""
    title: str
    """`TCP`."""
    names: Mapping[str, str]
    """Values of the axes, spaces between, to what they are called. What has no name is no reading."""

    def levels(self, data: Data) -> list[tuple[dict[str, float | str], str]]:
        """Values by axis, with what they are called."""
        rows = data.runs.select(self.axes).unique().to_dicts()
        known = {" ".join(map(plain, row.values())): row for row in rows}
        return [(known[text], name) for text, name in self.names.items() if text in known]


@dataclass(frozen=True)
class Readings:
    """Every combination of settings that a paper leaves open, with few replications each."""

    of: str
    """The experiment that the claims speak of."""
    experiment: str
    """The same at every reading: its axes are those of `of`, and the settings."""
    settings: tuple[Setting, ...]
    also: Mapping[str, str] = field(default_factory=dict[str, str])
    """Further experiments that claims speak of, to those that have them at the same readings."""

    def fits(self, claims: Sequence[Claim], study: Study) -> pl.DataFrame:
        """Which claims fit in which readings: claim, reading, fits, and a column of names for each setting.

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
                    rows.append({"claim": claim.id, "reading": number, "fits": judged.fits, **words})
            # What has nothing to do with one reading has nothing to do with the others.
            concerned = {row["claim"] for row in rows}
            claims = [claim for claim in claims if claim.id in concerned]
        return pl.DataFrame(rows)


@dataclass(frozen=True)
class Column:
    """One reading in full beside the one that the figures show."""

    name: str
    title: str
    instead: Mapping[str, str]
    """Experiment to the one that takes its place."""

    def study(self, study: Study) -> Study:
        """The runs to judge by."""
        return study.instead({name: study[other] for name, other in self.instead.items()})
