"""A threshold that is a time is what the link sends in it: for runs, exports, notes and theory alike."""

from pathlib import Path
from typing import Any

import pytest

import weir
from conftest import Command
from weir.check import notes
from weir.export import export

TEXT = """\
schema = 1
name = "times"
duration = "8 s"
measure.warm_up = "2 s"

[links.b]
rate = "12 Mbit/s"
delay = "5 ms"
buffer = "100 ms"

[flows.f]
count = 4
rtt = "40 ms"
start_jitter = "1 s"
"""
# 12 Mbit/s are 1500 bytes in a millisecond.
QUEUES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"red": {"min_th": "20 ms", "max_th": "60 ms"}},
        {"red": {"min_th": "30 kB", "max_th": "90 kB"}},
    ),
    (
        {"red": {"min_th": "20 ms", "max_th": "60 ms", "gentle": True}},
        {"red": {"min_th": "30 kB", "max_th": "60 ms", "gentle": True}},
    ),
    (
        {"adaptive-red": {"min_th": "20 ms", "max_th": "60 ms"}},
        {"adaptive-red": {"min_th": "30 kB", "max_th": "90 kB"}},
    ),
    ({"nlred": {"max_th": "60 ms"}}, {"nlred": {"max_th": "90 kB"}}),
    ({"hred": {"max_th": "50 ms"}}, {"hred": {"max_th": "75 kB"}}),
    ({"choke": {"min_th": "20 ms"}}, {"choke": {"min_th": "30 kB"}}),
    ({"step": {"threshold": "5 ms"}}, {"step": {"threshold": "7500 B"}}),
    ({"rem": {"target": "10 ms"}}, {"rem": {"target": "15 kB"}}),
    ({"fq": {"aqm": {"red": {"max_th": "30 ms"}}}}, {"fq": {"aqm": {"red": {"max_th": "45 kB"}}}}),
]


@pytest.mark.parametrize(("times", "lengths"), QUEUES)
def test_both_are_one_scenario(times: dict[str, Any], lengths: dict[str, Any]) -> None:
    one, other = (weir.Scenario.loads(TEXT, {"links.b.queue": queue}) for queue in (times, lengths))
    assert one.hash == other.hash
    assert one.to_toml() == other.to_toml()
    assert notes(one) == notes(other)
    assert weir.Scenario.loads(one.to_toml()).hash == one.hash


def test_exports_are_the_same() -> None:
    texts = [
        export(weir.Scenario.loads(TEXT, {"links.b.queue": queue}), replications=0).text
        for queue in QUEUES[0]
    ]
    assert "min 30000 max 90000" in texts[0]
    assert texts[0] == texts[1]


def test_the_rate_is_that_of_the_instant() -> None:
    red = {"links.b.queue": {"red": {"max_th": "60 ms"}}}
    half = weir.Scenario.loads(TEXT, {**red, "links.b.rate": "6 Mbit/s"})
    assert half.core.value("links.b.queue.red.max_th") == "45 kB"
    assert half.replace({"links.b.rate": "12 Mbit/s"}).core.value("links.b.queue.red.max_th") == "90 kB"
    change = {"at": "4 s", "links.b": {"rate": "6 Mbit/s", "queue": {"red": {"max_th": "60 ms"}}}}
    later = weir.Scenario.loads(TEXT, {**red, "changes": [change]})
    assert later.core.value("changes.0.links.b.queue.red.max_th") == "45 kB"


def test_a_threshold_in_time_is_fixed_while_the_rate_varies() -> None:
    schedule = [{"at": "4 s", "rate": "6 Mbit/s"}]
    values = {"links.b.queue": {"red": {"max_th": "60 ms"}}, "links.b.rate_schedule": schedule}
    assert "fixed-while-rate-varies" in {note.code for note in notes(weir.Scenario.loads(TEXT, values))}


def test_the_buffer_and_a_threshold_of_the_same_time_agree() -> None:
    """A buffer is one of whole packets, a threshold is not: neither lies above the other."""
    values = {
        "links.b.rate": "10 Mbit/s",
        "links.b.buffer": "25 ms",
        "links.b.queue": {"red": {"max_th": "25 ms"}},
    }
    assert "threshold-above-buffer" not in {note.code for note in notes(weir.Scenario.loads(TEXT, values))}


def test_notes_and_the_table_say_the_time(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "times.toml").write_text(TEXT.replace("12 Mbit/s", "50 Mbit/s"), encoding="utf-8")
    red = "links.b.queue.red={ min_th = '5 ms', max_th = '500 ms' }"
    done = weir_command("check", "times.toml", "--set", red)
    said = " ".join((done.stdout + done.stderr).split())
    assert "overflows before the queue reaches 3125 kB (500 ms)" in said
    assert "red, 31.25 kB (5 ms) to 3125 kB (500 ms)" in said


def test_the_table_rounds_a_third_of_a_threshold(weir_command: Command, tmp_path: Path) -> None:
    (tmp_path / "times.toml").write_text(TEXT, encoding="utf-8")
    done = weir_command("check", "times.toml", "--set", "links.b.queue.red={ max_th = '64 packets' }")
    assert "red, 21.3 to 64 packets" in done.stdout


def test_a_length_of_a_link_whose_rate_changes_is_no_time() -> None:
    values = {
        "links.b.queue": {"red": {"min_th": "20 ms", "max_th": "500 ms"}},
        "links.b.rate_schedule": [{"at": "4 s", "rate": "6 Mbit/s"}],
    }
    (note,) = (
        one for one in notes(weir.Scenario.loads(TEXT, values)) if one.code == "threshold-above-buffer"
    )
    assert "reaches 750 kB" in note.message
    assert "(" not in note.message


@pytest.mark.parametrize(
    ("red", "said"),
    [
        ({"min_th": "60 ms", "max_th": "20 ms"}, r"max_th \(20 ms\) is not above min_th \(60 ms\)"),
        ({"min_th": "60 ms", "max_th": "20 packets"}, "in different units"),
        ({"min_th": "60 ms", "max_th": "1 kB"}, "is not above"),
        ({"max_th": "0 ms"}, "max_th is zero"),
        ({"max_th": "5 min"}, "is not a unit of a queue level"),
    ],
)
def test_what_cannot_be(red: dict[str, str], said: str) -> None:
    with pytest.raises(weir.ScenarioError, match=said):
        weir.Scenario.loads(TEXT, {"links.b.queue.red": red})


@pytest.mark.parametrize(
    ("level", "third"),
    [
        ("640 packets", "213 packets"),
        ("10 packets", "3.3 packets"),
        ("100 kB", "33.333 kB"),
        ("20 ms", "6.66 ms"),
    ],
)
def test_the_threshold_that_is_proposed_is_written_as_a_person_would(level: str, third: str) -> None:
    with pytest.raises(weir.ScenarioError) as caught:
        weir.Scenario.loads(TEXT, {"links.b.queue.red": {"min_th": level, "max_th": level}})
    assert caught.value.hint == f'set min_th to about a third of max_th: "{third}"'
    weir.Scenario.loads(TEXT, {"links.b.queue.red": {"min_th": third, "max_th": level}})


def test_a_size_of_a_transfer_is_no_time() -> None:
    with pytest.raises(weir.ScenarioError, match="is not a unit of a size"):
        weir.Scenario.loads(TEXT, {"flows.f.traffic": {"closed-loop": {"size": "5 ms"}}})


def test_a_queue_by_hand() -> None:
    queues = [weir.Queue(queue, rate="12 Mbit/s", buffer="100 ms") for queue in QUEUES[6]]
    verdicts = [[queue.offer(0.0, 1500, ecn="ect0").verdict for _ in range(10)] for queue in queues]
    assert verdicts[0] == verdicts[1]
    assert "marked" in verdicts[0]
