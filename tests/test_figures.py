from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import weir
from weir.charts.comparison import figures_of
from weir.charts.curves import delay_curves, queue_envelope, rem_targets
from weir.processes import Process, output_of


def test_the_envelope_cuts_nothing_off(compared: weir.Result) -> None:
    samples = compared.series.filter(
        pl.col("replication") == 0,
        pl.col("variable") == "queue",
        pl.col("component") == "links.bottleneck.forward",
    )
    envelope = queue_envelope(compared.tables, slots=10)
    for part in samples.partition_by("label"):
        slots = envelope.filter(pl.col("label") == part["label"][0])
        assert len(slots) <= 10
        assert slots["highest"].max() == part["value"].max()
        assert slots["lowest"].min() == part["value"].min()
        assert (slots["lowest"] <= slots["mean"]).all()
        assert (slots["mean"] <= slots["highest"]).all()


def test_delay_curves_are_distributions(compared: weir.Result) -> None:
    for part in delay_curves(compared.tables).partition_by("label"):
        assert part["delay_ms"].is_sorted()
        assert part["at_most"].is_sorted()
        assert part["at_most"][0] == 0.0
        assert part["at_most"][-1] == pytest.approx(1.0)
        defined = part.drop_nulls()
        assert ((defined["longer"] + defined["at_most"] - 1.0).abs() < 1e-12).all()


def test_delay_curves_agree_with_the_quantiles_of_the_links(compared: weir.Result) -> None:
    # One replication, since quantiles are of one run.
    tables = {name: frame.filter(pl.col("replication") == 0) for name, frame in compared.tables.items()}
    links = tables["links"].filter(
        pl.col("period") == -1, pl.col("direction") == "forward", pl.col("group") == "all"
    )
    for part in delay_curves(tables, points=100_000).partition_by("label"):
        row = links.row(by_predicate=pl.col("label") == part["label"][0], named=True)
        reached = part.filter(pl.col("at_most") >= 0.95)["delay_ms"][0]
        assert reached == pytest.approx(row["delay_p95_ms"], rel=0.05, abs=0.1)


def test_few_points_draw_the_same_curve(compared: weir.Result) -> None:
    fine, coarse = (
        # Without the point that every curve begins with: there may be packets with no delay.
        delay_curves(compared.tables, points=points).filter(pl.col("at_most") > 0.0)
        for points in (100_000, 50)
    )
    assert len(coarse) < len(fine)
    joined = coarse.join(fine, on=["label", "delay_ms"], suffix="_fine")
    assert len(joined) == len(coarse)
    assert joined["at_most"].equals(joined["at_most_fine"])


def test_the_target_is_read_from_the_resolved_scenario(compared: weir.Result) -> None:
    assert rem_targets(compared) == [6.0]


def test_specifications_carry_their_data_once(compared: weir.Result) -> None:
    for figure in figures_of(compared):
        specification = figure.specification
        assert specification["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
        assert len(specification["datasets"]["rows"]) == len(figure.rows)
        assert figure.caption.endswith(".")


def test_without_intervals_there_are_no_bands(single: weir.Result) -> None:
    (figure, *_) = figures_of(single)
    assert figure.name == "mean-queue"
    assert figure.specification["datasets"]["rows"][0]["low"] is None
    assert "no intervals" in figure.caption


def test_plots_are_charts(compared: weir.Result) -> None:
    for chart in (
        compared.plot.queue_by_users(),
        compared.plot.goodput_by_users(),
        compared.plot.loss_by_users(),
        compared.plot.measure("jain"),
        compared.plot.queue_over_time(),
        compared.plot.delay_distribution(),
        compared.plot.delay_tail(),
    ):
        assert "config" in chart.to_dict()


def test_without_series_there_is_no_queue_over_time(single: weir.Result) -> None:
    with pytest.raises(ValueError, match="asks for no series"):
        single.plot.queue_over_time()


def test_a_process_ends_with_its_block_and_its_children_too(tmp_path: Path) -> None:
    note = tmp_path / "child"
    script = (
        "import subprocess, sys, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        "child.wait()\n"
    )
    with Process(["-c", script]):
        while not note.exists() or not note.read_text(encoding="utf-8"):
            time.sleep(0.01)
    child = note.read_text(encoding="utf-8")
    until = time.monotonic() + 5
    while time.monotonic() < until:
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-p", child], capture_output=True, text=True, check=False
        )
        if listed.returncode != 0 or listed.stdout.startswith("Z"):
            break
    else:
        pytest.fail("the child is still at work")


def test_a_process_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="no such luck"):
        output_of("-c", "raise SystemExit('no such luck')")
    assert output_of("-c", "print('well')").strip() == "well"
    assert sys.executable
