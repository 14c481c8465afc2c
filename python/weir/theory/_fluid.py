"""The nonlinear fluid: delay-differential equations of windows, queue and AQM, integrated over a timeline.

    q' = sum of N_i W_i / R_i + u - C,    0 <= q <= B,  q' cut at both ends,    R_i(t) = d_i + q(t) / C

with windows as in `_senders`, each answering p(t - R_i(t)). The crate `weir-theory` has the method.

The model has no slow start of its own: flows that come grow by W' = W ln 2 / R until the first signal is due.
At a full buffer 1 - C / rate of what comes is lost, by all flows alike.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir.theory._aqms import AdaptiveRed, Aqm, Integrator, Red
from weir.theory._point import Point, System
from weir.theory._special import Avq, Hred, Step
from weir.theory._utility import TheoryError, above_zero, not_below_zero, require


@dataclass(frozen=True)
class Phase:
    """System from an instant on, in seconds."""

    since: float
    system: System


@dataclass(frozen=True)
class Course:
    """Solution of the equations, at the steps of the integration.

    Example:
        >>> from weir.theory import Group, Phase, System, integrate, pi2
        >>> system = System((Group(1.0, 0.2),), 1000.0, pi2(0.3, 3.0, 0.015, 0.015))
        >>> course = integrate([Phase(0.0, system)], until=60.0)
        >>> course.at(course.queue, [1.0, 30.0]).round(1).tolist()
        [28.0, 0.0]
        >>> round(course.swing(since=30.0), 1), round(course.period(since=30.0), 1)
        (17.1, 5.4)
    """

    times: NDArray[np.float64]
    """Instants of the steps, seconds."""
    queue: NDArray[np.float64]
    """Queue, packets."""
    signal: NDArray[np.float64]
    """Signal p; for DualPI2 the one of its classic flows."""
    state: NDArray[np.float64]
    """State of the AQM, which is RED's average, REM's price, p' of PI2, ln p_min of HRED, AVQ's virtual
    capacity, p of PI and PIE."""
    variables: dict[str, NDArray[np.float64]]
    """Variables that the last discipline records, by its names for them."""
    windows: dict[str, NDArray[np.float64]]
    """Mean window of each group by name, packets; NaN while it has no flow."""
    steps: int

    def at(self, values: NDArray[np.float64], instants: NDArray[np.float64]) -> NDArray[np.float64]:
        """Interpolates values at other instants. Raises TheoryError unless there is a value for each step."""
        said = f"{len(values)} values are not of the {len(self.times)} instants of the course"
        require(len(values) == len(self.times), said, "give one of its own: queue, signal, state")
        return np.interp(instants, self.times, values)

    def _check_instant(self, since: float) -> None:
        end = float(self.times[-1])
        require(since <= end, f"the course ends at {end:g} s, before {since:g} s", "an earlier instant")

    def swing(self, since: float) -> float:
        """Peak-to-peak swing of the queue from an instant on, packets. Raises TheoryError for an instant
        after the end."""
        self._check_instant(since)
        return float(np.ptp(self.queue[self.times >= since]))

    def period(self, since: float) -> float | None:
        """Mean period from an instant on, in seconds, between the times at which the queue rises through its
        mean. None for fewer than two periods. Raises TheoryError for an instant after the end."""
        self._check_instant(since)
        # Steps differ in length, and a mean is over time.
        times = np.linspace(since, float(self.times[-1]), 2 * int((self.times >= since).sum()))
        queue = self.at(self.queue, times)
        above = queue - queue.mean()
        rises = np.flatnonzero((above[:-1] < 0.0) & (above[1:] >= 0.0))
        if len(rises) < 3:
            return None
        share = above[rises] / (above[rises] - above[rises + 1])
        crossings = times[rises] + share * (times[rises + 1] - times[rises])
        return float(np.diff(crossings).mean())


def integrate(
    timeline: Sequence[Phase],
    until: float,
    *,
    start: Point | None = None,
    queue: float | None = None,
    state: float | None = None,
    step: float | None = None,
    newcomers: bool = True,
) -> Course:
    """Integrates a timeline until an instant in seconds.

    Without `start` the queue is empty and all flows begin in slow start. With it the past is constant there,
    and `queue` and `state` replace its own. `newcomers`: flows that come later begin in slow start, else with
    the window of their group. Raises TheoryError for what cannot be integrated.

    Example:
        >>> from weir.theory import Phase, integrate, system_of
        >>> system = system_of(scenario.variant("rem-mark")).system
        >>> course = integrate([Phase(0.0, system)], until=5.0)
        >>> round(course.queue.max()), round(course.queue[-1])
        (120, 33)
    """
    require(math.isfinite(until), f"the end is at {until:g} s", "a number of seconds")
    if step is not None:
        above_zero(step=step)
    if queue is not None:
        not_below_zero(queue=queue)
    given = {
        "phases": [{"since": phase.since, "system": _written(phase.system)} for phase in timeline],
        "until": until,
        "start": None
        if start is None
        else {"queue": start.queue, "state": start.state, "windows": start.windows},
        "queue": queue,
        "state": state,
        "step": step,
        "newcomers": newcomers,
    }
    try:
        found = _core.integrate(json.dumps(given))
    except ValueError as error:
        raise TheoryError(*error.args) from None
    times, queues, signals, states = (
        np.frombuffer(found[name]) for name in ("times", "queue", "signal", "state")
    )
    variables, windows = (
        {name: np.frombuffer(values) for name, values in found[kind].items()}
        for kind in ("variables", "windows")
    )
    return Course(times, queues, signals, states, variables, windows, len(times) - 1)


def _written(system: System) -> dict[str, Any]:
    """Document of a system, as the core reads it."""
    groups = [_finite(vars(group)) for group in system.groups]
    return {**_finite(vars(system)), "groups": groups, "aqm": _aqm(system.aqm)}


def _aqm(aqm: Aqm) -> dict[str, Any]:
    match aqm:
        case AdaptiveRed():
            return {**_aqm(aqm.red), "adapts": {"bottom": aqm.bottom, "top": aqm.top}}
        case Red() | Integrator() | Hred() | Avq() | Step():
            return {"kind": type(aqm).__name__.lower(), **vars(aqm)}


def _finite(values: dict[str, Any]) -> dict[str, Any]:
    """Values without infinite bounds, which JSON does not have."""
    return {name: value for name, value in values.items() if value != math.inf}
