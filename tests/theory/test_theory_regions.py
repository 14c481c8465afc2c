"""Maps of stability, design rules, balances of networks, and their commands."""

from __future__ import annotations

import json
import math
import time
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import weir
from conftest import Command
from weir.theory import (
    Group,
    Path,
    Red,
    RegionAxis,
    System,
    TheoryError,
    analyse,
    balance,
    boundary,
    design,
    pi,
    pi_design,
    ranjan,
    region,
    resting,
)

LOOP = System((Group(60.0, 0.2),), 3750.0, pi(1.822e-5, 1.816e-5, 0.00625, 175.0))


def test_the_map_has_the_boundary_where_it_is() -> None:
    found = region(LOOP, RegionAxis.of("N=5..60", 12), RegionAxis.of("R=0.15..0.6", 9), workers=1)
    for up in found.y.values:
        rows = found.cells.filter(found.cells["y"] == up)
        stable = rows.filter(rows["sigma"] < 0.0)["x"].to_list()
        unstable = rows.filter(rows["sigma"] >= 0.0)["x"].to_list()
        if stable and unstable:
            edge = boundary(
                lambda n, up=up: System((Group(n, up),), LOOP.capacity, LOOP.aqm), min(unstable), max(stable)
            )
            assert max(unstable) <= edge <= min(stable)
    # The gain margin passes one where sigma passes zero.
    assert ((found.cells["sigma"] < 0.0) == (found.cells["gain_margin"] > 1.0)).all()


def test_a_map_of_forty_by_forty_in_ten_seconds_of_two_cores() -> None:
    begin = time.process_time()
    region(LOOP, RegionAxis.of("N=5..200", 10), RegionAxis.of("R=0.02..1", 10), workers=1)
    # A sixteenth of the cells, in a sixteenth of twenty seconds of one core.
    assert time.process_time() - begin < 1.25


def test_parameters_of_aqms_are_axes() -> None:
    red = System((Group(60.0, 0.2),), 3750.0, Red(150.0, 700.0, 0.1, 1e-4, gentle=True))
    found = region(red, RegionAxis.of("w_q=3e-6..1e-3", 5), RegionAxis.of("max_p=0.02..0.4", 4), workers=1)
    assert 0.0 < found.stable < 1.0
    with pytest.raises(TheoryError, match="RED has no k"):
        region(red, RegionAxis.of("k=1..2", 4), RegionAxis.of("N=10..20", 4), workers=1)
    gains = region(LOOP, RegionAxis.of("gain=0.1..100", 4), RegionAxis.of("target=50..300", 4), workers=1)
    assert 0.0 < gains.stable < 1.0


@pytest.mark.parametrize("text", ["N", "N=5", "N=5..2", "N=a..b", "Q=1..2", "N=0..5"])
def test_what_is_no_axis(text: str) -> None:
    with pytest.raises(TheoryError):
        RegionAxis.of(text)


@pytest.mark.parametrize("discipline", ["pi", "pi2", "pie", "red", "rem"])
def test_designs_leave_a_margin_for_more_flows_and_shorter_round_trips(discipline: str) -> None:
    found = design(discipline, 40.0, 0.2, 3000.0, target=60.0)
    here = analyse(found.system)
    assert here.roots is not None
    assert here.roots.stable
    assert here.margins is not None
    assert (here.margins.gain_margin or 9.0) > 1.2
    # What is written into a scenario is what was analysed.
    text = "".join(
        f"{key} = {value if not isinstance(value, str) else repr(value)}\n"
        for key, value in found.parameters.items()
    )
    assert text


def test_the_margin_that_is_asked_for() -> None:
    found = analyse(design("rem", 40.0, 0.2, 3000.0, target=60.0, margin=3.0).system)
    assert found.margins is not None
    assert found.margins.gain_margin == pytest.approx(3.0, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("codel", 10.0, 0.1, 1000.0), "no rule for codel"),
        (("pi", 1000.0, 0.1, 1000.0), "ruled by timeouts"),
        (("pi", 10.0, 0.0, 1000.0), "round trip of 0"),
    ],
)
def test_what_cannot_be_designed(arguments: tuple[str, float, float, float], told: str) -> None:
    with pytest.raises(TheoryError, match=told):
        design(*arguments)


def test_prices_are_an_optimum() -> None:
    """The conditions, and another solver: SLSQP on the utility -1.5 / (D^2 x)."""
    minimize: Any = import_module("scipy.optimize").minimize

    paths = [
        Path("long", ("a", "b"), 0.1, flows=3.0),
        Path("a", ("a",), 0.05),
        Path("b", ("b",), 0.2, flows=2.0),
    ]
    found = balance(paths, {"a": 1000.0, "b": 2000.0})
    assert found.residual < 1e-8

    def worth(x: np.ndarray) -> float:
        return sum(path.flows * 1.5 / path.rtt**2 / (1000.0 * v) for path, v in zip(paths, x, strict=True))

    def room(x: np.ndarray) -> list[float]:
        return [float(1.0 - 3.0 * x[0] - x[1]), float(2.0 - 3.0 * x[0] - 2.0 * x[2])]

    limits: list[dict[str, Any]] = [{"type": "ineq", "fun": room}]
    best = minimize(worth, [0.1, 0.5, 0.5], constraints=limits, bounds=[(1e-3, 2.0)] * 3, tol=1e-13)
    assert found.rates / 1000.0 == pytest.approx(best.x, rel=2e-3)


def test_a_link_with_room_has_no_price() -> None:
    found = balance([Path("long", ("a", "b"), 0.1), Path("a", ("a",), 0.05)], {"a": 1000.0, "b": 5000.0})
    assert found.prices[1] == 0.0
    assert found.rates == pytest.approx([1000.0 / 3.0, 2000.0 / 3.0])


def test_prices_of_other_kinds_are_no_one_optimum() -> None:
    paths = [Path("reno", ("a",), 0.1), Path("vegas", ("a",), 0.1, "vegas", weight=2.0)]
    assert balance(paths, {"a": 1000.0}).mixed
    with pytest.raises(TheoryError, match="delay of zero"):
        balance([Path("reno", ("a",), 0.0)], {"a": 1000.0})


def test_a_scenario_at_rest() -> None:
    found = resting(weir.load("parking-lot").variant("rem-mark"))
    rates = dict(found.rates.select("group", "rate").iter_rows())
    assert 10.0 * rates["long"] + 10.0 * rates["cross2"] == pytest.approx(1250.0, rel=1e-6)
    # Each hop has its target in the round trip of what passes it.
    assert found.rates["rtt_s"].to_list() == pytest.approx([0.128, 0.056, 0.056, 0.056], rel=1e-3)
    assert found.prices["signals"].n_unique() in {1, 2, 3}
    long = found.rates.filter(found.rates["group"] == "long")["signals"][0]
    assert long == pytest.approx(1.0 - math.prod(1.0 - m for m in found.prices["signals"]), rel=1e-9)


def test_fair_queueing_has_no_one_price() -> None:
    with pytest.raises(TheoryError, match="keeps flows apart"):
        resting(weir.load("l4s-pair").variant("fq-codel"))


def test_pi_of_a_short_round_trip_updates_ten_times_in_it() -> None:
    assert pi_design(60.0, 3750.0, 0.246).interval == 0.00625
    assert pi_design(10.0, 83333.0, 0.002).interval == pytest.approx(0.0002)


def test_the_map_of_red_doubles_its_period() -> None:
    found = ranjan()
    for weight, periods in ((0.9 * found.critical, 1), (1.01 * found.critical, 2)):
        assert len(np.unique(np.round(found.orbit(weight, 40_000), 3))) == periods


def test_cells_without_a_phase_crossover_are_json(weir_command: Command) -> None:
    hred = "links.bottleneck.queue={hred={min_th='100 packets', max_th='200 packets', ecn=true}}"
    arguments = [
        "--set",
        hred,
        "--set",
        "links.bottleneck.buffer='400 packets'",
        "--set",
        "flows.steady.tcp.ecn=true",
    ]
    done = weir_command("theory", "map", "step-load", *arguments, "--size", "4", "--x", "k=0.5..8", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["cells"]) == 16


def test_the_commands(weir_command: Command) -> None:
    lines = {
        "map": ["rem-wireline", "--variant", "rem-mark", "--at", "60", "--size", "4", "-o", "map.svg"],
        "equilibrium": ["parking-lot", "--variant", "red-mark", "-o", "rates.svg"],
        "design": [
            "pi2",
            "--flows",
            "10",
            "--rtt",
            "115 ms",
            "--rate",
            "20 Mbit/s",
            "--packet-size",
            "1500 B",
        ],
        "bifurcation": ["--levels", "20", "-o", "red.svg"],
    }
    for verb, arguments in lines.items():
        done = weir_command("theory", verb, *arguments)
        assert done.returncode == 0, done.stderr
        assert done.stdout
        told = json.loads(weir_command("theory", verb, *arguments[:-2], "--json").stdout)
        assert told


def test_a_design_is_confirmed_by_packets(weir_command: Command) -> None:
    done = weir_command(
        "theory",
        "design",
        "pi2",
        "--flows",
        "20",
        "--rtt",
        "115 ms",
        "--rate",
        "20 Mbit/s",
        "--confirm",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)["measured"]
    # 15 ms of 20 Mbit/s in packets of 500 B.
    assert measured["mean_queue"] == pytest.approx(75.0, rel=0.1)
    assert measured["doubts"] == ["thin-margin", "wide-swing"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["map", "rem-wireline"], "has variants, and a map is of one"),
        (["map", "step-load"], "no model: DropTail"),
        (["map", "rem-wireline", "--variant", "rem-mark", "--x", "Q=1..2"], "is nothing to vary"),
        (["map", "rem-wireline", "--variant", "rem-mark", "--points", "no.csv"], "no.csv cannot be read"),
        (["loop", "step-load", "--kind", "bode"], "--kind is about a drawing"),
        (["fluid", "step-load", "--beside", "1"], "--beside is about a drawing"),
        (["loop", "step-load", "--beside", "1", "-o", "a.svg"], "only a spectrum"),
        (["loop", "rem-wireline", "--at", "1e6"], "ends at 400 s"),
        (["design", "blue"], "no rule for blue"),
        (["design", "pi", "--rate", "5 s"], "is not in bit/s"),
        (["bifurcation", "--weights", "1..2"], "is no range between 0 and 1"),
        (["equilibrium", "bbr-coexistence", "--variant", "bbr1"], "no model: bbr1"),
    ],
)
def test_bad_input(weir_command: Command, arguments: list[str], told: str) -> None:
    done = weir_command("theory", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
