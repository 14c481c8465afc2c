"""Response of a queue to a change of load: the time until it returns to its place.

The *response time* is that of the HRED paper (2003), section IV: from a change of load until the queue
lies between two bounds and stays there for 10 s. It is infinite where that does not happen before the load
changes again. The *settling time* is stricter: until the queue lies between the bounds and stays there for
the rest of the phase, 10 s at least.

Both are found on the samples as they are, and on their mean over the last 100 ms: a queue that swings
within a round trip may leave the bounds for a moment without being anywhere else on the whole.

A phase ends with the next change or the run. A sample stands for what is until the next one: times are
as fine as the interval of the series.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import _core
from weir._errors import WeirError, is_a, listed, require
from weir.scenario import flows_at
from weir.stats import wording
from weir.stats._analysis import bottleneck, component_of
from weir.stats._grid import Cell, Grid, render_grid
from weir.stats._intervals import deviation_of, student_t, with_intervals

NO_SERIES = "the scenario asks for no series"
HOW_TO_ASK = 'add to it: series = { interval = "100 ms" } under [measure]'
"""Error and its hint if nothing was recorded over time."""

MEASURES = ("response_s", "settling_s")

_KEYS = ("variant", "label", "replication", "seed")

_SCHEMA = {
    "variant": pl.String, "label": pl.String, "replication": pl.Int64, "seed": pl.Int64,
    "change": pl.Int64, "at_s": pl.Float64, "until_s": pl.Float64,
    "flows_before": pl.Int64, "flows_after": pl.Int64, "rate_bps": pl.Float64,
    "queue": pl.String, "response_s": pl.Float64, "settling_s": pl.Float64,
}  # fmt: skip


class ResponseError(WeirError, ValueError):
    """Error about response times that cannot be found: nothing recorded, no change of load, an invalid
    band."""


@dataclass(frozen=True)
class Band:
    """Band in which the queue belongs, in packets, and the time for which it must stay there."""

    low: float
    high: float
    hold_s: float
    average_s: float


def responses(
    tables: Mapping[str, pl.DataFrame],
    resolved: Mapping[str, str],
    low: str,
    high: str,
    *,
    link: str | None,
    hold: str,
    average: str,
    at: Sequence[str] | None,
) -> pl.DataFrame:
    """Response times, one row per run, change of load and view of the queue: see `weir.Sweep.responses`."""
    series = tables["series"]
    if series.is_empty():
        raise ResponseError(NO_SERIES, HOW_TO_ASK)
    name = bottleneck(tables) if link is None else link
    queues = series.filter(pl.col("component") == component_of(name), pl.col("variable") == "queue")
    if queues.is_empty():
        known = tables["links"]["link"].unique(maintain_order=True)
        raise ResponseError(f"there is no link {name!r}", f"there are: {', '.join(known)}")
    rows: list[dict[str, Any]] = []
    for variant, text in resolved.items():
        network = _core.network_of(text)
        port = network.port(name)
        band = _band(port, low, high, hold, average)
        phases = _phases(port, network.duration_s, at)
        for run in queues.filter(pl.col("variant") == variant).partition_by(*_KEYS, maintain_order=True):
            key = run.select(_KEYS).row(0, named=True)
            rows += [{**key, **row} for row in _of_run(run, phases, band)]
    return pl.DataFrame(rows, schema=_SCHEMA)


def estimates(found: pl.DataFrame) -> pl.DataFrame:
    """Statistics over replications, one row per point, variant, change, view of the queue and measure.

    Columns: the keys, change, at_s, until_s, flows_before, flows_after, rate_bps, queue, measure
    (response_s or settling_s), n (runs). Statistics: never (share of the runs in which the time is infinite),
    median_s, mean_s, half_width_s (of the 95% interval).

    Where a run never settles there is no mean, and a mean of the others would be too short: `mean_s` is
    null, and `never` says how often. The median counts such runs as the longest; it is infinite where they
    are half of all or more.

    Raises InputError for rows that are not those of `Sweep.responses`.

    Example:
        >>> from weir.stats import response_estimates
        >>> found = result.responses("1 packets", "60 packets", hold="300 ms")
        >>> rows = response_estimates(found).filter(variant="rem-mark", queue="average", measure="response_s")
        >>> rows.select("at_s", "n", "never", rows["mean_s"].round(2)).rows()
        [(2.0, 3, 0.0, 0.43)]
    """
    missing = [name for name in MEASURES if name not in found.columns]
    require(
        not missing,
        f"the rows have no {' and no '.join(missing)}",
        "give those of `Sweep.responses`, with all their columns",
    )
    same = [name for name in found.columns if name not in {"replication", "seed", *MEASURES}]
    time = pl.col("time")
    cells = (
        found.unpivot(MEASURES, index=same, variable_name="measure", value_name="time")
        .group_by(*same, "measure", maintain_order=True)
        .agg(
            n=pl.len().cast(pl.Int64),
            never=time.is_infinite().mean(),
            median_s=time.median(),
            mean=time.mean(),
            sd=deviation_of(time),
        )
        # Both measures of a change beside each other.
        .sort(pl.int_range(pl.len()) % (pl.len() // len(MEASURES)), maintain_order=True)
    )
    means = with_intervals(cells, student_t).with_columns(
        pl.when(pl.col("never") == 0.0).then(pl.col("mean", "half_width")).name.suffix("_s")
    )
    return means.select(*same, "measure", "n", "never", "median_s", "mean_s", "half_width_s")


def times(
    instants: NDArray[np.int64], inside: NDArray[np.bool_], start: int, end: int, hold: int
) -> tuple[float, float]:
    """Response and settling time of one phase in seconds; the arguments are nanoseconds.

    `inside` says of the sample at each instant whether it lies in the band. The phase is what lies between
    `start` and `end`, both included.

    Raises InputError for arrays of different lengths, and for a negative `hold`.

    Example:
        >>> import numpy as np
        >>> from weir.stats import times
        >>> instants = np.arange(0, 10) * 1_000_000_000
        >>> inside = np.array([False, False, True, False, True, True, True, True, True, True])
        >>> times(instants, inside, start=0, end=9_000_000_000, hold=2_000_000_000)
        (4.0, 4.0)
    """
    require(
        instants.shape == inside.shape,
        f"{inside.size} samples cannot be at {instants.size} instants",
        "give one sample for each instant",
    )
    require(hold >= 0, f"a queue cannot stay for {hold} ns", "give zero or more nanoseconds")
    chosen = (instants >= start) & (instants <= end)
    when, good = instants[chosen], inside[chosen]
    if when.size == 0:
        return math.inf, math.inf
    # Where a stretch inside begins, and the first instant after it, or what follows the phase.
    edges = np.diff(np.concatenate([[False], good, [False]]).astype(np.int8))
    begins = when[np.flatnonzero(edges == 1)]
    leaves = np.append(when, np.iinfo(np.int64).max)[np.flatnonzero(edges == -1)]
    # Inside at every sample up to begin + hold, which must still be part of the phase and be seen.
    last = min(int(when[-1]), end)
    holds = (leaves > begins + hold) & (begins + hold <= last)
    response = (int(begins[holds][0]) - start) / 1e9 if holds.any() else math.inf
    to_the_end = holds.size > 0 and bool(good[-1]) and bool(holds[-1])
    settling = (int(begins[-1]) - start) / 1e9 if to_the_end else math.inf
    return response, settling


def moving_average(queue: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    """The mean of the last so many samples, fewer at the beginning.

    Raises InputError for a mean of less than one sample.

    Example:
        >>> import numpy as np
        >>> from weir.stats import moving_average
        >>> moving_average(np.array([0.0, 4.0, 8.0, 0.0]), samples=2).tolist()
        [0.0, 2.0, 6.0, 4.0]
    """
    require(samples >= 1, f"there is no mean of {samples} samples", "give 1 or more")
    sums = np.concatenate([[0.0], np.cumsum(queue)])
    ends = np.arange(1, queue.size + 1)
    begins = np.maximum(ends - samples, 0)
    return (sums[ends] - sums[begins]) / (ends - begins)


def _of_run(run: pl.DataFrame, phases: Sequence[dict[str, Any]], band: Band) -> list[dict[str, Any]]:
    instants = np.rint(run["time_s"].to_numpy() * 1e9).astype(np.int64)
    queue = run["value"].to_numpy()
    interval = float(np.median(np.diff(instants))) / 1e9 if instants.size > 1 else math.inf
    if interval > band.hold_s:
        raise ResponseError(
            f"the queue is recorded every {interval:g} s, and has to stay for {band.hold_s:g} s",
            'record it more often: measure.series.interval = "100 ms"',
        )
    smooth = moving_average(queue, max(1, round(band.average_s / interval)))
    inside = {
        view: (values >= band.low) & (values <= band.high)
        for view, values in (("samples", queue), ("average", smooth))
    }
    rows: list[dict[str, Any]] = []
    for phase in phases:
        start, end, hold = (
            round(1e9 * seconds) for seconds in (phase["at_s"], phase["until_s"], band.hold_s)
        )
        for view, good in inside.items():
            response, settling = times(instants, good, start, end, hold)
            rows.append({**phase, "queue": view, "response_s": response, "settling_s": settling})
    return rows


def _phases(port: _core.Port, end: float, at: Sequence[str] | None) -> list[dict[str, Any]]:
    """Requested changes of load, each with the end of its phase in seconds."""
    loads, rates = {change.at_s: change for change in port.load}, dict(port.rate_changes)
    stated = sorted(instant for instant in {*loads, *rates} if 0.0 < instant < end)
    asked = stated if at is None else sorted({_quantity(text, "s")[0] for text in listed(at)})
    if asked and asked[-1] >= end:
        raise ResponseError(f"the run is over at {asked[-1]:g} s", f"name an instant before {end:g} s")
    if not asked:
        raise ResponseError(
            f"the load of {port.name} does not change after the start of the run",
            "name the instants from which times count: --at '150 s'",
        )
    bounds = sorted({*stated, *asked, end})
    return [
        {
            "change": index,
            "at_s": instant,
            "until_s": bounds[bounds.index(instant) + 1],
            "flows_before": loads[instant].before if instant in loads else flows_at(port.load, instant),
            "flows_after": flows_at(port.load, instant),
            "rate_bps": rates.get(instant),
        }
        for index, instant in enumerate(asked)
    ]


def _band(port: _core.Port, low: str, high: str, hold: str, average: str) -> Band:
    bounds = [_quantity(text, "packets", "B") for text in (low, high)]
    # Bytes count as packets of the link's mean size.
    lower, upper = (value / port.mean_packet_bytes if kind == "B" else value for value, kind in bounds)
    if lower > upper:
        raise ResponseError(f"{low} is more than {high}", "the lower bound comes first")
    (hold_s, _), (average_s, _) = _quantity(hold, "s"), _quantity(average, "s")
    if hold_s <= 0.0:
        raise ResponseError("a queue stays for no time at all", 'the paper has 10 s: hold = "10 s"')
    return Band(lower, upper, hold_s, average_s)


def _quantity(text: str, *kinds: str) -> tuple[float, str]:
    """Value with its kind, which is one of these."""
    example = '"10 s"' if kinds == ("s",) else '"20 packets" or "62.5 kB"'
    if not is_a(text, str):
        raise ResponseError(f"{text!r} has no unit", f"write a text, for example {example}")
    try:
        value, kind = _core.quantity(text)
    except ValueError as error:
        message, _, hint = str(error).partition("; hint: ")
        raise ResponseError(message, hint or None) from None
    if kind not in kinds:
        what = "time" if kinds == ("s",) else "length of a queue"
        raise ResponseError(f"{text} is no {what}", f"write for example {example}")
    return value, kind


def without_infinity(frame: pl.DataFrame) -> pl.DataFrame:
    """Frame with null for infinite values, which JSON does not have."""
    return frame.with_columns(
        pl.when(pl.col(pl.Float64).is_infinite()).then(None).otherwise(pl.col(pl.Float64)).name.keep()
    )


def text_of(estimated: pl.DataFrame, hold: str, width: int) -> str:
    """Text of `estimates` for a terminal: a grid per point and variant, a row per change."""
    heads = ["response", "settling", "smoothed response", "smoothed settling"]
    blocks = [f"Response and settling times in s: in the band for {hold}, for the rest of the phase"]
    keys = estimated.columns[: estimated.columns.index("change")]
    for part in estimated.partition_by(keys, maintain_order=True):
        rows = [
            (_told(change.row(0, named=True)), [_cell(row) for row in change.iter_rows(named=True)])
            for change in part.partition_by("change", maintain_order=True)
        ]
        n = wording.replications(int(part["n"][0]))
        place = ", ".join([str(part["label"][0]), *(str(part[axis][0]) for axis in keys[3:])])
        blocks.append(render_grid(Grid(f"{place}: {n}", heads, rows), width))
    return "\n\n".join(blocks)


def _told(change: Mapping[str, Any]) -> str:
    """Change of load in words: `150 s: 100 to 200 flows`."""
    told = f"{change['at_s']:g} s: {change['flows_before']} to {change['flows_after']} flows"
    return told if change["rate_bps"] is None else f"{told}, {change['rate_bps'] / 1e6:g} Mbit/s"


def _cell(row: Mapping[str, Any]) -> Cell:
    if row["never"] == 0.0:
        return Cell(wording.number(row["mean_s"], 2), wording.plus_minus(row["half_width_s"], 2))
    if row["never"] == 1.0:
        return Cell("never", "")
    return Cell(f"never in {row['never']:.0%}", "")
