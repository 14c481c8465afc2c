# ruff: noqa: ANN401, PLR0911, C901 - a list of numbers, each with its formula
"""The numbers of `vectors.json` on rest, design, loops and noise, each asked of the public names of
weir.theory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from weir import theory
from weir.theory import Group, QueueLoop, Red, System, analyse, loop_of, margins_of, operating_point, roots_of

Inputs = Mapping[str, Any]
HALF = theory.PAPER_CUT
FAST = 20e6 / 8 / 1500
"""20 Mbit/s of 1500 B, packets per second."""


def senders(i: Inputs, queue: float | None = None, **more: Any) -> tuple[Group, ...]:
    """Reno's flows of the inputs, with b = 1/2 unless they say otherwise."""
    cut = i.get("b", HALF)
    if "groups" in i:
        return tuple(Group(n, d, cut=cut, **more) for n, d in i["groups"])
    delay = i["d"] if "d" in i else i["R"] - (0.0 if queue is None else queue / i["C"])
    return (Group(i["N"], delay, cut=cut, **more),)


def held(i: Inputs, queue: float | None = None, **more: Any) -> System:
    """System at a queue that an integrator holds; R includes it."""
    target = i.get("q", 20.0 if queue is None else queue)
    aqm = theory.pi(2e-5, 1.9e-5, 0.01, target)
    return System(senders(i, None if "d" in i else target, **more), i["C"], aqm, i.get("u", 0.0))


def red(i: Inputs, **more: Any) -> System:
    aqm = Red(i["min_th"], i["max_th"], i["max_p"], i.get("w_q", 0.002), gentle=True, **more)
    return System(senders(i), i["C"], aqm)


def avq(i: Inputs) -> System:
    return System(senders(i), i["C"], theory.Avq(i["gamma"], i.get("alpha", 0.15)))


def continuous(i: Inputs) -> System:
    """PI of K and z, at R."""
    return System(senders(i, 100.0), i["C"], theory.continuous_pi(i["K"], i["z"], 100.0))


def sampled(i: Inputs) -> System:
    """PI of a and b."""
    target = i.get("q", 175.0)
    aqm = theory.pi(i["a"], i.get("b_gain", i.get("b")), i["T"], target)
    cut = theory.PACKET_CUT if i.get("noise") else HALF
    return System(senders({**i, "b": cut}, target), i["C"], aqm)


def rem(i: Inputs, *, hold: bool = True) -> System:
    target = 20.0
    aqm = theory.rem(1.001, 0.1, 0.001, 0.002, target, hold=hold)
    return System(senders(i, None if "d" in i else target), i["C"], aqm)


def by_delay(i: Inputs, make: Callable[..., theory.Integrator], **more: Any) -> System:
    """PI2 or PIE with 15 ms as target; R includes it."""
    aqm = make(i["alpha"], i["beta"], i["T"], 0.015, **more)
    return System((Group(i["N"], i["R"] - 0.015, cut=i.get("b", HALF)),), i["C"], aqm)


def hred(i: Inputs, rest: float = 375.0) -> System:
    aqm = theory.Hred(250.0, 500.0, i["K"], 0.24, 2.0, rest)
    return System((Group(i["N"], 0.2, cut=HALF),), i["C"], aqm)


def scalable(i: Inputs) -> System:
    # Marks k p': the gains of the vector have k in them, and the probability is the state.
    plain = theory.Integrator("PI", i["alpha"] + i["beta"], i["beta"], i["T"], 0.015, by_delay=True)
    return System((Group(i["N"], i["R"] - 0.015, "scalable", cut=0.5),), i["C"], plain)


def pi2_at(i: Inputs) -> System:
    """The PI2 paper's, at a probability: any N and C with that window."""
    window = math.sqrt(2.0) / i["p_lin"]
    flows, capacity = 10.0, 10.0 * window / i["R"]
    aqm = replace(theory.pi2(i["alpha"], i["beta"], i["T"], 0.02), hold=False)
    return System((Group(flows, i["R"] - 0.02, cut=HALF),), capacity, aqm)


def red_of_slope(i: Inputs) -> System:
    """RED at R with a slope and the pole of its average, at the queue where the flows need p."""
    window = i["C"] * i["R"] / i["N"]
    p = 1.0 / (HALF * window * window)
    queue = 172.5
    low = queue - p / i["slope"]
    aqm = Red(low, low + 1000.0, i["slope"] * 1000.0, pole=i["K"], gentle=True)
    return System(senders({**i, "b": HALF}, queue), i["C"], aqm)


LOOPS: dict[str, tuple[Callable[[Inputs], System], bool]] = {
    "L1": (continuous, True),
    "L2": (continuous, False),
    "L3": (lambda i: sampled({**i, "b_gain": i["b"], "b": HALF}), False),
    "L4": (red_of_slope, False),
    "L5": (red, False),
    "L6": (rem, False),
    "L7": (rem, False),
    **{f"L{k}": (lambda i: by_delay(i, theory.pi2), False) for k in (8, 9, 10)},
    **{f"L{k}": (lambda i: by_delay(i, theory.pie), False) for k in (11, 12, 13)},
    "L14": (scalable, False),
    "L14b": (scalable, True),
    **{f"L{k}": (pi2_at, True) for k in (15, 16, 17)},
    "L18": (avq, False),
    "L19": (hred, False),
    "L20": (sampled, False),
}
"""Vectors `L..`: the system, and true if its plant is the simplified one."""


def margin(name: str, i: Inputs) -> float | None:
    """A vector `L5.pm`."""
    loop, what = name.split(".")
    make, simple = LOOPS[loop]
    found = margins_of(loop_of(make(i), simple=simple))
    return {
        "wg": found.gain_crossover,
        "pm": found.phase_margin,
        "dm": found.delay_margin,
        "wp": found.phase_crossover,
        "gm": found.gain_margin,
    }[what]


def boundary(make: Callable[[float], System], low: float, high: float) -> float:
    """The value at which the rightmost root crosses the axis, between a stable and an unstable one."""
    return theory.boundary(make, low, high)


def boundaries(name: str, i: Inputs) -> float:
    """A vector S1 to S11, S19, N10, N11."""

    def with_(key: str, make: Callable[[Inputs], System], **more: Any) -> Callable[[float], System]:
        return lambda value: make({**i, **more, key: value})

    def pi2_of(rtt: float) -> System:
        return by_delay({**i, "R": rtt}, theory.pi2)

    match name:
        case "S1":
            return boundary(with_("N", continuous), 2.0, 60.0)
        case "S2":
            return boundary(with_("R", continuous), 0.1, 2.0)
        case "S3":
            return boundary(with_("C", continuous), 3750.0, 50000.0)
        case "S4":
            return boundary(with_("N", red), 50.0, 100.0)
        case "S5":
            return boundary(with_("w_q", red), 3e-5, 2e-4)
        case "S6":
            return boundary(with_("N", rem, b=HALF), 10.0, 60.0)
        case "S7":
            return boundary(with_("N", rem, b=theory.PACKET_CUT), 10.0, 60.0)
        case "S8" | "S9" | "S10":
            return boundary(pi2_of, 0.05, 0.4)
        case "S11":
            return boundary(lambda rtt: by_delay({**i, "R": rtt}, theory.pie, scale=2.0), 0.05, 0.4)
        case "S19":
            return boundary(with_("N", avq), 100.0, 1000.0)
        case _:
            return boundary(with_("d", red), 0.01, 0.2)


@lru_cache
def swing(k: float) -> theory.Swing:
    system = hred({"N": 100, "C": 8000, "K": k})
    return theory.swing_of(system, operating_point(system))


def roots(name: str, i: Inputs) -> float | None:
    """A vector S12 to S18."""
    match name:
        case "S12":
            return roots_of(loop_of(continuous(i))).growth
        case "S13" | "S14":
            root = roots_of(loop_of(continuous(i))).oscillating
        case "S15" | "S16":
            root = roots_of(loop_of(red(i))).oscillating
        case _:
            found = roots_of(loop_of(rem(i, hold=False)))
            root = found.oscillating
            if name.endswith("p"):
                return found.period
    assert root is not None
    return root.imag if name in {"S14", "S16"} else root.real


NOISE: dict[str, Callable[[Inputs], System]] = {
    **{f"Q{k}": lambda i: sampled({**i, "noise": True}) for k in (1, 2, 3)},
    "Q4": red,
    "Q5": red,
    "Q6": rem,
    "Q7": lambda i: by_delay(i, theory.pi2),
    "Q8": lambda i: by_delay(i, theory.pi2),
}


def deviation(name: str, i: Inputs) -> float:
    """A vector Q."""
    if name == "Q0":
        return theory.intensity(i["C"])
    found = theory.noise_of(loop_of(NOISE[name.rstrip("w")](i)))
    return found.peak_period if name.endswith("w") else found.deviation


def sawtooth(i: Inputs) -> theory.Sawtooth:
    return theory.dctcp_sawtooth(i["N"], i["C"], i["R"], i["K"])


def window_at(i: Inputs, **more: Any) -> float:
    return Group(1, i.get("R", 0.1), **more).window(i["p"], i.get("R", 0.1))


def ratio(first: float, second: float) -> float:
    return first / second


def design_of(i: Inputs) -> Any:
    return theory.pi_design(i["N"], i["C"], i["R"], i.get("T", 0.00625))


def rounded_pi(i: Inputs) -> Any:
    return theory.PiDesign(i["K"], i["z"], i["T"])


REST: dict[str, Callable[[Inputs], float]] = {
    "E1": lambda i: operating_point(held(i)).windows[0],
    "E2": lambda i: operating_point(held(i)).signal,
    "E3": lambda i: operating_point(held({**i, "b": theory.PACKET_CUT})).signal,
    "E4": lambda i: operating_point(rem(i)).signal,
    "E4p": lambda i: theory.rem_price(i["p0"], i["phi"]),
    "E5": lambda i: operating_point(rem(i)).signal,
    "E5p": lambda i: theory.rem_price(i["p0"], i["phi"]),
    "E6": lambda i: operating_point(held(i)).signal,
    "E7": lambda i: ratio(*operating_point(held(i)).rates),
    "E8": lambda i: operating_point(held(i)).signal,
    "E9": lambda i: operating_point(held(i, marked=False)).signal,
    "E10": lambda i: operating_point(red(i)).queue,
    "E11": lambda i: operating_point(red({**i, "b": theory.PACKET_CUT})).queue,
    "E12": lambda i: operating_point(red({**i, "b": theory.PACKET_CUT}, spacing="uniform")).queue,
    "E13": lambda i: operating_point(red({**i, "b": theory.PACKET_CUT})).queue,
    "E14": lambda _: theory.independent(),
    "E15": lambda _: window_at({"p": 0.01}, cut=theory.PACKET_CUT) * 0.1,
    "E16": lambda _: window_at({"p": 0.01}, cut=HALF) * 0.1,
    "E17": lambda i: window_at(i, kind="cubic", friendly=False),
    "E18": lambda i: window_at(i, kind="cubic", friendly=False, sawtooth=False),
    "E19": lambda i: window_at(i, kind="scalable", cut=0.5),
    "E20": lambda i: sawtooth(i).amplitude,
    "E21": lambda i: sawtooth(i).period,
    "E22": lambda i: sawtooth(i).least_queue,
    "E23": lambda i: sawtooth(i).largest_gain,
    "E24": lambda i: theory.dctcp_sawtooth(2, i["C"], i["R"], 40).least_threshold,
    "E25": lambda _: theory.coupling(0.015, 0.025),
    "E26": lambda _: theory.coupling(0.015, 0.025, cubic=True),
    "E27": lambda i: theory.pi2_alpha(i["RTTmax"], i["T"]),
    "E28": lambda i: theory.pi2_gains(i["RTTmax"])[1],
    "E29": lambda i: (
        operating_point(
            System((Group(i["N"], i["d"]),), i["C"], theory.pi2(0.16, 3.2, 0.016, i["qdelay"]))
        ).state
    ),
    "E30": lambda i: operating_point(avq(i)).state / i["C"],
    "E31": lambda i: theory.codel_rate(i["t"], i["I"], first_order=True),
    "E32": lambda i: theory.codel_rate(i["t"], i["I"]),
    "E33b": lambda i: theory.codel_rate(i["t"], i["I"]),
    "E33": lambda i: theory.codel_time(theory.reno_probability(i["C"] * i["R"] / i["N"]) * i["C"], i["I"]),
    **{f"E{k}": lambda i: theory.by_rounds(i["p"]) for k in (34, 35, 36)},
    "P1": lambda i: design_of(i).zero,
    "P2": lambda i: design_of(i).gain,
    "P3": lambda i: design_of(i).a,
    "P4": lambda i: design_of(i).b,
    "P5": lambda i: design_of(i).gain,
    "P6": lambda i: rounded_pi(i).a,
    "P7": lambda i: rounded_pi(i).b,
    "P8": lambda i: design_of(i).a / i["packet"],
    "P9": lambda i: design_of(i).b / i["packet"],
    "P10": lambda i: theory.Hred(250.0, 500.0, rtt=i["RTT"]).rate(i["C"] / i["S"]) / i["S"],
    "P11": lambda i: theory.red_slope(i["N"], i["C"], i["R"], i["K"]),
    "P12": lambda i: theory.red_crossover(i["N"], i["C"], i["R"]),
    "P13": lambda i: theory.red_weight(i["C"], i["K"]),
    "P14": lambda i: theory.hred_loop_gain(i["l"], i["CR"], i["K"], i["min_th"], i["max_th"]),
    "P15": lambda i: theory.hred_loop_gain(i["l"], i["CR"], i["K"], i["min_th"], i["max_th"]),
    "P16": lambda i: theory.hred_least_k(i["l"], i["CR"], i["min_th"], i["max_th"]),
    "P17": lambda i: static_difference(i),  # noqa: PLW0108 - it is defined below
    "L19.gm": lambda i: analyse(hred(i)).margins.gain_margin,  # type: ignore[union-attr,return-value]
}


def static_difference(i: Inputs) -> float:
    """|S| of HRED's paper less L(0) of the loop."""
    import numpy as np

    loop = loop_of(hred(i))
    assert isinstance(loop, QueueLoop)
    gain = float(loop.open_loop(np.array([1e-9j]))[0].real)
    pipe = i["C"] * 0.2
    return theory.hred_loop_gain(375.0, pipe, i["K"], 250.0, 500.0) - gain


def calculated(name: str, i: Inputs) -> float | None:
    """The vector of this name, calculated; None if it is not one of these."""
    if name in REST:
        return REST[name](i)
    if name.startswith("L"):
        return margin(name, i)
    if name.startswith("Q"):
        return deviation(name, i)
    if name in {"S12", "S13", "S14", "S15", "S16", "S17", "S17p", "S18", "S18p"}:
        return roots(name, i)
    if name.startswith("S") or name in {"N10", "N11"}:
        return boundaries(name, i)
    if name.startswith("H"):
        found = swing(i["K"])
        return {"A": found.amplitude, "w": found.frequency}.get(name[2:], found.full_margin)
    return None
