"""Each kind of figure of a sweep: what it shows, and what it says of itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_sweep import (
    CONTINUOUS,
    HYPERCUBE,
    LABELS,
    RATE,
    RTT,
    SWEEPS,
    THREE_AXES,
    TWO_AXES,
    FakeSweep,
    encoded,
    rows_of,
    sampled,
)  # fmt: skip
from weir.plot import Figure, figure
from weir.plot._runs import distributions
from weir.plot._sensitivity import end_of, placed
from weir.stats._intervals import student_t
from weir.sweep._dimension import ChartError, Dimension

# Maps.


def test_a_map_has_a_cell_for_every_pair() -> None:
    drawn = figure(TWO_AXES, "heat", measure="loss", facet="none", where={"variant": "RED"})
    assert len(drawn.rows) == len(RATE.values) * len(RTT.values)
    estimates = TWO_AXES.estimates(["loss"]).filter(
        pl.col("label") == "RED", pl.col(RATE.column) == 3.0, pl.col(RTT.column) == 70.0
    )
    (cell,) = rows_of(drawn, x="3", y="70")
    assert cell["mean"] == pytest.approx(estimates["mean"][0])
    assert encoded(drawn, "text")


def test_cells_without_a_value_are_told_apart() -> None:
    drawn = figure(SWEEPS["undefined"], "heat", measure="delay-mean")
    assert drawn.rows.filter(pl.col("mean").is_null())["x"].unique().to_list() == ["1"]
    assert "Grey: not defined." in drawn.caption


def test_sampled_axes_are_cut_into_bins() -> None:
    drawn = figure(HYPERCUBE, "heat", measure="loss", facet="none", where={"variant": "REM"})
    assert len(drawn.rows) <= 15 * 15
    assert drawn.rows["n"].sum() == 400
    ratios = (drawn.rows["x_to"] / drawn.rows["x"]).to_numpy()
    assert ratios.min() == pytest.approx(ratios.max())  # Rates have a logarithmic axis.
    assert not encoded(drawn, "text")
    assert "at most 15 steps of rate and of rtt" in drawn.caption


def test_a_lattice_has_a_cell_for_each_of_its_values() -> None:
    class Lattice(FakeSweep):
        def observations(self, of: str = "all", measures: Sequence[str] = ()) -> pl.DataFrame:
            place = pl.col("point").cast(pl.Float64)
            return (
                super()
                .observations(of, measures)
                .with_columns(
                    (10.0 ** (place % 3)).alias(RATE.column), (20.0 * (place // 3)).alias(RTT.column)
                )
            )

    drawn = figure(Lattice([sampled(RATE), sampled(RTT)], ("REM",), 1, design="morris", points=12), "heat")
    assert len(drawn.rows) == 3 * 4
    assert drawn.rows["x"].unique().sort().to_list() == pytest.approx([1.0, 10**0.5, 10**1.5])
    assert drawn.rows["x_to"].max() == pytest.approx(100.0)
    assert "no runs" not in drawn.caption


# Trade-offs.


def test_a_trade_off_goes_with_the_load() -> None:
    drawn = figure(THREE_AXES, "tradeoff", facet="none", where={"rate": 10})
    assert "growing users, 20 to 60" in drawn.caption
    for family in LABELS:
        part = drawn.rows.filter(pl.col("family") == family)
        assert part["load"].to_list() == [20.0, 40.0, 60.0]
        (arrow,) = part.drop_nulls("arrow_x").to_dicts()
        assert min(arrow["x"], arrow["from_x"]) < arrow["arrow_x"] < max(arrow["x"], arrow["from_x"])
    averaged = THREE_AXES.observations().filter(
        pl.col(RATE.column) == 10.0, pl.col("label") == "RED", pl.col("users") == 40, pl.col("period") >= 0
    )
    (row,) = rows_of(drawn, family="RED", load=40.0)
    assert (row["x"], row["y"]) == pytest.approx((averaged["loss"].mean(), averaged["delay_mean"].mean()))


def test_loss_is_logarithmic_over_a_decade_but_not_with_zeros() -> None:
    def scale(drawn: Figure) -> str:
        return encoded(drawn, "x")[0]["scale"].get("type", "linear")

    assert scale(figure(THREE_AXES, "tradeoff")) == "log"
    assert scale(figure(THREE_AXES, "tradeoff", where={"rate": 10, "rtt": 40, "users": [40, 60]})) == "linear"
    assert scale(figure(THREE_AXES, "tradeoff", x="mark_fraction")) == "linear"


def test_more_flows_are_a_load_before_a_faster_link() -> None:
    count = Dimension("flows.ftp.count", "ftp count", "", numeric=True, log=False, values=(2.0, 5.0, 9.0))
    assert "growing ftp count" in figure(FakeSweep([RATE, count], LABELS), "tradeoff").caption


def test_the_load_can_be_any_number() -> None:
    assert "growing rate, 1 Mbit/s to 100 Mbit/s" in figure(TWO_AXES, "tradeoff", load="rate").caption
    with pytest.raises(ChartError, match="recovery is not a number"):
        figure(SWEEPS["text"], "tradeoff", load="recovery")
    with pytest.raises(ChartError, match="grows in steps"):
        figure(HYPERCUBE, "tradeoff")


# Run by run.


def test_ellipses_are_one_standard_deviation_of_all_runs() -> None:
    drawn = figure(TWO_AXES, "ellipses", family="none", facet="none")
    runs = TWO_AXES.observations().select("delay_mean", "goodput").to_numpy()
    centred_outline = drawn.rows.filter(pl.col("part") == "ellipse").select("x", "y").to_numpy() - runs.mean(
        axis=0
    )
    precision = np.linalg.inv(np.cov(runs.T, ddof=0))
    distance = np.einsum("ni,ij,nj->n", centred_outline, precision, centred_outline)
    assert distance == pytest.approx(1.0)
    (median,) = rows_of(drawn, part="median")
    assert (median["x"], median["y"]) == pytest.approx((np.median(runs[:, 0]), np.median(runs[:, 1])))
    assert median["n"] == len(runs)


def test_dots_are_limited_and_the_same_each_time() -> None:
    many = FakeSweep([RATE, RTT], LABELS, 60)
    drawn = [figure(many, "ellipses", facet="none") for _ in range(2)]
    dots = drawn[0].rows.filter(pl.col("part") == "run")
    assert 1_900 < len(dots) <= 2_000
    assert "of 3,600 drawn" in drawn[0].caption
    assert drawn[0].rows.equals(drawn[1].rows)
    medians = drawn[0].rows.filter(pl.col("part") == "median")
    assert set(medians["n"]) == {1_200}


@pytest.mark.parametrize("spread", [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)])
def test_runs_that_hardly_spread_do_no_harm(spread: tuple[float, float]) -> None:
    class Steady(FakeSweep):
        def observations(self, of: str = "all", measures: Sequence[str] = ()) -> pl.DataFrame:
            number = pl.col("replication").cast(pl.Float64)
            return (
                super()
                .observations(of, measures)
                .with_columns(delay_mean=5.0 + spread[0] * number, goodput=90.0 + spread[1] * number)
            )

    drawn = figure(Steady([RATE], replications=3), "ellipses", where={"rate": 10})
    outline = drawn.rows.filter(pl.col("part") == "ellipse")
    assert outline.is_empty() == (spread == (0.0, 0.0))
    assert ("do not spread" in drawn.caption) == (spread == (0.0, 0.0))
    if not outline.is_empty():
        # The standard deviation of 0, 1, 2 in each direction in which there is any.
        for column, size in zip("xy", spread, strict=True):
            extent = (outline[column].max() - outline[column].min()) / 2  # type: ignore[operator]
            assert extent == pytest.approx(size * math.sqrt(2 / 3), abs=1e-9)


# Delays, series.


def test_delays_of_a_family_are_those_of_all_its_packets() -> None:
    drawn = figure(TWO_AXES, "cdf", facet="none")
    assert "Packets pooled over rate (5 levels), rtt (4 levels)." in drawn.caption
    counts = TWO_AXES.delay_histograms().filter(pl.col("label") == "REM")
    early = counts.filter(pl.col("upto_ms") <= 5.0)
    half = float(early["count"].sum()) / float(counts["count"].sum())
    curve = drawn.rows.filter(pl.col("family") == "REM", pl.col("delay_ms") <= 5.0)
    assert curve["at_most"].max() == pytest.approx(half, abs=0.01)
    assert drawn.rows.filter(pl.col("family") == "REM")["at_most"].max() == pytest.approx(1.0)


def test_distributions_keep_keys_apart() -> None:
    counts = pl.DataFrame({"k": ["a", "a", "b"], "delay_ms": [1.0, 2.0, 3.0], "count": [30, 10, 20]})
    curves = distributions(counts, ["k"])
    assert curves.filter(pl.col("k") == "a", pl.col("delay_ms") == 1.0)["at_most"].item() == 0.75
    assert curves.filter(pl.col("k") == "b")["at_most"].to_list() == [0.0, 1.0]
    assert distributions(counts.clear(), ["k"]).is_empty()


def test_series_are_shown_as_recorded() -> None:
    drawn = figure(TWO_AXES, "over_time", where={"rate": 10})
    assert drawn.rows["panel"].unique(maintain_order=True).to_list() == [
        "DropTail: queue (packets)", "RED: queue (packets)", "RED: price", "RED: probability",
        "REM: queue (packets)", "REM: price", "REM: probability",
    ]  # fmt: skip
    assert "At rate 10 Mbit/s, rtt 10 ms." in drawn.caption
    only = figure(TWO_AXES, "over-time", measure="price")
    assert only.rows["panel"].unique(maintain_order=True).to_list() == ["RED", "REM"]


# Trends, sensitivity.


def test_a_trend_is_the_mean_of_bins() -> None:
    drawn = figure(HYPERCUBE, "trend", measure="loss", x="rate", family="none", where={"variant": "REM"})
    bins = drawn.rows.drop_nulls("mean")
    assert bins["n"].sum() == 400
    assert bins["n"].max() - bins["n"].min() <= 1  # type: ignore[operator]
    observed = HYPERCUBE.observations().filter(pl.col("label") == "REM")
    weighted = (bins["mean"] * bins["n"]).sum() / 400
    assert weighted == pytest.approx(observed["loss"].mean())
    lowest = observed.sort(RATE.column).head(int(bins["n"][0]))
    assert bins.sort("x")["mean"][0] == pytest.approx(lowest["loss"].mean())


def test_a_trend_has_few_dots_in_all_panels_together() -> None:
    large = FakeSweep(CONTINUOUS, LABELS, 1, design="lhs", points=3000)
    drawn = figure(large, "trend")
    dots = drawn.rows.drop_nulls("dot")
    assert 1_900 < len(dots) <= 2_000
    assert "of 9,000 are drawn in each panel" in drawn.caption
    assert set(dots["axis"]) == {0, 1, 2}


def test_points_made_from_one_another_count_once() -> None:
    class Made(FakeSweep):
        """Every value of the axis four times, as in a saltelli design."""

        def observations(self, of: str = "all", measures: Sequence[str] = ()) -> pl.DataFrame:
            place = (pl.col("point") // 4).cast(pl.Float64)
            return (
                super().observations(of, measures).with_columns((1.0 + place).alias(RATE.column), loss=place)
            )

    drawn, independent = (
        figure(Made([sampled(RATE)], ("REM",), 1, design=design, points=400), "trend", measure="loss")
        for design in ("saltelli", "lhs")
    )
    assert "count once" in drawn.caption
    widths = [(part.rows["high"] - part.rows["low"]).drop_nulls().mean() for part in (drawn, independent)]
    # Of five different values that were twenty: t(4) / sqrt(5) against t(19) / sqrt(20), and the
    # standard deviations with n - 1.
    expected = student_t(4) / math.sqrt(4) / (student_t(19) / math.sqrt(19))
    assert widths[0] / widths[1] == pytest.approx(expected, rel=1e-6)  # type: ignore[operator]


def test_sensitivity_is_ordered_and_has_intervals() -> None:
    morris = figure(SWEEPS["morris"], "sensitivity", measure="loss")
    assert morris.rows["axis"].to_list() == ["rate", "rtt", "buffer", "rem gamma"]
    assert (morris.rows["low"] < morris.rows["mu_star"]).all()
    sobol = figure(SWEEPS["saltelli"], "sensitivity", measure="loss")
    assert set(sobol.rows["order"]) == {"alone", "total, with others"}
    assert encoded(sobol, "y")[0]["sort"] == ["rate", "rtt", "buffer"]


@given(st.lists(st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 10.0)), min_size=1, max_size=6, unique=True))
def test_names_of_dots_stay_in_the_picture(dots: list[tuple[float, float]]) -> None:
    rows = pl.DataFrame({"x": [x for x, _ in dots], "y": [y for _, y in dots], "name": ["axis"] * len(dots)})
    named = placed(rows, "x", "y", "name", 400, 200)
    for row in named.iter_rows(named=True):
        left = row["x"] / end_of(rows["x"]) * 400 + row["dx"]
        assert -15 <= left <= 415
        assert (row["dx"] > 0) == (row["align"] == "left")


def test_names_of_dots_that_are_close_are_apart() -> None:
    rows = pl.DataFrame({"x": [5.0, 5.1, 5.2], "y": [5.0, 5.1, 5.0], "name": ["first", "second", "third"]})
    named = placed(rows, "x", "y", "name", 400, 200)
    assert named.select("dx", "dy", "align").n_unique() == 3
