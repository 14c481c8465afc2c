"""A sweep whose tables are read once, for figures that all ask for the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import polars as pl

from weir.analysis import ALL
from weir.charts.dimension import Design, Dimension, SweepData


class Once:
    """The same sweep; `observations` of everything, `delays` and `dimensions` are kept."""

    def __init__(self, view: SweepData) -> None:
        self._view = view

    @property
    def name(self) -> str:
        return self._view.name

    @property
    def title(self) -> str:
        return self._view.title

    @property
    def design(self) -> Design:
        return self._view.design

    @property
    def dimensions(self) -> Sequence[Dimension]:
        return self._dimensions

    @property
    def replications(self) -> int:
        return self._view.replications

    @cached_property
    def cells(self) -> pl.DataFrame:
        return self._view.cells

    @property
    def unfinished(self) -> int:
        return self._unfinished

    @property
    def labels(self) -> Sequence[str]:
        return self._view.labels

    @property
    def facts(self) -> Mapping[str, str]:
        return self._view.facts

    @property
    def origin(self) -> Mapping[str, str]:
        return self._view.origin

    @property
    def resolved(self) -> Mapping[str, str]:
        return self._view.resolved

    @property
    def command(self) -> str | None:
        return self._view.command

    def quantile(self, degrees: int) -> float:
        return self._view.quantile(degrees)

    def observations(self, group: str = ALL) -> pl.DataFrame:
        return self._observations if group == ALL else self._view.observations(group)

    def estimates(self, measures: Sequence[str], group: str = ALL) -> pl.DataFrame:
        return self._view.estimates(measures, group)

    def delays(self) -> pl.DataFrame:
        return self._delays

    def series(self, point: int, variants: Sequence[str]) -> pl.DataFrame:
        return self._view.series(point, variants)

    def sensitivity(self, measure: str) -> pl.DataFrame | None:
        return self._view.sensitivity(measure)

    @cached_property
    def _dimensions(self) -> Sequence[Dimension]:
        return self._view.dimensions

    @cached_property
    def _unfinished(self) -> int:
        return self._view.unfinished

    @cached_property
    def _observations(self) -> pl.DataFrame:
        return self._view.observations()

    @cached_property
    def _delays(self) -> pl.DataFrame:
        return self._view.delays()
