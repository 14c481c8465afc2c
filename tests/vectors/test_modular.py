"""AQMs put together from the parts of others: the REM paper of 2001, sections 2 and 3.3."""

from __future__ import annotations

from math import exp, log
from typing import Any

import pytest
from hands import arrive, drain, fill, holding, likely, signals

import weir
from weir.scenario._toml import Value

RATE = "64 Mbit/s"


def at_price(price: float, **table: Value) -> weir.Queue:
    """20 packets that arrived in the first interval are a mismatch of 4."""
    aqm = {"measure": "price", "gamma": price / 4, "spacing": "geometric", **table}
    queue = weir.Queue({"modular": aqm}, rate=RATE, buffer="2000 packets")
    fill(queue, 20, 0.001)
    queue.advance(0.002)
    assert queue["measure"] == pytest.approx(price, rel=1e-12)
    return queue


def test_where_the_map_of_red_meets_that_of_rem() -> None:
    """1 - phi^-p = 0.1 at p = 105.413."""
    assert -log(0.9) / log(1.001) == pytest.approx(105.413, abs=5e-4)


@pytest.mark.parametrize(("part", "m"), [(0.25, 0.025), (0.5, 0.05), (1.0, 0.1), (1.5, 0.55), (2.5, 1.0)])
def test_a_price_in_the_profile_of_gentle_red(part: float, m: float) -> None:
    queue = at_price(105.413 * part, profile="gentle")
    hits = sum(signals(arrive(queue, 1000, 0.003) for _ in range(5000)))
    assert likely(hits, 5000, m)
    assert queue["probability"] == pytest.approx(m, abs=1e-9)


@pytest.mark.parametrize(("queue", "m"), [(20, 0.8646647168), (40, 0.9816843611)])
def test_the_queue_in_the_profile_of_rem(queue: int, m: float) -> None:
    """With kappa = 0.1 per packet, the form of 1999; kilobytes stand for packets."""
    aqm = {"profile": "exponential", "weight": 1.0, "target": "20 kB", "spacing": "geometric"}
    modular = holding({"modular": aqm}, 1000 * queue)
    modular.offer(0.0, 1)
    assert modular["measure"] == pytest.approx(queue, abs=1e-12)
    assert modular["probability"] == pytest.approx(m, abs=5e-11)


def test_loss_in_the_profile_of_rem() -> None:
    """The average takes a tenth of every interval of 2 ms in which something arrived."""
    aqm = {"measure": "loss", "profile": "exponential", "kappa": 5.0, "spacing": "geometric"}
    queue = weir.Queue({"modular": aqm}, rate=RATE, buffer="30 packets")
    loss = 0.0
    for interval, arrivals in enumerate((40, 10, 0, 0, 35)):
        overflows = [queue.offer(interval * 0.002 + 0.001, 1000).reason for _ in range(arrivals)]
        lost = overflows.count("overflow")
        if arrivals:
            loss += 0.1 * (lost / arrivals - loss)
        queue.advance((interval + 1) * 0.002)
        assert queue["measure"] == pytest.approx(loss, abs=1e-15)
    assert loss > 0.1
    drain(queue, 20, 0.011)
    queue.offer(0.011, 1000)
    assert queue["probability"] == pytest.approx(1.0 - exp(-5.0 * loss), abs=1e-12)


def test_what_a_loss_means_has_to_be_said() -> None:
    with pytest.raises(ValueError, match="loss has no default for kappa"):
        weir.Queue({"modular": {"measure": "loss", "profile": "exponential"}}, rate=RATE, buffer="9 packets")


def test_delay_in_the_profile_of_rem() -> None:
    """With kappa = 0.1 C of 8000 packets a second: a delay that the link takes for 20 packets is signalled as
    20 packets are, and its average takes 0.002 of each departure."""
    aqm = {"measure": "delay", "profile": "exponential", "spacing": "geometric"}
    for weight, delay in ((1.0, 20 / 8000), (0.002, 0.002 * 20 / 8000)):
        queue = weir.Queue({"modular": {**aqm, "weight": weight}}, rate=RATE, buffer="500 packets")
        queue.offer(0.0, 1000)
        queue.take(20 / 8000)
        assert queue["measure"] == pytest.approx(delay, rel=1e-12)
        queue.offer(20 / 8000, 1000)
        assert queue["probability"] == pytest.approx(1.0 - exp(-800.0 * delay), rel=1e-12)


@pytest.mark.parametrize(
    ("published", "parts"),
    [
        ({"red": {}}, {"profile": "linear"}),
        ({"red": {"gentle": True}}, {"profile": "gentle"}),
        ({"nlred": {}}, {"profile": "quadratic", "top": 0.15}),
        ({"rem": {}}, {"measure": "price", "profile": "exponential", "spacing": "geometric"}),
        (
            {"rem": {"price": "queue"}},
            {"measure": "price-by-queue", "profile": "exponential", "spacing": "geometric"},
        ),
        ({"rem": {"price": "average"}}, {"profile": "exponential", "spacing": "geometric"}),
        (
            {"pi": {"q_ref": "20 packets"}},
            {
                "measure": "pi",
                "profile": "affine",
                "spacing": "geometric",
                "target": "20 packets",
                "interval": "6.25 ms",
            },
        ),
    ],
)
def test_the_published_aqms_are_points_of_it(published: dict[str, Any], parts: dict[str, Any]) -> None:
    """Packet by packet the same, on the same draws."""

    def verdicts(aqm: dict[str, Any]) -> list[str]:
        queue = weir.Queue(aqm, rate="8 Mbit/s", buffer="60 packets")
        found: list[str] = []
        for n in range(6000):
            now = n * 0.0005
            found.append(queue.offer(now, 1000).verdict)
            # A little too slow for a third of the time, too fast for the rest.
            if n % 2 or n % 3000 > 1000:
                queue.take(now)
        return found

    found = verdicts(published)
    assert verdicts({"modular": parts}) == found
    assert set(found) == {"accepted", "dropped"}
