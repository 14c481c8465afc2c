"""What comes closest to a discipline that no kernel has: another discipline, with settings to match, and why.

Matched is what both aim at: a queue of b packets at a link of C packets a second is a delay of b / C. Where
several could stand in, the one that came nearer on a link of 10 Mbit/s with 8 and with 40 flows is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.export.errors import ExportError
from weir.export.port import Port
from weir.scenario.toml import to_toml


@dataclass(frozen=True)
class Closest:
    """A discipline that a kernel has, for one that none has."""

    law: str
    parameters: Mapping[str, Any]
    """As a scenario has them; the others are the law's defaults."""
    reason: str


def closest(port: Port) -> Closest:
    """Of the discipline of the link. Raises ExportError."""
    if port.law not in _CLOSEST or "python" in port.parameters.get("aqm", ()):
        raise ExportError(
            f"no kernel has {port.law}, and the closest AQM to your own is unknown",
            f'export one that a kernel has: --set "links.{port.link}.queue.pie={{}}"',
            f"links.{port.link}.queue",
        )
    return _CLOSEST[port.law](port)


def instead(port: Port, found: Closest) -> Port:
    """The link under what stands in. Raises ExportError."""
    try:
        return port.under(found.law, found.parameters)
    except _core.ScenarioError as error:
        stand_in = setting(found.law, found.parameters)
        raise ExportError(
            f"no kernel has {port.law}, and what comes closest, {stand_in}, cannot be: {error.message}",
            f"choose other parameters, or another discipline: weir show {found.law}",
            f"links.{port.link}.queue.{port.law}",
        ) from None


def setting(law: str, parameters: Mapping[str, Any]) -> str:
    """A discipline with its parameters on one line, as a scenario has it."""
    pairs = ", ".join(f"{name} = {to_toml(value)}" for name, value in parameters.items())
    return f"{law} = {{ {pairs} }}" if pairs else f"{law} = {{}}"


def _ecn(port: Port) -> dict[str, Any]:
    return {"ecn": port.on("ecn")}


def _taken(port: Port, *names: str) -> dict[str, Any]:
    """Parameters that are as they are."""
    return {name: port.parameters[name] for name in names if name in port.parameters}


def _pie(port: Port, level: float, reason: str) -> Closest:
    """PIE with the delay that a level of the queue takes on the link."""
    return Closest("pie", {"target": port.holding(level), **_ecn(port)}, reason)


def _rem(port: Port) -> Closest:
    if port.parameters["price"] == "average":
        # 1 - exp(-x) has reached 0.865 at x = 2.
        high = 2.0 * port.mean_packet / float(port.parameters["per_packet"])
        return Closest(
            "red",
            {"min_th": "2 B", "max_th": _bytes(high), "max_p": 0.865, **_taken(port, "w_q", "ecn")},
            "with a price of the average queue REM is RED with an exponential for its line",
        )
    return _pie(
        port,
        port.level("target"),
        "REM's price integrates the distance of the queue from b*, PIE's probability that of the delay, so "
        "its target is b* / C; REM's map is exponential, PIE's gains follow the probability instead",
    )


def _pi(port: Port) -> Closest:
    return _pie(
        port,
        port.level("q_ref"),
        "PIE is the same controller on the delay, so its target is q_ref / C, with gains that follow the "
        "probability",
    )


def _pi2(port: Port) -> Closest:
    return Closest(
        "dualpi2",
        _taken(port, "target", "interval", "alpha", "beta"),
        "PI2 is what the classic line of DualPI2 does; what bears ECT(1) waits in its other line",
    )


def _nlred(port: Port) -> Closest:
    # A parabola up to 1.5 p has the mean of a line up to p.
    top = round(float(port.parameters["max_p"]) * float(port.parameters["nl_factor"]) / 1.5, 9)
    same = _taken(port, "min_th", "max_th", "w_q", "gentle", "spacing", "ecn", "harddrop")
    return Closest(
        "red",
        {**same, "max_p": min(top, 1.0)},
        "NLRED is RED with a parabola for its line; this line signals as much on average over the band",
    )


def _feng(port: Port) -> Closest:
    # Its thresholds are above zero.
    band = {name: _bytes(max(port.level(name), 2.0)) for name in ("min_th", "max_th")}
    return Closest(
        "adaptive-red",
        band | _taken(port, "max_p", "w_q", "gentle", "spacing", "ecn", "harddrop"),
        "max_p moves in both; the kernel's moves by the rule of 2001, half a second at a time, to keep the "
        "average in the middle of the band",
    )


def _hred(port: Port) -> Closest:
    low, high = (port.parameters.get(name) for name in ("min_th", "max_th"))
    # As in the AQM: max_th is half of the buffer, or twice min_th; min_th is half of max_th.
    most = port.in_bytes_of(high) if high else 2 * port.in_bytes_of(low) if low else port.room_bytes / 2
    least = port.in_bytes_of(low) if low else most / 2
    return _pie(
        port,
        (least + most) / 2,
        "HRED raises its probability while the queue is above its band and lowers it below, PIE while the "
        "delay is above or below its target, which is put into the middle of the band",
    )


def _op_red(port: Port) -> Closest:
    held = port.seconds("target_delay") * port.rate / 8.0
    same = _taken(port, "w_q", "spacing", "ecn", "harddrop")
    return Closest(
        "adaptive-red",
        {"min_th": _bytes(held / 2), "max_th": _bytes(1.5 * held), "gentle": False, **same},
        "the kernel's RED moves max_p too, towards a queue in the middle of its band, which is put where the "
        "target delay is; it does not move its thresholds and knows nothing of a target loss",
    )


def _avq(port: Port) -> Closest:
    return _pie(
        port,
        max(0.005 * port.rate / 8.0, 2.0 * port.mean_packet),
        "AVQ keeps the queue short by leaving some of the link unused, as no kernel can; PIE with a target "
        "of 5 ms, or two packets' time, has queues of that length at the full rate",
    )


def _blue(port: Port) -> Closest:
    return Closest(
        "sfb",
        _ecn(port),
        "SFB is a Blue for every bin of a hash of flows, with steps at any packet in place of a freeze time",
    )


def _step(port: Port) -> Closest:
    threshold = port.level("threshold")
    if not port.on("ecn"):
        return Closest(
            "red",
            {"min_th": _bytes(threshold), "max_th": _bytes(threshold + 1), "max_p": 1.0, "w_q": 0.5},
            "a RED of no width drops from the threshold on, though by an average of a few packets",
        )
    return Closest(
        "codel",
        {"target": "500 ms", "interval": "1 s", "ecn": True, "ce_threshold": port.holding(threshold)},
        "CoDel's ce_threshold marks all that have waited longer than the threshold takes on the link, when "
        "they leave; what cannot be marked passes; CoDel itself is put out of the way",
    )


def _modular(port: Port) -> Closest:
    measure = str(port.parameters["measure"])
    if measure in {"price", "price-by-queue", "pi"}:
        reason = "it integrates the distance of the queue from the target, as PIE does that of the delay"
        return _pie(port, port.level("target"), reason)
    if measure == "delay":
        # In seconds; RED's five packets if it is not stated.
        level = 5.0 * port.mean_packet
        if "low" in port.parameters:
            level = float(port.parameters["low"]) * port.rate / 8.0
        return _pie(port, level, "PIE goes by the delay as well; its target is the first threshold")
    if measure == "loss":
        return Closest(
            "sfb", _ecn(port), "of what a kernel has, Blue alone goes by losses, and SFB is made of Blues"
        )
    low, high = (f"{port.parameters.get(*pair)} packets" for pair in (("low", 5), ("high", 15)))
    weight = float(port.parameters.get("weight", 0.002)) if measure == "average" else 0.5
    top = float(port.parameters.get("top", 0.1))
    same = _taken(port, "spacing", "ecn", "harddrop")
    return Closest(
        "red",
        {"min_th": low, "max_th": high, "max_p": top, "w_q": weight, **same},
        "RED has the same thresholds, and a line between them",
    )


def _fq(port: Port) -> Closest:
    ((law, parameters),) = port.parameters["aqm"].items()
    same = {name: value for name, value in port.parameters.items() if name not in {"aqm", "aqm_backlog"}}
    same["ecn"] = bool(parameters.get("ecn", False))
    if law in {"rem", "pi", "pi2"}:
        level = str(parameters.get("target", parameters.get("q_ref")))
        target = level if law == "pi2" else port.holding(port.in_bytes_of(level))
        return Closest(
            "fq-pie",
            {**same, "target": target},
            f"the same scheduler; no kernel has {law} in it, and PIE aims at the same delay",
        )
    if law == "cobalt":
        same |= {name: parameters[name] for name in ("target", "interval")}
    return Closest(
        "fq-codel",
        same,
        f"the same scheduler; no kernel has {law} in it, and CoDel is what most have",
    )


def _bytes(level: float) -> str:
    return f"{round(level)} B"


_CLOSEST: dict[str, Callable[[Port], Closest]] = {
    "rem": _rem,
    "pi": _pi,
    "pi2": _pi2,
    "nlred": _nlred,
    "feng-red": _feng,
    "hred": _hred,
    "op-red": _op_red,
    "avq": _avq,
    "blue": _blue,
    "step": _step,
    "modular": _modular,
    "fq": _fq,
}
