"""Section 4.2: goodput, queue, loss and windows on the wireline network, and footnote 1."""

from __future__ import annotations

import numpy as np

from weir.papers.claims import (
    ABOVE_ZERO,
    BELOW_ZERO,
    Claim,
    Part,
    Range,
    at_least,
    at_most,
)
from weir.papers.quantities import Along, Level, Quantity, Steps, rank, relative, spread
from weir.papers.rem_2001 import measured
from weir.papers.rem_2001.experiments import RED, REM, SETTLED, period, settled

_SECTION = "section 4.2, figure 2"
_FOOTNOTE = "section 4.2, footnote 1"


def _share_above_zero(of: Quantity) -> Along:
    return Along(of, "share of periods above zero", lambda _, values: float(100.0 * np.mean(values > 0)), "%")


def _more(first: str, second: str, measure: str = "goodput") -> Quantity:
    return period(first, measure) - period(second, measure)


def _reno(variant: str) -> Level:
    return Level("reno", variant, "goodput", when="stages")


CLAIMS = (
    Claim(
        "A-0.1a",
        "REM's goodput, dropping or marking, is at most one point below DropTail's at almost all numbers "
        "of users",
        _SECTION,
        tuple(Part(_more(variant, "drop-tail"), at_least(-1.0)) for variant in REM[1:]),
        exceptions=2,
        note="REM that drops falls behind where there are most users, as it does in ns-2: every packet "
        "that it drops has to be sent again, and at windows of four a drop often ends in a timeout. "
        "Marking does not.",
    ),
    Claim(
        "A-0.1b",
        "At most numbers of users REM's goodput is above DropTail's",
        _SECTION,
        tuple(Part(_share_above_zero(_more(variant, "drop-tail")), at_least(50.0)) for variant in REM[1:]),
        note="DropTail owes part of its weakness to phase effects: see P-2.",
    ),
    Claim(
        "A-0.2a",
        "REM, marking, keeps the mean queue of the last 30 s of each period near its target of 20 packets",
        _SECTION,
        (Part(settled("rem-mark", "mean_queue"), Range(14.0, 30.0), 20.0),),
        note="The target is where x = c. Below full utilisation equation 2 rests at b* + (c - x) / α, some "
        "packets above; equation 3 does not (P-7).",
    ),
    Claim(
        "A-0.2b",
        "REM, dropping, keeps the mean queue of the last 30 s of each period near its target of 20 packets",
        _SECTION,
        (Part(settled("rem-drop", "mean_queue"), Range(10.0, 30.0), 20.0),),
    ),
    Claim(
        "A-0.2c",
        "REM's mean queue, marking, does not depend on the number of users",
        _SECTION,
        (Part(spread(settled("rem-mark", "mean_queue")), at_most(10.0)),),
    ),
    Claim(
        "A-0.2d",
        "REM's mean queue, dropping, falls with the number of users",
        "the equilibrium of equation 2",
        (Part(rank(settled("rem-drop", "mean_queue")), at_most(-0.5)),),
        note="Not what the paper says, but what its equation 2 gives where x counts the packets that are "
        "dropped, as in the authors' code: b = b* - (x - c) / α. With equation 3 there is no such fall "
        "(P-7).",
    ),
    Claim(
        "A-0.3",
        "Under DropTail and all four REDs the mean queue grows with every 20 users, to within one packet",
        _SECTION,
        tuple(Part(Steps(settled(variant, "mean_queue")), at_least(-1.0)) for variant in ("drop-tail", *RED)),
    ),
    Claim(
        "A-0.4a",
        "REM that drops loses as much as DropTail, within a quarter",
        _SECTION,
        (Part(relative(period("rem-drop", "loss"), period("drop-tail", "loss")), Range(-25.0, 25.0)),),
    ),
    Claim(
        "A-0.4b",
        "REM that marks loses less than 0.1% in every settled period",
        _SECTION,
        (Part(settled("rem-mark", "loss"), at_most(0.1)),),
    ),
    Claim(
        "A-0.5a",
        "DropTail's goodput is above that of all four REDs",
        _SECTION,
        tuple(Part(_more("drop-tail", variant), ABOVE_ZERO) for variant in RED),
        note="From 100 users on RED(20:80) is above. Its jump at max_th ends the growth of the queue at "
        "once; gentle RED, as ns-2.35 has it, lets the average overshoot until the buffer is full, and "
        "then drops until the queue has run empty (P-3 and the table on RED's jump).",
    ),
    Claim(
        "A-0.5b",
        "RED(20:80) has a higher goodput than RED(10:30) at all numbers of users",
        _SECTION,
        tuple(Part(_more(f"red-20-80-{how}", f"red-10-30-{how}"), ABOVE_ZERO) for how in ("drop", "mark")),
        note="It is not with 80 users and dropping. RED(10:30) drops beyond max_th from 40 users on, "
        "RED(20:80) from 80 on; such drops end a swing before the buffer is full (A-0.5a).",
    ),
    Claim(
        "A-0.5c",
        "RED(20:80) has a longer queue than RED(10:30) at all numbers of users",
        _SECTION,
        tuple(
            Part(_more(f"red-20-80-{how}", f"red-10-30-{how}", "mean_queue"), ABOVE_ZERO)
            for how in ("drop", "mark")
        ),
    ),
    Claim(
        "A-0.6a",
        "With NewReno, goodput under RED is higher with dropping than with marking",
        _FOOTNOTE,
        tuple(
            Part(period(f"{red}-drop", "goodput") - period(f"{red}-mark", "goodput"), ABOVE_ZERO)
            for red in ("red-20-80", "red-10-30")
        ),
        exceptions=2,
    ),
    Claim(
        "A-0.6b",
        "With Reno, goodput under RED is not higher with dropping than with marking",
        _FOOTNOTE,
        tuple(
            Part(_reno(f"{red}-drop") - _reno(f"{red}-mark"), BELOW_ZERO)
            for red in ("red-20-80", "red-10-30")
        ),
        exceptions=1,
    ),
    Claim(
        "A-0.6c",
        "With NewReno, goodput under REM is not higher with dropping than with marking",
        _FOOTNOTE,
        (Part(_more("rem-mark", "rem-drop"), at_least(-0.5)),),
        exceptions=1,
    ),
    Claim(
        "A-0.7a",
        "Under REM and DropTail the mean window is each user's part of pipe and queue, (640 + q) / N, "
        "within 15%",
        "section 4.2: 32 down to 4 packets",
        tuple(Part(measured.window_over_share(variant), Range(0.85, 1.15)) for variant in REM),
        note="Measured at the congestion windows of ten of the first users, twice a second. A window of "
        "4.7 packets lets 4 out: where windows are small, their mean is above what is under way. With "
        "drops, repairs and waits for timeouts come on top.",
    ),
    Claim(
        "A-0.7b",
        "Under RED the mean window is each user's part of pipe and queue, (640 + q) / N, within 15%",
        "section 4.2: 32 down to 4 packets",
        tuple(Part(measured.window_over_share(variant), Range(0.85, 1.15)) for variant in RED),
        note="Where RED leaves the link idle the pipe is not full, and windows are smaller in the same "
        "proportion, with RED(10:30) and 20 users by a quarter. With many users it is as under A-0.7a.",
    ),
    Claim(
        "P-1",
        "The price travels with the number of users, while the queue does not: at 160 users it is at "
        "least 20 times that at 20, and in each period within a factor of two of what 1.5 / W² asks for",
        "sections 3.1 and 3.4",
        (
            Part(Steps(measured.price()), ABOVE_ZERO),
            Part(measured.price_over_theory(), Range(0.5, 2.0)),
            Part(
                Along(
                    measured.price(), "last over first", lambda _, values: float(values[-1] / values[0]), ""
                ),
                at_least(20.0),
            ),
        ),
    ),
    Claim(
        "P-2",
        "REM's advantage in goodput over DropTail does not hang on phase effects: with a random wait "
        "before each burst it is there as well, at all numbers of users",
        _SECTION,
        (
            Part(
                Level("controllers", "rem", "goodput", when="periods")
                - Level("controllers", "drop-tail", "goodput", when="periods"),
                ABOVE_ZERO,
            ),
        ),
        note="A wait of at most two packet times, 0.3% of the round trip, lifts DropTail by up to four "
        "points. Flows of equal round trips otherwise lose together; ns-2 shows the same (overhead_).",
    ),
    Claim(
        "P-3",
        "With gentle RED, which the paper's figure 1 names and ns-2.35 has, DropTail's goodput with 160 "
        "users is above that of all four",
        _SECTION,
        tuple(
            Part(
                Level("wireline", "drop-tail", "goodput", {"users": 160.0}, "stages", SETTLED)
                - Level("gentle", variant, "goodput", when="periods"),
                ABOVE_ZERO,
            )
            for variant in RED
        ),
    ),
    Claim(
        "P-4",
        "What REM does with NewReno it does with Reno: a queue near 20 packets at all numbers of users",
        "section 4.2",
        (Part(Level("reno", "rem-mark", "mean_queue", when="stages", after_s=SETTLED), Range(14.0, 30.0)),),
    ),
)
