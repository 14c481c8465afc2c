"""Cost and accuracy of a live relay, measured with real packets on this machine: `make live`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from promises import Figure
from weir import _core
from weir.live._session import SessionResult, run_session
from weir.live._spec import LiveSpec

TRAFFIC = Path(__file__).with_name("live_traffic.py")
PORT = 5201
FAR = "198.18.0.1"
HEADERS, MTU = 52, 1500
"""Bytes of the headers of IPv4 and TCP with time stamps; bytes of a packet."""

SCENARIO = """\
schema = 1
name = "figures"
duration = "60 s"
measure = {{ warm_up = "0 s" }}
links.line = {{ rate = "{rate}", delay = "{delay}", buffer = "{buffer}" }}
flows.data = {{ rtt = "{rtt}" }}
"""


def program(*arguments: object) -> list[str]:
    """Command of one of the ends."""
    return [sys.executable, str(TRAFFIC), *map(str, arguments)]


def sent(
    scenario: _core.Scenario,
    flows: int,
    seconds: float,
    congestion: str,
    *,
    stagger_s: float = 0.02,
    seed: int = 1,
) -> tuple[SessionResult, np.ndarray]:
    """Greedy flows through the scenario for so long: the run, and what came over time: seconds and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "received.json")
        # Ended while it sends: a run without an end of its own.
        command = program("send", FAR, PORT, flows, stagger_s, 2.0 * seconds, congestion)
        spec = LiveSpec(
            scenario,
            command,
            far=program("receive", PORT, result),
            congestion=congestion,
            quiet=True,
            duration_s=seconds,
        )
        outcome = run_session(spec, seed, output=2)
        rows = np.array(json.loads(result.read_text(encoding="utf-8")))
    return outcome, rows


def loaded(rate: str, rtt: str, buffer: str) -> _core.Scenario:
    """A link between two ends."""
    text = SCENARIO.format(rate=rate, delay="0 ms", buffer=buffer, rtt=rtt)
    return _core.Scenario.loads(text, "figures")


def rate_error(megabits: int, seconds: float) -> Figure:
    """Under a standing queue: what comes to the receiver against the rate of the link, in per cent."""
    # Two bandwidth-delay products wait on average: the queue never empties.
    buffer = max(50, int(megabits * 1e6 * 0.02 / (8 * MTU) * 4))
    _, rows = sent(loaded(f"{megabits} Mbit/s", "20 ms", f"{buffer} packets"), 4, seconds + 4.0, "cubic")
    times, received = rows.T
    inside = (times > times[0] + 3.0) & (times < times[0] + 3.0 + seconds)
    spent, came = np.ptp(times[inside]), np.ptp(received[inside])
    measured = 8.0 * came / spent * MTU / (MTU - HEADERS)
    error = 100.0 * abs(measured / (megabits * 1e6) - 1.0)
    return Figure(f"Rate error, {megabits} Mbit/s over {seconds:g} s", error, 0.1, " %")


def added_latency(count: int) -> list[Figure]:
    """Round trips of datagrams one after the other, beyond the round trip of the scenario."""
    base_s = 0.02
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "round-trips.json")
        command = program("probe", FAR, PORT, count, 0.005, result)
        spec = LiveSpec(
            loaded("1 Gbit/s", "20 ms", "1000 packets"), command, far=program("echo", PORT), quiet=True
        )
        run_session(spec, 1, output=2)
        trips = np.array(json.loads(result.read_text(encoding="utf-8")))
    median, tail = 1e3 * (np.quantile(trips, [0.5, 0.99]) - base_s)
    # There and back: the relay is passed twice.
    return [
        Figure("Latency of the relay, there and back, median", float(median), 0.4, " ms"),
        Figure("Latency of the relay, there and back, p99", float(tail), 0.4, " ms"),
    ]


def ceiling(seconds: float) -> list[Figure]:
    """Rate of one flow over a link that limits nothing."""
    outcome, rows = sent(loaded("100 Gbit/s", "0 ms", "100000 packets"), 1, seconds, "cubic")
    times, received = rows.T
    gigabits = 8e-9 * np.ptp(received[times > times[0] + 1.0]) / np.ptp(times[times > times[0] + 1.0])
    honesty = outcome.run.honesty
    cost_us = 1e6 * honesty["cpu_s"] / honesty["packets"]
    return [
        Figure("One TCP flow without a limit", float(gigabits), 2.0, " Gbit/s", at_least=True),
        Figure("CPU per packet then, system calls and the receiver's stack included", cost_us, 1.5, " µs"),
    ]


def figures(*, quick: bool) -> list[Figure]:
    """All of them."""
    seconds = 5.0 if quick else 20.0
    found = [rate_error(megabits, seconds) for megabits in (10, 100, 500)]
    found += added_latency(200 if quick else 2000)
    return found + ceiling(3.0 if quick else 10.0)
