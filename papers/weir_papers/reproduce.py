"""Doing the runs of a paper, and judging by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weir.plot import draw
from weir.sweep import execute_plan
from weir_papers.claims import Judgement, Verdict, tally
from weir_papers.data import Data, Study
from weir_papers.paper import Experiment, Paper, Table

if TYPE_CHECKING:
    from weir.plot import Figure
    from weir.store import Store
    from weir.sweep import OnProgress, Plan, Workers


@dataclass(frozen=True)
class Planned:
    """A paper whose every point has been checked."""

    paper: Paper
    plans: tuple[Plan, ...]
    """One per experiment."""
    quick: bool

    @classmethod
    def of(cls, paper: Paper, *, quick: bool, replications: int | None) -> Planned:
        """Raises ScenarioError or WeirError, before any run."""
        plans = [one.plan(paper.key, quick=quick, replications=replications) for one in paper.experiments]
        return cls(paper, tuple(plans), quick)

    @property
    def runs(self) -> int:
        """Different runs."""
        return len({int(key) for plan in self.plans for key in plan.keys.ravel()})


@dataclass(frozen=True)
class Spent:
    """What an experiment took."""

    experiment: Experiment
    points: int
    variants: int
    replications: int
    runs: int
    cpu_s: float
    """Of its runs, whenever they were done."""
    command: str
    """That shows its runs."""


@dataclass(frozen=True)
class Outcome:
    """A paper, done again."""

    paper: Paper
    study: Study
    spent: tuple[Spent, ...]
    quick: bool

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        """Every claim with its verdict."""
        return tuple(claim.judge(self.study) for claim in self.paper.claims)

    @cached_property
    def tally(self) -> dict[Verdict, int]:
        """How many claims have which verdict."""
        return tally(self.judgements)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Drawn: those of the paper, then the maps."""
        drawn = [draw(plot(self.study)) for plot in self.paper.plots]
        return (*drawn, *(mapped.figure(self.study) for mapped in self.paper.maps))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table(self.study) for table in self.paper.tables)

    @property
    def cpu_s(self) -> float:
        """Of all runs, whenever they were done."""
        return sum(one.cpu_s for one in self.spent)

    @property
    def replications(self) -> str:
        """`10`, or `5 to 20`."""
        counts = sorted({one.replications for one in self.spent})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"

    def to_json(self) -> list[dict[str, Any]]:
        """The claims as `--json` prints them."""
        return [judgement.to_json(self.paper.key) for judgement in self.judgements]


Follow = Callable[[Experiment, "Plan"], AbstractContextManager["OnProgress | None"]]


def reproduce(
    planned: Planned, store: Store, workers: Workers, follow: Follow, command: str | None = None
) -> Outcome:
    """Does what the store does not have, experiment by experiment.

    Raises WorkersError, StoreError.
    """
    data: dict[str, Data] = {}
    spent: list[Spent] = []
    for experiment, plan in zip(planned.paper.experiments, planned.plans, strict=True):
        with follow(experiment, plan) as progress:
            sweep, _ = execute_plan(plan, store, workers, progress, command=command)
        data[experiment.name] = Data.of(experiment, sweep)
        spent.append(
            Spent(
                experiment,
                len(plan.design.rows),
                len(plan.variants),
                plan.replications,
                len({int(key) for key in plan.keys.ravel()}),
                sweep.cost.cpu_s,
                f"weir results {plan.name}",
            )
        )
    return Outcome(planned.paper, Study(data, quick=planned.quick), tuple(spent), planned.quick)


def summary(outcomes: Sequence[Outcome]) -> dict[Verdict, int]:
    """Verdicts of all papers together."""
    return tally([judgement for outcome in outcomes for judgement in outcome.judgements])
