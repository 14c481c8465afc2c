"""Maps of a claim: its verdict over settings that the paper does not state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from textwrap import wrap
from typing import Any

import polars as pl

from weir.plot import Figure, verdict_map
from weir_papers.claims import Claim, Judgement
from weir_papers.data import Study

_SIGNS = {"holds": "✓", "tie": "=", "undecided": "?", "does not hold": "✗"}
"""Signs of verdicts, best first, legible in grey print."""


@dataclass(frozen=True)
class ClaimMap:
    """Claims judged anew at every setting of one or two axes of an experiment."""

    name: str
    title: str
    caption: str
    experiment: str
    """Experiment that varies the settings."""
    instead_of: str
    """The experiment that the claims speak of."""
    axes: tuple[str, ...]
    """One or two short names of axes of the experiment: across, and up."""
    titles: tuple[str, ...]
    """Titles of the axes, with units: `Rate (Mbit/s)`."""
    claims: tuple[Claim, ...]
    used: tuple[float, ...] = ()
    """Setting of the main figures, if the map has it."""
    study: Callable[[Study], Study] = lambda study: study
    """Function from the runs of the paper to the runs by which the map judges."""

    def figure(self, study: Study) -> Figure:
        """The map: one cell per setting, coloured and signed by the verdict, and a frame around the setting
        used."""
        rows = pl.DataFrame([self._row(place) for place in self.judge(study)])
        panels = {claim.id: wrap(f"{claim.id}: {claim.text}", 46) for claim in self.claims}
        shown = {"verdict": "verdict", "decisive": "decided by"}
        chart = verdict_map(rows, list(_SIGNS), self.titles, panels, shown, (240, 26), 11)
        said = "Each cell is a setting, judged as the main claims are: "
        said += "✓ holds, = tie, ✗ does not hold, ? undecided."
        if self.used:
            said += " The frame is the setting of the other figures."
        return Figure(self.name, self.title, f"{self.caption} {said}", chart, rows)

    def _row(self, place: Place) -> dict[str, Any]:
        judged, check = place.judgement, place.judgement.decisive
        x, y = [*place.setting, 0.0][:2]
        return {
            "panel": judged.claim.id,
            "x": x,
            "y": y,
            "verdict": judged.verdict,
            "sign": _SIGNS[judged.verdict],
            "decisive": f"{check.title}, {check.place}: {check.value:.4g}; expected {check.expected_text}",
            "framed": bool(self.used) and tuple(place.setting) == tuple(self.used),
        }

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
