"""Runs of a paper, and verdicts by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weir.plot import draw
from weir.sweep import execute_plan
from weir_papers.claims import Judgement
from weir_papers.data import Data, Study
from weir_papers.expected import HOLDS, TIE, Finding
from weir_papers.groups import (
    CONTRADICTED,
    DEPENDS,
    GROUPS,
    OURS,
    REPRODUCED,
    SO_FAR,
    Group,
    grouped,
)
from weir_papers.overview import counts_bar, reading_map
from weir_papers.paper import Experiment, Paper, Table

if TYPE_CHECKING:
    import polars as pl

    from weir.plot import Figure
    from weir.store import Store
    from weir.sweep import OnProgress, Plan, Workers


@dataclass(frozen=True)
class Planned:
    """A paper whose points have all been checked."""

    paper: Paper
    plans: tuple[Plan, ...]
    """Plans, one per experiment."""
    quick: bool
    seed: int
    """Seed of the first replication."""
    shortened: tuple[str, ...]
    """Experiments that are shorter than in the full set: `flows: 3 of 6 settings, 3 of 10 seeds`."""

    @classmethod
    def of(
        cls, paper: Paper, *, quick: bool, replications: int | None = None, seed: int | None = None
    ) -> Planned:
        """Checks the plans of a paper. `seed` is that of the first replication; the default is drawn from the
        claims.

        Raises ScenarioError or WeirError, before any run.
        """
        seed = paper.seed if seed is None else seed
        plans = [
            one.plan(paper.key, quick=quick, replications=replications, seed=seed)
            for one in paper.experiments
        ]
        pairs = zip(paper.experiments, plans, strict=True)
        shortened = [one.shortened(paper.key, plan) for one, plan in pairs]
        return cls(paper, tuple(plans), quick, seed, tuple(text for text in shortened if text))

    @property
    def runs(self) -> int:
        """Number of different runs."""
        return len({int(key) for plan in self.plans for key in plan.keys.ravel()})


@dataclass(frozen=True)
class Spent:
    """Cost of an experiment."""

    experiment: Experiment
    points: int
    variants: int
    replications: int
    runs: int
    cpu_s: float
    """CPU time of the runs, s, whenever they were done."""
    command: str
    """Command that shows the runs."""


@dataclass(frozen=True)
class Reproduction:
    """A paper as it was reproduced: its study, what that cost, and how it was planned."""

    paper: Paper
    study: Study
    spent: tuple[Spent, ...]
    planned: Planned

    @property
    def quick(self) -> bool:
        return self.planned.quick

    @property
    def is_full(self) -> bool:
        """True if every setting was run with as many seeds as the full set has. Else there is no group."""
        return not self.planned.shortened

    @property
    def seeds(self) -> range:
        """Seeds of the replications, as many as any experiment has."""
        return range(self.planned.seed, self.planned.seed + max(one.replications for one in self.spent))

    @cached_property
    def judgements(self) -> tuple[Judgement, ...]:
        """Every claim with its verdict."""
        return tuple(claim.judge(self.study) for claim in self.paper.claims)

    @cached_property
    def columns(self) -> dict[str, dict[str, Judgement]]:
        """Title of each reading that was run in full, to its judgements of the claims that it concerns."""
        return {column.title: column.judged(self.paper.claims, self.study) for column in self.paper.columns}

    @cached_property
    def readings(self) -> tuple[pl.DataFrame, ...]:
        """Table of the claims that fit in each reading: see `Readings.fits`."""
        return tuple(one.fits(self.paper.claims, self.study) for one in self.paper.readings)

    @cached_property
    def groups(self) -> dict[str, Group]:
        """Claim to its group; to what it looks like so far, where less than the full set was run."""
        if not self.is_full:
            return {one.claim.id: OURS if one.claim.ours else SO_FAR[one.verdict] for one in self.judgements}
        return {one.claim.id: grouped(one, self.elsewhere(one.claim.id)) for one in self.judgements}

    def regrouped(self, share: float) -> int:
        """Number of claims with another group, where this share of the other readings is asked for."""
        return sum(
            grouped(one, self.elsewhere(one.claim.id), share) != self.groups[one.claim.id]
            for one in self.judgements
        )

    def elsewhere(self, claim: str) -> list[Finding]:
        """Findings on a claim in the other readings: by the means alone where there are few replications."""
        likely = [value for rows in self.readings for value in rows.filter(claim=claim)["likely"]]
        return likely + [judged[claim].verdict for judged in self.columns.values() if claim in judged]

    @cached_property
    def counts(self) -> dict[Group, int]:
        """Number of claims in each group. A full set has an entry for each group that a reader looks for."""
        among = list(self.groups.values())
        named = {REPRODUCED, DEPENDS, CONTRADICTED, OURS} if self.is_full else set[Group]()
        return {group: among.count(group) for group in GROUPS if group in named or group in among}

    @cached_property
    def overview(self) -> tuple[Figure, ...]:
        """Figures of the claims by group, and of the maps of readings."""
        maps = map(reading_map, self.readings, self.paper.readings)
        return (counts_bar(self.counts), *maps)

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """The figures drawn: those of the paper, then ours."""
        drawn = [draw(plot(self.study)) for plot in self.paper.plots]
        return (*drawn, *(mapped.figure(self.study) for mapped in self.paper.maps))

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table(self.study) for table in self.paper.tables)

    @property
    def cpu_s(self) -> float:
        """CPU time of all runs, s, whenever they were done."""
        return sum(one.cpu_s for one in self.spent)

    @property
    def replications(self) -> str:
        """`10`, or `5 to 20`."""
        counts = sorted({one.replications for one in self.spent})
        return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"

    def to_json(self) -> list[dict[str, Any]]:
        """The claims as `--json` prints them."""
        return [
            {
                **one.to_json(self.paper.key),
                "group": self.groups[one.claim.id],
                "registered": self.paper.digest,
                "readings": len(elsewhere := self.elsewhere(one.claim.id)),
                "readings_that_fit": elsewhere.count(HOLDS),
                "readings_that_tie": elsewhere.count(TIE),
                "columns": {
                    title: judged[one.claim.id].verdict
                    for title, judged in self.columns.items()
                    if one.claim.id in judged
                },
            }
            for one in self.judgements
        ]


Follow = Callable[[Experiment, "Plan"], AbstractContextManager["OnProgress | None"]]


def reproduce(
    planned: Planned, store: Store, workers: Workers, follow: Follow, command: str | None = None
) -> Reproduction:
    """Does the runs that the store does not have, experiment by experiment.

    Raises WorkersError, StoreError.
    """
    data: dict[str, Data] = {}
    spent: list[Spent] = []
    for experiment, plan in zip(planned.paper.experiments, planned.plans, strict=True):
        with follow(experiment, plan) as progress:
            sweep, _ = execute_plan(plan, store, workers, progress, command=command)
        data[experiment.name] = Data.of(sweep, experiment.axis_columns, experiment.stage_s)
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
    return Reproduction(planned.paper, Study(data, quick=planned.quick), tuple(spent), planned)


def summary(outcomes: Sequence[Reproduction]) -> dict[Group, int]:
    """Number of claims of all papers in each group, without empty groups."""
    among = [group for outcome in outcomes for group in outcome.groups.values()]
    return {group: among.count(group) for group in GROUPS if group in among}
