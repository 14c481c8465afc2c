"""What windows and AQMs say together: loss, queue, delay and utilisation at rest.

Windows: p = 1.5 / W^2 and N W = C R0 + q. An AQM adds what its probability is at a queue of q; where both
agree, the queue rests.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from weir.theory import mean_window, red_queue, reno_probability

PACKET_BITS = 512 * 8
MIN_TH, MAX_TH = 5.0, 15.0
WAIT = 2.0 / 3.0
"""What ns-2's `wait` leaves of RED's probability."""
TARGET, ALPHA, INTERVAL_S = 20.0, 0.1, 0.002
"""Of REM."""

Family = Literal["gred", "nlred", "rem"]
FAMILIES: tuple[Family, ...] = ("gred", "nlred", "rem")


@dataclass(frozen=True)
class Place:
    """A link and the round trip over it."""

    rate: float = 20.0
    """Mbit/s."""
    rtt_ms: float = 100.0

    @property
    def packets_per_ms(self) -> float:
        return self.rate * 1000.0 / PACKET_BITS

    @property
    def pipe(self) -> float:
        """Packets that fill the path."""
        return self.packets_per_ms * self.rtt_ms


MAIN_PLACE = Place()


def wanted(flows: float, queue: float, place: Place = MAIN_PLACE) -> float:
    """The probability of loss at which so many windows fill the path and the queue."""
    return reno_probability(mean_window(round(flows), place.pipe, queue))


def quadratic_queue(flows: int, pipe: float, height: float, spread: float = 1.0) -> float | None:
    """NLRED's mean queue: RED's calculation with a parabola that reaches `height` at max_th.

    None where no average below max_th drops enough.
    """
    return _rest(
        lambda q: spread * height * ((q - MIN_TH) / (MAX_TH - MIN_TH)) ** 2, flows, pipe, MIN_TH, MAX_TH
    )


def gentle_queue(flows: int, pipe: float, max_p: float, spread: float = 1.0) -> float | None:
    """Gentle RED's: the line up to max_th, and from there the ramp to 1 at twice max_th."""
    below = red_queue(flows, pipe, MIN_TH, MAX_TH, max_p, spread)
    if below is not None:
        return below
    return _rest(
        lambda q: spread * (max_p + (1.0 - max_p) * (q - MAX_TH) / MAX_TH), flows, pipe, MAX_TH, 2.0 * MAX_TH
    )


def rem_queue(flows: int, pipe: float, packets_per_interval: float) -> float:
    """REM's with dropping: arrivals that are dropped count, so that the queue rests below its target."""

    def missing(queue: float) -> float:
        p = min(0.999, reno_probability(mean_window(flows, pipe, queue)))
        excess = packets_per_interval * p / (1.0 - p)
        return TARGET - excess / ALPHA - queue

    return _root(missing, 0.0, TARGET)


def queue_at(family: Family, flows: float, place: Place = MAIN_PLACE) -> float:
    """The mean queue at rest, in packets, at the paper's parameters."""
    n = round(flows)
    match family:
        case "gred":
            found = gentle_queue(n, place.pipe, 0.1, WAIT)
            return 2.0 * MAX_TH if found is None else found
        case "nlred":
            # Beyond max_th all is dropped, and the average rests there.
            found = quadratic_queue(n, place.pipe, 0.15, WAIT)
            return MAX_TH if found is None else found
        case "rem":
            return rem_queue(n, place.pipe, place.packets_per_ms * INTERVAL_S * 1000.0)


def measure_at(family: Family, measure: str, flows: float, place: Place = MAIN_PLACE) -> float:
    """Queue in packets, delay in ms, loss in per cent."""
    queue = queue_at(family, flows, place)
    match measure:
        case "mean_queue":
            return queue
        case "delay_mean":
            return queue / place.packets_per_ms
        case "loss":
            return 100.0 * wanted(flows, queue, place)
        case _:
            raise ValueError(f"no theory of {measure}")


def _rest(aqm: Callable[[float], float], flows: int, pipe: float, low: float, high: float) -> float | None:
    def missing(queue: float) -> float:
        return reno_probability(mean_window(flows, pipe, queue)) - aqm(queue)

    return None if missing(high) > 0.0 else _root(missing, low, high)


def _root(missing: Callable[[float], float], low: float, high: float) -> float:
    """Where it falls to zero."""
    if missing(low) <= 0.0:
        return low
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if missing(middle) > 0.0 else (low, middle)
    return high


FINE = [20.0 + 2.0 * step for step in range(51)]
"""Numbers of flows for a smooth curve."""
