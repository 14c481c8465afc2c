"""The senders of L4S against a real kernel: TCP Prague 0.7; DCTCP and CUBIC with accurate ECN feedback."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from validation.kernel_queues import LINKS, Queue, queue
from validation.loop import Cell, Measure
from validation.places import HERE, REFERENCE, rows_of
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import WHOLE_RUN, frames
from weir.stats._analysis import ALL
from weir.stats._intervals import mean_interval

SCENARIO = "l4s.toml"
SEEDS = range(1, 6)
STAGGERS = (20, 30, 40)
"""Milliseconds between the beginnings of two flows, run by run."""
PHASES = tuple(step / 20 for step in range(-2, 3))
"""Packet times by which the round trip of a lone flow is longer, run by run: a step draws nothing."""

ALONE = (
    Measure("mean", "Mean delay", "ms", 2, 1.0, 0.10, "qd_mean_ms", 1.0),
    Measure("p99", "99% of delays", "ms", 1, 3.0, 0.15, "qd_p99_ms", 1.0),
    Measure("utilisation", "Utilisation", "%", 1, 1.0, 0.0, "util", 100.0),
    Measure("marks", "Marks", "% of packets", 2, 0.2, 0.15, "mark_pct", 1.0),
    Measure("drops", "Drops", "% of packets", 2, 0.2, 0.15, "drop_pct", 1.0),
)
MIXED = (
    *ALONE,
    Measure(
        "ratio",
        "Rate of a flow of the first group over one of the second",
        "",
        2,
        0.0,
        0.25,
        "ratio_g1_g2",
        1.0,
    ),
    Measure("first_mean", "Mean delay of the first group", "ms", 2, 1.0, 0.10, "g1_qd_mean_ms", 1.0),
    Measure("first_marks", "Marks of the first group", "% of packets", 2, 0.2, 0.15, "g1_mark_pct", 1.0),
)


ANOMALY = "red_step, A, dctcp, 16 flows"
"""A single run of Linux whose first seconds timeouts shape, which nobody understands: it need not agree."""

OPEN = frozenset(
    {
        ("dualpi2_any, A, dctcp, 2 flows", "utilisation"),
        ("dualpi2_any, C, dctcp, 1 flow", "utilisation"),
        ("dualpi2_any, C, dctcp, 4 flows", "utilisation"),
        ("dualpi2, A, prague:2+cubic:2", "marks"),
        ("dualpi2, A, prague:2+cubic:2", "ratio"),
        ("dualpi2, B, prague, 1 flow", "marks"),
        ("dualpi2, C, prague:1+cubic:1", "mean"),
        ("dualpi2, C, prague:1+cubic:1", "utilisation"),
        ("dualpi2, C, prague:1+cubic:1", "marks"),
        ("dualpi2, C, prague:1+cubic:1", "ratio"),
        ("dualpi2, C, prague:1+cubic:1", "first_marks"),
        ("fq_codel_l4s, C, prague:1+cubic:1", "ratio"),
    }
)
"""What misses and is not explained."""


@dataclass(frozen=True)
class Combination:
    """What was measured together: a row of the reference, but for its repeats."""

    qdisc: str
    link: str
    congestion: str
    """`prague`, or groups in turn: `prague:1+cubic:4`."""
    flows: int

    @property
    def name(self) -> str:
        flows = "" if ":" in self.congestion else (", 1 flow" if self.flows == 1 else f", {self.flows} flows")
        return f"{self.qdisc}, {self.link}, {self.congestion}{flows}"

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Congestion control and number of flows of each group."""
        if ":" not in self.congestion:
            return [(self.congestion, self.flows)]
        parts = (part.split(":") for part in self.congestion.split("+"))
        return [(name, int(count)) for name, count in parts]

    @property
    def measures(self) -> tuple[Measure, ...]:
        return MIXED if ":" in self.congestion else ALONE

    @property
    def queue(self) -> Queue:
        return queue(self.qdisc, self.link, ecn=True, held=True)


@dataclass(frozen=True)
class Compared:
    """One combination in Weir and in Linux."""

    combination: Combination
    cells: list[Cell]
    spread: tuple[float, float]
    """Of the ratio over Linux's repeats."""

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
    def unnamed(self) -> list[str]:
        """A line for each miss that is not named as open."""
        return [
            f"  ✗ {one.combination.name}, {cell.measure.name}: {cell.weir.mean:.2f}, "
            f"Linux {cell.ns2.mean:.2f}, {100 * cell.used:.0f}%"
            for one, cell in self.missed
            if (one.combination.name, cell.measure.name) not in OPEN
        ]

    @property
    def holds(self) -> bool:
        return not self.unnamed

    @property
    def mixes(self) -> list[tuple[Compared, Cell]]:
        """The ratios of the mixes."""
        return [(one, cell) for one in self.bound for cell in one.cells if cell.measure.name == "ratio"]


def senders(progress: OnProgress | None = None) -> Senders:
    """Everything."""
    return Senders(compare(reference(), progress=progress))


def reference() -> dict[Combination, list[dict[str, str]]]:
    """The repeats of every combination whose senders have accurate feedback, in the order of the file."""
    found: defaultdict[Combination, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "l4s" / "results.csv"):
        if row["tcp_ecn"] == "3" and not row["scen"] and not row["tag"]:
            one = Combination(row["qdisc"], row["link"], row["cc"], int(row["flows"]))
            found[one].append(row)
    return dict(found)


def scenario(
    one: Combination,
    text: str,
    stagger: int = STAGGERS[0],
    phase: float = 0.0,
    changes: Sequence[tuple[str, str]] = (),
) -> _core.Scenario:
    """The combination in Weir, flows beginning every `stagger` ms, the RTT `phase` packet times longer."""
    path, waits = LINKS[one.link], one.queue
    rtt = path.rtt_ms + phase * path.packet_ms
    groups: dict[str, dict[str, str]] = {}
    begun = 0
    for name, (congestion, count) in zip(("first", "second"), one.groups, strict=False):
        later = [
            f'{{ at = "{(begun + at) * stagger} ms", count = {at + 1} }}' for at in range(count) if begun + at
        ]
        groups[name] = {
            "count": "0" if begun else "1",
            "rtt": f"{rtt:.6g} ms",
            f"tcp.congestion.{congestion}": "{}",
            **({"population": f"[{', '.join(later)}]"} if later else {}),
        }
        begun += count
    both = text if len(groups) == 1 else f"{text}{_second(text)}"
    return _core.Scenario.loads(both, SCENARIO).replace(
        [
            ("links.bottleneck.rate", path.rate),
            ("links.bottleneck.buffer", waits.buffer),
            ("links.bottleneck.queue", waits.aqm),
            *((f"flows.{name}.{key}", value) for name, keys in groups.items() for key, value in keys.items()),
            *changes,
        ]
    )


def _second(text: str) -> str:
    """The flows of the file once more, as another group."""
    return text[text.index("[flows.first]") :].replace("flows.first", "flows.second")


def beginnings(one: Combination, text: str, changes: Sequence[tuple[str, str]] = ()) -> list[_core.Scenario]:
    """The scenarios that take turns."""
    if one.flows == 1 and one.congestion != "cubic":
        return [scenario(one, text, phase=phase, changes=changes) for phase in PHASES]
    return [scenario(one, text, stagger, changes=changes) for stagger in STAGGERS]


def compare(
    recorded: Mapping[Combination, Sequence[Mapping[str, str]]],
    seeds: Sequence[int] = SEEDS,
    changes: Sequence[tuple[str, str]] = (),
    progress: OnProgress | None = None,
) -> list[Compared]:
    """Every combination with every seed, against its repeats."""
    text = (HERE / SCENARIO).read_text(encoding="utf-8")
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
        _compared(one, rows, runs[at * len(seeds) : (at + 1) * len(seeds)])
        for at, (one, rows) in enumerate(recorded.items())
    ]


def context(found: Senders) -> dict[str, object]:
    """What the template needs."""
    return {"l4s": found, "l4s_seeds": SEEDS[-1], "l4s_two": two_packets()}


def two_packets() -> tuple[float, float]:
    """The ratio of Prague beside CUBIC on A where the step begins with two packets, here and in Linux."""
    rows = rows_of(REFERENCE / "l4s" / "results.csv")
    [row] = [row for row in rows if row["qdisc"] == "dualpi2_step2p" and ":" in row["cc"]]
    [found] = compare({Combination(row["qdisc"], row["link"], row["cc"], int(row["flows"])): [row]})
    [ratio] = [cell for cell in found.cells if cell.measure.name == "ratio"]
    return ratio.weir.mean, ratio.ns2.mean


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
    # The time in which tbf holds a packet is part of the delay; it is less where the packet found nothing.
    own = LINKS[one.link].packet_ms
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
