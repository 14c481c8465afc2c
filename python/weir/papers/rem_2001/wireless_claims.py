"""Section 5: goodput, queue and overflow on the wireless link, and paths with routers that cannot mark."""

from __future__ import annotations

import numpy as np

from weir.papers.claims import ABOVE_ZERO, BELOW_ZERO, Claim, Part, Range, about, at_least, at_most
from weir.papers.quantities import Along, Level, Of, Quantity, Steps, relative
from weir.papers.rem_2001 import measured
from weir.papers.rem_2001.experiments import FORCED, MODIFIED, SETTLED, wireless

_GOODPUT = "section 5, figure 3"
_OVERFLOW = "section 5, figure 4"
_MIXED = "section 5, last paragraph"


def _at(variant: str, *users: float) -> Level:
    return Level("wireless", variant, "goodput", {"users": users}, when="stages")


def _sender(variant: str) -> Level:
    return Level("senders", variant, "goodput", {"users": 20.0}, when="stages")


def _highest(of: Quantity) -> Along:
    return Along(of, "highest", lambda _, values: float(np.max(values)))


def _first_minus_others(variant: str) -> Along:
    return Along(
        wireless(variant, "goodput"),
        "first minus least of the others",
        lambda _, values: float(values[0] - values[1:].min()),
        "points",
    )


DROP_TAIL_FIRST = Claim(
    "A-0.8a",
    "NewReno with DropTail gets 62% with 20 users, held down by losses that are none of its doing",
    _GOODPUT,
    (Part(_at("drop-tail", 20.0), about(62.0, 6.0), 62.0),),
    note="1.5 / W² = 1% gives windows of 12 of the 21 that the link needs, or 59%; timeouts take their part.",
)
DROP_TAIL_LAST = Claim(
    "A-0.8c",
    "NewReno with DropTail has a goodput of 91% at best",
    _GOODPUT,
    (Part(_highest(wireless("drop-tail", "goodput")), about(91.0, 5.0), 91.0),),
    note="Forty users need windows of 10 to fill the link, less than 1% of losses allows: they fill it, "
    "up to the ceiling of 99% that the losses leave. Timers as coarse as in 2000, without limited "
    "transmit, change next to nothing (see the table). The 91% must come from something that the paper "
    "does not say.",
)
HELD_BACK = Claim(
    "P-13",
    "Losses, not the link, hold 20 users back: NewReno with DropTail is then at least 20 points below "
    "its best",
    _GOODPUT,
    (
        Part(
            Along(
                wireless("drop-tail", "goodput"),
                "best minus first",
                lambda _, values: float(values.max() - values[0]),
                "points",
            ),
            at_least(20.0),
            29.0,
        ),
    ),
)
WINDOWS = Claim(
    "P-12",
    "Windows go from 22 packets with 20 users to 4 with 100",
    "section 5, captions of figures 3 and 4",
    (
        Part(
            Of("packets under way per user", "packets", lambda study: measured.in_flight(study)[:1]),
            about(22.0, 3.0),
            22.0,
        ),
        Part(
            Of("packets under way per user", "packets", lambda study: measured.in_flight(study)[-1:]),
            about(4.0, 1.0),
            4.0,
        ),
    ),
    note="REM's, from goodput, queue and Little's law: packets on the way and waiting, for each user.",
)


def _goodput_bands(variants: tuple[str, ...]) -> tuple[Part, ...]:
    wide, low = Range(86.0, 100.0), Range(78.0, 99.0)
    return tuple(Part(wireless(v, "goodput"), low if v.startswith("red-10-30") else wide) for v in variants)


def _order(variants: tuple[str, ...]) -> tuple[Part, ...]:
    red_20, red_10, rem = variants
    return (
        Part(_at(rem, 20.0) - _at(red_20, 20.0), Range(-3.0, 3.0)),
        Part(_at(rem, 20.0) - _at(red_10, 20.0), ABOVE_ZERO),
        Part(_at(red_20, 20.0) - _at(red_10, 20.0), ABOVE_ZERO),
    )


def _overflow(forced: str, ids: str) -> tuple[Claim, ...]:
    red_20, red_10 = f"red-20-80{forced}", f"red-10-30{forced}"
    total = measured.final_overflow
    return (
        Claim(
            f"A-0.10{ids[0]}",
            "DropTail overflows at least three times as often as RED(20:80), and that more often than "
            f"REM and RED(10:30){_WORDS[forced]}",
            _OVERFLOW,
            (
                Part(total("drop-tail") / total(red_20), at_least(3.0)),
                Part(total(red_20) - total("rem"), ABOVE_ZERO),
                Part(total(red_20) - total(red_10), ABOVE_ZERO),
            ),
            note="Where the paper has loss as heaviest and moderate, three is our reading; its figure 4 "
            "is not to be read to the number. The order is as it says.",
        ),
        Claim(
            f"A-0.10{ids[1]}",
            "Under REM and RED(10:30) at least 80% of the overflow falls within 10 s of a step of the "
            f"load{_WORDS[forced]}",
            _OVERFLOW,
            tuple(Part(measured.early_share(variant), at_least(80.0)) for variant in ("rem", red_10)),
        ),
        Claim(
            f"A-0.10{ids[2]}",
            "Under DropTail and RED(20:80) overflow goes on through the periods: at most half of it "
            f"within 10 s of a step{_WORDS[forced]}",
            _OVERFLOW,
            tuple(Part(measured.early_share(variant), at_most(50.0)) for variant in ("drop-tail", red_20)),
        ),
    )


_WORDS = {"": "", "-forced": ", where RED drops beyond max_th"}


def _burst(first: str, second: str) -> Quantity:
    at = {"users": 20.0}
    return Level("bursts", first, "goodput", at, when="stages") - Level(
        "bursts", second, "goodput", at, when="stages"
    )


def _desk(variant: str) -> Of:
    return measured.of_group(
        variant, "desk", "goodput", "goodput of the conventional users of the router", "%", 100.0
    )


def _mixed(variant: str, measure: str) -> Level:
    return Level("mixed-path", variant, measure)


CLAIMS = (
    DROP_TAIL_FIRST,
    Claim(
        "A-0.8b",
        "NewReno with DropTail has its lowest goodput with 20 users",
        _GOODPUT,
        (Part(_first_minus_others("drop-tail"), BELOW_ZERO),),
    ),
    DROP_TAIL_LAST,
    Claim(
        "A-0.9a",
        "Where packets are dropped only for want of room, REM and RED(20:80) reach 90 to 96% and "
        "RED(10:30) 82 to 95%, within 4 points",
        _GOODPUT,
        _goodput_bands(MODIFIED),
        note="A RED that marks all packets beyond max_th, and loses none, halves every window at once: the "
        "average stays beyond for some hundred packets. The queue runs empty again and again, worst with "
        "RED(10:30). What the paper shows is what RED does that drops there (A-0.9c): its text and its "
        "figures part.",
    ),
    Claim(
        "A-0.9b",
        "With 20 users the goodput of REM and that of RED(20:80) are within 3 points, and above that of "
        "RED(10:30)",
        _GOODPUT,
        _order(MODIFIED),
        note="With 20 users RED(20:80)'s queue is hardly above half of its lower threshold, and the link "
        "is idle more often than under REM, which holds 20 packets.",
    ),
    Claim(
        "A-0.9c",
        "REM and RED(20:80) reach 90 to 96% and RED(10:30) 82 to 95%, within 4 points, where RED drops "
        "beyond max_th, as ns-2's does",
        _GOODPUT,
        _goodput_bands(FORCED),
    ),
    Claim(
        "A-0.9d",
        "With 20 users the goodput of REM and that of RED(20:80) are within 3 points, and above that of "
        "RED(10:30), where RED drops beyond max_th",
        _GOODPUT,
        _order(FORCED),
    ),
    *_overflow("", "abc"),
    *_overflow("-forced", "def"),
    Claim(
        "A-0.11a",
        "On the wireless link, too, REM's mean queue stays near its target in the last 30 s of each period",
        "section 5",
        (Part(wireless("rem", "mean_queue", SETTLED), Range(14.0, 30.0), 20.0),),
    ),
    Claim(
        "A-0.11b",
        "DropTail's and RED's mean queues on the wireless link grow with the number of users",
        "section 5",
        tuple(
            Part(Steps(wireless(variant, "mean_queue", SETTLED)), ABOVE_ZERO)
            for variant in ("drop-tail", *MODIFIED[:2], *FORCED[:2])
        ),
    ),
    Claim(
        "P-8",
        "It is the sources' part that counts with few users: REM with NewReno as it was gains nothing "
        "over DropTail, with the modified sources at least 20 points",
        _GOODPUT,
        (
            Part(_sender("rem-newreno") - _at("drop-tail", 20.0), Range(-3.0, 3.0)),
            Part(_at("rem", 20.0) - _at("drop-tail", 20.0), at_least(20.0)),
        ),
    ),
    Claim(
        "P-9",
        "Where losses come in bursts, too, REM is at least 5 points above DropTail with 20 users",
        "section 5; the bursts are of an extended report",
        (Part(_burst("rem", "drop-tail"), at_least(5.0)),),
        note="Several losses of one window count for NewReno as one, so bursts hurt it less, and the "
        "modified sources, which repair one loss in a round trip, more.",
    ),
    Claim(
        "P-10",
        "Sources that react to marks alone overload a router that cannot mark: more than one and a half "
        "times the losses there, and conventional users get less than three quarters of what they had",
        _MIXED,
        (
            Part(_mixed("no-fall-back", "loss") / _mixed("newreno", "loss"), at_least(1.5)),
            Part(_desk("no-fall-back") / _desk("newreno"), at_most(0.75)),
        ),
    ),
    Claim(
        "P-11",
        "Sources that fall back do not overload it: losses and shares are those of NewReno, and where "
        "all routers mark they are as good as sources that never fall back",
        _MIXED,
        (
            Part(relative(_mixed("fall-back", "loss"), _mixed("newreno", "loss")), Range(-10.0, 10.0)),
            Part(relative(_desk("fall-back"), _desk("newreno")), Range(-10.0, 10.0)),
            Part(
                measured.of_group("fall-back-capable", "phone", "goodput", "goodput", "%", 100.0)
                - measured.of_group("no-fall-back-capable", "phone", "goodput", "goodput", "%", 100.0),
                Range(-1.0, 1.0),
            ),
        ),
    ),
    WINDOWS,
    HELD_BACK,
)
