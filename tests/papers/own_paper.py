"""A paper whose scenario is the small one of all tests."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from weir.plot import Curve, Facet, Plot
from weir.store import Store
from weir.sweep import chosen_workers
from weir_papers.claims import Claim, Part
from weir_papers.curves import against, levels, over_time
from weir_papers.data import Study
from weir_papers.expected import Range, at_least
from weir_papers.maps import ClaimMap
from weir_papers.paper import Choice, Experiment, Paper, Table, Unjudged
from weir_papers.quantities import Level
from weir_papers.readings import Column, Readings, Setting
from weir_papers.reproduce import Planned, Reproduction, reproduce

VARIANTS = ("drop-tail", "red", "rem")


def level(measure: str) -> Level:
    return Level("steps", "drop-tail", measure, when="stages")


def queues(study: Study) -> Plot:
    printed = Curve("RED", [2.0, 4.0], [5.0, 6.0], kind="paper")
    theory = Curve("REM", [2.0, 6.0], [6.0, 6.0], kind="theory")
    curves = [*levels(study, level("mean_queue"), VARIANTS), printed, theory]
    loss = levels(study, level("loss"), VARIANTS)
    facets = [
        Facet("Queue", "Mean queue (packets)", curves, levels=[(6.0, "target")]),
        Facet("Loss", "Loss (%)", loss),
    ]
    return Plot("figure-1", "Figure 1: queue and loss", "By users.", "Users", facets)


def times(study: Study) -> Plot:
    data = study["steps"]
    curves = [
        over_time(data, name, "links.bottleneck.forward", "queue", data.labels[name]) for name in VARIANTS
    ]
    return Plot("figure-2", "Figure 2: queue over time", "A run.", "Time (s)", [Facet("", "Packets", curves)])


def tradeoff(study: Study) -> Plot:
    curves = [against(study, level("delay_mean").of(v), level("loss").of(v), v) for v in VARIANTS]
    return Plot("figure-3", "Figure 3: loss against delay", "", "Delay (ms)", [Facet("", "Loss (%)", curves)])


def table(_: Study) -> Table:
    return Table("table-1", "Table 1: printed & ours", ("what", "printed", "ours"), (("loss < 1", "0", "0"),))


def paper_of(scenario: Path) -> Paper:
    """A paper whose scenario is the small one of all tests."""
    fewer = Claim("X-1", "RED's queue is shorter than DropTail's", "section 1", (
        Part(level("mean_queue").of("red") - level("mean_queue"), Range(high=0.0)),
    ))  # fmt: skip
    wrong = Claim(
        "X-2",
        "Nothing is ever lost",
        "section 2",
        (Part(level("loss"), Range(0.0, 0.0), 0.0),),
        note="It is.",
    )
    full = Claim(
        "X-3", "The link is full", "section 2", (Part(Level("steps", "red", "utilisation"), at_least(50.0)),)
    )
    rates = {
        "rate": "links.bottleneck.rate=1, 2, 8 Mbit/s",
        "buffer": "links.bottleneck.buffer=10, 20 packets",
    }
    mapped = ClaimMap(
        "map-rate", "Where the link is full", "Over rate and buffer.", "rates", "steps",
        ("rate", "buffer"), ("Rate (Mbit/s)", "Buffer (packets)"), (full, wrong), (2.0, 20.0),
    )  # fmt: skip
    settings = (
        Setting(("rate",), "Rate (Mbit/s)", {"1": "1", "2": "2", "8": "8"}),
        Setting(("buffer",), "Buffer", {"10": "short", "20": "long"}),
    )
    return Paper(
        "own-2026", "A paper <of> one's own", "A. N. Author", "Nowhere, 2026", "Does it work?",
        (
            Experiment("steps", str(scenario), "Two to six users.", replications=6, quick=3),
            Experiment("rates", str(scenario), "Other rates.", axes=rates, quick_axes={
                "rate": "links.bottleneck.rate=2, 8 Mbit/s"
            }, replications=4, quick=3),
        ),
        (fewer, wrong, full), (queues, times, tradeoff), (table,), (mapped,),
        (Choice("the seed", "7", "any would do"),), ("Nothing else.",),
        (Readings("steps", "rates", settings),), (Column("again", "the same again", {"steps": "steps"}),),
        ("It works.",), "0000007" + 9 * "f", (Unjudged("All is well", "No run tells."),),
    )  # fmt: skip


def done(scenario: Path, store: Path, *, quick: bool = False) -> Reproduction:
    planned = Planned.of(paper_of(scenario), quick=quick)
    with Store.open(store, create=True) as opened, chosen_workers(threads=2) as workers:
        outcome = reproduce(planned, opened, workers, lambda _, __: nullcontext())
        # All that needs the store is asked for here.
        assert outcome.judgements
        assert outcome.figures
        assert outcome.overview
        return outcome
