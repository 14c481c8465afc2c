"""An evaluation: the runs of all cells, verdicts, and more seeds until they are decided."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from weir import _core
from weir._errors import WeirError
from weir.evaluate._cells import Cell, cells
from weir.evaluate._criteria import Criteria
from weir.evaluate._judge import Bench, Judgement, known_of
from weir.evaluate._subject import DROP_TAIL, Subject
from weir.evaluate._values import Setting, values_of
from weir.scenario import Variant
from weir.store import Record, Store
from weir.sweep import EVALUATION, Sweep, Workers, plan_at_one_point, planned_looks, run_plan

FIRST_SEEDS, MOST_SEEDS = 10, 40
"""Number of seeds before the first look, and maximum number of seeds."""

QUICK_SEEDS = 5
"""Number of seeds of `--quick`."""


@dataclass(frozen=True)
class Step:
    """Progress of an evaluation."""

    cell: str
    done: int
    cells: int
    seeds: int


OnStep = Callable[[Step], None]


@dataclass(frozen=True)
class Request:
    """Disciplines, cells and number of seeds of an evaluation.

    Raises WeirError without a subject, without a cell, and for numbers of seeds that show nothing.
    """

    subjects: tuple[Subject, ...]
    references: tuple[Subject, ...]
    """Disciplines beside the subjects. DropTail is always among the references or the subjects."""
    cells: tuple[Cell, ...]
    criteria: Criteria
    quick: bool = False
    first: int = FIRST_SEEDS
    most: int = MOST_SEEDS

    def __post_init__(self) -> None:
        if not self.subjects:
            raise WeirError("there is nothing to evaluate", "name a discipline: subjects(['codel'])")
        if not self.cells:
            raise WeirError("there is no cell to evaluate in", "name a suite: chosen('rfc7928')")
        if self.first < 1:
            raise WeirError(f"{self.first} seeds show nothing", "begin with one or more")
        if self.most < 2:
            raise WeirError("one seed shows no spread", "allow two or more: --seeds N")

    @property
    def everyone(self) -> tuple[Subject, ...]:
        """Subjects, then references."""
        return self.subjects + self.references

    @cached_property
    def looks(self) -> tuple[int, ...]:
        """Numbers of seeds at which verdicts are looked for."""
        planned = tuple(n for n in planned_looks(self.most) if n >= self.first)
        return planned or (self.most,)

    @property
    def runnable(self) -> list[Cell]:
        """Cells that Weir can run, with at least one level left."""
        return [cell for cell in self.cells if not cell.needs and cell.places(quick=self.quick)]


@dataclass(frozen=True)
class Evaluation:
    """Results of an evaluation: values, judgements and cost."""

    request: Request
    values: pl.DataFrame
    """Values by run and measure, one row each. Columns are suite, cell, level, discipline, seed, measure,
    value."""
    judgements: Mapping[str, Sequence[Judgement]]
    """Judgements by discipline."""
    seeds: Mapping[str, int]
    """Number of seeds of each cell that was run."""
    sweeps: Mapping[str, Sweep] = field(repr=False)
    """Runs by cell."""
    settings: Mapping[str, Mapping[str, Setting]] = field(repr=False)
    """Meaning of each variant of a cell's sweep, by cell."""
    record: Record
    wall_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def exit_code(self) -> int:
        """Exit code, which is 0 if the gate holds for every discipline, 1 if it does not hold for one, else
        3."""
        gates = [judged[0].verdict for judged in self.judgements.values()]
        return 1 if "does not hold" in gates else 0 if set(gates) == {"holds"} else 3


def evaluate(
    request: Request,
    store: Store,
    workers: Workers,
    on_step: OnStep | None = None,
    command: str | None = None,
) -> Evaluation:
    """Runs all cells, with more seeds for those of which a verdict is open, and judges. Runs that the
    store has are not repeated. Raises ScenarioError, WeirError.

    Example:
        >>> from weir.evaluate import Request, chosen, evaluate, published, subjects, with_drop_tail
        >>> from weir.sweep import chosen_workers
        >>> codel, cells = tuple(subjects(["codel"])), tuple(chosen("rfc7928", ["burst-size"]))
        >>> asked = Request(codel, with_drop_tail(codel, ()), cells, published(), quick=True, most=2)
        >>> with weir.Store.open("lab/store", create=True) as store, chosen_workers() as workers:
        ...     found = evaluate(asked, store, workers)
        >>> found.seeds, len(found.judgements["codel"])
        ({'burst-size': 2}, 16)
    """
    wall, cpu = time.monotonic(), time.process_time()
    every = _Runs(request, store, workers, on_step)
    counts = {cell.name: request.looks[0] for cell in every.cells}
    judgements: dict[str, list[Judgement]] = {}
    while True:
        every.do(counts)
        judgements = every.judged()
        open_cells = {name for judged in judgements.values() for one in judged for name in one.open_cells}
        more = {name: _next(request.looks, counts[name]) for name in open_cells}
        grown = {name: n for name, n in more.items() if n > counts[name]}
        if not grown:
            break
        counts.update(grown)
    record = _recorded(request, store, every.keys, command)
    cost = {"wall_s": time.monotonic() - wall, "cpu_s": time.process_time() - cpu}
    return Evaluation(request, every.values, judgements, counts, every.sweeps, every.settings, record, **cost)


def _next(planned: Sequence[int], n: int) -> int:
    return next((look for look in planned if look > n), n)


@dataclass
class _Runs:
    """Runs of all cells, as far as they have been done."""

    request: Request
    store: Store
    workers: Workers
    on_step: OnStep | None
    settings: dict[str, dict[str, Setting]] = field(default_factory=dict[str, "dict[str, Setting]"])
    sweeps: dict[str, Sweep] = field(default_factory=dict[str, Sweep])
    frames: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])
    done: dict[str, int] = field(default_factory=dict[str, int])
    keys: set[int] = field(default_factory=set[int])

    @cached_property
    def cells(self) -> list[Cell]:
        """Cells that are run. Every configuration has been checked."""
        found = self.request.runnable
        for cell in found:
            self.settings[cell.name] = self._settings(cell)
        return found

    def _settings(self, cell: Cell) -> dict[str, Setting]:
        levels = cell.places(quick=self.request.quick)
        who = self.request.subjects if cell.vary else self.request.everyone
        default = self.request.criteria.default_target_ms
        found = [
            Setting(level, one.name, scenario, one.target_ms(scenario, default))
            for one in who
            for level, scenario in one.configurations(cell, levels)
        ]
        return {str(index): setting for index, setting in enumerate(found)}

    def do(self, counts: Mapping[str, int]) -> None:
        """Does the missing runs, cell by cell."""
        for index, cell in enumerate(self.cells):
            wanted = counts[cell.name]
            if self.done.get(cell.name) == wanted:
                continue
            if self.on_step is not None:
                self.on_step(Step(cell.name, index, len(self.cells), wanted))
            self.sweeps[cell.name] = sweep = self._sweep(cell, wanted)
            found = values_of(cell, self.settings[cell.name], sweep)
            self.frames[cell.name] = found.select(
                pl.lit(cell.suite).alias("suite"), pl.lit(cell.name).alias("cell"), pl.all()
            )
            self.done[cell.name] = wanted

    def _sweep(self, cell: Cell, replications: int) -> Sweep:
        variants = [
            Variant(name, f"{one.level}, {one.subject}", one.scenario)
            for name, one in self.settings[cell.name].items()
        ]
        plan = plan_at_one_point("compare", variants[0].scenario, variants, replications)
        self.keys.update(plan.keys.ravel().tolist())
        run_plan(plan, self.store, self.workers)
        self.store.compact(force=True)
        return Sweep(self.store, Record(plan.id, plan.name, plan.title, plan.definition()))

    @property
    def values(self) -> pl.DataFrame:
        return pl.concat(self.frames.values())

    def judged(self) -> dict[str, list[Judgement]]:
        targets = {
            (name, one.level, one.subject): one.target_ms
            for name, settings in self.settings.items()
            for one in settings.values()
        }
        bench = Bench(known_of(self.values), self.cells, targets, len(self.request.looks))
        criteria = self.request.criteria
        return {one.name: bench.judge(one, criteria, cells()) for one in self.request.subjects}


def _recorded(request: Request, store: Store, keys: set[int], command: str | None) -> Record:
    """Records the evaluation in the store, so that its runs are kept."""
    named = [[one.name, one.discipline, dict(one.parameters)] for one in request.everyone]
    same: list[Any] = [named, [cell.name for cell in request.cells], request.quick, _core.results_version]
    key = hashlib.sha256(json.dumps(same).encode()).hexdigest()[:10]
    name = "evaluate-" + "-".join(one.name for one in request.subjects)
    definition = {"kind": EVALUATION, "runs": sorted(keys), "results_version": _core.results_version}
    title = f"Evaluation of {', '.join(one.name for one in request.subjects)}"
    return store.record_sweep(Record(key, name, title, definition, command))


def with_drop_tail(subjects: Sequence[Subject], references: Sequence[Subject]) -> tuple[Subject, ...]:
    """References that are no subjects. DropTail is always among them or the subjects.

    Example:
        >>> from weir.evaluate import subjects, with_drop_tail
        >>> [one.name for one in with_drop_tail(subjects(["codel"]), subjects(["codel", "pie"]))]
        ['drop-tail', 'pie']
    """
    known = {one.name for one in subjects}
    found = [one for one in references if one.name not in known]
    if DROP_TAIL not in known | {one.name for one in found}:
        found.insert(0, Subject(DROP_TAIL, DROP_TAIL, {}))
    return tuple(found)
