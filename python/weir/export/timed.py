"""Disciplines of the kernel that go by time or by flow, and plain queues."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from weir.export.errors import ExportError
from weir.export.port import Port
from weir.export.qdisc import Qdisc, checked, rate_told, told

_GAIN = 16
"""alpha and beta of the kernel's PIE are whole numbers of 1/16 Hz, at most 32."""

_NEVER = 10_000_000
"""Microseconds: a target that is never reached."""


def drop_tail(port: Port) -> Qdisc:
    """A queue and nothing else."""
    if port.in_bytes:
        found = Qdisc(port, "bfifo", "2.2")
        found.option("limit", checked("the buffer", port.room_bytes))
    else:
        found = Qdisc(port, "pfifo", "2.2")
        found.room()
    return found


def codel(port: Port) -> Qdisc:
    """CoDel."""
    found = Qdisc(port, "codel", "3.5")
    found.room()
    _codel(found)
    return found


def fq_codel(port: Port) -> Qdisc:
    """Fair queueing with CoDel."""
    found = Qdisc(port, "fq_codel", "3.5")
    found.room()
    _scheduler(found)
    _codel(found)
    found.differs("aqm_backlog", "total", "the kernel's test against the MTU counts what waits in all queues")
    return found


def fair(port: Port) -> Qdisc | None:
    """Fair queueing under a law for which the kernel has a scheduler; None for the others."""
    ((law, parameters),) = port.parameters["aqm"].items()
    rest = {name: value for name, value in port.parameters.items() if name != "aqm"}
    if law == "drop-tail":
        return _round_robin(port)
    if law not in {"codel", "pie"}:
        return None
    shared: Mapping[str, Any] = parameters
    if law == "pie":
        # The parameters that FQ-PIE leaves as they are.
        fixed = ("mean_packet_size", "delay_from", "byte_mode", "high_delay_step")
        shared = {name: value for name, value in parameters.items() if name not in fixed}
    under = port.under(f"fq-{law}", {**shared, **rest})
    return fq_codel(under) if law == "codel" else fq_pie(under)


def _round_robin(port: Port) -> Qdisc:
    found = Qdisc(port, "fq_codel", "3.5")
    found.room()
    _scheduler(found)
    found.option("target", told(_NEVER))
    found.option("interval", told(_NEVER))
    found.option("noecn")
    found.notes.append("a CoDel whose target is never reached leaves the scheduler by itself")
    return found


def pie(port: Port) -> Qdisc:
    """PIE."""
    found = Qdisc(port, "pie", "3.14")
    found.room()
    _pie(found)
    found.differs("mark_ecnth", 0.1, "the kernel marks up to 0.1")
    if port.parameters["delay_from"] == "departure-rate":
        found.option("dq_rate_estimator")
        found.needs("5.5", "5.5")
    else:
        found.notes.append(
            "before Linux 5.5 the delay is taken from the rate of departure, and not from timestamps"
        )
    found.option("bytemode" if port.on("byte_mode") else "nobytemode")
    found.ecn()
    found.differs(
        "high_delay_step", kernels=True, said="the kernel raises the probability by 0.02 beyond 250 ms"
    )
    return found


def fq_pie(port: Port) -> Qdisc:
    """Fair queueing with PIE."""
    found = Qdisc(port, "fq_pie", "5.6", "5.6")
    found.room()
    _scheduler(found, batch=False)
    _pie(found)
    if port.on("ecn"):
        found.whole("ecn_prob", 100.0 * float(port.parameters["mark_ecnth"]), most=99, why="whole per cents")
    found.ecn()
    found.differs("overflow", "arrival", "where there is no room, the kernel drops the packet that arrives")
    found.differs("aqm_backlog", "flow", "the kernel's PIE is told what waits in its own queue")
    return found


def dualpi2(port: Port) -> Qdisc:
    """The dual queue."""
    found = Qdisc(port, "dualpi2", "6.17", "6.17")
    found.room()
    found.time("target", port.seconds("target"))
    found.time("tupdate", port.seconds("interval"))
    for name in ("alpha", "beta"):
        wanted = float(port.parameters[name])
        used = max(int(wanted * 256), 1) / 256.0
        found.option(name, f"{max(wanted, 1 / 256):.6g}")
        found.rounded(name, wanted, used, "the kernel has 1/256 Hz")
    found.whole("coupling_factor", float(port.parameters["coupling"]), most=255, why="a whole number")
    width = port.seconds("range")
    if width > 0.0:
        found.warnings.append(
            f"range = {port.parameters['range']}: the kernel has a step, put into the middle"
        )
    found.time("step_thresh", port.seconds("min_th") + width / 2.0)
    found.option("min_qlen_step", int(port.parameters["th_len"]))
    share = 100.0 * float(port.parameters["classic_protection"])
    found.option("classic_protection", f"{min(max(round(share), 1), 99)}%")
    found.rounded("classic_protection", share, min(max(round(share), 1), 99), "whole per cents")
    if port.parameters["low_latency"] == "any-ect":
        found.option("any_ect")
    found.differs("delay", "longer", "the kernel's probability follows the longer of both delays")
    return found


def sfb(port: Port) -> Qdisc:
    """Stochastic Fair Blue."""
    found = Qdisc(port, "sfb", "2.6.39")
    found.room()
    found.option("max", int(port.parameters["max"]))
    found.option("target", int(port.parameters["bin_size"]))
    for option, name in (("increment", "d1"), ("decrement", "d2")):
        wanted = float(port.parameters[name])
        used = round(wanted * 65535) / 65535
        found.option(option, f"{wanted:.6g}")
        found.rounded(option, wanted, used, "the kernel has 1/65535")
    rate = 1.0 / port.seconds("penalty_gap")
    found.whole("penalty_rate", rate, why="whole packets a second")
    found.option("penalty_burst", int(port.parameters["penalty_burst"]))
    # In milliseconds, without a unit.
    found.whole("rehash", 1e3 * port.seconds("rehash"), least=0)
    found.whole("db", 1e3 * port.seconds("warm_up"), least=0)
    found.differs("levels", 8, "the kernel has 8 levels")
    found.differs("bins", 16, "the kernel has 16 bins a level")
    found.differs("ecn", kernels=True, said="the kernel's SFB marks whatever is ECN-capable")
    return found


def cake(port: Port) -> Qdisc:
    """COBALT alone, as CAKE has it: its own shaper, one queue."""
    found = Qdisc(port, "cake", "4.19", "4.19", shapes=True)
    found.option("bandwidth", rate_told(port.rate))
    found.option("besteffort")
    found.option("flowblind")
    interval = port.seconds("interval")
    found.time("rtt", interval)
    # 1.5 packets of an MTU at least, and a twentieth of the round trip.
    used = max(interval / 20.0, 1.5 * 1514 * 8.0 / port.rate)
    found.rounded(
        "target",
        1e6 * port.seconds("target"),
        1e6 * used,
        "CAKE's is a twentieth of its rtt, or 1.5 MTU",
        " us",
    )
    found.differs("ecn", kernels=True, said="CAKE marks whatever is ECN-capable")
    found.differs("increment", 1 / 256, "CAKE has 1/256")
    found.differs("decrement", 1 / 4096, "CAKE has 1/4096")
    found.differs("blue_threshold", None, "CAKE has no such threshold")
    found.warnings.append(
        f"buffer = {port.buffer_told}: CAKE's limit, memlimit, counts the kernel's memory and not packets; "
        "it is left to CAKE"
    )
    return found


def _codel(found: Qdisc) -> None:
    port = found.port
    target = found.time("target", port.seconds("target"))
    interval = found.time("interval", port.seconds("interval"))
    if target >= interval:
        found.notes.append("a target of the interval's length or more leaves CoDel nothing to look at")
    found.ecn()
    if "ce_threshold" in port.parameters:
        found.time("ce_threshold", port.seconds("ce_threshold"))
        found.needs("4.2", "4.2")
    found.notes.append("CoDel's MTU is the largest packet that the kernel has seen")
    if port.parameters["invsqrt"] == "exact":
        found.notes.append('the kernel calculates 1/sqrt(count) in steps, as invsqrt = "newton16" does')


def _scheduler(found: Qdisc, *, batch: bool = True) -> None:
    """The parameters of the scheduler of RFC 8290."""
    port = found.port
    flows = int(port.parameters["flows"])
    if not 1 <= flows <= 65536:
        raise ExportError(
            f"{flows} queues: the kernel has 1 to 65536", path=f"links.{port.link}.queue.{port.law}.flows"
        )
    found.option("flows", flows)
    # FQ-CoDel of the kernel has no smaller quantum than 256 B.
    found.whole("quantum", port.size("quantum"), least=256 if batch else 1)
    found.option("memory_limit", checked("memory_limit", port.size("memory_limit")))
    if batch:
        found.whole("drop_batch", int(port.parameters["drop_batch"]))
        found.needs("4.7", "4.7")
        found.differs(
            "overflow", "fattest", "where there is no room, the kernel drops from the fattest queue"
        )
    found.differs("flow_hashing", "salted", "the kernel hashes, so that two flows may share a queue")


def _pie(found: Qdisc) -> None:
    port = found.port
    found.time("target", port.seconds("target"))
    tupdate = found.time("tupdate", port.seconds("interval"))
    slow = [hz for hz in (100, 250, 300, 1000) if (tupdate * hz) % 1_000_000]
    if slow:
        rounded = ", ".join(f"{math.ceil(tupdate * hz / 1e6) * 1000 / hz:.4g} ms at HZ={hz}" for hz in slow)
        found.notes.append(f"tupdate is kept in jiffies, rounded up: {rounded}")
    for name in ("alpha", "beta"):
        wanted = _GAIN * float(port.parameters[name])
        found.whole(name, wanted, most=32, why="sixteenths of a hertz, 1 to 32")
    found.notes.append("PIE's mean packet is the interface's MTU: two of them may always wait")
    found.differs("max_burst", "150 ms", "the kernel lets bursts of 150 ms through")
    found.differs("derandomise", kernels=True, said="the kernel derandomises")
