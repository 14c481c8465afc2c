"""The interface of `import weir`: scenarios that can be run, and the results of a store.

Everything else is in the rooms below, which never import this module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from weir import _core
from weir import scenario as below
from weir._errors import WeirError, listed
from weir.run import parsed_captures
from weir.scenario import scenario_error, suggestion
from weir.stats import named_margins
from weir.store import Store, place_of
from weir.sweep import (
    SweepSpec,
    check_measures,
    chosen_workers,
    define_sweep,
    execute_plan,
    plan_at_one_point,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from weir.export import Exported, Form
    from weir.run import Capture
    from weir.scenario import Value
    from weir.sweep import Axes, Plan, Progress, Sweep, Workers
    from weir.tune import Choice, OnStep, Tuned

    OnProgress = Callable[[Progress], None]
    Place = str | os.PathLike[str]


def load(
    source: str | os.PathLike[str], set: Mapping[str, Value] | None = None, *, python: bool = True
) -> Scenario:
    """Reads a scenario from a TOML file, or the bundled scenario of that name.

    `set` replaces values by their dotted path: `{"links.bottleneck.rate": "10 Mbit/s"}`. A scenario that
    names a class of Python runs its file: `python=False` refuses such a scenario. Raises ScenarioError, and
    InputError for a source or a path that is no text.

    Example:
        >>> scenario = weir.load("rem-wireline", {"links.bottleneck.rate": "10 Mbit/s"})
        >>> scenario.name, scenario.duration, scenario.variants[:2]
        ('rem-wireline', 400.0, ['drop-tail', 'red-20-80-drop'])
    """
    return Scenario.load(source, set, python=python)


class Scenario(below.Scenario):
    """A network, its traffic and its measurement, with what can be done with it. Immutable.

    `run`, `compare` and `sweep` keep every finished run in a store, and return a `Sweep`: the result. The
    same call again computes nothing twice; a result gets a number of its own in its store, and nothing
    replaces it.
    """

    def run(
        self,
        replications: int = 1,
        seed: int | None = None,
        threads: int = 0,
        progress: OnProgress | None = None,
        *,
        capture: str | Sequence[str] = (),
        store: Place | Literal[False] | None = None,
        memory: str | None = None,
    ) -> Sweep:
        """Runs the scenario itself, without its variants.

        Args:
            replications: independent runs, with seeds `seed`, `seed + 1`, ...
            seed: of the first run; the scenario's own if None.
            threads: 0 means every core. Results do not depend on it.
            progress: called several times a second.
            capture: links whose packets in the first run are written to pcapng files, such as
                `"bottleneck"`, `"bottleneck:reverse"`, `"bottleneck:in"` or `"bottleneck=trace.pcapng"`.
            store: directory that keeps finished runs; results/store if None. False: none is kept, and the
                result lasts as long as its handle, as with an AQM in Python that has `stored = False`.
            memory: what all runs may take at a time, `"8 GB"`; 80% of what is available if None.

        Raises WeirError for a capture that cannot be made, without a replication, and for runs that took more
        memory than they may: those that are finished are kept. Raises ScenarioError for a number that is no
        seed. Ctrl-C ends the runs at once.

        Example:
            >>> result = scenario.variant("rem-mark").run(replications=3, seed=5)
            >>> result.summary()["delay_mean"].round(1).to_list(), result.finished["seed"].to_list()
            ([131.7], [5, 6, 7])
        """
        plan = self.plan_run(replications, seed)
        captures = parsed_captures(listed(capture), self.core)
        return _done(plan, store, chosen_workers(threads=threads, memory=memory), progress, captures)

    def compare(
        self,
        replications: int = 1,
        seed: int | None = None,
        threads: int = 0,
        progress: OnProgress | None = None,
        *,
        variants: str | Sequence[str] | None = None,
        disciplines: str | Sequence[str] | None = None,
        baseline: str | None = None,
        margins: Mapping[str, float] | None = None,
        store: Place | Literal[False] | None = None,
        memory: str | None = None,
    ) -> Sweep:
        """Runs variants of the scenario with the same seeds, so that differences are paired.

        Args:
            variants: which of the scenario's variants; all of them if None.
            disciplines: instead of variants, these queue disciplines with their defaults.
            baseline: the variant that the others are compared with; the first if None.
            margins: measure to the largest difference, in its unit, that is called equal. Without one,
                nothing is: an interval around zero shows no difference, but not equality.

        The rest is as in `run`. Raises ScenarioError for unknown names, for one that is named twice, and for
        variants together with disciplines. Raises it, too, where there is nothing to compare. Raises
        MeasureError for a margin that is none, or of an unknown measure, and WeirError as `run` does.

        Example:
            >>> result = scenario.compare(3, disciplines=["drop-tail", "codel"], margins={"goodput": 20.0})
            >>> rows = result.differences(measures=["delay_mean", "goodput"]).filter(period=-1)
            >>> rows.select("measure", "verdict").rows()
            [('delay_mean', 'lower'), ('goodput', 'equal')]
        """
        plan = self.plan_comparison(replications, seed, variants, disciplines, baseline, margins)
        return _done(plan, store, chosen_workers(threads=threads, memory=memory), progress)

    def sweep(
        self,
        axes: Axes | None = None,
        replications: int | None = None,
        *,
        until: str | Sequence[str] | None = None,
        samples: int | None = None,
        method: str | None = None,
        variants: str | Sequence[str] | None = None,
        disciplines: str | Sequence[str] | None = None,
        seed: int | None = None,
        name: str | None = None,
        store: Place | Literal[False] | None = None,
        threads: int | None = None,
        executor: Executor | None = None,
        workers: int = 0,
        dask: str | None = None,
        memory: str | None = None,
        progress: OnProgress | None = None,
    ) -> Sweep:
        """Runs the scenario, or its variants, at every point of some axes.

        After an interruption the same call does only what is missing.

        Args:
            axes: path to values, `{"links.bottleneck.rate": ["5 Mbit/s", "20 Mbit/s"]}`, or as on
                the command line, `["flows.ftp.count=10..50 by 10"]`; those of the file if None.
            replications: of every point; with `until` at most. The file's, else 1 (100).
            until: rules such as `"goodput ±0.5%"`: replicate a point until all of them hold.
            samples: sample the axes at so many points; `method` says how: lhs, sobol, morris
                (then trajectories), saltelli (then base points).
            variants: only these; all of them if None, and the scenario itself if it has none.
            disciplines: instead of variants, these queue disciplines with their defaults.
            seed: of the first replication; the scenario's own if None.
            name: of the result; the scenario's name if None.
            store: as in `run`.
            threads: one per core if None.
            executor: any `concurrent.futures.Executor` instead of threads; `workers` says how
                many chunks it does at a time, where it does not know.
            dask: a Dask cluster instead, `local:4` or the address of a scheduler.
            memory: as in `run`; of a cluster and of an executor what each worker may take.
            progress: called several times a second.

        Raises ScenarioError and WeirError for what cannot be done, before any run; WeirError after them for
        runs that took more memory than they may.

        Example:
            >>> rates = {"links.bottleneck.rate": ["2 Mbit/s", "8 Mbit/s"]}
            >>> result = scenario.sweep(rates, replications=2, variants="rem-mark")
            >>> summary = result.summary()
            >>> summary.select("links.bottleneck.rate", "n", summary["utilisation"].round()).rows()
            [(2.0, 2, 92.0), (8.0, 2, 60.0)]
        """
        spec = SweepSpec(axes, samples, method, variants, disciplines, replications, until, seed, name)
        chosen = chosen_workers(threads=threads, executor=executor, slots=workers, dask=dask, memory=memory)
        return _done(define_sweep(self, spec), store, chosen, progress)

    def tune(
        self,
        targets: Sequence[str],
        vary: Sequence[str],
        over: Sequence[str] = (),
        *,
        store: Place | None = None,
        threads: int = 0,
        memory: str | None = None,
        progress: OnStep | None = None,
    ) -> Tuned:
        """Searches a setting that meets targets, or shows that there is none.

        Args:
            targets: such as `"mean delay < 20 ms"`.
            vary: parameters and their ranges, such as `"red.max_p=0.01..0.5"`.
            over: conditions in which the targets have to be met, such as `"rate=5..50 Mbit/s"`.
            store, threads, memory: as in `run`.
            progress: called after each step of the search.

        Raises ScenarioError and WeirError for what cannot be tuned, before any run.

        Example:
            >>> rem = scenario.variant("rem-mark")
            >>> found = rem.tune(["mean delay < 200 ms"], vary=["rem.gamma=0.0001..0.01"])
            >>> found.answer.verdict, found.answer.runs
            ('defaults already meet it', 7)
        """
        from weir.tune import Question, Task, tune

        task = Task.of(self, Question(listed(targets), listed(vary), listed(over)))
        chosen = chosen_workers(threads=threads, memory=memory)
        with Store.open(place_of(store), create=True) as opened, chosen as workers:
            return tune(task, opened, workers, progress)

    def choose(
        self,
        targets: Sequence[str],
        disciplines: Sequence[str],
        vary: Sequence[str] = (),
        over: Sequence[str] = (),
        *,
        store: Place | None = None,
        threads: int = 0,
        memory: str | None = None,
        progress: OnStep | None = None,
    ) -> Choice:
        """Tunes each of these queue disciplines for the same targets; the best is the first in `tuned`.

        Args:
            vary: such as `"codel.target=1..20 ms"`; of a discipline without any, where its queue settles.

        The rest is as in `tune`. Raises ScenarioError and WeirError for what cannot be tuned, before any run.

        Example:
            >>> found = scenario.choose(["mean delay < 200 ms"], ["red", "codel"])
            >>> {name: tuned.answer.verdict for name, tuned in found.tuned.items()}
            {'codel': 'defaults already meet it', 'red': 'defaults already meet it'}
        """
        from weir.tune import Choice, Question, Task, ask

        if not disciplines:
            known = ", ".join(_core.disciplines())
            raise scenario_error("there is no discipline to choose from", f"there are: {known}", self.name)
        names = listed(disciplines)
        task = Task.of(self, Question(listed(targets), listed(vary), listed(over), disciplines=names))
        chosen = chosen_workers(threads=threads, memory=memory)
        with Store.open(place_of(store), create=True) as opened, chosen as workers:
            found = ask(task, opened, workers, progress)
        assert isinstance(found, Choice)
        return found

    def export(
        self,
        link: str | None = None,
        form: Form = "tc",
        device: str | None = None,
        *,
        share: float | None = None,
        replications: int = 0,
        threads: int = 0,
    ) -> Exported:
        """The queue of a link as a script or configuration for a real one: see `weir.export`.

        Args:
            link: the bottleneck if None.
            form: a `tc` script, a section for OpenWrt's sqm, `random-detect`, a drop profile of Junos, or the
                scenario.
            device: the network interface; eth0, of a router none, if None.
            share: of the link's rate that is shaped to; if None 0.9 for sqm, which is behind a modem, else 1.
            replications: of the comparison with the closest discipline, where no kernel has it; 0: none.

        Raises ScenarioError and WeirError for what cannot be exported.

        Example:
            >>> codel = scenario.replace({"links.bottleneck.queue": {"codel": {}}})
            >>> exported = codel.export(device="eth1")
            >>> exported.kernel, exported.text.splitlines()[-1].partition(" parent ")[2]
            ('3.5', '100:1 codel limit 120 target 5ms interval 100ms noecn')
        """
        from weir.export import export

        if replications < 0:
            raise WeirError(f"there cannot be {replications} replications", "0 compares nothing")
        return export(self, link, form, device, share=share, replications=replications, threads=threads)

    def plan_run(self, replications: int, seed: int | None = None) -> Plan:
        """Makes the checked plan of `run`.

        Raises WeirError without a replication, and ScenarioError for a number that is no seed.

        Example:
            >>> plan = scenario.plan_run(replications=3)
            >>> plan.kind, list(plan.seeds), plan.cost.packets > 1000
            ('run', [1, 2, 3], True)
        """
        base = self if seed is None else self.with_seed(seed)
        return plan_at_one_point("run", base.core, [base.itself()], replications)

    def plan_comparison(
        self,
        replications: int,
        seed: int | None = None,
        variants: str | Sequence[str] | None = None,
        disciplines: str | Sequence[str] | None = None,
        baseline: str | None = None,
        margins: Mapping[str, float] | None = None,
    ) -> Plan:
        """Makes the checked plan of `compare`. Raises ScenarioError, MeasureError and WeirError as that does.

        Example:
            >>> plan = scenario.plan_comparison(2, variants=["drop-tail", "rem-mark"], baseline="rem-mark")
            >>> [variant.name for variant in plan.variants]
            ['rem-mark', 'drop-tail']
        """
        base = self if seed is None else self.with_seed(seed)
        named = named_margins(margins or {})
        if disciplines is None and not base.variants:
            raise scenario_error(
                "this scenario has no variants to compare",
                "add [variants.NAME] tables, or name queue disciplines: --disciplines drop-tail,red,rem",
                self.name,
            )
        if variants is not None and not variants:
            raise scenario_error(
                "no variant is named to compare", f"there are: {', '.join(base.variants)}", self.name
            )
        chosen = base.chosen(variants, disciplines)
        if baseline is not None:
            names = [variant.name for variant in chosen]
            if baseline not in names:
                raise scenario_error(
                    f"the baseline {baseline!r} is not among what is compared",
                    suggestion(baseline, names),
                    self.name,
                )
            # The baseline leads every table; the others keep their order.
            chosen.sort(key=lambda variant: variant.name != baseline)
        check_measures(named, [variant.scenario for variant in chosen])
        return plan_at_one_point("compare", base.core, chosen, replications, named)


def _done(
    plan: Plan,
    store: Place | Literal[False] | None,
    workers: AbstractContextManager[Workers],
    progress: OnProgress | None,
    captures: Sequence[Capture] = (),
) -> Sweep:
    """Result of a plan, open for reading until it is forgotten or closed."""
    if store is False or plan.unstored:
        pages = place_of(store or None).parent
        with workers as chosen:
            return execute_plan(plan, Store.unkept(pages), chosen, progress, captures=captures)[0]
    place = place_of(store)
    with Store.open(place, create=True) as opened, workers as chosen:
        done, _ = execute_plan(plan, opened, chosen, progress, captures=captures)
    reader = Store.open(place, read_only=True)
    return type(done)(reader, reader.find_sweep(plan.id))
