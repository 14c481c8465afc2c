from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

import weir
from conftest import ENDLESS, SMALL
from weir.run._batch import run_batch
from weir.sweep._runner import Progress


def endless() -> weir.Scenario:
    return weir.Scenario.loads(SMALL).replace(ENDLESS)


def test_progress_goes_up_to_the_end() -> None:
    seen: list[tuple[float, int]] = []
    run_batch(
        [(weir.Scenario.loads(SMALL).core, seed) for seed in range(6)],
        progress=lambda batch: seen.append((batch.progress, batch.finished)),
    )
    assert seen[-1] == (1.0, 6)
    assert seen == sorted(seen)


def test_progress_of_a_comparison_goes_up_to_the_end(tmp_path: Path) -> None:
    seen: list[Progress] = []
    weir.Scenario.loads(SMALL).compare(replications=2, progress=seen.append, store=tmp_path / "store")
    assert seen[-1].done == seen[-1].wanted == 6
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)


def test_the_time_left_follows_from_the_pace() -> None:
    assert Progress(wanted=2, under_way=0.5, wall_s=3.0).remaining_s == pytest.approx(9.0)
    assert Progress(wanted=2, wall_s=3.0).remaining_s is None


def test_an_error_in_the_progress_callback_ends_the_runs() -> None:
    def fail(_: Progress) -> None:
        raise RuntimeError("no more")

    threads = threading.active_count()
    with pytest.raises(RuntimeError, match="no more"):
        endless().run(progress=fail)
    assert threading.active_count() == threads


def test_ctrl_c_ends_the_runs_at_once() -> None:
    interrupted_at = 0.0

    def interrupt(_: Progress) -> None:
        nonlocal interrupted_at
        if not interrupted_at:
            interrupted_at = time.process_time()
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        endless().run(replications=4, threads=2, progress=interrupt)
    # CPU time of both threads, which go on until they are told. 0.2 s each on an idle machine.
    assert time.process_time() - interrupted_at < 1.0
