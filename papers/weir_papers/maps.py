"""Where a claim holds: its verdict over settings that the paper does not state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

from weir_papers.claims import Claim, Judgement
from weir_papers.data import Study


@dataclass(frozen=True)
class ClaimMap:
    """Claims judged anew at every setting of one or two axes of an experiment."""

    name: str
    title: str
    caption: str
    experiment: str
    """That varies the settings."""
    instead_of: str
    """The experiment that the claims speak of."""
    axes: tuple[str, ...]
    """One or two short names of axes of the experiment: across, and up."""
    titles: tuple[str, ...]
    """Of the axes, with units: `Rate (Mbit/s)`."""
    claims: tuple[Claim, ...]
    used: tuple[float, ...] = ()
    """The setting of the main figures, where it is one of the map."""
    study: Callable[[Study], Study] = lambda study: study
    """The runs to judge by, from those of the paper."""

    def judge(self, study: Study) -> list[Place]:
        """Every claim at every setting."""
        study = self.study(study)
        levels = [study[self.experiment].levels(axis) for axis in self.axes]
        found: list[Place] = []
        for setting in product(*levels):
            there = study.at(self.experiment, self.instead_of, **dict(zip(self.axes, setting, strict=True)))
            found += [Place(setting, claim.judge(there)) for claim in self.claims]
        return found


@dataclass(frozen=True)
class Place:
    """A claim at a setting."""

    setting: Sequence[float]
    judgement: Judgement
