"""One tuning from what is asked for to what comes out."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.scenario.scenario import Scenario
from weir.store import Store
from weir.sweep.axes import check_distinct
from weir.sweep.workers import Workers
from weir.tune import online
from weir.tune.answer import Answer
from weir.tune.judge import Judge, OnStep
from weir.tune.lab import Lab
from weir.tune.loads import other_loads
from weir.tune.online import Phase, against_op_red
from weir.tune.region import MapCell, Region, map_of
from weir.tune.sampled import Front, front, sampled
from weir.tune.search import LEVELS, Search
from weir.tune.space import Setting, Space, placed
from weir.tune.targets import Target, TargetError, parse_all


@dataclass(frozen=True)
class Task:
    """What is asked for, checked."""

    scenario: Scenario
    targets: tuple[Target, ...]
    space: Space
    region: Region | None
    with_op_red: bool = False

    @staticmethod
    def of(
        scenario: Scenario,
        targets: Sequence[str],
        vary: Sequence[str],
        over: Sequence[str] = (),
        *,
        with_op_red: bool = False,
    ) -> Task:
        """Raises WeirError (of targets, parameters and conditions) and ScenarioError, before any run."""
        wanted = parse_all(targets)
        _check_recorded(wanted, scenario)
        space = Space.of(scenario, vary)
        region = Region.of(scenario, over) if over else None
        if region is not None:
            # A condition that is a parameter too would undo it.
            check_distinct([*space.axes, *region.axes])
        task = Task(scenario, wanted, space, region, with_op_red)
        if with_op_red:
            online.check(wanted, scenario)
        return task

    @property
    def conditions(self) -> tuple[Setting, ...]:
        """Where the setting has to do."""
        return ((),) if self.region is None else tuple(self.region.conditions())


@dataclass(frozen=True)
class Tuned:
    """What comes out."""

    task: Task
    answer: Answer
    cells: tuple[MapCell, ...]
    """The map of the region; empty without one."""
    phases: tuple[Phase, ...]
    """Beside OP-RED; empty where it was not asked for."""
    loads: tuple[tuple[str, list[dict[str, float]]], ...]
    """What can be had at other loads; empty where it was not asked for."""
    wall_s: float

    @property
    def setting(self) -> Setting:
        """Of the answer; empty for the defaults."""
        return tuple(self.answer.chosen.setting.items())

    @property
    def scenario(self) -> Scenario:
        """With the setting of the answer."""
        return type(self.task.scenario)(placed(self.task.scenario.core, self.setting))

    def to_json(self) -> dict[str, Any]:
        """What `weir tune --json` prints."""
        return {
            "weir": _core.__version__,
            "scenario": self.task.scenario.name,
            "left_out": list(self.task.space.left_out),
            **self.answer.to_json(),
            "wall_s": self.wall_s,
            "map": [cell.to_json() for cell in self.cells],
            "op_red": [phase.to_json() for phase in self.phases],
        }


def tune(
    task: Task,
    store: Store,
    workers: Workers,
    on_step: OnStep | None = None,
    *,
    with_loads: bool = False,
    optuna: bool = False,
) -> Tuned:
    """The answer, and what was asked for beside it. Raises WorkersError, StoreError.

    Args:
        with_loads: whether to run what can be had at half and at twice the load, for the page of evidence.
        optuna: whether Optuna's default sampler is to do the search, as it does for many parameters.
    """
    started = time.monotonic()
    judge = _judge(task, store, workers, on_step)
    small = task.space.dimensions in LEVELS and not optuna
    answer = Search(task.space, judge).run() if small else sampled(task.space, judge)
    setting = tuple(answer.chosen.setting.items())
    cells: tuple[MapCell, ...] = ()
    if task.region is not None:
        judge.say("map", setting, answer.chosen.worst.shortfall, 0.0)
        cells = map_of(task.region, setting, task.targets, judge.lab)
    phases: tuple[Phase, ...] = ()
    if task.with_op_red:
        judge.say("OP-RED", setting, answer.chosen.worst.shortfall, 0.0)
        phases = against_op_red(task.scenario, setting, task.targets)
    loads: tuple[tuple[str, list[dict[str, float]]], ...] = ()
    if with_loads and task.region is None and len(task.targets) > 1:
        judge.say("other loads", setting, answer.chosen.worst.shortfall, 0.0)
        loads = other_loads(task.scenario, answer, judge.lab)
    return Tuned(task, answer, cells, phases, loads, time.monotonic() - started)


def front_of(task: Task, store: Store, workers: Workers, on_step: OnStep | None = None) -> Front:
    """What can be had of all targets' measures together: settings of which none beats another."""
    return front(task.space, _judge(task, store, workers, on_step))


def _check_recorded(targets: Sequence[Target], scenario: Scenario) -> None:
    """Raises TargetError for completion times where no flow ends."""
    flows: dict[str, dict[str, Any]] = tomllib.loads(scenario.to_toml())["flows"]
    if any("traffic" in group or "size" in group for group in flows.values()):
        return
    for target in targets:
        if target.of.table == "completions":
            raise TargetError(
                f"{target.measure} is not recorded: no flow of this scenario ends",
                "give a group of flows some traffic, or choose another measure",
            )


def _judge(task: Task, store: Store, workers: Workers, on_step: OnStep | None) -> Judge:
    measures = tuple(dict.fromkeys(target.measure for target in task.targets))
    lab = Lab(task.scenario.core, measures, store, workers)
    return Judge(lab, task.targets, task.conditions, on_step)
