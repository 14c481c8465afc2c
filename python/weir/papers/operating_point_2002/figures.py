"""Figures 2 to 13 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import against, curve
from weir.papers.data import Study
from weir.papers.operating_point_2002.theory import PIPE, settled
from weir.papers.quantities import Level

FULL = 100_000.0
"""Packets that the link can send in the 80 s that are measured."""
FULL_LINK = ((FULL, "full"),)
MAX_TH = "max_th (packets)"
DELAY, LOSS = "Mean delay (ms)", "Loss (%)"
BAND = "Bands are 95% intervals over replications."
_DRAWN_FROM = 4.0
"""The window from which a lost packet can be repaired without a timeout; the theory knows none."""


def users(count: float) -> str:
    """A curve's label."""
    return f"{count:g} users"


# --- Over max_th ------------------------------------------------------------------------------------------


def _over_max_th(study: Study, measure: str, w_q: float) -> list[Curve]:
    return [
        curve(study, Level("max-th", "red", measure, at={"w_q": w_q, "N": n}), users(n))
        for n in study["max-th"].levels("N")
    ]


def _theory_over_max_th(study: Study, value: Callable[[float, float], float]) -> list[Curve]:
    """`value` of the theory's queue (packets) and loss (share)."""
    found: list[Curve] = []
    for n in study["max-th"].levels("N"):
        points = [(th, settled(n, th, 0.1)) for th in study["max-th"].levels("max_th")]
        kept = [(th, value(one.queue, one.loss)) for th, one in points if one.window >= _DRAWN_FROM]
        if kept:
            found.append(Curve(users(n), [th for th, _ in kept], [v for _, v in kept], kind="theory"))
    return found


_THEORY = (
    f"The theory is that of windows, p = 1.5 / W², with W the share of pipe ({PIPE:g} packets) and queue, "
    "on RED's line; it is drawn where W is 4 at least, below which losses end in timeouts that it does "
    "not know."
)


def figure_2(study: Study) -> Plot:
    """Loss over max_th."""
    curves = _over_max_th(study, "loss", 0.002) + _theory_over_max_th(study, lambda _, p: 100.0 * p)
    return Plot(
        "figure-2",
        "Figure 2: packet loss rate against max_th, different loads",
        f"max_p 0.1, w_q 0.002. The loss falls with max_th and rises with the load. {BAND} {_THEORY}",
        MAX_TH,
        [Facet("", LOSS, curves, top=20.0)],
    )


def figure_3(study: Study) -> Plot:
    """Delay over max_th."""
    curves = _over_max_th(study, "delay_mean", 0.002)
    curves += _theory_over_max_th(study, lambda queue, _: 1000.0 * queue / 1250.0)
    return Plot(
        "figure-3",
        "Figure 3: average queueing delay against max_th, different loads",
        "max_p 0.1, w_q 0.002. The delay rises with max_th; the loads lie apart from the beginning, more "
        f"so than the paper says, and farther with every step. {BAND}",
        MAX_TH,
        [Facet("", DELAY, curves, top=42.0)],
    )


def figure_4(study: Study) -> Plot:
    """Packets over max_th."""
    return _packets(study, 0.002, "figure-4", "Figure 4: packets transmitted against max_th, different loads")


def figure_5(study: Study) -> Plot:
    """Loss over max_th with the larger weight."""
    return Plot(
        "figure-5",
        "Figure 5: packet loss rate against max_th, different loads, w_q 0.005",
        f"max_p 0.1. As figure 2, but for the smallest max_th. {BAND}",
        MAX_TH,
        [Facet("", LOSS, _over_max_th(study, "loss", 0.005), top=20.0)],
    )


def figure_6(study: Study) -> Plot:
    """Packets over max_th with the larger weight."""
    title = "Figure 6: packets transmitted against max_th, different loads, w_q 0.005"
    return _packets(study, 0.005, "figure-6", title)


def _packets(study: Study, w_q: float, name: str, title: str) -> Plot:
    return Plot(
        name,
        title,
        f"In the 80 s that are measured; max_p 0.1, w_q {w_q:g}. With many users the link is full whatever "
        f"max_th is; with few of them a small max_th leaves it idle, and the knee is round. {BAND}",
        MAX_TH,
        [
            Facet(
                "", "Packets", _over_max_th(study, "departures", w_q), FULL_LINK, zero=False, top=1.01 * FULL
            )
        ],
    )


def _plane(study: Study, experiment: str, at: dict[str, float], label: str) -> Curve:
    """Delay and loss, place by place."""
    delay, loss = (Level(experiment, "red", name, at=at) for name in ("delay_mean", "loss"))
    return against(study, delay, loss, label)


def figure_7(study: Study) -> Plot:
    """The trade-off by max_th."""
    levels = study["max-th"].levels("N")
    curves = [_plane(study, "max-th", {"w_q": 0.002, "N": n}, users(n)) for n in levels]
    return Plot(
        "figure-7",
        "Figure 7: delay-loss trade-off, different loads",
        "max_p 0.1, w_q 0.002. Each curve is one load; its right end is max_th 50, its left end max_th 6. "
        "With the load the curves move away from the origin. Crosses are 95% intervals.",
        DELAY,
        [Facet("", LOSS, curves, top=20.0)],
    )


# --- Over max_p -------------------------------------------------------------------------------------------


def _by_max_th(study: Study, measure: str) -> list[Curve]:
    return [
        curve(study, Level("max-p", "red", measure, at={"max_th": th}), f"max_th {th:g}")
        for th in study["max-p"].levels("max_th")
    ]


def _by_load(study: Study, measure: str) -> list[Curve]:
    return [
        curve(study, Level("loads", "red", measure, at={"N": n}), users(n))
        for n in study["loads"].levels("N")
    ]


def _theory_by_load(study: Study, value: Callable[[float, float], float]) -> list[Curve]:
    found: list[Curve] = []
    for n in study["loads"].levels("N"):
        points = [(p, settled(n, 30.0, p)) for p in study["loads"].levels("max_p")]
        kept = [(p, value(one.queue, one.loss)) for p, one in points if one.window >= _DRAWN_FROM]
        if kept:
            found.append(Curve(users(n), [p for p, _ in kept], [v for _, v in kept], kind="theory"))
    return found


def _of_max_p(name: str, title: str, caption: str, facets: Sequence[Facet]) -> Plot:
    return Plot(name, title, f"{caption} {BAND}", "max_p", facets)


def figure_8(study: Study) -> Plot:
    """Loss over max_p."""
    return _of_max_p(
        "figure-8",
        "Figure 8: packet loss rate against max_p, different max_th",
        "80 users. Between a small and a large max_p lies a minimum; it moves to the left as max_th "
        "rises, and is gone where max_th is the buffer.",
        [Facet("", LOSS, _by_max_th(study, "loss"), zero=False)],
    )


def figure_9(study: Study) -> Plot:
    """Delay over max_p."""
    return _of_max_p(
        "figure-9",
        "Figure 9: average queueing delay against max_p, different max_th",
        "80 users. The delay falls with max_p, and rises with max_th at any max_p.",
        [Facet("", DELAY, _by_max_th(study, "delay_mean"), top=40.0)],
    )


def figure_10(study: Study) -> Plot:
    """Packets over max_p."""
    return _of_max_p(
        "figure-10",
        "Figure 10: packets transmitted against max_p, different max_th",
        "80 users, in the 80 s that are measured. A large max_p costs little of the link, most where "
        "max_th is small.",
        [Facet("", "Packets", _by_max_th(study, "departures"), FULL_LINK, zero=False, top=1.0005 * FULL)],
    )


def figure_11(study: Study) -> Plot:
    """The trade-off by max_p."""
    levels = study["max-p"].levels("max_th")
    curves = [_plane(study, "max-p", {"max_th": th}, f"max_th {th:g}") for th in levels]
    return Plot(
        "figure-11",
        "Figure 11: delay-loss trade-off, different max_th",
        "80 users. The left end of each curve is max_p 1; to the right max_p falls. In the left part loss "
        "is traded for delay; in the right one both are high, since the average is beyond max_th. Crosses "
        "are 95% intervals.",
        DELAY,
        [Facet("", LOSS, curves, zero=False)],
    )


def figure_12(study: Study) -> Plot:
    """Delay over max_p by load."""
    curves = _by_load(study, "delay_mean")
    curves += _theory_by_load(study, lambda queue, _: 1000.0 * queue / 1250.0)
    return _of_max_p(
        "figure-12",
        "Figure 12: average queueing delay against max_p, different loads",
        "max_th 30. With few users the delay falls at once; with many the average stays at max_th until "
        "max_p is large enough for the load. Theory as in figure 2.",
        [Facet("", DELAY, curves, top=25.0)],
    )


def figure_13(study: Study) -> Plot:
    """Loss over max_p by load."""
    curves = _by_load(study, "loss") + _theory_by_load(study, lambda _, p: 100.0 * p)
    return _of_max_p(
        "figure-13",
        "Figure 13: packet loss rate against max_p, different loads",
        "max_th 30. The minimum moves to smaller max_p as the load falls. Theory as in figure 2: it has no "
        "minimum, since it knows no bursts of forced drops.",
        [Facet("", LOSS, curves, top=22.0)],
    )


PLOTS = (
    figure_2, figure_3, figure_4, figure_5, figure_6, figure_7,
    figure_8, figure_9, figure_10, figure_11, figure_12, figure_13,
)  # fmt: skip
