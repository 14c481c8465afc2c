"""Level 1, further AQMs: PI, AVQ and the kinds of RED over compact recorded traces.

Where an AQM's rule is not ns-2's, three things are compared: ns-2 with the calculation by ns-2's
rule (tests/reference/check.py: equal in every bit), Weir with the same calculation by Weir's rule,
and Weir with ns-2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import weir
from reference.aqm_models import Avq, Moment, moments, moving
from validation.aqm import Followed
from validation.places import trace

if TYPE_CHECKING:
    from weir.scenario._toml import Value

SEEDS = range(1, 101)
"""Seeds of Weir's draws."""
SPREADS = 3.0
"""A number of marks may lie so many standard deviations from Weir's mean."""
DISTANCE_AT_1_PERCENT = 1.63
"""Kolmogorov and Smirnov: of two samples from one distribution, one pair in a hundred is farther apart."""


@dataclass(frozen=True)
class Traced:
    """An AQM's variable along a trace."""

    aqm: str
    variable: str
    ns2: Followed
    """Against ns-2."""
    rules: Followed | None
    """Against the calculation by Weir's rules, where these are not ns-2's."""

    @property
    def holds(self) -> bool:
        return (self.rules or self.ns2).holds


@dataclass(frozen=True)
class Habit:
    """Rule of the calculation that is exchanged for Weir's, with all others as in ns-2."""

    aqm: str
    rule: str
    change: str
    """Mean distance of the result from that of ns-2."""


@dataclass(frozen=True)
class Drawn:
    """Signals by chance: ns-2's one run against many of Weir's, for the same arrivals."""

    aqm: str
    packets: int
    ns2: Sequence[int]
    """The packets that were signalled, by their number."""
    weir: Sequence[Sequence[int]]
    other: tuple[str, float] | None
    """Another rule that would be wrong, and how many signals it gives."""

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        return np.array([len(signals) for signals in self.weir], dtype=np.float64)

    @property
    def mean(self) -> float:
        return float(self.counts.mean())

    @property
    def spread(self) -> float:
        return float(self.counts.std(ddof=1))

    @property
    def spreads(self) -> float:
        """Distance of ns-2's number from Weir's mean, in standard deviations."""
        return (len(self.ns2) - self.mean) / self.spread

    @cached_property
    def distance(self) -> float:
        """Largest difference of the distributions of the gaps between signals."""
        ours = np.sort(np.concatenate([np.diff(signals) for signals in self.weir]))
        theirs = np.sort(np.diff(self.ns2))
        at = np.unique(theirs)
        shares = [np.searchsorted(gaps, at, side="right") / len(gaps) for gaps in (ours, theirs)]
        return float(np.abs(shares[0] - shares[1]).max())

    @property
    def allowed(self) -> float:
        """The distance at the 1% level; Weir's gaps are so many that only ns-2's count."""
        return DISTANCE_AT_1_PERCENT / math.sqrt(len(self.ns2) - 1)

    @property
    def holds(self) -> bool:
        return abs(self.spreads) <= SPREADS and self.distance <= self.allowed


@dataclass(frozen=True)
class Lineage:
    """Outcome of all traces."""

    traced: list[Traced]
    habits: list[Habit]
    drawn: list[Drawn]

    @property
    def holds(self) -> bool:
        return all(found.holds for found in (*self.traced, *self.drawn))


def lineage(seeds: Sequence[int] = SEEDS) -> Lineage:
    """Every trace."""
    avq = [found for name in ("avq-marks", "avq-drops") for found in _avq(name)]
    red = [found for name in WEIRS_RULES for found in _max_p(name)]
    traced = [_pi(), *avq, *red]
    drawn = [_spacing("wait", seeds), _spacing("uniform", seeds), _pi_marks(seeds)]
    return Lineage(traced, list(_habits()), drawn)


def _steps(name: str, aqm: Mapping[str, Value], seed: int = 1) -> Iterator[tuple[Moment, str, weir.Queue]]:
    """Every offer and update of a trace, after it, with what became of the packet."""
    about, rows = trace(name)
    room = f"{about['buffer_bytes']} B" if "buffer_bytes" in about else f"{about['buffer_packets']} packets"
    rate, mean = f"{about['rate_bits_per_second']} bit/s", f"{about['mean_packet_bytes']} B"
    queue = weir.Queue(aqm, rate=rate, buffer=room, mean_packet=mean, seed=seed)
    for moment in moments(about, rows):
        now = moment.now / 1e9
        if moment.kind == "take":
            queue.take(now)
        elif moment.kind == "offer":
            yield moment, queue.offer(now, moment.size, ecn="ect0").verdict, queue
        else:
            queue.advance(now)
            yield moment, "", queue


# --- PI ---------------------------------------------------------------------------------------------------


def _pi_table() -> dict[str, Value]:
    about, _ = trace("pi-probability")
    target, period = f"{about['target_packets']} packets", f"{about['period_ns']} ns"
    return {"pi": {"a": about["a"], "b": about["b"], "q_ref": target, "interval": period, "ecn": True}}


def _pi() -> Traced:
    followed = Followed()
    for moment, _, queue in _steps("pi-probability", _pi_table()):
        if moment.kind == "update":
            followed.add(queue["probability"], moment.row["probability"])
    return Traced("PI", "probability", followed, None)


def _pi_marks(seeds: Sequence[int]) -> Drawn:
    packets, ns2 = _marked("pi-probability")
    return Drawn("PI", packets, ns2, [_marks("pi-probability", _pi_table(), seed) for seed in seeds], None)


# --- AVQ --------------------------------------------------------------------------------------------------


def _avq_calculated(name: str, *, bounded_after: bool) -> Avq:
    about, _ = trace(name)
    rate = about["rate_bits_per_second"] / 8.0
    return Avq(
        rate,
        about["buffer_bytes"],
        about["gamma"],
        about["alpha"],
        about["start"] * rate,
        about["signal"] == "drop",
        bounded_after=bounded_after,
    )


def _avq(name: str) -> Iterator[Traced]:
    """Signals, and the capacity, of which ns-2 shows nothing: the calculation gives every signal of ns-2."""
    about, _ = trace(name)
    drops = about["signal"] == "drop"
    ns2, weirs = (_avq_calculated(name, bounded_after=after) for after in (True, False))
    signals, rule_signals, capacity, rule_capacity = Followed(), Followed(), Followed(), Followed()
    # Packets that the AQM drops do not adapt the capacity.
    table: dict[str, Value] = {"ecn": not drops, "adapts_to": "accepted" if drops else "arrivals"}
    for moment, verdict, queue in _steps(name, {"avq": table}):
        signalled = float(verdict == ("dropped" if drops else "marked"))
        theirs = moment.row["accepted"] == "0" if drops else moment.row["marked"] == "1"
        full = not drops and moment.row["accepted"] == "0"
        ns2.offer(moment.now, moment.size)
        by_rule = weirs.offer(moment.now, moment.size)
        if not full:
            signals.add(signalled, str(float(theirs)))
            rule_signals.add(signalled, str(float(by_rule)))
        capacity.add(queue["virtual_capacity"], repr(ns2.capacity))
        rule_capacity.add(queue["virtual_capacity"], repr(weirs.capacity))
    aqm = f"AVQ, {'dropping' if drops else 'marking'}"
    yield Traced(aqm, "signals", signals, rule_signals)
    yield Traced(aqm, "virtual capacity", capacity, rule_capacity)


# --- RED --------------------------------------------------------------------------------------------------

RULES = {
    "since_change": "a step an interval after the last test, not the last change",
    "step_over": "no step beyond the bounds",
    "ramp_from_start": "the ramp beyond max_th from the present max_p, not the first",
    "whole_idle": "the paper's rule for idle times",
}
"""Weir's, where ns-2 has a habit of its own."""
WEIRS_RULES = {"adaptive-red": list(RULES), "feng-red": ["ramp_from_start", "whole_idle"]}


def _red_table(about: Mapping[str, Any]) -> dict[str, Value]:
    table: dict[str, Value] = {
        "min_th": f"{about['min_th']} packets",
        "max_th": f"{about['max_th']} packets",
        "max_p": about["max_p"],
        "w_q": about["w_q"],
        "gentle": about["gentle"],
        "ecn": True,
        "harddrop": False,
    }
    return table


def _max_p(name: str) -> Iterator[Traced]:
    """max_p, and the marking probability it leads to where that was recorded."""
    about, _ = trace(name)
    table = _red_table(about)
    table |= {key: about[key] for key in ("alpha", "beta", "bottom", "top") if key in about}
    if name == "adaptive-red":
        table["interval"] = f"{about['interval']} s"
    max_p, rule_max_p, chance, rule_chance = Followed(), Followed(), Followed(), Followed()
    recorded = ""
    calculated = _calculated(name, dict.fromkeys(WEIRS_RULES[name], False))
    for (moment, _, queue), expected in zip(_steps(name, {name: table}), calculated, strict=True):
        recorded = moment.row["max_p"] or recorded
        max_p.add(queue["max_p"], recorded)
        rule_max_p.add(queue["max_p"], repr(expected[0]))
        # By Weir's average the packet may be the first above min_th, which ns-2 spares.
        if moment.row["probability"] and expected[1] is not None:
            chance.add(queue["probability"], moment.row["probability"])
            rule_chance.add(queue["probability"], repr(expected[1]))
    yield Traced(about["aqm"], "max_p", max_p, rule_max_p)
    yield Traced(about["aqm"], "*p_b*", chance, rule_chance)


def _calculated(name: str, rules: Mapping[str, bool]) -> list[tuple[float, float | None]]:
    """max_p and p_b after every arrival, ns-2's habits but for `rules`."""
    about, rows = trace(name)
    red = moving(about, **rules)
    found: list[tuple[float, float | None]] = []
    for moment in moments(about, rows):
        if moment.kind == "take":
            red.take(moment.now, moment.size)
        else:
            red.offer(moment.now, moment.waiting)
            found.append((red.max_p, red.probability(moment.waiting)))
    return found


def _marked(name: str) -> tuple[int, list[int]]:
    """Number of packets that ns-2's queue was offered, and the packets that it marked."""
    about, rows = trace(name)
    offers = [moment for moment in moments(about, rows) if moment.kind == "offer"]
    return len(offers), [number for number, offer in enumerate(offers) if offer.row["marked"] == "1"]


def _marks(name: str, aqm: Mapping[str, Value], seed: int) -> list[int]:
    verdicts = [verdict for moment, verdict, _ in _steps(name, aqm, seed) if moment.kind == "offer"]
    return [number for number, verdict in enumerate(verdicts) if verdict == "marked"]


def _spacing(spacing: str, seeds: Sequence[int]) -> Drawn:
    name = f"red-marks-{spacing}"
    about, _ = trace(name)
    table = _red_table(about) | {
        "idle_m": "ns2",
        "min_qlen": "1 packet",
        "ns2_old": True,
        "spacing": spacing,
    }
    wrong = {"wait": "uniform", "uniform": "wait"}[spacing]
    packets, ns2 = _marked(name)
    other = len(_marks(name, {"red": {**table, "spacing": wrong}}, 1))
    runs = [_marks(name, {"red": table}, seed) for seed in seeds]
    return Drawn(f"RED, spacing {spacing}", packets, ns2, runs, (wrong, other))


# --- One habit at a time ----------------------------------------------------------------------------------


def _habits() -> Iterator[Habit]:
    for name, rules in WEIRS_RULES.items():
        about, _ = trace(name)
        theirs = _calculated(name, {})
        for chosen in [*([rule] for rule in rules), rules]:
            ours = _calculated(name, dict.fromkeys(chosen, False))
            moved = [abs(a / b - 1.0) for (a, _), (b, _) in zip(ours, theirs, strict=True)]
            chances = [abs(a / b - 1.0) for (_, a), (_, b) in zip(ours, theirs, strict=True) if a and b]
            text = "all of these" if chosen is rules else RULES[chosen[0]]
            change = f"max_p by {np.mean(moved):.1%}, *p_b* by {np.mean(chances):.1%}"
            yield Habit(about["aqm"], text, change)
    for name in ("avq-marks", "avq-drops"):
        about, rows = trace(name)
        pair = [_avq_calculated(name, bounded_after=after) for after in (True, False)]
        differ = sum(
            len({aqm.offer(moment.now, moment.size) for aqm in pair}) - 1
            for moment in moments(about, rows)
            if moment.kind == "offer"
        )
        aqm = "AVQ, dropping" if about["signal"] == "drop" else "AVQ, marking"
        yield Habit(aqm, "C̃ is kept below C before αb is taken off, not after", f"{differ} signals")
