"""Quantities of claims: a measure somewhere, differences and ratios of measures, ranks along an axis.

All of them give one value per replication at each place. So differences are taken between runs with
the same seed, and an interval over replications means what it says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.stats import MEASURES
from weir_papers.data import Data, Sample, Study, near

Values = NDArray[np.float64]

RELEVANT = {"jain index": 0.005, "loss": 0.1}
"""Title of a measure to the smallest difference of two values that would matter, in its unit."""

RELEVANT_OF_UNIT = {"%": 0.5, "packets": 0.5, "ms": 0.1, "kB": 2.0, "s": 1.0}
"""Smallest relevant difference for all other measures, by unit: half a point of the link, half a packet, the
time of a few packets, the second within which flows come."""


class Quantity:
    """One number per replication at each of some places."""

    @property
    def unit(self) -> str:
        """Unit; empty for a pure number."""
        raise NotImplementedError

    @property
    def title(self) -> str:
        """Title in words: `mean queue`."""
        raise NotImplementedError

    @property
    def relevant(self) -> float:
        """Smallest difference that would matter, in the unit of the quantity; 0 if the quantity is no
        difference."""
        return 0.0

    def samples(self, study: Study) -> list[Sample]:
        """The places in order, each with the values of its replications."""
        raise NotImplementedError

    def __sub__(self, other: Quantity) -> Quantity:
        return _pairs(self, other, self.title, points(self.unit), np.subtract, smallest(self))

    def __truediv__(self, other: Quantity) -> Quantity:
        return _pairs(self, other, f"ratio of {self.title}", "", _divided)


@dataclass(frozen=True)
class Level(Quantity):
    """A measure, or a counter, of one variant of an experiment, at every place that is left."""

    experiment: str
    variant: str
    measure: str
    at: Mapping[str, float | str | Sequence[float | str]] = field(
        default_factory=dict[str, "float | str | Sequence[float | str]"]
    )
    """Axis (or `users`, or `from_s` of a stage) to the value, or the values, that count."""
    when: Literal["whole", "stages", "periods"] = "whole"
    after_s: float = 0.0
    """Seconds that are left out at the beginning of every stage."""

    @property
    def unit(self) -> str:
        return MEASURES[self.measure].unit if self.measure in MEASURES else "packets"

    @property
    def title(self) -> str:
        return (
            MEASURES[self.measure].title.lower()
            if self.measure in MEASURES
            else self.measure.replace("_", " ")
        )

    def samples(self, study: Study) -> list[Sample]:
        data = study[self.experiment]
        rows = self.rows(data).filter(pl.col("variant") == self.variant)
        for name, value in self.at.items():
            wanted = [value] if isinstance(value, str | int | float) else list(value)
            rows = rows.filter(pl.any_horizontal([near(name, one) for one in wanted]))
        return samples_of(rows, data, self.measure, along=self.when != "whole")

    def rows(self, data: Data) -> pl.DataFrame:
        """Rows of all variants, with the measure."""
        match self.when:
            case "whole":
                return data.whole
            case "periods":
                return data.periods
            case "stages":
                return data.stages(self.after_s)

    def of(self, variant: str) -> Self:
        """The level of another variant."""
        return replace(self, variant=variant)


def relative(first: Quantity, second: Quantity) -> Quantity:
    """Percentage by which the first quantity is above the second."""
    return _pairs(first, second, f"ratio of {first.title}", "%", lambda a, b: 100.0 * _divided(a - b, b))


def smallest(of: Quantity) -> float:
    """The smallest relevant difference of two values of a quantity: its own, where it is a difference."""
    return of.relevant or RELEVANT.get(of.title, RELEVANT_OF_UNIT.get(of.unit, 0.0))


def _pairs(
    first: Quantity,
    second: Quantity,
    title: str,
    unit: str,
    function: Callable[[Values, Values], Values],
    relevant: float = 0.0,
) -> Quantity:
    """Quantity from two quantities at the same places, replication by replication."""

    def samples(study: Study) -> list[Sample]:
        firsts, seconds = first.samples(study), second.samples(study)
        if len(firsts) != len(seconds):
            raise ValueError(f"{title}: {len(firsts)} places cannot be paired with {len(seconds)}")
        made: list[Sample] = []
        for a, b in zip(firsts, seconds, strict=True):
            n = min(a.values.size, b.values.size)
            made.append(Sample(_both(a.place, b.place), a.at, function(a.values[:n], b.values[:n])))
        return made

    return Of(title, unit, samples, relevant)


def steps(of: Quantity) -> Quantity:
    """Growth of a quantity from each place to the next."""

    def samples(study: Study) -> list[Sample]:
        return [
            Sample(_from_to(a.place, b.place), b.at, b.values - a.values)
            for a, b in itertools.pairwise(of.samples(study))
        ]

    return Of(f"growth of {of.title}", points(of.unit), samples, smallest(of))


def ends(of: Quantity) -> Quantity:
    """Growth of a quantity from its first place to its last."""

    def samples(study: Study) -> list[Sample]:
        found = of.samples(study)
        a, b = found[0], found[-1]
        return [Sample(_from_to(a.place, b.place), b.at, b.values - a.values)]

    return Of(f"growth of {of.title} from end to end", points(of.unit), samples, smallest(of))


def along(
    of: Quantity, name: str, function: Callable[[Values, Values], float], unit: str | None = None
) -> Of:
    """One number from all places together: a spread, a rank correlation, a share.

    `name`: of the number, before the title. `function`: of the positions and the values of one replication,
    both of shape (places,). `unit`: that of the quantity if None.
    """

    def samples(study: Study) -> list[Sample]:
        found = of.samples(study)
        n = min(sample.values.size for sample in found)
        places = np.array([sample.at for sample in found])
        values = np.stack([sample.values[:n] for sample in found])
        of_runs = np.array([function(places, values[:, run]) for run in range(n)])
        return [Sample(common([sample.place for sample in found]), float("nan"), of_runs)]

    relevant = of.relevant if unit is None else 0.0
    return Of(f"{name} of {of.title}", of.unit if unit is None else unit, samples, relevant)


def spread(of: Quantity) -> Quantity:
    """The largest value minus the smallest."""
    found = along(of, "spread", lambda _, values: float(np.ptp(values)), points(of.unit))
    return replace(found, smallest=smallest(of))


def rank(of: Quantity) -> Quantity:
    """Spearman's rank correlation with the position: 1 where it always grows, -1 where it always falls."""
    return along(of, "rank correlation", spearman, "")


@dataclass(frozen=True)
class Of(Quantity):
    """Quantity that a function computes from the runs, where no other quantity fits."""

    name: str
    """Title in words."""
    of_unit: str
    function: Callable[[Study], list[Sample]]
    smallest: float = 0.0

    @property
    def unit(self) -> str:
        return self.of_unit

    @property
    def title(self) -> str:
        return self.name

    @property
    def relevant(self) -> float:
        return self.smallest

    def samples(self, study: Study) -> list[Sample]:
        return self.function(study)


def samples_of(rows: pl.DataFrame, data: Data, column: str, *, along: bool) -> list[Sample]:
    """A sample per place of these rows: one variant, some points, some periods.

    `along`: the periods are places too; otherwise there is one row per run.
    """
    keys = [*data.axes, *(["period"] if along else [])]
    rows = rows.sort(*keys, "replication")
    parts = rows.partition_by(keys, maintain_order=True) if keys else [rows]
    if not parts or parts[0].is_empty():
        raise ValueError(f"no run has {column} at the places that are asked for")
    by_users = along and rows["users"].n_unique() == rows["period"].n_unique()
    found: list[Sample] = []
    for part in parts:
        first = part.row(0, named=True)
        words = [str(first["label"])] if len(data.labels) > 1 else []
        words += [f"{name} {plain(first[name])}" for name in data.axes]
        at = first[data.axes[-1]] if data.axes else float("nan")
        if along:
            at = float(first["users"] if by_users else first["from_s"])
            words.append(
                f"{first['users']} users" if by_users else f"{first['from_s']:g} to {first['to_s']:g} s"
            )
        values = part[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        found.append(
            Sample(", ".join(words), float(at) if isinstance(at, int | float) else float("nan"), values)
        )
    return found


def points(unit: str) -> str:
    """The unit of a difference of two values of this unit."""
    return "points" if unit == "%" else unit


def _divided(a: Values, b: Values) -> Values:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(b == 0.0, np.nan, a / b)


def spearman(places: Values, values: Values) -> float:
    """Spearman's rank correlation."""
    # Equal everywhere: no order at all, rather than none that is defined.
    if np.ptp(values) == 0.0:
        return 0.0
    frame = pl.DataFrame({"x": places, "y": values})
    return float(frame.select(pl.corr("x", "y", method="spearman")).item())


def plain(value: float | str) -> str:
    """`20`, `0.1`, `red`."""
    return value if isinstance(value, str) else f"{value:g}"


def _both(first: str, second: str) -> str:
    """`REM mark and DropTail, 40 users`: what both have in common, said once."""
    if first == second:
        return first
    mine, other = first.split(", "), second.split(", ")
    shared = [word for word in mine if word in other]
    own = [word for word in mine if word not in shared]
    of_other = [word for word in other if word not in shared]
    if not own or not of_other:
        return f"{first} against {second}"
    return ", ".join([f"{', '.join(own)} against {', '.join(of_other)}", *shared])


def _from_to(first: str, second: str) -> str:
    mine, other = first.split(", "), second.split(", ")
    shared = [word for word in mine if word in other]
    steps = [f"{a} to {b}" for a, b in zip(mine, other, strict=False) if a != b]
    return ", ".join([*shared, *steps])


def common(places: Sequence[str]) -> str:
    """The words that all places have in common."""
    words = [place.split(", ") for place in places]
    return ", ".join(word for word in words[0] if all(word in other for other in words))
