"""The numbers of Tables 1 and 2 with their units, what they follow from, and what theory makes of them.

Queues are in bytes, times in seconds, probabilities per packet.
"""

from __future__ import annotations

from weir.theory import mean_window, reno_probability

CAPACITY = 32e6 / 8
"""Bytes per second."""
PACKET = 500.0
"""Bytes."""
BUFFER, MIN_TH, MAX_TH = 500e3, 125e3, 250e3
Q_REF = 187e3
MAX_P = 0.02
"""RED's."""
RTT_MEAN, RTT_MAX = 0.2, 0.24
"""Round trips without queueing: U(160 ms, 240 ms)."""

PRINTED_K_ALPHA, PRINTED_K_BETA = 1.3563e-10, 2.7126e-10
PRINTED_A, PRINTED_B = 1.1379e-8, 1.1349e-8
K = 2.0
SAMPLING = 160.0
"""Updates of PI in a second."""

ARRIVALS = CAPACITY / PACKET
"""Packets per second at full load."""


def k_alpha(rtt: float = RTT_MAX) -> float:
    """Equation (11) for small changes of load, per bit: 2 S / (C RTT)^2."""
    return 2.0 * 8.0 * PACKET / (8.0 * CAPACITY * rtt) ** 2


def pi_gains(flows: int = 100, rtt: float = RTT_MAX) -> tuple[float, float]:
    """PI's a and b per byte by the procedure of PI's paper, for this link."""
    zero = 2.0 * flows / (rtt**2 * ARRIVALS)
    gain = zero * (1.0 + (zero * rtt) ** 2) ** 0.5 * (2.0 * flows) ** 2 / (rtt * ARRIVALS) ** 3
    half = 1.0 / (2.0 * SAMPLING)
    return gain * (1.0 / zero + half) / PACKET, gain * (1.0 / zero - half) / PACKET


def pi_ramp(excess: float) -> float:
    """How fast PI's probability grows while so many bytes too many wait, per second."""
    return (PRINTED_A - PRINTED_B) * SAMPLING * excess


def line(queue: float, p_min: float = 1.0, k: float = K) -> float:
    """HRED's drop probability, equations (6) and (8)."""
    return p_min * (1.0 + (queue - MIN_TH) / (k * MAX_TH))


def folding_time(queue: float) -> float:
    """Seconds in which HRED's p_min grows, or falls, by a factor e while so much waits; at full load."""
    excess = queue - MAX_TH if queue > MAX_TH else 2.0 * (MIN_TH - queue)
    step = k_alpha() * 8.0 * excess
    return 1.0 / (ARRIVALS * line(queue) * step)


def loop_gain(queue: float, rtt: float, k: float = K) -> float:
    """|S| of equation (7): stable, says the paper, if below 1."""
    return (queue + CAPACITY * rtt) / (2.0 * line(queue, 1.0, k)) / (k * MAX_TH)


def red_gain(queue: float) -> float:
    """|S| of equation (5), with the line of equation (3) and its gentle part up to a full buffer."""
    if queue <= MAX_TH:
        slope = MAX_P / (MAX_TH - MIN_TH)
        p = slope * max(queue - MIN_TH, 1.0)
    else:
        slope = (1.0 - MAX_P) / (BUFFER - MAX_TH)
        p = MAX_P + slope * (queue - MAX_TH)
    return (queue + CAPACITY * RTT_MEAN) / (2.0 * p) * slope


def least_k(queue: float, rtt: float) -> float:
    """The flatness at which |S| is 1."""
    # Equation (7) with |S| = 1: (l + C RTT) / 2 = K max_th + l - min_th.
    return ((queue + CAPACITY * rtt) / 2.0 - (queue - MIN_TH)) / MAX_TH


def required(flows: int, queue: float = Q_REF) -> float:
    """The drop probability at which the windows of so many flows fill pipe and queue: 1.5 / W^2."""
    return reno_probability(mean_window(flows, ARRIVALS * RTT_MEAN, queue / PACKET))
