"""The charts, drawn from the tables alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import altair as alt
import polars as pl

from weir.analysis import Axis, axis_of, has_transfers
from weir.charts import style
from weir.charts.completions import slowdown_by_size
from weir.charts.curves import SLOTS, decades, delay_curves, queue_envelope, rem_targets
from weir.charts.dimension import HOW_TO_ASK, NO_SERIES, ChartError
from weir.charts.figure import ROWS, Figure
from weir.measures import HEADLINE, MEASURES
from weir.tables import WHOLE_RUN

if TYPE_CHECKING:
    from weir.result import Result


def figures_of(result: Result) -> list[Figure]:
    """Every figure that the result has data for, in the order in which a report shows them."""
    figures = [measure_figure(result, name) for name in HEADLINE]
    if not queue_envelope(result.tables).is_empty():
        figures.append(queue_over_time(result))
    if not delay_curves(result.tables).is_empty():
        figures += [delay_distribution(result), delay_tail(result)]
    if has_transfers(result.tables):
        figures.append(slowdown_by_size(result))
    return figures


def measure_figure(result: Result, measure: str) -> Figure:
    """A measure against the number of users or time; against the variants if periods are alike."""
    axis = axis_of(result.observations())
    if axis is None:
        return _by_variant(result, measure)
    return _by_axis(result, measure, axis)


def _by_axis(result: Result, name: str, axis: Axis) -> Figure:
    measure = MEASURES[name]
    labels = list(result.record.labels.values())
    estimates = result.estimates([name]).filter(pl.col("period") != WHOLE_RUN)
    rows = estimates.select("label", axis.column, "mean", "low", "high")
    if name != "goodput":
        # An interval may reach below zero; the measure cannot, and the axis does not.
        rows = rows.with_columns(pl.col("low").clip(lower_bound=0.0))
    places = rows[axis.column].unique().sort().to_list()
    margin = 0.03 * (places[-1] - places[0])
    x = alt.X(
        f"{axis.column}:Q",
        title=axis.title,
        axis=alt.Axis(values=places, grid=False),
        scale=alt.Scale(domain=[places[0] - margin, places[-1] + margin], nice=False),
    )
    # Goodput lives near 100%: from zero, the differences could not be seen.
    scale = alt.Scale(zero=False) if name == "goodput" else alt.Scale(domainMin=0)
    base = alt.Chart(ROWS).encode(x=x, color=style.colour(labels, style.FILLED))
    band = base.mark_area(fillOpacity=0.22).encode(
        y=alt.Y("low:Q", title=measure.heading, scale=scale), y2="high:Q"
    )
    mean = alt.Y("mean:Q", title=measure.heading, scale=scale)
    line = base.mark_line(strokeWidth=1.6).encode(y=mean, strokeDash=style.dash(labels, style.FILLED))
    points = base.mark_point(filled=True, size=42, opacity=1).encode(
        y=mean, shape=style.shape(labels, style.FILLED), tooltip=_tooltip(axis.column, measure.decimals)
    )
    layers = [line, points] if result.record.replications == 1 else [band, line, points]
    if name == "mean_queue":
        layers += _target_rules(result)
    return Figure(
        f"{name.replace('_', '-')}-by-{'users' if axis.column == 'users' else 'time'}",
        f"{measure.title} against {axis.title.lower()}",
        f"{measure.definition} {_bands(result)}",
        alt.layer(*layers).properties(width=style.WIDTH, height=style.HEIGHT),
        rows,
    )


def _by_variant(result: Result, name: str) -> Figure:
    measure = MEASURES[name]
    labels = list(result.record.labels.values())
    rows = result.estimates([name]).filter(pl.col("period") == WHOLE_RUN)
    rows = rows.select("label", "mean", "low", "high")
    scale = alt.Scale(zero=False)
    base = alt.Chart(ROWS).encode(
        y=alt.Y("label:N", title=None, sort=labels, axis=alt.Axis(labelLimit=200)),
        color=style.colour(labels, None),
    )
    interval = base.mark_rule(strokeWidth=2.5).encode(
        x=alt.X("low:Q", title=measure.heading, scale=scale), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("mean:Q", title=measure.heading, scale=scale),
        shape=style.shape(labels, None),
        tooltip=_tooltip(None, measure.decimals),
    )
    layers = [points] if result.record.replications == 1 else [interval, points]
    return Figure(
        name.replace("_", "-"),
        measure.title,
        f"{measure.definition} {_bands(result, 'Bars')}",
        alt.layer(*layers).properties(width=style.WIDTH, height=max(60, 30 * len(labels))),
        rows,
    )


def queue_over_time(result: Result) -> Figure:
    """Packets waiting in replication 0: the mean in each of several hundred slots, and its range."""
    labels = list(result.record.labels.values())
    rows = queue_envelope(result.tables)
    if rows.is_empty():
        raise ChartError(NO_SERIES, HOW_TO_ASK)
    slot = float(rows["slot_s"][0])
    end = slot * SLOTS
    base = alt.Chart(ROWS).encode(
        x=alt.X(
            "time_s:Q",
            title="Time (s)",
            axis=alt.Axis(grid=False),
            scale=alt.Scale(domain=[0.0, end], nice=False),
        ),
        color=style.colour(labels, None),
    )
    title = "Packets"
    area = base.mark_area(fillOpacity=0.3).encode(y=alt.Y("lowest:Q", title=title), y2="highest:Q")
    line = base.mark_line(strokeWidth=1).encode(y=alt.Y("mean:Q", title=title))
    panel = alt.layer(area, line).properties(width=style.WIDTH, height=max(54, 200 // len(labels)))
    row = alt.Row("label:N", sort=labels, title=None)
    facet = panel.facet(row=row, spacing=12)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return Figure(
        "queue-over-time",
        "Queue over time",
        f"Packets waiting at the bottleneck in replication 0. Each slot of {slot:.3g} s shows the "
        "mean of its samples as a line and their lowest and highest as a band.",
        cast("alt.FacetChart", facet),
        rows.drop("slot_s"),
    )


def delay_distribution(result: Result) -> Figure:
    """Share of packets that waited at most so long, over the whole run."""
    y = alt.Y(
        "at_most:Q",
        title="Packets that waited at most so long",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="~%"),
    )
    return _delay_figure(
        result,
        "at_most",
        y,
        "delay-distribution",
        "Distribution of the queueing delay",
        "Share of the packets that waited at most so long at the bottleneck, over the whole run "
        "and all replications. Dropped packets do not count.",
    )


def delay_tail(result: Result) -> Figure:
    """Share of packets that waited longer, on a logarithmic scale."""
    ticks = decades(delay_curves(result.tables)["longer"])
    y = alt.Y(
        "longer:Q",
        title="Packets that waited longer",
        scale=alt.Scale(type="log", domain=[ticks[-1], 1], nice=False, clamp=True),
        axis=alt.Axis(format="~%", values=ticks),
    )
    return _delay_figure(
        result,
        "longer",
        y,
        "delay-tail",
        "Tail of the queueing delay",
        "Share of the packets that waited longer, over the whole run and all replications. Each "
        "curve ends where fewer than ten packets are left.",
    )


def _delay_figure(result: Result, column: str, y: alt.Y, name: str, title: str, caption: str) -> Figure:
    labels = list(result.record.labels.values())
    chart = (
        alt.Chart(ROWS)
        .mark_line(interpolate="step-after", strokeWidth=1.6)
        .encode(
            x=alt.X(
                "delay_ms:Q",
                title="Queueing delay (ms)",
                scale=alt.Scale(nice=False),
                axis=alt.Axis(grid=False),
            ),
            y=y,
            color=style.colour(labels, style.DASHED),
            strokeDash=style.dash(labels, style.DASHED),
        )
        .properties(width=style.WIDTH, height=style.HEIGHT)
    )
    rows = delay_curves(result.tables).select("label", "delay_ms", column).drop_nulls()
    return Figure(name, title, caption, chart, rows)


def _target_rules(result: Result) -> list[alt.Chart]:
    """A line at REM's target, named in the margin where no curve can cross the name."""
    rules: list[alt.Chart] = []
    for target in rem_targets(result):
        data = alt.Data(values=[{"y": target, "text": "target"}])
        base = alt.Chart(data).encode(y="y:Q")
        text = base.mark_text(align="left", baseline="middle", dx=4, color=style.GREY, fontSize=10)
        rules += [
            base.mark_rule(color=style.GREY, strokeDash=[3, 3]),
            text.encode(x=alt.value("width"), text="text:N"),
        ]
    return rules


def _tooltip(place: str | None, decimals: int) -> list[alt.Tooltip]:
    places = {"users": "users", "from_s": "from (s)"}
    return [
        alt.Tooltip("label:N", title="variant"),
        *([alt.Tooltip(f"{place}:Q", title=places[place])] if place else []),
        *(alt.Tooltip(f"{field}:Q", format=f".{decimals}f") for field in ("mean", "low", "high")),
    ]


def _bands(result: Result, what: str = "Bands") -> str:
    n = result.record.replications
    if n == 1:
        return "One replication: no intervals."
    return f"Means of {n} replications. {what} are 95% confidence intervals."
