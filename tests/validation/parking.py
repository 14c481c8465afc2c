"""Level 3, the closed loop over three bottlenecks in a row, against recorded runs of ns-2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from validation.loop import Cell, Measure
from validation.places import REFERENCE, REPOSITORY, rows_of
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import frames
from weir.stats._analysis import ALL
from weir.stats._intervals import mean_interval

SCENARIO: Path = REPOSITORY / "python" / "weir" / "scenarios" / "parking-lot.toml"
HOPS = (1, 2, 3)
USERS = 20
"""Users at every hop: ten long flows and ten that cross."""

MARKED = Measure("marked", "Marked, cross flows", "% of packets", 2, 0.3, 0.10, "cross_markfrac", 100.0)
HOP_MEASURES = (
    Measure("utilisation", "Utilisation", "% of capacity", 1, 1.0, 0.0, "utilisation", 100.0),
    Measure("queue", "Mean queue", "packets", 1, 1.0, 0.10, "qmean", 1.0),
    Measure("spread", "Its standard deviation", "packets", 1, 1.0, 0.20, "qsd", 1.0),
    Measure("loss", "Loss", "% of arrivals", 2, 0.3, 0.10, "loss", 100.0),
    MARKED,
    Measure("cross", "Goodput, cross flows", "% of capacity", 1, 2.0, 0.0, "cross_goodput", 100.0),
)
GOODPUT = Measure("long", "Goodput, long flows", "% of capacity", 1, 2.0, 0.0, "long_goodput", 100.0)
END_TO_END = Measure("end-to-end", "Marked, long flows", "% of packets", 2, 0.3, 0.10, "long_markfrac", 100.0)
PRODUCT = Measure("product", "By the hops", "% of packets", 2, 0.3, 0.10, "", 100.0)
LONG_MEASURES = (GOODPUT, END_TO_END, PRODUCT)
MARKS = frozenset({MARKED.name, END_TO_END.name, PRODUCT.name})

IN_STEP, WAIT = "DropTail", "DropTail, random wait"
MORE_SEEDS = range(1, 41)
"""Seeds with the random wait, where the long flows' share differs most from run to run; ns-2 ran 30 seeds
there."""

_RED = [
    ("links.hop.queue.red.idle_m", "ns2"),
    ("links.hop.queue.red.min_qlen", "1 packet"),
    ("links.hop.queue.red.ns2_old", "true"),
]
_COUNTS = [("links.hop.buffer_counts", "waiting-and-sending")]
HABITS: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    IN_STEP: ("drop-tail", _COUNTS),
    WAIT: ("drop-tail-wait", _COUNTS),
    "RED(10:30) drop": ("red-drop", _RED),
    "RED(10:30) ecn": ("red-mark", [*_RED, ("links.hop.queue.red.mark_p", "0.1")]),
    "RED(10:30) ecn nomarkp": ("red-mark", _RED),
    "REM drop": ("rem-drop", _COUNTS),
    "REM ecn": ("rem-mark", [*_COUNTS, ("links.hop.queue.rem.mark_at", "departure")]),
}
"""Label to the variant of the scenario, and the habits of ns-2's queue that it leaves out."""

Values = Mapping[str, NDArray[np.float64]]
"""Measure to values of shape (seeds, hops); of the long flows to (seeds, 1)."""


@dataclass(frozen=True)
class Lot:
    """One queue at all three hops, in Weir and ns-2."""

    label: str
    cells: Mapping[str, list[Cell]]
    """Measure to one per hop, or to the one of the long flows."""

    @property
    def bound(self) -> bool:
        """True if more than the utilisation must agree: not where packets of equal flows stay in step."""
        return self.label != IN_STEP

    @property
    def judged(self) -> list[Cell]:
        return [
            cell
            for name, cells in self.cells.items()
            if self.bound or name == "utilisation"
            for cell in cells
        ]

    @property
    def missed(self) -> list[Cell]:
        return [cell for cell in self.judged if not cell.holds]

    @property
    def marks(self) -> bool:
        return PRODUCT.name in self.cells

    @property
    def adds_up(self) -> bool:
        """True if long flows see the marks of hops that know nothing of each other, here and in ns-2."""
        if not self.marks:
            return True
        [seen], [hops] = self.cells[END_TO_END.name], self.cells[PRODUCT.name]
        pairs = ((seen.weir.mean, hops.weir.mean), (seen.ns2.mean, hops.ns2.mean))
        measure = END_TO_END
        return all(abs(one - all_) <= max(measure.absolute, measure.relative * all_) for one, all_ in pairs)

    @property
    def holds(self) -> bool:
        return not self.missed and self.adds_up


@dataclass(frozen=True)
class Parking:
    """Every queue."""

    lots: list[Lot]

    def lot(self, label: str) -> Lot:
        return next(lot for lot in self.lots if lot.label == label)

    @property
    def locked_out(self) -> bool:
        """True if long flows in step get less than half of their goodput with the wait, here and in ns-2."""
        [in_step], [waited] = (self.lot(label).cells[GOODPUT.name] for label in (IN_STEP, WAIT))
        here = in_step.weir.mean < 0.5 * waited.weir.mean
        return here and in_step.ns2.mean < 0.5 * waited.ns2.mean

    @property
    def judged(self) -> list[Cell]:
        return [cell for lot in self.lots for cell in lot.judged]

    @property
    def holds(self) -> bool:
        return self.locked_out and all(lot.holds for lot in self.lots)


def scenario(label: str) -> _core.Scenario:
    """The bundled one with what ns-2 does."""
    variant, habits = HABITS[label]
    return _core.Scenario.load(str(SCENARIO)).variant(variant).replace(list(habits))


def parking(seeds: Sequence[int], progress: OnProgress | None = None) -> Parking:
    """Every queue of the reference."""
    recorded = _recorded()
    chosen = {label: MORE_SEEDS if label == WAIT else seeds for label in recorded}
    jobs = [(scenario(label), seed) for label, some in chosen.items() for seed in some]
    runs = iter(run_batch(jobs, progress=progress))
    lots: list[Lot] = []
    for label, theirs in recorded.items():
        ours = _of_runs([next(runs) for _ in chosen[label]])
        lots.append(Lot(label, _cells(label, ours, theirs)))
    return Parking(lots)


def _cells(label: str, ours: Values, theirs: Values) -> dict[str, list[Cell]]:
    return {
        measure.name: [
            Cell(measure, USERS, mean_interval(a), mean_interval(b))
            for a, b in zip(ours[measure.name].T, theirs[measure.name].T, strict=True)
        ]
        for measure in (*HOP_MEASURES, *LONG_MEASURES)
        if "ecn" in label or measure.name not in MARKS
    }


def _product(marked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Marks that the hops together would give a flow over all of them, each as often as to its own flows, in
    percent."""
    return 100.0 * (1.0 - (1.0 - marked / 100.0).prod(axis=1, keepdims=True))


def _recorded() -> dict[str, Values]:
    """Label to ns-2's values."""
    found: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "ns2" / "parking-lot.csv"):
        found[row["label"]].append(row)

    def values(rows: Sequence[Mapping[str, str]], measure: Measure) -> NDArray[np.float64]:
        table = [measure.scale * float(row[measure.column]) for row in rows]
        return np.array(table).reshape(-1, len(HOPS))

    recorded: dict[str, Values] = {}
    for label, rows in found.items():
        table = {measure.name: values(rows, measure) for measure in HOP_MEASURES}
        long = {measure.name: values(rows, measure)[:, :1] for measure in (GOODPUT, END_TO_END)}
        recorded[label] = table | long | {PRODUCT.name: _product(table[MARKED.name])}
    return recorded


def _of_runs(runs: Sequence[_core.Run]) -> Values:
    tables = frames(_core.tables(runs), range(len(runs)))
    links = tables["links"].filter(pl.col("group") == ALL, pl.col("direction") == "forward")
    groups = tables["groups"]

    def hops(column: str) -> NDArray[np.float64]:
        return links[column].cast(pl.Float64).to_numpy().reshape(len(runs), len(HOPS))

    def flows(column: str, names: Sequence[str]) -> NDArray[np.float64]:
        columns = [
            groups.filter(pl.col("group") == name)[column].cast(pl.Float64).to_numpy() for name in names
        ]
        return np.array(columns).T

    rate = float(links["rate_bps"][0])
    cross = [f"cross{hop}" for hop in HOPS]
    marked = 100.0 * flows("mark_fraction", cross)
    return {
        "utilisation": 100.0 * hops("utilisation"),
        "queue": hops("queue_mean"),
        "spread": hops("queue_sd"),
        "loss": 100.0 * hops("drops") / hops("arrivals"),
        MARKED.name: marked,
        "cross": 100.0 * flows("goodput_bps", cross) / rate,
        GOODPUT.name: 100.0 * flows("goodput_bps", ["long"]) / rate,
        END_TO_END.name: 100.0 * flows("mark_fraction", ["long"]),
        PRODUCT.name: _product(marked),
    }


def context(found: Parking) -> dict[str, object]:
    """Variables of the template."""
    return {
        "parking": found,
        "parking_measures": HOP_MEASURES,
        "parking_in_step": found.lot(IN_STEP),
        "parking_wait": found.lot(WAIT),
        "parking_seeds": MORE_SEEDS,
        "parking_far": [
            (lot.label, cells[0].measure.title, far)
            for lot in found.lots
            for cells in lot.cells.values()
            if (far := sum(cell.surely_used > 1.0 for cell in cells if cell in lot.judged))
        ],
        "parking_apart": sum(abs(cell.difference) > cell.half_width for cell in found.judged),
    }
