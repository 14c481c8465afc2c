"""Sections 3.1, 3.2 and 4.1: prices that add up, equation 3 for equation 2, and PI."""

from __future__ import annotations

from weir.papers.claims import Claim, Part, Range
from weir.papers.quantities import Level, Quantity, relative
from weir.papers.rem_2001.measured import end_to_end


def _of(variant: str, measure: str) -> Level:
    return Level("controllers", variant, measure, when="periods")


def _minus(first: str, second: str, measure: str) -> Quantity:
    return _of(first, measure) - _of(second, measure)


CLAIMS = (
    Claim(
        "P-5a",
        "Over several bottlenecks the share of marked packets is what the hops' shares make together, 1 "
        "- Π(1 - m), within 5%",
        "section 3.2, equation 5",
        (Part(relative(end_to_end("rem-mark", "marked"), end_to_end("rem-mark", "product")), Range(-5, 5)),),
    ),
    Claim(
        "P-5b",
        "The share of marked packets over several bottlenecks tells the sum of their prices: it is 1 - "
        "φ^(-Σp), within 5%",
        "section 3.2, equation 5",
        (Part(relative(end_to_end("rem-mark", "marked"), end_to_end("rem-mark", "price")), Range(-5, 5)),),
    ),
    Claim(
        "P-6",
        "REM by equation 3 is a PI controller with a = γ ln φ and b = γ (1 - α) ln φ: queues within 2 "
        "packets, goodput within a point, marks within 10% of each other",
        "section 4.1",
        (
            Part(_minus("pi", "rem-queue", "mean_queue"), Range(-2.0, 2.0)),
            Part(_minus("pi", "rem-queue", "goodput"), Range(-1.0, 1.0)),
            Part(relative(_of("pi", "mark_fraction"), _of("rem-queue", "mark_fraction")), Range(-10, 10)),
        ),
        note="Not the same packets: PI's probability is linear where REM's is exponential, and one draw that "
        "falls otherwise changes all that follows. Hence margins, and pairs of runs with the same starts.",
    ),
    Claim(
        "P-7a",
        "The growth of the queue can stand for the rate, equation 3 for equation 2, where packets are "
        "marked: queues within 5 packets, goodput within a point",
        "section 3.1",
        (
            Part(_minus("rem-queue", "rem", "mean_queue"), Range(-5.0, 5.0)),
            Part(_minus("rem-queue", "rem", "goodput"), Range(-1.0, 1.0)),
        ),
        note="Where the link idles now and then, x < c and equation 2 rests (c - x) / α above b*: "
        "160 packets times the share of time that the link is idle, here one to five packets. Equation 3 "
        "rests at b*.",
    ),
    Claim(
        "P-7b",
        "By equation 3 the queue is near its target of 20 packets when REM drops, too",
        "section 3.1, equation 3",
        (Part(_of("rem-queue-drop", "mean_queue"), Range(14.0, 30.0), 20.0),),
        note="It does not count the packets that it drops.",
    ),
)
