"""Where each claim holds at all, over the rate and the round trip that the paper does not state."""

from __future__ import annotations

from collections.abc import Sequence

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, Range
from weir.papers.maps import ClaimMap
from weir.papers.nlred_comparison_2013 import claims, conclusions
from weir.papers.nlred_comparison_2013.experiments import MAIN, PLACES, PLACES_SPREAD_OUT, level
from weir.papers.nlred_comparison_2013.without import PlainMap
from weir.papers.paper import Experiment

_TITLES = ("Rate (Mbit/s)", "Round trip (ms)")
_USED = (20.0, 100.0)

_QUEUES = (("gred", "GRED"), ("nlred", "NLRED"), ("rem", "REM"))
_PLAIN = (("gred-plain", "GRED without"), ("nlred-plain", "NLRED without"))
_MEASURES: tuple[tuple[str, str, str, Range], ...] = (
    ("P-1a", "goodput", "more goodput", ABOVE_ZERO),
    ("P-1b", "loss", "less loss", BELOW_ZERO),
    ("P-1d", "jain", "fairer", ABOVE_ZERO),
)


def _beaten(
    queues: Sequence[tuple[str, str]], measures: Sequence[tuple[str, str, str, Range]]
) -> list[Claim]:
    """One measure and one queue at a time, so that it is seen which of them beats DropTail, and by what."""
    return [
        _against_drop_tail(f"{claim}, {name}", f"{word} than DropTail", variant, measure, expected)
        for claim, measure, word, expected in measures
        for variant, name in queues
    ]


def _against_drop_tail(name: str, text: str, variant: str, measure: str, expected: Range) -> Claim:
    part = Part(level(variant, measure) - level("drop-tail", measure), expected)
    return Claim(name, text, "section 5", (part,))


def _map(
    name: str,
    title: str,
    caption: str,
    judged: Sequence[Claim],
    experiment: Experiment = PLACES,
    *,
    without: bool = False,
) -> ClaimMap:
    said = f"{caption} At 20, 60 and 120 flows."
    made = PlainMap if without else ClaimMap
    return made(name, title, said, experiment.name, MAIN.name, ("rate", "rtt"), _TITLES, tuple(judged), _USED)


MAPS = (
    _map(
        "map-goodput",
        "Where goodput and utilisation are as the paper says",
        "Goodput that rises with the number of flows under all four queues is nowhere to be found for "
        "certain, nor NLRED ahead of all; it fills the link where the round trip is at most 50 ms and the "
        "pipe at most 244 packets.",
        (claims.A_4_1A, claims.A_4_1B, claims.A_4_1C, claims.A_4_5A, claims.A_4_5B, conclusions.P_2C),
    ),
    _map(
        "map-goodput-without-habits",
        "Where goodput and utilisation are as the paper says, without the habits of ns-2",
        "To be compared with the map above: NLRED fills the link at fewer places, and GRED uses less of it.",
        (claims.A_4_1A, claims.A_4_1B, claims.A_4_1C, claims.A_4_5A, claims.A_4_5B, conclusions.P_2C),
        without=True,
    ),
    _map(
        "map-delay",
        "Where queue and delay are as the paper says",
        "Delay that falls under REM needs loss enough to lower its queue and time enough for its price; "
        "under the others it falls nowhere.",
        (claims.A_4_2A, claims.A_4_2B, claims.A_4_3A, claims.A_4_3B, conclusions.P_1C, conclusions.P_2A),
    ),
    _map(
        "map-loss",
        "Where loss is as the paper says",
        "All that the paper says of loss with growing load holds from a pipe of 488 packets (the diagonal of "
        "the frame) on; that NLRED loses least, nowhere.",
        (claims.A_4_4A, claims.A_4_4B, claims.A_4_4C, conclusions.P_2B),
    ),
    _map(
        "map-fairness",
        "Where fairness is as the paper says",
        "Nothing that the paper says of fairness holds anywhere.",
        (claims.A_4_6A, claims.A_4_6B, claims.A_4_6C, conclusions.P_1D),
    ),
    _map(
        "map-drop-tail",
        "Where each of the others beats DropTail",
        "None loses less. REM has more goodput with a pipe of 488 packets (the diagonal of the frame) and "
        "at 20 Mbit/s and 200 ms; GRED and NLRED with one of 977 and more, the next diagonal. 'Without' "
        "the habits of ns-2 NLRED has it at one place, GRED nowhere.",
        (*_beaten(_QUEUES, _MEASURES[:1]), *_beaten(_PLAIN, _MEASURES[:1]), *_beaten(_QUEUES, _MEASURES[1:])),
    ),
    _map(
        "map-drop-tail-wait",
        "Where each of the others beats DropTail, once senders are out of step",
        "The random wait is up to two packet times at each rate. GRED and NLRED have more goodput with the "
        "longest pipes only, REM at 40 Mbit/s and 100 ms.",
        _beaten(_QUEUES, _MEASURES),
        PLACES_SPREAD_OUT,
    ),
)
