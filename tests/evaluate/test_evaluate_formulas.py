"""Every number of an independent calculation, through the public names, and the measures of a queue."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weir
from weir import evaluate
from weir.stats import Ellipse

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vectors.json").read_text("utf-8"))[
    "vectors"
]


def ellipse(given: dict[str, Any]) -> Ellipse:
    return Ellipse(np.array(given["points"]), 0.6827)


def voice(given: dict[str, Any]) -> float:
    return evaluate.mos(given["T"], given["loss"])


CALCULATED: dict[str, Callable[[dict[str, Any]], float]] = {
    "V1": lambda given: evaluate.flows_for_load(given["S"], "mild"),
    "V2": lambda given: evaluate.flows_for_load(given["S"], "medium"),
    "V3": lambda given: evaluate.flows_for_load(given["S"], "heavy"),
    "V4": lambda given: evaluate.loss_at_load(given["N"], given["S"]),
    "V5": lambda _: evaluate.trimmed_mean(range(1, 101)),
    "V6": lambda given: evaluate.rpm([given["tcp_f"], given["http_f"]], given["http_l"]),
    "V7": lambda given: evaluate.rpm([given["tcp_f"], given["tls_f"], given["http_f"]], given["http_l"]),
    "V8": lambda given: ellipse(given).major,
    "V9": lambda given: ellipse(given).minor,
    "V10": lambda given: ellipse(given).angle,
    "V12": voice,
    "V13": voice,
    "V14": voice,
}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_vector(vector: dict[str, Any], tmp_path: Path) -> None:
    given = vector["inputs"]
    found = jain(given["x"], tmp_path) if vector["id"] == "V11" else CALCULATED[vector["id"]](given)
    near = math.isclose(
        found, vector["value"], rel_tol=vector.get("rel_tol") or 0.0, abs_tol=vector.get("abs_tol") or 0.0
    )
    assert near, f"{vector['what']}: {found}, not {vector['value']}"


def jain(rates: list[float], store: Path) -> float:
    """The simulator's own, of datagrams at these rates in Mbit/s over a link that is wide enough."""
    flows = "".join(
        f'[flows.f{i}]\nrtt = "40 ms"\npacket_size = "1500 B"\ntraffic.cbr.rate = "{rate} Mbit/s"\n'
        for i, rate in enumerate(rates)
    )
    link = 'links.wide = { rate = "1 Gbit/s", delay = "1 ms", buffer = "1 BDP" }'
    # 24 s hold a whole number of packets of each.
    text = f'schema = 1\nname = "jain"\nduration = "25 s"\nmeasure.warm_up = "1 s"\n{link}\n{flows}'
    return weir.Scenario.loads(text).run(store=store).observations()["jain"][0]


def test_grades_of_bufferbloat() -> None:
    grades = [evaluate.bufferbloat_grade(increase) for increase in (4.9, 5.0, 59.0, 60.0, 399.0, 400.0)]
    assert grades == ["A+", "A", "B", "C", "D", "F"]


def test_a_period_is_a_peak_of_the_spectrum_and_noise_is_none() -> None:
    time = np.arange(6000) * 0.05
    noise = np.random.default_rng(1).normal(100.0, 10.0, time.size)
    assert evaluate.spectral_peak(100.0 + 30.0 * np.sin(2.0 * np.pi * 0.37 * time)) > 95.0
    assert evaluate.spectral_peak(noise) < 5.0
    assert evaluate.spectral_peak(np.full(100, 7.0)) == 0.0


def test_variation_and_an_empty_queue() -> None:
    queue = np.array([0.0, 2.0, 0.0, 2.0])
    assert evaluate.variation(queue) == 1.0
    assert evaluate.empty_share(queue) == 50.0


STEPS = """
schema = 1
name = "steps"
duration = "30 s"
[links.link]
rate = "10 Mbit/s"
delay = "1 ms"
buffer = "1 BDP"
rate_schedule = [{ at = "10 s", rate = "5 Mbit/s" }]

[flows.ftp]
rtt = "100 ms"
packet_size = "1500 B"
"""


def test_a_response_is_counted_in_round_trips_from_the_step() -> None:
    port = weir.Scenario.loads(STEPS).network.port("link")
    instants = np.arange(0.0, 30.0, 0.05)
    # A packet takes 1.2 ms, then 2.4 ms: the target of 24 ms is 20 packets, then 10.
    queue = np.where(instants < 10.0, 20.0, 10.0)
    late = np.where((instants >= 10.0) & (instants < 12.0), 60.0, queue)
    never = np.where(instants >= 10.0, 60.0, queue)

    def response(samples: np.ndarray[Any, np.dtype[np.float64]]) -> float:
        return evaluate.response_rtts(port, instants, samples, 24.0, 5.0, 30.0)

    assert response(queue) == 0.0
    # The mean of 10 round trips may be at most 48 ms, 20 packets: it may hold a fifth of the 60.
    assert response(late) == pytest.approx(18.0, abs=1.0)
    assert response(never) == math.inf
    assert math.isnan(evaluate.response_rtts(port, instants, queue, 24.0, 15.0, 30.0))
    # After a step down the queue belongs at its target; after one up it may empty.
    assert response(np.where(instants >= 10.0, 0.0, queue)) == math.inf
    up = weir.Scenario.loads(STEPS.replace('"5 Mbit/s"', '"20 Mbit/s"')).network.port("link")
    empty = np.where(instants >= 10.0, 0.0, queue)
    assert evaluate.response_rtts(up, instants, empty, 24.0, 5.0, 30.0) == 0.0
