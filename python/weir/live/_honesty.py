"""Reliability of a live run: late packets, losses outside the queues, CPU time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from weir.check import Note

if TYPE_CHECKING:
    from weir.live._session import SessionResult

LATE_SHARE = 0.01
"""Share of packets that left more than a millisecond late, above which a run is doubtful."""

LOST_SHARE = 0.001
"""Share of packets that were lost outside the queues, above which a run is doubtful."""


def verdict(outcome: SessionResult) -> str:
    """Reliability in a sentence: `3 of 120,000 packets left more than 1 ms late`."""
    packets, late = _count(outcome, "packets"), _count(outcome, "late")
    said = f"{late:,} of {packets:,} packets left more than 1 ms late" if packets else "no packet passed"
    if lost := _lost(outcome):
        said += f"; {lost:,} lost outside the queues"
    return said


def facts(outcomes: Sequence[SessionResult]) -> dict[str, str]:
    """Totals and worst values of several runs, for the head of a page."""
    packets = sum(_count(one, "packets") for one in outcomes)
    late = sum(_count(one, "late") for one in outcomes)
    cpu_s = sum(one.run.honesty["cpu_s"] for one in outcomes)
    first = outcomes[0]
    return {
        "Congestion control": first.congestion,
        "Packets late by 1 ms": f"{late:,} of {packets:,}",
        "Wake-up lateness, p99": f"{max(one.run.honesty.get('wake_p99_us', 0.0) for one in outcomes):.0f} µs",
        "Stalls of 10 ms": f"{sum(_count(one, 'stalls') for one in outcomes):,}",
        "Lost outside the queues": f"{sum(map(_lost, outcomes)):,} packets",
        "Relay": f"{'TUN' if first.tun else 'veth pairs'}, "
        + (f"{1e9 * cpu_s / packets:.0f} ns of CPU per packet" if packets else "no packets"),
        "Same decisions as the simulator's port": "yes" if all(one.run.agrees for one in outcomes) else "no",
    }


def notes(outcomes: Sequence[SessionResult]) -> Iterator[Note]:
    """Notes on what may mislead in the measurements."""
    late = max((_count(one, "late") / max(1, _count(one, "packets")) for one in outcomes), default=0.0)
    worst = " of the worst run" if len(outcomes) > 1 else ""
    if late > LATE_SHARE:
        yield _doubt(
            "live-late",
            f"{100.0 * late:.3g}% of the packets{worst} left more than 1 ms late: the machine was busy",
            "a lower rate, or sudo chrt -f 10 before the command, on a machine that does nothing else",
        )
    lost = max((_lost(one) / max(1, _count(one, "packets")) for one in outcomes), default=0.0)
    if lost > LOST_SHARE:
        yield _doubt(
            "live-lost",
            f"{100.0 * lost:.3g}% of the packets{worst} were lost outside the queues, unseen by the AQM",
            "a lower rate of what is sent: this machine cannot carry more",
        )
    if not all(one.run.agrees for one in outcomes):
        yield _doubt(
            "live-differs",
            "the simulator's port decided otherwise about the same arrivals",
            "a report to the developers, with the scenario",
        )
    if any(one.is_full for one in outcomes):
        yield _doubt(
            "live-full",
            "the command was ended, since what is kept of its packets filled a quarter of the memory",
            "a shorter run: --duration",
        )
    if not all(one.tun for one in outcomes):
        yield Note(
            "live-veth",
            "note",
            "live",
            "packets went over veth pairs, at a higher cost per packet than over TUN devices",
            "sudo chmod 666 /dev/net/tun",
        )


def _doubt(code: str, message: str, hint: str) -> Note:
    return Note(code, "warning", "live", message, hint)


def _count(outcome: SessionResult, name: str) -> int:
    return int(outcome.run.honesty.get(name, 0))


def _lost(outcome: SessionResult) -> int:
    """Packets lost before the relay and behind it."""
    return outcome.device_drops + _count(outcome, "refused") + _count(outcome, "undelivered")
