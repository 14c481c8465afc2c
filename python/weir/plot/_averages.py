"""Means of runs with their intervals, and the common combinations over which an unfinished grid is
averaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from weir.stats import deviation_of, with_intervals

COMBINATION = "combination"
"""Column with the levels that a row has of everything averaged over."""


Quantile = Callable[[int], float]
"""Function that returns a quantile of Student's t for a number of degrees of freedom."""


@dataclass(frozen=True)
class Common:
    """Places of a figure that are drawn, and the combinations that all of them have."""

    columns: tuple[str, ...]
    """Columns that identify a place."""
    places: frozenset[str]
    combinations: frozenset[str]
    begun: int
    """Number of places of which anything is finished."""
    wanted: int
    """Number of combinations of the whole grid."""
    whole: bool
    """True if every place has every combination that any place has."""

    @classmethod
    def of(cls, frame: pl.DataFrame, columns: Sequence[str], wanted: int) -> Common:
        """Finds the common combinations in rows of finished runs, with the columns of a place and
        `combination`.

        A place that has less than half of the combinations of the fullest is left out. Otherwise a
        few runs of the next level would throw away what is known of all others.
        """
        cells = frame.select(_key(columns), COMBINATION).unique(maintain_order=True)
        by_place = cells.group_by("place", maintain_order=True).agg(COMBINATION)
        have = {str(place): set[str](found) for place, found in by_place.iter_rows()}
        most = max(map(len, have.values()), default=0)
        places, shared = list[str](), set[str]()
        for place, known in sorted(have.items(), key=lambda item: -len(item[1])):
            common = shared & known if places else known
            if 2 * len(common) < most:
                break
            places.append(place)
            shared = common
        whole = len(cells) == len(have) * cells[COMBINATION].n_unique()
        return cls(tuple(columns), frozenset(places), frozenset(shared), len(have), wanted, whole)

    def filter(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows that are drawn, of a frame with the columns of a place and `combination`."""
        if self.whole:
            return frame
        place, combination = _key(self.columns), pl.col(COMBINATION)
        return frame.filter(place.is_in(self.places), combination.is_in(self.combinations))

    def said(self) -> list[str]:
        """Sentences on what is left out."""
        said: list[str] = []
        if len(self.combinations) < self.wanted:
            number = len(self.combinations)
            said.append(
                f"{number:,} of {self.wanted:,} combinations {'is' if number == 1 else 'are'} finished for "
                "everything drawn; the others are left out."
            )
        left = self.begun - len(self.places)
        if left:
            said.append(f"Too little is finished to draw {left:,} of {self.begun:,} places.")
        return said


def _key(columns: Sequence[str]) -> pl.Expr:
    # Texts that tell apart whatever columns there are, and none.
    return pl.concat_str(
        pl.lit(""), *(pl.col(name).cast(pl.String) for name in columns), separator="\0"
    ).alias("place")


def distinct(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Every run, or period of a run, once among the rows with the same keys.

    Points are the same runs where they differ in an axis only that a variant does not have, or
    coincide.
    """
    return rows.unique([*keys, "run", "period"], keep="first", maintain_order=True)


def interval(
    observed: pl.DataFrame, keys: Sequence[str], measure: str, quantile: Quantile, parts: int | None = None
) -> pl.DataFrame:
    """Mean of a measure with its 95% interval over replications: keys, measure, mean, low, high, n.

    `observed` has a replication column; several rows of a replication are averaged first. A
    replication counts if it has as many values as any of the same keys, and `parts` rows.
    """
    value = pl.col(measure)
    runs = observed.group_by(*keys, "replication", maintain_order=True).agg(
        value.mean().alias("value"), value.count().alias("parts"), pl.len().alias("rows")
    )
    if parts is not None:
        runs = runs.filter(pl.col("rows") == parts)
    most = pl.col("parts").max()
    shared = runs.filter(pl.col("parts") == (most.over(list(keys)) if keys else most))
    return summary(shared, keys, quantile).with_columns(pl.lit(measure).alias("measure"))


def summary(values: pl.DataFrame, keys: Sequence[str], quantile: Quantile) -> pl.DataFrame:
    """Statistics of a column `value` of independent values: keys, mean, low, high, n. A single value has no
    interval."""
    value = pl.col("value")
    numbers = (
        value.mean().alias("mean"),
        deviation_of(value).alias("sd"),
        value.count().cast(pl.Int64).alias("n"),
    )
    cells = values.group_by(*keys, maintain_order=True).agg(numbers) if keys else values.select(numbers)
    return with_intervals(cells, quantile).select(*keys, "mean", "low", "high", "n")
