from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import altair as alt
import polars as pl
import pytest
from altair.utils.schemapi import SchemaValidationError, debug_mode

import weir
from waiting import HANG_S
from weir import plot
from weir.plot import Figure
from weir.plot._figure import ROWS
from weir.plot._means import rem_targets
from weir.plot._over_time import _panels  # pyright: ignore[reportPrivateUsage]
from weir.plot._runs import distributions
from weir.run._processes import Process
from weir.sweep._dimension import TIME

WEB = """\
schema = 1
name = "transfers"
duration = "20 s"

[links.bottleneck]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[flows.web]
rtt = "20 ms"
traffic.poisson = { load = 0.5, size.exponential = { mean = "20 kB" } }

[variants.drop-tail]
label = "DropTail"

[variants.codel]
label = "CoDel"
links.bottleneck.queue.codel = {}
"""


def test_the_envelope_cuts_nothing_off(compared: weir.Sweep) -> None:
    samples = compared.series_of().filter(
        pl.col("variable") == "queue", pl.col("component") == "links.bottleneck.forward"
    )
    envelope = plot.envelope(samples, ["label"], slots=10)
    for part in samples.partition_by("label"):
        slots = envelope.filter(pl.col("label") == part["label"][0])
        assert len(slots) <= 10
        assert slots["highest"].max() == part["value"].max()
        assert slots["lowest"].min() == part["value"].min()
        assert (slots["lowest"] <= slots["mean"]).all()
        assert (slots["mean"] <= slots["highest"]).all()


def delay_curves(compared: weir.Sweep, points: int = 300) -> pl.DataFrame:
    """The distribution of every variant's delays."""
    counts = compared.delay_histograms().rename({"upto_ms": "delay_ms"})
    return distributions(counts.select("label", "delay_ms", "count"), ["label"], points)


def test_delay_curves_are_distributions(compared: weir.Sweep) -> None:
    for part in delay_curves(compared).partition_by("label"):
        assert part["delay_ms"].is_sorted()
        assert part["at_most"].is_sorted()
        assert part["at_most"][0] == 0.0
        assert part["at_most"][-1] == pytest.approx(1.0)
        defined = part.drop_nulls()
        assert ((defined["longer"] + defined["at_most"] - 1.0).abs() < 1e-12).all()


def test_delay_curves_agree_with_the_quantiles_of_the_links(single: weir.Sweep) -> None:
    # One replication, since quantiles are of one run.
    row = single.observations().filter(pl.col("period") == -1).row(0, named=True)
    curve = delay_curves(single, points=100_000)
    reached = curve.filter(pl.col("at_most") >= 0.95)["delay_ms"][0]
    assert reached == pytest.approx(row["delay_p95"], rel=0.05, abs=0.1)


def test_few_points_draw_the_same_curve(compared: weir.Sweep) -> None:
    fine, coarse = (
        # Without the point that every curve begins with: there may be packets with no delay.
        delay_curves(compared, points).filter(pl.col("at_most") > 0.0)
        for points in (100_000, 50)
    )
    assert len(coarse) < len(fine)
    joined = coarse.join(fine, on=["label", "delay_ms"], suffix="_fine")
    assert len(joined) == len(coarse)
    assert joined["at_most"].equals(joined["at_most_fine"])


def test_the_target_is_read_from_the_resolved_scenario(compared: weir.Sweep) -> None:
    assert rem_targets(compared.resolved, compared.bottleneck) == [6.0]
    queue, goodput = plot.lines(compared), plot.lines(compared, "goodput")
    assert '"target"' in str(queue.bare).replace("'", '"')
    assert '"target"' not in str(goodput.bare).replace("'", '"')


def test_lines_of_a_comparison_are_its_estimates(compared: weir.Sweep) -> None:
    drawn = plot.lines(compared, "goodput")
    estimates = compared.estimates(["goodput"]).filter(pl.col("period") >= 0)
    assert len(drawn.rows) == len(estimates)
    for row in estimates.iter_rows(named=True):
        (there,) = drawn.rows.filter(x=float(row["users"]), family=row["label"]).to_dicts()
        assert (there["mean"], there["low"], there["high"]) == pytest.approx(
            (row["mean"], row["low"], row["high"])
        )


def test_periods_with_equal_users_are_drawn_over_time() -> None:
    steady = weir.Scenario.loads(WEB.replace("[links", '[measure]\nperiod = "5 s"\n\n[links')).run()
    assert [dimension.column for dimension in steady.dimensions] == [TIME]
    drawn = plot.lines(steady)
    assert drawn.name == "mean-queue-by-time"
    assert drawn.rows["x"].to_list() == [0.0, 5.0, 10.0, 15.0]
    assert "A period stands at its beginning." in drawn.caption


def test_specifications_carry_their_data_once(compared: weir.Sweep) -> None:
    for figure in plot.figures_of(compared):
        specification = figure.specification
        assert specification["$schema"].startswith("https://vega.github.io/schema/vega-lite/v6")
        assert len(specification["datasets"]["rows"]) == len(figure.rows)
        assert figure.caption.endswith(".")


def test_one_run_without_periods_has_nothing_to_compare(single: weir.Sweep) -> None:
    assert [figure.name for figure in plot.figures_of(single)] == ["delay-distribution", "delay-tail"]
    with pytest.raises(ValueError, match="nothing varies in steps"):
        plot.lines(single)
    with pytest.raises(ValueError, match="one run alone"):
        plot.ellipses(single)


def test_over_time_each_discipline_shows_what_it_is_known_by(compared: weir.Sweep) -> None:
    panels = plot.over_time(compared).rows["panel"].unique(maintain_order=True).to_list()
    assert panels == [
        "DropTail: queue (packets)",
        "RED: queue (packets)", "RED: average (packets)", "RED: probability",
        "REM: queue (packets)", "REM: price",
    ]  # fmt: skip
    chosen = plot.over_time(compared, "queue,count").rows["panel"].unique(maintain_order=True).to_list()
    assert "RED: count" in chosen
    assert "REM: price" not in chosen


def test_of_too_many_variables_the_most_telling_are_drawn() -> None:
    variants = {f"variant {number}": {"queue": 0, "probability": 1, "delay (s)": 2} for number in range(8)}
    rows = [(f"{label}: {name}", rank) for label, names in variants.items() for name, rank in names.items()]
    names, drawn = _panels(pl.DataFrame(rows, schema=["panel", "rank"], orient="row"))
    assert len(names) == 24
    assert drawn == [f"{label}: {name}" for label in variants for name in ("queue", "probability")]


def test_of_one_run_the_course_over_time_comes_first() -> None:
    one, _, _ = WEB.partition("[variants")
    one = one.replace("[links", '[measure]\nseries.interval = "50 ms"\n\n[links')
    one += "[links.bottleneck.queue.codel]\n"
    panels = plot.panels_of(weir.Scenario.loads(one).run())
    assert panels[0].name == "panel-over-time"
    assert panels[0].choices == ("Queue and AQM", "Queue")
    assert set(panels[0].figures[0].rows["panel"]) == {"queue (packets)", "dropping", "count"}


def test_without_series_there_is_no_queue_over_time(single: weir.Sweep) -> None:
    with pytest.raises(ValueError, match="asks for no series"):
        plot.over_time(single)


def test_slowdown_is_that_of_the_transfers(compared: weir.Sweep) -> None:
    result = weir.Scenario.loads(WEB).compare(replications=2)
    drawn = plot.slowdown(result)
    rows = result.completions.filter(
        pl.col("period") == -1, pl.col("group") == "all", pl.col("upto_bytes").is_not_nan()
    )
    median = drawn.rows.filter(pl.col("quantile") == "Median").sort("family", "upto_bytes")
    expected = (
        rows.group_by("label", "upto_bytes")
        .agg(pl.col("slowdown_p50").fill_nan(None).mean(), pl.col("count").sum())
        .filter(pl.col("count") >= 20)
        .sort("label", "upto_bytes")
    )
    assert median["slowdown"].to_list() == pytest.approx(expected["slowdown_p50"].to_list())
    assert median["count"].to_list() == expected["count"].to_list()
    assert len(median) > 4
    with pytest.raises(ValueError, match="no flows come and go"):
        plot.slowdown(compared)


def test_a_notebook_shows_a_figure_without_the_network(compared: weir.Sweep) -> None:
    shown = plot.lines(compared)._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage]
    assert list(shown) == ["image/svg+xml"]
    assert "95% confidence intervals" in shown["image/svg+xml"]
    assert set(re.findall(r"https?://[^\"]*", shown["image/svg+xml"])) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_a_process_ends_with_its_block_and_its_children_too(tmp_path: Path) -> None:
    note = tmp_path / "child"
    script = (
        "import subprocess, sys, pathlib\n"
        # Far longer than the test waits: it must not end by itself.
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100_000)'])\n"
        f"pathlib.Path({str(note)!r}).write_text(str(child.pid))\n"
        "child.wait()\n"
    )
    with Process(["-c", script]):
        while not note.exists() or not note.read_text(encoding="utf-8"):
            time.sleep(0.01)
    child = note.read_text(encoding="utf-8")
    end = time.monotonic() + HANG_S
    while time.monotonic() < end:
        listed = subprocess.run(
            ["ps", "-o", "stat=", "-p", child], capture_output=True, text=True, check=False
        )
        if listed.returncode != 0 or listed.stdout.startswith("Z"):
            break
    else:
        pytest.fail("the child is still at work")


def test_a_process_that_fails_says_why() -> None:
    with (
        pytest.raises(RuntimeError, match="no such luck"),
        Process(["-c", "raise SystemExit('no such luck')"]) as process,
    ):
        process.finish()
    with Process(["-c", "print('well')"]) as process:
        assert process.finish().strip() == "well"
    assert sys.executable


def test_a_chart_that_vega_lite_does_not_know_is_found() -> None:
    """By the fixture `charts_are_valid` of all tests."""
    with debug_mode(False):  # noqa: FBT003 - of Altair
        chart = alt.Chart(ROWS).mark_point().encode(alt.X("x:Q", axis=alt.Axis(ticks=cast("Any", "many"))))
    drawn = Figure("points", "Points", "", chart, pl.DataFrame({"x": [1.0]}))
    with pytest.raises(SchemaValidationError, match="many"):
        _ = drawn.bare
