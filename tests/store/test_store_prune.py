"""Giving space back: only the runs that are to be removed go, from both copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic import RUNS, assert_holds, filled, finished, names

from weir.store import Record, Store, StoreError, rebuild

KEPT = {
    "every other": RUNS[::2],
    "whole chunks": RUNS[20:],
    "one run": RUNS[21:22],
    "nothing": [],
}


@pytest.mark.parametrize("name", KEPT)
def test_only_what_is_not_kept_is_removed(tmp_path: Path, name: str) -> None:
    kept = KEPT[name]
    path = filled(tmp_path / "store")
    with Store.open(path) as store:
        assert store.prune(kept) == len(RUNS) - len(kept)
        assert_holds(store, kept)
        assert store.check() == []
    with Store.open(path) as again:
        assert again.repairs == []
        assert_holds(again, kept)
        # Removed runs can be computed again.
        assert again.claim(RUNS) == set(RUNS) - set(kept)
        again.commit(finished(RUNS))
        again.compact(force=True)
        assert_holds(again, RUNS)


def test_the_tables_alone_hold_what_was_kept(tmp_path: Path) -> None:
    path = filled(tmp_path / "store")
    with Store.open(path) as store:
        store.prune(RUNS[::3])
    (path / "journal.sqlite").unlink()
    rebuild(path)
    with Store.open(path) as again:
        assert_holds(again, RUNS[::3])


def test_space_is_given_back(tmp_path: Path) -> None:
    runs = RUNS[:1] + list(range(10_000, 12_000))
    with Store.open(tmp_path / "store", create=True) as store:
        store.commit(finished(runs))
        store.compact(force=True)
        assert store.size(runs) == pytest.approx(2000 * store.size(runs[:1]), rel=0.1)
        before = sum((store.path / name).stat().st_size for name in names(store.path))
        assert store.prune(runs[:1]) == 2000
        after = sum((store.path / name).stat().st_size for name in names(store.path))
        assert before - after > 20_000  # of 93,000; an empty journal takes the most of the rest


def test_a_store_that_is_open_once_more_is_left_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "store")
    with Store.open(path) as store, Store.open(path) as other:
        with pytest.raises(StoreError, match="this process has"):
            store.prune([])
        assert_holds(other, RUNS)


def test_what_was_asked_for_is_forgotten_and_its_number_not_given_again(tmp_path: Path) -> None:
    path = filled(tmp_path / "store")
    with Store.open(path) as store:
        store.record_sweep(Record("bb22", "users"))
        assert [sweep.number for sweep in store.sweeps()] == [1, 2]
        store.remove_sweep(store.find_sweep("2"))
        store.record_sweep(Record("cc33", "more"))
        assert [sweep.number for sweep in store.sweeps()] == [1, 3]
        store.record_sweep(Record("aa11", "rates"))
        assert [sweep.number for sweep in store.sweeps()] == [3, 1]
        assert_holds(store, RUNS)
