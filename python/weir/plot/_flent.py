"""Tests of flent, and what Weir wrote like them, in one figure: throughput and round trips over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import polars as pl

from weir.flent import FlentFile, FlentSeries
from weir.plot._curves import draw
from weir.plot._figure import Figure
from weir.plot._over_time import envelope
from weir.plot._plot import Curve, Facet, Plot
from weir.sweep import ChartError

_SLOTS = 120
"""Points of a curve at most, about one for two pixels of a panel."""


def flent(files: Mapping[str, FlentFile]) -> Figure:
    """Draws data files of flent over each other, by the names that the legend has for them.

    As in flent's plot *totals*, throughputs of a direction are added up, and round trips are averaged. A
    last panel has the distribution of all round trips. Raises ChartError where no file has either.

    Example:
        >>> from weir.flent import FlentFile, FlentSeries
        >>> trips = FlentSeries("Ping (ms) ICMP", "ms", [20.0, 32.0, 26.0])
        >>> drawn = weir.plot.flent({"home": FlentFile("ping", "", [0.2, 0.4, 0.6], [trips])})
        >>> drawn.title, drawn.rows["y"].to_list()[:3]
        ('Round trip', [20.0, 32.0, 26.0])
    """
    facets: list[Facet] = []
    for way in ("download", "upload"):
        totals = {name: _total(file, way) for name, file in files.items()}
        facets += _facet(way.title(), "Throughput (Mbit/s)", files, totals)
    trips = {name: _mean(file) for name, file in files.items()}
    facets += _facet("Round trip", "Round trip (ms)", files, trips)
    shares = [_distribution(name, file) for name, file in files.items()]
    if drawn := [curve for curve in shares if curve is not None]:
        title, y = "Distribution of round trips", "Pings below (%)"
        facets.append(Facet(title, y, drawn, top=100.0, x="Round trip (ms)"))
    if not facets:
        raise ChartError("no file has throughput or round trips", "flent's tests rrul and tcp_1up have both")
    has = [
        *(["throughput"] if any("Throughput" in facet.y for facet in facets) else []),
        *(["round trip"] if drawn else []),
    ]
    what = " and ".join(has)
    return draw(
        Plot(
            "flent",
            what.capitalize(),
            "Throughputs of a direction are added up, and round trips of all pings averaged. Throughput "
            "counts headers where Weir measured it, data alone where flent did.",
            "Time (s)",
            facets,
            columns=min(2, len(facets)),
        )
    )


def _total(file: FlentFile, way: str) -> Sequence[float] | None:
    """Sum of the throughputs of one direction; None without any."""
    return _together([one for one in file.series if one.direction == way], math.fsum)


def _mean(file: FlentFile) -> Sequence[float] | None:
    """Mean of all round trips; None without any."""
    return _together(_trips(file), fmean)


def _trips(file: FlentFile) -> list[FlentSeries]:
    return [one for one in file.series if one.is_round_trip]


def _together(
    series: Sequence[FlentSeries], combine: Callable[[Sequence[float]], float]
) -> Sequence[float] | None:
    """All series in one, from what is known at each time; NaN where nothing is."""
    if not series:
        return None
    rows = zip(*(one.values for one in series), strict=True)
    known = ([value for value in row if not math.isnan(value)] for row in rows)
    return [combine(values) if values else math.nan for values in known]


def _facet(
    title: str, y: str, files: Mapping[str, FlentFile], values: Mapping[str, Sequence[float] | None]
) -> list[Facet]:
    """A panel with a curve for each file that has values; none without any."""
    curves = [
        _curve(name, pl.DataFrame({"file": name, "time_s": files[name].times_s, "value": found}))
        for name, found in values.items()
        if found is not None and not all(map(math.isnan, found))
    ]
    return [Facet(title, y, curves)] if curves else []


def _curve(name: str, samples: pl.DataFrame) -> Curve:
    samples = samples.filter(pl.col("value").is_not_nan())
    if len(samples) <= 3 * _SLOTS:
        return Curve(name, samples["time_s"].to_list(), samples["value"].to_list())
    rows = envelope(samples, ["file"], _SLOTS)
    x, y, low, high = (rows[column].to_list() for column in ("time_s", "mean", "lowest", "highest"))
    return Curve(name, x, y, low, high, band="lowest to highest")


def _distribution(name: str, file: FlentFile) -> Curve | None:
    """Share of the round trips below each."""
    trips = pl.Series([value for one in _trips(file) for value in one.values], dtype=pl.Float64)
    trips = trips.filter(trips.is_not_nan()).sort()
    if trips.is_empty():
        return None
    last = len(trips) - 1
    places = sorted({round(last * step / _SLOTS) for step in range(_SLOTS + 1)})
    return Curve(name, trips.gather(places).to_list(), [100.0 * (at + 1) / len(trips) for at in places])
