"""The memory of runs that go on is bounded: the largest ends with a message, and what is finished is kept."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

import weir
from conftest import Command
from waiting import until
from weir import _core
from weir.check import Cost
from weir.store import Store
from weir.sweep import Plan, chosen_workers
from weir.sweep import _limits as limits
from weir.sweep._chunk import Workers
from weir.sweep._limits import MemoryExceededError
from weir.sweep._memory import shared_budget, worker_budget
from weir.sweep._runner import run_plan

ENDLESS = """
schema = 1
name = "endless"
duration = "20 s"
measure.warm_up = "0 s"

[links.bottleneck]
rate = "1 Mbit/s"
delay = "1 ms"
buffer = "20 packets"

[flows.flood]
packet_size = "100 B"
rtt = "10 ms"
traffic.cbr = { rate = "2 Mbit/s" }

[variants.short]
[variants.endless]
links.bottleneck.buffer = "100000000 packets"
flows.flood.traffic.cbr.rate = "10 Gbit/s"
"""
"""Scenario whose variant `endless` lets a packet in a million leave: 250 million would wait."""


@pytest.fixture
def unforeseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate that is far too low."""
    monkeypatch.setattr(Plan, "cost", Cost(1.0, 1.0, 1e6, "packets", 1e6))


def scenario(variant: str | None = None) -> weir.Scenario:
    whole = weir.Scenario.loads(ENDLESS)
    return whole if variant is None else whole.variant(variant)


@pytest.mark.usefixtures("unforeseen")
def test_the_largest_run_ends_and_finished_runs_are_kept(tmp_path: Path) -> None:
    with pytest.raises(MemoryExceededError) as raised:
        scenario().compare(2, threads=2, store=tmp_path, memory="40 MB")
    error = raised.value
    assert "endless, endless, seed 1: the run was ended after 0." in error.message
    assert " of 20 s of simulated time: it had taken " in error.message
    assert "and runs may take 40 MB; so ended 1 more; 2 of 4 runs are finished and safe" in error.message
    assert error.hint is not None
    assert error.hint.startswith("write a smaller buffer, or shorter delays, or a shorter duration")
    assert "WEIR_NO_LIMITS=1" in error.hint
    short = scenario("short").plan_run(2)
    with Store.open(tmp_path, read_only=True) as store:
        assert len(store.finished(short.keys.ravel().tolist())) == 2
    # No limit changes what is simulated, nor where the store has it.
    assert scenario("short").hash == _core.Scenario.loads(short.scenario.to_toml()).hash
    again = scenario("short").run(2, store=tmp_path, memory="41 MB")
    other = scenario("short").run(2, store=tmp_path / "other")
    assert again.tables["links"].drop("run").equals(other.tables["links"].drop("run"))


@pytest.mark.usefixtures("unforeseen")
def test_a_command_says_it_and_fails(
    tmp_path: Path, weir_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "endless.toml"
    file.write_text(ENDLESS, encoding="utf-8")
    ended = weir_command("compare", file, "--memory", "40 MB", "--threads", "1")
    assert ended.returncode == 1
    assert "error: endless, endless, seed 1: the run was ended after 0." in ended.stderr
    assert "1 of 2 runs are finished and safe" in ended.stderr
    assert "hint: write a smaller buffer" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert weir_command("results").stdout.startswith("1 finished run")
    ended = weir_command(
        "run", file, "--set", 'links.bottleneck.buffer="100000000 packets"', "--set",
        "flows.flood.traffic.cbr.rate=10 Gbit/s", "--capture", "bottleneck", "--memory", "40 MB",
    )  # fmt: skip
    assert ended.returncode == 1
    assert "0 of 1 runs are finished and safe" in ended.stderr
    assert not list(tmp_path.rglob("*.pcapng"))
    # What is known by now is refused before it begins: the guard has the same limit.
    monkeypatch.undo()
    refused = weir_command("compare", file, "--memory", "40 MB", "--variants", "endless")
    assert refused.returncode == 2
    assert "runs may take 40 MB" in refused.stderr
    assert "hint: any run takes 49 MB; a larger --memory" in refused.stderr


@pytest.mark.usefixtures("unforeseen")
def test_without_limits_none_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEIR_NO_LIMITS", "1")
    some = scenario("endless").replace({"duration": "60 ms"})
    done = some.run(store=tmp_path, memory="40 MB")
    assert done.cost.packets > 0


@pytest.mark.parametrize("memory", ["8", "much", "0 MB", "8 Mbit", "8 gb", "-1 GB"])
def test_what_is_no_size_is_refused(tmp_path: Path, memory: str) -> None:
    with pytest.raises(weir.WeirError, match="is not a size of memory; hint: write a number and a unit"):
        scenario("short").run(store=tmp_path, memory=memory)


def processes(memory: str) -> AbstractContextManager[Workers]:
    return chosen_workers(processes=2, memory=memory)


def executor(memory: str) -> AbstractContextManager[Workers]:
    return chosen_workers(executor=ThreadPoolExecutor(2), memory=memory)


@pytest.mark.usefixtures("unforeseen")
@pytest.mark.parametrize("workers", [processes, executor])
def test_the_limit_holds_with_other_workers(
    tmp_path: Path, workers: Callable[[str], AbstractContextManager[Workers]]
) -> None:
    plan = scenario().plan_comparison(1)
    with (
        Store.open(tmp_path, create=True) as store,
        workers("40 MB") as chosen,
        pytest.raises(MemoryExceededError, match="1 of 2 runs are finished and safe"),
    ):
        run_plan(plan, store, chosen)


def test_a_worker_elsewhere_has_a_share_of_its_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "available_bytes", lambda: 1e9)
    found = worker_budget(None)
    assert found.memory is not None
    assert found.memory.limit == 800_000_000
    run = scenario("short").replace({"duration": "2 s"}).core
    monkeypatch.setattr(limits, "available_bytes", lambda: 0.3e9)
    found.exchange()
    assert isinstance(outcome(run, found.memory), _core.Run)
    # Other workers on that machine have taken the rest.
    monkeypatch.setattr(limits, "available_bytes", lambda: 0.1e9)
    found.exchange()
    assert isinstance(outcome(run, found.memory), _core.Exceeded)
    assert worker_budget(math.inf).memory is None
    monkeypatch.setenv(limits.OFF, "1")
    assert worker_budget(None).memory is None


def test_processes_count_what_others_take() -> None:
    table = (ctypes.c_uint64 * 4)()
    found = shared_budget(1e6, table, 0)
    assert found.memory is not None
    small = scenario("short").replace({"duration": "2 s"}).core
    # Together they are above the limit, and the largest run is the other's.
    table[2], table[3] = 2_000_000, 1_500_000
    found.exchange()
    assert isinstance(outcome(small, found.memory), _core.Run)
    table[2], table[3] = 2_000_000, 0
    found.exchange()
    ended = outcome(small, found.memory)
    assert isinstance(ended, _core.Exceeded)
    assert ended.all_bytes > 2_000_000
    found.exchange()
    assert list(table[:2]) == [0, 0]


def outcome(run: _core.Scenario, memory: _core.Memory) -> _core.Run | _core.Exceeded:
    """Outcome of one run that shares this memory."""
    batch = _core.Batch([(run, 1)], 1, (), memory)
    until(lambda: batch.wait(0.1), "the run does not end")
    (found,) = batch.outcomes()
    return found
