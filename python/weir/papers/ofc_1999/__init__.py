"""Lapsley, Low: Random Early Marking: an Optimisation Approach to Internet Congestion Control, ICON 1999."""

from __future__ import annotations

from weir.papers.ofc_1999 import claims, computed, tables
from weir.papers.ofc_1999.algorithm import figure_dumbbell, figure_parking_lot
from weir.papers.ofc_1999.choices import CHOICES, FINDINGS
from weir.papers.ofc_1999.experiments import EXPERIMENTS
from weir.papers.ofc_1999.figures import figure_1, figure_3, figure_4
from weir.papers.ofc_1999.maps import MAPS
from weir.papers.ofc_1999.settings import figure_bins, figure_phases, figure_settled, figure_waits
from weir.papers.ofc_1999.today import figure_today
from weir.papers.paper import Paper

PAPER = Paper(
    "ofc-1999",
    "Random Early Marking: an Optimisation Approach to Internet Congestion Control",
    "D. Lapsley, S. Low",
    "IEEE International Conference on Networks (ICON), 1999",
    "Can a network find the rates that are worth most to its users, with nothing but one bit in each "
    "packet to tell them what their path costs? Links price their queue and mark in proportion; sources "
    "estimate the price from the share of marks, and send what is worth it. The paper puts four such "
    "sources over one link, asks how steady windows, queue and rates are, compares them with RED and "
    "DropTail, and lets two of them value their rate twice as much.",
    EXPERIMENTS,
    (*claims.CLAIMS, *computed.CLAIMS),
    (
        figure_1,
        figure_3,
        figure_4,
        figure_dumbbell,
        figure_parking_lot,
        figure_settled,
        figure_phases,
        figure_waits,
        figure_bins,
        figure_today,
    ),
    (tables.table_1, tables.table_theory, tables.table_others, tables.table_today),
    MAPS,
    CHOICES,
    FINDINGS,
)
