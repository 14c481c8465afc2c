"""Scenarios: load, change, run, compare."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from weir import _core
from weir.captures import Captured, parsed
from weir.experiment import Arm, execute
from weir.measures import MEASURES
from weir.toml import Value, to_toml

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from weir.batch import OnProgress
    from weir.result import Result
    from weir.sweeps.define import Axes
    from weir.sweeps.runner import Progress
    from weir.sweeps.view import Sweep

_BUNDLED = Path(__file__).parent / "scenarios"


class Scenario:
    """What is simulated, and how it is measured. Immutable.

    The values are checked, and their defaults known, by the core alone; `to_toml()` shows all
    of them.
    """

    def __init__(self, core: _core.Scenario) -> None:
        self._core = core

    @classmethod
    def load(cls, source: str | os.PathLike[str], set: Mapping[str, Value] | None = None) -> Scenario:
        """The scenario in a TOML file, or the bundled one of that name.

        `set` replaces values by their dotted path: `{"links.bottleneck.rate": "10 Mbit/s"}`.
        Raises ScenarioError.
        """
        return cls.load_with(source, _overrides(set))

    @classmethod
    def load_with(cls, source: str | os.PathLike[str], overrides: Sequence[tuple[str, str]]) -> Scenario:
        """As `load`, with values as a person types them: TOML, or else text."""
        return cls(_core.Scenario.load(os.fspath(_find(source)), overrides))

    @classmethod
    def loads(cls, text: str, set: Mapping[str, Value] | None = None) -> Scenario:
        """The scenario in a text. Raises ScenarioError."""
        return cls(_core.Scenario.loads(text, overrides=_overrides(set)))

    def replace(self, values: Mapping[str, Value]) -> Scenario:
        """The same scenario with other values, checked anew. Raises ScenarioError."""
        return Scenario(self._core.replace(_overrides(values)))

    def variant(self, name: str) -> Scenario:
        """The scenario with the values of `[variants.NAME]` and no variants left."""
        if name not in self.variants:
            hint = suggestion(name, self.variants) if self.variants else "this scenario has no variants"
            raise scenario_error(f"there is no variant {name!r}", hint, self.name)
        return Scenario(self._core.variant(name))

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def label(self) -> str:
        """What to call it in tables and pictures."""
        return self._core.label

    @property
    def seed(self) -> int:
        """Of replication 0; replication r uses `seed + r`."""
        return self._core.seed

    @property
    def duration(self) -> float:
        """Seconds."""
        return self._core.duration

    @property
    def variants(self) -> list[str]:
        return self._core.variants

    @property
    def links(self) -> list[str]:
        return self._core.links

    @property
    def groups(self) -> list[str]:
        """The flow groups."""
        return self._core.groups

    @property
    def hash(self) -> str:
        return self._core.hash

    @property
    def core(self) -> _core.Scenario:
        """What the engine runs."""
        return self._core

    @property
    def sweep_table(self) -> str | None:
        """The `[sweep]` table of the file as JSON, where there is one."""
        return self._core.sweep

    def to_toml(self) -> str:
        """The whole scenario with every default written out."""
        return self._core.to_toml()

    def with_seed(self, seed: int) -> Scenario:
        """The same scenario whose replication 0 has this seed."""
        return Scenario(self._core.replace([("seed", str(seed))]))

    def arms(
        self, variants: Sequence[str] | None = None, disciplines: Sequence[str] | None = None
    ) -> list[Arm]:
        """What is compared: variants by name, or laws with their defaults at the first link.

        If neither is named, all variants; of a scenario without any, itself. Raises ScenarioError
        for unknown names, ValueError for both at once.
        """
        if disciplines is not None and variants is not None:
            raise ValueError("choose variants or disciplines, not both")
        if disciplines is not None:
            return self._disciplines(disciplines)
        names = self.variants if variants is None else variants
        if not names:
            return [Arm(self.name, self.label, self._core)]
        chosen = [self.variant(name) for name in names]
        return [Arm(name, arm.label, arm.core) for name, arm in zip(names, chosen, strict=True)]

    def run(
        self,
        replications: int = 1,
        seed: int | None = None,
        threads: int = 0,
        progress: OnProgress | None = None,
        *,
        capture: Sequence[str] = (),
        capture_beside: Path | None = None,
        command: str | None = None,
    ) -> Result:
        """Runs the scenario itself, without its variants.

        Args:
            replications: independent runs, with seeds `seed`, `seed + 1`, ...
            seed: of the first run; the scenario's own if None.
            threads: 0 means every core. Results do not depend on it.
            progress: called several times a second.
            capture: links of which the first run's packets are written down as pcapng files, such as
                `"bottleneck"`, `"bottleneck:reverse"`, `"bottleneck:in"` or `"bottleneck=trace.pcapng"`.
            capture_beside: captures without a file are made beside this path, to be saved there.
            command: noted in the manifest as the way to reproduce the result.

        Raises WeirError for a capture that cannot be made.

        Ctrl-C ends the runs within a fraction of a second.
        """
        base = self if seed is None else self.with_seed(seed)
        arm = Arm(base.name, base.label, base.core)
        captured = Captured(parsed(capture, base.core), capture_beside) if capture else None
        return execute(base.core, [arm], replications, threads, progress, command, captured=captured)

    def compare(
        self,
        replications: int = 1,
        seed: int | None = None,
        threads: int = 0,
        progress: OnProgress | None = None,
        *,
        variants: Sequence[str] | None = None,
        disciplines: Sequence[str] | None = None,
        baseline: str | None = None,
        margins: Mapping[str, float] | None = None,
        command: str | None = None,
    ) -> Result:
        """Runs variants of the scenario with the same seeds, so that they compare in pairs.

        Args:
            variants: which of the scenario's variants; all of them if None.
            disciplines: instead of variants, these laws with their defaults at the first link.
            baseline: what the others are compared with; the first if None.
            margins: measure to the largest difference, in its unit, that is still called equal.
                Without one, nothing is: an interval around zero shows no difference, not equality.

        The rest is as in `run`. Raises ScenarioError for unknown names and for a scenario
        without variants.
        """
        base = self if seed is None else self.with_seed(seed)
        for measure in margins or ():
            if measure not in MEASURES:
                raise ValueError(f"there is no measure {measure!r}; there are: {', '.join(MEASURES)}")
        if disciplines is None and not base.variants:
            raise scenario_error(
                "this scenario has no variants to compare",
                "add [variants.NAME] tables, or name the laws: --disciplines drop-tail,red,rem",
                self.name,
            )
        arms = base.arms(variants, disciplines)
        if baseline is not None:
            names = [arm.name for arm in arms]
            if baseline not in names:
                raise scenario_error(
                    f"the baseline {baseline!r} is not among what is compared",
                    suggestion(baseline, names),
                    self.name,
                )
            # The baseline leads every table; the others keep their order.
            arms.sort(key=lambda arm: arm.name != baseline)
        return execute(base.core, arms, replications, threads, progress, command, margins)

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
        store: str | os.PathLike[str] = "results/store",
        threads: int | None = None,
        executor: Executor | None = None,
        workers: int = 0,
        dask: str | None = None,
        progress: Callable[[Progress], None] | None = None,
    ) -> Sweep:
        """Runs the scenario, or its variants, at every point of some axes.

        Runs that the store has are not done again: after an interruption the same call does
        only what is missing.

        Args:
            axes: path to values, `{"links.bottleneck.rate": ["5 Mbit/s", "20 Mbit/s"]}`, or as on
                the command line, `["flows.ftp.count=10..50 by 10"]`; those of the file if None.
            replications: of every point; with `until` at most. The file's, else 1 (100).
            until: rules such as `"goodput ±0.5%"`: replicate a point until all of them hold.
            samples: sample the axes at so many points; `method` says how: lhs, sobol, morris
                (then trajectories), saltelli (then base points).
            variants: only these; all of them if None, and the scenario itself if it has none.
            disciplines: instead of variants, these laws with their defaults at the first link.
            seed: of the first replication; the scenario's own if None.
            name: what to call the sweep; the scenario's name if None.
            store: directory that keeps finished runs.
            threads: one per core if None.
            executor: any `concurrent.futures.Executor` instead of threads; `workers` says how
                many chunks it does at a time, where it does not know.
            dask: a Dask cluster instead, `local:4` or the address of a scheduler.
            progress: called several times a second.

        Raises ScenarioError and WeirError for what cannot be done, before any run.
        """
        from weir.sweeps.define import Wishes
        from weir.sweeps.execute import chosen_workers, sweep_scenario

        wishes = Wishes(axes, samples, method, variants, disciplines, replications, until, seed, name)
        return sweep_scenario(
            self,
            wishes,
            store=store,
            workers=chosen_workers(threads=threads, executor=executor, slots=workers, dask=dask),
            progress=progress,
        )

    def _disciplines(self, laws: Sequence[str]) -> list[Arm]:
        known = [str(law["name"]) for law in _core.laws()]
        arms: list[Arm] = []
        for law in laws:
            if law not in known:
                raise scenario_error(f"there is no law {law!r}", suggestion(law, known), self.name)
            core = self._core.replace([(f"links.{self.links[0]}.aqm.{law}", "{}")])
            arms.append(Arm(law, law, core))
        return arms

    def __repr__(self) -> str:
        return f"<weir.Scenario {self.name!r}: {self.title}>"


def run(
    source: str | os.PathLike[str],
    replications: int = 1,
    *,
    set: Mapping[str, Value] | None = None,
    seed: int | None = None,
    threads: int = 0,
    progress: OnProgress | None = None,
    capture: Sequence[str] = (),
) -> Result:
    """Loads a scenario and runs it: see `Scenario.load` and `Scenario.run`."""
    return Scenario.load(source, set).run(replications, seed, threads, progress, capture=capture)


def compare(
    source: str | os.PathLike[str],
    replications: int = 1,
    *,
    variants: Sequence[str] | None = None,
    disciplines: Sequence[str] | None = None,
    baseline: str | None = None,
    margins: Mapping[str, float] | None = None,
    set: Mapping[str, Value] | None = None,
    seed: int | None = None,
    threads: int = 0,
    progress: OnProgress | None = None,
) -> Result:
    """Loads a scenario and compares: see `Scenario.load` and `Scenario.compare`."""
    return Scenario.load(source, set).compare(
        replications,
        variants=variants,
        disciplines=disciplines,
        baseline=baseline,
        margins=margins,
        seed=seed,
        threads=threads,
        progress=progress,
    )


def bundled() -> dict[str, Path]:
    """The scenarios that come with the package: name to file."""
    return {
        path.relative_to(_BUNDLED).with_suffix("").as_posix(): path
        for path in sorted(_BUNDLED.rglob("*.toml"))
    }


def scenario_error(message: str, hint: str | None, file: str) -> _core.ScenarioError:
    """An error about a scenario that is found before the core sees it."""
    error = _core.ScenarioError(message)
    error.file, error.line, error.path = file, None, None
    error.message, error.hint = message, hint
    return error


def _find(source: str | os.PathLike[str]) -> Path:
    path = Path(source)
    name = os.fspath(source)
    # A name is a word; whatever looks like a path is a path, and the core says what is wrong
    # with it.
    if path.suffix or len(path.parts) > 2 or path.exists():
        return path
    known = bundled()
    if name not in known:
        raise scenario_error(
            "there is no such file and no bundled scenario of that name",
            suggestion(name, list(known)),
            name,
        )
    return known[name]


def _overrides(values: Mapping[str, Value] | None) -> list[tuple[str, str]]:
    return [(path, to_toml(value)) for path, value in (values or {}).items()]


def suggestion(name: str, known: Sequence[str]) -> str:
    """What was probably meant, or what there is."""
    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
