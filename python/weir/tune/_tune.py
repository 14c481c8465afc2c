"""Tuning from the question to the answer, and its result: a number and a directory in a store.

A search draws nothing but seeds: with its runs in the store the same question has the same answer, and
nothing is run. So a store keeps the question with the keys of its runs. There `recorded_answer`
finds the answer.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from weir import _core
from weir._errors import WeirError
from weir.aqm import sources
from weir.check import Note, Repeated, merged, notes
from weir.scenario import Scenario
from weir.store import Record, Store
from weir.sweep import TUNING, Workers, check_distinct, check_measures
from weir.tune import _online as online
from weir.tune._answer import Answer, AnswerKind, State
from weir.tune._evaluator import Evaluator, OnStep
from weir.tune._online import Load, Phase
from weir.tune._region import MapCell, Region, map_of
from weir.tune._sampled import Front, front, sampled
from weir.tune._search import LEVELS, Search
from weir.tune._space import Setting, Space, SpaceError, placed
from weir.tune._targets import Target, TargetError, parse_all
from weir.tune._varied import varied

BESIDE = ("delay_mean", "delay_p99", "utilisation")
"""Measures shown with every answer, targets or not. They show the price of an answer for the delay alone."""

_SOURCE = ".python.source"
"""Ending of the path that holds the digest of a Python class's file. Users do not type it."""


@dataclass(frozen=True)
class Question:
    """Question of a tuning, as the user wrote it."""

    targets: Sequence[str]
    vary: Sequence[str]
    over: Sequence[str] = ()
    source: str | None = None
    """Scenario as the user named it."""
    with_op_red: bool = False
    with_loads: bool = False
    """True to run the best settings at half and at twice the load, for the page of evidence."""
    optuna: bool = False
    """True to search with Optuna's default sampler, as is done for many parameters."""
    disciplines: Sequence[str] = ()
    """Queue disciplines, each to be tuned by itself, in place of the scenario's own queue."""
    front: bool = False
    """True to find a front, in which no setting beats another, instead of a single setting."""


@dataclass(frozen=True)
class Task:
    """Checked question of a tuning."""

    scenario: Scenario
    question: Question
    targets: tuple[Target, ...]
    space: Space
    region: Region | None
    disciplines: Mapping[str, Task] = field(default_factory=dict[str, "Task"])
    """Tasks by discipline, if several are tuned."""

    @staticmethod
    def of(scenario: Scenario, question: Question, *, beside: bool = False) -> Task:
        """Checks a question. Raises WeirError (about targets, parameters and conditions) and ScenarioError,
        before any run.

        `beside` others, a discipline may have nothing to vary: its defaults are judged.
        """
        targets = parse_all(question.targets)
        if question.disciplines:
            return Task(
                scenario, question, targets, Space(scenario.core, ()), None, _each(scenario, question)
            )
        ends = any(path.traffic != "bulk" for path in scenario.network.paths)
        for target in targets:
            if target.of.table == "completions" and not ends:
                raise TargetError(
                    f"{target.measure} is not recorded: no flow of this scenario ends",
                    "give a group of flows some traffic, or choose another measure",
                )
        check_measures((target.measure for target in targets), [scenario.core], TargetError)
        space = Space.of(scenario, question.vary) if question.vary or not beside else Space(scenario.core, ())
        region = Region.of(scenario, question.over) if question.over else None
        if region is not None:
            # A condition that is a parameter too would undo it.
            check_distinct([*space.axes, *region.axes])
        if question.with_op_red:
            online.check(targets, scenario)
        return Task(scenario, question, targets, space, region)

    @property
    def source(self) -> str:
        """Scenario as the user named it."""
        return self.question.source or self.scenario.name

    @property
    def conditions(self) -> tuple[Setting, ...]:
        """Conditions in which the setting must meet the targets."""
        return ((),) if self.region is None else tuple(self.region.conditions())

    @cached_property
    def notes(self) -> tuple[Repeated, ...]:
        """Notes on what may mislead in the scenario, except in the values that are varied."""
        if self.disciplines:
            return merged((name, one._own_notes) for name, one in self.disciplines.items())
        return merged([(self.scenario.label, self._own_notes)])

    @property
    def _own_notes(self) -> list[Note]:
        varied = {path for axis in self.space.axes for path in axis.paths}
        return [note for note in notes(self.scenario) if note.path not in varied]

    @property
    def options(self) -> list[str]:
        """Options with which the scenario was loaded, as a shell takes them."""
        _, _, overrides, variant = _pickled(self.scenario)
        sets = [f"--set {path}={value}" for path, value in overrides if not path.endswith(_SOURCE)]
        return sets if variant is None else [*sets, f"--variant {variant}"]


def _each(scenario: Scenario, question: Question) -> dict[str, Task]:
    """The task of each discipline. Raises TargetError and SpaceError for what is about none of them."""
    names = list(dict.fromkeys(question.disciplines))
    bottleneck = scenario.network.bottleneck.name
    for target in parse_all(question.targets):
        if target.of.at not in {"", bottleneck}:
            raise TargetError(
                f"disciplines are tried at {bottleneck}, and the target is about the queue at {target.of.at}",
                f"--set measure.bottleneck={target.of.at} tries them there; leave the port out of its target",
            )
    port = scenario.network.port(bottleneck)
    ranges = {name: varied(name, question.vary, port) for name in names}
    for text in question.vary:
        if not any(text in of_one for of_one in ranges.values()):
            raise SpaceError(
                f'"{text}" is about none of {", ".join(names)}', "name the discipline: codel.target=…"
            )
    return {
        one.name: Task.of(
            Scenario(one.scenario), replace(question, disciplines=(), vary=ranges[one.name]), beside=True
        )
        for one in scenario.chosen(None, names)
    }


def _with_sources(core: _core.Scenario, texts: Mapping[str, str], record: Record) -> _core.Scenario:
    """The recorded scenario with the digests of its classes, by which its runs are found. None is
    loaded. Raises WeirError where a digest is not known."""
    document = json.loads(core.to_json())
    digests = dict(sources.digests_of(document, texts))
    for one in sources.named_in(document):
        if one.digest is None and f"{one.path}.source" not in digests:
            told = f"the same command shows it: {record.command}" if record.command else "tune again"
            raise WeirError(
                f"result {record.number}, {record.name}, does not say of which file {one.cls} was: its runs "
                "could only be found by running that class",
                f"read its file first; then {told}",
            )
    return core.replace(list(digests.items())) if digests else core


def _pickled(scenario: Scenario) -> tuple[str, str, list[tuple[str, str]], str | None]:
    """Text, file, overrides and variant."""
    _, (text, file, overrides, variant, _) = scenario.core.__reduce__()  # type: ignore[misc]
    return text, file, overrides, variant  # type: ignore[return-value]


@dataclass(frozen=True)
class Tuned:
    """Result of a tuning."""

    task: Task
    answer: Answer
    cells: tuple[MapCell, ...]
    """Map of the region; empty without a region."""
    phases: tuple[Phase, ...]
    """Comparison with OP-RED; empty if it was not requested."""
    loads: tuple[Load, ...]
    """Trade-offs at other loads; empty if they were not requested."""
    record: Record | None = None
    """Record of the result in the store."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    """CPU time of the search when it was first requested, in seconds."""

    @property
    def setting(self) -> Setting:
        """Setting of the answer; empty for the defaults."""
        return tuple(self.answer.chosen.setting.items())

    @property
    def scenario(self) -> Scenario:
        """Scenario with the setting of the answer."""
        return type(self.task.scenario)(placed(self.task.scenario.core, self.setting))

    def to_json(self) -> dict[str, Any]:
        """Document that `weir tune --json` prints."""
        return {
            "weir": _core.__version__,
            "result": None if self.record is None else self.record.number,
            "scenario": self.task.scenario.name,
            "searched": [bounds.to_json() for bounds in self.task.space.bounds],
            "left_out": list(self.task.space.left_out),
            "notes": [note.to_json() for note in self.task.notes],
            **self.answer.to_json(),
            "wall_s": self.wall_s,
            "map": [cell.to_json() for cell in self.cells],
            "op_red": [phase.to_json() for phase in self.phases],
        }


@dataclass(frozen=True)
class Choice:
    """Answers for several queue disciplines, the best first: by the worst target, on fresh seeds."""

    tuned: Mapping[str, Tuned]
    notes: tuple[Repeated, ...] = ()
    """Notes on what may mislead in the scenario."""
    record: Record | None = None
    wall_s: float = 0.0
    cpu_s: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Document that `weir tune --disciplines --json` prints."""
        return {
            "weir": _core.__version__,
            "result": None if self.record is None else self.record.number,
            "wall_s": self.wall_s,
            "notes": [note.to_json() for note in self.notes],
            "disciplines": [{**one.to_json(), "discipline": name} for name, one in self.tuned.items()],
        }


def ask(
    task: Task, store: Store, workers: Workers, on_step: OnStep | None = None, command: str | None = None
) -> Tuned | Front | Choice:
    """The answer, and what was asked for beside it, recorded in the store with the command line that asked.
    It is the front, or an answer for each discipline, if asked for. Raises WorkersError, StoreError."""
    wall, cpu = time.monotonic(), time.process_time()
    found, keys = _answered(task, store, workers, on_step)
    store.compact(force=True)
    cost = {"wall_s": time.monotonic() - wall, "cpu_s": time.process_time() - cpu}
    definition = {
        "kind": TUNING,
        "scenario": _pickled(task.scenario),
        # Under the key that sweeps have too.
        **({"python": classes} if (classes := sources.texts_in(task.scenario.core)) else {}),
        "question": asdict(task.question),
        "cost": cost,
        "runs": sorted(keys),
        "results_version": _core.results_version,
    }
    asked = asdict(replace(task.question, with_loads=False))
    same = [asked, task.scenario.hash, task.scenario.seed, _core.results_version]
    key = hashlib.sha256(json.dumps(same).encode()).hexdigest()[:10]
    name, title = task.scenario.name, task.scenario.title
    record = store.record_sweep(Record(key, name, title, definition, command))
    return replace(found, record=record, **cost)


def tune(task: Task, store: Store, workers: Workers, on_step: OnStep | None = None) -> Tuned:
    """The answer to a question that is not for a front: see `ask`."""
    found = ask(task, store, workers, on_step)
    assert isinstance(found, Tuned)
    return found


def recorded_answer(store: Store, record: Record) -> Tuned | Front | Choice:
    """Returns the answer of a recorded result, from the store alone. Raises WeirError if a run is missing."""

    def refuse(_: object) -> Future[Any]:
        raise WeirError(
            f"runs of result {record.number}, {record.name}, are not in the store",
            f"the same command does them: {record.command}" if record.command else "tune again",
        )

    with store.reading(record) as definition:
        text, file, overrides, variant = definition["scenario"]
        pairs = [(path, value) for path, value in overrides]
        # Whoever wrote the store may have written its classes too: nothing is run here.
        core = _core.Scenario.loads(text, file, pairs, variant, python=None)
        core = _with_sources(core, definition.get("python", {}), record)
        task = Task.of(Scenario(core), Question(**definition["question"]))
    workers = Workers(refuse, lambda: 1, "none")
    found, _ = _answered(task, store, workers)
    with store.reading(record) as definition:
        spent: dict[str, Any] = definition["cost"]
        if not all(isinstance(value, int | float) for value in spent.values()):
            raise TypeError("its cost is no number")
        return replace(found, record=record, **spent)


def _answered(
    task: Task, store: Store, workers: Workers, on_step: OnStep | None = None
) -> tuple[Tuned | Front | Choice, set[int]]:
    """Answers the task; returns the result and the store keys of its runs."""
    if not task.question.disciplines:
        targets, conditions = task.targets, task.conditions
        evaluator = Evaluator(task.scenario.core, targets, store, workers, conditions, on_step, BESIDE)
        return _found(task, evaluator), evaluator.keys
    tuned: dict[str, Tuned] = {}
    keys: set[int] = set()
    for name, one in task.disciplines.items():
        found, runs = _answered(one, store, workers, on_step)
        assert isinstance(found, Tuned), "a front is of one discipline"
        tuned[name] = found
        keys |= runs
    best = sorted(tuned, key=lambda name: tuned[name].answer.chosen.worst.shortfall)
    return Choice({name: tuned[name] for name in best}, task.notes), keys


def _judged(evaluator: Evaluator) -> Answer:
    """Answer for a scenario in which nothing is varied."""
    evaluator.say("defaults")
    judged = evaluator.confirm(())
    verdicts: dict[State, AnswerKind] = {
        "met": "defaults already meet it", "missed": "not achievable", "open": "undecided",
    }  # fmt: skip
    return Answer(verdicts[judged.state], evaluator.targets, judged, judged, evaluator.runs)


def _found(task: Task, evaluator: Evaluator) -> Tuned | Front:
    if task.question.front:
        return replace(front(task.space, evaluator), notes=task.notes)
    if not task.space.dimensions:
        answer = _judged(evaluator)
    elif task.space.dimensions in LEVELS and not task.question.optuna:
        answer = Search(task.space, evaluator).run()
    else:
        answer = sampled(task.space, evaluator)
    setting, worst = tuple(answer.chosen.setting.items()), answer.chosen.worst.shortfall
    cells: tuple[MapCell, ...] = ()
    phases: tuple[Phase, ...] = ()
    loads: tuple[Load, ...] = ()
    if task.region is not None:
        evaluator.say("map", setting, worst, 0.0)
        cells = map_of(task.region, setting, evaluator)
    if task.question.with_op_red:
        evaluator.say("OP-RED", setting, worst, 0.0)
        phases = online.against_op_red(evaluator, setting)
    if task.question.with_loads and task.region is None and len(task.targets) > 1:
        evaluator.say("other loads", setting, worst, 0.0)
        loads = online.other_loads(evaluator, answer)
    return Tuned(task, answer, cells, phases, loads)
