"""Figures 3 and 4 of the paper, and what stands behind them."""

from __future__ import annotations

from collections.abc import Sequence

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import curve, levels
from weir.papers.data import Study
from weir.papers.quantities import Level
from weir.papers.rem_2001.experiments import FORCED, MODIFIED, SETTLED, wireless
from weir.papers.rem_2001.measured import cumulative_overflow

USERS = (20, 40, 60, 80, 100)
_X = "Number of users"
_READINGS = (
    ("RED marks beyond max_th", MODIFIED),
    ("RED drops beyond max_th", FORCED),
)


def figure_3(study: Study) -> Plot:
    """Goodput in each period, by both readings of the text."""
    facets = [
        Facet(
            title,
            "Goodput (%)",
            [
                *_schemes(study, wireless("", "goodput"), variants),
                Curve(_label(study, "drop-tail"), [20], [62.0], kind="paper"),
            ],
            levels=[(96.0, "96"), (82.0, "82")],
            zero=False,
        )
        for title, variants in _READINGS
    ]
    return Plot(
        "figure-3",
        "Figure 3: wireless TCP, goodput in each period",
        f"{_replications(study)} Bands are 95% intervals; the lines at 82 and 96% bound what the paper "
        "prints for sources that take marks for congestion. Left as its text says: RED marks beyond "
        "max_th, too, and cuts all windows at once. Right as ns-2's RED does, which drops there: this is "
        "nearer to what is printed. The ceiling is 99%.",
        _X,
        facets,
        ticks=USERS,
    )


def wireless_queue(study: Study) -> Plot:
    """Mean queue over users."""
    facets = [
        Facet(
            title,
            "Mean queue (packets)",
            _schemes(study, wireless("", "mean_queue", SETTLED), variants),
            levels=[(20.0, "b*")],
        )
        for title, variants in _READINGS
    ]
    return Plot(
        "wireless-queue",
        "Wireless TCP: mean queue in the last 30 s of each period",
        f"{_replications(study)} REM's queue stays, DropTail's and RED's grow. The paper says so and "
        "shows no figure.",
        _X,
        facets,
        ticks=USERS,
    )


def figure_4(study: Study) -> Plot:
    """Overflow added up over time."""
    facets = [
        Facet(
            title,
            "Overflow so far (packets)",
            [
                curve(study, cumulative_overflow(variant), _plain(study, variant))
                for variant in ("drop-tail", *variants)
            ],
        )
        for title, variants in _READINGS
    ]
    return Plot(
        "figure-4",
        "Figure 4: wireless TCP, cumulative loss due to buffer overflow",
        f"{_replications(study)} Users are added at 0, 50, 100, 150 and 200 s. REM's overflow jumps at "
        "these steps and rests between them, DropTail's goes on. Packets that RED drops beyond max_th "
        "do not count: there was room for them.",
        "Time (s)",
        facets,
    )


def sources(study: Study) -> Plot:
    """What the sources' part is, and bursts."""
    before = Level("senders", "rem-newreno", "goodput", when="stages")
    bursts = study["bursts"].levels("to_good")
    mean = {to_good: 1.0 / to_good for to_good in bursts}
    facets = [
        Facet(
            "Losses one by one",
            "Goodput (%)",
            [
                *levels(study, wireless("", "goodput"), ("drop-tail", "rem")),
                curve(study, before, study["senders"].labels["rem-newreno"]),
            ],
            zero=False,
        ),
        Facet(
            "Losses in bursts, 20 users",
            "Goodput (%)",
            [_along_bursts(study, variant, mean) for variant in ("drop-tail", "rem")],
            zero=False,
            x="Mean length of a burst (packets)",
        ),
    ]
    return Plot(
        "sources-and-bursts",
        "Wireless TCP: what the sources do for it, and losses in bursts",
        f"{_replications(study)} Left: REM before NewReno as it was gains nothing with 20 users; it is "
        "the sources that leave losses alone. Right: the same 1% of losses in bursts (Gilbert and "
        "Elliott); several of a burst may hit one window, and count for NewReno as one.",
        _X,
        facets,
    )


def _along_bursts(study: Study, variant: str, mean: dict[float, float]) -> Curve:
    level = Level("bursts", variant, "goodput", {"users": 20.0}, when="stages")
    lengths = iter(sorted(mean))
    return curve(study, level, _plain(study, variant), at=lambda _: mean[next(lengths)])


def _schemes(study: Study, level: Level, variants: Sequence[str]) -> list[Curve]:
    chosen = ("drop-tail", *variants)
    return [curve(study, level.of(variant), _plain(study, variant)) for variant in chosen]


def _label(study: Study, variant: str) -> str:
    return study["wireless"].labels[variant]


def _plain(study: Study, variant: str) -> str:
    """Without what the title of the panel says."""
    return _label(study, variant).split(", forced")[0]


def _replications(study: Study) -> str:
    return f"Means of {study['wireless'].runs['replication'].n_unique()} replications."
