"""Indices against functions whose indices are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from weir.sweep._axes import Axis, parsed_axis
from weir.sweep._design import Design, DesignError, grid, indices, lhs, morris, salib, saltelli

Values = NDArray[np.float64]
Sampler = Callable[[Sequence[Axis], int, int], Design]

ANGLES = [parsed_axis(f"x{n}=-3.14159265358979..3.14159265358979") for n in range(1, 4)]


def table(design: Design) -> Values:
    """The values of the axes, shape (points, axes)."""
    return np.column_stack([column.to_numpy() for column in design.columns().values()])


def ishigami(x: Values) -> Values:
    """Ishigami and Homma (1990), a = 7, b = 0.1."""
    return np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def test_sobol_indices_of_the_ishigami_function() -> None:
    design = saltelli(ANGLES, 2048, 1)
    found = indices(design, ishigami(table(design)))
    assert found["axis"].to_list() == ["x1", "x2", "x3"]
    # In closed form: variance a²/8 + b pi⁴/5 + b² pi⁸/18 + 1/2, of which x1 alone makes
    # (1 + b pi⁴/5)²/2, x2 alone a²/8, x1 with x3 b² pi⁸ (1/18 - 1/50).
    alone = [(1 + 0.1 * math.pi**4 / 5) ** 2 / 2, 49 / 8, 0.0]
    together = 0.01 * math.pi**8 * (1 / 18 - 1 / 50)
    variance = sum(alone) + together
    total = [alone[0] + together, alone[1], together]
    for column, exact in (("first", alone), ("total", total)):
        for value, half_width, share in zip(found[column], found[f"{column}_half_width"], exact, strict=True):
            assert value == pytest.approx(share / variance, abs=0.02)
            assert 0.0 < half_width < 0.1


def test_sobol_indices_of_levels() -> None:
    # Variances of 0, 1, 2 times 10 and of 0, 1 times 4: 200/3 and 4.
    design = saltelli([parsed_axis("a=0, 1, 2"), parsed_axis("b=off, on"), parsed_axis("c=1..5")], 1024, 3)
    columns = design.columns()
    outputs = 10.0 * columns["a"].to_numpy() + 4.0 * (columns["b"] == "on").to_numpy()
    found = indices(design, outputs)
    assert found["first"].to_list() == pytest.approx([200 / 212, 12 / 212, 0.0], abs=0.02)
    assert found["total"].to_list() == pytest.approx([200 / 212, 12 / 212, 0.0], abs=0.02)


def test_elementary_effects_of_a_linear_function_are_its_slopes() -> None:
    axes = [parsed_axis("a=0..10 ms"), parsed_axis("b=1.0..3"), parsed_axis("c=0.0..1")]
    design = morris(axes, 10, 1)
    x = table(design)
    found = indices(design, 2.0 * x[:, 0] - 3.0 * x[:, 1])
    # Per full extent: 2 times 10, -3 times 2, nothing.
    assert found["mu"].to_list() == pytest.approx([20.0, -6.0, 0.0])
    assert found["mu_star"].to_list() == pytest.approx([20.0, 6.0, 0.0])
    assert found["sigma"].to_list() == pytest.approx([0.0] * 3, abs=1e-9)
    assert found["mu_star_half_width"].to_list() == pytest.approx([0.0] * 3, abs=1e-9)


@pytest.mark.parametrize(
    "axis",
    [
        parsed_axis("a=0, 12"),
        parsed_axis("a=0, 6, 12"),
        parsed_axis("a=0..12 by 3"),
        parsed_axis("a=0..12 by 1"),
        parsed_axis("a=0..12"),
        parsed_axis("a=0..12 ms"),
    ],
    ids=str,
)
@pytest.mark.parametrize("levels", [4, 6])
def test_an_effect_does_not_depend_on_how_finely_an_axis_is_divided(axis: Axis, levels: int) -> None:
    design = morris([axis, parsed_axis("b=0.0..1")], 20, 4, levels)
    found = indices(design, 5.0 * table(design)[:, 0])
    assert found["mu_star"].to_list() == pytest.approx([60.0, 0.0])


def test_elementary_effects_of_ranges_are_salibs() -> None:
    design = morris(ANGLES, 12, 9)
    outputs = ishigami(table(design))
    problem = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[0, 1]] * 3}
    theirs = salib("SALib.analyze.morris").analyze(problem, design.cube, outputs, num_levels=4, seed=1)
    ours = indices(design, outputs)
    for name in ("mu", "mu_star", "sigma"):
        assert ours[name].to_list() == pytest.approx(np.asarray(theirs[name]).tolist())
    # A t interval of twelve effects is wider than a bootstrap's, but not by much.
    ratio = ours["mu_star_half_width"].to_numpy() / np.asarray(theirs["mu_star_conf"])
    varied = np.asarray(theirs["mu_star_conf"]) > 1e-9
    assert (ratio[varied] > 0.9).all()
    assert (ratio[varied] < 1.5).all()


def test_interaction_shows_in_sigma() -> None:
    design = morris([parsed_axis("a=0.0..1"), parsed_axis("b=0.0..1"), parsed_axis("c=0.0..1")], 30, 5)
    x = table(design)
    found = indices(design, x[:, 0] * x[:, 1] + x[:, 2])
    sigma = found["sigma"].to_list()
    assert min(sigma[:2]) > 0.1
    assert sigma[2] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("make", [morris, saltelli])
def test_the_same_outputs_have_the_same_indices(make: Sampler) -> None:
    design = make(ANGLES, 16, 1)
    outputs = ishigami(table(design))
    assert indices(design, outputs).equals(indices(design, outputs))


@pytest.mark.parametrize("make", [morris, saltelli])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9])
def test_outputs_that_do_not_vary(make: Sampler, value: float) -> None:
    design = make(ANGLES, 16, 1)
    found = indices(design, np.full(len(design), value))
    assert found.drop("axis").to_numpy().tolist() == [[0.0] * 4] * 3


def test_variation_that_the_base_points_do_not_see() -> None:
    design = saltelli(ANGLES, 2, 1)
    outputs = np.zeros(len(design))
    outputs[1] = 1.0
    assert indices(design, outputs).drop("axis").null_count().row(0) == (3, 3, 3, 3)


@pytest.mark.parametrize("make", [morris, saltelli])
def test_missing_outputs_are_an_error(make: Sampler) -> None:
    design = make(ANGLES, 16, 1)
    outputs = ishigami(table(design))
    outputs[[7, 9]] = math.nan
    with pytest.raises(DesignError, match=r"2 of \d+ points have no value, the first of them point 7"):
        indices(design, outputs)
    with pytest.raises(DesignError, match="3 outputs for"):
        indices(design, outputs[:3])


@pytest.mark.parametrize("design", [grid([parsed_axis("x=1, 2")]), lhs(ANGLES, 4, 1)])
def test_other_designs_have_no_indices(design: Design) -> None:
    with pytest.raises(DesignError, match="--method morris"):
        indices(design, np.zeros(len(design)))
