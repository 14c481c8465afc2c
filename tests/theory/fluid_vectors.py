# ruff: noqa: PLR0911 - a list of numbers, each with its formula
"""The numbers of `vectors.json` on the nonlinear fluid, networks and the map, by the public names of
weir.theory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from weir import theory
from weir.theory import Course, Group, Path, Phase, Red, System, integrate, operating_point

Inputs = Mapping[str, Any]
HALF = theory.PAPER_CUT


def at(values: np.ndarray[Any, np.dtype[np.float64]], course: Course, instant: float) -> float:
    return float(course.at(values, np.array([instant]))[0])


def pi_system(flows: float) -> System:
    aqm = theory.continuous_pi(9.781079088495473e-06, 0.5287857756626346, 172.5)
    return System((Group(flows, 0.2, cut=HALF),), 3750.0, aqm)


@lru_cache
def pi_course(*, doubled: bool) -> Course:
    system = pi_system(60.0)
    start = operating_point(system)
    if not doubled:
        return integrate([Phase(0.0, system)], 12.0, start=start, queue=272.5)
    timeline = [Phase(0.0, system), Phase(5.0, pi_system(120.0))]
    return integrate(timeline, 31.0, start=start, newcomers=False)


def red_system(flows: float) -> System:
    return System(
        (Group(flows, 0.2, cut=HALF),), 3750.0, Red(150.0, 700.0, 0.1, 3e-5, gentle=True), buffer=2000.0
    )


@lru_cache
def red_course(flows: float) -> Course:
    system = red_system(flows)
    rest = operating_point(system)
    return integrate([Phase(0.0, system)], 120.0, start=rest, queue=rest.queue + 5.0, state=rest.queue)


@lru_cache
def dctcp_course() -> Course:
    group = Group(10.0, 1e-4, "dctcp", cut=0.5, gain=1.0 / 16.0)
    system = System((group,), 833333.3333333334, theory.Step(40.0))
    return integrate([Phase(0.0, system)], 0.03, start=operating_point(system), step=2e-6)


@lru_cache
def hred_swing(k: float, queue: float, factor: float) -> float:
    aqm = theory.Hred(250.0, 500.0, k, 0.24, 2.0, 425.0)
    system = System((Group(100.0, 0.2, cut=HALF),), 8000.0, aqm, buffer=1000.0)
    rest = operating_point(system)
    state = math.log(rest.state / aqm.height(425.0) * factor)
    return integrate([Phase(0.0, system)], 120.0, start=rest, queue=queue, state=state).swing(80.0)


def red_root(flows: float) -> complex:
    root = theory.roots_of(theory.loop_of(red_system(flows))).oscillating
    assert root is not None
    return root


FLUID: dict[str, Callable[[Inputs], float | None]] = {
    "D1": lambda _: at(pi_course(doubled=False).queue, pi_course(doubled=False), 1.0),
    "D2": lambda _: at(pi_course(doubled=False).queue, pi_course(doubled=False), 2.0),
    "D3": lambda _: at(pi_course(doubled=False).queue, pi_course(doubled=False), 5.0),
    "D4": lambda _: at(pi_course(doubled=False).queue, pi_course(doubled=False), 10.0),
    "D5": lambda _: at(pi_course(doubled=False).windows["flows"], pi_course(doubled=False), 2.0),
    "D6": lambda _: at(pi_course(doubled=False).signal, pi_course(doubled=False), 2.0),
    "D7": lambda _: float(pi_course(doubled=True).queue.max()),
    "D8": lambda _: at(pi_course(doubled=True).queue, pi_course(doubled=True), 30.0),
    "D9": lambda _: red_course(60.0).swing(80.0),
    "D10": lambda _: red_course(60.0).period(20.0),
    "D11": lambda _: 2.0 * math.pi / red_root(60.0).imag,
    "D12": lambda _: red_root(60.0).real,
    "D13": lambda _: red_course(30.0).swing(80.0),
    "D14": lambda _: red_course(30.0).period(80.0),
    "D14m": lambda _: float(
        red_course(30.0).at(red_course(30.0).queue, np.linspace(80.0, 120.0, 9000)).mean()
    ),
    "D14e": lambda _: operating_point(red_system(30.0)).queue,
    "D14p": lambda _: 2.0 * math.pi / red_root(30.0).imag,
    "D14r": lambda _: red_root(30.0).real,
    "D15": lambda _: dctcp_course().swing(0.02),
    "D16": lambda _: dctcp_course().period(0.02),
    **{
        f"D{k}{kind}": lambda i: hred_swing(i["K"], i["q0"], i["p_min_factor"])
        for k in (17, 18, 19)
        for kind in "sl"
    },
}

_KINDS: dict[str, tuple[theory.Sender, float]] = {
    "N1": ("square-root", 1.0),
    "N2": ("reno-2003", 1.0),
    "N3": ("reno-round", 1.0),
    # The vectors have the printed constant, 1.0537.
    "N4": ("cubic", (1.0537 / theory.CUBIC_K) ** (4.0 / 3.0)),
    "N5": ("vegas", 40.0),
    "N6": ("scalable", 1.0),
    "N7": ("square-root", 1.0),
}


def network(name: str, i: Inputs) -> float:
    kind, weight = _KINDS[name[:2]]
    paths = [
        Path(f"path{k}", tuple(route), rtt, kind, weight=weight)
        for k, (route, rtt) in enumerate(zip(i["routes"], i["D"], strict=True))
    ]
    capacities = dict(zip("AB", i["capacities"], strict=True))
    found = theory.balance(paths, capacities, exact=name == "N7")
    if name == "N7":
        return float(found.prices[0]) / math.log(1.001)
    return float(found.rates[0] if len(name) == 2 else found.prices["AB".index(name[2])])


def hosts(name: str, i: Inputs) -> float:
    if name == "N9":
        # q^2 + c tau q = n a tau / gamma, with c tau of 21 and n a tau of 84.
        host = theory.Host(theory.Utility.log(5625.0), math.inf)
        return theory.rem_hosts([host] * 4, 5625.0, 21.0 / 5625.0, 0.1).queue
    # 2 / (alpha L S), alpha the steepest demand a / p^2 = (1 + x)^2 / a, at x = M.
    utility = theory.Utility.log_one_plus(i["a"])
    links = [theory.Link("one", 10.0 * i["M"]), theory.Link("two", 10.0 * i["M"])]
    sources = [
        theory.Source("long", ("one", "two"), utility, greatest=i["M"]),
        theory.Source("short", ("one",), utility, greatest=i["M"]),
    ]
    return theory.theorem_bound(theory.Network(tuple(links), tuple(sources)))


def red_map(name: str, i: Inputs) -> float:
    found = theory.RedMap(
        i["n"], i["C_bit"] / i["M_bit"], i["R0"], i["q_min"], i["q_max"], i["p_max"], i["B"], i["K"]
    )
    match name:
        case "R1":
            return found.fixed
        case "R2":
            return found.empty_above
        case "R3":
            return found.full_below
        case "R4":
            return found.critical
        case "R5":
            return found.eigenvalue(i["w"])
        case "R6":
            return float(found.orbit(i["w"], 50_000).min())
        case "R7":
            return float(found.orbit(i["w"], 50_000).max())
        case _:
            return found.lyapunov(i["w"])


def calculated(name: str, i: Inputs) -> float | None:
    """The vector of this name, calculated; None if it is not one of these."""
    if name in FLUID:
        return FLUID[name](i)
    if name in {"N8", "N9"}:
        return hosts(name, i)
    if name[:2] in _KINDS and name not in {"N10", "N11"}:
        return network(name, i)
    return red_map(name, i) if name.startswith("R") else None
