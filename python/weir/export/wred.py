"""RED as a router in the style of Cisco IOS has it: `random-detect` in a policy map.

Thresholds are packets, the probability at the second one is 1/denominator, and the weight of the average is a
power of two (Cisco IOS Quality of Service Solutions Command Reference, `random-detect`). All precedences get
the same line, which makes a RED of the weighted one.
"""

from __future__ import annotations

import math
import re

from weir.export.errors import ExportError
from weir.export.port import Port
from weir.export.qdisc import MUCH

LAWS = ("red", "adaptive-red", "nlred", "feng-red")
"""Which have RED's line, or one like it."""

_MOST_PACKETS = 4096
_MOST_DENOMINATOR = 65535


def snippet(port: Port, levels: tuple[float, float, float]) -> tuple[list[str], list[str]]:
    """The lines without their comment, and warnings; `levels` are min and max in bytes, and w_q."""
    warnings: list[str] = []
    low, high, w_q = levels
    least, most = (
        _whole(warnings, name, level / port.mean_packet)
        for name, level in (("min_th", low), ("max_th", high))
    )
    most = max(most, least + 1)
    max_p = float(port.parameters["max_p"])
    denominator = min(max(round(1.0 / max_p), 1), _MOST_DENOMINATOR) if max_p > 0.0 else _MOST_DENOMINATOR
    if abs(1.0 / denominator - max_p) > MUCH * max_p:
        warnings.append(f"max_p: {max_p:g} becomes 1/{denominator}, which is {1.0 / denominator:.4g}")
    exponent = min(max(round(-math.log2(w_q)), 1), 16)
    if abs(2.0**-exponent - w_q) > MUCH * w_q:
        warnings.append(f"w_q: {w_q:.6g} becomes 1/{2**exponent}, which is {2.0**-exponent:.4g}")
    if port.on("gentle"):
        warnings.append(
            "gentle = true: beyond the second threshold every packet is dropped, there is no ramp"
        )
    if port.law == "nlred":
        warnings.append("nlred: its parabola becomes RED's line")
    if port.law in {"adaptive-red", "feng-red"}:
        warnings.append(f"{port.law}: the probability stays where it begins, nothing adapts it")
    name = policy(port)
    lines = [
        f"policy-map {name}-queue",
        " class class-default",
        "  random-detect",
        f"  random-detect exponential-weighting-constant {exponent}",
        *(f"  random-detect precedence {number} {least} {most} {denominator}" for number in range(8)),
        *(["  random-detect ecn"] if port.on("ecn") else []),
        f"  queue-limit {port.room_packets} packets",
        f"policy-map {name}",
        " class class-default",
        f"  shape average {port.rate}",
        f"  service-policy {name}-queue",
    ]
    return lines, warnings


def policy(port: Port) -> str:
    """What the policy is called."""
    return re.sub(r"\W", "-", port.link)


def refuse(port: Port) -> ExportError:
    """For a discipline that has nothing of RED."""
    return ExportError(
        f"random-detect is RED, and {port.law} is not",
        f"it can say {', '.join(LAWS)}; --as tc writes a script for Linux",
        f"links.{port.link}.queue",
    )


def _whole(warnings: list[str], name: str, packets: float) -> int:
    used = min(max(round(packets), 1), _MOST_PACKETS)
    if abs(used - packets) > MUCH * packets:
        warnings.append(f"{name}: {packets:.6g} packets become {used}")
    return used
