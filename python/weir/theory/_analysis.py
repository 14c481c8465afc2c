"""Analysis of one loop: operating point, margins, roots, period and deviation, and the flags that make them
doubtful."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from weir.theory._aqms import Integrator, Red
from weir.theory._bisection import bisected_by_factors
from weir.theory._flags import Flag
from weir.theory._margins import Margins, margins_of
from weir.theory._noise import Noise, noise_of
from weir.theory._plant import Loop, QueueLoop, loop_of, swinging
from weir.theory._point import Point, System, operating_point
from weir.theory._roots import Roots, roots_of
from weir.theory._senders import Sawtooth, dctcp_sawtooth
from weir.theory._special import Avq, Hred, Step, dead_zone
from weir.theory._static import as_pi, static_gain
from weir.theory._utility import TheoryError

TOLERANCE = {"queue": 0.03, "signal": 0.1, "period": 0.1, "deviation": 0.2, "stable": None}
"""Share by which packets may differ where a prediction is valid; the queue of an AQM with a line: 0.1."""


@dataclass(frozen=True)
class Prediction:
    """A number that packets should show."""

    name: str
    value: float | bool
    unit: str
    tolerance: float | None
    """Tolerance, as a fraction of the value."""
    flags: tuple[str, ...]
    """Codes of the flags that make this prediction doubtful."""

    @property
    def valid(self) -> bool:
        """True if the prediction should hold here, as no flag makes it doubtful."""
        return not self.flags


@dataclass(frozen=True)
class Swing:
    """HRED's unstable cycle: smaller swings die out in the band, larger ones grow."""

    full_margin: float
    """Gain margin with p_min moving as if there were no band."""
    amplitude: float | None
    """Amplitude of the cycle in packets; None if even the largest swings die out."""
    frequency: float | None
    """Frequency of the cycle, rad/s."""


@dataclass(frozen=True)
class Analysis:
    """Analysis of a system: its resting point and its motion about it."""

    system: System
    point: Point
    loop: Loop | None
    """Linear loop; None if the senders or the AQM have no linear answer, for the reason in `why`."""
    given: tuple[Flag, ...] = ()
    """Flags from the reading of the scenario."""
    why: str | None = None

    @cached_property
    def margins(self) -> Margins | None:
        """Margins of the loop, with the exact delay."""
        return None if self.loop is None else margins_of(self.loop)

    @cached_property
    def roots(self) -> Roots | None:
        """Characteristic roots of the loop, which decide stability."""
        return None if self.loop is None else roots_of(self.loop)

    @cached_property
    def noise(self) -> Noise | None:
        """Noise of the queue, for a stable loop with a queue; otherwise None. Cuts are taken as halvings,
        whatever the flows."""
        if not isinstance(self.loop, QueueLoop) or self.roots is None or not self.roots.stable:
            return None
        return noise_of(self.loop)

    @cached_property
    def deviation(self) -> float | None:
        """Predicted standard deviation of the queue, packets."""
        return None if self.noise is None else self.noise.deviation

    @property
    def period(self) -> float | None:
        """Period of the rightmost oscillation, in seconds. None if it dies out within one period, that is if
        sigma is below -omega."""
        root = None if self.roots is None else self.roots.oscillating
        return None if root is None or -root.real > root.imag else 2.0 * math.pi / root.imag

    @property
    def of_reno(self) -> bool:
        """True if all flows belong to Reno's family."""
        return all(group.kind == "reno" for group in self.system.groups)

    @cached_property
    def sawtooth(self) -> Sawtooth | None:
        """Limit cycle of DCTCP under a step; None for other systems."""
        aqm = self.point.aqm
        if not isinstance(aqm, Step) or any(group.kind != "dctcp" for group in self.system.groups):
            return None
        flows = sum(group.flows for group in self.system.groups)
        delay = sum(group.flows * group.delay for group in self.system.groups) / flows
        return dctcp_sawtooth(flows, self.system.capacity, delay, aqm.threshold)

    @cached_property
    def swing(self) -> Swing | None:
        """Unstable cycle of HRED; None for other AQMs."""
        return swing_of(self.system, self.point) if isinstance(self.point.aqm, Hred) else None

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """Flags of all conditions that make a prediction doubtful here."""
        parts = (_of_senders(self), _of_aqm(self.point), _of_loop(self), _of_deviation(self))
        return (*self.given, *chain.from_iterable(parts))

    @cached_property
    def predictions(self) -> tuple[Prediction, ...]:
        """Predictions to compare with packets."""
        rows: list[tuple[str, float | bool | None, str]] = [
            ("queue", self.point.queue, "packets"),
            # The square root is Reno's: what other controls need is told, but no tolerance is known for it.
            ("signal", self.point.signalled / self.point.rate if self.of_reno else None, "per packet"),
            ("stable", None if self.roots is None else self.roots.stable, ""),
            ("period", self.period, "s"),
            ("deviation", self.deviation, "packets"),
        ]
        line = isinstance(self.point.aqm, Red)
        return tuple(
            Prediction(
                name,
                value,
                unit,
                0.1 if line and name == "queue" else TOLERANCE[name],
                tuple(dict.fromkeys(flag.code for flag in self.flags if name in flag.spoils)),
            )
            for name, value, unit in rows
            if value is not None
        )

    @property
    def static_gain(self) -> float | None:
        """Size of S of HRED's paper at rest, of RED and HRED. Pipe and queue hold all windows."""
        flying = sum(
            group.flows * window for group, window in zip(self.system.groups, self.point.windows, strict=True)
        )
        return static_gain(self.point.aqm, self.point.queue, max(flying - self.point.queue, 0.0))

    def document(self) -> dict[str, Any]:
        """Document that `--json` prints.

        Example:
            >>> from weir.theory import analyse, system_of
            >>> said = analyse(system_of(scenario.variant("rem-mark")).system).document()
            >>> said["stable"], round(said["margins"]["delay_margin_s"], 2)
            (True, 6.06)
        """
        system, point, margins, roots = self.system, self.point, self.margins, self.roots
        groups = [
            {
                "group": group.name,
                "flows": group.flows,
                "kind": group.kind,
                "signals": "marks" if group.marked else "drops",
                "p": point.signals[i],
                "round_trip_s": point.rtts[i],
                "window_packets": point.windows[i],
                "rate_packets_per_s": point.rates[i],
            }
            for i, group in enumerate(system.groups)
        ]
        found: dict[str, Any] = {
            "scenario": system.name,
            "aqm": point.aqm.name,
            "capacity_packets_per_s": system.capacity,
            "operating_point": {"queue_packets": point.queue, "state": point.state, "groups": groups},
            "no_linear_loop": self.why,
        }
        if margins is not None and roots is not None:
            found["margins"] = {
                "gain_margin": margins.gain_margin,
                "phase_margin_deg": margins.phase_margin,
                "delay_margin_s": margins.delay_margin,
                "gain_crossovers_rad_s": [[one.frequency, one.margin] for one in margins.gains],
                "phase_crossovers_rad_s": [[one.frequency, one.margin] for one in margins.phases],
            }
            found["roots"] = [[value.real, value.imag] for value in roots.values]
            found["stable"] = roots.stable
            found["period_s"] = self.period
            found["deviation_packets"] = self.deviation
        if self.sawtooth is not None:
            saw = self.sawtooth
            found["sawtooth"] = {
                "amplitude_packets": saw.amplitude,
                "period_s": saw.period,
                "least_queue_packets": saw.least_queue,
                "largest_gain": saw.largest_gain,
                "least_threshold_packets": saw.least_threshold,
            }
        if self.static_gain is not None:
            found["static_gain"] = self.static_gain
        gains = as_pi(self.point.aqm)
        if gains is not None:
            found["pi"] = {"a": gains[0], "b": gains[1]}
        if self.swing is not None:
            swing = self.swing
            found["swing"] = {
                "full_gain_margin": swing.full_margin if math.isfinite(swing.full_margin) else None,
                "amplitude_packets": swing.amplitude,
                "frequency_rad_s": swing.frequency,
            }
        found["flags"] = [{"code": flag.code, "text": flag.text} for flag in self.flags]
        found["predictions"] = [
            {
                "name": one.name,
                "value": one.value,
                "unit": one.unit,
                "tolerance": one.tolerance,
                "valid": one.valid,
                "flags": list(one.flags),
            }
            for one in self.predictions
        ]
        return found


def analyse(system: System, given: Iterable[Flag] = (), *, simple: bool = False) -> Analysis:
    """Analyses one loop. `simple`: with the plant as the papers simplify it.

    Raises TheoryError where there is no operating point.

    Example:
        >>> from weir.theory import analyse, system_of
        >>> found = analyse(system_of(scenario.variant("rem-mark")).system)
        >>> round(found.point.queue), round(found.margins.gain_margin, 1)
        (20, 22.8)
    """
    point = operating_point(system)
    try:
        loop: Loop | None = loop_of(system, point, simple=simple)
        why = None
    except TheoryError as error:
        loop, why = None, error.message
    return Analysis(system, point, loop, tuple(given), why)


def swing_of(system: System, point: Point) -> Swing:
    """HRED by its describing function: the amplitude at which the gain margin is one (bisection).

    Raises TheoryError for the point of another AQM.

    Example:
        >>> from weir.theory import Group, Hred, System, operating_point, swing_of
        >>> system = System((Group(20.0, 0.24),), 3750.0, Hred(50.0, 150.0))
        >>> swing = swing_of(system, operating_point(system))
        >>> round(swing.full_margin, 2), round(swing.amplitude)
        (0.36, 143)
    """
    aqm = point.aqm
    if not isinstance(aqm, Hred):
        raise TheoryError(
            f"{aqm.name} has no dead zone, and so no describing function",
            "ask for the swing at a point of HRED; `analyse` has the margins and the period of others",
        )

    def margins(share: float) -> Margins:
        return margins_of(swinging(system, point, share))

    full = margins(1.0).gain_margin or math.inf
    if full >= 1.0:
        return Swing(full, None, None)

    def dies_out(amplitude: float) -> bool:
        return (margins(dead_zone(amplitude, aqm.half_band)).gain_margin or math.inf) > 1.0

    amplitude = bisected_by_factors(dies_out, aqm.half_band * (1.0 + 1e-9), aqm.half_band * 1e4, 40)
    frequency = margins(dead_zone(amplitude, aqm.half_band)).phase_crossover
    return Swing(full, amplitude, frequency)


# Flags by the conditions of the models, see docs/explanation/fluid.md.


def _of_senders(found: Analysis) -> Iterator[Flag]:
    system, point = found.system, found.point
    least, most = min(point.windows), max(point.windows)
    if least < 7.0:
        yield Flag("small-windows", f"windows of {least:.3g} packets: below 7 timeouts and packets count")
    elif least < 10.0:
        text = f"windows of {least:.3g} packets: below 10 packets are noise of their own"
        yield Flag("narrow-windows", text)
    if most > 40.0:
        yield Flag("wide-windows", f"windows of {most:.3g} packets: p is that of windows up to 40")
    if point.limited:
        yield Flag("receive-window", "a receiver's window holds flows back: they do not answer")
    flat = [
        group.name
        for group, p, rtt in zip(system.groups, point.signals, point.rtts, strict=True)
        if group.as_linear(p, rtt) is None
    ]
    if flat:
        yield Flag("flat-answer", f"{', '.join(flat)}: no answer to first order")
    other = [group.name for group in system.groups if group.kind != "reno"]
    if other:
        yield Flag("noise-unknown", f"the noise is that of halvings, and {', '.join(other)} cuts otherwise")


def _of_aqm(point: Point) -> Iterator[Flag]:
    match aqm := point.aqm:
        case Avq():
            yield Flag("empty-queue", "the model has no real queue, and a virtual one without a buffer")
        case Step():
            yield Flag("no-slope", "a step has no slope: the queue cycles about its threshold")
        case Hred():
            anywhere = "in its band every queue is a resting point; the swing says which return to it"
            yield Flag("dead-zone", anywhere)
        case Integrator():
            shortest = min(point.rtts)
            if (edge := aqm.near_edge(point.signal)) is not None:
                yield Flag("table-edge", f"p of {point.signal:.3g} is near {edge:g}, where PIE's gain jumps")
            if aqm.hold and aqm.interval > shortest / 5.0:
                text = f"updates of {aqm.interval:g} s are slow beside round trips of {shortest:.3g} s"
                yield Flag("slow-updates", text)
        case Red():
            pass


def _of_loop(found: Analysis) -> Iterator[Flag]:
    roots, margins = found.roots, found.margins
    if roots is None or margins is None:
        return
    if not roots.stable:
        yield Flag("unstable", f"the loop is unstable (sigma {roots.growth:.3g}/s): it cycles about rest")
    gain = margins.gain_margin
    if gain is not None and 0.7 < gain < 1.4:
        yield Flag("near-margin", f"a gain margin of {gain:.3g} is too near 1 to tell")
    if gain is not None and gain < 1.5:
        yield Flag("thin-margin", f"a gain margin of {gain:.3g}: below 1.5 swings are large")
    root = roots.oscillating
    if root is not None and found.period is not None:
        count = found.point.signalled * 2.0 * math.pi / root.imag
        if count < 30.0:
            yield Flag("few-signals", f"{count:.3g} signals a period: below 30 the sawtooth is what is seen")
        if not -0.3 <= root.real <= 0.1:
            text = f"sigma of {root.real:.3g}/s: the period is a linear one between -0.3 and 0.1"
            yield Flag("far-from-margin", text)


def _of_deviation(found: Analysis) -> Iterator[Flag]:
    queue, aqm, sd = found.point.queue, found.point.aqm, found.deviation
    if sd is None:
        return
    if sd >= queue / 2.0:
        yield Flag("wide-swing", f"a deviation of {sd:.3g} at a queue of {queue:.3g}: it runs empty")
    if queue + 2.0 * sd > found.system.buffer:
        yield Flag("overflow", f"the queue reaches the buffer of {found.system.buffer:.4g} packets")
    knees = aqm.knees if isinstance(aqm, Red) else ()
    near = next((knee for knee in knees if abs(knee - queue) < sd), None)
    if near is not None:
        yield Flag("knee", f"the queue is within a deviation of a knee of the line, at {near:.4g}")
