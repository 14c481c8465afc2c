"""What shows each claim of `claims.toml`."""

from __future__ import annotations

from collections.abc import Sequence

from weir_papers.claims import Part, each, trend
from weir_papers.expected import LESS, MORE, Range, at_least, at_most
from weir_papers.hred_2003.aim import reached
from weir_papers.hred_2003.quantities import Kilobytes, Response, Swing, agreement, gain, queue_law
from weir_papers.quantities import Level, Quantity, along, rank, spread

DEVIATION = 30.0
"""Of the queue, kB: what section IV calls large. The figures' unit is lost; its queues are in kB."""
BAND = Range(125.0, 250.0)
"""From min_th to max_th, kB."""
HALF_BAND = 62.5
"""kB: a swing of so much about the middle of the band touches it on both sides."""
FULL, AIM = at_least(99.5), at_least(97.5)
"""Of the link, and of what AVQ aims at, to within half a point."""
HOLD = 10.0
"""Seconds in the band that a response time asks for: the only scale that the paper has for one."""
MODERATE = (100.0, 150.0, 200.0, 250.0, 300.0, 350.0, 400.0)
HEAVY = (400.0, 500.0, 600.0, 700.0, 800.0, 900.0, 1000.0)
"""Loads of figures 3 and 4."""
PHASES = (100.0, 150.0, 200.0, 250.0)
"""Beginnings of those of figure 5, s."""
NEVER = Range(0.0, 0.0)
FALLING = (1,)
"""The second change of figures 6 and 7."""
CHANGES = (("moderate", 0), ("moderate", 1), ("heavy", 0), ("heavy", 1))
"""Experiments of figures 6 and 7: rising, falling."""


def _mean(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "mean_queue", at)


def _deviation(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "queue_sd", at)


def _largest(of: Quantity) -> Quantity:
    return along(of, "largest", lambda _, values: float(values.max()))


def _in_phase(variant: str, measure: str, *begins: float) -> Kilobytes:
    return Kilobytes("dynamic", variant, measure, {"from_s": begins or PHASES}, "periods")


def _lead(experiment: str, changes: tuple[int, ...] = (0, 1)) -> Quantity:
    """By how much HRED's response is shorter than PI's."""
    return Response(experiment, "pi", changes) - Response(experiment, "hred", changes)


def _of_pi(experiment: str, **at: tuple[float, ...]) -> Quantity:
    return Kilobytes(experiment, "pi", "queue_sd", at)


def _swing_of(variant: str) -> Quantity:
    return Kilobytes("gains", variant, "queue_sd")


def _answer(variant: str, changes: tuple[int, ...] = (0, 1)) -> Quantity:
    return Response("gains-response", variant, changes)


CHECKS: dict[str, Sequence[Part]] = {
    "A-3.1a": [Part(_mean("hred"), BAND)],
    "A-3.1b": [Part(_deviation("hred"), at_most(DEVIATION))],
    "A-3.1c": [Part(Level("steady", "hred", "utilisation"), FULL)],
    "A-3.1d": each(
        LESS,
        (_largest(_deviation("hred")) - _largest(_deviation(other)) for other in ("red", "pi", "avq")),
    ),
    "A-3.2a": [Part(_largest(_mean("red")), at_least(BAND.high))],
    "A-3.2b": [Part(_largest(_deviation("red", load=MODERATE)), at_least(DEVIATION))],
    "A-3.2c": each(LESS, (_mean("avq") - _mean(other) for other in ("red", "hred", "pi"))),
    "A-3.2d": [Part(_deviation("avq", load=(100.0,)), at_least(DEVIATION))],
    "A-3.2e": [
        Part(_deviation("avq", load=HEAVY), at_most(DEVIATION)),
        Part(Level("steady", "avq", "utilisation", {"load": HEAVY}), AIM),
    ],
    "P-1": [Part(_largest(_deviation("pi")), at_least(DEVIATION))],
    "P-2": [
        Part(Kilobytes("steady-ftp", "hred"), BAND),
        Part(Level("steady-ftp", "hred", "utilisation"), FULL),
    ],
    "P-3": [Part(Level("steady", "hred", "loss") - Level("steady", "pi", "loss"), LESS)],
    "A-3.3a": [Part(Response("dynamic", "hred", (0, 1, 2), "never"), NEVER)],
    "A-3.3b": trend(MORE, [Response("dynamic", "pi", (0, 1, 2))]),
    "A-3.3c": [Part(_lead("dynamic", (2,)), at_least(HOLD))],
    "A-3.4a": [Part(_lead("moderate"), MORE)],
    "A-3.4b": [Part(_lead("heavy"), MORE)],
    "A-3.4c": [Part(_lead("heavy") - _lead("moderate"), MORE)],
    "A-3.4d": [Part(Response(name, "hred", (change,), "never"), NEVER) for name, change in CHANGES],
    "A-3.4e": each(
        LESS,
        (
            spread(Response(name, "hred", (change,))) - spread(Response(name, "pi", (change,)))
            for name, change in CHANGES
        ),
    ),
    "A-3.5": [
        Part(gain(_mean("hred")), at_most(1.0)),
        Part(Swing("steady", "hred"), at_most(HALF_BAND)),
    ],
    "A-3.6": [
        *each(at_most(HOLD), (spread(Response(name, "hred", (change,))) for name, change in CHANGES)),
        Part(Response("heavy", "hred", (0, 1)) - Response("moderate", "hred", (0, 1)), Range(-HOLD, HOLD)),
    ],
    "A-3.7a": trend(MORE, [_of_pi("pi-flows", load=(100.0, 200.0, 400.0))]),
    "A-3.7b": trend(MORE, [_of_pi("pi-rtt")]),
    "A-3.7c": trend(MORE, [Response("pi-capacity", "pi-designed", (0,))]),
    "A-3.8": [Part(spread(Kilobytes("ared", "ared")) - spread(Kilobytes("ared", "hred")), MORE)],
    "A-3.9": [Part(gain(_mean("red", load=MODERATE)), at_least(1.0))],
    "P-4": each(
        MORE,
        (
            _in_phase("red", "queue_sd", 200.0) - _in_phase("red", "queue_sd", other)
            for other in (100.0, 150.0, 250.0)
        ),
    ),
    "P-6": [
        *each(
            LESS,
            (
                _in_phase("avq", "mean_queue") - _in_phase(other, "mean_queue")
                for other in ("red", "hred", "pi")
            ),
        ),
        Part(Level("dynamic", "avq", "utilisation", {"from_s": PHASES}, "periods"), AIM),
    ],
    "P-7": [
        Part(_in_phase("avq", "queue_sd", 100.0), at_least(DEVIATION)),
        Part(_in_phase("avq", "queue_sd", 250.0), at_most(DEVIATION)),
    ],
    "P-8": [Part(rank(Swing("gain", "hred")), LESS)],
    "P-9": trend(LESS, [_of_pi("pi-flows", load=(25.0, 50.0, 100.0))]),
    "P-11": [Part(reached(), Range(-25.0, 25.0))],
    "P-12": [Part(_answer("hred", FALLING) - _answer("hred-even", FALLING), LESS)],
    "P-13": [
        Part(_swing_of("hred") - _swing_of("hred-average"), LESS),
        Part(_answer("hred") - _answer("hred-average"), LESS),
    ],
    "P-14": [
        Part(_swing_of("hred-eager") - _swing_of("hred"), MORE),
        Part(_answer("hred-cautious") - _answer("hred"), MORE),
    ],
    "P-15": [Part(queue_law("steady-ftp", "hred"), Range(-25.0, 25.0))],
    "P-10": [Part(agreement(gain(_mean("red")), Swing("steady", "red")), MORE)],
}
