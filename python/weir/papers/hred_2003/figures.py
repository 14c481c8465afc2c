"""The figures of the paper: 3 to 7."""

from __future__ import annotations

from collections.abc import Sequence

from weir.charts.study import Curve, Facet, Plot
from weir.papers.curves import curve, over_time
from weir.papers.data import Data, Study
from weir.papers.hred_2003.experiments import CONTROLLED, LAWS
from weir.papers.hred_2003.measured import QUEUE, Kilobytes, QueueMeasure
from weir.papers.hred_2003.parameters import ARRIVALS, MAX_TH, MIN_TH, PACKET, Q_REF, RTT_MEAN
from weir.papers.hred_2003.times import PHASES, VIEWS, Response
from weir.theory.equilibrium import red_queue

KILO = PACKET / 1e3
"""kB of a packet."""
THRESHOLDS = ((MIN_TH / 1e3, "min_th"), (MAX_TH / 1e3, "max_th"))
FLOWS = "Number of FTP flows"
_LARGE = ((30.0, "30 kB"),)
"""What the paper calls a large deviation."""
_WAIT = 2.0 / 3.0
"""The share of RED's probability that ns-2's spacing of drops leaves."""


def settled(label: str, flows: Sequence[float]) -> list[Curve]:
    """Where theory has RED's queue, up to max_th."""
    pipe = ARRIVALS * RTT_MEAN
    found = [(n, red_queue(round(n), pipe, MIN_TH / PACKET, MAX_TH / PACKET, 0.02, _WAIT)) for n in flows]
    points = [(n, queue * KILO) for n, queue in found if queue is not None]
    return [Curve(label, [n for n, _ in points], [q for _, q in points], kind="theory")] if points else []


def reference(label: str, flows: Sequence[float]) -> list[Curve]:
    """PI's, at every load."""
    return [Curve(label, list(flows), [Q_REF / 1e3] * len(flows), kind="theory")]


def _steady(study: Study, name: str, title: str, low: float, high: float, seen: str) -> Plot:
    data = study["steady"]
    loads = [load for load in data.levels("load") if low <= load <= high]

    def curves(measure: QueueMeasure) -> list[Curve]:
        made = [Kilobytes("steady", law, measure, {"load": loads}) for law in LAWS]
        return [curve(study, of, data.labels[of.variant]) for of in made]

    grid = [low + step * (high - low) / 30 for step in range(31)]
    theory = [*settled(data.labels["red"], grid), *reference(data.labels["pi"], grid)]
    return Plot(
        name,
        title,
        "Three web sessions for each FTP flow; 200 s after 100 s; means of all replications, bands their 95% "
        f"intervals. {seen} The dotted lines are PI's reference and RED's queue where 1.5 / W² meets its "
        "line, as far as that goes.",
        FLOWS,
        [
            Facet("(a) average queue length", "kB", [*curves("mean_queue"), *theory], THRESHOLDS),
            Facet("(b) standard deviation", "kB", curves("queue_sd"), _LARGE),
        ],
    )


def figure_3(study: Study) -> Plot:
    """Mean queue and its deviation, 100 to 400 FTP flows."""
    seen = "Only HRED and PI hold the queue where it should be; with 100 flows PI's is the steadier."
    return _steady(study, "figure-3", "Figure 3: Steady state with moderate loads", 100.0, 400.0, seen)


def figure_4(study: Study) -> Plot:
    """Mean queue and its deviation, 400 to 1000 FTP flows."""
    seen = "HRED alone is in its band and steady. With 800 flows and more PI is still on its way after 100 s."
    return _steady(study, "figure-4", "Figure 4: Steady state with heavy loads", 400.0, 1000.0, seen)


def queues(data: Data, laws: Sequence[str]) -> list[Facet]:
    """A panel for each law: the queue of the first replication over time, from 100 s."""
    facets: list[Facet] = []
    for law in laws:
        label = data.labels[law]
        whole = over_time(data, law, QUEUE, "queue", label, KILO, slots=450)
        kept = slice(next(index for index, time in enumerate(whole.x) if time >= 100.0), None)
        low, high = whole.low or (), whole.high or ()
        # One label for all: a panel with one curve needs no colour of its own.
        made = Curve("queue", whole.x[kept], whole.y[kept], low[kept], high[kept])
        facets.append(Facet(label, "Queue (kB)", [made], THRESHOLDS, top=510.0))
    return facets


def figure_5(study: Study) -> Plot:
    """Queues over time while the load doubles."""
    return Plot(
        "figure-5",
        "Figure 5: Queues while the load doubles at 150, 200 and 250 s",
        "100 FTP flows and 300 web sessions at first; the first replication; the line is the mean, the band "
        "the range, over two thirds of a second. HRED comes back within seconds, PI's way back gets longer "
        "each time, RED swings most where max_p no longer reaches, AVQ swings at light load and keeps the "
        "queue all but empty at heavy load.",
        "Time (s)",
        queues(study["dynamic"], LAWS),
        ticks=(100, 150, 200, 250, 300),
    )


def _responses(study: Study, experiment: str, name: str, title: str, seen: str) -> Plot:
    labels = study[experiment].labels
    longest = PHASES[experiment].of(0)
    cap = longest[1] - longest[0]
    facets: list[Facet] = []
    for view, words in VIEWS.items():
        for change, direction in enumerate(PHASES[experiment].names):
            times = [Response(experiment, law, (change,), view) for law in CONTROLLED]
            curves = [curve(study, of, labels[of.variant]) for of in times]
            facets.append(Facet(f"{direction}{words}", "Response time (s)", curves, ((cap, "never"),)))
    return Plot(
        name,
        title,
        "The load is multiplied by x at 100 s (rising) and is what it was again from 180 s on (falling). "
        "Mean times until the queue is between 62.5 and 375 kB for 10 s, with 95% intervals; a run in "
        f"which that does not happen within the phase counts with its length, {cap:g} s. {seen}",
        "x",
        facets,
    )


def figure_6(study: Study) -> Plot:
    """Response times from 100 FTP flows."""
    seen = (
        "HRED is the faster the more the load rises; a small change of a light load it answers no faster "
        "than PI. RED, whose queue is in this wide band under most loads without any response, swings out "
        "of it again and again at 200 flows."
    )
    return _responses(study, "moderate", "figure-6", "Figure 6: Response times at moderate load", seen)


def figure_7(study: Study) -> Plot:
    """Response times from 400 FTP flows."""
    seen = "HRED needs a few seconds, PI most of the phase or more; RED's queue hardly leaves the wide band."
    return _responses(study, "heavy", "figure-7", "Figure 7: Response times at heavy load", seen)
