"""Verma, Iyer, Karandikar: Towards an Adaptive RED Algorithm for Achieving Delay-Loss Performance, 2002."""

from __future__ import annotations

from weir_papers.operating_point_2002.checks import CHECKS
from weir_papers.operating_point_2002.figures import FIGURES
from weir_papers.operating_point_2002.tables import TABLES
from weir_papers.reading import read

PAPER = read(__name__, CHECKS, FIGURES, TABLES)
