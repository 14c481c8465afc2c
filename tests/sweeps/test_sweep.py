"""Sweeps from Python: which runs are done, where, and what becomes of them."""

from __future__ import annotations

from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weir
from weir.stats._intervals import student_t
from weir.sweep import chosen_workers
from weir.sweep._plan import SweepSpec, define_sweep
from weir.sweep._runner import Progress, execute_plan
from weir.sweep._until import Rule, Sequential

TEXT = """\
schema = 1
name = "pair"
title = "Users on 2 Mbit/s"
seed = 7
duration = "10 s"

[measure]
warm_up = "1 s"
series = { interval = "100 ms" }

[links.bottleneck]
rate = "2 Mbit/s"
delay = "10 ms"
buffer = "20 packets"

[flows.ftp]
count = 2
rtt = "60 ms"
start_jitter = "100 ms"

[variants.drop-tail]
label = "DropTail"

[variants.red]
label = "RED"
"links.bottleneck.queue.red" = { min_th = "4 packets", max_th = "12 packets" }
"""


class EnoughError(Exception):
    """Ends a sweep from outside."""


RATES = {"links.bottleneck.rate": ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"]}


@pytest.fixture
def pair() -> weir.Scenario:
    return weir.Scenario.loads(TEXT)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> weir.Sweep:
    """Three rates, two variants, four replications."""
    store = tmp_path_factory.mktemp("swept") / "store"
    return weir.Scenario.loads(TEXT).sweep(RATES, replications=4, store=store)


def tables(sweep: weir.Sweep) -> dict[str, pl.DataFrame]:
    return {
        name: sweep.table(name).sort(pl.all())
        for name in ("links", "groups", "flows", "delays", "completions", "series")
    }


def test_every_point_is_run_with_every_variant_and_seed(swept: weir.Sweep) -> None:
    runs = swept.runs
    assert len(runs) == 3 * 2 * 4
    assert runs["run"].n_unique() == 24
    assert runs["seed"].unique().sort().to_list() == [7, 8, 9, 10]
    assert runs.select("point", "label", "replication").is_unique().all()
    assert runs.group_by("point").agg(pl.col("links.bottleneck.rate").first()).sort("point").rows() == [
        (0, 1.0),
        (1, 2.0),
        (2, 4.0),
    ]


def test_a_point_is_what_the_scenario_alone_would_be(swept: weir.Sweep, pair: weir.Scenario) -> None:
    alone = pair.replace({"links.bottleneck.rate": "4 Mbit/s"}).compare(replications=4)
    expected = alone.estimates(["goodput", "mean_queue"]).filter(pl.col("period") == -1)
    found = swept.estimates(["goodput", "mean_queue"]).filter(
        pl.col("period") == -1, pl.col("links.bottleneck.rate") == 4.0
    )
    columns = [name for name in expected.columns if name != "point"]
    assert found.select(columns).equals(expected.select(columns))


def test_what_is_there_is_not_done_again(pair: weir.Scenario, tmp_path: Path) -> None:
    def done(rates: list[str], replications: int) -> tuple[int, int]:
        seen: list[Progress] = []
        pair.sweep(
            {"links.bottleneck.rate": rates}, replications, store=tmp_path / "store", progress=seen.append
        )
        return seen[-1].found, seen[-1].done

    assert done(["1 Mbit/s", "2 Mbit/s"], 2) == (0, 8)
    assert done(["1 Mbit/s", "2 Mbit/s"], 2) == (8, 0)
    assert done(["1 Mbit/s", "2 Mbit/s"], 3) == (8, 4)
    assert done(["2 Mbit/s", "4 Mbit/s"], 3) == (6, 6)
    # Said otherwise, and yet the same experiment.
    assert done(["2000 kbit/s"], 3) == (6, 0)


def test_the_same_rows_from_threads_processes_and_any_executor(
    swept: weir.Sweep, pair: weir.Scenario, tmp_path: Path
) -> None:
    expected = tables(swept)

    def by(pool: Executor, name: str) -> dict[str, pl.DataFrame]:
        with pool:
            return tables(pair.sweep(RATES, 4, store=tmp_path / name, executor=pool, workers=2))

    for name, frame in by(ThreadPoolExecutor(3), "threads").items():
        assert frame.equals(expected[name]), name
    plan = define_sweep(pair, SweepSpec(axes=RATES, replications=4))
    with weir.Store.open(tmp_path / "processes", create=True) as store, chosen_workers(processes=2) as two:
        found, _ = execute_plan(plan, store, two)
        for name, frame in tables(found).items():
            assert frame.equals(expected[name]), name
    for name in ("links", "delays"):
        files = [
            (place / "tables" / f"{name}-00001.parquet").read_bytes()
            for place in (tmp_path / "threads", tmp_path / "processes")
        ]
        assert files[0] == files[1]


@pytest.mark.soak
def test_the_same_rows_from_a_cluster(swept: weir.Sweep, pair: weir.Scenario, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    found = pair.sweep(RATES, 4, store=tmp_path / "store", dask="local:2")
    for name, frame in tables(swept).items():
        assert tables(found)[name].equals(frame), name


def test_an_axis_of_one_aqm_leaves_the_others_alone(pair: weir.Scenario, tmp_path: Path) -> None:
    seen: list[Progress] = []
    found = pair.sweep(
        {"links.bottleneck.queue.red.max_th": ["8 packets", "12 packets", "16 packets"]},
        2,
        store=tmp_path / "store",
        progress=seen.append,
    )
    # DropTail is run once for all thresholds, and stands at each of them.
    assert seen[-1].done == 2 * (1 + 3)
    rows = found.estimates(["mean_queue"]).filter(pl.col("period") == -1)
    assert rows.filter(pl.col("label") == "DropTail")["mean"].n_unique() == 1
    assert len(rows.filter(pl.col("label") == "DropTail")) == 3
    assert rows.filter(pl.col("label") == "RED")["mean"].n_unique() == 3


def test_a_rule_stops_each_point_when_it_is_known_well_enough(pair: weir.Scenario, tmp_path: Path) -> None:
    found = pair.sweep(
        {"flows.ftp.count": [2, 6]},
        until=["goodput ±3%"],
        replications=60,
        variants=["red"],
        store=tmp_path / "store",
    )
    sequential = Sequential((Rule.parse("goodput ±3%"),), 60)
    rows = found.estimates(["goodput"]).filter(pl.col("period") == -1)
    assert set(rows["n"]) <= set(sequential.looks)
    assert rows["n"].n_unique() == 2
    for row in rows.iter_rows(named=True):
        assert row["n"] == 60 or row["half_width"] <= 0.03 * row["mean"]
        values = found.observations().filter(pl.col("point") == row["point"])["goodput"].to_numpy()
        assert len(values) == row["n"]
        wide = row["half_width"] * np.sqrt(row["n"]) / values.std(ddof=1)
        # The interval is that of the rule, which has looked several times.
        assert wide == pytest.approx(sequential.quantile(row["n"] - 1))
        assert wide > student_t(row["n"] - 1)
    # One look earlier it was not enough.
    for row in rows.filter(pl.col("n") > sequential.looks[0]).iter_rows(named=True):
        before = max(look for look in sequential.looks if look < row["n"])
        values = found.observations().filter(pl.col("point") == row["point"])["goodput"].to_numpy()
        half_width = sequential.interval(values, before).half_width
        assert half_width is not None
        assert half_width > 0.03 * values[:before].mean()


def test_a_sweep_with_a_rule_goes_on_where_it_was(pair: weir.Scenario, tmp_path: Path) -> None:
    def run(store: str, seen: list[Progress]) -> weir.Sweep:
        return pair.sweep(
            RATES, until=["goodput ±4%"], replications=40, store=tmp_path / store, progress=seen.append
        )

    def stop(progress: Progress) -> None:
        if progress.done >= 8:
            raise EnoughError

    with pytest.raises(EnoughError):
        pair.sweep(RATES, until=["goodput ±4%"], replications=40, store=tmp_path / "a", progress=stop)
    seen: list[Progress] = []
    resumed = run("a", seen)
    undisturbed = run("b", [])
    assert seen[-1].found >= 8
    assert resumed.runs.equals(undisturbed.runs)
    for name, frame in tables(undisturbed).items():
        assert tables(resumed)[name].equals(frame), name


def test_results_of_another_version_are_not_mixed_in(
    pair: weir.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from weir import _core

    pair.sweep(RATES, 1, store=tmp_path / "store")
    later = _core.results_version + 1
    monkeypatch.setattr(_core, "results_version", later)
    with weir.Store.open(tmp_path / "store") as store:
        assert store.versions() == {later - 1: 6}
        (record,) = store.sweeps()
        earlier = weir.Sweep(store, record)
        assert earlier.results_version == later - 1
        assert len(earlier.observations()) == 6
        assert len(store.scan("links").collect()) == 0


def test_the_wide_table_is_one_row_per_run_and_period(swept: weir.Sweep) -> None:
    (path,) = (swept.store.path / "sweeps").glob("*.parquet")
    frame = pl.read_parquet(path)
    assert frame.equals(swept.observations())
    assert {"links.bottleneck.rate", "goodput", "label", "replication", "run"} <= set(frame.columns)


def test_other_programs_read_the_store(swept: weir.Sweep) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    place = swept.store.path
    query = f"""
        select "links.bottleneck.rate" as rate, label, avg(l.queue_mean) as mean
        from '{place}/sweeps/*.parquet' s join '{place}/tables/links-*.parquet' l using (run)
        where l.direction = 'forward' and l."group" = 'all' and l.period = -1
        group by all order by all
    """  # noqa: S608 - paths of our own
    found = duckdb.sql(query).fetchall()
    expected = swept.estimates(["mean_queue"]).filter(pl.col("period") == -1)
    expected = expected.sort("links.bottleneck.rate", "label")
    assert [(rate, label) for rate, label, _ in found] == expected.select(
        "links.bottleneck.rate", "label"
    ).rows()
    assert [mean for *_, mean in found] == pytest.approx(expected["mean"].to_list())


def test_sampled_points_lie_on_their_axes(pair: weir.Scenario, tmp_path: Path) -> None:
    found = pair.sweep(
        ["links.bottleneck.rate=1..8 Mbit/s log", "flows.ftp.count=1..5"],
        samples=16,
        method="sobol",
        variants=["red"],
        store=tmp_path / "store",
    )
    rows = found.observations()
    assert len(rows) == 16
    assert rows["links.bottleneck.rate"].is_between(1.0, 8.0).all()
    assert set(rows["users"]) <= {1, 2, 3, 4, 5}
    assert (rows["users"] == rows["flows.ftp.count"]).all()


def test_sensitivity_finds_the_axis_that_matters(pair: weir.Scenario, tmp_path: Path) -> None:
    pytest.importorskip("SALib", reason="SALib is not installed")
    found = pair.sweep(
        ["links.bottleneck.buffer=5..60 packets", "flows.ftp.packet_size=1000..1001 B"],
        samples=4,
        method="morris",
        variants=["drop-tail"],
        store=tmp_path / "store",
    )
    indices = found.sensitivity("mean_queue")
    assert indices is not None
    mu = dict(indices.select("axis", "mu_star").iter_rows())
    assert mu["links.bottleneck.buffer"] > 5.0 * mu["flows.ftp.packet_size"]


def test_threads_stop_when_the_sweep_does(pair: weir.Scenario, tmp_path: Path) -> None:
    endless = pair.replace({"duration": "3000000 s", "measure.series.interval": "1000 s"})

    def stop(progress: Progress) -> None:
        if progress.under_way > 0.0:
            raise EnoughError

    with pytest.raises(EnoughError):
        endless.sweep({"flows.ftp.count": [1, 2]}, store=tmp_path / "store", progress=stop)


def test_another_definition_gets_a_number_of_its_own_and_nothing_shrinks(
    pair: weir.Scenario, tmp_path: Path
) -> None:
    def run(name: str, replications: int) -> weir.Sweep:
        return pair.sweep(RATES, replications, name=name, store=tmp_path / "store")

    run("a", 3)
    run("b", 2)
    with weir.Store.open(tmp_path / "store") as store:
        assert {record.name for record in store.sweeps()} == {"a", "b"}
    shorter = run("a", 1)
    assert shorter.number == 3
    assert len(shorter.runs) == 3 * 2
    again = run("a", 3)
    assert again.number == 1
    assert len(again.runs) == 3 * 2 * 3


def test_a_gap_ends_what_a_rule_may_count() -> None:
    from weir.sweep._recorded import stop

    sequential = Sequential((Rule.parse("goodput ±50%"),), 20)
    runs = pl.DataFrame({"replication": [0, 1, 2, 4, 5], "goodput": [90.0, 91.0, 92.0, 93.0, 94.0]})
    assert stop(runs, sequential) == (3, "open")
    assert stop(runs.clear(), sequential) == (0, "open")
    assert stop(runs.with_columns(replication=pl.Series([0, 1, 2, 3, 4])), sequential) == (5, "met")


def test_a_rule_that_was_not_met_is_said(pair: weir.Scenario, tmp_path: Path) -> None:
    from weir.sweep._describe import state

    found = pair.sweep(RATES, 5, until="goodput ±0.0001%", variants="red", store=tmp_path / "store")
    assert "3 of 3 configurations reached 5 replications before the rule" in state(found)
    found = pair.sweep(RATES, 6, until="goodput ±90%", variants="red", store=tmp_path / "store")
    assert state(found).endswith("all precise enough")


def test_a_forgotten_sweep_holds_nothing(pair: weir.Scenario, tmp_path: Path) -> None:
    import gc

    for _ in range(3):
        pair.sweep(RATES, 1, store=tmp_path / "store")
    gc.collect()
    left = [path for path in (tmp_path / "store" / "owners").iterdir() if path.name != "maintenance.lock"]
    assert left == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"replications": 0}, "0 replications"),
        ({"samples": -1}, "-1 samples"),
        ({"threads": 1, "dask": "local:1"}, "choose one of"),
        ({"until": "happiness ±1%"}, "no measure"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, object], told: str, pair: weir.Scenario, tmp_path: Path
) -> None:
    with pytest.raises(weir.WeirError, match=told):
        pair.sweep(RATES, store=tmp_path / "store", **arguments)  # type: ignore[arg-type]
