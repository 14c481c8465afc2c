"""From a plan to a result: record it, run what is missing, open it."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from weir._errors import WeirError
from weir.run._captures import Capture, capture_run
from weir.store import Store
from weir.store import Sweep as Record
from weir.sweep import _workers as at_work
from weir.sweep._chunk import Job, finished
from weir.sweep._plan import plan_at_one_point
from weir.sweep._runner import OnProgress, Progress, Tally, run_plan
from weir.sweep._workers import Workers

if TYPE_CHECKING:
    from weir import _core
    from weir.run._batch import Progress as BatchProgress
    from weir.scenario._scenario import Variant
    from weir.sweep._plan import Plan
    from weir.sweep._view import Sweep


def execute_plan(
    plan: Plan,
    store: Store,
    workers: Workers,
    progress: OnProgress | None = None,
    *,
    watch: bool = False,
    command: str | None = None,
    captures: Sequence[Capture] = (),
) -> tuple[Sweep, Tally]:
    """Does what is missing. The result is recorded first, so that an interrupted one can be opened.

    Of the first run, captures are made. Raises WorkersError, StoreError, WeirError.
    """
    recorded = store.record_sweep(Record(plan.id, plan.name, plan.title, plan.definition(), command))
    done = _capture(plan, store, recorded, captures, progress) if captures else Tally()
    tally = run_plan(plan, store, workers, progress, watch=watch, done=done)
    # A worker that is only started needs no data frames.
    from weir.sweep._view import Sweep

    sweep = Sweep(store, recorded)
    store.write_sweep_table(sweep.record, sweep.observations())
    return sweep, tally


def _capture(
    plan: Plan, store: Store, record: Record, captures: Sequence[Capture], progress: OnProgress | None
) -> Tally:
    """Does the first run with its packets captured, whether or not the store has it: a capture is no part
    of the store."""
    runs = plan.keys.size
    directory = store.claim_directory(record)

    def report(now: BatchProgress) -> None:
        if progress is not None:
            progress(Progress(runs, 0, 0, 0, now.fraction, now.elapsed_s, open_ended=False, widest=()))

    started = time.monotonic()
    scenario, seed = plan.configurations[0].scenario, plan.seeds[0]
    run, _ = capture_run(scenario, seed, captures, directory / "captures", report)
    new = store.commit(finished([Job(int(plan.keys[0, 0]), 0, scenario, scenario.hash, seed)], [run]))
    return Tally(found=-new, done=new, cpu_s=new * run.cpu_s, wall_s=new * (time.monotonic() - started))


@contextmanager
def unrecorded(
    scenario: _core.Scenario,
    variants: Sequence[Variant],
    replications: int,
    threads: int = 0,
    progress: OnProgress | None = None,
) -> Generator[Sweep]:
    """A comparison in a store that ends with the block: for results that nobody opens again."""
    plan = plan_at_one_point("compare", scenario, variants, replications)
    with (
        TemporaryDirectory(prefix="weir-") as place,
        Store.open(os.path.join(place, "store"), create=True) as store,  # noqa: PTH118
        at_work.threads(threads) as workers,
    ):
        yield execute_plan(plan, store, workers, progress)[0]


def chosen_workers(
    *,
    threads: int | None = None,
    processes: int | None = None,
    dask: str | None = None,
    executor: Executor | None = None,
    slots: int = 0,
) -> AbstractContextManager[Workers]:
    """Who does the runs: at most one of them, by default threads."""
    if sum(choice is not None for choice in (threads, processes, dask, executor)) > 1:
        raise WeirError("choose one of threads, processes, Dask and an executor")
    if executor is not None:
        return at_work.executor(executor, slots)
    if dask is not None:
        from weir.sweep._cluster import dask as cluster

        return cluster(dask)
    if processes is not None:
        return at_work.processes(processes)
    return at_work.threads(threads or 0)
