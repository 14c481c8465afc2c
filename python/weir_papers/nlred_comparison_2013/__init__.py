"""Bisoy, Pattnaik, Mohapatra, Panigrahi: Simulation Analysis of Active Queue Management, 2013."""

from __future__ import annotations

from weir_papers.nlred_comparison_2013.checks import CHECKS
from weir_papers.nlred_comparison_2013.figures import FIGURES
from weir_papers.nlred_comparison_2013.tables import TABLES
from weir_papers.reading import read

PAPER = read(__name__, CHECKS, FIGURES, TABLES)
