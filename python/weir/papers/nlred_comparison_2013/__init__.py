"""Bisoy, Pattnaik, Mohapatra, Panigrahi: Simulation Analysis of Active Queue Management for Internet
Congestion Control, 2013."""

from __future__ import annotations

from weir.papers.nlred_comparison_2013 import beside, explained, figures, without
from weir.papers.nlred_comparison_2013.claims import ASSERTIONS
from weir.papers.nlred_comparison_2013.conclusions import CONCLUSIONS
from weir.papers.nlred_comparison_2013.experiments import EXPERIMENTS
from weir.papers.nlred_comparison_2013.maps import MAPS
from weir.papers.nlred_comparison_2013.remarks import CHOICES, FINDINGS
from weir.papers.nlred_comparison_2013.tables import beside_ns2, parameters
from weir.papers.paper import Paper

PAPER = Paper(
    "nlred-comparison-2013",
    "Simulation Analysis of Active Queue Management for Internet Congestion Control",
    "S. K. Bisoy, P. K. Pattnaik, S. K. Mohapatra, P. Panigrahi",
    "CCSN 2012, International Journal of Computer Applications Proceedings CCSN2012(1), 2013",
    "Which queue serves 20 to 120 bulk flows over one link best: DropTail, gentle RED, NLRED or REM? The "
    "paper compares goodput, queue, delay, loss, utilisation and fairness, and finds NLRED ahead in all of "
    "them and every scheme ahead of DropTail. It does not say how fast its link is nor how long its round "
    "trip, so maps show where each claim can be true at all.",
    EXPERIMENTS,
    (*ASSERTIONS, *CONCLUSIONS),
    (*figures.PLOTS, *without.PLOTS, *explained.PLOTS, *beside.PLOTS),
    (parameters, without.verdicts, beside_ns2),
    MAPS,
    CHOICES,
    FINDINGS,
)
