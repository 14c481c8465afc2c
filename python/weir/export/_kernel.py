"""Translation of Weir's disciplines into queue disciplines of the kernel and their options."""

from __future__ import annotations

import math
from collections.abc import Callable

from weir.export import _cake as cake
from weir.export import _reds as reds
from weir.export._port import Port
from weir.export._qdisc import Qdisc, in_32_bits, memory_of_packet, tc_time

_NEVER = 10_000_000
"""Microseconds: a target that is never reached."""

_FIXED_IN_FQ_PIE = {"mean_packet_size", "delay_from", "byte_mode", "high_delay_step"}
"""Parameters of PIE that FQ-PIE leaves as they are."""


def qdisc_of(port: Port) -> Qdisc | None:
    """The kernel's discipline with its options; None where no kernel has one. Raises ExportError."""
    if port.discipline == "fq":
        return _fair(port)
    if port.discipline not in _KERNEL:
        return None
    kind, kernel, iproute2, fill = _KERNEL[port.discipline]
    found = Qdisc(port, kind, kernel, iproute2)
    fill(found)
    return found


def _fair(port: Port) -> Qdisc | None:
    """Fair queueing with an AQM for which the kernel has a scheduler; None for the others."""
    ((aqm, parameters),) = port.settings["aqm"].items()
    if aqm == "drop-tail":
        found = Qdisc(port, "fq_codel", "3.5")
        found.limit()
        _scheduler(found)
        found.option("target", tc_time(_NEVER))
        found.option("interval", tc_time(_NEVER))
        found.option("noecn")
        found.notes.append("a CoDel whose target is never reached leaves the scheduler by itself")
        return found
    if aqm not in {"codel", "pie"}:
        return None
    fixed = _FIXED_IN_FQ_PIE if aqm == "pie" else set[str]()
    shared = {name: value for name, value in parameters.items() if name not in fixed}
    rest = {name: value for name, value in port.settings.items() if name != "aqm"}
    return qdisc_of(port.under(f"fq-{aqm}", {**shared, **rest}))


def _drop_tail(found: Qdisc) -> None:
    if found.port.core.limit_bytes is None:
        found.limit()
    else:
        found.kind = "bfifo"
        found.option("limit", in_32_bits("the buffer", found.port.limit_bytes))


def _codel(found: Qdisc) -> None:
    found.limit()
    _codel_options(found)


def _fq_codel(found: Qdisc) -> None:
    found.limit()
    _scheduler(found)
    _codel_options(found)
    found.differs("aqm_backlog", "total", "the kernel's test against the MTU counts what waits in all queues")


def _codel_options(found: Qdisc) -> None:
    port = found.port
    if found.time("target") >= found.time("interval"):
        found.notes.append("a target of the interval's length or more leaves CoDel nothing to look at")
    found.flag("ecn")
    if port["ce_threshold"] is not None:
        found.time("ce_threshold")
        found.needs("4.2")
    if port["ce_threshold"] is not None and port["ce_threshold_ect1"]:
        if found.kind == "codel":
            found.notes.append(
                "the kernel's codel has ce_threshold for all packets, its fq_codel for ECT(1) alone"
            )
        else:
            found.option("ce_threshold_selector", "0x1/0x3")
            found.needs("5.16")
    found.notes.append("CoDel's MTU is the largest packet that the kernel has seen")
    if port["invsqrt"] == "exact":
        found.notes.append('the kernel calculates 1/sqrt(count) in steps, as invsqrt = "newton16" does')


def _scheduler(found: Qdisc, *, batch: bool = True) -> None:
    """The parameters of the scheduler of RFC 8290."""
    port = found.port
    flows = port["flows"]
    if not 1 <= flows <= 65536:
        raise found.error(f"{flows} queues: the kernel has 1 to 65536", parameter="flows")
    found.option("flows", flows)
    # FQ-CoDel of the kernel has no smaller quantum than 256 B.
    found.whole("quantum", round(port["quantum"]), least=256 if batch else 1)
    _memory_limit(found)
    if batch:
        found.whole("drop_batch", port["drop_batch"])
        found.needs("4.7")
        found.differs(
            "overflow", "fattest", "where there is no room, the kernel drops from the fattest queue"
        )
    found.differs("flow_hashing", "salted", "the kernel hashes, so that two flows may share a queue")


def _memory_limit(found: Qdisc) -> None:
    """The kernel counts what a packet takes of its memory, skb->truesize, not the bytes of the packet."""
    port = found.port
    wanted, of_packet = port["memory_limit"], memory_of_packet(port)
    if port.limit_packets * of_packet <= wanted:
        # The limit comes first, here and there.
        found.option("memory_limit", in_32_bits("memory_limit", wanted))
        return
    used = in_32_bits("memory_limit", wanted * of_packet / port.mean_packet)
    found.option("memory_limit", used)
    found.notes.append(
        f"memory_limit: the kernel counts the memory that a packet takes, about {of_packet} B for one of "
        f"{port.mean_packet} B; {used} B hold as many of them as {round(wanted)} B in the simulation"
    )


def _pie(found: Qdisc) -> None:
    found.limit()
    _pie_options(found)
    found.differs("mark_ecnth", 0.1, "the kernel marks up to 0.1")
    if found.port["delay_from"] == "departure-rate":
        found.option("dq_rate_estimator")
        found.needs("5.5")
    else:
        found.notes.append(
            "before Linux 5.5 the delay is taken from the rate of departure, and not from timestamps"
        )
    found.flag("bytemode", "byte_mode")
    found.flag("ecn")
    found.differs(
        "high_delay_step", kernels=True, said="the kernel raises the probability by 0.02 beyond 250 ms"
    )


def _fq_pie(found: Qdisc) -> None:
    port = found.port
    found.limit()
    _scheduler(found, batch=False)
    _pie_options(found)
    if port["ecn"]:
        found.whole("ecn_prob", 100.0 * port["mark_ecnth"], most=99, why="whole per cents")
    found.flag("ecn")
    found.differs("overflow", "arrival", "where there is no room, the kernel drops the packet that arrives")
    found.differs("aqm_backlog", "flow", "the kernel's PIE is told what waits in its own queue")


def _pie_options(found: Qdisc) -> None:
    port = found.port
    found.time("target")
    tupdate = found.time("tupdate", port["interval"])
    slow = [hz for hz in (100, 250, 300, 1000) if (tupdate * hz) % 1_000_000]
    if slow:
        rounded = ", ".join(f"{math.ceil(tupdate * hz / 1e6) * 1000 / hz:.4g} ms at HZ={hz}" for hz in slow)
        found.notes.append(f"tupdate is kept in jiffies, rounded up: {rounded}")
    for name in ("alpha", "beta"):
        gain = 16 * port[name]
        found.whole(name, gain, most=32, why="sixteenths of a hertz, 1 to 32")
    found.notes.append("PIE's mean packet is the interface's MTU: two of them may always wait")
    found.differs("max_burst", "150 ms", "the kernel lets bursts of 150 ms through")
    found.differs("derandomise", kernels=True, said="the kernel derandomises")


def _dualpi2(found: Qdisc) -> None:
    port = found.port
    found.limit()
    found.time("target")
    found.time("tupdate", port["interval"])
    for name in ("alpha", "beta"):
        gain = port[name]
        found.option(name, f"{max(gain, 1 / 256):.6g}")
        found.rounded(name, gain, max(int(gain * 256), 1) / 256.0, "the kernel has 1/256 Hz")
    found.whole("coupling_factor", port["coupling"], most=255, why="a whole number")
    if port["range"] > 0.0:
        width = found.port.settings["range"]
        found.warnings.append(f"range = {width}: the kernel has a step, put into the middle")
    found.time("step_thresh", port["min_th"] + port["range"] / 2.0)
    found.option("min_qlen_step", port["th_len"])
    wanted = 100.0 * port["classic_protection"]
    used = min(max(round(wanted), 1), 99)
    found.option("classic_protection", f"{used}%")
    found.rounded("classic_protection", wanted, used, "whole per cents")
    if port["low_latency"] == "any-ect":
        found.option("any_ect")
    found.differs("delay", "longer", "the kernel's probability follows the longer of both delays")


def _sfb(found: Qdisc) -> None:
    port = found.port
    found.limit()
    found.option("max", port["max"])
    found.option("target", port["bin_size"])
    for option, name in (("increment", "d1"), ("decrement", "d2")):
        step = port[name]
        found.option(option, f"{step:.6g}")
        found.rounded(option, step, round(step * 65535) / 65535, "the kernel has 1/65535")
    found.whole("penalty_rate", 1.0 / port["penalty_gap"], why="whole packets a second")
    found.option("penalty_burst", port["penalty_burst"])
    # In milliseconds, without a unit.
    found.whole("rehash", 1e3 * port["rehash"], least=0)
    found.whole("db", 1e3 * port["warm_up"], least=0)
    found.differs("levels", 8, "the kernel has 8 levels")
    found.differs("bins", 16, "the kernel has 16 bins a level")
    found.differs("ecn", kernels=True, said="the kernel's SFB marks whatever is ECN-capable")


_KERNEL: dict[str, tuple[str, str, str | None, Callable[[Qdisc], None]]] = {
    "drop-tail": ("pfifo", "2.2", None, _drop_tail),
    "red": ("red", "3.3", None, reds.red),
    "adaptive-red": ("red", "3.3", None, reds.adaptive_red),
    "choke": ("choke", "3.3", None, reds.choke),
    "codel": ("codel", "3.5", None, _codel),
    "cobalt": ("cake", "4.19", "4.19", cake.cobalt),
    "cake": ("cake", "4.19", "4.19", cake.cake),
    "pie": ("pie", "3.14", None, _pie),
    "sfb": ("sfb", "2.6.39", None, _sfb),
    "fq-codel": ("fq_codel", "3.5", None, _fq_codel),
    "fq-pie": ("fq_pie", "5.6", "5.6", _fq_pie),
    "dualpi2": ("dualpi2", "6.17", "6.17", _dualpi2),
}
"""Discipline to the kernel's kind, the first Linux, the first iproute2 where not all in use have it, and what
adds the options."""
