from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import weir
from weir.analysis import axis_of, bottleneck
from weir.measures import defined
from weir.statistics import mean_interval, paired_difference
from weir.tables import KEYS, TABLES


def test_every_table_leads_with_its_keys(compared: weir.Result) -> None:
    assert tuple(compared.tables) == TABLES
    for name, frame in compared.tables.items():
        assert tuple(frame.columns[:4]) == KEYS, name
        # No flows come and go here.
        assert frame.is_empty() == (name == "completions"), name


def test_replications_have_the_same_seeds_in_every_variant(compared: weir.Result) -> None:
    assert compared.record.seeds == (7, 8, 9, 10)
    for part in compared.runs.partition_by("variant"):
        assert part["seed"].to_list() == [7, 8, 9, 10]
        assert part["replication"].to_list() == [0, 1, 2, 3]


def test_variants_keep_their_order_and_labels(compared: weir.Result) -> None:
    assert compared.record.labels == {"drop-tail": "DropTail", "red": "RED", "rem": "REM"}
    assert compared.runs["label"].unique(maintain_order=True).to_list() == ["DropTail", "RED", "REM"]
    assert compared.baseline == "drop-tail"


def test_estimates_are_means_over_replications(compared: weir.Result) -> None:
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


def test_percentages_are_percentages(compared: weir.Result) -> None:
    goodput = compared.summary()["goodput"].to_numpy()
    assert np.all((goodput > 20) & (goodput <= 100))


def test_differences_are_paired_by_replication(compared: weir.Result) -> None:
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


def test_equality_needs_a_margin(compared: weir.Result) -> None:
    differences = compared.differences(measures=["goodput"], margins={"goodput": 1000.0})
    assert set(differences["verdict"]) == {"equal"}


def test_periods_are_drawn_against_users(compared: weir.Result) -> None:
    axis = axis_of(compared.observations())
    assert axis is not None
    assert axis.column == "users"


def test_periods_with_equal_users_are_drawn_against_time(compared: weir.Result) -> None:
    axis = axis_of(compared.observations().with_columns(users=pl.lit(5)))
    assert axis is not None
    assert axis.column == "from_s"


def test_without_periods_there_is_no_axis(single: weir.Result) -> None:
    assert axis_of(single.observations()) is None


def test_one_replication_has_no_intervals(single: weir.Result) -> None:
    estimates = single.estimates()
    assert estimates["half_width"].null_count() == len(estimates)
    assert estimates.schema["half_width"] == pl.Float64
    assert single.differences().is_empty()


def test_the_summary_has_a_row_per_variant(compared: weir.Result) -> None:
    summary = compared.summary()
    assert summary["variant"].to_list() == ["drop-tail", "red", "rem"]
    assert {"mean_queue", "mean_queue_half_width", "jain"} <= set(summary.columns)


def test_unknown_names_say_what_there_is(compared: weir.Result) -> None:
    with pytest.raises(ValueError, match="there is no group 'web'; there are: all"):
        compared.observations("web")
    with pytest.raises(ValueError, match="there is no variant 'pie'; there are: drop-tail, red, rem"):
        compared.differences("pie")


def test_the_bottleneck_is_the_slowest_link(compared: weir.Result) -> None:
    assert bottleneck(compared.tables) == "bottleneck"


def test_the_document_is_json(compared: weir.Result) -> None:
    document = json.loads(json.dumps(compared.document(), allow_nan=False))
    assert document["seeds"] == [7, 8, 9, 10]
    assert set(document["measures"]) == set(defined(transfers=False))
    assert len(document["estimates"]) == len(compared.estimates())
    assert {row["variant"] for row in document["differences"]} == {"red", "rem"}


def test_what_is_not_defined_is_null_in_the_document(compared: weir.Result) -> None:
    undefined = compared.links.with_columns(delay_p999_ms=pl.lit(math.nan))
    result = weir.Result(compared.record, {**compared.tables, "links": undefined}, compared.resolved)
    rows = [row for row in result.document()["estimates"] if row["measure"] == "delay_p999"]
    assert {row["mean"] for row in rows} == {None}
    assert {row["n"] for row in rows} == {0}


def test_a_notebook_shows_tables_and_a_chart(compared: weir.Result) -> None:
    html = compared._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<svg" in html
    assert html.count("<table") == 3
    assert "Two to six users" in html


def test_saved_and_loaded_is_the_same(compared: weir.Result, tmp_path: Path) -> None:
    compared.save(tmp_path / "result", report=False)
    loaded = weir.Result.load(tmp_path / "result")
    assert loaded.record == compared.record
    assert loaded.resolved == compared.resolved
    for name, frame in compared.tables.items():
        assert loaded.tables[name].equals(frame), name


def test_what_is_no_result_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not a weir result"):
        weir.Result.load(tmp_path)
    (tmp_path / "manifest.json").write_text('{"weir": "9.0", "format": 99, "tables": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="format 99"):
        weir.Result.load(tmp_path)
