"""Contents of the figures of `figures.toml`, by their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from weir.plot import Curve, Facet
from weir.stats import mean_interval
from weir.theory import mean_window, red_queue, reno_probability
from weir_papers import ns2
from weir_papers.curves import against, curve, over_time
from weir_papers.data import Sample, Study
from weir_papers.operating_point_2002.checks import in_full_buffer, short_buffers
from weir_papers.operating_point_2002.points import (
    FOLLOWS,
    PERIOD_S,
    STAGE_S,
    STAGES,
    Reached,
    Stage,
    nearest,
    outcomes,
)
from weir_papers.operating_point_2002.quantities import share
from weir_papers.paper import Filled
from weir_papers.quantities import Level
from weir_papers.reading import Contents

_FULL = 100_000.0
"""Packets that the link can send in the 80 s that are measured."""
_FULL_LINK = ((_FULL, "full"),)
_DELAY, _LOSS, _SENT = "Mean delay (ms)", "Loss (%)", "Packets transmitted"
_DRAWN_FROM = 4.0
"""Smallest window from which a lost packet can be repaired without a timeout; the theory has no timeouts."""


# --- Theory -----------------------------------------------------------------------------------------------

PIPE = 125.0
"""Packets in the pipe: 1250 a second times 100 ms."""


@dataclass(frozen=True)
class Settled:
    """An equilibrium: queue in packets, loss as a share, mean window in packets."""

    queue: float
    loss: float
    window: float


def settled(flows: float, max_th: float, max_p: float) -> Settled:
    """Equilibrium of windows and queue by p = 1.5 / W^2 on RED's line.

    It is at max_th, where forced drops make up the rest, if the line ends below what the load needs. Ns-2's
    wait between drops leaves two thirds of RED's probability.
    """
    queue = red_queue(int(flows), PIPE, 5.0, max_th, max_p, 2.0 / 3.0)
    queue = max_th if queue is None else queue
    window = mean_window(int(flows), PIPE, queue)
    return Settled(queue, reno_probability(window), window)


# --- The paper's ------------------------------------------------------------------------------------------


def _users(count: float) -> str:
    return f"{count:g} users"


def _max_th(packets: float) -> str:
    return f"max_th {packets:g}"


def _loads(study: Study, experiment: str) -> list[tuple[float, str]]:
    """Every number of users with the experiment that has it."""
    names = (experiment, f"{experiment}-unnamed")
    return sorted((n, one) for one in names for n in study[one].levels("N"))


def _each_load(study: Study, experiment: str, measure: str, **at: float) -> list[Curve]:
    return [
        curve(study, Level(one, "red", measure, at={**at, "N": n}), _users(n))
        for n, one in _loads(study, experiment)
    ]


def _theory(
    study: Study, experiment: str, x: Iterable[float], at: Callable[[float, float], Settled], measure: str
) -> list[Curve]:
    """The theory's loss or delay for each load, where windows are large enough."""
    found: list[Curve] = []
    for n, _ in _loads(study, experiment):
        points = {one: at(n, one) for one in x}
        kept = {one: here for one, here in points.items() if here.window >= _DRAWN_FROM}
        y = [
            100.0 * here.loss if measure == "loss" else 1000.0 * here.queue / 1250.0 for here in kept.values()
        ]
        if kept:
            found.append(Curve(_users(n), [*kept], y, kind="theory"))
    return found


def _over_max_th(study: Study, measure: str, w_q: float = 0.002, *, theory: bool = False) -> list[Curve]:
    curves = _each_load(study, "max-th", measure, w_q=w_q)
    if theory:
        levels = study["max-th"].levels("max_th")
        curves += _theory(study, "max-th", levels, lambda n, th: settled(n, th, 0.1), measure)
    return curves


def _by_load(study: Study, measure: str) -> list[Curve]:
    """Curves over max_p, with max_th 30."""
    levels = study["loads"].levels("max_p")
    theory = _theory(study, "loads", levels, lambda n, p: settled(n, 30.0, p), measure)
    return _each_load(study, "loads", measure) + theory


def _by_max_th(study: Study, measure: str) -> list[Curve]:
    """Curves over max_p, with 80 users."""
    levels = study["max-p"].levels("max_th")
    return [curve(study, Level("max-p", "red", measure, at={"max_th": th}), _max_th(th)) for th in levels]


def _one(
    y: str,
    curves: Sequence[Curve],
    levels: Sequence[tuple[float, str]] = (),
    *,
    zero: bool = True,
    top: float | None = None,
) -> list[Facet]:
    return [Facet("", y, curves, levels, zero=zero, top=top)]


def _packets(study: Study, w_q: float) -> list[Facet]:
    curves = _over_max_th(study, "departures", w_q)
    return _one(_SENT, curves, _FULL_LINK, zero=False)


def _plane(study: Study, experiment: str, label: str, variant: str = "red", **at: float) -> Curve:
    """Curve of delay and loss, place by place."""
    delay, loss = (Level(experiment, variant, name, at=at) for name in ("delay_mean", "loss"))
    return against(study, delay, loss, label)


def _figure_7(study: Study) -> list[Facet]:
    loads = _loads(study, "max-th")
    return _one(_LOSS, [_plane(study, one, _users(n), w_q=0.002, N=n) for n, one in loads], top=20.0)


def _figure_11(study: Study) -> list[Facet]:
    levels = study["max-p"].levels("max_th")
    return _one(_LOSS, [_plane(study, "max-p", _max_th(th), max_th=th) for th in levels], zero=False)


# --- Beside the paper's -----------------------------------------------------------------------------------


def _beside_ns2(study: Study) -> list[Facet]:
    """Our RED and that of ns-2 with the same round trip."""
    facets: list[Facet] = []
    for experiment, variant, below, fixed in (
        ("as-ns2-max-th", "red", "max_th (packets)", "RED, max_p 0.1"),
        ("as-ns2-max-p", "red", "max_p", "RED, max_th 30"),
        ("as-ns2-max-p", "red-gentle", "max_p", "Gentle RED, max_th 30"),
    ):
        for measure, title in (("loss", _LOSS), ("delay_mean", _DELAY)):
            curves: list[Curve] = []
            for n in study[experiment].levels("N"):
                ours = Level(experiment, variant, measure, at={"N": n})
                curves.append(curve(study, ours, _users(n)))
                curves.append(
                    ns2.curve("operating_point_2002", f"{experiment}-{n:g}", variant, measure, _users(n))
                )
            facets.append(Facet(fixed, title, curves, x=below, top=20.0 if measure == "loss" else None))
    return facets


def _forced(study: Study) -> list[Facet]:
    """Loss and the share of RED's own drops over max_p: the reason for the minimum of the loss."""
    facets: list[Facet] = []
    for th in study["gentle"].levels("max_th")[::2]:
        losses: list[Curve] = []
        early: list[Curve] = []
        for experiment, label in (("max-p", "RED"), ("gentle", "Gentle RED")):
            loss, own, drops = (
                Level(experiment, "red", name, at={"max_th": th}) for name in ("loss", "drops_early", "drops")
            )
            losses.append(curve(study, loss, label))
            early.append(curve(study, share(own, drops, "early drops"), label))
        facets.append(Facet(_max_th(th), _LOSS, losses, zero=False))
        facets.append(Facet(_max_th(th), "RED's own drops (% of all)", early, top=100.0))
    return facets


def _flexibility(study: Study) -> list[Facet]:
    """Range of choices that RED's max_th gives, and DropTail's buffer."""
    return [
        Facet(
            _users(n),
            "Link utilisation (%)",
            [
                against(study, of("delay_mean", n), of("utilisation", n), label)
                for of, label in ((in_full_buffer, "RED"), (short_buffers, "DropTail"))
            ],
            zero=False,
        )
        for n in study["short-buffers"].levels("N")
    ]


def _today(study: Study) -> Filled:
    """AQMs of today in the plane of delay and loss."""
    facets = [
        Facet(
            title,
            _LOSS,
            [_plane(study, experiment, label, one) for one, label in study[experiment].labels.items()],
            log=True,
            top=20.0,
        )
        for experiment, title in (("today", "NewReno"), ("today-cubic", "CUBIC"))
    ]
    return Filled(facets, {"counts": ", ".join(f"{n:g}" for n in study["today"].levels("N"))})


# --- Operating points -------------------------------------------------------------------------------------

_OURS = "OP-RED"
_LOSS_TICKS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)


def _operating_points(study: Study) -> list[Facet]:
    """Targets, and the operating points reached, by the number of users."""
    facets: list[Facet] = []
    for users in study["op-red"].levels("N"):
        mine = [one for one in outcomes(study) if one[0] == users]
        targets = [target for _, target, *_ in mine]
        curves = [
            _front(study, users),
            _scattered(_OURS, [ours for *_, ours, _ in mine]),
            _scattered("Adaptive RED", [floyd for *_, floyd in mine]),
            _self_configuring(study, users),
            Curve(_OURS, [one.delay for one in targets], [one.loss for one in targets], kind="target"),
        ]
        facets.append(Facet(_users(users), _LOSS, curves, log=True, ticks=_LOSS_TICKS))
    return facets


def _front(study: Study, users: float) -> Curve:
    rows = study["grid"].at(N=users).whole.group_by("max_th", "max_p", maintain_order=True)
    means = rows.agg(pl.col("delay_mean", "loss").mean()).sort("delay_mean", "loss")
    points: list[tuple[float, float]] = []
    for delay, loss in means.select("delay_mean", "loss").iter_rows():
        if not points or loss < points[-1][1]:
            points.append((delay, loss))
    label = "RED, best fixed parameters"
    return Curve(label, [d for d, _ in points], [loss for _, loss in points], kind="path")


def _scattered(label: str, reached: Sequence[Reached]) -> Curve:
    """Points without a line: between each two lies one that is not defined."""
    columns: list[list[float]] = [[], [], [], [], [], []]
    for one in reached:
        delay, loss = mean_interval(one.delay), mean_interval(one.loss)
        point = (delay.mean, loss.mean, loss.low, loss.high, delay.low, delay.high)
        for column, value in zip(columns, point, strict=True):
            column += [math.nan if value is None else value, math.nan]
    x, y, low, high, x_low, x_high = columns
    return Curve(label, x, y, low, high, "path", x_low, x_high)


def _self_configuring(study: Study, users: float) -> Curve:
    rows = study["feng-red"].at(N=users).whole
    delay, loss = rows["delay_mean"].to_numpy(), rows["loss"].to_numpy()
    nowhere = np.full(delay.size, np.nan)
    return _scattered("Self-configuring RED", [Reached(delay, loss, nowhere, nowhere)])


# --- Over time --------------------------------------------------------------------------------------------


def _targets_change(study: Study) -> list[Facet]:
    def parameter(variable: str, title: str, top: float) -> Facet:
        link = "links.bottleneck.forward"
        curves = [over_time(study["targets"], FOLLOWS["targets"], link, variable, _OURS)]
        return Facet("", title, curves, top=top)

    moved = (parameter("max_th", "max_th (packets)", 50.0), parameter("max_p", "max_p", 0.6))
    return [*_traces(study, "targets", (22.0, 6.0)), *moved]


def _traces(study: Study, experiment: str, tops: tuple[float, float]) -> list[Facet]:
    def middle(sample: Sample) -> float:
        """The middle of a period."""
        return sample.at + PERIOD_S / 2

    facets: list[Facet] = []
    for measure, title, top in zip(("delay_mean", "loss"), (_DELAY, _LOSS), tops, strict=True):
        curves = [
            _steps(study, STAGES[experiment], measure),
            *(
                curve(study, Level(experiment, variant, measure, when="periods"), label, middle)
                for variant, label in study[experiment].labels.items()
            ),
            _asked(STAGES[experiment], measure),
        ]
        facets.append(Facet("", title, curves, top=top))
    return facets


def _steps(study: Study, stages: Sequence[Stage], measure: str) -> Curve:
    """Closest values of fixed parameters, in the stages whose target they do not reach."""
    x: list[float] = []
    y: list[float] = []
    for stage in stages:
        near = nearest(study, stage.users, stage.target)
        if not near.reaches:
            value = float((near.delay if measure == "delay_mean" else near.loss).mean())
            x += [stage.start_s, stage.start_s + STAGE_S, stage.start_s + STAGE_S]
            y += [value, value, float("nan")]
    return Curve("RED, nearest fixed parameters", x, y)


def _asked(stages: Sequence[Stage], measure: str) -> Curve:
    """Curve of the targets, with several points in each stage."""
    times = [stage.start_s + STAGE_S * part for stage in stages for part in (0.25, 0.5, 0.75)]
    values = [stage.target.delay if measure == "delay_mean" else stage.target.loss for stage in stages]
    return Curve(_OURS, times, [value for value in values for _ in range(3)], kind="target")


FIGURES: Contents = {
    "figure-2": lambda study: _one(_LOSS, _over_max_th(study, "loss", theory=True), top=20.0),
    "figure-3": lambda study: _one(_DELAY, _over_max_th(study, "delay_mean", theory=True), top=42.0),
    "figure-4": lambda study: _packets(study, 0.002),
    "figure-5": lambda study: _one(_LOSS, _over_max_th(study, "loss", 0.005), top=20.0),
    "figure-6": lambda study: _packets(study, 0.005),
    "figure-7": _figure_7,
    "figure-8": lambda study: _one(_LOSS, _by_max_th(study, "loss"), zero=False),
    "figure-9": lambda study: _one(_DELAY, _by_max_th(study, "delay_mean"), top=40.0),
    "figure-10": lambda study: _one(_SENT, _by_max_th(study, "departures"), _FULL_LINK, zero=False),
    "figure-11": _figure_11,
    "figure-12": lambda study: _one(_DELAY, _by_load(study, "delay_mean"), top=25.0),
    "figure-13": lambda study: _one(_LOSS, _by_load(study, "loss"), top=22.0),
    "as-ns2": _beside_ns2,
    "forced": _forced,
    "flexibility": _flexibility,
    "operating-points": _operating_points,
    "targets-change": _targets_change,
    "loads-change": lambda study: _traces(study, "changing-loads", (42.0, 16.0)),
    "today": _today,
}
