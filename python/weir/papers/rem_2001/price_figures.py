"""Prices along a path, equations 2 and 3 and PI, and today's controllers."""

from __future__ import annotations

from weir.charts.study import Curve, Facet, Plot
from weir.papers import ns2
from weir.papers.curves import curve, levels, over_time
from weir.papers.data import Study
from weir.papers.quantities import Level, Quantity, relative
from weir.papers.rem_2001.experiments import PACKAGE, settled
from weir.papers.rem_2001.measured import end_to_end

_X = "Number of users"
_TODAY = ("drop-tail", "rem", "codel", "pie", "fq-codel", "dualpi2")
_REM, _RED = "REM", "RED(10:30)"
_LN_PHI = 9.995003e-4


def path(study: Study) -> Plot:
    """End-to-end marks over the number of hops."""
    facets = [
        Facet(
            "What arrives with a mark",
            "Long flows' packets marked (%)",
            [
                curve(study, end_to_end("rem-mark", "marked"), _REM),
                curve(study, end_to_end("rem-mark", "price"), _REM, kind="theory"),
                ns2.curve(PACKAGE, "parking-lot", "rem-mark", "marked", _REM),
                curve(study, end_to_end("red-mark", "marked"), _RED),
                curve(study, end_to_end("red-mark", "product"), _RED, kind="theory"),
                ns2.curve(PACKAGE, "parking-lot", "red-mark", "marked", _RED),
            ],
        ),
        Facet(
            "Against what is computed",
            "Deviation (%)",
            [
                curve(study, _deviation("rem-mark", "price"), f"{_REM}, from prices"),
                curve(study, _deviation("rem-mark", "product"), f"{_REM}, from hops"),
                curve(study, _deviation("red-mark", "product"), f"{_RED}, from hops"),
            ],
            levels=[(0.0, "")],
            zero=False,
        ),
    ]
    replications = study["parking-lot"].runs["replication"].n_unique()
    return Plot(
        "sum-of-prices",
        "Equation 5: what a flow sees marked over one, two and three bottlenecks",
        f"Means of {replications} replications. Ten flows over all hops, ten more over each alone. "
        "Dotted: REM's from the sum of the prices along the path, RED's from the shares that its hops "
        "mark; the right panel has what arrives against both. Shares of hops multiply whatever the law, "
        "but only REM's tell a sum. ns-2's runs are of three hops.",
        "Bottlenecks on the path",
        facets,
        ticks=(1, 2, 3),
    )


def _deviation(variant: str, column: str) -> Quantity:
    return relative(end_to_end(variant, "marked"), end_to_end(variant, column))


def equivalence(study: Study) -> Plot:
    """Equation 2, equation 3, PI."""
    data = study["controllers"]
    variants = ("rem", "rem-queue", "pi", "rem-queue-drop")
    facets = [
        Facet(
            title,
            y,
            [
                *levels(study, _level(measure), variants),
                curve(study, settled("rem-drop", measure), "REM, eq. 2, drop"),
            ],
            marks,
            zero=measure != "goodput",
        )
        for measure, title, y, marks in (
            ("mean_queue", "Mean queue", "Mean queue (packets)", [(20.0, "b*")]),
            ("goodput", "Goodput", "Goodput (%)", ()),
        )
    ]
    link = "links.bottleneck.forward"
    prices = [
        _price(study, "rem", link, "price", 1.0),
        _price(study, "rem-queue", link, "price", 1.0),
        # A probability p is REM's price -ln(1 - p) / ln(phi); linear as PI has it, p / ln(phi).
        _price(study, "pi", link, "probability", 1.0 / _LN_PHI),
    ]
    marked = [curve(study, _level("mark_fraction").of(v), data.labels[v]) for v in variants[:3]]
    facets.append(Facet("Marks", "Marked (%)", marked))
    facets.append(Facet("Price over time, one run each", "Price", prices, x="Time (s)"))
    replications = data.runs["replication"].n_unique()
    return Plot(
        "equivalence",
        "REM by equation 2, by equation 3, and PI with the same gains",
        f"Means of {replications} replications over the last 30 s of each period; below, the price of one "
        "run each, PI's probability divided by ln φ. Equation 3 and PI are one controller. Equation 2 "
        "rests some packets higher where the link is idle now and then, and falls below its target with "
        "the losses when it drops; equation 3 does neither. REM by equation 2 that drops is that of "
        "figure 2.",
        _X,
        facets,
    )


def today(study: Study) -> Plot:
    """Controllers of after 2001, and CUBIC."""
    labels = {**study["controllers"].labels, "rem": "REM"}
    facets = [
        Facet(
            title,
            y,
            [curve(study, _level(measure).of(f"{prefix}{v}"), labels[v]) for v in variants],
            [(20.0, "20")] if measure == "mean_queue" else (),
            zero=measure != "goodput",
        )
        for measure, y in (
            ("goodput", "Goodput (%)"),
            ("mean_queue", "Mean queue (packets)"),
            ("loss", "Loss (%)"),
        )
        for title, prefix, variants in (("NewReno", "", _TODAY), ("CUBIC", "cubic-", _TODAY[:2]))
    ]
    replications = study["controllers"].runs["replication"].n_unique()
    return Plot(
        "today",
        "Today's company: the wireline network under controllers of after 2001, and with CUBIC",
        f"Means of {replications} replications over the last 30 s of each period. All mark, and aim at "
        "2.5 ms, which are REM's 20 packets. Those that integrate hold the queue as REM does: DualPI2, "
        "and PIE nearly. CoDel begins with a signal in 100 ms, for one flow: with 100 users this buffer "
        "of 15 ms overflows first, in one queue or in one for each flow. CUBIC fills DropTail's buffer, "
        "and REM holds its queue as it does NewReno's.",
        _X,
        facets,
        ticks=(40, 100, 160),
    )


def _level(measure: str) -> Level:
    return Level("controllers", "", measure, when="periods")


def _price(study: Study, variant: str, link: str, variable: str, scale: float) -> Curve:
    data = study["controllers"]
    return over_time(data, variant, link, variable, data.labels[variant], scale, slots=150)
