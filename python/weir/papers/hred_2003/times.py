"""Response times, as section IV has them.

From a change of load until the queue is between min_th / 2 and 3 max_th / 2 and stays there for 10 s.

Where the queue does not come to stay before the load changes again, the time is infinite. A mean of the
finite ones would flatter; here such a run counts with the length of its phase, which is the least that
its time can be. The share of such runs is a quantity of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir.papers.data import Data, Sample, Study
from weir.papers.hred_2003.measured import QUEUE
from weir.papers.hred_2003.parameters import MAX_TH, MIN_TH, PACKET
from weir.papers.quantities import Quantity
from weir.responses import moving_average, times

LOW, HIGH = 0.5 * MIN_TH / PACKET, 1.5 * MAX_TH / PACKET
"""The band, packets."""
HOLD_S, AVERAGE_S = 10.0, 0.1

View = Literal["samples", "average"]
What = Literal["time", "never"]
VIEWS: dict[View, str] = {"samples": "", "average": ", mean over 100 ms"}


@dataclass(frozen=True)
class Phases:
    """When the load of an experiment changes."""

    changes: tuple[float, ...]
    end: float
    names: tuple[str, ...]
    flows: float = float("nan")
    """FTP flows at the start, where an axis says how many come."""

    def of(self, index: int) -> tuple[float, float]:
        """Beginning and end of the phase after a change."""
        return self.changes[index], (*self.changes, self.end)[index + 1]


_DOUBLINGS = Phases((150.0, 200.0, 250.0), 300.0, ("150 to 200 s", "200 to 250 s", "250 to 300 s"))
_TO_AND_FRO = Phases((100.0, 180.0), 260.0, ("rising", "falling"), 100.0)
PHASES: dict[str, Phases] = {
    "dynamic": _DOUBLINGS,
    "dynamic-ftp": _DOUBLINGS,
    "today": _DOUBLINGS,
    "moderate": _TO_AND_FRO,
    "moderate-ftp": _TO_AND_FRO,
    "heavy": replace(_TO_AND_FRO, flows=400.0),
    **dict.fromkeys(("why-rtt", "why-k", "why-p-min"), _TO_AND_FRO),
}

_known: WeakKeyDictionary[Study, dict[str, pl.DataFrame]] = WeakKeyDictionary()
"""Times by experiment: reading the series takes longer than all else."""


@dataclass(frozen=True)
class Response(Quantity):
    """Seconds until the queue has come to stay, or the share of runs in which it has not."""

    experiment: str
    variant: str
    changes: tuple[int, ...]
    """Which changes count, from 0."""
    view: View = "samples"
    what: What = "time"
    more: tuple[float, ...] | None = None
    """Values of the axis that count; None: all."""
    setting: float | None = None
    """Of HRED, where it varies."""

    @property
    def unit(self) -> str:
        return "s" if self.what == "time" else ""

    @property
    def title(self) -> str:
        return ("response time" if self.what == "time" else "share that never settle") + VIEWS[self.view]

    def samples(self, study: Study) -> list[Sample]:
        phases = PHASES[self.experiment]
        rows = response_times(study, self.experiment).filter(variant=self.variant, view=self.view)
        if self.more is not None:
            rows = rows.filter(pl.col("more").is_in(list(self.more)))
        if self.setting is not None:
            rows = rows.filter((pl.col("setting") - self.setting).abs() <= 1e-9 * self.setting)
        axis = "more" in rows.columns
        found: list[Sample] = []
        for change in self.changes:
            begin, end = phases.of(change)
            here = rows.filter(change=change)
            for part in here.partition_by("more", maintain_order=True) if axis else [here]:
                label = str(part["label"][0])
                values = part.sort("replication")["response_s"].to_numpy()
                if self.what == "time":
                    values = np.minimum(values, end - begin)
                else:
                    values = np.isinf(values).astype(np.float64)
                words = [label, phases.names[change]]
                at = begin
                if axis:
                    at = 1.0 + float(part["more"][0]) / phases.flows
                    words.append(f"{at:g} times the flows")
                found.append(Sample(", ".join(words), at, values))
        return found

    def of(self, variant: str) -> Response:
        """The same of another variant."""
        return replace(self, variant=variant)


def response_times(study: Study, experiment: str) -> pl.DataFrame:
    """A row per run, change and view: those of the runs, change, view, response_s (infinite for never)."""
    known = _known.setdefault(study, {})
    if experiment not in known:
        known[experiment] = _found(study[experiment], PHASES[experiment])
    return known[experiment]


def _found(data: Data, phases: Phases) -> pl.DataFrame:
    series = data.read("series").filter(
        pl.col("run").is_in(data.runs["run"].implode()),
        pl.col("component") == QUEUE,
        pl.col("variable") == "queue",
    )
    rows: list[Mapping[str, object]] = []
    for (run,), part in series.partition_by("run", as_dict=True, maintain_order=True).items():
        ordered = part.sort("time_s")
        instants = np.rint(ordered["time_s"].to_numpy() * 1e9).astype(np.int64)
        rows += [{"run": run, **row} for row in of_run(instants, ordered["value"].to_numpy(), phases)]
    found = pl.DataFrame(
        rows, schema={"run": pl.Int64, "change": pl.Int64, "view": pl.String, "response_s": pl.Float64}
    )
    return data.runs.join(found, on="run", maintain_order="left").sort(*data.axes, "replication")


def of_run(
    instants: NDArray[np.int64], queue: NDArray[np.float64], phases: Phases
) -> list[dict[str, int | str | float]]:
    """The response times of one run from its queue, packets, at these nanoseconds."""
    interval = float(np.median(np.diff(instants))) / 1e9
    views: dict[View, NDArray[np.float64]] = {
        "samples": queue,
        "average": moving_average(queue, max(1, round(AVERAGE_S / interval))),
    }
    found: list[dict[str, int | str | float]] = []
    for index in range(len(phases.changes)):
        begin, end = (round(1e9 * instant) for instant in phases.of(index))
        for view, values in views.items():
            inside = (values >= LOW) & (values <= HIGH)
            response, _ = times(instants, inside, begin, end, round(1e9 * HOLD_S))
            found.append({"change": index, "view": view, "response_s": response})
    return found
