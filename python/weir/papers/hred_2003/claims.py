"""What the paper says of steady and changing load, and what would show it."""

from __future__ import annotations

from weir.papers.claims import Claim, Part, Range, at_least, at_most
from weir.papers.hred_2003.dynamic import DYNAMIC_CLAIMS
from weir.papers.hred_2003.gains import GAIN_CLAIMS
from weir.papers.hred_2003.measured import Kilobytes
from weir.papers.quantities import Along, Level, Quantity, rank

DEVIATION = 30.0
"""Of the queue, kB: what section IV calls large. The figures' unit is lost; its queues are in kB."""
BAND = Range(125.0, 250.0)
"""From min_th to max_th, kB."""


def _mean(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "mean_queue", at)


def _deviation(variant: str, **at: tuple[float, ...]) -> Kilobytes:
    return Kilobytes("steady", variant, "queue_sd", at)


def _used(variant: str, *loads: float) -> Level:
    return Level("steady", variant, "utilisation", {"load": loads} if loads else {})


def _largest(of: Quantity) -> Quantity:
    return Along(of, "largest", lambda _, values: float(values.max()))


HEAVY = (400.0, 500.0, 600.0, 700.0, 800.0, 900.0, 1000.0)
"""Loads of figure 4."""

STEADY_IN_BAND = Claim(
    "A-3.1a",
    "HRED keeps the mean queue between its thresholds at every load",
    "section IV, figures 3 (a) and 4 (a)",
    (Part(_mean("hred"), BAND),),
)
STEADY_USED = Claim(
    "A-3.1c",
    "HRED keeps the link full at every load",
    "section IV",
    (Part(_used("hred"), at_least(99.0)),),
    note='"Full utilization" is taken as 99% or more.',
)

STEADY_CLAIMS = (
    STEADY_IN_BAND,
    Claim(
        "A-3.1b",
        "HRED's queue deviates by less than 30 kB at every load",
        "section IV, figures 3 (b) and 4 (b)",
        (Part(_deviation("hred"), at_most(DEVIATION)),),
        note=(
            '"Large deviation over 30" has no unit; its queues are in kB. With 350 flows and more it '
            "holds. With 100 to 200 the queue swings by 48 to 36 kB: partly TCP's own swing, which PI has "
            "too (38 kB with 100 flows), partly that of p_min, whose steps are too large there. With a "
            "quarter of the printed gains it is 41 kB with 100 flows, with K = 1/2 36 kB: less, but not "
            "below 30."
        ),
    ),
    STEADY_USED,
    Claim(
        "A-3.2a",
        "RED's mean queue rises with the load and passes max_th",
        "section IV, figures 3 (a) and 4 (a)",
        (
            Part(rank(_mean("red")), at_least(0.9)),
            Part(_mean("red", load=(100.0,)), at_most(250.0)),
            Part(_mean("red", load=(1000.0,)), at_least(250.0)),
        ),
        note="RED's line ends at max_p = 0.02, which 1.5 / W² asks for with about 240 flows.",
    ),
    Claim(
        "A-3.2b",
        "RED's deviation is large somewhere",
        "section IV, figures 3 (b) and 4 (b)",
        (Part(_largest(_deviation("red")), at_least(DEVIATION)),),
    ),
    Claim(
        "A-3.2c",
        "AVQ's mean queue is small: below min_th at every load",
        "section IV",
        (Part(_mean("avq"), at_most(125.0)),),
    ),
    Claim(
        "A-3.2d",
        "AVQ oscillates at light load",
        "section IV",
        (Part(_deviation("avq", load=(100.0,)), at_least(DEVIATION)),),
    ),
    Claim(
        "A-3.2e",
        "AVQ performs well at heavy load: a steady queue, and the link in use",
        "section IV",
        (
            Part(_deviation("avq", load=HEAVY), at_most(DEVIATION)),
            Part(_used("avq", *HEAVY), at_least(97.0)),
        ),
        note=(
            "In use is what AVQ aims at, 98%, less one point. It takes ns-2's rule, which adapts to what is "
            "accepted: with the paper's, which counts what it drops, the link is left idle as losses grow; "
            "see the figure of other readings."
        ),
    ),
    Claim(
        "P-1",
        "Of the four only HRED has no large deviation anywhere: PI and AVQ have one at some load too",
        "section IV: RED, PI and AVQ fail in some environments",
        (
            Part(_largest(_deviation("pi")), at_least(DEVIATION)),
            Part(_largest(_deviation("avq")), at_least(DEVIATION)),
            Part(_largest(_deviation("hred")), at_most(DEVIATION)),
        ),
        note=(
            "All four have one at light load. PI's is the smaller there, 38 against 48 kB with 100 flows; "
            "at heavy load, from 400 flows on, HRED's is, and PI's grows to 62 kB with 1000 flows, where it "
            "is still on its way after 100 s."
        ),
    ),
    Claim(
        "P-2",
        "Without web traffic, too, HRED keeps the mean queue in its band and the link full",
        "section IV, with FTP only",
        (
            Part(Kilobytes("steady-ftp", "hred"), BAND),
            Part(Level("steady-ftp", "hred", "utilisation"), at_least(99.0)),
        ),
    ),
    Claim(
        "P-3",
        "HRED does not pay for its steadiness with losses: no more are lost than under PI, within 5%",
        "abstract: low loss",
        (Part(Level("steady", "hred", "loss") / Level("steady", "pi", "loss"), at_most(1.05)),),
    ),
)

CLAIMS = tuple(
    # Those of the specification first, by number.
    sorted((*STEADY_CLAIMS, *DYNAMIC_CLAIMS, *GAIN_CLAIMS), key=lambda claim: claim.id.startswith("P"))
)
