from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

import weir
from conftest import ENDLESS, SMALL
from weir.run._batch import Progress, run_batch
from weir.sweep._runner import Progress as OfPlan


def endless() -> weir.Scenario:
    return weir.Scenario.loads(SMALL).replace(ENDLESS)


def test_progress_goes_up_to_the_end() -> None:
    seen: list[Progress] = []
    run_batch([(weir.Scenario.loads(SMALL).core, seed) for seed in range(6)], progress=seen.append)
    assert seen[-1].fraction == 1.0
    assert seen[-1].finished == seen[-1].total == 6
    assert [progress.fraction for progress in seen] == sorted(progress.fraction for progress in seen)


def test_progress_of_a_comparison_goes_up_to_the_end(tmp_path: Path) -> None:
    seen: list[OfPlan] = []
    weir.Scenario.loads(SMALL).compare(replications=2, progress=seen.append, store=tmp_path / "store")
    assert seen[-1].done == seen[-1].wanted == 6
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)


def test_the_time_left_follows_from_the_pace() -> None:
    assert Progress(0.25, 0, 2, 3.0).remaining_s == pytest.approx(9.0)
    assert Progress(0.0, 0, 2, 3.0).remaining_s is None


def test_an_error_in_the_progress_callback_ends_the_runs() -> None:
    def fail(_: OfPlan) -> None:
        raise RuntimeError("no more")

    threads = threading.active_count()
    with pytest.raises(RuntimeError, match="no more"):
        endless().run(progress=fail)
    assert threading.active_count() == threads


def test_ctrl_c_ends_the_runs_at_once() -> None:
    interrupted_at = 0.0

    def interrupt(_: OfPlan) -> None:
        nonlocal interrupted_at
        if not interrupted_at:
            interrupted_at = time.monotonic()
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        endless().run(replications=4, progress=interrupt)
    # 0.2 s on an idle machine; more for one that also does other things.
    assert time.monotonic() - interrupted_at < 0.5
