"""A live run as specified, and the links that its packets pass."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from weir import _core
from weir._errors import WeirError
from weir.live._forward import Forward

PACKET_BYTES = 24
"""Bytes that the relay keeps of each packet, for the tables afterwards."""

MEMORY_SHARE = 0.25
"""Share of the machine's memory for the packets that are kept; when it is used up, the run ends."""


def most_packets() -> int:
    """Largest number of packets that a run may keep."""
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(MEMORY_SHARE * memory_bytes) // PACKET_BYTES


@dataclass(frozen=True)
class LiveSpec:
    """A live run as specified."""

    scenario: _core.Scenario
    command: Sequence[str]
    far: Sequence[str] | None = None
    clients: int = 1
    forwards: Sequence[Forward] = ()
    internet: Sequence[int] = ()
    """Ports of TCP that are reached at any host of this machine's own network; with any, names are too."""
    group: str | None = None
    rtt: str | None = None
    download: bool = False
    duration_s: float | None = None
    """Time after which the commands are ended, s; None: they end by themselves."""
    congestion: str | None = None
    mtu: int = 1500
    capture: Path | None = None
    veth: bool = False
    """True for veth pairs although TUN is there."""
    quiet: bool = False
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Settings of the ends: key under /proc/sys/net to value."""
    controls: Sequence[str] = ()
    """Congestion controls of Weir's own senders, if they send."""
    router: str | None = None
    """Shell script that makes a queue of the kernel, which stands in the place of the scenario's."""
    most_packets: int = field(default_factory=most_packets)
    """Number of packets, in both directions together, after which the commands are ended."""

    @property
    def queue_text(self) -> str:
        """The commands that make the queue of the kernel, on one line; empty without one."""
        lines = (self.router or "").replace("\\\n", " ").splitlines()
        commands = (" ".join(line.split()) for line in lines)
        return "; ".join(one.replace('"$DEV"', "DEV") for one in commands if one.startswith("tc "))

    @cached_property
    def ways(self) -> _core.LiveWays:
        """The links that packets pass. Raises ScenarioError, WeirError."""
        return ways_of(self.scenario, self.group, self.rtt)

    def check(self) -> None:
        """Raises WeirError for a command that is not there, ScenarioError for what cannot be live."""
        assert self.ways
        for arguments in (self.command, *([self.far] if self.far else [])):
            if shutil.which(arguments[0]) is None:
                what = "is not an executable file" if "/" in arguments[0] else "is not installed"
                raise WeirError(f"the command {arguments[0]!r} {what}")


def ways_of(scenario: _core.Scenario, group: str | None, rtt: str | None) -> _core.LiveWays:
    """The links that packets pass there and back. Raises ScenarioError for what cannot be live, WeirError."""
    if not hasattr(_core, "LiveWays"):
        raise WeirError("weir live needs Linux", "weir run simulates the same scenario anywhere")
    try:
        return _core.LiveWays(scenario, group, rtt)
    except _core.ScenarioError:
        raise
    except ValueError as error:
        raise WeirError(f"--rtt: {error}") from None
