"""A scenario at an instant as a system of the fluid model.

The core reads ports, paths, disciplines and congestion controls as parts of the model: `weir-theory`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.scenario import Scenario, core_of
from weir.theory._aqms import AdaptiveRed, Aqm, Integrator, Red
from weir.theory._flags import Flag
from weir.theory._point import System
from weir.theory._senders import PACKET_CUT, Group
from weir.theory._special import Avq, Hred, Step
from weir.theory._utility import TheoryError


@dataclass(frozen=True)
class Reading:
    """Result of reading a scenario: the system, its flags and where it was read."""

    system: System
    flags: tuple[Flag, ...]
    port: str
    at: float
    """Instant, seconds."""
    packet_bytes: int
    discipline: str


@dataclass(frozen=True)
class Queue:
    """A queue at an instant."""

    discipline: str
    capacity: float
    """Capacity C, packets per second."""
    buffer: float
    """Buffer B, packets."""
    aqm: Aqm | None
    why: str | None
    """Reason why its AQM has no model."""


def system_of(
    scenario: Scenario, at: float | None = None, *, link: str | None = None, cut: float = PACKET_CUT
) -> Reading:
    """The queue of a link, the bottleneck if None, and its flows at an instant in seconds, the end if None.

    `cut` is b of Reno's fluid: 2/3 agrees with packets, papers have 1/2. Raises TheoryError for what has no
    model, and InputError for what is no scenario.

    Example:
        >>> from weir.theory import system_of
        >>> system = system_of(scenario.variant("rem-mark"), at=3.0).system
        >>> system.capacity, system.aqm.name, system.groups[0].flows
        (500.0, 'REM', 4.0)
    """
    found = asked(_core.fluid_system, core_of(scenario), at, link, cut)
    return _reading(found, scenario.name)


def timeline_of(
    scenario: Scenario, until: float | None, *, link: str | None = None, cut: float = PACKET_CUT
) -> tuple[list[Reading], float]:
    """Each instant before `until`, in seconds, from which on something is another, with the system from then
    on. The second value is the end. It is where no flow is left, if that is earlier than `until`."""
    found = asked(_core.fluid_timeline, core_of(scenario), until, link, cut)
    return [_reading(phase, scenario.name) for phase in found["phases"]], float(found["until"])


def queue_of(scenario: Scenario, port: str, at: float, packet_bytes: int) -> Queue:
    """A port's queue at an instant in seconds."""
    found = asked(_core.fluid_queue, scenario.core, port, at, packet_bytes)
    aqm = None if found["aqm"] is None else _aqm(found["aqm"])
    buffer = float(found.get("buffer", "inf"))
    return Queue(found["discipline"], float(found["capacity"]), buffer, aqm, found["why"])


def asked(function: Callable[..., str], *arguments: object) -> Any:  # noqa: ANN401 - JSON
    """Answer of the core, from JSON. Raises TheoryError."""
    try:
        return json.loads(function(*arguments))
    except ValueError as error:
        raise TheoryError(*error.args) from None


def _reading(found: dict[str, Any], name: str) -> Reading:
    system = found["system"]
    groups = tuple(Group(**group) for group in system.pop("groups"))
    aqm = _aqm(system.pop("aqm"))
    flags = tuple(Flag(**flag) for flag in found["flags"])
    made = System(groups=groups, aqm=aqm, name=name, **system)
    return Reading(made, flags, found["port"], found["at"], found["packet_bytes"], found["discipline"])


_AQMS: dict[str, Callable[..., Aqm]] = {
    "red": Red, "integrator": Integrator, "hred": Hred, "avq": Avq, "step": Step,
}  # fmt: skip


def _aqm(found: dict[str, Any]) -> Aqm:
    adapts = found.pop("adapts", None)
    aqm = _AQMS[found.pop("kind")](**found)
    return AdaptiveRed(aqm, **adapts) if adapts and isinstance(aqm, Red) else aqm
