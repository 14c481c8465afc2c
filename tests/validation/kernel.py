"""The closed loop against a real kernel: Linux's endpoints as options, its queue disciplines translated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from validation.kernel_causes import CAUSES, OPEN, Cause
from validation.kernel_habits import HABITS, without
from validation.kernel_queues import LINKS, PACKET, Queue, queue
from validation.loop import Cell, Measure
from validation.places import HERE, REFERENCE, rows_of
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import WHOLE_RUN, frames
from weir.stats._analysis import ALL
from weir.stats._intervals import Interval, mean_interval

SCENARIO = "kernel.toml"
SEEDS, EFFECT_SEEDS = range(1, 10), range(1, 3)
EFFECT_LINKS = ("A", "C")
"""Links on which the habits are taken away one by one; B has four times as many packets."""
STAGGERS = (20, 30, 40)
"""Milliseconds between the beginnings of two flows, run by run."""
PHASES = tuple(step / 40 for step in range(-4, 5))
"""Packet times by which the round trip of one DCTCP flow is longer, run by run: it draws nothing, so that
equal round trips give equal runs, and where in a packet time its limit cycle lies moves its values."""
SHOWN_ONLY = 50
"""Flows that need not agree: with windows of two packets the queue is what timeouts make of it."""

MEASURES = (
    Measure("mean", "Mean delay", "ms", 2, 1.0, 0.10, "qd_mean_ms", 1.0),
    Measure("p99", "99% of delays", "ms", 1, 3.0, 0.15, "qd_p99_ms", 1.0),
    Measure("utilisation", "Utilisation", "%", 1, 1.0, 0.0, "util", 100.0),
    Measure("marks", "Marks", "% of packets", 2, 0.2, 0.15, "mark_pct", 1.0),
    Measure("drops", "Drops", "% of packets", 2, 0.2, 0.15, "drop_pct", 1.0),
)

Change = tuple[str, str]
"""A key of the scenario and its value."""
Values = Mapping[str, list[float]]
"""Measure to a value per run."""


@dataclass(frozen=True)
class Combination:
    """Values that were measured together: a row of the reference without its repeats."""

    qdisc: str
    ecn: bool
    link: str
    congestion: str
    flows: int

    @property
    def name(self) -> str:
        ecn = ", ECN" if self.ecn else ""
        flows = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        return f"{self.qdisc}{ecn}, {self.link}, {self.congestion}, {flows}"

    @property
    def held(self) -> bool:
        """True if the link is a token bucket here, too. The queue of a paced flow is often empty, and then
        packets leave `tbf` at once, whatever the discipline."""
        return self.congestion == "bbr"

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=self.ecn, held=self.held)


@dataclass(frozen=True)
class Compared:
    """One combination in Weir and in Linux."""

    combination: Combination
    cells: list[Cell]
    """Cells, one per measure."""

    @property
    def bound(self) -> bool:
        return self.combination.flows != SHOWN_ONLY

    @property
    def missed(self) -> list[Cell]:
        return [cell for cell in self.cells if not cell.holds]


@dataclass(frozen=True)
class Miss:
    """A value out of its tolerance, and why."""

    combination: Combination
    cell: Cell
    cause: Cause | None
    with_cause: Cell | None
    """Value with the cause taken away, or built in."""

    @property
    def is_chance(self) -> bool:
        """True if both sides spread so much that they may be equal."""
        return abs(self.cell.difference) <= self.cell.half_width

    @property
    def is_explained(self) -> bool:
        return self.with_cause is not None and self.with_cause.holds

    @property
    def is_open(self) -> bool:
        """Named as not explained."""
        return (self.combination.name, self.cell.measure.name) in OPEN

    @property
    def unexplained(self) -> bool:
        return not self.is_chance and not self.is_explained

    @property
    def holds(self) -> bool:
        return not self.unexplained or self.is_open


@dataclass(frozen=True)
class Effect:
    """Effect of one of Linux's habits: the number of values that miss without it."""

    option: str
    about: str
    missed: int


@dataclass(frozen=True)
class Kernel:
    """The outcome."""

    compared: list[Compared]
    misses: list[Miss]
    effects: list[Effect]
    seeds: Sequence[int]
    whole: int = field(default=0)
    """Values that miss with all habits, with the seeds of the effects, ..."""
    of: int = field(default=0)
    """... and of how many."""

    @property
    def bound(self) -> list[Compared]:
        return [one for one in self.compared if one.bound]

    @property
    def cells(self) -> list[Cell]:
        return [cell for one in self.bound for cell in one.cells]

    @property
    def holds(self) -> bool:
        return all(miss.holds for miss in self.misses)


def kernel(*, quick: bool = False, progress: OnProgress | None = None) -> Kernel:
    """Everything; `quick` leaves out the effects of the habits, and what is shown and not judged."""
    recorded = {one: rows for one, rows in reference().items() if not quick or one.flows != SHOWN_ONLY}
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    compared = compare(recorded, text, SEEDS, progress=progress)
    misses = [miss for one in compared if one.bound for miss in _explain(one, recorded, text)]
    if quick:
        return Kernel(compared, misses, [], SEEDS)
    # BBR cannot do without the habits.
    bound = {
        one: rows
        for one, rows in recorded.items()
        if one.flows != SHOWN_ONLY and one.link in EFFECT_LINKS and one.congestion != "bbr"
    }

    def missed(altered: str) -> int:
        return sum(len(one.missed) for one in compare(bound, altered, EFFECT_SEEDS, progress=progress))

    effects = [Effect(option, about, missed(without(text, pieces))) for option, about, pieces in HABITS]
    return Kernel(compared, misses, effects, SEEDS, missed(text), len(bound) * len(MEASURES))


def reference() -> dict[Combination, list[dict[str, str]]]:
    """The repeats of every combination, in the order of the file."""
    found: defaultdict[Combination, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "kernel" / "results.csv"):
        one = Combination(row["qdisc"], row["ecn"] == "1", row["link"], row["cc"], int(row["flows"]))
        found[one].append(row)
    return dict(found)


def scenario(
    one: Combination,
    text: str,
    stagger: int = STAGGERS[0],
    changes: Sequence[Change] = (),
    phase: float = 0.0,
) -> _core.Scenario:
    """The combination in Weir, flows beginning every `stagger` ms, the round trip longer by `phase`
    packet times."""
    path, waits = LINKS[one.link], one.queue
    rtt = path.rtt_ms - (path.packet_ms if waits.early else 0.0) + phase * path.packet_ms
    loaded = _core.Scenario.loads(text, SCENARIO).variant(one.congestion)
    return loaded.replace(
        [
            ("links.bottleneck.rate", path.rate),
            ("links.bottleneck.buffer", waits.buffer),
            ("links.bottleneck.queue", waits.aqm),
            ("flows.bulk.rtt", f"{rtt:.6g} ms"),
            *(
                [("flows.bulk.population", f'[{{ step = 1, every = "{stagger} ms", until = {one.flows} }}]')]
                * (one.flows > 1)
            ),
            ("flows.bulk.tcp.ecn", str(one.ecn).lower()),
            *([("links.bottleneck.token_bucket", f'{{ burst = "{PACKET} B" }}')] * one.held),
            *changes,
        ]
    )


def compare(
    recorded: Mapping[Combination, Sequence[Mapping[str, str]]],
    text: str,
    seeds: Sequence[int],
    changes: Sequence[Change] = (),
    progress: OnProgress | None = None,
) -> list[Compared]:
    """Every combination with every seed, against its repeats."""
    runs = run_batch(
        [
            (begun[at % len(begun)], seed)
            for one in recorded
            for begun in [beginnings(one, text, changes)]
            for at, seed in enumerate(seeds)
        ],
        progress=progress,
    )
    return [
        Compared(one, _cells(one, _values(one, runs[at * len(seeds) : (at + 1) * len(seeds)]), rows))
        for at, (one, rows) in enumerate(recorded.items())
    ]


def beginnings(one: Combination, text: str, changes: Sequence[Change]) -> list[_core.Scenario]:
    """The scenarios that take turns."""
    if one.congestion == "dctcp" and one.flows == 1:
        return [scenario(one, text, changes=changes, phase=phase) for phase in PHASES]
    return [scenario(one, text, stagger, changes) for stagger in STAGGERS]


def _values(one: Combination, runs: Sequence[_core.Run]) -> Values:
    return values_of(one, frames(_core.tables(runs), range(len(runs)))["links"])


def values_of(one: Combination, links: pl.DataFrame) -> Values:
    """Values that are compared, from the rows of the links of some runs."""
    links = links.filter(
        pl.col("direction") == "forward",
        pl.col("group") == ALL,
        pl.col("class") == ALL,
        pl.col("period") == WHOLE_RUN,
    )
    # Where a packet leaves when ours has been sent, its own transmission is part of the delay.
    own = 0.0 if one.queue.early else LINKS[one.link].packet_ms
    columns = links.select(
        mean=pl.col("delay_mean_ms") + own,
        p99=pl.col("delay_p99_ms") + own,
        utilisation=100 * pl.col("utilisation"),
        marks=100 * pl.col("marks") / pl.col("departures"),
        drops=100 * pl.col("drops") / (pl.col("drops") + pl.col("departures")),
    )
    return {name: columns[name].cast(pl.Float64).to_list() for name in columns.columns}


def _cells(one: Combination, ours: Values, rows: Sequence[Mapping[str, str]]) -> list[Cell]:
    return [
        Cell(measure, one.flows, mean_interval(np.array(ours[measure.name])), repeats(measure, rows))
        for measure in MEASURES
    ]


def repeats(measure: Measure, rows: Sequence[Mapping[str, str]]) -> Interval:
    """Interval of a measure over Linux's repeats."""
    return mean_interval(np.array([measure.scale * float(row[measure.column]) for row in rows]))


def _explain(
    one: Compared, recorded: Mapping[Combination, Sequence[Mapping[str, str]]], text: str
) -> list[Miss]:
    """The misses of one combination, each with its cause if one is known."""
    missed = one.missed
    if not missed:
        return []
    combination = one.combination
    cause = next((cause for cause in CAUSES if cause.concerns(combination)), None)
    if cause is None:
        return [Miss(combination, cell, None, None) for cell in missed]
    rows = [row for row in recorded[combination] if not cause.leaves_out(row)]
    [other] = compare({combination: rows}, text, SEEDS, cause.changes(combination))
    shown = {cell.measure.name: cell for cell in other.cells}
    return [Miss(combination, cell, cause, shown[cell.measure.name]) for cell in missed]


# --- The page ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Discipline:
    """A line of the table: one queue discipline."""

    name: str
    compared: list[Compared]

    @property
    def held(self) -> int:
        return sum(cell.holds for one in self.compared for cell in one.cells)

    @property
    def values(self) -> int:
        return sum(len(one.cells) for one in self.compared)

    def cells(self, measure: Measure) -> list[Cell]:
        return [cell for one in self.compared for cell in one.cells if cell.measure is measure]


def context(found: Kernel) -> dict[str, object]:
    """Variables of the template."""
    names = list(dict.fromkeys(one.combination.qdisc for one in found.bound))
    disciplines = [
        Discipline(name, [one for one in found.bound if one.combination.qdisc == name]) for name in names
    ]
    causes: dict[str, list[Miss]] = defaultdict(list)
    for miss in found.misses:
        causes[_why(miss)].append(miss)
    return {
        "kernel": found,
        "kernel_disciplines": disciplines,
        "kernel_measures": MEASURES,
        "kernel_causes": causes,
        "kernel_shown": [one for one in found.compared if not one.bound],
        "kernel_links": {
            name: LINKS[name] for name in sorted({one.combination.link for one in found.compared})
        },
        "kernel_uses": _uses,
        "kernel_effect_seeds": len(EFFECT_SEEDS),
        "kernel_effect_links": EFFECT_LINKS,
    }


def _uses(cells: Sequence[Cell]) -> str:
    """Number of cells that hold, and the median and the largest use of their tolerance."""
    used = sorted(cell.used for cell in cells)
    held = sum(cell.holds for cell in cells)
    return f"{held} of {len(cells)}: {100 * float(np.median(used)):.0f}%, {100 * used[-1]:.0f}%"


def _why(miss: Miss) -> str:
    if miss.is_explained and miss.cause:
        return miss.cause.about
    if miss.is_chance:
        return "chance"
    return "open"


def named(found: Kernel) -> list[str]:
    """One line for each miss that neither has a cause nor is named as open."""
    return [
        f"  ✗ {miss.combination.name}, {miss.cell.measure.name}: "
        f"{miss.cell.weir.mean:.2f}, Linux {miss.cell.ns2.mean:.2f}, {100 * miss.cell.used:.0f}%"
        for miss in found.misses
        if not miss.holds
    ]


def with_rows(found: Kernel, misses: Sequence[Miss]) -> Kernel:
    """The outcome with other misses, for tests."""
    return replace(found, misses=list(misses))
