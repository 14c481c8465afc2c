"""Response and settling times: the definition, word by word, and queues that are known beforehand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import weir
from conftest import Command
from weir.stats._responses import ResponseError, estimates, moving_average, times

SECOND = 1_000_000_000


def literal(instants: list[int], inside: list[bool], start: int, end: int, hold: int) -> tuple[float, float]:
    """The definition, tried at every sample."""
    phase = [(t, good) for t, good in zip(instants, inside, strict=True) if start <= t <= end]
    response = settling = math.inf
    for t, _ in reversed(phase):
        if t + hold > phase[-1][0]:
            continue
        if all(good for u, good in phase if t <= u <= t + hold):
            response = (t - start) / 1e9
        if all(good for u, good in phase if t <= u):
            settling = (t - start) / 1e9
    return response, settling


@given(
    gaps=st.lists(st.integers(1, 3), max_size=60),
    pattern=st.lists(st.integers(1, 9), min_size=1, max_size=30),
    start=st.integers(0, 40),
    length=st.integers(0, 80),
    hold=st.integers(1, 12),
    begins_inside=st.booleans(),
)
@settings(max_examples=500)
def test_times_are_those_of_the_definition(
    gaps: list[int], pattern: list[int], start: int, length: int, hold: int, *, begins_inside: bool
) -> None:
    instants = np.cumsum([0, *gaps]).tolist()
    stretches = [begins_inside ^ (index % 2 == 1) for index, n in enumerate(pattern) for _ in range(n)]
    inside = (stretches * len(instants))[: len(instants)]
    args = (start, start + length, hold)
    found = times(np.array(instants, dtype=np.int64), np.array(inside), *args)
    assert found == literal(instants, inside, *args)


def at_every_tenth(good: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Samples every 100 ms: `x` inside, `.` outside."""
    return np.arange(len(good)) * (SECOND // 10), np.array([letter == "x" for letter in good])


@pytest.mark.parametrize(
    ("queue", "response", "settling"),
    [
        # From 0 to 2 s, held for half a second: six samples, both ends counted.
        ("xxxxxxxxxxxxxxxxxxxxx", 0.0, 0.0),
        ("....xxxxxxxxxxxxxxxxx", 0.4, 0.4),
        ("..xxxxx....xxxxxx....", 1.1, math.inf),
        ("..xxxxxx....xxxxxxxxx", 0.2, 1.2),
        ("..xxxxxx.......xxxxxx", 0.2, 1.5),
        # The last five are a sample short of half a second.
        ("..xxxxxx........xxxxx", 0.2, math.inf),
        ("................xxxxx", math.inf, math.inf),
        (".....................", math.inf, math.inf),
    ],
)
def test_queues_by_hand(queue: str, response: float, settling: float) -> None:
    instants, inside = at_every_tenth(queue)
    assert times(instants, inside, 0, 2 * SECOND, SECOND // 2) == (response, settling)


@given(values=st.lists(st.integers(0, 500), min_size=1, max_size=60), samples=st.integers(1, 9))
def test_the_average_is_that_of_the_last_samples(values: list[int], samples: int) -> None:
    found = moving_average(np.array(values, dtype=np.float64), samples)
    for index, value in enumerate(found):
        part = values[max(0, index + 1 - samples) : index + 1]
        assert value == pytest.approx(sum(part) / len(part))


# Windows bounded by the receiver, a queue without loss: 20 packets for each flow, of which 20 fill the
# pipe, 1000 packets/s times 20 ms; the packet that is sent does not wait. 2 flows leave 19 in the queue,
# 4 flows 59.
STEPS = """
schema = 1
name = "steps"
duration = "15 s"
measure.series = { interval = "10 ms" }
[links.before]
rate = "80 Mbit/s"
delay = "2 ms"
buffer = "200 packets"
[links.bottleneck]
rate = "8 Mbit/s"
delay = "5 ms"
buffer = "200 packets"
[flows.ftp]
path = ["before", "bottleneck"]
count = 2
population = [{ step = 2, every = "5 s", until = 4 }, { step = 2, every = "5 s", until = 2 }]
rtt = "20 ms"
packet_size = "1000 B"
tcp = { receive_window = "20 packets", handshake = false }
"""


@pytest.fixture(scope="module")
def stepped() -> weir.Sweep:
    return weir.Scenario.loads(STEPS).run(replications=3)


def test_a_queue_that_is_known(stepped: weir.Sweep) -> None:
    up = stepped.responses("50 packets", "65 packets", hold="2 s")
    assert up.columns[:5] == ["point", "variant", "label", "replication", "seed"]
    assert len(up) == 3 * 2 * 2
    assert up["replication"].unique().to_list() == [0, 1, 2]
    first, second = up.filter(pl.col("change") == 0), up.filter(pl.col("change") == 1)
    assert (first["at_s"].unique().item(), first["until_s"].unique().item()) == (5.0, 10.0)
    assert (first["flows_before"].unique().item(), first["flows_after"].unique().item()) == (2, 4)
    assert (second["flows_before"].unique().item(), second["flows_after"].unique().item()) == (4, 2)
    # Slow start from 10 to 20 packets over round trips of 40 to 80 ms.
    assert first["response_s"].is_between(0.01, 0.3).all()
    assert first["settling_s"].to_list() == first["response_s"].to_list()
    assert second["response_s"].is_infinite().all()
    down = stepped.responses("15 packets", "25 packets", hold="2 s", link="bottleneck")
    assert down.filter(pl.col("change") == 0)["response_s"].is_infinite().all()
    # 40 packets drain in 40 ms; nothing is sent for them.
    assert down.filter(pl.col("change") == 1)["response_s"].is_between(0.02, 0.3).all()


def test_bytes_are_packets_of_the_mean_size(stepped: weir.Sweep) -> None:
    packets = stepped.responses("50 packets", "65 packets", hold="2 s")
    assert stepped.responses("50 kB", "65 kB", hold="2000 ms").equals(packets)


def test_the_average_comes_later_and_the_samples_as_they_are(stepped: weir.Sweep) -> None:
    found = stepped.responses("50 packets", "65 packets", hold="2 s", average="500 ms")
    up = found.filter(pl.col("change") == 0)
    raw, smooth = (up.filter(pl.col("queue") == view)["response_s"] for view in ("samples", "average"))
    # The mean over half a second passes from 19 to 50 when 31/40 of it lie behind the change.
    assert ((smooth - raw) > 0.25).all()
    assert (smooth < 0.5 + raw).all()
    none = stepped.responses("50 packets", "65 packets", hold="2 s", average="1 ms")
    views = [none.filter(pl.col("queue") == view)["response_s"].to_list() for view in ("samples", "average")]
    assert views[0] == views[1]


def test_a_phase_that_is_shorter_than_the_hold_has_no_end(stepped: weir.Sweep) -> None:
    found = stepped.responses("0 packets", "200 packets", hold="5 s")
    assert (found["response_s"] == 0.0).all()
    late = stepped.responses("0 packets", "200 packets", hold="5.01 s")
    assert late["response_s"].is_infinite().all()


def test_instants_of_ones_own(stepped: weir.Sweep) -> None:
    found = stepped.responses("50 packets", "65 packets", hold="2 s", at=["7 s", "0 s"])
    spans = found.select("at_s", "until_s", "flows_before", "flows_after").unique(maintain_order=True)
    # A phase ends where the load changes, asked for or not.
    assert spans.rows() == [(0.0, 5.0, 0, 2), (7.0, 10.0, 4, 4)]
    assert (found.filter(pl.col("at_s") == 7.0)["response_s"] == 0.0).all()


def frame(values: list[float]) -> pl.DataFrame:
    n = len(values)
    return pl.DataFrame(
        {
            "variant": ["v"] * n, "label": ["V"] * n, "replication": range(n), "seed": range(n),
            "change": [0] * n, "at_s": [5.0] * n, "until_s": [9.0] * n,
            "flows_before": [1] * n, "flows_after": [2] * n, "rate_bps": [None] * n,
            "queue": ["samples"] * n, "response_s": values, "settling_s": [math.inf] * n,
        },
        schema_overrides={"rate_bps": pl.Float64},
    )  # fmt: skip


def test_runs_that_never_settle_have_a_share_and_no_mean() -> None:
    response, settling = estimates(frame([1.0, 2.0, math.inf, 4.0])).iter_rows(named=True)
    assert (response["n"], response["never"], response["mean_s"], response["half_width_s"]) == (
        4, 0.25, None, None,
    )  # fmt: skip
    # With infinity as the longest: between 2 and 4.
    assert response["median_s"] == 3.0
    assert (settling["never"], settling["median_s"]) == (1.0, math.inf)
    half, _ = estimates(frame([1.0, math.inf])).iter_rows(named=True)
    assert half["median_s"] == math.inf
    all_of_them, _ = estimates(frame([1.0, 2.0, 3.0])).iter_rows(named=True)
    assert (all_of_them["never"], all_of_them["mean_s"]) == (0.0, 2.0)
    # t of 2 degrees of freedom at 95%: 4.303.
    assert all_of_them["half_width_s"] == pytest.approx(4.303 / math.sqrt(3), rel=1e-3)


@given(
    count=st.integers(0, 4),
    start=st.integers(0, 3),
    stop=st.none() | st.integers(4, 9),
    stages=st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 6)), max_size=3),
)
@settings(max_examples=15)
def test_flows_come_and_go_when_the_simulator_says(
    count: int, start: int, stop: int | None, stages: list[tuple[int, int, int]]
) -> None:
    told = ", ".join(
        f'{{ step = {step}, every = "{every} s", until = {until} }}' for step, every, until in stages
    )
    text = f"""
schema = 1
name = "comings"
duration = "12 s"
measure.warm_up = "0 s"
[links.only]
rate = "100 kbit/s"
delay = "5 ms"
buffer = "5 packets"
[flows.always]
rtt = "20 ms"
packet_size = "1000 B"
[flows.some]
rtt = "20 ms"
packet_size = "1000 B"
count = {count}
start = "{start} s"
{f'stop = "{stop} s"' if stop else ""}
population = [{told}]
"""
    scenario = weir.Scenario.loads(text)
    flows = scenario.run().flows.filter(pl.col("group") == "some", pl.col("period") == -1)
    ends = flows["stop_s"].fill_nan(None).drop_nulls()
    by: dict[float, int] = {}
    for instant, change in [*((t, 1) for t in flows["start_s"]), *((t, -1) for t in ends)]:
        by[instant] = by.get(instant, 0) + change
    load = scenario.network.path("some").load
    during = {change.at_s: change.after - change.before for change in load if change.at_s < 12.0}
    assert during == {instant: change for instant, change in by.items() if change != 0 and instant < 12.0}


# Nodes, so that flows pass both links in both directions; `core` gets other rates.
TWO_WAYS = """
schema = 1
name = "two-ways"
duration = "12 s"
measure.series = { interval = "100 ms" }
[links.up]
rate = "8 Mbit/s"
delay = "1 ms"
buffer = "20 packets"
from = "home"
to = "isp"
reverse = { rate = "9 Mbit/s", buffer = "20 packets" }
[links.core]
rate = "8 Mbit/s"
delay = "1 ms"
buffer = "20 packets"
from = "isp"
to = "server"
rate_schedule = [{ at = "2 s", rate = "4 Mbit/s" }, { at = "3 s", rate = "2 Mbit/s" }]
rate_period = "8 s"
reverse = { rate = "9 Mbit/s", buffer = "20 packets" }
[flows.there]
path = ["up", "core"]
from = "home"
to = "server"
rtt = "20 ms"
packet_size = "1000 B"
count = 2
stop = "9 s"
[flows.back]
path = ["core", "up"]
from = "server"
to = "home"
rtt = "20 ms"
packet_size = "1000 B"
start = "5 s"
[flows.local]
path = ["up"]
from = "home"
to = "isp"
rtt = "20 ms"
packet_size = "1000 B"
start = "2 s"
count = 3
"""


@pytest.mark.parametrize(
    ("link", "changes"),
    [
        ("up", [(2.0, 2, 5, None), (9.0, 5, 3, None)]),
        (
            "core",
            [(2.0, 2, 2, 4e6), (3.0, 2, 2, 2e6), (8.0, 2, 2, 8e6), (9.0, 2, 0, None), (10.0, 0, 0, 4e6),
             (11.0, 0, 0, 2e6)],
        ),
        ("up.reverse", [(5.0, 0, 1, None)]),
        ("core.reverse", [(5.0, 0, 1, None)]),
    ],
)  # fmt: skip
def test_changes_of_load_are_those_of_the_link_and_direction(
    link: str, changes: list[tuple[float, int, int, float | None]], two_ways: weir.Sweep
) -> None:
    found = two_ways.responses("0 packets", "1 packets", link=link, hold="1 s")
    columns = ["at_s", "flows_before", "flows_after", "rate_bps"]
    assert found.select(columns).unique(maintain_order=True).rows() == changes
    assert found["until_s"].unique(maintain_order=True).to_list() == [at for at, *_ in changes[1:]] + [12.0]


@pytest.fixture(scope="module")
def two_ways() -> weir.Sweep:
    return weir.Scenario.loads(TWO_WAYS).run()


def test_what_cannot_be_found_is_refused(stepped: weir.Sweep, single: weir.Sweep) -> None:
    with pytest.raises(ResponseError, match="no series"):
        single.responses("1 packets", "2 packets")
    cases = {
        "no link 'core'": {"link": "core"},
        "no length of a queue": {"low": "5 ms"},
        "not a quantity": {"low": "few"},
        "is more than": {"low": "70 packets"},
        "no time at all": {"hold": "0 s"},
        "5 packets is no time": {"hold": "5 packets"},
        "is over at": {"at": ["15 s"]},
        "recorded every": {"hold": "5 ms"},
    }
    for told, wrong in cases.items():
        options = {"low": "50 packets", "high": "65 packets", **wrong}
        with pytest.raises(ResponseError, match=told) as caught:
            stepped.responses(**options)  # pyright: ignore[reportArgumentType]
        assert caught.value.hint
    result = weir.Scenario.loads(STEPS, {"duration": "3 s"}).run()
    with pytest.raises(ResponseError, match="does not change") as caught:
        result.responses("1 packets", "2 packets")
    assert "--at" in str(caught.value.hint)


@pytest.fixture
def kept(stepped: weir.Sweep) -> list[str]:
    """Options of a command that is about the result."""
    return ["--store", str(stepped.store.path)]


def test_the_command(stepped: weir.Sweep, kept: list[str], weir_command: Command, tmp_path: Path) -> None:
    band = ["--band", "50 packets..65 packets", "--hold", "2 s"]
    done = weir_command("responses", str(stepped.number), *kept, *band)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("5 s: 2 to 4 flows") and "never" not in line for line in lines)
    assert any(line.startswith("10 s: 4 to 2 flows") and line.count("never") == 4 for line in lines)
    told = json.loads(weir_command("responses", str(stepped.number), *kept, *band, "--json").stdout)
    assert len(told) == 2 * 2 * 2
    assert {row["never"] for row in told} == {0.0, 1.0}
    rows = json.loads(weir_command("responses", str(stepped.number), *kept, *band, "--runs", "--json").stdout)
    assert len(rows) == 12
    assert rows[0]["response_s"] > 0.0
    assert rows[-1]["response_s"] is None
    weir_command("responses", str(stepped.number), *kept, *band, "--runs", "--export", "rows.csv")
    assert len(pl.read_csv(tmp_path / "rows.csv")) == 12


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing", "--band", "1 packets..2 packets"], "no result 'nothing'"),
        (["1", "--band", "1 packets"], "is not LOW..HIGH"),
        (["1", "--band", "1 ms..2 ms"], "no length of a queue"),
        (["1", "--band", "1 packets..2 packets", "--at", "soon"], "not a quantity"),
        (["1"], "--band"),
    ],
)
def test_bad_input(
    stepped: weir.Sweep, kept: list[str], weir_command: Command, arguments: list[str], told: str
) -> None:
    which = str(stepped.number) if arguments[0] == "1" else arguments[0]
    done = weir_command("responses", which, *kept, *arguments[1:])
    assert done.returncode == 2
    assert done.stdout == ""
    assert told in done.stderr
    assert "Traceback" not in done.stderr
