"""Figures 1, 3 and 4 of the paper: one run each, over time."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import over_time
from weir.papers.data import Study
from weir.papers.ofc_1999.measured import QUEUE, SOURCES, bins, series
from weir.papers.ofc_1999.optimum import equal, textbook, unequal

_QUEUE, _EQUILIBRIUM, _TEXTBOOK = "Queue", "Equilibrium", "Textbook"
_END_S, _FIRST_S = 10.0, 2.0
_TICKS = (0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
_LINK_MBPS = 45.0
_ONE_RUN = "One run, the first replication."
_TOP = 25.0
"""Packets, of the windows: more than the 21 that the receiver allows."""


_NAMED = (Curve(_QUEUE, [], []), *(Curve(f"Source {number}", [], []) for number in (1, 2, 3, 4)))
"""Nothing but names, so that all figures give them the same colours, and the queue a solid line."""


def source(number: int) -> str:
    """`Source 1`: in every panel of the same colour."""
    return f"Source {number}"


def figure_1(study: Study) -> Plot:
    """The base case: windows, buffer, receive rates under REM."""
    window, queue = equal().windows[0], equal().queue
    queue_by_book, window_by_book = textbook()
    return Plot(
        "figure-1",
        "Figure 1: experiment 1(a), the base case",
        "Windows for 2 s, buffer and receive rates (bins of 100 ms) for 10 s of four REM hosts. "
        f"{_ONE_RUN} The band is the range between two points. Congestion windows open to their cap and "
        f"stay; what binds is the optimal window. It settles at the equilibrium of windows, {window:.2f} "
        f"packets at a queue of {queue:.2f}, and far from {window_by_book:.1f} at {queue_by_book:.1f}, "
        "where the textbook's rates would be in equilibrium.",
        "Time (s)",
        [
            Facet("(a) Congestion windows", "Packets", [*_NAMED, *_windows(study, "rem", "cwnd")], top=_TOP),
            Facet(
                "(b) Optimal windows",
                "Packets",
                [
                    *_windows(study, "rem", "ownd"),
                    _line(_EQUILIBRIUM, window, _FIRST_S),
                    _line(_TEXTBOOK, window_by_book, _FIRST_S),
                    _printed(_EQUILIBRIUM, 11.0, _FIRST_S),
                ],
                top=_TOP,
            ),
            Facet(
                "(c) Buffer occupancy",
                "Packets waiting",
                [
                    _buffer(study, "rem"),
                    _line(_EQUILIBRIUM, queue),
                    _line(_TEXTBOOK, queue_by_book),
                    _printed(_QUEUE, 18.7),
                ],
                top=50.0,
            ),
            Facet(
                "(d) Receive rates",
                "Mbit/s",
                [*_rates(study, "rem"), _line(_EQUILIBRIUM, _LINK_MBPS / 4)],
                top=_LINK_MBPS,
            ),
        ],
        ticks=_TICKS,
    )


def figure_3(study: Study) -> Plot:
    """Buffer and receive rates under DropTail and RED."""
    thresholds = ((5.0, "thresh"), (15.0, "maxthresh"))
    panels = [
        Facet(
            "(a) Buffer occupancy, DropTail",
            "Packets waiting",
            [*_NAMED, _buffer(study, "drop-tail"), _printed(_QUEUE, 44.9)],
            top=55.0,
        ),
        Facet("(b) Receive rates, DropTail", "Mbit/s", _rates(study, "drop-tail"), top=_LINK_MBPS),
        Facet(
            "(c) Buffer occupancy, RED",
            "Packets waiting",
            [_buffer(study, "red"), _printed(_QUEUE, 8.5)],
            levels=thresholds,
            top=50.0,
        ),
        Facet("(d) Receive rates, RED", "Mbit/s", _rates(study, "red"), top=_LINK_MBPS),
    ]
    return Plot(
        "figure-3",
        "Figure 3: experiment 1(b), DropTail and RED",
        f"Buffer and receive rates (bins of 100 ms) of four Tahoe sources. {_ONE_RUN} The band is the "
        "range between two points. DropTail's buffer is full from the fourth start on, and the fourth "
        "source loses; RED's queue moves between its thresholds, its rates around the fair share.",
        "Time (s)",
        panels,
    )


def figure_4(study: Study) -> Plot:
    """Two sources with twice the weight."""
    at_rest = unequal()
    plain, double = at_rest.windows[:2]
    pipe = sum(at_rest.windows) / _LINK_MBPS
    return Plot(
        "figure-4",
        "Figure 4: experiment 2, differentiated service",
        f"As figure 1, sources 2 and 4 with twice the weight of 1 and 3. {_ONE_RUN} Windows are shown of "
        "sources 1 and 2. Twice the weight brings twice the window and the rate; the equilibrium is "
        f"{plain:.1f} and {double:.1f} packets at a queue of {at_rest.queue:.1f}. Windows of 10 and 20, as "
        "printed, cannot be with the printed queue: see the claims.",
        "Time (s)",
        [
            Facet(
                "(a) Congestion windows",
                "Packets",
                [*_NAMED, *_windows(study, "differentiated", "cwnd", SOURCES[:2])],
                top=_TOP,
            ),
            Facet(
                "(b) Optimal windows",
                "Packets",
                [
                    *_windows(study, "differentiated", "ownd", SOURCES[:2]),
                    _line(source(1), plain, _FIRST_S),
                    _line(source(2), double, _FIRST_S),
                    _printed(source(1), 10.0, _FIRST_S),
                    _printed(source(2), 20.0, _FIRST_S),
                ],
                top=_TOP,
            ),
            Facet(
                "(c) Buffer occupancy",
                "Packets waiting",
                [
                    _buffer(study, "differentiated"),
                    _line(_EQUILIBRIUM, at_rest.queue),
                    _printed(_QUEUE, 24.4),
                ],
                top=50.0,
            ),
            Facet(
                "(d) Receive rates",
                "Mbit/s",
                [
                    *_rates(study, "differentiated"),
                    _line(source(1), plain / pipe),
                    _line(source(2), double / pipe),
                    _printed(source(1), 7.5),
                    _printed(source(2), 15.0),
                ],
                top=_LINK_MBPS,
            ),
        ],
        ticks=_TICKS,
    )


def _windows(study: Study, variant: str, variable: str, flows: Sequence[str] = SOURCES) -> list[Curve]:
    """Of each source from its start on, as far as figure 1 shows it."""
    data = study["base"]
    run = data.runs.filter(pl.col("variant") == variant, pl.col("replication") == 0)["run"]
    rows = series(data, variable).filter(
        pl.col("run").is_in(run.implode()), pl.col("time_s") <= _FIRST_S, pl.col("value").is_finite()
    )
    found: list[Curve] = []
    for flow in flows:
        number = SOURCES.index(flow)
        own = rows.filter(pl.col("flow") == flow, pl.col("time_s") >= 0.2 * number).sort("time_s")
        # Before the first estimate nothing but the receive window binds; it is not drawn.
        found.append(Curve(source(number + 1), own["time_s"].to_list(), own["value"].to_list()))
    return found


def _buffer(study: Study, variant: str) -> Curve:
    return over_time(study["base"], variant, QUEUE, "queue", _QUEUE)


def _rates(study: Study, variant: str) -> list[Curve]:
    data = study["base"]
    run = data.runs.filter(pl.col("variant") == variant, pl.col("replication") == 0)["run"]
    rows = bins(data).filter(pl.col("run").is_in(run.implode())).sort("from_s")
    found: list[Curve] = []
    for number, flow in enumerate(SOURCES):
        own = rows.filter(pl.col("flow") == flow)
        middle = (own["from_s"] + own["to_s"]) / 2.0
        found.append(Curve(source(number + 1), middle.to_list(), own["rate"].to_list()))
    return found


def _line(label: str, value: float, end_s: float = _END_S) -> Curve:
    return Curve(label, [0.0, end_s], [value, value], kind="theory")


def _printed(label: str, value: float, end_s: float = _END_S) -> Curve:
    """A mean that the paper prints, drawn near the end."""
    return Curve(label, [0.97 * end_s], [value], kind="paper")
