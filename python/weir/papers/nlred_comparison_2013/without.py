"""The same claims on runs without the habits of ns-2: verdicts side by side, curves, and a map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import polars as pl

from weir.charts.study import Plot
from weir.papers.claims import Claim, Judgement
from weir.papers.curves import levels
from weir.papers.data import Data, Study
from weir.papers.maps import ClaimMap, Place
from weir.papers.nlred_comparison_2013.claims import ASSERTIONS
from weir.papers.nlred_comparison_2013.conclusions import CONCLUSIONS
from weir.papers.nlred_comparison_2013.experiments import (
    LENGTHS,
    MAIN,
    PAPERS,
    PLACES,
    PLAIN,
    SENSITIVITY,
    WITHOUT,
    level,
)
from weir.papers.nlred_comparison_2013.explained import panels
from weir.papers.nlred_comparison_2013.figures import BAND, FLOWS_TITLE, TICKS, measured
from weir.papers.paper import Table

_LABEL = " without habits"


def plain(data: Data) -> Data:
    """What is without habits under the names of what has them, which is left out."""
    names = {name: name.removesuffix(PLAIN) for name in data.labels if name.endswith(PLAIN)}

    def renamed(rows: pl.DataFrame) -> pl.DataFrame:
        kept = rows.filter(~pl.col("variant").is_in(list(names.values())))
        return kept.with_columns(pl.col("variant").replace(names), pl.col("label").str.strip_suffix(_LABEL))

    return replace(data, frame=renamed(data.frame), runs=renamed(data.runs), _staged={})


def without(study: Study) -> Study:
    """A study that claims of the main experiments can be judged by."""
    pairs = zip((MAIN, SENSITIVITY, LENGTHS), WITHOUT, strict=True)
    found = {instead_of.name: plain(study[experiment.name]) for instead_of, experiment in pairs}
    return Study(found, quick=study.quick)


def verdicts(study: Study) -> Table:
    """All claims of the paper, judged twice."""
    plainly = without(study)
    rows = [_row(claim, claim.judge(study), claim.judge(plainly)) for claim in (*ASSERTIONS, *CONCLUSIONS)]
    changed = sum(bool(row[-1]) for row in rows)
    return Table(
        "verdicts-without-habits",
        "The same claims with ns-2's habits, and without them",
        ("Claim", "With", "Checks", "Decisive", "Without", "Checks", "Decisive", "Another verdict"),
        tuple(rows),
        "Verdict, checks that hold, and the value of the check that decides. "
        "Without: GRED, NLRED and RED signal as in their own papers but for the wait between signals; "
        "DropTail and REM are the same runs. "
        f"{changed} of {len(rows)} verdicts differ.",
    )


def _row(claim: Claim, one: Judgement, other: Judgement) -> tuple[str, ...]:
    differs = "yes" if one.verdict != other.verdict else ""
    return (claim.id, *_told(one), *_told(other), differs)


def _told(judgement: Judgement) -> tuple[str, str, str]:
    check = judgement.decisive
    held = f"{judgement.count('holds')} of {len(judgement.checks)}"
    unit = f" {check.unit}" if check.unit else ""
    return judgement.verdict, held, f"{check.value:.3g}{unit}"


def _beside(study: Study) -> Plot:
    families = ("gred", "nlred")
    names = tuple(f"{family}{PLAIN}" for family in families)
    return Plot(
        "without-habits",
        "GRED and NLRED with and without the habits of ns-2",
        "Without: as in the papers of RED and NLRED, but for the wait between signals. They drop early from "
        f"an empty queue then, as long as its average is high, and the link is idle more often. Queues "
        f"of DropTail and REM are left out. {BAND}",
        FLOWS_TITLE,
        panels(
            lambda measure: [
                *measured(study, measure, families if measure == "mean_queue" else PAPERS),
                *levels(study, level(names[0], measure, experiment=WITHOUT[0]), names),
            ]
        ),
        ticks=TICKS,
    )


@dataclass(frozen=True)
class PlainMap(ClaimMap):
    """Judged by the runs without habits."""

    def judge(self, study: Study) -> list[Place]:
        """Every claim at every setting."""
        return super().judge(Study({PLACES.name: plain(study[PLACES.name])}, quick=study.quick))


PLOTS: tuple[Callable[[Study], Plot], ...] = (_beside,)
