"""The senders of L4S against a real kernel: TCP Prague 0.7; DCTCP and CUBIC with accurate ECN feedback."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
import polars as pl

from validation.combinations import MIXED, PUSHES, STAGGERS, SWITCHES, Combination, Switched, repeats
from validation.kernel_queues import LINKS, link, own_ms, round_trip_ms
from validation.loop import Cell
from validation.misses import Key, Miss, Section, known
from validation.places import HERE, REFERENCE, rows_of
from validation.tried import TRIALS, Trial
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import WHOLE_RUN, frames
from weir.stats._analysis import ALL
from weir.stats._intervals import mean_interval

SCENARIO = "l4s.toml"
SEEDS = range(1, 6)
ANOMALY = "red_step, A, dctcp, 16 flows"
"""A single run of Linux whose first seconds timeouts shape, which nobody understands: it need not agree."""

TOLD = (
    "dualpi2_step2p, A, prague:1+cubic:1",
    "dualpi2_any, C, dctcp, 1 flow",
    "dualpi2_any, C, dctcp, 4 flows",
)
"""Combinations that the page mentions by name."""

One = TypeVar("One", bound=Combination)


@dataclass(frozen=True)
class Compared:
    """One combination in Weir and in Linux."""

    combination: Combination
    cells: list[Cell]
    spread: tuple[float, float]
    """Spread of the ratio over Linux's repeats."""

    def holds(self, cell: Cell) -> bool:
        """A ratio also holds within the range of the repeats."""
        low, high = self.spread
        return cell.holds or (cell.measure.name == "ratio" and low <= cell.weir.mean <= high)

    @property
    def missed(self) -> list[Cell]:
        return [cell for cell in self.cells if not self.holds(cell)]


@dataclass(frozen=True)
class Senders:
    """The outcome of a section."""

    section: Section
    compared: list[Compared]
    tried: Mapping[str, Mapping[Key, Cell]] = field(default_factory=dict[str, Mapping[Key, Cell]])
    """Trial to its cells."""

    @property
    def bound(self) -> list[Compared]:
        return [one for one in self.compared if one.combination.name != ANOMALY]

    @property
    def values(self) -> int:
        return sum(len(one.cells) for one in self.bound)

    @property
    def missed(self) -> list[tuple[Compared, Cell]]:
        return [(one, cell) for one in self.bound for cell in one.missed]

    @property
    def misses(self) -> list[Miss]:
        """Every miss with its cause, if one is known, and with what the trials give."""
        found: list[Miss] = []
        for one, cell in self.missed:
            key = (one.combination.name, cell.measure.name)
            again = {name: cells[key] for name, cells in self.tried.items() if key in cells}
            found.append(Miss(one.combination.name, cell, known(self.section).get(key), tried=again))
        return found

    @property
    def holds(self) -> bool:
        return all(miss.holds for miss in self.misses)

    @property
    def mixes(self) -> list[tuple[Compared, Cell]]:
        """The ratios of the mixes."""
        return [(one, cell) for one in self.bound for cell in one.cells if cell.measure.name == "ratio"]


def judged(
    section: Section,
    recorded: Mapping[One, Sequence[Mapping[str, str]]],
    *,
    trials: bool = False,
    progress: OnProgress | None = None,
) -> Senders:
    """The outcome of a section; `trials`: with what was tried on values that are not explained."""
    found = Senders(section, compare(recorded, progress=progress))
    if not trials:
        return found
    unclear = {miss.combination for miss in found.misses if miss.status != "explained"}
    again = {one: rows for one, rows in recorded.items() if one.name in unclear}
    return replace(found, tried={trial.name: _tried(trial, again, progress) for trial in TRIALS})


def _tried(
    trial: Trial, recorded: Mapping[One, Sequence[Mapping[str, str]]], progress: OnProgress | None
) -> dict[Key, Cell]:
    """The cells of combinations in a trial."""
    found: dict[Key, Cell] = {}
    seeds = [seed + trial.seeds for seed in SEEDS]
    for one, rows in recorded.items():
        if trial.concerns(one.qdisc):
            changes = trial.changes(("first", "second")[: len(one.groups)], one.qdisc)
            [again] = compare({one: rows}, seeds, changes, progress)
            found |= {(one.name, cell.measure.name): cell for cell in again.cells}
    return found


def senders(*, quick: bool = False, progress: OnProgress | None = None) -> Senders:
    """Everything; `quick`: Prague beside CUBIC in DualPI2, on two links, and what the page tells by name."""
    recorded = {
        one: rows
        for one, rows in reference().items()
        if not quick
        or one.name in TOLD
        or (
            one.qdisc == "dualpi2"
            and one.congestion.startswith("prague")
            and one.link in "AB"
            and not isinstance(one, Switched)
        )
    }
    return judged("l4s", recorded, trials=not quick, progress=progress)


def reference() -> dict[Combination, list[dict[str, str]]]:
    """The repeats of every combination without BBR that a scenario can tell, in the order of the file."""
    found: defaultdict[Combination, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "l4s" / "results.csv"):
        plain = (row["qdisc"], row["link"], row["cc"], int(row["flows"]))
        switch = row["tag"] or row["scen"]
        if "bbr" in row["cc"]:
            continue
        if not switch:
            found[Combination(*plain)].append(row)
        elif switch in SWITCHES:
            found[Switched(*plain, row["tcp_ecn"], switch)].append(row)
    return dict(found)


def scenario(
    one: Combination,
    text: str,
    stagger: int = STAGGERS[0],
    changes: Sequence[tuple[str, str]] = (),
) -> _core.Scenario:
    """The combination in Weir, flows beginning every `stagger` ms."""
    path, waits = LINKS[one.link], one.queue
    rtt = round_trip_ms(path, waits)
    groups: dict[str, dict[str, str]] = {}
    begun = 0
    for name, (congestion, count) in zip(("first", "second"), one.groups, strict=False):
        later = [
            f'{{ at = "{(begun + at) * stagger} ms", count = {at + 1} }}' for at in range(count) if begun + at
        ]
        groups[name] = {
            "count": "0" if begun else "1",
            "rtt": f"{2 * rtt if one.resolves else rtt:.6g} ms",
            f"tcp.congestion.{congestion}": "{}",
            **({"population": f"[{', '.join(later)}]"} if later else {}),
        }
        begun += count
    if one.resolves:
        known = ", ".join(f'flows.{name}.rtt = "{rtt:.6g} ms"' for name in groups)
        changes = [("changes", f'[{{ at = "{1.9 * rtt:.6g} ms", {known} }}]'), *changes]
    both = text if len(groups) == 1 else f"{text}{_second(text)}"
    return _core.Scenario.loads(both, SCENARIO).replace(
        [
            *link(path, waits),
            *((f"flows.{name}.{key}", value) for name, keys in groups.items() for key, value in keys.items()),
            *one.changes,
            *changes,
        ]
    )


def _second(text: str) -> str:
    """The flows of the file once more, as another group."""
    return text[text.index("[flows.first]") :].replace("flows.first", "flows.second")


def beginnings(
    one: Combination, text: str, repeats: int, changes: Sequence[tuple[str, str]] = ()
) -> list[_core.Scenario]:
    """The scenarios that take turns."""
    return [scenario(one, text, stagger, [*more, *changes]) for stagger, more in one.turns(repeats)]


def compare(
    recorded: Mapping[One, Sequence[Mapping[str, str]]],
    seeds: Sequence[int] = SEEDS,
    changes: Sequence[tuple[str, str]] = (),
    progress: OnProgress | None = None,
) -> list[Compared]:
    """Every combination with every seed, against its repeats."""
    repeats = [len(rows) for rows in recorded.values()]
    values = simulate(list(recorded), repeats, seeds, changes, progress)
    return [_compared(one, rows, ours) for (one, rows), ours in zip(recorded.items(), values, strict=True)]


def simulate(
    combinations: Sequence[Combination],
    repeats: Sequence[int],
    seeds: Sequence[int] = SEEDS,
    changes: Sequence[tuple[str, str]] = (),
    progress: OnProgress | None = None,
) -> list[dict[str, list[float]]]:
    """The values of every combination with every seed, where Linux ran each so often."""
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    runs = run_batch(
        [
            (begun[at % len(begun)], seed)
            for one, often in zip(combinations, repeats, strict=True)
            for begun in [beginnings(one, text, often, changes)]
            for at, seed in enumerate(seeds)
        ],
        progress=progress,
    )
    return [
        _values(one, runs[at * len(seeds) : (at + 1) * len(seeds)]) for at, one in enumerate(combinations)
    ]


def context(found: Senders) -> dict[str, object]:
    """Variables of the template."""
    every = {(one.combination.name, cell.measure.name): cell for one in found.compared for cell in one.cells}
    return {
        "l4s": found,
        "l4s_seeds": SEEDS[-1],
        "l4s_marks": every["dualpi2, A, prague:1+cubic:1", "first_marks"],
        "l4s_two": every["dualpi2_step2p, A, prague:1+cubic:1", "ratio"],
        "l4s_writes": [
            (*writes(one), every[one.name, "utilisation"].ns2.mean)
            for one in (Combination("dualpi2_any", "C", "dctcp", flows) for flows in (1, 4))
        ],
        "l4s_pushes": PUSHES,
    }


def writes(one: Combination) -> tuple[float, float]:
    """The least and the greatest utilisation (%) if writes end every 30 to 60 segments."""
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    ends = [[("flows.first.tcp.push_every", str(every))] for every in range(30, 61, 3)]
    runs = run_batch([(scenario(one, text, changes=end), 1) for end in ends])
    found = _values(one, runs)["utilisation"]
    return min(found), max(found)


def _compared(
    one: Combination, rows: Sequence[Mapping[str, str]], ours: Mapping[str, Sequence[float]]
) -> Compared:
    cells = [
        Cell(
            measure,
            one.flows,
            mean_interval(np.array(ours[measure.name])),
            repeats(measure, rows),
        )
        for measure in one.measures
    ]
    ratios = [float(row["ratio_g1_g2"]) for row in rows] if one.measures == MIXED else [0.0]
    return Compared(one, cells, (min(ratios), max(ratios)))


def _values(one: Combination, runs: Sequence[_core.Run]) -> dict[str, list[float]]:
    tables = frames(_core.tables(runs), range(len(runs)))
    forward = tables["links"].filter(
        pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("period") == WHOLE_RUN
    )
    own = own_ms(LINKS[one.link], one.queue)
    every = forward.filter(pl.col("group") == ALL)
    values = {
        "mean": every["delay_mean_ms"] + own,
        "p99": every["delay_p99_ms"] + own,
        "utilisation": 100 * every["utilisation"],
        "marks": 100 * every["marks"] / every["departures"],
        "drops": 100 * every["drops"] / (every["drops"] + every["departures"]),
    }
    if one.measures == MIXED:
        flows = tables["flows"].filter(pl.col("period") == WHOLE_RUN)
        rates = [
            flows.filter(pl.col("group") == name)
            .group_by("run")
            .agg(pl.col("goodput_bps").mean())
            .sort("run")
            for name in ("first", "second")
        ]
        first = forward.filter(pl.col("group") == "first")
        values["ratio"] = rates[0]["goodput_bps"] / rates[1]["goodput_bps"]
        values["first_mean"] = first["delay_mean_ms"] + own
        values["first_marks"] = 100 * first["marks"] / first["departures"]
    return {name: series.cast(pl.Float64).to_list() for name, series in values.items()}
