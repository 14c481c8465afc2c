"""Measures of one run's queue over time: variation, spectrum, steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from weir import _core
from weir._errors import require
from weir.scenario import flows_at
from weir.stats import moving_average, times

Samples = NDArray[np.float64]

BAND = (0.5, 2.0)
"""Band around the target delay, as factors, to which a queue must return after a step."""

SMOOTHED_RTTS = 10
"""Round trips over which the delay is averaged before it is compared with the band."""


def variation(queue: Samples) -> float:
    """Coefficient of variation: standard deviation over mean; NaN for a queue that was always empty.

    Raises InputError without samples.

    Example:
        >>> import numpy as np
        >>> from weir.evaluate import variation
        >>> variation(np.array([10.0, 30.0, 10.0, 30.0]))
        0.5
    """
    _check_samples(queue)
    mean = float(queue.mean())
    return float(queue.std()) / mean if mean > 0.0 else math.nan


def empty_share(queue: Samples) -> float:
    """Percentage of the samples without a waiting packet.

    Raises InputError without samples.

    Example:
        >>> import numpy as np
        >>> from weir.evaluate import empty_share
        >>> empty_share(np.array([0.0, 3.0, 5.0, 0.0]))
        50.0
    """
    _check_samples(queue)
    return 100.0 * float((queue == 0.0).mean())


def _check_samples(queue: Samples) -> None:
    require(
        queue.size > 0,
        "nothing was sampled of the queue",
        "give one sample or more: measure.series asks for them",
    )


def spectral_peak(queue: Samples) -> float:
    """The largest share of the power, in per cent, in one line of the spectrum and its two neighbours: the
    mean is taken off, and a Hann window spreads a line over three. NaN for fewer than 16 samples.

    Example:
        >>> import numpy as np
        >>> from weir.evaluate import spectral_peak
        >>> time = np.arange(0.0, 16.0, 0.125)
        >>> round(spectral_peak(np.sin(2.0 * np.pi * time))), round(spectral_peak(np.arange(128.0) % 7.0))
        (100, 66)
    """
    if queue.size < 16:
        return math.nan
    power = np.abs(np.fft.rfft((queue - queue.mean()) * np.hanning(queue.size)))[1:] ** 2
    total = float(power.sum())
    if total <= 0.0:
        return 0.0
    lines = np.convolve(power, np.ones(3), mode="same")
    return 100.0 * float(lines.max()) / total


def rates(port: _core.Port, instants: Samples) -> Samples:
    """Rate of a port at these instants, in bit/s."""
    changes = port.rate_changes
    at = np.array([instant for instant, _ in changes])
    values = np.array([port.rate_bps, *(rate for _, rate in changes)], dtype=float)
    return values[np.searchsorted(at, instants, side="right")]


def delays_ms(port: _core.Port, instants: Samples, queue: Samples) -> Samples:
    """Waiting time of a packet that arrives, in milliseconds, at the rate of that instant."""
    return 1e3 * queue * 8.0 * port.mean_packet_bytes / rates(port, instants)


@dataclass(frozen=True)
class Step:
    """Time from a change of load or rate to the next one, in seconds."""

    begin: float
    end: float
    takes: bool
    """True if the change leaves each flow less capacity. The queue must then return to its target, and need
    not be empty."""


def steps(port: _core.Port, warm_up: float, end: float) -> list[Step]:
    """Steps of load or rate from the end of the warm-up on."""
    stated = {change.at_s for change in port.load} | {instant for instant, _ in port.rate_changes}
    begins = sorted(instant for instant in stated if warm_up <= instant < end and instant > 0.0)

    def share(instant: float) -> float:
        (rate,) = rates(port, np.array([instant]))
        return float(rate) / max(1, flows_at(port.load, instant))

    bounds = pairwise([*begins, end])
    return [Step(begin, until, share(begin) < share(begin - _BEFORE)) for begin, until in bounds]


_BEFORE = 1e-6
"""Time before a step at which the old load is read, in seconds."""


def response_rtts(
    port: _core.Port, instants: Samples, queue: Samples, target_ms: float, warm_up: float, end: float
) -> float:
    """The longest time from a step until the delay is in the band around the target, in round trips. The
    delay is the mean of the next `SMOOTHED_RTTS` round trips. The time is infinite where that never happens
    before the next step, and NaN without steps. Where a step leaves more capacity, the band has no lower end:
    nothing may come to wait.

    Raises InputError without samples, for other numbers of instants, and for a target that is not above zero.

    Example:
        >>> import numpy as np
        >>> from weir.evaluate import response_rtts
        >>> port = scenario.network.port("bottleneck")
        >>> instants = np.arange(0.0, 4.0, 0.02)
        >>> queue = np.where(instants < 2.5, 60.0, 10.0)
        >>> round(response_rtts(port, instants, queue, target_ms=20.0, warm_up=0.5, end=4.0), 1)
        4.2
    """
    _check_samples(queue)
    require(
        instants.shape == queue.shape,
        f"{queue.size} samples cannot be at {instants.size} instants",
        "give one sample for each instant",
    )
    require(target_ms > 0.0, f"a target of {target_ms:g} ms is none", "give milliseconds above zero")
    found: list[float] = []
    rtt = port.largest_rtt_s
    interval = float(np.median(np.diff(instants))) if instants.size > 1 else math.inf
    window = max(1, round(SMOOTHED_RTTS * rtt / interval))
    waits = delays_ms(port, instants, queue)
    for step in steps(port, warm_up, end):
        phase = (instants >= step.begin) & (instants < step.end)
        # Of what follows each instant: what was before the step is no answer to it.
        smooth = moving_average(waits[phase], window)[window - 1 :]
        low, high = (BAND[0] * target_ms if step.takes else 0.0), BAND[1] * target_ms
        inside = (smooth >= low) & (smooth <= high)
        nanoseconds = np.rint(1e9 * instants[phase][: smooth.size]).astype(np.int64)
        response, _ = times(nanoseconds, inside, round(1e9 * step.begin), round(1e9 * step.end), 0)
        found.append(response / rtt)
    return max(found, default=math.nan)


def peak_second_ms(port: _core.Port, instants: Samples, queue: Samples) -> float:
    """Largest mean delay of a second, in milliseconds."""
    interval = float(np.median(np.diff(instants))) if instants.size > 1 else math.inf
    return float(moving_average(delays_ms(port, instants, queue), max(1, round(1.0 / interval))).max())
