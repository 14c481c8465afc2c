"""A store is, whatever is done to it and in whichever order, a dict from runs to rows."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from synthetic import assert_holds, expected, finished, keys, parquet, rows

from weir import _core
from weir.store import Store
from weir.store import _chunks as chunks

RUNS = st.lists(st.integers(1, 60), min_size=1, max_size=15, unique=True).map(keys)


class Model(RuleBasedStateMachine):
    """Commits that overlap, compactions, damage and new openings."""

    @initialize()
    def open_it(self) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(chunks, "PART_RUNS", 25)
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "store"
        self.store = Store.open(self.path, create=True)
        self.runs: set[int] = set()
        self.older: set[int] = set()

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.directory.cleanup()
            self.patch.undo()

    @rule(runs=RUNS)
    def commit(self, runs: list[int]) -> None:
        new = set(runs) - self.runs
        # A run of an older version has another key, as versions are part of what keys are made of.
        assert self.store.commit(finished(runs)) == len(new)
        self.runs |= new

    @rule(runs=RUNS)
    def commit_older(self, runs: list[int]) -> None:
        runs = [run ^ 1 << 62 for run in runs]
        self.store.commit(finished(runs, results_version=_core.results_version - 1))
        self.older |= set(runs)

    @rule(force=st.booleans())
    def compact(self, force: bool) -> None:  # noqa: FBT001
        self.store.compact(force=force)

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = Store.open(self.path)
        assert self.store.repairs == []

    @rule(data=st.data())
    def damage(self, data: Any) -> None:  # noqa: ANN401
        files = [*parquet(self.path, "delays"), *parquet(self.path, "runs")]
        if files:
            data.draw(st.sampled_from(files)).write_bytes(b"PAR1 and nothing else PAR1")
            self.store.close()
            self.store = Store.open(self.path)
            assert len(self.store.repairs) == 1

    @rule(runs=RUNS)
    def ask(self, runs: list[int]) -> None:
        assert self.store.finished(runs) == set(runs) & self.runs
        assert rows(self.store.scan("delays", runs)) == expected("delays", set(runs) & self.runs)

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        if hasattr(self, "store"):
            older = _core.results_version - 1
            for table in ("delays", "links") if self.runs or self.older else ():
                assert rows(self.store.scan(table)) == expected(table, self.runs)
                assert rows(self.store.scan(table, results_version=older)) == expected(table, self.older)
            assert self.store.cost().runs == len(self.runs | self.older)


def _settings(examples: int) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=15,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


TestModel = Model.TestCase
TestModel.settings = _settings(10)


@pytest.mark.soak
class TestModelLonger(Model.TestCase):
    settings = _settings(60)


@pytest.mark.parametrize("count", [0, 1])
def test_the_smallest_stores(tmp_path: Path, count: int) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.compact(force=True)
        if count:
            store.commit(finished(keys([1])))
            store.compact(force=True)
        assert_holds(store, keys(range(1, count + 1)))
