"""Closest match for a discipline that no kernel has: another discipline, with settings to match, and the
reason.

Matched is what both aim at: a queue of b packets at a link of C packets a second is a delay of b / C. Where
several could stand in, the one that came nearer on a link of 10 Mbit/s with 8 and with 40 flows is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.export._port import ExportError, Port, setting


@dataclass(frozen=True)
class Closest:
    """A discipline that a kernel has, for one that none has."""

    discipline: str
    parameters: Mapping[str, Any]
    """Parameters as a scenario has them; all others have the discipline's defaults."""
    reason: str


def closest(port: Port) -> tuple[Closest, Port]:
    """The closest match for the discipline of the port, and the port with it. Raises ExportError."""
    if port.discipline not in _CLOSEST or "python" in port.settings.get("aqm", ()):
        raise ExportError(
            f"no kernel has {port.discipline}, and the closest AQM to your own is unknown",
            f'export one that a kernel has: --set "{port.path}.pie={{}}"',
            port.path,
        )
    found = _CLOSEST[port.discipline](port)
    try:
        return found, port.under(found.discipline, found.parameters)
    except _core.ScenarioError as error:
        raise ExportError(
            f"no kernel has {port.discipline}, and what comes closest, "
            f"{setting(found.discipline, found.parameters)}, cannot be: {error.message}",
            f"choose other parameters, or another discipline: weir show {found.discipline}",
            f"{port.path}.{port.discipline}",
        ) from None


def _same(port: Port, *names: str) -> dict[str, Any]:
    """Parameters that stay as they are."""
    return {name: port.settings[name] for name in names if name in port.settings}


def _ecn(port: Port) -> dict[str, Any]:
    return {"ecn": bool(port["ecn"])}


def _bytes(level: float) -> str:
    return f"{round(level)} B"


def _pie(port: Port, level: float, reason: str) -> Closest:
    """PIE with the delay that a level of the queue takes on the link."""
    return Closest("pie", {"target": port.holding(level), **_ecn(port)}, reason)


def _rem(port: Port) -> Closest:
    if port["price"] == "average":
        # 1 - exp(-x) has reached 0.865 at x = 2.
        high = 2.0 * port.mean_packet / port["per_packet"]
        return Closest(
            "red",
            {"min_th": "2 B", "max_th": _bytes(high), "max_p": 0.865, **_same(port, "w_q", "ecn")},
            "with a price of the average queue REM is RED with an exponential for its line",
        )
    return _pie(
        port,
        port["target"],
        "REM's price integrates the distance of the queue from b*, PIE's probability that of the delay, so "
        "its target is b* / C; REM's map is exponential, PIE's gains follow the probability instead",
    )


def _nlred(port: Port) -> Closest:
    # A parabola up to 1.5 p has the mean of a line up to p.
    top = round(port["max_p"] * port["nl_factor"] / 1.5, 9)
    same = _same(port, "min_th", "max_th", "w_q", "gentle", "spacing", "ecn", "harddrop")
    return Closest(
        "red",
        {**same, "max_p": min(top, 1.0)},
        "NLRED is RED with a parabola for its line; this line signals as much on average over the band",
    )


def _feng(port: Port) -> Closest:
    # Its thresholds are above zero.
    band = {name: _bytes(max(port[name], 2.0)) for name in ("min_th", "max_th")}
    return Closest(
        "adaptive-red",
        band | _same(port, "max_p", "w_q", "gentle", "spacing", "ecn", "harddrop"),
        "max_p moves in both; the kernel's moves by the rule of 2001, half a second at a time, to keep the "
        "average in the middle of the band",
    )


def _hred(port: Port) -> Closest:
    # As HRED has it: max_th is half of the buffer, or twice min_th; min_th is half of max_th.
    low, high = port["min_th"], port["max_th"]
    if high is None:
        high = port.limit_bytes / 2 if low is None else 2 * low
    return _pie(
        port,
        ((high / 2 if low is None else low) + high) / 2,
        "HRED raises its probability while the queue is above its band and lowers it below, PIE while the "
        "delay is above or below its target, which is put into the middle of the band",
    )


def _op_red(port: Port) -> Closest:
    held = port["target_delay"] * port.rate / 8.0
    band = {"min_th": _bytes(held / 2), "max_th": _bytes(1.5 * held), "gentle": False}
    return Closest(
        "adaptive-red",
        band | _same(port, "w_q", "spacing", "ecn", "harddrop"),
        "the kernel's RED moves max_p too, towards a queue in the middle of its band, which is put where the "
        "target delay is; it does not move its thresholds and knows nothing of a target loss",
    )


def _step(port: Port) -> Closest:
    threshold = port["threshold"]
    if not port["ecn"]:
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
    measure = port["measure"]
    if measure in {"price", "price-by-queue", "pi"}:
        reason = "it integrates the distance of the queue from the target, as PIE does that of the delay"
        return _pie(port, port["target"], reason)
    if measure == "delay":
        # In seconds; RED's five packets if it is not stated.
        level = 5.0 * port.mean_packet if port["low"] is None else port["low"] * port.rate / 8.0
        return _pie(port, level, "PIE goes by the delay as well; its target is the first threshold")
    if measure == "loss":
        return Closest(
            "sfb", _ecn(port), "of what a kernel has, Blue alone goes by losses, and SFB is made of Blues"
        )
    stated = {"low": 5, "high": 15, "top": 0.1, "weight": 0.002} | dict(port.settings)
    band = {
        "min_th": f"{stated['low']} packets",
        "max_th": f"{stated['high']} packets",
        "max_p": stated["top"],
        "w_q": stated["weight"] if measure == "average" else 0.5,
    }
    return Closest(
        "red",
        band | _same(port, "spacing", "ecn", "harddrop"),
        "RED has the same thresholds, and a line between them",
    )


def _fq(port: Port) -> Closest:
    ((aqm, parameters),) = port.settings["aqm"].items()
    same = {name: value for name, value in port.settings.items() if name not in {"aqm", "aqm_backlog"}}
    same["ecn"] = bool(parameters.get("ecn", False))
    if aqm in {"rem", "pi", "pi2"}:
        target = parameters.get("target", parameters.get("q_ref"))
        same["target"] = target if aqm == "pi2" else port.holding(port.number(target))
        reason = f"the same scheduler; no kernel has {aqm} in it, and PIE aims at the same delay"
        return Closest("fq-pie", same, reason)
    if aqm == "cobalt":
        same |= {name: parameters[name] for name in ("target", "interval")}
    reason = f"the same scheduler; no kernel has {aqm} in it, and CoDel is what most have"
    return Closest("fq-codel", same, reason)


def _ack_filter(port: Port) -> Closest:
    ((aqm, _),) = port.settings["aqm"].items()
    inner = "" if aqm == "drop-tail" else f", and COBALT is in the place of {aqm}"
    return Closest(
        "cake",
        {"tins": "besteffort", "isolation": "flows", "ack_filter": port["mode"]},
        f"CAKE alone has the filter, by the same rule; flows have queues of their own there{inner}",
    )


_CLOSEST: dict[str, Callable[[Port], Closest]] = {
    "ack-filter": _ack_filter,
    "rem": _rem,
    "pi": lambda port: _pie(
        port,
        port["q_ref"],
        "PIE is the same controller on the delay, so its target is q_ref / C, with gains that follow the "
        "probability",
    ),
    "pi2": lambda port: Closest(
        "dualpi2",
        _same(port, "target", "interval", "alpha", "beta"),
        "PI2 is what the classic line of DualPI2 does; what bears ECT(1) waits in its other line",
    ),
    "nlred": _nlred,
    "feng-red": _feng,
    "hred": _hred,
    "op-red": _op_red,
    "avq": lambda port: _pie(
        port,
        max(0.005 * port.rate / 8.0, 2.0 * port.mean_packet),
        "AVQ keeps the queue short by leaving some of the link unused, as no kernel can; PIE with a target "
        "of 5 ms, or two packets' time, has queues of that length at the full rate",
    ),
    "blue": lambda port: Closest(
        "sfb",
        _ecn(port),
        "SFB is a Blue for every bin of a hash of flows, with steps at any packet in place of a freeze time",
    ),
    "sred": lambda port: _pie(
        port,
        port.limit_bytes / 3,
        "SRED signals with its full probability from a third of the buffer on, so PIE's target is the delay "
        "of a third; the number of flows moves SRED's probability, and the delay PIE's",
    ),
    "step": _step,
    "modular": _modular,
    "fq": _fq,
}
