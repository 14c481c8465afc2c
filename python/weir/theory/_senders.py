"""Senders of the fluid model: groups of flows that answer signals, and how far they do.

Reno's family by Misra, Gong and Towsley (SIGCOMM 2000), with increase a and cut b:

    W' = a / R(t) - b W(t) W(t-R) / R(t-R) p(t-R)                                      at rest  b W^2 p = a

Where signals are drops the increase is a (1 - p) / R, and at rest b W^2 p = a (1 - p). Scalable controls
under random marks (De Schepper and others, CoNEXT 2016, appendix B), Prague with a = (R / max(R, 25 ms))^2:

    W' = a / R(t) - b p(t-R) W(t-R) / R(t-R)                                           at rest  b W p = a

CUBIC by Vardoyan, Hollot and Towsley (INFOCOM 2018) has W = (c/b)^(1/4) (R/p)^(3/4) at rest. Its average by
RFC 9438 is 1.054 (R/p)^(3/4), in the Reno-friendly region that of Reno with a = 3 (1 - beta) / (1 + beta).
DCTCP under a step by Alizadeh, Javanmard and Prabhakar (SIGMETRICS 2011): no rest, a limit cycle.

Windows are in packets, times in seconds, rates in packets per second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, get_args

from weir.scenario import suggestion
from weir.theory._utility import TheoryError, above_zero, not_below_zero, require

WindowModel = Literal["reno", "scalable", "cubic", "dctcp"]

PAPER_CUT = 0.5
"""Cut b of the published fluid: W sqrt(p) = 1.414."""

PACKET_CUT = 2.0 / 3.0
"""Cut b that agrees with packets: W^2 p = 1.5 (Mathis and others, 1997), since cuts come at the peak, 4/3 of
the mean."""

CUBIC_C = 0.4
CUBIC_BETA = 0.7
"""RFC 9438, section 4.1 and 4.6."""


@dataclass(frozen=True)
class Response:
    """The linear answer of one window: W' = -now W - before W(t-R) - signal p(t-R) - queue [q(t) -
    q(t-R)]."""

    now: float
    before: float
    signal: float
    queue: float


@dataclass(frozen=True)
class Group:
    """Flows of one kind with one propagation round trip.

    Raises TheoryError for numbers that no flows can have.

    Example:
        >>> from weir.theory import Group
        >>> group = Group(flows=20.0, delay=0.08)
        >>> rtt = group.round_trip(queue=160.0, capacity=8000.0)
        >>> round(rtt, 2), round(group.window(0.01, rtt), 1)
        (0.1, 12.2)
    """

    flows: float
    delay: float
    """Propagation round trip d in seconds, without queues."""
    kind: WindowModel = "reno"
    increase: float = 1.0
    """Increase a, packets per round trip."""
    cut: float = PACKET_CUT
    """Cut b, the fraction of the window that a signal takes, as the fluid counts it."""
    marked: bool = True
    """True if signals are marks; false if packets are dropped."""
    waits: bool = True
    """True if its packets wait in the queue. Packets in DualPI2's low-latency queue do not."""
    most: float = math.inf
    """Receiver's window, packets."""
    name: str = "flows"
    target_rtt: float = 0.0
    """Round trip in seconds below which Prague grows as if it had this round trip."""
    cubic_c: float = CUBIC_C
    """C of CUBIC, packets per second cubed."""
    beta: float = CUBIC_BETA
    """Factor of CUBIC's window at a cut."""
    friendly: bool = True
    """True if CUBIC has its Reno-friendly region."""
    sawtooth: bool = True
    """True if CUBIC's window at rest is the average of RFC 9438; false if it is the one of its fluid."""
    gain: float = 1.0 / 16.0
    """Weight g of the newest window in DCTCP's alpha."""

    def __post_init__(self) -> None:
        said = f"flows of {self.name}"
        kinds: tuple[str, ...] = get_args(WindowModel)
        if self.kind not in kinds:
            raise TheoryError(f"{said}: there is no kind {self.kind!r}", suggestion(self.kind, kinds))
        require(self.flows > 0.0, f"{said}: {self.flows:g} flows", "one or more")
        require(self.delay >= 0.0, f"{said}: a delay of {self.delay:g} s", "zero or more")
        require(self.increase > 0.0, f"{said}: an increase of {self.increase:g}", "more than zero")
        require(0.0 < self.cut < 1.0, f"{said}: a cut of {self.cut:g}", "between 0 and 1")

    def round_trip(self, queue: float, capacity: float) -> float:
        """Round trip R in seconds, with so many packets in the queue. Raises TheoryError if it is zero, and
        for a capacity that is."""
        if not capacity > 0.0:
            raise TheoryError(f"a capacity of {capacity:g} packets/s", "more than zero")
        found = self.delay + (queue / capacity if self.waits else 0.0)
        require(
            found > 0.0,
            f"flows of {self.name} have a delay of zero, and rates are windows over round trips",
            "give them a round trip: flows.GROUP.rtt",
        )
        return found

    def grows(self, rtt: float) -> float:
        """Increase a at this round trip, packets."""
        return (
            self.increase * min(rtt / self.target_rtt, 1.0) ** 2 if self.target_rtt > 0.0 else self.increase
        )

    def window(self, p: float, rtt: float) -> float:
        """The mean window at rest, packets; no less than 1, no more than the receiver allows."""
        return max(1.0, min(self.most, self._free(p, rtt)))

    def _free(self, p: float, rtt: float) -> float:
        if p <= 0.0:
            return math.inf
        left = 1.0 if self.marked else 1.0 - p
        match self.kind:
            case "reno":
                return math.sqrt(self.increase * left / (self.cut * p))
            case "scalable":
                return self.grows(rtt) * left / (self.cut * p)
            case "cubic":
                own = self._cubic(p, rtt)
                return (
                    max(own, math.sqrt(self._friend.increase / (self._friend.cut * p)))
                    if self.friendly
                    else own
                )
            case "dctcp":
                # A step marks whole windows in turn: alpha = sqrt(2/W) (Alizadeh and others, 2010, section
                # 3.3).
                return 2.0 / (p * p)

    def _cubic(self, p: float, rtt: float) -> float:
        less = 1.0 - self.beta
        if self.sawtooth:
            return (self.cubic_c * (3.0 + self.beta) / (4.0 * less)) ** 0.25 * (rtt / p) ** 0.75
        return (self.cubic_c / less) ** 0.25 * (rtt / p) ** 0.75

    @property
    def _friend(self) -> Group:
        """Reno as CUBIC follows it: a = 3 (1 - beta) / (1 + beta), and a / b = 3/2, the average of its
        sawtooth."""
        increase = 3.0 * (1.0 - self.beta) / (1.0 + self.beta)
        return replace(self, kind="reno", increase=increase, cut=increase / 1.5)

    def as_linear(self, p: float, rtt: float) -> Group | None:
        """The group whose linear answer this one has; None where it has none to first order: CUBIC beyond its
        Reno-friendly region, whose growth is flat at rest, and DCTCP under a step."""
        if self.kind == "cubic":
            friend = self._friend
            return friend if self.friendly and friend._free(p, rtt) >= self._cubic(p, rtt) else None
        return None if self.kind == "dctcp" else self

    def response(self, p: float, rtt: float, capacity: float, *, simple: bool = False) -> Response:
        """The linear answer at rest. `simple`: W(t) for W(t-R), and no queue in W', as Hollot and others
        (2001) and the PI2 paper have it. Raises TheoryError where there is none."""
        like = self.as_linear(p, rtt)
        if like is None:
            raise TheoryError(*self.without_answer)
        window = like.window(p, rtt)
        if window >= self.most:
            return Response(0.0, 0.0, 0.0, 0.0)
        left = 1.0 if like.marked else 1.0 - p
        increase = like.grows(rtt) * left
        lag = increase / (rtt * window)
        waits = 0.0 if simple or not like.waits else increase / (rtt * rtt * capacity)
        lost = 0.0 if like.marked else like.grows(rtt) / rtt
        if like.kind == "scalable":
            signal = like.cut * window / rtt + lost
            return Response(lag, 0.0, signal, 0.0) if simple else Response(0.0, lag, signal, waits)
        signal = like.cut * window * window / rtt + lost
        return Response(2.0 * lag, 0.0, signal, 0.0) if simple else Response(lag, lag, signal, waits)

    @property
    def without_answer(self) -> tuple[str, str]:
        """Reason why there is no linear answer, and what to do instead."""
        if self.kind == "dctcp":
            return (
                "DCTCP under a step has no rest to linearise about: it cycles",
                "see the amplitude and period of its sawtooth, or integrate it: weir theory fluid",
            )
        return (
            "CUBIC's growth is flat where it rests: to first order its fluid does not answer a signal",
            "integrate it: weir theory fluid",
        )


@dataclass(frozen=True)
class Sawtooth:
    """DCTCP's limit cycle under a step by Alizadeh and others (2010, section 3.3), flows in step."""

    amplitude: float
    """Amplitude of the queue, packets."""
    period: float
    """Period, seconds."""
    least_queue: float
    """Least queue, packets."""
    largest_gain: float
    """Bound on g, which must stay below it for alpha to span a cycle."""
    least_threshold: float
    """Least threshold K for a full link, C R / 7. K must exceed it."""


def dctcp_sawtooth(flows: float, capacity: float, rtt: float, threshold: float) -> Sawtooth:
    """The sawtooth of so many flows over `capacity` packets per second with a step at `threshold` packets.

    Raises TheoryError for numbers that are not above zero, and for a negative threshold.

    Example:
        >>> from weir.theory import dctcp_sawtooth
        >>> saw = dctcp_sawtooth(flows=2, capacity=83_333.0, rtt=100e-6, threshold=20.0)
        >>> round(saw.amplitude, 1), round(saw.least_threshold, 1)
        (5.3, 1.2)
    """
    above_zero(flows=flows, capacity=capacity, rtt=rtt)
    not_below_zero(threshold=threshold)
    pipe = capacity * rtt + threshold
    amplitude = 0.5 * math.sqrt(2.0 * flows * pipe)
    # The window of one flow falls by amplitude / flows, and grows by one a round trip.
    return Sawtooth(
        amplitude,
        rtt / flows * amplitude,
        threshold + flows - amplitude,
        1.386 / math.sqrt(2.0 * pipe),
        capacity * rtt / 7.0,
    )
