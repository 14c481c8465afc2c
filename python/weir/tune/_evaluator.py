"""Settings tried and judged: runs of each on common seeds, done once, and what the targets say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir.run import WHOLE_RUN
from weir.scenario import Variant
from weir.stats import CONFIDENCE, MEASURES, Interval, mean_interval
from weir.store import Record, Store
from weir.sweep import Plan, Sweep, Workers, plan_at_one_point, planned_looks, run_plan
from weir.tune._answer import DOUBT, FIRST, Confirmed, TargetResult, Tried
from weir.tune._space import Setting, placed
from weir.tune._targets import Target, TargetError

FRESH_SEEDS = 1_000_000
"""Distance from the seeds of the search to those of the first confirmation, and from each confirmation to the
next."""

MOST = 28
"""Maximum number of replications of a confirmation."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """State of a search, for the progress display."""

    doing: str
    runs: int
    setting: Setting
    """Best setting so far."""
    shortfall: float
    """Expected shortfall of its worst target."""
    half_width: float
    """Half-width of the 95% interval of that shortfall."""


OnStep = Callable[[Step], None]


@dataclass
class Evaluator:
    """Runs settings on common seeds, remembers their results, and compares them with the targets in all
    conditions."""

    scenario: _core.Scenario
    targets: tuple[Target, ...]
    store: Store
    workers: Workers
    conditions: tuple[Setting, ...] = ((),)
    """Conditions in which a setting must meet the targets. A single empty one stands for the scenario as it
    is."""
    on_step: OnStep | None = None
    beside: tuple[str, ...] = ()
    """Measures that are shown besides those of the targets."""
    keys: set[int] = field(default_factory=set[int])
    """Store keys of all runs that were requested."""
    known: dict[Setting, dict[int, Values]] = field(default_factory=dict[Setting, "dict[int, Values]"])
    """One value of each measure, by setting and by seed, counted from that of the scenario."""

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Measures of the targets, each once, and those shown besides."""
        return tuple(dict.fromkeys((*(target.measure for target in self.targets), *self.beside)))

    @property
    def runs(self) -> int:
        """Number of runs: the cost of the answer if the store has none of them."""
        return sum(map(len, self.known.values()))

    @property
    def demands(self) -> list[tuple[Target, Setting]]:
        """Pairs of every target with every condition."""
        return [(target, condition) for target in self.targets for condition in self.conditions]

    def run(self, settings: Iterable[Setting], replications: int, *, fresh: int = 0) -> None:
        """Does so many replications of each setting, where they are missing. `fresh`: 0 for the search, from
        1 for confirmations."""
        first = fresh * FRESH_SEEDS
        seeds = set(range(first, first + replications))
        missing = [one for one in dict.fromkeys(settings) if seeds - self.known.get(one, {}).keys()]
        for setting, seed, values in self.measured(missing, first, replications) if missing else ():
            self.known.setdefault(setting, {}).setdefault(seed, values)

    def measured(
        self, settings: Sequence[Setting], first: int, replications: int
    ) -> Iterator[tuple[Setting, int, Values]]:
        """Each setting with so many seeds, from `first`, and the values of the measures in that run."""
        done = self.done(self._plan(settings, first, replications))
        rows = done.observations(measures=self.measures).filter(pl.col("period") == WHOLE_RUN)
        # A fill of all columns would turn keys of 63 bits into floats.
        values = [pl.col(name).fill_null(float("nan")) for name in self.measures]
        for variant, replication, *row in rows.select("variant", "replication", *values).iter_rows():
            yield settings[int(variant)], first + replication, np.array(row, dtype=float)

    def are_alike(self, settings: Sequence[Setting], first: int, replications: int) -> bool:
        """Returns true if that number of seeds, from `first`, gave the same run of each of these settings."""
        return self.done(self._plan(settings, first, replications)).is_all_equal

    def _plan(self, settings: Sequence[Setting], first: int, replications: int) -> Plan:
        seeded = self.scenario.replace([("seed", str(self.scenario.seed + first))])
        variants = [Variant(str(i), f"setting {i}", placed(seeded, one)) for i, one in enumerate(settings)]
        return plan_at_one_point("compare", seeded, variants, replications)

    def done(self, plan: Plan) -> Sweep:
        """Runs of a plan. Those that the store does not have are done now; `ask` compacts the store in the
        end."""
        self.keys.update(plan.keys.ravel().tolist())
        run_plan(plan, self.store, self.workers)
        return Sweep(self.store, Record(plan.id, plan.name, plan.title, plan.definition()))

    def values(self, setting: Setting, measure: str, *, fresh: int = 0) -> Values:
        """Values of a measure, one per finished replication in the order of the seeds, from the search or a
        confirmation."""
        known = self.known.get(setting, {})
        column = self.measures.index(measure)
        return np.array([known[seed][column] for seed in sorted(known) if seed // FRESH_SEEDS == fresh])

    def try_out(self, settings: Sequence[Setting], replications: int) -> None:
        """Does runs of the search, in all conditions."""
        self.run([setting + c for setting in settings for c in self.conditions], replications)

    def shortfalls(self, setting: Setting) -> list[float]:
        """Shortfall of each target in the condition that is worst for it, in the mean over the runs of the
        search."""
        return [
            max(
                float(target.shortfall(self.values(setting + c, target.measure)).mean())
                for c in self.conditions
            )
            for target in self.targets
        ]

    def tried(self, setting: Setting) -> Tried:
        """Results of the search for one setting."""
        means: dict[str, float] = {}
        for target in self.targets:
            rows = [self.values(setting + c, target.measure) for c in self.conditions]
            worst = max(rows, key=lambda values: float(target.shortfall(values).mean()))
            means[target.measure] = float(worst.mean())
        count = min(self.values(setting + c, target.measure).size for target, c in self.demands)
        return Tried(dict(setting), means, max(self.shortfalls(setting)), count)

    def outcomes(
        self,
        setting: Setting,
        conditions: Sequence[Setting],
        replications: int,
        *,
        most: int,
        fresh: int = 1,
        doubt: float = DOUBT,
    ) -> tuple[TargetResult, ...]:
        """Outcome of every target in every condition, on this number of fresh seeds. See `TargetResult` for
        `most`, `doubt`."""
        self.run([setting + c for c in conditions], replications, fresh=fresh)
        return tuple(
            TargetResult(
                target,
                self.values(setting + c, target.measure, fresh=fresh)[:replications],
                most,
                c,
                doubt,
            )
            for target in self.targets
            for c in conditions
        )

    def confirm(self, setting: Setting, attempt: int = 0) -> Confirmed:
        """Confirms a setting on fresh seeds: 7, 10, 14, 20, 28 replications, until every target is met or one
        is missed. Every attempt has its own seeds, because the results of the first chose the next. Raises
        TargetError for a measure that is not defined, such as a wait where nothing passed."""
        judged: Confirmed | None = None
        for count in (count for count in planned_looks(MOST) if count >= FIRST):
            outcomes = self.outcomes(setting, self.conditions, count, most=MOST, fresh=attempt + 1)
            for outcome in outcomes:
                if np.isnan(outcome.values).any():
                    measure = outcome.target.measure
                    hint = "choose another measure, or a shorter warm_up or longer run if nothing is measured"
                    raise TargetError(f"{measure} is not defined in every run", hint)
            # Of a few packets a quantile may be the same in runs that differ.
            without_chance = all(np.ptp(outcome.values) == 0.0 for outcome in outcomes) and self.are_alike(
                [setting + c for c in self.conditions], (attempt + 1) * FRESH_SEEDS, count
            )
            beside = self._beside(setting, attempt + 1)
            if without_chance:
                beside = {name: replace(one, half_width=None) for name, one in beside.items()}
            judged = Confirmed(dict(setting), outcomes, beside=beside, without_chance=without_chance)
            worst = judged.worst
            relative = worst.half_width / abs(worst.mean) if worst.mean else 0.0
            self.say("confirming", setting, worst.shortfall, relative)
            if judged.state != "open":
                break
        assert judged is not None, "there are looks"
        return judged

    def _beside(self, setting: Setting, fresh: int) -> dict[str, Interval]:
        targets = {target.measure for target in self.targets}
        found: dict[str, Interval] = {}
        for name in self.measures:
            if name not in targets:
                each = [mean_interval(self.values(setting + c, name, fresh=fresh)) for c in self.conditions]
                worst = min if MEASURES[name].full is not None else max
                found[name] = worst([i for i in each if np.isfinite(i.mean)] or each, key=lambda i: i.mean)
        return found

    def look(self, setting: Setting, replications: int) -> Confirmed:
        """Evaluates a setting with fresh replications in a single look; with several conditions, in the worst
        for each target."""
        doubt = 1.0 - CONFIDENCE
        outcomes = self.outcomes(setting, self.conditions, replications, most=FIRST, doubt=doubt)
        return Confirmed(dict(setting), tuple(Confirmed({}, outcomes).worst_of_each))

    def say(
        self, doing: str, setting: Setting = (), shortfall: float = 0.0, half: float = float("inf")
    ) -> None:
        """Reports the current step to `on_step`."""
        if self.on_step is not None:
            self.on_step(Step(doing, self.runs, setting, shortfall, half))
