"""Runs that figures of sweeps count: every run once, and unfinished sweeps without unequal averages."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from fake_sweep import BUFFER, LABELS, RATE, RTT, SWEEPS, THREE_AXES, FakeSweep, rows_of, sampled
from weir.plot import figure, figures_of
from weir.plot._averages import Common
from weir.stats._intervals import mean_interval, student_t
from weir.sweep._dimension import Dimension

MAX_TH = Dimension("links.bottleneck.queue.red.max_th", "red max_th", "packets", True, False, (40.0, 80.0))  # noqa: FBT003
MAX_P = Dimension("links.bottleneck.queue.red.max_p", "red max_p", "", True, True, (0.01, 0.1))  # noqa: FBT003
ARMS = ("RED", "REM")


def lacking(replications: int) -> FakeSweep:
    """RED's axes sampled for RED and REM, which does not have them."""
    axes = [sampled(MAX_TH), sampled(MAX_P)]
    return FakeSweep(axes, ARMS, replications, design="lhs", points=60, lacks={"REM": axes})


# The same runs at several points.


@pytest.mark.parametrize("replications", [1, 2])
def test_a_variant_without_the_axis_is_one_point_in_a_trend(replications: int) -> None:
    sweep = lacking(replications)
    drawn = figure(sweep, "trend", measure="loss")
    means = drawn.rows.filter(pl.col("family") == "REM").drop_nulls("mean")
    assert set(means["n"]) == {1}
    # Its value is the same all along, and not known the better for that.
    assert means["low"].null_count() == means["high"].null_count() == len(means)
    runs = sweep.observations().filter(pl.col("label") == "REM").unique("run")
    assert len(runs) == replications
    assert means["mean"].to_list() == pytest.approx([runs["loss"].mean()] * len(means))
    assert "Points that are the same runs count once: REM has 1 instead of 60." in drawn.caption
    assert "There is none where a mean is of one point alone." in drawn.caption
    red = drawn.rows.filter(pl.col("family") == "RED", pl.col("axis") == 0).drop_nulls("mean")
    assert red["n"].sum() == 60
    assert red["low"].null_count() == 0


def test_without_any_two_different_points_there_are_no_bands() -> None:
    drawn = figure(lacking(1), "trend", where={"variant": "REM"})
    assert drawn.rows["low"].null_count() == len(drawn.rows)
    assert "there are 1 instead of 60." in drawn.caption
    assert "No bands: no mean is of two different points." in drawn.caption


def test_points_that_coincide_count_once() -> None:
    axes = [Dimension(RATE.column, "rate", "Mbit/s", True, False, (5.0, 20.0)), sampled(RTT)]  # noqa: FBT003

    class Coarse(FakeSweep):
        """Points on two rates and three times: six different ones."""

        def _coarse(self) -> pl.DataFrame:
            place = pl.int_range(pl.len())
            return super()._points.with_columns(
                pl.when(place % 2 == 0).then(5.0).otherwise(20.0).alias(RATE.column),
                (10.0 * (place % 3 + 1)).alias(RTT.column),
            )

        _points = property(_coarse)  # type: ignore[assignment]

    drawn = figure(Coarse(axes, ("RED",), 1, design="lhs", points=120), "trend", x="rate", measure="loss")
    assert drawn.rows.drop_nulls("mean")["n"].to_list() == [3, 3]
    assert len(drawn.rows.drop_nulls("dot")) == 6
    assert "there are 6 instead of 120." in drawn.caption


def test_ellipses_have_a_dot_for_every_run() -> None:
    sweep = lacking(2)
    drawn = figure(sweep, "ellipses")
    runs = drawn.rows.filter(pl.col("part") == "run")
    assert runs["family"].value_counts(sort=True).to_dicts() == [
        {"family": "RED", "count": 120},
        {"family": "REM", "count": 2},
    ]
    (median,) = rows_of(drawn, part="median", family="REM")
    assert median["n"] == 2
    assert "A run that serves several points counts once." in drawn.caption
    assert "counts once" not in figure(SWEEPS["two axes"], "ellipses").caption


def test_the_cells_of_a_map_count_different_points() -> None:
    drawn = figure(lacking(1), "heat", facet="variant")
    assert set(drawn.rows.filter(pl.col("facet") == "REM")["n"]) == {1}
    assert drawn.rows.filter(pl.col("facet") == "RED")["n"].sum() == 60


def test_delays_count_the_packets_of_a_run_once() -> None:
    class Short(FakeSweep):
        """Nine packets in the tail of each run."""

        def delay_histograms(self) -> pl.DataFrame:
            bins = pl.DataFrame({"upto_ms": [1.0, 2.0], "count": [991, 9]})
            return self.configurations.join(bins, how="cross")

    axes = [sampled(MAX_TH)]
    sweep = Short(axes, ARMS, 1, design="lhs", points=60, lacks={"REM": axes})
    drawn = figure(sweep, "tail")
    ends = {row["family"]: row["delay_ms"] for row in drawn.rows.sort("delay_ms").to_dicts()}
    # Fewer than ten packets are no tail, however many points have that run.
    assert ends == {"RED": 1.0, "REM": 0.0}
    assert "A run that serves several points counts once." in drawn.caption


# Bands of trends.


class Seeded(FakeSweep):
    """Most of the noise comes with the seed, and is the same at every point."""

    def observations(self, of: str = "all", measures: Sequence[str] = ()) -> pl.DataFrame:
        seed = pl.col("replication").cast(pl.Float64)
        place = pl.col("point").cast(pl.Float64)
        return super().observations(of, measures).with_columns(loss=10.0 * seed + 0.01 * place)


def test_bands_of_trends_have_the_noise_that_all_points_share() -> None:
    sweep = Seeded([sampled(RATE)], ("RED",), 4, design="lhs", points=150)
    drawn = figure(sweep, "trend", measure="loss")
    bins = drawn.rows.drop_nulls("mean")
    expected = student_t(3) * np.std([0.0, 10.0, 20.0, 30.0], ddof=1) / math.sqrt(4)
    widths = ((bins["high"] - bins["mean"]).to_list(), (bins["mean"] - bins["low"]).to_list())
    # Below zero there is no loss, and no band.
    assert widths[0] == pytest.approx([expected] * len(bins))
    assert "Bands are 95% confidence intervals over replications" in drawn.caption


def test_the_band_of_a_trend_is_that_of_the_averages_of_its_replications() -> None:
    sweep = FakeSweep([sampled(RATE), sampled(RTT)], ("RED",), 5, design="sobol", points=30)
    drawn = figure(sweep, "trend", x="rate", measure="goodput")
    bins = drawn.rows.drop_nulls("mean").sort("x")
    lowest = sweep.observations().sort(RATE.column, "replication").head(5 * int(bins["n"][0]))
    averages = lowest.group_by("replication").agg(pl.col("goodput").mean())["goodput"].to_numpy()
    expected = mean_interval(averages)
    assert bins.row(0, named=True)["low"] == pytest.approx(expected.low)
    assert bins.row(0, named=True)["high"] == pytest.approx(expected.high)


def test_the_band_of_one_replication_says_that_it_is_of_one_seed() -> None:
    drawn = figure(SWEEPS["lhs"], "trend")
    assert "Bands are the spread over points for this one seed" in drawn.caption
    assert "over replications" not in drawn.caption
    # As many as are finished, not as are wanted.
    begun = FakeSweep([sampled(RATE)], LABELS, 5, design="lhs", points=90, without=pl.col("replication") > 0)
    assert "for this one seed" in figure(begun, "trend").caption


# Sweeps that are not finished.

COARSE = Dimension(RATE.column, "rate", "Mbit/s", True, False, (5.0, 20.0))  # noqa: FBT003
LAST = (pl.col(RATE.column) == 20.0) & (pl.col(MAX_TH.column) == 80.0)


def unfinished(without: pl.Expr = LAST) -> FakeSweep:
    """A grid of two by two."""
    return FakeSweep([COARSE, MAX_TH], ARMS, 3, without=without)


def test_averages_of_an_unfinished_grid_are_over_the_same_levels() -> None:
    drawn = figure(unfinished(), "lines", x="max_th", facet="none", measure="loss")
    only = figure(unfinished(), "lines", x="max_th", facet="none", measure="loss", where={"rate": 5})
    assert_frame_equal(drawn.rows, only.rows)
    assert set(drawn.rows["x"]) == {40.0, 80.0}
    assert "1 of 2 combinations is finished for everything drawn; the others are left out." in drawn.caption


def test_a_place_of_which_little_is_finished_is_left_out() -> None:
    # Of the higher rate, one of six buffers.
    axes = [COARSE, Dimension(BUFFER.column, "buffer", "packets", True, False, tuple(map(float, range(6))))]  # noqa: FBT003
    begun = (pl.col(RATE.column) == 20.0) & (pl.col(BUFFER.column) > 0.0)
    drawn = figure(
        FakeSweep(axes, ("RED",), 3, without=begun), "lines", x="rate", family="none", facet="none"
    )
    assert drawn.rows["x"].to_list() == [5.0]
    assert "Too little is finished to draw 1 of 2 places." in drawn.caption
    assert "combinations" not in drawn.caption


def test_what_is_pooled_of_an_unfinished_grid_is_the_same_for_all() -> None:
    # Of RED everything is finished.
    missing = LAST & (pl.col("label") == "REM")
    drawn = figure(unfinished(missing), "ellipses", facet="none")
    assert rows_of(drawn, part="median", family="RED")[0]["n"] == 9
    assert rows_of(drawn, part="median", family="REM")[0]["n"] == 9
    delays = figure(unfinished(missing), "cdf", facet="none")
    assert "3 of 4 combinations are finished for everything drawn" in delays.caption
    without = figure(unfinished(), "cdf", facet="none")
    of_red = pl.col("family") == "RED"
    assert_frame_equal(delays.rows.filter(of_red), without.rows.filter(of_red))


def test_replications_of_different_levels_are_not_averaged() -> None:
    # At 40 packets, the rates have no replication in common.
    early, late = (pl.col("replication") == 0), (pl.col("replication") > 0)
    apart = (pl.col(MAX_TH.column) == 40.0) & (
        ((pl.col(RATE.column) == 5.0) & early) | ((pl.col(RATE.column) == 20.0) & late)
    )
    drawn = figure(unfinished(apart), "lines", x="max_th", facet="none")
    assert set(drawn.rows["x"]) == {80.0}


def test_every_caption_of_an_unfinished_sweep_says_so() -> None:
    for sweep in (
        FakeSweep([COARSE, MAX_TH], ARMS, 3, users=(20, 40), without=LAST),
        FakeSweep([sampled(RATE), sampled(RTT)], ARMS, 3, design="lhs", points=4, without=pl.col("run") == 1),
    ):
        left, cells = sweep.unfinished, len(sweep.configurations)
        assert left > 0
        verb = "is" if left == 1 else "are"
        said = f"{left} of {cells} configurations (a variant at a point) {verb} not finished"
        drawn = figures_of(sweep)
        assert drawn
        for each in drawn:
            assert said in each.caption
    assert not any("finished" in each.caption for each in figures_of(THREE_AXES))


def test_a_grid_that_lacks_axes_is_complete() -> None:
    drawn = figure(FakeSweep([COARSE, MAX_TH], ARMS, 3, lacks={"REM": [MAX_TH]}), "lines", x="rate")
    assert "left out" not in drawn.caption
    assert set(drawn.rows["n"]) == {3}


@given(
    cells=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=36, unique=True),
    with_family=st.booleans(),
)
def test_what_is_drawn_has_all_combinations(cells: list[tuple[int, int]], *, with_family: bool) -> None:
    frame = pl.DataFrame(
        {
            "x": [float(x) for x, _ in cells],
            "family": ["a"] * len(cells),
            "combination": [f"c{c}" for _, c in cells],
        }
    )
    columns = ["x", "family"] if with_family else ["x"]
    common = Common.of(frame, columns, 6)
    kept = common.filter(frame)
    there: defaultdict[float, set[str]] = defaultdict(set)
    for x, _, combination in kept.iter_rows():
        there[x].add(combination)
    # Something is drawn, and every place of it has the same.
    assert there
    assert all(combinations == set(common.combinations) for combinations in there.values())
    # The fullest place loses at most half.
    fullest = frame.group_by("x").len()["len"].max()
    assert 2 * len(common.combinations) >= fullest  # type: ignore[operator]
    if common.whole:
        assert len(kept) == len(frame)
