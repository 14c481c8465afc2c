"""Figures of a scorecard: a discipline beside the references, in the cells that tell most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from weir.evaluate import DOUBT, Evaluation, Judgement, Setting, delays_ms, place_words, queue_samples
from weir.plot import _chart as chart
from weir.plot import _style as style
from weir.plot._agreement import margin_and_swing
from weir.plot._curves import draw
from weir.plot._figure import ROWS, Figure
from weir.plot._plot import Curve, Facet, Plot
from weir.plot._runs import distributions
from weir.scenario import Scenario
from weir.stats import Ellipse
from weir.theory import TheoryError, analyse, system_of

CORNERS = 64
"""Number of corners of an ellipse drawn as a polygon."""

CONTENT = 0.6827
"""Fraction of the fitted distribution inside an ellipse (RFC 7928, section 2.7, leaves it open)."""

_ELLIPSES = (
    ("tcp", "–"),
    ("mild", "newreno"),
    ("medium", "newreno"),
    ("heavy", "newreno"),
    ("udp-tcp", "six-tenths"),
)
_BESIDE = ("drop-tail", "codel", "pie")
_SLOTS = 300


def scorecard_figures(evaluation: Evaluation, name: str) -> list[Figure]:
    """Figures of a scorecard for which there are data."""
    judged = evaluation.judgements[name]
    labels = _labels(evaluation, name)
    made = (
        _ellipses(evaluation, labels),
        _tail(evaluation, labels),
        _steps(evaluation, labels),
        _ratios(evaluation, labels),
        _margins(evaluation, labels),
        _map(judged),
    )
    return [figure for figure in made if figure is not None]


def _labels(evaluation: Evaluation, name: str) -> list[str]:
    """Labels of the discipline and of the others drawn beside it, in this order."""
    there = [one.name for one in evaluation.request.everyone]
    return [name, *(one for one in _BESIDE if one in there and one != name)]


def _ellipses(evaluation: Evaluation, labels: Sequence[str]) -> Figure | None:
    """Delay and goodput: a dot for each run, an ellipse for each discipline and cell (RFC 7928, 2.7)."""
    rows: list[dict[str, Any]] = []
    panels: list[str] = []
    for cell, level in _ELLIPSES:
        for label in labels:
            points = _points(evaluation, cell, level, label)
            if len(points) < 2:
                continue
            panels += [cell] if cell not in panels else []
            common = {"panel": cell, "label": label}
            rows += [{**common, "part": "run", "x": x, "y": y, "corner": 0} for x, y in points.tolist()]
            x, y = np.median(points, axis=0).tolist()
            rows.append({**common, "part": "median", "x": x, "y": y, "corner": 0})
            if np.ptp(points, axis=0).any():
                around = Ellipse(points, CONTENT).corners(CORNERS)
                rows += [
                    {**common, "part": "ellipse", "x": a, "y": b, "corner": place}
                    for place, (a, b) in enumerate(around.T.tolist())
                ]
    if not rows:
        return None
    columns = chart.columns_for(len(panels))
    width, height = chart.panel_size(len(panels), 0.75)
    legend = alt.Legend(symbolStrokeWidth=0)
    drawn: list[alt.LayerChart] = []
    for panel in panels:
        pen = chart.Pen(
            chart.side(
                "x",
                "Mean delay (ms), better to the right",
                scale={"reverse": True, "zero": False, "padding": 8},
                axis={"tickCount": 4},
            ),
            chart.side(
                "y",
                "Goodput (Mbit/s)",
                scale={"zero": False, "padding": 8, "nice": False},
                axis={"tickCount": 4},
            ),
            style.look(labels, legend),
        ).where(f"datum.panel === {panel!r}")
        run, ellipse, median = (
            pen.where(f"datum.part === '{part}'") for part in ("run", "ellipse", "median")
        )
        tips = chart.tooltips(
            ("label:N", "discipline", None), ("x:Q", "delay (ms)", 2), ("y:Q", "goodput (Mbit/s)", 3)
        )
        layers = [
            run("point", "color", filled=True, size=12, opacity=0.5),
            ellipse("line", "color", strokeWidth=1.2).encode(order="corner:Q"),
            median("point", "color", "shape", filled=True, size=60, opacity=1).encode(tooltip=tips),
        ]
        drawn.append(chart.panel(layers, width, height, panel))
    return Figure(
        "ellipses",
        "Delay and goodput",
        "A dot is a run. An ellipse holds 68% of the normal distribution fitted by maximum likelihood; "
        "the symbol is their median (RFC 7928, section 2.7). Up and right is better.",
        chart.beside(drawn, columns, color="shared"),
        pl.DataFrame(rows),
    )


def _values(evaluation: Evaluation, cell: str, level: str, label: str) -> pl.DataFrame:
    """Values of a discipline at a level of a cell."""
    place = {"cell": cell, "level": level, "discipline": label}
    return evaluation.values.filter(pl.col(column) == name for column, name in place.items())


def _points(evaluation: Evaluation, cell: str, level: str, label: str) -> Any:  # noqa: ANN401 - an array
    """Mean delay in ms and goodput in Mbit/s of each run, shape (n, 2)."""
    mine = _values(evaluation, cell, level, label)
    both = mine.filter(pl.col("measure").is_in(["delay_mean", "goodput_bps"])).pivot(
        "measure", index="seed", values="value"
    )
    if both.is_empty() or "goodput_bps" not in both.columns or "delay_mean" not in both.columns:
        return np.empty((0, 2))
    known = both.drop_nulls().sort("seed")
    return known.select("delay_mean", pl.col("goodput_bps") / 1e6).to_numpy()


def _variants(
    evaluation: Evaluation, cell: str, level: str, labels: Sequence[str]
) -> Iterator[tuple[str, str, Setting]]:
    """Label, variant and setting of these disciplines in the runs of a cell."""
    settings = evaluation.settings.get(cell, {})
    for label in labels:
        for variant, setting in settings.items():
            if (setting.level, setting.subject) == (level, label):
                yield label, variant, setting


def _curves(rows: pl.DataFrame, labels: Sequence[str], column: str, x: str, y: str) -> list[Curve]:
    """A curve for each of these labels that a column of the rows has."""
    parts = ((label, rows.filter(pl.col(column) == label)) for label in labels)
    return [Curve(label, part[x].to_list(), part[y].to_list()) for label, part in parts if len(part)]


def _tail(evaluation: Evaluation, labels: Sequence[str]) -> Figure | None:
    """Fraction of packets that waited longer, under heavy load; else under medium."""
    cell = next((one for one in ("heavy", "medium") if one in evaluation.sweeps), None)
    if cell is None:
        return None
    variants = {variant: label for label, variant, _ in _variants(evaluation, cell, "newreno", labels)}
    counts = evaluation.sweeps[cell].delay_histograms().filter(pl.col("variant").is_in(list(variants)))
    counts = counts.select(
        pl.col("variant").replace_strict(variants).alias("label"),
        pl.col("upto_ms").alias("delay_ms"),
        "count",
    )
    curves = distributions(counts, ["label"], _SLOTS).drop_nulls("longer").filter(pl.col("longer") > 0.0)
    drawn = _curves(curves, labels, "label", "delay_ms", "longer")
    return _drawn(
        Plot(
            "tail",
            f"Tail of the delay, {cell}",
            "Share of the packets that waited longer at the bottleneck, over all runs.",
            "Queueing delay (ms)",
            [Facet("", "Packets that waited longer", drawn, log=True)],
        )
    )


def _drawn(plot: Plot) -> Figure | None:
    """Figure of this plot, if its only panel has curves."""
    return draw(plot) if plot.facets[0].curves else None


def _steps(evaluation: Evaluation, labels: Sequence[str]) -> Figure | None:
    """Delay over time while the rate of the link changes, in the first run."""
    cell, level = "vary-rate-slow", "six"
    if cell not in evaluation.sweeps:
        return None
    sweep = evaluation.sweeps[cell]
    waits = queue_samples(sweep)
    drawn: list[Curve] = []
    for label, variant, setting in _variants(evaluation, cell, level, labels):
        first = sweep.finished.filter(pl.col("variant") == variant, pl.col("replication") == 0)["run"]
        if first.is_empty() or first[0] not in waits:
            continue
        instants, packets = waits[first[0]]
        network = setting.scenario.network
        delay = delays_ms(network.port(network.bottleneck.name), instants, packets)
        size = max(1, instants.size // _SLOTS)
        kept = instants.size // size * size
        x, y = (values[:kept].reshape(-1, size).mean(axis=1) for values in (instants, delay))
        drawn.append(Curve(label, x.tolist(), np.maximum(y, 0.01).tolist()))
    return _drawn(
        Plot(
            "steps",
            "Delay while the rate changes",
            "100 and 10 Mbit/s in turn, 20 s each: queue over rate in the first run, averaged.",
            "Time (s)",
            [Facet("", "Queueing delay (ms)", drawn, log=True)],
        )
    )


def _ratios(evaluation: Evaluation, labels: Sequence[str]) -> Figure | None:
    """Goodput of the second flow divided by that of the first, over its round trip."""
    rows = evaluation.values.filter(
        pl.col("cell") == "rtt-fair", pl.col("measure") == "ratio", pl.col("level").str.starts_with("rtt-")
    ).with_columns(rtt=pl.col("level").str.strip_prefix("rtt-").cast(pl.Float64))
    means = (
        rows.filter(pl.col("value") > 0.0, pl.col("value").is_finite())
        .group_by("discipline", "rtt", maintain_order=True)
        .agg(pl.col("value").log().mean().exp())
        .sort("rtt")
    )
    drawn = [one for one in _curves(means, labels, "discipline", "rtt", "value") if len(one.x) > 1]
    return _drawn(
        Plot(
            "ratios",
            "Two flows with different round trips",
            "Goodput of the second flow over that of the first, which has 100 ms: geometric means over runs.",
            "Round trip of the second flow (ms)",
            [Facet("", "Ratio of goodputs", drawn, log=True, levels=[(1.0, "equal")])],
            log_x=True,
        )
    )


def _margins(evaluation: Evaluation, labels: Sequence[str]) -> Figure | None:
    """Swings of the queue over the gain margin that theory predicts, where it has a model."""
    drawn: list[Curve] = []
    for label in labels:
        points: list[tuple[float, float]] = []
        for cell, level in _ELLIPSES[1:4]:
            for _, _, setting in _variants(evaluation, cell, level, [label]):
                values = _values(evaluation, cell, level, label)
                mine = values.filter(pl.col("measure") == "queue_cv")["value"]
                margin = _gain_margin(setting)
                if margin is not None and not mine.is_empty():
                    points.append((margin, float(np.mean(mine.to_numpy()))))
        if points:
            x, y = zip(*points, strict=True)
            drawn.append(Curve(label, x, y, kind="dot"))
    if not drawn:
        return None
    return margin_and_swing(drawn, "Swing of the queue over the gain margin", name="margins")


def _gain_margin(setting: Setting) -> float | None:
    """Gain margin of the linear loop; None if theory has no model or no crossover."""
    try:
        margins = analyse(system_of(Scenario(setting.scenario)).system).margins
    except TheoryError:
        return None
    return None if margins is None else margins.gain_margin


def _map(judged: Sequence[Judgement]) -> Figure | None:
    """Map of every criterion at every place."""
    rows = [
        {
            "criterion": f"{one.criterion.number} {one.criterion.title}",
            "place": place_words(place.outcomes[0]),
            "state": "fails" if place.p_fail <= DOUBT else "holds" if place.p_pass <= DOUBT else "undecided",
        }
        for one in judged
        for place in one.places
    ]
    if not rows:
        return None
    order = list(dict.fromkeys(row["criterion"] for row in rows))
    places = list(dict.fromkeys(row["place"] for row in rows))
    scale = alt.Scale(domain=["holds", "undecided", "fails"], range=[style.MET, style.OPEN, style.MISSED])
    cells: Any = (
        alt.Chart(ROWS)
        .mark_rect(stroke="white")
        .encode(
            x=alt.X(
                "criterion:N",
                sort=order,
                title=None,
                axis=alt.Axis(labelAngle=-40, labelLimit=170, labelOverlap=False),
            ),
            y=alt.Y("place:N", sort=places, title=None, axis=alt.Axis(labelLimit=200)),
            color=alt.Color("state:N", scale=scale, legend=alt.Legend(title=None)),
            tooltip=["criterion:N", "place:N", "state:N"],
        )
    )
    return Figure(
        "map",
        "Criteria by cell and level",
        "Each place by itself; that a criterion does not hold is corrected for the number of places (Holm).",
        cells.properties(width=style.WIDTH, height=16 * len(places)),
        pl.DataFrame(rows),
    )


def comparison_figure(evaluation: Evaluation) -> Figure | None:
    """Ellipses of all subjects together."""
    names = [one.name for one in evaluation.request.everyone]
    return _ellipses(evaluation, names)
