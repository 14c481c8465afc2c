"""Which points a sweep runs."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.sweep import _design as designs
from weir.sweep._axes import Axis, AxisError, parsed_axis
from weir.sweep._design import Design, DesignError, grid, lhs, morris, saltelli, sobol

RATE = parsed_axis("links.bottleneck.rate=1..100 Mbit/s log; links.bottleneck.buffer=20..200 packets")
COUNT = parsed_axis("flows.ftp.count=1..8")
SPACING = parsed_axis("links.bottleneck.queue.red.spacing=uniform, wait, geometric")
AXES = [RATE, COUNT, SPACING]

Sampler = Callable[[Sequence[Axis], int, int], Design]

SAMPLERS: list[Sampler] = [lhs, sobol, morris, saltelli]


def test_a_grid_is_every_combination_the_first_axis_slowest() -> None:
    design = grid([parsed_axis("a=1, 2; b=3, 4"), parsed_axis("c=x, y")])
    assert design.rows == (
        (("a", 1), ("b", 3), ("c", "x")),
        (("a", 1), ("b", 3), ("c", "y")),
        (("a", 2), ("b", 4), ("c", "x")),
        (("a", 2), ("b", 4), ("c", "y")),
    )
    assert design.paths == ("a", "b", "c")


def test_no_axis_is_one_point() -> None:
    assert grid([]).rows == ((),)
    assert len(grid([])) == 1


def test_a_range_has_no_grid() -> None:
    with pytest.raises(AxisError, match="add `in 5`") as error:
        grid([SPACING, RATE])
    assert error.value.path == RATE.column


def test_nonsense_sizes_are_refused_before_they_fill_the_memory() -> None:
    wide = [parsed_axis(f"a{n}=1..1000 by 1") for n in range(3)]
    with pytest.raises(DesignError, match="1,000,000,000 points are more than 10,000,000"):
        grid(wide)
    for sampler in SAMPLERS:
        with pytest.raises(DesignError, match="more than 10,000,000"):
            sampler(AXES, 1 << 30, 1)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_the_seed_decides(sampler: Sampler) -> None:
    first = sampler(AXES, 16, 7)
    assert sampler(AXES, 16, 7) == first
    assert sampler(AXES, 16, 8).rows != first.rows


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_sampled_design_assigns_every_path(sampler: Sampler) -> None:
    design = sampler(AXES, 8, 1)
    assert design.cube is not None
    assert design.cube.shape == (len(design), 3)
    assert design.cube.min() >= 0.0
    assert design.cube.max() <= 1.0
    for row, position in zip(design.rows, design.cube.tolist(), strict=True):
        assert tuple(path for path, _ in row) == design.paths
        at = [value for axis, u in zip(AXES, position, strict=True) for value in axis.at(u)]
        assert [value for _, value in row] == at


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_design_survives_as_json_without_its_sampler(
    sampler: Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = sampler(AXES, 8, 1)
    text = json.dumps(design.to_json())

    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(designs, "import_module", missing)
    back = Design.from_json(json.loads(text))
    assert back == design
    assert back.cube is not None
    assert design.cube is not None
    assert back.cube.tolist() == design.cube.tolist()


def test_a_grid_survives_as_json() -> None:
    design = grid([parsed_axis("a=1, 2; b=3 ms, 4 ms"), parsed_axis("c=x, y")])
    assert Design.from_json(json.loads(json.dumps(design.to_json()))) == design


def test_columns_are_numbers_in_the_unit_of_the_axis_or_texts() -> None:
    columns = grid(
        [parsed_axis("a=5, 10 Mbit/s"), parsed_axis("b=x, y"), parsed_axis("c=true, false")]
    ).columns()
    assert columns["a"].to_list() == [5.0] * 4 + [10.0] * 4
    assert columns["b"].to_list() == ["x", "x", "y", "y"] * 2
    assert columns["c"].to_list() == ["true", "false"] * 4
    assert [column.dtype for column in columns.values()] == [pl.Float64, pl.String, pl.String]
    # Of paths that move together each has a column.
    assert list(lhs(AXES, 4, 1).columns()) == list(lhs(AXES, 4, 1).paths)


@given(st.integers(1, 60), st.integers(0, 1000))
def test_a_latin_hypercube_has_one_point_in_every_slice(n: int, seed: int) -> None:
    cube = lhs([COUNT, SPACING], n, seed).cube
    assert cube is not None
    slices = np.floor(cube * n).astype(int)
    assert (np.sort(slices, axis=0) == np.arange(n)[:, np.newaxis]).all()


@given(st.integers(1, 100), st.integers(0, 50))
def test_a_smaller_sobol_design_begins_a_larger_one(n: int, more: int) -> None:
    assert sobol(AXES, n + more, 3).rows[:n] == sobol(AXES, n, 3).rows


def test_a_power_of_two_of_sobol_points_is_balanced() -> None:
    design = sobol([COUNT, parsed_axis("x=a, b")], 64, 5)
    counts = pl.DataFrame(design.columns()).group_by("flows.ftp.count", "x").len()
    assert len(counts) == 16
    assert set(counts["len"]) == {4}


def test_trajectories_move_one_axis_at_a_time() -> None:
    design = morris(AXES, 10, 2)
    assert len(design) == 10 * 4
    cube = design.cube
    assert cube is not None
    assert set((cube * 3).ravel().tolist()) <= {0.0, 1.0, 2.0, 3.0}
    steps = np.diff(cube.reshape(10, 4, 3), axis=1)
    assert (np.count_nonzero(steps, axis=2) == 1).all()
    assert np.abs(steps).sum(axis=1) == pytest.approx(2 / 3)
    # And every move changes the scenario, also of an axis with few levels.
    for trajectory in range(10):
        rows = design.rows[4 * trajectory : 4 * trajectory + 4]
        assert all(a != b for a, b in pairwise(rows))


def test_saltellis_scheme_exchanges_one_axis() -> None:
    design = saltelli(AXES, 8, 2)
    assert len(design) == 8 * 5
    assert design.cube is not None
    a, *mixed, b = design.cube.reshape(8, 5, 3).transpose(1, 0, 2)
    for axis, points in enumerate(mixed):
        others = [other for other in range(3) if other != axis]
        assert (points[:, axis] == b[:, axis]).all()
        assert (points[:, others] == a[:, others]).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_there_is_something_to_sample(sampler: Sampler) -> None:
    with pytest.raises(DesignError, match="nothing to sample"):
        sampler([], 8, 1)
    with pytest.raises(DesignError, match="at least one"):
        sampler(AXES, 0, 1)
    with pytest.raises(DesignError, match="negative"):
        sampler(AXES, 8, -1)
    with pytest.raises(AxisError, match="two axes vary it"):
        sampler([COUNT, COUNT], 8, 1)


def test_what_sensitivity_designs_refuse() -> None:
    with pytest.raises(DesignError, match="power of two; hint: write 8 or 16"):
        saltelli(AXES, 12, 1)
    with pytest.raises(DesignError, match="write 2 or 4"):
        saltelli(AXES, 1, 1)
    with pytest.raises(DesignError, match="at least 2 trajectories"):
        morris(AXES, 1, 1)
    with pytest.raises(DesignError, match="even number"):
        morris(AXES, 4, 1, levels=5)
    sensitive: list[Sampler] = [morris, saltelli]
    for sampler in sensitive:
        with pytest.raises(AxisError, match="no influence"):
            sampler([COUNT, parsed_axis("x=1")], 8, 1)
    with pytest.raises(AxisError, match="logarithmic lattice"):
        morris([parsed_axis("x=1..2 log"), COUNT], 8, 1)


def test_without_salib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(name: str) -> object:
        if name.startswith("SALib"):
            raise ImportError(name)
        return importlib.import_module(name)

    monkeypatch.setattr(designs, "import_module", without)
    for sampler in (morris, saltelli):
        with pytest.raises(DesignError, match="need SALib") as error:
            sampler(AXES, 8, 1)
        assert error.value.hint == "pip install 'weir-aqm[sensitivity]'"
    assert len(sobol(AXES, 8, 1)) == len(lhs(AXES, 8, 1)) == 8
