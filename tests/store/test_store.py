from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from synthetic import assert_holds, expected, finished, keys, names, parquet, rows, tables

from weir import _core
from weir.store import Cost, Finished, FinishedRun, Record, Store, StoreError
from weir.store import _chunks as chunks


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store", create=True) as opened:
        yield opened


def test_what_is_committed_is_finished(store: Store) -> None:
    runs = keys(range(1, 11))
    assert store.finished(runs) == set()
    assert store.commit(finished(runs[:6])) == 6
    assert store.finished(runs) == set(runs[:6])
    assert_holds(store, runs[:6])


def test_it_is_there_when_the_store_is_opened_again(store: Store) -> None:
    store.commit(finished(keys(range(1, 7))))
    store.close()
    with Store.open(store.path) as again:
        assert_holds(again, keys(range(1, 7)))
        assert again.repairs == []


def test_a_run_that_is_there_already_is_not_counted_twice(store: Store) -> None:
    runs = keys(range(1, 11))
    store.commit(finished(runs[:6]))
    assert store.commit(finished(runs[4:])) == 4
    assert store.commit(finished(runs)) == 0
    assert_holds(store, runs)
    store.compact(force=True)
    assert_holds(store, runs)


def test_some_runs_of_a_table(store: Store) -> None:
    runs = keys(range(1, 31))
    store.commit(finished(runs[:10]))
    store.commit(finished(runs[10:20]))
    store.compact(force=True)
    store.commit(finished(runs[20:]))
    some = [runs[0], runs[11], runs[12], runs[25], *keys([1000])]
    assert rows(store.scan("delays", some)) == expected("delays", [runs[0], runs[11], runs[12], runs[25]])
    assert rows(store.scan("links", [])) == []
    assert set(store.scan("runs", some).collect().get_column("run")) == set(some[:-1])


def test_what_runs_have_cost(store: Store) -> None:
    runs = keys(range(1, 11))
    store.commit(finished(runs))
    cost = store.cost([*runs[:3], *keys([99])])
    assert (cost.runs, cost.packets, cost.events) == (
        3,
        sum(run % 50 for run in runs[:3]),
        sum(run % 500 for run in runs[:3]),
    )
    assert cost.cpu_s == pytest.approx(0.003)
    assert store.cost().runs == 10
    assert store.cost([]) == Cost(0, 0.0, 0, 0)


@pytest.mark.parametrize("between", [False, True])
def test_text_of_any_kind_is_taken_and_nulls_are_kept(store: Store, between: bool) -> None:  # noqa: FBT001
    first, second = keys([1, 2])
    store.commit(
        Finished(
            [FinishedRun(first, "00", 1, 0.1, 1, 1)],
            {"notes": pl.DataFrame({"run": [first] * 3, "text": ["b", None, "a"]})},
        )
    )
    if between:
        store.compact(force=True)
    more = pl.DataFrame({"run": [second] * 2, "text": ["c", "b"], "number": [1, None], "yes": [True, False]})
    store.commit(
        Finished(
            [FinishedRun(second, "00", 1, 0.1, 1, 1)],
            {"notes": more.with_columns(pl.col("text").cast(pl.Categorical))},
        )
    )
    want = {(first, "b", None, None), (first, None, None, None), (first, "a", None, None)}
    want |= {(second, "c", 1, True), (second, "b", None, False)}
    assert set(store.scan("notes").collect().rows()) == want
    store.compact(force=True)
    assert set(store.scan("notes").collect().rows()) == want


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"value": [1.0]}),
        pl.DataFrame({"run": [1.0]}),
        pl.DataFrame({"run": keys([2])}),
    ],
)
def test_a_table_that_is_not_of_its_runs_is_refused(store: Store, table: pl.DataFrame) -> None:
    (run,) = keys([1])
    with pytest.raises(ValueError, match="table 'links'"):
        store.commit(Finished([FinishedRun(run, "00", 1, 0.1, 1, 1)], {"links": table}))
    assert store.finished([run]) == set()


def test_a_table_that_there_is_none_of(store: Store) -> None:
    assert store.scan("links").collect().is_empty()
    store.commit(finished(keys([1])))
    with pytest.raises(StoreError, match="no table 'lniks'") as raised:
        store.scan("lniks")
    assert raised.value.hint == "there are: runs, delays, flows, links, series"


def test_other_tools_read_the_parquet_files(store: Store) -> None:
    runs = keys(range(1, 21))
    store.commit(finished(runs))
    store.compact(force=True)
    for table in ("links", "delays", "flows"):
        files = str(store.path / "tables" / f"{table}-*.parquet")
        assert rows(pl.read_parquet(files)) == expected(table, runs)
        assert sorted(duckdb.read_parquet(files).fetchall()) == expected(table, runs)
    query = f"select count(*), sum(packets) from '{store.path}/tables/runs-*.parquet'"  # noqa: S608
    relation = duckdb.sql(query)
    assert relation is not None
    assert relation.fetchall() == [(20, sum(run % 50 for run in runs))]


def test_rows_of_a_part_are_in_order_of_run(store: Store) -> None:
    store.commit(finished(keys(range(1, 40))))
    store.commit(finished(keys(range(40, 60))))
    store.compact(force=True)
    (file,) = parquet(store.path, "delays")
    assert pl.read_parquet(file).get_column("run").is_sorted()
    assert pl.read_parquet(file).rows() == tables(sorted(keys(range(1, 60))))["delays"].rows()


def test_the_same_runs_give_the_same_bytes_in_whichever_chunks_they_came(tmp_path: Path) -> None:
    runs = keys(range(1, 61))
    chunkings = [
        [runs],
        [runs[40:], runs[:5], runs[5:40]],
        [list(reversed(runs[30:])), runs[20:40], runs[:20]],
    ]
    found: list[dict[str, bytes]] = []
    for number, chunking in enumerate(chunkings):
        with Store.open(tmp_path / str(number), create=True) as store:
            for chunk in chunking:
                store.commit(finished(chunk))
            store.compact(force=True)
            found.append({path.name: path.read_bytes() for path in (store.path / "tables").iterdir()})
    assert found[0] == found[1] == found[2]


def test_many_runs_end_up_in_few_files(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PART_RUNS", 100)
    runs = keys(range(1, 451))
    for begin in range(0, 450, 10):
        store.commit(finished(runs[begin : begin + 10]))
        store.compact()
    assert len(parquet(store.path, "links")) == 4
    store.compact(force=True)
    assert len(parquet(store.path, "links")) == 5
    assert_holds(store, runs)


def test_many_small_sweeps_end_up_in_few_files(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PART_RUNS", 100)
    runs = keys(range(1, 401))
    for begin in range(0, 400, 10):
        store.commit(finished(runs[begin : begin + 10]))
        store.compact(force=True)
        assert_holds(store, runs[: begin + 10])
    store.close()
    assert len(parquet(store.path, "links")) <= 7
    with Store.open(store.path) as again:
        assert_holds(again, runs)


def test_parts_are_bounded_by_rows_as_well(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "PART_ROWS", 100)
    for number in range(10):
        store.commit(finished(keys(range(10 * number + 1, 10 * number + 11))))
    store.compact(force=True)
    sizes = [pl.read_parquet(file).height for file in parquet(store.path, "delays")]
    assert len(sizes) > 2
    assert max(sizes) <= 100


def test_nothing_new_is_not_compacted_again(store: Store) -> None:
    store.commit(finished(keys(range(1, 11))))
    store.compact(force=True)
    before = names(store.path)
    store.compact(force=True)
    assert names(store.path) == before


def test_results_of_other_versions_stay_and_are_not_mixed_in(store: Store) -> None:
    now = _core.results_version
    old, new = keys(range(1, 11)), keys(range(11, 16))
    earlier = finished(old, results_version=now - 1)
    links = earlier.tables["links"].drop("drops").with_columns(retired=pl.lit(1.5))
    store.commit(Finished(earlier.runs, {**earlier.tables, "links": links}, now - 1, "0.0.1"))
    store.commit(finished(new))
    for _ in range(2):
        assert store.versions() == {now - 1: 10, now: 5}
        assert store.finished(old + new) == {*old, *new}
        assert rows(store.scan("links")) == expected("links", new)
        assert store.scan("delays", old).collect().is_empty()
        assert rows(store.scan("delays", results_version=now - 1)) == expected("delays", old)
        assert store.scan("links", results_version=now - 1).collect().columns[-1] == "retired"
        assert set(store.scan("runs", results_version=now - 1).collect().get_column("weir")) == {"0.0.1"}
        store.compact(force=True)
    assert len(parquet(store.path, "links")) == 2


def test_sweeps_are_found_by_name_and_by_id(store: Store) -> None:
    store.record_sweep(Record("aa11", "rates", "Rates", {"axes": [1, 2.5, "x"]}, "weir sweep rates.toml"))
    store.record_sweep(Record("aa22", "rates"))
    store.record_sweep(Record("bb33", "users"))
    assert store.find_sweep("rates").id == "aa22"
    assert store.find_sweep("bb").name == "users"
    first = store.find_sweep("aa11")
    assert (first.definition, first.command) == ({"axes": [1, 2.5, "x"]}, "weir sweep rates.toml")
    assert first.created is not None
    assert first.weir == _core.__version__
    store.record_sweep(first)
    assert [sweep.id for sweep in store.sweeps()] == ["aa22", "bb33", "aa11"]
    assert store.find_sweep("rates").id == "aa11"
    with pytest.raises(StoreError, match="no result 'rate'") as raised:
        store.find_sweep("rate")
    assert raised.value.hint == "there are: 1 rates, 3 users, 2 rates"
    with pytest.raises(StoreError, match=r"ids of 2 results .* begin with 'aa'"):
        store.find_sweep("aa")


def test_the_table_of_a_sweep_is_one_file(store: Store) -> None:
    sweep = Record("aa11", "red: max_th / rate")
    frame = pl.DataFrame({"point": [1, 2], "label": ["RED", "REM"]})
    assert store.write_sweep_table(sweep, frame.head(1)) == store.write_sweep_table(sweep, frame)
    path = store.path / "sweeps" / "red-max_th-rate-aa11.parquet"
    assert names(store.path / "sweeps") == [path.name]
    assert pl.read_parquet(path).equals(frame)


def test_data_frames_are_not_loaded_before_they_are_needed() -> None:
    code = "import sys, weir.store; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
