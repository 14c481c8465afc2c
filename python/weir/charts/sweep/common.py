"""What the averages of an unfinished grid are over: the same levels everywhere, or nothing is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

COMBINATION = "combination"
"""Column of the levels that a row of a frame has of everything averaged over."""


@dataclass(frozen=True)
class Common:
    """The places of a figure that are drawn, and the combinations that all of them have."""

    columns: tuple[str, ...]
    """Of a place."""
    places: frozenset[str]
    combinations: frozenset[str]
    begun: int
    """Places of which anything is finished."""
    wanted: int
    """Combinations of the whole grid."""
    whole: bool
    """Whether every place has every combination that any has."""

    @classmethod
    def of(cls, frame: pl.DataFrame, columns: Sequence[str], wanted: int) -> Common:
        """From rows of finished runs, with the columns of a place and `combination`.

        A place that has less than half of the combinations of the fullest is left out, so that a
        few runs of the next level do not throw away what is known of all others.
        """
        cells = frame.select(_key(columns), COMBINATION).unique(maintain_order=True)
        places, combinations = (cells[name].unique(maintain_order=True) for name in ("place", COMBINATION))
        finished = np.zeros((len(places), len(combinations)), dtype=np.bool_)
        finished[_index(cells["place"], places), _index(cells[COMBINATION], combinations)] = True
        whole = bool(finished.all())
        if not whole:
            order = np.argsort(-finished.sum(axis=1), kind="stable")
            shared = np.logical_and.accumulate(finished[order], axis=0).sum(axis=1)
            kept = np.sort(order[2 * shared >= shared[0]])
            combinations = combinations.gather(np.flatnonzero(finished[kept].all(axis=0)))
            places = places.gather(kept)
        return cls(
            tuple(columns),
            frozenset(places.to_list()),
            frozenset(combinations.to_list()),
            finished.shape[0],
            wanted,
            whole,
        )

    def filter(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows that are drawn, of a frame with the columns of a place and `combination`."""
        if self.whole:
            return frame
        return frame.filter(
            _key(self.columns).is_in(list(self.places)), pl.col(COMBINATION).is_in(list(self.combinations))
        )

    def said(self) -> list[str]:
        """What is left out, in sentences."""
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


def _index(values: pl.Series, levels: pl.Series) -> NDArray[np.int64]:
    return values.replace_strict(levels, pl.int_range(len(levels), eager=True)).to_numpy()
