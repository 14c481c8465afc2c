"""A store, and a result of it, in the hands of several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest
from synthetic import finished, keys

import weir
from conftest import SMALL, names_in
from weir.store import DamagedStoreError, Store, StoreError

T = TypeVar("T")


def in_a_thread(work: Callable[[], T]) -> T:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def test_a_result_is_read_in_another_thread(tmp_path: Path) -> None:
    made = in_a_thread(lambda: weir.Scenario.loads(SMALL).run(replications=2, store=tmp_path / "store"))
    assert len(made.estimates()) > 0
    opened = weir.Sweep.open(made.number, tmp_path / "store")
    assert in_a_thread(opened.estimates).equals(made.estimates())
    in_a_thread(opened.close)
    forgotten = weir.Sweep.open(made.number, tmp_path / "store")
    made.close()
    in_a_thread(forgotten.close)
    assert names_in(tmp_path / "store" / "owners") == ["maintenance.lock"]


def test_threads_take_turns_at_one_store(tmp_path: Path) -> None:
    """Each commits and reads runs of its own, and merges those of all; none sees half a transaction."""
    begin = threading.Barrier(4)
    with Store.open(tmp_path / "store", create=True) as store:

        def work(number: int) -> int:
            begin.wait()
            for part in range(5):
                runs = keys(range(100 * number + 10 * part + 1, 100 * number + 10 * part + 11))
                assert store.claim(runs) == set(runs)
                store.commit(finished(runs))
                store.compact(force=part % 2 == 1)
                assert store.finished(runs) == set(runs)
                assert set(store.scan("links", runs).collect()["run"]) == set(runs)
            return len(store.finished(keys(range(100 * number + 1, 100 * number + 51))))

        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(work, range(4))) == [50] * 4
        assert store.check() == []
        assert store.cost().runs == 200


def test_a_closed_result_says_so(tmp_path: Path) -> None:
    result = weir.Scenario.loads(SMALL).run(store=tmp_path / "store")
    result.close()
    with pytest.raises(StoreError, match="it was closed") as caught:
        _ = result.links
    assert not isinstance(caught.value, DamagedStoreError)
    assert "open it again" in (caught.value.hint or "")
