"""Ranges of axes and titles of panels that a user asks for."""

from __future__ import annotations

import json
import re

import pytest
import vl_convert

from fake_sweep import SWEEPS, encoded
from weir.plot import Figure, figure
from weir.sweep._dimension import ChartError

TWO_AXES = SWEEPS["two axes"]
PANELS = ["rtt 10 ms", "rtt 40 ms", "rtt 70 ms", "rtt 100 ms"]


def texts(drawn: Figure) -> list[str]:
    """Texts in the picture."""
    return re.findall(r">([^<>]+)</text>", vl_convert.vegalite_to_svg(drawn.specification))


def scales(drawn: Figure, channel: str) -> list[dict[str, object]]:
    return [side["scale"] for side in encoded(drawn, channel) if side.get("type") == "quantitative"]


@pytest.mark.parametrize(
    ("asked", "ends"), [("0..300", (0, 300)), ("50..", (50, None)), ("..400.5", (None, 400.5))]
)
def test_an_axis_has_the_range_that_was_asked_for(asked: str, ends: tuple[float | None, ...]) -> None:
    drawn = figure(TWO_AXES, "lines", measure="delay_mean").styled(y_range=asked)
    found = scales(drawn, "y")
    assert found
    assert {(scale.get("domainMin"), scale.get("domainMax")) for scale in found} == {ends}
    assert not any("domain" in scale for scale in found)
    # One without is as it was.
    assert not any("domainMax" in scale for scale in scales(figure(TWO_AXES, "lines"), "y"))


def test_an_end_that_was_not_named_is_as_the_figure_has_it() -> None:
    plain = figure(TWO_AXES, "over_time", measure="queue", where={"rate": 10})
    high = plain.styled(x_range="20..")
    assert {(scale["domainMin"], scale["domainMax"]) for scale in scales(high, "x")} == {(20.0, 99.95)}


def test_what_is_beyond_a_range_is_cut_off() -> None:
    drawn = figure(TWO_AXES, "lines").styled(y_range="0..1")
    marks = [
        one for one in json.dumps(drawn.bare).split('"mark": ')[1:] if not one.startswith('{"type": "text')
    ]
    assert marks
    assert all('"clip": true' in one.partition("}")[0] for one in marks)


def test_a_panel_has_the_title_that_was_asked_for() -> None:
    plain = figure(TWO_AXES, "lines", facet="rtt")
    assert set(PANELS) <= set(texts(plain))
    named = texts(plain.styled(facet_titles={"rtt 10 ms": 'Near: "10"', "100 ms": "Far", "rtt 40 ms": "Far"}))
    assert "Near: &quot;10&quot;" in named or 'Near: "10"' in named
    # By its level alone, and two may have the same.
    assert named.count("Far") == 2
    assert "rtt 70 ms" in named
    assert not {"rtt 10 ms", "rtt 40 ms", "rtt 100 ms"} & set(named)


def test_rows_over_time_are_panels() -> None:
    drawn = figure(TWO_AXES, "over_time", where={"rate": 10})
    (first, *_) = drawn.rows["panel"].unique(maintain_order=True).to_list()
    assert "Mine" in texts(drawn.styled(facet_titles={first: "Mine"}))


@pytest.mark.parametrize(
    ("kind", "asked", "told"),
    [
        ("lines", {"y_range": "5"}, "'5' is no range"),
        ("lines", {"y_range": "a..b"}, "'a..b' is no range"),
        ("lines", {"y_range": ".."}, "'..' is no range"),
        ("lines", {"y_range": "0..inf"}, "is no range"),
        ("lines", {"y_range": "5..1"}, "5..1: the first end is not below the second"),
        ("lines", {"y_range": "-1..5", "log": "y"}, "the y axis is logarithmic: its range is above zero"),
        ("heat", {"y_range": "0..1"}, "has names, of which there is no range"),
        ("lines", {"facet_titles": {"a": "b"}}, "there is no panel 'a'"),
    ],
)
def test_what_means_nothing_is_refused(kind: str, asked: dict[str, object], told: str) -> None:
    drawn = figure(TWO_AXES, kind, facet="rtt" if kind == "lines" else None)
    with pytest.raises(ChartError, match=re.escape(told)):
        drawn.styled(**asked)  # type: ignore[arg-type] # each is as its option


def test_a_figure_without_panels_says_how_to_get_some() -> None:
    with pytest.raises(ChartError, match="no panels with titles"):
        figure(SWEEPS["one axis"], "lines").styled(facet_titles={"a": "b"})
