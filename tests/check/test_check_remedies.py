"""Remedies agree: what notes say to write leads to no error, and to no note of a level within three steps."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from plain import PLAIN, QUEUE

import weir
from weir.check import notes

LEVELS = {
    "threshold-above-buffer",
    "threshold-below-bdp",
    "target-below-packet",
    "buffer-below-bdp",
    "buffer-never-fills",
}
"""Notes whose remedies set thresholds, targets and buffers."""

THRESHOLDS = {
    "red": ("min_th", "max_th"),
    "nlred": ("min_th", "max_th"),
    "feng-red": ("min_th", "max_th"),
    "choke": ("min_th", "max_th"),
    "hred": ("min_th", "max_th"),
    "adaptive-red": ("min_th", "max_th"),
    "step": ("threshold",),
    "rem": ("target",),
    "pi": ("q_ref",),
}
DELAYS = ("codel", "cobalt", "pie", "pi2")

STEPS = 3


def remedy(hint: str) -> dict[str, str]:
    """The values that a hint names first, as `--set` would have them."""
    first = hint.split(", or ", maxsplit=1)[0]
    return dict(re.findall(r'([a-z_.0-9-]+) = "([^"]+)"', first))


def follow(scenario: weir.Scenario, values: Mapping[str, Any]) -> list[dict[str, str]]:
    """Values that are written, note by note, until no note is left."""
    written: list[dict[str, str]] = []
    set_: dict[str, Any] = dict(values)
    for _ in range(STEPS + 1):
        left = [note for note in notes(scenario.replace(set_)) if note.code in LEVELS]
        if not left:
            return written
        changes = remedy(left[0].hint)
        assert changes, left[0].hint
        written.append(changes)
        set_ |= changes
    raise AssertionError(f"no end: {values} -> {written}")


@pytest.mark.parametrize(
    "values",
    [
        {"links.a.buffer": "120 packets", "links.a.rate": "100 Mbit/s", QUEUE: {"red": {}}},
        {"links.a.buffer": "120 packets", QUEUE: {"red": {"min_th": "640 packets"}}},
        {"links.a.buffer": "120 packets", QUEUE: {"red": {"min_th": "100 packets", "max_th": "640 packets"}}},
        {"links.a.buffer": "1 packet", "links.a.rate": "64 kbit/s", QUEUE: {"codel": {}}},
        {"links.a.buffer": "2 packets", "links.a.rate": "64 kbit/s"},
    ],
)
def test_remedies_of_thresholds_and_buffers_agree(values: dict[str, Any]) -> None:
    follow(weir.Scenario.loads(PLAIN), values)


def queues() -> st.SearchStrategy[dict[str, Any]]:
    """Queues with thresholds in packets or times, or with a target delay."""
    level = st.one_of(
        st.integers(1, 2000).map(lambda packets: f"{packets} packets"),
        st.integers(1, 500).map(lambda span: f"{span} ms"),
    )

    def of(name: str) -> st.SearchStrategy[dict[str, Any]]:
        names = THRESHOLDS[name]
        return st.fixed_dictionaries({}, optional=dict.fromkeys(names, level)).map(
            lambda table: {name: table}
        )

    target = st.integers(1, 50).map(lambda span: f"{span} ms")
    delayed = st.tuples(st.sampled_from(DELAYS), target).map(lambda one: {one[0]: {"target": one[1]}})
    return st.one_of(st.sampled_from(sorted(THRESHOLDS)).flatmap(of), delayed)


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.filter_too_much]
)
@given(
    queue=queues(),
    buffer=st.one_of(
        st.integers(1, 2000).map(lambda packets: f"{packets} packets"),
        st.sampled_from(["0.1 BDP", "1 BDP", "5 ms"]),
    ),
    rate=st.sampled_from(["64 kbit/s", "1 Mbit/s", "10 Mbit/s", "100 Mbit/s", "1 Gbit/s"]),
    flows=st.integers(1, 40),
)
def test_any_remedies_agree(queue: dict[str, Any], buffer: str, rate: str, flows: int) -> None:
    scenario = weir.Scenario.loads(PLAIN)
    values = {QUEUE: queue, "links.a.buffer": buffer, "links.a.rate": rate, "flows.ftp.count": flows}
    try:
        scenario.replace(values)
    except weir.ScenarioError:
        return
    follow(scenario, values)


def test_a_level_that_follows_from_another_has_the_digits_of_a_person() -> None:
    scenario = weir.load("rem-wireline").variant("drop-tail")
    (link,) = scenario.links
    red = {f"links.{link}.queue": {"red": {"max_th": "640 packets"}}, f"links.{link}.buffer": "120 packets"}
    (note,) = (one for one in notes(scenario.replace(red)) if one.code == "threshold-above-buffer")
    assert note.message.startswith("213 packets is not below")
