"""Level 3, further: RED over its parameters; RED, PI and AVQ over loads; against recorded runs of ns-2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from validation.loop import Cell, Measure
from validation.places import HERE, REFERENCE, rows_of
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import frames
from weir.stats._analysis import ALL
from weir.stats._intervals import mean_interval

UTILISATION = Measure("utilisation", "Utilisation", "% of capacity", 1, 1.0, 0.0, "utilisation", 100.0)
GOODPUT = Measure("goodput", "Goodput", "% of capacity", 1, 1.0, 0.0, "goodput", 100.0)
LOSS = Measure("loss", "Loss", "% of arrivals", 2, 0.3, 0.10, "loss", 100.0)
SHORT_QUEUE = Measure("queue", "Mean queue", "packets", 1, 1.0, 0.10, "qmean", 1.0)
LONG_QUEUE = Measure("queue", "Mean queue", "packets", 1, 5.0, 0.10, "qmean", 1.0)
SPREAD = Measure("spread", "Its standard deviation", "packets", 1, 5.0, 0.20, "qsd", 1.0)
RED_MEASURES = (UTILISATION, SHORT_QUEUE, LOSS)
LOAD_MEASURES = (GOODPUT, LONG_QUEUE, SPREAD, LOSS)

Values = Mapping[str, list[float]]
"""Measure to a value per seed."""
Window = tuple[int, int]
"""Start and end in seconds."""


@dataclass(frozen=True)
class Point:
    """One setting, or one window of it."""

    label: str
    """The discipline, or RED's setting."""
    where: Mapping[str, str]
    """Further settings that distinguish the point."""
    users: int
    window: Window
    bound: bool
    """True if the point must agree."""
    cells: list[Cell]
    """Cells, one per measure."""

    @property
    def holds(self) -> bool:
        return not self.bound or all(cell.holds for cell in self.cells)


@dataclass(frozen=True)
class Sweeps:
    """Every point."""

    red: list[Point]
    loads: list[Point]
    seeds: Sequence[int]
    whole: bool
    """True if no setting was left out."""

    @property
    def holds(self) -> bool:
        return all(point.holds for point in (*self.red, *self.loads))

    @property
    def bound(self) -> list[Cell]:
        return [cell for point in (*self.red, *self.loads) if point.bound for cell in point.cells]


@dataclass(frozen=True)
class Case:
    """A scenario and ns-2's rows for each of its windows."""

    label: str
    where: Mapping[str, str]
    scenario: _core.Scenario
    period_s: int
    measures: Sequence[Measure]
    bound: bool
    rows: Mapping[tuple[int, int, int], list[dict[str, str]]]
    """Start, end and users to the rows."""


def sweeps(seeds: Sequence[int], *, quick: bool = False, progress: OnProgress | None = None) -> Sweeps:
    """Everything; `quick` has every third of RED's settings, and the lightest load only."""
    red = red_cases()[:: 3 if quick else 1]
    loads = [case for case in load_cases() if not quick or max(users for *_, users in case.rows) <= 100]
    runs = run_batch([(case.scenario, seed) for case in (*red, *loads) for seed in seeds], progress=progress)
    batches = [runs[at : at + len(seeds)] for at in range(0, len(runs), len(seeds))]
    points = [_points(case, batch) for case, batch in zip((*red, *loads), batches, strict=True)]
    flat = [[point for found in part for point in found] for part in (points[: len(red)], points[len(red) :])]
    return Sweeps(flat[0], flat[1], seeds, whole=not quick)


# --- RED over its parameters ------------------------------------------------------------------------------

SETTING = ("max_th", "max_p", "w_q", "gentle", "overhead")


def red_cases() -> list[Case]:
    """Every setting of red-sweeps.csv."""
    scenario = _core.Scenario.load(str(HERE / "red-sweeps.toml"))
    found: defaultdict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "ns2" / "red-sweeps.csv"):
        found[row["users"], *(row[name] for name in SETTING)].append(row)
    # Where the random wait was tried, the plain setting is ruled by phase effects.
    locked = {key[:-1] for key in found if key[-1] != "0"}
    aqm = "links.bottleneck.queue.red"
    return [
        Case(
            "RED",
            dict(zip(SETTING, setting, strict=True)),
            scenario.replace(
                [
                    ("flows.ftp.count", users),
                    ("flows.ftp.send_jitter", f"{setting[4]} s"),
                    (f"{aqm}.max_th", f"{setting[0]} packets"),
                    (f"{aqm}.max_p", setting[1]),
                    (f"{aqm}.w_q", setting[2]),
                    (f"{aqm}.gentle", "true" if setting[3] == "1" else "false"),
                ]
            ),
            20,
            RED_MEASURES,
            setting[4] != "0" or (users, *setting[:-1]) not in locked,
            _windows(rows),
        )
        for (users, *setting), rows in found.items()
    ]


# --- RED, PI and AVQ over loads ---------------------------------------------------------------------------

STAGES = (("ftp", 0, 100), ("second", 150, 100), ("third", 200, 200), ("fourth", 250, 400))
"""Group, start in seconds, flows."""


def load_cases() -> list[Case]:
    """Every discipline and load of loads.csv."""
    text = (HERE / "loads.toml").read_text(encoding="utf-8")
    steady, staged = (_core.Scenario.loads(part, "loads.toml") for part in (text, _staged(text)))
    variants = {steady.variant(name).label: name for name in steady.variants}
    found: defaultdict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows_of(REFERENCE / "ns2" / "loads.csv"):
        together = "" if row["scenario"] == "staged" else row["users"]
        found[row["scenario"], row["label"], together].append(row)
    cases: list[Case] = []
    for (kind, label, users), rows in found.items():
        if kind == "staged":
            scenario = staged.variant(variants[label])
        else:
            end = max(int(row["t1"]) for row in rows)
            scenario = steady.variant(variants[label]).replace(
                [("flows.ftp.count", users), ("duration", f"{end} s")]
            )
        cases.append(Case(label, {"kind": kind}, scenario, 50, LOAD_MEASURES, True, _windows(rows)))  # noqa: FBT003
    return cases


def _staged(text: str) -> str:
    """The file with a group of flows for every stage, and all jitters 1 s."""
    text = text.replace('start_jitter = "10 s"', 'start_jitter = "1 s"')
    at, end = text.index("[flows.ftp]"), text.index("[variants.")
    groups = [
        text[at:end]
        .replace("flows.ftp", f"flows.{name}")
        .replace("count = 100", f"count = {flows}")
        .replace('start = "0 s"', f'start = "{start} s"')
        for name, start, flows in STAGES
    ]
    return text[:at] + "".join(groups) + text[end:]


# --- Windows ----------------------------------------------------------------------------------------------


def _windows(rows: Sequence[dict[str, str]]) -> dict[tuple[int, int, int], list[dict[str, str]]]:
    found: defaultdict[tuple[int, int, int], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        found[int(row["t0"]), int(row["t1"]), int(row["users"])].append(row)
    return found


def _points(case: Case, runs: Sequence[_core.Run]) -> list[Point]:
    tables = frames(_core.tables(runs), range(len(runs)))
    return [
        Point(
            case.label,
            case.where,
            users,
            (start, end),
            case.bound,
            [
                Cell(
                    measure,
                    users,
                    mean_interval(np.array(ours[measure.name])),
                    mean_interval(np.array([measure.scale * float(row[measure.column]) for row in rows])),
                )
                for measure in case.measures
            ],
        )
        for (start, end, users), rows in case.rows.items()
        for ours in [_of_window(tables, len(runs), start // case.period_s, end // case.period_s)]
    ]


def _of_window(tables: Mapping[str, pl.DataFrame], runs: int, first: int, last: int) -> Values:
    """Values of the periods from `first` to before `last`, which are equally long."""

    def periods(table: str, column: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        rows = tables[table].filter(pl.col("group") == ALL, pl.col("period").is_between(first, last - 1))
        if "direction" in rows.columns:
            rows = rows.filter(pl.col("direction") == "forward")
        return rows[column].cast(pl.Float64).to_numpy().reshape(runs, last - first)

    queue, spread = periods("links", "queue_mean"), periods("links", "queue_sd")
    mean = queue.mean(axis=1)
    squares = (queue**2 + spread**2).mean(axis=1)
    values = {
        "utilisation": 100.0 * periods("links", "utilisation").mean(axis=1),
        "goodput": 100.0 * periods("groups", "goodput").mean(axis=1),
        "queue": mean,
        "spread": np.sqrt(np.maximum(squares - mean**2, 0.0)),
        "loss": 100.0 * periods("links", "drops").sum(axis=1) / periods("links", "arrivals").sum(axis=1),
    }
    return {name: found.tolist() for name, found in values.items()}
