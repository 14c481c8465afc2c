"""The senders of L4S against a real kernel: TCP Prague 0.7; DCTCP and CUBIC with accurate ECN feedback."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl

from validation.combinations import MIXED, PUSHES, STAGGERS, SWITCHES, Combination, Switched
from validation.kernel_queues import LINKS
from validation.loop import Cell
from validation.places import HERE, REFERENCE, rows_of
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

WRITES = "the ends of the application's writes decide: below"
HEAD = "Linux counts the packets that the arriving one finds, Weir (RFC 9332) those that it leaves"
EXPLAINED = {
    ("dualpi2_any, C, dctcp, 1 flow", "utilisation"): WRITES,
    ("dualpi2_any, C, dctcp, 1 flow", "marks"): WRITES,
    ("dualpi2_any, C, dctcp, 4 flows", "utilisation"): WRITES,
    ("dualpi2_step2p, A, prague, 1 flow", "marks"): HEAD,
}
"""Values that miss, and the reasons."""

OPEN = {
    ("dualpi2, C, prague, 1 flow, rate halved for 20 s", "p99"): "not all runs reach the overload that drops",
    ("fq_codel, A, cubic, 2 flows", "utilisation"): "of two limit cycles Linux had one, Weir has both",
}
"""Values that miss and are not explained, and what is observed."""

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
    """The outcome."""

    compared: list[Compared]
    named: frozenset[tuple[str, str]] = frozenset(OPEN | EXPLAINED)
    """Values that miss, explained or not."""

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
    def unexplained(self) -> int:
        """Number of misses without an explanation."""
        return sum((one.combination.name, cell.measure.name) not in EXPLAINED for one, cell in self.missed)

    @property
    def unnamed(self) -> list[str]:
        """A line for each miss that is neither explained nor named as open."""
        return [
            f"  ✗ {one.combination.name}, {cell.measure.name}: {cell.weir.mean:.2f}, "
            f"Linux {cell.ns2.mean:.2f}, {100 * cell.used:.0f}%"
            for one, cell in self.missed
            if (one.combination.name, cell.measure.name) not in self.named
        ]

    @property
    def stale(self) -> list[tuple[str, str]]:
        """Names of misses that do not miss."""
        return sorted(self.named - {(one.combination.name, cell.measure.name) for one, cell in self.missed})

    @property
    def holds(self) -> bool:
        return not self.unnamed

    @property
    def mixes(self) -> list[tuple[Compared, Cell]]:
        """The ratios of the mixes."""
        return [(one, cell) for one in self.bound for cell in one.cells if cell.measure.name == "ratio"]


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
    return Senders(compare(recorded, progress=progress))


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
    rtt = path.rtt_ms - (path.packet_ms if waits.early else 0.0)
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
    if not one.held:
        text = "".join(line for line in text.splitlines(keepends=True) if "bucket" not in line)
    if one.resolves:
        known = ", ".join(f'flows.{name}.rtt = "{rtt:.6g} ms"' for name in groups)
        changes = [("changes", f'[{{ at = "{1.9 * rtt:.6g} ms", {known} }}]'), *changes]
    both = text if len(groups) == 1 else f"{text}{_second(text)}"
    return _core.Scenario.loads(both, SCENARIO).replace(
        [
            ("links.bottleneck.rate", path.rate),
            ("links.bottleneck.buffer", waits.buffer),
            ("links.bottleneck.queue", waits.aqm),
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
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    runs = run_batch(
        [
            (begun[at % len(begun)], seed)
            for one, rows in recorded.items()
            for begun in [beginnings(one, text, len(rows), changes)]
            for at, seed in enumerate(seeds)
        ],
        progress=progress,
    )
    return [
        _compared(one, rows, runs[at * len(seeds) : (at + 1) * len(seeds)])
        for at, (one, rows) in enumerate(recorded.items())
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
        "l4s_why": EXPLAINED | {key: f"not explained: {seen}" for key, seen in OPEN.items()},
        "l4s_pushes": PUSHES,
    }


def writes(one: Combination) -> tuple[float, float]:
    """The least and the greatest utilisation (%) if writes end every 30 to 60 segments."""
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
    ends = [[("flows.first.tcp.push_every", str(every))] for every in range(30, 61, 3)]
    runs = run_batch([(scenario(one, text, changes=end), 1) for end in ends])
    found = _values(one, runs)["utilisation"]
    return min(found), max(found)


def _compared(one: Combination, rows: Sequence[Mapping[str, str]], runs: Sequence[_core.Run]) -> Compared:
    ours = _values(one, runs)
    cells = [
        Cell(
            measure,
            one.flows,
            mean_interval(np.array(ours[measure.name])),
            mean_interval(np.array([measure.scale * float(row[measure.column]) for row in rows])),
        )
        for measure in one.measures
    ]
    ratios = [float(row["ratio_g1_g2"]) for row in rows] if one.measures is MIXED else [0.0]
    return Compared(one, cells, (min(ratios), max(ratios)))


def _values(one: Combination, runs: Sequence[_core.Run]) -> dict[str, list[float]]:
    tables = frames(_core.tables(runs), range(len(runs)))
    forward = tables["links"].filter(
        pl.col("direction") == "forward", pl.col("class") == ALL, pl.col("period") == WHOLE_RUN
    )
    # It is less where the packet found nothing.
    own = one.own_ms
    every = forward.filter(pl.col("group") == ALL)
    values = {
        "mean": every["delay_mean_ms"] + own,
        "p99": every["delay_p99_ms"] + own,
        "utilisation": 100 * every["utilisation"],
        "marks": 100 * every["marks"] / every["departures"],
        "drops": 100 * every["drops"] / (every["drops"] + every["departures"]),
    }
    if one.measures is MIXED:
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
