"""The closed loop against a real kernel: Linux's endpoints as options, its queue disciplines translated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from validation.combinations import ALONE, STAGGERS, repeats
from validation.kernel_causes import SWITCHES
from validation.kernel_habits import HABITS, without
from validation.kernel_queues import LINKS, Path, Queue, link, own_ms, queue, round_trip_ms
from validation.kernel_tags import TAGS
from validation.loop import Cell
from validation.misses import Key, Miss, known
from validation.places import HERE, REFERENCE, rows_of
from validation.tried import TRIALS, Change, Trial
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import WHOLE_RUN, frames
from weir.stats._analysis import ALL
from weir.stats._intervals import mean_interval

SCENARIO = "kernel.toml"
SEEDS, EFFECT_SEEDS = range(1, 10), range(1, 3)
EFFECT_LINKS = ("A", "C")
"""Links on which the habits are taken away one by one; B has four times as many packets."""
PHASES = tuple(step / 40 for step in range(-4, 5))
"""Packet times by which the round trip of one DCTCP flow is longer, run by run: it draws nothing, so that
equal round trips give equal runs, and where in a packet time its limit cycle lies moves its values."""
SHOWN_ONLY = 50
"""Flows that need not agree: with windows of two packets the queue is what timeouts make of it."""

PROBED = ("fq_codel", "fq_pie", "cake")
"""Queues that Linux ran with a light probe beside the flows. It has a queue of its own."""

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
    tag: str = ""

    @property
    def name(self) -> str:
        ecn = "ECN" if self.ecn else ""
        flows = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        parts = (self.qdisc, ecn, self.link, self.congestion, flows, TAGS[self.tag].about)
        return ", ".join(filter(None, parts))

    @property
    def path(self) -> Path:
        return TAGS[self.tag].path(LINKS[self.link])

    @property
    def queue(self) -> Queue:
        return TAGS[self.tag].queue(queue(self.qdisc, self.link, ecn=self.ecn))

    @property
    def probed(self) -> bool:
        """True if Linux ran a probe beside the flows."""
        return self.qdisc in PROBED


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
    judged = [one for one in compared if one.bound]
    misses = _explain(judged, recorded, text, trials=not quick, progress=progress)
    if quick:
        return Kernel(compared, misses, [], SEEDS)
    # BBR cannot do without the habits.
    bound = {
        one: rows
        for one, rows in recorded.items()
        if one.flows != SHOWN_ONLY and one.link in EFFECT_LINKS and one.congestion != "bbr" and not one.tag
    }

    def missed(altered: str) -> int:
        return sum(len(one.missed) for one in compare(bound, altered, EFFECT_SEEDS, progress=progress))

    effects = [Effect(option, about, missed(without(text, pieces))) for option, about, pieces in HABITS]
    return Kernel(compared, misses, effects, SEEDS, missed(text), len(bound) * len(ALONE))


def reference() -> dict[Combination, list[dict[str, str]]]:
    """The repeats of every combination that a scenario can tell, in the order of the file."""
    found: defaultdict[Combination, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "kernel" / "results.csv"):
        flows, tag = int(row["flows"]), row["tag"]
        if tag in TAGS and row["cc"] != "mix":
            one = Combination(row["qdisc"], row["ecn"] == "1", row["link"], row["cc"], flows, tag)
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
    path, waits = one.path, one.queue
    rtt = round_trip_ms(path, waits) + phase * path.packet_ms
    loaded = _core.Scenario.loads(text, SCENARIO).variant(one.congestion)
    return loaded.replace(
        [
            *link(path, waits),
            ("flows.bulk.rtt", f"{rtt:.6g} ms"),
            *(
                [("flows.bulk.population", f'[{{ step = 1, every = "{stagger} ms", until = {one.flows} }}]')]
                * (one.flows > 1)
            ),
            ("flows.bulk.tcp.ecn", str(one.ecn).lower()),
            ("flows.probe.count", str(int(one.probed))),
            *TAGS[one.tag].changes,
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
    """Values that are compared, from the rows of the links of some runs. Delays and marks are of the bulk
    flows; what leaves the link and what is dropped is of all."""
    links = links.filter(
        pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("period") == WHOLE_RUN
    )
    every = links.filter(pl.col("group") == ALL)
    # Real packets, of live runs, belong to no group.
    flows = links.filter(pl.col("group") == "bulk")
    bulk = every if flows.is_empty() else flows
    own = own_ms(one.path, one.queue)
    share = LINKS[one.link].packet_ms / one.path.packet_ms
    columns = {
        "mean": bulk["delay_mean_ms"] + own,
        "p99": bulk["delay_p99_ms"] + own,
        "utilisation": 100 * share * every["utilisation"],
        "marks": 100 * bulk["marks"] / bulk["departures"],
        "drops": 100 * every["drops"] / (every["drops"] + every["departures"]),
    }
    return {name: column.cast(pl.Float64).to_list() for name, column in columns.items()}


def _cells(one: Combination, ours: Values, rows: Sequence[Mapping[str, str]]) -> list[Cell]:
    return [
        Cell(measure, one.flows, mean_interval(np.array(ours[measure.name])), repeats(measure, rows))
        for measure in ALONE
    ]


def _explain(
    compared: Sequence[Compared],
    recorded: Mapping[Combination, Sequence[Mapping[str, str]]],
    text: str,
    *,
    trials: bool,
    progress: OnProgress | None,
) -> list[Miss]:
    """Every miss with its cause, if one is known, and with what the trials give."""
    found: list[Miss] = []
    for one in compared:
        for cell in one.missed:
            cause = known("kernel").get((one.combination.name, cell.measure.name))
            switched = _switched(one.combination, recorded, text, cause.name) if cause else {}
            found.append(Miss(one.combination.name, cell, cause, switched.get(cell.measure.name)))
    if not trials:
        return found
    unclear = {miss.combination for miss in found if miss.status != "explained"}
    again = {one: rows for one, rows in recorded.items() if one.name in unclear}
    tried = {trial.name: _tried(trial, again, text, progress) for trial in TRIALS}
    return [
        replace(miss, tried={name: cells[miss.key] for name, cells in tried.items() if miss.key in cells})
        if miss.status != "explained"
        else miss
        for miss in found
    ]


def _switched(
    one: Combination, recorded: Mapping[Combination, Sequence[Mapping[str, str]]], text: str, cause: str
) -> dict[str, Cell]:
    """The cells of a combination with a cause taken away or built in; none if there is no switch."""
    if cause not in SWITCHES:
        return {}
    rows = [row for row in recorded[one] if not SWITCHES[cause].leaves_out(row)]
    if not rows:
        return {}
    [other] = compare({one: rows}, text, SEEDS, SWITCHES[cause].changes(one))
    return {cell.measure.name: cell for cell in other.cells}


def _tried(
    trial: Trial,
    recorded: Mapping[Combination, Sequence[Mapping[str, str]]],
    text: str,
    progress: OnProgress | None,
) -> dict[Key, Cell]:
    """The cells of combinations in a trial."""
    seeds = [seed + trial.seeds for seed in SEEDS]
    chosen = {one: rows for one, rows in recorded.items() if trial.concerns(one.qdisc)}
    by_queue = {one.qdisc for one in chosen}
    return {
        (again.combination.name, cell.measure.name): cell
        for qdisc in sorted(by_queue)
        for again in compare(
            {one: rows for one, rows in chosen.items() if one.qdisc == qdisc},
            text,
            seeds,
            trial.changes(["bulk"], qdisc),
            progress,
        )
        for cell in again.cells
    }
