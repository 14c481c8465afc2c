"""Verma, Iyer, Karandikar: Towards an Adaptive RED Algorithm for Achieving Delay-Loss Performance, 2002."""

from __future__ import annotations

from weir.papers.operating_point_2002 import (
    claims_max_p,
    claims_max_th,
    claims_targets,
    figures,
    figures_beyond,
    figures_targets,
)
from weir.papers.operating_point_2002.experiments import EXPERIMENTS
from weir.papers.operating_point_2002.networks import MAPS
from weir.papers.operating_point_2002.notes import CHOICES, FINDINGS
from weir.papers.operating_point_2002.tables import TABLES
from weir.papers.paper import Paper

PAPER = Paper(
    "operating-point-2002",
    "Towards an Adaptive RED Algorithm for Achieving Delay-Loss Performance",
    "R. Verma, A. Iyer, A. Karandikar",
    "Indian Institute of Technology, Bombay, 2002",
    "What do RED's max_th and max_p do to delay, loss and use of a link? And how should they be moved to "
    "bring a queue to an operating point, a delay and a loss that were asked for, or as near to it as can "
    "be?",
    EXPERIMENTS,
    (*claims_max_th.CLAIMS, *claims_max_p.CLAIMS, *claims_targets.CLAIMS),
    (*figures.PLOTS, *figures_beyond.PLOTS, *figures_targets.PLOTS, figures_beyond.today),
    TABLES,
    MAPS,
    CHOICES,
    FINDINGS,
)
