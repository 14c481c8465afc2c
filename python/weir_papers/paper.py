"""Parts of a reproduction: experiments, claims, figures, tables, maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from weir import Scenario
from weir.plot import Facet, Plot, topology
from weir.sweep import SweepSpec, define_sweep, parsed_axis
from weir_papers.claims import Claim
from weir_papers.data import Study
from weir_papers.maps import ClaimMap
from weir_papers.readings import Column, Readings

if TYPE_CHECKING:
    from weir.scenario import Value
    from weir.sweep import Plan


@dataclass(frozen=True)
class Experiment:
    """A scenario at some settings, with replications: one sweep."""

    name: str
    scenario: str
    """Name in `weir list scenarios`: `papers/rem-2001-wireline`."""
    about: str
    """Sentence on the runs."""
    variants: tuple[str, ...] = ()
    """Variants of the scenario that are run; empty for all."""
    axes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Short name to `PATH=VALUES`, as `weir sweep --axis` reads it."""
    quick_axes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Axes that have fewer values with `--quick`, in the form of `axes`."""
    set: Mapping[str, Value] = field(default_factory=dict[str, "Value"])
    """Path to the value that every run has."""
    replications: int = 10
    quick: int = 3
    """Replications with `--quick`."""
    stage_s: float | None = None
    """Length of the stages of equal load that the scenario's periods are parts of."""

    def plan(
        self, paper: str, *, quick: bool, replications: int | None = None, seed: int | None = None
    ) -> Plan:
        """The sweep of the experiment, checked. Raises ScenarioError or WeirError."""
        axes = {**self.axes, **self.quick_axes} if quick else self.axes
        return define_sweep(
            Scenario.load(self.scenario, self.set),
            SweepSpec(
                axes=list(axes.values()),
                variants=self.variants or None,
                replications=replications or (self.quick if quick else self.replications),
                seed=seed,
                name=f"{paper}-{self.name}{'-quick' if quick else ''}",
                fixed=list(self.set),
            ),
        )

    def shortened(self, paper: str, plan: Plan) -> str:
        """Settings and seeds that are fewer than in the full set: `flows: 3 of 6 settings, 3 of 10 seeds`.
        Empty where none are."""
        whole = self.plan(paper, quick=False) if self.quick_axes else plan
        less = [
            f"{here} of {all_} {what}"
            for here, all_, what in (
                (len(plan.design.rows), len(whole.design.rows), "settings"),
                (plan.replications, self.replications, "seeds"),
            )
            if here < all_
        ]
        return f"{self.name}: {', '.join(less)}" if less else ""

    @cached_property
    def axis_columns(self) -> dict[str, str]:
        """Short name to the path that stands for the axis in tables: the first that it moves."""
        return {name: parsed_axis(text).paths[0] for name, text in self.axes.items()}


@dataclass(frozen=True)
class Choice:
    """A setting that the paper leaves open or that is disputed."""

    what: str
    value: str
    reason: str


@dataclass(frozen=True)
class Unjudged:
    """A sentence of the paper that is not judged."""

    what: str
    """In our words."""
    reason: str


@dataclass(frozen=True)
class Table:
    """Numbers side by side: those of the paper, ours, and those of ns-2."""

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    caption: str = ""


@dataclass(frozen=True)
class Filled:
    """Contents of a figure or a table, and the words that complete its texts."""

    contents: Sequence[Any]
    """Panels of a figure, rows of a table."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Words for `{name}` in a title or a caption. `{replications}` is always there."""
    head: tuple[str, ...] = ()
    """Headings of a table, after the columns that its text names."""


@dataclass(frozen=True)
class FigureText:
    """Texts and axes of a figure; `panels` draws it."""

    name: str
    title: str
    caption: str
    panels: Callable[[Study], Sequence[Facet] | Filled]
    x: str = ""
    columns: int = 2
    log_x: bool = False
    ticks: tuple[float, ...] | None = None
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Names of places on the horizontal axis, by their numbers."""

    def __call__(self, study: Study) -> Plot:
        filled = _filled(self.panels(study))
        words = {"replications": study.replications, **filled.words}
        return Plot(
            self.name,
            self.title.format_map(words),
            self.caption.format_map(words),
            self.x,
            filled.contents,
            self.columns,
            self.log_x,
            self.ticks or None,
            names={float(at): name for at, name in self.names.items()} or None,
        )


@dataclass(frozen=True)
class Topology:
    """The paper's picture of its network, drawn from the scenario."""

    name: str
    """Name of its files: the paper's number, `figure-2`."""
    title: str
    caption: str
    scenario: str

    @property
    def svg(self) -> str:
        """The picture."""
        return topology(Scenario.load(self.scenario), variants=False)


@dataclass(frozen=True)
class TableText:
    """Texts of a table; `contents` makes its rows."""

    name: str
    title: str
    head: tuple[str, ...]
    contents: Callable[[Study], Iterable[Sequence[str]] | Filled]
    caption: str = ""

    def __call__(self, study: Study) -> Table:
        filled = _filled(self.contents(study))
        caption = self.caption.format_map(filled.words)
        rows = tuple(tuple(row) for row in filled.contents)
        return Table(self.name, self.title, (*self.head, *filled.head), rows, caption)


def _filled(found: Iterable[Any] | Filled) -> Filled:
    return found if isinstance(found, Filled) else Filled(tuple(found))


@dataclass(frozen=True)
class Paper:
    """A paper and everything that reproduces it."""

    key: str
    """Key on the command line: `rem-2001`."""
    title: str
    authors: str
    published: str
    """Place and date of publication."""
    question: str
    """Question of the paper, in our words: a paragraph."""
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]
    plots: tuple[Callable[[Study], Plot], ...]
    """The figures, those of the paper first, in its order."""
    tables: tuple[Callable[[Study], Table], ...] = ()
    maps: tuple[ClaimMap, ...] = ()
    choices: tuple[Choice, ...] = ()
    """Settings that the paper leaves open, the values used, and the reasons."""
    findings: tuple[str, ...] = ()
    """Remarks beyond the verdicts: disagreements explained, inconsistencies of the paper."""
    readings: tuple[Readings, ...] = ()
    columns: tuple[Column, ...] = ()
    """Readings that are run in full."""
    summary: tuple[str, ...] = ()
    """The conclusions, in five sentences."""
    digest: str = "0" * 16
    """Digest of what is registered (`weir_papers.reading.digest`): hexadecimal digits."""
    unjudged: tuple[Unjudged, ...] = ()
    network: Topology | None = None
    """The network, where the paper has a figure of it."""

    @property
    def seed(self) -> int:
        """Seed of the first replication. It follows from what is registered, so that this comes before the
        runs."""
        return int(self.digest[:7], 16)

    def experiment(self, name: str) -> Experiment:
        """The experiment of this name."""
        return next(one for one in self.experiments if one.name == name)
