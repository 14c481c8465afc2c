"""CPU of the fluid over time beside that of its packets."""

from __future__ import annotations

import time
from dataclasses import dataclass

import weir
from weir import _core
from weir.scenario import Value
from weir.theory import fluid_of

TIMES = 5
QUEUES: dict[str, dict[str, Value]] = {
    "RED": {"red": {"gentle": True, "ecn": True}},
    "PI2": {"pi2": {"ecn": True}},
    "PIE": {"pie": {}},
}
RATES = ("10 Mbit/s", "100 Mbit/s", "1 Gbit/s", "10 Gbit/s")


@dataclass(frozen=True)
class Timed:
    """A minute of one scenario."""

    name: str
    steps: int
    fluid_s: float
    """CPU, the least of several times."""
    packets: int | None = None
    packets_s: float | None = None


def speeds() -> list[Timed]:
    """100 flows at 1 Gbit/s, with their packets; then other rates."""
    found = [
        _timed(f"gigabit-100, {name}", {"duration": "60 s", _QUEUE: one}) for name, one in QUEUES.items()
    ]
    for rate in RATES:
        values: dict[str, Value] = {"duration": "60 s", "links.bottleneck.rate": rate, _QUEUE: QUEUES["RED"]}
        found.append(_timed(f"{rate}, RED", values, packets=False))
    return found


_QUEUE = "links.bottleneck.queue"


def _timed(name: str, values: dict[str, Value], *, packets: bool = True) -> Timed:
    scenario = weir.load("bench/gigabit-100", values)
    least, steps = float("inf"), 0
    for _ in range(TIMES):
        begin = time.process_time()
        steps = fluid_of(scenario).course.steps
        least = min(least, time.process_time() - begin)
    if not packets:
        return Timed(name, steps, least)
    runs = [_run(scenario) for _ in range(2)]
    return Timed(name, steps, least, runs[0].packets, min(run.cpu_s for run in runs))


def _run(scenario: weir.Scenario) -> _core.Run:
    batch = _core.Batch([(scenario.core, scenario.core.seed)], 1)
    while not batch.wait(1.0):
        pass
    return batch.results()[0]
