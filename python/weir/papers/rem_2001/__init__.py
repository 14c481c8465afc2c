"""Athuraliya, Li, Low, Yin: REM: Active Queue Management, IEEE Network 15(3), 2001."""

from __future__ import annotations

from weir.papers.maps import ClaimMap
from weir.papers.paper import Paper
from weir.papers.rem_2001 import (
    price_claims,
    price_figures,
    tables,
    wireless_claims,
    wireless_figures,
    wireline_claims,
    wireline_figures,
)
from weir.papers.rem_2001.choices import CHOICES, FINDINGS
from weir.papers.rem_2001.experiments import EXPERIMENTS

PAPER = Paper(
    "rem-2001",
    "REM: Active Queue Management",
    "S. Athuraliya, V. H. Li, S. H. Low, Q. Yin",
    "IEEE Network 15(3), 2001",
    "Queues tell senders of congestion by growing long, or by losing packets. Can a router measure "
    "congestion by a price instead, so that the price grows with the number of users while queue and "
    "loss stay small, and the prices of a path add up to what a sender sees? And if losses need not tell "
    "of congestion any more, can TCP leave those of a radio link alone?",
    EXPERIMENTS,
    (*wireline_claims.CLAIMS, *price_claims.CLAIMS, *wireless_claims.CLAIMS),
    (
        wireline_figures.figure_1,
        wireline_figures.figure_2,
        wireless_figures.figure_3,
        wireless_figures.figure_4,
        wireline_figures.figure_2_settled,
        wireline_figures.window_and_price,
        wireline_figures.footnote,
        wireline_figures.phase_effects,
        price_figures.path,
        price_figures.equivalence,
        wireless_figures.wireless_queue,
        wireless_figures.sources,
        price_figures.today,
    ),
    (tables.windows, tables.summary, tables.gentle, tables.goodput_ranges, tables.mixed),
    (
        ClaimMap(
            "bits-or-bytes",
            "382 bits or 382 bytes",
            "Claims on the wireless link with packets of 48 B (384 bits) and of 382 B.",
            "packets",
            "wireless",
            ("packet",),
            ("Packet (B)",),
            (
                wireless_claims.DROP_TAIL_FIRST,
                wireless_claims.HELD_BACK,
                wireless_claims.WINDOWS,
            ),
            (48.0,),
        ),
    ),
    CHOICES,
    FINDINGS,
)
