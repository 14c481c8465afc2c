"""Lapsley, Low: Random Early Marking: an Optimisation Approach to Internet Congestion Control, ICON 1999."""

from __future__ import annotations

from weir_papers.ofc_1999.checks import CHECKS
from weir_papers.ofc_1999.figures import FIGURES
from weir_papers.ofc_1999.tables import TABLES
from weir_papers.reading import read

PAPER = read(__name__, CHECKS, FIGURES, TABLES)
