"""Which discipline of the kernel does what a discipline of Weir does."""

from __future__ import annotations

from collections.abc import Callable

from weir.export import reds, timed
from weir.export.port import Port
from weir.export.qdisc import Qdisc

_KERNEL: dict[str, Callable[[Port], Qdisc | None]] = {
    "drop-tail": timed.drop_tail,
    "red": reds.red,
    "adaptive-red": reds.adaptive_red,
    "choke": reds.choke,
    "codel": timed.codel,
    "cobalt": timed.cake,
    "pie": timed.pie,
    "sfb": timed.sfb,
    "fq": timed.fair,
    "fq-codel": timed.fq_codel,
    "fq-pie": timed.fq_pie,
    "dualpi2": timed.dualpi2,
}


def qdisc_of(port: Port) -> Qdisc | None:
    """The kernel's discipline with its options; None where no kernel has one. Raises ExportError."""
    make = _KERNEL.get(port.law)
    return None if make is None else make(port)
