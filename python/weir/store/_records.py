"""Records that are put into a store and read from it, apart from tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import polars as pl


class FinishedRun(NamedTuple):
    """One run that has ended. `run` is its key, 63 bits; `cpu_s` in seconds of CPU time."""

    run: int
    scenario_hash: str
    seed: int
    cpu_s: float
    packets: int
    events: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of one task: a chunk of runs and their tables.

    The first column of every table is `run` (Int64), and every row names one of `runs`. Text is
    cheapest as Enum with the same categories throughout; other text is taken too. A row with lists, all
    of one length, stands for as many rows: as such they are read. The versions are
    those of the Weir that computed the runs; None means this one.
    """

    runs: Sequence[FinishedRun]
    tables: Mapping[str, pl.DataFrame]
    results_version: int | None = None
    weir: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A recorded result. `definition` is the request, as anything that JSON can hold. The store sets
    `created` (now), `weir` (this version) and `number` (the next) where they are None."""

    id: str
    name: str
    title: str = ""
    definition: Mapping[str, Any] = field(default_factory=dict[str, Any])
    command: str | None = None
    weir: str | None = None
    created: datetime | None = None
    number: int | None = None
    """Number in the store: 1, 2, 3 ... The number of a removed sweep is not used again."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of finished runs: sums over `runs` of them, `cpu_s` in seconds."""

    runs: int
    cpu_s: float
    packets: int
    events: int
