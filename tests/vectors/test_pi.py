"""PI: Hollot, Misra, Towsley and Gong, 2001."""

from __future__ import annotations

from math import sqrt

import pytest
from hands import drain, fill, likely, signals

import weir
from weir.scenario._toml import Value


def test_the_probability_follows_the_queue() -> None:
    """By q = 0, 100, 300, 300, 200 at the updates, q_ref = 200, the paper's gains. What is marked stays."""
    table = {"a": 1.822e-5, "b": 1.816e-5, "q_ref": "200 packets", "ecn": True}
    pi = weir.Queue({"pi": table}, rate="15 Mbit/s", buffer="800 packets", mean_packet="500 B")
    found: list[float] = []
    for update, backlog in enumerate((0, 100, 300, 300, 200)):
        now = (update + 0.5) / 160
        fill(pi, max(0, backlog - len(pi)), now, ecn="ect0")
        drain(pi, len(pi) - backlog, now)
        pi.advance((update + 1) / 160)
        found.append(pi["probability"])
    assert found == pytest.approx([0.0, 0.00181, 0.005448, 0.005454, 0.003638], abs=1e-15)


def design(rate: str, mean_packet: str, **of: Value) -> tuple[float, float]:
    """The gains for a design, per packet."""
    pi = weir.Queue({"pi": {"design": of}}, rate=rate, buffer="800 packets", mean_packet=mean_packet)
    return pi["a"], pi["b"]


def read_back(a: float, b: float, interval: float = 1 / 160) -> tuple[float, float]:
    """K and the zero z that gains come from: a = K (1/z + T/2), b = K (1/z - T/2)."""
    gain = (a - b) / interval
    return gain, 2.0 * gain / (a + b)


def test_the_paper_prints_a_k_that_its_formula_does_not_give() -> None:
    """N = 60, R = 246 ms, C = 3750: it prints K = 9.64e-6 and z = 0.53, from which come the gains that
    everybody uses. The formula gives 9.781e-6 and 0.52879, or 9.804e-6 with its own rounded z."""
    printed = [9.64e-6 * (1 / 0.53 + half) for half in (1 / 320, -1 / 320)]
    assert printed == pytest.approx([1.82188e-5, 1.81586e-5], abs=5e-11)
    everybodys = weir.Queue("pi", rate="15 Mbit/s", buffer="800 packets", mean_packet="500 B")
    assert (everybodys["a"], everybodys["b"]) == (1.822e-5, 1.816e-5)
    given = design("15 Mbit/s", "500 B", flows=60, rtt="246 ms")
    gain, zero = read_back(*given)
    assert gain == pytest.approx(9.781e-6, abs=5e-10)
    assert zero == pytest.approx(0.52879, abs=5e-6)
    gain, _ = read_back(*design("15 Mbit/s", "500 B", flows=60, rtt="246 ms", crossover=0.53 * 0.246))
    assert gain == pytest.approx(9.804e-6, abs=5e-10)
    # The gains are as much larger.
    assert given[0] / 1.82188e-5 == pytest.approx(1.017, abs=5e-4)


def test_the_design_for_hred_s_comparison() -> None:
    """Joo and Bahk, 2002, table 2: N = 100, R = 240 ms, 32 Mbit/s in packets of 500 bytes gives 1.1379e-8
    and 1.1349e-8, per byte."""
    a, b = design("32 Mbit/s", "500 B", flows=100, rtt="240 ms")
    assert (a / 500, b / 500) == pytest.approx((1.13794e-8, 1.13485e-8), abs=5e-14)
    gain, zero = read_back(a, b)
    assert gain == pytest.approx(2.466138e-6, abs=5e-13)
    assert zero == pytest.approx(0.434028, abs=5e-7)
    window = 0.24 * 8000
    turn = zero * 0.24
    assert gain == pytest.approx(zero * sqrt(1 + turn * turn) * 4 * 100**2 / window**3, abs=1e-17)


def test_that_controller_works_in_bytes() -> None:
    """With its reference of 187 kB: a step from an empty queue to 300 kB, by the gains per byte."""
    table = {"design": {"flows": 100, "rtt": "240 ms"}, "q_ref": "187 kB", "ecn": True}
    pi = weir.Queue({"pi": table}, rate="32 Mbit/s", buffer="500 kB", mean_packet="500 B")
    fill(pi, 600, 0.001, ecn="ect0", size=500)
    pi.advance(1 / 160)
    step = 1.13794e-8 * (300_000 - 187_000) - 1.13485e-8 * (0 - 187_000)
    assert pi["probability"] == pytest.approx(step, rel=1e-5)


def test_a_design_follows_the_link() -> None:
    pi = weir.Queue({"pi": {"design": {"flows": 60, "rtt": "246 ms"}}}, rate="15 Mbit/s", buffer="99 packets")
    pi.set_rate(1.0, "30 Mbit/s")
    assert (pi["a"], pi["b"]) == design("30 Mbit/s", "1000 B", flows=60, rtt="246 ms")


def test_an_empty_queue_stays_at_zero() -> None:
    """(b - a) q_ref is below zero: there is no going down from there."""
    pi = weir.Queue("pi", rate="15 Mbit/s", buffer="800 packets")
    pi.advance(10.0)
    assert pi["probability"] == 0.0


def test_signals_are_independent_draws() -> None:
    pi = weir.Queue({"pi": {"a": 2e-3, "b": 1e-3}}, rate="15 Mbit/s", buffer="9000 packets")
    fill(pi, 150, 0.001)
    pi.advance(1 / 160)
    p = pi["probability"]
    assert p == pytest.approx(2e-3 * 100 + 1e-3 * 50, abs=1e-12)
    assert likely(sum(signals(pi.offer(1 / 160, 1000) for _ in range(8000))), 8000, p)
