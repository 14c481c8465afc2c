"""Loops in the frequency domain: Bode, Nyquist, and the spectrum of the queue beside its prediction."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import altair as alt
import numpy as np
import polars as pl
from numpy.typing import NDArray

from weir import stats
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._curves import draw
from weir.plot._figure import Figure
from weir.plot._plot import Curve, Facet, Plot
from weir.sweep import ChartError
from weir.theory import Analysis, Complex, frequency_span

Rows = Sequence[tuple[str, Analysis]]
"""Labels with the analyses of their loops."""

POINTS = 400

_LIMIT = 2.5
"""Limit of the axes of a Nyquist diagram: values beyond it say nothing about stability."""


def bode(name: str, rows: Rows) -> Figure:
    """Gain and phase of the open loops, with the lines from which margins are counted."""
    gains: list[Curve] = []
    phases: list[Curve] = []
    for label, one in _drawable(rows):
        w, value = _response(one)
        degrees = np.degrees(np.unwrap(np.angle(value)))
        # A loop that integrates begins at -90, and the unwrapping at any multiple of 360.
        degrees -= 360.0 * round((degrees[0] + 90.0) / 360.0)
        # Beyond some turns the delay alone is left.
        kept = (degrees > -450.0) & (np.abs(value) > 1e-4)
        gains.append(Curve(label, w[kept].tolist(), np.abs(value[kept]).tolist()))
        phases.append(Curve(label, w[kept].tolist(), degrees[kept].tolist()))
    facets = [
        Facet("Gain", "|L(jω)|", gains, levels=[(1.0, "1")], log=True),
        Facet("Phase", "arg L(jω) (degrees)", phases, levels=[(-180.0, "−180")], zero=False),
    ]
    caption = (
        "The open loop of queue and senders at its operating point, with the delay as it is. Where "
        "the gain is 1, the phase "
        "is a margin above −180 degrees; where the phase is −180, the gain is a factor below 1."
    )
    return draw(
        Plot(
            f"bode-{name}", f"Open loop: {name}", caption, "Frequency (rad/s)", facets, columns=1, log_x=True
        )
    )


def nyquist(name: str, rows: Rows) -> Figure:
    """Open loops in the complex plane near −1."""
    frames: list[pl.DataFrame] = []
    for label, one in _drawable(rows):
        w, value = _response(one, 4000)
        shown = np.abs(value) < 2.0 * _LIMIT
        frames.append(
            pl.DataFrame({"x": value.real[shown], "y": value.imag[shown], "w": w[shown]}).with_columns(
                pl.lit(label).alias("label")
            )
        )
    data = pl.concat(frames)
    labels = data["label"].unique(maintain_order=True).to_list()
    legend = alt.Legend(symbolSize=500, symbolType="stroke") if len(labels) > 1 else None
    look = style.look(labels, legend)
    size = {"domain": [-_LIMIT, _LIMIT], "nice": False, "clamp": False}
    pen = chart.Pen(
        chart.side("x", "Real part of L(jω)", scale=size),
        chart.side("y", "Imaginary part of L(jω)", scale=size),
        look,
    )
    ring = np.linspace(0.0, 2.0 * math.pi, 121)
    circle: Any = alt.Chart(
        alt.Data(values=[{"x": math.cos(a), "y": math.sin(a), "k": k} for k, a in enumerate(ring)])
    )
    point: Any = alt.Chart(alt.Data(values=[{"x": -1.0, "y": 0.0}]))
    axes = {"x": alt.X("x:Q"), "y": alt.Y("y:Q")}
    layers = [
        circle.mark_line(color=style.GREY, strokeDash=[3, 3], strokeWidth=1).encode(order="k:Q", **axes),
        pen("line", "color", "strokeDash", strokeWidth=1.6, clip=True).encode(order="w:Q"),
        point.mark_point(shape="cross", size=90, filled=True, color=style.STRONG, opacity=1).encode(**axes),
    ]
    caption = (
        "The open loop of queue and senders for frequencies from zero up, with the delay as it is. "
        "Cross: −1. Dashed: a gain "
        "of 1. A loop whose curve has −1 on its left as the frequency rises is unstable; the roots decide."
    )
    return Figure(
        f"nyquist-{name}", f"Nyquist: {name}", caption, chart.panel(layers, style.WIDTH, style.WIDTH), data
    )


def spectrum(name: str, rows: Rows, measured: Sequence[Curve] = ()) -> Figure:
    """Spectrum of the queue due to the noise of cuts, with the period of the roots."""
    curves: list[Curve] = [*measured]
    for label, one in _drawable(rows):
        if one.noise is None:
            continue
        density = one.noise.density
        w = one.noise.frequencies
        shown = (w >= 0.03) & (density > density.max() * 1e-4)
        step = max(1, int(shown.sum()) // POINTS)
        curves.append(
            Curve(
                label,
                (w[shown] / (2 * math.pi))[::step].tolist(),
                density[shown][::step].tolist(),
                kind="theory",
            )
        )
    if not curves:
        raise ChartError(
            "no loop here is stable, and of an unstable one the linear spectrum means nothing",
            "draw bode, or integrate it: weir theory fluid",
        )
    shares = {
        curve.label: near_period(curve, one.period)
        for curve in measured
        for label, one in rows
        if curve.label == label and one.period is not None
    }
    said = [
        f"{label}: {one.period:.3g} s"
        + (f", with {shares[label]:.0%} of the power of packets within 25% of it" if label in shares else "")
        for label, one in rows
        if one.period is not None
    ]
    caption = (
        "Spectral density of the queue, two-sided over angular frequency, that the noise of cuts "
        "makes in the linear loop. " + (f"Period of the rightmost roots: {', '.join(said)}." if said else "")
    )
    facet = Facet("", "Density (packets² s)", curves, log=True)
    return draw(
        Plot(
            f"spectrum-{name}",
            f"Spectrum of the queue: {name}",
            caption,
            "Frequency (Hz)",
            [facet],
            log_x=True,
        )
    )


def measured_spectrum(samples: pl.DataFrame, label: str, one: Analysis) -> Curve:
    """The mean density over replications, as `weir.stats.spectrum` estimates it.

    `samples`: `time_s` and `value` of the queue; of several replications a column `replication`.
    """
    found: list[NDArray[np.float64]] = []
    frequencies = np.array([0.0])
    for part in samples.partition_by("replication") if "replication" in samples.columns else [samples]:
        step = float(part["time_s"][1] - part["time_s"][0])
        frequencies, density = stats.spectrum(part["value"].to_numpy(), step, one.period)
        # One-sided over hertz: twice what is two-sided over angular frequency.
        found.append(0.5 * density)
    mean = np.mean(found, axis=0)
    return Curve(label, frequencies[1:].tolist(), mean[1:].tolist())


def near_period(curve: Curve, period: float) -> float:
    """Fraction of the power within 25% of a period."""
    x, y = np.array(curve.x), np.array(curve.y)
    inside = np.abs(x * period - 1.0) <= 0.25
    return float(y[inside].sum() / y.sum())


def _drawable(rows: Rows) -> list[tuple[str, Analysis]]:
    found = [(label, one) for label, one in rows if one.loop is not None]
    if not found:
        raise ChartError("there is no linear loop to draw", rows[0][1].why if rows else None)
    return found


def _response(one: Analysis, points: int = POINTS) -> tuple[NDArray[np.float64], Complex]:
    assert one.loop is not None
    least, most = frequency_span(one.loop)
    w = np.geomspace(
        max(least, 1e-2 / one.loop.longest_rtt / 10.0), min(most, 60.0 / one.loop.longest_rtt), points
    )
    return w, one.loop.open_loop(1j * w)


LOOP_FIGURES: dict[str, Callable[[str, Rows], Figure]] = {
    "bode": bode, "nyquist": nyquist, "spectrum": cast("Any", spectrum),
}  # fmt: skip
"""Functions that draw a loop, by kind of figure."""
