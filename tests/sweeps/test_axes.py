"""Axes of a sweep, as people write them."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weir.sweep._axes import Axis, AxisError, axis_of, check_distinct, parsed_axis, titles
from weir.sweep._dimension import find_dimension

RATE = "links.bottleneck.rate"
COUNT = "flows.ftp.count"
SHARE = "links.bottleneck.queue.red.max_p"


def values(axis: Axis) -> list[Any]:
    """Values of an axis with one path."""
    assert axis.levels is not None
    return [value for (value,) in axis.levels]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5, 10, 20 Mbit/s", ["5 Mbit/s", "10 Mbit/s", "20 Mbit/s"]),
        ("500 kbit/s, 2 Mbit/s", ["500 kbit/s", "2 Mbit/s"]),
        ("5Mbit/s,10Mbit/s", ["5 Mbit/s", "10 Mbit/s"]),
        ("1e3 ms, 0.0000002 s", ["1000 ms", "0.0000002 s"]),
        ("5, 10", [5, 10]),
        ("0.1, 1", [0.1, 1.0]),
        ("drop-tail, red", ["drop-tail", "red"]),
        ("true, false", [True, False]),
        ("7", [7]),
        ('["a, b", "c"]', ["a, b", "c"]),
        ('"one, two and three", "a, b"', ["one, two and three", "a, b"]),
        ('[5, "10 Mbit/s"]', ["5 Mbit/s", "10 Mbit/s"]),
        ('["1", "2"]', ["1", "2"]),
        ("auto, 5, 10 ms", ["auto", "5 ms", "10 ms"]),
    ],
)
def test_lists(text: str, expected: list[Any]) -> None:
    found = values(parsed_axis(f"{RATE}={text}"))
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10..50 ms by 10", ["10 ms", "20 ms", "30 ms", "40 ms", "50 ms"]),
        ("10..50 ms by 15 ms", ["10 ms", "25 ms", "40 ms"]),
        ("5..15 by 5 Mbit/s", ["5 Mbit/s", "10 Mbit/s", "15 Mbit/s"]),
        ("5 ms..7 ms by 1 ms", ["5 ms", "6 ms", "7 ms"]),
        ("0.1..0.5 by 0.1", [0.1, 0.2, 0.3, 0.4, 0.5]),
        ("0..1 by 0.3333333333333", [0.0, 0.3333333333333, 0.6666666666666, 1.0]),
        ("1..9 by 4", [1, 5, 9]),
        ("0..1 by 1", [0, 1]),
        ("-2..2 by 2", [-2, 0, 2]),
        ("1..10 in 4", [1, 4, 7, 10]),
        ("1..4 in 9", [1, 2, 3, 4]),
        ("1..2 s in 4", ["1 s", "1.333333 s", "1.666667 s", "2 s"]),
        ("5..20 Mbit/s in 7", [f"{rate} Mbit/s" for rate in ("5", "7.5", "10", "12.5", "15", "17.5", "20")]),
        ("0..1 in 5", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("1..1000 in 4 log", [1, 10, 100, 1000]),
        ("0.001..1 in 4 log", [0.001, 0.01, 0.1, 1.0]),
        ("10..40 packets in 3 log", ["10 packets", "20 packets", "40 packets"]),
    ],
)
def test_spaced_levels(text: str, expected: list[Any]) -> None:
    found = values(parsed_axis(f"{COUNT}={text}"))
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@given(st.integers(-50, 50), st.integers(1, 40), st.integers(1, 500), st.sampled_from([1, 10, 1000]))
def test_steps_reach_the_end_that_lies_on_the_grid(low: int, steps: int, step: int, scale: int) -> None:
    a, b, by = low / scale, (low + steps * step) / scale, step / scale
    found = values(parsed_axis(f"x={a!r}..{b!r} by {by!r}"))
    assert len(found) == steps + 1
    assert (found[0], found[-1]) == (a, b)
    assert found == [float(f"{(low + n * step) / scale:.12g}") for n in range(steps + 1)]


@given(st.floats(1e-9, 1e9), st.floats(1.01, 1e6), st.integers(2, 50), st.booleans())
def test_evenly_spaced_levels_rise_from_end_to_end(low: float, factor: float, n: int, log: bool) -> None:  # noqa: FBT001
    high = low * factor
    axis = parsed_axis(f"x={low!r}..{high!r} ms in {n}{' log' if log else ''}")
    numbers = [axis.drawn(value) for value in values(axis)]
    assert (numbers[0], numbers[-1]) == (low, high)
    assert len(numbers) == n
    scaled = np.log(numbers) if log else np.array(numbers)
    assert np.diff(scaled) == pytest.approx((scaled[-1] - scaled[0]) / (n - 1), rel=1e-3)


def test_paths_in_lockstep_are_one_axis() -> None:
    axis = parsed_axis(f"{RATE}=5, 10, 20 Mbit/s; links.bottleneck.buffer=20..60 packets by 20")
    assert axis.paths == (RATE, "links.bottleneck.buffer")
    assert axis.levels == (
        ("5 Mbit/s", "20 packets"),
        ("10 Mbit/s", "40 packets"),
        ("20 Mbit/s", "60 packets"),
    )
    assert (axis.column, axis.title, axis.unit) == (RATE, "bottleneck rate with buffer", "Mbit/s")
    assert axis.dimension().heading == "Bottleneck rate (Mbit/s) with buffer"
    # The second path may stay where it is; the first names the points.
    assert parsed_axis("a=1, 2; b=7, 7").levels == ((1, 7), (2, 7))


def test_an_axis_of_several_paths_is_named_by_all_of_them() -> None:
    axis = parsed_axis(f"{RATE}=5, 10 Mbit/s; flows.ftp.count=1, 2; flows.ftp.rtt=20, 40 ms")
    assert axis.title == "bottleneck rate with ftp count and ftp rtt"
    dimension = axis.dimension()
    assert dimension.heading == "Bottleneck rate (Mbit/s) with ftp count and ftp rtt"
    other = parsed_axis("links.other.queue.red.max_p=0.1, 0.2; flows.ftp.count=3, 4")
    same = parsed_axis("links.more.queue.red.max_p=0.1, 0.2; flows.ftp.count=3, 4")
    assert titles([other, same])[1] == "links.more.queue.red.max_p with flows.ftp.count"
    for name in ("bottleneck rate", axis.title, RATE, "rate"):
        assert find_dimension([dimension, other.dimension()], name) == dimension


def test_python_and_scenario_files_say_the_same() -> None:
    key = f"{RATE}; links.bottleneck.buffer"
    typed = parsed_axis(f"{RATE}=5, 10 Mbit/s; links.bottleneck.buffer=20, 40 packets")
    assert axis_of(key, "5, 10 Mbit/s; 20, 40 packets") == typed
    assert axis_of(key, [["5 Mbit/s", "20 packets"], ["10 Mbit/s", "40 packets"]]) == typed
    assert axis_of(RATE, ["5 Mbit/s", "10 Mbit/s"]) == axis_of(RATE, "5, 10 Mbit/s")
    assert axis_of(COUNT, range(1, 4)) == axis_of(COUNT, (1, 2, 3)) == parsed_axis(f"{COUNT}=1..3 by 1")
    from_numpy = values(axis_of(SHARE, np.linspace(0, 1, 3)))
    assert from_numpy == [0.0, 0.5, 1.0]
    assert {type(value) for value in from_numpy} == {float}
    assert values(axis_of(COUNT, [np.int64(3), np.int64(4)])) == [3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no axis"),
        (RATE, "sets nothing"),
        ("a b=1", "is not a path"),
        ("seed=1, 2", "replications have seeds"),
        ("x=", "there are no values"),
        ("x=[]", "there are no values"),
        ("x=1,,2", "empty value between commas"),
        ("x=5..5 ms", "the range is empty"),
        ("x=9..5", "the wrong way round"),
        ("x=1..5 by 0", "a step of zero"),
        ("x=1..5 by -1", "points away"),
        ("x=1..5 by 9", "larger than the range"),
        ("x=1..5 by 1 log", "steps are of equal size"),
        ("x=1..5 in 0", "from 2 on"),
        ("x=1..5 in 1", "from 2 on"),
        ("x=1..5 in many", "from 2 on"),
        ("x=0..5 log", "begins above zero"),
        ("x=-1..5 in 3 log", "begins above zero"),
        ("x=1 ms..5 s", "one unit; hint: ms or s"),
        ("x=0..1e9 by 0.001", "more than 1,000,000"),
        ("x=0..1 in 9999999", "more than 1,000,000"),
        ("x=1..1e999999999", "too large"),
        ("x=1, 1e999999999", "inf is not a value"),
        ("x=1..5, 9", "stands alone"),
        ("x=1..5 of 3", "is not a range"),
        ("x=5, 10 ms, 20", "some values have a unit"),
        ("x=5 ms, 10, 20 ms", "some values have a unit"),
        ("x=5, 5", "stands there twice"),
        ("x=5 ms, 6 ms, 5.0 ms", "5 ms stands there twice"),
        ("x=5, 5; y=1, 2", "put a path first whose values all differ"),
        ("x=1, 2; y=1, 2, 3", "as many values for every path, not 2, 3"),
        ("x=1..2; y=1, 2", "as many values for every path, not a range, 2"),
        ("x=1; x=2", "the same path"),
        ('x="a", b', "cannot be read as a TOML array"),
        ("x=[[1], [2]]", "not a single value"),
        ("x=[{ a = 1 }]", "what changes several values is a variant"),
        ("x=[inf]", "inf is not a value"),
    ],
)
def test_mistakes_are_named(text: str, message: str) -> None:
    with pytest.raises(AxisError) as error:
        parsed_axis(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("x", 5, "no list of values"),
        ("x", {"a": 1}, "no list of values"),
        ("x", [None], "not a single value"),
        ("x; y", "1, 2", "2 paths need 2 lists"),
        ("x; y", [[1, 2], [3]], "a list of 2 values"),
        ("x; y", [1, 2], "a list of 2 values"),
        ("x; y", [], "a list of 2 values"),
        ("", [1], "without a path"),
    ],
)
def test_mistakes_in_python_are_named(key: str, value: object, message: str) -> None:
    with pytest.raises(AxisError, match=message):
        axis_of(key, value)


def test_an_error_knows_its_path() -> None:
    with pytest.raises(AxisError) as error:
        parsed_axis(f"{COUNT}=1, 2; {RATE}=9..5 Mbit/s")
    assert error.value.path == RATE
    assert error.value.hint == "write the smaller one first"
    assert str(error.value).startswith(f"{RATE}: 9..5 Mbit/s: ")


def test_no_value_is_on_two_axes() -> None:
    rate, both = parsed_axis(f"{RATE}=1, 2 Mbit/s"), parsed_axis(f"{COUNT}=1, 2; {RATE}=3, 4 Mbit/s")
    check_distinct([rate, parsed_axis(f"{COUNT}=1, 2")])
    with pytest.raises(AxisError, match="two axes vary it") as error:
        check_distinct([rate, both])
    assert error.value.path == RATE
    with pytest.raises(AxisError, match=r"it has a part, flows\.ftp\.rtt\.uniform\.to"):
        check_distinct(
            [parsed_axis("flows.ftp.rtt=80, 90 ms"), parsed_axis("flows.ftp.rtt.uniform.to=90, 99 ms")]
        )


def test_a_range_maps_the_unit_interval() -> None:
    axis = parsed_axis(f"{RATE}=10..20 Mbit/s")
    assert axis.levels is None
    assert axis.range is not None
    assert (axis.range.low, axis.range.high, axis.range.unit, axis.range.log) == (10, 20, "Mbit/s", False)
    assert axis.at(0.0) == ("10 Mbit/s",)
    assert axis.at(0.25) == ("12.5 Mbit/s",)
    assert axis.at(1 / 3) == ("13.33333 Mbit/s",)
    assert parsed_axis(f"{RATE}=1..100 Mbit/s log").at(0.5) == ("10 Mbit/s",)
    assert parsed_axis("a=0..10; b=100..200 ms").at(0.5) == (5, "150 ms")


@given(st.floats(0, 1), st.floats(1e-6, 1e6), st.floats(1.001, 1e4), st.booleans())
def test_a_drawn_value_is_in_its_range(u: float, low: float, factor: float, log: bool) -> None:  # noqa: FBT001
    high = low * factor
    axis = parsed_axis(f"x={low!r}..{high!r} ms{' log' if log else ''}")
    number = axis.drawn(axis.at(u)[0])
    assert isinstance(number, float)
    assert low <= number <= high
    exact = low * factor**u if log else low + u * (high - low)
    assert math.isclose(number, exact, rel_tol=1e-5, abs_tol=1e-6 * (high - low))


@pytest.mark.parametrize("text", ["1..5", "1..5 log", "2..6 packets", "1, 2, 3, 4, 5", "a, b, c, d, e"])
def test_shares_of_whole_numbers_and_levels(text: str) -> None:
    axis = parsed_axis(f"x={text}")
    n = 10_000
    counts = Counter(axis.at((i + 0.5) / n)[0] for i in range(n))
    assert len(counts) == 5
    if "log" in text:
        # Shares as log((k + 1/2) / (k - 1/2)): the smaller number the larger share.
        expected = [n * math.log((k + 0.5) / (k - 0.5)) / math.log(11) for k in range(1, 6)]
        assert [counts[k] for k in range(1, 6)] == pytest.approx(expected, abs=1)
    else:
        assert set(counts.values()) == {n // 5}


def test_counts_stay_whole_and_shares_do_not() -> None:
    for u in (0.0, 0.3, 0.99, 1.0):
        assert isinstance(parsed_axis(f"{COUNT}=1..100").at(u)[0], int)
        assert isinstance(parsed_axis(f"{SHARE}=0..1").at(u)[0], float)
        assert isinstance(parsed_axis("x=1.0..100").at(u)[0], float)
    assert parsed_axis("x=10..100 packets").at(0.333) == ("40 packets",)
    assert parsed_axis("x=10..100 ms").at(0.333) == ("39.97 ms",)


@pytest.mark.parametrize(
    ("path", "title"),
    [
        (RATE, "bottleneck rate"),
        ("links.bottleneck.queue.red.max_th", "red max_th"),
        ("links.bottleneck.reverse.buffer", "bottleneck reverse buffer"),
        ("links.bottleneck.reverse.queue.red.max_th", "reverse red max_th"),
        (COUNT, "ftp count"),
        ("flows.ftp.tcp.min_rto", "ftp tcp min_rto"),
        ("measure.warm_up", "measure warm_up"),
        ("duration", "duration"),
    ],
)
def test_titles(path: str, title: str) -> None:
    assert axis_of(path, [1, 2]).title == title


def test_titles_that_would_be_the_same_are_paths() -> None:
    paths = ["links.a.queue.red.max_p", "links.b.queue.red.max_p", COUNT]
    assert titles([axis_of(path, [1, 2]) for path in paths]) == [*paths[:2], "ftp count"]


def test_what_figures_are_told() -> None:
    dimension = parsed_axis(f"{RATE}=5, 10, 20 Mbit/s").dimension()
    assert (dimension.column, dimension.title, dimension.unit) == (RATE, "bottleneck rate", "Mbit/s")
    assert (dimension.numeric, dimension.log, dimension.values) == (True, False, (5.0, 10.0, 20.0))
    sampled = parsed_axis(f"{RATE}=1..100 Mbit/s log").dimension()
    assert (sampled.numeric, sampled.log, sampled.values) == (True, True, ())
    texts = parsed_axis("links.bottleneck.queue.red.spacing=uniform, wait").dimension()
    assert (texts.numeric, texts.unit, texts.values) == (False, "", ("uniform", "wait"))
    assert parsed_axis("flows.ftp.tcp.ecn=true, false").dimension().values == ("true", "false")


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("1, 10, 100 ms", True),
        ("1, 2, 5, 10, 20", True),
        ("5, 10, 20", False),
        ("10, 11, 20", False),
        ("1..100 by 1", False),
        ("0, 1, 10, 100", False),
        ("1..9 in 3 log", True),
        ("1, 100", False),
        ("7", False),
        ("a, b", False),
    ],
)
def test_levels_that_grow_by_factors_are_drawn_so(text: str, log: bool) -> None:  # noqa: FBT001
    assert parsed_axis(f"x={text}").log is log


def test_quantities_of_different_kinds_are_texts() -> None:
    axis = parsed_axis("x=20 packets, 50 ms")
    assert not axis.numeric
    assert axis.unit == ""
    assert axis.drawn("50 ms") == "50 ms"
    assert parsed_axis("x=1 packet, 20 packets").unit == "packets"


def test_mixed_units_of_one_kind_are_numbers_in_the_unit_of_the_largest() -> None:
    axis = parsed_axis(f"{RATE}=500 kbit/s, 2 Mbit/s, 1000 bit/s")
    assert axis.numeric
    assert axis.unit == "Mbit/s"
    assert [axis.drawn(value) for value in values(axis)] == [0.5, 2.0, 0.001]
    with pytest.raises(AxisError, match="stands there twice"):
        parsed_axis(f"{RATE}=500 kbit/s, 0.5 Mbit/s")


@pytest.mark.parametrize(
    "text",
    [
        "5, 10 Mbit/s; b=20, 40 packets",
        "1..100 Mbit/s log",
        "1..10",
        "1..10 in 4 log",
        "0.5, 1",
        "true, false",
    ],
)
def test_an_axis_survives_as_json(text: str) -> None:
    axis = parsed_axis(f"a={text}")
    back = Axis.from_json(json.loads(json.dumps(axis.to_json())))
    assert back == axis
    assert back.at(0.4) == axis.at(0.4)
    assert list(map(type, back.at(0.4))) == list(map(type, axis.at(0.4)))
