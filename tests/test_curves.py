"""Figures of studies: what a reader can tell from axes and legend."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from weir.plot import Curve, Facet, Plot, draw, save
from weir.plot import _legend as legend
from weir.plot import _style as style

X = [20.0, 40.0, 60.0, 80.0]
DROP_TAIL = Curve("DropTail", X, [87.0, 90.0, 94.0, 99.0], [86.0, 89.0, 93.0, 98.5], [88.0, 91.0, 95.0, 99.4])
REM = Curve("REM", X, [91.0, 96.0, 98.0, 98.5])
RED = Curve("RED", X, [75.0, 80.0, 86.0, 92.0])
DOTTED = Curve("REM", X, [92.0, 95.0, 97.0, 98.0], kind="theory")
PRINTED = Curve("REM", [84.0], [93.0], [90.0], [96.0], "paper")


def specified(*facets: Facet, own_scales: bool = False) -> dict[str, Any]:
    plot = Plot("name", "Title", "Caption.", "Users", facets, own_scales=own_scales)
    return draw(plot).specification


def panels(specification: dict[str, Any]) -> list[dict[str, Any]]:
    return specification.get("concat") or [specification]


def domain(panel: dict[str, Any], channel: str = "y") -> list[float]:
    """The ends of an axis, the same in every layer that has one."""
    found = [
        one["encoding"][channel]["scale"]["domain"]
        for one in panel["layer"]
        if "scale" in one["encoding"].get(channel, {})
    ]
    assert all(one == found[0] for one in found)
    return found[0]


def entries(specification: dict[str, Any]) -> dict[str, str]:
    """Names in the legend, and the paths of their symbols."""
    scale = next(
        one["encoding"]["shape"]["scale"]
        for one in panels(specification)[0]["layer"]
        if one["encoding"].get("shape", {}).get("legend")
    )
    return dict(zip(scale["domain"], scale["range"], strict=True))


def has_cut_mark(panel: dict[str, Any]) -> bool:
    return any(str(one["mark"].get("shape", "")).startswith("M-1,0.45") for one in panel["layer"])


def test_panels_of_the_same_quantity_have_the_same_scale() -> None:
    left, right = Facet("a", "Goodput (%)", [DROP_TAIL]), Facet("b", "Goodput (%)", [RED])
    other = Facet("c", "Queue (packets)", [RED])
    a, b, c = (domain(one) for one in panels(specified(left, right, other)))
    assert a == b
    assert a[1] >= 99.4
    assert c[1] < 99.0
    a, b = (domain(one) for one in panels(specified(left, right, own_scales=True)))
    assert a != b


@pytest.mark.parametrize("zero", [True, False])
def test_every_point_has_room(zero: bool) -> None:  # noqa: FBT001 - a parameter of the test
    (panel,) = panels(specified(Facet("", "Goodput (%)", [DROP_TAIL, RED], zero=zero)))
    low, high = domain(panel)
    assert low < 75.0
    assert high > 99.4
    left, right = domain(panel, "x")
    assert left < 20.0
    assert right > 80.0
    points = [one["mark"] for one in panel["layer"] if one["mark"]["type"] == "point"]
    assert not any(mark.get("clip") for mark in points)


def test_an_axis_that_does_not_begin_at_zero_says_so() -> None:
    cut, whole, signed = (
        Facet("", "Goodput (%)", [RED], zero=False),
        Facet("", "Goodput (%)", [RED]),
        Facet("", "Difference (points)", [Curve("RED", X, [-1.0, 0.5, 2.0, 1.0])], zero=False),
    )
    assert [has_cut_mark(*panels(specified(one))) for one in (cut, whole, signed)] == [True, False, False]
    assert not has_cut_mark(*panels(specified(Facet("", "Loss (%)", [RED], log=True))))


def test_an_interval_does_not_lead_below_zero() -> None:
    wide = Curve("RED", X, [1.0, 2.0, 3.0, 4.0], [-5.0, -1.0, 0.0, 1.0], [7.0, 5.0, 6.0, 7.0])
    (panel,) = panels(specified(Facet("", "Loss (%)", [wide])))
    assert domain(panel)[0] == 0.0


def test_the_legend_names_lines_bands_and_what_is_not_from_runs() -> None:
    found = entries(specified(Facet("", "Goodput (%)", [DROP_TAIL, REM, DOTTED, PRINTED])))
    assert list(found) == ["DropTail", "REM", "theory", "printed in the paper", "95% interval"]
    # Dashes and symbols differ: a solid line is one piece, a dashed one several.
    assert found["DropTail"].count("M") == 2
    assert found["REM"].count("M") > 3
    assert found["theory"].count("M") > 5
    alone = entries(specified(Facet("", "Goodput (%)", [REM, Curve("model", X, X, kind="theory")])))
    assert list(alone) == ["REM", "model"], "a label that is theory alone says so itself"
    ranged = Curve("queue", X, X, X, X, band="least to greatest")
    assert list(entries(specified(Facet("", "Queue", [ranged])))) == ["queue", "least to greatest"]


def test_one_curve_needs_no_legend() -> None:
    (panel,) = panels(specified(Facet("", "Goodput (%)", [REM])))
    assert not any(one["encoding"].get("shape", {}).get("legend") for one in panel["layer"])


def test_the_symbols_of_the_legend_are_those_of_the_points() -> None:
    drawn = draw(Plot("name", "Title", "", "Users", [Facet("", "Goodput (%)", [DROP_TAIL, REM, RED])]))
    pairs = dict(drawn.rows.select("label", "symbol").unique().iter_rows())
    assert list(pairs.values()) != ["circle"] * 3
    assert pairs == dict(zip(("DropTail", "REM", "RED"), style.cycle("shape", 3), strict=True))
    found = entries(drawn.specification)
    corners = {label: found[label].split("M")[-1].count("L") + 1 for label in pairs}
    assert corners == {label: len(legend.CORNERS[shape]) for label, shape in pairs.items()}


def test_a_printed_range_is_two_points_and_a_bar() -> None:
    (panel,) = panels(specified(Facet("", "Goodput (%)", [REM, PRINTED])))
    printed = [one for one in panel["layer"] if "paper" in str(one.get("transform"))]
    kinds = sorted(one["mark"]["type"] for one in printed)
    assert kinds == ["point", "point", "point", "rule"]


def test_places_have_their_names_and_lines_theirs(tmp_path: Path) -> None:
    dots = [Curve(name, [at], [at], kind="dot") for at, name in ((1.0, "one"), (2.0, "two"))]
    facet = Facet("", "Off (%)", dots, [(1.5, "level")], places=[(1.2, "place")])
    places = [one["encoding"]["x"] for one in panels(specified(facet))[0]["layer"] if "x" in one["encoding"]]
    assert any(one.get("scale", {}).get("zero") is False for one in places), "the line does not move the axis"
    names = {1.0: "Reno, DropTail", 2.0: "Vegas, REM"}
    drawn = draw(Plot("named", "Title", "", "", [facet], names=names))
    save(drawn, tmp_path / "named.svg")
    root = ET.parse(tmp_path / "named.svg").getroot()  # noqa: S314 - written a line above
    texts = {text for text in root.itertext() if text.strip()}
    assert {"Reno", "DropTail", "Vegas", "REM", "level", "place"} <= texts
    assert not {"one", "two", "1", "2"} & texts


def test_colours_in_order_are_those_of_the_scheme() -> None:
    """Viridis at its begin, and at 85% of its length."""
    found = style.gradual(5)
    assert found[0] == "#440154"
    assert found == sorted(found, key=lambda one: sum(int(one[n : n + 2], 16) for n in (1, 3, 5)))
    assert len(set(found)) == 5
    assert style.gradual(1) == ["#440154"]
