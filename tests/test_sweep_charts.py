"""Figures of sweeps: that they can be drawn for every kind of sweep, and say what the runs say."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from fake_sweep import (
    BUFFER,
    GAIN,
    LABELS,
    ONE_AXIS,
    RATE,
    RTT,
    SWEEPS,
    THREE_AXES,
    TWO_AXES,
    FakeSweep,
    encoded,
    rows_of,
)  # fmt: skip
from weir import plot
from weir.plot import KINDS, Figure, figure, figures_of, options_of
from weir.plot._averages import interval
from weir.plot._chart import log_ticks
from weir.plot._cut import thinned
from weir.stats._intervals import mean_interval, student_t
from weir.sweep._dimension import ChartError, Dimension, find_dimension


@cache
def figures(name: str) -> list[Figure]:
    """Figures of one of the sweeps, made once."""
    return figures_of(SWEEPS[name])


def static(specification: dict[str, Any]) -> dict[str, Any]:
    """The specification without the parts that a browser needs for clicks."""

    def without(part: dict[str, Any]) -> dict[str, Any]:
        if part.get("condition") == {"param": "chosen", "value": 1}:
            return {"value": 1}
        return {key: value for key, value in part.items() if key != "params"}

    return json.loads(json.dumps(specification), object_hook=without)


# What is drawn.


ALIKE = {"users", "one replication", "three axes", "undefined", "lhs", "morris"}
"""Sweeps whose figures are drawn in `make soak` only: each has a sibling with the same kinds of figure."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.soak) if name in ALIKE else name for name in SWEEPS]
)
def test_every_figure_of_every_kind_of_sweep_can_be_drawn(name: str) -> None:
    names = [drawn.name for drawn in figures(name)]
    assert 5 <= len(names) <= 24
    assert len(set(names)) == len(names)
    for drawn in figures(name):
        assert drawn.caption.endswith(".")
        assert "  " not in drawn.caption
        specification = json.loads(json.dumps(drawn.specification, allow_nan=False))
        assert vl_convert.vegalite_to_vega(specification)["marks"]


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("two axes", "mean-queue-over-rate-rtt", "by-users"),
        ("one axis", "over-time", "over-rate"),
        ("no series", "delay-tail", "over-time"),
        ("saltelli", "loss-trend", "by-rate"),
        pytest.param("three axes", "goodput-by-users", "sensitivity", marks=pytest.mark.soak),
        pytest.param("morris", "sensitivity", "by-users", marks=pytest.mark.soak),
        pytest.param("lhs", "loss-trend", "sensitivity", marks=pytest.mark.soak),
    ],
)
def test_the_set_suits_the_sweep(name: str, has: str, lacks: str) -> None:
    kinds = " ".join(drawn.name for drawn in figures(name))
    assert has in kinds
    assert lacks not in kinds


def test_a_sweep_without_finished_runs_has_no_figures() -> None:
    waiting = FakeSweep([RATE], without=pl.lit(True))  # noqa: FBT003 - a column
    assert figures_of(waiting) == []
    with pytest.raises(ChartError, match="no run is finished"):
        figure(waiting, "lines")


def test_what_a_browser_needs_for_clicks_leaves_the_picture_as_it_is() -> None:
    for kind in ("lines", "tradeoff"):
        specification = figure(TWO_AXES, kind).specification
        bare = static(specification)
        assert "params" in json.dumps(specification)
        assert "params" not in json.dumps(bare)
        pictures = [vl_convert.svg_to_png(vl_convert.vegalite_to_svg(each)) for each in (specification, bare)]
        assert pictures[0] == pictures[1]


# Means and intervals.


def test_lines_are_the_estimates_where_nothing_is_averaged() -> None:
    drawn = figure(TWO_AXES, "lines", measure="goodput", x="rate", family="variant", facet="rtt")
    estimates = TWO_AXES.estimates(["goodput"]).filter(pl.col("period") == -1)
    assert len(drawn.rows) == len(estimates)
    for row in estimates.iter_rows(named=True):
        (there,) = rows_of(
            drawn, x=row[RATE.column], family=str(row["label"]), facet=f"rtt {row[RTT.column]:g} ms"
        )
        assert (there["mean"], there["low"], there["high"]) == pytest.approx(
            (row["mean"], row["low"], row["high"])
        )
    assert "Averaged" not in drawn.caption


def test_what_has_no_place_is_averaged_within_replications() -> None:
    drawn = figure(TWO_AXES, "lines", measure="goodput", x="rate", facet="none")
    assert "Averaged over rtt (4 levels)." in drawn.caption
    observed = TWO_AXES.observations().filter(
        pl.col(RATE.column) == 10.0, pl.col("label") == "RED", pl.col("period") == -1
    )
    by_replication = observed.group_by("replication").agg(pl.col("goodput").mean())["goodput"].to_numpy()
    expected = mean_interval(by_replication)
    (row,) = rows_of(drawn, x=10.0, family="RED")
    assert (row["mean"], row["low"], row["n"]) == pytest.approx((expected.mean, expected.low, 5))


def test_averages_are_over_replications_that_all_levels_have() -> None:
    # The last replications of a sweep with a rule exist only where they were needed.
    missing = (pl.col("replication") > 2) & (pl.col(RTT.column) > 50.0)
    drawn = figure(FakeSweep([RATE, RTT], LABELS, without=missing), "lines", x="rate", facet="none")
    assert set(drawn.rows["n"]) == {3}


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12))
def test_intervals_are_those_of_the_statistics(values: list[float]) -> None:
    observed = pl.DataFrame({"replication": range(len(values)), "goodput": values})
    (row,) = interval(observed, [], "goodput", student_t).to_dicts()
    expected = mean_interval(np.array(values))
    assert row["n"] == expected.n
    assert row["mean"] == pytest.approx(expected.mean, abs=1e-6)
    if expected.low is None:
        assert row["low"] is None
    else:
        assert row["low"] == pytest.approx(expected.low, rel=1e-6, abs=1e-5)


def test_one_replication_has_no_bands() -> None:
    drawn = figure(SWEEPS["one replication"], "lines")
    assert "no intervals" in drawn.caption
    assert drawn.rows["low"].null_count() == len(drawn.rows)


def test_the_users_of_periods_are_a_dimension() -> None:
    drawn = figure(THREE_AXES, "lines", x="users", where={"rate": "10 Mbit/s", "rtt": 40, "buffer": 100})
    assert set(drawn.rows["x"]) == {20.0, 40.0, 60.0}
    assert "For rate 10 Mbit/s, rtt 40 ms, buffer 100 packets." in drawn.caption
    observed = THREE_AXES.observations().filter(
        pl.col(RATE.column) == 10.0,
        pl.col(RTT.column) == 40.0,
        pl.col(BUFFER.column) == 100.0,
        pl.col("users") == 40,
        pl.col("period") >= 0,
        pl.col("label") == "REM",
    )
    (row,) = rows_of(drawn, x=40.0, family="REM")
    assert row["mean"] == pytest.approx(observed["mean_queue"].mean())


def test_axes_are_scaled_and_named_as_the_dimension_says() -> None:
    for encoding in encoded(figure(ONE_AXIS, "lines"), "x"):
        assert encoding["title"] == "Rate (Mbit/s)"
        assert encoding["scale"]["type"] == "log"
    for encoding in encoded(figure(FakeSweep([RTT]), "lines"), "x"):
        assert encoding["title"] == "RTT (ms)"
        assert "type" not in encoding["scale"]


def test_names_along_a_side_are_points_with_bars() -> None:
    drawn = figure(SWEEPS["text"], "lines", x="recovery")
    assert {encoding["type"] for encoding in encoded(drawn, "x")} == {"nominal"}
    assert encoded(drawn, "x")[0]["sort"] == ["newreno", "sack", "none"]


def test_too_many_families_are_not_drawn_and_that_is_said() -> None:
    many = FakeSweep([RATE], tuple(f"variant {i}" for i in range(20)), 2)
    drawn = figure(many, "lines")
    assert drawn.rows["family"].n_unique() == 14
    assert "14 of 20 variants are drawn." in drawn.caption


def test_long_axes_are_thinned_and_that_is_said() -> None:
    long = Dimension(
        "flows.ftp.rtt", "rtt", "ms", numeric=True, log=False, values=tuple(map(float, range(1, 6001)))
    )
    drawn = figure(FakeSweep([long], replications=1), "lines")
    assert len(drawn.rows) == 4000
    assert drawn.rows["x"].min() == 1.0
    assert drawn.rows["x"].max() == 6000.0
    assert "4000 of 6000 levels of rtt are drawn." in drawn.caption


@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6))
def test_ticks_of_logarithmic_axes_lie_on_them(low: float, ratio: float) -> None:
    ticks = log_ticks(low, low * ratio)
    assert 1 <= len(ticks) <= 14
    assert ticks == sorted(set(ticks))
    assert low * 0.99 <= ticks[0]
    assert ticks[-1] <= low * ratio * 1.01


# What is asked for.


@pytest.mark.parametrize("name", ["links.bottleneck.rate", "rate"])
def test_dimensions_go_by_path_and_title(name: str) -> None:
    assert find_dimension(TWO_AXES.dimensions, name) is RATE
    assert find_dimension([GAIN], "gamma") is GAIN


def test_a_name_that_may_be_two_is_refused() -> None:
    reverse = Dimension("links.reverse.rate", "rate", "Mbit/s", numeric=True, log=False, values=(1.0, 2.0))
    with pytest.raises(ValueError, match=r"may be any of: links\.bottleneck\.rate, links\.reverse\.rate"):
        find_dimension([RATE, reverse], "rate")


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("pie", {}, "no kind of figure 'pie'; hint: there are: lines, heat"),
        ("lines", {"measure": "colour"}, 'no measure "colour"; hint: there are: mean_queue'),
        ("lines", {"x": "speed"}, r"no dimension 'speed'; there are: links\.bottleneck\.rate \(rate\)"),
        ("lines", {"x": "rate", "family": "rate"}, "rate cannot be both x and family"),
        ("lines", {"load": "rate"}, "no load; it has: measure, x, family, facet"),
        ("lines", {"where": {"rate": 7}}, "no level 7; it has: 1 Mbit/s, 3 Mbit/s"),
        ("sensitivity", {}, "shows no sensitivity"),
        ("over_time", {"measure": "temperature"}, "no series 'temperature'; there are: queue"),
    ],
)
def test_wrong_wishes_are_answered_with_what_there_is(kind: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ChartError, match=said):
        figure(TWO_AXES, kind, **options)


@pytest.mark.parametrize(
    ("sweep", "kind", "hint"),
    [
        ("one axis", "heat", "sweep a second axis"),
        ("no series", "over_time", "series = "),
        ("morris", "lines", "draw a trend"),
        ("lhs", "sensitivity", "--method morris"),
        ("no axis", "trend", "sweep an axis"),
    ],
)
def test_what_is_missing_is_said_with_a_hint(sweep: str, kind: str, hint: str) -> None:
    with pytest.raises(ChartError) as refused:
        figure(SWEEPS[sweep], kind)
    # Apart: a command line has a line of its own for the hint.
    assert hint in str(refused.value.hint)
    assert hint not in refused.value.message


def test_a_run_alone_has_no_trend_to_be_sent_to() -> None:
    sweep = SWEEPS["no axis"]
    with pytest.raises(ChartError, match="nothing varies in steps") as refused:
        figure(sweep, "lines", where={"variant": sweep.labels[0]})
    assert "weir sweep" in str(refused.value.hint)


def test_delays_are_not_told_apart_by_users() -> None:
    for options in ({"family": "users"}, {"where": {"users": 20}}):
        with pytest.raises(ChartError, match="users cannot be told apart"):
            figure(THREE_AXES, "cdf", **options)  # type: ignore[arg-type]


def test_every_kind_is_a_function_whose_figure_is_an_altair_chart() -> None:
    made = {
        "lines": plot.lines(THREE_AXES, "goodput", x="users", facet="rate"),
        "heat": plot.heat(THREE_AXES),
        "tradeoff": plot.tradeoff(THREE_AXES, "delay_p99", "loss"),
        "ellipses": plot.ellipses(THREE_AXES, where={"rate": 10}),
        "cdf": plot.cdf(THREE_AXES),
        "tail": plot.tail(THREE_AXES),
        "over_time": plot.over_time(THREE_AXES, "queue"),
        "trend": plot.trend(THREE_AXES),
        "sensitivity": plot.sensitivity(SWEEPS["morris"]),
    }
    for drawn in made.values():
        chart = drawn.altair().to_dict()
        assert chart["config"]
        assert chart["datasets"]["rows"]
    assert {*made, "slowdown"} == set(KINDS)
    assert options_of("tradeoff") == ["y", "x", "load", "family", "facet"]


def test_one_variable_over_time_has_one_axis_for_all_variants() -> None:
    alone, every = (plot.over_time(TWO_AXES, name) for name in ("queue", None))
    assert alone.name == "queue-over-time"
    assert alone.title == "Queue over time"
    assert alone.rows["panel"].unique(maintain_order=True).to_list() == list(LABELS)
    assert "resolve" not in alone.bare
    assert {part["title"] for part in encoded(alone, "y")} == {"Queue (packets)"}
    assert every.bare["resolve"]["scale"]["y"] == "independent"


@given(st.integers(0, 3000), st.integers(1, 500))
def test_thinning_keeps_order_and_number(rows: int, most: int) -> None:
    kept = thinned(pl.DataFrame({"i": range(rows)}), most)["i"]
    assert kept.is_sorted()
    assert kept.n_unique() == len(kept)
    assert min(rows, most) - max(8, most // 20) <= len(kept) <= most
