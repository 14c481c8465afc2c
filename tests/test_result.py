from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weir
from conftest import SMALL
from weir._errors import WeirError
from weir.run._tables import TABLES
from weir.stats._analysis import axis_of
from weir.stats._intervals import mean_interval, paired_difference
from weir.stats._measures import defined_measures
from weir.store import Record
from weir.sweep import _query as query
from weir.sweep._plan import TUNING

KEYS = ["point", "variant", "label", "replication", "seed", "run"]


def test_every_table_leads_with_its_keys(compared: weir.Sweep) -> None:
    assert tuple(compared.tables) == TABLES
    for name, frame in compared.tables.items():
        assert frame.columns[:6] == KEYS, name
        # No flows come and go here.
        assert frame.is_empty() == (name in {"completions", "transfers"}), name


def test_replications_have_the_same_seeds_in_every_variant(compared: weir.Sweep) -> None:
    assert (compared.seed, compared.replications) == (7, 4)
    for part in compared.runs.partition_by("variant"):
        assert part["seed"].to_list() == [7, 8, 9, 10]
        assert part["replication"].to_list() == [0, 1, 2, 3]
        assert part["packets"].min() > 0  # type: ignore[operator]


def test_variants_keep_their_order_and_labels(compared: weir.Sweep) -> None:
    assert compared.variants == ["drop-tail", "red", "rem"]
    assert compared.labels == ["DropTail", "RED", "REM"]
    assert compared.runs["label"].unique(maintain_order=True).to_list() == ["DropTail", "RED", "REM"]
    assert compared.baseline == "drop-tail"


def test_the_only_group_of_flows_has_rows_of_its_own(compared: weir.Sweep) -> None:
    for name in ("links", "groups", "delays"):
        rows = compared.tables[name]
        own = rows.filter(pl.col("group") == compared.flow_groups[0])
        of_all = rows.filter(pl.col("group") == "all")
        assert own.drop("group").equals(of_all.drop("group")), name


def test_estimates_are_means_over_replications(compared: weir.Sweep) -> None:
    whole = compared.links.filter(
        pl.col("variant") == "red",
        pl.col("period") == -1,
        pl.col("direction") == "forward",
        pl.col("class") == "all",
        pl.col("group") == "all",
    )
    expected = mean_interval(whole["queue_mean"].to_numpy())
    estimate = compared.estimates(["mean_queue"]).row(
        by_predicate=(pl.col("variant") == "red") & (pl.col("period") == -1), named=True
    )
    assert estimate["mean"] == pytest.approx(expected.mean)
    assert estimate["half_width"] == pytest.approx(expected.half_width)
    assert estimate["n"] == 4
    assert estimate["unit"] == "packets"


def test_percentages_are_percentages(compared: weir.Sweep) -> None:
    goodput = compared.summary()["goodput"].to_numpy()
    assert np.all((goodput > 20) & (goodput <= 100))


def test_drop_tail_loses_packets_of_more_flows_at_once_than_red(compared: weir.Sweep) -> None:
    """An overflow hits who arrives while it lasts; RED drops one by one (Floyd and Jacobson, 1993)."""
    found = compared.estimates(["loss_synchronisation"]).filter(pl.col("period") == -1)
    shares = dict(zip(found["variant"], found["mean"], strict=True))
    assert 0.0 < shares["red"] < shares["drop-tail"] <= 100.0


def test_differences_are_paired_by_replication(compared: weir.Sweep) -> None:
    observed = compared.observations().filter(pl.col("period") == -1).sort("replication")
    queues = {name: part["mean_queue"].to_numpy() for (name,), part in observed.group_by("variant")}
    expected = paired_difference(queues["rem"], queues["red"])
    row = compared.differences("red", ["mean_queue"]).row(
        by_predicate=(pl.col("variant") == "rem") & (pl.col("period") == -1), named=True
    )
    assert row["baseline"] == "red"
    assert row["difference"] == pytest.approx(expected.interval.mean)
    assert row["half_width"] == pytest.approx(expected.interval.half_width)
    assert row["correlation"] == pytest.approx(expected.correlation)
    assert row["verdict"] == expected.verdict()


def test_differences_of_a_sweep_are_paired_at_each_point(small: Path, tmp_path: Path) -> None:
    scenario = weir.load(small, {"duration": "4 s"})
    rates = {"links.bottleneck.rate": ["2 Mbit/s", "4 Mbit/s"]}
    place = tmp_path / "store"
    sweep = scenario.sweep(rates, 3, store=place)
    found = sweep.differences(measures=["mean_queue"]).filter(pl.col("period") == -1)
    assert found["point"].to_list() == [0, 0, 1, 1]
    for point, rate in enumerate(rates["links.bottleneck.rate"]):
        alone = scenario.replace({"links.bottleneck.rate": rate}).compare(3, store=place)
        expected = alone.differences(measures=["mean_queue"]).filter(pl.col("period") == -1)
        here = found.filter(pl.col("point") == point)
        for column in ("difference", "half_width", "correlation", "n", "verdict"):
            assert here[column].to_list() == expected[column].to_list(), column


def test_equality_needs_a_margin(compared: weir.Sweep) -> None:
    differences = compared.differences(measures=["goodput"], margins={"goodput": 1000.0})
    assert set(differences["verdict"]) == {"equal"}


def test_margins_belong_to_the_result(tmp_path: Path) -> None:
    scenario = weir.Scenario.loads(SMALL, {"duration": "2 s"})
    place = tmp_path / "store"
    without = scenario.compare(2, store=place)
    stated = scenario.compare(2, margins={"goodput": 1000.0}, store=place)
    assert (without.number, stated.number) == (1, 2)
    assert set(stated.differences(measures=["goodput"])["verdict"]) == {"equal"}
    assert weir.Sweep.open(2, place).margins == {"goodput": 1000.0}


def test_periods_are_drawn_against_users(compared: weir.Sweep) -> None:
    axis = axis_of(compared.observations())
    assert axis is not None
    assert axis.column == "users"


def test_periods_with_equal_users_are_drawn_against_time(compared: weir.Sweep) -> None:
    axis = axis_of(compared.observations().with_columns(users=pl.lit(5)))
    assert axis is not None
    assert axis.column == "from_s"


def test_without_periods_there_is_no_axis(single: weir.Sweep) -> None:
    assert axis_of(single.observations()) is None


def test_one_replication_has_no_intervals(single: weir.Sweep) -> None:
    estimates = single.estimates()
    assert estimates["half_width"].null_count() == len(estimates)
    assert estimates.schema["half_width"] == pl.Float64
    assert single.differences().is_empty()


def test_the_summary_has_a_row_per_variant(compared: weir.Sweep) -> None:
    summary = compared.summary()
    assert summary["variant"].to_list() == ["drop-tail", "red", "rem"]
    assert {"mean_queue", "mean_queue_half_width", "jain"} <= set(summary.columns)


def test_unknown_names_say_what_there_is(compared: weir.Sweep) -> None:
    with pytest.raises(ValueError, match="there is no flow group or class 'web'; hint: there are: ftp"):
        compared.observations("web")
    with pytest.raises(ValueError, match="there is no variant 'pie'; hint: there are: drop-tail, red, rem"):
        compared.differences("pie")
    with pytest.raises(ValueError, match='there is no measure "speed"; hint: there are: mean_queue'):
        compared.estimates(["speed"])


def test_the_bottleneck_is_the_slowest_link(compared: weir.Sweep) -> None:
    assert compared.bottleneck == "bottleneck"
    assert not compared.has_several_links


def test_the_document_is_json(compared: weir.Sweep) -> None:
    document = json.loads(json.dumps(compared.document(), allow_nan=False))
    assert document["seeds"] == [7, 8, 9, 10]
    assert set(document["measures"]) == set(defined_measures(transfers=False))
    assert len(document["estimates"]) == len(compared.estimates())
    assert {row["variant"] for row in document["differences"]} == {"red", "rem"}


def test_what_is_not_defined_is_null_in_the_document() -> None:
    # Without a packet there is no delay.
    silent = weir.Scenario.loads(SMALL, {"flows.ftp.start": "5900 ms", "flows.ftp.rtt": "1 s"}).run()
    rows = [row for row in silent.document()["estimates"] if row["measure"] == "delay_p999"]
    assert None in {row["mean"] for row in rows}
    assert 0 in {row["n"] for row in rows}


def test_a_notebook_shows_tables(compared: weir.Sweep) -> None:
    html = compared._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert html.count("<table") == 5
    assert "Two to six users" in html


def test_every_result_has_a_number_and_stays(small: Path, tmp_path: Path) -> None:
    scenario = weir.load(small, {"duration": "2 s"})
    place = tmp_path / "store"
    run, more = scenario.run(store=place), scenario.run(2, store=place)
    compared = scenario.compare(store=place)
    assert [one.number for one in (run, more, compared)] == [1, 2, 3]
    assert scenario.run(store=place).number == 1
    assert weir.Sweep.open(store=place).number == 1  # asked for last
    assert weir.Sweep.open(2, place).replications == 2
    assert weir.Sweep.open("small", place).name == "small"
    assert run.summary().equals(weir.Sweep.open(1, place).summary())
    with pytest.raises(weir.WeirError, match="no result '9'"):
        weir.Sweep.open(9, place)


def test_nothing_is_computed_twice(small: Path, tmp_path: Path) -> None:
    scenario = weir.load(small, {"duration": "2 s"})
    place = tmp_path / "store"
    scenario.run(2, store=place)
    scenario.run(3, store=place)
    scenario.compare(3, store=place)
    with weir.Store.open(place) as store:
        assert sum(store.versions().values()) == 3 * 3  # DropTail is the scenario itself


def test_a_directory_of_another_result_is_left_alone(small: Path, tmp_path: Path) -> None:
    scenario = weir.load(small, {"duration": "2 s"})
    one = scenario.run(store=tmp_path / "one")
    one.store.claim_directory(one.record)
    other = scenario.run(seed=99, store=tmp_path / "other")
    assert (one.number, other.number) == (1, 1)
    assert one.directory == tmp_path / "1-small"
    assert other.directory == tmp_path / f"1-small-{other.id}"
    (tmp_path / "2-small").mkdir()
    two = scenario.run(2, store=tmp_path / "one")
    # An empty one is left behind where the disk was full.
    assert two.directory == tmp_path / "2-small"
    (tmp_path / "2-small" / "notes.txt").touch()
    assert two.directory == tmp_path / f"2-small-{two.id}"


def test_an_answer_of_tune_has_a_number_a_directory_and_runs(small: Path, tmp_path: Path) -> None:
    run = weir.load(small, {"duration": "2 s"}).run(2, store=tmp_path / "store")
    keys = run.finished["run"].to_list()
    with weir.Store.open(tmp_path / "store") as store:
        definition = {"kind": TUNING, "runs": keys, "results_version": run.results_version}
        record = store.record_sweep(Record("aa11", "best", definition=definition))
        assert store.claim_directory(record) == tmp_path / "2-best"
        listed = query.listing(store)[0]
        assert (listed["number"], listed["kind"], listed["state"]) == (2, "tune", "2 runs")
        with pytest.raises(WeirError, match="what `weir tune` found"):
            weir.Sweep(store, record)
        query.remove(store, "1")
    run.close()
    with weir.Store.open(tmp_path / "store") as store:
        assert query.prune(store).startswith("removed 0 runs")
        query.remove(store, "best")
        assert not (tmp_path / "2-best").exists()
        assert query.prune(store).startswith("removed 2 runs")
