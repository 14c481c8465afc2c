"""Predictions of the fluid beside packets.

Tolerances are those of `weir.theory` (`Prediction.tolerance`), validity is what its flags say of each row
before it is simulated. Seeds are fresh, but flags and cases were revised after earlier runs: `EARLIER`. A row
agrees where the interval of packets lies within the tolerance of the prediction. It is outside where the
interval lies beyond the tolerance. Otherwise it is undecided.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

import weir
from weir.scenario import Value, bundled
from weir.stats import peak_period, student_t
from weir.theory import Analysis, TheoryError, analyse, fluid_of, resting, system_of

SEED = 20_261_128
"""Seed of the first replication, drawn after the last revision of cases and flags."""

REPLICATIONS = 6


@dataclass(frozen=True)
class Earlier:
    """A run before, with other seeds and flags."""

    agreed: float
    """Share of the valid rows."""
    valid: int
    """Rows that were flagged valid."""
    replications: int


EARLIER = (Earlier(0.52, 29, 3), Earlier(0.86, 36, 3))
"""Earlier runs: the flags and cases of today were chosen after them."""

TAKEN_OUT = "two-signals"
"""The flag that has since taken rows out that had failed."""

LEVEL = 0.95
MEASURES = {"queue": "mean_queue", "signal": "signals", "deviation": "queue_sd", "period": "period"}


@dataclass(frozen=True)
class Case:
    """A scenario, and how often it is run."""

    name: str
    scenario: weir.Scenario
    replications: int


@dataclass(frozen=True)
class Row:
    """One prediction beside packets."""

    case: str
    quantity: str
    predicted: float
    measured: float
    low: float
    high: float
    tolerance: float
    flags: tuple[str, ...]
    margin: float | None = None
    """Gain margin of the loop, a factor."""

    @property
    def verdict(self) -> str:
        if self.flags:
            return "theory not valid here"
        least, most = self.predicted * (1.0 - self.tolerance), self.predicted * (1.0 + self.tolerance)
        if least <= self.low and self.high <= most:
            return "agrees"
        return "outside" if self.high < least or self.low > most else "undecided"


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def line(
    name: str,
    queue: str,
    flows: int,
    rtt: str,
    *,
    rate: str = "15 Mbit/s",
    size: str = "500 B",
    seconds: int = 200,
) -> Case:
    """A link with one group of NewReno that marks."""
    text = f"""
schema = 1
name = "{slug(name)}"
duration = "{seconds} s"
[measure]
warm_up = "{seconds // 3} s"
series = {{ interval = "50 ms" }}
[links.bottleneck]
rate = "{rate}"
delay = "10 ms"
buffer = "2000 packets"
{queue}
[flows.bulk]
count = {flows}
rtt = "{rtt}"
packet_size = "{size}"
start_jitter = "1 s"
tcp.ecn = true
"""
    return Case(name, weir.Scenario.loads(text), REPLICATIONS)


def two(queue: str) -> Case:
    """Two groups with round trips of 80 and 200 ms."""
    made = line(
        f"two round trips, {'PI2' if 'pi2' in queue else 'PI'}",
        queue,
        20,
        "80 ms",
        rate="20 Mbit/s",
        size="1000 B",
    )
    table: dict[str, Value] = {
        "count": 20,
        "rtt": "200 ms",
        "packet_size": "1000 B",
        "start_jitter": "1 s",
        "tcp": {"ecn": True},
    }
    return Case(made.name, made.scenario.replace({"flows.long": table}), REPLICATIONS)


_PI = 'queue.pi = { a = 1.822e-5, b = 1.816e-5, q_ref = "175 packets", ecn = true }'


def _red(weight: str) -> str:
    return (
        "queue.red = "
        f'{{ min_th = "150 packets", max_th = "700 packets", max_p = 0.1, w_q = {weight}, gentle = true, '
        'spacing = "geometric", ecn = true }'
    )


def own() -> list[Case]:
    """The settings of the papers, one step apart."""
    pi2 = "queue.pi2.ecn = true"
    rem = 'queue.rem = { target = "20 packets", ecn = true }'
    fast = {"rate": "20 Mbit/s", "size": "1500 B"}
    wireline = {"rate": "64 Mbit/s", "size": "1000 B", "seconds": 100}
    return [
        *(line(f"PI, {n} flows", _PI, n, "200 ms", seconds=300) for n in (16, 30, 60, 120)),
        *(line(f"RED, w_q 3e-5, {n} flows", _red("3e-5"), n, "200 ms", seconds=400) for n in (60, 120)),
        line("RED, w_q 1e-4, 60 flows", _red("1e-4"), 60, "200 ms", seconds=300),
        *(line(f"REM, {n} flows", rem, n, "80 ms", **wireline) for n in (20, 40, 160)),  # type: ignore[arg-type]
        *(line(f"RED, w_q 3e-5, {n} flows", _red("3e-5"), n, "200 ms", seconds=400) for n in (30, 45)),
        line("PI, 90 flows", _PI, 90, "200 ms", seconds=300),
        line("PI, 45 flows", _PI, 45, "200 ms", seconds=300),
        line("REM, 50 flows", rem, 50, "80 ms", **wireline),  # type: ignore[arg-type]
        *map(two, (_PI, 'queue.pi2 = { target = "40 ms", ecn = true }')),
        *(line(f"PI2, 20 flows, {d} ms", pi2, 20, f"{d} ms", **fast) for d in (60, 100)),  # type: ignore[arg-type]
    ]


def shipped() -> Iterator[tuple[str, weir.Scenario | str]]:
    """Every bundled scenario and variant but those of the bench and of other packages; of one without a
    model, why."""
    for name in bundled():
        if "/" in name:
            continue
        scenario = weir.load(name)
        for variant in scenario.variants or [""]:
            one = scenario.variant(variant) if variant else scenario
            try:
                analyse(system_of(one).system)
            except TheoryError as error:
                yield f"{name} {variant}".strip(), error.message
            else:
                yield f"{name} {variant}".strip(), one


def rows_of(case: Case, store: Path) -> list[Row]:
    """Runs a case, and compares each period, or the whole run, with the system in its middle."""
    sweep = case.scenario.run(case.replications, SEED, store=store)
    observed = sweep.observations()
    periods = observed.filter(pl.col("period") >= 0)
    kept = observed.filter(pl.col("period") == -1) if periods.is_empty() else periods
    found: list[Row] = []
    for (_, begin, end), part in kept.group_by("period", "from_s", "to_s", maintain_order=True):
        middle = 0.5 * (float(begin) + float(end))  # type: ignore[arg-type]
        try:
            reading = system_of(case.scenario, middle)
            one = analyse(reading.system, reading.flags)
        except TheoryError:
            continue
        where = case.name if periods.is_empty() else f"{case.name}, {middle:g} s"
        columns = {
            "mean_queue": part["mean_queue"].to_list(), "queue_sd": part["queue_sd"].to_list(),
            "signals": (0.01 * (part["mark_fraction"] + part["loss"])).to_list(),
            "period": _periods(sweep, float(begin), float(end), one) if periods.is_empty() else [],  # type: ignore[arg-type]
        }  # fmt: skip
        found += [row for row in _compared(where, one, columns) if math.isfinite(row.measured)]
        if periods.is_empty():
            found += [
                *_cycle(where, case.scenario, one, columns["period"]),
                *_rates(where, case.scenario, sweep),
            ]
    return found


def _cycle(where: str, scenario: weir.Scenario, one: Analysis, periods: list[float]) -> Iterator[Row]:
    """The period of the fluid's limit cycle, where the loop is unstable."""
    if one.roots is None or one.roots.stable or not periods:
        return
    course = fluid_of(scenario).course
    end = float(course.times[-1])
    predicted, queue = course.period(0.5 * end), course.at(course.queue, np.linspace(0.5 * end, end, 4000))
    if predicted is not None:
        edges = float(np.mean((queue < 1.0) | (queue > one.system.buffer - 1.0)))
        flags = ("wide-swing",) if edges > 0.1 else ()
        yield _row(where, "cycle", predicted, periods, 0.2, flags)


def _rates(where: str, scenario: weir.Scenario, sweep: weir.Sweep) -> Iterator[Row]:
    """Rates of groups by duality."""
    if len(sweep.flow_groups) < 2:
        return
    try:
        rest = resting(scenario)
    except TheoryError:
        return
    if set(rest.rates["group"]) != set(sweep.flow_groups):
        return
    capacities = dict(zip(rest.balance.links, rest.balance.capacities.tolist(), strict=True))
    flags = {flag.code for flag in rest.flags}
    if rest.rates["signals"].max() >= 0.05:  # type: ignore[operator]
        flags.add("many-signals")
    for path, rate in zip(rest.balance.paths, rest.balance.rates.tolist(), strict=True):
        share = sweep.observations(path.name).filter(pl.col("period") == -1)["goodput"]
        narrowest = min(capacities[link] for link in path.links)
        measured = (0.01 * share * narrowest / path.flows).to_list()
        yield _row(where, f"rate of {path.name}", rate, measured, 0.1, tuple(sorted(flags)))


def _row(
    case: str,
    quantity: str,
    predicted: float,
    values: Sequence[float],
    tolerance: float,
    flags: tuple[str, ...],
) -> Row:
    mean, half = float(np.mean(values)), 0.0
    if len(values) > 1:
        half = student_t(len(values) - 1, LEVEL) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return Row(case, quantity, predicted, mean, mean - half, mean + half, tolerance, flags)


def _compared(case: str, one: Analysis, columns: dict[str, list[float]]) -> Iterator[Row]:
    for prediction in one.predictions:
        values = columns.get(MEASURES.get(prediction.name, ""), [])
        if not values or prediction.tolerance is None:
            continue
        value, within = float(prediction.value), prediction.tolerance
        row = _row(case, prediction.name, value, values, within, prediction.flags)
        yield replace(row, margin=None if one.margins is None else one.margins.gain_margin)


def _periods(sweep: weir.Sweep, begin: float, end: float, one: Analysis) -> list[float]:
    """Periods of the peak of the queue's spectrum, in each replication."""
    if one.period is None or end - begin < 12.0 * one.period:
        return []
    series = sweep.series_of(every=True).filter(
        pl.col("variable") == "queue", pl.col("component").cast(pl.String).str.ends_with("forward"),
        pl.col("time_s").is_between(begin, end),
    )  # fmt: skip
    found: list[float] = []
    for _, part in series.group_by("replication", maintain_order=True):
        step = float(part["time_s"][1] - part["time_s"][0])
        found.append(peak_period(part["value"].to_numpy(), step, one.period))
    return found


def compare(cases: Sequence[Case], store: Path) -> list[Row]:
    """All rows of these cases."""
    return [row for case in cases for row in rows_of(case, store)]
