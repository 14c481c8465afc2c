"""The nonlinear fluid: steps, another integrator, timelines of scenarios, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import weir
from conftest import Command
from weir.theory import (
    Avq,
    Group,
    Hred,
    Phase,
    Red,
    System,
    TheoryError,
    continuous_pi,
    fluid_of,
    integrate,
    operating_point,
    pi,
    pi2,
    pie,
    rem,
)

MODELLED = [
    ("step-load", {"links.bottleneck.queue": {name: table}})
    for name, table in {
        "red": {"ecn": True, "gentle": True}, "rem": {"ecn": True}, "pi": {"ecn": True}, "pie": {}, "pi2": {},
        "hred": {"ecn": True}, "nlred": {"gentle": True}, "adaptive-red": {},
    }.items()
] + [("rem-wireline", {"links.bottleneck.queue": {"rem": {"ecn": True}}})]  # fmt: skip


@pytest.mark.parametrize(("name", "values"), MODELLED)
def test_half_the_step_is_the_same(name: str, values: dict[str, object]) -> None:
    """Within a thousandth of the band that the queue has; means of limit cycles, whose phases drift apart."""
    within = 1e-3
    scenario = weir.load(name, values)  # type: ignore[arg-type]
    sixth = min(path.base_rtt_range_s[0] for path in scenario.network.paths) / 6.0
    whole, fine = (fluid_of(scenario, until=60.0, step=sixth / parts) for parts in (1.0, 2.0))
    band = whole.phases[0].system.buffer
    instants = np.linspace(0.5, 59.5, 600)
    coarse, other = (run.course.at(run.course.queue, instants) for run in (whole, fine))
    assert abs(coarse.mean() - other.mean()) < within * band
    cycles = other[300:].std() > 0.02 * band
    if not cycles:
        assert np.abs(coarse - other)[100:190].max() < within * band


def test_another_integrator_agrees() -> None:
    """The method of steps, each interval of a round trip by scipy's adaptive method of eighth order."""
    solve_ivp: Any = import_module("scipy.integrate").solve_ivp

    gain, zero, target, capacity, flows, delay = 9.78e-6, 0.5288, 172.5, 3750.0, 60.0, 0.2
    system = System((Group(flows, delay, cut=0.5),), capacity, continuous_pi(gain, zero, target))
    rest = operating_point(system)
    course = integrate([Phase(0.0, system)], 6.0, start=rest, queue=target + 100.0, step=0.005)
    first = np.array([rest.windows[0], target + 100.0, rest.signal])
    pieces: list[tuple[float, Callable[[float], np.ndarray]]] = []

    def back(t: float) -> np.ndarray:
        for begin, solution in reversed(pieces):
            if t >= begin:
                return solution(t)
        return first

    def slopes(t: float, y: np.ndarray) -> list[float]:
        w, q, _ = y
        rtt = delay + q / capacity
        then = back(t - rtt)
        growth = flows * w / rtt - capacity
        cut = 0.5 * w * then[0] / (delay + then[1] / capacity) * then[2]
        return [1.0 / rtt - cut, growth, gain * (q - target) + gain / zero * growth]

    y, t = first, 0.0
    while t < 6.0:
        found = solve_ivp(slopes, (t, t + 0.15), y, method="DOP853", rtol=1e-9, atol=1e-9, dense_output=True)
        assert found.sol is not None
        pieces.append((t, found.sol))
        y, t = found.y[:, -1], t + 0.15
    for instant in (1.0, 2.0, 4.0, 5.5):
        assert float(course.at(course.queue, np.array([instant]))[0]) == pytest.approx(
            back(instant)[1], abs=0.02
        )


def test_it_settles_where_the_operating_point_is() -> None:
    system = System((Group(60.0, 0.2),), 3750.0, continuous_pi(9.78e-6, 0.5288, 172.5))
    course = integrate([Phase(0.0, system)], 200.0)
    rest = operating_point(system)
    assert course.queue[-1] == pytest.approx(rest.queue, rel=1e-3)
    assert course.signal[-1] == pytest.approx(rest.signal, rel=1e-3)
    assert course.windows["flows"][-1] == pytest.approx(rest.windows[0], rel=1e-3)


AQMS = {
    "RED": Red(20.0, 400.0, 0.1, 1e-4, spacing="uniform"),
    "RED as in ns-2": Red(20.0, 400.0, 0.2, 1e-4, spacing="wait"),
    "gentle RED": Red(20.0, 60.0, 0.001, 1e-4, gentle=True),
    "NLRED": Red(20.0, 400.0, 0.3, 1e-4, parabola=True),
    "PI": pi(1.822e-5, 1.816e-5, 0.00625, 175.0),
    "PIE": pie(0.125, 1.25, 0.015, 0.04),
    "PI2": pi2(0.16, 3.2, 0.016, 0.04),
    "REM": rem(1.001, 0.1, 0.001, 0.002, 60.0),
    "REM by the queue": rem(1.001, 0.1, 0.001, 0.002, 60.0, equation=3),
    "HRED": Hred(100.0, 200.0),
    "AVQ": Avq(),
}


@pytest.mark.parametrize("name", AQMS)
def test_an_aqm_over_time_has_the_signal_that_it_has_at_rest(name: str) -> None:
    """About rest, AQMs are linearised, over time they are integrated: the same curve, where nothing moves."""
    system = System((Group(60.0, 0.2),), 3750.0, AQMS[name])
    rest = operating_point(system)
    course = integrate([Phase(0.0, system)], 0.5, start=rest)
    assert course.signal == pytest.approx(rest.signal, rel=1e-6)
    assert course.queue == pytest.approx(rest.queue, rel=1e-6, abs=1e-6)
    assert course.windows["flows"] == pytest.approx(rest.windows[0], rel=1e-6)


def test_the_timeline_of_a_scenario() -> None:
    run = fluid_of(weir.load("rem-wireline").variant("rem-mark"), until=130.0)
    assert [(reading.at, reading.system.groups[0].flows) for reading in run.phases] == [
        (0, 20),
        (50, 40),
        (100, 60),
    ]
    series = run.series
    assert series.columns == ["variant", "label", "component", "variable", "time_s", "value"]
    shown = series.group_by("component", maintain_order=True).agg(
        pl.col("variable").unique(maintain_order=True)
    )
    assert dict(shown.iter_rows()) == {
        "links.bottleneck.forward": ["queue", "price"], "flows.ftp": ["cwnd"],
    }  # fmt: skip


def test_steps_follow_round_trips_and_not_the_rate() -> None:
    """Counts steps, which decide the cost of a run: `make theory` measures it."""
    steps: list[int] = []
    for rate in ("10 Mbit/s", "1 Gbit/s", "10 Gbit/s"):
        values = {
            "links.bottleneck.rate": rate,
            "links.bottleneck.queue": {"red": {"gentle": True, "ecn": True}},
        }
        scenario = weir.load("step-load", values)  # type: ignore[arg-type]
        steps.append(fluid_of(scenario, until=60.0).course.steps)
        shortest = min(path.base_rtt_range_s[0] for path in scenario.network.paths)
        # A sixth of a round trip, and what ends at jumps.
        assert steps[-1] < 1.5 * 6.0 * 60.0 / shortest
    assert max(steps) < 3 * min(steps)


def test_what_cannot_be_integrated() -> None:
    system = System((Group(10.0, 0.0),), 1000.0, continuous_pi(1e-5, 0.5, 50.0))
    with pytest.raises(TheoryError, match="delay of zero"):
        integrate([Phase(0.0, system)], 1.0)
    short = System((Group(10.0, 1e-6),), 1000.0, continuous_pi(1e-5, 0.5, 50.0))
    with pytest.raises(TheoryError, match="too many"):
        integrate([Phase(0.0, short)], 60.0)


def test_the_command(weir_command: Command, tmp_path: Path) -> None:
    values = ["--set", "links.bottleneck.queue.pi2.ecn=true", "--until", "30"]
    done = weir_command("theory", "fluid", "step-load", *values, "--series", "f.parquet", "-o", "f.svg")
    assert done.returncode == 0, done.stderr
    assert done.stderr.split() == ["f.parquet", "f.svg"]
    frame = pl.read_parquet(tmp_path / "f.parquet")
    assert frame["variable"].unique().sort().to_list() == ["cwnd", "p'", "queue"]
    done = weir_command("theory", "fluid", "step-load", *values, "--json")
    (told,) = json.loads(done.stdout)
    # 15 ms of 2,500 packets/s.
    assert told["mean_queue"] == pytest.approx(37.5, rel=0.15)


def test_packets_beside_it(weir_command: Command) -> None:
    values = ["--set", "links.bottleneck.queue.pi2.ecn=true", "--set", "flows.steady.tcp.ecn=true"]
    ran = weir_command("run", "step-load", *values, "--replications", "2", "--set", "duration=25 s", "-q")
    assert ran.returncode == 0, ran.stderr
    done = weir_command(
        "theory", "fluid", "step-load", *values, "--until", "25", "--beside", "1", "-o", "b.html"
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["step-load"], "no model: DropTail"),
        (["step-load", "--series", "x.txt"], "is no .parquet"),
        (["rem-wireline", "--variant", "drop-tail"], "no model: DropTail"),
        (["rem-wireline", "--variant", "rem-mark", "--until", "1e6"], "ends at 400 s, before 1000000 s"),
    ],
)
def test_bad_input(weir_command: Command, arguments: list[str], told: str) -> None:
    done = weir_command("theory", "fluid", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
