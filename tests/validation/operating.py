"""OP-RED against the best that RED does with fixed parameters: the acceptance of our own AQM."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from validation.places import HERE
from weir import _core
from weir.run._batch import OnProgress, run_batch
from weir.run._tables import WHOLE_RUN, frames
from weir.stats._analysis import ALL

SCENARIO = "operating-point.toml"
USERS = (10, 20, 40, 80)
MAX_TH = (10, 15, 20, 25, 30, 35, 40, 45, 50)
MAX_P = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
SEEDS, QUICK_SEEDS = range(1, 4), range(1, 2)
TOLERANCE = math.log(1.15)
USED = 0.75
"""Points at which less of the link is used are no targets."""
BEYOND = ((1.0, 1.0), (0.6, 0.6), (0.4, 0.8), (0.8, 0.4))
"""Factors of delay and loss, from points that can be reached to targets; all but the first cannot."""
LOSS = (pl.col("drops") / pl.col("arrivals")).mean().alias("loss")
BOTTLENECK = (pl.col("direction") == "forward") & (pl.col("group") == ALL)


@dataclass(frozen=True)
class At:
    """A mean delay in milliseconds and a part that is lost."""

    delay: float
    loss: float

    def beyond(self, target: At) -> float:
        """The larger error, in the logarithm."""
        return max(math.log(self.delay / target.delay), math.log(self.loss / target.loss))


@dataclass(frozen=True)
class Fixed:
    """RED with these parameters."""

    max_th: int
    max_p: float
    at: At
    utilisation: float


@dataclass(frozen=True)
class Aim:
    """A target, what can be done, and what OP-RED makes of it."""

    users: int
    target: At
    best: Fixed
    reached: At
    achieved: float
    """The part of the time for which OP-RED says so."""
    unachievable: float

    @property
    def error(self) -> float:
        """Error of the best fixed parameters."""
        return max(self.best.at.beyond(self.target), 0.0)

    @property
    def reachable(self) -> bool:
        return self.error == 0.0

    @property
    def excess(self) -> float:
        """Excess of OP-RED's error over that of the best fixed parameters."""
        return self.reached.beyond(self.target) - self.error

    @property
    def reported(self) -> bool:
        """True if OP-RED's report is true most of the time."""
        return (self.achieved if self.reachable else self.unachievable) > 0.5

    @property
    def holds(self) -> bool:
        return self.excess <= TOLERANCE and self.reported


@dataclass(frozen=True)
class Stage(Aim):
    """An aim between two changes."""

    changes: str
    start: int
    after: int | None
    """Seconds until it was there and stayed, in steps of a period."""

    @property
    def holds(self) -> bool:
        return super().holds and self.after is not None

    @property
    def is_late(self) -> bool:
        """Delay and loss hold, and only the word comes late: a miss that is known and explained."""
        at_its_place = self.excess <= TOLERANCE and self.after is not None
        return not self.holds and at_its_place and (self.changes, self.start) in LATE


@dataclass(frozen=True)
class Operating:
    """The outcome."""

    aims: list[Aim]
    stages: list[Stage]
    points: int
    """Fixed parameters tried for each number of users."""
    seeds: Sequence[int]

    @cached_property
    def every(self) -> list[Aim]:
        return [*self.aims, *self.stages]

    @property
    def late(self) -> list[Stage]:
        return [stage for stage in self.stages if stage.is_late]

    @property
    def holds(self) -> bool:
        return all(aim.holds for aim in self.every if aim not in self.late)


def operating(*, quick: bool = False, progress: OnProgress | None = None) -> Operating:
    """Everything; `quick` has two numbers of users, every second parameter, one seed."""
    seeds = QUICK_SEEDS if quick else SEEDS
    every = 2 if quick else 1
    scenario = _core.Scenario.load(str(HERE / SCENARIO))
    users = (20, 80) if quick else USERS
    fixed = {n: _grid(scenario, n, MAX_TH[::every], MAX_P[::every], seeds, progress) for n in users}
    aims = [aim for n in users for aim in _aims(scenario, n, fixed[n], seeds, progress)]
    stages = (
        []
        if quick
        else [*_stages(scenario, "targets", fixed, seeds), *_stages(scenario, "loads", fixed, seeds)]
    )
    return Operating(aims, stages, len(fixed[users[0]]), seeds)


def _grid(
    scenario: _core.Scenario,
    users: int,
    thresholds: Sequence[int],
    slopes: Sequence[float],
    seeds: Sequence[int],
    progress: OnProgress | None,
) -> list[Fixed]:
    settings = [(max_th, max_p) for max_th in thresholds for max_p in slopes]
    red = "links.bottleneck.queue.red"
    runs = run_batch(
        [
            (scenario.replace([("flows.ftp.count", str(users)), *parameters]), seed)
            for max_th, max_p in settings
            for parameters in [[(f"{red}.max_th", f"{max_th} packets"), (f"{red}.max_p", str(max_p))]]
            for seed in seeds
        ],
        progress=progress,
    )
    rows = _whole(runs, len(seeds))
    return [
        Fixed(max_th, max_p, at, used) for (max_th, max_p), (at, used) in zip(settings, rows, strict=True)
    ]


def _whole(runs: Sequence[_core.Run], together: int) -> list[tuple[At, float]]:
    """Delay, loss and utilisation, means of so many runs each."""
    links = frames(_core.tables(runs), [n // together for n in range(len(runs))])["links"]
    rows = (
        links.filter(BOTTLENECK, pl.col("period") == WHOLE_RUN)
        .group_by("run")
        .agg(pl.col("delay_mean_ms").mean(), LOSS, pl.col("utilisation").mean())
        .sort("run")
    )
    return [
        (At(delay, loss), used)
        for delay, loss, used in rows.select("delay_mean_ms", "loss", "utilisation").iter_rows()
    ]


# --- Targets ----------------------------------------------------------------------------------------------


def _front(fixed: Sequence[Fixed]) -> list[Fixed]:
    """Three of the settings that no other betters in both, in the order of their delays: the two ends
    and the one whose delay is nearest to the middle, in the logarithm."""
    front = [
        one
        for one in fixed
        if one.utilisation >= USED
        and not any(other.at.delay < one.at.delay and other.at.loss < one.at.loss for other in fixed)
    ]
    front.sort(key=lambda one: one.at.delay)
    middle = math.sqrt(front[0].at.delay * front[-1].at.delay)
    return [front[0], min(front, key=lambda one: abs(math.log(one.at.delay / middle))), front[-1]]


def _best(fixed: Sequence[Fixed], target: At) -> Fixed:
    return min(fixed, key=lambda one: one.at.beyond(target))


def _aims(
    scenario: _core.Scenario,
    users: int,
    fixed: Sequence[Fixed],
    seeds: Sequence[int],
    progress: OnProgress | None,
) -> list[Aim]:
    targets = [
        At(one.at.delay * of_delay, one.at.loss * of_loss)
        for of_delay, of_loss in BEYOND
        for one in _front(fixed)
    ]
    queue = "links.bottleneck.queue.op-red"
    op_red = scenario.variant("op-red").replace([("flows.ftp.count", str(users))])
    runs = run_batch(
        [
            (op_red.replace(written), seed)
            for target in targets
            for written in [
                [(f"{queue}.target_delay", f"{target.delay} ms"), (f"{queue}.target_loss", str(target.loss))]
            ]
            for seed in seeds
        ],
        progress=progress,
    )
    said = _said(runs, len(seeds), 300.0, 600.0)
    return [
        Aim(users, target, _best(fixed, target), at, *words)
        for target, (at, _), words in zip(targets, _whole(runs, len(seeds)), said, strict=True)
    ]


def _said(runs: Sequence[_core.Run], together: int, start: float, end: float) -> list[tuple[float, float]]:
    """The parts of this time for which OP-RED says achieved and unachievable."""
    series = frames(_core.tables(runs), [n // together for n in range(len(runs))])["series"]
    means = (
        series.explode("time_s", "value")
        .filter(pl.col("time_s").is_between(start, end, closed="left"))
        .group_by("run", pl.col("variable").cast(pl.String))
        .agg(pl.col("value").mean())
    )
    values = {(run, name): value for run, name, value in means.iter_rows()}
    return [(values[n, "achieved"], values[n, "unachievable"]) for n in range(len(runs) // together)]


# --- Changes on the way -----------------------------------------------------------------------------------

PERIOD_S, STAGE_S = 20, 200
CHANGES: dict[str, list[tuple[int, At]]] = {
    "targets": [(20, At(12, 0.03)), (20, At(6, 0.05)), (20, At(20, 0.02)), (20, At(5, 0.02))],
    "loads": [(users, At(12, 0.03)) for users in (20, 80, 20, 40)],
}
"""Users and targets of each stage, as in the variants of the scenario."""
LATE = {("loads", 200)}
"""Stages after whose change OP-RED says late what is true; the page says why."""


def _stages(
    scenario: _core.Scenario, variant: str, fixed: dict[int, list[Fixed]], seeds: Sequence[int]
) -> list[Stage]:
    changing = scenario.variant(variant)
    runs = run_batch([(changing, seed) for seed in seeds])
    links = frames(_core.tables(runs), range(len(runs)))["links"]
    periods = (
        links.filter(BOTTLENECK, pl.col("period") >= 0)
        .group_by("from_s")
        .agg(pl.col("delay_mean_ms").mean(), LOSS)
        .sort("from_s")
    )
    found: list[Stage] = []
    for n, (users, target) in enumerate(CHANGES[variant]):
        start = n * STAGE_S
        ours = periods.filter(pl.col("from_s").is_between(start, start + STAGE_S, closed="left"))
        there = [At(delay, loss) for _, delay, loss in ours.iter_rows()]
        best = _best(fixed[users], target)
        error = max(best.at.beyond(target), 0.0)
        near = [at.beyond(target) - error <= TOLERANCE for at in there]
        after = next((at for at in range(len(near)) if all(near[at:])), None)
        half = there[len(there) // 2 :]
        settled = At(sum(at.delay for at in half) / len(half), sum(at.loss for at in half) / len(half))
        [words] = _said(runs, len(runs), start + STAGE_S / 2, start + STAGE_S)
        seconds = None if after is None else after * PERIOD_S
        found.append(Stage(users, target, best, settled, *words, variant, start, seconds))
    return found


# --- The page ---------------------------------------------------------------------------------------------


def point(at: At) -> str:
    """Delay and loss."""
    return f"{at.delay:.1f}, {100 * at.loss:.2f}"


def says(aim: Aim) -> str:
    """OP-RED's report on its targets, and the share of the time for which it is given."""
    said = {"achieved": aim.achieved, "unachievable": aim.unachievable}
    word = max(said, key=lambda name: said[name])
    return f"{word}, {100 * said[word]:.0f}%" if said[word] > 0.0 else "neither"


def context(found: Operating) -> dict[str, object]:
    """Variables of the template."""
    return {"operating": found, "beyond": BEYOND, "tolerance": TOLERANCE, "point": point, "says": says}
