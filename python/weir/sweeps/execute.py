"""A sweep from Python: define, run what is missing, look."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from weir.errors import WeirError
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweeps import workers as at_work
from weir.sweeps.define import Wishes, define
from weir.sweeps.runner import Progress, Tally, run_plan
from weir.sweeps.workers import Workers

if TYPE_CHECKING:
    from weir.scenario import Scenario
    from weir.sweeps.plan import Plan
    from weir.sweeps.view import Sweep


def execute(
    plan: Plan,
    store: Store,
    workers: Workers,
    progress: Callable[[Progress], None] | None = None,
    *,
    watch: bool = False,
    command: str | None = None,
) -> tuple[Sweep, Tally]:
    """Does what is missing. The sweep is recorded first: what is interrupted can be looked at.

    Raises WorkersError, StoreError.
    """
    # Data frames and charts are not needed before there is something to look at.
    record = Record(plan.id, plan.name, plan.title, _definition(plan, store), command)
    store.record_sweep(record)
    tally = run_plan(plan, store, workers, progress, watch=watch)
    from weir.sweeps.view import Sweep

    sweep = Sweep(store, store.find_sweep(plan.id))
    store.write_sweep_table(record, sweep.observations())
    return sweep, tally


def _definition(plan: Plan, store: Store) -> dict[str, Any]:
    """As planned; but who asks for fewer replications than before takes none away."""
    definition = plan.definition()
    for record in store.sweeps():
        if record.id == plan.id:
            before = int(record.definition["replications"])
            definition["replications"] = max(before, plan.replications)
    return definition


def sweep_scenario(
    scenario: Scenario,
    wishes: Wishes,
    *,
    store: str | os.PathLike[str],
    workers: AbstractContextManager[Workers],
    progress: Callable[[Progress], None] | None,
) -> Sweep:
    """What `Scenario.sweep` does. The sweep reads its store from then on, and may be closed."""
    from weir.sweeps.view import Sweep

    plan = define(scenario, wishes)
    with Store.open(store, create=True) as opened, workers as chosen:
        execute(plan, opened, chosen, progress)
    reader = Store.open(store, read_only=True)
    return Sweep(reader, reader.find_sweep(plan.id))


def chosen_workers(
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    slots: int = 0,
) -> AbstractContextManager[Workers]:
    """Who does the runs: at most one of them; threads if nothing is said."""
    if sum(choice is not None for choice in (threads, processes, dask, executor)) > 1:
        raise WeirError("choose one of threads, processes, Dask and an executor")
    if executor is not None:
        return at_work.executor(executor, slots)
    if dask is not None:
        from weir.sweeps.cluster import dask as cluster

        return cluster(dask)
    if processes is not None:
        return at_work.processes(processes)
    return at_work.threads(threads or 0)
