"""How many runs of a sweep are under way at a time."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest

import weir
from weir.store import Store
from weir.sweep import _limits as limits
from weir.sweep import chosen_workers
from weir.sweep._chunk import Chunk, ChunkResult
from weir.sweep._runner import run_plan


def test_no_more_runs_are_handed_out_than_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = weir.load("step-load").plan_run(6)
    handed: list[Future[ChunkResult]] = []
    at_a_time: list[int] = []
    with Store.open(tmp_path / "store", create=True) as store, chosen_workers(threads=4) as workers:

        def submit(chunk: Chunk) -> Future[ChunkResult]:
            at_a_time.append(1 + sum(not future.done() for future in handed))
            handed.append(workers.submit(chunk))
            return handed[-1]

        # One fits, and half of another.
        enough = (plan.cost.memory_bytes + 0.5 * plan.cost.own_bytes) / 0.8
        monkeypatch.setattr(limits, "available_bytes", lambda: enough)
        assert run_plan(plan, store, replace(workers, submit=submit)).done == 6
    assert set(at_a_time) == {1}
