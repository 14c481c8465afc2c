"""Answers made of formulas instead of runs, one of every kind, with the evidence that a page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from weir.report._tuning import Evidence
from weir.scenario._scenario import Scenario
from weir.stats._intervals import Interval
from weir.store import Record
from weir.tune._answer import Answer, AnswerKind, Confirmed, Shape, TargetResult, Tried
from weir.tune._online import PHASE_S, Load, Phase
from weir.tune._region import MapCell, Region
from weir.tune._space import Setting, Space
from weir.tune._targets import Target
from weir.tune._tune import Question, Task, Tuned

SCENARIO = """\
schema = 1
name = "fake"
title = "A network made of formulas"
duration = "60 s"

[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "50 packets"
queue.red = { min_th = "5 packets" }

[flows.ftp]
count = 20
rtt = "100 ms"
packet_size = "1000 B"
"""

VARIED = ("red.max_th=6..50", "red.max_p=0.01..1", "red.w_q=0.0005..0.05", "red.min_th=1..5")
MEASURES = ("delay_mean", "loss", "goodput")
SEEDS = 7
COARSE = {1: 7, 2: 5, 3: 3}
_BEST = np.array([0.6, 0.4, 0.7, 0.5])
_OWN = np.array([0.2, 0.5, 0.3, 0.5])


def measured(place: NDArray[np.float64], load: float = 1.0) -> dict[str, float]:
    """Delay grows with the first parameter; loss falls, then grows with the second."""
    up, across = place[0], place[1] if place.size > 1 else 0.5
    rest = float(np.sum((place[2:] - 0.7) ** 2))
    delay = load * (4.0 + 20.0 * up * (1.2 - across) + 4.0 * rest)
    loss = load**2 * (1.5 + 2.0 * (1.0 - up) + 3.0 * (across - 0.4) ** 2 + rest)
    return {"delay_mean": delay, "loss": loss, "goodput": 99.0 - loss}


def evidence(
    verdict: AnswerKind, targets: int, parameters: int, *, drawn: bool = False, over: Sequence[str] = ()
) -> Evidence:
    """Evidence of a verdict on so many targets and parameters. `drawn`: settings without a design. `over`:
    a region, with its map, OP-RED and other loads."""
    scenario = Scenario.loads(SCENARIO)
    space = Space.of(scenario, VARIED[:parameters])
    region = Region.of(scenario, over) if over else None
    own, best = _OWN[:parameters], _BEST[:parameters]
    judged = own if verdict == "defaults already meet it" else best
    bounds = _targets(verdict, measured(judged), targets)
    conditions: list[Setting] = [()] if region is None else region.conditions()
    defaults = Confirmed({}, _outcomes(own, bounds, conditions))
    searched = verdict != "defaults already meet it"
    chosen = Confirmed(dict(space.at(best)), _outcomes(best, bounds, conditions)) if searched else defaults
    tried = _tried(space, bounds, drawn=drawn) if searched else ()
    shapes = _shapes(space, bounds) if searched and not drawn else ()
    least = {"not achievable": log(1.1), "undecided": -0.02}.get(verdict, -0.2)
    answer = Answer(verdict, bounds, chosen, defaults, 123, shapes, tried, least)
    command = 'weir tune fake.toml --target "mean delay < 10 ms" --vary red.max_th=6..50'
    tuned = Tuned(
        Task(scenario, Question([], [], source="fake.toml"), bounds, space, region), answer, (), (), (),
        Record("0123456789", "fake", "A network made of formulas", {}, command), 12.3, 23.4,
    )  # fmt: skip
    if region is not None:
        tuned = replace(
            tuned,
            cells=tuple(_cell(best, bounds, *cell) for cell in region.cells()),
            phases=_phases(),
            loads=(Load("40 flows", [measured(_place(space, one), 1.5) for one in tried]),),
        )
    return Evidence(tuned, {"tc script": "#!/bin/sh\ntc qdisc replace dev eth0 root red\n"})


def _targets(verdict: AnswerKind, at: dict[str, float], count: int) -> tuple[Target, ...]:
    room = {"not achievable": 1 / 1.4, "undecided": 1.0}.get(verdict, 1.25)
    lacks = 100.0 - (100.0 - at["goodput"]) * room
    every = (
        Target("delay_mean", "<", float(f"{at['delay_mean'] * room:.4g}")),
        Target("loss", "<", float(f"{at['loss'] * max(room, 1.25):.4g}")),
        Target("goodput", ">", float(f"{lacks:.4g}")),
    )
    return every[:count]


def _outcomes(
    place: NDArray[np.float64], targets: Sequence[Target], conditions: Sequence[Setting]
) -> tuple[TargetResult, ...]:
    return tuple(
        _outcome(place, target, condition, 1.0 - 0.02 * i)
        for target in targets
        for i, condition in enumerate(conditions)
    )


def _outcome(place: NDArray[np.float64], target: Target, condition: Setting, load: float) -> TargetResult:
    rng = np.random.default_rng(3)
    noise = rng.normal(0.0, 0.02, SEEDS)
    return TargetResult(
        target, measured(place, load)[target.measure] * (1.0 + noise - noise.mean()), 28, condition
    )


def _tried(space: Space, targets: Sequence[Target], *, drawn: bool) -> tuple[Tried, ...]:
    rng = np.random.default_rng(5)
    if drawn:
        places = list(rng.random((40, space.dimensions)))
    else:
        ticks = np.linspace(0.0, 1.0, COARSE[space.dimensions])
        design = [np.array(one) for one in product(ticks, repeat=space.dimensions)]
        places = [*design, *(0.25 + 0.5 * rng.random((6, space.dimensions)))]
    found: list[Tried] = []
    for place in places:
        means = measured(place)
        worst = max(float(t.shortfall(np.array([means[t.measure]]))[0]) for t in targets)
        kept = {t.measure: means[t.measure] for t in targets}
        found.append(Tried(dict(space.at(place)), kept, worst, 2))
    return tuple(found)


def _shapes(space: Space, targets: Sequence[Target]) -> tuple[Shape, ...]:
    words = ("grows", "falls, then grows", "no effect shown")
    return tuple(
        Shape(t.measure, axis.column, words[i % 3], axis.at(0.5)[0] if i % 3 == 1 else None)
        for t in targets
        for i, axis in enumerate(space.axes)
    )


def _place(space: Space, one: Tried) -> NDArray[np.float64]:
    shares: list[float] = []
    for axis in space.axes:
        found, number = axis.range, float(axis.drawn(one.setting[axis.column]))
        assert found is not None
        if found.log:
            shares.append(log(number / found.low) / log(found.high / found.low))
        else:
            shares.append((number - found.low) / (found.high - found.low))
    return np.array(shares)


def _cell(
    place: NDArray[np.float64],
    targets: Sequence[Target],
    condition: Setting,
    inside: bool,  # noqa: FBT001
) -> MapCell:
    sizes = [float(str(value).split()[0]) for _, value in condition]
    load = exp(0.15 * sum(log(size / 10.0) for size in sizes[1:]) - 0.15 * log(sizes[0] / 10.0))
    outcomes = tuple(_outcome(place, target, condition, load) for target in targets)
    return MapCell({}, outcomes, condition, inside)


def _phases() -> tuple[Phase, ...]:
    return tuple(
        Phase(
            label, users, i * PHASE_S, Interval(9.0 * size * users / 20, 0.5, 5), Interval(3.0, 0.2, 5), 0.1
        )
        for label, size in (("found offline", 1.0), ("OP-RED", 0.9))
        for i, users in enumerate((20, 40, 10))
    )
