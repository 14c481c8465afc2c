"""Joo, Bahk: Hybrid Random Early Detection.

Journal of the Korean Institute of Communication Sciences 27(12A). The journal dates it December 2002, the
copyright 2002-2003; it is quoted as of 2003.
"""

from __future__ import annotations

from weir.papers.hred_2003.beyond import flatness, ftp_only, other_readings, theory, today
from weir.papers.hred_2003.claims import CLAIMS, STEADY_CLAIMS
from weir.papers.hred_2003.dynamic import DOUBLED_BACK, DOUBLED_NOT, DOUBLED_SLOWER
from weir.papers.hred_2003.experiments import EXPERIMENTS
from weir.papers.hred_2003.figures import figure_3, figure_4, figure_5, figure_6, figure_7
from weir.papers.hred_2003.notes import CHOICES, FINDINGS
from weir.papers.hred_2003.tables import doubled, responding, settings
from weir.papers.hred_2003.why import slower
from weir.papers.maps import ClaimMap
from weir.papers.paper import Paper

_TITLES = ("Least timeout (s)", "Seconds between pages")
_USED = (0.2, 15.0)

PAPER = Paper(
    "hred-2003",
    "Hybrid Random Early Detection",
    "C. Joo, S. Bahk",
    "Journal of the Korean Institute of Communication Sciences 27(12A), 2002-2003",
    "RED's queue follows the load, and where its line ends it swings. HRED takes RED's line on the queue "
    "itself, without an average, over the whole buffer, and lets the height of the line follow the load: up "
    "while the queue is above its band, down while it is below. Does that hold the queue between two "
    "thresholds from 100 to 1000 flows, with the link full, and find the band again after the load has "
    "changed, sooner than PI does?",
    EXPERIMENTS,
    CLAIMS,
    (
        figure_3, figure_4, figure_5, figure_6, figure_7,
        ftp_only, theory, flatness, slower, other_readings, today,
    ),
    (settings, doubled, responding),
    (
        ClaimMap(
            "map-steady",
            "Where A-3.1 holds: least timeout and web traffic",
            "HRED with 100 and 1000 FTP flows. The least timeout of ns-2 was 1 s when the paper was "
            "written; a page every 5 s instead of 15 s makes nearly three times the web traffic.",
            "steady-map",
            "steady",
            ("min_rto", "page"),
            _TITLES,
            STEADY_CLAIMS[:3],
            _USED,
        ),
        ClaimMap(
            "map-dynamic",
            "Where A-3.3 holds: least timeout and web traffic",
            "The load of figure 5, HRED and PI.",
            "dynamic-map",
            "dynamic",
            ("min_rto", "page"),
            _TITLES,
            (DOUBLED_BACK, DOUBLED_SLOWER, DOUBLED_NOT),
            _USED,
        ),
    ),
    CHOICES,
    FINDINGS,
)  # fmt: skip
