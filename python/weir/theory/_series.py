"""The fluid of a scenario, over its own timeline, in the table of series that a run has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from weir import _core
from weir.scenario import Scenario
from weir.stats import component_of
from weir.theory._flags import Flag
from weir.theory._fluid import Course, Phase, integrate
from weir.theory._model import Reading, timeline_of
from weir.theory._point import operating_point
from weir.theory._senders import PACKET_CUT
from weir.theory._utility import above_zero

INTERVAL = 0.05
"""Seconds between samples, unless the scenario or the caller says otherwise."""


@dataclass(frozen=True)
class FluidRun:
    """Integrated fluid of a scenario, and the flags that make it doubtful."""

    name: str
    label: str
    course: Course
    phases: tuple[Reading, ...]
    """Systems of the timeline, each from its instant on."""
    flags: tuple[Flag, ...]
    interval: float
    """Seconds between samples."""

    def named(self, name: str) -> FluidRun:
        """Run with another name.

        Example:
            >>> from weir.theory import fluid_of
            >>> fluid_of(scenario.variant("rem-mark")).named("fluid").series["variant"].unique().to_list()
            ['fluid']
        """
        return replace(self, name=name)

    @property
    def port(self) -> str:
        """Port whose queue is modelled."""
        return self.phases[0].port

    @property
    def series(self) -> pl.DataFrame:
        """Time series in the columns of `Sweep.series_of`, which are variant, label, component, variable,
        time_s, value.

        The queue and the variables that its discipline shows, in their units, of `links.LINK.forward`;
        `cwnd`, the mean window in packets, of `flows.GROUP`.
        """
        found = self.course
        times = np.arange(found.times[0], found.times[-1] + 1e-9, self.interval)
        component = component_of(self.port)
        shown = {"queue": found.queue, **found.variables}
        columns = {(component, name): found.at(values, times) for name, values in shown.items()}
        columns |= {
            (f"flows.{name}", "cwnd"): found.at(values, times) for name, values in found.windows.items()
        }
        frames = [
            pl.DataFrame({"time_s": times, "value": values}).select(
                pl.lit(self.name).alias("variant"), pl.lit(self.label).alias("label"),
                pl.lit(one).alias("component"), pl.lit(variable).alias("variable"), "time_s", "value",
            )
            for (one, variable), values in columns.items()
        ]  # fmt: skip
        return pl.concat(frames)


def fluid_of(
    scenario: Scenario,
    *,
    until: float | None = None,
    link: str | None = None,
    cut: float = PACKET_CUT,
    interval: float | None = None,
    step: float | None = None,
    settled: bool = False,
) -> FluidRun:
    """Integrates a scenario's own timeline: its loads, rates and parameters that change.

    It begins as a run does, with an empty queue and flows in slow start; `settled`: where the first system
    rests. Instants in seconds. Where no flow is left it ends. Raises TheoryError for what has no model, and
    for an end, an interval or a step that is not above zero.

    Example:
        >>> from weir.theory import fluid_of
        >>> course = fluid_of(scenario.variant("rem-mark")).course
        >>> round(course.queue.max()), round(course.swing(since=3.0))
        (120, 115)
    """
    for name, value in (("until", until), ("interval", interval), ("step", step)):
        if value is not None:
            above_zero(**{name: value})
    phases, stop = timeline_of(scenario, until, link=link, cut=cut)
    systems = [Phase(reading.at, reading.system) for reading in phases]
    start = operating_point(systems[0].system) if settled else None
    found = integrate(systems, stop, start=start, step=step)
    flags = {flag.code: flag for reading in phases for flag in reading.flags}
    if any(reading.system.buffer - found.queue.max() < 1.0 for reading in phases):
        flags["overflow"] = Flag(
            "overflow", "the queue reaches the buffer: what overflows is lost by all flows alike"
        )
    if len({type(reading.system.aqm) for reading in phases}) > 1:
        flags["several-queues"] = Flag(
            "several-queues", "the discipline changes: the state of the last one is shown"
        )
    stated: Any = scenario.core.value("measure.series") or {}
    given = interval or (_core.quantity(stated["interval"])[0] if stated.get("interval") else INTERVAL)
    return FluidRun(
        scenario.name, f"{scenario.label}, fluid", found, tuple(phases), tuple(flags.values()), given
    )
