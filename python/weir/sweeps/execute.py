"""A sweep from Python: define, run what is missing, look."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from weir.store import Store
from weir.store import Sweep as Record
from weir.sweeps import workers as at_work
from weir.sweeps.define import Wishes, define
from weir.sweeps.runner import Progress, Tally, run_plan

if TYPE_CHECKING:
    from weir.scenario import Scenario
    from weir.sweeps.plan import Plan
    from weir.sweeps.view import Sweep


def execute(
    plan: Plan,
    store: Store,
    workers: at_work.Workers,
    progress: Callable[[Progress], None] | None = None,
    *,
    watch: bool = False,
    command: str | None = None,
) -> tuple[Sweep, Tally]:
    """Does what is missing. The sweep is recorded first: what is interrupted can be looked at.

    Raises WorkersError, StoreError.
    """
    # Data frames and charts are not needed before there is something to look at.
    record = Record(plan.id, plan.name, plan.title, plan.definition(), command)
    store.record_sweep(record)
    tally = run_plan(plan, store, workers, progress, watch=watch)
    from weir.sweeps.view import Sweep

    sweep = Sweep(store, store.find_sweep(plan.id))
    store.write_sweep_table(record, sweep.observations())
    return sweep, tally


def sweep_scenario(
    scenario: Scenario,
    wishes: Wishes,
    *,
    store: str | os.PathLike[str],
    threads: int,
    executor: Executor | None,
    workers: int,
    dask: str | None,
    progress: Callable[[Progress], None] | None,
) -> Sweep:
    """What `Scenario.sweep` does."""
    plan = define(scenario, wishes)
    opened = Store.open(store, create=True)
    with _workers(threads, executor, workers, dask) as chosen:
        sweep, _ = execute(plan, opened, chosen, progress)
    return sweep


def _workers(
    threads: int, executor: Executor | None, workers: int, dask: str | None
) -> AbstractContextManager[at_work.Workers]:
    if executor is not None and dask is not None:
        raise ValueError("choose an executor or dask, not both")
    if executor is not None:
        return at_work.executor(executor, workers)
    if dask is not None:
        from weir.sweeps.cluster import dask as cluster

        return cluster(dask)
    return at_work.threads(threads)
