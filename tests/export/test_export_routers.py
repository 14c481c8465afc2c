"""RED in the words of routers: random-detect, and a drop profile."""

from __future__ import annotations

import re
from typing import Any

import pytest

from exports import exported
from weir.export import ExportError, Form

RED = {"min_th": "10 packets", "max_th": "40 packets", "max_p": 0.05}


def statements(text: str) -> list[str]:
    """Lines of a text that are no comments; all comments begin with the same mark."""
    lines = text.splitlines()
    mark = lines[0][0]
    assert mark in "!#"
    (end,) = {index for index, line in enumerate(lines) if not line.startswith(mark)} and {
        next(index for index, line in enumerate(lines) if not line.startswith(mark))
    }
    assert not any(line.startswith(("!", "#")) for line in lines[end:])
    assert all(line.startswith(mark) for line in lines[:end])
    return [line.strip() for line in lines[end:] if line.strip()]


def test_random_detect() -> None:
    lines = statements(exported({"red": {**RED, "ecn": True}}, "wred").text)
    # 1/0.05; and 2^-9 is nearest to 0.002.
    assert [f"random-detect precedence {n} 10 40 20" for n in range(8)] == [
        line for line in lines if " precedence " in line
    ]
    assert "random-detect exponential-weighting-constant 9" in lines
    assert "random-detect ecn" in lines
    assert "shape average 10000000" in lines
    assert "queue-limit 120 packets" in lines
    quarter = exported({"red": {"max_p": 0.3}}, "wred")
    assert any("0.3 becomes 1/3" in warning for warning in quarter.warnings)


@pytest.mark.parametrize(("low", "high"), [(5000, 9000), (10, 4097), (4096, 4100)])
def test_a_band_beyond_what_random_detect_counts_is_refused(low: int, high: int) -> None:
    aqm = {"red": {"min_th": f"{low} packets", "max_th": f"{high} packets"}}
    with pytest.raises(ExportError, match=f"up to 4096 packets, and max_th is {high}") as caught:
        exported(aqm, "wred", buffer="20000 packets")
    assert caught.value.hint is not None
    # What it points to can say it.
    assert "--as junos" in caught.value.hint
    exported(aqm, "junos", buffer="20000 packets")


@pytest.mark.parametrize(
    "levels", [("0 packets", "1 packets"), ("4090 packets", "4096 packets"), ("1 B", "2 B")]
)
def test_every_threshold_is_one_that_random_detect_has(levels: tuple[str, str]) -> None:
    aqm = {"red": {"min_th": levels[0], "max_th": levels[1]}}
    text = exported(aqm, "wred", buffer="20000 packets").text
    (numbers,) = {tuple(map(int, found)) for found in re.findall(r"precedence \d (\d+) (\d+) (\d+)", text)}
    assert 1 <= numbers[0] < numbers[1] <= 4096
    assert 1 <= numbers[2] <= 65535


def test_a_probability_that_stands_still_is_said() -> None:
    for form in ("wred", "junos"):
        found = exported({"adaptive-red": {}}, form)
        assert any("nothing adapts it" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("form", "device"),
    [
        ("wred", "GigabitEthernet0/0/1"),
        ("wred", "Te1/1"),
        ("wred", "gi0/1.100"),
        ("wred", "Serial0/0/0:15"),
        ("wred", "Port-channel 1"),
        ("junos", "ge-0/0/1"),
        ("junos", "et-0/0/2:3"),
        ("junos", "ae0"),
    ],
)
def test_an_interface_of_a_router_takes_it(form: Form, device: str) -> None:
    lines = statements(exported({"red": RED}, form, device=device).text)
    assert f"interface {device}" in lines or f"{device} {{" in lines


@pytest.mark.parametrize("form", ["wred", "junos"])
@pytest.mark.parametrize(
    "device", ["wan0", "br-lan", "Gi", "ge-0/0", "gi0/1\nreload", "Gi0/1;", "ae", "Gi0/0/0/0/0"]
)
def test_what_is_no_interface_of_a_router_is_refused(form: Form, device: str) -> None:
    with pytest.raises(ExportError, match="no name of an interface of a router"):
        exported({"red": RED}, form, device=device)


def profile(text: str) -> dict[int, int]:
    """Probability of a drop by the level of the buffer, both in per cent."""
    fills, drops = (
        [int(number) for number in found[1].split()]
        for found in (
            re.search(rf"{name} \[ ([\d ]+) \];", text) for name in ("fill-level", "drop-probability")
        )
        if found
    )
    assert len(fills) == len(drops) <= 64
    assert fills == sorted(set(fills))
    assert drops == sorted(drops)
    assert (fills[0], fills[-1]) == (0, 100)
    return dict(zip(fills, drops, strict=True))


def test_a_drop_profile_is_reds_line() -> None:
    # 12 and 48 packets are a tenth and four tenths of 120; uniform spacing signals twice as often as max_p.
    aqm = {"red": {"min_th": "12 packets", "max_th": "48 packets", "max_p": 0.1, "ecn": True}}
    found = exported(aqm, "junos", mean_packet_size="1000 B")
    assert profile(found.text) == {0: 0, 10: 0, 40: 20, 41: 100, 100: 100}
    lines = statements(found.text)
    # 120 packets of 1000 B take 96 ms at 10 Mbit/s.
    assert "buffer-size temporal 96000;" in lines
    assert "explicit-congestion-notification;" in lines
    assert found.text.count("{") == found.text.count("}")


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ({"gentle": True, "spacing": "geometric"}, {0: 0, 10: 0, 40: 10, 80: 100, 100: 100}),
        ({"spacing": "geometric", "max_p": 1.0}, {0: 0, 10: 0, 40: 100, 41: 100, 100: 100}),
    ],
)
def test_beyond_the_band(settings: dict[str, Any], wanted: dict[int, int]) -> None:
    aqm = {"red": {"min_th": "12 packets", "max_th": "48 packets", "max_p": 0.1, **settings}}
    assert profile(exported(aqm, "junos").text) == wanted


def test_a_parabola_is_one() -> None:
    aqm = {"nlred": {"min_th": "12 packets", "max_th": "112 packets", "max_p": 0.4, "spacing": "geometric"}}
    found = profile(exported(aqm, "junos").text)
    # nl_factor 1.5 times max_p, times the square of the way.
    for fill, drop in found.items():
        if 10 <= fill <= 93:
            assert drop == pytest.approx(60.0 * ((fill - 10) / (93.33 - 10)) ** 2, abs=1.0)


@pytest.mark.parametrize("form", ["wred", "junos"])
@pytest.mark.parametrize("name", ["codel", "pie", "drop-tail", "rem"])
def test_what_is_no_red_is_refused(form: Form, name: str) -> None:
    with pytest.raises(ExportError, match=f"is RED, and {name} is not"):
        exported({name: {}}, form)
