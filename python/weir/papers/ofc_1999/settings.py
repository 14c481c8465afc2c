"""Figures beside the paper's: over what it leaves open, and what its theory predicts."""

from __future__ import annotations

from weir.charts.study import Curve, Facet, Plot
from weir.papers import ns2
from weir.papers.curves import curve
from weir.papers.data import Sample, Study
from weir.papers.ofc_1999.experiments import PROPAGATION_MS, SAMPLES, SENDING_MS
from weir.papers.ofc_1999.measured import JAIN, SWING, Measured
from weir.papers.ofc_1999.optimum import CAPACITY, equal, settled, textbook
from weir.papers.quantities import Level, Quantity

_REM, _THEORY, _TEXTBOOK = "REM", "Equilibrium", "Textbook"
_ROUND_TRIP_MS = PROPAGATION_MS + SENDING_MS


def figure_settled(study: Study) -> Plot:
    """REM's queue over N and over the round trip, beside the equilibrium."""
    over_n = study.at("hosts", "hosts", propagation=PROPAGATION_MS)
    over_rtt = study.at("hosts", "hosts", N=SAMPLES)
    queue, deviation = Level("hosts", "rem", "mean_queue"), Level("hosts", "rem", "queue_sd")
    counts = over_n["hosts"].levels("N")
    trips = [one + SENDING_MS for one in over_rtt["hosts"].levels("propagation")]
    ends = [counts[0], counts[-1]]
    weights = [CAPACITY] * 4
    facets = [
        Facet(
            "Mean queue",
            "Packets",
            [
                curve(over_n, queue, _REM),
                Curve(_THEORY, ends, [equal().queue] * 2, kind="theory"),
                Curve(_TEXTBOOK, ends, [textbook()[0]] * 2, kind="theory"),
                Curve(_REM, [SAMPLES], [18.7], kind="paper"),
            ],
            x="N, ACKs to an estimate",
            top=50.0,
        ),
        Facet(
            "Deviation of the queue",
            "Packets",
            [curve(over_n, deviation, _REM), Curve(_REM, [SAMPLES], [3.9], kind="paper")],
            x="N, ACKs to an estimate",
            top=6.0,
        ),
        Facet(
            "Mean queue",
            "Packets",
            [
                curve(over_rtt, queue, _REM, _whole),
                Curve(
                    _THEORY, trips, [settled(*weights, tau=one / 1e3).queue for one in trips], kind="theory"
                ),
                Curve(_TEXTBOOK, [trips[0], trips[-1]], [textbook()[0]] * 2, kind="theory"),
                Curve(_REM, [_ROUND_TRIP_MS], [18.7], kind="paper"),
            ],
            x="Round trip without queues (ms)",
            top=50.0,
        ),
        Facet(
            "Deviation of the queue",
            "Packets",
            [curve(over_rtt, deviation, _REM, _whole), Curve(_REM, [_ROUND_TRIP_MS], [3.9], kind="paper")],
            x="Round trip without queues (ms)",
            top=6.0,
        ),
    ]
    return Plot(
        "settled",
        "REM's queue over what the paper leaves open",
        "Above: over N, the ACKs to an estimate, at a round trip of 3.734 ms. Below: over the round trip, "
        "at N = 75; the receive window stays 21 packets. Means of all replications with 95% intervals, of "
        "10 s with the ramp at its beginning. The queue follows the equilibrium of windows, less what the "
        "ramp takes, and does not depend on N; its deviation does, and names N = 75.",
        "",
        facets,
    )


def figure_phases(study: Study) -> Plot:
    """DropTail over the round trip, to a fraction of the time that a packet takes."""
    quantities: list[tuple[str, str, Quantity, str, float, float | None]] = [
        ("Packets lost", "Packets", Level("phases", "drop-tail", "drops"), "drops", 91.0, 300.0),
        ("Fairness", "Jain index", Measured("phases", "drop-tail", JAIN), "jain", 0.85, None),
        ("Mean queue", "Packets", Level("phases", "drop-tail", "mean_queue"), "mean_queue", 44.9, 55.0),
        (
            "Deviation of the queue",
            "Packets",
            Level("phases", "drop-tail", "queue_sd"),
            "queue_sd",
            8.0,
            15.0,
        ),
    ]
    facets: list[Facet] = []
    for title, unit, quantity, measure, printed, top in quantities:
        curves: list[Curve] = []
        for limit in study["phases"].levels("limit"):
            there = study.at("phases", "phases", limit=limit)
            curves.append(_near(curve(there, quantity, _waiting(limit), _whole)))
        of_ns2 = ns2.curve("ofc_1999", "base", "drop-tail", measure, _waiting(49))
        trips = [x + SENDING_MS for x in of_ns2.x]
        curves.append(Curve(of_ns2.label, trips, of_ns2.y, kind="ns-2"))
        curves.append(Curve(_waiting(50), [_ROUND_TRIP_MS], [printed], kind="paper"))
        facets.append(Facet(title, unit, curves, zero=measure != "jain", top=top))
    return Plot(
        "phases",
        "DropTail's row of table 1 is a matter of phase",
        "Over the round trip without queues, for buffers in which 49, 50 and 51 packets may wait. Means of "
        "all replications with 95% intervals; their starts differ by up to 10 ms, and where no band can be "
        "seen that changes nothing. Sources and link share one clock, that of transmissions: whether a "
        "packet arrives just before or just after another leaves is decided by the round trip, and with it "
        "who loses. At 21 transmissions, 3.733 ms, the order turns over.",
        "Round trip without queues (ms)",
        facets,
    )


def figure_waits(study: Study) -> Plot:
    """What a little chance at the senders makes of it."""
    labels = study["waits"].labels
    panels: list[tuple[str, str, dict[str, Quantity], float | None]] = [
        ("Packets lost", "Packets", {one: Level("waits", one, "drops") for one in labels}, 250.0),
        ("Fairness", "Jain index", {one: Measured("waits", one, JAIN) for one in labels}, None),
        ("Mean queue", "Packets", {one: Level("waits", one, "mean_queue") for one in labels}, 55.0),
        ("Goodput", "%", {one: Level("waits", one, "goodput") for one in labels}, None),
    ]
    return Plot(
        "waits",
        "Out of phase: a random wait at the senders",
        "Each packet leaves its sender later by a time drawn between zero and the one below; 178 µs are "
        "one transmission. Means of all replications with 95% intervals. REM and RED, which mark at "
        "random, do not notice. DropTail's unfairness goes with a wait of two transmissions, and its "
        "losses double.",
        "Longest wait (µs)",
        [
            Facet(
                title,
                unit,
                [curve(study, one, labels[name]) for name, one in of.items()],
                zero=top is not None,
                top=top,
            )
            for title, unit, of, top in panels
        ],
    )


def figure_bins(study: Study) -> Plot:
    """The swing of receive rates over the length of the bins."""
    labels = study["bins"].labels
    return Plot(
        "bins",
        "How much receive rates swing depends on how they are counted",
        "Largest minus smallest receive rate of a source in bins of some length from 1 s on, mean of the "
        "four sources; means of all replications with 95% intervals. The paper reads 5 Mbit/s for REM and "
        "20 Mbit/s for RED off its figures, and does not say what its bins are.",
        "Bin (ms)",
        [
            Facet(
                "",
                "Range (Mbit/s)",
                [curve(study, Measured("bins", one, SWING), labels[one]) for one in labels],
                levels=((5.0, "REM, paper"), (20.0, "RED, paper")),
            )
        ],
    )


def _whole(sample: Sample) -> float:
    """The round trip without queues."""
    return sample.at + SENDING_MS


def _waiting(limit: float) -> str:
    return f"{limit:g} may wait"


def _near(found: Curve) -> Curve:
    """Where phases can be told apart."""
    keep = [index for index, x in enumerate(found.x) if 3.3 <= x <= 4.25]
    low, high = found.low, found.high
    return Curve(
        found.label,
        [found.x[index] for index in keep],
        [found.y[index] for index in keep],
        None if low is None else [low[index] for index in keep],
        None if high is None else [high[index] for index in keep],
    )
