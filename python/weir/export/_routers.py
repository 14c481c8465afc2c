"""RED as routers have it: `random-detect` of Cisco IOS, drop profiles of Junos.

- `wred`: thresholds are 1 to 4096 packets, and the probability at the second one is 1/denominator. The
  weight of the average is a power of two (Cisco IOS Quality of Service Solutions Command Reference,
  `random-detect`). All precedences get the same line, which makes weighted RED a plain RED.
- `junos`: up to 64 pairs of fill level and drop probability, in whole per cents that grow. Straight lines
  join the pairs (Junos OS, Class of Service User Guide: drop-profiles, interpolate; schedulers: buffer-size,
  drop-profile-map, explicit-congestion-notification). A profile can approximate a parabola as well as a
  line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TypeVar

from weir.export import _reds as reds
from weir.export._port import ExportError, Port
from weir.export._qdisc import MUCH
from weir.export._text import Exported, head, share_of_line, word

WRED = ("red", "adaptive-red", "nlred", "feng-red")
"""Disciplines that have the line of RED, or one like it."""

_CISCO = re.compile(r"([A-Za-z]{2,}(?:-[A-Za-z]+)*) ?\d+(/\d+){0,3}(:\d+)?(\.\d+)?")
_CISCO_TYPES = (
    "ATM", "BRI", "Bundle-Ether", "Cellular", "Dialer", "Ethernet", "FastEthernet", "FiveGigabitEthernet",
    "FortyGigabitEthernet", "FourHundredGigE", "GigabitEthernet", "HundredGigE", "Multilink", "POS",
    "Port-channel", "Serial", "TenGigabitEthernet", "TenGigE", "Tunnel", "TwentyFiveGigE",
    "TwoGigabitEthernet", "Virtual-Template", "VLAN",
)  # fmt: skip

_JUNIPER = re.compile(r"(?:[a-z]{2,3}-\d+/\d+/\d+|(?:ae|irb|reth|ps|lt|demux)\d+)(:\d+)?")


def is_cisco(name: str) -> bool:
    """Returns true if IOS may have such an interface: GigabitEthernet0/0/1, Te1/1, Serial0/0:15, Po1.100."""
    found = _CISCO.fullmatch(name)
    return found is not None and any(kind.lower().startswith(found[1].lower()) for kind in _CISCO_TYPES)


def is_juniper(name: str) -> bool:
    """Returns true if Junos may have such an interface, without its unit: ge-0/0/1, et-0/0/2:3, ae0."""
    return _JUNIPER.fullmatch(name) is not None


_MOST_PACKETS = 4096
_MOST_DENOMINATOR = 65535

_STEPS = 10
"""Pieces of a parabola: off by 1/400 of its height at most."""

_LONGEST_US = 200_000
"""The longest buffer-size temporal of any router, in microseconds."""

T = TypeVar("T", int, float)


def random_detect(port: Port, interface: str | None, command: str | None) -> Exported:
    """A policy map of a router. Raises ExportError."""
    _has_line(port, "random-detect")
    warnings = [*port.differences, *port.without_bucket]
    rounded = _rounding(warnings)
    low, high, w_q = reds.levels(port)
    band = [level / port.mean_packet for level in (low, high)]
    if band[1] > _MOST_PACKETS:
        raise ExportError(
            f"random-detect has thresholds up to {_MOST_PACKETS} packets, and max_th is {band[1]:.6g}",
            "--as junos counts in per cents of the buffer; or lower thresholds",
            f"{port.path}.{port.discipline}.max_th",
        )
    least = rounded("min_th", band[0], max(round(band[0]), 1), "packets become")
    most = rounded("max_th", band[1], max(round(band[1]), least + 1), "packets become")
    max_p = port["max_p"]
    denominator = min(max(round(1.0 / max_p), 1), _MOST_DENOMINATOR) if max_p > 0.0 else _MOST_DENOMINATOR
    rounded("max_p", max_p, 1.0 / denominator, f"becomes 1/{denominator}, which is")
    exponent = min(max(round(-math.log2(w_q)), 1), 16)
    rounded("w_q", w_q, 2.0**-exponent, f"becomes 1/{2**exponent}, which is")
    if port["gentle"]:
        warnings.append(
            "gentle = true: beyond the second threshold every packet is dropped, there is no ramp"
        )
    if port.discipline == "nlred":
        warnings.append("nlred: its parabola becomes RED's line")
    warnings += _stands_still(port)
    policy = word(port.name, "-")
    title = f"RED for the link {port.name} of {port.scenario.name}, as random-detect"
    where = interface or "..."
    facts = [
        *share_of_line(port),
        f"Use:     interface {where}, service-policy output {policy}; undo: no service-policy output",
        "Other lines of routers say the same in their own words; not tested on a router.",
    ]
    lines = [
        *head({"Link": port}, title, facts, (), warnings, command, "!"),
        f"policy-map {policy}-queue",
        " class class-default",
        "  random-detect",
        f"  random-detect exponential-weighting-constant {exponent}",
        *(f"  random-detect precedence {number} {least} {most} {denominator}" for number in range(8)),
        *(["  random-detect ecn"] if port["ecn"] else []),
        f"  queue-limit {port.limit_packets} packets",
        f"policy-map {policy}",
        " class class-default",
        f"  shape average {port.rate}",
        f"  service-policy {policy}-queue",
        *([f"interface {interface}", f" service-policy output {policy}"] if interface else []),
        "",
    ]
    return Exported("\n".join(lines), "wred", tuple(warnings))


def drop_profile(port: Port, interface: str | None, command: str | None) -> Exported:
    """A drop profile with the scheduler that uses it. Raises ExportError."""
    _has_line(port, "a drop profile")
    warnings = [*port.differences, *port.without_bucket, *_stands_still(port)]
    fills, drops = _profile(port, _rounding(warnings))
    microseconds = round(port.limit_bytes * 8e6 / port.rate)
    notes = [
        "fill-level is in per cent of the buffer, drop-probability in per cent of packets; both are whole",
        f"buffer-size: {port.limit} take {microseconds} us at {port.rate} bit/s",
        "the router has its own average of how full the queue is: w_q is not exported",
    ]
    factor = _signals(port)
    if factor != 1.0:
        spacing = port.settings["spacing"]
        notes.append(
            f'spacing = "{spacing}": RED signals {factor:.3g} times as often as max_p says; a router draws '
            "for each packet alone, so the probabilities are those"
        )
    if microseconds > _LONGEST_US:
        warnings.append(
            f"buffer-size: {microseconds} us are more than routers take, at most {_LONGEST_US} us"
        )
    name = word(port.name, "-")
    title = f"RED for the link {port.name} of {port.scenario.name}, as a drop profile of Junos"
    facts = [
        *share_of_line(port),
        "Use:     load merge FILE, then commit; undo: rollback 1, then commit",
        "Platforms have fewer pairs, and other ranges; not tested on a router.",
    ]
    of_interface = [
        "    interfaces {",
        f"        {interface or 'INTERFACE'} {{",
        f"            scheduler-map {name};",
        f"            shaping-rate {port.rate};",
        "        }",
        "    }",
    ]
    lines = [
        *head({"Link": port}, title, facts, notes, warnings, command),
        "class-of-service {",
        "    drop-profiles {",
        f"        {name} {{",
        "            interpolate {",
        f"                fill-level [ {' '.join(map(str, fills))} ];",
        f"                drop-probability [ {' '.join(map(str, drops))} ];",
        "            }",
        "        }",
        "    }",
        *(of_interface if interface else []),
        "    scheduler-maps {",
        f"        {name} {{",
        f"            forwarding-class best-effort scheduler {name};",
        "        }",
        "    }",
        "    schedulers {",
        f"        {name} {{",
        f"            buffer-size temporal {microseconds};",
        f"            drop-profile-map loss-priority any protocol any drop-profile {name};",
        *(["            explicit-congestion-notification;"] if port["ecn"] else []),
        "        }",
        "    }",
        "}",
        "",
    ]
    return Exported("\n".join(lines), "junos", tuple(warnings))


def _has_line(port: Port, form: str) -> None:
    if port.discipline not in WRED:
        raise ExportError(
            f"{form} is RED, and {port.discipline} is not",
            f"it can say {', '.join(WRED)}; --as tc writes a script for Linux",
            port.path,
        )


def _stands_still(port: Port) -> list[str]:
    if port.discipline not in {"adaptive-red", "feng-red"}:
        return []
    return [f"{port.discipline}: the probability stays where it begins, nothing adapts it"]


def _rounding(warnings: list[str]) -> Callable[[str, float, T, str], T]:
    """Function that passes a number on, and warns if rounding changes it much."""

    def rounded(name: str, wanted: float, used: T, becomes: str) -> T:
        if abs(used - wanted) > MUCH * wanted:
            warnings.append(f"{name}: {wanted:.6g} {becomes} {used:.4g}")
        return used

    return rounded


def _signals(port: Port) -> float:
    return reds.SIGNALS[port.settings["spacing"]]


def _profile(port: Port, rounded: Callable[[str, float, int, str], int]) -> tuple[list[int], list[int]]:
    """Levels and probabilities in whole per cents, both growing, from an empty queue to a full one."""
    low, high, _ = reds.levels(port)
    per_cent = 100.0 / port.limit_bytes
    least = rounded("min_th", low * per_cent, round(low * per_cent), "% of the buffer become")
    most = rounded(
        "max_th", high * per_cent, max(round(high * per_cent), least + 1), "% of the buffer become"
    )
    parabola = port.discipline == "nlred"
    top = min(port["max_p"] * (port["nl_factor"] if parabola else 1.0) * _signals(port), 1.0)
    rounded("max_p", 100.0 * top, max(round(100.0 * top), 1), "% become")
    pairs = {0: 0.0, least: 0.0}
    for step in range(1, _STEPS + 1) if parabola else (_STEPS,):
        part = step / _STEPS
        pairs[round(least + (most - least) * part)] = max(
            top * (part**2 if parabola else part), 0.01 * (part == 1.0)
        )
    # Beyond: a jump, or as far as the buffer reaches a ramp to twice max_th.
    full = 2 * most if port["gentle"] else most + 1
    pairs[min(full, 100)] = 1.0 if full <= 100 else top + (1.0 - top) * (100 - most) / most
    pairs[100] = 1.0 if full <= 100 else pairs[100]
    fills = sorted(fill for fill in pairs if fill <= 100)
    return fills, [round(100.0 * pairs[fill]) for fill in fills]
